/* chainstate/utxo_stats.c: totals and hashes over the whole coin set.
 *
 * Room:     walks the coins on disk, cut by the first byte of the txid, so that no transaction stands in two cuts.
 * Touches:  the coins database, reading.
 * Threads:  workers take cuts one after another and sum on their own; the ordered hash has a thread to itself.
 */
#include "chainstate/utxo_stats.h"

#include <stdlib.h>

#include "primitives/muhash.h"
#include "support/thread.h"

enum { CUT_COUNT = 256, THREADS_MAX = 64, CHECK_EVERY = 1024 };

/* One unspent output of the transaction at hand, its serialised form within the walker's buffer. */
typedef struct coin_form {
    uint32_t index;
    size_t start, len;
} coin_form;

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
    bool wants_muhash, wants_serialized;
    lode_status status;
    uint64_t txouts, transactions, bogosize;
    lode_amount total;
    uint32_t max_height;
    lode_muhash muhash;
    lode_sha256_stream serialized;
    /* the transaction at hand */
    uint8_t txid[32];
    lode_buf bytes;
    lode_buf forms; /* of coin_form */
} walker;

/* Serialised for hashing: outpoint, u32 height * 2 + coinbase, i64 value, CompactSize script. All little endian. */
static lode_status take_coin(walker *w, const uint8_t prevout[36], const lode_coin_view *view)
{
    lode_reader r = lode_reader_of(view->script.data, view->script.len);
    lode_amount value = { (int64_t)lode_amount_decompress(view->compressed_amount) };
    coin_form form = { lode_read_le32(prevout + 32), w->bytes.len, 0 };
    uint8_t scratch[67];
    lode_slice script;

    lode_reader_script(&r, &script, scratch);
    if (!lode_reader_is_done(&r) || !lode_amount_is_money(value) || !lode_amount_add(&w->total, value)) {
        char hex[65];
        lode_hash_to_hex(hex, prevout);
        return lode_fail(LODE_CORRUPT, "the stored coin %s:%u does not decode to a script and an amount of money", hex,
                         form.index);
    }
    w->txouts++;
    if (view->height > w->max_height)
        w->max_height = view->height;
    w->bogosize += 50 + script.len;
    if (!w->wants_muhash && !w->wants_serialized)
        return lode_ok();
    lode_buf_append(&w->bytes, prevout, 36);
    lode_buf_put_le32(&w->bytes, view->height * 2 + view->is_coinbase);
    lode_buf_put_le64(&w->bytes, (uint64_t)value.sat);
    lode_buf_put_compact_size(&w->bytes, script.len);
    lode_buf_append(&w->bytes, script.data, script.len);
    form.len = w->bytes.len - form.start;
    lode_buf_append(&w->forms, &form, sizeof form);
    if (!lode_buf_is_good(&w->bytes) || !lode_buf_is_good(&w->forms))
        return lode_fail(LODE_NO_MEMORY, "out of memory while hashing the coin set");
    return lode_ok();
}

static int compare_forms(const void *a, const void *b)
{
    uint32_t x = ((const coin_form *)a)->index;
    uint32_t y = ((const coin_form *)b)->index;
    return x < y ? -1 : x > y;
}

/* The transaction is whole: hash its outputs by number. (The database's order is that of their VARINTs, which differs
 * above 16,511.) */
static void finish_tx(walker *w)
{
    size_t count = w->forms.len / sizeof(coin_form);
    coin_form *forms = (coin_form *)(void *)w->forms.data;

    if (count > 1)
        qsort(forms, count, sizeof *forms, compare_forms);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *form = w->bytes.data + forms[i].start;
        if (w->wants_serialized)
            lode_sha256_add(&w->serialized, form, forms[i].len);
        if (w->wants_muhash)
            lode_muhash_insert(&w->muhash, form, forms[i].len);
    }
    lode_buf_reset(&w->forms);
    lode_buf_reset(&w->bytes);
}

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
    bool has_tx = false;
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
        if (!has_tx || memcmp(w->txid, prevout, 32) != 0) {
            finish_tx(w);
            memcpy(w->txid, prevout, 32);
            w->transactions++;
            has_tx = true;
        }
        s = take_coin(w, prevout, &view);
    }
    if (!lode_failed(s))
        finish_tx(w);
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
    *w = (walker){ .shared = shared, .takes_all = takes_all, .wants_muhash = muhash, .wants_serialized = serialized };
    w->status = lode_ok();
    lode_muhash_init(&w->muhash);
    lode_sha256_begin(&w->serialized);
}

static lode_status sum_up(lode_utxo_stats *out, walker *walkers, int count)
{
    for (int i = 0; i < count; i++) {
        walker *w = &walkers[i];
        if (w->wants_serialized)
            lode_sha256d_end(&w->serialized, out->hash_serialized_3);
        if (w->takes_all && count > 1)
            continue; /* the others counted the same coins */
        out->txouts += w->txouts;
        out->transactions += w->transactions;
        out->bogosize += w->bogosize;
        if (w->max_height > out->max_height)
            out->max_height = w->max_height;
        if (!lode_amount_add(&out->total, w->total))
            return lode_fail(LODE_CORRUPT, "the coins on disk are worth more than can exist");
        if (i > 0 && w->wants_muhash)
            lode_muhash_combine(&walkers[0].muhash, &w->muhash);
    }
    if (walkers[0].wants_muhash)
        lode_muhash_final(out->muhash, &walkers[0].muhash);
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
    for (int i = 0; i < count; i++) {
        lode_buf_clear(&walkers[i].bytes);
        lode_buf_clear(&walkers[i].forms);
    }
    free(walkers);
    return s;
}
