/* chainstate/chain_flush.c: what is in memory becomes durable, in the one order that survives a crash.
 *
 * Room:     block and undo files are synced, then the block index names them, then the coins follow, then the
 *           transaction index. A crash between two steps leaves files that nothing names, or blocks that are connected
 *           again: never a coin whose block is not there.
 * Touches:  all parts of a chain.
 * Threads:  the chain's; the coins are written by a thread of their own.
 * Promise:  only a block whose scripts are verified, and which can be undone, is named as the best one.
 */
#include <inttypes.h>

#include "chainstate/chain.h"
#include "support/check.h"
#include "support/thread.h"

static const uint64_t least_free_bytes = 52428800; /* Core's, in CheckDiskSpace */

/* ---- before anything is written ---- */

static lode_status demand_room(const lode_chain *c, const char *path, uint64_t bytes)
{
    uint64_t available;

    LODE_TRY(c->env->free_space(c->env, &available, path));
    if (available >= least_free_bytes && available - least_free_bytes >= bytes)
        return lode_ok();
    return lode_fail(LODE_NO_SPACE,
                     "%s: disk space is too low: %" PRIu64 " MiB are free, and writing what is in memory may take %" PRIu64
                     " MiB beside the %" PRIu64 " MiB that stay free; make room and run the same again",
                     path, available >> 20, (bytes >> 20) + 1, least_free_bytes >> 20);
}

/* A record takes about as much in a table as in memory, where a transaction's id is kept once; what is written is merged
 * with its neighbours soon, and both stand side by side then. */
static lode_status demand_room_for_flush(lode_chain *c)
{
    lode_coins_stats stats;
    uint64_t bytes;

    lode_coins_get_stats(c->coins, &stats);
    bytes = 2 * (uint64_t)stats.active_bytes;
    if (c->txindex)
        bytes += 2 * lode_txindex_pending_bytes(c->txindex);
    LODE_TRY(demand_room(c, c->directory->blocks, 0));
    return demand_room(c, c->directory->root, bytes);
}

static lode_status demand_sound_tip(const lode_chain *c)
{
    const lode_entry *tip = c->tip;

    if (c->in_doubt)
        return lode_fail(LODE_IO, "an earlier error left the coins in memory half way in a block; open the directory again");
    if (!tip->node.prev ||
        ((tip->status & LODE_BLOCK_VALID_MASK) >= LODE_BLOCK_VALID_SCRIPTS && (tip->status & LODE_BLOCK_HAVE_UNDO)))
        return lode_ok();
    return lode_fail(LODE_BUG, "the block at height %d is not verified and cannot be named as the best one", tip->node.height);
}

/* ---- the parts ---- */

/* Nothing to write: what is on disk is the tip's already. */
static lode_status coins_are_written(bool *written, const lode_chain *c)
{
    lode_block_hash best;
    bool found;

    *written = false;
    if (c->replay_to || lode_coins_is_dirty(c->coins))
        return lode_ok();
    LODE_TRY(lode_coins_best_block(c->coins, &found, &best));
    *written = found && lode_block_hash_is_equal(&best, &c->tip->node.hash);
    return lode_ok();
}

static lode_status flush_coins(lode_chain *c, bool wait)
{
    if (c->replay_to)
        LODE_TRY(lode_coins_flush_part(c->coins, &c->replay_to->node.hash, &c->tip->node.hash));
    else
        LODE_TRY(lode_coins_flush_begin(c->coins, &c->tip->node.hash));
    return wait ? lode_coins_flush_wait(c->coins) : lode_ok();
}

/* As Core's: the index never stands at a block that the coins on disk do not rest on. */
static lode_status flush_txindex(lode_chain *c, bool wait)
{
    lode_buf locator = LODE_BUF_EMPTY;
    lode_block_hash best;
    lode_entry *on_disk;
    bool found;
    lode_status s;

    if (!c->txindex || !c->txindex_at)
        return lode_ok();
    LODE_TRY(lode_coins_best_block(c->coins, &found, &best));
    on_disk = found ? lode_block_index_find(c->index, &best) : lode_block_index_genesis(c->index);
    if (!on_disk)
        return lode_ok();
    lode_chain_locator(&locator, lode_entry_of(lode_node_fork(&c->txindex_at->node, &on_disk->node)));
    if (!lode_buf_is_good(&locator))
        s = lode_fail(LODE_NO_MEMORY, "no memory for a block locator");
    else if (wait)
        s = lode_txindex_flush(c->txindex, lode_buf_slice(&locator));
    else
        s = lode_txindex_flush_begin(c->txindex, lode_buf_slice(&locator));
    lode_buf_clear(&locator);
    return s;
}

/* Up to which block scripts ran; a note of ours, whose loss costs nothing but the knowledge. */
static lode_status write_notes(lode_chain *c)
{
    if (c->options.check_scripts && c->scripts_run_to)
        LODE_TRY(lode_notes_set_block(c->notes, "scripts", &c->scripts_run_to->node.hash));
    return lode_notes_write(c->notes);
}

lode_status lode_chain_flush(lode_chain *c, bool wait)
{
    bool written;

    LODE_CHECK(!c->options.read_only);
    if (!c->tip)
        return lode_ok(); /* a cut-off flush waits for its replay: nothing of ours is in memory */
    LODE_TRY(demand_sound_tip(c));
    c->flushed_at_ns = lode_clock_ns();
    LODE_TRY(coins_are_written(&written, c));
    if (!written)
        LODE_TRY(demand_room_for_flush(c));
    if (wait && c->txindex)
        LODE_TRY(lode_txindex_flush_begin(c->txindex, (lode_slice){ NULL, 0 })); /* entries may be there early */
    LODE_TRY(lode_block_files_sync(c->files));
    LODE_TRY(lode_block_index_write(c->index));
    if (!written)
        LODE_TRY(flush_coins(c, wait));
    LODE_TRY(flush_txindex(c, wait));
    return write_notes(c);
}
