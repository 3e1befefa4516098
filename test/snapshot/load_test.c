/* test/snapshot/load_test.c: a coin file is loaded whole or not at all: hostile files, faults, interruptions and kills
 * leave the directory as it was.
 *
 * The directory has 60 blocks of a chain and the headers of all 160; the file holds the coins at block 150.
 * load_beside_ core.py shows that bitcoind goes on from what is written.
 */
#include "test/snapshot/snapshot_helpers.h"

#include <errno.h>

#include "api/handle.h"
#include "primitives/encode.h"
#include "snapshot/coin_file.h"
#include "test/support/fault_env.h"
#include "test/support/memory_env.h"

enum { STORED = 60, BASE = 150, HEADER = LODE_COIN_FILE_HEADER };

static made_chain chain; /* 160 blocks */
static lode_buf snapshot;
static bed_print at_base;
static char trusted[65];

static const char file[] = "/bed/coins.dat";

static int set_up(void **state)
{
    bed b;

    made_chain_make(&chain, 41, 160, 10);
    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, BASE + 1);
    at_base = bed_take_print(&b);
    lode_hash_to_hex(trusted, at_base.hash_serialized_3);
    said s = ask(&b, "dumptxoutset", file, "latest", NULL);
    assert_ok(s.status);
    assert_int_equal(s.code, 0);
    said_clear(&s);
    bed_read(&b, "coins.dat", &snapshot);
    bed_clear(&b);
    return 0;
}

static int tear_down(void **state)
{
    made_chain_clear(&chain);
    lode_buf_clear(&snapshot);
    return 0;
}

/* ---- a place to load into ---- */

static void add_headers(bed *b, size_t end)
{
    lode_block_index *index = b->h->chain->index;

    for (size_t i = STORED + 1; i < end; i++) {
        lode_entry *prev = lode_block_index_find(index, &chain.blocks[i - 1].hash);
        lode_header header;
        lode_header_parse(&header, chain.blocks[i].raw);
        assert_non_null(lode_block_index_add(index, &header, &chain.blocks[i].hash, prev));
    }
    assert_ok(lode_block_index_write(index));
}

static void make_place(bed *b)
{
    bed_init(b, "regtest");
    bed_import_chain(b, &chain, 0, STORED + 1);
    add_headers(b, chain.count);
    bed_close(b);
    bed_open(b); /* another log and manifest, so that what follows is measured against the settled state */
}

static void write_file(bed *b, const lode_buf *content)
{
    assert_ok(lode_env_write_file_atomically(b->env, file, content->data, content->len));
}

static lode_status load_trusting(bed *b, const char *hash)
{
    lode_load_result r = { .size = sizeof r };
    lode_status s = lode_load_coins(b->h, &r, file, hash);

    if (s.code != LODE_OK)
        return s;
    assert_int_equal(r.height, BASE);
    assert_int_equal(r.coins, at_base.txouts);
    assert_string_equal(r.block, chain.blocks[BASE].hex);
    assert_int_equal(r.is_cores, 0);
    return s;
}

static void assert_nothing_left(bed *b)
{
    assert_false(bed_exists(b, "data/regtest/chainstate_snapshot"));
    assert_false(bed_exists(b, "data/regtest/chainstate_snapshot.incomplete"));
}

static void assert_answers_from_it(bed *b)
{
    bed_close(b);
    lode_env *used = b->options.env;
    b->options.env = b->env;
    b->options.read_only = 1;
    bed_open(b);
    bed_assert_print(b, &at_base);
    bed_close(b);
    b->options.read_only = 0;
    b->options.env = used;
}

/* ---- whole and sound ---- */

static void a_sound_file_is_loaded_and_a_reader_answers_from_it(void **state)
{
    bed b;

    make_place(&b);
    write_file(&b, &snapshot);
    assert_ok(load_trusting(&b, trusted));
    lode_tip tip;
    assert_fails_with(LODE_UNSUPPORTED, lode_get_tip(b.h, &tip)); /* this handle has ended */
    assert_true(bed_exists(&b, "data/regtest/chainstate_snapshot/base_blockhash"));
    assert_false(bed_exists(&b, "data/regtest/chainstate_snapshot.incomplete"));
    assert_answers_from_it(&b);
    lode *h;
    assert_fails_with(LODE_UNSUPPORTED, lode_open(&h, &b.options));

    b.options.read_only = 1; /* what it dumps is what was loaded */
    bed_open(&b);
    lode_buf again = LODE_BUF_EMPTY;
    said s = ask(&b, "dumptxoutset", "/bed/again.dat", "latest", NULL);
    assert_ok(s.status);
    said_clear(&s);
    bed_read(&b, "again.dat", &again);
    assert_int_equal(again.len, snapshot.len);
    assert_memory_equal(again.data, snapshot.data, again.len);
    lode_buf_clear(&again);
    char number[16];
    snprintf(number, sizeof number, "%d", BASE);
    assert_answer(&b, number, "getblockcount", NULL, NULL);
    s = ask(&b, "getblock", chain.blocks[100].hex, NULL, NULL); /* which is not stored */
    assert_int_not_equal(s.code | s.status.code, 0);
    said_clear(&s);
    s = ask(&b, "verifychain", "4", "0", NULL);
    assert_true(!s.answer || strcmp(s.answer, "true") != 0);
    said_clear(&s);
    lode_check_options deep;
    lode_check_options_init(&deep);
    for (deep.deep = 0; deep.deep < 2; deep.deep++) { /* neither good nor bad: the blocks are yet to come */
        lode_check_result r = { .size = sizeof r };
        assert_ok(lode_check_directory(b.h, &r, &deep));
        assert_int_equal(r.answer, LODE_CHECK_UNFINISHED);
        assert_non_null(strstr(r.text, "snapshot"));
    }
    s = ask(&b, "dumptxoutset", "/bed/earlier.dat", "rollback=149", NULL);
    assert_int_equal(s.status.code, LODE_MISSING);
    assert_non_null(strstr(s.status.text, "block 150, which is to be undone"));
    said_clear(&s);
    bed_clear(&b);
}

static void what_is_not_trusted_is_declined(void **state)
{
    char other[65];
    bed b;

    make_place(&b);
    write_file(&b, &snapshot);
    memset(other, 'a', 64);
    other[64] = 0;
    assert_fails_with(LODE_UNSUPPORTED, load_trusting(&b, NULL));
    lode_status s = load_trusting(&b, other);
    assert_int_equal(s.code, LODE_UNSUPPORTED);
    assert_non_null(strstr(s.text, trusted)); /* says what it is */
    assert_nothing_left(&b);
    assert_fails_with(LODE_INVALID_ARGUMENT, load_trusting(&b, "xyz"));
    bed_clear(&b);
}

static void the_base_must_be_a_known_header_with_more_work(void **state)
{
    lode_status s;
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, STORED + 1);
    write_file(&b, &snapshot);
    s = load_trusting(&b, trusted);
    assert_int_equal(s.code, LODE_UNSUPPORTED);
    assert_non_null(strstr(s.text, "not known here"));
    add_headers(&b, chain.count);
    lode_block_index_mark_failed(b.h->chain->index, lode_block_index_find(b.h->chain->index, &chain.blocks[70].hash));
    s = load_trusting(&b, trusted);
    assert_int_equal(s.code, LODE_UNSUPPORTED);
    assert_non_null(strstr(s.text, "invalid chain"));
    lode_block_index_reconsider(b.h->chain->index, lode_block_index_find(b.h->chain->index, &chain.blocks[70].hash));
    bed_import_chain(&b, &chain, 0, BASE + 1);
    s = load_trusting(&b, trusted);
    assert_int_equal(s.code, LODE_UNSUPPORTED);
    assert_non_null(strstr(s.text, "no more work"));
    assert_nothing_left(&b);
    bed_clear(&b);
}

/* ---- hostile files ---- */

typedef struct coin_place {
    size_t tx, count, first,
        end; /* where the transaction, its number and its first coin begin, and where the coin ends */
} coin_place;

/* The n-th transaction of the file. */
static coin_place find_tx(size_t n, uint64_t *coins)
{
    lode_reader r = lode_reader_of(snapshot.data + HEADER, snapshot.len - HEADER);
    coin_place p = { 0 };

    for (size_t i = 0; i <= n; i++) {
        p.tx = (size_t)(r.at - snapshot.data);
        lode_reader_take(&r, 32);
        p.count = (size_t)(r.at - snapshot.data);
        *coins = lode_reader_compact_size(&r, true);
        p.first = (size_t)(r.at - snapshot.data);
        for (uint64_t k = 0; k < *coins; k++) {
            lode_reader_compact_size(&r, true);
            lode_reader_varint(&r);
            lode_reader_varint(&r);
            lode_reader_skip_script(&r);
            if (k == 0)
                p.end = (size_t)(r.at - snapshot.data);
        }
    }
    assert_false(r.bad);
    return p;
}

static lode_buf copy_of(size_t len)
{
    lode_buf b = LODE_BUF_EMPTY;
    lode_buf_append(&b, snapshot.data, len);
    return b;
}

/* Bytes [at, at + gone) replaced. */
static lode_buf with(size_t at, size_t gone, const void *bytes, size_t len)
{
    lode_buf b = copy_of(at);
    lode_buf_append(&b, bytes, len);
    lode_buf_append(&b, snapshot.data + at + gone, snapshot.len - at - gone);
    return b;
}

static void assert_refused(bed *b, lode_buf content, const char *word)
{
    write_file(b, &content);
    lode_status s = load_trusting(b, trusted);
    if (s.code != LODE_CORRUPT || !strstr(s.text, word))
        fail_msg("code %d: \"%s\" instead of \"%s\"", s.code, s.text, word);
    assert_non_null(strstr(s.text, file));
    lode_buf_clear(&content);
    assert_nothing_left(b);
}

static void a_file_that_ends_early_is_refused_wherever_it_ends(void **state)
{
    bed b;

    make_place(&b);
    for (size_t len = 0; len < snapshot.len; len += len < 200 ? 1 : 61)
        assert_refused(&b, copy_of(len), len < HEADER ? "not a coin snapshot" : "not a sound coin snapshot");
    assert_refused(&b, copy_of(snapshot.len - 1), "early");
    bed_clear(&b);
}

static void wrong_heads_and_counts_are_refused(void **state)
{
    static const uint8_t main_magic[] = { 0xf9, 0xbe, 0xb4, 0xd9 };
    uint8_t many[8], one = 1;
    bed b;

    make_place(&b);
    assert_refused(&b, with(0, 1, "U", 1), "does not begin as");
    assert_refused(&b, with(5, 1, "\3", 1), "version");
    assert_refused(&b, with(7, 4, main_magic, 4), "another network");
    assert_refused(&b, with(7, 4, "abcd", 4), "not known");
    lode_write_le64(many, at_base.txouts + 1);
    assert_refused(&b, with(43, 8, many, 8), "early");
    lode_write_le64(many, at_base.txouts - 1);
    assert_refused(&b, with(43, 8, many, 8), "");
    lode_write_le64(many, UINT64_MAX);
    assert_refused(&b, with(43, 8, many, 8), "cannot hold");
    lode_write_le64(many, 0);
    assert_refused(&b, with(43, 8, many, 8), "goes on behind");
    assert_refused(&b, with(snapshot.len, 0, &one, 1), "goes on behind");
    bed_clear(&b);
}

static void wrong_coins_are_refused_with_their_byte(void **state)
{
    uint64_t coins, other_coins;
    coin_place p = find_tx(3, &coins), q = find_tx(4, &other_coins), z = find_tx(5, &other_coins);
    uint8_t big[16], swapped[4096];
    char at[64];
    size_t n;
    bed b;

    make_place(&b);
    snprintf(at, sizeof at, "at byte %zu", p.tx);
    assert_refused(&b, with(p.count, 1, "\0", 1), at); /* a transaction of no coins */
    assert_refused(&b, with(p.count, 1, "\xfd\xff\xff", 3), at);
    assert_refused(&b, with(p.count, 1, "\xfd\1\0", 3), at); /* not the shortest number */
    /* the same transaction twice, and two in the wrong order */
    assert_refused(&b, with(q.tx, 32, snapshot.data + p.tx, 32), "not in order");
    assert_true(z.tx - p.tx <= sizeof swapped);
    memcpy(swapped, snapshot.data + q.tx, z.tx - q.tx);
    memcpy(swapped + (z.tx - q.tx), snapshot.data + p.tx, q.tx - p.tx);
    assert_refused(&b, with(p.tx, z.tx - p.tx, swapped, z.tx - p.tx), "not in order");
    snprintf(at, sizeof at, "at byte %zu", p.first);
    /* height above the base: the coin's code begins behind its index */
    n = lode_varint_write(big, (uint64_t)(BASE + 1) * 2);
    lode_reader r = lode_reader_of(snapshot.data + p.first, p.end - p.first);
    lode_reader_compact_size(&r, true);
    size_t code = (size_t)(r.at - snapshot.data);
    lode_reader_varint(&r);
    size_t amount = (size_t)(r.at - snapshot.data);
    lode_reader_varint(&r);
    size_t script = (size_t)(r.at - snapshot.data);
    assert_refused(&b, with(code, amount - code, big, n), "younger");
    assert_refused(&b, with(code, amount - code, big, n), at);
    n = lode_varint_write(big, lode_amount_compress(UINT64_C(2100000000000001)));
    assert_refused(&b, with(amount, script - amount, big, n), "more than can exist");
    n = lode_varint_write(big, UINT64_MAX);
    assert_refused(&b, with(amount, script - amount, big, n), at);
    assert_refused(&b, with(script, p.end - script, "\x8e\x98\xff\x77", 4), at); /* a script beyond the longest */
    /* P2PKH written out where its short kind is due */
    static const uint8_t long_form[] = { 31, 0x76, 0xa9, 20, 1,  2,  3,  4,  5,  6,  7,  8,    9,
                                         10, 11,   12,   13, 14, 15, 16, 17, 18, 19, 20, 0x88, 0xac };
    assert_refused(&b, with(script, p.end - script, long_form, sizeof long_form), "not in the form");
    bed_clear(&b);
}

static void an_output_twice_or_out_of_order_is_refused(void **state)
{
    uint64_t coins = 1;
    coin_place p = { 0 };
    lode_buf twice;
    size_t n = 0;
    bed b;

    make_place(&b);
    while (coins > 200 || coins < 2)
        p = find_tx(n++, &coins);
    twice = copy_of(p.end);
    lode_buf_append(&twice, snapshot.data + p.first, p.end - p.first); /* in place of the second */
    lode_buf_append(&twice, snapshot.data + p.end, snapshot.len - p.end);
    assert_refused(&b, twice, "not in order");
    bed_clear(&b);
}

static void no_changed_byte_is_loaded(void **state)
{
    bed b;

    make_place(&b);
    for (size_t i = 0; i < snapshot.len; i += i < 120 ? 1 : 97) {
        lode_buf changed = copy_of(snapshot.len);
        changed.data[i] ^= 1 << i % 8;
        write_file(&b, &changed);
        lode_status s = load_trusting(&b, trusted);
        if (s.code != LODE_CORRUPT && s.code != LODE_UNSUPPORTED)
            fail_msg("byte %zu: code %d %s", i, s.code, s.text);
        assert_nothing_left(&b);
        lode_buf_clear(&changed);
    }
    write_file(&b, &snapshot);
    assert_ok(load_trusting(&b, trusted)); /* after all this */
    bed_clear(&b);
}

/* ---- what may happen meanwhile ---- */

typedef struct stopper {
    lode *h;
    uint64_t at, seen;
} stopper;

static void stop(void *context, const char *what, uint64_t done, uint64_t total)
{
    stopper *s = context;
    assert_true(done <= total);
    if (++s->seen == s->at)
        lode_interrupt(s->h);
}

static void an_interruption_leaves_nothing_and_ends_one_call(void **state)
{
    bed b;

    make_place(&b);
    write_file(&b, &snapshot);
    lode_interrupt(b.h);
    assert_fails_with(LODE_CANCELLED, load_trusting(&b, trusted));
    assert_nothing_left(&b);
    for (uint64_t at = 1; at <= 2; at++) { /* while checking, while writing: where the file is long enough to be told */
        stopper s = { b.h, at, 0 };
        lode_set_progress(b.h, &s, stop);
        lode_status r = load_trusting(&b, trusted);
        lode_set_progress(b.h, NULL, NULL);
        if (s.seen < at) { /* done before it was stopped */
            assert_ok(r);
            break;
        }
        assert_int_equal(r.code, LODE_CANCELLED);
        assert_nothing_left(&b);
    }
    bed_clear(&b);
}

static void interrupt_it(void *h)
{
    lode_interrupt(h);
}

/* Each load begins in the directory that the one before was interrupted in. */
static void an_interruption_at_any_change_leaves_nothing_or_the_whole(void **state)
{
    bool was_asked = true;
    uint64_t n = 0;
    bed b;

    make_place(&b);
    write_file(&b, &snapshot);
    bed_close(&b);
    lode_env *fault = b.options.env = lode_fault_env_create(b.env);
    b.options.threads = 1;
    for (; was_asked; n++) {
        bed_open(&b);
        lode_fault_env_plan(
            fault, &(lode_fault_plan){
                       .calls = LODE_FAULT_CHANGES, .skip = n, .times = 1, .hook = interrupt_it, .hook_context = b.h });
        lode_status s = load_trusting(&b, trusted);
        was_asked = lode_fault_env_failed(fault) > 0;
        lode_fault_env_plan(fault, NULL);
        assert_ok(lode_close(b.h));
        b.h = NULL;
        if (s.code == LODE_OK)
            break; /* too late to be heard */
        assert_int_equal(s.code, LODE_CANCELLED);
        assert_nothing_left(&b);
    }
    assert_true(n > 10);
    assert_answers_from_it(&b);
    lode_fault_env_destroy(fault);
    bed_clear(&b);
}

static void every_failing_call_is_told_and_leaves_nothing_that_bitcoind_would_open(void **state)
{
    bool failed = true;
    uint64_t n = 0;
    bed b;

    for (; failed; n++) {
        make_place(&b);
        bed_close(&b);
        b.options.env = lode_fault_env_create(b.env);
        b.options.threads = 1;
        write_file(&b, &snapshot);
        bed_open(&b);
        lode_fault_env_plan(b.options.env, &(lode_fault_plan){ .calls = LODE_FAULT_ALL & ~(unsigned)LODE_FAULT_REMOVE,
                                                               .skip = n,
                                                               .times = UINT64_MAX,
                                                               .error_number = n % 2 ? EIO : ENOSPC });
        lode_status s = load_trusting(&b, trusted);
        failed = lode_fault_env_failed(b.options.env) > 0;
        lode_fault_env_plan(b.options.env, NULL);
        if (failed && s.code == LODE_OK)
            fail_msg("call %d failed and was not told", (int)n);
        assert_true(lode_close(b.h).code == LODE_OK || failed);
        b.h = NULL;
        lode_env *fault = b.options.env;
        b.options.env = b.env;
        if (bed_exists(&b, "data/regtest/chainstate_snapshot")) {
            assert_answers_from_it(&b); /* the last sync came too late to take it back: it is whole */
        } else {                        /* and the next one ends well, whatever stood there */
            bed_open(&b);
            assert_ok(load_trusting(&b, trusted));
            assert_answers_from_it(&b);
        }
        lode_fault_env_destroy(fault);
        bed_clear(&b);
    }
    assert_true(n > 30);
}

static void cut_power(void *memory)
{
    lode_memory_env_power_off(memory);
}

/* The power goes at the n-th change; false: all was done before. */
static bool lose_power_at(uint64_t n, lode_power_cut cut)
{
    bed b;

    make_place(&b);
    write_file(&b, &snapshot);
    bed_close(&b);
    lode_memory_env_power_off(b.env);
    lode_memory_env_power_on(b.env, LODE_KEEP_ALL, 0); /* what went before is on the disk for good */
    lode_env *fault = b.options.env = lode_fault_env_create(b.env);
    bed_open(&b);
    lode_fault_env_plan(
        fault, &(lode_fault_plan){
                   .calls = LODE_FAULT_CHANGES, .skip = n, .times = 1, .hook = cut_power, .hook_context = b.env });
    lode_status s = load_trusting(&b, trusted);
    bool was_cut = lode_fault_env_failed(fault) > 0;
    if (was_cut && s.code == LODE_OK)
        fail_msg("power went at change %d, and nobody noticed", (int)n);
    lode_close(b.h); /* which fails, too */
    b.h = NULL;
    lode_fault_env_plan(fault, NULL);
    lode_memory_env_power_off(b.env);
    lode_memory_env_power_on(b.env, cut, n);
    if (was_cut && !bed_exists(&b, "data/regtest/chainstate_snapshot")) {
        bed_open(&b); /* as it was */
        bed_assert_tip(&b, &chain.blocks[STORED]);
        assert_ok(load_trusting(&b, trusted));
    }
    assert_answers_from_it(&b);
    lode_fault_env_destroy(fault);
    bed_clear(&b);
    return was_cut;
}

static void a_power_cut_leaves_all_of_it_or_what_was_there(void **state)
{
    if (getenv("LODE_TEST_DISK"))
        return;
    for (int cut = LODE_KEEP_SYNCED; cut <= LODE_KEEP_ALL; cut++) {
        uint64_t n = 0;
        while (lose_power_at(n, (lode_power_cut)cut))
            n++;
        assert_true(n > 10);
    }
}

static void what_a_killed_run_left_is_removed_and_is_in_nobodys_way(void **state)
{
    bed b;

    make_place(&b);
    bed_close(&b);
    char *folder = lode_path_join(b.datadir, "regtest/chainstate_snapshot.incomplete"),
         *inside = lode_path_join(folder, "CURRENT");
    assert_ok(lode_env_make_path(b.env, folder));
    assert_ok(lode_env_write_file_atomically(b.env, inside, "torn", 4));
    bed_open(&b); /* imports and readers do not mind */
    bed_assert_tip(&b, &chain.blocks[STORED]);
    write_file(&b, &snapshot);
    assert_ok(load_trusting(&b, trusted));
    assert_answers_from_it(&b);
    assert_false(bed_exists(&b, "data/regtest/chainstate_snapshot.incomplete"));
    free(folder);
    free(inside);
    bed_clear(&b);
}

static void wrong_calls_are_told(void **state)
{
    lode_load_result r = { .size = sizeof r };
    bed b;

    make_place(&b);
    assert_fails_with(LODE_INVALID_ARGUMENT, lode_load_coins(NULL, &r, file, NULL));
    assert_fails_with(LODE_INVALID_ARGUMENT, lode_load_coins(b.h, NULL, file, NULL));
    assert_fails_with(LODE_INVALID_ARGUMENT, lode_load_coins(b.h, &r, NULL, NULL));
    assert_fails_with(LODE_MISSING, lode_load_coins(b.h, &r, "/bed/absent", trusted));
    reopen_for_reading(&b);
    assert_fails_with(LODE_INVALID_ARGUMENT, lode_load_coins(b.h, &r, file, NULL));
    bed_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_file_is_loaded_and_a_reader_answers_from_it),
        cmocka_unit_test(what_is_not_trusted_is_declined),
        cmocka_unit_test(the_base_must_be_a_known_header_with_more_work),
        cmocka_unit_test(a_file_that_ends_early_is_refused_wherever_it_ends),
        cmocka_unit_test(wrong_heads_and_counts_are_refused),
        cmocka_unit_test(wrong_coins_are_refused_with_their_byte),
        cmocka_unit_test(an_output_twice_or_out_of_order_is_refused),
        cmocka_unit_test(no_changed_byte_is_loaded),
        cmocka_unit_test(an_interruption_leaves_nothing_and_ends_one_call),
        cmocka_unit_test(an_interruption_at_any_change_leaves_nothing_or_the_whole),
        cmocka_unit_test(every_failing_call_is_told_and_leaves_nothing_that_bitcoind_would_open),
        cmocka_unit_test(a_power_cut_leaves_all_of_it_or_what_was_there),
        cmocka_unit_test(what_a_killed_run_left_is_removed_and_is_in_nobodys_way),
        cmocka_unit_test(wrong_calls_are_told),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
