/* loadblock/handle.c: what becomes of one frame.
 *
 * Room:     the decisions between a parsed frame and the chain: junk, repeat, waiting, refused, accepted.
 * Touches:  nothing by itself: pipeline and scan do.
 * Threads:  the chain's.
 */
#include "loadblock/run.h"

/* Its transactions are the header's: whatever else is wrong, this is a block and not a stray magic. */
static bool body_fits(const lode_work *w)
{
    return w->is_block && w->facts.verdict.reject != LODE_BAD_TXNMRKLROOT && w->facts.verdict.reject != LODE_BAD_TXNS_DUPLICATE;
}

static lode_status search_inside(lode_run_state *run, const lode_work *w)
{
    return w->input ? lode_run_search(run, w, w->offset - 8 + 1, w->offset + w->available) : lode_ok();
}

/* Others may be hidden behind a block that is shorter than its record. */
static lode_status search_behind(lode_run_state *run, const lode_work *w)
{
    uint64_t block_end = w->offset + w->block.size, frame_end = w->offset + w->available;
    return w->input && frame_end > block_end ? lode_run_search(run, w, block_end, frame_end) : lode_ok();
}

static lode_status handle_junk(lode_run_state *run, lode_work *w, bool may_search)
{
    lode_status s = lode_ok();
    run->result->undecodable++;
    lode_run_report_damage(run, w, w->parse_error.what ? w->parse_error.what : "not a block");
    if (may_search)
        s = search_inside(run, w);
    lode_work_release(w);
    return s;
}

/* No other copy of this block, at no other time, will be taken. */
static bool is_final(const lode_verdict *v)
{
    return !v->is_mutated && v->reject != LODE_TIME_TOO_NEW && v->reject != LODE_PREV_BLK_NOT_FOUND && v->reject != LODE_HIGH_HASH;
}

/* The index knows a bad block as a parent, but not one whose header was refused: what stands on that is bad, too. */
static lode_status look_at_parent(lode_run_state *run, const lode_work *w, lode_verdict *verdict)
{
    bool is_new;

    if (verdict->reject == LODE_PREV_BLK_NOT_FOUND && lode_seen_has(&run->refused, &w->block.header.prev))
        *verdict = lode_verdict_of(LODE_BAD_PREVBLK);
    if (!w->entry && is_final(verdict) && !lode_seen_add(&run->refused, &w->block.hash, &is_new))
        return lode_fail(LODE_NO_MEMORY, "no memory for the hash of a block");
    return lode_ok();
}

static lode_status handle_refused(lode_run_state *run, lode_work *w, const lode_verdict *verdict, bool may_search)
{
    lode_status s = lode_ok();

    if (verdict->reject == LODE_PREV_BLK_NOT_FOUND && w->input) {
        if (body_fits(w))
            s = lode_scan_wait(run->scan, w);
        if (!lode_failed(s) && may_search)
            s = search_inside(run, w);
        lode_work_release(w);
        return s;
    }
    if (verdict->reject == LODE_HIGH_HASH && !body_fits(w)) {
        /* bytes that happened to follow a magic */
        if (may_search)
            s = search_inside(run, w);
        lode_work_release(w);
        return s;
    }
    s = lode_pipeline_drain(&run->pipeline); /* refusals are told in one order, however many workers there are */
    if (lode_failed(s)) {
        lode_work_release(w);
        return s;
    }
    run->result->blocks_rejected++;
    if (verdict->is_mutated) {
        char text[96];
        lode_run_report_damage(run, w, lode_verdict_text(text, sizeof text, verdict));
    }
    lode_run_on_rejection(run, w, verdict, "");
    if (may_search)
        s = search_inside(run, w);
    lode_work_release(w);
    return s;
}

lode_status lode_run_handle(lode_run_state *run, lode_work *w, bool may_search)
{
    lode_verdict verdict;
    bool is_new;
    uint64_t at = lode_clock_ns();
    lode_status s = w->status;

    if (w->input && w->input->own_file < 0)
        lode_run_note_own_ends(run);
    if (!lode_failed(s) && !w->is_block)
        return handle_junk(run, w, may_search);
    if (!lode_failed(s))
        s = lode_pipeline_accept(&run->pipeline, &verdict, &is_new, w);
    if (!lode_failed(s) && verdict.reject != LODE_VALID)
        s = look_at_parent(run, w, &verdict);
    run->result->times.accept_wall += lode_clock_ns() - at;
    if (lode_failed(s)) {
        lode_work_release(w);
        return s;
    }
    if (verdict.reject != LODE_VALID)
        return handle_refused(run, w, &verdict, may_search);

    /* only of a block that was taken is every byte known to be its own: a torn record may end in another one, and that
     * end may be a witness, which the merkle root does not cover */
    if (may_search)
        s = is_new ? search_behind(run, w) : search_inside(run, w);
    if (lode_failed(s)) {
        lode_work_release(w);
        return s;
    }
    run->result->blocks_new += is_new;
    run->result->blocks_known += !is_new;
    s = lode_pipeline_activate(&run->pipeline, w);
    return lode_failed(s) ? s : lode_pipeline_maybe_flush(&run->pipeline);
}

lode_status lode_run_handle_repeat(lode_run_state *run, lode_work *w)
{
    const lode_entry *e = lode_block_index_find(run->chain->index, &w->hash);
    if ((e && (e->status & (LODE_BLOCK_HAVE_DATA | LODE_BLOCK_FAILED_VALID))) || lode_seen_has(&run->refused, &w->hash)) {
        run->result->blocks_known++;
        lode_work_release(w);
        return lode_ok();
    }
    lode_work_parse_now(w); /* the first copy was no good */
    return lode_run_handle(run, w, true);
}
