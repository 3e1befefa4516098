/* chainstate/coins_at.c: reads of the coins database at a snapshot, which know nothing of what is in memory.
 *
 * Touches:  the store, reading. Of the coin set only what is constant after open.
 * Threads:  any.
 */
#include "chainstate/coins_at.h"

#include <string.h>

#include "chainstate/coins_internal.h"

lode_status lode_coins_get_at(lode_coins *c, const lode_snapshot *snapshot, bool *found, lode_buf *value,
                              const uint8_t *key, size_t key_len)
{
    uint8_t small[256];
    void *large = NULL;
    size_t len;
    int there;

    LODE_TRY(lode_store_get_into(c->store, &there, small, sizeof small, &len, key, key_len, snapshot));
    if (there && len > sizeof small)
        LODE_TRY(lode_store_get(c->store, &there, &large, &len, key, key_len, snapshot));
    *found = there;
    if (!there)
        return lode_ok();
    lode_buf_reset(value);
    lode_buf_append(value, large ? large : small, len);
    lode_store_free(large);
    if (!lode_buf_is_good(value))
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a record of %zu bytes", c->path, len);
    lode_coins_obfuscate(c, value->data, len);
    return lode_ok();
}

lode_status lode_coins_best_at(lode_coins *c, const lode_snapshot *snapshot, bool *found, lode_block_hash *hash)
{
    lode_buf value = LODE_BUF_EMPTY;
    lode_status s = lode_coins_get_at(c, snapshot, found, &value, (const uint8_t *)"B", 1);

    if (!lode_failed(s) && *found && value.len != 32)
        s = lode_fail(LODE_CORRUPT, "%s: record B is no block hash", c->path);
    if (!lode_failed(s) && *found)
        memcpy(hash->bytes, value.data, 32);
    lode_buf_clear(&value);
    return s;
}

lode_status lode_coins_at_cursor_open(lode_coins_at_cursor *cursor, lode_coins *c, const lode_snapshot *snapshot,
                                      const uint8_t from[32])
{
    uint8_t start[33] = { 'C' };
    lode_iterator_options o;

    *cursor = (lode_coins_at_cursor){ .coins = c, .value = LODE_BUF_EMPTY };
    if (from)
        memcpy(start + 1, from, 32);
    lode_iterator_options_init(&o);
    o.snapshot = snapshot;
    o.upper = (lode_bytes){ "D", 1 };
    o.fill_cache = 0;
    LODE_TRY(lode_iterator_create(&cursor->it, c->store, &o));
    lode_iterator_seek(cursor->it, start, sizeof start);
    return lode_ok();
}

lode_status lode_coins_at_cursor_peek(lode_coins_at_cursor *cursor, bool *found, lode_slice *key)
{
    lode_bytes k;

    *found = lode_iterator_is_valid(cursor->it);
    if (!*found)
        return lode_iterator_status(cursor->it);
    k = lode_iterator_key(cursor->it);
    *key = lode_slice_of(k.data, k.len);
    return lode_ok();
}

lode_status lode_coins_at_cursor_value(lode_coins_at_cursor *cursor, lode_slice *value)
{
    lode_bytes v = lode_iterator_value(cursor->it);

    lode_buf_reset(&cursor->value);
    lode_buf_append(&cursor->value, v.data, v.len);
    if (!lode_buf_is_good(&cursor->value))
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a coin of %zu bytes", cursor->coins->path, v.len);
    lode_coins_obfuscate(cursor->coins, cursor->value.data, v.len);
    *value = lode_buf_slice(&cursor->value);
    return lode_ok();
}

void lode_coins_at_cursor_move(lode_coins_at_cursor *cursor)
{
    lode_iterator_next(cursor->it);
}

void lode_coins_at_cursor_close(lode_coins_at_cursor *cursor)
{
    lode_iterator_destroy(cursor->it);
    lode_buf_clear(&cursor->value);
}
