/* test/validate/signature_rules_test.c: rules for signatures and keys in legacy and version 0 scripts, each kept by one
 * real signature and broken by its neighbour.
 */
#include "validate/script/sigcheck.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "test/validate/script_keys.h"
#include "test/validate/script_spend.h"
#include "test/validate/script_words.h"
#include "test/validate/sighash_slow.h"

enum { ALL = LODE_SIGHASH_ALL, V0_FLAGS = LODE_VERIFY_P2SH | LODE_VERIFY_WITNESS };

/* A script and the pushes that satisfy it, spent bare or as version 0. */
typedef struct trial {
    bool is_v0;
    lode_buf script, output;
    lode_buf items[8]; /* first stack, bottom first */
    size_t item_count;
    spend spend;
    lode_buf script_sig;
} trial;

static void begin(trial *t, bool is_v0)
{
    memset(t, 0, sizeof *t);
    t->is_v0 = is_v0;
}

static void put_key(trial *t, unsigned key)
{
    script_put_push(&t->script, lode_slice_of(test_key_at(key)->compressed, 33));
}

static lode_buf *next_item(trial *t)
{
    return &t->items[t->item_count++];
}

/* The transaction around the script, as far as signatures see it. */
static void make_spend(trial *t)
{
    uint8_t hash[32];
    lode_buf_reset(&t->output);
    if (t->is_v0) {
        lode_sha256(hash, t->script.data, t->script.len);
        lode_buf_put_u8(&t->output, 0);
        script_put_push(&t->output, lode_slice_of(hash, 32));
    } else {
        lode_buf_append(&t->output, t->script.data, t->script.len);
    }
    spend_clear(&t->spend);
    spend_init(&t->spend, lode_slice_of(NULL, 0), lode_buf_slice(&t->output), 1000);
    memset(t->spend.prevout, 9, sizeof t->spend.prevout); /* whatever the output: a signature may stand in it */
}

static void digest_code(uint8_t digest[32], const trial *t, lode_slice code, int32_t type)
{
    if (t->is_v0)
        slow_sighash_v0(digest, &t->spend.tx, 0, code, 1000, type);
    else
        slow_sighash_legacy(digest, &t->spend.tx, 0, code, type);
}

static void sign_code(trial *t, lode_buf *sig, unsigned key, lode_slice code, uint8_t type)
{
    uint8_t digest[32], der[TEST_DER_SIZE];
    make_spend(t);
    digest_code(digest, t, code, type);
    test_sign_ecdsa(der, test_key_at(key), digest);
    lode_buf_reset(sig);
    lode_buf_append(sig, der, sizeof der);
    lode_buf_put_u8(sig, type);
}

static void sign(trial *t, lode_buf *sig, unsigned key, uint8_t type)
{
    sign_code(t, sig, key, lode_buf_slice(&t->script), type);
}

static lode_script_error run(trial *t, uint32_t flags)
{
    lode_script_error error;
    make_spend(t);
    lode_buf_reset(&t->script_sig);
    for (size_t i = 0; i < t->item_count; i++) {
        if (t->is_v0)
            spend_add_witness(&t->spend, lode_buf_slice(&t->items[i]));
        else
            script_put_push(&t->script_sig, lode_buf_slice(&t->items[i]));
    }
    if (t->is_v0)
        spend_add_witness(&t->spend, lode_buf_slice(&t->script));
    t->spend.input.script_sig = t->script_sig.data;
    t->spend.input.script_sig_len = (uint32_t)t->script_sig.len;
    spend_verify(&error, &t->spend, script_fill_flags(flags | (t->is_v0 ? V0_FLAGS : 0)));
    return error;
}

static void end(trial *t)
{
    spend_clear(&t->spend);
    lode_buf_clear(&t->script);
    lode_buf_clear(&t->output);
    lode_buf_clear(&t->script_sig);
    for (size_t i = 0; i < 8; i++)
        lode_buf_clear(&t->items[i]);
}

/* <key 0> OP_CHECKSIG, signed. */
static void begin_simple(trial *t, bool is_v0, uint8_t type)
{
    begin(t, is_v0);
    put_key(t, 0);
    script_put_words(&t->script, "CHECKSIG");
    sign(t, next_item(t), 0, type);
}

static void any_hash_type_is_consensus_and_only_six_are_standard(void **state)
{
    for (int is_v0 = 0; is_v0 <= 1; is_v0++) {
        for (unsigned type = 0; type < 256; type++) {
            bool defined = (type & 0x7f) >= 1 && (type & 0x7f) <= 3;
            trial t;
            begin_simple(&t, is_v0, (uint8_t)type);
            assert_int_equal(run(&t, LODE_VERIFY_DERSIG), LODE_SCRIPT_OK);
            assert_int_equal(run(&t, LODE_VERIFY_STRICTENC), defined ? LODE_SCRIPT_OK : LODE_SCRIPT_SIG_HASHTYPE);
            t.items[0].data[70] ^= 0x20; /* the byte itself is signed */
            assert_int_equal(run(&t, 0), LODE_SCRIPT_EVAL_FALSE);
            end(&t);
        }
    }
}

/* The digest is the number one, so the signature serves any transaction. */
static void single_without_an_output_signs_the_number_one(void **state)
{
    static const uint8_t one[32] = { 1 };
    lode_txout none = { { 0 }, NULL, 0 };
    lode_tx_hashes hashes;
    lode_script_error error;
    uint8_t der[TEST_DER_SIZE];
    uint32_t failed;
    trial t;
    begin_simple(&t, false, ALL);
    test_sign_ecdsa(der, test_key_at(0), one);
    memcpy(t.items[0].data, der, sizeof der);
    t.items[0].data[70] = LODE_SIGHASH_SINGLE;
    assert_int_equal(run(&t, 0), LODE_SCRIPT_EVAL_FALSE); /* there is an output with the input's number */
    t.spend.tx.outputs = &none;
    t.spend.tx.output_count = 0;
    lode_tx_hashes_init(&hashes, &t.spend.tx, &t.spend.spent, false);
    assert_true(lode_tx_check_scripts(&error, &failed, &hashes, 0, 1, 0, NULL));
    end(&t);
}

static void a_high_s_is_valid_and_not_standard(void **state)
{
    trial t;
    uint8_t other[72];
    begin_simple(&t, false, ALL);
    size_t len = test_flip_s(other, lode_slice_of(t.items[0].data, 70));
    assert_int_equal(run(&t, LODE_VERIFY_LOW_S), LODE_SCRIPT_OK);
    lode_buf_reset(&t.items[0]);
    lode_buf_append(&t.items[0], other, len);
    lode_buf_put_u8(&t.items[0], ALL);
    assert_int_equal(run(&t, LODE_VERIFY_DERSIG), LODE_SCRIPT_OK);
    assert_int_equal(run(&t, LODE_VERIFY_LOW_S), LODE_SCRIPT_SIG_HIGH_S);
    end(&t);
}

/* How blocks before BIP 66 may write a signature: from its strict form 30 44 02 20 R 02 20 S. */
static void set_lax(lode_buf *out, const uint8_t strict[71], int form)
{
    const uint8_t *r = strict + 4, *s = strict + 38;
    lode_buf_reset(out);
    switch (form) {
    case 0: /* a zero too many in front of R */
        lode_buf_append(out, "\x30\x45\x02\x21\x00", 5);
        lode_buf_append(out, r, 32);
        lode_buf_append(out, "\x02\x20", 2);
        lode_buf_append(out, s, 32);
        break;
    case 1: /* bytes left over */
        lode_buf_append(out, strict, 70);
        lode_buf_append(out, "\x00\x01", 2);
        break;
    case 2: /* a sequence length that is not true */
        lode_buf_append(out, "\x30\x01", 2);
        lode_buf_append(out, strict + 2, 68);
        break;
    case 3: /* lengths in long form */
        lode_buf_append(out, "\x30\x82\x00\x46\x02\x81\x20", 7);
        lode_buf_append(out, r, 32);
        lode_buf_append(out, "\x02\x84\x00\x00\x00\x20", 6);
        lode_buf_append(out, s, 32);
        break;
    default: /* forty zeros in front of S */
        lode_buf_append(out, strict, 36);
        lode_buf_append(out, "\x02\x48", 2);
        for (int i = 0; i < 40; i++)
            lode_buf_put_u8(out, 0);
        lode_buf_append(out, s, 32);
        break;
    }
    lode_buf_put_u8(out, strict[70]);
}

static void lax_signatures_are_valid_until_strict_der_applies(void **state)
{
    for (int form = 0; form <= 4; form++) {
        trial t;
        uint8_t strict[71];
        begin_simple(&t, false, ALL);
        memcpy(strict, t.items[0].data, 71);
        assert_int_equal(run(&t, LODE_VERIFY_DERSIG), LODE_SCRIPT_OK);
        set_lax(&t.items[0], strict, form);
        assert_int_equal(run(&t, 0), LODE_SCRIPT_OK);
        assert_int_equal(run(&t, LODE_VERIFY_DERSIG), LODE_SCRIPT_SIG_DER);
        end(&t);
    }
}

static void unreadable_signatures_are_false_not_errors(void **state)
{
    static const struct {
        uint8_t bytes[8];
        size_t len;
    } forms[] = {
        { { 0x31, 6, 2, 1, 1, 2, 1, 1 }, 8 }, { { 0x30, 0x80, 2, 1, 1, 3, 1, 1 }, 8 }, { { 0x30 }, 1 },
        { { 0x30, 0x88, 2, 1 }, 4 },          { { 0x30, 4, 2, 0x85, 1, 1, 1, 1 }, 8 }, { { 0x30, 4, 2, 2, 1 }, 5 },
        { { 0x30, 4, 2, 1, 1, 2, 0xff }, 7 }, { { 0x30, 4, 2, 0, 2, 0 }, 6 }, /* reads well: zero and zero */
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        trial t;
        begin_simple(&t, false, ALL);
        lode_buf_reset(&t.items[0]);
        lode_buf_append(&t.items[0], forms[i].bytes, forms[i].len);
        lode_buf_put_u8(&t.items[0], ALL);
        assert_int_equal(run(&t, 0), LODE_SCRIPT_EVAL_FALSE);
        assert_int_equal(run(&t, LODE_VERIFY_DERSIG), LODE_SCRIPT_SIG_DER);
        end(&t);
    }
}

static void run_with_key(lode_script_error errors[3], bool is_v0, lode_slice key)
{
    trial t;
    begin(&t, is_v0);
    script_put_push(&t.script, key);
    script_put_words(&t.script, "CHECKSIG");
    sign(&t, next_item(&t), 0, ALL);
    errors[0] = run(&t, 0);
    errors[1] = run(&t, LODE_VERIFY_STRICTENC);
    errors[2] = run(&t, LODE_VERIFY_WITNESS_PUBKEYTYPE | V0_FLAGS);
    end(&t);
}

static void keys_may_be_compressed_uncompressed_or_hybrid(void **state)
{
    const test_key *k = test_key_at(0);
    lode_script_error e[3];
    uint8_t wrong_hybrid[65];

    run_with_key(e, false, lode_slice_of(k->compressed, 33));
    assert_true(e[0] == LODE_SCRIPT_OK && e[1] == LODE_SCRIPT_OK && e[2] == LODE_SCRIPT_OK);
    run_with_key(e, false, lode_slice_of(k->uncompressed, 65));
    assert_true(e[0] == LODE_SCRIPT_OK && e[1] == LODE_SCRIPT_OK && e[2] == LODE_SCRIPT_OK);
    run_with_key(e, false, lode_slice_of(k->hybrid, 65));
    assert_true(e[0] == LODE_SCRIPT_OK && e[1] == LODE_SCRIPT_PUBKEYTYPE && e[2] == LODE_SCRIPT_OK);
    run_with_key(e, true, lode_slice_of(k->compressed, 33));
    assert_true(e[0] == LODE_SCRIPT_OK && e[1] == LODE_SCRIPT_OK && e[2] == LODE_SCRIPT_OK);
    run_with_key(e, true, lode_slice_of(k->uncompressed, 65));
    assert_true(e[0] == LODE_SCRIPT_OK && e[1] == LODE_SCRIPT_OK && e[2] == LODE_SCRIPT_WITNESS_PUBKEYTYPE);
    run_with_key(e, true, lode_slice_of(k->hybrid, 65));
    assert_true(e[0] == LODE_SCRIPT_OK && e[1] == LODE_SCRIPT_PUBKEYTYPE && e[2] == LODE_SCRIPT_WITNESS_PUBKEYTYPE);

    memcpy(wrong_hybrid, k->hybrid, 65);
    wrong_hybrid[0] ^= 1; /* the other parity */
    run_with_key(e, false, lode_slice_of(wrong_hybrid, 65));
    assert_true(e[0] == LODE_SCRIPT_EVAL_FALSE && e[1] == LODE_SCRIPT_PUBKEYTYPE);
    run_with_key(e, false, lode_slice_of(k->compressed, 32));
    assert_true(e[0] == LODE_SCRIPT_EVAL_FALSE && e[1] == LODE_SCRIPT_PUBKEYTYPE);
    run_with_key(e, false, lode_slice_of(NULL, 0));
    assert_true(e[0] == LODE_SCRIPT_EVAL_FALSE && e[1] == LODE_SCRIPT_PUBKEYTYPE);
}

static void a_failed_check_may_be_wanted_and_its_signature_must_be_empty_by_policy(void **state)
{
    trial t;
    begin(&t, false);
    put_key(&t, 1);
    script_put_words(&t.script, "CHECKSIG NOT");
    sign(&t, next_item(&t), 0, ALL); /* by another key */
    assert_int_equal(run(&t, LODE_VERIFY_DERSIG), LODE_SCRIPT_OK);
    assert_int_equal(run(&t, LODE_VERIFY_NULLFAIL), LODE_SCRIPT_SIG_NULLFAIL);
    lode_buf_reset(&t.items[0]);
    assert_int_equal(run(&t, LODE_VERIFY_NULLFAIL | LODE_VERIFY_DERSIG), LODE_SCRIPT_OK);
    end(&t);
}

/* dummy, two signatures; 2 of keys 0, 1, 2. */
static void begin_multisig(trial *t, unsigned first, unsigned second)
{
    begin(t, false);
    script_put_words(&t->script, "2");
    for (unsigned key = 0; key < 3; key++)
        put_key(t, key);
    script_put_words(&t->script, "3 CHECKMULTISIG");
    next_item(t);
    lode_buf *a = next_item(t), *b = next_item(t);
    sign(t, a, first, ALL);
    sign(t, b, second, ALL);
}

static void signatures_stand_in_the_order_of_their_keys(void **state)
{
    for (unsigned first = 0; first < 3; first++) {
        for (unsigned second = 0; second < 3; second++) {
            trial t;
            begin_multisig(&t, first, second);
            assert_int_equal(run(&t, LODE_VERIFY_DERSIG), first < second ? LODE_SCRIPT_OK : LODE_SCRIPT_EVAL_FALSE);
            assert_int_equal(run(&t, LODE_VERIFY_NULLFAIL), first < second ? LODE_SCRIPT_OK : LODE_SCRIPT_SIG_NULLFAIL);
            end(&t);
        }
    }
}

static void the_dummy_of_a_multisig_is_anything_and_later_empty(void **state)
{
    trial t;
    begin_multisig(&t, 0, 2);
    assert_int_equal(run(&t, LODE_VERIFY_NULLDUMMY), LODE_SCRIPT_OK);
    lode_buf_put_u8(&t.items[0], 0x51);
    assert_int_equal(run(&t, 0), LODE_SCRIPT_OK);
    assert_int_equal(run(&t, LODE_VERIFY_NULLDUMMY), LODE_SCRIPT_SIG_NULLDUMMY);
    end(&t);
}

/* Encodings are looked at as far as the tries go: key 2 first, and no further than needed. */
static void a_multisig_looks_at_no_more_encodings_than_it_tries(void **state)
{
    trial t;
    begin(&t, false);
    script_put_words(&t.script, "1 0x01 0x07");
    put_key(&t, 0);
    script_put_words(&t.script, "2 CHECKMULTISIG");
    next_item(&t);
    sign(&t, next_item(&t), 0, ALL);
    assert_int_equal(run(&t, LODE_VERIFY_STRICTENC), LODE_SCRIPT_OK); /* the bad key is never tried */
    sign(&t, &t.items[1], 1, ALL);
    assert_int_equal(run(&t, 0), LODE_SCRIPT_EVAL_FALSE);
    assert_int_equal(run(&t, LODE_VERIFY_STRICTENC), LODE_SCRIPT_PUBKEYTYPE);
    end(&t);
}

/* A legacy signature that stands in the script is taken out of what it signs, with its hash type byte. */
static void a_signature_does_not_sign_itself(void **state)
{
    trial t;
    lode_buf code = LODE_BUF_EMPTY;
    begin(&t, false);
    put_key(&t, 0);
    lode_buf_append(&code, "\x75", 1);
    lode_buf_append(&code, t.script.data, t.script.len);
    script_put_words(&code, "CHECKSIG");
    lode_buf *sig = next_item(&t);
    sign_code(&t, sig, 0, lode_buf_slice(&code), ALL);
    lode_buf_reset(&t.script);
    script_put_push(&t.script, lode_buf_slice(sig));
    lode_buf_append(&t.script, code.data, code.len);
    assert_int_equal(run(&t, LODE_VERIFY_DERSIG), LODE_SCRIPT_OK);
    assert_int_equal(run(&t, LODE_VERIFY_CONST_SCRIPTCODE), LODE_SCRIPT_SIG_FINDANDDELETE);
    t.script.data[71] ^= 2; /* another hash type: another push, which stays */
    assert_int_equal(run(&t, LODE_VERIFY_DERSIG), LODE_SCRIPT_EVAL_FALSE);
    t.is_v0 = true; /* nor does v0 take anything out */
    t.script.data[71] ^= 2;
    assert_int_equal(run(&t, 0), LODE_SCRIPT_EVAL_FALSE);
    lode_buf_clear(&code);
    end(&t);
}

/* An empty signature takes OP_0 out of the code that the other signature of the same multisig signs. */
static void an_empty_signature_takes_op_0_out_of_the_code(void **state)
{
    trial t;
    lode_buf code = LODE_BUF_EMPTY;
    begin(&t, false);
    script_put_words(&t.script, "0 DROP 2");
    put_key(&t, 0);
    put_key(&t, 1);
    script_put_words(&t.script, "2 CHECKMULTISIG NOT");
    next_item(&t);
    next_item(&t);
    lode_buf_append(&code, t.script.data + 1, t.script.len - 1);
    sign_code(&t, next_item(&t), 1, lode_buf_slice(&code), ALL);
    assert_int_equal(run(&t, 0), LODE_SCRIPT_OK);
    assert_int_equal(run(&t, LODE_VERIFY_CONST_SCRIPTCODE), LODE_SCRIPT_SIG_FINDANDDELETE);
    lode_buf_clear(&code);
    end(&t);
}

/* <key 0> CHECKSIGVERIFY CODESEPARATOR <key 0> CHECKSIG: the first signs it all, the second what follows. */
static void a_separator_cuts_off_what_stands_before_it(void **state)
{
    for (int is_v0 = 0; is_v0 <= 1; is_v0++) {
        trial t;
        begin(&t, is_v0);
        put_key(&t, 0);
        script_put_words(&t.script, "CHECKSIGVERIFY CODESEPARATOR");
        size_t cut = t.script.len;
        put_key(&t, 0);
        script_put_words(&t.script, "CHECKSIG");
        lode_slice whole = lode_buf_slice(&t.script);
        lode_buf *second = next_item(&t), *first = next_item(&t);
        sign_code(&t, first, 0, whole, ALL);
        sign_code(&t, second, 0, lode_slice_of(whole.data + cut, whole.len - cut), ALL);
        assert_int_equal(run(&t, LODE_VERIFY_DERSIG), LODE_SCRIPT_OK);
        assert_int_equal(run(&t, LODE_VERIFY_CONST_SCRIPTCODE), is_v0 ? LODE_SCRIPT_OK : LODE_SCRIPT_OP_CODESEPARATOR);
        sign_code(&t, second, 0, whole, ALL);
        assert_int_equal(run(&t, LODE_VERIFY_DERSIG), LODE_SCRIPT_EVAL_FALSE);
        end(&t);
    }
}

static void a_v0_signature_covers_the_amount(void **state)
{
    trial t;
    lode_script_error error;
    begin_simple(&t, true, ALL);
    assert_int_equal(run(&t, 0), LODE_SCRIPT_OK);
    t.spend.spent.value.sat++;
    spend_verify(&error, &t.spend, V0_FLAGS);
    assert_int_equal(error, LODE_SCRIPT_EVAL_FALSE);
    end(&t);
}

static void a_v0_condition_is_minimal_by_policy(void **state)
{
    trial t;
    begin(&t, true);
    script_put_words(&t.script, "IF 1 ENDIF");
    lode_buf_put_u8(next_item(&t), 1);
    assert_int_equal(run(&t, LODE_VERIFY_MINIMALIF), LODE_SCRIPT_OK);
    t.items[0].data[0] = 2;
    assert_int_equal(run(&t, 0), LODE_SCRIPT_OK);
    assert_int_equal(run(&t, LODE_VERIFY_MINIMALIF), LODE_SCRIPT_MINIMALIF);
    t.is_v0 = false;
    assert_int_equal(run(&t, LODE_VERIFY_MINIMALIF), LODE_SCRIPT_OK);
    end(&t);
}

static lode_script_error run_program(const char *output, const char *script_sig, const char *witness_script,
                                     uint32_t flags)
{
    lode_buf out = LODE_BUF_EMPTY, sig = LODE_BUF_EMPTY, script = LODE_BUF_EMPTY;
    lode_script_error error;
    spend s;
    script_put_words(&out, output);
    script_put_words(&sig, script_sig);
    spend_init(&s, lode_buf_slice(&sig), lode_buf_slice(&out), 0);
    if (witness_script) {
        script_put_words(&script, witness_script);
        spend_add_witness(&s, lode_buf_slice(&script));
    }
    spend_verify(&error, &s, flags);
    spend_clear(&s);
    lode_buf_clear(&out);
    lode_buf_clear(&sig);
    lode_buf_clear(&script);
    return error;
}

/* sha256 of 51: the v0 program of the script OP_1; and its P2SH form. */
#define ONE_PROGRAM "0x4ae81572f06e1b88fd5ced7a1a000945432e83e1551e6f721ee9c00b8cc33260"

static void witness_programs_have_their_form(void **state)
{
    const uint32_t f = V0_FLAGS, strict = f | LODE_VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM;
    static const char one[] = "0 0x20 " ONE_PROGRAM;
    assert_int_equal(run_program(one, "", "1", f), LODE_SCRIPT_OK);
    assert_int_equal(run_program(one, "", "2", f), LODE_SCRIPT_WITNESS_PROGRAM_MISMATCH);
    assert_int_equal(run_program(one, "", NULL, f), LODE_SCRIPT_WITNESS_PROGRAM_WITNESS_EMPTY);
    assert_int_equal(run_program(one, "", NULL, LODE_VERIFY_P2SH), LODE_SCRIPT_OK); /* anyone's before segwit */
    assert_int_equal(run_program(one, "1", "1", f), LODE_SCRIPT_WITNESS_MALLEATED);
    assert_int_equal(run_program("0 0x1f 0x00000000000000000000000000000000000000000000000000000000000000", "", "1", f),
                     LODE_SCRIPT_EVAL_FALSE); /* all zero is false before it is a program */
    assert_int_equal(run_program("0 0x1f 0x01000000000000000000000000000000000000000000000000000000000000", "", "1", f),
                     LODE_SCRIPT_WITNESS_PROGRAM_WRONG_LENGTH);
    assert_int_equal(run_program("1", "", "1", f), LODE_SCRIPT_WITNESS_UNEXPECTED);
    assert_int_equal(run_program("1", "", "1", LODE_VERIFY_P2SH), LODE_SCRIPT_OK);
    assert_int_equal(run_program("2 0x02 0x0101", "", "1", f), LODE_SCRIPT_OK); /* for later rules */
    assert_int_equal(run_program("2 0x02 0x0101", "", "1", strict), LODE_SCRIPT_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM);
    assert_int_equal(run_program("1 0x02 0x4e73", "", NULL, strict), LODE_SCRIPT_OK); /* pay to anchor */
    assert_int_equal(run_program("1 0x02 0x4e74", "", NULL, strict), LODE_SCRIPT_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM);
    assert_int_equal(run_program("16 0x28 0x01010101010101010101010101010101010101010101010101010101010101010101010101"
                                 "010101",
                                 "", "1", f),
                     LODE_SCRIPT_OK);
    assert_int_equal(run_program("2 0x01 0x01", "", "1", f), LODE_SCRIPT_WITNESS_UNEXPECTED); /* too short for one */
}

static void a_program_in_p2sh_is_pushed_by_exactly_one_push(void **state)
{
    const uint32_t f = V0_FLAGS;
    lode_buf redeem = LODE_BUF_EMPTY;
    uint8_t hash[20];
    char output[80], hex[41];
    script_put_words(&redeem, "0 0x20 " ONE_PROGRAM);
    lode_hash160(hash, redeem.data, redeem.len);
    lode_hex_encode(hex, hash, 20);
    snprintf(output, sizeof output, "HASH160 0x14 0x%s EQUAL", hex);
    assert_int_equal(run_program(output, "0x22 0x0020 " ONE_PROGRAM, "1", f), LODE_SCRIPT_OK);
    assert_int_equal(run_program(output, "0x4c 0x22 0x0020 " ONE_PROGRAM, "1", f), LODE_SCRIPT_WITNESS_MALLEATED_P2SH);
    assert_int_equal(run_program(output, "1 0x22 0x0020 " ONE_PROGRAM, "1", f), LODE_SCRIPT_WITNESS_MALLEATED_P2SH);
    assert_int_equal(run_program(output, "0x22 0x0020 " ONE_PROGRAM, "2", f), LODE_SCRIPT_WITNESS_PROGRAM_MISMATCH);
    lode_buf_clear(&redeem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_hash_type_is_consensus_and_only_six_are_standard),
        cmocka_unit_test(single_without_an_output_signs_the_number_one),
        cmocka_unit_test(a_high_s_is_valid_and_not_standard),
        cmocka_unit_test(lax_signatures_are_valid_until_strict_der_applies),
        cmocka_unit_test(unreadable_signatures_are_false_not_errors),
        cmocka_unit_test(keys_may_be_compressed_uncompressed_or_hybrid),
        cmocka_unit_test(a_failed_check_may_be_wanted_and_its_signature_must_be_empty_by_policy),
        cmocka_unit_test(signatures_stand_in_the_order_of_their_keys),
        cmocka_unit_test(the_dummy_of_a_multisig_is_anything_and_later_empty),
        cmocka_unit_test(a_multisig_looks_at_no_more_encodings_than_it_tries),
        cmocka_unit_test(a_signature_does_not_sign_itself),
        cmocka_unit_test(an_empty_signature_takes_op_0_out_of_the_code),
        cmocka_unit_test(a_separator_cuts_off_what_stands_before_it),
        cmocka_unit_test(a_v0_signature_covers_the_amount),
        cmocka_unit_test(a_v0_condition_is_minimal_by_policy),
        cmocka_unit_test(witness_programs_have_their_form),
        cmocka_unit_test(a_program_in_p2sh_is_pushed_by_exactly_one_push),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
