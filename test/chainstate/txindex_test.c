/* test/chainstate/txindex_test.c: the transaction index: what is found, what is written, what is declined. */
#include "txindex/txindex.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "primitives/encode.h"
#include "test/chainstate/given_directory.h"
#include "test/support/fault_env.h"
#include "test/support/memory_env.h"
#include "txindex/entries.h"

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

/* The large array comes from here (--wrap), which can be out of memory. */
static bool is_out_of_memory;
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return is_out_of_memory ? NULL : __real_aligned_alloc(alignment, size);
}

static void must(lode_status s)
{
    if (lode_failed(s))
        fail_msg("%s", s.text);
}

static lode_txindex_options options(void)
{
    return (lode_txindex_options){ .path = "indexes/txindex", .env = env, .memory_bytes = 1, .threads = 3 };
}
static lode_txindex *open_index(void)
{
    lode_txindex_options o = options();
    lode_txindex *x;
    must(lode_txindex_open(&x, &o));
    return x;
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}
static lode_txid txid_of(uint64_t tx)
{
    lode_txid id;
    for (uint64_t i = 0; i < 4; i++)
        lode_write_le64(id.bytes + 8 * i, mix(tx * 4 + i + 1));
    return id;
}

enum { MOST_TXS = 2000 };
/* A block of transactions [first, first + count), each of 100 bytes. */
static void add_block(lode_txindex *x, uint64_t first, uint32_t count, int32_t file, uint32_t pos)
{
    static lode_tx txs[MOST_TXS];
    lode_block block = { .txs = txs, .tx_count = count };

    block.header.prev.bytes[0] = 1;
    for (uint32_t i = 0; i < count; i++)
        txs[i] = (lode_tx){ .txid = txid_of(first + i), .size = 100 };
    must(lode_txindex_add_block(x, &block, file, pos));
}

static void expect_at(lode_txindex *x, uint64_t tx, int32_t file, uint32_t pos, uint32_t offset)
{
    lode_txid id = txid_of(tx);
    lode_tx_position p;
    bool found;

    must(lode_txindex_find(x, &found, &p, &id));
    assert_true(found);
    assert_int_equal(p.file, file);
    assert_int_equal(p.block_pos, pos);
    assert_int_equal(p.tx_offset, offset);
}
static bool has(lode_txindex *x, uint64_t tx)
{
    lode_txid id = txid_of(tx);
    lode_tx_position p;
    bool found;

    must(lode_txindex_find(x, &found, &p, &id));
    return found;
}

/* int32 version, count, hashes: of one block, all bytes `fill`. */
static lode_slice locator(uint8_t out[37], uint8_t fill)
{
    lode_write_le32(out, 70016);
    out[4] = 1;
    memset(out + 5, fill, 32);
    return lode_slice_of(out, 37);
}
static int best_of(lode_txindex *x)
{
    lode_block_hash first;
    lode_buf bytes = LODE_BUF_EMPTY;
    bool found;

    must(lode_txindex_best(x, &found, &first, &bytes));
    if (found)
        assert_int_equal(bytes.len, 37);
    lode_buf_clear(&bytes);
    return found ? first.bytes[0] : 0;
}

static void positions_are_found_after_a_flush_and_after_opening_again(void **state)
{
    lode_txindex *x = open_index();
    uint8_t bytes[37];

    assert_int_equal(best_of(x), 0);
    add_block(x, 0, 3, 7, 123456);
    add_block(x, 3, 260, 7, 234567);
    must(lode_txindex_flush(x, locator(bytes, 9)));
    for (int i = 0; i < 2; i++) {
        expect_at(x, 0, 7, 123456, 1);
        expect_at(x, 2, 7, 123456, 201);
        expect_at(x, 3, 7, 234567, 3); /* 260 transactions: a count of three bytes */
        expect_at(x, 262, 7, 234567, 3 + 25900);
        assert_false(has(x, 263));
        assert_int_equal(best_of(x), 9);
        must(lode_txindex_close(x));
        x = open_index();
    }
    must(lode_txindex_close(x));
}

/* File 1, position 300, offset 81: 't', the txid; VARINTs 01, 81 2c, 51. */
static void a_record_has_core_s_bytes(void **state)
{
    lode_txindex *x = open_index();
    lode_tx txs[2] = { { .txid = txid_of(5), .size = 80 }, { .txid = txid_of(6), .size = 99 } };
    lode_block block = { .txs = txs, .tx_count = 2 };
    uint8_t key[33] = { 't' }, value[16], bytes[37];
    size_t len;
    int found;

    block.header.prev.bytes[31] = 1;
    must(lode_txindex_add_block(x, &block, 1, 300));
    must(lode_txindex_flush(x, locator(bytes, 3)));
    memcpy(key + 1, txs[1].txid.bytes, 32);
    must(lode_store_get_into(lode_txindex_store(x), &found, value, sizeof value, &len, key, sizeof key, NULL));
    assert_true(found);
    assert_int_equal(len, 4);
    assert_memory_equal(value, "\x01\x81\x2c\x51", 4);
    must(lode_txindex_close(x));
}

static void genesis_is_left_out(void **state)
{
    lode_txindex *x = open_index();
    lode_tx tx = { .txid = txid_of(1), .size = 100 };
    lode_block block = { .txs = &tx, .tx_count = 1 };
    uint8_t bytes[37];

    must(lode_txindex_add_block(x, &block, 0, 8));
    must(lode_txindex_flush(x, locator(bytes, 1)));
    assert_false(has(x, 1));
    assert_int_equal(best_of(x), 1);
    must(lode_txindex_close(x));
}

/* More than memory holds: many runs, one of them while blocks go on coming. */
static void many_entries_go_out_in_runs_and_the_best_block_moves_with_a_flush_alone(void **state)
{
    lode_txindex *x = open_index();
    uint8_t bytes[37];
    enum { BLOCKS = 300, TXS = 300 };

    add_block(x, 1u << 30, 1, 0, 8);
    must(lode_txindex_flush(x, locator(bytes, 1)));
    for (uint32_t b = 0; b < BLOCKS; b++)
        add_block(x, b * TXS, TXS, (int32_t)b / 10, b * 1000 + 8);
    assert_int_equal(best_of(x), 1);
    must(lode_txindex_flush(x, locator(bytes, 2)));
    assert_int_equal(best_of(x), 2);
    for (uint32_t b = 0; b < BLOCKS; b += 3)
        for (uint32_t i = 0; i < TXS; i += 7)
            expect_at(x, b * TXS + i, (int32_t)b / 10, b * 1000 + 8, 3 + i * 100);
    must(lode_txindex_settle(x, NULL));
    for (uint32_t b = 0; b < BLOCKS; b += 17)
        expect_at(x, b * TXS + 299, (int32_t)b / 10, b * 1000 + 8, 3 + 29900);
    must(lode_txindex_close(x));
}

static void expect_all(lode_txindex *x, uint32_t blocks, uint32_t txs)
{
    for (uint32_t b = 0; b < blocks; b += 7)
        for (uint32_t i = 0; i < txs; i += 11)
            expect_at(x, b * txs + i, (int32_t)b, b * 1000 + 8, 3 + i * 100);
}

static void merging_goes_in_parts_and_can_be_stopped_between_them(void **state)
{
    lode_txindex_options o = options();
    const volatile int stop = 1, go_on = 0;
    enum { BLOCKS = 200, TXS = 300 };
    lode_txindex *x;
    uint8_t bytes[37];

    o.settle_bytes = 200000; /* about ten parts */
    must(lode_txindex_open(&x, &o));
    for (uint32_t b = 0; b < BLOCKS; b++)
        add_block(x, b * TXS, TXS, (int32_t)b, b * 1000 + 8);
    must(lode_txindex_flush(x, locator(bytes, 3)));
    must(lode_txindex_settle(x, &stop));
    expect_all(x, BLOCKS, TXS);
    must(lode_txindex_settle(x, &go_on));
    expect_all(x, BLOCKS, TXS);
    assert_int_equal(best_of(x), 3);
    must(lode_store_verify(lode_txindex_store(x)));
    must(lode_txindex_close(x));
}

static void of_a_repeated_txid_the_last_position_holds(void **state)
{
    lode_txindex *x = open_index();
    uint8_t bytes[37];

    add_block(x, 0, 100, 0, 8);
    add_block(x, 50, 100, 1, 9); /* in one run */
    must(lode_txindex_flush(x, locator(bytes, 1)));
    expect_at(x, 49, 0, 8, 1 + 4900);
    expect_at(x, 50, 1, 9, 1);
    add_block(x, 0, 60, 2, 10); /* in a later one */
    must(lode_txindex_flush(x, locator(bytes, 2)));
    expect_at(x, 50, 2, 10, 1 + 5000);
    expect_at(x, 99, 1, 9, 1 + 4900);
    must(lode_txindex_close(x));
}

static void a_large_flush_is_divided_and_the_whole_is_found(void **state)
{
    lode_txindex_options o = options();
    lode_txindex *x;
    uint8_t bytes[37];

    o.memory_bytes = 64 << 20;
    o.batch_most = 1000;
    must(lode_txindex_open(&x, &o));
    for (uint64_t i = 0; i < 300; i++)
        add_block(x, 1000 * i, 1000, (int32_t)i, 8);
    must(lode_txindex_flush_begin(x, (lode_slice){ NULL, 0 })); /* by ranges, without the best block */
    assert_int_equal(best_of(x), 0);
    add_block(x, 5000, 2000, 300, 9);
    must(lode_txindex_flush_begin(x, locator(bytes, 1))); /* does nothing, or is behind the others */
    add_block(x, 10000, 300, 301, 9);
    must(lode_txindex_flush(x, locator(bytes, 2)));
    assert_int_equal(best_of(x), 2);
    must(lode_txindex_settle(x, NULL));
    must(lode_txindex_close(x));
    must(lode_txindex_open(&x, &o));
    assert_int_equal(best_of(x), 2);
    for (uint64_t i = 0; i < 300000; i += i < 20000 ? 1 : 997) {
        if (i >= 5000 && i < 7000)
            expect_at(x, i, 300, 9, 3 + 100 * ((uint32_t)i - 5000));
        else
            expect_at(x, i, i >= 10000 && i < 10300 ? 301 : (int32_t)(i / 1000), i >= 10000 && i < 10300 ? 9 : 8,
                      3 + 100 * (i % 1000));
    }
    must(lode_txindex_close(x));
}

static void without_memory_for_the_large_array_the_small_one_does(void **state)
{
    lode_txindex_options o = options();
    enum { BLOCKS = 150, TXS = 1000 }; /* several times the small array */
    lode_txindex *x;
    uint8_t bytes[37];

    o.memory_bytes = 6 << 20;
    must(lode_txindex_open(&x, &o));
    is_out_of_memory = true;
    for (uint32_t b = 0; b < BLOCKS; b++)
        add_block(x, b * TXS, TXS, (int32_t)b, b * 1000 + 8);
    is_out_of_memory = false;
    assert_int_equal(best_of(x), 0);
    must(lode_txindex_flush(x, locator(bytes, 1)));
    assert_int_equal(best_of(x), 1);
    expect_all(x, BLOCKS, TXS);
    must(lode_txindex_close(x));
}

static void sorting_is_by_txid_then_by_arrival(void **state)
{
    enum { COUNT = 40000 };
    static lode_tx_entry entries[COUNT];

    for (int threads = 1; threads <= 4; threads++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            lode_txid id = txid_of(i % 3 ? i : i % 60); /* many arrive again and again */
            memcpy(entries[i].txid, id.bytes, 32);
            if (i % 7 == 0)
                memset(entries[i].txid, 0xee, 30); /* ground to begin alike */
            entries[i].block = i / 5;
            entries[i].tx_offset = i % 5;
        }
        lode_tx_entries_sort(entries, COUNT, threads);
        for (uint32_t i = 1; i < COUNT; i++) {
            int c = memcmp(entries[i - 1].txid, entries[i].txid, 32);
            uint64_t before = 5 * (uint64_t)entries[i - 1].block + entries[i - 1].tx_offset;
            assert_true(c < 0 || (c == 0 && before < 5 * (uint64_t)entries[i].block + entries[i].tx_offset));
        }
    }
}

static lode_store *open_store(void)
{
    lode_store_options o;
    lode_store *store;
    lode_store_options_init(&o);
    o.create_if_missing = 1;
    o.env = env;
    must(lode_env_make_path(env, "indexes/txindex"));
    must(lode_store_open(&store, "indexes/txindex", &o));
    return store;
}

static void an_index_with_hashed_keys_is_declined_by_name(void **state)
{
    static const struct {
        const char *key;
        size_t len;
    } newer[] = { { "\x0d"
                    "best_block_v2",
                    14 },
                  { "\x0e"
                    "txid_hash_salt",
                    15 },
                  { "tabcde", 6 } };

    for (size_t i = 0; i < sizeof newer / sizeof *newer; i++) {
        lode_store *store = open_store();
        lode_txindex_options o = options();
        lode_txindex *x;
        lode_status s;
        must(lode_store_put(store, newer[i].key, newer[i].len, "x", 1, 1));
        must(lode_store_close(store));
        s = lode_txindex_open(&x, &o);
        assert_int_equal(s.code, LODE_UNSUPPORTED);
        assert_null(x);
        assert_non_null(strstr(s.text, "hashed keys"));
        must(lode_env_remove_tree(env, "indexes/txindex"));
    }
}

static void an_obfuscation_key_is_honoured(void **state)
{
    lode_store *store = open_store();
    lode_txindex *x;
    uint8_t bytes[37], value[16], key[33] = { 't' };
    size_t len;
    int found;
    lode_txid id = txid_of(0);

    must(lode_store_put(store, "\x0e\0obfuscate_key", 15,
                        "\x08"
                        "\1\2\3\4\5\6\7\x08",
                        9, 1));
    must(lode_store_close(store));
    x = open_index();
    add_block(x, 0, 1, 5, 300);
    must(lode_txindex_flush(x, locator(bytes, 4)));
    assert_int_equal(best_of(x), 4);
    expect_at(x, 0, 5, 300, 1);
    memcpy(key + 1, id.bytes, 32);
    must(lode_store_get_into(lode_txindex_store(x), &found, value, sizeof value, &len, key, sizeof key, NULL));
    assert_int_equal(len, 4);
    assert_memory_equal(value, "\x04\x83\x2f\x05", 4);
    must(lode_txindex_close(x));
}

static void a_position_that_does_not_decode_is_an_error(void **state)
{
    lode_store *store = open_store();
    lode_txindex *x;
    uint8_t key[33] = { 't' };
    lode_txid id = txid_of(0);
    lode_tx_position p;
    bool found;

    memcpy(key + 1, id.bytes, 32);
    must(lode_store_put(store, key, sizeof key, "\x01\x02", 2, 1));
    must(lode_store_close(store));
    x = open_index();
    assert_int_equal(lode_txindex_find(x, &found, &p, &id).code, LODE_CORRUPT);
    must(lode_txindex_close(x));
}

static void reading_a_missing_index_is_an_error(void **state)
{
    lode_txindex_options o = options();
    lode_txindex *x;

    o.read_only = true;
    assert_int_equal(lode_txindex_open(&x, &o).code, LODE_MISSING);
    assert_null(x);
}

/* Whatever call fails: after opening again the best block speaks only for what is there. */
static void a_flush_that_fails_leaves_the_best_block_behind(void **state)
{
    lode_env *fault = lode_fault_env_create(env);
    uint8_t bytes[37];

    for (uint64_t skip = 0;; skip++) {
        lode_txindex_options o = options();
        lode_txindex *x;
        lode_status s;
        bool hit;
        o.env = fault;
        must(lode_txindex_open(&x, &o));
        add_block(x, 0, 200, 0, 8);
        must(lode_txindex_flush(x, locator(bytes, 1)));
        add_block(x, 200, 200, 0, 9);
        lode_fault_env_plan(
            fault, &(lode_fault_plan){ .calls = LODE_FAULT_CHANGES, .skip = skip, .times = 1, .error_number = EIO });
        s = lode_txindex_flush(x, locator(bytes, 2));
        hit = lode_fault_env_failed(fault) > 0;
        lode_fault_env_plan(fault, NULL);
        lode_ignore(lode_txindex_close(x)); /* a store that failed may say so again */
        lode_memory_env_power_off(env);
        lode_memory_env_power_on(env, LODE_KEEP_SYNCED, 0);
        must(lode_txindex_open(&x, &o));
        assert_true(best_of(x) == 2 || (lode_failed(s) && best_of(x) == 1));
        for (uint64_t i = 0; i < (best_of(x) == 2 ? 400 : 200); i++)
            assert_true(has(x, i));
        must(lode_txindex_close(x));
        must(lode_env_remove_tree(env, "indexes/txindex"));
        if (!hit)
            break;
    }
    lode_fault_env_destroy(fault);
}

/* From expected/regtest-all.json: at height 69, 105 bytes. */
static void a_core_index_is_read(void **state)
{
    char *d = given_directory_unpack("core-regtest");
    lode_txindex_options o = { .read_only = true, .threads = 1 };
    lode_txindex *x;
    lode_txid id;
    lode_tx_position p;
    lode_block_hash first;
    lode_buf bytes = LODE_BUF_EMPTY;
    char hex[65];
    bool found;

    if (!d)
        return;
    o.path = test_path(d, "core-regtest/regtest/indexes/txindex");
    must(lode_txindex_open(&x, &o));
    must(lode_txindex_best(x, &found, &first, &bytes));
    assert_true(found);
    lode_hash_to_hex(hex, first.bytes);
    assert_string_equal(hex, "5c1d95eab9218b4f6a04e00a7c0efaab0f8d231703e850efc2496de9946cf192");
    assert_true(lode_hash_from_hex(id.bytes, "beabc62167ec2ded15d41fa544fdba4f93de3697170e4c52a74d974d899ee50e"));
    must(lode_txindex_find(x, &found, &p, &id));
    assert_true(found);
    assert_int_equal(p.file, 0);
    assert_int_equal(p.tx_offset, 1); /* a block of fewer than 253 transactions; this is its first */
    lode_buf_clear(&bytes);
    must(lode_txindex_close(x));
    test_directory_remove(d);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, new_env, drop_env)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(positions_are_found_after_a_flush_and_after_opening_again),
        CASE(a_record_has_core_s_bytes),
        CASE(genesis_is_left_out),
        CASE(many_entries_go_out_in_runs_and_the_best_block_moves_with_a_flush_alone),
        CASE(merging_goes_in_parts_and_can_be_stopped_between_them),
        CASE(of_a_repeated_txid_the_last_position_holds),
        CASE(a_large_flush_is_divided_and_the_whole_is_found),
        CASE(without_memory_for_the_large_array_the_small_one_does),
        CASE(sorting_is_by_txid_then_by_arrival),
        CASE(an_index_with_hashed_keys_is_declined_by_name),
        CASE(an_obfuscation_key_is_honoured),
        CASE(a_position_that_does_not_decode_is_an_error),
        CASE(reading_a_missing_index_is_an_error),
        CASE(a_flush_that_fails_leaves_the_best_block_behind),
        CASE(a_core_index_is_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
