/* txindex/writer.c: gathering positions of transactions and writing them as sorted runs.
 *
 * Room:     a large array of entries and a small one, which is filled while the large one is sorted and written: fewer
 *           and longer runs than from two halves. An import that fits in memory writes each entry once.
 * Touches:  the store of indexes/txindex.
 * Threads:  the chain's, and one that writes; it divides large arrays among others by ranges of txids.
 * Promise:  'B' moves in the same step as the last entries it speaks for, or later. Entries may be there before: they
 *           are right, and are written again by whoever goes on from an older 'B'.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "primitives/encode.h"
#include "txindex/txindex_private.h"

enum { PARTS_MOST = 8, PART_LEAST = 100000, BLOCK_SHARE = 8 };

/* ---- one sorted output: a run, or a batch when entries are few ---- */

typedef struct output {
    const lode_txindex *index;
    lode_run *run;
    lode_batch *batch;
} output;

static lode_status put(output *o, const void *key, size_t key_len, uint8_t *value, size_t len)
{
    lode_txindex_obfuscate(o->index, value, len);
    if (o->run)
        return lode_run_put(o->run, key, key_len, value, len);
    lode_batch_put(o->batch, key, key_len, value, len);
    return lode_ok();
}

static lode_status write_locator(output *o, lode_slice locator)
{
    uint8_t *value;
    lode_status s;

    if (locator.len == 0)
        return lode_ok();
    value = malloc(locator.len);
    if (!value)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a locator", o->index->path);
    memcpy(value, locator.data, locator.len);
    s = put(o, "B", 1, value, locator.len);
    free(value);
    return s;
}

static size_t encode_position(uint8_t *value, const lode_txindex_place *block, uint32_t tx_offset)
{
    size_t n = lode_varint_write(value, block->file);

    n += lode_varint_write(value + n, block->block_pos);
    return n + lode_varint_write(value + n, tx_offset);
}

/* Sorted entries [first, end) of an array. Equal txids all lie in one range. */
static lode_status write_entries(output *o, const lode_txindex_array *a, size_t first, size_t end)
{
    uint8_t key[LODE_TXINDEX_KEY_BYTES] = { 't' }, value[LODE_TXINDEX_VALUE_MOST];

    for (size_t i = first; i < end; i++) {
        const lode_tx_entry *e = &a->entries[i];
        if (i + 1 < end && memcmp(e->txid, e[1].txid, 32) == 0)
            continue; /* a later one holds */
        memcpy(key + 1, e->txid, 32);
        LODE_TRY(put(o, key, sizeof key, value, encode_position(value, &a->blocks[e->block], e->tx_offset)));
    }
    return lode_ok();
}

static lode_status write_as_batch(lode_txindex *x, const lode_txindex_array *a, lode_slice locator, bool sync)
{
    output o = { .index = x, .batch = lode_batch_create() };
    lode_status s;

    if (!o.batch)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a batch", x->path);
    s = write_locator(&o, locator);
    if (!lode_failed(s))
        s = write_entries(&o, a, 0, a->count);
    if (!lode_failed(s))
        s = lode_store_write(x->store, o.batch, sync);
    lode_batch_destroy(o.batch);
    return s;
}

/* ---- ranges of a large array, each a run built by a thread of its own ---- */

typedef struct key_range {
    lode_txindex *index;
    const lode_txindex_array *array;
    size_t first, end;
    lode_slice locator; /* of the first part, which is finished when the others are on disk; 'B' sorts before all */
    lode_run *run;
    lode_status status;
    lode_thread thread;
} key_range;

static lode_status build_part(key_range *p)
{
    output o = { .index = p->index };
    lode_status s;

    LODE_TRY(lode_run_begin(&o.run, p->index->store));
    s = write_locator(&o, p->locator);
    if (!lode_failed(s))
        s = write_entries(&o, p->array, p->first, p->end);
    if (!lode_failed(s))
        p->run = o.run;
    else
        lode_run_abandon(o.run);
    return s;
}

static void *write_part(void *context)
{
    key_range *p = context;

    p->status = build_part(p);
    if (!lode_failed(p->status))
        p->status = lode_run_finish(p->run);
    return NULL;
}

/* Without a thread of its own a part takes this one. */
static void start_part(key_range *p)
{
    if (lode_failed(lode_thread_start(&p->thread, "txindex-write", write_part, p)))
        write_part(p);
}

static lode_status write_as_runs(lode_txindex *x, const lode_txindex_array *a, lode_slice locator, int threads)
{
    key_range parts[PARTS_MOST] = { 0 };
    size_t count = threads < PARTS_MOST ? (size_t)threads : PARTS_MOST;
    lode_status s;

    if (count > a->count / PART_LEAST)
        count = a->count / PART_LEAST;
    if (count == 0)
        count = 1;
    for (size_t i = count; i-- > 0;) {
        parts[i] = (key_range){ .index = x, .array = a };
        parts[i].first = i ? lode_tx_entries_lower_bound(a->entries, a->count, (unsigned)(256 * i / count)) : 0;
        parts[i].end = i + 1 < count ? parts[i + 1].first : a->count;
        if (i)
            start_part(&parts[i]);
    }
    parts[0].locator = locator;
    s = build_part(&parts[0]);
    for (size_t i = 1; i < count; i++) {
        lode_thread_join(&parts[i].thread);
        if (lode_failed(s))
            continue;
        s = parts[i].status;
        if (lode_failed(s))
            lode_run_abandon(parts[0].run);
    }
    return lode_failed(s) ? s : lode_run_finish(parts[0].run);
}

/* ---- arrays ---- */

static lode_status remember_locator(lode_txindex *x, lode_slice locator)
{
    if (locator.len == 0)
        return lode_ok();
    lode_buf_reset(&x->locator);
    lode_buf_append(&x->locator, locator.data, locator.len);
    if (!lode_buf_is_good(&x->locator))
        lode_buf_clear(&x->locator); /* it is written once more, which harms nobody */
    return lode_ok();
}

/* Sorts and writes the array, with the locator if there is one. On success the array is empty. */
static lode_status write_array(lode_txindex *x, lode_txindex_array *a, lode_slice locator, bool sync, int threads)
{
    lode_tx_entries_sort(a->entries, a->count, threads);
    LODE_TRY(a->count > x->batch_most ? write_as_runs(x, a, locator, threads) : write_as_batch(x, a, locator, sync));
    a->count = a->block_count = 0;
    return lode_ok();
}

void lode_txindex_share_memory(lode_txindex *x, size_t bytes)
{
    for (int i = 0; i < 2; i++) {
        lode_txindex_array *a = &x->arrays[i];
        size_t share = i ? bytes / 5 : bytes / 5 * 4;
        a->block_capacity = share / (sizeof *a->blocks + BLOCK_SHARE * sizeof *a->entries);
        a->capacity = a->block_capacity * BLOCK_SHARE;
        if (a->capacity > UINT32_MAX)
            a->capacity = UINT32_MAX;
    }
}

static void *run_writer(void *context)
{
    lode_txindex *x = context;

    x->writer_status = write_array(x, x->writing, lode_buf_slice(&x->writer_locator), true, x->writer_threads);
    __atomic_store_n(&x->writer_is_done, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* The writer has ended and the array it had is empty; what it failed to write is written here. */
static lode_status settle_writer(lode_txindex *x)
{
    lode_slice locator = lode_buf_slice(&x->writer_locator);

    if (!x->writing)
        return lode_ok();
    lode_thread_join(&x->writer);
    x->writer.started = false;
    if (lode_failed(x->writer_status)) {
        x->writer_status = write_array(x, x->writing, locator, true, x->threads);
        LODE_TRY(x->writer_status);
    }
    x->writing = NULL;
    return remember_locator(x, locator);
}

/* The filling array goes to the writer, which is idle, and the other one is filled. */
static lode_status hand_over(lode_txindex *x, lode_slice locator, int threads)
{
    lode_buf_reset(&x->writer_locator);
    lode_buf_append(&x->writer_locator, locator.data, locator.len);
    if (!lode_buf_is_good(&x->writer_locator)) {
        lode_buf_clear(&x->writer_locator);
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a locator", x->path);
    }
    x->writing = &x->arrays[x->filling];
    x->writer_threads = threads;
    x->writer_is_done = 0;
    x->filling = !x->filling;
    if (lode_failed(lode_thread_start(&x->writer, "txindex-write", run_writer, x)))
        run_writer(x); /* without a thread of its own it takes ours */
    return lode_ok();
}

/* Sorting deals entries all over the array: with small pages each goes to a page whose address is not at hand. */
static lode_tx_entry *allocate_entries(size_t bytes)
{
    static const size_t page = (size_t)2 << 20;
    void *entries;

    if (bytes < 2 * page)
        return malloc(bytes);
    bytes = (bytes + page - 1) / page * page;
    entries = aligned_alloc(page, bytes);
#ifdef MADV_HUGEPAGE
    if (entries)
        (void)madvise(entries, bytes, MADV_HUGEPAGE); /* a wish: small pages serve as well */
#endif
    return entries;
}

static lode_status allocate(lode_txindex *x, lode_txindex_array *a)
{
    if (!a->entries)
        a->entries = allocate_entries(a->capacity * sizeof *a->entries);
    if (!a->blocks)
        a->blocks = malloc(a->block_capacity * sizeof *a->blocks);
    if (a->entries && a->blocks)
        return lode_ok();
    free(a->entries);
    free(a->blocks);
    a->entries = NULL;
    a->blocks = NULL;
    return lode_fail(LODE_NO_MEMORY, "%s: no memory for %zu entries", x->path, a->capacity);
}

/* The small array is full and the large one is empty: what was gathered moves there. */
static lode_status grow(lode_txindex *x)
{
    lode_txindex_array *large = &x->arrays[0], *small = &x->arrays[1];

    LODE_TRY(allocate(x, large));
    memcpy(large->entries, small->entries, small->count * sizeof *small->entries);
    memcpy(large->blocks, small->blocks, small->block_count * sizeof *small->blocks);
    large->count = small->count;
    large->block_count = small->block_count;
    small->count = small->block_count = 0;
    x->filling = 0;
    return lode_ok();
}

static bool is_full(const lode_txindex_array *a)
{
    return a->count == a->capacity;
}

static lode_status make_room(lode_txindex *x)
{
    lode_status s;

    LODE_TRY(settle_writer(x));
    if (!x->filling)
        return hand_over(x, (lode_slice){ NULL, 0 }, 1);
    s = grow(x);
    return s.code == LODE_NO_MEMORY ? write_array(x, &x->arrays[1], (lode_slice){ NULL, 0 }, false, 1) : s;
}

/* Memory for the array being filled. Without any for the large one the small one does, in more and shorter runs. */
static lode_status allocate_filling(lode_txindex *x)
{
    lode_status s = allocate(x, &x->arrays[x->filling]);

    if (s.code != LODE_NO_MEMORY || x->filling)
        return s;
    LODE_TRY(settle_writer(x));
    x->filling = 1;
    return allocate(x, &x->arrays[1]);
}

/* The array that takes a block's next entries, which knows the block as its last one. */
static lode_status begin_entries(lode_txindex_array **out, lode_txindex *x, int32_t file, uint32_t block_pos)
{
    lode_txindex_array *a = &x->arrays[x->filling];

    if (is_full(a) || a->block_count == a->block_capacity)
        LODE_TRY(make_room(x));
    LODE_TRY(allocate_filling(x));
    a = &x->arrays[x->filling];
    a->blocks[a->block_count++] = (lode_txindex_place){ (uint32_t)file, block_pos };
    *out = a;
    return lode_ok();
}

/* ---- the chain's thread ---- */

lode_status lode_txindex_add_block(lode_txindex *x, const lode_block *block, int32_t file, uint32_t block_pos)
{
    uint32_t offset = (uint32_t)lode_compact_size_length(block->tx_count);
    lode_txindex_array *a = NULL;

    if (x->read_only)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: opened to be read only", x->path);
    if (lode_bytes32_is_zero(block->header.prev.bytes))
        return lode_ok(); /* genesis: Core leaves it out */
    for (uint32_t i = 0; i < block->tx_count; i++) {
        lode_tx_entry *e;
        if (!a || is_full(a))
            LODE_TRY(begin_entries(&a, x, file, block_pos));
        e = &a->entries[a->count++];
        memcpy(e->txid, block->txs[i].txid.bytes, sizeof e->txid);
        e->block = (uint32_t)a->block_count - 1;
        e->tx_offset = offset;
        offset += block->txs[i].size;
    }
    x->added += block->tx_count;
    return lode_ok();
}

lode_status lode_txindex_flush_begin(lode_txindex *x, lode_slice locator)
{
    if (x->read_only)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: opened to be read only", x->path);
    if (x->writing && !__atomic_load_n(&x->writer_is_done, __ATOMIC_ACQUIRE))
        return lode_ok(); /* it has enough to do */
    LODE_TRY(settle_writer(x));
    if (x->arrays[x->filling].count <= x->batch_most)
        return locator.len ? lode_txindex_flush(x, locator) : lode_ok();
    return hand_over(x, locator, locator.len ? 1 : x->threads);
}

lode_status lode_txindex_flush(lode_txindex *x, lode_slice locator)
{
    lode_txindex_array *a = &x->arrays[x->filling];

    if (x->read_only)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: opened to be read only", x->path);
    LODE_TRY(settle_writer(x));
    if (a->count == 0 && locator.len && locator.len == x->locator.len &&
        memcmp(locator.data, x->locator.data, locator.len) == 0)
        return lode_ok();
    LODE_TRY(write_array(x, a, locator, true, x->threads));
    return remember_locator(x, locator);
}

lode_status lode_txindex_publish(lode_txindex *x)
{
    lode_txindex_array *a = &x->arrays[x->filling];

    if (x->read_only)
        return lode_ok();
    LODE_TRY(settle_writer(x));
    return a->count ? write_array(x, a, (lode_slice){ NULL, 0 }, false, x->threads) : lode_ok();
}

uint64_t lode_txindex_pending_bytes(const lode_txindex *x)
{
    /* while the writer runs its array is its own, and was handed over with at most so many */
    size_t entries = x->arrays[x->filling].count + (x->writing ? x->writing->capacity : 0);
    return (uint64_t)entries * (LODE_TXINDEX_KEY_BYTES + LODE_TXINDEX_VALUE_MOST);
}

/* So many parts of like size by the txids' first bytes that a stop between two of them comes soon. */
static unsigned parts_of(const lode_txindex *x, uint64_t bytes)
{
    uint64_t parts = 1 + bytes / x->settle_bytes;
    return parts > 256 ? 256 : (unsigned)parts;
}

static lode_status merge_part(lode_txindex *x, unsigned part, unsigned parts)
{
    uint8_t from[2] = { 't', (uint8_t)(part * 256 / parts) }, to[2] = { 't', (uint8_t)((part + 1) * 256 / parts) };
    bool is_first = part == 0, is_last = part + 1 == parts;

    return lode_store_compact_range(x->store, is_first ? NULL : from, is_first ? 0 : 2, is_last ? NULL : to,
                                    is_last ? 0 : 2);
}

lode_status lode_txindex_settle(lode_txindex *x, const volatile int *interrupted)
{
    static const lode_bytes first = { "t", 1 }, limit = { "u", 1 };
    uint64_t bytes;

    LODE_TRY(settle_writer(x));
    LODE_TRY(lode_store_approximate_sizes(x->store, 1, &first, &limit, &bytes));
    if (x->added * (LODE_TXINDEX_KEY_BYTES + LODE_TXINDEX_VALUE_MOST) * 4 < bytes)
        return lode_ok();
    for (unsigned part = 0, parts = parts_of(x, bytes); part < parts; part++) {
        if (interrupted && __atomic_load_n(interrupted, __ATOMIC_RELAXED))
            return lode_ok(); /* all can be found; the next bulk load merges the rest */
        LODE_TRY(merge_part(x, part, parts));
    }
    return lode_ok();
}

void lode_txindex_drop_entries(lode_txindex *x)
{
    lode_thread_join(&x->writer);
    for (int i = 0; i < 2; i++) {
        free(x->arrays[i].entries);
        free(x->arrays[i].blocks);
    }
    lode_buf_clear(&x->writer_locator);
}
