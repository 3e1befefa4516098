/* test/chainstate/coins_threads_test.c: workers read ahead while the chain's thread changes coins and flushes.
 *
 * Made blocks, each of which spends outputs of earlier ones; every coin must be found with its value, whatever the
 * workers saw. Run it under ThreadSanitizer (configure --enable-sanitizers=thread).
 */
#include "chainstate/coins.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/thread.h"
#include "test/support/memory_env.h"

enum { BLOCKS = 600, TXS = 40, OUTPUTS = 3, WORKERS = 3, AHEAD = 12 };

static lode_coins *coins;

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void must(lode_status s)
{
    if (lode_failed(s))
        fail_msg("%s", s.text);
}

static void txid_of(uint8_t txid[32], uint32_t block, uint32_t tx)
{
    for (uint32_t i = 0; i < 4; i++)
        lode_write_le64(txid + 8 * i, mix((uint64_t)block << 32 | tx << 8 | i));
}

static int64_t value_of(uint32_t block, uint32_t tx, uint32_t output)
{
    return 1 + (int64_t)(mix((uint64_t)block << 24 | tx << 4 | output) % 100000000);
}

/* The coin that input `n` of a block spends: output o of transaction t of block b is spent in block
 * b + 1 + (a number below 100), once. */
typedef struct origin {
    uint32_t block, tx, output;
} origin;

static origin *origins[BLOCKS];
static uint32_t origin_counts[BLOCKS];

static void make_chain(void)
{
    for (uint32_t b = 0; b < BLOCKS; b++) {
        for (uint32_t t = 0; t < TXS; t++) {
            for (uint32_t o = 0; o < OUTPUTS; o++) {
                uint64_t r = mix((uint64_t)b << 30 | t << 10 | o << 5 | 1);
                uint32_t at = b + 1 + (uint32_t)(r % 8 ? r / 8 % 6 : r / 8 % 300);
                if (at >= BLOCKS)
                    continue;
                origins[at] = realloc(origins[at], (origin_counts[at] + 1) * sizeof(origin));
                assert_non_null(origins[at]);
                origins[at][origin_counts[at]++] = (origin){ b, t, o };
            }
        }
    }
}

/* ---- blocks that are ready ---- */

typedef struct ready {
    lode_arena arena;
    lode_fetched *fetched;
    uint8_t (*prevouts)[36];
    uint64_t *hashes;
    bool is_ready;
} ready;

static lode_mutex lock;
static lode_cond changed;
static ready blocks[BLOCKS];
static uint32_t next_to_prepare, connected;

static void prepare(uint32_t b)
{
    ready *r = &blocks[b];
    uint32_t n = origin_counts[b];
    const uint8_t **prevouts;

    prevouts = lode_arena_take_array(&r->arena, n + 1, sizeof *prevouts);
    r->prevouts = lode_arena_take_array(&r->arena, n + 1, 36);
    r->hashes = lode_arena_take_array(&r->arena, n + 1, sizeof *r->hashes);
    r->fetched = lode_arena_take_array(&r->arena, n + 1, sizeof *r->fetched);
    assert_true(prevouts && r->prevouts && r->hashes && r->fetched);
    for (uint32_t i = 0; i < n; i++) {
        txid_of(r->prevouts[i], origins[b][i].block, origins[b][i].tx);
        lode_write_le32(r->prevouts[i] + 32, origins[b][i].output);
        r->hashes[i] = lode_coins_hash(coins, r->prevouts[i]);
        prevouts[i] = r->prevouts[i];
    }
    must(lode_coins_fetch(coins, r->fetched, prevouts, r->hashes, n, &r->arena));
}

static void *work(void *context)
{
    for (;;) {
        uint32_t b;
        lode_mutex_lock(&lock);
        while (next_to_prepare < BLOCKS && next_to_prepare > connected + AHEAD)
            lode_cond_wait(&changed, &lock);
        b = next_to_prepare++;
        lode_mutex_unlock(&lock);
        if (b >= BLOCKS)
            return NULL;
        prepare(b);
        lode_mutex_lock(&lock);
        blocks[b].is_ready = true;
        lode_cond_broadcast(&changed);
        lode_mutex_unlock(&lock);
    }
}

/* ---- the chain's thread ---- */

static void spend_inputs(uint32_t b)
{
    for (uint32_t i = 0; i < origin_counts[b]; i++) {
        const origin *o = &origins[b][i];
        lode_coin_view view;
        bool found;
        must(lode_coins_spend(coins, &found, &view, blocks[b].prevouts[i], blocks[b].hashes[i], &blocks[b].fetched[i]));
        assert_true(found);
        assert_int_equal(view.height, o->block);
        assert_int_equal(lode_amount_decompress(view.compressed_amount), value_of(o->block, o->tx, o->output));
    }
}

static void add_outputs(uint32_t b, lode_arena *arena)
{
    static const uint8_t script[22] = { 0x00, 0x14, 1, 2, 3 };

    for (uint32_t t = 0; t < TXS; t++) {
        lode_txout outputs[OUTPUTS];
        lode_tx tx = { .outputs = outputs, .output_count = OUTPUTS };
        lode_packed_tx packed;
        for (uint32_t o = 0; o < OUTPUTS; o++)
            outputs[o] = (lode_txout){ { value_of(b, t, o) }, script, sizeof script };
        txid_of(tx.txid.bytes, b, t);
        assert_true(lode_coins_pack(&packed, &tx, arena));
        must(lode_coins_add_tx(coins, tx.txid.bytes, lode_coins_hash(coins, tx.txid.bytes), &packed, b, t == 0, false));
    }
    lode_arena_reset(arena);
}

static void connect(uint32_t b, lode_arena *arena)
{
    lode_mutex_lock(&lock);
    while (!blocks[b].is_ready)
        lode_cond_wait(&changed, &lock);
    lode_mutex_unlock(&lock);
    spend_inputs(b);
    add_outputs(b, arena);
    lode_arena_clear(&blocks[b].arena);
    if (b % 50 == 49)
        must(lode_coins_flush_begin(coins, &(lode_block_hash){ { (uint8_t)b } }));
    if (b % 70 == 69) /* whatever has been written is dropped */
        lode_coins_set_cache_bytes(coins, b % 140 == 69 ? 0 : (size_t)4 << 20);
    lode_mutex_lock(&lock);
    connected = b;
    lode_cond_broadcast(&changed);
    lode_mutex_unlock(&lock);
}

static void workers_read_ahead_while_coins_change(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_coins_options o = { .path = "chainstate", .env = env, .cache_bytes = (size_t)4 << 20, .threads = 2 };
    lode_thread workers[WORKERS];
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_coins_stats stats;
    const char *what;

    lode_mutex_init(&lock);
    lode_cond_init(&changed);
    make_chain();
    must(lode_coins_open(&coins, &o));
    for (int i = 0; i < WORKERS; i++)
        must(lode_thread_start(&workers[i], "worker", work, NULL));
    for (uint32_t b = 0; b < BLOCKS; b++)
        connect(b, &arena);
    for (int i = 0; i < WORKERS; i++)
        lode_thread_join(&workers[i]);
    must(lode_coins_flush_wait(coins));
    assert_true(lode_coins_verify(coins, &what));
    lode_coins_get_stats(coins, &stats);
    printf("%llu lookups, %llu in memory, %llu read ahead, %llu read late, %llu flushes\n",
           (unsigned long long)stats.lookups, (unsigned long long)stats.hits, (unsigned long long)stats.prefetched_used,
           (unsigned long long)stats.database_reads, (unsigned long long)stats.flushes);
    must(lode_coins_close(coins));
    lode_arena_clear(&arena);
    for (uint32_t b = 0; b < BLOCKS; b++)
        free(origins[b]);
    lode_memory_env_destroy(env);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(workers_read_ahead_while_coins_change) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
