/* chainstate/coins_cursor.c: every coin on disk, in key order.
 *
 * Room:     keys and values of the database as prevouts and coins.
 * Touches:  an iterator of the store. Nothing of the cache.
 * Threads:  a cursor belongs to one thread; any number of cursors.
 */
#include <stdlib.h>

#include "chainstate/coins_internal.h"

struct lode_coins_cursor {
    const lode_coins *coins;
    lode_iterator *it;
    bool has_moved; /* the iterator stands at what was given last */
    lode_buf value; /* obfuscation undone */
};

lode_status lode_coins_cursor_open(lode_coins_cursor **out, lode_coins *coins, const uint8_t *from_txid)
{
    lode_coins_cursor *cursor = calloc(1, sizeof *cursor);
    lode_iterator_options o;
    uint8_t start[33] = { 'C' };
    lode_status s;

    *out = NULL;
    if (!cursor)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a cursor", coins->path);
    cursor->coins = coins;
    lode_iterator_options_init(&o);
    o.upper = (lode_bytes){ "D", 1 };
    o.fill_cache = 0;
    s = lode_iterator_create(&cursor->it, coins->store, &o);
    if (lode_failed(s)) {
        free(cursor);
        return s;
    }
    if (from_txid)
        memcpy(start + 1, from_txid, 32);
    lode_iterator_seek(cursor->it, start, sizeof start);
    *out = cursor;
    return lode_ok();
}

static lode_status decode_current(lode_coins_cursor *cursor, uint8_t prevout[36], lode_coin_view *view)
{
    lode_bytes key = lode_iterator_key(cursor->it), value = lode_iterator_value(cursor->it);

    lode_buf_reset(&cursor->value);
    lode_buf_append(&cursor->value, value.data, value.len);
    if (!lode_buf_is_good(&cursor->value))
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a coin of %zu bytes", cursor->coins->path, value.len);
    if (!lode_coin_key_decode(prevout, key.data, key.len))
        return lode_fail(LODE_CORRUPT, "%s: a key of %zu bytes is no coin's", cursor->coins->path, key.len);
    lode_coins_obfuscate(cursor->coins, cursor->value.data, value.len);
    if (!lode_coins_decode_stored(view, cursor->value.data, value.len)) {
        char hex[65];
        lode_hash_to_hex(hex, prevout);
        return lode_fail(LODE_CORRUPT, "%s: the coin %s:%u does not decode", cursor->coins->path, hex,
                         lode_read_le32(prevout + 32));
    }
    return lode_ok();
}

lode_status lode_coins_cursor_next(lode_coins_cursor *cursor, bool *found, uint8_t prevout[36], lode_coin_view *view)
{
    if (cursor->has_moved)
        lode_iterator_next(cursor->it);
    cursor->has_moved = true;
    if (!lode_iterator_is_valid(cursor->it)) {
        LODE_TRY(lode_iterator_status(cursor->it));
        *found = false;
        return lode_ok();
    }
    LODE_TRY(decode_current(cursor, prevout, view));
    *found = true;
    return lode_ok();
}

void lode_coins_cursor_close(lode_coins_cursor *cursor)
{
    if (!cursor)
        return;
    lode_iterator_destroy(cursor->it);
    lode_buf_clear(&cursor->value);
    free(cursor);
}
