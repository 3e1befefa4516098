/* bench/engines/rocksdb.c: RocksDB through its C interface. */
#include "config.h"

#include "bench/engines/engine.h"

#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct rocksdb_db {
    rocksdb_t *db;
    rocksdb_block_based_table_options_t *table;
    rocksdb_options_t *options;
    rocksdb_cache_t *cache;
    rocksdb_readoptions_t *read, *scan;
    rocksdb_writeoptions_t *write[2];
    rocksdb_writebatch_t *batch;
    rocksdb_pinnableslice_t *value;
} rocksdb_db;

static void must(char *error)
{
    if (error)
        lode_engine_stop("rocksdb: %s", error);
}

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

static void set_table_options(rocksdb_db *db, const lode_engine_settings *s)
{
    rocksdb_block_based_table_options_t *t = db->table = rocksdb_block_based_options_create();

    db->cache = rocksdb_cache_create_lru(s->cache_bytes);
    rocksdb_block_based_options_set_block_cache(t, db->cache);
    rocksdb_block_based_options_set_block_size(t, s->block_bytes);
    if (s->bloom_bits) /* the table's options take it */
        rocksdb_block_based_options_set_filter_policy(t, rocksdb_filterpolicy_create_bloom_full(s->bloom_bits));
    rocksdb_options_set_block_based_table_factory(db->options, t);
}

static void set_options(rocksdb_db *db, const lode_engine_settings *s)
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

static void *open_db(const char *path, const lode_engine_settings *s)
{
    rocksdb_db *db = (rocksdb_db *)lode_engine_memory(sizeof *db);
    char *error = NULL;

    set_options(db, s);
    db->read = rocksdb_readoptions_create();
    db->scan = rocksdb_readoptions_create();
    rocksdb_readoptions_set_verify_checksums(db->read, !s->unchecked);
    rocksdb_readoptions_set_verify_checksums(db->scan, !s->unchecked);
    for (int sync = 0; sync < 2; sync++) {
        db->write[sync] = rocksdb_writeoptions_create();
        rocksdb_writeoptions_set_sync(db->write[sync], (unsigned char)sync);
    }
    db->batch = rocksdb_writebatch_create();
    db->db = rocksdb_open(db->options, path, &error);
    must(error);
    return db;
}

static void close_db(void *context)
{
    rocksdb_db *db = (rocksdb_db *)context;

    rocksdb_pinnableslice_destroy(db->value); /* it holds a block */
    rocksdb_close(db->db);
    rocksdb_writebatch_destroy(db->batch);
    rocksdb_readoptions_destroy(db->read);
    rocksdb_readoptions_destroy(db->scan);
    rocksdb_writeoptions_destroy(db->write[0]);
    rocksdb_writeoptions_destroy(db->write[1]);
    rocksdb_options_destroy(db->options);
    rocksdb_cache_destroy(db->cache);
    rocksdb_block_based_options_destroy(db->table);
    free(db);
}

static void put(void *context, lode_bytes key, lode_bytes value, bool sync)
{
    rocksdb_db *db = (rocksdb_db *)context;
    char *error = NULL;

    rocksdb_put(db->db, db->write[sync], (const char *)key.data, key.len, (const char *)value.data, value.len, &error);
    must(error);
}

static void batch_begin(void *context)
{
    rocksdb_writebatch_clear(((rocksdb_db *)context)->batch);
}

static void batch_put(void *context, lode_bytes key, lode_bytes value)
{
    rocksdb_writebatch_put(((rocksdb_db *)context)->batch, (const char *)key.data, key.len, (const char *)value.data,
                           value.len);
}

static void batch_delete(void *context, lode_bytes key)
{
    rocksdb_writebatch_delete(((rocksdb_db *)context)->batch, (const char *)key.data, key.len);
}

static void batch_commit(void *context, bool sync)
{
    rocksdb_db *db = (rocksdb_db *)context;
    char *error = NULL;

    rocksdb_write(db->db, db->write[sync], db->batch, &error);
    must(error);
}

static bool get(void *context, lode_bytes key, lode_bytes *value)
{
    rocksdb_db *db = (rocksdb_db *)context;
    char *error = NULL;

    rocksdb_pinnableslice_destroy(db->value);
    db->value = rocksdb_get_pinned(db->db, db->read, (const char *)key.data, key.len, &error);
    must(error);
    value->data = rocksdb_pinnableslice_value(db->value, &value->len);
    return db->value != NULL;
}

static void get_beside(void *context, const lode_bytes *keys, size_t count, lode_engine_visit visit, void *visitor)
{
    rocksdb_db *db = (rocksdb_db *)context;

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

static void *cursor_create(void *context)
{
    rocksdb_db *db = (rocksdb_db *)context;

    return rocksdb_create_iterator(db->db, db->scan);
}

static bool cursor_move(void *cursor, lode_engine_move move, lode_bytes key, lode_engine_entry *entry)
{
    rocksdb_iterator_t *it = (rocksdb_iterator_t *)cursor;
    char *error = NULL;

    switch (move) {
    case LODE_MOVE_FIRST:
        rocksdb_iter_seek_to_first(it);
        break;
    case LODE_MOVE_LAST:
        rocksdb_iter_seek_to_last(it);
        break;
    case LODE_MOVE_NEXT:
        rocksdb_iter_next(it);
        break;
    case LODE_MOVE_PREV:
        rocksdb_iter_prev(it);
        break;
    case LODE_MOVE_SEEK:
        rocksdb_iter_seek(it, (const char *)key.data, key.len);
        break;
    }
    if (!rocksdb_iter_valid(it)) {
        rocksdb_iter_get_error(it, &error);
        must(error);
        return false;
    }
    entry->key.data = rocksdb_iter_key(it, &entry->key.len);
    entry->value.data = rocksdb_iter_value(it, &entry->value.len);
    return true;
}

static void cursor_destroy(void *cursor)
{
    rocksdb_iter_destroy((rocksdb_iterator_t *)cursor);
}

static void compact(void *context)
{
    rocksdb_compact_range(((rocksdb_db *)context)->db, NULL, 0, NULL, 0);
}

const lode_engine lode_engine_rocksdb = {
    .name = "rocksdb",
    .promise = "the end of the process",
    .has_filter = true,
    .version = write_version,
    .describe = describe,
    .open = open_db,
    .close = close_db,
    .put = put,
    .batch_begin = batch_begin,
    .batch_put = batch_put,
    .batch_delete = batch_delete,
    .batch_commit = batch_commit,
    .get = get,
    .get_beside = get_beside,
    .cursor_create = cursor_create,
    .cursor_move = cursor_move,
    .cursor_destroy = cursor_destroy,
    .compact = compact,
};
