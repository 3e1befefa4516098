/* test/chainstate/undo_test.c: undo bytes written, walked and damaged. */
#include "chainstate/undo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Two transactions. The first spends a key hash's 50 BTC of the coinbase at height 1, and of height 0 (no version byte)
 * an output of nothing to an empty script. The second spends 1 satoshi at height 300 to OP_1. */
static const uint8_t example[] = {
    2,  2,  3,  0,  0x32, 0,  1,  2,  3, 4, 5, 6, 7,    8,    9, 10, 11, 12,
    13, 14, 15, 16, 17,   18, 19, 20, 0, 0, 6, 1, 0x83, 0x58, 0, 1,  7,  0x51,
};

static void the_example_is_read_coin_by_coin(void **state)
{
    lode_undo_reader u;
    uint64_t txs, inputs, amount;
    uint32_t height;
    bool is_coinbase;
    lode_slice script;

    lode_undo_reader_init(&u, example, sizeof example, &txs);
    assert_int_equal(txs, 2);
    assert_true(lode_undo_next_tx(&u, &inputs));
    assert_int_equal(inputs, 2);
    assert_true(lode_undo_next_coin(&u, &height, &is_coinbase, &amount, &script));
    assert_int_equal(height, 1);
    assert_true(is_coinbase);
    assert_int_equal(amount, 0x32);
    assert_int_equal(script.len, 21);
    assert_ptr_equal(script.data, example + 5);
    assert_true(lode_undo_next_coin(&u, &height, &is_coinbase, &amount, &script));
    assert_int_equal(height, 0);
    assert_false(is_coinbase);
    assert_int_equal(script.len, 1);
    assert_false(lode_undo_next_coin(&u, &height, &is_coinbase, &amount, &script));
    assert_true(lode_undo_next_tx(&u, &inputs));
    assert_true(lode_undo_next_coin(&u, &height, &is_coinbase, &amount, &script));
    assert_int_equal(height, 300);
    assert_int_equal(amount, 1);
    assert_int_equal(script.len, 2);
    assert_false(lode_undo_next_tx(&u, &inputs));
    assert_true(lode_undo_reader_is_done(&u));
}

static void coins_that_are_not_asked_for_are_stepped_over(void **state)
{
    lode_undo_reader u;
    uint64_t txs, inputs;

    lode_undo_reader_init(&u, example, sizeof example, &txs);
    assert_true(lode_undo_next_tx(&u, &inputs));
    assert_true(lode_undo_next_tx(&u, &inputs));
    assert_int_equal(inputs, 1);
    assert_false(lode_undo_reader_is_done(&u));
    assert_false(lode_undo_next_tx(&u, &inputs));
    assert_true(lode_undo_reader_is_done(&u));
}

static void writing_gives_the_bytes_that_were_read(void **state)
{
    lode_undo_reader u;
    uint64_t txs, inputs, amount;
    uint32_t height;
    bool is_coinbase;
    lode_slice script;
    uint8_t out[64];
    size_t n;

    lode_undo_reader_init(&u, example, sizeof example, &txs);
    while (lode_undo_next_tx(&u, &inputs)) {
        for (; inputs > 0; inputs--) {
            const uint8_t *start = u.r.at;
            assert_true(lode_undo_next_coin(&u, &height, &is_coinbase, &amount, &script));
            n = lode_undo_put_coin(out, height, is_coinbase, amount, script);
            assert_int_equal(n, u.r.at - start);
            assert_memory_equal(out, start, n);
        }
    }
    assert_true(lode_undo_reader_is_done(&u));
}

/* True when every coin was there and nothing is left. */
static bool walk(const uint8_t *bytes, size_t len)
{
    lode_undo_reader u;
    uint64_t txs, inputs;

    lode_undo_reader_init(&u, bytes, len, &txs);
    while (lode_undo_next_tx(&u, &inputs)) {
    }
    return lode_undo_reader_is_done(&u);
}

static void bytes_that_are_missing_or_left_over_are_noticed(void **state)
{
    uint8_t longer[sizeof example + 1] = { 0 };

    for (size_t len = 0; len < sizeof example; len++) {
        uint8_t *cut = test_malloc(len + 1);
        memcpy(cut, example, len);
        assert_false(walk(cut, len));
        test_free(cut);
    }
    memcpy(longer, example, sizeof example);
    assert_true(walk(longer, sizeof example));
    assert_false(walk(longer, sizeof longer));
}

static void flipped_bits_never_read_beyond_the_end(void **state)
{
    for (size_t i = 0; i < sizeof example * 8; i++) {
        uint8_t *copy = test_malloc(sizeof example);
        memcpy(copy, example, sizeof example);
        copy[i / 8] ^= (uint8_t)(1 << i % 8);
        (void)walk(copy, sizeof example);
        test_free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_is_read_coin_by_coin),
        cmocka_unit_test(coins_that_are_not_asked_for_are_stepped_over),
        cmocka_unit_test(writing_gives_the_bytes_that_were_read),
        cmocka_unit_test(bytes_that_are_missing_or_left_over_are_noticed),
        cmocka_unit_test(flipped_bits_never_read_beyond_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
