/* chainstate/coins_load.c: a new database filled with a whole set of coins at once.
 *
 * Room:     'B' and coins as records of one sorted run.
 * Touches:  the store.
 * Threads:  the chain's.
 * Promise:  all of it becomes visible in one step, over a crash as well.
 */
#include <stdlib.h>

#include "chainstate/coins_internal.h"

struct lode_coins_load {
    lode_coins *coins;
    lode_run *run;
    lode_block_hash best;
    uint64_t count;
    lode_buf value;
};

static lode_status put(lode_coins_load *l, const void *key, size_t key_len)
{
    if (!lode_buf_is_good(&l->value))
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a coin", l->coins->path);
    lode_coins_obfuscate(l->coins, l->value.data, l->value.len);
    return lode_run_put(l->run, key, key_len, l->value.data, l->value.len);
}

lode_status lode_coins_load_begin(lode_coins_load **out, lode_coins *c, const lode_block_hash *best)
{
    lode_coins_load *l;
    lode_status s;

    *out = NULL;
    if (c->read_only || c->database_has_coins || c->has_best || lode_coins_is_dirty(c))
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: only a new database can be filled at once", c->path);
    l = calloc(1, sizeof *l);
    if (!l)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to fill it", c->path);
    l->coins = c;
    l->best = *best;
    s = lode_run_begin(&l->run, c->store);
    if (!lode_failed(s)) {
        lode_buf_append(&l->value, best->bytes, sizeof best->bytes);
        s = put(l, "B", 1);
    }
    if (lode_failed(s))
        lode_coins_load_abandon(l);
    else
        *out = l;
    return s;
}

lode_status lode_coins_load_put(lode_coins_load *l, const uint8_t prevout[36], const lode_coin_view *view)
{
    uint8_t key[LODE_COIN_KEY_MAX];

    lode_buf_reset(&l->value);
    lode_buf_put_varint(&l->value, (uint64_t)view->height << 1 | view->is_coinbase);
    lode_buf_put_varint(&l->value, view->compressed_amount);
    lode_buf_append(&l->value, view->script.data, view->script.len);
    l->count++;
    return put(l, key, lode_coin_key(key, prevout));
}

static void destroy(lode_coins_load *l)
{
    lode_buf_clear(&l->value);
    free(l);
}

lode_status lode_coins_load_finish(lode_coins_load *l)
{
    lode_coins *c = l->coins;
    lode_status s = lode_run_finish(l->run);

    if (!lode_failed(s)) {
        lode_mutex_lock(&c->lock);
        c->best = l->best;
        c->has_best = true;
        lode_mutex_unlock(&c->lock);
        pthread_rwlock_wrlock(&c->generations_lock);
        c->database_has_coins = l->count > 0;
        pthread_rwlock_unlock(&c->generations_lock);
        lode_coins_count(&c->coins_written, l->count);
    }
    destroy(l);
    return s;
}

void lode_coins_load_abandon(lode_coins_load *l)
{
    if (!l)
        return;
    if (l->run)
        lode_run_abandon(l->run);
    destroy(l);
}
