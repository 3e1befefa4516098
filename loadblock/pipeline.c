/* loadblock/pipeline.c: connects accepted blocks and settles them when their scripts have passed.
 *
 * Room:     the chain's thread between acceptance and durability.
 * Touches:  coins, undo files, block index, transaction index, all through the chain.
 * Threads:  the chain's; script checks run in the pool meanwhile.
 * Promise:  nothing that rests on an unverified block is flushed: every flush drains first.
 */
#include "loadblock/pipeline.h"

#include <stdio.h>

#include "loadblock/stored.h"
#include "support/check.h"

enum { IN_FLIGHT_MAX = 512, IN_FLIGHT_BYTES = 32 << 20 };

void lode_pipeline_init(lode_pipeline *p, lode_workshop *shop, lode_import_result *result)
{
    memset(p, 0, sizeof *p);
    p->shop = shop;
    p->chain = shop->chain;
    p->result = result;
}

void lode_pipeline_wait(lode_pipeline *p, unsigned seen)
{
    if (!lode_pool_help(p->chain->pool))
        lode_waiter_wait(p->shop->waiter, seen, 50000);
    if (p->on_tick)
        p->on_tick(p->context);
}

static lode_work *pop_first(lode_pipeline *p)
{
    lode_work *w = p->first;
    p->first = w->next;
    if (!p->first)
        p->last = NULL;
    p->in_flight--;
    p->in_flight_bytes -= w->block.size;
    return w;
}

/* The block is good and so are all before it. */
static lode_status finish(lode_pipeline *p, lode_work *w)
{
    lode_chain *chain = p->chain;
    lode_entry *e = w->entry;
    uint64_t at = lode_clock_ns();
    uint32_t undo_pos = e->undo_pos;

    if (!(e->status & LODE_BLOCK_HAVE_UNDO))
        LODE_TRY(lode_block_files_append_undo(chain->files, &undo_pos, e->file, w->connected.undo.data, w->connected.undo.len,
                                              &e->node.prev->hash));
    lode_block_index_verified(chain->index, e, undo_pos);
    p->result->times.undo_wall += lode_clock_ns() - at;
    at = lode_clock_ns();
    if (chain->txindex && chain->txindex_at == lode_entry_prev(e)) {
        LODE_TRY(lode_txindex_add_block(chain->txindex, &w->block, e->file, e->data_pos));
        chain->txindex_at = e;
    }
    p->result->times.txindex_wall += lode_clock_ns() - at;
    if (w->runs_scripts && (!chain->scripts_run_to || chain->scripts_run_to == lode_entry_prev(e)))
        chain->scripts_run_to = e;
    p->blocks++;
    p->transactions += w->block.tx_count;
    p->inputs += w->prep.prevout_count;
    p->result->outputs += w->block.output_count;
    if (chain->on_block)
        chain->on_block(chain->on_block_context, e, true, &w->block, lode_buf_slice(&w->connected.undo));
    return lode_ok();
}

/* Wait until no task of what is in flight runs any more. */
static void wait_for_tasks(lode_pipeline *p)
{
    for (lode_work *w = p->first; w; w = w->next) {
        for (;;) {
            unsigned seen = lode_waiter_look(p->shop->waiter);
            if (lode_work_is_checked(w))
                break;
            lode_pipeline_wait(p, seen);
        }
    }
}

/* Take the tip's block back while it is still in memory. */
static lode_status disconnect_in_flight(lode_pipeline *p, lode_work *first)
{
    while (p->chain->tip != lode_entry_prev(first->entry)) {
        lode_work *w = p->first;
        bool unclean;
        while (w && w->entry != p->chain->tip)
            w = w->next;
        LODE_CHECK(w != NULL);
        LODE_TRY(lode_chain_disconnect(p->chain, &unclean, &w->block, lode_buf_slice(&w->connected.undo)));
        LODE_CHECK(!unclean);
    }
    return lode_ok();
}

static void describe_failure(char *out, size_t capacity, const lode_work *w, const lode_verdict *v)
{
    char txid[65];
    out[0] = '\0';
    if (v->tx_index == LODE_NO_INDEX || v->tx_index >= w->block.tx_count)
        return;
    lode_hash_to_hex(txid, w->block.txs[v->tx_index].txid.bytes);
    if (v->input_index == LODE_NO_INDEX)
        snprintf(out, capacity, "transaction %u (%s)", v->tx_index, txid);
    else
        snprintf(out, capacity, "input %u of transaction %u (%s)", v->input_index, v->tx_index, txid);
}

static void reject(lode_pipeline *p, const lode_work *w, const lode_verdict *verdict)
{
    char detail[160];
    p->result->blocks_rejected++;
    describe_failure(detail, sizeof detail, w, verdict);
    if (p->on_rejection)
        p->on_rejection(p->context, w, verdict, detail);
}

/* A block was accepted upon one that has failed since. Had the failure been known, it would have been refused for that;
 * so that is what is told, whenever the workers found out. Stored blocks were told of when they came. */
static void drop_descendant(lode_pipeline *p, lode_work *w)
{
    lode_verdict verdict = lode_verdict_of(LODE_BAD_PREVBLK);
    if (w->kind != LODE_WORK_STORED && (w->entry->status & LODE_BLOCK_FAILED_VALID))
        reject(p, w, &verdict);
    lode_work_release(w);
}

/* The oldest block in flight failed: it and all that rest on it are taken back. */
static lode_status fail_first(lode_pipeline *p, const lode_verdict *verdict)
{
    wait_for_tasks(p);
    LODE_TRY(disconnect_in_flight(p, p->first));
    lode_block_index_mark_failed(p->chain->index, p->first->entry);
    reject(p, p->first, verdict);
    lode_work_release(pop_first(p));
    while (p->first)
        drop_descendant(p, pop_first(p));
    return lode_ok();
}

lode_status lode_pipeline_settle(lode_pipeline *p)
{
    while (p->first && lode_work_is_checked(p->first)) {
        lode_work *w = p->first;
        lode_verdict verdict;
        LODE_TRY(lode_work_verdict(&verdict, w));
        if (verdict.reject != LODE_VALID)
            return fail_first(p, &verdict);
        LODE_TRY(finish(p, w));
        lode_work_release(pop_first(p));
    }
    return lode_ok();
}

/* Asked to stop: what has passed is kept, the rest is taken back unjudged, which is a matter of milliseconds. */
static lode_status retreat(lode_pipeline *p)
{
    LODE_TRY(lode_pipeline_settle(p));
    if (!p->first)
        return lode_ok();
    __atomic_store_n(&p->shop->given_up, 1, __ATOMIC_RELAXED);
    wait_for_tasks(p);
    __atomic_store_n(&p->shop->given_up, 0, __ATOMIC_RELAXED);
    LODE_TRY(disconnect_in_flight(p, p->first));
    while (p->first)
        lode_work_release(pop_first(p));
    return lode_ok();
}

lode_status lode_pipeline_drain(lode_pipeline *p)
{
    uint64_t at = lode_clock_ns();
    while (p->first) {
        if (lode_chain_is_interrupted(p->chain))
            return retreat(p);
        unsigned seen = lode_waiter_look(p->shop->waiter);
        if (lode_work_is_checked(p->first))
            LODE_TRY(lode_pipeline_settle(p));
        else
            lode_pipeline_wait(p, seen);
    }
    p->result->times.script_wait_wall += lode_clock_ns() - at;
    return lode_ok();
}

lode_status lode_pipeline_complete(lode_pipeline *p)
{
    for (;;) {
        lode_entry *best;
        LODE_TRY(lode_pipeline_drain(p));
        best = lode_block_index_best_candidate(p->chain->index);
        if (!best || best == p->chain->tip || p->stopped || lode_chain_is_interrupted(p->chain))
            return lode_ok();
        LODE_TRY(lode_pipeline_activate(p, NULL)); /* a check failed: another branch may be best now */
    }
}

void lode_pipeline_abandon(lode_pipeline *p)
{
    wait_for_tasks(p);
    if (p->first && !p->chain->in_doubt)
        lode_ignore(disconnect_in_flight(p, p->first)); /* after an error the chain is in doubt, and is not flushed */
    while (p->first)
        lode_work_release(pop_first(p));
}

static void log_script_reason(lode_pipeline *p, const lode_entry *entry, const char *reason)
{
    char hex[65];
    if (p->script_reason_known && reason == p->script_reason)
        return;
    p->script_reason = reason;
    p->script_reason_known = true;
    lode_hash_to_hex(hex, entry->node.hash.bytes);
    if (reason)
        lode_log(p->chain->logger, LODE_LOG_INFO, "Enabling script verification at block #%d (%s): %s.", entry->node.height, hex, reason);
    else
        lode_log(p->chain->logger, LODE_LOG_INFO, "Disabling script verification at block #%d (%s).", entry->node.height, hex);
}

static void put_in_flight(lode_pipeline *p, lode_work *w)
{
    w->next = NULL;
    if (p->last)
        p->last->next = w;
    else
        p->first = w;
    p->last = w;
    p->in_flight++;
    p->in_flight_bytes += w->block.size;
}

/* Room for one more block in flight. The tip may move back while waiting. */
static lode_status make_room(lode_pipeline *p)
{
    LODE_TRY(lode_pipeline_settle(p));
    while (p->in_flight >= IN_FLIGHT_MAX || p->in_flight_bytes >= IN_FLIGHT_BYTES) {
        unsigned seen = lode_waiter_look(p->shop->waiter);
        if (!lode_work_is_checked(p->first))
            lode_pipeline_wait(p, seen);
        LODE_TRY(lode_pipeline_settle(p));
    }
    return lode_ok();
}

/* Connect one parsed block, which was next when the caller looked. Taken. *connected false: it was refused, or its
 * parent was taken back meanwhile. */
lode_status lode_pipeline_connect(lode_pipeline *p, bool *connected, lode_work *w)
{
    lode_chain *chain = p->chain;
    lode_verdict verdict;
    const char *reason;
    uint64_t at;
    lode_status s = make_room(p);

    *connected = false;
    if (lode_failed(s) || lode_entry_prev(w->entry) != chain->tip) {
        drop_descendant(p, w);
        return s;
    }
    at = lode_clock_ns();
    s = lode_chain_connect(chain, &verdict, &w->connected, w->entry, &w->block, &w->facts, &w->prep, &w->arena);
    p->result->times.connect_wall += lode_clock_ns() - at;
    if (!lode_failed(s) && verdict.reject != LODE_VALID) {
        /* an older block in flight may fail yet, and then that is the reason to tell */
        s = lode_pipeline_drain(p);
        if (!lode_failed(s) && lode_entry_prev(w->entry) == chain->tip) {
            lode_block_index_mark_failed(chain->index, w->entry);
            reject(p, w, &verdict);
            lode_work_release(w);
        } else {
            drop_descendant(p, w);
        }
        return s;
    }
    if (!lode_failed(s)) {
        lode_log(chain->logger, LODE_LOG_DEBUG, "Connect block %d: %u transactions, %zu inputs: %.2fms", w->entry->node.height,
                 w->block.tx_count, w->prep.prevout_count, (double)(lode_clock_ns() - at) / 1e6);
        reason = lode_chain_script_reason(chain, w->entry);
        log_script_reason(p, w->entry, reason);
        put_in_flight(p, w);
        *connected = true;
        if (reason)
            s = lode_work_submit_checks(w);
        if (p->stop_at_height && w->entry->node.height >= p->stop_at_height)
            p->stopped = true;
        return s;
    }
    lode_work_release(w);
    return s;
}

lode_status lode_pipeline_activate(lode_pipeline *p, lode_work *work)
{
    lode_chain *chain = p->chain;
    lode_status s = lode_ok();

    while (!lode_failed(s) && !p->stopped && !lode_chain_is_interrupted(chain)) {
        lode_entry *best = lode_block_index_best_candidate(chain->index);
        bool connected;
        if (!best || best == chain->tip)
            break;
        if (work && work->entry == best && lode_entry_prev(best) == chain->tip) {
            s = lode_pipeline_connect(p, &connected, work);
            work = NULL;
        } else {
            s = lode_pipeline_connect_stored(p, best);
        }
    }
    lode_work_release(work);
    return s;
}

lode_status lode_pipeline_maybe_flush(lode_pipeline *p)
{
    lode_chain *chain = p->chain;
    uint64_t at = lode_clock_ns();

    if (!lode_coins_wants_flush(chain->coins) && at - chain->flushed_at_ns < chain->flush_interval_ns)
        return lode_ok();
    LODE_TRY(lode_pipeline_drain(p));
    at = lode_clock_ns();
    LODE_TRY(lode_chain_flush(chain, false));
    p->result->times.flush_wall += lode_clock_ns() - at;
    return lode_ok();
}
