/* chainstate/chain_replay.c: finishes a flush of Core's that was cut off.
 *
 * Room:     the coins on disk are somewhere between two blocks (record 'H'); every change is repeated, which is
 *           harmless where it was made already (Core's ReplayBlocks).
 * Touches:  coins, block and undo files for reading.
 * Threads:  the chain's.
 */
#include "chainstate/connect.h"
#include "support/check.h"

static lode_status roll_forward(lode_chain *c, lode_entry *entry, lode_buf *buf, lode_arena *arena)
{
    lode_block block;
    lode_arena_reset(arena);
    LODE_TRY(lode_chain_read_block(c, &block, buf, arena, entry));
    for (uint32_t i = 0; i < block.tx_count; i++) {
        const lode_tx *tx = &block.txs[i];
        lode_packed_tx packed;
        for (uint32_t j = 0; i > 0 && j < tx->input_count; j++) {
            const uint8_t *prevout = tx->inputs[j].prevout;
            lode_coin_view coin;
            bool found;
            LODE_TRY(lode_coins_spend(c->coins, &found, &coin, prevout, lode_coins_hash(c->coins, prevout), NULL));
        }
        if (!lode_coins_pack(&packed, tx, arena))
            return lode_fail(LODE_NO_MEMORY, "no memory to replay height %d", entry->node.height);
        LODE_TRY(lode_coins_add_tx(c->coins, tx->txid.bytes, lode_coins_hash(c->coins, tx->txid.bytes), &packed, (uint32_t)entry->node.height,
                                   i == 0, true));
    }
    return lode_chain_set_tip(c, entry);
}

static lode_status roll_back(lode_chain *c, lode_buf *buf, lode_buf *undo, lode_arena *arena)
{
    lode_block block;
    bool unclean; /* expected here: not everything of the block had been applied */
    lode_arena_reset(arena);
    LODE_TRY(lode_chain_read_block(c, &block, buf, arena, c->tip));
    LODE_TRY(lode_chain_read_undo(c, undo, c->tip));
    return lode_chain_disconnect(c, &unclean, &block, lode_buf_slice(undo));
}

static lode_status find_head(lode_chain *c, lode_entry **entry, const lode_block_hash *hash)
{
    char hex[65];
    *entry = lode_block_index_find(c->index, hash);
    if (*entry)
        return lode_ok();
    lode_hash_to_hex(hex, hash->bytes);
    return lode_fail(LODE_CORRUPT, "%s: a cut-off flush names block %s, which the block index does not know; -reindex-chainstate rebuilds the coins",
                     c->directory->chainstate, hex);
}

lode_status lode_chain_replay(lode_chain *c, void *context, void (*progress)(void *context, int32_t height, int32_t target))
{
    lode_block_hash new_hash, old_hash;
    bool cut_off;
    lode_entry *new_head, *fork;
    lode_buf buf = LODE_BUF_EMPTY, undo = LODE_BUF_EMPTY;
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_status s = lode_ok();

    LODE_TRY(lode_coins_head_blocks(c->coins, &cut_off, &new_hash, &old_hash));
    if (!cut_off)
        return lode_ok();
    LODE_TRY(find_head(c, &new_head, &new_hash));
    fork = lode_block_index_genesis(c->index);
    if (!lode_bytes32_is_zero(old_hash.bytes)) {
        lode_entry *old_head;
        LODE_TRY(find_head(c, &old_head, &old_hash));
        LODE_TRY(lode_chain_set_tip(c, old_head));
        fork = lode_entry_of(lode_node_fork(&old_head->node, &new_head->node));
    } else {
        LODE_TRY(lode_chain_set_tip(c, fork));
    }
    lode_log(c->logger, LODE_LOG_INFO, "a flush was cut off: replaying blocks %d to %d", fork->node.height + 1, new_head->node.height);
    while (!lode_failed(s) && c->tip != fork && !lode_chain_is_interrupted(c))
        s = roll_back(c, &buf, &undo, &arena);
    while (!lode_failed(s) && c->tip != new_head && !lode_chain_is_interrupted(c)) {
        s = roll_forward(c, lode_entry_of(lode_node_ancestor(&new_head->node, c->tip->node.height + 1)), &buf, &arena);
        if (progress && !lode_failed(s))
            progress(context, c->tip->node.height, new_head->node.height);
    }
    if (!lode_failed(s) && c->tip != new_head)
        s = lode_fail(LODE_CANCELLED, "interrupted while replaying at height %d; the next run replays again", c->tip->node.height);
    lode_buf_clear(&buf);
    lode_buf_clear(&undo);
    lode_arena_clear(&arena);
    if (lode_failed(s))
        c->tip = NULL; /* half way is no place to stand, nor to flush; repeating everything does no harm */
    LODE_TRY(s);
    lode_block_index_set_best(c->index, new_head);
    return lode_chain_flush(c, true);
}
