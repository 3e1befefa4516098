/* test/snapshot/verify_chain_test.c: verifychain calls good what is good, finds what is not, and says when it cannot
 * tell.
 */
#include "test/snapshot/snapshot_helpers.h"

#include <errno.h>

#include "api/handle.h"
#include "lode/store.h"
#include "test/support/fault_env.h"

static made_chain chain; /* 160 blocks */

static int make_chain(void **state)
{
    made_chain_make(&chain, 5, 160, 8);
    return 0;
}

static int drop_chain(void **state)
{
    made_chain_clear(&chain);
    return 0;
}

static lode_check_result verify(bed *b, int level, int32_t blocks)
{
    lode_check_result r = { .size = sizeof r };
    assert_ok(lode_verify_chain(b->h, &r, level, blocks));
    return r;
}

static void assert_verdict(bed *b, int expected, int level, int32_t blocks, const char *text)
{
    lode_check_result r = verify(b, level, blocks);
    if (r.answer != expected || !strstr(r.text, text))
        fail_msg("level %d, %d blocks: answer %d, not %d with \"%s\": %s", level, blocks, r.answer, expected, text,
                 r.text);
}

static void a_sound_chain_is_good_at_every_level_and_stays_as_it_is(void **state)
{
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    bed_print before = bed_take_print(&b);
    reopen_for_reading(&b);
    folder_sum files = sum_folder(&b);
    for (int level = -1; level <= 5; level++) {
        static const int32_t blocks[] = { 0, 1, 6, 160, 1000, -1 };
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
            lode_check_result r = verify(&b, level, blocks[i]);
            uint64_t expected = blocks[i] <= 0 || blocks[i] > 160 ? 160 : (uint64_t)blocks[i];
            if (r.answer != LODE_CHECK_GOOD || r.asked != expected || r.checked != expected)
                fail_msg("level %d, %d blocks: %s", level, blocks[i], r.text);
            assert_int_equal(r.height, -1);
        }
    }
    assert_answer(&b, "true", "verifychain", NULL, NULL);
    assert_answer(&b, "true", "verifychain", "4", "0");
    assert_same_folder(&b, &files);
    bed_assert_print(&b, &before);
    bed_clear(&b);
}

static void a_writer_may_ask_and_go_on(void **state)
{
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, 120);
    assert_verdict(&b, LODE_CHECK_GOOD, 4, 0, "the last 119 blocks");
    bed_import_chain(&b, &chain, 120, chain.count);
    assert_verdict(&b, LODE_CHECK_GOOD, 4, 0, "the last 160 blocks");
    bed_assert_tip(&b, &chain.blocks[160]);
    bed_reopen(&b);
    assert_verdict(&b, LODE_CHECK_GOOD, 4, 0, "the last 160 blocks");
    bed_clear(&b);
}

static void a_chain_of_genesis_alone_is_good(void **state)
{
    bed b;

    bed_init(&b, "regtest");
    bed_open(&b);
    assert_verdict(&b, LODE_CHECK_GOOD, 4, 0, "");
    bed_clear(&b);
}

/* ---- damage ---- */

static const char block_file[] = "data/regtest/blocks/blk00000.dat";
static const char undo_file[] = "data/regtest/blocks/rev00000.dat";

/* Where a block lies in the file: blocks are stored in the order in which they came. */
static size_t place_of(size_t height)
{
    size_t at = 8;
    for (size_t i = 0; i < height; i++)
        at += 8 + chain.blocks[i].size;
    return at;
}

static void a_changed_byte_in_a_block_is_found_and_its_place_told(void **state)
{
    bed b;
    char expected[64];

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    reopen_for_reading(&b);
    for (size_t height = 1; height <= 160; height += 53) {
        size_t start = place_of(height), end = start + chain.blocks[height].size;
        for (size_t at = start; at < end; at += 61) {
            flip_byte(&b, block_file, at);
            lode_check_result r = verify(&b, 1, 0);
            snprintf(expected, sizeof expected, "bad at height %zu, block ", height);
            if (r.answer != LODE_CHECK_BAD || strncmp(r.text, expected, strlen(expected)) != 0 ||
                r.height != (int32_t)height)
                fail_msg("byte %zu of block %zu: %s", at - start, height, r.text);
            assert_int_equal(r.checked, 160 - height);
            flip_byte(&b, block_file, at);
            bed_forget(&b);
        }
    }
    assert_verdict(&b, LODE_CHECK_GOOD, 1, 0, "");
    bed_clear(&b);
}

static void changed_undo_data_is_bad_from_level_2_on(void **state)
{
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    reopen_for_reading(&b);
    flip_byte(&b, undo_file, 8); /* of the first block */
    for (int level = 0; level <= 4; level++)
        assert_verdict(&b, level < 2 ? LODE_CHECK_GOOD : LODE_CHECK_BAD, level, 0, level < 2 ? "" : "height 1,");
    assert_verdict(&b, LODE_CHECK_GOOD, 4, 159, "");
    assert_answer(&b, "false", "verifychain", "2", "0");
    bed_clear(&b);
}

static void a_coin_that_is_missing_is_bad_from_level_3_on(void **state)
{
    bed b;
    lode_store *store;
    lode_store_options o;
    lode_iterator *it;
    uint8_t key[64];
    size_t len = 0;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    bed_close(&b);
    lode_store_options_init(&o);
    o.env = b.env;
    o.compression = LODE_COMPRESSION_NONE;
    assert_ok(lode_store_open(&store, bed_path(&b, "data/regtest/chainstate"), &o));
    assert_ok(lode_iterator_create(&it, store, NULL));
    lode_iterator_seek(it, "C", 1);
    assert_true(lode_iterator_is_valid(it));
    lode_bytes found = lode_iterator_key(it);
    len = found.len;
    memcpy(key, found.data, len);
    lode_iterator_destroy(it);
    assert_ok(lode_store_delete(store, key, len, 1));
    assert_ok(lode_store_close(store));
    b.options.read_only = 1;
    bed_open(&b);
    assert_verdict(&b, LODE_CHECK_GOOD, 2, 0, "");
    assert_verdict(&b, LODE_CHECK_BAD, 3, 0, "the coins are not those");
    assert_verdict(&b, LODE_CHECK_BAD, 4, 0, "the coins are not those");
    bed_clear(&b);
}

static void a_signature_that_was_never_checked_is_found_at_level_4(void **state)
{
    made_chain with_bad = { 0 };
    lode_chain_maker *maker = made_maker(11, 6);
    lode_made_block bad;
    bed b;

    lode_chain_maker_genesis(&bad);
    made_chain_add(&with_bad, &bad);
    made_extend(maker, &with_bad, 130);
    assert_ok(lode_chain_maker_mark(maker));
    assert_ok(lode_chain_maker_extend_invalid(maker, &bad, made_invalid_kind("bad-signature")));
    made_chain_add(&with_bad, &bad);
    made_extend(maker, &with_bad, 4);

    bed_init(&b, "regtest");
    b.options.check_scripts = 0;
    bed_import_chain(&b, &with_bad, 0, with_bad.count);
    bed_assert_tip(&b, &with_bad.blocks[135]);
    reopen_for_reading(&b);
    assert_verdict(&b, LODE_CHECK_GOOD, 4, 0, "");
    b.options.check_scripts = 1;
    bed_reopen(&b);
    assert_verdict(&b, LODE_CHECK_GOOD, 3, 0, "");
    assert_verdict(&b, LODE_CHECK_GOOD, 4, 4, "");
    assert_verdict(&b, LODE_CHECK_BAD, 4, 5, "block-script-verify-flag-failed");
    assert_verdict(&b, LODE_CHECK_BAD, 4, 0, "bad at height 131,");
    bed_clear(&b);
    lode_chain_maker_destroy(maker);
    made_chain_clear(&with_bad);
}

/* ---- what cannot be told ---- */

static void a_missing_file_is_neither_good_nor_bad(void **state)
{
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    reopen_for_reading(&b);
    assert_ok(b.env->rename(b.env, bed_path(&b, undo_file), bed_path(&b, "away")));
    bed_reopen(&b);
    assert_verdict(&b, LODE_CHECK_GOOD, 1, 0, "");
    assert_verdict(&b, LODE_CHECK_UNFINISHED, 3, 6, "not finished: stopped at height 160,");
    assert_answer(&b, "false", "verifychain", NULL, NULL);
    assert_ok(b.env->rename(b.env, bed_path(&b, block_file), bed_path(&b, "away too")));
    bed_reopen(&b);
    assert_verdict(&b, LODE_CHECK_UNFINISHED, 0, 6, "not finished: stopped at height 160,");
    bed_clear(&b);
}

static void a_disk_that_does_not_read_is_neither_good_nor_bad(void **state)
{
    bed b;
    lode_env *base;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    bed_close(&b);
    base = b.env;
    b.options.env = lode_fault_env_create(base);
    b.options.read_only = 1;
    b.options.threads = 1;
    for (uint64_t n = 0; n < 400; n += 7) {
        lode_check_result r = { .size = sizeof r };
        bed_open(&b);
        lode_fault_env_plan(b.options.env, &(lode_fault_plan){ .calls = LODE_FAULT_PREAD | LODE_FAULT_OPEN,
                                                               .path_contains = "00000.dat",
                                                               .skip = n,
                                                               .times = UINT64_MAX,
                                                               .error_number = EIO });
        r = verify(&b, 4, 100);
        if (r.answer != (lode_fault_env_failed(b.options.env) ? LODE_CHECK_UNFINISHED : LODE_CHECK_GOOD))
            fail_msg("call %d fails: %s", (int)n, r.text);
        lode_fault_env_plan(b.options.env, NULL);
        r = verify(&b, 4, 100);
        assert_int_equal(r.answer, LODE_CHECK_GOOD);
        bed_close(&b);
    }
    lode_fault_env_destroy(b.options.env);
    bed_clear(&b);
}

typedef struct stopper {
    lode *h;
    uint64_t at;
} stopper;

static void stop(void *context, const char *what, uint64_t done, uint64_t total)
{
    stopper *s = context;
    assert_true(done <= total);
    if (done >= s->at)
        lode_interrupt(s->h);
}

static void an_interruption_is_neither_good_nor_bad_and_ends_one_call(void **state)
{
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    reopen_for_reading(&b);
    for (uint64_t at = 1; at < 320; at += 29) {
        stopper s = { b.h, at };
        lode_set_progress(b.h, &s, stop);
        assert_verdict(&b, LODE_CHECK_UNFINISHED, 4, 0, "interrupted");
        lode_set_progress(b.h, NULL, NULL);
        assert_verdict(&b, LODE_CHECK_GOOD, 4, 0, "");
    }
    lode_interrupt(b.h);
    assert_verdict(&b, LODE_CHECK_UNFINISHED, 4, 0, "height 160,");
    bed_clear(&b);
}

static void too_little_memory_for_undoing_is_said_with_how_far_it_went(void **state)
{
    bed b;
    lode_check_result r = { .size = sizeof r };

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    reopen_for_reading(&b);
    b.h->chain->options.cache_bytes = 0; /* less than can be asked for */
    assert_verdict(&b, LODE_CHECK_GOOD, 2, 0, "");
    for (int level = 3; level <= 4; level++) {
        r = verify(&b, level, 0);
        if (r.answer != LODE_CHECK_UNFINISHED || !strstr(r.text, "-dbcache"))
            fail_msg("level %d: %s", level, r.text);
        assert_true(r.checked > 5 && r.checked < 160);
        assert_int_equal(r.asked, 160);
    }
    bed_reopen(&b);
    assert_verdict(&b, LODE_CHECK_GOOD, 4, 0, "");
    bed_clear(&b);
}

static void wrong_calls_are_told(void **state)
{
    lode_check_result r = { .size = sizeof r };
    bed b;

    bed_init(&b, "regtest");
    bed_open(&b);
    assert_fails_with(LODE_INVALID_ARGUMENT, lode_verify_chain(NULL, &r, 3, 6));
    assert_fails_with(LODE_INVALID_ARGUMENT, lode_verify_chain(b.h, NULL, 3, 6));
    lode_set_progress(NULL, NULL, NULL);
    bed_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_chain_is_good_at_every_level_and_stays_as_it_is),
        cmocka_unit_test(a_writer_may_ask_and_go_on),
        cmocka_unit_test(a_chain_of_genesis_alone_is_good),
        cmocka_unit_test(a_changed_byte_in_a_block_is_found_and_its_place_told),
        cmocka_unit_test(changed_undo_data_is_bad_from_level_2_on),
        cmocka_unit_test(a_coin_that_is_missing_is_bad_from_level_3_on),
        cmocka_unit_test(a_signature_that_was_never_checked_is_found_at_level_4),
        cmocka_unit_test(a_missing_file_is_neither_good_nor_bad),
        cmocka_unit_test(a_disk_that_does_not_read_is_neither_good_nor_bad),
        cmocka_unit_test(an_interruption_is_neither_good_nor_bad_and_ends_one_call),
        cmocka_unit_test(too_little_memory_for_undoing_is_said_with_how_far_it_went),
        cmocka_unit_test(wrong_calls_are_told),
    };
    return cmocka_run_group_tests(tests, make_chain, drop_chain);
}
