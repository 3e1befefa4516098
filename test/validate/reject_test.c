/* test/validate/reject_test.c: verdicts are told in Core's words. */
#include "validate/rules/reject.h"

#include "made_chain.h"

static void every_verdict_has_a_name_of_its_own(void **state)
{
    for (int i = 0; i < LODE_REJECT_COUNT; i++) {
        assert_non_null(lode_reject_name((lode_reject)i));
        for (int j = 0; j < i; j++)
            assert_string_not_equal(lode_reject_name((lode_reject)i), lode_reject_name((lode_reject)j));
    }
}

static void some_verdicts_say_more(void **state)
{
    lode_verdict verdict = lode_verdict_of(LODE_BAD_VERSION);
    char text[128];

    verdict.version = 1;
    assert_string_equal(lode_verdict_text(text, sizeof text, &verdict), "bad-version(0x00000001)");
    verdict.version = -1;
    assert_string_equal(lode_verdict_text(text, sizeof text, &verdict), "bad-version(0xffffffff)");
    verdict = lode_verdict_of(LODE_BLOCK_SCRIPT_VERIFY_FLAG_FAILED);
    verdict.script_error = LODE_SCRIPT_SIG_DER;
    assert_string_equal(lode_verdict_text(text, sizeof text, &verdict),
                        "block-script-verify-flag-failed (Non-canonical DER signature)");
    verdict = lode_verdict_of(LODE_BAD_TXNS_BIP30);
    assert_string_equal(lode_verdict_text(text, sizeof text, &verdict), "bad-txns-BIP30");
}

static void texts_are_cut_to_what_fits(void **state)
{
    lode_verdict verdict = lode_verdict_of(LODE_HIGH_HASH);
    char text[8] = "xxxxxxx";

    assert_string_equal(lode_verdict_text(text, 5, &verdict), "high");
    assert_int_equal(text[5], 'x');
    lode_verdict_text(text, 0, &verdict);
    assert_int_equal(text[0], 'h');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_verdict_has_a_name_of_its_own),
        cmocka_unit_test(some_verdicts_say_more),
        cmocka_unit_test(texts_are_cut_to_what_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
