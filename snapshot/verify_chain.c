/* snapshot/verify_chain.c: the last blocks, read again, undone in memory and connected again.
 *
 * Room:     which checks belong to which level, and which of three answers an outcome is.
 * Touches:  block and undo files for reading; an overlay of the coins.
 * Threads:  the chain's; parsing and scripts in the overlay's workers.
 * Promise:  the chain that is verified stays as it is, in memory and on disk.
 */
#include "snapshot/verify_chain.h"

#include <stdio.h>

#include "snapshot/blocks_ahead.h"
#include "snapshot/overlay.h"
#include "support/check.h"

enum { IN_FLIGHT_MAX = 64, IN_FLIGHT_BYTES = 16 << 20 };

typedef struct verifying {
    lode_chain_verdict *verdict;
    lode_chain *chain;   /* as it is */
    lode_chain *overlay; /* as it would be */
    int32_t lowest;      /* height of the last block to look at */
    int32_t undone_to;   /* blocks above this height were undone */
    bool is_full;        /* no memory to undo more */
    lode_buf undo;
    /* connected again, scripts still running, oldest first */
    lode_work *first, *newest;
    uint32_t in_flight;
    uint64_t in_flight_bytes;
} verifying;

static bool has_answer(const verifying *v)
{
    return v->verdict->text[0] != '\0';
}

static void answer(verifying *v, lode_verify_answer what, const lode_entry *e, const char *text)
{
    char hex[65];

    if (has_answer(v))
        return;
    v->verdict->answer = what;
    lode_hash_to_hex(hex, e->node.hash.bytes);
    if (what == LODE_VERIFY_BAD)
        v->verdict->bad_height = e->node.height;
    snprintf(v->verdict->text, sizeof v->verdict->text, "%s at height %d, block %s: %s",
             what == LODE_VERIFY_BAD ? "bad" : "not finished: stopped", e->node.height, hex, text);
}

/* Damage is found; anything else that keeps us from looking says nothing about the block. */
static void answer_error(verifying *v, const lode_entry *e, lode_status s)
{
    answer(v, s.code == LODE_CORRUPT ? LODE_VERIFY_BAD : LODE_VERIFY_UNFINISHED, e, s.text);
}

static bool is_interrupted(verifying *v, const lode_entry *e)
{
    if (!lode_chain_is_interrupted(v->chain))
        return false;
    answer(v, LODE_VERIFY_UNFINISHED, e, "interrupted");
    return true;
}

static void tell_progress(verifying *v, int32_t done)
{
    uint64_t total = (uint64_t)v->verdict->asked * (v->verdict->level >= 4 ? 2 : 1);
    if (v->chain->on_progress)
        v->chain->on_progress(v->chain->progress_context, "verifying blocks", (uint64_t)done, total);
}

/* ---- downwards: levels 0 to 3 ---- */

static void undo_block(verifying *v, const lode_work *w)
{
    bool unclean = false;
    lode_status s;

    if (lode_overlay_is_full(v->overlay)) {
        v->is_full = true;
        return;
    }
    s = lode_chain_disconnect(v->overlay, &unclean, &w->block, lode_buf_slice(&v->undo));
    if (lode_failed(s))
        answer_error(v, w->entry, s);
    else if (unclean)
        answer(v, LODE_VERIFY_BAD, w->entry, "the coins are not those that this block leaves");
    else
        v->undone_to = w->entry->node.height - 1;
}

/* With its place in the chain, where its witnesses are committed to: Core's CheckBlock alone would not see that one was
 * changed on disk. */
static lode_verdict check_by_itself(const verifying *v, const lode_work *w)
{
    if (w->facts.verdict.reject != LODE_VALID)
        return w->facts.verdict;
    return lode_block_check_context(&w->block, &w->facts, w->entry->node.prev, &v->chain->params);
}

static void look_at_block(verifying *v, const lode_work *w)
{
    int level = v->verdict->level;

    if (level >= 1) {
        lode_verdict verdict = check_by_itself(v, w);
        char reason[160];
        if (verdict.reject != LODE_VALID) {
            answer(v, LODE_VERIFY_BAD, w->entry, lode_verdict_text(reason, sizeof reason, &verdict));
            return;
        }
    }
    if (level >= 2) {
        const lode_entry *e = w->entry;
        lode_status s = lode_fail(LODE_MISSING, "its undo data is not stored");
        if (e->status & LODE_BLOCK_HAVE_UNDO)
            s = lode_block_files_read_undo(v->chain->files, &v->undo, e->file, e->undo_pos, &e->node.prev->hash);
        if (lode_failed(s)) {
            answer_error(v, w->entry, s);
            return;
        }
    }
    if (level >= 3 && !v->is_full)
        undo_block(v, w);
}

static void go_down(verifying *v)
{
    int32_t tip = v->chain->tip->node.height;
    lode_blocks_ahead blocks;

    lode_blocks_ahead_init(&blocks, v->overlay, v->chain->active, tip, v->lowest);
    for (int32_t height = tip; height >= v->lowest && !has_answer(v); height--) {
        lode_entry *e = v->chain->active[height];
        lode_work *w;
        lode_status s;

        if (is_interrupted(v, e))
            break;
        s = lode_blocks_ahead_next(&blocks, &w);
        if (lode_failed(s)) {
            answer_error(v, e, s);
            break;
        }
        look_at_block(v, w);
        lode_work_release(w);
        if (!has_answer(v))
            v->verdict->checked = v->verdict->level < 3 ? tip - height + 1 : tip - v->undone_to;
        tell_progress(v, tip - height + 1);
    }
    lode_blocks_ahead_clear(&blocks);
}

/* ---- upwards: level 4 ---- */

static void settle_first(verifying *v, lode_blocks_ahead *blocks)
{
    lode_work *w = v->first;
    lode_verdict verdict = { LODE_VALID };
    lode_status s;

    lode_blocks_ahead_wait_checked(blocks, w);
    v->first = w->next;
    if (!v->first)
        v->newest = NULL;
    v->in_flight--;
    v->in_flight_bytes -= w->block.size;
    s = lode_work_verdict(&verdict, w);
    if (lode_failed(s)) {
        answer_error(v, w->entry, s);
    } else if (verdict.reject != LODE_VALID) {
        char reason[160];
        answer(v, LODE_VERIFY_BAD, w->entry, lode_verdict_text(reason, sizeof reason, &verdict));
    } else if (!has_answer(v)) {
        v->verdict->checked++;
    }
    lode_work_release(w);
}

static void put_in_flight(verifying *v, lode_work *w)
{
    w->next = NULL;
    if (v->newest)
        v->newest->next = w;
    else
        v->first = w;
    v->newest = w;
    v->in_flight++;
    v->in_flight_bytes += w->block.size;
}

/* w is taken. */
static void connect_block(verifying *v, lode_work *w)
{
    lode_verdict verdict = check_by_itself(v, w);
    lode_status s = lode_ok();

    if (verdict.reject == LODE_VALID)
        s = lode_chain_connect(v->overlay, &verdict, &w->connected, w->entry, &w->block, &w->facts, &w->prep,
                               &w->arena);
    if (!lode_failed(s) && verdict.reject == LODE_VALID && lode_chain_script_reason(v->chain, w->entry))
        s = lode_work_submit_checks(w);
    if (!lode_failed(s) && verdict.reject == LODE_VALID) {
        put_in_flight(v, w);
        return;
    }
    if (lode_failed(s)) {
        answer_error(v, w->entry, s);
    } else {
        char reason[160];
        answer(v, LODE_VERIFY_BAD, w->entry, lode_verdict_text(reason, sizeof reason, &verdict));
    }
    lode_work_release(w);
}

static void go_up(verifying *v)
{
    int32_t tip = v->chain->tip->node.height, first = v->undone_to + 1;
    lode_blocks_ahead blocks;

    v->verdict->checked = 0;
    lode_blocks_ahead_init(&blocks, v->overlay, v->chain->active, first, tip);
    for (int32_t height = first; height <= tip && !has_answer(v); height++) {
        lode_entry *e = v->chain->active[height];
        lode_work *w;
        lode_status s;

        if (is_interrupted(v, e))
            break;
        s = lode_blocks_ahead_next(&blocks, &w);
        if (lode_failed(s)) {
            answer_error(v, e, s);
            break;
        }
        connect_block(v, w);
        while (v->first && (v->in_flight > IN_FLIGHT_MAX || v->in_flight_bytes > IN_FLIGHT_BYTES))
            settle_first(v, &blocks);
        tell_progress(v, v->verdict->asked + (height - first) + 1);
    }
    while (v->first)
        settle_first(v, &blocks);
    lode_blocks_ahead_clear(&blocks);
}

/* ---- all of it ---- */

static void conclude(verifying *v)
{
    lode_chain_verdict *out = v->verdict;

    if (has_answer(v))
        return;
    if (v->is_full) {
        out->answer = LODE_VERIFY_UNFINISHED;
        snprintf(
            out->text, sizeof out->text,
            "not finished: coins were checked for the last %d of %d blocks, then the memory for undoing them was full; "
            "a larger -dbcache goes further",
            out->checked, out->asked);
        return;
    }
    out->answer = LODE_VERIFY_GOOD;
    snprintf(out->text, sizeof out->text, "good: the last %d blocks at level %d, down to height %d", out->checked,
             out->level, out->tip_height - out->checked + 1);
}

lode_status lode_chain_verify(lode_chain_verdict *verdict, lode_chain *chain, int level, int32_t blocks)
{
    int32_t tip = chain->tip->node.height;
    verifying v = { .verdict = verdict, .chain = chain, .undone_to = tip, .undo = LODE_BUF_EMPTY };

    *verdict = (lode_chain_verdict){ .level = level < 0   ? 0
                                              : level > 4 ? 4
                                                          : level,
                                     .tip_height = tip,
                                     .bad_height = -1 };
    verdict->asked = blocks <= 0 || blocks > tip ? tip : blocks;
    v.lowest = tip - verdict->asked + 1;
    LODE_TRY(lode_overlay_open(&v.overlay, chain));
    if (verdict->asked > 0)
        go_down(&v);
    if (verdict->level >= 4 && v.undone_to < tip && !has_answer(&v))
        go_up(&v);
    conclude(&v);
    lode_overlay_close(v.overlay);
    lode_buf_clear(&v.undo);
    return lode_ok();
}
