/* test/bench/chain_maker_test.c: proves bench/chain/ through chain_maker.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "bench/chain/chain_maker.h"
#include "bench/replay.h"
#include "primitives/hash.h"
#include "validate/script/sighash.h"

#define assert_ok(call)                                                                                                \
    do {                                                                                                               \
        lode_status s_ = (call);                                                                                       \
        if (lode_failed(s_))                                                                                           \
            fail_msg("%s", s_.text);                                                                                   \
    } while (0)

static lode_chain_maker *make(const char *mix, unsigned threads, uint64_t seed, uint32_t txs_per_block)
{
    lode_chain_recipe recipe;
    lode_chain_maker *maker;

    assert_true(lode_chain_recipe_init(&recipe, mix));
    recipe.threads = threads;
    recipe.seed = seed;
    recipe.key_count = 64;
    recipe.txs_per_block = txs_per_block;
    assert_ok(lode_chain_maker_create(&maker, &recipe));
    return maker;
}

static void hash_chain(uint8_t out[32], lode_chain_maker *maker, unsigned blocks)
{
    lode_sha256_stream s;
    lode_made_block block;

    lode_sha256_begin(&s);
    for (unsigned i = 0; i < blocks; i++) {
        assert_ok(lode_chain_maker_extend(maker, &block));
        lode_sha256_add(&s, block.raw, block.size);
    }
    lode_sha256_end(&s, out);
}

static void bytes_do_not_depend_on_threads(void **state)
{
    static const unsigned threads[] = { 1, 2, 4 };
    uint8_t first[32], hash[32];

    for (size_t i = 0; i < 3; i++) {
        lode_chain_maker *maker = make("all", threads[i], 3, 60);
        hash_chain(i ? hash : first, maker, 112);
        lode_chain_maker_destroy(maker);
        if (i)
            assert_memory_equal(first, hash, 32);
    }
}

static void another_seed_is_another_chain(void **state)
{
    lode_chain_maker *a = make("2024", 1, 3, 10), *b = make("2024", 1, 4, 10);
    lode_made_block block;

    assert_ok(lode_chain_maker_extend(a, &block));
    lode_block_hash hash = block.hash;
    assert_ok(lode_chain_maker_extend(b, &block));
    assert_false(lode_block_hash_is_equal(&hash, &block.hash));
    lode_chain_maker_destroy(a);
    lode_chain_maker_destroy(b);
}

static void every_block_of_every_mix_passes_the_rules(void **state)
{
    static const char *const mixes[] = { "2012", "2017", "2024", "all", "multisig:1", "p2tr-multisig:1,op-return:2" };

    for (size_t i = 0; i < sizeof mixes / sizeof mixes[0]; i++) {
        lode_chain_maker *maker = make(mixes[i], 2, 5 + i, 40);
        lode_replay replay;
        lode_made_block block;

        lode_replay_init(&replay);
        for (unsigned height = 1; height <= 125; height++) {
            assert_ok(lode_chain_maker_extend(maker, &block));
            assert_int_equal(block.height, height);
            const char *wrong = lode_replay_block(&replay, &block);
            if (wrong)
                fail_msg("mix %s, height %u: %s", mixes[i], height, wrong);
            if (height > 105)
                assert_int_equal(block.tx_count, 40);
        }
        assert_true(replay.live == lode_chain_maker_coin_count(maker));
        lode_replay_clear(&replay);
        lode_chain_maker_destroy(maker);
    }
}

static lode_status find_in_replay(void *context, const lode_made_coin *coin, lode_slice script)
{
    const lode_replay *replay = (const lode_replay *)context;
    uint8_t prevout[36];

    memcpy(prevout, coin->txid.bytes, 32);
    lode_write_le32(prevout + 32, coin->index);
    const lode_replay_coin *found = lode_replay_find(replay, prevout);
    assert_non_null(found);
    assert_true(found->value == coin->value);
    assert_int_equal(found->height, coin->height);
    assert_int_equal(found->is_coinbase, coin->is_coinbase);
    assert_int_equal(found->script_len, script.len);
    assert_memory_equal(found->script, script.data, script.len);
    return lode_ok();
}

static void coins_visited_are_the_unspent_outputs_of_the_blocks(void **state)
{
    lode_chain_maker *maker = make("all", 1, 9, 50);
    lode_replay replay;
    lode_made_block block;

    lode_replay_init(&replay);
    for (unsigned i = 0; i < 112; i++) {
        assert_ok(lode_chain_maker_extend(maker, &block));
        assert_null(lode_replay_block(&replay, &block));
    }
    assert_true(replay.live == lode_chain_maker_coin_count(maker));
    assert_ok(lode_chain_maker_visit_coins(maker, find_in_replay, &replay));
    lode_replay_clear(&replay);
    lode_chain_maker_destroy(maker);
}

static lode_status add_to_sum(void *context, const lode_made_coin *coin, lode_slice script)
{
    uint8_t *sum = (uint8_t *)context, hash[32];

    lode_sha256(hash, coin, offsetof(lode_made_coin, is_coinbase));
    for (int i = 0; i < 32; i++)
        sum[i] ^= hash[i];
    return lode_ok();
}

static void rewinding_gives_back_every_coin(void **state)
{
    lode_chain_maker *maker = make("all", 1, 11, 30);
    lode_made_block block;
    uint8_t before[32] = { 0 }, after[32] = { 0 }, hash[32];

    hash_chain(hash, maker, 108);
    uint64_t count = lode_chain_maker_coin_count(maker);
    lode_block_hash tip = lode_chain_maker_tip(maker);
    assert_ok(lode_chain_maker_visit_coins(maker, add_to_sum, before));
    assert_ok(lode_chain_maker_mark(maker));
    hash_chain(hash, maker, 2);
    assert_ok(lode_chain_maker_mark(maker));
    hash_chain(hash, maker, 2);
    lode_chain_maker_rewind(maker);
    assert_int_equal(lode_chain_maker_height(maker), 110);
    lode_chain_maker_rewind(maker);
    assert_int_equal(lode_chain_maker_height(maker), 108);
    lode_block_hash now = lode_chain_maker_tip(maker);
    assert_true(lode_block_hash_is_equal(&tip, &now));
    assert_true(count == lode_chain_maker_coin_count(maker));
    assert_ok(lode_chain_maker_visit_coins(maker, add_to_sum, after));
    assert_memory_equal(before, after, 32);
    assert_ok(lode_chain_maker_extend(maker, &block));
    assert_int_equal(block.height, 109);
    lode_chain_maker_destroy(maker);
}

static void branches_differ_and_each_is_good(void **state)
{
    lode_chain_maker *maker = make("2024", 1, 12, 20);
    lode_replay replay, other;
    lode_made_block block;

    lode_replay_init(&replay);
    lode_replay_init(&other);
    for (unsigned i = 0; i < 106; i++) {
        assert_ok(lode_chain_maker_extend(maker, &block));
        assert_null(lode_replay_block(&replay, &block));
        assert_null(lode_replay_block(&other, &block));
    }
    assert_ok(lode_chain_maker_mark(maker));
    for (unsigned i = 0; i < 3; i++) {
        assert_ok(lode_chain_maker_extend(maker, &block));
        assert_null(lode_replay_block(&other, &block));
    }
    lode_chain_maker_rewind(maker);
    for (unsigned i = 0; i < 5; i++) {
        assert_ok(lode_chain_maker_extend(maker, &block));
        assert_null(lode_replay_block(&replay, &block));
    }
    assert_false(lode_block_hash_is_equal(&replay.tip, &other.tip));
    lode_replay_clear(&replay);
    lode_replay_clear(&other);
    lode_chain_maker_destroy(maker);
}

/* Which rule refuses it is Core's to say (genchain_test.sh, where bitcoind is at hand); that it is refused, ours. The
 * replay has no tree of headers: it does not see what only the place in the chain makes wrong. */
static bool replay_can_see(const char *name)
{
    static const char *const blind[] = { "early-sequence-blocks", "early-sequence-time", "bad-cb-height", "bad-bits",
                                         "bad-version",           "time-too-new" };

    for (size_t i = 0; i < sizeof blind / sizeof blind[0]; i++) {
        if (strcmp(name, blind[i]) == 0)
            return false;
    }
    return true;
}

static void invalid_blocks_are_refused_and_leave_the_chain_alone(void **state)
{
    for (unsigned kind = 0; kind < lode_invalid_kind_count(); kind += 1) {
        lode_chain_maker *maker = make(kind % 2 ? "2024" : "2012", 1, 13, 8);
        lode_replay replay;
        lode_made_block block;

        lode_replay_init(&replay);
        for (unsigned i = 0; i < 104; i++) {
            assert_ok(lode_chain_maker_extend(maker, &block));
            assert_null(lode_replay_block(&replay, &block));
        }
        uint64_t count = lode_chain_maker_coin_count(maker);
        assert_ok(lode_chain_maker_make_invalid(maker, &block, kind));
        assert_string_equal(block.reject, lode_invalid_kind_reject(kind));
        assert_int_equal(block.height, 105);
        const char *wrong = lode_replay_block(&replay, &block);
        if (replay_can_see(lode_invalid_kind_name(kind)) && !wrong)
            fail_msg("%s was not refused", lode_invalid_kind_name(kind));
        assert_int_equal(lode_chain_maker_height(maker), 104);
        assert_true(count == lode_chain_maker_coin_count(maker));
        lode_replay_clear(&replay);
        lode_chain_maker_destroy(maker);
    }
}

static void names_lead_to_kinds_and_back(void **state)
{
    for (unsigned i = 0; i < LODE_KIND_COUNT; i++) {
        const char *name = lode_coin_kind_name((lode_coin_kind)i);
        lode_coin_kind kind = LODE_KIND_COUNT;
        assert_true(lode_coin_kind_from_name(&kind, name, strlen(name)));
        assert_int_equal(kind, i);
    }
    for (unsigned i = 0; i < lode_invalid_kind_count(); i++) {
        const char *name = lode_invalid_kind_name(i);
        unsigned kind;
        assert_true(lode_invalid_kind_from_name(&kind, name, strlen(name)));
        assert_int_equal(kind, i);
    }
}

static void recipes_out_of_range_are_refused(void **state)
{
    static const char *const wrong[] = { "", "2013", "p2pkh", "p2pkh:", "p2pkh:x", "p2pkh:1,p3pkh:1", "p2pkh:-1" };
    lode_chain_recipe recipe;
    lode_chain_maker *maker;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(lode_chain_recipe_init(&recipe, wrong[i]));
    assert_true(lode_chain_recipe_init(&recipe, "op-return:1"));
    assert_int_equal(lode_chain_maker_create(&maker, &recipe).code, LODE_INVALID_ARGUMENT);
    assert_null(maker);
    assert_true(lode_chain_recipe_init(&recipe, "all"));
    recipe.key_count = 0;
    assert_int_equal(lode_chain_maker_create(&maker, &recipe).code, LODE_INVALID_ARGUMENT);
}

static void a_transaction_by_hand_is_in_the_next_block(void **state)
{
    lode_chain_maker *maker = make("2024", 1, 14, 30);
    lode_replay replay;
    lode_made_block block;
    lode_maker_input in = { .sighash = LODE_SIGHASH_ALL };
    lode_maker_output out = { .kind = LODE_KIND_P2SH_MULTISIG, .key = 5 };
    lode_maker_tx tx = { .version = 2, .inputs = &in, .input_count = 1, .outputs = &out, .output_count = 1 };
    uint32_t position;

    lode_replay_init(&replay);
    for (unsigned i = 0; i < 106; i++) {
        assert_ok(lode_chain_maker_extend(maker, &block));
        assert_null(lode_replay_block(&replay, &block));
    }
    assert_true(lode_chain_maker_take_coin(maker, &in.coin, LODE_KIND_P2WPKH));
    lode_made_coin_needs(&in.coin, &in.sequence, &tx.lock_time, &tx.version);
    out.value = in.coin.value - 1;
    assert_ok(lode_chain_maker_add_tx(maker, &position, &tx));
    assert_int_equal(position, 1);
    in.coin = (lode_made_coin){ .source = position, .height = 107, .value = out.value, .kind = out.kind, .key = 5 };
    out.kind = LODE_KIND_P2TR;
    assert_ok(lode_chain_maker_add_tx(maker, &position, &tx));
    assert_int_equal(position, 2);
    assert_int_equal(lode_chain_maker_mark(maker).code, LODE_INVALID_ARGUMENT);
    assert_ok(lode_chain_maker_extend_empty(maker, &block));
    assert_int_equal(block.tx_count, 3);
    assert_int_equal(block.signature_count, 3);
    assert_null(lode_replay_block(&replay, &block));
    assert_ok(lode_chain_maker_extend(maker, &block));
    assert_null(lode_replay_block(&replay, &block));
    lode_replay_clear(&replay);
    lode_chain_maker_destroy(maker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_do_not_depend_on_threads),
        cmocka_unit_test(another_seed_is_another_chain),
        cmocka_unit_test(every_block_of_every_mix_passes_the_rules),
        cmocka_unit_test(coins_visited_are_the_unspent_outputs_of_the_blocks),
        cmocka_unit_test(rewinding_gives_back_every_coin),
        cmocka_unit_test(branches_differ_and_each_is_good),
        cmocka_unit_test(invalid_blocks_are_refused_and_leave_the_chain_alone),
        cmocka_unit_test(names_lead_to_kinds_and_back),
        cmocka_unit_test(recipes_out_of_range_are_refused),
        cmocka_unit_test(a_transaction_by_hand_is_in_the_next_block),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
