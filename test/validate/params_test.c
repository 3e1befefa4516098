/* test/validate/params_test.c: each network against numbers written out again, and the options that change one. */
#include "validate/rules/params.h"

#include "made_chain.h"
#include "validate/script/flags.h"

/* Written from Core's sources by hand, so that a slip in the table shows. */
static const struct expectation {
    lode_network chain;
    const char *name, *folder, *bech32;
    const char *magic;
    int32_t halving, bip34, bip65, bip66, csv, segwit;
    const char *bip34_hash, *pow_limit;
    uint32_t pow_limit_bits;
    int64_t timespan, spacing;
    bool easy_blocks, no_retarget, bip94, signet;
    const char *work, *assume_valid, *genesis;
    uint8_t pubkey, script;
    uint32_t exceptions;
} expectations[] = {
    { LODE_CHAIN_MAIN,
      "main",
      "",
      "bc",
      "f9beb4d9",
      210000,
      227931,
      388381,
      363725,
      419328,
      481824,
      "000000000000024b89b42a942fe0d9fea3bb44ab7bd1b19115dd6a759c0808b8",
      "00000000ffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
      0x1d00ffff,
      1209600,
      600,
      false,
      false,
      false,
      false,
      "0000000000000000000000000000000000000001128750f82f4c366153a3a030",
      "00000000000000000000ccebd6d74d9194d8dcdc1d177c478e094bfad51ba5ac",
      "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f",
      0,
      5,
      2 },
    { LODE_CHAIN_TEST,
      "test",
      "testnet3",
      "tb",
      "0b110907",
      210000,
      21111,
      581885,
      330776,
      770112,
      834624,
      "0000000023b3a96d3484e5abb3755c413e7d41500f8e2a5c3f0dd01299cd8ef8",
      "00000000ffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
      0x1d00ffff,
      1209600,
      600,
      true,
      false,
      false,
      false,
      "0000000000000000000000000000000000000000000017dde1c649f3708d14b6",
      "000000007a61e4230b28ac5cb6b5e5a0130de37ac1faf2f8987d2fa6505b67f4",
      "000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943",
      111,
      196,
      1 },
    { LODE_CHAIN_TESTNET4,
      "testnet4",
      "testnet4",
      "tb",
      "1c163f28",
      210000,
      1,
      1,
      1,
      1,
      1,
      "0000000000000000000000000000000000000000000000000000000000000000",
      "00000000ffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
      0x1d00ffff,
      1209600,
      600,
      true,
      false,
      true,
      false,
      "0000000000000000000000000000000000000000000009a0fe15d0177d086304",
      "0000000002368b1e4ee27e2e85676ae6f9f9e69579b29093e9a82c170bf7cf8a",
      "00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043",
      111,
      196,
      0 },
    { LODE_CHAIN_SIGNET,
      "signet",
      "signet",
      "tb",
      "0a03cf40",
      210000,
      1,
      1,
      1,
      1,
      1,
      "0000000000000000000000000000000000000000000000000000000000000000",
      "00000377ae000000000000000000000000000000000000000000000000000000",
      0x1e0377ae,
      1209600,
      600,
      false,
      false,
      false,
      true,
      "00000000000000000000000000000000000000000000000000000b463ea0a4b8",
      "00000008414aab61092ef93f1aacc54cf9e9f16af29ddad493b908a01ff5c329",
      "00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6",
      111,
      196,
      0 },
    { LODE_CHAIN_REGTEST,
      "regtest",
      "regtest",
      "bcrt",
      "fabfb5da",
      150,
      1,
      1,
      1,
      1,
      0,
      "0000000000000000000000000000000000000000000000000000000000000000",
      "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
      0x207fffff,
      86400,
      600,
      true,
      true,
      false,
      false,
      "0000000000000000000000000000000000000000000000000000000000000000",
      "0000000000000000000000000000000000000000000000000000000000000000",
      "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206",
      111,
      196,
      0 },
};

static void assert_hash_is(const uint8_t bytes[32], const char *hex)
{
    char text[65];
    lode_hash_to_hex(text, bytes);
    assert_string_equal(text, hex);
}

static void assert_u256_is(const lode_u256 *number, const char *hex)
{
    char text[65];
    lode_u256_to_hex(text, number);
    assert_string_equal(text, hex);
}

static void each_network_is_core_s(void **state)
{
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++) {
        const struct expectation *e = &expectations[i];
        lode_chain_params p;
        char magic[9];

        lode_chain_params_init(&p, e->chain);
        assert_int_equal(p.chain, e->chain);
        assert_string_equal(p.name, e->name);
        assert_string_equal(p.folder, e->folder);
        assert_string_equal(p.bech32_prefix, e->bech32);
        lode_hex_encode(magic, p.magic, 4);
        assert_string_equal(magic, e->magic);
        assert_int_equal(p.halving_interval, e->halving);
        assert_int_equal(p.bip34_height, e->bip34);
        assert_int_equal(p.bip65_height, e->bip65);
        assert_int_equal(p.bip66_height, e->bip66);
        assert_int_equal(p.csv_height, e->csv);
        assert_int_equal(p.segwit_height, e->segwit);
        assert_hash_is(p.bip34_hash.bytes, e->bip34_hash);
        assert_u256_is(&p.pow_limit, e->pow_limit);
        assert_int_equal(p.pow_limit_bits, e->pow_limit_bits);
        assert_int_equal(p.target_timespan, e->timespan);
        assert_int_equal(p.target_spacing, e->spacing);
        assert_int_equal(p.allow_min_difficulty, e->easy_blocks);
        assert_int_equal(p.no_retargeting, e->no_retarget);
        assert_int_equal(p.enforce_bip94, e->bip94);
        assert_int_equal(p.is_signet, e->signet);
        assert_u256_is(&p.minimum_chain_work, e->work);
        assert_hash_is(p.default_assume_valid.bytes, e->assume_valid);
        assert_hash_is(p.genesis_hash.bytes, e->genesis);
        assert_int_equal(p.pubkey_prefix, e->pubkey);
        assert_int_equal(p.script_prefix, e->script);
        assert_int_equal(p.exception_count, e->exceptions);
    }
}

static void exceptions_are_three_blocks(void **state)
{
    lode_chain_params p;

    lode_chain_params_init(&p, LODE_CHAIN_MAIN);
    assert_hash_is(p.exceptions[0].hash.bytes, "00000000000002dc756eebf4f49723ed8d30cc28a5f108eb94b1ba88ac4f9c22");
    assert_int_equal(p.exceptions[0].flags, LODE_VERIFY_NONE);
    assert_hash_is(p.exceptions[1].hash.bytes, "0000000000000000000f14c35b2d841e986ab5441de8c585d5ffe55ea1e395ad");
    assert_int_equal(p.exceptions[1].flags, LODE_VERIFY_P2SH | LODE_VERIFY_WITNESS);
    lode_chain_params_init(&p, LODE_CHAIN_TEST);
    assert_hash_is(p.exceptions[0].hash.bytes, "00000000dd30457c001f4095d208cc1296b0eed002427aa599874af7a432b105");
    assert_int_equal(p.exceptions[0].flags, LODE_VERIFY_NONE);
}

static void genesis_blocks_hash_to_their_names(void **state)
{
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++) {
        lode_chain_params p;
        lode_arena arena = LODE_ARENA_EMPTY;
        lode_block block;
        uint8_t root[32];
        lode_block_facts facts;

        lode_chain_params_init(&p, expectations[i].chain);
        assert_true(lode_block_parse(&block, &arena, p.genesis_raw, p.genesis_size, 0, NULL));
        assert_memory_equal(block.hash.bytes, p.genesis_hash.bytes, 32);
        assert_int_equal(block.tx_count, 1);
        memcpy(root, block.txs[0].txid.bytes, 32);
        assert_memory_equal(block.header.merkle_root.bytes, root, 32);
        assert_int_equal(block.txs[0].outputs[0].value.sat, 50 * LODE_COIN);
        assert_true(lode_header_has_work(&block.hash, block.header.bits, &p));
        assert_true(lode_block_examine(&facts, &block, &arena, &p));
        assert_int_equal(facts.verdict.reject, LODE_VALID);
        lode_arena_clear(&arena);
    }
}

static void chains_are_found_by_name(void **state)
{
    lode_network chain = LODE_CHAIN_MAIN;

    assert_true(lode_chain_from_name(&chain, "test"));
    assert_int_equal(chain, LODE_CHAIN_TEST);
    assert_true(lode_chain_from_name(&chain, "testnet4"));
    assert_int_equal(chain, LODE_CHAIN_TESTNET4);
    assert_true(lode_chain_from_name(&chain, "signet"));
    assert_int_equal(chain, LODE_CHAIN_SIGNET);
    assert_true(lode_chain_from_name(&chain, "regtest"));
    assert_int_equal(chain, LODE_CHAIN_REGTEST);
    assert_false(lode_chain_from_name(&chain, "testnet3"));
    assert_false(lode_chain_from_name(&chain, "Main"));
    assert_false(lode_chain_from_name(&chain, ""));
    assert_int_equal(chain, LODE_CHAIN_REGTEST);
}

static int set(lode_chain_params *p, const char *name, const char *value)
{
    lode_status s = lode_chain_params_set(p, name, value);
    assert_int_equal(s.code == LODE_OK, s.text[0] == '\0');
    return s.code;
}

static void activation_heights_are_set_by_core_s_names(void **state)
{
    lode_chain_params p;

    lode_chain_params_init(&p, LODE_CHAIN_REGTEST);
    assert_int_equal(set(&p, "testactivationheight", "segwit@10"), LODE_OK);
    assert_int_equal(set(&p, "testactivationheight", "bip34@20"), LODE_OK);
    assert_int_equal(set(&p, "testactivationheight", "dersig@30"), LODE_OK);
    assert_int_equal(set(&p, "testactivationheight", "cltv@40"), LODE_OK);
    assert_int_equal(set(&p, "testactivationheight", "csv@2147483646"), LODE_OK);
    assert_int_equal(p.segwit_height, 10);
    assert_int_equal(p.bip34_height, 20);
    assert_int_equal(p.bip66_height, 30);
    assert_int_equal(p.bip65_height, 40);
    assert_int_equal(p.csv_height, 2147483646);
    assert_int_equal(set(&p, "testactivationheight", "csv@0"), LODE_OK);
    assert_int_equal(p.csv_height, 0);
}

static void activation_heights_are_refused_as_core_does(void **state)
{
    static const char *const bad[] = {
        "",        "csv",    "csv@",      "csv@-1",  "csv@2147483647", "csv@99999999999999999999",
        "csv@+5",  "csv@ 5", "csv@5 ",    "csv@0x5", "csv@5@6",        "CSV@5",
        "bip66@5", "@5",     "taproot@5", "csv @5",  "testdummy@5"
    };
    lode_chain_params p;

    lode_chain_params_init(&p, LODE_CHAIN_REGTEST);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(set(&p, "testactivationheight", bad[i]), LODE_INVALID_ARGUMENT);
    assert_int_equal(p.csv_height, 1);
    lode_chain_params_init(&p, LODE_CHAIN_TEST);
    assert_int_equal(set(&p, "testactivationheight", "csv@5"), LODE_OK);
    lode_chain_params_init(&p, LODE_CHAIN_MAIN);
    assert_int_equal(set(&p, "testactivationheight", "csv@5"), LODE_INVALID_ARGUMENT);
    assert_int_equal(p.csv_height, 419328);
}

static void version_bits_are_checked_and_change_nothing(void **state)
{
    static const char *const good[] = { "testdummy:0:999999999999", "testdummy:-1:9223372036854775807:0",
                                        "testdummy:-2:-9223372036854775808:7" };
    static const char *const bad[] = { "",
                                       "testdummy",
                                       "testdummy:0",
                                       "testdummy:0:1:2:3",
                                       "other:0:1",
                                       "testdummy::1",
                                       "testdummy:0:x",
                                       "testdummy:0:1:",
                                       "testdummy:0:9223372036854775808",
                                       "taproot:0:1" };
    lode_chain_params p;

    lode_chain_params_init(&p, LODE_CHAIN_REGTEST);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(set(&p, "vbparams", good[i]), LODE_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(set(&p, "vbparams", bad[i]), LODE_INVALID_ARGUMENT);
    lode_chain_params_init(&p, LODE_CHAIN_MAIN);
    assert_int_equal(set(&p, "vbparams", good[0]), LODE_INVALID_ARGUMENT);
}

static void bip94_is_for_regtest_alone(void **state)
{
    lode_chain_params p;

    lode_chain_params_init(&p, LODE_CHAIN_REGTEST);
    assert_int_equal(set(&p, "test", "addrman"), LODE_UNSUPPORTED);
    assert_false(p.enforce_bip94);
    assert_int_equal(set(&p, "test", "bip94"), LODE_OK);
    assert_true(p.enforce_bip94);
    lode_chain_params_init(&p, LODE_CHAIN_TEST);
    assert_int_equal(set(&p, "test", "bip94"), LODE_INVALID_ARGUMENT);
    assert_false(p.enforce_bip94);
    assert_int_equal(set(&p, "dbcache", "4"), LODE_UNSUPPORTED);
}

/* 54d26fbd starts the double SHA-256 of 01 51; 7f2df3ca is the conformance suite's own network. */
static void a_challenge_of_one_s_own_makes_the_magic(void **state)
{
    static const char *const bad[] = { "5", "5z", "51 5", "0x51" };
    lode_chain_params p;
    char magic[9];
    char *long_challenge = malloc(2 * 10001 + 1);

    lode_chain_params_init(&p, LODE_CHAIN_SIGNET);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(set(&p, "signetchallenge", bad[i]), LODE_INVALID_ARGUMENT);
    assert_int_equal(set(&p, "signetchallenge", "51"), LODE_OK);
    lode_hex_encode(magic, p.magic, 4);
    assert_string_equal(magic, "54d26fbd");
    assert_int_equal(p.signet_challenge_len, 1);
    assert_int_equal(p.signet_challenge[0], 0x51);
    assert_true(lode_u256_is_zero(&p.minimum_chain_work));
    assert_true(lode_bytes32_is_zero(p.default_assume_valid.bytes));
    assert_int_equal(set(&p, "signetchallenge", "51"), LODE_INVALID_ARGUMENT); /* once */

    lode_chain_params_init(&p, LODE_CHAIN_SIGNET);
    assert_int_equal(set(&p, "signetchallenge", " 5A\t5b "), LODE_OK);
    assert_int_equal(p.signet_challenge_len, 2);
    assert_int_equal(p.signet_challenge[1], 0x5b);

    lode_chain_params_init(&p, LODE_CHAIN_SIGNET);
    assert_int_equal(set(&p, "signetchallenge",
                         "522103ad5e0edad18cb1f0fc0d28a3d4f1f3e445640337489abb10404f2d1e086be430210359ef5021964fe22d6f"
                         "8e05b2463c9540ce96883fe3b278760f048f5189f2e6c452ae"),
                     LODE_OK);
    lode_hex_encode(magic, p.magic, 4);
    assert_string_equal(magic, "7f2df3ca");

    assert_non_null(long_challenge);
    memset(long_challenge, '5', 20002);
    long_challenge[20002] = 0;
    lode_chain_params_init(&p, LODE_CHAIN_SIGNET);
    assert_int_equal(set(&p, "signetchallenge", long_challenge), LODE_INVALID_ARGUMENT);
    long_challenge[20000] = 0;
    assert_int_equal(set(&p, "signetchallenge", long_challenge), LODE_OK);
    assert_int_equal(p.signet_challenge_len, 10000);
    free(long_challenge);

    lode_chain_params_init(&p, LODE_CHAIN_REGTEST); /* not looked at elsewhere */
    assert_int_equal(set(&p, "signetchallenge", "51"), LODE_OK);
    assert_int_equal(p.signet_challenge_len, 0);
    assert_int_equal(p.magic[0], 0xfa);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_network_is_core_s),
        cmocka_unit_test(exceptions_are_three_blocks),
        cmocka_unit_test(genesis_blocks_hash_to_their_names),
        cmocka_unit_test(chains_are_found_by_name),
        cmocka_unit_test(activation_heights_are_set_by_core_s_names),
        cmocka_unit_test(activation_heights_are_refused_as_core_does),
        cmocka_unit_test(version_bits_are_checked_and_change_nothing),
        cmocka_unit_test(bip94_is_for_regtest_alone),
        cmocka_unit_test(a_challenge_of_one_s_own_makes_the_magic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
