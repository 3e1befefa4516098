/* chainstate/chain_replay.c: finishes a flush of Core's that was cut off.
 *
 * Room:     the coins on disk are somewhere between two blocks (record 'H'); every change is repeated, which is
 *           harmless where it was made already (Core's ReplayBlocks). When memory is full, what was repeated is written
 *           and 'H' names the block that was reached: the rest is as far from done as a flush from there.
 * Touches:  coins, block and undo files for reading.
 * Threads:  the chain's.
 */
#include "chainstate/connect.h"
#include "support/check.h"
#include "support/thread.h"

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

/* The blocks that 'H' names: the tip goes to the older one. */
static lode_status begin_replay(lode_chain *c, lode_entry **fork, const lode_block_hash *new_hash, const lode_block_hash *old_hash)
{
    lode_entry *old_head = lode_block_index_genesis(c->index);

    LODE_TRY(find_head(c, &c->replay_to, new_hash));
    if (!lode_bytes32_is_zero(old_hash->bytes))
        LODE_TRY(find_head(c, &old_head, old_hash));
    *fork = lode_entry_of(lode_node_fork(&old_head->node, &c->replay_to->node));
    return lode_chain_set_tip(c, old_head);
}

static lode_status replay_step(lode_chain *c, const lode_entry *fork, bool *goes_back, lode_buf *buf, lode_buf *undo, lode_arena *arena)
{
    *goes_back = *goes_back && c->tip != fork;
    if (*goes_back)
        LODE_TRY(roll_back(c, buf, undo, arena));
    else
        LODE_TRY(roll_forward(c, lode_entry_of(lode_node_ancestor(&c->replay_to->node, c->tip->node.height + 1)), buf, arena));
    if (lode_coins_wants_flush(c->coins) || lode_clock_ns() - c->flushed_at_ns >= c->flush_interval_ns)
        return lode_chain_flush(c, false);
    return lode_ok();
}

static lode_status replay_all(lode_chain *c, const lode_entry *fork, void *context, void (*progress)(void *context, int32_t height, int32_t target))
{
    lode_buf buf = LODE_BUF_EMPTY, undo = LODE_BUF_EMPTY;
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_status s = lode_ok();
    bool goes_back = true;

    while (!lode_failed(s) && c->tip != c->replay_to && !lode_chain_is_interrupted(c)) {
        s = replay_step(c, fork, &goes_back, &buf, &undo, &arena);
        if (progress && !lode_failed(s))
            progress(context, c->tip->node.height, c->replay_to->node.height);
    }
    lode_buf_clear(&buf);
    lode_buf_clear(&undo);
    lode_arena_clear(&arena);
    return s;
}

lode_status lode_chain_replay(lode_chain *c, void *context, void (*progress)(void *context, int32_t height, int32_t target))
{
    lode_block_hash new_hash, old_hash;
    bool cut_off;
    lode_entry *fork;
    lode_status s;

    LODE_TRY(lode_coins_head_blocks(c->coins, &cut_off, &new_hash, &old_hash));
    if (!cut_off)
        return lode_ok();
    s = begin_replay(c, &fork, &new_hash, &old_hash);
    if (!lode_failed(s)) {
        lode_log(c->logger, LODE_LOG_INFO, "a flush was cut off: replaying blocks %d to %d", fork->node.height + 1, c->replay_to->node.height);
        s = replay_all(c, fork, context, progress);
    }
    if (!lode_failed(s) && c->tip != c->replay_to) {
        int32_t height = c->tip->node.height;
        s = lode_chain_flush(c, true);
        if (!lode_failed(s))
            s = lode_fail(LODE_CANCELLED, "interrupted while replaying at height %d; the next run goes on from there", height);
    }
    if (!lode_failed(s))
        lode_block_index_set_best(c->index, c->tip);
    else
        c->tip = NULL; /* the coins are between two blocks */
    c->replay_to = NULL;
    return lode_failed(s) ? s : lode_chain_flush(c, true);
}
