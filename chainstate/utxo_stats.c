/* chainstate/utxo_stats.c: totals and hashes over the whole coin set.
 *
 * Room:     walks the coins on disk, cut by the first byte of the txid, so that no transaction stands in two cuts.
 * Touches:  the coins database, reading.
 * Threads:  workers take cuts one after another and sum on their own; the ordered hash has a thread to itself.
 */
#include "chainstate/utxo_stats.h"

#include <stdlib.h>

#include "chainstate/coin_sum.h"
#include "support/thread.h"

enum { CUT_COUNT = 256, THREADS_MAX = 64, CHECK_EVERY = 1024 };

typedef struct walk_shared {
    lode_coins *coins;
    const volatile int *interrupted;
    int next_cut; /* atomic */
    int stop;     /* atomic; one worker's failure ends the others */
} walk_shared;

/* What one thread sums up. */
typedef struct walker {
    walk_shared *shared;
    lode_thread thread;
    bool takes_all; /* the ordered hash: the whole set in one walk */
    lode_status status;
    lode_coin_sum sum;
} walker;

static bool is_asked_to_stop(const walk_shared *shared)
{
    return (shared->interrupted && *shared->interrupted) || __atomic_load_n(&shared->stop, __ATOMIC_RELAXED);
}

/* All coins whose txid begins with a byte in [first, end). */
static lode_status walk_cut(walker *w, unsigned first, unsigned end)
{
    uint8_t from[32] = { (uint8_t)first };
    lode_coins_cursor *cursor = NULL;
    uint64_t seen = 0;
    lode_status s = lode_coins_cursor_open(&cursor, w->shared->coins, from);

    while (!lode_failed(s)) {
        uint8_t prevout[36];
        lode_coin_view view;
        bool found = false;

        if (seen++ % CHECK_EVERY == 0 && is_asked_to_stop(w->shared)) {
            s = lode_fail(LODE_CANCELLED, "interrupted while walking the coin set");
            break;
        }
        s = lode_coins_cursor_next(cursor, &found, prevout, &view);
        if (lode_failed(s) || !found || prevout[0] >= end)
            break;
        s = lode_coin_sum_add(&w->sum, prevout, &view);
    }
    if (!lode_failed(s))
        lode_coin_sum_end_tx(&w->sum); /* no transaction stands in two cuts */
    lode_coins_cursor_close(cursor);
    return s;
}

static void *run_walker(void *context)
{
    walker *w = context;

    if (w->takes_all) {
        w->status = walk_cut(w, 0, CUT_COUNT);
    } else {
        int cut;
        while (!lode_failed(w->status) &&
               (cut = __atomic_fetch_add(&w->shared->next_cut, 1, __ATOMIC_RELAXED)) < CUT_COUNT)
            w->status = walk_cut(w, (unsigned)cut, (unsigned)cut + 1);
    }
    if (lode_failed(w->status))
        __atomic_store_n(&w->shared->stop, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* Its own error first: those of the others may only say that they were told to stop. */
static lode_status first_error(const walker *walkers, int count)
{
    lode_status s = lode_ok();

    for (int i = 0; i < count; i++)
        if (lode_failed(walkers[i].status) && (!lode_failed(s) || s.code == LODE_CANCELLED))
            s = walkers[i].status;
    return s;
}

static void init_walker(walker *w, walk_shared *shared, bool takes_all, bool muhash, bool serialized)
{
    *w = (walker){ .shared = shared, .takes_all = takes_all };
    w->status = lode_ok();
    lode_coin_sum_init(&w->sum, muhash, serialized);
}

static lode_status sum_up(lode_utxo_stats *out, walker *walkers, int count)
{
    for (int i = 0; i < count; i++) {
        walker *w = &walkers[i];
        if (w->sum.wants_serialized)
            lode_sha256d_end(&w->sum.serialized, out->hash_serialized_3);
        if (w->takes_all && count > 1)
            continue; /* the others counted the same coins */
        out->txouts += w->sum.txouts;
        out->transactions += w->sum.transactions;
        out->bogosize += w->sum.bogosize;
        if (w->sum.max_height > out->max_height)
            out->max_height = w->sum.max_height;
        if (!lode_amount_add(&out->total, w->sum.total))
            return lode_fail(LODE_CORRUPT, "the coins on disk are worth more than can exist");
        if (i > 0 && w->sum.wants_muhash)
            lode_muhash_combine(&walkers[0].sum.muhash, &w->sum.muhash);
    }
    if (walkers[0].sum.wants_muhash)
        lode_muhash_final(out->muhash, &walkers[0].sum.muhash);
    return lode_ok();
}

static lode_status estimate_disk_size(uint64_t *bytes, lode_coins *coins)
{
    const lode_bytes start = { "C", 1 };
    const lode_bytes limit = { "D", 1 };

    return lode_store_approximate_sizes(lode_coins_store(coins), 1, &start, &limit, bytes);
}

lode_status lode_utxo_stats_compute(lode_utxo_stats *stats, lode_coins *coins, int hashes, int threads,
                                    const volatile int *interrupted)
{
    bool muhash = hashes & LODE_UTXO_MUHASH;
    bool serialized = hashes & LODE_UTXO_HASH_SERIALIZED_3;
    bool is_parallel = threads > 1 && !(serialized && !muhash);
    walk_shared shared = { .coins = coins, .interrupted = interrupted };
    lode_utxo_stats out = { 0 };
    walker *walkers = NULL;
    int count = 0;
    int capacity = threads < 1 ? 2 : threads > THREADS_MAX ? THREADS_MAX + 1 : threads + 1;

    LODE_TRY(lode_coins_best_block(coins, &out.has_best_block, &out.best_block));
    LODE_TRY(estimate_disk_size(&out.disk_size, coins));
    walkers = calloc((size_t)capacity, sizeof *walkers);
    if (!walkers)
        return lode_fail(LODE_NO_MEMORY, "out of memory for %d walkers over the coin set", capacity);
    if (is_parallel) {
        for (; count < capacity - 1; count++)
            init_walker(&walkers[count], &shared, false, muhash, false);
        if (serialized)
            init_walker(&walkers[count++], &shared, true, false, true);
    } else {
        init_walker(&walkers[count++], &shared, true, muhash, serialized);
    }

    for (int i = 1; i < count; i++) {
        lode_status s = lode_thread_start(&walkers[i].thread, "coin-stats", run_walker, &walkers[i]);
        if (lode_failed(s) && walkers[i].takes_all)
            run_walker(
                &walkers[i]); /* no thread to be had: the work is done here; others' cuts are taken by the rest */
    }
    run_walker(&walkers[0]);
    for (int i = 1; i < count; i++)
        lode_thread_join(&walkers[i].thread);

    lode_status s = first_error(walkers, count);
    if (!lode_failed(s))
        s = sum_up(&out, walkers, count);
    if (!lode_failed(s))
        *stats = out;
    for (int i = 0; i < count; i++)
        lode_coin_sum_clear(&walkers[i].sum);
    free(walkers);
    return s;
}
