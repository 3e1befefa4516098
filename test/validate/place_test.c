/* test/validate/place_test.c: which rules hold at which block: script flags, BIP 30, subsidy. */
#include "made_chain.h"
#include "validate/script/flags.h"

#define BASE (LODE_VERIFY_P2SH | LODE_VERIFY_WITNESS | LODE_VERIFY_TAPROOT)
#define DERSIG LODE_VERIFY_DERSIG
#define CLTV LODE_VERIFY_CHECKLOCKTIMEVERIFY
#define CSV LODE_VERIFY_CHECKSEQUENCEVERIFY
#define NULLDUMMY LODE_VERIFY_NULLDUMMY

static uint32_t flags_at(lode_network network, int32_t height, const char *hash)
{
    lode_chain_params p;
    lode_node node = { .height = height };

    lode_chain_params_init(&p, network);
    if (hash)
        assert_true(lode_hash_from_hex(node.hash.bytes, hash));
    return lode_block_script_flags(&node, &p);
}

static void flags_follow_the_heights(void **state)
{
    static const struct {
        lode_network network;
        int32_t height;
        uint32_t flags;
    } cases[] = {
        { LODE_CHAIN_MAIN, 0, BASE },
        { LODE_CHAIN_MAIN, 170060, BASE }, /* a made-up block at the height of the exception */
        { LODE_CHAIN_MAIN, 363724, BASE },
        { LODE_CHAIN_MAIN, 363725, BASE | DERSIG },
        { LODE_CHAIN_MAIN, 388380, BASE | DERSIG },
        { LODE_CHAIN_MAIN, 388381, BASE | DERSIG | CLTV },
        { LODE_CHAIN_MAIN, 419327, BASE | DERSIG | CLTV },
        { LODE_CHAIN_MAIN, 419328, BASE | DERSIG | CLTV | CSV },
        { LODE_CHAIN_MAIN, 481823, BASE | DERSIG | CLTV | CSV },
        { LODE_CHAIN_MAIN, 481824, BASE | DERSIG | CLTV | CSV | NULLDUMMY },
        { LODE_CHAIN_TEST, 330775, BASE },
        { LODE_CHAIN_TEST, 330776, BASE | DERSIG },
        { LODE_CHAIN_TEST, 581884, BASE | DERSIG },
        { LODE_CHAIN_TEST, 581885, BASE | DERSIG | CLTV },
        { LODE_CHAIN_TEST, 770112, BASE | DERSIG | CLTV | CSV },
        { LODE_CHAIN_TEST, 834623, BASE | DERSIG | CLTV | CSV },
        { LODE_CHAIN_TEST, 834624, BASE | DERSIG | CLTV | CSV | NULLDUMMY },
        { LODE_CHAIN_TESTNET4, 0, BASE },
        { LODE_CHAIN_TESTNET4, 1, BASE | DERSIG | CLTV | CSV | NULLDUMMY },
        { LODE_CHAIN_SIGNET, 1, BASE | DERSIG | CLTV | CSV | NULLDUMMY },
        { LODE_CHAIN_REGTEST, 0, BASE | NULLDUMMY },
        { LODE_CHAIN_REGTEST, 1, BASE | DERSIG | CLTV | CSV | NULLDUMMY },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(flags_at(cases[i].network, cases[i].height, NULL), cases[i].flags);
}

/* They replace the base; what comes by height is added all the same, so the exception of 2021 keeps four flags. */
static void exceptions_go_by_hash_alone(void **state)
{
    const char *p2sh = "00000000000002dc756eebf4f49723ed8d30cc28a5f108eb94b1ba88ac4f9c22";
    const char *taproot = "0000000000000000000f14c35b2d841e986ab5441de8c585d5ffe55ea1e395ad";
    const char *testnet = "00000000dd30457c001f4095d208cc1296b0eed002427aa599874af7a432b105";
    uint32_t modern = DERSIG | CLTV | CSV | NULLDUMMY;

    assert_int_equal(flags_at(LODE_CHAIN_MAIN, 170060, p2sh), LODE_VERIFY_NONE);
    assert_int_equal(flags_at(LODE_CHAIN_MAIN, 692261, taproot), LODE_VERIFY_P2SH | LODE_VERIFY_WITNESS | modern);
    assert_int_equal(flags_at(LODE_CHAIN_TEST, 15000, testnet), LODE_VERIFY_NONE);
    assert_int_equal(flags_at(LODE_CHAIN_MAIN, 600000, p2sh), modern);
    assert_int_equal(flags_at(LODE_CHAIN_TEST, 170060, p2sh), BASE); /* not on another network */
    assert_int_equal(flags_at(LODE_CHAIN_MAIN, 15000, testnet), BASE);
    assert_int_equal(flags_at(LODE_CHAIN_REGTEST, 1, taproot), BASE | modern);
}

static void heights_can_be_moved(void **state)
{
    lode_chain_params p;
    lode_node node = { .height = 99 };

    lode_chain_params_init(&p, LODE_CHAIN_REGTEST);
    assert_int_equal(lode_chain_params_set(&p, "testactivationheight", "dersig@100").code, LODE_OK);
    assert_int_equal(lode_chain_params_set(&p, "testactivationheight", "cltv@101").code, LODE_OK);
    assert_int_equal(lode_chain_params_set(&p, "testactivationheight", "csv@102").code, LODE_OK);
    assert_int_equal(lode_chain_params_set(&p, "testactivationheight", "segwit@103").code, LODE_OK);
    assert_int_equal(lode_block_script_flags(&node, &p), BASE);
    node.height++;
    assert_int_equal(lode_block_script_flags(&node, &p), BASE | DERSIG);
    node.height++;
    assert_int_equal(lode_block_script_flags(&node, &p), BASE | DERSIG | CLTV);
    node.height++;
    assert_int_equal(lode_block_script_flags(&node, &p), BASE | DERSIG | CLTV | CSV);
    node.height++;
    assert_int_equal(lode_block_script_flags(&node, &p), BASE | DERSIG | CLTV | CSV | NULLDUMMY);
    assert_true(lode_is_csv_active(102, &p) && !lode_is_csv_active(101, &p));
    assert_true(lode_is_segwit_active(103, &p) && !lode_is_segwit_active(102, &p));
}

/* ---- BIP 30 ---- */

/* The end of a chain: only heights, links and some hashes matter. Without skip pointers walks are slow and no less
 * right. Given: free. */
static lode_node *make_end_of_chain(int32_t first, size_t count)
{
    lode_node *nodes = calloc(count, sizeof *nodes);

    assert_non_null(nodes);
    for (size_t i = 0; i < count; i++) {
        nodes[i].height = first + (int32_t)i;
        nodes[i].prev = i ? &nodes[i - 1] : NULL;
    }
    return nodes;
}

/* Report 40: enforced at the BIP 34 height itself, on forks without the known block, and from 1,983,702 on. */
static void bip30_is_spared_only_above_the_known_block(void **state)
{
    lode_chain_params p;
    lode_node *nodes = make_end_of_chain(227900, 200);
    lode_node *known = &nodes[31];

    lode_chain_params_init(&p, LODE_CHAIN_MAIN);
    known->hash = p.bip34_hash;
    assert_int_equal(known->height, 227931);
    assert_true(lode_block_needs_bip30(&nodes[30], &p));
    assert_true(lode_block_needs_bip30(known, &p));
    assert_false(lode_block_needs_bip30(known + 1, &p));
    assert_false(lode_block_needs_bip30(known + 100, &p));
    known->hash.bytes[5] ^= 1;
    assert_true(lode_block_needs_bip30(known + 1, &p));
    assert_true(lode_block_needs_bip30(known + 100, &p));
    free(nodes);
}

static void bip30_comes_back_at_1983702(void **state)
{
    lode_chain_params p;
    lode_node before = { .height = 1983700 }, last = { .height = 1983701 }, first = { .height = 1983702 };

    lode_chain_params_init(&p, LODE_CHAIN_MAIN);
    last.prev = last.skip = &before;
    first.prev = first.skip = &last;
    p.bip34_height = before.height; /* spares the test 1.7 million blocks */
    before.hash = p.bip34_hash;
    assert_false(lode_block_needs_bip30(&last, &p));
    assert_true(lode_block_needs_bip30(&first, &p));
}

static void the_two_repeats_are_let_through(void **state)
{
    static const struct {
        int32_t height;
        const char *hash;
        bool is_repeat, is_unspendable;
    } cases[] = {
        { 91842, "00000000000a4d0a398161ffc163c503763b1f4360639393e0e4c8e300e0caec", true, false },
        { 91880, "00000000000743f190a18c5577a3c2d2a1f610ae9601ac046a38084ccb7cd721", true, false },
        { 91722, "00000000000271a2dc26e7667f8419f2e15416dc6955e5a6c6cdf3f2574dd08e", false, true },
        { 91812, "00000000000af0aed4792b1acee3d966af36cf5def14935db8de83d6f9306f2f", false, true },
        /* the hash of one at the height of the other is neither */
        { 91880, "00000000000a4d0a398161ffc163c503763b1f4360639393e0e4c8e300e0caec", false, false },
        { 91812, "00000000000271a2dc26e7667f8419f2e15416dc6955e5a6c6cdf3f2574dd08e", false, false },
        { 91842, "00000000000a4d0a398161ffc163c503763b1f4360639393e0e4c8e300e0caed", false, false },
    };
    lode_chain_params p;
    lode_node prev = { .height = 0 };

    lode_chain_params_init(&p, LODE_CHAIN_MAIN);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lode_node node = { .prev = &prev, .height = cases[i].height };
        prev.height = cases[i].height - 1;
        assert_true(lode_hash_from_hex(node.hash.bytes, cases[i].hash));
        assert_int_equal(lode_block_is_bip30_repeat(&node, &p), cases[i].is_repeat);
        assert_int_equal(lode_block_is_bip30_unspendable(&node, &p), cases[i].is_unspendable);
        assert_int_equal(lode_block_needs_bip30(&node, &p), !cases[i].is_repeat);
    }
}

/* Their BIP 34 block has no known hash. */
static void young_networks_always_ask_bip30(void **state)
{
    static const lode_network networks[] = { LODE_CHAIN_TESTNET4, LODE_CHAIN_SIGNET, LODE_CHAIN_REGTEST };
    lode_node *nodes = make_nodes(10, 0, 1, 0x207fffff);

    for (size_t i = 0; i < 3; i++) {
        lode_chain_params p;
        lode_chain_params_init(&p, networks[i]);
        for (size_t height = 1; height < 10; height++)
            assert_true(lode_block_needs_bip30(&nodes[height], &p));
    }
    free(nodes);
}

/* ---- subsidy ---- */

static int64_t subsidy(lode_network network, int32_t height)
{
    lode_chain_params p;
    lode_chain_params_init(&p, network);
    return lode_block_subsidy(height, &p).sat;
}

static void the_subsidy_is_halved(void **state)
{
    assert_int_equal(subsidy(LODE_CHAIN_MAIN, 0), 5000000000);
    assert_int_equal(subsidy(LODE_CHAIN_MAIN, 209999), 5000000000);
    assert_int_equal(subsidy(LODE_CHAIN_MAIN, 210000), 2500000000);
    assert_int_equal(subsidy(LODE_CHAIN_MAIN, 419999), 2500000000);
    assert_int_equal(subsidy(LODE_CHAIN_MAIN, 420000), 1250000000);
    assert_int_equal(subsidy(LODE_CHAIN_MAIN, 840000), 312500000);
    assert_int_equal(subsidy(LODE_CHAIN_MAIN, 2100000), 4882812); /* halves are cut off */
    assert_int_equal(subsidy(LODE_CHAIN_MAIN, 6929999), 1);
    assert_int_equal(subsidy(LODE_CHAIN_MAIN, 6930000), 0);
    assert_int_equal(subsidy(LODE_CHAIN_MAIN, 64 * 210000 - 1), 0);
    assert_int_equal(subsidy(LODE_CHAIN_MAIN, 64 * 210000), 0);
    assert_int_equal(subsidy(LODE_CHAIN_MAIN, INT32_MAX), 0);
    assert_int_equal(subsidy(LODE_CHAIN_REGTEST, 149), 5000000000);
    assert_int_equal(subsidy(LODE_CHAIN_REGTEST, 150), 2500000000);
    assert_int_equal(subsidy(LODE_CHAIN_REGTEST, 150 * 64), 0);
}

/* Core's subsidy test: all that is ever made, in steps of a thousand blocks. */
static void all_subsidies_stay_below_21_million(void **state)
{
    lode_chain_params p;
    int64_t sum = 0;

    lode_chain_params_init(&p, LODE_CHAIN_MAIN);
    for (int32_t height = 0; height < 14000000; height += 1000)
        sum += lode_block_subsidy(height, &p).sat * 1000;
    assert_int_equal(sum, INT64_C(2099999997690000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_follow_the_heights),
        cmocka_unit_test(exceptions_go_by_hash_alone),
        cmocka_unit_test(heights_can_be_moved),
        cmocka_unit_test(bip30_is_spared_only_above_the_known_block),
        cmocka_unit_test(bip30_comes_back_at_1983702),
        cmocka_unit_test(the_two_repeats_are_let_through),
        cmocka_unit_test(young_networks_always_ask_bip30),
        cmocka_unit_test(the_subsidy_is_halved),
        cmocka_unit_test(all_subsidies_stay_below_21_million),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
