/* test/chainstate/coins_flush_test.c: flushes that fail or are cut off, and the memory that coins take. */
#include "chainstate/coins.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "test/support/fault_env.h"
#include "test/support/memory_env.h"

static lode_env *memory, *fault;

static int new_envs(void **state)
{
    memory = lode_memory_env_create();
    fault = memory ? lode_fault_env_create(memory) : NULL;
    return fault ? 0 : -1;
}
static int drop_envs(void **state)
{
    lode_fault_env_destroy(fault);
    lode_memory_env_destroy(memory);
    return 0;
}

static void must(lode_status s)
{
    if (lode_failed(s))
        fail_msg("%s", s.text);
}

static lode_coins *open_with(lode_env *env, size_t cache_bytes)
{
    lode_coins_options o = { .path = "chainstate", .env = env, .cache_bytes = cache_bytes, .threads = 2 };
    lode_coins *c;
    must(lode_coins_open(&c, &o));
    return c;
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}
static void prevout_of(uint8_t out[36], uint64_t tx, uint32_t index)
{
    for (uint64_t i = 0; i < 4; i++)
        lode_write_le64(out + 8 * i, mix(tx * 4 + i + 1));
    lode_write_le32(out + 32, index);
}

/* Transactions of two outputs to key hashes of witness version 0. */
static void add(lode_coins *c, uint64_t tx, uint32_t height)
{
    uint8_t script[22] = { 0, 20, (uint8_t)tx }, prevout[36];
    lode_txout outputs[2] = { { { (int64_t)(mix(tx) % 1000000000) }, script, 22 },
                              { { (int64_t)(mix(tx + 7) % 1000000000) }, script, 22 } };
    lode_tx t = { .outputs = outputs, .output_count = 2 };
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_packed_tx packed;
    prevout_of(prevout, tx, 0);
    assert_true(lode_coins_pack(&packed, &t, &arena));
    must(lode_coins_add_tx(c, prevout, lode_coins_hash(c, prevout), &packed, height, false, false));
    lode_arena_clear(&arena);
}
static bool has(lode_coins *c, uint64_t tx, uint32_t index)
{
    uint8_t prevout[36];
    lode_coin_view view;
    bool found;
    prevout_of(prevout, tx, index);
    must(lode_coins_find(c, &found, &view, prevout, lode_coins_hash(c, prevout), NULL));
    if (found)
        assert_int_equal(lode_amount_decompress(view.compressed_amount), mix(index ? tx + 7 : tx) % 1000000000);
    return found;
}
static void spend(lode_coins *c, uint64_t tx, uint32_t index)
{
    uint8_t prevout[36];
    lode_coin_view view;
    bool found;
    prevout_of(prevout, tx, index);
    must(lode_coins_spend(c, &found, &view, prevout, lode_coins_hash(c, prevout), NULL));
    assert_true(found);
}

/* Two states of the set: at block 1 transactions [0, n) are there; at block 2 their first outputs are spent and
 * [n, 2n) are there too. */
static void make_state_1(lode_coins *c, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        add(c, i, 1);
}
static void make_state_2(lode_coins *c, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        spend(c, i, 0);
    for (uint64_t i = n; i < 2 * n; i++)
        add(c, i, 2);
}
static void expect_state(lode_coins *c, uint64_t n, int which)
{
    const char *what;
    for (uint64_t i = 0; i < n; i++) {
        assert_int_equal(has(c, i, 0), which == 1);
        assert_int_equal(has(c, i, 1), which > 0);
        assert_int_equal(has(c, n + i, 0), which == 2);
    }
    assert_true(lode_coins_verify(c, &what));
}

static lode_status flush(lode_coins *c, uint8_t block)
{
    lode_block_hash best = { { block } };
    LODE_TRY(lode_coins_flush_begin(c, &best));
    return lode_coins_flush_wait(c);
}
static int best_of(lode_coins *c)
{
    lode_block_hash best;
    bool found;
    must(lode_coins_best_block(c, &found, &best));
    return found ? best.bytes[0] : 0;
}

/* n small: a batch. n large: a run. n very large: several runs by as many threads. */
static void fail_each_call_of_a_flush(uint64_t n, unsigned step)
{
    size_t cache_bytes = ((size_t)4 << 20) + n * 400;
    for (uint64_t skip = 0;; skip += step) {
        lode_coins *c = open_with(fault, cache_bytes);
        lode_status s;
        make_state_1(c, n);
        must(flush(c, 1));
        make_state_2(c, n);
        lode_fault_env_plan(fault, &(lode_fault_plan){ .calls = LODE_FAULT_CHANGES | LODE_FAULT_OPEN,
                                                       .skip = skip,
                                                       .times = UINT64_MAX,
                                                       .error_number = ENOSPC });
        s = flush(c, 2);
        bool hit = lode_fault_env_failed(fault) > 0;
        lode_fault_env_plan(fault, NULL);
        if (lode_failed(s)) {
            assert_true(hit);
            assert_int_equal(best_of(c), 1);
            assert_true(lode_coins_is_dirty(c));
        }
        expect_state(c, n, 2);
        if (lode_failed(s) && skip % 2)
            lode_ignore(flush(c, 2)); /* a store that failed may want to be opened again first */
        expect_state(c, n, 2);
        lode_ignore(lode_coins_close(c)); /* likewise */
        lode_memory_env_power_off(memory);
        lode_memory_env_power_on(memory, skip % 3 ? LODE_KEEP_SYNCED : LODE_KEEP_SOME, skip);
        c = open_with(fault, cache_bytes);
        assert_true(best_of(c) == 1 || (best_of(c) == 2));
        if (!lode_failed(s))
            assert_int_equal(best_of(c), 2);
        expect_state(c, n, best_of(c));
        must(lode_coins_close(c));
        must(lode_env_remove_tree(memory, "chainstate"));
        if (!hit)
            break;
    }
}

static void a_small_flush_that_fails_loses_nothing_and_is_all_or_nothing_on_disk(void **state)
{
    fail_each_call_of_a_flush(20, 1);
}

static void a_large_flush_that_fails_loses_nothing_and_is_all_or_nothing_on_disk(void **state)
{
    fail_each_call_of_a_flush(4000, 3);
}

static void a_flush_by_several_threads_that_fails_is_all_or_nothing_on_disk(void **state)
{
    fail_each_call_of_a_flush(42000, 7);
}

static void coins_go_on_changing_while_a_flush_is_written(void **state)
{
    lode_coins *c = open_with(memory, (size_t)8 << 20);
    enum { N = 5000 };

    make_state_1(c, N);
    must(lode_coins_flush_begin(c, &(lode_block_hash){ { 1 } }));
    make_state_2(c, N);
    must(lode_coins_flush_begin(c, &(lode_block_hash){ { 2 } }));
    expect_state(c, N, 2);
    must(lode_coins_flush_wait(c));
    assert_false(lode_coins_is_dirty(c));
    must(lode_coins_close(c));
    c = open_with(memory, (size_t)8 << 20);
    assert_int_equal(best_of(c), 2);
    expect_state(c, N, 2);
    must(lode_coins_close(c));
}

/* A small flush joins the generation before it; what is dropped then takes the change along that the hint does not know. */
static void what_was_read_ahead_is_read_again_when_a_change_since_has_left_memory(void **state)
{
    lode_coins *c = open_with(memory, (size_t)8 << 20);
    enum { N = 6000 };
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_fetched hint;
    lode_coin_view view;
    lode_coins_stats stats;
    uint8_t bytes[36];
    const uint8_t *prevout = bytes;
    uint64_t hash;
    bool found;

    make_state_1(c, N);
    must(flush(c, 1));
    prevout_of(bytes, N, 0);
    hash = lode_coins_hash(c, prevout);
    must(lode_coins_fetch(c, &hint, &prevout, &hash, 1, &arena));
    assert_true(hint.is_asked && !hint.is_found);
    add(c, N, 2);
    must(flush(c, 2));
    lode_coins_get_stats(c, &stats);
    assert_int_equal(stats.coins_cached, 2 * (N + 1)); /* all of them joined */
    lode_coins_set_cache_bytes(c, 0);
    for (uint64_t i = 1; i <= 3000; i++)
        add(c, N + i, 3);
    lode_coins_get_stats(c, &stats);
    assert_int_equal(stats.coins_cached, 2 * 3000); /* of the generation before, nothing is left */
    must(lode_coins_find(c, &found, &view, prevout, hash, &hint));
    assert_true(found);
    lode_arena_clear(&arena);
    must(lode_coins_close(c));
}

static void a_coin_that_was_made_and_spent_between_flushes_is_never_written(void **state)
{
    lode_coins *c = open_with(memory, (size_t)4 << 20);
    lode_coins_stats stats;

    for (uint64_t i = 0; i < 100; i++) {
        add(c, i, 1);
        spend(c, i, 0);
        if (i % 2)
            spend(c, i, 1);
    }
    must(flush(c, 1));
    lode_coins_get_stats(c, &stats);
    assert_int_equal(stats.coins_written, 50);
    assert_int_equal(stats.coins_deleted, 0);
    must(lode_coins_close(c));
}

static void a_p2wpkh_coin_takes_at_most_64_bytes(void **state)
{
    lode_coins *c = open_with(memory, (size_t)64 << 20);
    lode_coins_stats stats;

    for (uint64_t i = 0; i < 200000; i++)
        add(c, i, 800000);
    lode_coins_get_stats(c, &stats);
    assert_int_equal(stats.coins_cached, 400000);
    printf("%.1f bytes per P2WPKH coin of transactions with two outputs (Core: 136)\n",
           (double)stats.active_bytes / (double)stats.coins_cached);
    assert_true(stats.active_bytes <= 64 * stats.coins_cached);
    must(lode_coins_close(c));
}

/* Both generations stay within what was given, as long as the caller flushes when it is told to. */
static void memory_stays_within_the_cache_size(void **state)
{
    enum { CACHE = 4 << 20, TXS = 120000 };
    lode_coins *c = open_with(memory, CACHE);
    lode_coins_stats stats;
    size_t most = 0;

    for (uint64_t i = 0; i < TXS; i++) {
        add(c, i, (uint32_t)i / 100);
        if (i >= 3000 && i % 3 == 0)
            spend(c, i - 3000, 1);
        if (lode_coins_wants_flush(c))
            must(lode_coins_flush_begin(c, &(lode_block_hash){ { 1 } }));
        lode_coins_get_stats(c, &stats);
        if (stats.active_bytes + stats.frozen_bytes > most)
            most = stats.active_bytes + stats.frozen_bytes;
    }
    must(flush(c, 2));
    lode_coins_get_stats(c, &stats);
    printf("%zu bytes at most, %llu flushes, %llu written\n", most, (unsigned long long)stats.flushes,
           (unsigned long long)stats.coins_written);
    assert_true(most <= CACHE);
    assert_true(stats.flushes > 3);
    for (uint64_t i = 0; i < TXS; i += 7) {
        assert_true(has(c, i, 0));
        assert_int_equal(has(c, i, 1), i + 3000 >= TXS || (i + 3000) % 3 != 0);
    }
    must(lode_coins_close(c));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, new_envs, drop_envs)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(coins_go_on_changing_while_a_flush_is_written),
        CASE(what_was_read_ahead_is_read_again_when_a_change_since_has_left_memory),
        CASE(a_coin_that_was_made_and_spent_between_flushes_is_never_written),
        CASE(a_p2wpkh_coin_takes_at_most_64_bytes),
        CASE(memory_stays_within_the_cache_size),
        CASE(a_small_flush_that_fails_loses_nothing_and_is_all_or_nothing_on_disk),
        CASE(a_large_flush_that_fails_loses_nothing_and_is_all_or_nothing_on_disk),
        CASE(a_flush_by_several_threads_that_fails_is_all_or_nothing_on_disk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
