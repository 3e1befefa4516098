/* chainstate/coins_cursor.c: every coin, in key order: what is on disk and, of an overlay, what changed in memory.
 *
 * Room:     keys and values of the database as prevouts and coins. Changes in memory are brought into the form of
 * records one shard at a time and merged with the database's; shards are in key order, too. Touches:  an iterator of
 * the store; an overlay's memory. Otherwise nothing of the cache. Threads:  a cursor belongs to one thread; any number
 * of cursors, while nobody changes an overlay.
 */
#include <stdlib.h>

#include "chainstate/coins_internal.h"

typedef struct change {
    lode_slice key, value;
    bool is_deletion;
} change;

struct lode_coins_cursor {
    const lode_coins *coins;
    lode_iterator *it;
    bool must_move; /* the iterator stands at what was lent last */
    lode_buf value; /* obfuscation undone */
    uint8_t start[33];

    /* of an overlay */
    const lode_coins_generation *changed; /* NULL: none */
    size_t next_shard;
    lode_batch *batch; /* the records of the shard at hand; changes point into it */
    change *changes;
    size_t change_count, change_capacity, change_at;
    bool no_memory;
};

/* ---- changes in memory ---- */

static void take_change(void *context, lode_bytes key, const lode_bytes *value)
{
    lode_coins_cursor *c = context;

    if (lode_slice_compare(lode_slice_of(key.data, key.len), lode_slice_of(c->start, sizeof c->start)) < 0)
        return;
    if (c->change_count == c->change_capacity) {
        size_t capacity = c->change_capacity ? c->change_capacity * 2 : 256;
        change *bigger = realloc(c->changes, capacity * sizeof *bigger);
        if (!bigger) {
            c->no_memory = true;
            return;
        }
        c->changes = bigger;
        c->change_capacity = capacity;
    }
    c->changes[c->change_count++] =
        (change){ lode_slice_of(key.data, key.len),
                  value ? lode_slice_of(value->data, value->len) : lode_slice_of(NULL, 0), !value };
}

static lode_status load_shard(lode_coins_cursor *c)
{
    lode_batch_destroy(c->batch);
    c->batch = NULL;
    c->change_at = c->change_count = 0;
    c->next_shard++;
    if (c->changed->shards[c->next_shard - 1].records == 0)
        return lode_ok();
    LODE_TRY(lode_coins_make_shard_batch(c->coins, &c->batch, c->changed, c->next_shard - 1));
    LODE_TRY(lode_batch_iterate(c->batch, c, take_change));
    return c->no_memory ? lode_fail(LODE_NO_MEMORY, "%s: no memory for a cursor", c->coins->path) : lode_ok();
}

/* Does the key belong to the shard that is loaded, or to one before it? */
static bool is_within_shard(const lode_coins_cursor *c, lode_slice key)
{
    return lode_read_be32(key.data + 1) >> (32 - c->changed->shard_bits) < c->next_shard;
}

/* The next record of either, in key order; a change hides the database's record of the same key. */
static lode_status next_merged(lode_coins_cursor *c, bool *found, lode_slice *key, lode_slice *value)
{
    *found = false;
    for (;;) {
        bool in_store = lode_iterator_is_valid(c->it);
        const change *ours = c->change_at < c->change_count ? &c->changes[c->change_at] : NULL;
        lode_slice theirs = { NULL, 0 };
        int order;

        if (in_store) {
            lode_bytes k = lode_iterator_key(c->it);
            theirs = lode_slice_of(k.data, k.len);
            if (theirs.len < 33)
                return lode_fail(LODE_CORRUPT, "%s: a key of %zu bytes is no coin's", c->coins->path, theirs.len);
        } else {
            LODE_TRY(lode_iterator_status(c->it));
        }
        if (!ours && !(in_store && is_within_shard(c, theirs))) {
            if (c->next_shard == (size_t)1 << c->changed->shard_bits)
                return lode_ok();
            LODE_TRY(load_shard(c));
            continue;
        }
        order = !ours ? 1 : !in_store ? -1 : lode_slice_compare(ours->key, theirs);
        if (order <= 0)
            c->change_at++;
        if (order == 0)
            lode_iterator_next(c->it);
        if (order <= 0 && ours->is_deletion)
            continue;
        *found = true;
        *key = order <= 0 ? ours->key : theirs;
        if (order <= 0) {
            *value = ours->value;
        } else {
            lode_bytes v = lode_iterator_value(c->it);
            *value = lode_slice_of(v.data, v.len);
            c->must_move = true;
        }
        return lode_ok();
    }
}

/* ---- one coin ---- */

static lode_status decode(lode_coins_cursor *cursor, uint8_t prevout[36], lode_coin_view *view, lode_slice key,
                          lode_slice value)
{
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

static lode_status next_stored(lode_coins_cursor *cursor, bool *found, lode_slice *key, lode_slice *value)
{
    lode_bytes k, v;

    *found = lode_iterator_is_valid(cursor->it);
    if (!*found)
        return lode_iterator_status(cursor->it);
    k = lode_iterator_key(cursor->it);
    v = lode_iterator_value(cursor->it);
    *key = lode_slice_of(k.data, k.len);
    *value = lode_slice_of(v.data, v.len);
    cursor->must_move = true;
    return lode_ok();
}

lode_status lode_coins_cursor_next(lode_coins_cursor *cursor, bool *found, uint8_t prevout[36], lode_coin_view *view)
{
    lode_slice key, value;
    bool is_there;

    if (cursor->must_move)
        lode_iterator_next(cursor->it);
    cursor->must_move = false;
    if (cursor->changed)
        LODE_TRY(next_merged(cursor, &is_there, &key, &value));
    else
        LODE_TRY(next_stored(cursor, &is_there, &key, &value));
    if (is_there)
        LODE_TRY(decode(cursor, prevout, view, key, value));
    *found = is_there;
    return lode_ok();
}

/* ---- open and close ---- */

lode_status lode_coins_cursor_open(lode_coins_cursor **out, lode_coins *coins, const uint8_t *from_txid)
{
    lode_coins_cursor *cursor = calloc(1, sizeof *cursor);
    lode_iterator_options o;
    lode_status s;

    *out = NULL;
    if (!cursor)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a cursor", coins->path);
    cursor->coins = coins;
    cursor->must_move = false;
    cursor->start[0] = 'C';
    if (from_txid)
        memcpy(cursor->start + 1, from_txid, 32);
    if (coins->is_overlay) {
        cursor->changed = coins->active;
        cursor->next_shard = lode_read_be32(cursor->start + 1) >> (32 - coins->active->shard_bits);
    }
    lode_iterator_options_init(&o);
    o.upper = (lode_bytes){ "D", 1 };
    o.fill_cache = 0;
    s = lode_iterator_create(&cursor->it, coins->store, &o);
    if (lode_failed(s)) {
        free(cursor);
        return s;
    }
    lode_iterator_seek(cursor->it, cursor->start, sizeof cursor->start);
    *out = cursor;
    return lode_ok();
}

void lode_coins_cursor_close(lode_coins_cursor *cursor)
{
    if (!cursor)
        return;
    lode_iterator_destroy(cursor->it);
    lode_batch_destroy(cursor->batch);
    free(cursor->changes);
    lode_buf_clear(&cursor->value);
    free(cursor);
}
