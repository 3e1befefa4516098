/* test/cli/progress_test.c: what the progress line and the report say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cli/progress.h"
#include "cli/report.h"

static void numbers_are_grouped_by_three(void **state)
{
    static const struct {
        uint64_t value;
        const char *text;
    } rows[] = { { 0, "0" },
                 { 999, "999" },
                 { 1000, "1,000" },
                 { 12345678, "12,345,678" },
                 { UINT64_MAX, "18,446,744,073,709,551,615" } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[32];
        assert_string_equal(lode_group_digits(text, rows[i].value), rows[i].text);
    }
}

static void durations_are_told_in_two_units_at_most(void **state)
{
    static const struct {
        double seconds;
        const char *text;
    } rows[] = { { -1, "0.00 s" },     { 0.25, "0.25 s" },     { 42.4, "42 s" },
                 { 60, "1 min 00 s" }, { 754, "12 min 34 s" }, { 3 * 3600 + 300, "3 h 05 min" } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[32];
        assert_string_equal(lode_duration_text(text, rows[i].seconds), rows[i].text);
    }
}

static lode_progress progress_at(uint64_t second, double fraction)
{
    return (lode_progress){ .size = sizeof(lode_progress),
                            .phase = LODE_PHASE_IMPORTING,
                            .height = (int32_t)(10 * second),
                            .block_time = 1231006505,
                            .blocks = 10 * second,
                            .inputs = 2000 * second,
                            .cache_bytes = 16 << 20,
                            .cache_limit_bytes = 450 << 20,
                            .elapsed_ns = second * 1000000000u,
                            .fraction = fraction,
                            .file = "/a/b/blk00007.dat" };
}

static void a_line_tells_place_speed_cache_and_time_left(void **state)
{
    lode_progress_meter m;
    lode_progress p = progress_at(10, 0.25);
    char line[256];

    lode_progress_meter_init(&m, NULL);
    lode_progress_line(line, sizeof line, &m, &p);
    assert_string_equal(line, "importing 25.0 %, 30 s left  height 100  2009-01-03  10 blocks/s  2,000 inputs/s  "
                              "cache 16/450 MiB  blk00007.dat");
}

static void an_unknown_share_is_left_out(void **state)
{
    lode_progress_meter m;
    lode_progress p = progress_at(10, 0);
    char line[256];

    lode_progress_meter_init(&m, NULL);
    p.phase = LODE_PHASE_FLUSHING;
    p.file = NULL;
    lode_progress_line(line, sizeof line, &m, &p);
    assert_string_equal(line, "flushing  height 100  2009-01-03  10 blocks/s  2,000 inputs/s  cache 16/450 MiB  ");
}

static void a_line_is_cut_to_its_room(void **state)
{
    lode_progress_meter m;
    lode_progress p = progress_at(10, 0.25);
    char line[16];

    lode_progress_meter_init(&m, NULL);
    lode_progress_line(line, sizeof line, &m, &p);
    assert_int_equal(strlen(line), 15);
}

static void refused_blocks_are_kept_as_json(void **state)
{
    lode_rejection_list list = { 0 };
    lode_rejection r = {
        .size = sizeof r, .file = "a\"b\\c\n", .offset = 8, .hash = "ab", .height = 3, .reason = "bad-cb-amount"
    };

    lode_rejection_list_add(&list, &r);
    r.file = NULL;
    lode_rejection_list_add(&list, &r);
    assert_string_equal(list.text,
                        "{ \"hash\": \"ab\", \"height\": 3, \"file\": \"a\\\"b\\\\c\\u000a\", \"offset\": 8, "
                        "\"reason\": \"bad-cb-amount\", \"detail\": \"\" },\n    "
                        "{ \"hash\": \"ab\", \"height\": 3, \"file\": null, \"offset\": 8, "
                        "\"reason\": \"bad-cb-amount\", \"detail\": \"\" }");
    lode_rejection_list_clear(&list);
}

static void the_table_names_every_stage_of_the_issue(void **state)
{
    static const char *const names[] = { "read",  "parse and hash", "coin lookups",     "connect", "signature checks",
                                         "flush", "compaction",     "transaction index" };
    lode_import_result result = { .size = sizeof result, .elapsed_ns = 2000000000u };
    char text[8192];
    FILE *out = fmemopen(text, sizeof text, "w");

    assert_non_null(out);
    lode_report_print_text(out, &result, "done");
    fclose(out);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_non_null(strstr(text, names[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_grouped_by_three),
        cmocka_unit_test(durations_are_told_in_two_units_at_most),
        cmocka_unit_test(a_line_tells_place_speed_cache_and_time_left),
        cmocka_unit_test(an_unknown_share_is_left_out),
        cmocka_unit_test(a_line_is_cut_to_its_room),
        cmocka_unit_test(refused_blocks_are_kept_as_json),
        cmocka_unit_test(the_table_names_every_stage_of_the_issue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
