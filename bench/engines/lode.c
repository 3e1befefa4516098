/* bench/engines/lode.c: our own store. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/engines/engine.h"
#include "support/status.h"

typedef struct lode_db {
    lode_store *store;
    lode_batch *batch;
    lode_engine_buffer buffer;
    bool unchecked;
} lode_db;

static void must(lode_status s)
{
    if (lode_failed(s))
        lode_engine_stop("lode: %s", s.text);
}

static void write_version(char *text, size_t size)
{
    snprintf(text, size, "%s", PACKAGE_VERSION);
}

static lode_store_options read_settings(const lode_engine_settings *s)
{
    lode_store_options o;

    lode_store_options_init(&o);
    o.create_if_missing = 1;
    o.cache_bytes = s->cache_bytes;
    o.write_buffer_bytes = s->write_buffer_bytes;
    o.block_bytes = s->block_bytes;
    o.bloom_bits_per_key = s->bloom_bits;
    o.max_open_files = s->max_open_files;
    o.compression = s->compress ? LODE_COMPRESSION_SNAPPY : LODE_COMPRESSION_NONE;
    if (s->table_bytes)
        o.table_bytes = s->table_bytes;
    if (s->threads)
        o.background_threads = s->threads;
    o.bulk_load = s->bulk;
    o.verify_checksums = !s->unchecked;
    return o;
}

static void describe(char *text, size_t size, const lode_engine_settings *s)
{
    lode_store_options o = read_settings(s);

    snprintf(
        text, size,
        "cache %zu, write buffer %zu, block %zu, table %zu, bloom bits %d, %s, background threads %d, open files %d%s",
        o.cache_bytes, o.write_buffer_bytes, o.block_bytes, o.table_bytes, o.bloom_bits_per_key,
        s->compress ? "snappy" : "no compression", o.background_threads, o.max_open_files,
        o.bulk_load ? ", bulk load" : "");
}

static void *open_db(const char *path, const lode_engine_settings *s)
{
    lode_store_options o = read_settings(s);
    lode_db *db = (lode_db *)lode_engine_memory(sizeof *db);

    must(lode_store_open(&db->store, path, &o));
    db->unchecked = s->unchecked;
    db->batch = lode_batch_create();
    lode_engine_buffer_grow(&db->buffer, 4096);
    return db;
}

static void close_db(void *context)
{
    lode_db *db = (lode_db *)context;

    must(lode_store_close(db->store));
    lode_batch_destroy(db->batch);
    free(db->buffer.bytes);
    free(db);
}

static void put(void *context, lode_bytes key, lode_bytes value, bool sync)
{
    must(lode_store_put(((lode_db *)context)->store, key.data, key.len, value.data, value.len, sync));
}

static void batch_begin(void *context)
{
    lode_batch_clear(((lode_db *)context)->batch);
}

static void batch_put(void *context, lode_bytes key, lode_bytes value)
{
    lode_batch_put(((lode_db *)context)->batch, key.data, key.len, value.data, value.len);
}

static void batch_delete(void *context, lode_bytes key)
{
    lode_batch_delete(((lode_db *)context)->batch, key.data, key.len);
}

static void batch_commit(void *context, bool sync)
{
    lode_db *db = (lode_db *)context;

    must(lode_store_write(db->store, db->batch, sync));
}

static bool get(void *context, lode_bytes key, lode_bytes *value)
{
    lode_db *db = (lode_db *)context;
    int found;

    must(lode_store_get_into(db->store, &found, db->buffer.bytes, db->buffer.capacity, &value->len, key.data, key.len,
                             NULL));
    if (!found)
        return false;
    if (value->len > db->buffer.capacity) {
        lode_engine_buffer_grow(&db->buffer, value->len);
        return get(context, key, value);
    }
    value->data = db->buffer.bytes;
    return true;
}

static void *cursor_create(void *context)
{
    const lode_db *db = (const lode_db *)context;
    lode_iterator_options o;
    lode_iterator *it;

    lode_iterator_options_init(&o);
    o.verify_checksums = !db->unchecked;
    must(lode_iterator_create(&it, db->store, &o));
    return it;
}

static bool cursor_move(void *cursor, lode_engine_move move, lode_bytes key, lode_engine_entry *entry)
{
    lode_iterator *it = (lode_iterator *)cursor;

    switch (move) {
    case LODE_MOVE_FIRST:
        lode_iterator_seek_first(it);
        break;
    case LODE_MOVE_LAST:
        lode_iterator_seek_last(it);
        break;
    case LODE_MOVE_NEXT:
        lode_iterator_next(it);
        break;
    case LODE_MOVE_PREV:
        lode_iterator_prev(it);
        break;
    case LODE_MOVE_SEEK:
        lode_iterator_seek(it, key.data, key.len);
        break;
    }
    if (!lode_iterator_is_valid(it)) {
        must(lode_iterator_status(it));
        return false;
    }
    entry->key = lode_iterator_key(it);
    entry->value = lode_iterator_value(it);
    return true;
}

static void cursor_destroy(void *cursor)
{
    lode_iterator_destroy((lode_iterator *)cursor);
}

static void compact(void *context)
{
    must(lode_store_compact_range(((lode_db *)context)->store, NULL, 0, NULL, 0));
}

const lode_engine lode_engine_lode = {
    .name = "lode",
    .promise = "the end of the process",
    .has_filter = true,
    .describe = describe,
    .open = open_db,
    LODE_ENGINE_CALLS,
    LODE_ENGINE_BATCHES,
    .compact = compact,
};
