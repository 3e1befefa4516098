/* test/loadblock/given_chains_test.c: real and made chains end where Bitcoin Core ends, in whatever order, with however
 * many threads and however little memory.
 */
#include "test/loadblock/bed.h"

#include <string.h>

#include "bench/chain/random.h"
#include "test/given_data.h"
#include "test/support/json.h"

typedef struct given {
    const char *chain, *blocks, *answers;
    made_chain read;
    char *text;
    const json *expected;
} given;

static lode_arena arena = LODE_ARENA_EMPTY;
static given chains[] = {
    { "main", "blocks/mainnet-0-2100.dat", "expected/mainnet-0-2100.json" },
    { "test", "blocks/testnet3-0-2100.dat", "expected/testnet3-0-2100.json" },
    { "regtest", "blocks/regtest-all.dat", "expected/regtest-all.json" },
    { "regtest", "blocks/regtest-forks.dat", "expected/core-forks.json" },
};

static bool load(given *g)
{
    size_t len = 0;

    if (g->read.count)
        return true;
    if (!made_chain_read_given(&g->read, g->blocks))
        return false;
    g->text = (char *)given_data_read(g->answers, &len);
    assert_non_null(g->text);
    g->expected = json_parse(&arena, g->text, len);
    assert_non_null(g->expected);
    return true;
}

static void assert_hex(const uint8_t hash[32], const json *expected)
{
    char hex[65];
    lode_hash_to_hex(hex, hash);
    assert_string_equal(hex, json_text(expected));
}

/* "0.01180054", with eight decimals. */
static int64_t satoshis(const json *amount)
{
    const char *text = json_text(amount), *dot = strchr(text, '.');
    assert_non_null(dot);
    assert_int_equal(strlen(dot), 9);
    return (int64_t)(strtoll(text, NULL, 10) * 100000000 + strtoll(dot + 1, NULL, 10));
}

static void assert_answers(bed *b, const given *g)
{
    bed_print p = bed_take_print(b);
    const json *e = g->expected, *set = json_get(e, "gettxoutsetinfo");

    assert_int_equal(p.height, json_int(json_get(e, "height")));
    assert_hex(p.best, json_get(e, "bestblockhash"));
    assert_int_equal(p.txouts, json_int(json_get(set, "txouts")));
    assert_int_equal(p.transactions, json_int(json_get(set, "transactions")));
    assert_int_equal(p.bogosize, json_int(json_get(set, "bogosize")));
    assert_int_equal(p.total_sat, satoshis(json_get(set, "total_amount")));
    assert_hex(p.hash_serialized_3, json_get(set, "hash_serialized_3"));
    assert_hex(p.muhash, json_get(e, "muhash"));
}

static void assert_coins(bed *b, const json *coins)
{
    for (size_t i = 0; i < coins->count; i++) {
        const json *c = json_at(coins, i), *expected = json_get(c, "coin");
        lode_coin_info info = { .size = sizeof info };
        uint8_t txid[32];
        int found = -1;

        assert_true(lode_hash_from_hex(txid, json_text(json_get(c, "txid"))));
        assert_ok(lode_get_coin(b->h, &found, &info, txid, (uint32_t)json_int(json_get(c, "n"))));
        assert_int_equal(found, expected->kind != JSON_NULL);
        if (!found)
            continue;
        assert_int_equal(info.value_sat, satoshis(json_get(expected, "value")));
        assert_int_equal(info.is_coinbase, json_get(expected, "coinbase")->truth);
        assert_int_equal(bed_tip(b).height - info.height + 1, json_int(json_get(expected, "confirmations")));
        size_t len;
        const uint8_t *script = json_bytes(&arena, json_get(expected, "scriptPubKey"), &len);
        assert_int_equal(info.script_len, len);
        assert_memory_equal(info.script, script, len);
        lode_free(info.script);
    }
}

static void assert_transactions(bed *b, const json *txs)
{
    for (size_t i = 0; i < txs->count; i++) {
        const json *t = json_at(txs, i);
        uint8_t txid[32], block[32], digest[32], *raw = NULL;
        size_t len = 0, digest_len;
        int found = 0;

        assert_true(lode_hash_from_hex(txid, json_text(json_get(t, "txid"))));
        assert_ok(lode_get_transaction(b->h, &found, &raw, &len, block, txid));
        assert_true(found);
        assert_int_equal(len, json_int(json_get(t, "size")));
        assert_hex(block, json_get(t, "blockhash"));
        lode_sha256(digest, raw, len);
        assert_memory_equal(digest, json_bytes(&arena, json_get(t, "hex_sha256"), &digest_len), 32);
        lode_free(raw);
    }
}

typedef struct setting {
    int threads;
    uint64_t cache_mib;
    uint64_t shuffle; /* a seed; 0: as they stand; UINT64_MAX: backwards */
    int files;
    bool checks_scripts;
} setting;

static size_t *put_in_order(const given *g, uint64_t shuffle)
{
    size_t n = g->read.count, *order = malloc(n * sizeof *order);
    lode_random random;

    assert_non_null(order);
    lode_random_init(&random, shuffle);
    for (size_t i = 0; i < n; i++)
        order[i] = shuffle == UINT64_MAX ? n - 1 - i : i;
    for (size_t i = n; shuffle && shuffle != UINT64_MAX && i-- > 1;) {
        size_t j = lode_random_below(&random, i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    return order;
}

static void import_with(bed *b, const given *g, const setting *s)
{
    size_t *order = put_in_order(g, s->shuffle);
    const char *paths[8];
    lode_buf file = LODE_BUF_EMPTY;

    b->options.threads = s->threads;
    b->options.dbcache_bytes = s->cache_mib << 20;
    b->options.check_scripts = s->checks_scripts;
    for (int f = 0; f < s->files; f++) {
        char name[32];
        snprintf(name, sizeof name, "in/blk%05d.dat", f);
        for (size_t i = (size_t)f; i < g->read.count; i += (size_t)s->files)
            bed_put_frame(b, &file, &g->read.blocks[order[i]]);
        paths[f] = bed_write(b, name, &file);
    }
    assert_ok(bed_import(b, paths, (size_t)s->files));
    assert_int_equal(b->result.blocks_waiting, 0);
    lode_buf_clear(&file);
    free(order);
}

static void run(given *g, const setting *s)
{
    bed b;
    if (!load(g))
        return;
    bed_init(&b, g->chain);
    b.options.txindex = 1;
    import_with(&b, g, s);
    assert_answers(&b, g);
    bed_reopen(&b);
    assert_answers(&b, g);
    assert_coins(&b, json_get(g->expected, "coins"));
    assert_transactions(&b, json_get(g->expected, "transactions"));
    bed_clear(&b);
}

static void each_chain_ends_as_core_says(void **state)
{
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        run(&chains[i], &(setting){ 2, 450, 0, 1, true });
}

static void so_it_does_shuffled_over_three_files_with_one_thread_and_little_memory(void **state)
{
    for (size_t i = 0; i < 3; i++)
        run(&chains[i], &(setting){ 1, 4, 5 + i, 3, true });
}

static void so_it_does_backwards_with_eight_threads_and_little_memory(void **state)
{
    for (size_t i = 0; i < 3; i++)
        run(&chains[i], &(setting){ 8, 4, UINT64_MAX, 2, false });
}

static void any_order_and_any_setting_give_the_same_set(void **state)
{
    const uint64_t rounds = getenv("LODE_LONG") ? 50 : 2;
    for (uint64_t r = 0; r < rounds; r++)
        for (size_t i = 0; i < 3; i++)
            run(&chains[i],
                &(setting){ 1 + (int)(r * 3 + i) % 8, r % 2 ? 4 : 64, 100 + r, 1 + (int)(r % 5), r % 10 == 9 });
}

static int clear(void **state)
{
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        made_chain_clear(&chains[i].read), free(chains[i].text);
    lode_arena_clear(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_chain_ends_as_core_says),
        cmocka_unit_test(so_it_does_shuffled_over_three_files_with_one_thread_and_little_memory),
        cmocka_unit_test(so_it_does_backwards_with_eight_threads_and_little_memory),
        cmocka_unit_test(any_order_and_any_setting_give_the_same_set),
    };
    return cmocka_run_group_tests(tests, NULL, clear);
}
