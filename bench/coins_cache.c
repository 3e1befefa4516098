/* bench/coins_cache.c: what does a coin cost in memory, in bytes and in nanoseconds?
 *
 * Transactions of two P2WPKH outputs are added to an empty set, then each first output is spent in random order, with
 * the lookups announced 24 ahead as connecting blocks does, then second ones without announcing. The floor beside it:
 * one random read of 64 bytes from as much memory, and the 136 bytes per coin of Bitcoin Core's cache.
 * One thread, nothing is flushed. Usage: coins_cache [millions of coins, default 1]
 */
#include "bench/common/report.h"
#include "chainstate/coins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/env.h"
#include "support/thread.h"

enum { AHEAD = 24, ROUNDS = 3 };

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void must(lode_status s)
{
    if (lode_failed(s)) {
        fprintf(stderr, "coins_cache: %s\n", s.text);
        exit(1);
    }
}

static void prevout_of(uint8_t out[36], uint64_t tx, uint32_t index)
{
    for (uint64_t i = 0; i < 4; i++)
        lode_write_le64(out + 8 * i, mix(tx * 4 + i + 1));
    lode_write_le32(out + 32, index);
}

static void print_line(const char *name, uint64_t coins, const char *unit, double *values)
{
    lode_sort_doubles(values, ROUNDS);
    printf("%-24s n=%llu %s %.1f %.1f %.1f\n", name, (unsigned long long)coins, unit, values[0], values[ROUNDS / 2],
           values[ROUNDS - 1]);
}

typedef struct measured {
    double bytes, bytes_after, pack, add, spend, spend_cold, floor;
} measured;

/* Random reads from as much memory as the coins take. */
static double read_at_random(size_t bytes, uint64_t count)
{
    volatile uint64_t *memory = calloc(bytes / 8, 8);
    uint64_t start, at = 1, sum = 0;

    if (!memory)
        return 0;
    for (size_t i = 0; i < bytes / 8; i += 512)
        memory[i] = i;
    start = lode_clock_ns();
    for (uint64_t i = 0; i < count; i++) {
        at = mix(at + i + (memory[at % (bytes / 8)] & 1)); /* each read waits for the one before */
        sum += at;
    }
    start = lode_clock_ns() - start;
    memory[0] = sum;
    free((void *)(uintptr_t)memory);
    return (double)start / (double)count;
}

static void add_all(lode_coins *coins, measured *m, uint64_t tx_count)
{
    enum { GROUP = 4096 };
    static lode_packed_tx packed[GROUP];
    static uint64_t hashes[GROUP];
    static uint8_t txids[GROUP][36];
    lode_arena arena = LODE_ARENA_EMPTY;
    uint64_t packing = 0, adding = 0, start;

    for (uint64_t first = 0; first < tx_count; first += GROUP) {
        uint64_t count = tx_count - first < GROUP ? tx_count - first : GROUP;
        for (uint64_t i = 0; i < count; i++) {
            uint8_t scripts[2][22] = { { 0, 20 }, { 0, 20 } };
            lode_txout outputs[2];
            lode_tx tx = { .outputs = outputs, .output_count = 2 };
            prevout_of(txids[i], first + i, 0);
            memcpy(scripts[0] + 2, txids[i] + 3, 20);
            memcpy(scripts[1] + 2, txids[i] + 9, 20);
            for (uint32_t o = 0; o < 2; o++)
                outputs[o] = (lode_txout){ { (int64_t)(mix(first * 2 + i * 2 + o) % 1000000000) }, scripts[o], 22 };
            start = lode_clock_ns();
            hashes[i] = lode_coins_hash(coins, txids[i]);
            lode_coins_pack(&packed[i], &tx, &arena);
            packing += lode_clock_ns() - start;
        }
        start = lode_clock_ns();
        for (uint64_t i = 0; i < count; i++) {
            if (i + AHEAD < count)
                lode_coins_prefetch(coins, txids[i + AHEAD], hashes[i + AHEAD]);
            must(lode_coins_add_tx(coins, txids[i], hashes[i], &packed[i], 800000, false, false));
        }
        adding += lode_clock_ns() - start;
        lode_arena_reset(&arena);
    }
    lode_arena_clear(&arena);
    m->pack = (double)packing / (double)tx_count / 2;
    m->add = (double)adding / (double)tx_count / 2;
}

/* Outputs `index` of all transactions, in an order that is as good as random. */
static double spend_all(lode_coins *coins, uint64_t tx_count, uint32_t index, bool announce)
{
    enum { GROUP = 4096 };
    static uint8_t prevouts[GROUP][36];
    static uint64_t hashes[GROUP];
    uint64_t step = 2654435761u % tx_count | 1, at = 0, spending = 0;

    while (tx_count % step == 0 && step > 1)
        step += 2;
    for (uint64_t first = 0; first < tx_count; first += GROUP) {
        uint64_t count = tx_count - first < GROUP ? tx_count - first : GROUP;
        for (uint64_t i = 0; i < count; i++) {
            at = (at + step) % tx_count;
            prevout_of(prevouts[i], at, index);
            hashes[i] = lode_coins_hash(coins, prevouts[i]);
        }
        uint64_t start = lode_clock_ns();
        for (uint64_t i = 0; i < count; i++) {
            lode_coin_view view;
            bool found;
            if (announce && i + AHEAD < count)
                lode_coins_prefetch(coins, prevouts[i + AHEAD], hashes[i + AHEAD]);
            must(lode_coins_spend(coins, &found, &view, prevouts[i], hashes[i], NULL));
            if (found && view.script.len != 23)
                exit(1);
        }
        spending += lode_clock_ns() - start;
    }
    return (double)spending / (double)tx_count;
}

static measured measure(uint64_t coin_count, size_t cache_bytes)
{
    lode_coins_options o = { .path = "coins_cache.tmp", .cache_bytes = cache_bytes, .threads = 1, .wipe = true };
    lode_coins_stats stats;
    lode_coins *coins;
    measured m;

    must(lode_coins_open(&coins, &o));
    add_all(coins, &m, coin_count / 2);
    lode_coins_get_stats(coins, &stats);
    m.bytes = (double)stats.active_bytes / (double)stats.coins_cached;
    m.floor = read_at_random(stats.active_bytes, 1000000);
    m.spend = spend_all(coins, coin_count / 2, 0, true);
    lode_coins_get_stats(coins, &stats);
    m.bytes_after = (double)stats.active_bytes / (double)stats.coins_cached;
    m.spend_cold = spend_all(coins, coin_count / 2, 1, false);
    must(lode_coins_close(coins));
    lode_ignore(lode_env_remove_tree(lode_env_system(), "coins_cache.tmp")); /* what is left harms nobody */
    return m;
}

int main(int argc, char **argv)
{
    uint64_t coins = (argc > 1 ? strtoull(argv[1], NULL, 10) : 1) * 1000000;
    double bytes[ROUNDS], after[ROUNDS], pack[ROUNDS], add[ROUNDS], spend[ROUNDS], cold[ROUNDS], least[ROUNDS];

    for (int i = 0; i < ROUNDS; i++) {
        measured m = measure(coins, (size_t)coins * 128 + ((size_t)64 << 20));
        bytes[i] = m.bytes;
        after[i] = m.bytes_after;
        pack[i] = m.pack;
        add[i] = m.add;
        spend[i] = m.spend;
        cold[i] = m.spend_cold;
        least[i] = m.floor;
    }
    printf("# Core's cache: 136 bytes/coin\n");
    print_line("coins_bytes_two_outputs", coins, "bytes/coin", bytes);
    print_line("coins_bytes_one_left", coins / 2, "bytes/coin", after);
    print_line("coins_pack", coins, "ns/coin", pack);
    print_line("coins_add", coins, "ns/coin", add);
    print_line("coins_spend", coins, "ns/coin", spend);
    print_line("coins_spend_unannounced", coins, "ns/coin", cold);
    print_line("random_read_of_memory", coins, "ns/read", least);
    return 0;
}
