/* test/chainstate/utxo_stats_test.c: totals and hashes of small sets, against the hash of what was put in, written out.
 */
#include "chainstate/utxo_stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "primitives/muhash.h"
#include "support/memory_env.h"

static void must(lode_status s)
{
    if (lode_failed(s))
        fail_msg("%s", s.text);
}

/* Numbers of outputs around those where VARINTs grow: 16,512 as bytes sorts before 255. */
static const uint32_t indexes[] = { 0, 1, 127, 128, 129, 255, 16511, 16512, 16513, 65535, 70000 };
enum { INDEX_COUNT = sizeof indexes / sizeof *indexes, TX_COUNT = 40 };

/* Transactions whose ids begin with bytes spread over the cuts, first and last among them. */
static void txid_of(uint8_t txid[32], unsigned t)
{
    uint8_t seed = (uint8_t)t;

    lode_sha256(txid, &seed, 1);
    txid[0] = (uint8_t)(t == TX_COUNT - 1 ? 255 : t * 5);
}

typedef struct made_coin {
    uint8_t prevout[36];
    uint8_t script[25];
    int64_t sat;
    uint32_t height;
    bool is_coinbase;
} made_coin;

static void make_coin(made_coin *c, unsigned t, uint32_t index)
{
    static const uint8_t p2pkh[25] = { 0x76, 0xa9, 20, [23] = 0x88, [24] = 0xac };

    txid_of(c->prevout, t);
    lode_write_le32(c->prevout + 32, index);
    memcpy(c->script, p2pkh, sizeof p2pkh);
    memcpy(c->script + 3, c->prevout, 20);
    c->sat = 1000 + (int64_t)index % 977 + t;
    c->height = 7 * t;
    c->is_coinbase = t % 3 == 0;
}

static void put_coin(lode_coins *coins, const made_coin *c)
{
    uint8_t compressed[40];
    lode_coin_view view = { .height = c->height,
                            .is_coinbase = c->is_coinbase,
                            .compressed_amount = lode_amount_compress((uint64_t)c->sat),
                            .script = { compressed, lode_script_compress(compressed, c->script, sizeof c->script) } };
    must(lode_coins_put(coins, c->prevout, lode_coins_hash(coins, c->prevout), &view));
}

/* Outpoint, height and coinbase, value, script with its length: 36 + 4 + 8 + 1 + 25 bytes. */
static size_t write_out(uint8_t out[74], const made_coin *c)
{
    memcpy(out, c->prevout, 36);
    lode_write_le32(out + 36, c->height << 1 | (c->is_coinbase ? 1 : 0));
    lode_write_le64(out + 40, (uint64_t)c->sat);
    out[48] = 25;
    memcpy(out + 49, c->script, 25);
    return 74;
}

static int compare_txids(const void *a, const void *b)
{
    uint8_t x[32], y[32];

    txid_of(x, *(const unsigned *)a);
    txid_of(y, *(const unsigned *)b);
    return memcmp(x, y, 32);
}

/* By the definition: transactions by id, outputs by number. */
static void expect(lode_utxo_stats *want)
{
    unsigned order[TX_COUNT];
    lode_sha256_stream serialized;
    lode_muhash muhash;

    memset(want, 0, sizeof *want);
    lode_sha256_begin(&serialized);
    lode_muhash_init(&muhash);
    for (unsigned t = 0; t < TX_COUNT; t++)
        order[t] = t;
    qsort(order, TX_COUNT, sizeof *order, compare_txids);
    for (unsigned t = 0; t < TX_COUNT; t++) {
        for (unsigned i = 0; i < INDEX_COUNT; i++) {
            made_coin c;
            uint8_t bytes[74];
            make_coin(&c, order[t], indexes[i]);
            size_t len = write_out(bytes, &c);
            lode_sha256_add(&serialized, bytes, len);
            lode_muhash_insert(&muhash, bytes, len);
            want->txouts++;
            want->bogosize += 75;
            want->total.sat += c.sat;
        }
    }
    want->transactions = TX_COUNT;
    lode_sha256d_end(&serialized, want->hash_serialized_3);
    lode_muhash_final(want->muhash, &muhash);
}

static void assert_same(const lode_utxo_stats *got, const lode_utxo_stats *want, int hashes)
{
    static const uint8_t zero[32];

    assert_int_equal(got->txouts, want->txouts);
    assert_int_equal(got->transactions, want->transactions);
    assert_int_equal(got->bogosize, want->bogosize);
    assert_int_equal(got->total.sat, want->total.sat);
    assert_memory_equal(got->hash_serialized_3, hashes & LODE_UTXO_HASH_SERIALIZED_3 ? want->hash_serialized_3 : zero,
                        32);
    assert_memory_equal(got->muhash, hashes & LODE_UTXO_MUHASH ? want->muhash : zero, 32);
}

static lode_coins *open_coins(lode_env *env)
{
    lode_coins_options o = { .path = "chainstate", .env = env, .cache_bytes = (size_t)4 << 20, .threads = 1 };
    lode_coins *coins;

    must(lode_coins_open(&coins, &o));
    return coins;
}

static void hashes_are_those_of_the_definition_whatever_the_threads(void **state)
{
    static const int hash_sets[] = { 0, LODE_UTXO_HASH_SERIALIZED_3, LODE_UTXO_MUHASH,
                                     LODE_UTXO_HASH_SERIALIZED_3 | LODE_UTXO_MUHASH };
    static const int threads[] = { -1, 1, 2, 5, 1000 };
    const lode_block_hash best = { { 9 } };
    lode_env *env = lode_memory_env_create();
    lode_coins *coins = open_coins(env);
    lode_utxo_stats want, got;

    for (unsigned t = 0; t < TX_COUNT; t++) {
        for (unsigned i = 0; i < INDEX_COUNT; i++) {
            made_coin c;
            make_coin(&c, t, indexes[INDEX_COUNT - 1 - i]);
            put_coin(coins, &c);
        }
    }
    must(lode_coins_flush_begin(coins, &best));
    must(lode_coins_flush_wait(coins));
    expect(&want);
    for (size_t h = 0; h < sizeof hash_sets / sizeof *hash_sets; h++) {
        for (size_t n = 0; n < sizeof threads / sizeof *threads; n++) {
            must(lode_utxo_stats_compute(&got, coins, hash_sets[h], threads[n], NULL));
            assert_same(&got, &want, hash_sets[h]);
            assert_true(got.has_best_block);
            assert_memory_equal(got.best_block.bytes, best.bytes, 32);
        }
    }
    must(lode_coins_close(coins));
    lode_memory_env_destroy(env);
}

static void an_empty_set_has_the_hash_of_nothing(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_coins *coins = open_coins(env);
    uint8_t nothing[32];
    lode_utxo_stats got;

    lode_sha256d(nothing, "", 0);
    must(lode_utxo_stats_compute(&got, coins, LODE_UTXO_HASH_SERIALIZED_3, 2, NULL));
    assert_false(got.has_best_block);
    assert_int_equal(got.txouts, 0);
    assert_memory_equal(got.hash_serialized_3, nothing, 32);
    must(lode_coins_close(coins));
    lode_memory_env_destroy(env);
}

static void an_interrupt_ends_the_walk_and_fills_nothing(void **state)
{
    static volatile int interrupted = 1;
    const lode_block_hash best = { { 9 } };
    lode_env *env = lode_memory_env_create();
    lode_coins *coins = open_coins(env);
    lode_utxo_stats got = { .txouts = 77 };
    made_coin c;

    make_coin(&c, 1, 0);
    put_coin(coins, &c);
    must(lode_coins_flush_begin(coins, &best));
    must(lode_coins_flush_wait(coins));
    assert_int_equal(lode_utxo_stats_compute(&got, coins, LODE_UTXO_MUHASH, 3, &interrupted).code, LODE_CANCELLED);
    assert_int_equal(got.txouts, 77);
    must(lode_coins_close(coins));
    lode_memory_env_destroy(env);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_those_of_the_definition_whatever_the_threads),
        cmocka_unit_test(an_empty_set_has_the_hash_of_nothing),
        cmocka_unit_test(an_interrupt_ends_the_walk_and_fills_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
