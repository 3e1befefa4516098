/* storage/verify.c: reading everything and believing nothing.
 *
 * Touches:  all tables, the logs and the manifest, read only.
 * Threads:  any; writers wait while log and manifest are read.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "storage/file_name.h"
#include "storage/filter.h"
#include "storage/log_reader.h"
#include "storage/store_internal.h"

static lode_status check_entries(lode_store *store, lode_cursor *c, const lode_file_meta *f, uint64_t sequence)
{
    lode_buf last = LODE_BUF_EMPTY;
    lode_status s = lode_ok();
    uint64_t count = 0;
    for (c->ops->seek_first(c); c->valid && !lode_failed(s); c->ops->next(c), count++) {
        const char *wrong = NULL;
        if (count && lode_compare_internal(store->cmp, lode_buf_slice(&last), c->key) >= 0)
            wrong = "keys out of order";
        else if (!count && lode_compare_internal(store->cmp, c->key, f->smallest) != 0)
            wrong = "another smallest key than the manifest says";
        else if ((lode_trailer(c->key) & 0xff) > LODE_ENTRY_VALUE)
            wrong = "an entry of unknown type";
        else if (lode_trailer(c->key) >> 8 > sequence)
            wrong = "an entry newer than the last sequence";
        if (wrong)
            s = lode_fail(LODE_CORRUPT, "%s: table %" PRIu64 ", entry %" PRIu64 ": %s", store->path, f->number, count,
                          wrong);
        lode_buf_reset(&last);
        lode_buf_append(&last, c->key.data, c->key.len);
        if (!lode_buf_is_good(&last) && !lode_failed(s))
            s = lode_fail(LODE_NO_MEMORY, "%s: no memory for a key", store->path);
    }
    if (!lode_failed(s))
        s = c->status;
    if (!lode_failed(s) && (!count || lode_compare_internal(store->cmp, lode_buf_slice(&last), f->largest) != 0))
        s = lode_fail(LODE_CORRUPT, "%s: table %" PRIu64 ": another largest key than the manifest says", store->path,
                      f->number);
    lode_buf_clear(&last);
    return s;
}

/* What a scan sees a filter must let through. */
static lode_status check_filter(lode_store *store, lode_table *t, lode_cursor *c, const lode_file_meta *f)
{
    for (c->ops->seek_first(c); c->valid; c->ops->next(c)) {
        lode_slice user = lode_user_key(c->key), value;
        lode_lookup found;
        lode_table_pin pin = { 0 };
        int step;
        LODE_TRY(lode_table_find(t, &found, &value, &pin, &step, user, lode_filter_hash(user.data, user.len),
                                 lode_trailer(c->key)));
        lode_table_pin_release(&pin);
        if (found == LODE_LOOKUP_NONE)
            return lode_fail(LODE_CORRUPT, "%s: table %" PRIu64 ": a key that a scan finds and a search does not",
                             store->path, f->number);
    }
    return c->status;
}

static lode_status check_table(lode_store *store, const lode_version *v, lode_file_meta *f, uint64_t sequence)
{
    lode_cursor_options options = { .verify_checksums = true };
    lode_table *t;
    LODE_TRY(lode_table_cache_open(v->tables, &t, f));
    lode_cursor *c = lode_table_cursor(t, &options);
    lode_status s =
        c ? check_entries(store, c, f, sequence) : lode_fail(LODE_NO_MEMORY, "%s: no memory for a cursor", store->path);
    if (!lode_failed(s) && lode_table_filter_is_damaged(t))
        s = lode_fail(LODE_CORRUPT, "%s: table %" PRIu64 ": its filter is damaged", store->path, f->number);
    if (!lode_failed(s))
        s = check_filter(store, t, c, f);
    lode_cursor_destroy(c);
    lode_table_unref(t);
    return s;
}

static lode_status check_levels(lode_store *store, const lode_version *v)
{
    for (int level = 1; level < LODE_LEVELS; level++)
        for (size_t i = 1; i < v->levels[level].count; i++)
            if (lode_compare_internal(store->cmp, v->levels[level].files[i - 1]->largest,
                                      v->levels[level].files[i]->smallest) >= 0)
                return lode_fail(LODE_CORRUPT, "%s: tables %" PRIu64 " and %" PRIu64 " of level %d overlap",
                                 store->path, v->levels[level].files[i - 1]->number, v->levels[level].files[i]->number,
                                 level);
    return lode_ok();
}

static lode_status read_whole(lode_store *store, lode_file_kind kind, uint64_t number, bool may_be_torn)
{
    lode_log_reader *reader = NULL;
    uint64_t torn_at;
    bool found = true;
    lode_slice record;
    char *path = lode_file_path(store->path, kind, number);
    if (!path)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a file name", store->path);
    lode_status s = lode_log_reader_open(&reader, store->env, path);
    while (!lode_failed(s) && found)
        s = lode_log_reader_next(reader, &found, &record);
    if (!lode_failed(s) && !may_be_torn && lode_log_reader_is_torn(reader, &torn_at))
        s = lode_fail(LODE_CORRUPT, "%s: torn at offset %" PRIu64, path, torn_at);
    lode_log_reader_close(reader);
    free(path);
    return s;
}

/* As first writer and with no edit under way, so that nothing grows meanwhile. */
static lode_status check_logs(lode_store *store)
{
    lode_writer self = { 0 };
    lode_status s = lode_ok();
    lode_mutex_lock(&store->lock);
    lode_writers_enter(store, &self);
    while (store->versions.applying)
        lode_cond_wait(&store->versions.applied, &store->lock);
    store->versions.applying = true;
    uint64_t manifest = store->versions.manifest_number, log = store->log_number;
    bool writes = store->log != NULL;
    lode_mutex_unlock(&store->lock);
    s = read_whole(store, LODE_FILE_MANIFEST, manifest, !writes);
    if (!lode_failed(s) && writes)
        s = read_whole(store, LODE_FILE_LOG, log, false);
    lode_mutex_lock(&store->lock);
    store->versions.applying = false;
    lode_cond_broadcast(&store->versions.applied);
    lode_writers_leave(store, &self);
    lode_mutex_unlock(&store->lock);
    return s;
}

lode_status lode_store_verify(lode_store *store)
{
    if (!store)
        return lode_fail(LODE_INVALID_ARGUMENT, "store verify: store is NULL");
    uint64_t sequence;
    lode_view *view = lode_view_acquire(store, &sequence);
    lode_status s = check_levels(store, view->version);
    for (int level = 0; level < LODE_LEVELS; level++)
        for (size_t i = 0; i < view->version->levels[level].count && !lode_failed(s); i++)
            s = check_table(store, view->version, view->version->levels[level].files[i], sequence);
    lode_view_release(store, view);
    return lode_failed(s) ? s : check_logs(store);
}
