/* loadblock/dry_run.c: what the rules say of a block or a header, with no block stored.
 *
 * Room:     Core's TestBlockValidity, CheckBlock and AcceptBlockHeader.
 * Threads:  the chain's; lode_import_judge_alone any.
 */
#include <stdlib.h>

#include "loadblock/run.h"
#include "support/check.h"
#include "validate/rules/header.h"

static void tell(lode_submit_result *result, const lode_verdict *verdict)
{
    result->accepted = verdict->reject == LODE_VALID;
    if (!result->accepted)
        lode_verdict_text(result->reason, sizeof result->reason, verdict);
}

/* ---- without a place in the chain ---- */

/* A template has no solution yet: neither work nor a signet's signature is asked for. */
static bool examine(lode_block_facts *facts, const lode_block *block, lode_arena *arena, const lode_chain_params *given,
                    bool with_work)
{
    lode_chain_params *params = NULL;
    bool good;

    if (with_work || !given->is_signet)
        return lode_block_examine(facts, block, arena, given);
    params = malloc(sizeof *params);
    if (!params)
        return false;
    *params = *given;
    params->is_signet = false;
    good = lode_block_examine(facts, block, arena, params);
    free(params);
    return good;
}

static lode_status judge(lode_verdict *verdict, lode_block_facts *facts, const lode_block *block, lode_arena *arena,
                         const lode_chain_params *params, bool with_work)
{
    *verdict = lode_verdict_of(LODE_HIGH_HASH);
    if (with_work && !lode_header_has_work(&block->hash, block->header.bits, params))
        return lode_ok();
    if (!examine(facts, block, arena, params, with_work))
        return lode_fail(LODE_NO_MEMORY, "no memory for a block of %u transactions", block->tx_count);
    *verdict = facts->verdict;
    return lode_ok();
}

lode_status lode_import_judge_alone(lode_submit_result *result, const lode_chain_params *params, const void *raw,
                                    size_t len, bool with_work)
{
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_verdict verdict = lode_verdict_of(LODE_UNDECODABLE);
    lode_parse_error error = { NULL, 0 };
    lode_block_facts facts;
    lode_block block;
    lode_status s = lode_ok();

    *result = (lode_submit_result){ .size = sizeof *result };
    if (lode_block_parse(&block, &arena, len ? raw : (const uint8_t *)"", len, LODE_PARSE_ALLOW_TAIL, &error)) {
        lode_hash_to_hex(result->hash, block.hash.bytes);
        s = judge(&verdict, &facts, &block, &arena, params, with_work);
    }
    tell(result, &verdict);
    lode_arena_clear(&arena);
    return s;
}

/* ---- next upon the tip ---- */

static void wait_for_checks(lode_pipeline *p, const lode_work *w)
{
    for (;;) {
        unsigned seen = lode_waiter_look(p->shop->waiter);
        if (lode_work_is_checked(w))
            return;
        lode_pipeline_wait(p, seen);
    }
}

/* Header and body in the place they claim. */
static lode_verdict check_place(const lode_chain *chain, const lode_work *w, bool with_work)
{
    static const lode_block_hash lowest;
    lode_verdict verdict = lode_header_check(&w->block.header, with_work ? &w->block.hash : &lowest, &chain->tip->node,
                                             lode_chain_now(chain), &chain->params);
    if (!with_work && verdict.reject == LODE_HIGH_HASH)
        return lode_verdict_of(LODE_BAD_DIFFBITS); /* bits that are no target */
    if (verdict.reject != LODE_VALID)
        return verdict;
    return lode_block_check_context(&w->block, &w->facts, &chain->tip->node, &chain->params);
}

/* Connected, its scripts run, and taken back. */
static lode_status try_to_connect(lode_pipeline *p, lode_verdict *verdict, lode_work *w)
{
    lode_chain *chain = p->chain;
    lode_entry *entry = calloc(1, sizeof *entry);
    lode_status s, undone;
    bool unclean;

    if (!entry)
        return lode_fail(LODE_NO_MEMORY, "no memory for a block header");
    entry->node.header = w->block.header;
    entry->node.hash = w->block.hash;
    lode_node_link(&entry->node, &chain->tip->node);
    w->entry = entry;
    s = lode_chain_connect(chain, verdict, &w->connected, entry, &w->block, &w->facts, &w->prep, &w->arena);
    if (!lode_failed(s) && verdict->reject == LODE_VALID) {
        if (chain->options.check_scripts)
            s = lode_work_submit_checks(w);
        wait_for_checks(p, w);
        if (!lode_failed(s))
            s = lode_work_verdict(verdict, w);
        undone = lode_chain_disconnect(chain, &unclean, &w->block, lode_buf_slice(&w->connected.undo));
        LODE_CHECK(lode_failed(undone) || !unclean);
        if (lode_failed(undone)) {
            chain->in_doubt = true;
            s = undone;
        }
    }
    w->entry = NULL;
    if (chain->tip != entry)
        free(entry); /* otherwise the chain is in doubt, and stands on it until it is closed */
    return s;
}

static lode_status try_block(lode_run_state *run, lode_submit_result *result, lode_work *w, bool with_work)
{
    lode_verdict verdict = lode_verdict_of(LODE_UNDECODABLE);
    lode_chain *chain = run->chain;

    LODE_TRY(w->status);
    if (!w->is_block) {
        tell(result, &verdict);
        return lode_ok();
    }
    lode_hash_to_hex(result->hash, w->block.hash.bytes);
    if (!lode_block_hash_is_equal(&w->block.header.prev, &chain->tip->node.hash)) {
        memcpy(result->reason, "inconclusive-not-best-prevblk", sizeof "inconclusive-not-best-prevblk");
        return lode_ok();
    }
    LODE_TRY(judge(&verdict, &w->facts, &w->block, &w->arena, &chain->params, with_work));
    if (verdict.reject == LODE_VALID)
        verdict = check_place(chain, w, with_work);
    if (verdict.reject == LODE_VALID)
        LODE_TRY(try_to_connect(&run->pipeline, &verdict, w));
    tell(result, &verdict);
    return lode_ok();
}

lode_status lode_import_try(lode_chain *chain, lode_submit_result *result, const void *raw, size_t len, bool with_work)
{
    lode_import_options options = { .size = sizeof options };
    lode_import_result counts = { .size = sizeof counts };
    lode_run_state *run = calloc(1, sizeof *run);
    lode_work *w = NULL;
    lode_status s;

    if (!run)
        return lode_fail(LODE_NO_MEMORY, "no memory for a block");
    *result = (lode_submit_result){ .size = sizeof *result };
    run->chain = chain;
    run->options = &options;
    run->result = &counts;
    s = lode_run_begin_step(run);
    run->pipeline.on_tick = NULL;
    if (!lode_failed(s) && !(w = lode_work_take(&run->shop, LODE_WORK_BLOCK)))
        s = lode_fail(LODE_NO_MEMORY, "no memory for a block");
    if (!lode_failed(s)) {
        w->raw = len ? raw : (const uint8_t *)"";
        w->available = w->frame_size = len > UINT32_MAX ? UINT32_MAX : (uint32_t)len;
        lode_work_parse_now(w);
        s = try_block(run, result, w, with_work);
    }
    lode_work_release(w);
    lode_run_take_down(run);
    free(run);
    return s;
}

/* ---- a header alone ---- */

lode_status lode_import_header(lode_chain *chain, lode_submit_result *result, const uint8_t raw[LODE_HEADER_SIZE])
{
    lode_verdict verdict;
    lode_block_hash hash;
    lode_header header;
    lode_entry *entry;

    *result = (lode_submit_result){ .size = sizeof *result };
    lode_header_parse(&header, raw);
    lode_sha256d(hash.bytes, raw, LODE_HEADER_SIZE);
    lode_hash_to_hex(result->hash, hash.bytes);
    LODE_TRY(lode_chain_accept_header(chain, &verdict, &entry, &header, &hash));
    tell(result, &verdict);
    result->in_best_chain = result->accepted && lode_chain_contains(chain, entry);
    return lode_ok();
}
