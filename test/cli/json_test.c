/* test/cli/json_test.c: answers are laid out as bitcoin-cli prints them, arguments read as it reads them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "query/arguments.h"
#include "query/json.h"

static void assert_buf_is(lode_buf *b, const char *text)
{
    lode_buf_put_u8(b, 0);
    assert_true(lode_buf_is_good(b));
    assert_string_equal((const char *)b->data, text);
    lode_buf_clear(b);
}

static void layout_is_bitcoin_clis(void **state)
{
    lode_buf out = LODE_BUF_EMPTY;
    lode_json j;

    lode_json_init(&j, &out);
    lode_json_begin_object(&j, NULL);
    lode_json_put_string(&j, "a", "x");
    lode_json_begin_array(&j, "empty");
    lode_json_end_array(&j);
    lode_json_begin_array(&j, "list");
    lode_json_put_unsigned(&j, NULL, 1);
    lode_json_begin_object(&j, NULL);
    lode_json_put_bool(&j, "yes", true);
    lode_json_put_null(&j, "none");
    lode_json_end_object(&j);
    lode_json_end_array(&j);
    lode_json_put_signed(&j, "n", -5);
    lode_json_end_object(&j);
    assert_buf_is(&out, "{\n"
                        "  \"a\": \"x\",\n"
                        "  \"empty\": [\n"
                        "  ],\n"
                        "  \"list\": [\n"
                        "    1,\n"
                        "    {\n"
                        "      \"yes\": true,\n"
                        "      \"none\": null\n"
                        "    }\n"
                        "  ],\n"
                        "  \"n\": -5\n"
                        "}");
}

static void an_empty_object_takes_two_lines(void **state)
{
    lode_buf out = LODE_BUF_EMPTY;
    lode_json j;

    lode_json_init(&j, &out);
    lode_json_begin_object(&j, NULL);
    lode_json_end_object(&j);
    assert_buf_is(&out, "{\n}");
}

static void strings_are_escaped(void **state)
{
    lode_buf out = LODE_BUF_EMPTY;
    lode_json j;

    lode_json_init(&j, &out);
    lode_json_put_string(&j, NULL, "\"\\\b\f\n\r\t\x01\x1f\x7f/\xc3\xa9");
    assert_buf_is(&out, "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f/\xc3\xa9\"");
}

static void amounts_have_eight_decimals(void **state)
{
    static const struct {
        int64_t sat;
        const char *text;
    } rows[] = { { 0, "0.00000000" },
                 { 1, "0.00000001" },
                 { -1, "-0.00000001" },
                 { 150000000, "1.50000000" },
                 { LODE_MAX_MONEY, "21000000.00000000" },
                 { INT64_MIN, "-92233720368.54775808" } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[32];
        lode_amount_to_text(text, (lode_amount){ rows[i].sat });
        assert_string_equal(text, rows[i].text);
    }
}

/* As Core prints them, for regtest's and mainnet's first bits and a real one. */
static void doubles_have_sixteen_digits(void **state)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = { { 1.0, "1" },
                 { 4.656542373906925e-10, "4.656542373906925e-10" },
                 { 14484.162361225, "14484.162361225" } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lode_buf out = LODE_BUF_EMPTY;
        lode_buf_put_double(&out, rows[i].value);
        assert_buf_is(&out, rows[i].text);
    }
}

static void nesting_without_end_fails_instead_of_overflowing(void **state)
{
    lode_buf out = LODE_BUF_EMPTY;
    lode_json j;

    lode_json_init(&j, &out);
    for (int i = 0; i < LODE_JSON_DEPTH_MAX + 5; i++)
        lode_json_begin_array(&j, NULL);
    assert_false(lode_buf_is_good(&out));
    lode_buf_clear(&out);
}

static void arguments_are_told_apart_by_kind(void **state)
{
    static const struct {
        const char *text;
        lode_json_kind kind;
    } good[] = {
        { "null", LODE_JSON_NULL },
        { "true", LODE_JSON_BOOL },
        { " false ", LODE_JSON_BOOL },
        { "0", LODE_JSON_NUMBER },
        { "-1", LODE_JSON_NUMBER },
        { "1.5e-3", LODE_JSON_NUMBER },
        { "\"a\\u00e9\"", LODE_JSON_STRING },
        { "[]", LODE_JSON_ARRAY },
        { "[1, [2], {\"a\": 3}]", LODE_JSON_ARRAY },
        { "{}", LODE_JSON_OBJECT },
        { "{\"a\" : [ ] , \"b\":null}", LODE_JSON_OBJECT },
    };
    static const char *const bad[] = { "",    "a",     "01",      "1.", "-",       "1 2", "[1,]",        "{a:1}", "\"a",
                                       "nul", "truex", "\"\\x\"", "[1", "{\"a\"}", "+1",  "\"\\u12g4\"", "\"\\" };

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        lode_argument a;
        assert_true(lode_argument_parse(&a, good[i].text));
        assert_int_equal(a.kind, good[i].kind);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        lode_argument a;
        assert_false(lode_argument_parse(&a, bad[i]));
    }
}

static void arrays_may_not_nest_for_ever(void **state)
{
    char text[1001];
    lode_argument a;

    memset(text, '[', 500);
    memset(text + 500, ']', 500);
    text[1000] = '\0';
    assert_false(lode_argument_parse(&a, text));
}

static void whole_numbers_keep_to_their_range(void **state)
{
    static const struct {
        const char *text;
        bool is_good;
        int64_t value;
    } rows[] = { { "0", true, 0 },
                 { "-0", true, 0 },
                 { "2147483647", true, INT32_MAX },
                 { "2147483648", false, 0 },
                 { "-2147483648", true, INT32_MIN },
                 { "-2147483649", false, 0 },
                 { "99999999999999999999", false, 0 },
                 { "1.0", false, 0 },
                 { "1e1", false, 0 } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lode_argument a;
        int64_t value = 77;
        assert_true(lode_argument_parse(&a, rows[i].text));
        assert_int_equal(lode_argument_to_integer(&value, &a, INT32_MIN, INT32_MAX), rows[i].is_good);
        if (rows[i].is_good)
            assert_int_equal(value, rows[i].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_is_bitcoin_clis),
        cmocka_unit_test(an_empty_object_takes_two_lines),
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(amounts_have_eight_decimals),
        cmocka_unit_test(doubles_have_sixteen_digits),
        cmocka_unit_test(nesting_without_end_fails_instead_of_overflowing),
        cmocka_unit_test(arguments_are_told_apart_by_kind),
        cmocka_unit_test(arrays_may_not_nest_for_ever),
        cmocka_unit_test(whole_numbers_keep_to_their_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
