/* bench/engines/berkeleydb.c: Berkeley DB, B-tree and hash.
 *
 * With a log: transactional, a write that is not synced reaches the system's cache (DB_TXN_WRITE_NOSYNC). Without, as
 * in 2003: the concurrent data store, which has no log and promises nothing until it is closed.
 */
#include "bench/engines/engine.h"

#include <db.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct berkeley_db {
    DB_ENV *env;
    DB *db;
    DB_TXN *txn; /* of a batch */
    bool has_log;
    lode_engine_buffer value;
} berkeley_db;

static void must(int error)
{
    if (error)
        lode_engine_stop("berkeleydb: %s", db_strerror(error));
}

static DBT dbt_of(lode_bytes b)
{
    union {
        const void *in;
        void *out;
    } data = { b.data };

    return (DBT){ .data = data.out, .size = (u_int32_t)b.len };
}

static void write_version(char *text, size_t size)
{
    int major, minor, patch;

    db_version(&major, &minor, &patch);
    snprintf(text, size, "%d.%d.%d", major, minor, patch);
}

static void describe(char *text, size_t size, const lode_engine_settings *s)
{
    snprintf(text, size, "cache %zu, %s, no compression", s->cache_bytes,
             s->no_log ? "concurrent data store without log" : "transactions, 32 MiB log files, DB_TXN_WRITE_NOSYNC");
}

/* Locks for batches of thousands of pages. */
static void open_env(berkeley_db *db, const char *path, const lode_engine_settings *s)
{
    u_int32_t flags = DB_CREATE | DB_PRIVATE | DB_INIT_MPOOL;
    int error;

    must(db_env_create(&db->env, 0));
    must(db->env->set_cachesize(db->env, (u_int32_t)(s->cache_bytes >> 30),
                                (u_int32_t)(s->cache_bytes & ((1u << 30) - 1)), 1));
    if (s->no_log) {
        flags |= DB_INIT_CDB;
    } else {
        flags |= DB_INIT_LOG | DB_INIT_TXN | DB_INIT_LOCK | DB_RECOVER;
        must(db->env->set_lg_bsize(db->env, 1 << 20));
        must(db->env->set_lg_max(db->env, 32 << 20));
        must(db->env->set_lk_max_locks(db->env, 200000));
        must(db->env->set_lk_max_objects(db->env, 200000));
        must(db->env->log_set_config(db->env, DB_LOG_AUTO_REMOVE, 1));
    }
    error = db->env->open(db->env, path, flags, 0666);
    if (error)
        lode_engine_stop("berkeleydb: %s: %s", path, db_strerror(error));
}

static void *open_as(const char *path, const lode_engine_settings *s, DBTYPE type)
{
    berkeley_db *db = (berkeley_db *)lode_engine_memory(sizeof *db);

    lode_engine_make_directory(path);
    db->has_log = !s->no_log;
    open_env(db, path, s);
    must(db_create(&db->db, db->env, 0));
    must(db->db->open(db->db, NULL, "entries.db", NULL, type, DB_CREATE | (db->has_log ? DB_AUTO_COMMIT : 0), 0666));
    lode_engine_buffer_grow(&db->value, 4096);
    return db;
}

static void *open_btree(const char *path, const lode_engine_settings *s)
{
    return open_as(path, s, DB_BTREE);
}

static void *open_hash(const char *path, const lode_engine_settings *s)
{
    return open_as(path, s, DB_HASH);
}

static void close_db(void *context)
{
    berkeley_db *db = (berkeley_db *)context;

    must(db->db->close(db->db, 0));
    if (db->has_log)
        must(db->env->txn_checkpoint(db->env, 0, 0, 0));
    must(db->env->close(db->env, 0));
    free(db->value.bytes);
    free(db);
}

static void batch_begin(void *context)
{
    berkeley_db *db = (berkeley_db *)context;

    if (db->has_log)
        must(db->env->txn_begin(db->env, NULL, &db->txn, 0));
}

static void batch_put(void *context, lode_bytes key, lode_bytes value)
{
    const berkeley_db *db = (const berkeley_db *)context;
    DBT k = dbt_of(key), v = dbt_of(value);

    must(db->db->put(db->db, db->txn, &k, &v, 0));
}

static void batch_delete(void *context, lode_bytes key)
{
    const berkeley_db *db = (const berkeley_db *)context;
    DBT k = dbt_of(key);
    int error = db->db->del(db->db, db->txn, &k, 0);

    must(error == DB_NOTFOUND ? 0 : error);
}

static void batch_commit(void *context, bool sync)
{
    berkeley_db *db = (berkeley_db *)context;

    if (db->has_log)
        must(db->txn->commit(db->txn, sync ? DB_TXN_SYNC : DB_TXN_WRITE_NOSYNC));
    else if (sync)
        must(db->db->sync(db->db, 0));
    db->txn = NULL;
}

static void put(void *context, lode_bytes key, lode_bytes value, bool sync)
{
    batch_begin(context);
    batch_put(context, key, value);
    batch_commit(context, sync);
}

static bool get(void *context, lode_bytes key, lode_bytes *value)
{
    berkeley_db *db = (berkeley_db *)context;
    DBT k = dbt_of(key),
        v = { .data = db->value.bytes, .ulen = (u_int32_t)db->value.capacity, .flags = DB_DBT_USERMEM };
    int error = db->db->get(db->db, NULL, &k, &v, 0);

    if (error == DB_NOTFOUND)
        return false;
    if (error == DB_BUFFER_SMALL) {
        lode_engine_buffer_grow(&db->value, v.size);
        return get(context, key, value);
    }
    must(error);
    *value = (lode_bytes){ v.data, v.size };
    return true;
}

static void *cursor_create(void *context)
{
    berkeley_db *db = (berkeley_db *)context;
    DBC *cursor;

    must(db->db->cursor(db->db, NULL, &cursor, 0));
    return cursor;
}

static bool cursor_move(void *context, lode_engine_move move, lode_bytes key, lode_engine_entry *entry)
{
    static const u_int32_t ops[] = { DB_FIRST, DB_LAST, DB_NEXT, DB_PREV, DB_SET_RANGE };
    DBC *cursor = (DBC *)context;
    DBT k = dbt_of(key), v = { .data = NULL };
    int error = cursor->get(cursor, &k, &v, ops[move]);

    if (error == DB_NOTFOUND)
        return false;
    must(error);
    entry->key = (lode_bytes){ k.data, k.size };
    entry->value = (lode_bytes){ v.data, v.size };
    return true;
}

static void cursor_destroy(void *context)
{
    DBC *cursor = (DBC *)context;

    must(cursor->close(cursor));
}

static void compact(void *context)
{
    berkeley_db *db = (berkeley_db *)context;

    must(db->db->compact(db->db, NULL, NULL, NULL, NULL, DB_FREE_SPACE, NULL));
}

#define COMMON                                                                                                         \
    .promise = "the end of the process (nothing without a log)", .describe = describe, LODE_ENGINE_CALLS,              \
    LODE_ENGINE_BATCHES, .compact = compact

const lode_engine lode_engine_berkeleydb = {
    .name = "berkeleydb",
    .open = open_btree,
    COMMON,
};

const lode_engine lode_engine_berkeleydb_hash = {
    .name = "berkeleydb-hash",
    .no_order = "a hash table has no order",
    .no_reverse = "a hash table has no order",
    .open = open_hash,
    COMMON,
};
