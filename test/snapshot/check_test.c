/* test/snapshot/check_test.c: check finds every changed byte of what is stored, and what is only wrong in meaning. */
#include "test/snapshot/snapshot_helpers.h"

#include <errno.h>

#include "lode/store.h"
#include "primitives/encode.h"
#include "test/support/fault_env.h"

static made_chain chain; /* 140 blocks */

static int make_chain(void **state)
{
    made_chain_make(&chain, 33, 140, 8);
    return 0;
}

static int drop_chain(void **state)
{
    made_chain_clear(&chain);
    return 0;
}

typedef struct findings {
    lode_buf lines;
    int count;
} findings;

static void note(void *context, const char *line)
{
    findings *f = context;
    lode_buf_printf(&f->lines, "%s\n", line);
    f->count++;
}

static lode_check_result check(bed *b, bool deep, findings *f)
{
    lode_check_result r = { .size = sizeof r };
    lode_check_options o;

    lode_check_options_init(&o);
    o.deep = deep;
    o.context = f;
    o.on_finding = f ? note : NULL;
    assert_ok(lode_check_directory(b->h, &r, &o));
    return r;
}

static void assert_check(bed *b, int expected, bool deep, const char *text)
{
    lode_check_result r = check(b, deep, NULL);
    if (r.answer != expected || !strstr(r.text, text))
        fail_msg("answer %d, not %d with \"%s\": %s", r.answer, expected, text, r.text);
}

static void bed_init_with_chain(bed *b)
{
    bed_init(b, "regtest");
    b->options.txindex = 1;
    bed_import_chain(b, &chain, 0, chain.count);
}

static void a_sound_directory_is_good_and_stays_as_it_is(void **state)
{
    bed b;

    bed_init_with_chain(&b);
    assert_check(&b, LODE_CHECK_GOOD, true, "141 blocks"); /* a writer may ask, too */
    reopen_for_reading(&b);
    folder_sum files = sum_folder(&b);
    for (int deep = 0; deep < 2; deep++) {
        lode_check_result r = check(&b, deep, NULL);
        assert_int_equal(r.answer, LODE_CHECK_GOOD);
        assert_int_equal(r.checked, 141);
        assert_int_equal(r.asked, 141);
    }
    assert_same_folder(&b, &files);
    bed_clear(&b);
}

static void branches_and_invalid_blocks_are_part_of_a_sound_directory(void **state)
{
    made_chain forks = { 0 };
    lode_chain_maker *maker = made_maker(3, 6);
    lode_made_block bad;
    bed b;

    made_extend(maker, &forks, 120);
    for (unsigned kind = 0; kind < 6; kind++) {
        static const char *const names[] = { "bad-signature",   "overspend", "bad-cb-amount",
                                             "unripe-coinbase", "bad-dummy", "bad-merkle" };
        assert_ok(lode_chain_maker_make_invalid(maker, &bad, made_invalid_kind(names[kind])));
        made_chain_add(&forks, &bad);
        assert_ok(lode_chain_maker_mark(maker));
        made_extend(maker, &forks, 3);
        lode_chain_maker_rewind(maker);
        made_extend(maker, &forks, 4);
    }
    bed_init(&b, "regtest");
    b.options.txindex = 1;
    bed_import_chain(&b, &forks, 0, forks.count);
    reopen_for_reading(&b);
    assert_check(&b, LODE_CHECK_GOOD, true, "good");
    bed_clear(&b);
    lode_chain_maker_destroy(maker);
    made_chain_clear(&forks);
}

/* ---- changed bytes ---- */

/* Every `step`-th byte of [from, end) changed in turn: either the directory does not open, or the check is not good. */
static void flip_bytes(bed *b, const char *name, uint64_t from, uint64_t end, uint64_t step)
{
    for (uint64_t at = from; at < end; at += step) {
        lode_status s;
        flip_byte(b, name, at);
        s = lode_open(&b->h, &b->options);
        if (s.code == LODE_OK) {
            lode_check_result r = check(b, true, NULL);
            if (r.answer != LODE_CHECK_BAD)
                fail_msg("byte %d of %d of %s: %s", (int)at, (int)end, name, r.text);
            bed_close(b);
        }
        flip_byte(b, name, at);
    }
}

static uint64_t size_of(bed *b, const char *name)
{
    char *path = lode_path_join(b->root, name);
    lode_file_info info;
    bool exists;

    assert_ok(b->env->path_info(b->env, &exists, &info, path));
    assert_true(exists);
    free(path);
    return info.size_bytes;
}

static void a_changed_byte_of_blocks_or_undo_data_is_found(void **state)
{
    uint64_t blocks = 0;
    bed b;

    bed_init_with_chain(&b);
    reopen_for_reading(&b);
    bed_close(&b);
    for (size_t i = 0; i < chain.count; i++)
        blocks += 8 + chain.blocks[i].size;
    flip_bytes(&b, "data/regtest/blocks/blk00000.dat", 0, blocks, 997);
    flip_bytes(&b, "data/regtest/blocks/blk00000.dat", blocks - chain.blocks[140].size - 8, blocks, 29);
    flip_bytes(&b, "data/regtest/blocks/rev00000.dat", 0, 4000, 41);
    bed_clear(&b);
}

typedef struct tables {
    bed *b;
    const char *folder;
    int count;
} tables;

static lode_status flip_table(void *context, const char *name)
{
    tables *t = context;
    char path[256];
    uint64_t size;

    if (!strstr(name, ".ldb"))
        return lode_ok();
    snprintf(path, sizeof path, "data/regtest/%s/%s", t->folder, name);
    size = size_of(t->b, path);
    flip_bytes(t->b, path, 0, size - 48, size / 97 + 1); /* the last 48 bytes have padding that nobody reads */
    t->count++;
    return lode_ok();
}

static void a_changed_byte_of_a_table_is_found(void **state)
{
    static const char *const folders[] = { "blocks/index", "chainstate", "indexes/txindex" };
    bed b;

    bed_init_with_chain(&b);
    for (size_t i = 0; i < 3; i++) { /* so that there are tables, and nothing in logs */
        lode_store *store;
        lode_store_options o;
        char path[256];
        if (b.h)
            bed_close(&b);
        lode_store_options_init(&o);
        o.env = b.env;
        o.compression = LODE_COMPRESSION_NONE;
        snprintf(path, sizeof path, "%s/regtest/%s", b.datadir, folders[i]);
        assert_ok(lode_store_open(&store, path, &o));
        assert_ok(lode_store_compact_range(store, NULL, 0, NULL, 0));
        assert_ok(lode_store_close(store));
    }
    b.options.read_only = 1;
    for (size_t i = 0; i < 3; i++) {
        tables t = { &b, folders[i], 0 };
        char path[256];
        snprintf(path, sizeof path, "%s/regtest/%s", b.datadir, folders[i]);
        assert_ok(b.env->list(b.env, path, flip_table, &t));
        assert_true(t.count > 0);
    }
    bed_open(&b);
    assert_check(&b, LODE_CHECK_GOOD, true, "");
    bed_clear(&b);
}

/* ---- wrong in meaning ---- */

/* One record of a database is changed or removed, with all checksums in order. */
static void change_record(bed *b, const char *folder, char prefix,
                          void (*change)(lode_store *store, lode_bytes key, lode_bytes value))
{
    lode_store *store;
    lode_store_options o;
    lode_iterator *it;
    lode_buf key = LODE_BUF_EMPTY, value = LODE_BUF_EMPTY;

    bed_close(b);
    lode_store_options_init(&o);
    o.env = b->env;
    o.compression = LODE_COMPRESSION_NONE;
    assert_ok(lode_store_open(&store, bed_path(b, folder), &o));
    assert_ok(lode_iterator_create(&it, store, NULL));
    lode_iterator_seek(it, &prefix, 1);
    assert_true(lode_iterator_is_valid(it));
    lode_bytes k = lode_iterator_key(it), v = lode_iterator_value(it);
    assert_int_equal(*(const char *)k.data, prefix);
    lode_buf_append(&key, k.data, k.len);
    lode_buf_append(&value, v.data, v.len);
    lode_iterator_destroy(it);
    change(store, (lode_bytes){ key.data, key.len }, (lode_bytes){ value.data, value.len });
    assert_ok(lode_store_close(store));
    lode_buf_clear(&key);
    lode_buf_clear(&value);
    b->options.read_only = 1;
    bed_open(b);
}

static void remove_it(lode_store *store, lode_bytes key, lode_bytes value)
{
    assert_ok(lode_store_delete(store, key.data, key.len, 1));
}

static void change_last_byte(lode_store *store, lode_bytes key, lode_bytes value)
{
    uint8_t bytes[512];
    assert_true(value.len <= sizeof bytes);
    memcpy(bytes, value.data, value.len);
    bytes[value.len - 1] ^= 1;
    assert_ok(lode_store_put(store, key.data, key.len, bytes, value.len, 1));
}

static void copy_to_another_output(lode_store *store, lode_bytes key, lode_bytes value)
{
    uint8_t other[64];
    memcpy(other, key.data, key.len);
    other[key.len - 1] ^= 0x40;
    assert_ok(lode_store_put(store, other, key.len, value.data, value.len, 1));
}

static void coins_that_are_not_what_blocks_make_are_found_by_a_deep_check(void **state)
{
    static void (*const changes[])(lode_store *, lode_bytes, lode_bytes) = { remove_it, change_last_byte,
                                                                             copy_to_another_output };

    for (size_t i = 0; i < 3; i++) {
        bed b;
        bed_init_with_chain(&b);
        change_record(&b, "data/regtest/chainstate", 'C', changes[i]);
        assert_check(&b, LODE_CHECK_GOOD, false, "");
        assert_check(&b, LODE_CHECK_BAD, true, "the coins are not those that the blocks make");
        bed_clear(&b);
    }
}

static void a_transaction_index_that_lacks_or_misplaces_one_is_found(void **state)
{
    static void (*const changes[])(lode_store *, lode_bytes, lode_bytes) = { remove_it, change_last_byte };

    for (size_t i = 0; i < 2; i++) {
        bed b;
        bed_init_with_chain(&b);
        change_record(&b, "data/regtest/indexes/txindex", 't', changes[i]);
        assert_check(&b, LODE_CHECK_BAD, false, i ? "has another place for transaction" : "lacks transaction");
        bed_clear(&b);
    }
}

static void all_findings_are_told(void **state)
{
    findings f = { LODE_BUF_EMPTY, 0 };
    uint64_t at = 8;
    bed b;

    bed_init_with_chain(&b);
    reopen_for_reading(&b);
    for (size_t i = 0; i < 50; i++) { /* one byte in each of the heights 10, 20, ... 40 */
        if (i && i % 10 == 0)
            flip_byte(&b, "data/regtest/blocks/blk00000.dat", at + 100);
        at += 8 + chain.blocks[i].size;
    }
    lode_check_result r = check(&b, true, &f);
    assert_int_equal(r.answer, LODE_CHECK_BAD);
    assert_int_equal(r.checked, 137);
    lode_buf_put_u8(&f.lines, 0);
    for (int i = 10; i <= 40; i += 10) {
        char line[128];
        snprintf(line, sizeof line, "bad: block %s at height %d: ", chain.blocks[i].hex, i);
        assert_non_null(strstr((char *)f.lines.data, line));
    }
    assert_int_equal(f.count, 5); /* and that the coins could not be compared */
    lode_buf_clear(&f.lines);
    bed_clear(&b);
}

/* ---- what cannot be told ---- */

static void what_is_missing_or_unreadable_is_not_called_bad(void **state)
{
    bed b;

    bed_init_with_chain(&b);
    bed_close(&b);
    b.options.read_only = 1;
    b.options.env = lode_fault_env_create(b.env);
    bed_open(&b);
    lode_fault_env_plan(b.options.env, &(lode_fault_plan){ .calls = LODE_FAULT_PREAD,
                                                           .path_contains = "rev00000.dat",
                                                           .times = UINT64_MAX,
                                                           .error_number = EIO });
    assert_check(&b, LODE_CHECK_UNFINISHED, true, "not finished: 1 of 141");
    lode_fault_env_plan(b.options.env, NULL);
    assert_check(&b, LODE_CHECK_GOOD, true, "");
    bed_close(&b);
    assert_ok(b.env->rename(b.env, bed_path(&b, "data/regtest/blocks/blk00000.dat"), bed_path(&b, "away")));
    bed_open(&b);
    assert_check(&b, LODE_CHECK_UNFINISHED, false, "not finished: 0 of 141");
    bed_close(&b);
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

static void an_interruption_is_neither_good_nor_bad(void **state)
{
    bed b;

    bed_init_with_chain(&b);
    reopen_for_reading(&b);
    for (uint64_t at = 1; at < 145; at += 11) {
        stopper stopping = { b.h, at, 0 };
        lode_set_progress(b.h, &stopping, stop);
        assert_check(&b, LODE_CHECK_UNFINISHED, true, "interrupted");
        lode_set_progress(b.h, NULL, NULL);
    }
    assert_check(&b, LODE_CHECK_GOOD, true, "");
    bed_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_directory_is_good_and_stays_as_it_is),
        cmocka_unit_test(branches_and_invalid_blocks_are_part_of_a_sound_directory),
        cmocka_unit_test(a_changed_byte_of_blocks_or_undo_data_is_found),
        cmocka_unit_test(a_changed_byte_of_a_table_is_found),
        cmocka_unit_test(coins_that_are_not_what_blocks_make_are_found_by_a_deep_check),
        cmocka_unit_test(a_transaction_index_that_lacks_or_misplaces_one_is_found),
        cmocka_unit_test(all_findings_are_told),
        cmocka_unit_test(what_is_missing_or_unreadable_is_not_called_bad),
        cmocka_unit_test(an_interruption_is_neither_good_nor_bad),
    };
    return cmocka_run_group_tests(tests, make_chain, drop_chain);
}
