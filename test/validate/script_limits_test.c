/* test/validate/script_limits_test.c: every limit of scripts, met exactly and passed by one. */
#include "validate/script/interpreter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "test/validate/script_keys.h"
#include "test/validate/script_spend.h"
#include "test/validate/script_words.h"
#include "validate/script/taproot.h"

enum { WITNESS_FLAGS = LODE_VERIFY_P2SH | LODE_VERIFY_WITNESS | LODE_VERIFY_TAPROOT };

static void repeat(lode_buf *out, uint8_t byte, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lode_buf_put_u8(out, byte);
}

static void put_data_push(lode_buf *out, size_t len)
{
    uint8_t data[600] = { 1 };
    assert_true(len <= sizeof data);
    script_put_push(out, lode_slice_of(data, len));
}

/* Runs and empties `script` as a bare output. */
static lode_script_error run_bare(lode_buf *script)
{
    lode_script_error error;
    spend s;
    spend_init(&s, lode_slice_of(NULL, 0), lode_buf_slice(script), 0);
    spend_verify(&error, &s, 0);
    spend_clear(&s);
    lode_buf_clear(script);
    return error;
}

/* Runs `script` in a version 0 output over `count` items of `len` bytes 01. */
static lode_script_error run_v0(lode_buf *script, size_t count, size_t len)
{
    uint8_t hash[32], item[600];
    lode_buf output = LODE_BUF_EMPTY;
    lode_script_error error;
    spend s;
    memset(item, 1, sizeof item);
    lode_sha256(hash, script->data, script->len);
    lode_buf_put_u8(&output, 0);
    script_put_push(&output, lode_slice_of(hash, 32));
    spend_init(&s, lode_slice_of(NULL, 0), lode_buf_slice(&output), 0);
    for (size_t i = 0; i < count; i++)
        spend_add_witness(&s, lode_slice_of(item, len));
    spend_add_witness(&s, lode_buf_slice(script));
    spend_verify(&error, &s, WITNESS_FLAGS);
    spend_clear(&s);
    lode_buf_clear(&output);
    lode_buf_clear(script);
    return error;
}

/* The same as the only leaf of a taproot output. */
static lode_script_error run_tapscript(lode_buf *script, size_t count, size_t len)
{
    const test_key *key = test_key_at(0);
    uint8_t item[600], leaf[32], output_key[32], control[33];
    lode_buf output = LODE_BUF_EMPTY;
    lode_script_error error;
    spend s;
    memset(item, 1, sizeof item);
    lode_tapleaf_hash(leaf, LODE_TAPROOT_LEAF_TAPSCRIPT, lode_buf_slice(script));
    control[0] = (uint8_t)(LODE_TAPROOT_LEAF_TAPSCRIPT | test_tweak(output_key, key, leaf));
    memcpy(control + 1, key->x_only, 32);
    lode_buf_put_u8(&output, 0x51);
    script_put_push(&output, lode_slice_of(output_key, 32));
    spend_init(&s, lode_slice_of(NULL, 0), lode_buf_slice(&output), 0);
    for (size_t i = 0; i < count; i++)
        spend_add_witness(&s, lode_slice_of(item, len));
    spend_add_witness(&s, lode_buf_slice(script));
    spend_add_witness(&s, lode_slice_of(control, sizeof control));
    spend_verify(&error, &s, WITNESS_FLAGS);
    spend_clear(&s);
    lode_buf_clear(&output);
    lode_buf_clear(script);
    return error;
}

static void make_sized(lode_buf *script, size_t size)
{
    while (script->len + 600 < size) {
        put_data_push(script, 520);
        lode_buf_put_u8(script, 0x75);
    }
    while (script->len + 120 < size) {
        put_data_push(script, 70);
        lode_buf_put_u8(script, 0x75);
    }
    repeat(script, 0x00, size - script->len - 1);
    lode_buf_put_u8(script, 0x51);
}

static void a_script_has_at_most_10000_bytes_except_in_tapscript(void **state)
{
    lode_buf script = LODE_BUF_EMPTY;
    make_sized(&script, 10000);
    assert_int_equal(run_bare(&script), LODE_SCRIPT_OK);
    make_sized(&script, 10001);
    assert_int_equal(run_bare(&script), LODE_SCRIPT_SCRIPT_SIZE);
    make_sized(&script, 10001);
    assert_int_equal(run_v0(&script, 0, 0), LODE_SCRIPT_SCRIPT_SIZE);
    make_sized(&script, 10001);
    assert_int_equal(run_tapscript(&script, 0, 0), LODE_SCRIPT_CLEANSTACK); /* it ran */
}

static void an_item_has_at_most_520_bytes(void **state)
{
    lode_buf script = LODE_BUF_EMPTY;
    put_data_push(&script, 520);
    assert_int_equal(run_bare(&script), LODE_SCRIPT_OK);
    put_data_push(&script, 521);
    assert_int_equal(run_bare(&script), LODE_SCRIPT_PUSH_SIZE);
    script_put_words(&script, "1 0 IF"); /* even where it does not run */
    put_data_push(&script, 521);
    script_put_words(&script, "ENDIF");
    assert_int_equal(run_bare(&script), LODE_SCRIPT_PUSH_SIZE);
    script_put_words(&script, "SIZE DROP");
    assert_int_equal(run_v0(&script, 1, 520), LODE_SCRIPT_OK);
    script_put_words(&script, "SIZE DROP");
    assert_int_equal(run_v0(&script, 1, 521), LODE_SCRIPT_PUSH_SIZE);
    script_put_words(&script, "SIZE DROP");
    assert_int_equal(run_tapscript(&script, 1, 520), LODE_SCRIPT_OK);
    script_put_words(&script, "SIZE DROP");
    assert_int_equal(run_tapscript(&script, 1, 521), LODE_SCRIPT_PUSH_SIZE);
    script_put_words(&script, "0x50"); /* a success code overrides it */
    assert_int_equal(run_tapscript(&script, 1, 521), LODE_SCRIPT_OK);
}

static void a_script_has_at_most_201_opcodes_that_are_no_pushes_except_in_tapscript(void **state)
{
    lode_buf script = LODE_BUF_EMPTY;
    for (int beyond = 0; beyond <= 1; beyond++) {
        lode_script_error expected = beyond ? LODE_SCRIPT_OP_COUNT : LODE_SCRIPT_OK;
        lode_buf_put_u8(&script, 0x51);
        repeat(&script, 0x61, 201 + (size_t)beyond);
        assert_int_equal(run_bare(&script), expected);

        script_put_words(&script, "1 0 IF"); /* those that do not run count, OP_RESERVED does not */
        repeat(&script, 0x61, 199 + (size_t)beyond);
        repeat(&script, 0x50, 10);
        script_put_words(&script, "ENDIF");
        assert_int_equal(run_bare(&script), expected);

        lode_buf_put_u8(&script, 0x51);
        repeat(&script, 0x61, 201 + (size_t)beyond);
        assert_int_equal(run_v0(&script, 0, 0), expected);

        lode_buf_put_u8(&script, 0x51);
        repeat(&script, 0x61, 201 + (size_t)beyond);
        assert_int_equal(run_tapscript(&script, 0, 0), LODE_SCRIPT_OK);

        script_put_words(&script, "0 0"); /* keys of a multisig count */
        repeat(&script, 0x00, 20);
        script_put_words(&script, "20 CHECKMULTISIG");
        repeat(&script, 0x61, 180 + (size_t)beyond);
        assert_int_equal(run_bare(&script), expected);
    }
}

static void both_stacks_hold_at_most_1000_items(void **state)
{
    lode_buf script = LODE_BUF_EMPTY;
    repeat(&script, 0x51, 1000);
    assert_int_equal(run_bare(&script), LODE_SCRIPT_OK);
    repeat(&script, 0x51, 1001);
    assert_int_equal(run_bare(&script), LODE_SCRIPT_STACK_SIZE);
    repeat(&script, 0x51, 998);
    repeat(&script, 0x6b, 3);
    script_put_words(&script, "1 1");
    assert_int_equal(run_bare(&script), LODE_SCRIPT_OK);
    repeat(&script, 0x51, 998);
    repeat(&script, 0x6b, 3);
    script_put_words(&script, "1 1 1");
    assert_int_equal(run_bare(&script), LODE_SCRIPT_STACK_SIZE);
    repeat(&script, 0x51, 998);
    script_put_words(&script, "3DUP"); /* three at once */
    assert_int_equal(run_bare(&script), LODE_SCRIPT_STACK_SIZE);
}

/* v0 says nothing about the first stack, so its first opcode may bring it back within the limit. */
static void a_v0_witness_may_begin_above_1000_items(void **state)
{
    lode_buf script = LODE_BUF_EMPTY;
    for (int beyond = 0; beyond <= 1; beyond++) {
        lode_buf_put_u8(&script, 0x6d); /* 2DROP */
        repeat(&script, 0x6d, 200);
        assert_int_equal(run_v0(&script, 1002 + (size_t)beyond, 1),
                         beyond ? LODE_SCRIPT_STACK_SIZE : LODE_SCRIPT_CLEANSTACK);
    }
    script_put_words(&script, "DEPTH"); /* with far more: the first opcode still says what is wrong first */
    assert_int_equal(run_v0(&script, 5000, 1), LODE_SCRIPT_STACK_SIZE);
    script_put_words(&script, "RETURN");
    assert_int_equal(run_v0(&script, 5000, 1), LODE_SCRIPT_OP_RETURN);
    script_put_words(&script, "PICK");
    assert_int_equal(run_v0(&script, 5000, 1), LODE_SCRIPT_STACK_SIZE);
    script_put_words(&script, "ROLL");
    assert_int_equal(run_v0(&script, 5000, 2), LODE_SCRIPT_STACK_SIZE); /* 0x0101: the item is among the loaded */
    script_put_words(&script, "ROLL");
    assert_int_equal(run_v0(&script, 5000, 5), LODE_SCRIPT_SCRIPTNUM);
    assert_int_equal(run_v0(&script, 5000, 1), LODE_SCRIPT_CLEANSTACK); /* no opcode, no limit */
    assert_int_equal(run_v0(&script, 5000, 521), LODE_SCRIPT_PUSH_SIZE);
}

/* A multisig of 20 keys takes 43 items, the most of all opcodes: 1042 items are 999 and its verdict. */
static void the_largest_multisig_may_be_the_first_opcode_over_1042_items(void **state)
{
    for (size_t items = 1042; items <= 1044; items++) {
        static const uint8_t twenty = 20;
        uint8_t hash[32], script[] = { 0xae };
        lode_buf output = LODE_BUF_EMPTY;
        lode_script_error error;
        spend s;
        lode_sha256(hash, script, 1);
        lode_buf_put_u8(&output, 0);
        script_put_push(&output, lode_slice_of(hash, 32));
        spend_init(&s, lode_slice_of(NULL, 0), lode_buf_slice(&output), 0);
        for (size_t i = 0; i < items; i++) {
            bool is_count = i == items - 1 || i == items - 22;
            spend_add_witness(&s, is_count ? lode_slice_of(&twenty, 1) : lode_slice_of(NULL, 0));
        }
        spend_add_witness(&s, lode_slice_of(script, 1));
        spend_verify(&error, &s, WITNESS_FLAGS);
        assert_int_equal(error, items == 1042 ? LODE_SCRIPT_CLEANSTACK : LODE_SCRIPT_STACK_SIZE);
        spend_clear(&s);
        lode_buf_clear(&output);
    }
}

static void a_tapscript_begins_with_at_most_1000_items(void **state)
{
    lode_buf script = LODE_BUF_EMPTY;
    assert_int_equal(run_tapscript(&script, 1000, 1), LODE_SCRIPT_CLEANSTACK);
    repeat(&script, 0x6d, 499);
    lode_buf_put_u8(&script, 0x75);
    assert_int_equal(run_tapscript(&script, 1000, 1), LODE_SCRIPT_OK);
    repeat(&script, 0x6d, 500);
    assert_int_equal(run_tapscript(&script, 1001, 1), LODE_SCRIPT_STACK_SIZE);
    script_put_words(&script, "0x50");
    assert_int_equal(run_tapscript(&script, 1001, 1), LODE_SCRIPT_OK);
}

static lode_script_error run_multisig(int64_t sigs, int64_t keys, bool with_dummy)
{
    lode_buf script = LODE_BUF_EMPTY;
    if (with_dummy)
        script_put_number(&script, 0);
    for (int64_t i = 0; i < sigs; i++)
        script_put_number(&script, 0);
    script_put_number(&script, sigs);
    for (int64_t i = 0; i < keys; i++)
        script_put_number(&script, 1);
    script_put_number(&script, keys);
    script_put_words(&script, "CHECKMULTISIG");
    return run_bare(&script);
}

static void multisig_counts_have_their_bounds(void **state)
{
    assert_int_equal(run_multisig(0, 0, true), LODE_SCRIPT_OK);
    assert_int_equal(run_multisig(0, 0, false), LODE_SCRIPT_INVALID_STACK_OPERATION);
    assert_int_equal(run_multisig(0, 20, true), LODE_SCRIPT_OK);
    assert_int_equal(run_multisig(0, 20, false), LODE_SCRIPT_INVALID_STACK_OPERATION);
    assert_int_equal(run_multisig(0, 21, true), LODE_SCRIPT_PUBKEY_COUNT);
    assert_int_equal(run_multisig(0, -1, true), LODE_SCRIPT_PUBKEY_COUNT);
    assert_int_equal(run_multisig(3, 3, true), LODE_SCRIPT_EVAL_FALSE);
    assert_int_equal(run_multisig(4, 3, true), LODE_SCRIPT_SIG_COUNT);
    assert_int_equal(run_multisig(-1, 3, true), LODE_SCRIPT_SIG_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_script_has_at_most_10000_bytes_except_in_tapscript),
        cmocka_unit_test(an_item_has_at_most_520_bytes),
        cmocka_unit_test(a_script_has_at_most_201_opcodes_that_are_no_pushes_except_in_tapscript),
        cmocka_unit_test(both_stacks_hold_at_most_1000_items),
        cmocka_unit_test(a_v0_witness_may_begin_above_1000_items),
        cmocka_unit_test(the_largest_multisig_may_be_the_first_opcode_over_1042_items),
        cmocka_unit_test(a_tapscript_begins_with_at_most_1000_items),
        cmocka_unit_test(multisig_counts_have_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
