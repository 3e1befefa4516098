/* bench/engines/leveldb.c: LevelDB through its C interface. */
#include <leveldb/c.h>

#define CALL(name) leveldb_##name
#define NAME "leveldb"

typedef struct lsm_own {
    leveldb_filterpolicy_t *filter;
    char *value; /* lent by get */
} lsm_own;

#include "bench/engines/leveldb_calls.h"

static void write_version(char *text, size_t size)
{
    snprintf(text, size, "%d.%d", leveldb_major_version(), leveldb_minor_version());
}

static void describe(char *text, size_t size, const lode_engine_settings *s)
{
    snprintf(text, size, "cache %zu, write buffer %zu, block %zu, table %zu, bloom bits %d, %s, open files %d",
             s->cache_bytes, s->write_buffer_bytes, s->block_bytes, s->table_bytes ? s->table_bytes : (size_t)2 << 20,
             s->bloom_bits, s->compress ? "snappy" : "no compression", s->max_open_files);
}

static void set_options(lsm_db *db, const lode_engine_settings *s)
{
    leveldb_options_t *o = db->options = leveldb_options_create();

    leveldb_options_set_create_if_missing(o, 1);
    db->cache = leveldb_cache_create_lru(s->cache_bytes);
    leveldb_options_set_cache(o, db->cache);
    leveldb_options_set_write_buffer_size(o, s->write_buffer_bytes);
    leveldb_options_set_block_size(o, s->block_bytes);
    leveldb_options_set_max_open_files(o, s->max_open_files);
    leveldb_options_set_compression(o, s->compress ? leveldb_snappy_compression : leveldb_no_compression);
    if (s->table_bytes)
        leveldb_options_set_max_file_size(o, s->table_bytes);
    if (s->bloom_bits) {
        db->own.filter = leveldb_filterpolicy_create_bloom(s->bloom_bits);
        leveldb_options_set_filter_policy(o, db->own.filter);
    }
}

static void clear_value(lsm_db *db)
{
    leveldb_free(db->own.value);
}

static void clear_options(lsm_db *db)
{
    if (db->own.filter)
        leveldb_filterpolicy_destroy(db->own.filter);
}

static bool get(void *context, lode_bytes key, lode_bytes *value)
{
    lsm_db *db = (lsm_db *)context;
    char *error = NULL;

    leveldb_free(db->own.value);
    db->own.value = leveldb_get(db->db, db->read, (const char *)key.data, key.len, &value->len, &error);
    must(error);
    value->data = db->own.value;
    return db->own.value != NULL;
}

static void get_beside(void *context, const lode_bytes *keys, size_t count, lode_engine_visit visit, void *visitor)
{
    lsm_db *db = (lsm_db *)context;

    for (size_t i = 0; i < count; i++) {
        char *error = NULL;
        size_t len;
        char *value = leveldb_get(db->db, db->read, (const char *)keys[i].data, keys[i].len, &len, &error);
        must(error);
        if (value)
            visit(visitor, i, (lode_bytes){ value, len });
        leveldb_free(value);
    }
}

const lode_engine lode_engine_leveldb = {
    .name = NAME,
    LEVELDB_CALLS,
};
