/* test/validate/script_rules_test.c: each rule of the interpreter that needs no signature: one script just within it,
 * one just beyond.
 */
#include "validate/script/interpreter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "test/validate/script_spend.h"
#include "test/validate/script_words.h"

typedef struct rule {
    const char *script_sig;
    const char *good, *bad; /* script_pubkey */
    const char *flags;
    lode_script_error error;
} rule;

static lode_script_error run_legacy(const char *script_sig, const char *script_pubkey, const char *flags)
{
    lode_buf sig = LODE_BUF_EMPTY, key = LODE_BUF_EMPTY;
    lode_script_error error;
    spend s;
    script_put_words(&sig, script_sig);
    script_put_words(&key, script_pubkey);
    spend_init(&s, lode_buf_slice(&sig), lode_buf_slice(&key), 0);
    spend_verify(&error, &s, script_fill_flags(script_read_flags(flags)));
    spend_clear(&s);
    lode_buf_clear(&sig);
    lode_buf_clear(&key);
    return error;
}

static void check_rules(const rule *rules, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const rule *r = &rules[i];
        lode_script_error good = run_legacy(r->script_sig, r->good, r->flags);
        lode_script_error bad = run_legacy(r->script_sig, r->bad, r->flags);
        if (good != LODE_SCRIPT_OK)
            fail_msg("%s | %s: %s", r->script_sig, r->good, lode_script_error_name(good));
        if (bad != r->error)
            fail_msg("%s | %s: %s", r->script_sig, r->bad, lode_script_error_name(bad));
    }
}

#define CHECK_RULES(rules) check_rules(rules, sizeof(rules) / sizeof((rules)[0]))

static void a_condition_is_false_when_all_zero_or_negative_zero(void **state)
{
    static const rule rules[] = {
        { "0x01 0x81", "NOP", "DROP 0x01 0x80", "", LODE_SCRIPT_EVAL_FALSE },
        { "0x02 0x8000", "NOP", "DROP 0x02 0x0080", "", LODE_SCRIPT_EVAL_FALSE },
        { "0x01 0x80", "NOTIF 1 ENDIF", "IF 1 ENDIF", "", LODE_SCRIPT_EVAL_FALSE },
        { "0x02 0x0080", "NOTIF 1 ENDIF", "VERIFY 1", "", LODE_SCRIPT_VERIFY },
    };
    CHECK_RULES(rules);
}

static void branches_balance(void **state)
{
    static const rule rules[] = {
        { "1", "IF 1 ENDIF", "IF 1", "", LODE_SCRIPT_UNBALANCED_CONDITIONAL },
        { "1", "IF 1 ELSE 0 ENDIF", "ELSE 1 ENDIF", "", LODE_SCRIPT_UNBALANCED_CONDITIONAL },
        { "1", "IF 1 ENDIF", "IF 1 ENDIF ENDIF", "", LODE_SCRIPT_UNBALANCED_CONDITIONAL },
        { "1", "IF 1 ELSE 0 ELSE 1 ENDIF", "IF 1 ELSE 0 ELSE DROP 0 ENDIF", "", LODE_SCRIPT_EVAL_FALSE },
        { "0 1", "IF IF ELSE 1 ENDIF ENDIF", "IF IF ELSE 0 ENDIF ENDIF", "", LODE_SCRIPT_EVAL_FALSE },
        { "0", "IF IF ELSE 0 ENDIF ELSE 1 ENDIF", "IF IF ELSE 1 ENDIF ELSE 0 ENDIF", "", LODE_SCRIPT_EVAL_FALSE },
        { "1", "IF 1 ENDIF", "DROP IF 1 ENDIF", "", LODE_SCRIPT_INVALID_STACK_OPERATION },
    };
    CHECK_RULES(rules);
    /* each script balances by itself */
    assert_int_equal(run_legacy("1 IF 1", "ENDIF", ""), LODE_SCRIPT_UNBALANCED_CONDITIONAL);
}

static void what_does_not_run_may_be_unknown_but_not_disabled_nor_verif(void **state)
{
    static const rule rules[] = {
        { "0", "IF 0xba ENDIF 1", "NOTIF 0xba ENDIF 1", "", LODE_SCRIPT_BAD_OPCODE },
        { "0", "IF VER ENDIF 1", "IF VERIF ENDIF 1", "", LODE_SCRIPT_BAD_OPCODE },
        { "0", "IF RESERVED ENDIF 1", "IF VERNOTIF ENDIF 1", "", LODE_SCRIPT_BAD_OPCODE },
        { "0", "IF 0xff ENDIF 1", "IF CAT ENDIF 1", "", LODE_SCRIPT_DISABLED_OPCODE },
        { "0", "IF RESERVED1 ENDIF 1", "IF LSHIFT ENDIF 1", "", LODE_SCRIPT_DISABLED_OPCODE },
        { "0", "IF RETURN ENDIF 1", "NOTIF RETURN ENDIF 1", "", LODE_SCRIPT_OP_RETURN },
        { "0", "IF DROP DROP ENDIF 1", "IF 0x4c ENDIF 1", "", LODE_SCRIPT_BAD_OPCODE },
    };
    CHECK_RULES(rules);
    static const char *const disabled[] = { "CAT",  "SUBSTR", "LEFT", "RIGHT", "INVERT", "AND",    "OR",    "XOR",
                                            "2MUL", "2DIV",   "MUL",  "DIV",   "MOD",    "LSHIFT", "RSHIFT" };
    for (size_t i = 0; i < sizeof disabled / sizeof disabled[0]; i++) {
        char script[64];
        snprintf(script, sizeof script, "IF %s ENDIF 1", disabled[i]);
        assert_int_equal(run_legacy("0", script, ""), LODE_SCRIPT_DISABLED_OPCODE);
    }
    assert_int_equal(run_legacy("0", "IF CODESEPARATOR ENDIF 1", ""), LODE_SCRIPT_OK);
    assert_int_equal(run_legacy("0", "IF CODESEPARATOR ENDIF 1", "CONST_SCRIPTCODE"), LODE_SCRIPT_OP_CODESEPARATOR);
}

static void stack_opcodes_need_their_items(void **state)
{
    static const rule rules[] = {
        { "1", "DUP DROP", "DROP DUP", "", LODE_SCRIPT_INVALID_STACK_OPERATION },
        { "1 2", "2DROP 1", "DROP 2DROP 1", "", LODE_SCRIPT_INVALID_STACK_OPERATION },
        { "1 2", "2DUP 2DROP", "DROP 2DUP", "", LODE_SCRIPT_INVALID_STACK_OPERATION },
        { "1 2 3", "3DUP", "DROP 3DUP", "", LODE_SCRIPT_INVALID_STACK_OPERATION },
        { "1 2 3 4", "2OVER 2 EQUALVERIFY 1 EQUAL", "DROP 2OVER", "", LODE_SCRIPT_INVALID_STACK_OPERATION },
        { "1 2 3 4 5 6", "2ROT 2 EQUALVERIFY 1 EQUAL", "DROP 2ROT", "", LODE_SCRIPT_INVALID_STACK_OPERATION },
        { "1 2 3 4", "2SWAP 2 EQUALVERIFY 1 EQUAL", "DROP 2SWAP", "", LODE_SCRIPT_INVALID_STACK_OPERATION },
        { "1 2", "NIP 2 EQUAL", "DROP NIP", "", LODE_SCRIPT_INVALID_STACK_OPERATION },
        { "1 2", "OVER 1 EQUAL", "DROP OVER", "", LODE_SCRIPT_INVALID_STACK_OPERATION },
        { "1 2 3", "ROT 1 EQUAL", "DROP ROT", "", LODE_SCRIPT_INVALID_STACK_OPERATION },
        { "1 2", "SWAP 1 EQUAL", "DROP SWAP", "", LODE_SCRIPT_INVALID_STACK_OPERATION },
        { "1 2", "TUCK DEPTH 3 EQUALVERIFY 2 EQUALVERIFY 1 EQUALVERIFY 2 EQUAL", "DROP TUCK", "",
          LODE_SCRIPT_INVALID_STACK_OPERATION },
        { "7 8 9", "2 PICK 7 EQUAL", "3 PICK", "", LODE_SCRIPT_INVALID_STACK_OPERATION },
        { "7 8 9", "2 ROLL 7 EQUALVERIFY DEPTH 2 EQUAL", "3 ROLL", "", LODE_SCRIPT_INVALID_STACK_OPERATION },
        { "7 8 9", "0 PICK 9 EQUAL", "-1 PICK", "", LODE_SCRIPT_INVALID_STACK_OPERATION },
        { "1 2", "TOALTSTACK FROMALTSTACK 2 EQUAL", "FROMALTSTACK", "", LODE_SCRIPT_INVALID_ALTSTACK_OPERATION },
        { "1", "IFDUP DEPTH 2 EQUAL", "DROP IFDUP", "", LODE_SCRIPT_INVALID_STACK_OPERATION },
        { "0", "IFDUP DEPTH 1 EQUAL", "IFDUP DEPTH 2 EQUAL", "", LODE_SCRIPT_EVAL_FALSE },
        { "1", "SIZE 1 EQUAL", "DROP SIZE", "", LODE_SCRIPT_INVALID_STACK_OPERATION },
        { "1 1", "EQUAL", "DROP EQUAL", "", LODE_SCRIPT_INVALID_STACK_OPERATION },
        { "1", "DUP EQUALVERIFY 1", "2 EQUALVERIFY 1", "", LODE_SCRIPT_EQUALVERIFY },
        { "'abc'", "SHA256 SIZE 32 EQUAL", "DROP SHA256", "", LODE_SCRIPT_INVALID_STACK_OPERATION },
    };
    CHECK_RULES(rules);
    /* the alt stack of script_sig is gone when script_pubkey runs */
    assert_int_equal(run_legacy("1 1 TOALTSTACK", "FROMALTSTACK", ""), LODE_SCRIPT_INVALID_ALTSTACK_OPERATION);
}

static void numbers_are_four_bytes_as_operands_and_may_grow_as_results(void **state)
{
    static const rule rules[] = {
        { "2147483647", "1ADD SIZE 5 EQUAL", "1ADD 1ADD", "", LODE_SCRIPT_SCRIPTNUM },
        { "-2147483647", "1SUB SIZE 5 EQUAL", "1SUB 1SUB", "", LODE_SCRIPT_SCRIPTNUM },
        { "0x04 0xffffffff", "NEGATE 2147483647 EQUAL", "DROP 0x05 0x0100000000 NEGATE", "", LODE_SCRIPT_SCRIPTNUM },
        { "0x04 0x00000080", "0NOTEQUAL NOT", "DROP 0x05 0x0000000000 0NOTEQUAL", "", LODE_SCRIPT_SCRIPTNUM },
        { "0x02 0x0100", "1 NUMEQUAL", "1 EQUAL", "", LODE_SCRIPT_EVAL_FALSE },
        { "5", "5 NUMEQUALVERIFY 1", "4 NUMEQUALVERIFY 1", "", LODE_SCRIPT_NUMEQUALVERIFY },
        { "5", "5 10 WITHIN", "0 5 WITHIN", "", LODE_SCRIPT_EVAL_FALSE },
        { "-5", "ABS 5 EQUAL", "ABS -5 EQUAL", "", LODE_SCRIPT_EVAL_FALSE },
        { "2 3", "MIN 2 EQUAL", "MAX 2 EQUAL", "", LODE_SCRIPT_EVAL_FALSE },
        { "0x01 0x80", "0 NUMEQUAL", "1 NUMEQUAL", "", LODE_SCRIPT_EVAL_FALSE },
        { "0 1", "BOOLOR", "BOOLAND", "", LODE_SCRIPT_EVAL_FALSE },
        { "2 3", "LESSTHAN", "GREATERTHANOREQUAL", "", LODE_SCRIPT_EVAL_FALSE },
        { "3 3", "LESSTHANOREQUAL", "LESSTHAN", "", LODE_SCRIPT_EVAL_FALSE },
    };
    CHECK_RULES(rules);
}

static void minimal_data_wants_the_shortest_push_and_number(void **state)
{
    static const rule rules[] = {
        { "1", "0x01 0x11 DROP", "0x01 0x10 DROP", "MINIMALDATA", LODE_SCRIPT_MINIMALDATA },
        { "1", "-1 DROP", "0x01 0x81 DROP", "MINIMALDATA", LODE_SCRIPT_MINIMALDATA },
        { "1", "0 DROP", "0x4c 0x00 DROP", "MINIMALDATA", LODE_SCRIPT_MINIMALDATA },
        { "1", "0x01 0x00 DROP", "0x4c 0x01 0x00 DROP", "MINIMALDATA", LODE_SCRIPT_MINIMALDATA },
        { "1", "0 IF 0x4c 0x00 ENDIF", "1 IF 0x4c 0x00 DROP ENDIF", "MINIMALDATA", LODE_SCRIPT_MINIMALDATA },
        { "1", "0x02 0x8000 1ADD", "0x02 0x1100 1ADD", "MINIMALDATA", LODE_SCRIPT_SCRIPTNUM },
        { "1", "0 1ADD", "0x01 0x80 1ADD", "MINIMALDATA", LODE_SCRIPT_SCRIPTNUM },
        { "1", "0 1ADD", "0x01 0x00 1ADD", "MINIMALDATA", LODE_SCRIPT_SCRIPTNUM },
    };
    CHECK_RULES(rules);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        assert_int_equal(run_legacy(rules[i].script_sig, rules[i].bad, ""), LODE_SCRIPT_OK);
}

static void nops_are_nothing_until_policy_discourages_them(void **state)
{
    static const char *const nops[] = { "NOP1", "NOP4", "NOP5", "NOP6", "NOP7", "NOP8", "NOP9", "NOP10" };
    for (size_t i = 0; i < sizeof nops / sizeof nops[0]; i++) {
        assert_int_equal(run_legacy("1", nops[i], ""), LODE_SCRIPT_OK);
        assert_int_equal(run_legacy("1", nops[i], "DISCOURAGE_UPGRADABLE_NOPS"),
                         LODE_SCRIPT_DISCOURAGE_UPGRADABLE_NOPS);
    }
    assert_int_equal(run_legacy("1", "NOP", "DISCOURAGE_UPGRADABLE_NOPS"), LODE_SCRIPT_OK);
    /* lock times without their flags are no opcodes to be discouraged, and want no item */
    assert_int_equal(run_legacy("", "CHECKLOCKTIMEVERIFY CHECKSEQUENCEVERIFY 1", "DISCOURAGE_UPGRADABLE_NOPS"),
                     LODE_SCRIPT_OK);
    assert_int_equal(run_legacy("", "CHECKLOCKTIMEVERIFY 1", "CHECKLOCKTIMEVERIFY"),
                     LODE_SCRIPT_INVALID_STACK_OPERATION);
    assert_int_equal(run_legacy("", "CHECKSEQUENCEVERIFY 1", "CHECKSEQUENCEVERIFY"),
                     LODE_SCRIPT_INVALID_STACK_OPERATION);
}

static lode_script_error run_locked(const char *script, int32_t version, uint32_t lock_time, uint32_t sequence)
{
    lode_buf key = LODE_BUF_EMPTY;
    lode_script_error error;
    spend s;
    script_put_words(&key, script);
    spend_init(&s, lode_slice_of(NULL, 0), lode_buf_slice(&key), 0);
    s.tx.version = version;
    s.tx.lock_time = lock_time;
    s.input.sequence = sequence;
    spend_verify(&error, &s, LODE_VERIFY_CHECKLOCKTIMEVERIFY | LODE_VERIFY_CHECKSEQUENCEVERIFY);
    spend_clear(&s);
    lode_buf_clear(&key);
    return error;
}

static void lock_times_compare_like_with_like(void **state)
{
    enum { GOOD = LODE_SCRIPT_OK, BAD = LODE_SCRIPT_UNSATISFIED_LOCKTIME };
    const uint32_t open = 0xfffffffeu;
    assert_int_equal(run_locked("100 CHECKLOCKTIMEVERIFY", 1, 100, open), GOOD);
    assert_int_equal(run_locked("101 CHECKLOCKTIMEVERIFY", 1, 100, open), BAD);
    assert_int_equal(run_locked("100 CHECKLOCKTIMEVERIFY", 1, 100, 0xffffffffu), BAD);
    assert_int_equal(run_locked("499999999 CHECKLOCKTIMEVERIFY", 1, 499999999, open), GOOD);
    assert_int_equal(run_locked("499999999 CHECKLOCKTIMEVERIFY", 1, 500000000, open), BAD);
    assert_int_equal(run_locked("500000000 CHECKLOCKTIMEVERIFY", 1, 500000000, open), GOOD);
    assert_int_equal(run_locked("4294967295 CHECKLOCKTIMEVERIFY", 1, 0xffffffffu, open), GOOD);
    assert_int_equal(run_locked("0x05 0x0000000001 CHECKLOCKTIMEVERIFY", 1, 0xffffffffu, open), BAD);
    assert_int_equal(run_locked("0x06 0x010000000000 CHECKLOCKTIMEVERIFY", 1, 100, open), LODE_SCRIPT_SCRIPTNUM);
    assert_int_equal(run_locked("-1 CHECKLOCKTIMEVERIFY", 1, 100, open), LODE_SCRIPT_NEGATIVE_LOCKTIME);
    /* the operand stays */
    assert_int_equal(run_locked("0 CHECKLOCKTIMEVERIFY", 1, 100, open), LODE_SCRIPT_EVAL_FALSE);
}

static void relative_locks_compare_like_with_like(void **state)
{
    enum { GOOD = LODE_SCRIPT_OK, BAD = LODE_SCRIPT_UNSATISFIED_LOCKTIME };
    assert_int_equal(run_locked("10 CHECKSEQUENCEVERIFY", 2, 0, 10), GOOD);
    assert_int_equal(run_locked("11 CHECKSEQUENCEVERIFY", 2, 0, 10), BAD);
    assert_int_equal(run_locked("10 CHECKSEQUENCEVERIFY", 1, 0, 10), BAD);
    assert_int_equal(run_locked("10 CHECKSEQUENCEVERIFY", -1, 0, 10), GOOD); /* versions are unsigned */
    assert_int_equal(run_locked("10 CHECKSEQUENCEVERIFY", 2, 0, 10 | 1u << 31), BAD);
    assert_int_equal(run_locked("10 CHECKSEQUENCEVERIFY", 2, 0, 10 | 1u << 22), BAD);
    assert_int_equal(run_locked("4194314 CHECKSEQUENCEVERIFY", 2, 0, 10 | 1u << 22), GOOD); /* 1 << 22 | 10 */
    assert_int_equal(run_locked("10 CHECKSEQUENCEVERIFY", 2, 0, 0x3f0000 | 10), GOOD);      /* unused bits are masked */
    assert_int_equal(run_locked("2147483648 CHECKSEQUENCEVERIFY", 1, 0, 0xffffffffu), GOOD); /* 1 << 31: asks nothing */
    assert_int_equal(run_locked("0x05 0x0000008000 CHECKSEQUENCEVERIFY", 1, 0, 0), GOOD);
    assert_int_equal(run_locked("0x05 0x0000000001 CHECKSEQUENCEVERIFY", 2, 0, 0), GOOD); /* bit 32 is masked */
    assert_int_equal(run_locked("-1 CHECKSEQUENCEVERIFY", 2, 0, 10), LODE_SCRIPT_NEGATIVE_LOCKTIME);
}

static void p2sh_wants_pushes_and_a_true_redeem_script(void **state)
{
    /* hash160 of 51, and of nothing */
    static const char one[] = "HASH160 0x14 0xda1745e9b549bd0bfa1a569971c77eba30cd5a4b EQUAL";
    static const char nothing[] = "HASH160 0x14 0xb472a266d0bd89c13706a4132ccfb16f7c3b9fcb EQUAL";
    assert_int_equal(run_legacy("0x01 0x51", one, "P2SH"), LODE_SCRIPT_OK);
    assert_int_equal(run_legacy("0x01 0x51 NOP", one, "P2SH"), LODE_SCRIPT_SIG_PUSHONLY);
    assert_int_equal(run_legacy("0x01 0x51 NOP", one, ""), LODE_SCRIPT_OK);
    assert_int_equal(run_legacy("0", nothing, "P2SH"), LODE_SCRIPT_EVAL_FALSE);
    assert_int_equal(run_legacy("1 0", nothing, "P2SH"), LODE_SCRIPT_OK);
    assert_int_equal(run_legacy("0 0", nothing, "P2SH"), LODE_SCRIPT_EVAL_FALSE);
    assert_int_equal(run_legacy("0", nothing, ""), LODE_SCRIPT_OK);
    assert_int_equal(run_legacy("1 0x01 0x51", one, "P2SH"), LODE_SCRIPT_OK);
    assert_int_equal(run_legacy("1 0x01 0x51", one, "P2SH,WITNESS,CLEANSTACK"), LODE_SCRIPT_CLEANSTACK);
    assert_int_equal(run_legacy("1", "NOP", "SIGPUSHONLY"), LODE_SCRIPT_OK);
    assert_int_equal(run_legacy("1 NOP", "NOP", "SIGPUSHONLY"), LODE_SCRIPT_SIG_PUSHONLY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_condition_is_false_when_all_zero_or_negative_zero),
        cmocka_unit_test(branches_balance),
        cmocka_unit_test(what_does_not_run_may_be_unknown_but_not_disabled_nor_verif),
        cmocka_unit_test(stack_opcodes_need_their_items),
        cmocka_unit_test(numbers_are_four_bytes_as_operands_and_may_grow_as_results),
        cmocka_unit_test(minimal_data_wants_the_shortest_push_and_number),
        cmocka_unit_test(nops_are_nothing_until_policy_discourages_them),
        cmocka_unit_test(lock_times_compare_like_with_like),
        cmocka_unit_test(relative_locks_compare_like_with_like),
        cmocka_unit_test(p2sh_wants_pushes_and_a_true_redeem_script),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
