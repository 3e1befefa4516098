/* loadblock/import.c: one import from start to end.
 *
 * Room:     sets up, runs the loop that takes what the scan found in order, flushes, tells.
 * Touches:  everything, through its parts.
 * Threads:  the caller's is the chain's thread; the scan and the workers are started and ended here.
 */
#include "loadblock/import.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "loadblock/run.h"
#include "loadblock/stored.h"
#include "support/check.h"

enum { CHUNK_BYTES = 8 << 20, INPUT_BUDGET = 40 << 20 };

lode_status lode_run_set_up(lode_run_state *run)
{
    LODE_TRY(lode_chunk_pool_create(&run->chunks, CHUNK_BYTES, INPUT_BUDGET));
    lode_workshop_init(&run->shop, run->chain, run->chunks);
    lode_pipeline_init(&run->pipeline, &run->shop, run->result);
    run->pipeline.context = run;
    run->pipeline.on_rejection = lode_run_on_rejection;
    run->pipeline.on_tick = lode_run_on_tick;
    return lode_ok();
}

void lode_run_take_down(lode_run_state *run)
{
    lode_pipeline_abandon(&run->pipeline);
    lode_scan_stop(run->scan);
    run->scan = NULL;
    lode_seen_clear(&run->refused);
    if (run->chunks) {
        lode_workshop_clear(&run->shop);
        lode_chunk_pool_destroy(run->chunks);
    }
}

/* With -reindex our own block files are the first input, where they stand. */
static lode_status collect_own_files(lode_run_state *run)
{
    const char *path = run->chain->directory->blocks;
    lode_status s = lode_inputs_collect(&run->inputs, run->chain->env, &path, 1, lode_block_files_xor_key(run->chain->files));
    if (s.code == LODE_MISSING && run->options->path_count)
        return lode_ok();
    if (s.code == LODE_MISSING)
        return lode_fail_within(s, "-reindex");
    LODE_TRY(s);
    for (size_t i = 0; i < run->inputs.count; i++)
        run->inputs.items[i].own_file = (int32_t)run->inputs.items[i].number;
    return lode_ok();
}

static lode_status collect_inputs(lode_run_state *run)
{
    const lode_import_options *o = run->options;
    lode_inputs given;
    uint8_t key[8];

    if (o->xor_key && !lode_hex_decode(key, sizeof key, o->xor_key))
        return lode_fail(LODE_INVALID_ARGUMENT, "-blocksxorkey=%s: a key is 16 hexadecimal digits", o->xor_key);
    if (lode_block_index_is_reindexing(run->chain->index))
        LODE_TRY(collect_own_files(run));
    if (!o->path_count)
        return lode_ok();
    LODE_TRY(lode_inputs_collect(&given, run->chain->env, o->paths, o->path_count, o->xor_key ? key : NULL));
    return lode_inputs_append(&run->inputs, &given);
}

void lode_run_note_own_ends(lode_run_state *run)
{
    for (size_t i = 0; i < run->inputs.count && !run->own_ends_are_noted; i++) {
        const lode_input *input = &run->inputs.items[i];
        uint64_t end = lode_scan_frames_end(run->scan, input);
        if (input->own_file >= 0 && end > 0 && end <= UINT32_MAX)
            lode_block_files_note_end(run->chain->files, input->own_file, (uint32_t)end);
    }
    run->own_ends_are_noted = true;
}

static lode_status take_one(lode_run_state *run, lode_work *w)
{
    unsigned seen = lode_waiter_look(run->chain->waiter);
    if (w->kind == LODE_WORK_REPEAT) {
        lode_scan_pop(run->scan);
        run->result->blocks_read++;
        return lode_run_handle_repeat(run, w);
    }
    if (!lode_work_is_parsed(w)) {
        uint64_t at = lode_clock_ns();
        lode_pipeline_wait(&run->pipeline, seen);
        run->result->times.idle_wall += lode_clock_ns() - at;
        return lode_ok();
    }
    lode_scan_pop(run->scan);
    run->result->blocks_read++;
    return lode_run_handle(run, w, true);
}

/* All input is read and taken. *done when nothing more can come of it. */
static lode_status at_end(lode_run_state *run, bool *done)
{
    size_t released;
    bool found;

    LODE_TRY(lode_scan_release(run->scan, &released));
    if (released)
        return lode_ok();
    LODE_TRY(lode_run_search_waiting(run, &found));
    *done = !found;
    return lode_ok();
}

static lode_status scan_all(lode_run_state *run)
{
    bool done = false;

    LODE_TRY(lode_scan_start(&run->scan, &run->shop, &run->inputs));
    lode_run_tell_progress(run, LODE_PHASE_IMPORTING);
    while (!done && !run->pipeline.stopped && !lode_chain_is_interrupted(run->chain)) {
        unsigned seen = lode_waiter_look(run->chain->waiter);
        lode_work *w;
        switch (lode_scan_peek(run->scan, &w)) {
        case LODE_SCAN_WORK:
            LODE_TRY(take_one(run, w));
            break;
        case LODE_SCAN_BUSY:
            lode_pipeline_wait(&run->pipeline, seen);
            break;
        case LODE_SCAN_AT_END:
            LODE_TRY(at_end(run, &done));
            break;
        case LODE_SCAN_FAILED:
            return lode_scan_status(run->scan);
        }
        LODE_TRY(lode_pipeline_settle(&run->pipeline));
        if (lode_block_index_best_candidate(run->chain->index) != run->chain->tip)
            LODE_TRY(lode_pipeline_activate(&run->pipeline, NULL)); /* a check failed: another branch may be best now */
        lode_run_on_tick(run);
    }
    lode_run_note_own_ends(run);
    return lode_ok();
}

static lode_status flush_all(lode_run_state *run)
{
    uint64_t at = lode_clock_ns();
    lode_status s;
    lode_run_tell_progress(run, LODE_PHASE_FLUSHING);
    s = lode_chain_flush(run->chain, true);
    run->result->times.flush_wall += lode_clock_ns() - at;
    return s;
}

static lode_status settle_txindex(lode_run_state *run)
{
    if (!run->chain->txindex || lode_chain_is_interrupted(run->chain))
        return lode_ok();
    lode_run_tell_progress(run, LODE_PHASE_INDEXING);
    LODE_TRY(lode_pipeline_catch_up_txindex(&run->pipeline));
    LODE_TRY(lode_chain_flush(run->chain, true));
    return lode_txindex_settle(run->chain->txindex, &run->chain->interrupted);
}

/* Where the transaction index stands: its best block, or where that branch left our chain. */
lode_status lode_run_find_txindex_place(lode_chain *chain)
{
    lode_block_hash first;
    bool found;
    lode_entry *e;

    if (!chain->txindex || chain->txindex_at)
        return lode_ok();
    LODE_TRY(lode_txindex_best(chain->txindex, &found, &first, NULL));
    e = found ? lode_block_index_find(chain->index, &first) : NULL;
    if (!e)
        e = lode_block_index_genesis(chain->index); /* a block we never heard of: begin again, which is harmless */
    chain->txindex_at = lode_entry_of(lode_node_fork(&e->node, &chain->tip->node));
    return lode_ok();
}

static void on_replay(void *context, int32_t height, int32_t target)
{
    lode_run_state *run = context;
    run->phase = LODE_PHASE_REPLAYING;
    lode_run_on_tick(run);
}

static lode_status run_all(lode_run_state *run)
{
    lode_chain *chain = run->chain;

    LODE_TRY(lode_chain_replay(chain, run, on_replay));
    LODE_TRY(lode_run_find_txindex_place(chain));
    if (run->options->txindex_only)
        return settle_txindex(run);
    run->pipeline.stopped = run->pipeline.stop_at_height && chain->tip->node.height >= run->pipeline.stop_at_height;
    /* blocks stored in an earlier run and not connected come first */
    lode_run_tell_progress(run, LODE_PHASE_CONNECTING);
    if (!lode_block_index_is_reindexing(chain->index))
        LODE_TRY(lode_pipeline_activate(&run->pipeline, NULL));
    if (run->inputs.count && !run->pipeline.stopped && !lode_chain_is_interrupted(chain))
        LODE_TRY(scan_all(run));
    if (!run->pipeline.stopped && !lode_chain_is_interrupted(chain))
        LODE_TRY(lode_chain_store_genesis(chain)); /* -reindex, and it was in none of our files */
    LODE_TRY(lode_pipeline_complete(&run->pipeline));
    if (lode_block_index_is_reindexing(chain->index) && !run->pipeline.stopped && !lode_chain_is_interrupted(chain))
        lode_block_index_set_reindexing(chain->index, false);
    LODE_TRY(flush_all(run));
    LODE_TRY(settle_txindex(run));
    return lode_run_report_waiting(run);
}

static void fill_result(lode_run_state *run)
{
    lode_import_result *r = run->result;
    lode_chain *chain = run->chain;
    struct rusage usage;
    lode_scan_counts counts = { 0 };
    lode_coins_stats coins;

    if (run->scan)
        lode_scan_get_counts(run->scan, &counts);
    r->bytes_read = counts.bytes_read;
    r->bytes_skipped = counts.bytes_skipped;
    r->times.read_wall = counts.read_ns;
    r->times.parse_cpu = __atomic_load_n(&run->shop.parse_ns, __ATOMIC_RELAXED);
    r->times.fetch_cpu = __atomic_load_n(&run->shop.fetch_ns, __ATOMIC_RELAXED);
    r->times.parse_cpu -= r->times.fetch_cpu < r->times.parse_cpu ? r->times.fetch_cpu : r->times.parse_cpu;
    r->times.script_cpu = __atomic_load_n(&run->shop.script_ns, __ATOMIC_RELAXED);
    r->scripts_checked = __atomic_load_n(&run->shop.scripts_checked, __ATOMIC_RELAXED);
    r->transactions = run->pipeline.transactions;
    r->inputs = run->pipeline.inputs;
    r->blocks_connected = run->pipeline.blocks;
    lode_coins_get_stats(chain->coins, &coins);
    r->coins_cached = coins.coins_cached;
    r->coins_cache_bytes = coins.active_bytes + coins.frozen_bytes;
    r->times.flush_wait_wall = coins.flush_wait_ns;
    r->height = chain->tip ? chain->tip->node.height : 0;
    if (chain->tip)
        lode_hash_to_hex(r->best_block, chain->tip->node.hash.bytes);
    r->elapsed_ns = lode_clock_ns() - run->started_ns;
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        r->cpu_ns = ((uint64_t)usage.ru_utime.tv_sec + (uint64_t)usage.ru_stime.tv_sec) * 1000000000u +
                    ((uint64_t)usage.ru_utime.tv_usec + (uint64_t)usage.ru_stime.tv_usec) * 1000u;
        r->peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
    }
}

lode_status lode_import_run(lode_chain *chain, const lode_import_options *options, int32_t stop_at_height, lode_import_result *result)
{
    lode_run_state *run = calloc(1, sizeof *run);
    lode_status s;

    if (!run)
        return lode_fail(LODE_NO_MEMORY, "no memory for an import");
    *result = (lode_import_result){ .size = sizeof *result };
    run->chain = chain;
    run->options = options;
    run->result = result;
    run->started_ns = lode_clock_ns();
    s = collect_inputs(run);
    if (!lode_failed(s))
        s = lode_run_set_up(run);
    if (!lode_failed(s)) {
        run->pipeline.stop_at_height = stop_at_height;
        s = run_all(run);
        chain->in_doubt |= lode_failed(s) && s.code != LODE_CANCELLED;
    }
    if (!lode_failed(s) && lode_chain_is_interrupted(chain))
        s = lode_fail(LODE_CANCELLED, "interrupted at height %d; the next run goes on from there", chain->tip->node.height);
    fill_result(run);
    if (!lode_failed(s))
        lode_run_tell_progress(run, LODE_PHASE_DONE);
    lode_run_take_down(run);
    lode_inputs_clear(&run->inputs);
    free(run);
    return s;
}
