/* bench/engines/leveldb.c: LevelDB through its C interface. */
#include "bench/engines/engine.h"

#include <leveldb/c.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct leveldb_db {
    leveldb_t *db;
    leveldb_options_t *options;
    leveldb_cache_t *cache;
    leveldb_filterpolicy_t *filter;
    leveldb_readoptions_t *read, *scan;
    leveldb_writeoptions_t *write[2];
    leveldb_writebatch_t *batch;
    char *value;
} leveldb_db;

static void must(char *error)
{
    if (error)
        lode_engine_stop("leveldb: %s", error);
}

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

static void set_options(leveldb_db *db, const lode_engine_settings *s)
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
        db->filter = leveldb_filterpolicy_create_bloom(s->bloom_bits);
        leveldb_options_set_filter_policy(o, db->filter);
    }
}

static void *open_db(const char *path, const lode_engine_settings *s)
{
    leveldb_db *db = (leveldb_db *)lode_engine_memory(sizeof *db);
    char *error = NULL;

    set_options(db, s);
    db->read = leveldb_readoptions_create();
    db->scan = leveldb_readoptions_create();
    leveldb_readoptions_set_verify_checksums(db->read, !s->unchecked);
    leveldb_readoptions_set_verify_checksums(db->scan, !s->unchecked);
    for (int sync = 0; sync < 2; sync++) {
        db->write[sync] = leveldb_writeoptions_create();
        leveldb_writeoptions_set_sync(db->write[sync], (unsigned char)sync);
    }
    db->batch = leveldb_writebatch_create();
    db->db = leveldb_open(db->options, path, &error);
    must(error);
    return db;
}

static void close_db(void *context)
{
    leveldb_db *db = (leveldb_db *)context;

    leveldb_close(db->db);
    leveldb_writebatch_destroy(db->batch);
    leveldb_readoptions_destroy(db->read);
    leveldb_readoptions_destroy(db->scan);
    leveldb_writeoptions_destroy(db->write[0]);
    leveldb_writeoptions_destroy(db->write[1]);
    leveldb_options_destroy(db->options);
    leveldb_cache_destroy(db->cache);
    if (db->filter)
        leveldb_filterpolicy_destroy(db->filter);
    leveldb_free(db->value);
    free(db);
}

static void put(void *context, lode_bytes key, lode_bytes value, bool sync)
{
    leveldb_db *db = (leveldb_db *)context;
    char *error = NULL;

    leveldb_put(db->db, db->write[sync], (const char *)key.data, key.len, (const char *)value.data, value.len, &error);
    must(error);
}

static void batch_begin(void *context)
{
    leveldb_writebatch_clear(((leveldb_db *)context)->batch);
}

static void batch_put(void *context, lode_bytes key, lode_bytes value)
{
    leveldb_writebatch_put(((leveldb_db *)context)->batch, (const char *)key.data, key.len, (const char *)value.data,
                           value.len);
}

static void batch_delete(void *context, lode_bytes key)
{
    leveldb_writebatch_delete(((leveldb_db *)context)->batch, (const char *)key.data, key.len);
}

static void batch_commit(void *context, bool sync)
{
    leveldb_db *db = (leveldb_db *)context;
    char *error = NULL;

    leveldb_write(db->db, db->write[sync], db->batch, &error);
    must(error);
}

static bool get(void *context, lode_bytes key, lode_bytes *value)
{
    leveldb_db *db = (leveldb_db *)context;
    char *error = NULL;

    leveldb_free(db->value);
    db->value = leveldb_get(db->db, db->read, (const char *)key.data, key.len, &value->len, &error);
    must(error);
    value->data = db->value;
    return db->value != NULL;
}

static void get_beside(void *context, const lode_bytes *keys, size_t count, lode_engine_visit visit, void *visitor)
{
    leveldb_db *db = (leveldb_db *)context;

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

static void *cursor_create(void *context)
{
    leveldb_db *db = (leveldb_db *)context;

    return leveldb_create_iterator(db->db, db->scan);
}

static bool cursor_move(void *cursor, lode_engine_move move, lode_bytes key, lode_engine_entry *entry)
{
    leveldb_iterator_t *it = (leveldb_iterator_t *)cursor;
    char *error = NULL;

    switch (move) {
    case LODE_MOVE_FIRST:
        leveldb_iter_seek_to_first(it);
        break;
    case LODE_MOVE_LAST:
        leveldb_iter_seek_to_last(it);
        break;
    case LODE_MOVE_NEXT:
        leveldb_iter_next(it);
        break;
    case LODE_MOVE_PREV:
        leveldb_iter_prev(it);
        break;
    case LODE_MOVE_SEEK:
        leveldb_iter_seek(it, (const char *)key.data, key.len);
        break;
    }
    if (!leveldb_iter_valid(it)) {
        leveldb_iter_get_error(it, &error);
        must(error);
        return false;
    }
    entry->key.data = leveldb_iter_key(it, &entry->key.len);
    entry->value.data = leveldb_iter_value(it, &entry->value.len);
    return true;
}

static void cursor_destroy(void *cursor)
{
    leveldb_iter_destroy((leveldb_iterator_t *)cursor);
}

static void compact(void *context)
{
    leveldb_compact_range(((leveldb_db *)context)->db, NULL, 0, NULL, 0);
}

const lode_engine lode_engine_leveldb = {
    .name = "leveldb",
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
