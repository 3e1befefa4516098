/* api/coin_walk.c: every coin of one state, in the database's order.
 *
 * Room:     the database at a snapshot and the layers over it are walked side by side; of equal keys the newest layer's
 *           holds.
 * Threads:  a walk is one thread's at a time, and keeps its state whatever the writer does.
 */
#include <stdlib.h>

#include "api/coins.h"
#include "api/handle.h"
#include "chainstate/coins_at.h"

struct lode_coin_walk {
    lode *h;
    lode_state *view;
    lode_coins_at_cursor cursor;
    size_t at[LODE_STATE_LAYERS_MAX]; /* the next item of each layer */
    bool must_move;                   /* the cursor stands at what was lent last */
    uint8_t scratch[67];
};

lode_status lode_coin_walk_open(lode_coin_walk **out, lode *h, lode_tip *at, const uint8_t from[32])
{
    uint8_t start[33] = { 'C' };
    lode_coin_walk *walk;
    lode_status s;
    lode_tip tip;

    LODE_NEEDS(out, "nowhere to put the walk");
    *out = NULL;
    if (at)
        LODE_NEEDS_SIZE(at);
    walk = calloc(1, sizeof *walk);
    if (!walk)
        return lode_fail(LODE_NO_MEMORY, "no memory for a walk over the coins");
    s = lode_handle_view(&walk->view, h, __func__);
    if (!lode_failed(s))
        s = lode_coins_at_cursor_open(&walk->cursor, h->chain->coins, walk->view->snapshot, from);
    if (lode_failed(s)) {
        lode_state_release(walk->view);
        free(walk);
        return s;
    }
    walk->h = h;
    if (from)
        memcpy(start + 1, from, 32);
    for (size_t i = 0; i < walk->view->layer_count; i++)
        walk->at[i] = lode_layer_lower_bound(walk->view->layers[i], start, sizeof start);
    lode_tip_of_state(&tip, walk->view);
    if (at)
        LODE_PUT_RESULT(at, tip);
    __atomic_add_fetch(&h->walks, 1, __ATOMIC_ACQ_REL);
    *out = walk;
    return s;
}

static const lode_layer_item *item_of(const lode_coin_walk *w, size_t layer)
{
    const lode_layer *l = w->view->layers[layer];
    return w->at[layer] < l->count ? &l->items[w->at[layer]] : NULL;
}

/* The lowest key of all, and the newest layer that has it; *layer is the layer count when only the database has. */
static lode_status find_lowest(lode_coin_walk *w, bool *found, lode_slice *key, size_t *layer)
{
    LODE_TRY(lode_coins_at_cursor_peek(&w->cursor, found, key));
    *layer = w->view->layer_count;
    for (size_t i = w->view->layer_count; i-- > 0;) {
        const lode_layer_item *item = item_of(w, i);
        lode_slice ours;
        int order;
        if (!item)
            continue;
        ours = lode_layer_key(w->view->layers[i], item);
        order = *found ? lode_slice_compare(ours, *key) : -1;
        if (order < 0 || (order == 0 && *layer == w->view->layer_count)) {
            *key = ours;
            *layer = i;
            *found = true;
        }
    }
    return lode_ok();
}

/* Everything that stands at `key` moves on; the database's value may be lent, so it moves later. */
static lode_status pass(lode_coin_walk *w, lode_slice key, size_t layer)
{
    lode_slice stored;
    bool in_store;

    LODE_TRY(lode_coins_at_cursor_peek(&w->cursor, &in_store, &stored));
    w->must_move = in_store && lode_slice_is_equal(stored, key);
    for (size_t i = 0; i < w->view->layer_count; i++) {
        const lode_layer_item *item = item_of(w, i);
        if (item && lode_slice_is_equal(lode_layer_key(w->view->layers[i], item), key))
            w->at[i]++;
    }
    return lode_ok();
}

static lode_status next_stored(lode_coin_walk *w, bool *found, uint8_t prevout[36], lode_slice *value)
{
    for (;;) {
        const lode_layer_item *item = NULL;
        lode_slice key;
        size_t layer;

        if (w->must_move)
            lode_coins_at_cursor_move(&w->cursor);
        w->must_move = false;
        LODE_TRY(find_lowest(w, found, &key, &layer));
        if (!*found)
            return lode_ok();
        if (!lode_coin_key_decode(prevout, key.data, key.len))
            return lode_fail(LODE_CORRUPT, "a key of %zu bytes is no coin's", key.len);
        if (layer < w->view->layer_count) {
            item = item_of(w, layer);
            *value = lode_layer_value(w->view->layers[layer], item);
        } else {
            LODE_TRY(lode_coins_at_cursor_value(&w->cursor, value));
        }
        LODE_TRY(pass(w, key, layer));
        if (!item || item->value_len != LODE_LAYER_GONE)
            return lode_ok();
    }
}

lode_status lode_coin_walk_next(lode_coin_walk *walk, int *found, lode_coin_id *id, lode_coin_info *coin)
{
    uint8_t prevout[36];
    lode_coin_info full;
    lode_slice value, script;
    bool is_there;

    LODE_NEEDS(walk && found && id, "an argument is NULL");
    LODE_NEEDS_SIZE(coin);
    LODE_TRY(lode_handle_tell(walk->h, next_stored(walk, &is_there, prevout, &value)));
    if (is_there) {
        LODE_TRY(lode_handle_tell(walk->h, lode_coin_info_of(&full, &script, walk->scratch, value)));
        full.script = (uint8_t *)(uintptr_t)script.data; /* lent */
        memcpy(id->txid, prevout, 32);
        id->index = lode_read_le32(prevout + 32);
        LODE_PUT_RESULT(coin, full);
    }
    *found = is_there;
    return lode_ok();
}

void lode_coin_walk_close(lode_coin_walk *walk)
{
    if (!walk)
        return;
    lode_coins_at_cursor_close(&walk->cursor);
    lode_state_release(walk->view);
    __atomic_sub_fetch(&walk->h->walks, 1, __ATOMIC_ACQ_REL);
    free(walk);
}
