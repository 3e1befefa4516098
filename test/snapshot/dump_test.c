/* test/snapshot/dump_test.c: the coin file of any block is the one that a directory of that height gives; nothing that
 * fails or stops leaves a file, or a change.
 */
#include "test/snapshot/snapshot_helpers.h"

#include <errno.h>

#include "api/handle.h"
#include "test/support/fault_env.h"
#include "test/support/json.h"

static made_chain chain; /* 160 blocks */

static int make_chain(void **state)
{
    made_chain_make(&chain, 21, 160, 10);
    return 0;
}

static int drop_chain(void **state)
{
    made_chain_clear(&chain);
    return 0;
}

static const char target[] = "/bed/out.dat";

static void read_and_remove(bed *b, lode_buf *out)
{
    lode_buf_reset(out);
    assert_ok(lode_env_read_file(b->env, out, target, (size_t)1 << 30));
    assert_ok(b->env->remove(b->env, target));
}

static void dump(bed *b, const char *type)
{
    said s = ask(b, "dumptxoutset", target, type, NULL);
    if (s.status.code != LODE_OK || s.code)
        fail_msg("%s: %s%s", type, s.status.text, s.error ? s.error : "");
    said_clear(&s);
}

static void assert_no_file(bed *b)
{
    assert_false(bed_exists(b, "out.dat"));
    assert_false(bed_exists(b, "out.dat.incomplete"));
}

static void an_earlier_set_is_byte_for_byte_that_of_a_shorter_chain(void **state)
{
    lode_buf expected = LODE_BUF_EMPTY, got = LODE_BUF_EMPTY;
    static const size_t heights[] = { 0, 1, 2, 99, 100, 101, 119, 140, 158, 159 };
    bed long_bed, short_bed;
    char type[96];

    bed_init(&long_bed, "regtest");
    bed_init(&short_bed, "regtest");
    bed_import_chain(&long_bed, &chain, 0, chain.count);
    bed_print before = bed_take_print(&long_bed);
    reopen_for_reading(&long_bed);
    folder_sum files = sum_folder(&long_bed);
    bed_open(&short_bed);
    for (size_t i = 0; i < sizeof heights / sizeof *heights; i++) {
        if (heights[i])
            bed_import_chain(&short_bed, &chain, 0, heights[i] + 1);
        dump(&short_bed, "latest");
        read_and_remove(&short_bed, &expected);
        if (i % 2)
            snprintf(type, sizeof type, "rollback=%zu", heights[i]);
        else
            snprintf(type, sizeof type, "rollback=%s", chain.blocks[heights[i]].hex);
        dump(&long_bed, type);
        read_and_remove(&long_bed, &got);
        assert_int_equal(got.len, expected.len);
        assert_memory_equal(got.data, expected.data, got.len);
    }
    assert_same_folder(&long_bed, &files);
    bed_assert_print(&long_bed, &before);
    lode_buf_clear(&expected);
    lode_buf_clear(&got);
    bed_clear(&long_bed);
    bed_clear(&short_bed);
}

static void the_answer_tells_what_the_file_holds(void **state)
{
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_buf got = LODE_BUF_EMPTY;
    char hex[65];
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    bed_print p = bed_take_print(&b);
    said s = ask(&b, "dumptxoutset", target, "latest", NULL);
    assert_ok(s.status);
    const json *j = json_parse(&arena, s.answer, strlen(s.answer));
    assert_non_null(j);
    assert_int_equal(json_int(json_get(j, "coins_written")), p.txouts);
    assert_int_equal(json_int(json_get(j, "base_height")), 160);
    assert_string_equal(json_text(json_get(j, "base_hash")), chain.blocks[160].hex);
    assert_string_equal(json_text(json_get(j, "path")), target);
    lode_hash_to_hex(hex, p.hash_serialized_3);
    assert_string_equal(json_text(json_get(j, "txoutset_hash")), hex);
    uint64_t txs = 0;
    for (size_t i = 0; i < chain.count; i++)
        txs += chain.blocks[i].tx_count;
    assert_int_equal(json_int(json_get(j, "nchaintx")), txs);
    read_and_remove(&b, &got);
    static const uint8_t start[] = { 'u', 't', 'x', 'o', 0xff, 2, 0, 0xfa, 0xbf, 0xb5, 0xda };
    assert_memory_equal(got.data, start, sizeof start);
    assert_memory_equal(got.data + 11, chain.blocks[160].hash.bytes, 32);
    assert_int_equal(lode_read_le64(got.data + 43), p.txouts);
    lode_buf_clear(&got);
    lode_arena_clear(&arena);
    said_clear(&s);
    bed_clear(&b);
}

static void a_file_that_is_there_is_noticed_first_and_stays(void **state)
{
    lode_buf file = LODE_BUF_EMPTY;
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, 130);
    lode_buf_append(&file, "precious", 8);
    bed_write(&b, "out.dat", &file);
    for (int i = 0; i < 2; i++) {
        said s = ask(&b, "dumptxoutset", target, i ? "rollback=3" : "latest", NULL);
        assert_ok(s.status);
        assert_int_equal(s.code, -8);
        assert_non_null(strstr(s.error, target));
        said_clear(&s);
    }
    bed_read(&b, "out.dat", &file);
    assert_int_equal(file.len, 8);
    assert_false(bed_exists(&b, "out.dat.incomplete"));
    lode_buf_clear(&file);
    bed_clear(&b);
}

static void what_a_killed_run_left_unfinished_is_written_over(void **state)
{
    lode_buf file = LODE_BUF_EMPTY, clean = LODE_BUF_EMPTY;
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, 130);
    dump(&b, "latest");
    read_and_remove(&b, &clean);
    for (int i = 0; i < 1 << 20; i++)
        lode_buf_put_u8(&file, 7);
    bed_write(&b, "out.dat.incomplete", &file);
    dump(&b, "latest");
    read_and_remove(&b, &file);
    assert_int_equal(file.len, clean.len);
    assert_memory_equal(file.data, clean.data, clean.len);
    assert_no_file(&b);
    lode_buf_clear(&file);
    lode_buf_clear(&clean);
    bed_clear(&b);
}

static uint64_t fail_each_call(bed *b, const char *type)
{
    bool failed = true;
    uint64_t n = 0;

    for (; failed; n++) {
        bed_open(b);
        lode_fault_env_plan(b->options.env, &(lode_fault_plan){ .calls = LODE_FAULT_ALL & ~(unsigned)LODE_FAULT_REMOVE,
                                                                .skip = n < 40 ? n : n * 7,
                                                                .times = UINT64_MAX,
                                                                .error_number = n % 2 ? EIO : ENOSPC });
        said s = ask(b, "dumptxoutset", target, type, NULL);
        failed = lode_fault_env_failed(b->options.env) > 0;
        lode_fault_env_plan(b->options.env, NULL);
        assert_int_equal(s.code, 0);
        if (failed && s.status.code == LODE_OK)
            fail_msg("call %d failed and was not told", (int)n);
        if (bed_exists(b, "out.dat")) { /* the folder's sync comes when the file is whole */
            lode_buf bytes = LODE_BUF_EMPTY;
            read_and_remove(b, &bytes);
            assert_int_equal(lode_read_le64(bytes.data), lode_read_le64((const uint8_t *)"utxo\xff\2\0\xfa"));
            lode_buf_clear(&bytes);
        }
        assert_no_file(b);
        said_clear(&s);
        bed_close(b);
    }
    return n;
}

static void nothing_that_fails_leaves_a_file(void **state)
{
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    bed_close(&b);
    b.options.env = lode_fault_env_create(b.env);
    b.options.read_only = 1;
    b.options.threads = 1;
    assert_true(fail_each_call(&b, "latest") > 5);
    assert_true(fail_each_call(&b, "rollback=60") > 40);
    lode_fault_env_destroy(b.options.env);
    bed_clear(&b);
}

typedef struct stopper {
    lode *h;
    uint64_t at, seen;
} stopper;

static void stop(void *context, const char *what, uint64_t done, uint64_t total)
{
    stopper *s = context;
    if (++s->seen == s->at)
        lode_interrupt(s->h);
}

static void an_interruption_leaves_no_file(void **state)
{
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    reopen_for_reading(&b);
    for (uint64_t at = 1; at < 100; at += 9) {
        stopper stopping = { b.h, at, 0 };
        lode_set_progress(b.h, &stopping, stop);
        said s = ask(&b, "dumptxoutset", target, "rollback=50", NULL);
        assert_int_equal(s.status.code, LODE_CANCELLED);
        assert_no_file(&b);
        said_clear(&s);
        lode_set_progress(b.h, NULL, NULL);
        assert_answer(&b, "160", "getblockcount", NULL, NULL);
    }
    bed_clear(&b);
}

static void too_little_memory_for_undoing_is_said_and_leaves_no_file(void **state)
{
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    reopen_for_reading(&b);
    folder_sum files = sum_folder(&b);
    b.h->chain->options.cache_bytes = 0; /* less than can be asked for */
    said s = ask(&b, "dumptxoutset", target, "rollback=0", NULL);
    assert_int_equal(s.status.code, LODE_NO_MEMORY);
    assert_non_null(strstr(s.status.text, "-dbcache"));
    assert_non_null(strstr(s.status.text, "undoing block"));
    said_clear(&s);
    assert_no_file(&b);
    assert_same_folder(&b, &files);
    dump(&b, "latest"); /* which needs none */
    bed_reopen(&b);
    assert_ok(b.env->remove(b.env, target));
    dump(&b, "rollback=0");
    bed_clear(&b);
}

static void a_block_beside_the_chain_is_declined(void **state)
{
    made_chain fork = { 0 };
    lode_chain_maker *maker = made_maker(21, 10);
    bed b;
    char type[96];

    made_extend(maker, &fork, 20);
    assert_ok(lode_chain_maker_mark(maker));
    made_extend(maker, &fork, 1);
    lode_chain_maker_rewind(maker);
    made_extend(maker, &fork, 3);
    bed_init(&b, "regtest");
    bed_import_chain(&b, &fork, 0, fork.count);
    snprintf(type, sizeof type, "rollback=%s", fork.blocks[20].hex);
    said s = ask(&b, "dumptxoutset", target, type, NULL);
    assert_ok(s.status);
    assert_int_equal(s.code, -8);
    assert_non_null(strstr(s.error, "not in the active chain"));
    assert_no_file(&b);
    said_clear(&s);
    bed_clear(&b);
    lode_chain_maker_destroy(maker);
    made_chain_clear(&fork);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_earlier_set_is_byte_for_byte_that_of_a_shorter_chain),
        cmocka_unit_test(the_answer_tells_what_the_file_holds),
        cmocka_unit_test(a_file_that_is_there_is_noticed_first_and_stays),
        cmocka_unit_test(what_a_killed_run_left_unfinished_is_written_over),
        cmocka_unit_test(nothing_that_fails_leaves_a_file),
        cmocka_unit_test(an_interruption_leaves_no_file),
        cmocka_unit_test(too_little_memory_for_undoing_is_said_and_leaves_no_file),
        cmocka_unit_test(a_block_beside_the_chain_is_declined),
    };
    return cmocka_run_group_tests(tests, make_chain, drop_chain);
}
