/* test/validate/script_differential_test.c: two ways to an answer give the same answer, on random spends.
 *
 * LODE_TEST_SEED sets the first seed, LODE_TEST_ROUNDS how many spends are made.
 */
#include "validate/script/collector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/thread.h"
#include "test/validate/script_maker.h"
#include "test/validate/script_words.h"
#include "test/validate/sighash_slow.h"

static uint64_t read_setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static uint64_t first_seed(void)
{
    return read_setting("LODE_TEST_SEED", 1);
}

static uint64_t round_count(uint64_t usual)
{
    return read_setting("LODE_TEST_ROUNDS", usual);
}

typedef struct verdict {
    bool good;
    lode_script_error error;
} verdict;

static verdict check_at_once(const maker *m, const lode_tx_hashes *hashes, uint32_t flags, lode_sig_cache *cache)
{
    verdict v;
    uint32_t failed;
    v.good = lode_tx_check_scripts(&v.error, &failed, hashes, m->input, m->input + 1, flags, cache);
    return v;
}

static uint32_t choose_flags(maker *m)
{
    uint32_t usual = LODE_VERIFY_P2SH | LODE_VERIFY_WITNESS | LODE_VERIFY_TAPROOT;
    if (maker_random(m, 3))
        return usual;
    return script_fill_flags((uint32_t)maker_random(m, (uint64_t)script_all_flags + 1));
}

static lode_slice any_code(maker *m, lode_buf *room)
{
    lode_buf_reset(room);
    for (uint64_t i = 0, n = maker_random(m, 40); i < n; i++) {
        uint64_t kind = maker_random(m, 4);
        lode_buf_put_u8(room, kind == 0   ? 0xab
                              : kind == 1 ? (uint8_t)maker_random(m, 0x4f)
                                          : (uint8_t)maker_random(m, 256));
    }
    return lode_buf_slice(room);
}

static int32_t any_hash_type(maker *m)
{
    return maker_random(m, 2) ? (int32_t)maker_random(m, 256) : (int32_t)(uint32_t)maker_random(m, UINT64_C(1) << 32);
}

static void legacy_digests_are_those_of_the_slow_way(void **state)
{
    maker *m = malloc(sizeof *m);
    lode_sighash_cache *cache = malloc(sizeof *cache);
    lode_buf room = LODE_BUF_EMPTY;
    for (uint64_t seed = first_seed(), end = seed + round_count(1500); seed < end; seed++) {
        maker_make(m, seed);
        lode_sighash_cache_init(cache);
        for (int i = 0; i < 12; i++) {
            uint8_t fast[32], slow[32];
            lode_slice code = any_code(m, &room);
            for (int k = 0; k < 4; k++) {
                int32_t type = any_hash_type(m);
                lode_sighash_legacy(fast, &m->tx, m->input, code, type, maker_random(m, 3) ? cache : NULL);
                slow_sighash_legacy(slow, &m->tx, m->input, code, type);
                if (memcmp(fast, slow, 32) != 0)
                    fail_msg("seed %llu, type %x", (unsigned long long)seed, (unsigned)type);
            }
        }
        maker_clear(m);
    }
    lode_buf_clear(&room);
    free(cache);
    free(m);
}

/* In order, out of order, again, and between types that do not use it. */
static void inputs_that_share_a_prefix_have_the_digests_of_the_slow_way(void **state)
{
    maker *m = malloc(sizeof *m);
    lode_sighash_cache *cache = malloc(sizeof *cache);
    lode_buf room = LODE_BUF_EMPTY;
    for (uint64_t seed = first_seed(), end = seed + round_count(1500); seed < end; seed++) {
        lode_sighash_prefix prefix = { .has_hash = false };
        maker_make(m, seed);
        for (uint32_t i = 0; i < 3 * m->tx.input_count; i++) {
            uint32_t input = i < m->tx.input_count ? i : (uint32_t)maker_random(m, m->tx.input_count);
            int32_t type = maker_random(m, 3) ? LODE_SIGHASH_ALL : any_hash_type(m);
            uint8_t fast[32], slow[32];
            lode_slice code = any_code(m, &room);
            lode_sighash_cache_init(cache);
            cache->prefix = &prefix;
            lode_sighash_legacy(fast, &m->tx, input, code, type, cache);
            slow_sighash_legacy(slow, &m->tx, input, code, type);
            assert_memory_equal(fast, slow, 32);
        }
        maker_clear(m);
    }
    lode_buf_clear(&room);
    free(cache);
    free(m);
}

static void v0_digests_are_those_of_the_slow_way(void **state)
{
    maker *m = malloc(sizeof *m);
    lode_sighash_cache *cache = malloc(sizeof *cache);
    lode_buf room = LODE_BUF_EMPTY;
    for (uint64_t seed = first_seed(), end = seed + round_count(1500); seed < end; seed++) {
        lode_tx_hashes hashes;
        maker_make(m, seed);
        lode_tx_hashes_init(&hashes, &m->tx, m->spent, maker_random(m, 2));
        lode_sighash_cache_init(cache);
        for (int i = 0; i < 12; i++) {
            uint8_t fast[32], slow[32];
            lode_slice code = any_code(m, &room);
            int32_t type = any_hash_type(m);
            lode_amount value = { (int64_t)maker_random(m, 1u << 30) };
            lode_sighash_v0(fast, &hashes, m->input, code, value, type, maker_random(m, 2) ? cache : NULL);
            slow_sighash_v0(slow, &m->tx, m->input, code, value.sat, type);
            assert_memory_equal(fast, slow, 32);
        }
        maker_clear(m);
    }
    lode_buf_clear(&room);
    free(cache);
    free(m);
}

static void a_cache_of_signatures_changes_no_verdict(void **state)
{
    maker *m = malloc(sizeof *m);
    lode_sig_cache *cache = lode_sig_cache_create(20000);
    assert_non_null(cache);
    for (uint64_t seed = first_seed(), end = seed + round_count(1500); seed < end; seed++) {
        lode_tx_hashes hashes;
        maker_make(m, seed);
        lode_tx_hashes_init(&hashes, &m->tx, m->spent, false);
        for (int i = 0; i < 3; i++) {
            uint32_t flags = choose_flags(m);
            verdict plain = check_at_once(m, &hashes, flags, NULL), cached = check_at_once(m, &hashes, flags, cache);
            assert_int_equal(plain.error, cached.error);
            assert_int_equal(plain.good, cached.good);
        }
        maker_clear(m);
    }
    lode_sig_cache_destroy(cache);
    free(m);
}

enum { GROUP = 24 };

typedef struct group {
    maker makers[GROUP];
    lode_tx_hashes hashes[GROUP];
    uint32_t flags[GROUP];
    verdict verdicts[GROUP];
} group;

static void make_group(group *g, uint64_t seed)
{
    for (int i = 0; i < GROUP; i++) {
        maker *m = &g->makers[i];
        maker_make(m, seed * GROUP + (uint64_t)i);
        lode_tx_hashes_init(&g->hashes[i], &m->tx, m->spent, false);
        g->flags[i] = choose_flags(m);
        g->verdicts[i] = check_at_once(m, &g->hashes[i], g->flags[i], NULL);
    }
}

static void clear_group(group *g)
{
    for (int i = 0; i < GROUP; i++)
        maker_clear(&g->makers[i]);
}

/* Adds those of the group that `only_good` lets in; the collector must name the first bad one. */
static void check_group(group *g, lode_sig_collector *collector, bool only_good)
{
    uint64_t added = 0, failed = UINT64_MAX, first_bad = UINT64_MAX;
    lode_script_error error, first_error = LODE_SCRIPT_OK;
    for (int i = 0; i < GROUP; i++) {
        if (only_good && !g->verdicts[i].good)
            continue;
        if (!g->verdicts[i].good && first_bad == UINT64_MAX) {
            first_bad = added;
            first_error = g->verdicts[i].error;
        }
        lode_sig_collector_add(collector, &g->hashes[i], g->makers[i].input, g->flags[i]);
        added++;
    }
    assert_int_equal(lode_sig_collector_finish(collector, &error, &failed), first_bad == UINT64_MAX);
    assert_int_equal(error, first_error);
    assert_int_equal(failed, first_bad);
}

static void collected_checks_give_the_verdict_of_immediate_ones(void **state)
{
    group *g = malloc(sizeof *g);
    for (uint64_t seed = first_seed(), end = seed + round_count(1500) / GROUP; seed < end; seed++) {
        make_group(g, seed);
        for (uint32_t capacity = 1; capacity <= 64; capacity = capacity * 3 + 1) {
            lode_sig_collector *collector = lode_sig_collector_create(capacity);
            assert_non_null(collector);
            check_group(g, collector, false);
            check_group(g, collector, true);
            lode_sig_collector_destroy(collector);
        }
        clear_group(g);
    }
    free(g);
}

typedef struct share {
    const group *g;
    lode_sig_cache *cache;
    int wrong;
} share;

static void *check_share(void *context)
{
    share *s = context;
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < GROUP; i++) {
            verdict v = check_at_once(&s->g->makers[i], &s->g->hashes[i], s->g->flags[i], round & 1 ? s->cache : NULL);
            s->wrong += v.error != s->g->verdicts[i].error;
        }
    }
    return NULL;
}

static void threads_at_once_give_the_verdicts_of_one(void **state)
{
    group *g = malloc(sizeof *g);
    lode_sig_cache *cache = lode_sig_cache_create(4000);
    make_group(g, first_seed());
    lode_thread threads[4];
    share shares[4];
    for (int i = 0; i < 4; i++) {
        shares[i] = (share){ g, cache, 0 };
        assert_int_equal(lode_thread_start(&threads[i], "check", check_share, &shares[i]).code, LODE_OK);
    }
    for (int i = 0; i < 4; i++) {
        lode_thread_join(&threads[i]);
        assert_int_equal(shares[i].wrong, 0);
    }
    lode_sig_cache_destroy(cache);
    clear_group(g);
    free(g);
}

static void most_random_spends_are_valid_and_many_are_not(void **state)
{
    maker *m = malloc(sizeof *m);
    uint64_t good = 0, count = round_count(1500);
    for (uint64_t seed = first_seed(), end = seed + count; seed < end; seed++) {
        lode_tx_hashes hashes;
        maker_make(m, seed);
        lode_tx_hashes_init(&hashes, &m->tx, m->spent, false);
        good += check_at_once(m, &hashes, LODE_VERIFY_P2SH | LODE_VERIFY_WITNESS | LODE_VERIFY_TAPROOT, NULL).good;
        maker_clear(m);
    }
    assert_true(good > count / 3 && good < count * 9 / 10);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(most_random_spends_are_valid_and_many_are_not),
        cmocka_unit_test(legacy_digests_are_those_of_the_slow_way),
        cmocka_unit_test(inputs_that_share_a_prefix_have_the_digests_of_the_slow_way),
        cmocka_unit_test(v0_digests_are_those_of_the_slow_way),
        cmocka_unit_test(a_cache_of_signatures_changes_no_verdict),
        cmocka_unit_test(collected_checks_give_the_verdict_of_immediate_ones),
        cmocka_unit_test(threads_at_once_give_the_verdicts_of_one),
    };
    print_message("first seed %llu\n", (unsigned long long)first_seed());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
