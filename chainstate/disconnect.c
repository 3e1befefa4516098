/* chainstate/disconnect.c: takes the tip's effects on the coins back.
 *
 * Room:     restores what a block spent from its undo data and removes what it created (Core's DisconnectBlock).
 * Touches:  coins and the tip. The caller read block and undo.
 * Threads:  the chain's.
 */
#include "chainstate/chain.h"
#include "chainstate/undo.h"
#include "support/check.h"
#include "validate/rules/block.h"

/* Does the coin that was just removed equal the output that made it? */
static bool is_same_coin(const lode_coin_view *coin, const lode_txout *out, uint32_t height, bool is_coinbase, lode_buf *scratch)
{
    size_t len;
    if (coin->height != height || coin->is_coinbase != is_coinbase)
        return false;
    if (coin->compressed_amount != lode_amount_compress((uint64_t)out->value.sat))
        return false;
    lode_buf_reset(scratch);
    if (!lode_buf_reserve(scratch, (size_t)out->script_len + 10))
        return false;
    len = lode_script_compress(scratch->data, out->script, out->script_len);
    return len == coin->script.len && memcmp(scratch->data, coin->script.data, len) == 0;
}

static lode_status remove_tx(lode_chain *chain, bool *unclean, const lode_tx *tx, uint32_t height, bool is_coinbase, bool may_be_gone,
                             lode_buf *scratch)
{
    uint64_t hash = lode_coins_hash(chain->coins, tx->txid.bytes);
    uint8_t prevout[36];

    memcpy(prevout, tx->txid.bytes, 32);
    for (uint32_t o = 0; o < tx->output_count; o++) {
        lode_coin_view coin;
        bool found;
        if (lode_script_is_unspendable(tx->outputs[o].script, tx->outputs[o].script_len))
            continue;
        lode_write_le32(prevout + 32, o);
        LODE_TRY(lode_coins_spend(chain->coins, &found, &coin, prevout, hash, NULL));
        if (may_be_gone)
            continue;
        if (!found || !is_same_coin(&coin, &tx->outputs[o], height, is_coinbase, scratch))
            *unclean = true;
    }
    return lode_ok();
}

/* An old undo format left height and coinbase out for all but a transaction's last spent output; height 0 says so. Then
 * another unspent output of the same transaction tells (Core's ApplyTxInUndo). */
static lode_status complete_coin(lode_chain *chain, bool *complete, lode_coin_view *coin, const uint8_t prevout[36], uint64_t hash)
{
    uint8_t other[36];
    memcpy(other, prevout, 32);
    *complete = false;
    for (uint32_t o = 0; o < 111111 && !*complete; o++) { /* as many outputs as fit a block of 1 MB */
        lode_coin_view alternate;
        bool found;
        lode_write_le32(other + 32, o);
        LODE_TRY(lode_coins_find(chain->coins, &found, &alternate, other, hash, NULL));
        if (found) {
            coin->height = alternate.height;
            coin->is_coinbase = alternate.is_coinbase;
            *complete = true;
        }
    }
    return lode_ok();
}

static lode_status restore_tx(lode_chain *chain, bool *unclean, const lode_tx *tx, lode_slice *coins, int32_t height)
{
    /* Backwards, as Core does: the last input first. `coins` holds the coin of each input. */
    for (uint32_t j = tx->input_count; j-- > 0;) {
        const uint8_t *prevout = tx->inputs[j].prevout;
        uint64_t hash = lode_coins_hash(chain->coins, prevout);
        lode_undo_reader u = { lode_reader_of(coins[j].data, coins[j].len), 1, 1 };
        lode_coin_view coin, old;
        bool found;

        if (!lode_undo_next_coin(&u, &coin.height, &coin.is_coinbase, &coin.compressed_amount, &coin.script))
            return lode_fail(LODE_CORRUPT, "undo data of the block at height %d does not decode", height);
        LODE_TRY(lode_coins_find(chain->coins, &found, &old, prevout, hash, NULL));
        if (found)
            *unclean = true; /* overwriting a coin that was never spent */
        if (coin.height == 0) {
            bool complete;
            LODE_TRY(complete_coin(chain, &complete, &coin, prevout, hash));
            if (!complete)
                return lode_fail(LODE_CORRUPT, "undo data of the block at height %d lacks the height of a coin", height);
        }
        LODE_TRY(lode_coins_put(chain->coins, prevout, hash, &coin));
    }
    return lode_ok();
}

/* Cut the undo bytes into one slice per spent coin. */
static lode_status split_undo(lode_slice **coins, lode_arena *arena, const lode_block *block, lode_slice undo, int32_t height)
{
    size_t count = (size_t)block->input_count, at = 0;
    lode_undo_reader u;
    uint64_t txs;

    *coins = lode_arena_take_array(arena, count + 1, sizeof **coins);
    if (!*coins)
        return lode_fail(LODE_NO_MEMORY, "no memory to undo the block at height %d", height);
    lode_undo_reader_init(&u, undo.data, undo.len, &txs);
    if (txs + 1 != block->tx_count)
        return lode_fail(LODE_CORRUPT, "undo data of the block at height %d is for %llu transactions, the block has %u", height,
                         (unsigned long long)txs, block->tx_count - 1);
    for (uint32_t i = 1; i < block->tx_count; i++) {
        uint64_t inputs;
        if (!lode_undo_next_tx(&u, &inputs) || inputs != block->txs[i].input_count)
            return lode_fail(LODE_CORRUPT, "undo data of the block at height %d does not fit transaction %u", height, i);
        for (uint64_t j = 0; j < inputs; j++) {
            const uint8_t *from = u.r.at;
            uint32_t h;
            bool coinbase;
            uint64_t amount;
            lode_slice script;
            if (!lode_undo_next_coin(&u, &h, &coinbase, &amount, &script))
                return lode_fail(LODE_CORRUPT, "undo data of the block at height %d ends early", height);
            (*coins)[at++] = lode_slice_of(from, (size_t)(u.r.at - from));
        }
    }
    if (!lode_undo_reader_is_done(&u))
        return lode_fail(LODE_CORRUPT, "undo data of the block at height %d has bytes left over", height);
    return lode_ok();
}

lode_status lode_chain_disconnect(lode_chain *chain, bool *unclean, const lode_block *block, lode_slice undo)
{
    lode_entry *entry = chain->tip;
    int32_t height = entry->node.height;
    bool may_be_gone = lode_block_is_bip30_unspendable(&entry->node, &chain->params);
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_buf scratch = LODE_BUF_EMPTY;
    lode_slice *coins;
    lode_status s = split_undo(&coins, &arena, block, undo, height);

    LODE_CHECK(entry->node.prev != NULL);
    *unclean = false;
    LODE_CHECK(!chain->in_doubt);
    chain->in_doubt = !lode_failed(s);
    size_t end = (size_t)block->input_count - block->txs[0].input_count;
    for (uint32_t i = block->tx_count; i-- > 0 && !lode_failed(s);) {
        const lode_tx *tx = &block->txs[i];
        s = remove_tx(chain, unclean, tx, (uint32_t)height, i == 0, i == 0 && may_be_gone, &scratch);
        if (i == 0 || lode_failed(s))
            continue;
        end -= tx->input_count;
        s = restore_tx(chain, unclean, tx, coins + end, height);
    }
    lode_buf_clear(&scratch);
    lode_arena_clear(&arena);
    LODE_TRY(s);
    LODE_TRY(lode_chain_set_tip(chain, lode_entry_prev(entry)));
    chain->in_doubt = false;
    return lode_ok();
}
