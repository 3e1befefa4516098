/* test/api/versions_test.c: older programs with newer libraries, and the other way round: numbers that never change,
 * and structs of other sizes.
 */
#include "test/api/api_bed.h"

#include <string.h>

static made_chain chain;
static lode_buf snapshot; /* the coins at its end */
static char snapshot_hash[65];

typedef struct number {
    const char *name;
    int is, was;
} number;
#define IS(name, value)                                                                                                \
    {                                                                                                                  \
#name, name, value                                                                                             \
    }

/* Written out again on purpose: a change here breaks programs that were built before. */
static const number numbers[] = {
    IS(LODE_OK, 0),
    IS(LODE_INVALID_ARGUMENT, 1),
    IS(LODE_IO, 2),
    IS(LODE_NO_SPACE, 3),
    IS(LODE_CORRUPT, 4),
    IS(LODE_UNSUPPORTED, 5),
    IS(LODE_MISSING, 6),
    IS(LODE_EXISTS, 7),
    IS(LODE_LOCKED, 8),
    IS(LODE_NO_MEMORY, 9),
    IS(LODE_CANCELLED, 10),
    IS(LODE_BUG, 11),
    IS(LODE_EVENT_CONNECTED, 1),
    IS(LODE_EVENT_DISCONNECTED, 2),
    IS(LODE_PHASE_OPENING, 0),
    IS(LODE_PHASE_REPLAYING, 1),
    IS(LODE_PHASE_IMPORTING, 2),
    IS(LODE_PHASE_CONNECTING, 3),
    IS(LODE_PHASE_FLUSHING, 4),
    IS(LODE_PHASE_INDEXING, 5),
    IS(LODE_PHASE_DONE, 6),
    IS(LODE_WITHOUT_WORK, 1),
    IS(LODE_RULE_P2SH, 1),
    IS(LODE_RULE_DERSIG, 2),
    IS(LODE_RULE_NULLDUMMY, 4),
    IS(LODE_RULE_CHECKLOCKTIMEVERIFY, 8),
    IS(LODE_RULE_CHECKSEQUENCEVERIFY, 16),
    IS(LODE_RULE_WITNESS, 32),
    IS(LODE_RULE_TAPROOT, 64),
    IS(LODE_RULE_STRICTENC, 128),
    IS(LODE_RULE_LOW_S, 256),
    IS(LODE_RULE_SIGPUSHONLY, 512),
    IS(LODE_RULE_MINIMALDATA, 1024),
    IS(LODE_RULE_DISCOURAGE_UPGRADABLE_NOPS, 2048),
    IS(LODE_RULE_CLEANSTACK, 4096),
    IS(LODE_RULE_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM, 8192),
    IS(LODE_RULE_MINIMALIF, 16384),
    IS(LODE_RULE_NULLFAIL, 32768),
    IS(LODE_RULE_WITNESS_PUBKEYTYPE, 65536),
    IS(LODE_RULE_CONST_SCRIPTCODE, 131072),
    IS(LODE_RULE_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION, 262144),
    IS(LODE_RULE_DISCOURAGE_OP_SUCCESS, 524288),
    IS(LODE_RULE_DISCOURAGE_UPGRADABLE_PUBKEYTYPE, 1048576),
    IS(LODE_RULE_CONSENSUS, 127),
    IS(LODE_TIP_ACTIVE, 0),
    IS(LODE_TIP_VALID_FORK, 1),
    IS(LODE_TIP_VALID_HEADERS, 2),
    IS(LODE_TIP_HEADERS_ONLY, 3),
    IS(LODE_TIP_INVALID, 4),
    IS(LODE_HASH_NONE, 0),
    IS(LODE_HASH_SERIALIZED_3, 1),
    IS(LODE_HASH_MUHASH, 2),
    IS(LODE_CHECK_GOOD, 0),
    IS(LODE_CHECK_BAD, 1),
    IS(LODE_CHECK_UNFINISHED, 2),
};

static void numbers_are_what_they_were(void **state)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].is != numbers[i].was)
            fail_msg("%s is %d and was %d", numbers[i].name, numbers[i].is, numbers[i].was);
}

/* The first of each struct's fields stands where it stood in 0.1, and none has moved. */
static void fields_stand_where_they_stood(void **state)
{
    assert_int_equal(sizeof(lode_status), 256);
    if (sizeof(void *) != 8)
        return;
    assert_int_equal(offsetof(lode_tip, hash), 12);
    assert_int_equal(offsetof(lode_coin_info, script), 24);
    assert_int_equal(offsetof(lode_submit_result, hash), 16);
    assert_int_equal(offsetof(lode_submit_result, reason), 81);
    assert_int_equal(offsetof(lode_event, hash), 16);
    assert_int_equal(offsetof(lode_block_info, height), 136);
    assert_int_equal(offsetof(lode_set_info, hash_serialized_3), 80);
    assert_int_equal(offsetof(lode_script_result, reason), 16);
    assert_int_equal(offsetof(lode_export_result, block), 20);
    assert_int_equal(offsetof(lode_load_result, block), 20);
    assert_int_equal(offsetof(lode_load_result, is_cores), 88);
    assert_int_equal(sizeof(lode_coin_id), 36);
    assert_int_equal(sizeof(lode_spent_output), 24);
}

/* ---- structs of other sizes ---- */

enum { ROOM = 2048, FILL = 0x5a };

typedef lode_status (*filler)(void *result);
static bed *the_bed; /* what fillers ask */

static lode_status fill_tip(void *r)
{
    return lode_get_tip(the_bed->h, r);
}
static lode_status fill_coin(void *r)
{
    int found;
    uint8_t *root = chain.blocks[1].raw + 36; /* of one transaction: its id */
    return lode_get_coin(the_bed->h, &found, r, root, 0);
}
static lode_status fill_coins(void *r)
{
    int found;
    lode_coin_id id = { .index = 0 };
    memcpy(id.txid, chain.blocks[1].raw + 36, 32);
    return lode_get_coins(the_bed->h, &found, r, NULL, &id, 1);
}
static lode_status fill_coins_tip(void *r)
{
    return lode_get_coins(the_bed->h, NULL, NULL, r, NULL, 0);
}
static lode_status fill_walk_coin(void *r)
{
    lode_coin_walk *walk;
    lode_coin_id id;
    int found;
    lode_status s = lode_coin_walk_open(&walk, the_bed->h, NULL, NULL);
    if (s.code == LODE_OK)
        s = lode_coin_walk_next(walk, &found, &id, r);
    lode_coin_walk_close(walk);
    return s;
}
static lode_status fill_walk_tip(void *r)
{
    lode_coin_walk *walk;
    lode_status s = lode_coin_walk_open(&walk, the_bed->h, r, NULL);
    if (s.code == LODE_OK)
        lode_coin_walk_close(walk);
    return s;
}
static lode_status fill_info(void *r)
{
    int found;
    return lode_get_block_info(the_bed->h, &found, r, chain.blocks[1].hash.bytes);
}
static lode_status fill_info_at(void *r)
{
    int found;
    return lode_get_block_info_at(the_bed->h, &found, r, 1);
}
static lode_status fill_best_header(void *r)
{
    return lode_get_best_header(the_bed->h, r);
}
static lode_status fill_statistics(void *r)
{
    return lode_get_statistics(the_bed->h, r);
}
static lode_status fill_set(void *r)
{
    return lode_get_set_info(the_bed->h, r, 0);
}
static lode_status fill_submit(void *r)
{
    return lode_submit_block(the_bed->h, r, chain.blocks[1].raw, chain.blocks[1].size);
}
static lode_status fill_header(void *r)
{
    return lode_submit_header(the_bed->h, r, chain.blocks[1].raw, 80);
}
static lode_status fill_check(void *r)
{
    return lode_check_block(the_bed->h, r, chain.blocks[1].raw, chain.blocks[1].size, 0);
}
static lode_status fill_check_alone(void *r)
{
    return lode_check_block_alone(the_bed->h, r, chain.blocks[1].raw, chain.blocks[1].size, 0);
}
static lode_status fill_import(void *r)
{
    return lode_import(the_bed->h, NULL, r);
}
static lode_status fill_import_end(void *r)
{
    lode_import_job *job;
    lode_status s = lode_import_start(&job, the_bed->h, NULL), ended;
    if (s.code != LODE_OK)
        return s;
    ended = lode_import_end(job, r);
    if (ended.code == LODE_INVALID_ARGUMENT) /* refused for its size: the job is still there */
        assert_ok(lode_import_end(job, NULL));
    return ended;
}
static lode_status fill_progress(void *r)
{
    lode_import_job *job;
    lode_status s = lode_import_start(&job, the_bed->h, NULL);
    if (s.code != LODE_OK)
        return s;
    s = lode_import_get_progress(job, r);
    assert_ok(lode_import_end(job, NULL));
    return s;
}
static lode_status fill_verify(void *r)
{
    return lode_verify_chain(the_bed->h, r, 1, 1);
}
static lode_status fill_directory(void *r)
{
    return lode_check_directory(the_bed->h, r, NULL);
}
/* A file that is not there yet. */
static const char *new_path(void)
{
    static char path[160];
    static int made;
    snprintf(path, sizeof path, "%s/coins.%d", the_bed->root, made++);
    return path;
}
static lode_status fill_export(void *r)
{
    return lode_export_coins(the_bed->h, r, "csv", new_path(), NULL);
}
static lode_status fill_dump(void *r)
{
    return lode_dump_coins(the_bed->h, r, new_path(), NULL);
}
/* A handle that has loaded can only be closed. */
static lode_status fill_load(void *r)
{
    lode_submit_result told = { .size = sizeof told };
    lode_buf copy = LODE_BUF_EMPTY;
    const char *path;
    lode_status s;
    bed b;

    bed_init(&b, "regtest");
    bed_open(&b);
    for (size_t i = 1; i < chain.count; i++)
        assert_ok(lode_submit_header(b.h, &told, chain.blocks[i].raw, 80));
    lode_buf_append(&copy, snapshot.data, snapshot.len);
    path = bed_write(&b, "snapshot.dat", &copy);
    lode_buf_clear(&copy);
    s = lode_load_coins(b.h, r, path, snapshot_hash);
    bed_clear(&b);
    return s;
}
static lode_status fill_script(void *r)
{
    lode_spent_output spent = { 0, "\x51", 1 };
    return lode_verify_transaction(r, api_tx, sizeof api_tx, &spent, 1, 0);
}
static lode_status fill_warm(void *r)
{
    return lode_warm_transaction(the_bed->h, r, api_tx, sizeof api_tx, NULL, 0);
}

static const struct {
    const char *name;
    filler fill;
    size_t size;
} results[] = {
    { "lode_get_tip", fill_tip, sizeof(lode_tip) },
    { "lode_get_coin", fill_coin, sizeof(lode_coin_info) },
    { "lode_get_coins", fill_coins, sizeof(lode_coin_info) },
    { "lode_get_coins, tip", fill_coins_tip, sizeof(lode_tip) },
    { "lode_coin_walk_next", fill_walk_coin, sizeof(lode_coin_info) },
    { "lode_coin_walk_open", fill_walk_tip, sizeof(lode_tip) },
    { "lode_get_block_info", fill_info, sizeof(lode_block_info) },
    { "lode_get_block_info_at", fill_info_at, sizeof(lode_block_info) },
    { "lode_get_best_header", fill_best_header, sizeof(lode_block_info) },
    { "lode_get_statistics", fill_statistics, sizeof(lode_statistics) },
    { "lode_get_set_info", fill_set, sizeof(lode_set_info) },
    { "lode_submit_block", fill_submit, sizeof(lode_submit_result) },
    { "lode_submit_header", fill_header, sizeof(lode_submit_result) },
    { "lode_check_block", fill_check, sizeof(lode_submit_result) },
    { "lode_check_block_alone", fill_check_alone, sizeof(lode_submit_result) },
    { "lode_import", fill_import, sizeof(lode_import_result) },
    { "lode_import_end", fill_import_end, sizeof(lode_import_result) },
    { "lode_import_get_progress", fill_progress, sizeof(lode_progress) },
    { "lode_verify_chain", fill_verify, sizeof(lode_check_result) },
    { "lode_check_directory", fill_directory, sizeof(lode_check_result) },
    { "lode_export_coins", fill_export, sizeof(lode_export_result) },
    { "lode_dump_coins", fill_dump, sizeof(lode_export_result) },
    { "lode_load_coins", fill_load, sizeof(lode_load_result) },
    { "lode_verify_transaction", fill_script, sizeof(lode_script_result) },
    { "lode_warm_transaction", fill_warm, sizeof(lode_script_result) },
};

typedef union room {
    size_t size;
    uint8_t bytes[ROOM];
} room;

static lode_status ask_with(room *r, size_t i, size_t size)
{
    memset(r, FILL, sizeof *r);
    r->size = size;
    return results[i].fill(r);
}

static void assert_untouched(const room *r, size_t i, size_t from)
{
    for (size_t at = from; at < ROOM; at++)
        if (r->bytes[at] != FILL)
            fail_msg("%s: byte %zu was written, past %zu", results[i].name, at, from);
}

/* Scripts are given, but for a walk's. */
static void free_given(const room *r, size_t i)
{
    lode_coin_info coin = { .size = 0 };
    if (results[i].fill != fill_coin && results[i].fill != fill_coins)
        return;
    memcpy(&coin, r, r->size < sizeof coin ? r->size : sizeof coin);
    lode_free(coin.script);
}

static void results_are_written_no_further_than_their_size(void **state)
{
    static room r;
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        for (size_t size = sizeof(size_t); size <= results[i].size; size++) {
            if (size > 64 && size % 8)
                continue;
            assert_ok(ask_with(&r, i, size));
            assert_int_equal(r.size, size);
            assert_untouched(&r, i, size);
            if (size >= offsetof(lode_coin_info, script) + sizeof(uint8_t *))
                free_given(&r, i);
        }
    }
}

static void fields_that_the_library_does_not_know_stay(void **state)
{
    static room r;
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        assert_ok(ask_with(&r, i, ROOM));
        assert_int_equal(r.size, ROOM);
        assert_untouched(&r, i, results[i].size);
        free_given(&r, i);
    }
}

static void a_size_that_was_not_set_is_refused(void **state)
{
    static room r;
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        for (size_t size = 0; size < sizeof(size_t); size++) {
            lode_status s = ask_with(&r, i, size);
            if (s.code != LODE_INVALID_ARGUMENT)
                fail_msg("%s takes a size of %zu", results[i].name, size);
            assert_untouched(&r, i, sizeof(size_t));
        }
    }
}

static void make_snapshot(void)
{
    lode_export_result r = { .size = sizeof r };
    bed_print print;
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    assert_ok(lode_dump_coins(b.h, &r, bed_path(&b, "snapshot.dat"), NULL));
    bed_read(&b, "snapshot.dat", &snapshot);
    print = bed_take_print(&b);
    lode_hash_to_hex(snapshot_hash, print.hash_serialized_3);
    bed_clear(&b);
}

static int set_up(void **state)
{
    static bed b;
    made_chain_make(&chain, 5, 3, 2);
    make_snapshot();
    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, 2);
    the_bed = &b;
    return 0;
}

static int tear_down(void **state)
{
    bed_clear(the_bed);
    made_chain_clear(&chain);
    lode_buf_clear(&snapshot);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_what_they_were),
        cmocka_unit_test(fields_stand_where_they_stood),
        cmocka_unit_test(results_are_written_no_further_than_their_size),
        cmocka_unit_test(fields_that_the_library_does_not_know_stay),
        cmocka_unit_test(a_size_that_was_not_set_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
