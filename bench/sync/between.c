/* bench/sync/between.c: what stands between the import and the store.
 *
 * The linker puts these functions before those of lode/store.h (--wrap): the import's code is the product's own, and
 * there is no hook in it. The coins and the transaction index are handed to the engine that was wished for; everything
 * else, and both with Lode's own store, goes on to the functions it was meant for. The block index stays Lode's in
 * every row: it is one record for a block.
 *
 * What is not Lode's own carries a mark in the lowest bit of its pointer, which nobody but this file follows.
 *
 * Equal for all: write buffer, block cache, filter and one thread in the background are as wished; nothing is compacted
 * when the import ends, as in 2012; a sorted run, which only Lode's store takes past its log, is one batch elsewhere.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/sync/stand_in.h"

#define BETWEEN(type, name, parameters)                                                                                \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters

static void *marked(void *p)
{
    return (void *)((uintptr_t)p | 1);
}

static bool is_marked(const void *p)
{
    return (uintptr_t)p & 1;
}

static void *unmarked(const void *p)
{
    return (void *)((uintptr_t)p & ~(uintptr_t)1);
}

/* ---- opening ---- */

static bool is_measured(const char *path)
{
    const char *last = strrchr(path, '/');

    last = last ? last + 1 : path;
    return strcmp(last, "chainstate") == 0 || strcmp(last, "txindex") == 0;
}

static bool is_for_stand_in(const char *path)
{
    return lode_stand_in_wished.engine && is_measured(path);
}

BETWEEN(lode_status, lode_store_open, (lode_store * *out, const char *path, const lode_store_options *options))
{
    const lode_engine_settings *s = &lode_stand_in_wished.settings;
    lode_store_options o = *options;

    if (is_for_stand_in(path)) {
        if (options->read_only && access(path, F_OK) != 0)
            return lode_fail(LODE_MISSING, "%s: there is no database", path);
        *out = (lode_store *)marked(lode_stand_in_open(path));
        return lode_ok();
    }
    if (is_measured(path)) {
        o.cache = NULL;
        o.cache_bytes = s->cache_bytes;
        o.bloom_bits_per_key = s->bloom_bits;
        o.write_buffer_bytes = s->write_buffer_bytes;
        o.background_threads = 1;
    }
    return __real_lode_store_open(out, path, &o);
}

BETWEEN(lode_status, lode_store_close, (lode_store * store))
{
    if (!is_marked(store))
        return __real_lode_store_close(store);
    lode_stand_in_close((lode_stand_in *)unmarked(store));
    return lode_ok();
}

BETWEEN(lode_status, lode_store_destroy, (const char *path, const lode_store_options *options))
{
    if (!is_for_stand_in(path))
        return __real_lode_store_destroy(path, options);
    lode_stand_in_destroy(path);
    return lode_ok();
}

/* ---- writing ---- */

BETWEEN(lode_status, lode_store_write, (lode_store * store, lode_batch *batch, int sync))
{
    if (!is_marked(store))
        return __real_lode_store_write(store, batch, sync);
    return lode_stand_in_write((lode_stand_in *)unmarked(store), batch, sync);
}

BETWEEN(lode_status, lode_store_put,
        (lode_store * store, const void *key, size_t key_len, const void *value, size_t value_len, int sync))
{
    lode_batch *batch;
    lode_status s;

    if (!is_marked(store))
        return __real_lode_store_put(store, key, key_len, value, value_len, sync);
    batch = lode_batch_create();
    if (!batch)
        return lode_fail(LODE_NO_MEMORY, "no memory for a batch");
    lode_batch_put(batch, key, key_len, value, value_len);
    s = lode_stand_in_write((lode_stand_in *)unmarked(store), batch, sync);
    lode_batch_destroy(batch);
    return s;
}

typedef struct run {
    lode_stand_in *of;
    lode_batch *batch;
} run;

BETWEEN(lode_status, lode_run_begin, (lode_run * *out, lode_store *store))
{
    run *r;

    if (!is_marked(store))
        return __real_lode_run_begin(out, store);
    r = (run *)lode_engine_memory(sizeof *r);
    *r = (run){ (lode_stand_in *)unmarked(store), lode_batch_create() };
    *out = (lode_run *)marked(r);
    if (!r->batch)
        lode_engine_stop("no memory for a batch");
    return lode_ok();
}

BETWEEN(lode_status, lode_run_put,
        (lode_run * given, const void *key, size_t key_len, const void *value, size_t value_len))
{
    if (!is_marked(given))
        return __real_lode_run_put(given, key, key_len, value, value_len);
    lode_batch_put(((run *)unmarked(given))->batch, key, key_len, value, value_len);
    return lode_ok();
}

BETWEEN(lode_status, lode_run_delete, (lode_run * given, const void *key, size_t key_len))
{
    if (!is_marked(given))
        return __real_lode_run_delete(given, key, key_len);
    lode_batch_delete(((run *)unmarked(given))->batch, key, key_len);
    return lode_ok();
}

static void free_run(run *r)
{
    lode_batch_destroy(r->batch);
    free(r);
}

BETWEEN(lode_status, lode_run_finish, (lode_run * given))
{
    run *r = (run *)unmarked(given);
    lode_status s;

    if (!is_marked(given))
        return __real_lode_run_finish(given);
    s = lode_stand_in_write(r->of, r->batch, true);
    free_run(r);
    return s;
}

/* All in one batch. */
BETWEEN(lode_status, lode_runs_finish, (lode_run * *runs, size_t count))
{
    lode_status s;
    run *first;

    if (!count || !is_marked(runs[0]))
        return __real_lode_runs_finish(runs, count);
    first = (run *)unmarked(runs[0]);
    for (size_t i = 1; i < count; i++) {
        run *r = (run *)unmarked(runs[i]);
        lode_batch_append(first->batch, r->batch);
        free_run(r);
    }
    s = lode_stand_in_write(first->of, first->batch, true);
    free_run(first);
    return s;
}

BETWEEN(void, lode_run_abandon, (lode_run * given))
{
    if (is_marked(given))
        free_run((run *)unmarked(given));
    else
        __real_lode_run_abandon(given);
}

/* ---- reading ---- */

typedef void (*visit_value)(void *context, size_t position, lode_bytes value);

BETWEEN(lode_status, lode_store_multi_get,
        (lode_store * store, const lode_bytes *keys, size_t count, const lode_snapshot *snapshot, void *context,
         visit_value visit))
{
    if (!is_marked(store))
        return __real_lode_store_multi_get(store, keys, count, snapshot, context, visit);
    lode_stand_in_get((lode_stand_in *)unmarked(store), keys, count, visit, context);
    return lode_ok();
}

/* Where one value goes: into a buffer, or into memory of its own. */
typedef struct place {
    void *buffer;
    size_t capacity, len;
    bool is_given, found;
} place;

static void keep(void *context, size_t position, lode_bytes value)
{
    place *p = (place *)context;

    p->found = true;
    p->len = value.len;
    if (p->is_given) {
        p->buffer = lode_engine_memory(value.len);
        p->capacity = value.len;
    }
    if (value.len)
        memcpy(p->buffer, value.data, value.len < p->capacity ? value.len : p->capacity);
}

BETWEEN(lode_status, lode_store_get_into,
        (lode_store * store, int *found, void *buffer, size_t capacity, size_t *value_len, const void *key,
         size_t key_len, const lode_snapshot *snapshot))
{
    place p = { .buffer = buffer, .capacity = capacity };
    lode_bytes k = { key, key_len };

    if (!is_marked(store))
        return __real_lode_store_get_into(store, found, buffer, capacity, value_len, key, key_len, snapshot);
    lode_stand_in_get((lode_stand_in *)unmarked(store), &k, 1, keep, &p);
    *found = p.found;
    *value_len = p.len;
    return lode_ok();
}

BETWEEN(lode_status, lode_store_get,
        (lode_store * store, int *found, void **value, size_t *value_len, const void *key, size_t key_len,
         const lode_snapshot *snapshot))
{
    place p = { .is_given = true };
    lode_bytes k = { key, key_len };

    if (!is_marked(store))
        return __real_lode_store_get(store, found, value, value_len, key, key_len, snapshot);
    lode_stand_in_get((lode_stand_in *)unmarked(store), &k, 1, keep, &p);
    *found = p.found;
    *value = p.buffer; /* of malloc, as lode_store_free wants it */
    *value_len = p.len;
    return lode_ok();
}

/* ---- in order ---- */

typedef struct cursor {
    lode_stand_in_cursor *cursor;
    lode_bytes upper; /* data NULL: none */
} cursor;

BETWEEN(lode_status, lode_iterator_create,
        (lode_iterator * *out, lode_store *store, const lode_iterator_options *options))
{
    cursor *c;

    if (!is_marked(store))
        return __real_lode_iterator_create(out, store, options);
    c = (cursor *)lode_engine_memory(sizeof *c);
    c->cursor = lode_stand_in_cursor_create((lode_stand_in *)unmarked(store));
    if (options)
        c->upper = options->upper;
    *out = (lode_iterator *)marked(c);
    return lode_ok();
}

BETWEEN(void, lode_iterator_destroy, (lode_iterator * it))
{
    cursor *c = (cursor *)unmarked(it);

    if (!is_marked(it)) {
        __real_lode_iterator_destroy(it);
        return;
    }
    lode_stand_in_cursor_destroy(c->cursor);
    free(c);
}

static const lode_engine_entry *entry_of(const lode_iterator *it)
{
    const cursor *c = (const cursor *)unmarked(it);
    const lode_engine_entry *e = lode_stand_in_cursor_entry(c->cursor);

    return e && (!c->upper.data || lode_stand_in_compare(e->key, c->upper) < 0) ? e : NULL;
}

BETWEEN(int, lode_iterator_is_valid, (const lode_iterator *it))
{
    return is_marked(it) ? entry_of(it) != NULL : __real_lode_iterator_is_valid(it);
}

BETWEEN(void, lode_iterator_seek_first, (lode_iterator * it))
{
    if (is_marked(it))
        lode_stand_in_cursor_seek(((cursor *)unmarked(it))->cursor, (lode_bytes){ "", 0 });
    else
        __real_lode_iterator_seek_first(it);
}

BETWEEN(void, lode_iterator_seek, (lode_iterator * it, const void *key, size_t key_len))
{
    if (is_marked(it))
        lode_stand_in_cursor_seek(((cursor *)unmarked(it))->cursor, (lode_bytes){ key, key_len });
    else
        __real_lode_iterator_seek(it, key, key_len);
}

BETWEEN(void, lode_iterator_next, (lode_iterator * it))
{
    if (is_marked(it))
        lode_stand_in_cursor_next(((cursor *)unmarked(it))->cursor);
    else
        __real_lode_iterator_next(it);
}

BETWEEN(lode_bytes, lode_iterator_key, (const lode_iterator *it))
{
    return is_marked(it) ? entry_of(it)->key : __real_lode_iterator_key(it);
}

BETWEEN(lode_bytes, lode_iterator_value, (const lode_iterator *it))
{
    return is_marked(it) ? entry_of(it)->value : __real_lode_iterator_value(it);
}

BETWEEN(lode_status, lode_iterator_status, (const lode_iterator *it))
{
    return is_marked(it) ? lode_ok() : __real_lode_iterator_status(it);
}

/* ---- upkeep ---- */

BETWEEN(lode_status, lode_store_approximate_sizes,
        (lode_store * store, size_t count, const lode_bytes *starts, const lode_bytes *limits, uint64_t *sizes))
{
    if (!is_marked(store))
        return __real_lode_store_approximate_sizes(store, count, starts, limits, sizes);
    memset(sizes, 0, count * sizeof *sizes);
    return lode_ok();
}

BETWEEN(lode_status, lode_store_compact_range,
        (lode_store * store, const void *start, size_t start_len, const void *limit, size_t limit_len))
{
    return lode_ok();
}
