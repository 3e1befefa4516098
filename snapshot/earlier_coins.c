/* snapshot/earlier_coins.c: the coin set as it was at an earlier block.
 *
 * Room:     blocks above it, undone one after another in an overlay.
 * Touches:  memory; block and undo files for reading.
 * Threads:  the chain's; blocks are parsed in the overlay's workers.
 */
#include "snapshot/earlier_coins.h"

#include <stdlib.h>

#include "snapshot/blocks_ahead.h"
#include "snapshot/overlay.h"

static lode_status undo_block(lode_chain *overlay, const lode_work *w, lode_buf *undo)
{
    bool unclean = false;

    if (lode_overlay_is_full(overlay))
        return lode_fail(LODE_NO_MEMORY, "undoing block %d and those below it needs more memory: a larger -dbcache",
                         w->entry->node.height);
    LODE_TRY(lode_chain_read_undo(overlay, undo, w->entry));
    LODE_TRY(lode_chain_disconnect(overlay, &unclean, &w->block, lode_buf_slice(undo)));
    if (unclean)
        return lode_fail(LODE_CORRUPT,
                         "the coins do not match block %d that is to be undone; -reindex-chainstate rebuilds them",
                         w->entry->node.height);
    return lode_ok();
}

static lode_status roll_back(lode_chain *overlay, const lode_chain *chain, const lode_entry *target)
{
    int32_t tip = chain->tip->node.height, last = target->node.height + 1;
    lode_buf undo = LODE_BUF_EMPTY;
    lode_blocks_ahead blocks;
    lode_status s = lode_ok();

    lode_blocks_ahead_init(&blocks, overlay, chain->active, tip, last);
    for (int32_t height = tip; height >= last && !lode_failed(s); height--) {
        lode_work *w = NULL;
        if (lode_chain_is_interrupted(chain))
            s = lode_fail(LODE_CANCELLED, "interrupted while blocks were undone in memory, at height %d", height);
        if (!lode_failed(s))
            s = lode_blocks_ahead_next(&blocks, &w);
        if (s.code == LODE_MISSING)
            s = lode_fail_within(s, "block %d, which is to be undone", height);
        if (!lode_failed(s))
            s = undo_block(overlay, w, &undo);
        lode_work_release(w);
        if (chain->on_progress)
            chain->on_progress(chain->progress_context, "undoing blocks in memory", (uint64_t)(tip - height) + 1,
                               (uint64_t)(tip - last) + 1);
    }
    lode_blocks_ahead_clear(&blocks);
    lode_buf_clear(&undo);
    return s;
}

lode_status lode_earlier_coins_open(lode_earlier_coins *at, lode_chain *chain, lode_entry *target)
{
    *at = (lode_earlier_coins){ .coins = chain->coins };
    if (target == chain->tip)
        return lode_ok();
    LODE_TRY(lode_overlay_open(&at->overlay, chain));
    at->coins = at->overlay->coins;
    return roll_back(at->overlay, chain, target);
}

void lode_earlier_coins_close(lode_earlier_coins *at)
{
    lode_overlay_close(at->overlay);
    *at = (lode_earlier_coins){ NULL, NULL };
}

lode_status lode_chain_find_named(lode_entry **entry, const lode_chain *chain, const char *name)
{
    lode_block_hash hash;
    lode_entry *e = NULL;
    char *end;

    if (lode_hash_from_hex(hash.bytes, name)) {
        e = lode_block_index_find(chain->index, &hash);
        if (!e || !lode_chain_contains(chain, e))
            return lode_fail(LODE_INVALID_ARGUMENT, "block %s is not in the active chain", name);
    } else {
        long height = strtol(name, &end, 10);
        if (*name == '\0' || *end != '\0' || height < 0)
            return lode_fail(LODE_INVALID_ARGUMENT, "%.80s: neither a height nor a block hash", name);
        if (height > chain->tip->node.height)
            return lode_fail(LODE_INVALID_ARGUMENT, "height %ld lies above the tip, %d", height,
                             chain->tip->node.height);
        e = lode_chain_at(chain, (int32_t)height);
    }
    *entry = e;
    return lode_ok();
}
