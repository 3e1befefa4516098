/* bench/engines/rocksdb.c: RocksDB through its C interface. */
#include "config.h"

#include <rocksdb/c.h>

#define CALL(name) rocksdb_##name
#define NAME "rocksdb"

typedef struct lsm_own {
    rocksdb_block_based_table_options_t *table;
    rocksdb_pinnableslice_t *value; /* lent by get */
} lsm_own;

#include "bench/engines/leveldb_calls.h"

static void write_version(char *text, size_t size)
{
    snprintf(text, size, "%s", ROCKSDB_VERSION);
}

static void describe(char *text, size_t size, const lode_engine_settings *s)
{
    snprintf(text, size, "cache %zu, write buffer %zu, block %zu, table %zu, bloom bits %d, %s, open files %d%s%s",
             s->cache_bytes, s->write_buffer_bytes, s->block_bytes, s->table_bytes ? s->table_bytes : (size_t)64 << 20,
             s->bloom_bits, s->compress ? "snappy" : "no compression", s->max_open_files, s->bulk ? ", bulk load" : "",
             s->threads ? ", more threads" : "");
}

static void set_table_options(lsm_db *db, const lode_engine_settings *s)
{
    rocksdb_block_based_table_options_t *t = db->own.table = rocksdb_block_based_options_create();

    db->cache = rocksdb_cache_create_lru(s->cache_bytes);
    rocksdb_block_based_options_set_block_cache(t, db->cache);
    rocksdb_block_based_options_set_block_size(t, s->block_bytes);
    if (s->bloom_bits) /* the table's options take it */
        rocksdb_block_based_options_set_filter_policy(t, rocksdb_filterpolicy_create_bloom_full(s->bloom_bits));
    rocksdb_options_set_block_based_table_factory(db->options, t);
}

static void set_options(lsm_db *db, const lode_engine_settings *s)
{
    rocksdb_options_t *o = db->options = rocksdb_options_create();

    rocksdb_options_set_create_if_missing(o, 1);
    rocksdb_options_set_write_buffer_size(o, s->write_buffer_bytes);
    rocksdb_options_set_max_open_files(o, s->max_open_files);
    rocksdb_options_set_compression(o, s->compress ? rocksdb_snappy_compression : rocksdb_no_compression);
    if (s->table_bytes)
        rocksdb_options_set_target_file_size_base(o, s->table_bytes);
    if (s->threads)
        rocksdb_options_increase_parallelism(o, s->threads);
    if (s->bulk)
        rocksdb_options_prepare_for_bulk_load(o);
    set_table_options(db, s);
}

/* It holds a block. */
static void clear_value(lsm_db *db)
{
    rocksdb_pinnableslice_destroy(db->own.value);
}

static void clear_options(lsm_db *db)
{
    rocksdb_block_based_options_destroy(db->own.table);
}

static bool get(void *context, lode_bytes key, lode_bytes *value)
{
    lsm_db *db = (lsm_db *)context;
    char *error = NULL;

    rocksdb_pinnableslice_destroy(db->own.value);
    db->own.value = rocksdb_get_pinned(db->db, db->read, (const char *)key.data, key.len, &error);
    must(error);
    value->data = rocksdb_pinnableslice_value(db->own.value, &value->len);
    return db->own.value != NULL;
}

static void get_beside(void *context, const lode_bytes *keys, size_t count, lode_engine_visit visit, void *visitor)
{
    lsm_db *db = (lsm_db *)context;

    for (size_t i = 0; i < count; i++) {
        char *error = NULL;
        lode_bytes value;
        rocksdb_pinnableslice_t *slice =
            rocksdb_get_pinned(db->db, db->read, (const char *)keys[i].data, keys[i].len, &error);
        must(error);
        if (!slice)
            continue;
        value.data = rocksdb_pinnableslice_value(slice, &value.len);
        visit(visitor, i, value);
        rocksdb_pinnableslice_destroy(slice);
    }
}

const lode_engine lode_engine_rocksdb = {
    .name = NAME,
    LEVELDB_CALLS,
};
