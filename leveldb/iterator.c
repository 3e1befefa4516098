/* leveldb/iterator.c: iterators and snapshots. Their store knows them, so that closing it too early does no harm.
 *
 * Touches:  the store.
 * Threads:  one per iterator; any for snapshots.
 */
#include <stdlib.h>

#include "leveldb/internal.h"

/* ---- snapshots ---- */

const leveldb_snapshot_t *leveldb_create_snapshot(leveldb_t *db)
{
    leveldb_snapshot_t *s = db ? malloc(sizeof *s) : NULL;
    if (!s)
        return NULL;
    if (lode_failed(lode_snapshot_take(&s->snapshot, db->store))) {
        free(s);
        return NULL;
    }
    lode_mutex_lock(&db->lock);
    s->next = db->snapshots;
    s->link = &db->snapshots;
    if (s->next)
        s->next->link = &s->next;
    db->snapshots = s;
    lode_mutex_unlock(&db->lock);
    return s;
}

/* With the lock. */
static void release(leveldb_t *db, leveldb_snapshot_t *s)
{
    *s->link = s->next;
    if (s->next)
        s->next->link = s->link;
    lode_snapshot_release(db->store, s->snapshot);
    free(s);
}

void leveldb_release_snapshot(leveldb_t *db, const leveldb_snapshot_t *snapshot)
{
    if (!db || !snapshot)
        return;
    lode_mutex_lock(&db->lock);
    release(db, (leveldb_snapshot_t *)(uintptr_t)snapshot);
    lode_mutex_unlock(&db->lock);
}

void lode_leveldb_release_snapshots(leveldb_t *db)
{
    lode_mutex_lock(&db->lock);
    while (db->snapshots)
        release(db, db->snapshots);
    lode_mutex_unlock(&db->lock);
}

/* ---- life of an iterator ---- */

static void enlist(leveldb_t *db, leveldb_iterator_t *it)
{
    lode_mutex_lock(&db->lock);
    it->next = db->iterators;
    it->link = &db->iterators;
    if (it->next)
        it->next->link = &it->next;
    db->iterators = it;
    lode_mutex_unlock(&db->lock);
}

/* With the store's lock. */
static void delist(leveldb_iterator_t *it)
{
    *it->link = it->next;
    if (it->next)
        it->next->link = it->link;
}

leveldb_iterator_t *leveldb_create_iterator(leveldb_t *db, const leveldb_readoptions_t *options)
{
    leveldb_iterator_t *it = db ? calloc(1, sizeof *it) : NULL;
    lode_iterator_options o;
    if (!it)
        return NULL;
    lode_iterator_options_init(&o);
    if (options) {
        o.fill_cache = options->fill_cache;
        o.verify_checksums = options->verify_checksums;
        o.snapshot = options->snapshot ? options->snapshot->snapshot : NULL;
    }
    it->db = db;
    it->status = lode_iterator_create(&it->it, db->store, &o);
    enlist(db, it);
    return it;
}

void leveldb_iter_destroy(leveldb_iterator_t *it)
{
    if (!it)
        return;
    if (it->db) {
        lode_mutex_lock(&it->db->lock);
        delist(it);
        lode_mutex_unlock(&it->db->lock);
    }
    lode_iterator_destroy(it->it);
    free(it);
}

void lode_leveldb_orphan_iterators(leveldb_t *db)
{
    lode_mutex_lock(&db->lock);
    while (db->iterators) {
        leveldb_iterator_t *it = db->iterators;
        delist(it);
        lode_iterator_destroy(it->it);
        it->it = NULL;
        it->db = NULL;
        it->status = lode_fail(LODE_INVALID_ARGUMENT, "iterator: its store was closed");
    }
    lode_mutex_unlock(&db->lock);
}

/* ---- moving and looking ---- */

uint8_t leveldb_iter_valid(const leveldb_iterator_t *it)
{
    return it && lode_iterator_is_valid(it->it);
}
void leveldb_iter_seek_to_first(leveldb_iterator_t *it)
{
    if (it)
        lode_iterator_seek_first(it->it);
}
void leveldb_iter_seek_to_last(leveldb_iterator_t *it)
{
    if (it)
        lode_iterator_seek_last(it->it);
}
void leveldb_iter_seek(leveldb_iterator_t *it, const char *key, size_t key_len)
{
    if (it)
        lode_iterator_seek(it->it, key, key_len);
}
void leveldb_iter_next(leveldb_iterator_t *it)
{
    if (it)
        lode_iterator_next(it->it);
}
void leveldb_iter_prev(leveldb_iterator_t *it)
{
    if (it)
        lode_iterator_prev(it->it);
}

static const char *lend(lode_bytes bytes, size_t *len)
{
    if (len)
        *len = bytes.len;
    return bytes.data;
}

const char *leveldb_iter_key(const leveldb_iterator_t *it, size_t *key_len)
{
    return lend(lode_iterator_key(it ? it->it : NULL), key_len);
}
const char *leveldb_iter_value(const leveldb_iterator_t *it, size_t *value_len)
{
    return lend(lode_iterator_value(it ? it->it : NULL), value_len);
}
void leveldb_iter_get_error(const leveldb_iterator_t *it, char **error)
{
    lode_leveldb_take_error(error, !it      ? lode_fail(LODE_INVALID_ARGUMENT, "iterator: there is none")
                                   : it->it ? lode_iterator_status(it->it)
                                            : it->status);
}
