/* bench/coins_growth.c: how fast are coins spent and made as the set grows, with the cache fixed?
 *
 * A set of coins alone, without blocks: transactions of two P2WPKH outputs that spend one coin until the set is as
 * large as asked, then two. Coins are announced and read ahead by workers, eight blocks of 2,500 transactions in
 * advance, as connecting blocks does; flushes and compactions fall where they fall. At each size, in turns: `old`
 * spends are drawn over the whole set, the worst there is; `young` ones nine times in ten from the youngest 50,000
 * coins, as most real ones are. The floor beside it: one random read of 4 KiB of the database's files per spend that
 * missed the cache would be 1 read/input.
 *
 *     coins_growth [largest size in millions of coins, default 10] [cache in MiB, default 64] [threads, default all]
 *
 * A line has inputs per second as minimum, median and maximum over ten pieces of a window as long as a tenth of the
 * set, at least 200,000 inputs; processor time of all threads and database reads of the chain's thread per input; write
 * amplification since the start (bytes the store wrote per byte put in); how long flushes were waited for; the longest
 * that one block of 2,500 transactions took, and how much of that was work of the thread; the longest that beginning a
 * flush took; the peak of resident memory, mapped tables included.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench/chain/random.h"
#include "bench/common/report.h"
#include "chainstate/coins.h"
#include "support/pool.h"
#include "support/thread.h"

enum { TXS = 2500, AHEAD = 24, BLOCKS_AHEAD = 8, PIECES = 10, YOUNG = 50000, SPENDS_MAX = 2 };

static const char directory[] = "coins_growth.tmp";

static void must(lode_status s)
{
    if (lode_failed(s)) {
        fprintf(stderr, "coins_growth: %s\n", s.text);
        exit(1);
    }
}

/* ---- which coins there are: coin 2 t + i is output i of transaction t ---- */

typedef struct growth {
    lode_coins *coins;
    lode_pool *pool;
    lode_random random;
    uint8_t *spent; /* a bit per coin */
    uint64_t made;  /* coins, spent or not; of blocks that are planned */
    uint64_t room;  /* coins that `spent` has bits for */
    uint64_t txs;
    uint32_t height;
} growth;

static bool is_spent(const growth *g, uint64_t coin)
{
    return g->spent[coin / 8] >> coin % 8 & 1;
}

/* An unspent coin among the youngest `among`, marked spent. */
static uint64_t take_coin(growth *g, uint64_t among)
{
    uint64_t coin;

    do {
        coin = g->made - 1 - lode_random_next(&g->random) % (among < g->made ? among : g->made);
    } while (is_spent(g, coin));
    g->spent[coin / 8] |= (uint8_t)(1 << coin % 8);
    return coin;
}

static void make_txid(uint8_t txid[32], uint64_t tx)
{
    for (uint64_t i = 0; i < 4; i++)
        lode_write_le64(txid + 8 * i, lode_mix64(tx * 4 + i));
}

/* ---- a block ---- */

typedef struct block {
    lode_task task;
    growth *g;
    int ready; /* atomic */
    uint64_t first_tx;
    uint32_t spends; /* of each transaction */
    uint64_t spent[TXS * SPENDS_MAX];
    /* made by a worker */
    lode_arena arena;
    uint8_t prevouts[TXS * SPENDS_MAX][36], txids[TXS][32];
    const uint8_t *pointers[TXS * SPENDS_MAX];
    uint64_t prevout_hashes[TXS * SPENDS_MAX], hashes[TXS];
    lode_fetched fetched[TXS * SPENDS_MAX];
    lode_packed_tx packed[TXS];
} block;

static void plan_block(block *b, growth *g, uint32_t spends, bool is_young)
{
    *b = (block){ .g = g, .first_tx = g->txs, .spends = spends, .arena = b->arena };
    for (uint32_t i = 0; i < TXS * spends; i++)
        b->spent[i] = take_coin(g, is_young && i % 10 ? YOUNG : UINT64_MAX);
    g->txs += TXS;
    g->made += 2 * TXS;
    if (g->made + 2 * TXS > g->room) {
        fprintf(stderr, "coins_growth: more coins than there is room for\n");
        exit(1);
    }
}

static void pack_outputs(block *b, uint32_t i)
{
    uint8_t scripts[2][22] = { { 0, 20 }, { 0, 20 } };
    lode_txout outputs[2];
    lode_tx tx = { .outputs = outputs, .output_count = 2 };

    for (uint32_t o = 0; o < 2; o++) {
        memcpy(scripts[o] + 2, b->txids[i] + 3 + 6 * o, 20);
        outputs[o] = (lode_txout){ { (int64_t)(lode_read_le32(b->txids[i] + o) % 1000000000) }, scripts[o], 22 };
    }
    if (!lode_coins_pack(&b->packed[i], &tx, &b->arena))
        must(lode_fail(LODE_NO_MEMORY, "no memory for outputs"));
}

static void prepare_block(lode_task *task)
{
    block *b = (block *)task;
    uint32_t spends = TXS * b->spends;

    lode_arena_reset(&b->arena);
    for (uint32_t i = 0; i < TXS; i++) {
        make_txid(b->txids[i], b->first_tx + i);
        b->hashes[i] = lode_coins_hash(b->g->coins, b->txids[i]);
        pack_outputs(b, i);
    }
    for (uint32_t i = 0; i < spends; i++) {
        make_txid(b->prevouts[i], b->spent[i] / 2);
        lode_write_le32(b->prevouts[i] + 32, (uint32_t)(b->spent[i] % 2));
        b->pointers[i] = b->prevouts[i];
        b->prevout_hashes[i] = lode_coins_hash(b->g->coins, b->prevouts[i]);
    }
    must(lode_coins_fetch(b->g->coins, b->fetched, b->pointers, b->prevout_hashes, spends, &b->arena));
    __atomic_store_n(&b->ready, 1, __ATOMIC_RELEASE);
}

static void connect_block(block *b)
{
    lode_coins *coins = b->g->coins;
    uint32_t spends = TXS * b->spends, spend = 0;

    b->g->height++;
    for (uint32_t i = 0; i < TXS; i++) {
        for (uint32_t j = 0; j < b->spends; j++, spend++) {
            lode_coin_view view;
            bool found;
            if (spend + AHEAD < spends)
                lode_coins_prefetch(coins, b->prevouts[spend + AHEAD], b->prevout_hashes[spend + AHEAD]);
            must(lode_coins_spend(coins, &found, &view, b->prevouts[spend], b->prevout_hashes[spend],
                                  &b->fetched[spend]));
            if (!found)
                must(lode_fail(LODE_CORRUPT, "coin %llu is not found", (unsigned long long)b->spent[spend]));
        }
        must(lode_coins_add_tx(coins, b->txids[i], b->hashes[i], &b->packed[i], b->g->height, false, false));
    }
}

static void flush_if_wanted(growth *g)
{
    lode_block_hash best = { { 0 } };

    if (!lode_coins_wants_flush(g->coins))
        return;
    lode_write_le32(best.bytes, g->height);
    must(lode_coins_flush_begin(g->coins, &best));
}

/* ---- a window of blocks ---- */

typedef struct window {
    double rates[PIECES];                /* inputs a second */
    double longest_block_ms, its_cpu_ms; /* of the thread: the rest was waiting, for the disk, a lock or a processor */
    uint64_t its_reads;                  /* of the database, by the chain's thread */
    double longest_flush_ms;             /* to begin one */
    double cpu_us;                       /* of the process, before */
} window;

static uint64_t reads_of(const growth *g)
{
    lode_coins_stats stats;

    lode_coins_get_stats(g->coins, &stats);
    return stats.database_reads;
}

/* Blocks are planned in order, prepared by workers, connected here in order. */
static void run_blocks(growth *g, window *w, uint32_t blocks, uint32_t spends, bool is_young)
{
    static block ring[BLOCKS_AHEAD];
    uint32_t planned = 0, piece = blocks / PIECES ? blocks / PIECES : 1;
    uint64_t piece_start = lode_clock_ns();

    for (uint32_t done = 0; done < blocks; done++) {
        for (; planned < blocks && planned < done + BLOCKS_AHEAD; planned++) {
            block *next = &ring[planned % BLOCKS_AHEAD];
            plan_block(next, g, spends, is_young);
            next->task.run = prepare_block;
            lode_pool_submit(g->pool, LODE_POOL_NORMAL, &next->task);
        }
        block *b = &ring[done % BLOCKS_AHEAD];
        while (!__atomic_load_n(&b->ready, __ATOMIC_ACQUIRE))
            lode_pool_help(g->pool);
        uint64_t start = lode_clock_ns(), cpu = lode_thread_cpu_ns(), reads = reads_of(g);
        connect_block(b);
        uint64_t connected = lode_clock_ns();
        flush_if_wanted(g);
        double flush_ms = (double)(lode_clock_ns() - connected) * 1e-6;
        double ms = (double)(lode_clock_ns() - start) * 1e-6;
        if (!w)
            continue;
        if (ms > w->longest_block_ms) {
            w->longest_block_ms = ms;
            w->its_cpu_ms = (double)(lode_thread_cpu_ns() - cpu) * 1e-6;
            w->its_reads = reads_of(g) - reads;
        }
        if (flush_ms > w->longest_flush_ms)
            w->longest_flush_ms = flush_ms;
        if ((done + 1) % piece == 0 && done / piece < PIECES) {
            uint64_t now = lode_clock_ns();
            w->rates[done / piece] = (double)piece * TXS * spends / ((double)(now - piece_start) * 1e-9);
            piece_start = now;
        }
    }
}

/* ---- sizes ---- */

static double property(lode_coins *coins, const char *name)
{
    char *text = lode_store_property(lode_coins_store(coins), name);
    double value = text ? strtod(text, NULL) : 0;

    lode_store_free(text);
    return value;
}

static double cpu_us(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void print_window(growth *g, const char *name, double size, window *w, const lode_coins_stats *before,
                         double inputs)
{
    lode_coins_stats now;
    struct rusage usage;

    lode_coins_get_stats(g->coins, &now);
    getrusage(RUSAGE_SELF, &usage);
    lode_sort_doubles(w->rates, PIECES);
    printf("coins_growth_%s n=%.0f inputs/s %.0f %.0f %.0f   cpu_us/input %.2f   reads/input %.3f   "
           "write_amplification %.2f   "
           "flush_wait_ms %.0f   longest_block_ms %.1f (cpu %.1f, reads %.0f)   flush_begin_ms %.1f   MiB %ld\n",
           name, size, w->rates[0], w->rates[PIECES / 2], w->rates[PIECES - 1], (cpu_us() - w->cpu_us) / inputs,
           (double)(now.database_reads - before->database_reads) / inputs,
           property(g->coins, "lode.write-amplification"), (double)(now.flush_wait_ns - before->flush_wait_ns) * 1e-6,
           w->longest_block_ms, w->its_cpu_ms, (double)w->its_reads, w->longest_flush_ms, usage.ru_maxrss / 1024);
    fflush(stdout);
}

static void measure(growth *g, uint64_t size, bool is_young)
{
    uint64_t inputs = size / 10 > 200000 ? size / 10 : 200000;
    uint32_t blocks = (uint32_t)(inputs / (2 * TXS));
    lode_coins_stats before;
    window w = { .cpu_us = cpu_us() };

    lode_coins_get_stats(g->coins, &before);
    run_blocks(g, &w, blocks, 2, is_young);
    print_window(g, is_young ? "young" : "old", (double)size, &w, &before, (double)blocks * 2 * TXS);
}

/* 1, 3, 10, 30, ... */
static uint64_t next_size(uint64_t size)
{
    uint64_t lead = size;

    while (lead >= 10)
        lead /= 10;
    return lead == 1 ? size * 3 : size / 3 * 10;
}

int main(int argc, char **argv)
{
    uint64_t largest = (argc > 1 ? strtoull(argv[1], NULL, 10) : 10) * 1000000;
    size_t cache_mib = argc > 2 ? strtoull(argv[2], NULL, 10) : 64;
    unsigned threads = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : lode_cpu_count();
    lode_coins_options o = {
        .path = directory, .env = lode_env_system(), .cache_bytes = cache_mib << 20, .wipe = true
    };
    growth g = { .room = largest * 3 + 4000000 };
    uint64_t live = 0;

    if (largest == 0 || cache_mib < 4 || threads == 0)
        return 2;
    o.threads = (int)threads;
    lode_random_init(&g.random, 1);
    g.spent = (uint8_t *)calloc(1, g.room / 8 + 1);
    if (!g.spent)
        must(lode_fail(LODE_NO_MEMORY, "no memory for a bit per coin"));
    must(lode_env_remove_tree(lode_env_system(), directory));
    must(lode_coins_open(&g.coins, &o));
    must(lode_pool_create(&g.pool, threads, "growth"));
    printf("# cache %zu MiB, %u threads; inputs/s: minimum median maximum of ten pieces\n", cache_mib, threads);
    run_blocks(&g, NULL, 20, 0, false); /* something to spend */
    live = 20 * 2 * TXS;
    for (uint64_t size = 1000000; size <= largest; size = next_size(size)) {
        uint32_t blocks = (uint32_t)((size - live) / TXS);
        run_blocks(&g, NULL, blocks, 1, false);
        live += (uint64_t)blocks * TXS;
        measure(&g, live, false);
        measure(&g, live, true);
    }
    lode_pool_destroy(g.pool);
    must(lode_coins_close(g.coins));
    lode_ignore(lode_env_remove_tree(lode_env_system(), directory)); /* what is left harms nobody */
    free(g.spent);
    return 0;
}
