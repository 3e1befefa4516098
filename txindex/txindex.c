/* txindex/txindex.c: gathering positions of transactions, writing them as sorted runs, finding them.
 *
 * Room:     two arrays of entries: one is filled while the other is sorted and written.
 * Touches:  the store of indexes/txindex.
 * Threads:  the chain's, and one that writes; lode_txindex_find from any.
 * Promise:  'B' moves in the same step as the last entries it speaks for. Entries may be there before: they are right,
 * and are written again by whoever goes on from an older 'B'.
 */
#include "txindex/txindex.h"

#include <stdlib.h>

#include "primitives/encode.h"
#include "support/thread.h"
#include "txindex/entries.h"

#define MIB ((size_t)1 << 20)
enum { KEY_LEN = 33, VALUE_MOST = 15, OBFUSCATION_BYTES = 8 };

static const char obfuscation_record[] = "\x0e\0obfuscate_key";
enum { OBFUSCATION_RECORD_LEN = sizeof obfuscation_record - 1 };

typedef struct entry_array {
    lode_tx_entry *entries; /* room for `capacity`; allocated when first needed */
    size_t count;
} entry_array;

struct lode_txindex {
    /* Constant after open. */
    char *path;
    lode_env *env;
    const lode_logger *logger;
    bool read_only;
    int threads;
    uint8_t obfuscation[OBFUSCATION_BYTES]; /* Core honours a key here too, though it writes none */
    lode_store *store;
    size_t capacity; /* entries in each array */
    uint32_t batch_most;
    uint64_t settle_bytes;
    uint64_t added; /* entries, since the open */

    /* The chain's thread. */
    entry_array filling;
    entry_array writing; /* the writer's while it runs; what is left in it after a failure is written again */
    lode_thread writer;
    lode_status writer_status; /* the writer's, until it is joined */
};

static void obfuscate(const lode_txindex *x, uint8_t *value, size_t len)
{
    for (size_t i = 0; i < len; i++)
        value[i] ^= x->obfuscation[i & 7];
}

/* ---- opening ---- */

static lode_status refuse_newer_format(const char *path)
{
    return lode_fail(
        LODE_UNSUPPORTED,
        "%s: a transaction index with hashed keys, as a newer Bitcoin Core writes it; move it away to build one anew",
        path);
}

/* Newer ones keep a salt and counters under names, and keys of 't' and a few bytes of hash. */
static lode_status check_first_keys(const char *path, lode_iterator *it)
{
    for (lode_iterator_seek_first(it); lode_iterator_is_valid(it); lode_iterator_next(it)) {
        lode_bytes key = lode_iterator_key(it);
        const uint8_t *k = key.data;
        if (key.len > 0 && k[0] == 't')
            return key.len == KEY_LEN ? lode_iterator_status(it) : refuse_newer_format(path);
        if (key.len == OBFUSCATION_RECORD_LEN && memcmp(k, obfuscation_record, key.len) == 0)
            continue;
        if (key.len == 1 && k[0] == 'B')
            continue;
        if ((key.len == 14 && memcmp(k,
                                     "\x0d"
                                     "best_block_v2",
                                     14) == 0) ||
            (key.len == 15 && memcmp(k,
                                     "\x0e"
                                     "txid_hash_salt",
                                     15) == 0) ||
            (key.len == 15 && memcmp(k,
                                     "\x0e"
                                     "next_block_seq",
                                     15) == 0))
            return refuse_newer_format(path);
        return lode_fail(LODE_UNSUPPORTED, "%s: a record of %zu bytes that no known transaction index has", path,
                         key.len);
    }
    return lode_iterator_status(it);
}

static lode_status check_format(const char *path, lode_store *store)
{
    lode_iterator *it;
    lode_status s;

    LODE_TRY(lode_iterator_create(&it, store, NULL));
    s = check_first_keys(path, it);
    lode_iterator_destroy(it);
    return s;
}

lode_status lode_txindex_check_format(const char *path, lode_env *env)
{
    lode_store_options o;
    lode_store *store;
    lode_status s;

    lode_store_options_init(&o);
    o.read_only = 1;
    o.cache_bytes = MIB;
    o.env = env;
    s = lode_store_open(&store, path, &o);
    if (s.code == LODE_MISSING || s.code == LODE_CORRUPT)
        return lode_ok(); /* not there, or told by the open that follows */
    LODE_TRY(s);
    s = check_format(path, store);
    lode_ignore(lode_store_close(store)); /* it was only read */
    return s.code == LODE_CORRUPT ? lode_ok() : s;
}

static lode_status load_obfuscation(lode_txindex *x)
{
    uint8_t value[1 + OBFUSCATION_BYTES];
    size_t len;
    int found;

    LODE_TRY(lode_store_get_into(x->store, &found, value, sizeof value, &len, obfuscation_record,
                                 OBFUSCATION_RECORD_LEN, NULL));
    if (!found)
        return lode_ok();
    if (len != sizeof value || value[0] != OBFUSCATION_BYTES)
        return lode_fail(LODE_CORRUPT, "%s: an obfuscation key of %zu bytes, 9 expected", x->path, len);
    memcpy(x->obfuscation, value + 1, OBFUSCATION_BYTES);
    return lode_ok();
}

static lode_status open_store(lode_txindex *x, const lode_txindex_options *options)
{
    lode_store_options o;

    lode_store_options_init(&o);
    o.create_if_missing = !options->read_only;
    o.read_only = options->read_only;
    o.compression = LODE_COMPRESSION_NONE; /* Core's LevelDB has no snappy */
    o.bloom_bits_per_key = 10;
    o.table_bytes = 32 * MIB;
    o.map_tables = 0; /* mapped pages would count beside -dbcache */
    o.write_buffer_bytes = MIB;
    o.cache_bytes = 2 * MIB;
    o.background_threads = x->threads > 4 ? 4 : x->threads;
    o.env = x->env;
    if (options->wipe && !options->read_only)
        LODE_TRY(lode_store_destroy(x->path, &o));
    if (!options->read_only)
        LODE_TRY(lode_env_make_path(x->env, x->path));
    return lode_store_open(&x->store, x->path, &o);
}

static lode_status load_index(lode_txindex *x, const lode_txindex_options *options)
{
    x->path = strdup(options->path);
    if (!x->path)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a transaction index", options->path);
    LODE_TRY(open_store(x, options));
    LODE_TRY(check_format(x->path, x->store));
    return load_obfuscation(x);
}

lode_status lode_txindex_open(lode_txindex **out, const lode_txindex_options *options)
{
    lode_txindex *x = calloc(1, sizeof *x);
    size_t bytes = options->memory_bytes < MIB ? MIB : options->memory_bytes;
    lode_status s;

    *out = NULL;
    if (!x)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a transaction index", options->path);
    x->env = options->env ? options->env : lode_env_system();
    x->logger = options->logger;
    x->read_only = options->read_only;
    x->threads = options->threads < 1 ? 1 : options->threads > 16 ? 16 : options->threads;
    x->batch_most = options->batch_most ? options->batch_most : 20000;
    x->settle_bytes = options->settle_bytes ? options->settle_bytes : (uint64_t)256 * MIB;
    x->capacity = bytes / 2 / sizeof(lode_tx_entry);
    if (x->capacity > UINT32_MAX)
        x->capacity = UINT32_MAX;
    x->writer_status = lode_ok();
    s = load_index(x, options);
    if (lode_failed(s)) {
        lode_ignore(lode_txindex_close(x)); /* the first error is the one to tell */
        return s;
    }
    *out = x;
    return lode_ok();
}

lode_status lode_txindex_close(lode_txindex *x)
{
    lode_status s = lode_ok();

    if (!x)
        return s;
    lode_thread_join(&x->writer);
    if (x->store)
        s = lode_store_close(x->store);
    free(x->filling.entries);
    free(x->writing.entries);
    free(x->path);
    free(x);
    return s;
}

/* ---- writing ---- */

static size_t encode_position(uint8_t *value, const lode_tx_entry *e)
{
    size_t n = lode_varint_write(value, e->file);

    n += lode_varint_write(value + n, e->block_pos);
    return n + lode_varint_write(value + n, e->tx_offset);
}

/* Where records go: a run, or a batch when they are few. */
typedef struct output {
    const lode_txindex *index;
    lode_run *run;
    lode_batch *batch;
} output;

static lode_status put(output *o, const void *key, size_t key_len, uint8_t *value, size_t len)
{
    obfuscate(o->index, value, len);
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

static lode_status write_entries(output *o, const lode_tx_entry *e, size_t count)
{
    uint8_t key[KEY_LEN] = { 't' }, value[VALUE_MOST];

    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && memcmp(e[i].txid, e[i + 1].txid, 32) == 0)
            continue; /* a later one holds */
        memcpy(key + 1, e[i].txid, 32);
        LODE_TRY(put(o, key, sizeof key, value, encode_position(value, &e[i])));
    }
    return lode_ok();
}

static lode_status write_all(output *o, const entry_array *a, lode_slice locator)
{
    LODE_TRY(write_locator(o, locator));
    return write_entries(o, a->entries, a->count);
}

static lode_status write_as_batch(lode_txindex *x, const entry_array *a, lode_slice locator, bool sync)
{
    output o = { .index = x, .batch = lode_batch_create() };
    lode_status s;

    if (!o.batch)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a batch", x->path);
    s = write_all(&o, a, locator);
    if (!lode_failed(s))
        s = lode_store_write(x->store, o.batch, sync);
    lode_batch_destroy(o.batch);
    return s;
}

static lode_status write_as_run(lode_txindex *x, const entry_array *a, lode_slice locator)
{
    output o = { .index = x };
    lode_status s;

    LODE_TRY(lode_run_begin(&o.run, x->store));
    s = write_all(&o, a, locator);
    if (!lode_failed(s))
        return lode_run_finish(o.run);
    lode_run_abandon(o.run);
    return s;
}

/* Sorts and writes the array, with the locator if there is one. On success the array is empty. */
static lode_status write_array(lode_txindex *x, entry_array *a, lode_slice locator, bool sync)
{
    lode_tx_entries_sort(a->entries, a->count, x->threads);
    LODE_TRY(a->count > x->batch_most ? write_as_run(x, a, locator) : write_as_batch(x, a, locator, sync));
    a->count = 0;
    return lode_ok();
}

static void *run_writer(void *context)
{
    lode_txindex *x = context;

    x->writer_status = write_array(x, &x->writing, (lode_slice){ NULL, 0 }, true);
    return NULL;
}

/* The writer has ended and the array it had is empty; what it failed to write is written here. */
static lode_status settle_writer(lode_txindex *x)
{
    lode_thread_join(&x->writer);
    x->writer.started = false;
    if (x->writing.count == 0)
        return lode_ok();
    return write_array(x, &x->writing, (lode_slice){ NULL, 0 }, true);
}

static lode_status hand_over(lode_txindex *x)
{
    entry_array full = x->filling;

    LODE_TRY(settle_writer(x));
    x->filling = x->writing;
    x->writing = full;
    if (lode_failed(lode_thread_start(&x->writer, "txindex-write", run_writer, x)))
        return settle_writer(x); /* without a thread of its own it takes ours */
    return lode_ok();
}

static lode_status make_room(lode_txindex *x)
{
    if (x->filling.count == x->capacity)
        LODE_TRY(hand_over(x));
    if (!x->filling.entries) {
        x->filling.entries = malloc(x->capacity * sizeof *x->filling.entries);
        if (!x->filling.entries)
            return lode_fail(LODE_NO_MEMORY, "%s: no memory for %zu entries", x->path, x->capacity);
    }
    return lode_ok();
}

lode_status lode_txindex_add_block(lode_txindex *x, const lode_block *block, int32_t file, uint32_t block_pos)
{
    uint32_t offset = (uint32_t)lode_compact_size_length(block->tx_count);

    if (x->read_only)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: opened to be read only", x->path);
    if (lode_bytes32_is_zero(block->header.prev.bytes))
        return lode_ok(); /* genesis: Core leaves it out */
    for (uint32_t i = 0; i < block->tx_count; i++) {
        lode_tx_entry *e;
        LODE_TRY(make_room(x));
        e = &x->filling.entries[x->filling.count];
        memcpy(e->txid, block->txs[i].txid.bytes, sizeof e->txid);
        e->file = (uint32_t)file;
        e->block_pos = block_pos;
        e->tx_offset = offset;
        e->sequence = (uint32_t)x->filling.count++;
        offset += block->txs[i].size;
    }
    x->added += block->tx_count;
    return lode_ok();
}

lode_status lode_txindex_flush(lode_txindex *x, lode_slice locator)
{
    if (x->read_only)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: opened to be read only", x->path);
    LODE_TRY(settle_writer(x));
    return write_array(x, &x->filling, locator, true);
}

lode_status lode_txindex_publish(lode_txindex *x)
{
    if (x->read_only)
        return lode_ok();
    LODE_TRY(settle_writer(x));
    return x->filling.count ? write_array(x, &x->filling, (lode_slice){ NULL, 0 }, false) : lode_ok();
}

uint64_t lode_txindex_pending_bytes(const lode_txindex *x)
{
    /* while the writer runs its array is its own; it was handed over full */
    size_t writing = x->writer.started ? x->capacity : x->writing.count;
    return ((uint64_t)x->filling.count + writing) * (KEY_LEN + VALUE_MOST);
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
    if (x->added * (KEY_LEN + VALUE_MOST) * 4 < bytes)
        return lode_ok();
    for (unsigned part = 0, parts = parts_of(x, bytes); part < parts; part++) {
        if (interrupted && __atomic_load_n(interrupted, __ATOMIC_RELAXED))
            return lode_ok(); /* all can be found; the next bulk load merges the rest */
        LODE_TRY(merge_part(x, part, parts));
    }
    return lode_ok();
}

/* ---- answers ---- */

/* int32 version, CompactSize count, hashes. */
static bool decode_locator(const lode_buf *locator, lode_block_hash *first)
{
    lode_reader r = lode_reader_of(locator->data, locator->len);
    uint64_t count;

    lode_reader_u32(&r);
    count = lode_reader_compact_size(&r, true);
    if (r.bad || count == 0 || count != lode_reader_left(&r) / 32)
        return false;
    lode_reader_copy(&r, first->bytes, sizeof first->bytes);
    lode_reader_take(&r, (size_t)(count - 1) * 32);
    return lode_reader_is_done(&r);
}

lode_status lode_txindex_best(lode_txindex *x, bool *found, lode_block_hash *first, lode_buf *locator)
{
    void *value;
    size_t len;
    int there;

    LODE_TRY(lode_store_get(x->store, &there, &value, &len, "B", 1, NULL));
    *found = there;
    if (!there)
        return lode_ok();
    obfuscate(x, value, len);
    lode_buf own = LODE_BUF_EMPTY;
    lode_buf *out = locator ? locator : &own; /* a caller may want the first hash alone */
    lode_status s = lode_ok();
    lode_buf_reset(out);
    lode_buf_append(out, value, len);
    lode_store_free(value);
    if (!lode_buf_is_good(out))
        s = lode_fail(LODE_NO_MEMORY, "%s: no memory for a locator of %zu bytes", x->path, len);
    else if (!decode_locator(out, first))
        s = lode_fail(LODE_CORRUPT, "%s: record B is no block locator", x->path);
    lode_buf_clear(&own);
    return s;
}

lode_status lode_txindex_find(lode_txindex *x, bool *found, lode_tx_position *position, const lode_txid *txid)
{
    uint8_t key[KEY_LEN] = { 't' }, value[64];
    lode_reader r;
    size_t len;
    int there;
    uint64_t file, pos, offset;

    memcpy(key + 1, txid->bytes, 32);
    LODE_TRY(lode_store_get_into(x->store, &there, value, sizeof value, &len, key, sizeof key, NULL));
    *found = there;
    if (!there)
        return lode_ok();
    obfuscate(x, value, len < sizeof value ? len : sizeof value);
    r = lode_reader_of(value, len < sizeof value ? len : sizeof value);
    file = lode_reader_varint(&r);
    pos = lode_reader_varint(&r);
    offset = lode_reader_varint(&r);
    if (!lode_reader_is_done(&r) || len > sizeof value || file > INT32_MAX || pos > UINT32_MAX || offset > UINT32_MAX) {
        char hex[65];
        lode_hash_to_hex(hex, txid->bytes);
        return lode_fail(LODE_CORRUPT, "%s: the position of transaction %s does not decode", x->path, hex);
    }
    *position = (lode_tx_position){ (int32_t)file, (uint32_t)pos, (uint32_t)offset };
    return lode_ok();
}

lode_store *lode_txindex_store(lode_txindex *x)
{
    return x->store;
}
