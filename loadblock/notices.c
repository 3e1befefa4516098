/* loadblock/notices.c: what an import tells while it runs and when it ends.
 *
 * Room:     sentences and numbers for whoever asked; nothing is decided here.
 * Threads:  the chain's.
 */
#include <stdarg.h>
#include <stdio.h>

#include "loadblock/run.h"

static const uint64_t tick_ns = 200000000;

void lode_run_notice(lode_run_state *run, const char *format, ...)
{
    char line[512];
    va_list args;
    if (!run->options->on_notice)
        return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    run->options->on_notice(run->options->context, line);
}

void lode_run_report_damage(lode_run_state *run, const lode_work *w, const char *reason)
{
    if (!w->input)
        return;
    if (run->damage_count < LODE_DAMAGE_MAX) {
        lode_damage *d = &run->damage[run->damage_count++];
        d->hash = w->hash;
        d->input = w->input;
        d->offset = w->offset;
        snprintf(d->reason, sizeof d->reason, "%s", reason);
    }
    lode_run_notice(run, "%s at %llu: a record of %u bytes is not a whole block: %s", w->input->path, (unsigned long long)w->offset,
                    w->frame_size, reason);
}

void lode_run_on_rejection(void *context, const lode_work *w, const lode_verdict *verdict, const char *detail)
{
    lode_run_state *run = context;
    char text[128];
    lode_rejection r = { .size = sizeof r };

    if (!run->options->on_rejection)
        return;
    if (w->input) {
        r.file = w->input->path;
        r.offset = w->offset;
    }
    lode_hash_to_hex(r.hash, w->block.hash.bytes);
    r.height = -1;
    if (w->entry) {
        r.height = w->entry->node.height;
    } else if (w->is_block) {
        const lode_entry *prev = lode_block_index_find(run->chain->index, &w->block.header.prev);
        if (prev)
            r.height = prev->node.height + 1;
    }
    r.reason = lode_verdict_text(text, sizeof text, verdict);
    r.detail = detail;
    run->options->on_rejection(run->options->context, &r);
}

/* What is read but still on its way does not count as done. */
static double fraction_done(const lode_run_state *run, const lode_progress *p, uint64_t on_its_way)
{
    const lode_entry *tip = run->chain->tip, *best;
    if (run->phase == LODE_PHASE_IMPORTING && p->bytes_total)
        return (double)(p->bytes_read > on_its_way ? p->bytes_read - on_its_way : 0) / (double)p->bytes_total;
    best = lode_block_index_best_candidate(run->chain->index);
    if (run->phase == LODE_PHASE_CONNECTING && best && best->chain_tx_count)
        return (double)tip->chain_tx_count / (double)best->chain_tx_count;
    if (run->phase == LODE_PHASE_INDEXING && run->chain->txindex_at && tip->chain_tx_count)
        return (double)run->chain->txindex_at->chain_tx_count / (double)tip->chain_tx_count;
    return run->phase == LODE_PHASE_DONE ? 1.0 : 0.0;
}

void lode_run_tell_progress(lode_run_state *run, lode_phase phase)
{
    lode_progress p = { .size = sizeof p };
    lode_scan_counts counts = { 0 };
    lode_coins_stats coins;

    run->phase = phase;
    run->ticked_ns = lode_clock_ns();
    if (!run->options->on_progress)
        return;
    if (run->scan)
        lode_scan_get_counts(run->scan, &counts);
    lode_coins_get_stats(run->chain->coins, &coins);
    p.phase = phase;
    p.height = run->chain->tip ? run->chain->tip->node.height : 0;
    p.block_time = run->chain->tip ? run->chain->tip->node.header.time : 0;
    p.blocks = run->pipeline.blocks;
    p.transactions = run->pipeline.transactions;
    p.inputs = run->pipeline.inputs;
    p.bytes_read = counts.bytes_read;
    p.bytes_total = run->inputs.total_bytes;
    p.cache_bytes = coins.active_bytes + coins.frozen_bytes;
    p.cache_limit_bytes = run->chain->options.cache_bytes;
    p.coins_cached = coins.coins_cached;
    p.elapsed_ns = run->ticked_ns - run->started_ns;
    p.file = counts.reading ? counts.reading->path : NULL;
    p.fraction = fraction_done(run, &p, counts.bytes_queued + run->pipeline.in_flight_bytes);
    run->options->on_progress(run->options->context, &p);
}

void lode_run_on_tick(void *context)
{
    lode_run_state *run = context;
    if (lode_clock_ns() - run->ticked_ns >= tick_ns)
        lode_run_tell_progress(run, run->phase);
}

/* ---- what waits at the end ---- */

static const lode_damage *find_damage(const lode_run_state *run, const lode_block_hash *hash)
{
    for (size_t i = 0; i < run->damage_count; i++)
        if (lode_block_hash_is_equal(&run->damage[i].hash, hash))
            return &run->damage[i];
    return NULL;
}

typedef struct waiting_report {
    lode_run_state *run;
    uint64_t unlinked;
    const lode_entry *first_missing; /* the lowest block without data that others stand on */
} waiting_report;

static bool look_at_entry(void *context, lode_entry *e)
{
    waiting_report *r = context;
    const lode_entry *at = e;
    if (!(e->status & LODE_BLOCK_HAVE_DATA) || e->chain_tx_count || (e->status & LODE_BLOCK_FAILED_VALID))
        return true;
    r->unlinked++;
    if (r->first_missing && r->first_missing->node.height <= e->node.height && r->unlinked > 1)
        return true; /* higher up: its hole is not lower than the one found */
    while (at && (at->status & LODE_BLOCK_HAVE_DATA))
        at = lode_entry_prev(at);
    if (at && (!r->first_missing || at->node.height < r->first_missing->node.height))
        r->first_missing = at;
    return true;
}

static void tell_missing(lode_run_state *run, uint64_t count, const lode_block_hash *hash, int32_t height, uint64_t others)
{
    const lode_damage *d = find_damage(run, hash);
    char hex[65], place[32] = "", more[48] = "";

    lode_hash_to_hex(hex, hash->bytes);
    if (height >= 0)
        snprintf(place, sizeof place, " at height %d", height);
    if (others)
        snprintf(more, sizeof more, "; %llu others are missing, too", (unsigned long long)others);
    if (d)
        lode_run_notice(run, "%llu blocks wait for block %s%s, which is damaged: %s at %llu: %s%s", (unsigned long long)count, hex, place,
                        d->input->path, (unsigned long long)d->offset, d->reason, more);
    else
        lode_run_notice(run, "%llu blocks wait for block %s%s, which is not in the input%s", (unsigned long long)count, hex, place, more);
}

static void tell_barren(lode_run_state *run, const lode_input *input)
{
    if (run->options->xor_key)
        lode_run_notice(run, "%s: no block found: not of this chain, or the key named does not fit", input->path);
    else if (input->has_key)
        lode_run_notice(run, "%s: no block found: not of this chain, or the key beside it (xor.dat) does not fit", input->path);
    else
        lode_run_notice(run, "%s: no block found: not of this chain, or not plain and no key (xor.dat) beside it", input->path);
}

lode_status lode_run_report_waiting(lode_run_state *run)
{
    waiting_report r = { .run = run };
    lode_scan_gaps gaps = { 0 };

    for (size_t i = 0; run->scan && i < run->inputs.count; i++)
        if (lode_scan_found_nothing(run->scan, i))
            tell_barren(run, &run->inputs.items[i]);
    lode_block_index_visit(run->chain->index, &r, look_at_entry);
    if (run->scan)
        LODE_TRY(lode_scan_find_gaps(run->scan, &gaps));
    run->result->blocks_waiting = r.unlinked + gaps.blocks;
    run->result->files_missing = run->inputs.missing_count;
    if (r.unlinked && r.first_missing)
        tell_missing(run, r.unlinked, &r.first_missing->node.hash, r.first_missing->node.height, 0);
    if (gaps.parents) {
        const lode_entry *known = lode_block_index_find(run->chain->index, &gaps.first);
        tell_missing(run, gaps.blocks, &gaps.first, known ? known->node.height : -1, gaps.parents - 1);
    }
    for (size_t at = 0; at < run->inputs.missing.len;) {
        const char *name = (const char *)run->inputs.missing.data + at;
        const char *end = memchr(name, '\n', run->inputs.missing.len - at);
        size_t len = end ? (size_t)(end - name) : run->inputs.missing.len - at;
        lode_run_notice(run, "missing: %.*s", (int)len, name);
        at += len + 1;
    }
    return lode_ok();
}
