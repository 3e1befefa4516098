/* test/api/arguments_test.c: a caller's mistake is an error with a sentence: field reports K11, for the functions that
 * test/loadblock/arguments_test.c does not ask.
 */
#include "test/api/api_bed.h"

#include <string.h>

static made_chain chain;
static const uint8_t some_hash[32] = { 1 };

static void assert_refused(lode_status s)
{
    assert_int_equal(s.code, LODE_INVALID_ARGUMENT);
    assert_true(s.text[0] != 0);
}

static void open_reader(bed *b)
{
    bed_close(b);
    b->options.read_only = 1;
    bed_open(b);
}

static void begin(bed *b)
{
    bed_init(b, "regtest");
    bed_import_chain(b, &chain, 0, chain.count);
}

static void background_imports_refuse_what_cannot_be(void **state)
{
    lode_import_job *job = (lode_import_job *)(uintptr_t)1;
    lode_import_options zeros, o;
    lode_progress progress = { .size = sizeof progress };
    const char *hole[1] = { NULL };
    int done;
    bed b;

    begin(&b);
    memset(&zeros, 0, sizeof zeros);
    lode_import_options_init(&o);
    assert_refused(lode_import_start(NULL, b.h, NULL));
    assert_refused(lode_import_start(&job, NULL, NULL));
    assert_null(job);
    assert_refused(lode_import_start(&job, b.h, &zeros));
    o.path_count = 1;
    assert_refused(lode_import_start(&job, b.h, &o));
    o.paths = hole;
    assert_refused(lode_import_start(&job, b.h, &o));
    assert_null(job);
    assert_refused(lode_import_get_progress(NULL, &progress));
    assert_refused(lode_import_cancel(NULL));
    assert_refused(lode_import_wait(NULL, &done, 0));
    assert_ok(lode_import_end(NULL, NULL));
    hole[0] = "/bed/nowhere";
    assert_ok(lode_import_start(&job, b.h, &o));
    assert_refused(lode_import_get_progress(job, NULL));
    assert_refused(lode_import_wait(job, NULL, 0));
    assert_ok(lode_import_wait(job, &done, INT64_MIN));
    assert_int_equal(done, 1);
    assert_ok(lode_import_wait(job, &done, INT64_MAX));
    assert_ok(lode_import_cancel(job)); /* too late is no mistake */
    assert_fails_with(LODE_MISSING, lode_import_end(job, NULL));
    bed_assert_tip(&b, &chain.blocks[chain.count - 1]);
    open_reader(&b);
    assert_refused(lode_import_start(&job, b.h, NULL));
    bed_clear(&b);
}

static void ignore_verdict(void *context, const lode_status *status, const lode_submit_result *result)
{
}

static void submissions_refuse_what_cannot_be(void **state)
{
    lode_submit_result r = { .size = sizeof r };
    const made_block *block = &chain.blocks[1];
    bed b;

    begin(&b);
    assert_refused(lode_submit_header(NULL, &r, block->raw, 80));
    assert_refused(lode_submit_header(b.h, NULL, block->raw, 80));
    assert_refused(lode_submit_header(b.h, &r, NULL, 80));
    assert_refused(lode_submit_header(b.h, &r, block->raw, 79));
    assert_refused(lode_submit_header(b.h, &r, block->raw, 81));
    assert_refused(lode_submit_block_async(NULL, block->raw, block->size, NULL, ignore_verdict));
    assert_refused(lode_submit_block_async(b.h, NULL, 5, NULL, ignore_verdict));
    assert_refused(lode_submit_block_async(b.h, block->raw, (size_t)UINT32_MAX + 1, NULL, ignore_verdict));
    assert_refused(lode_check_block(NULL, &r, block->raw, block->size, 0));
    assert_refused(lode_check_block(b.h, NULL, block->raw, block->size, 0));
    assert_refused(lode_check_block(b.h, &r, NULL, 1, 0));
    assert_refused(lode_check_block(b.h, &r, block->raw, block->size, 2));
    assert_refused(lode_check_block(b.h, &r, block->raw, block->size, -1));
    assert_ok(lode_check_block(b.h, &r, NULL, 0, 0));
    assert_false(r.accepted);
    assert_refused(lode_check_block_alone(NULL, &r, block->raw, block->size, 0));
    assert_refused(lode_check_block_alone(b.h, NULL, block->raw, block->size, 0));
    assert_refused(lode_check_block_alone(b.h, &r, NULL, 1, 0));
    assert_refused(lode_check_block_alone(b.h, &r, block->raw, block->size, 8));
    assert_ok(lode_check_block_alone(b.h, &r, NULL, 0, 0));
    assert_false(r.accepted);
    open_reader(&b);
    assert_refused(lode_submit_header(b.h, &r, block->raw, 80));
    assert_refused(lode_submit_block_async(b.h, block->raw, block->size, NULL, ignore_verdict));
    assert_refused(lode_check_block(b.h, &r, block->raw, block->size, 0));
    assert_ok(lode_check_block_alone(b.h, &r, block->raw, block->size, 0));
    bed_clear(&b);
}

static void cache_sizes_and_statistics_refuse_what_cannot_be(void **state)
{
    lode_statistics s = { .size = sizeof s };
    bed b;

    begin(&b);
    assert_refused(lode_set_cache_bytes(NULL, 8 << 20));
    assert_refused(lode_set_cache_bytes(b.h, 0));
    assert_refused(lode_set_cache_bytes(b.h, (4 << 20) - 1));
    assert_ok(lode_set_cache_bytes(b.h, 4 << 20));
    assert_refused(lode_get_statistics(NULL, &s));
    assert_refused(lode_get_statistics(b.h, NULL));
    bed_clear(&b);
}

static void scripts_refuse_what_cannot_be(void **state)
{
    lode_spent_output spent[2] = { { 0, "\x51", 1 }, { 0, "\x51", 1 } };
    lode_script_result r = { .size = sizeof r };
    bed b;

    begin(&b);
    assert_refused(lode_verify_transaction(NULL, api_tx, sizeof api_tx, spent, 1, 0));
    assert_refused(lode_verify_transaction(&r, NULL, sizeof api_tx, spent, 1, 0));
    assert_refused(lode_verify_transaction(&r, api_tx, sizeof api_tx, NULL, 1, 0));
    assert_refused(lode_verify_transaction(&r, api_tx, sizeof api_tx, NULL, 0, 0));
    assert_refused(lode_verify_transaction(&r, api_tx, sizeof api_tx, spent, 0, 0));
    assert_refused(lode_verify_transaction(&r, api_tx, sizeof api_tx, spent, 2, 0));
    assert_refused(lode_verify_transaction(&r, api_tx, sizeof api_tx, spent, 1, 1u << 21));
    assert_refused(lode_verify_transaction(&r, api_tx, sizeof api_tx, spent, 1, LODE_RULE_WITNESS));
    assert_refused(lode_verify_transaction(&r, api_tx, sizeof api_tx, spent, 1, LODE_RULE_CLEANSTACK | LODE_RULE_P2SH));
    for (size_t len = 0; len < sizeof api_tx; len++)
        assert_refused(lode_verify_transaction(&r, api_tx, len, spent, 1, 0));
    spent[0].script = NULL;
    assert_refused(lode_verify_transaction(&r, api_tx, sizeof api_tx, spent, 1, 0));
    assert_refused(lode_warm_transaction(b.h, &r, api_tx, sizeof api_tx, spent, 1));
    spent[0].script = "\x51";
    assert_ok(lode_verify_transaction(&r, api_tx, sizeof api_tx, spent, 1, 0));
    assert_refused(lode_warm_transaction(NULL, &r, api_tx, sizeof api_tx, spent, 1));
    assert_refused(lode_warm_transaction(b.h, NULL, api_tx, sizeof api_tx, spent, 1));
    assert_refused(lode_warm_transaction(b.h, &r, NULL, sizeof api_tx, spent, 1));
    assert_refused(lode_warm_transaction(b.h, &r, api_tx, sizeof api_tx, NULL, 1));
    assert_refused(lode_warm_transaction(b.h, &r, api_tx, sizeof api_tx - 1, NULL, 0));
    assert_ok(lode_warm_transaction(b.h, &r, api_tx, sizeof api_tx, NULL, 0));
    assert_int_equal(r.valid, 0);
    bed_clear(&b);
}

static void coins_and_walks_refuse_what_cannot_be(void **state)
{
    lode_coin_info infos[2] = { { .size = sizeof *infos }, { .size = 0 } };
    lode_coin_walk *walk = (lode_coin_walk *)(uintptr_t)1;
    lode_tip tip = { .size = sizeof tip };
    lode_coin_id ids[2] = { { .index = 0 }, { .index = UINT32_MAX } }, id;
    int found[2] = { 5, 5 };
    bed b;

    begin(&b);
    assert_refused(lode_get_coins(NULL, found, infos, &tip, ids, 1));
    assert_refused(lode_get_coins(b.h, NULL, infos, &tip, ids, 1));
    assert_refused(lode_get_coins(b.h, found, NULL, &tip, ids, 1));
    assert_refused(lode_get_coins(b.h, found, infos, &tip, NULL, 1));
    assert_refused(lode_get_coins(b.h, found, infos, &tip, ids, 2)); /* the second one's size */
    assert_int_equal(found[0], 5);
    assert_ok(lode_get_coins(b.h, NULL, NULL, NULL, NULL, 0));
    infos[1].size = sizeof *infos;
    assert_ok(lode_get_coins(b.h, found, infos, NULL, ids, 2));
    assert_int_equal(found[0] + found[1], 0);

    assert_refused(lode_coin_walk_open(NULL, b.h, NULL, NULL));
    assert_refused(lode_coin_walk_open(&walk, NULL, NULL, NULL));
    assert_null(walk);
    assert_ok(lode_coin_walk_open(&walk, b.h, &tip, NULL));
    assert_refused(lode_coin_walk_next(NULL, found, &id, infos));
    assert_refused(lode_coin_walk_next(walk, NULL, &id, infos));
    assert_refused(lode_coin_walk_next(walk, found, NULL, infos));
    assert_refused(lode_coin_walk_next(walk, found, &id, NULL));
    assert_refused(lode_close(b.h)); /* field report 66: closing with a child open */
    assert_refused(lode_close_cancel(b.h));
    bed_assert_tip(&b, &chain.blocks[chain.count - 1]);
    assert_ok(lode_coin_walk_next(walk, found, &id, infos));
    lode_coin_walk_close(walk);
    lode_coin_walk_close(NULL);
    assert_ok(lode_close_cancel(NULL));
    bed_clear(&b);
}

static int visit_header(void *context, const lode_block_info *info)
{
    bed *b = context;
    assert_refused(lode_close(b->h));
    assert_refused(lode_close_cancel(b->h));
    return 1;
}

static int visit_tip(void *context, const lode_block_info *info, int kind, int32_t branch_length)
{
    return visit_header(context, info);
}

static void blocks_and_headers_refuse_what_cannot_be(void **state)
{
    static const int32_t heights[] = { INT32_MIN, -1, 1000, INT32_MAX };
    lode_block_info info = { .size = sizeof info };
    uint8_t *raw = NULL;
    size_t len;
    int found = 5;
    bed b;

    begin(&b);
    assert_refused(lode_get_block(NULL, &found, &raw, &len, some_hash));
    assert_refused(lode_get_block(b.h, NULL, &raw, &len, some_hash));
    assert_refused(lode_get_block(b.h, &found, NULL, &len, some_hash));
    assert_refused(lode_get_block(b.h, &found, &raw, NULL, some_hash));
    assert_refused(lode_get_block(b.h, &found, &raw, &len, NULL));
    assert_refused(lode_get_undo(NULL, &found, &raw, &len, some_hash));
    assert_refused(lode_get_undo(b.h, NULL, &raw, &len, some_hash));
    assert_refused(lode_get_undo(b.h, &found, NULL, &len, some_hash));
    assert_refused(lode_get_undo(b.h, &found, &raw, NULL, some_hash));
    assert_refused(lode_get_undo(b.h, &found, &raw, &len, NULL));
    assert_refused(lode_get_block_at(NULL, &found, &raw, &len, 0));
    assert_refused(lode_get_block_at(b.h, NULL, &raw, &len, 0));
    assert_refused(lode_get_undo_at(NULL, &found, &raw, &len, 0));
    assert_refused(lode_get_undo_at(b.h, &found, NULL, &len, 0));
    assert_refused(lode_get_block_info(NULL, &found, &info, some_hash));
    assert_refused(lode_get_block_info(b.h, NULL, &info, some_hash));
    assert_refused(lode_get_block_info(b.h, &found, NULL, some_hash));
    assert_refused(lode_get_block_info(b.h, &found, &info, NULL));
    assert_refused(lode_get_block_info_at(NULL, &found, &info, 0));
    assert_refused(lode_get_block_info_at(b.h, NULL, &info, 0));
    assert_refused(lode_get_block_info_at(b.h, &found, NULL, 0));
    assert_refused(lode_get_best_header(NULL, &info));
    assert_refused(lode_get_best_header(b.h, NULL));
    assert_refused(lode_visit_headers(NULL, NULL, visit_header));
    assert_refused(lode_visit_headers(b.h, NULL, NULL));
    assert_refused(lode_visit_chain_tips(NULL, NULL, visit_tip));
    assert_refused(lode_visit_chain_tips(b.h, NULL, NULL));
    assert_ok(lode_visit_headers(b.h, &b, visit_header));
    assert_ok(lode_visit_chain_tips(b.h, &b, visit_tip));
    assert_int_equal(found, 5);
    for (size_t i = 0; i < sizeof heights / sizeof *heights; i++) {
        assert_ok(lode_get_block_at(b.h, &found, &raw, &len, heights[i]));
        assert_int_equal(found, 0);
        assert_ok(lode_get_undo_at(b.h, &found, &raw, &len, heights[i]));
        assert_int_equal(found, 0);
        assert_ok(lode_get_block_info_at(b.h, &found, &info, heights[i]));
        assert_int_equal(found, 0);
    }
    assert_null(raw);
    bed_clear(&b);
}

static int set_up(void **state)
{
    made_chain_make(&chain, 3, 6, 2);
    return 0;
}

static int tear_down(void **state)
{
    made_chain_clear(&chain);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(background_imports_refuse_what_cannot_be),
        cmocka_unit_test(submissions_refuse_what_cannot_be),
        cmocka_unit_test(cache_sizes_and_statistics_refuse_what_cannot_be),
        cmocka_unit_test(scripts_refuse_what_cannot_be),
        cmocka_unit_test(coins_and_walks_refuse_what_cannot_be),
        cmocka_unit_test(blocks_and_headers_refuse_what_cannot_be),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
