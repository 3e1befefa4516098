/* test/chainstate/coins_open_test.c: the chainstate database as Bitcoin Core has it: keys, values, what is refused. */
#include "chainstate/coins.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "test/chainstate/given_directory.h"
#include "test/support/memory_env.h"

static lode_env *env;

static int new_env(void **state)
{
    env = lode_memory_env_create();
    return env ? 0 : -1;
}
static int drop_env(void **state)
{
    lode_memory_env_destroy(env);
    return 0;
}

static void must(lode_status s)
{
    if (lode_failed(s))
        fail_msg("%s", s.text);
}

static lode_coins_options options(void)
{
    return (lode_coins_options){ .path = "d/chainstate", .env = env, .cache_bytes = (size_t)4 << 20, .threads = 2 };
}
static lode_coins *open_coins(void)
{
    lode_coins_options o = options();
    lode_coins *c;
    must(lode_coins_open(&c, &o));
    return c;
}
static lode_code open_code(bool read_only, lode_status *status)
{
    lode_coins_options o = options();
    lode_coins *c;
    o.read_only = read_only;
    *status = lode_coins_open(&c, &o);
    assert_true(lode_failed(*status) == (c == NULL));
    lode_ignore(lode_coins_close(c)); /* only the opening is asked about */
    return (lode_code)status->code;
}

/* The database by itself. */
static lode_store *open_store(void)
{
    lode_store_options o;
    lode_store *store;
    lode_store_options_init(&o);
    o.create_if_missing = 1;
    o.compression = LODE_COMPRESSION_NONE;
    o.env = env;
    must(lode_env_make_path(env, "d/chainstate"));
    must(lode_store_open(&store, "d/chainstate", &o));
    return store;
}
static void store_put(lode_store *store, const char *key, size_t key_len, const char *value, size_t len)
{
    must(lode_store_put(store, key, key_len, value, len, 1));
}
static size_t store_get(lode_store *store, uint8_t *value, size_t room, const void *key, size_t key_len)
{
    int found;
    size_t len = 0;
    must(lode_store_get_into(store, &found, value, room, &len, key, key_len, NULL));
    return found ? len : 0;
}

static void prevout_of(uint8_t out[36], uint8_t fill, uint32_t index)
{
    memset(out, fill, 32);
    lode_write_le32(out + 32, index);
}

static bool find(lode_coins *c, lode_coin_view *view, const uint8_t prevout[36])
{
    bool found;
    must(lode_coins_find(c, &found, view, prevout, lode_coins_hash(c, prevout), NULL));
    return found;
}

/* Output 1 of transaction 11..11: 50 BTC of block 3's coinbase to a key hash, as Core stores it. */
static const char coin_key[] = "C"
                               "\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11"
                               "\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11"
                               "\x01";
static const char coin_value[] = "\x07\x32\x00"
                                 "\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa";
enum { COIN_KEY_LEN = 34, COIN_VALUE_LEN = 23 };
static const char key_record[] = "\x0e\0obfuscate_key";
enum { KEY_RECORD_LEN = 15 };

static void put_that_coin(lode_coins *c)
{
    uint8_t prevout[36];
    lode_coin_view view = { 3, true, 0x32, { (const uint8_t *)coin_value + 2, 21 } };
    prevout_of(prevout, 0x11, 1);
    must(lode_coins_put(c, prevout, lode_coins_hash(c, prevout), &view));
}

static void expect_that_coin(lode_coins *c)
{
    uint8_t prevout[36];
    lode_coin_view view;
    prevout_of(prevout, 0x11, 1);
    assert_true(find(c, &view, prevout));
    assert_int_equal(view.height, 3);
    assert_true(view.is_coinbase);
    assert_int_equal(lode_amount_decompress(view.compressed_amount), 50 * LODE_COIN);
    assert_int_equal(view.script.len, 21);
    assert_memory_equal(view.script.data, coin_value + 2, 21);
}

static void a_new_database_gets_a_random_key_that_hides_coins_and_best_block(void **state)
{
    lode_coins *c = open_coins();
    lode_block_hash best = { { 1, 2, 3 } };
    lode_store *store;
    uint8_t key[16], value[64];

    put_that_coin(c);
    must(lode_coins_flush_begin(c, &best));
    must(lode_coins_flush_wait(c));
    must(lode_coins_close(c));
    store = open_store();
    assert_int_equal(store_get(store, key, sizeof key, key_record, KEY_RECORD_LEN), 9);
    assert_int_equal(key[0], 8);
    assert_int_equal(store_get(store, value, sizeof value, coin_key, COIN_KEY_LEN), COIN_VALUE_LEN);
    for (size_t i = 0; i < COIN_VALUE_LEN; i++)
        assert_int_equal(value[i] ^ key[1 + i % 8], (uint8_t)coin_value[i]);
    assert_int_equal(store_get(store, value, sizeof value, "B", 1), 32);
    for (size_t i = 0; i < 32; i++)
        assert_int_equal(value[i] ^ key[1 + i % 8], best.bytes[i]);
    must(lode_store_close(store));
}

static void a_database_without_a_key_has_plain_values(void **state)
{
    lode_store *store = open_store();
    lode_coins *c;
    uint8_t value[16];

    store_put(store, coin_key, COIN_KEY_LEN, coin_value, COIN_VALUE_LEN);
    must(lode_store_close(store));
    c = open_coins();
    expect_that_coin(c);
    assert_int_equal(store_get(lode_coins_store(c), value, sizeof value, key_record, KEY_RECORD_LEN), 0);
    must(lode_coins_close(c));
}

static void a_key_that_is_there_is_honoured(void **state)
{
    lode_store *store = open_store();
    lode_coins *c;
    char hidden[COIN_VALUE_LEN];

    for (size_t i = 0; i < COIN_VALUE_LEN; i++)
        hidden[i] = (char)(coin_value[i] ^ "abcdefgh"[i % 8]);
    store_put(store, key_record, KEY_RECORD_LEN,
              "\x08"
              "abcdefgh",
              9);
    store_put(store, coin_key, COIN_KEY_LEN, hidden, sizeof hidden);
    must(lode_store_close(store));
    c = open_coins();
    expect_that_coin(c);
    must(lode_coins_close(c));
}

static void a_key_of_another_length_is_damage(void **state)
{
    lode_store *store = open_store();
    lode_status s;

    store_put(store, key_record, KEY_RECORD_LEN,
              "\x07"
              "abcdefg",
              8);
    must(lode_store_close(store));
    assert_int_equal(open_code(false, &s), LODE_CORRUPT);
}

static void coins_by_transaction_are_declined_by_name(void **state)
{
    lode_store *store = open_store();
    lode_status s;
    char key[33] = { 'c', 1 };

    store_put(store, key, sizeof key, "x", 1);
    must(lode_store_close(store));
    assert_int_equal(open_code(false, &s), LODE_UNSUPPORTED);
    assert_non_null(strstr(s.text, "unsupported chainstate format"));
    assert_non_null(strstr(s.text, "before Core 0.15"));
    assert_int_equal(open_code(true, &s), LODE_UNSUPPORTED);
}

static void records_of_an_unknown_kind_are_declined(void **state)
{
    lode_store *store = open_store();
    lode_status s;

    store_put(store, "n", 1, "x", 1);
    must(lode_store_close(store));
    assert_int_equal(open_code(false, &s), LODE_UNSUPPORTED);
    assert_non_null(strstr(s.text, "0x6e"));
}

static void reading_a_missing_directory_is_an_error_and_creates_nothing(void **state)
{
    lode_status s;
    bool exists;
    lode_file_info info;

    assert_int_equal(open_code(true, &s), LODE_MISSING);
    must(env->path_info(env, &exists, &info, "d"));
    assert_false(exists);
}

static void what_is_only_read_is_not_flushed(void **state)
{
    lode_coins *c = open_coins();
    lode_coins_options o = options();

    must(lode_coins_close(c));
    o.read_only = true;
    must(lode_coins_open(&c, &o));
    assert_int_equal(lode_coins_flush_begin(c, &(lode_block_hash){ { 0 } }).code, LODE_INVALID_ARGUMENT);
    must(lode_coins_close(c));
}

static void heads_of_a_flush_that_was_cut_off_are_told_and_end_with_the_next_flush(void **state)
{
    lode_store *store = open_store();
    lode_coins *c;
    char heads[65] = { 2 };
    uint8_t value[80];
    lode_block_hash new_hash, old_hash, best;
    bool found;

    memset(heads + 1, 5, 32);
    memset(heads + 33, 4, 32);
    store_put(store, "H", 1, heads, sizeof heads);
    must(lode_store_close(store));
    c = open_coins();
    must(lode_coins_best_block(c, &found, &best));
    assert_false(found);
    must(lode_coins_head_blocks(c, &found, &new_hash, &old_hash));
    assert_true(found);
    assert_int_equal(new_hash.bytes[0], 5);
    assert_int_equal(old_hash.bytes[31], 4);
    must(lode_coins_flush_begin(c, &new_hash));
    must(lode_coins_flush_wait(c));
    must(lode_coins_head_blocks(c, &found, &new_hash, &old_hash));
    assert_false(found);
    must(lode_coins_best_block(c, &found, &best));
    assert_true(found);
    must(lode_coins_close(c));
    store = open_store();
    assert_int_equal(store_get(store, value, sizeof value, "H", 1), 0);
    assert_int_equal(store_get(store, value, sizeof value, "B", 1), 32);
    must(lode_store_close(store));
}

static void wiping_begins_empty_with_another_key(void **state)
{
    lode_coins *c = open_coins();
    lode_coins_options o = options();
    uint8_t first[16], second[16], prevout[36];
    lode_coin_view view;
    bool found;
    lode_block_hash best;

    put_that_coin(c);
    must(lode_coins_flush_begin(c, &(lode_block_hash){ { 1 } }));
    must(lode_coins_flush_wait(c));
    store_get(lode_coins_store(c), first, sizeof first, key_record, KEY_RECORD_LEN);
    must(lode_coins_close(c));
    o.wipe = true;
    must(lode_coins_open(&c, &o));
    prevout_of(prevout, 0x11, 1);
    assert_false(find(c, &view, prevout));
    must(lode_coins_best_block(c, &found, &best));
    assert_false(found);
    assert_int_equal(store_get(lode_coins_store(c), second, sizeof second, key_record, KEY_RECORD_LEN), 9);
    assert_memory_not_equal(first, second, 9);
    must(lode_coins_close(c));
}

/* ---- coins that are odd ---- */

static void expect_corrupt_everywhere(lode_coins *c, const uint8_t prevout[36])
{
    uint64_t hash = lode_coins_hash(c, prevout);
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_coins_cursor *cursor;
    lode_fetched fetched;
    lode_coin_view view;
    uint8_t out[36];
    bool found;

    assert_int_equal(lode_coins_find(c, &found, &view, prevout, hash, NULL).code, LODE_CORRUPT);
    must(lode_coins_fetch(c, &fetched, &prevout, &hash, 1, &arena));
    assert_int_equal(lode_coins_spend(c, &found, &view, prevout, hash, &fetched).code, LODE_CORRUPT);
    must(lode_coins_cursor_open(&cursor, c, NULL));
    assert_int_equal(lode_coins_cursor_next(cursor, &found, out, &view).code, LODE_CORRUPT);
    lode_coins_cursor_close(cursor);
    lode_arena_clear(&arena);
}

static void a_coin_that_does_not_decode_is_an_error_not_a_missing_coin(void **state)
{
    static const struct {
        const char *value;
        size_t len;
    } damaged[] = {
        { "", 0 },
        { "\x07", 1 },
        { coin_value, COIN_VALUE_LEN - 1 },
        { "\x07\x32\x00"
          "aaaaaaaaaaaaaaaaaaaaX",
          24 },
        { "\x07\x32\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 13 },
        { "\xff\xff\xff\xff\xff\x00\x32\x06", 8 },
    };
    uint8_t prevout[36];

    prevout_of(prevout, 0x11, 1);
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        lode_store *store = open_store();
        lode_coins *c;
        store_put(store, coin_key, COIN_KEY_LEN, damaged[i].value, damaged[i].len);
        must(lode_store_close(store));
        c = open_coins();
        expect_corrupt_everywhere(c, prevout);
        must(lode_coins_close(c));
    }
}

/* 10,001 bytes: VARINT(10,007). */
static void a_stored_script_over_10000_bytes_reads_as_op_return(void **state)
{
    static char value[2 + 2 + 10001] = { 0x07, 0x32, (char)0xcd, 0x17 };
    lode_store *store = open_store();
    lode_coin_view view;
    lode_coins *c;
    uint8_t prevout[36];

    store_put(store, coin_key, COIN_KEY_LEN, value, sizeof value);
    must(lode_store_close(store));
    c = open_coins();
    prevout_of(prevout, 0x11, 1);
    assert_true(find(c, &view, prevout));
    assert_int_equal(view.script.len, 2);
    assert_memory_equal(view.script.data, "\x07\x6a", 2);
    must(lode_coins_close(c));
}

static void a_script_of_10000_bytes_survives_spending_and_putting_back(void **state)
{
    static uint8_t script[10000];
    static uint8_t stored[10002];
    lode_coins *c = open_coins();
    lode_txout output = { { 7 }, script, sizeof script };
    lode_tx tx = { .outputs = &output, .output_count = 1 };
    lode_packed_tx packed;
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_coin_view view;
    uint8_t prevout[36];
    bool found;

    for (size_t i = 0; i < sizeof script; i++)
        script[i] = (uint8_t)(0x51 + i % 7);
    prevout_of(prevout, 0x22, 0);
    assert_int_equal(lode_script_compress(stored, script, sizeof script), sizeof stored);
    assert_true(lode_coins_pack(&packed, &tx, &arena));
    must(lode_coins_add_tx(c, prevout, lode_coins_hash(c, prevout), &packed, 9, false, false));
    for (int i = 0; i < 3; i++) {
        must(lode_coins_flush_begin(c, &(lode_block_hash){ { 1 } }));
        must(lode_coins_spend(c, &found, &view, prevout, lode_coins_hash(c, prevout), NULL));
        assert_true(found);
        assert_int_equal(view.script.len, sizeof stored);
        assert_memory_equal(view.script.data, stored, sizeof stored);
        view.script.data = stored;
        must(lode_coins_put(c, prevout, lode_coins_hash(c, prevout), &view));
    }
    lode_arena_clear(&arena);
    must(lode_coins_close(c));
}

static void an_output_that_no_transaction_can_have_is_not_put(void **state)
{
    lode_coins *c = open_coins();
    lode_coin_view view = { 3, true, 0x32, { (const uint8_t *)coin_value + 2, 21 } };
    uint8_t prevout[36];

    prevout_of(prevout, 0x33, UINT32_MAX);
    assert_int_equal(lode_coins_put(c, prevout, lode_coins_hash(c, prevout), &view).code, LODE_INVALID_ARGUMENT);
    assert_false(find(c, &view, prevout));
    prevout_of(prevout, 0x33, 0);
    view.script.len = 20;
    assert_int_equal(lode_coins_put(c, prevout, lode_coins_hash(c, prevout), &view).code, LODE_INVALID_ARGUMENT);
    must(lode_coins_close(c));
}

/* ---- what Bitcoin Core wrote ---- */

static lode_coins *open_given(const char *directory, const char *name)
{
    lode_coins_options o = {
        .path = test_path(directory, name), .cache_bytes = (size_t)8 << 20, .threads = 1, .read_only = true
    };
    lode_coins *c;

    must(lode_coins_open(&c, &o));
    return c;
}

/* 11,681 coins of 10,350 BTC at this block: given data, expected/regtest-all.json. */
static const char given_best[] = "5c1d95eab9218b4f6a04e00a7c0efaab0f8d231703e850efc2496de9946cf192";

static void the_coins_of_a_core_directory_are_counted(void **state)
{
    char *d = given_directory_unpack("core-regtest");
    lode_coins *c;
    lode_coins_cursor *cursor;
    lode_block_hash best;
    uint8_t prevout[36];
    lode_coin_view view;
    bool found;
    char hex[65];
    uint64_t count = 0, total = 0;

    if (!d)
        return;
    c = open_given(d, "core-regtest/regtest/chainstate");
    must(lode_coins_best_block(c, &found, &best));
    assert_true(found);
    lode_hash_to_hex(hex, best.bytes);
    assert_string_equal(hex, given_best);
    must(lode_coins_cursor_open(&cursor, c, NULL));
    for (;;) {
        must(lode_coins_cursor_next(cursor, &found, prevout, &view));
        if (!found)
            break;
        count++;
        total += lode_amount_decompress(view.compressed_amount);
    }
    lode_coins_cursor_close(cursor);
    assert_int_equal(count, 11681);
    assert_int_equal(total, 10350 * LODE_COIN);
    must(lode_coins_close(c));
    test_directory_remove(d);
}

static void the_heads_of_a_cut_off_core_flush_are_told(void **state)
{
    char *d = given_directory_unpack("core-crash");
    lode_coins *c;
    lode_block_hash best, new_hash, old_hash;
    bool found;
    char hex[65];

    if (!d)
        return;
    c = open_given(d, "core-crash/regtest/chainstate");
    must(lode_coins_best_block(c, &found, &best));
    assert_false(found);
    must(lode_coins_head_blocks(c, &found, &new_hash, &old_hash));
    assert_true(found);
    lode_hash_to_hex(hex, new_hash.bytes);
    printf("new head %s\n", hex);
    lode_hash_to_hex(hex, old_hash.bytes);
    printf("old head %s\n", hex);
    must(lode_coins_close(c));
    test_directory_remove(d);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, new_env, drop_env)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_new_database_gets_a_random_key_that_hides_coins_and_best_block),
        CASE(a_database_without_a_key_has_plain_values),
        CASE(a_key_that_is_there_is_honoured),
        CASE(a_key_of_another_length_is_damage),
        CASE(coins_by_transaction_are_declined_by_name),
        CASE(records_of_an_unknown_kind_are_declined),
        CASE(reading_a_missing_directory_is_an_error_and_creates_nothing),
        CASE(what_is_only_read_is_not_flushed),
        CASE(heads_of_a_flush_that_was_cut_off_are_told_and_end_with_the_next_flush),
        CASE(wiping_begins_empty_with_another_key),
        CASE(a_coin_that_does_not_decode_is_an_error_not_a_missing_coin),
        CASE(a_stored_script_over_10000_bytes_reads_as_op_return),
        CASE(a_script_of_10000_bytes_survives_spending_and_putting_back),
        CASE(an_output_that_no_transaction_can_have_is_not_put),
        CASE(the_coins_of_a_core_directory_are_counted),
        CASE(the_heads_of_a_cut_off_core_flush_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
