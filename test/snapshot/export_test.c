/* test/snapshot/export_test.c: rows are the coins, whatever their form; nothing that fails leaves a file. */
#include "test/snapshot/snapshot_helpers.h"

#include <errno.h>

#include "config.h"
#include "test/support/fault_env.h"
#include "test/support/json.h"

#ifdef LODE_WITH_SQLITE
#include <sqlite3.h>
#endif

static made_chain chain; /* 140 blocks */

static int make_chain(void **state)
{
    made_chain_make(&chain, 44, 140, 8);
    return 0;
}

static int drop_chain(void **state)
{
    made_chain_clear(&chain);
    return 0;
}

static lode_export_result export(bed *b, const char *format, const char *name, const char *at)
{
    lode_export_result r = { .size = sizeof r };
    assert_ok(lode_export_coins(b->h, &r, format, bed_path(b, name), at));
    return r;
}

/* Each row is the coin that the set has, and there are as many. */
static void assert_row(bed *b, const char *txid, uint32_t index, int64_t value, bool is_coinbase, int32_t height,
                       const char *script)
{
    lode_coin_info coin = { .size = sizeof coin };
    uint8_t id[32];
    int found = 0;
    char *hex;

    assert_true(lode_hash_from_hex(id, txid));
    assert_ok(lode_get_coin(b->h, &found, &coin, id, index));
    assert_true(found);
    assert_int_equal(coin.value_sat, value);
    assert_int_equal(coin.is_coinbase, is_coinbase);
    assert_int_equal(coin.height, height);
    hex = malloc(coin.script_len * 2 + 1);
    lode_hex_encode(hex, coin.script, coin.script_len);
    assert_string_equal(hex, script);
    free(hex);
    lode_free(coin.script);
}

static char *take_field(char **line)
{
    char *start = *line, *end = strpbrk(start, ",\n");
    assert_non_null(end);
    *end = '\0';
    *line = end + 1;
    return start;
}

static void rows_of_csv_are_the_coins(void **state)
{
    lode_buf file = LODE_BUF_EMPTY;
    int64_t total = 0;
    uint64_t rows = 0;
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    bed_print p = bed_take_print(&b);
    lode_export_result r = export(&b, "csv", "coins.csv", NULL);
    assert_int_equal(r.coins, p.txouts);
    assert_int_equal(r.height, 140);
    assert_string_equal(r.block, chain.blocks[140].hex);
    bed_read(&b, "coins.csv", &file);
    lode_buf_put_u8(&file, 0);
    char *at = strchr((char *)file.data, '\n') + 1;
    assert_int_equal(strncmp((char *)file.data, "txid,vout,value,coinbase,height,scriptpubkey,type,address\n", 58), 0);
    for (; *at; rows++) {
        char *field[8];
        for (int i = 0; i < 8; i++)
            field[i] = take_field(&at);
        assert_row(&b, field[0], (uint32_t)atoi(field[1]), atoll(field[2]), field[3][0] == '1', atoi(field[4]),
                   field[5]);
        assert_true(*field[6]);
        if (strcmp(field[6], "witness_v0_keyhash") == 0)
            assert_int_equal(strncmp(field[7], "bcrt1q", 6), 0);
        total += atoll(field[2]);
    }
    assert_int_equal(rows, p.txouts);
    assert_int_equal(total, p.total_sat);
    lode_buf_clear(&file);
    bed_clear(&b);
}

static void lines_of_json_are_the_coins(void **state)
{
    lode_buf file = LODE_BUF_EMPTY;
    uint64_t rows = 0;
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    reopen_for_reading(&b);
    lode_export_result r = export(&b, "jsonl", "coins.jsonl", NULL);
    bed_read(&b, "coins.jsonl", &file);
    for (const char *at = (const char *)file.data, *end = at + file.len; at < end; rows++) {
        lode_arena arena = LODE_ARENA_EMPTY;
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        assert_non_null(line_end);
        const json *j = json_parse(&arena, at, (size_t)(line_end - at));
        assert_non_null(j);
        assert_row(&b, json_text(json_get(j, "txid")), (uint32_t)json_int(json_get(j, "vout")),
                   json_int(json_get(j, "value")), memmem(at, (size_t)(line_end - at), "\"coinbase\":true", 15) != NULL,
                   (int32_t)json_int(json_get(j, "height")), json_text(json_get(j, "scriptpubkey")));
        assert_non_null(json_get(j, "type"));
        at = line_end + 1;
        lode_arena_clear(&arena);
    }
    assert_int_equal(rows, r.coins);
    lode_buf_clear(&file);
    bed_clear(&b);
}

static void an_earlier_block_is_as_a_shorter_chain(void **state)
{
    lode_buf one = LODE_BUF_EMPTY, other = LODE_BUF_EMPTY;
    bed b, shorter;

    bed_init(&b, "regtest");
    bed_init(&shorter, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    bed_import_chain(&shorter, &chain, 0, 111);
    assert_int_equal(export(&b, "csv", "a.csv", "110").height, 110);
    assert_int_equal(export(&b, "csv", "b.csv", chain.blocks[110].hex).height, 110);
    export(&shorter, "csv", "a.csv", NULL);
    bed_read(&b, "a.csv", &one);
    bed_read(&shorter, "a.csv", &other);
    assert_true(lode_slice_is_equal(lode_buf_slice(&one), lode_buf_slice(&other)));
    bed_read(&b, "b.csv", &other);
    assert_true(lode_slice_is_equal(lode_buf_slice(&one), lode_buf_slice(&other)));
    lode_buf_clear(&one);
    lode_buf_clear(&other);
    bed_clear(&b);
    bed_clear(&shorter);
}

static void a_coin_file_can_be_asked_for_without_json(void **state)
{
    lode_export_result r = { .size = sizeof r };
    lode_buf file = LODE_BUF_EMPTY;
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    assert_ok(lode_dump_coins(b.h, &r, bed_path(&b, "out.dat"), "120"));
    bed_read(&b, "out.dat", &file);
    assert_memory_equal(file.data + 11, chain.blocks[120].hash.bytes, 32);
    assert_int_equal(lode_read_le64(file.data + 43), r.coins);
    lode_buf_clear(&file);
    bed_clear(&b);
}

static void sqlite_has_the_coins_and_says_of_which_block(void **state)
{
#ifdef LODE_WITH_SQLITE
    sqlite3 *db;
    sqlite3_stmt *q;
    uint64_t rows = 0;
    bed b;

    bed_init_on_disk(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    lode_export_result r = export(&b, "sqlite", "coins.sqlite", NULL);
    assert_false(bed_exists(&b, "coins.sqlite.incomplete"));
    assert_int_equal(sqlite3_open_v2(bed_path(&b, "coins.sqlite"), &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(db, "SELECT txid, vout, value, coinbase, height, scriptpubkey FROM utxos", -1, &q, NULL),
        SQLITE_OK);
    for (; sqlite3_step(q) == SQLITE_ROW; rows++)
        assert_row(&b, (const char *)sqlite3_column_text(q, 0), (uint32_t)sqlite3_column_int64(q, 1),
                   sqlite3_column_int64(q, 2), sqlite3_column_int(q, 3), sqlite3_column_int(q, 4),
                   (const char *)sqlite3_column_text(q, 5));
    assert_int_equal(rows, r.coins);
    sqlite3_finalize(q);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT chain, height, blockhash, coins FROM snapshot", -1, &q, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(q), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(q, 0), "regtest");
    assert_int_equal(sqlite3_column_int(q, 1), 140);
    assert_string_equal((const char *)sqlite3_column_text(q, 2), chain.blocks[140].hex);
    assert_int_equal(sqlite3_column_int64(q, 3), r.coins);
    sqlite3_finalize(q);
    sqlite3_close(db);
    bed_clear(&b);
#else
    lode_export_result r = { .size = sizeof r };
    bed b;

    bed_init_on_disk(&b, "regtest");
    bed_open(&b);
    assert_fails_with(LODE_UNSUPPORTED, lode_export_coins(b.h, &r, "sqlite", bed_path(&b, "coins.sqlite"), NULL));
    assert_false(bed_exists(&b, "coins.sqlite"));
    bed_clear(&b);
#endif
}

static void what_cannot_be_done_is_said_and_leaves_no_file(void **state)
{
    lode_export_result r = { .size = sizeof r };
    lode_buf file = LODE_BUF_EMPTY;
    const char *path;
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, 30);
    path = bed_path(&b, "x");
    assert_fails_with(LODE_INVALID_ARGUMENT, lode_export_coins(b.h, &r, "xml", path, NULL));
    assert_fails_with(LODE_INVALID_ARGUMENT, lode_export_coins(b.h, &r, NULL, path, NULL));
    assert_fails_with(LODE_INVALID_ARGUMENT, lode_export_coins(b.h, &r, "csv", NULL, NULL));
    assert_fails_with(LODE_INVALID_ARGUMENT, lode_export_coins(b.h, NULL, "csv", path, NULL));
    assert_fails_with(LODE_INVALID_ARGUMENT, lode_export_coins(NULL, &r, "csv", path, NULL));
    assert_fails_with(LODE_INVALID_ARGUMENT, lode_export_coins(b.h, &r, "csv", path, "30"));
    assert_fails_with(LODE_INVALID_ARGUMENT, lode_export_coins(b.h, &r, "csv", path, "-1"));
    assert_fails_with(LODE_INVALID_ARGUMENT, lode_export_coins(b.h, &r, "csv", path, "ten"));
    assert_fails_with(LODE_INVALID_ARGUMENT, lode_export_coins(b.h, &r, "csv", path, chain.blocks[40].hex));
    assert_fails_with(LODE_MISSING, lode_export_coins(b.h, &r, "csv", "/nowhere/x", NULL));
    if (!b.on_disk) /* SQLite knows nothing of files in memory */
        assert_fails_with(LODE_UNSUPPORTED, lode_export_coins(b.h, &r, "sqlite", path, NULL));
    assert_false(bed_exists(&b, "x"));
    assert_false(bed_exists(&b, "x.incomplete"));
    lode_buf_append(&file, "mine", 4);
    bed_write(&b, "x", &file);
    assert_fails_with(LODE_EXISTS, lode_export_coins(b.h, &r, "csv", path, NULL));
    bed_read(&b, "x", &file);
    assert_int_equal(file.len, 4);
    lode_buf_clear(&file);
    bed_clear(&b);
}

static void a_full_disk_leaves_no_file(void **state)
{
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    bed_close(&b);
    b.options.env = lode_fault_env_create(b.env);
    bed_open(&b);
    for (int format = 0; format < 2; format++) {
        lode_export_result r = { .size = sizeof r };
        lode_fault_env_plan(b.options.env, &(lode_fault_plan){ .calls = LODE_FAULT_PWRITE,
                                                               .path_contains = "coins",
                                                               .times = UINT64_MAX,
                                                               .error_number = ENOSPC,
                                                               .torn_bytes = 1000 });
        assert_fails_with(LODE_NO_SPACE,
                          lode_export_coins(b.h, &r, format ? "csv" : "jsonl", bed_path(&b, "coins"), NULL));
        assert_false(bed_exists(&b, "coins"));
        assert_false(bed_exists(&b, "coins.incomplete"));
        lode_fault_env_plan(b.options.env, NULL);
    }
    bed_close(&b);
    lode_fault_env_destroy(b.options.env);
    bed_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_csv_are_the_coins),
        cmocka_unit_test(lines_of_json_are_the_coins),
        cmocka_unit_test(an_earlier_block_is_as_a_shorter_chain),
        cmocka_unit_test(a_coin_file_can_be_asked_for_without_json),
        cmocka_unit_test(sqlite_has_the_coins_and_says_of_which_block),
        cmocka_unit_test(what_cannot_be_done_is_said_and_leaves_no_file),
        cmocka_unit_test(a_full_disk_leaves_no_file),
    };
    return cmocka_run_group_tests(tests, make_chain, drop_chain);
}
