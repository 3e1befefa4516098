/* txindex/txindex.c: opening an index, telling its kind, finding in it.
 *
 * Room:     gathering and writing are writer.c's.
 * Touches:  the store of indexes/txindex.
 * Threads:  the chain's; lode_txindex_find from any.
 */
#include "txindex/txindex.h"

#include <stdlib.h>

#include "primitives/encode.h"
#include "txindex/txindex_private.h"

#define MIB ((size_t)1 << 20)

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
            return key.len == LODE_TXINDEX_KEY_BYTES ? lode_iterator_status(it) : refuse_newer_format(path);
        if (lode_core_store_is_key_record(key) || (key.len == 1 && k[0] == 'B'))
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
    return lode_core_store_look(path, env, check_format);
}

static lode_status open_store(lode_txindex *x, const lode_txindex_options *options)
{
    lode_store_options o;

    lode_core_store_options(&o, x->env, options->read_only);
    o.map_tables = 0; /* mapped pages would count beside -dbcache */
    o.write_buffer_bytes = MIB;
    o.cache_bytes = 2 * MIB;
    o.background_threads = x->threads > 4 ? 4 : x->threads;
    return lode_core_store_open(&x->store, x->path, &o, options->wipe);
}

static lode_status load_index(lode_txindex *x, const lode_txindex_options *options)
{
    bool has_key;

    x->path = strdup(options->path);
    if (!x->path)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a transaction index", options->path);
    LODE_TRY(open_store(x, options));
    LODE_TRY(check_format(x->path, x->store));
    return lode_core_store_load_key(x->store, x->path, &has_key, x->obfuscation); /* zeros without one */
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
    lode_txindex_share_memory(x, bytes);
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
    lode_txindex_drop_entries(x);
    if (x->store)
        s = lode_store_close(x->store);
    lode_buf_clear(&x->locator);
    free(x->path);
    free(x);
    return s;
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
    lode_txindex_obfuscate(x, value, len);
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
    uint8_t key[LODE_TXINDEX_KEY_BYTES] = { 't' }, value[64];
    lode_reader r;
    size_t len;
    int there;
    uint64_t file, pos, offset;

    memcpy(key + 1, txid->bytes, 32);
    LODE_TRY(lode_store_get_into(x->store, &there, value, sizeof value, &len, key, sizeof key, NULL));
    *found = there;
    if (!there)
        return lode_ok();
    lode_txindex_obfuscate(x, value, len < sizeof value ? len : sizeof value);
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
