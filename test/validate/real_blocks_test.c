/* test/validate/real_blocks_test.c: real and given blocks pass every rule that needs no coins. */
#include "made_chain.h"

#include "given_data.h"

#define NOW INT64_C(1800000000)

typedef struct growing_chain {
    lode_node *nodes;
    size_t count, capacity;
} growing_chain;

/* The newest node of this hash; blocks come in order, so it is near the end. */
static lode_node *find_node(const growing_chain *chain, const lode_block_hash *hash)
{
    for (size_t i = chain->count; i-- > 0;)
        if (lode_block_hash_is_equal(&chain->nodes[i].hash, hash))
            return &chain->nodes[i];
    return NULL;
}

static void assert_valid(const lode_verdict *verdict, size_t block)
{
    char text[128];
    if (verdict->reject != LODE_VALID)
        fail_msg("block %zu: %s", block, lode_verdict_text(text, sizeof text, verdict));
}

/* Header, body and place of every block of a file; then the work of the tip. */
static void check_file(const char *name, lode_network network, size_t expected_count, const char *expected_work)
{
    size_t len, at = 0, size;
    uint8_t *file = given_data_read(name, &len);
    const uint8_t *raw;
    lode_chain_params params;
    lode_arena arena = LODE_ARENA_EMPTY;
    growing_chain chain = { NULL, 0, expected_count };
    char work[65];

    if (!file)
        return;
    lode_chain_params_init(&params, network);
    chain.nodes = calloc(chain.capacity, sizeof *chain.nodes);
    assert_non_null(chain.nodes);
    while (given_data_next_block(file, len, &at, &raw, &size)) {
        lode_block block;
        lode_block_facts facts;
        lode_verdict verdict;
        lode_node *prev, *node;

        assert_true(chain.count < chain.capacity);
        assert_true(lode_block_parse(&block, &arena, raw, size, 0, NULL));
        prev = find_node(&chain, &block.header.prev);
        if (chain.count) {
            assert_non_null(prev);
            verdict = lode_header_check(&block.header, &block.hash, prev, NOW, &params);
            assert_valid(&verdict, chain.count);
        }
        assert_true(lode_block_examine(&facts, &block, &arena, &params));
        assert_valid(&facts.verdict, chain.count);
        if (prev) { /* genesis tells no height */
            verdict = lode_block_check_context(&block, &facts, prev, &params);
            assert_valid(&verdict, chain.count);
        }
        node = &chain.nodes[chain.count++];
        node->hash = block.hash;
        node->header = block.header;
        lode_node_link(node, prev);
        lode_arena_reset(&arena);
    }
    assert_int_equal(chain.count, expected_count);
    lode_u256_to_hex(work, &chain.nodes[chain.count - 1].chain_work);
    assert_string_equal(work + 64 - strlen(expected_work), expected_work);
    lode_arena_clear(&arena);
    free(chain.nodes);
    free(file);
}

static void mainnet_s_first_blocks_are_valid(void **state)
{
    check_file("blocks/mainnet-0-2100.dat", LODE_CHAIN_MAIN, 2101, "00083508350835");
}

static void testnet3_s_first_blocks_are_valid(void **state)
{
    check_file("blocks/testnet3-0-2100.dat", LODE_CHAIN_TEST, 2101, "0083508350835");
}

static void the_made_chain_is_valid(void **state)
{
    check_file("blocks/regtest-all.dat", LODE_CHAIN_REGTEST, 266, "0000000214");
}

static void signet_s_first_blocks_are_solved(void **state)
{
    check_file("conformance/feature_signet.dat", LODE_CHAIN_SIGNET, 11, "032c1cdc");
}

/* Each bit of what the solution signs matters; the nonce is not signed. */
static void a_changed_signet_block_is_not_solved(void **state)
{
    static const struct {
        size_t byte;
        lode_reject expected;
    } cases[] = {
        { 0, LODE_BAD_SIGNET_BLKSIG },
        { 4, LODE_BAD_SIGNET_BLKSIG },
        { 68, LODE_BAD_SIGNET_BLKSIG },
        { 36, LODE_BAD_TXNMRKLROOT }, /* the header's own root is not signed: a changed one is made from the body */
        { 76, LODE_VALID },
    };
    size_t len, at = 0, size = 0;
    uint8_t *file = given_data_read("conformance/feature_signet.dat", &len);
    const uint8_t *raw = NULL;
    lode_chain_params params;
    lode_arena arena = LODE_ARENA_EMPTY;

    if (!file)
        return;
    lode_chain_params_init(&params, LODE_CHAIN_SIGNET);
    assert_true(given_data_next_block(file, len, &at, &raw, &size)); /* genesis */
    assert_true(given_data_next_block(file, len, &at, &raw, &size));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t *byte = file + (raw - file) + cases[i].byte;
        lode_block block;
        lode_block_facts facts;

        *byte ^= 1;
        assert_true(lode_block_parse(&block, &arena, raw, size, 0, NULL));
        assert_true(lode_block_examine(&facts, &block, &arena, &params));
        assert_int_equal(facts.verdict.reject, cases[i].expected);
        *byte ^= 1;
        lode_arena_reset(&arena);
    }
    lode_arena_clear(&arena);
    free(file);
}

/* A block signed for another network. */
static void a_foreign_signet_block_is_not_solved(void **state)
{
    size_t len, at = 0, size = 0;
    uint8_t *file = given_data_read("conformance/feature_signet_challenge.dat", &len);
    const uint8_t *raw = NULL;
    lode_chain_params params;
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_block block;
    lode_block_facts facts;

    if (!file)
        return;
    lode_chain_params_init(&params, LODE_CHAIN_SIGNET);
    assert_true(given_data_next_block(file, len, &at, &raw, &size));
    assert_true(given_data_next_block(file, len, &at, &raw, &size));
    assert_true(lode_block_parse(&block, &arena, raw, size, 0, NULL));
    assert_true(lode_block_examine(&facts, &block, &arena, &params)); /* the default network's own first block */
    assert_valid(&facts.verdict, 1);
    assert_int_equal(lode_chain_params_set(&params, "signetchallenge",
                                           "522103ad5e0edad18cb1f0fc0d28a3d4f1f3e445640337489abb10404f2d1e086be4302103"
                                           "59ef5021964fe22d6f8e05b2463c9540ce96883fe3b278760f048f5189f2e6c452ae")
                         .code,
                     LODE_OK);
    assert_true(lode_block_examine(&facts, &block, &arena, &params));
    assert_int_equal(facts.verdict.reject, LODE_BAD_SIGNET_BLKSIG);
    assert_false(facts.verdict.is_mutated);
    lode_arena_clear(&arena);
    free(file);
}

static void a_full_block_is_valid_by_itself(void **state)
{
    size_t len;
    uint8_t *raw = given_data_read("blocks/mainnet-413567.raw", &len);
    lode_chain_params params;
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_node prev = { .height = 413566, .median_time = 1464000000 };
    lode_block block;
    lode_block_facts facts;
    lode_verdict verdict;

    if (!raw)
        return;
    lode_chain_params_init(&params, LODE_CHAIN_MAIN);
    assert_true(lode_block_parse(&block, &arena, raw, len, 0, NULL));
    assert_true(lode_header_has_work(&block.hash, block.header.bits, &params));
    assert_true(lode_block_examine(&facts, &block, &arena, &params));
    assert_valid(&facts.verdict, 413567);
    verdict = lode_block_check_context(&block, &facts, &prev, &params);
    assert_valid(&verdict, 413567);
    assert_int_equal(facts.weight, 4 * block.size);
    lode_arena_clear(&arena);
    free(raw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mainnet_s_first_blocks_are_valid),
        cmocka_unit_test(testnet3_s_first_blocks_are_valid),
        cmocka_unit_test(the_made_chain_is_valid),
        cmocka_unit_test(signet_s_first_blocks_are_solved),
        cmocka_unit_test(a_changed_signet_block_is_not_solved),
        cmocka_unit_test(a_foreign_signet_block_is_not_solved),
        cmocka_unit_test(a_full_block_is_valid_by_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
