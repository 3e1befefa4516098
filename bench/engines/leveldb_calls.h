/* bench/engines/leveldb_calls.h: what LevelDB's C interface and RocksDB's, which grew out of it, spell alike but for
 * the prefix. Each adapter includes it once. Before that it defines
 *
 *     CALL(name)   the name with the library's prefix
 *     NAME         the engine's name
 *     lsm_own      what it alone keeps of a database
 *
 * and after that set_options, clear_value, clear_options, write_version, describe, get and get_beside.
 */
#include "bench/engines/engine.h"

#include <stdio.h>
#include <stdlib.h>

typedef CALL(t) lsm;
typedef CALL(options_t) lsm_options;
typedef CALL(cache_t) lsm_cache;
typedef CALL(readoptions_t) lsm_readoptions;
typedef CALL(writeoptions_t) lsm_writeoptions;
typedef CALL(writebatch_t) lsm_writebatch;
typedef CALL(iterator_t) lsm_iterator;

typedef struct lsm_db {
    lsm *db;
    lsm_options *options;
    lsm_cache *cache;
    lsm_readoptions *read, *scan;
    lsm_writeoptions *write[2];
    lsm_writebatch *batch;
    lsm_own own;
} lsm_db;

/* Makes options, cache and what is its own. */
static void set_options(lsm_db *db, const lode_engine_settings *s);
/* Before the database is closed: what get lent last; afterwards: what its options had. */
static void clear_value(lsm_db *db);
static void clear_options(lsm_db *db);

static void must(char *error)
{
    if (error)
        lode_engine_stop("%s: %s", NAME, error);
}

static void *open_db(const char *path, const lode_engine_settings *s)
{
    lsm_db *db = (lsm_db *)lode_engine_memory(sizeof *db);
    char *error = NULL;

    set_options(db, s);
    db->read = CALL(readoptions_create)();
    db->scan = CALL(readoptions_create)();
    CALL(readoptions_set_verify_checksums)(db->read, !s->unchecked);
    CALL(readoptions_set_verify_checksums)(db->scan, !s->unchecked);
    for (int sync = 0; sync < 2; sync++) {
        db->write[sync] = CALL(writeoptions_create)();
        CALL(writeoptions_set_sync)(db->write[sync], (unsigned char)sync);
    }
    db->batch = CALL(writebatch_create)();
    db->db = CALL(open)(db->options, path, &error);
    must(error);
    return db;
}

static void close_db(void *context)
{
    lsm_db *db = (lsm_db *)context;

    clear_value(db);
    CALL(close)(db->db);
    CALL(writebatch_destroy)(db->batch);
    CALL(readoptions_destroy)(db->read);
    CALL(readoptions_destroy)(db->scan);
    CALL(writeoptions_destroy)(db->write[0]);
    CALL(writeoptions_destroy)(db->write[1]);
    CALL(options_destroy)(db->options);
    CALL(cache_destroy)(db->cache);
    clear_options(db);
    free(db);
}

static void put(void *context, lode_bytes key, lode_bytes value, bool sync)
{
    lsm_db *db = (lsm_db *)context;
    char *error = NULL;

    CALL(put)(db->db, db->write[sync], (const char *)key.data, key.len, (const char *)value.data, value.len, &error);
    must(error);
}

static void batch_begin(void *context)
{
    CALL(writebatch_clear)(((lsm_db *)context)->batch);
}

static void batch_put(void *context, lode_bytes key, lode_bytes value)
{
    CALL(writebatch_put)
    (((lsm_db *)context)->batch, (const char *)key.data, key.len, (const char *)value.data, value.len);
}

static void batch_delete(void *context, lode_bytes key)
{
    CALL(writebatch_delete)(((lsm_db *)context)->batch, (const char *)key.data, key.len);
}

static void batch_commit(void *context, bool sync)
{
    lsm_db *db = (lsm_db *)context;
    char *error = NULL;

    CALL(write)(db->db, db->write[sync], db->batch, &error);
    must(error);
}

static void *cursor_create(void *context)
{
    lsm_db *db = (lsm_db *)context;

    return CALL(create_iterator)(db->db, db->scan);
}

static bool cursor_move(void *cursor, lode_engine_move move, lode_bytes key, lode_engine_entry *entry)
{
    lsm_iterator *it = (lsm_iterator *)cursor;
    char *error = NULL;

    switch (move) {
    case LODE_MOVE_FIRST:
        CALL(iter_seek_to_first)(it);
        break;
    case LODE_MOVE_LAST:
        CALL(iter_seek_to_last)(it);
        break;
    case LODE_MOVE_NEXT:
        CALL(iter_next)(it);
        break;
    case LODE_MOVE_PREV:
        CALL(iter_prev)(it);
        break;
    case LODE_MOVE_SEEK:
        CALL(iter_seek)(it, (const char *)key.data, key.len);
        break;
    }
    if (!CALL(iter_valid)(it)) {
        CALL(iter_get_error)(it, &error);
        must(error);
        return false;
    }
    entry->key.data = CALL(iter_key)(it, &entry->key.len);
    entry->value.data = CALL(iter_value)(it, &entry->value.len);
    return true;
}

static void cursor_destroy(void *cursor)
{
    CALL(iter_destroy)((lsm_iterator *)cursor);
}

static void compact(void *context)
{
    CALL(compact_range)(((lsm_db *)context)->db, NULL, 0, NULL, 0);
}

#define LEVELDB_CALLS                                                                                                  \
    .promise = "the end of the process", .has_filter = true, .describe = describe, .open = open_db, LODE_ENGINE_CALLS, \
    LODE_ENGINE_BATCHES, .get_beside = get_beside, .compact = compact
