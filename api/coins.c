/* api/coins.c: coins and the tip, from the state that was published last.
 *
 * Threads:  any, at any time; no answer waits for the writer.
 */
#include <stdlib.h>

#include "api/handle.h"
#include "api/coins.h"

lode_status lode_handle_view(lode_state **view, lode *h, const char *function)
{
    bool is_writer;
    int why;

    *view = NULL;
    if (!h)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: no handle", function);
    why = __atomic_load_n(&h->is_broken, __ATOMIC_ACQUIRE);
    if (why)
        return lode_handle_broken(why);
    is_writer = lode_mutex_is_held(&h->lock);
    if (is_writer) /* a callback: nobody else would publish the first state of an import */
        LODE_TRY(lode_publisher_begin_showing(&h->publisher, h->chain));
    *view = lode_publisher_take(&h->publisher, !is_writer);
    if (*view)
        return lode_ok();
    why = __atomic_load_n(&h->is_broken, __ATOMIC_ACQUIRE); /* the import that was waited for may have failed */
    return why ? lode_handle_broken(why) : lode_handle_cut_off();
}

void lode_tip_of_state(lode_tip *tip, const lode_state *view)
{
    const lode_node *node = &view->tip->node;

    *tip = (lode_tip){
        .size = sizeof *tip, .height = node->height, .time = node->header.time, .median_time = node->median_time
    };
    memcpy(tip->hash, node->hash.bytes, 32);
}

lode_status lode_get_tip(lode *h, lode_tip *tip)
{
    lode_state *view;
    lode_tip full;

    LODE_NEEDS_SIZE(tip);
    LODE_TRY(lode_handle_view(&view, h, __func__));
    lode_tip_of_state(&full, view);
    LODE_PUT_RESULT(tip, full);
    lode_state_release(view);
    return lode_ok();
}

lode_status lode_coin_info_of(lode_coin_info *out, lode_slice *script, uint8_t scratch[67], lode_slice stored)
{
    lode_coin coin;

    if (!lode_coin_decode(&coin, scratch, stored.data, stored.len))
        return lode_fail(LODE_CORRUPT, "a stored coin does not decode");
    *out = (lode_coin_info){ .size = sizeof *out,
                             .value_sat = coin.value.sat,
                             .height = (int32_t)coin.height,
                             .is_coinbase = coin.is_coinbase,
                             .script_len = coin.script.len };
    *script = coin.script;
    return lode_ok();
}

static lode_status copy_coin(lode_coin_info *out, lode_slice stored)
{
    uint8_t scratch[67];
    lode_slice script;
    lode_coin_info full;

    LODE_TRY(lode_coin_info_of(&full, &script, scratch, stored));
    LODE_TRY(lode_handle_give(&full.script, &full.script_len, script));
    if (out->size < offsetof(lode_coin_info, script) + sizeof full.script)
        free(full.script); /* nobody would free it */
    LODE_PUT_RESULT(out, full);
    return lode_ok();
}

static lode_status get_one(const lode_state *view, int *found, lode_coin_info *coin, lode_buf *value,
                           const lode_coin_id *id)
{
    uint8_t prevout[36];
    bool is_there = false;

    memcpy(prevout, id->txid, 32);
    lode_write_le32(prevout + 32, id->index);
    LODE_TRY(lode_state_find_coin(view, &is_there, value, prevout));
    if (is_there)
        LODE_TRY(copy_coin(coin, lode_buf_slice(value)));
    *found = is_there;
    return lode_ok();
}

static void forget_scripts(const int *found, lode_coin_info *coins, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!found[i] || coins[i].size < offsetof(lode_coin_info, script) + sizeof coins[i].script)
            continue;
        free(coins[i].script);
        coins[i].script = NULL;
    }
}

lode_status lode_get_coins(lode *h, int *found, lode_coin_info *coins, lode_tip *at, const lode_coin_id *ids,
                           size_t count)
{
    lode_buf value = LODE_BUF_EMPTY;
    lode_state *view;
    lode_status s = lode_ok();
    lode_tip tip;
    size_t done = 0;

    LODE_NEEDS(!count || (found && coins && ids), "an argument is NULL");
    for (size_t i = 0; i < count; i++)
        LODE_NEEDS_SIZE(&coins[i]);
    if (at)
        LODE_NEEDS_SIZE(at);
    LODE_TRY(lode_handle_view(&view, h, __func__));
    for (; done < count && !lode_failed(s); done++)
        s = get_one(view, &found[done], &coins[done], &value, &ids[done]);
    if (lode_failed(s))
        forget_scripts(found, coins, done - 1);
    lode_tip_of_state(&tip, view);
    if (at && !lode_failed(s))
        LODE_PUT_RESULT(at, tip);
    __atomic_add_fetch(&h->reader_lookups, count, __ATOMIC_RELAXED);
    lode_state_release(view);
    lode_buf_clear(&value);
    return lode_handle_tell(h, s);
}

lode_status lode_get_coin(lode *h, int *found, lode_coin_info *coin, const uint8_t txid[32], uint32_t index)
{
    lode_coin_id id;
    int is_there = 0;

    LODE_NEEDS(found && txid, "an argument is NULL");
    LODE_NEEDS_SIZE(coin);
    memcpy(id.txid, txid, 32);
    id.index = index;
    LODE_TRY(lode_get_coins(h, &is_there, coin, NULL, &id, 1));
    *found = is_there;
    return lode_ok();
}
