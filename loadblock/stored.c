/* loadblock/stored.c: walks over blocks that lie in our own files.
 *
 * Room:     the same works and the same pipeline as for new blocks; only where the bytes come from differs.
 * Touches:  block and undo files for reading.
 * Threads:  the chain's; reading and parsing ahead in the pool.
 */
#include "loadblock/stored.h"

#include "support/check.h"

enum { AHEAD = 48, AHEAD_BYTES = 16 << 20 };

/* Blocks being read ahead, in chain order. */
typedef struct ahead {
    lode_pipeline *p;
    lode_entry *target;
    lode_work_kind kind;
    int32_t next_height; /* to be queued next */
    lode_work *first, *last;
    uint32_t count;
    uint32_t usual_size; /* of the last block read: what is not read yet is taken to be like it */
} ahead;

static lode_status queue_more(ahead *a)
{
    while (a->next_height <= a->target->node.height && a->count < AHEAD &&
           (a->count < 2 || (uint64_t)a->count * a->usual_size < AHEAD_BYTES)) {
        lode_work *w = lode_work_take(a->p->shop, a->kind);
        if (!w)
            return lode_fail(LODE_NO_MEMORY, "no memory to read stored blocks ahead");
        w->entry = lode_entry_of(lode_node_ancestor(&a->target->node, a->next_height++));
        w->next = NULL;
        if (a->last)
            a->last->next = w;
        else
            a->first = w;
        a->last = w;
        a->count++;
        lode_work_submit_parse(w, LODE_POOL_URGENT);
    }
    return lode_ok();
}

static void wait_until_parsed(lode_pipeline *p, const lode_work *w)
{
    for (;;) {
        unsigned seen = lode_waiter_look(p->shop->waiter);
        if (lode_work_is_parsed(w))
            return;
        lode_pipeline_wait(p, seen);
    }
}

/* The next block, parsed and sound; the caller's from now on. */
static lode_status take_next(ahead *a, lode_work **out)
{
    lode_work *w = a->first;
    lode_status s;

    *out = NULL;
    wait_until_parsed(a->p, w);
    a->first = w->next;
    if (!a->first)
        a->last = NULL;
    a->count--;
    s = w->status;
    if (!lode_failed(s) && (!w->is_block || !lode_block_hash_is_equal(&w->block.hash, &w->entry->node.hash)))
        s = lode_fail(LODE_CORRUPT, "blk%05d.dat at %u: %s where block %d should be", w->entry->file, w->entry->data_pos,
                      w->is_block ? "another block" : "no block", w->entry->node.height);
    if (!lode_failed(s) && w->facts.verdict.reject != LODE_VALID && w->facts.verdict.is_mutated)
        s = lode_fail(LODE_CORRUPT, "blk%05d.dat at %u: block %d was changed on disk (%s)", w->entry->file, w->entry->data_pos,
                      w->entry->node.height, lode_reject_name(w->facts.verdict.reject));
    if (lode_failed(s)) {
        lode_work_release(w);
        return s;
    }
    a->usual_size = w->block.size;
    *out = w;
    return s;
}

static void give_up(ahead *a)
{
    while (a->first) {
        lode_work *w = a->first;
        wait_until_parsed(a->p, w);
        a->first = w->next;
        lode_work_release(w);
    }
}

lode_status lode_pipeline_disconnect_tip(lode_pipeline *p)
{
    lode_chain *chain = p->chain;
    lode_entry *entry = chain->tip;
    lode_buf buf = LODE_BUF_EMPTY, undo = LODE_BUF_EMPTY;
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_block block;
    bool unclean = false;
    lode_status s;

    LODE_CHECK(!p->first);
    s = lode_chain_read_block(chain, &block, &buf, &arena, entry);
    if (!lode_failed(s))
        s = lode_chain_read_undo(chain, &undo, entry);
    if (!lode_failed(s))
        s = lode_chain_disconnect(chain, &unclean, &block, lode_buf_slice(&undo));
    chain->in_doubt |= unclean;
    if (!lode_failed(s) && unclean)
        s = lode_fail(LODE_CORRUPT, "the coins do not match block %d that is to be taken back; -reindex-chainstate rebuilds them", entry->node.height);
    if (!lode_failed(s)) {
        p->result->blocks_disconnected++;
        if (chain->txindex_at == entry)
            chain->txindex_at = lode_entry_prev(entry);
        if (chain->scripts_run_to == entry)
            chain->scripts_run_to = lode_entry_prev(entry);
        if (chain->on_block)
            chain->on_block(chain->on_block_context, entry, false, &block, lode_buf_slice(&undo));
    }
    lode_buf_clear(&buf);
    lode_buf_clear(&undo);
    lode_arena_clear(&arena);
    return s;
}

static lode_status go_back(lode_pipeline *p, lode_entry *target)
{
    lode_chain *chain = p->chain;
    while (lode_node_ancestor(&target->node, chain->tip->node.height) != &chain->tip->node) {
        if (lode_chain_is_interrupted(chain))
            return lode_ok();
        LODE_TRY(lode_pipeline_disconnect_tip(p));
        LODE_TRY(lode_pipeline_maybe_flush(p));
        if (p->on_tick)
            p->on_tick(p->context);
    }
    return lode_ok();
}

static lode_status go_forward(ahead *a)
{
    lode_pipeline *p = a->p;
    lode_chain *chain = p->chain;

    while (chain->tip != a->target && !p->stopped && !lode_chain_is_interrupted(chain)) {
        lode_work *w;
        bool connected;
        lode_entry *expected = chain->tip;

        LODE_TRY(queue_more(a));
        if (!a->first)
            return lode_ok();
        LODE_TRY(take_next(a, &w));
        if (lode_entry_prev(w->entry) != expected || (w->entry->status & LODE_BLOCK_FAILED_VALID)) {
            lode_work_release(w);
            return lode_ok(); /* the tip was taken back */
        }
        /* Core asks CheckBlock again when it connects */
        if (w->facts.verdict.reject != LODE_VALID) {
            lode_verdict verdict = w->facts.verdict;
            LODE_TRY(lode_pipeline_drain(p));
            lode_block_index_mark_failed(chain->index, w->entry);
            p->result->blocks_rejected++;
            if (p->on_rejection)
                p->on_rejection(p->context, w, &verdict, "");
            lode_work_release(w);
            return lode_ok();
        }
        LODE_TRY(lode_pipeline_connect(p, &connected, w));
        if (!connected)
            return lode_ok();
        LODE_TRY(lode_pipeline_maybe_flush(p));
        if (p->on_tick)
            p->on_tick(p->context);
    }
    return lode_ok();
}

lode_status lode_pipeline_connect_stored(lode_pipeline *p, lode_entry *target)
{
    ahead a = { .p = p, .target = target, .kind = LODE_WORK_STORED, .usual_size = 1 << 20 };
    lode_chain *chain = p->chain;
    lode_status s = lode_ok();

    if (lode_node_ancestor(&target->node, chain->tip->node.height) != &chain->tip->node) {
        lode_entry *before = chain->tip;
        LODE_TRY(lode_pipeline_drain(p));
        if (chain->tip != before || lode_block_index_best_candidate(chain->index) != target)
            return lode_ok();
        LODE_TRY(go_back(p, target));
        if (lode_chain_is_interrupted(chain))
            return lode_ok();
    }
    a.next_height = chain->tip->node.height + 1;
    s = go_forward(&a);
    give_up(&a);
    return s;
}

lode_status lode_pipeline_catch_up_txindex(lode_pipeline *p)
{
    lode_chain *chain = p->chain;
    ahead a = { .p = p, .target = chain->tip, .kind = LODE_WORK_INDEXED, .usual_size = 1 << 20 };
    lode_status s = lode_ok();

    if (!chain->txindex || chain->txindex_at == chain->tip)
        return s;
    LODE_CHECK(!p->first);
    if (!lode_chain_contains(chain, chain->txindex_at))
        chain->txindex_at = lode_entry_of(lode_node_fork(&chain->txindex_at->node, &chain->tip->node));
    lode_log(chain->logger, LODE_LOG_INFO, "transaction index: blocks %d to %d", chain->txindex_at->node.height + 1, chain->tip->node.height);
    a.next_height = chain->txindex_at->node.height + 1;
    while (!lode_failed(s) && chain->txindex_at != chain->tip && !lode_chain_is_interrupted(chain)) {
        lode_work *w;
        s = queue_more(&a);
        if (lode_failed(s) || lode_failed(s = take_next(&a, &w)))
            break;
        s = lode_txindex_add_block(chain->txindex, &w->block, w->entry->file, w->entry->data_pos);
        if (!lode_failed(s))
            chain->txindex_at = w->entry;
        lode_work_release(w);
        if (!lode_failed(s))
            s = lode_pipeline_maybe_flush(p); /* a kill costs no more than the time since */
        if (p->on_tick)
            p->on_tick(p->context);
    }
    give_up(&a);
    return s;
}
