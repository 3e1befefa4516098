/* loadblock/accept.c: takes a parsed block into the index and the block files.
 *
 * Room:     Core's AcceptBlockHeader and AcceptBlock: which block is refused, which is branded, which may come again.
 * Touches:  block index, block files.
 * Threads:  the chain's.
 */
#include "loadblock/pipeline.h"
#include "support/check.h"

lode_status lode_chain_accept_header(lode_chain *chain, lode_verdict *verdict, lode_entry **entry, const lode_header *header,
                                     const lode_block_hash *hash)
{
    lode_entry *prev;

    *verdict = lode_verdict_of(LODE_VALID);
    *entry = lode_block_index_find(chain->index, hash);
    if (*entry) {
        if ((*entry)->status & LODE_BLOCK_FAILED_VALID)
            *verdict = lode_verdict_of(LODE_DUPLICATE_INVALID);
        return lode_ok();
    }
    if (!lode_header_has_work(hash, header->bits, &chain->params)) {
        *verdict = lode_verdict_of(LODE_HIGH_HASH);
        return lode_ok();
    }
    prev = lode_block_index_find(chain->index, &header->prev);
    if (!prev) {
        *verdict = lode_verdict_of(LODE_PREV_BLK_NOT_FOUND);
        return lode_ok();
    }
    if (prev->status & LODE_BLOCK_FAILED_VALID) {
        *verdict = lode_verdict_of(LODE_BAD_PREVBLK);
        return lode_ok();
    }
    *verdict = lode_header_check(header, hash, &prev->node, lode_chain_now(chain), &chain->params);
    if (verdict->reject != LODE_VALID)
        return lode_ok();
    *entry = lode_block_index_add(chain->index, header, hash, prev);
    return *entry ? lode_ok() : lode_fail(LODE_NO_MEMORY, "no memory for a block header");
}

static lode_status store(lode_pipeline *p, lode_work *w)
{
    lode_chain *chain = p->chain;
    int32_t file;
    uint32_t pos;

    if (w->input && w->input->own_file >= 0) {
        file = w->input->own_file;
        pos = (uint32_t)w->offset;
        lode_block_files_note_block(chain->files, file, pos, w->block.size, w->entry->node.height, w->block.header.time);
    } else {
        LODE_TRY(lode_block_files_append_block(chain->files, &file, &pos, w->block.raw, w->block.size, w->entry->node.height,
                                               w->block.header.time));
    }
    lode_block_index_received(chain->index, w->entry, w->block.tx_count, file, pos);
    return lode_ok();
}

/* What a block is told must not depend on how far the workers are. So one that leaves the tip aside waits for what is in
 * flight, and so does one that is to be refused: had an ancestor failed, that would have been the reason. */
static lode_status wait_unless_next(lode_pipeline *p, const lode_work *w)
{
    bool is_next = lode_block_hash_is_equal(&w->block.header.prev, &p->chain->tip->node.hash);
    return is_next || !p->first ? lode_ok() : lode_pipeline_drain(p);
}

static lode_status wait_before_refusing(lode_pipeline *p, lode_verdict *verdict, const lode_work *w)
{
    const lode_entry *prev;

    if (!p->first)
        return lode_ok();
    LODE_TRY(lode_pipeline_drain(p));
    prev = lode_block_index_find(p->chain->index, &w->block.header.prev);
    if (prev && (prev->status & LODE_BLOCK_FAILED_VALID))
        *verdict = lode_verdict_of(LODE_BAD_PREVBLK);
    return lode_ok();
}

lode_status lode_pipeline_accept(lode_pipeline *p, lode_verdict *verdict, bool *is_new, lode_work *w)
{
    lode_chain *chain = p->chain;
    lode_node *prev;

    LODE_CHECK(w->is_block);
    *is_new = false;
    if (lode_block_index_find(chain->index, &w->block.header.prev))
        LODE_TRY(wait_unless_next(p, w));
    LODE_TRY(lode_chain_accept_header(chain, verdict, &w->entry, &w->block.header, &w->block.hash));
    if (verdict->reject == LODE_HIGH_HASH || verdict->reject == LODE_PREV_BLK_NOT_FOUND)
        return lode_ok();
    if (verdict->reject != LODE_VALID)
        return wait_before_refusing(p, verdict, w);
    if (w->entry->status & LODE_BLOCK_HAVE_DATA)
        return lode_ok();
    prev = w->entry->node.prev;
    *verdict = w->facts.verdict;
    if (verdict->reject == LODE_VALID)
        *verdict = lode_block_check_context(&w->block, &w->facts, prev, &chain->params);
    if (verdict->reject != LODE_VALID) {
        LODE_TRY(wait_before_refusing(p, verdict, w));
        /* a body that may not be the header's never brands the hash: the good one may still come */
        if (!verdict->is_mutated)
            lode_block_index_mark_failed(chain->index, w->entry);
        return lode_ok();
    }
    *is_new = true;
    return store(p, w);
}
