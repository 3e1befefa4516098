/* loadblock/one.c: work on the chain that is not an import: one block submitted, a block declared invalid or not.
 *
 * Room:     the import's pipeline, set up for one step and taken down again.
 * Threads:  the chain's, and the workers.
 */
#include <stdlib.h>

#include "loadblock/run.h"
#include "loadblock/stored.h"
#include "validate/rules/header.h"

/* What an earlier run left to be done comes first: a flush of Core's, blocks that the transaction index lacks. */
lode_status lode_run_begin_step(lode_run_state *run)
{
    LODE_TRY(lode_run_set_up(run));
    LODE_TRY(lode_chain_replay(run->chain, NULL, NULL));
    LODE_TRY(lode_run_find_txindex_place(run->chain));
    return lode_pipeline_catch_up_txindex(&run->pipeline);
}

/* What a step ends with: an error leaves doubt, a request to stop is told. */
static lode_status end_step(lode_chain *chain, lode_status s)
{
    chain->in_doubt |= lode_failed(s) && s.code != LODE_CANCELLED;
    if (!lode_failed(s) && lode_chain_is_interrupted(chain))
        s = lode_fail(LODE_CANCELLED, "interrupted at height %d; the next call goes on from there", chain->tip->node.height);
    return s;
}

typedef struct one_block {
    lode_run_state run;
    lode_submit_result *result;
    lode_block_hash hash;
} one_block;

static void on_one_rejection(void *context, const lode_work *w, const lode_verdict *verdict, const char *detail)
{
    one_block *one = (one_block *)context;
    if (w->is_block && lode_block_hash_is_equal(&w->block.hash, &one->hash))
        lode_verdict_text(one->result->reason, sizeof one->result->reason, verdict);
}

/* A block that its own bytes condemn leaves no trace, not even its header: whatever may be wrong with the copy, the hash is
 * not branded for it. Known blocks are asked the same. Source: Core's ProcessNewBlock, which imports do not go through. */
static lode_verdict check_alone(const lode_pipeline *p, const lode_work *w)
{
    if (!lode_header_has_work(&w->block.hash, w->block.header.bits, &p->chain->params))
        return lode_verdict_of(LODE_HIGH_HASH);
    return w->facts.verdict;
}

static lode_status submit(one_block *one, lode_work *w)
{
    lode_verdict verdict;
    bool is_new;
    lode_pipeline *p = &one->run.pipeline;
    lode_entry *entry;

    if (lode_failed(w->status)) {
        lode_status failed = w->status;
        lode_work_release(w);
        return failed;
    }
    if (!w->is_block) {
        verdict = lode_verdict_of(LODE_UNDECODABLE);
        lode_verdict_text(one->result->reason, sizeof one->result->reason, &verdict);
        lode_work_release(w);
        return lode_ok();
    }
    one->hash = w->block.hash;
    lode_hash_to_hex(one->result->hash, w->block.hash.bytes);
    lode_status s = lode_ok();
    verdict = check_alone(p, w);
    if (verdict.reject == LODE_VALID)
        s = lode_pipeline_accept(p, &verdict, &is_new, w);
    if (lode_failed(s) || verdict.reject != LODE_VALID) {
        if (!lode_failed(s))
            lode_verdict_text(one->result->reason, sizeof one->result->reason, &verdict);
        lode_work_release(w);
        return s;
    }
    entry = w->entry;
    LODE_TRY(lode_pipeline_activate(p, w));
    LODE_TRY(lode_pipeline_complete(p));
    one->result->accepted = !(entry->status & LODE_BLOCK_FAILED_VALID);
    one->result->in_best_chain = lode_chain_contains(p->chain, entry);
    if (!one->result->accepted && !one->result->reason[0]) { /* one that it stands on was found bad */
        verdict = lode_verdict_of(LODE_BAD_PREVBLK);
        lode_verdict_text(one->result->reason, sizeof one->result->reason, &verdict);
    }
    return lode_pipeline_maybe_flush(p);
}

lode_status lode_import_one(lode_chain *chain, lode_submit_result *result, const void *raw, size_t len)
{
    one_block *one = calloc(1, sizeof *one);
    lode_import_options options = { .size = sizeof options };
    lode_import_result counts = { .size = sizeof counts };
    lode_work *w;
    lode_status s;

    if (!one)
        return lode_fail(LODE_NO_MEMORY, "no memory for a block");
    *result = (lode_submit_result){ .size = sizeof *result };
    one->result = result;
    one->run.chain = chain;
    one->run.options = &options;
    one->run.result = &counts;
    s = lode_run_begin_step(&one->run);
    one->run.pipeline.on_rejection = on_one_rejection;
    one->run.pipeline.on_tick = NULL;
    one->run.pipeline.context = one;
    w = lode_failed(s) ? NULL : lode_work_take(&one->run.shop, LODE_WORK_BLOCK);
    if (!lode_failed(s) && !w)
        s = lode_fail(LODE_NO_MEMORY, "no memory for a block");
    if (!lode_failed(s)) {
        w->raw = len ? raw : (const uint8_t *)"";
        w->available = w->frame_size = len > UINT32_MAX ? UINT32_MAX : (uint32_t)len;
        lode_work_parse_now(w);
        s = end_step(chain, submit(one, w));
    }
    lode_run_take_down(&one->run);
    free(one);
    return s;
}

/* ---- what the operator says of a block ---- */

typedef lode_status (*step_function)(lode_run_state *run, lode_entry *entry);

static lode_status with_pipeline(lode_chain *chain, step_function step, lode_entry *entry)
{
    lode_run_state *run = calloc(1, sizeof *run);
    lode_import_options options = { .size = sizeof options };
    lode_import_result counts = { .size = sizeof counts };
    lode_status s;

    if (!run)
        return lode_fail(LODE_NO_MEMORY, "no memory to change the chain");
    run->chain = chain;
    run->options = &options;
    run->result = &counts;
    s = lode_run_begin_step(run);
    if (!lode_failed(s))
        s = step(run, entry);
    if (!lode_failed(s))
        s = lode_pipeline_complete(&run->pipeline);
    if (!lode_failed(s))
        s = lode_chain_flush(chain, true);
    s = end_step(chain, s);
    lode_run_take_down(run);
    free(run);
    return s;
}

static lode_status step_invalidate(lode_run_state *run, lode_entry *entry)
{
    while (lode_chain_contains(run->chain, entry)) {
        if (lode_chain_is_interrupted(run->chain))
            return lode_fail(LODE_CANCELLED, "interrupted at height %d; the block was not invalidated", run->chain->tip->node.height);
        LODE_TRY(lode_pipeline_disconnect_tip(&run->pipeline));
        LODE_TRY(lode_pipeline_maybe_flush(&run->pipeline));
    }
    lode_block_index_mark_failed(run->chain->index, entry);
    return lode_ok();
}

lode_status lode_import_invalidate(lode_chain *chain, lode_entry *entry)
{
    if (!entry->node.prev)
        return lode_fail(LODE_INVALID_ARGUMENT, "the genesis block cannot be invalidated");
    return with_pipeline(chain, step_invalidate, entry);
}

static lode_status step_reconsider(lode_run_state *run, lode_entry *entry)
{
    lode_block_index_reconsider(run->chain->index, entry);
    return lode_ok();
}

lode_status lode_import_reconsider(lode_chain *chain, lode_entry *entry)
{
    return with_pipeline(chain, step_reconsider, entry);
}
