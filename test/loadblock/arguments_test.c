/* test/loadblock/arguments_test.c: a caller's mistake is an error with a sentence, never a crash and never a change.
 *
 * One test for each public function of lode.h.
 */
#include "test/loadblock/bed.h"

#include <string.h>

static made_chain chain;
static const uint8_t some_hash[32] = { 1 };

static void assert_refused(lode_status s)
{
    assert_int_equal(s.code, LODE_INVALID_ARGUMENT);
    assert_true(s.text[0] != 0);
}

static void the_version_is_told(void **state)
{
    assert_string_equal(lode_version(), "0.1.0");
}

static void options_init_takes_null(void **state)
{
    lode_options options;
    lode_options_init(NULL);
    memset(&options, 0x55, sizeof options);
    lode_options_init(&options);
    assert_int_equal(options.size, sizeof options);
    assert_int_equal(options.create_if_missing, 1);
    assert_int_equal(options.check_scripts, 1);
    assert_null(options.datadir);
    assert_int_equal(options.dbcache_bytes, UINT64_C(450) << 20);
}

static void open_refuses(bed *b, lode_code code)
{
    lode *h = (lode *)(uintptr_t)1;
    lode_status s = lode_open(&h, &b->options);
    if (s.code != (int32_t)code)
        fail_msg("code %d, not %d: %s", s.code, code, s.text);
    assert_true(s.text[0] != 0);
    assert_null(h);
}

static void open_refuses_what_cannot_be(void **state)
{
    static const char *const bad_options[] = { "nothing",
                                               "testactivationheight=segwit",
                                               "testactivationheight=x@1",
                                               "testactivationheight=segwit@-5",
                                               "vbparams=",
                                               "=",
                                               "" };
    lode *h = (lode *)(uintptr_t)1;
    lode_options zeros;
    bed b;

    bed_init(&b, "regtest");
    const lode_options good = b.options;
    assert_refused(lode_open(NULL, &b.options));
    assert_refused(lode_open(&h, NULL));
    assert_null(h);
    memset(&zeros, 0, sizeof zeros);
    assert_refused(lode_open(&h, &zeros));
    assert_refused(lode_open(NULL, NULL));

    b.options.datadir = NULL;
    open_refuses(&b, LODE_INVALID_ARGUMENT);
    b.options.datadir = "";
    open_refuses(&b, LODE_INVALID_ARGUMENT);
    b.options = good;
    b.options.chain = "moon";
    open_refuses(&b, LODE_INVALID_ARGUMENT);
    b.options.chain = "";
    open_refuses(&b, LODE_INVALID_ARGUMENT);
    b.options = good;
    b.options.assume_valid = "12";
    open_refuses(&b, LODE_INVALID_ARGUMENT);
    b.options.assume_valid = "zz1d95eab9218b4f6a04e00a7c0efaab0f8d231703e850efc2496de9946cf192";
    open_refuses(&b, LODE_INVALID_ARGUMENT);
    b.options = good;
    b.options.minimum_chain_work = "xyz";
    open_refuses(&b, LODE_INVALID_ARGUMENT);
    b.options = good;
    b.options.read_only = 1;
    b.options.reindex = 1;
    open_refuses(&b, LODE_INVALID_ARGUMENT);
    b.options.reindex = 0;
    open_refuses(&b, LODE_MISSING); /* a reader creates nothing */
    assert_false(bed_exists(&b, "data"));
    b.options = good;
    b.options.create_if_missing = 0;
    open_refuses(&b, LODE_MISSING);
    assert_false(bed_exists(&b, "data"));
    b.options = good;
    b.options.blocksdir = "/bed/nowhere";
    open_refuses(&b, LODE_MISSING);
    b.options = good;
    b.options.blocks_from = "/bed/nowhere";
    open_refuses(&b, LODE_MISSING);
    b.options = good;
    for (size_t i = 0; i < sizeof bad_options / sizeof *bad_options; i++) {
        b.options.chain_options = &bad_options[i];
        b.options.chain_option_count = 1;
        open_refuses(&b, LODE_INVALID_ARGUMENT);
    }
    b.options.chain_options = NULL;
    open_refuses(&b, LODE_INVALID_ARGUMENT);
    b.options = good;
    bed_open(&b);
    open_refuses(&b, LODE_LOCKED);
    b.options.read_only = 1;
    open_refuses(&b, LODE_LOCKED);
    bed_clear(&b);
}

/* Numbers are brought into range. */
static void open_takes_any_number(void **state)
{
    static const uint64_t caches[] = { 0, 1, 4 << 20, UINT64_C(1) << 40, UINT64_MAX };
    static const int threads[] = { -5, 0, 1, 3, 100000 };
    for (size_t i = 0; i < 5; i++) {
        bed b;
        bed_init(&b, "regtest");
        b.options.dbcache_bytes = caches[i];
        b.options.threads = threads[i];
        b.options.stop_at_height = -1;
        b.options.log_level = (int)i * 7 - 5;
        bed_import_chain(&b, &chain, 0, chain.count);
        bed_assert_tip(&b, &chain.blocks[chain.count - 1]);
        bed_clear(&b);
    }
}

/* Options of an older library are shorter; what it did not know has its default. */
static void open_takes_options_of_an_older_library(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    b.options.size = offsetof(lode_options, env) + sizeof b.options.env;
    bed_open(&b);
    bed_close(&b);
    b.options.size = sizeof b.options + 100; /* and of a newer one longer */
    bed_open(&b);
    bed_clear(&b);
}

static void close_takes_null(void **state)
{
    assert_ok(lode_close(NULL));
}

static void interrupt_takes_null(void **state)
{
    lode_interrupt(NULL);
}

static void import_refuses_what_cannot_be(void **state)
{
    bed b;
    lode_import_options zeros, o;
    const char *hole[2] = { "/bed/x", NULL };
    memset(&zeros, 0, sizeof zeros);
    lode_import_options_init(NULL);
    lode_import_options_init(&o);
    assert_int_equal(o.size, sizeof o);
    bed_init(&b, "regtest");
    bed_open(&b);
    assert_refused(lode_import(NULL, &o, NULL));
    assert_refused(lode_import(b.h, &zeros, NULL));
    o.path_count = 1;
    assert_refused(lode_import(b.h, &o, NULL));
    o.paths = hole;
    o.path_count = 2;
    assert_refused(lode_import(b.h, &o, NULL));
    o.path_count = 1;
    assert_fails_with(LODE_MISSING, lode_import(b.h, &o, NULL));
    hole[0] = "";
    assert_fails_with(LODE_MISSING, lode_import(b.h, &o, NULL));
    assert_ok(lode_import(b.h, NULL, NULL)); /* defaults: go on with what is stored */
    lode_import_options_init(&o);
    o.size = offsetof(lode_import_options, on_progress);
    assert_ok(lode_import(b.h, &o, NULL));
    bed_import_chain(&b, &chain, 0, chain.count);
    bed_close(&b);
    b.options.read_only = 1;
    bed_open(&b);
    lode_import_options_init(&o);
    assert_refused(lode_import(b.h, &o, NULL));
    bed_assert_tip(&b, &chain.blocks[chain.count - 1]);
    bed_clear(&b);
}

static void import_without_callbacks_is_quiet(void **state)
{
    bed b;
    lode_import_options o;
    lode_buf file = LODE_BUF_EMPTY;
    bed_init(&b, "regtest");
    lode_import_options_init(&o);
    bed_put_chain(&b, &file, &chain, 0, 5);
    bed_put_chain(&b, &file, &chain, 6, 8);
    lode_buf_append(&file, "junk", 4);
    bed_put_frame_of(&b, &file, chain.blocks[5].raw, 90, 100);
    bed_put_frame_of(&b, &file, chain.blocks[5].raw, 100, 100);
    const char *path = bed_write(&b, "x.dat", &file);
    b.options.log = NULL;
    bed_open(&b);
    o.paths = &path;
    o.path_count = 1;
    assert_ok(lode_import(b.h, &o, NULL));
    bed_assert_tip(&b, &chain.blocks[4]);
    lode_buf_clear(&file);
    bed_clear(&b);
}

static void submit_refuses_what_cannot_be(void **state)
{
    bed b;
    lode_submit_result r = { .size = sizeof r };
    const made_block *block = &chain.blocks[1];
    bed_init(&b, "regtest");
    bed_open(&b);
    assert_refused(lode_submit_block(NULL, &r, block->raw, block->size));
    assert_refused(lode_submit_block(b.h, NULL, block->raw, block->size));
    assert_refused(lode_submit_block(b.h, &r, NULL, 80));
    assert_ok(lode_submit_block(b.h, &r, NULL, 0));
    assert_false(r.accepted);
    bed_close(&b);
    b.options.read_only = 1;
    bed_open(&b);
    assert_refused(lode_submit_block(b.h, &r, block->raw, block->size));
    bed_clear(&b);
}

static void flush_refuses_what_cannot_be(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    bed_open(&b);
    assert_refused(lode_flush(NULL));
    assert_ok(lode_flush(b.h));
    assert_ok(lode_flush(b.h));
    bed_close(&b);
    b.options.read_only = 1;
    bed_open(&b);
    assert_refused(lode_flush(b.h));
    bed_clear(&b);
}

static void invalidate_and_reconsider_refuse_what_cannot_be(void **state)
{
    bed b;
    int found = 5;
    bed_init(&b, "regtest");
    bed_open(&b);
    assert_refused(lode_invalidate_block(NULL, &found, some_hash));
    assert_refused(lode_invalidate_block(b.h, NULL, some_hash));
    assert_refused(lode_invalidate_block(b.h, &found, NULL));
    assert_refused(lode_reconsider_block(NULL, &found, some_hash));
    assert_refused(lode_reconsider_block(b.h, NULL, some_hash));
    assert_refused(lode_reconsider_block(b.h, &found, NULL));
    assert_int_equal(found, 5);
    bed_close(&b);
    b.options.read_only = 1;
    bed_open(&b);
    assert_refused(lode_invalidate_block(b.h, &found, some_hash));
    assert_refused(lode_reconsider_block(b.h, &found, some_hash));
    bed_clear(&b);
}

static void get_tip_refuses_null(void **state)
{
    bed b;
    lode_tip tip = { .size = sizeof tip };
    bed_init(&b, "regtest");
    bed_open(&b);
    assert_refused(lode_get_tip(NULL, &tip));
    assert_refused(lode_get_tip(b.h, NULL));
    assert_ok(lode_get_tip(b.h, &tip));
    assert_int_equal(tip.height, 0);
    bed_clear(&b);
}

static void get_coin_refuses_null_and_finds_nothing_where_nothing_is(void **state)
{
    bed b;
    lode_coin_info coin = { .size = sizeof coin };
    int found = 5;
    bed_init(&b, "regtest");
    bed_open(&b);
    assert_refused(lode_get_coin(NULL, &found, &coin, some_hash, 0));
    assert_refused(lode_get_coin(b.h, NULL, &coin, some_hash, 0));
    assert_refused(lode_get_coin(b.h, &found, NULL, some_hash, 0));
    assert_refused(lode_get_coin(b.h, &found, &coin, NULL, 0));
    assert_int_equal(found, 5);
    assert_ok(lode_get_coin(b.h, &found, &coin, some_hash, 0));
    assert_int_equal(found, 0);
    assert_ok(lode_get_coin(b.h, &found, &coin, some_hash, UINT32_MAX));
    assert_int_equal(found, 0);
    bed_clear(&b);
}

static void get_transaction_refuses_null(void **state)
{
    bed b;
    uint8_t *raw = NULL, hash[32];
    size_t len;
    int found = 5;
    bed_init(&b, "regtest");
    b.options.txindex = 1;
    bed_import_chain(&b, &chain, 0, chain.count);
    assert_refused(lode_get_transaction(NULL, &found, &raw, &len, hash, some_hash));
    assert_refused(lode_get_transaction(b.h, NULL, &raw, &len, hash, some_hash));
    assert_refused(lode_get_transaction(b.h, &found, NULL, &len, hash, some_hash));
    assert_refused(lode_get_transaction(b.h, &found, &raw, NULL, hash, some_hash));
    assert_refused(lode_get_transaction(b.h, &found, &raw, &len, hash, NULL));
    assert_int_equal(found, 5);
    /* the coinbase of block 1: its id is the root of the tree */
    assert_ok(lode_get_transaction(b.h, &found, &raw, &len, NULL, chain.blocks[1].raw + 36));
    assert_int_equal(found, 1);
    lode_free(raw);
    bed_clear(&b);
}

static void get_set_info_refuses_what_cannot_be(void **state)
{
    bed b;
    lode_set_info info = { .size = sizeof info };
    bed_init(&b, "regtest");
    bed_open(&b);
    assert_refused(lode_get_set_info(NULL, &info, 0));
    assert_refused(lode_get_set_info(b.h, NULL, 0));
    assert_refused(lode_get_set_info(b.h, &info, 4));
    assert_refused(lode_get_set_info(b.h, &info, -1));
    assert_ok(lode_get_set_info(b.h, &info, LODE_HASH_NONE));
    assert_int_equal(info.txouts, 0);
    bed_clear(&b);
}

static void query_refuses_what_cannot_be(void **state)
{
    bed b;
    char *answer = NULL, *error = NULL;
    int is_text, code;
    const char *none[1] = { NULL };
    const char *const one[1] = { "1" };
    bed_init(&b, "regtest");
    bed_open(&b);
    assert_refused(lode_query(NULL, "getblockcount", NULL, 0, &answer, &is_text, &code, &error));
    assert_refused(lode_query(b.h, NULL, NULL, 0, &answer, &is_text, &code, &error));
    assert_refused(lode_query(b.h, "getblockcount", NULL, 1, &answer, &is_text, &code, &error));
    assert_refused(lode_query(b.h, "getblockcount", NULL, 0, NULL, &is_text, &code, &error));
    assert_refused(lode_query(b.h, "getblockcount", NULL, 0, &answer, NULL, &code, &error));
    assert_refused(lode_query(b.h, "getblockcount", NULL, 0, &answer, &is_text, NULL, &error));
    assert_refused(lode_query(b.h, "getblockcount", NULL, 0, &answer, &is_text, &code, NULL));
    assert_refused(lode_query(b.h, "getblockhash", none, 1, &answer, &is_text, &code, &error));
    assert_ok(lode_query(b.h, "nosuchcommand", NULL, 0, &answer, &is_text, &code, &error));
    assert_null(answer);
    assert_int_equal(code, -32601); /* Core's RPC_METHOD_NOT_FOUND */
    lode_free(error);
    assert_ok(lode_query(b.h, "getblockcount", one, 1, &answer, &is_text, &code, &error));
    assert_null(answer);
    assert_int_not_equal(code, 0);
    lode_free(error);
    bed_clear(&b);
}

/* Every command, with too few and too many arguments and with nonsense: an answer or Core's error, nothing else. */
static void query_answers_nonsense_with_an_error(void **state)
{
    static const char *const words[] = { "",     "-1", "0",     "999999999999999999999", "zz", "[]", "{}", "null",
                                         "true", "\"", "[[[[[[" };
    bed b;
    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    for (size_t i = 0; lode_query_name(i); i++)
        for (size_t count = 0; count < 12; count++)
            for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
                const char *arguments[12];
                char *answer = NULL, *error = NULL;
                int is_text = 0, code = 0;
                for (size_t a = 0; a < count; a++)
                    arguments[a] = words[(w + a) % 11];
                lode_status s = lode_query(b.h, lode_query_name(i), arguments, count, &answer, &is_text, &code, &error);
                assert_true(s.code == LODE_OK || s.code == LODE_UNSUPPORTED || s.code == LODE_INVALID_ARGUMENT);
                if (s.code == LODE_OK)
                    assert_true(answer ? code == 0 && !error : code != 0 && error);
                lode_free(answer);
                lode_free(error);
                if (!count)
                    break;
            }
    bed_clear(&b);
}

static void query_names_end_and_help_knows_them(void **state)
{
    size_t count = 0;
    while (lode_query_name(count)) {
        assert_non_null(lode_query_help(lode_query_name(count)));
        count++;
    }
    assert_true(count >= 10);
    assert_null(lode_query_name(count + 1000));
    assert_null(lode_query_name(SIZE_MAX));
    assert_null(lode_query_help(NULL));
    assert_null(lode_query_help("nosuchcommand"));
}

static void free_takes_null(void **state)
{
    lode_free(NULL);
}

static void set_progress_takes_null(void **state)
{
    bed b;
    lode_set_progress(NULL, NULL, NULL);
    bed_init(&b, "regtest");
    bed_open(&b);
    lode_set_progress(b.h, NULL, NULL);
    bed_clear(&b);
}

static void verify_chain_refuses_what_cannot_be(void **state)
{
    bed b;
    lode_check_result r = { .size = sizeof r };
    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    assert_refused(lode_verify_chain(NULL, &r, 3, 6));
    assert_refused(lode_verify_chain(b.h, NULL, 3, 6));
    assert_ok(lode_verify_chain(b.h, &r, 3, -1)); /* as Core: all of them */
    for (int level = -2; level < 7; level++) {
        lode_status s = lode_verify_chain(b.h, &r, level, 1000000);
        assert_true(s.code == LODE_OK || s.code == LODE_INVALID_ARGUMENT);
        if (s.code == LODE_OK)
            assert_int_equal(r.answer, LODE_CHECK_GOOD);
    }
    bed_clear(&b);
}

static int set_up(void **state)
{
    made_chain_make(&chain, 91, 20, 3);
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
        cmocka_unit_test(the_version_is_told),
        cmocka_unit_test(options_init_takes_null),
        cmocka_unit_test(open_refuses_what_cannot_be),
        cmocka_unit_test(open_takes_any_number),
        cmocka_unit_test(open_takes_options_of_an_older_library),
        cmocka_unit_test(close_takes_null),
        cmocka_unit_test(interrupt_takes_null),
        cmocka_unit_test(import_refuses_what_cannot_be),
        cmocka_unit_test(import_without_callbacks_is_quiet),
        cmocka_unit_test(submit_refuses_what_cannot_be),
        cmocka_unit_test(flush_refuses_what_cannot_be),
        cmocka_unit_test(invalidate_and_reconsider_refuse_what_cannot_be),
        cmocka_unit_test(get_tip_refuses_null),
        cmocka_unit_test(get_coin_refuses_null_and_finds_nothing_where_nothing_is),
        cmocka_unit_test(get_transaction_refuses_null),
        cmocka_unit_test(get_set_info_refuses_what_cannot_be),
        cmocka_unit_test(query_refuses_what_cannot_be),
        cmocka_unit_test(query_answers_nonsense_with_an_error),
        cmocka_unit_test(query_names_end_and_help_knows_them),
        cmocka_unit_test(free_takes_null),
        cmocka_unit_test(set_progress_takes_null),
        cmocka_unit_test(verify_chain_refuses_what_cannot_be),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
