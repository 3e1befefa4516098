/* test/bench/sync_row_test.c: proves bench/sync/row.c and what stands between import and store, with engines of its
 * own: Lode's store in a folder below, where nothing is put before it, and ways to be wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/chain/chain_maker.h"
#include "bench/sync/row.h"

enum { BLOCKS = 130 };

static char room[] = "/tmp/sync_row_test.XXXXXX";
static char file[64];
static lode_sync_job job;
static lode_sync_run own; /* Lode's without anything in its place */
static uint64_t made_coins, made_transactions;

#define assert_ok(call)                                                                                                \
    do {                                                                                                               \
        lode_status s_ = (call);                                                                                       \
        if (lode_failed(s_))                                                                                           \
            fail_msg("%s", s_.text);                                                                                   \
    } while (0)

/* ---- engines ---- */

static void *open_below(const char *path, const lode_engine_settings *settings)
{
    char below[4200];

    mkdir(path, 0777);
    snprintf(below, sizeof below, "%s/own", path);
    return lode_engine_lode.open(below, settings);
}

static void *refuse_to_open(const char *path, const lode_engine_settings *settings)
{
    lode_engine_stop("there is no room at %s", path);
}

static void lose_a_coin(void *db, lode_bytes key, lode_bytes value)
{
    static int coins;

    if (*(const char *)key.data != 'C' || ++coins != 100)
        lode_engine_lode.batch_put(db, key, value);
}

static void lose_a_transaction(void *db, lode_bytes key, lode_bytes value)
{
    static int transactions;

    if (*(const char *)key.data != 't' || ++transactions != 100)
        lode_engine_lode.batch_put(db, key, value);
}

/* The last byte of a position. */
static void change_a_position(void *db, lode_bytes key, lode_bytes value)
{
    static int transactions;
    uint8_t changed[64];

    if (*(const char *)key.data != 't' || ++transactions != 100 || value.len > sizeof changed) {
        lode_engine_lode.batch_put(db, key, value);
        return;
    }
    memcpy(changed, value.data, value.len);
    changed[value.len - 1] ^= 1;
    lode_engine_lode.batch_put(db, key, (lode_bytes){ changed, value.len });
}

static void keep_what_is_spent(void *db, lode_bytes key)
{
}

static lode_engine engine_like_lode(void)
{
    lode_engine e = lode_engine_lode;

    e.name = "stand-in";
    e.open = open_below;
    return e;
}

static lode_sync_run run_on(const lode_engine *engine, bool signatures)
{
    lode_sync_row row = { engine, LODE_SYNC_BLOOM_CACHE, signatures };
    lode_sync_run run;

    lode_sync_do(&run, &job, &row, &own.state);
    return run;
}

static void assert_refused(const lode_engine *engine, const char *why)
{
    lode_sync_run run = run_on(engine, false);

    assert_false(run.good);
    if (!strstr(run.why, why))
        fail_msg("refused, but for another reason: %s", run.why);
}

/* ---- facts ---- */

static void lode_ends_with_the_coins_and_transactions_that_were_made(void **state)
{
    assert_true(own.good);
    assert_int_equal(own.blocks, BLOCKS);
    assert_int_equal(own.state.coins, made_coins);
    assert_int_equal(own.state.transactions, made_transactions);
    assert_int_equal(own.transactions, made_transactions);
    assert_true(own.real_s > 0 && own.user_s > 0 && own.peak_mib > 0 && own.files_bytes > 0);
}

static void a_stand_in_ends_with_the_same(void **state)
{
    lode_engine e = engine_like_lode();

    for (int signatures = 0; signatures < 2; signatures++) {
        lode_sync_run run = run_on(&e, signatures);
        if (!run.good)
            fail_msg("%s", run.why);
        assert_int_equal(run.inputs, own.inputs);
        assert_true(run.files_bytes > 0);
    }
}

static void an_engine_without_order_ends_with_the_same(void **state)
{
    lode_engine e = engine_like_lode();
    lode_sync_run run;

    e.no_order = "this is a test";
    run = run_on(&e, false);
    if (!run.good)
        fail_msg("%s", run.why);
}

static void every_block_written_at_once_ends_with_the_same(void **state)
{
    lode_engine e = engine_like_lode();
    lode_sync_run run;

    job.each_block = true;
    run = run_on(&e, false);
    job.each_block = false;
    if (!run.good)
        fail_msg("%s", run.why);
}

static void a_lost_coin_is_refused(void **state)
{
    lode_engine e = engine_like_lode();

    e.batch_put = lose_a_coin;
    assert_refused(&e, "coins with hash");
}

static void a_coin_that_was_spent_is_refused(void **state)
{
    lode_engine e = engine_like_lode();

    e.batch_delete = keep_what_is_spent;
    job.each_block = true;
    assert_refused(&e, "coins with hash");
    job.each_block = false;
}

static void a_lost_transaction_is_refused(void **state)
{
    lode_engine e = engine_like_lode();

    e.batch_put = lose_a_transaction;
    assert_refused(&e, "transactions in the index");
}

static void a_changed_position_is_refused(void **state)
{
    lode_engine e = engine_like_lode();

    e.batch_put = change_a_position;
    assert_refused(&e, "other positions");
}

static void an_engine_that_fails_is_refused_in_its_own_words(void **state)
{
    lode_engine e = engine_like_lode();

    e.open = refuse_to_open;
    assert_refused(&e, "there is no room at");
}

/* ---- the chain ---- */

static void write_record(FILE *f, const lode_made_block *block)
{
    static const uint8_t magic[4] = { 0xfa, 0xbf, 0xb5, 0xda };
    uint8_t len[4];

    for (int i = 0; i < 4; i++)
        len[i] = (uint8_t)(block->size >> 8 * i);
    fwrite(magic, 1, sizeof magic, f);
    fwrite(len, 1, sizeof len, f);
    assert_int_equal(fwrite(block->raw, 1, block->size, f), block->size);
}

static void make_chain(void)
{
    lode_chain_recipe recipe;
    lode_chain_maker *maker;
    lode_made_block block;
    FILE *f = fopen(file, "wb");

    assert_non_null(f);
    assert_true(lode_chain_recipe_init(&recipe, "2012"));
    recipe.threads = 2;
    recipe.key_count = 64;
    recipe.txs_per_block = 60;
    assert_ok(lode_chain_maker_create(&maker, &recipe));
    lode_chain_maker_genesis(&block);
    write_record(f, &block);
    for (int i = 0; i < BLOCKS; i++) {
        assert_ok(lode_chain_maker_extend(maker, &block));
        write_record(f, &block);
    }
    made_coins = lode_chain_maker_coin_count(maker);
    made_transactions = lode_chain_maker_tx_count(maker);
    lode_chain_maker_destroy(maker);
    assert_int_equal(fclose(f), 0);
}

static int set_up(void **state)
{
    static char *files[] = { file };
    static const lode_sync_row row = { &lode_engine_lode, LODE_SYNC_DEFAULTS, true };
    struct stat s;

    assert_non_null(mkdtemp(room));
    snprintf(file, sizeof file, "%s/chain.dat", room);
    make_chain();
    assert_int_equal(stat(file, &s), 0);
    job = (lode_sync_job){ .room = room,
                           .network = "regtest",
                           .files = files,
                           .file_count = 1,
                           .chain_bytes = (uint64_t)s.st_size,
                           .par = 2,
                           .dbcache_mib = 4 };
    lode_sync_do(&own, &job, &row, NULL);
    return 0;
}

static int tear_down(void **state)
{
    lode_engine_remove(room);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lode_ends_with_the_coins_and_transactions_that_were_made),
        cmocka_unit_test(a_stand_in_ends_with_the_same),
        cmocka_unit_test(an_engine_without_order_ends_with_the_same),
        cmocka_unit_test(every_block_written_at_once_ends_with_the_same),
        cmocka_unit_test(a_lost_coin_is_refused),
        cmocka_unit_test(a_coin_that_was_spent_is_refused),
        cmocka_unit_test(a_lost_transaction_is_refused),
        cmocka_unit_test(a_changed_position_is_refused),
        cmocka_unit_test(an_engine_that_fails_is_refused_in_its_own_words),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
