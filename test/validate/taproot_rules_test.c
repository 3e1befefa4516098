/* test/validate/taproot_rules_test.c: rules of BIP 341 and 342, each kept by one real spend and broken by its
 * neighbour. */
#include "validate/script/sigcheck.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "test/validate/script_keys.h"
#include "test/validate/script_spend.h"
#include "test/validate/script_words.h"
#include "validate/script/taproot.h"

enum { FLAGS = LODE_VERIFY_P2SH | LODE_VERIFY_WITNESS | LODE_VERIFY_TAPROOT };

/* A spend of a taproot output under key 0: by key, or by `script` as a leaf beside one sibling. */
typedef struct trial {
    lode_buf script, output, control, annex;
    lode_buf items[8];
    size_t item_count;
    uint8_t leaf_version;
    uint8_t root[32];
    spend spend;
    lode_txout outputs[2];
    lode_txin inputs[2];
    lode_txout spent[2];
    lode_tx_hashes hashes;
    bool by_script;
} trial;

static void begin(trial *t, bool by_script)
{
    memset(t, 0, sizeof *t);
    t->by_script = by_script;
    t->leaf_version = LODE_TAPROOT_LEAF_TAPSCRIPT;
}

static lode_buf *next_item(trial *t)
{
    return &t->items[t->item_count++];
}

static void make_output(trial *t)
{
    static const uint8_t sibling[32] = { 0x77 };
    uint8_t leaf[32], output_key[32];
    lode_buf_reset(&t->control);
    lode_buf_put_u8(&t->control, t->leaf_version);
    lode_buf_append(&t->control, test_key_at(0)->x_only, 32);
    lode_buf_append(&t->control, sibling, 32);
    lode_tapleaf_hash(leaf, t->leaf_version, lode_buf_slice(&t->script));
    lode_taproot_root(t->root, lode_buf_slice(&t->control), leaf);
    t->control.data[0] |= (uint8_t)test_tweak(output_key, test_key_at(0), t->root);
    lode_buf_reset(&t->output);
    lode_buf_put_u8(&t->output, 0x51);
    script_put_push(&t->output, lode_slice_of(output_key, 32));
}

/* Input 1 of two, with two outputs of which the second may be taken away. */
static void make_spend(trial *t)
{
    static const uint8_t other_prevout[36] = { 5 }, any_script[] = { 0x52 };
    make_output(t);
    spend_clear(&t->spend);
    spend_init(&t->spend, lode_slice_of(NULL, 0), lode_buf_slice(&t->output), 1000);
    t->outputs[0] = (lode_txout){ { 10 }, any_script, 1 };
    t->outputs[1] = (lode_txout){ { 20 }, any_script, 1 };
    t->inputs[0] = (lode_txin){ .prevout = other_prevout, .sequence = 7 };
    t->spent[0] = (lode_txout){ { 77 }, any_script, 1 };
    t->spent[1] = t->spend.spent;
}

static void add_witness(trial *t)
{
    for (size_t i = 0; i < t->item_count; i++)
        spend_add_witness(&t->spend, lode_buf_slice(&t->items[i]));
    if (t->by_script) {
        spend_add_witness(&t->spend, lode_buf_slice(&t->script));
        spend_add_witness(&t->spend, lode_buf_slice(&t->control));
    }
    if (t->annex.len)
        spend_add_witness(&t->spend, lode_buf_slice(&t->annex));
}

static void make_hashes(trial *t)
{
    make_spend(t);
    add_witness(t);
    t->inputs[1] = t->spend.input;
    t->spend.tx.inputs = t->inputs;
    t->spend.tx.outputs = t->outputs;
    t->spend.tx.input_count = t->spend.tx.output_count = 2;
    lode_tx_hashes_init(&t->hashes, &t->spend.tx, t->spent, true);
}

static void sign(trial *t, lode_buf *sig, unsigned key, uint8_t type, uint32_t separator)
{
    lode_tapscript_context context = { .is_script_path = t->by_script,
                                       .code_separator_position = separator,
                                       .has_annex = t->annex.len > 0 };
    uint8_t digest[32], bytes[64];
    make_hashes(t);
    lode_tapleaf_hash(context.leaf_hash, t->leaf_version, lode_buf_slice(&t->script));
    lode_annex_hash(context.annex_hash, lode_buf_slice(&t->annex));
    assert_true(lode_sighash_taproot(digest, &t->hashes, 1, type, &context, NULL));
    if (t->by_script)
        test_sign_schnorr(bytes, test_key_at(key), digest);
    else
        test_sign_tweaked(bytes, test_key_at(key), t->root, digest);
    lode_buf_reset(sig);
    lode_buf_append(sig, bytes, 64);
    if (type)
        lode_buf_put_u8(sig, type);
}

static lode_script_error run(trial *t, uint32_t flags)
{
    lode_script_error error;
    uint32_t failed;
    make_hashes(t);
    lode_tx_check_scripts(&error, &failed, &t->hashes, 1, 2, FLAGS | flags, NULL);
    return error;
}

static void end(trial *t)
{
    spend_clear(&t->spend);
    lode_buf_clear(&t->script);
    lode_buf_clear(&t->output);
    lode_buf_clear(&t->control);
    lode_buf_clear(&t->annex);
    for (size_t i = 0; i < 8; i++)
        lode_buf_clear(&t->items[i]);
}

static void put_key(trial *t, unsigned key)
{
    script_put_push(&t->script, lode_slice_of(test_key_at(key)->x_only, 32));
}

static const uint8_t types[] = { 0, 1, 2, 3, 0x81, 0x82, 0x83 };

static void a_key_spends_with_each_hash_type_with_and_without_annex(void **state)
{
    for (size_t i = 0; i < sizeof types; i++) {
        for (int with_annex = 0; with_annex <= 1; with_annex++) {
            trial t;
            begin(&t, false);
            if (with_annex)
                lode_buf_append(&t.annex, "\x50 any", 5);
            sign(&t, next_item(&t), 0, types[i], 0);
            assert_int_equal(run(&t, 0), LODE_SCRIPT_OK);
            t.items[0].data[3] ^= 1;
            assert_int_equal(run(&t, 0), LODE_SCRIPT_SCHNORR_SIG);
            t.items[0].data[3] ^= 1;
            lode_buf_append(&t.annex, with_annex ? "!" : "\x50", 1); /* every type covers the annex */
            assert_int_equal(run(&t, 0), LODE_SCRIPT_SCHNORR_SIG);
            end(&t);
        }
    }
}

static void hash_types_cover_what_they_say(void **state)
{
    for (size_t i = 0; i < sizeof types; i++) {
        uint8_t type = types[i];
        bool one_input = type & 0x80, none = (type & 3) == 2, single = (type & 3) == 3;
        trial t;
        begin(&t, false);
        sign(&t, next_item(&t), 0, type, 0);
        make_hashes(&t);
        for (int change = 0; change < 6; change++) {
            lode_script_error error;
            uint32_t failed;
            lode_tx_hashes hashes;
            int32_t *sequence = (int32_t *)&t.inputs[0].sequence;
            int64_t *values[] = { &t.outputs[0].value.sat, &t.outputs[1].value.sat, &t.spent[0].value.sat,
                                  &t.spent[1].value.sat };
            bool covered[] = { !none && !single, !none, !one_input, true, !one_input, true };
            if (change < 4)
                ++*values[change];
            else if (change == 4)
                ++*sequence;
            else
                t.spend.tx.lock_time++;
            lode_tx_hashes_init(&hashes, &t.spend.tx, t.spent, false);
            bool good = lode_tx_check_scripts(&error, &failed, &hashes, 1, 2, FLAGS, NULL);
            assert_int_equal(good, !covered[change]);
            if (change < 4)
                --*values[change];
            else if (change == 4)
                --*sequence;
            else
                t.spend.tx.lock_time--;
        }
        end(&t);
    }
}

static void schnorr_signatures_have_64_bytes_or_one_more_that_is_not_zero(void **state)
{
    trial t;
    begin(&t, false);
    lode_buf *sig = next_item(&t);
    sign(&t, sig, 0, 0, 0);
    lode_buf_put_u8(sig, 0);
    assert_int_equal(run(&t, 0), LODE_SCRIPT_SCHNORR_SIG_HASHTYPE);
    for (unsigned type = 1; type < 256; type++) {
        bool known = type <= 3 || (type >= 0x81 && type <= 0x83);
        sig->data[64] = (uint8_t)type;
        assert_int_equal(run(&t, 0), known ? LODE_SCRIPT_SCHNORR_SIG : LODE_SCRIPT_SCHNORR_SIG_HASHTYPE);
    }
    lode_buf_put_u8(sig, 1);
    assert_int_equal(run(&t, 0), LODE_SCRIPT_SCHNORR_SIG_SIZE);
    sig->len = 63;
    assert_int_equal(run(&t, 0), LODE_SCRIPT_SCHNORR_SIG_SIZE);
    sig->len = 0;
    assert_int_equal(run(&t, 0), LODE_SCRIPT_SCHNORR_SIG_SIZE);
    t.item_count = 0;
    assert_int_equal(run(&t, 0), LODE_SCRIPT_WITNESS_PROGRAM_WITNESS_EMPTY);
    end(&t);
}

static void single_needs_its_output(void **state)
{
    lode_script_error error;
    uint32_t failed;
    lode_tx_hashes hashes;
    trial t;
    begin(&t, false);
    sign(&t, next_item(&t), 0, LODE_SIGHASH_SINGLE, 0);
    assert_int_equal(run(&t, 0), LODE_SCRIPT_OK);
    t.spend.tx.output_count = 1;
    lode_tx_hashes_init(&hashes, &t.spend.tx, t.spent, false);
    assert_false(lode_tx_check_scripts(&error, &failed, &hashes, 1, 2, FLAGS, NULL));
    assert_int_equal(error, LODE_SCRIPT_SCHNORR_SIG_HASHTYPE);
    end(&t);
}

static void without_the_flag_anyone_spends(void **state)
{
    trial t;
    lode_script_error error;
    uint32_t failed;
    begin(&t, false);
    lode_buf_put_u8(next_item(&t), 1);
    assert_int_equal(run(&t, 0), LODE_SCRIPT_SCHNORR_SIG_SIZE);
    assert_true(lode_tx_check_scripts(&error, &failed, &t.hashes, 1, 2, LODE_VERIFY_P2SH | LODE_VERIFY_WITNESS, NULL));
    end(&t);
}

/* <key 1> CHECKSIG with and without a separator before it. */
static void a_script_signature_covers_leaf_and_separator(void **state)
{
    trial t;
    begin(&t, true);
    script_put_words(&t.script, "NOP CODESEPARATOR");
    put_key(&t, 1);
    script_put_words(&t.script, "CHECKSIG");
    lode_buf *sig = next_item(&t);
    sign(&t, sig, 1, 0, 1); /* counted in opcodes */
    assert_int_equal(run(&t, 0), LODE_SCRIPT_OK);
    sign(&t, sig, 1, 0, 2);
    assert_int_equal(run(&t, 0), LODE_SCRIPT_SCHNORR_SIG);
    sign(&t, sig, 1, 0, UINT32_MAX);
    assert_int_equal(run(&t, 0), LODE_SCRIPT_SCHNORR_SIG);
    t.script.data[1] = 0x61; /* no separator, but another leaf */
    assert_int_equal(run(&t, 0), LODE_SCRIPT_SCHNORR_SIG);
    sign(&t, sig, 1, 0, UINT32_MAX);
    assert_int_equal(run(&t, 0), LODE_SCRIPT_OK);
    end(&t);
}

static void two_checks_around_a_separator_sign_different_positions(void **state)
{
    trial t;
    begin(&t, true);
    put_key(&t, 1);
    script_put_words(&t.script, "CHECKSIGVERIFY CODESEPARATOR");
    put_key(&t, 1);
    script_put_words(&t.script, "CHECKSIG");
    lode_buf *second = next_item(&t), *first = next_item(&t);
    sign(&t, first, 1, 0, UINT32_MAX);
    sign(&t, second, 1, 0, 2);
    assert_int_equal(run(&t, 0), LODE_SCRIPT_OK);
    sign(&t, second, 1, 0, UINT32_MAX);
    assert_int_equal(run(&t, 0), LODE_SCRIPT_SCHNORR_SIG);
    end(&t);
}

static void check_sig_add_counts_and_a_wrong_signature_is_fatal(void **state)
{
    trial t;
    begin(&t, true);
    put_key(&t, 1);
    script_put_words(&t.script, "CHECKSIG");
    put_key(&t, 2);
    script_put_words(&t.script, "CHECKSIGADD");
    put_key(&t, 3);
    script_put_words(&t.script, "CHECKSIGADD 2 NUMEQUAL");
    lode_buf *c = next_item(&t), *b = next_item(&t), *a = next_item(&t);
    sign(&t, a, 1, 0, UINT32_MAX);
    sign(&t, c, 3, 0, UINT32_MAX);
    assert_int_equal(run(&t, 0), LODE_SCRIPT_OK);
    sign(&t, b, 2, 0, UINT32_MAX);
    assert_int_equal(run(&t, 0), LODE_SCRIPT_EVAL_FALSE); /* three */
    sign(&t, b, 4, 0, UINT32_MAX);
    assert_int_equal(run(&t, 0), LODE_SCRIPT_SCHNORR_SIG);
    lode_buf_reset(b);
    lode_buf_reset(c);
    assert_int_equal(run(&t, 0), LODE_SCRIPT_EVAL_FALSE); /* one */
    end(&t);
}

static lode_script_error run_words(const char *script, const char *item, uint32_t flags)
{
    trial t;
    begin(&t, true);
    script_put_words(&t.script, script);
    if (item)
        script_put_words(next_item(&t), item);
    lode_script_error error = run(&t, flags);
    end(&t);
    return error;
}

static void keys_of_other_sizes_are_for_later_rules_and_empty_ones_for_none(void **state)
{
    const uint32_t strict = LODE_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE;
    assert_int_equal(run_words("'sig' 'unknown' CHECKSIG", NULL, 0), LODE_SCRIPT_OK);
    assert_int_equal(run_words("'sig' 'unknown' CHECKSIG", NULL, strict), LODE_SCRIPT_DISCOURAGE_UPGRADABLE_PUBKEYTYPE);
    assert_int_equal(run_words("0 'unknown' CHECKSIG NOT", NULL, 0), LODE_SCRIPT_OK);
    assert_int_equal(run_words("'sig' 0 'unknown' CHECKSIGADD", NULL, 0), LODE_SCRIPT_OK);
    assert_int_equal(run_words("'sig' 0 CHECKSIG", NULL, 0), LODE_SCRIPT_TAPSCRIPT_EMPTY_PUBKEY);
    assert_int_equal(run_words("0 0 CHECKSIG", NULL, 0), LODE_SCRIPT_TAPSCRIPT_EMPTY_PUBKEY);
    assert_int_equal(run_words("0 0 0 CHECKSIGADD", NULL, 0), LODE_SCRIPT_TAPSCRIPT_EMPTY_PUBKEY);
}

static void multisig_is_gone_and_conditions_are_minimal(void **state)
{
    assert_int_equal(run_words("0 0 0 CHECKMULTISIG", NULL, 0), LODE_SCRIPT_TAPSCRIPT_CHECKMULTISIG);
    assert_int_equal(run_words("0 0 0 CHECKMULTISIGVERIFY 1", NULL, 0), LODE_SCRIPT_TAPSCRIPT_CHECKMULTISIG);
    assert_int_equal(run_words("0 IF CHECKMULTISIG ENDIF 1", NULL, 0), LODE_SCRIPT_OK);
    assert_int_equal(run_words("IF 1 ENDIF", "0x01", 0), LODE_SCRIPT_OK);
    assert_int_equal(run_words("IF 1 ENDIF", "0x02", 0), LODE_SCRIPT_TAPSCRIPT_MINIMALIF);
    assert_int_equal(run_words("NOTIF 1 ENDIF", "0x00", 0), LODE_SCRIPT_TAPSCRIPT_MINIMALIF);
    assert_int_equal(run_words("IF 1 ENDIF", "0x0101", 0), LODE_SCRIPT_TAPSCRIPT_MINIMALIF);
    assert_int_equal(run_words("NOTIF 1 ENDIF", "", 0), LODE_SCRIPT_OK);
}

/* The list of BIP 342, in its own words. */
static bool is_success_code(unsigned op)
{
    return op == 80 || op == 98 || (126 <= op && op <= 129) || (131 <= op && op <= 134) || (137 <= op && op <= 138) ||
           (141 <= op && op <= 142) || (149 <= op && op <= 153) || (187 <= op && op <= 254);
}

static void a_success_code_decides_wherever_it_can_be_read(void **state)
{
    for (unsigned op = 0x4f; op < 256; op++) {
        char script[32];
        snprintf(script, sizeof script, "RETURN 0x%02x", op);
        assert_int_equal(run_words(script, NULL, 0), is_success_code(op) ? LODE_SCRIPT_OK : LODE_SCRIPT_OP_RETURN);
        assert_int_equal(run_words(script, NULL, LODE_VERIFY_DISCOURAGE_OP_SUCCESS),
                         is_success_code(op) ? LODE_SCRIPT_DISCOURAGE_OP_SUCCESS : LODE_SCRIPT_OP_RETURN);
    }
    assert_int_equal(run_words("0x50 0x4c", NULL, 0), LODE_SCRIPT_OK);                /* before a torn push */
    assert_int_equal(run_words("0x4d 0x0a00 0x50", NULL, 0), LODE_SCRIPT_BAD_OPCODE); /* within one */
    assert_int_equal(run_words("0x01 0x50", NULL, 0), LODE_SCRIPT_OK);                /* as data: a true item */
    assert_int_equal(run_words("0 IF 0x50 ENDIF", NULL, 0), LODE_SCRIPT_OK);
    assert_int_equal(run_words("ENDIF 0xbb", NULL, 0), LODE_SCRIPT_OK);
    assert_int_equal(run_words("1 0x4c", NULL, 0), LODE_SCRIPT_BAD_OPCODE);
}

static void leaves_of_other_versions_are_for_later_rules(void **state)
{
    for (unsigned version = 0; version < 256; version += 2) {
        trial t;
        begin(&t, true);
        script_put_words(&t.script, "RETURN");
        t.leaf_version = (uint8_t)version;
        assert_int_equal(run(&t, 0), version == 0xc0 ? LODE_SCRIPT_OP_RETURN : LODE_SCRIPT_OK);
        assert_int_equal(run(&t, LODE_VERIFY_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION),
                         version == 0xc0 ? LODE_SCRIPT_OP_RETURN : LODE_SCRIPT_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION);
        end(&t);
    }
}

/* Witness by hand: item, script, control block. */
static lode_script_error run_control(trial *t, size_t control_len, uint8_t parity_flip)
{
    lode_buf control = LODE_BUF_EMPTY;
    lode_script_error error;
    uint32_t failed;
    make_spend(t);
    for (size_t i = 0; i < control_len; i++)
        lode_buf_put_u8(&control, i < t->control.len ? t->control.data[i] : 0);
    if (control.len)
        control.data[0] ^= parity_flip;
    spend_add_witness(&t->spend, lode_buf_slice(&t->script));
    spend_add_witness(&t->spend, lode_buf_slice(&control));
    lode_tx_hashes_init(&t->hashes, &t->spend.tx, &t->spend.spent, false);
    lode_tx_check_scripts(&error, &failed, &t->hashes, 0, 1, FLAGS, NULL);
    lode_buf_clear(&control);
    return error;
}

static void a_control_block_has_33_bytes_and_whole_hashes_and_commits(void **state)
{
    trial t;
    begin(&t, true);
    script_put_words(&t.script, "1");
    assert_int_equal(run_control(&t, 65, 0), LODE_SCRIPT_OK);
    assert_int_equal(run_control(&t, 65, 1), LODE_SCRIPT_WITNESS_PROGRAM_MISMATCH);
    assert_int_equal(run_control(&t, 33, 0), LODE_SCRIPT_WITNESS_PROGRAM_MISMATCH);
    assert_int_equal(run_control(&t, 97, 0), LODE_SCRIPT_WITNESS_PROGRAM_MISMATCH);
    assert_int_equal(run_control(&t, 33 + 128 * 32, 0), LODE_SCRIPT_WITNESS_PROGRAM_MISMATCH);
    assert_int_equal(run_control(&t, 33 + 129 * 32, 0), LODE_SCRIPT_TAPROOT_WRONG_CONTROL_SIZE);
    assert_int_equal(run_control(&t, 64, 0), LODE_SCRIPT_TAPROOT_WRONG_CONTROL_SIZE);
    assert_int_equal(run_control(&t, 66, 0), LODE_SCRIPT_TAPROOT_WRONG_CONTROL_SIZE);
    assert_int_equal(run_control(&t, 32, 0), LODE_SCRIPT_TAPROOT_WRONG_CONTROL_SIZE);
    assert_int_equal(run_control(&t, 0, 0), LODE_SCRIPT_TAPROOT_WRONG_CONTROL_SIZE);
    end(&t);
}

/* Ten checks cost 500; the witness pays one for each of its bytes, and 50 are free. Keys unknown to the rules count. */
static void each_signature_that_is_not_empty_costs_50_of_the_witness_size(void **state)
{
    enum { CHECKS = 10 };
    for (int short_by = 0; short_by <= 1; short_by++) {
        trial t;
        begin(&t, true);
        for (int i = 0; i < CHECKS; i++)
            script_put_words(&t.script, "1 'k' CHECKSIGVERIFY 0 'k' CHECKSIG DROP"); /* 4 + 6 bytes */
        script_put_words(&t.script, "1");
        /* items: count 1, script 1 + 101, control 1 + 65, annex 3 + its length, when 253 or more */
        size_t without = 1 + (1 + t.script.len) + (1 + 65) + 3;
        size_t annex = 50 * CHECKS - 50 - without - (size_t)short_by;
        assert_true(annex >= 253);
        lode_buf_put_u8(&t.annex, 0x50);
        while (t.annex.len < annex)
            lode_buf_put_u8(&t.annex, 0);
        assert_int_equal(run(&t, 0), short_by ? LODE_SCRIPT_TAPSCRIPT_VALIDATION_WEIGHT : LODE_SCRIPT_OK);
        end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_spends_with_each_hash_type_with_and_without_annex),
        cmocka_unit_test(hash_types_cover_what_they_say),
        cmocka_unit_test(schnorr_signatures_have_64_bytes_or_one_more_that_is_not_zero),
        cmocka_unit_test(single_needs_its_output),
        cmocka_unit_test(without_the_flag_anyone_spends),
        cmocka_unit_test(a_script_signature_covers_leaf_and_separator),
        cmocka_unit_test(two_checks_around_a_separator_sign_different_positions),
        cmocka_unit_test(check_sig_add_counts_and_a_wrong_signature_is_fatal),
        cmocka_unit_test(keys_of_other_sizes_are_for_later_rules_and_empty_ones_for_none),
        cmocka_unit_test(multisig_is_gone_and_conditions_are_minimal),
        cmocka_unit_test(a_success_code_decides_wherever_it_can_be_read),
        cmocka_unit_test(leaves_of_other_versions_are_for_later_rules),
        cmocka_unit_test(a_control_block_has_33_bytes_and_whole_hashes_and_commits),
        cmocka_unit_test(each_signature_that_is_not_empty_costs_50_of_the_witness_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
