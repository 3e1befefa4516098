/* bench/engines/lmdb.c: LMDB. A write that is not asked to be synced goes without (MDB_NOSYNC), as one transaction
 * each.
 *
 * Note:     flags are the environment's: with settings.sync every write of a chapter is synced, and its rows say so.
 */
#include "bench/engines/engine.h"

#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct lmdb_db {
    MDB_env *env;
    MDB_dbi dbi;
    MDB_txn *read;  /* reset between reads after writes */
    MDB_txn *write; /* of a batch */
    bool is_reading;
} lmdb_db;

typedef struct lmdb_cursor {
    MDB_txn *txn;
    MDB_cursor *cursor;
} lmdb_cursor;

static void must(int error)
{
    if (error)
        lode_engine_stop("lmdb: %s", mdb_strerror(error));
}

static MDB_val val_of(lode_bytes b)
{
    union {
        const void *in;
        void *out;
    } data = { b.data };

    return (MDB_val){ b.len, data.out };
}

static void write_version(char *text, size_t size)
{
    int major, minor, patch;

    mdb_version(&major, &minor, &patch);
    snprintf(text, size, "%d.%d.%d", major, minor, patch);
}

static unsigned flags_of(const lode_engine_settings *s)
{
    return (s->sync ? 0u : (unsigned)MDB_NOSYNC) | (s->lmdb_writemap ? (unsigned)MDB_WRITEMAP : 0u);
}

static size_t map_bytes_of(const lode_engine_settings *s)
{
    return (size_t)s->data_bytes * 6 + ((size_t)256 << 20);
}

static void describe(char *text, size_t size, const lode_engine_settings *s)
{
    snprintf(text, size, "map %zu, %s%s, no cache but the system's, no compression", map_bytes_of(s),
             s->sync ? "synced" : "MDB_NOSYNC", s->lmdb_writemap ? ", MDB_WRITEMAP" : "");
}

static void *open_db(const char *path, const lode_engine_settings *s)
{
    lmdb_db *db = (lmdb_db *)lode_engine_memory(sizeof *db);
    MDB_txn *txn;

    lode_engine_make_directory(path);
    must(mdb_env_create(&db->env));
    must(mdb_env_set_mapsize(db->env, map_bytes_of(s)));
    must(mdb_env_open(db->env, path, flags_of(s) | MDB_NOTLS, 0666));
    must(mdb_txn_begin(db->env, NULL, 0, &txn));
    must(mdb_dbi_open(txn, NULL, 0, &db->dbi));
    must(mdb_txn_commit(txn));
    must(mdb_txn_begin(db->env, NULL, MDB_RDONLY, &db->read));
    mdb_txn_reset(db->read);
    return db;
}

static void close_db(void *context)
{
    lmdb_db *db = (lmdb_db *)context;

    mdb_txn_abort(db->read);
    mdb_env_close(db->env);
    free(db);
}

/* A reader would keep pages from being used again. */
static void begin_write(lmdb_db *db)
{
    if (db->is_reading)
        mdb_txn_reset(db->read);
    db->is_reading = false;
    must(mdb_txn_begin(db->env, NULL, 0, &db->write));
}

static void batch_begin(void *context)
{
    begin_write((lmdb_db *)context);
}

static void batch_put(void *context, lode_bytes key, lode_bytes value)
{
    const lmdb_db *db = (const lmdb_db *)context;
    MDB_val k = val_of(key), v = val_of(value);

    must(mdb_put(db->write, db->dbi, &k, &v, 0));
}

static void batch_delete(void *context, lode_bytes key)
{
    const lmdb_db *db = (const lmdb_db *)context;
    MDB_val k = val_of(key);
    int error = mdb_del(db->write, db->dbi, &k, NULL);

    must(error == MDB_NOTFOUND ? 0 : error);
}

static void batch_commit(void *context, bool sync)
{
    must(mdb_txn_commit(((lmdb_db *)context)->write));
}

static void put(void *context, lode_bytes key, lode_bytes value, bool sync)
{
    batch_begin(context);
    batch_put(context, key, value);
    batch_commit(context, sync);
}

static bool get(void *context, lode_bytes key, lode_bytes *value)
{
    lmdb_db *db = (lmdb_db *)context;
    MDB_val k = val_of(key), v;
    int error;

    if (!db->is_reading)
        must(mdb_txn_renew(db->read));
    db->is_reading = true;
    error = mdb_get(db->read, db->dbi, &k, &v);
    if (error == MDB_NOTFOUND)
        return false;
    must(error);
    *value = (lode_bytes){ v.mv_data, v.mv_size };
    return true;
}

static void get_beside(void *context, const lode_bytes *keys, size_t count, lode_engine_visit visit, void *visitor)
{
    lmdb_db *db = (lmdb_db *)context;
    MDB_txn *txn;

    must(mdb_txn_begin(db->env, NULL, MDB_RDONLY, &txn));
    for (size_t i = 0; i < count; i++) {
        MDB_val k = val_of(keys[i]), v;
        int error = mdb_get(txn, db->dbi, &k, &v);
        if (error == MDB_NOTFOUND)
            continue;
        must(error);
        visit(visitor, i, (lode_bytes){ v.mv_data, v.mv_size });
    }
    mdb_txn_abort(txn);
}

static void *cursor_create(void *context)
{
    lmdb_db *db = (lmdb_db *)context;
    lmdb_cursor *c = (lmdb_cursor *)lode_engine_memory(sizeof *c);

    if (!db->is_reading)
        must(mdb_txn_renew(db->read));
    db->is_reading = true;
    c->txn = db->read;
    must(mdb_cursor_open(c->txn, db->dbi, &c->cursor));
    return c;
}

static bool cursor_move(void *cursor, lode_engine_move move, lode_bytes key, lode_engine_entry *entry)
{
    static const MDB_cursor_op ops[] = { MDB_FIRST, MDB_LAST, MDB_NEXT, MDB_PREV, MDB_SET_RANGE };
    MDB_val k = val_of(key), v;
    int error = mdb_cursor_get(((lmdb_cursor *)cursor)->cursor, &k, &v, ops[move]);

    if (error == MDB_NOTFOUND)
        return false;
    must(error);
    entry->key = (lode_bytes){ k.mv_data, k.mv_size };
    entry->value = (lode_bytes){ v.mv_data, v.mv_size };
    return true;
}

static void cursor_destroy(void *cursor)
{
    mdb_cursor_close(((lmdb_cursor *)cursor)->cursor);
    free(cursor);
}

const lode_engine lode_engine_lmdb = {
    .name = "lmdb",
    .promise = "the end of the process",
    .has_no_cache = true,
    .no_compact = "there is nothing to compact in place",
    .describe = describe,
    .open = open_db,
    .get_beside = get_beside,
    LODE_ENGINE_CALLS,
    LODE_ENGINE_BATCHES,
};
