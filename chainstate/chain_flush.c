/* chainstate/chain_flush.c: what is in memory becomes durable, in the one order that survives a crash.
 *
 * Room:     block and undo files are synced, then the block index names them, then the coins follow, then the
 *           transaction index. A crash between two steps leaves files that nothing names, or blocks that are connected
 *           again: never a coin whose block is not there.
 * Touches:  all parts of a chain.
 * Threads:  the chain's; the coins are written by a thread of their own.
 */
#include "chainstate/chain.h"
#include "support/check.h"
#include "support/thread.h"

static lode_status flush_txindex(lode_chain *c)
{
    lode_buf locator = LODE_BUF_EMPTY;
    lode_status s;

    if (!c->txindex || c->options.read_only)
        return lode_ok();
    if (!c->txindex_at)
        return lode_ok();
    lode_chain_locator(&locator, c->txindex_at);
    s = lode_buf_is_good(&locator) ? lode_txindex_flush(c->txindex, lode_buf_slice(&locator))
                                   : lode_fail(LODE_NO_MEMORY, "no memory for a block locator");
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
    LODE_CHECK(!c->options.read_only);
    c->flushed_at_ns = lode_clock_ns();
    LODE_TRY(lode_block_files_sync(c->files));
    LODE_TRY(lode_block_index_write(c->index));
    LODE_TRY(lode_coins_flush_begin(c->coins, &c->tip->node.hash));
    LODE_TRY(flush_txindex(c));
    if (wait)
        LODE_TRY(lode_coins_flush_wait(c->coins));
    return write_notes(c);
}
