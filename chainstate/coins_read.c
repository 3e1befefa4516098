/* chainstate/coins_read.c: one coin from the database, or from what a worker has read ahead.
 *
 * Room:     bytes as stored, hidden by the database's key, become a coin in parts.
 * Touches:  the store.
 * Threads:  the chain's; decoding from any.
 */
#include <string.h>

#include "chainstate/coins_internal.h"

bool lode_coins_decode_stored(lode_coin_view *view, const uint8_t *data, size_t len)
{
    static const uint8_t op_return[2] = { 6 + 1, 0x6a };
    lode_reader r = lode_reader_of(data, len);
    uint64_t code = lode_reader_varint(&r);
    bool too_long;

    view->compressed_amount = lode_reader_varint(&r);
    view->script = lode_slice_of(r.at, lode_reader_left(&r));
    if (r.bad || code > UINT32_MAX || !lode_coins_is_stored_script(view->script, &too_long))
        return false;
    view->height = (uint32_t)code >> 1;
    view->is_coinbase = code & 1;
    if (too_long)
        view->script = lode_slice_of(op_return, sizeof op_return);
    return true;
}

lode_status lode_coins_not_a_coin(const lode_coins *c, const uint8_t prevout[36])
{
    char hex[65];

    lode_hash_to_hex(hex, prevout);
    return lode_fail(LODE_CORRUPT, "%s: the coin %s:%u does not decode", c->path, hex, lode_read_le32(prevout + 32));
}

/* Longer than any coin that Core writes: only its beginning tells what it is, and that is a script nobody can spend. */
static lode_status read_long_coin(lode_coins *c, bool *found, lode_coin_view *view, const uint8_t prevout[36],
                                  lode_bytes key)
{
    int there;
    void *value;
    size_t len;
    bool is_good;

    LODE_TRY(lode_store_get(c->store, &there, &value, &len, key.data, key.len, NULL));
    if (!there)
        return lode_coins_not_a_coin(c, prevout);
    lode_coins_obfuscate(c, value, len);
    is_good = lode_coins_decode_stored(view, value, len);
    if (is_good && view->script.len <= LODE_COINS_MAX_STORED_SCRIPT) {
        memcpy(c->script, view->script.data, view->script.len);
        view->script.data = c->script;
    }
    lode_store_free(value);
    if (!is_good)
        return lode_coins_not_a_coin(c, prevout);
    *found = true;
    return lode_ok();
}

static lode_status read_coin(lode_coins *c, bool *found, lode_coin_view *view, const uint8_t prevout[36])
{
    uint8_t key[LODE_COIN_KEY_MAX];
    size_t key_len = lode_coin_key(key, prevout), len;
    int there;

    lode_coins_count(&c->database_reads, 1);
    LODE_TRY(lode_store_get_into(c->store, &there, c->stored, LODE_COINS_SCRATCH, &len, key, key_len, NULL));
    if (!there)
        return lode_ok();
    if (len > LODE_COINS_SCRATCH)
        return read_long_coin(c, found, view, prevout, (lode_bytes){ key, key_len });
    lode_coins_obfuscate(c, c->stored, len);
    if (!lode_coins_decode_stored(view, c->stored, len))
        return lode_coins_not_a_coin(c, prevout);
    *found = true;
    return lode_ok();
}

/* What a worker has read holds as long as every change since then is in memory. */
lode_status lode_coins_find_in_database(lode_coins *c, bool *found, lode_coin_view *view, const uint8_t prevout[36],
                                        const lode_fetched *hint)
{
    *found = false;
    if (!c->database_has_coins)
        return lode_ok();
    if (!hint || !hint->is_asked || hint->epoch < c->oldest_whole)
        return read_coin(c, found, view, prevout);
    lode_coins_count(&c->prefetched_used, 1);
    if (!hint->is_found)
        return lode_ok();
    if (!lode_coins_decode_stored(view, hint->coin, hint->len))
        return lode_coins_not_a_coin(c, prevout);
    *found = true;
    return lode_ok();
}
