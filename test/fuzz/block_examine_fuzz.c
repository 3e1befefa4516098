/* test/fuzz/block_examine_fuzz.c: any block that decodes gets a verdict, and its facts are those of slow counting.
 *
 * Input: network u8 (odd: an open signet, else regtest), then a block without its header.
 * The header is made here, with the root that fits, so that the rules behind the root are reached.
 */
#include "validate/rules/block.h"
#include "validate/rules/tx.h"
#include "validate/script/interpreter.h"

#include "test/fuzz/fuzz.h"

static bool repeats_a_prevout(const lode_tx *tx)
{
    for (uint32_t i = 0; i < tx->input_count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (memcmp(tx->inputs[i].prevout, tx->inputs[j].prevout, 36) == 0)
                return true;
    return false;
}

static uint64_t count_sigops(const lode_tx *tx)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < tx->input_count; i++)
        count += lode_script_sigops(lode_slice_of(tx->inputs[i].script_sig, tx->inputs[i].script_sig_len), false);
    for (uint32_t i = 0; i < tx->output_count; i++)
        count += lode_script_sigops(lode_slice_of(tx->outputs[i].script, tx->outputs[i].script_len), false);
    return count;
}

/* What must be so in a block that passed. */
static void check_facts(const lode_block_facts *facts, const lode_block *block)
{
    uint64_t sigops = 0, weight = 4 * (80 + 1);
    bool has_witness = false;

    FUZZ_CHECK(block->tx_count > 0 && block->tx_count < 253);
    for (uint32_t i = 0; i < block->tx_count; i++) {
        const lode_tx *tx = &block->txs[i];
        FUZZ_CHECK(lode_tx_is_coinbase(tx) == (i == 0));
        FUZZ_CHECK(!repeats_a_prevout(tx));
        FUZZ_CHECK(lode_tx_is_final(tx, 5, 5) || facts->has_locks);
        sigops += count_sigops(tx);
        weight += 3 * (uint64_t)tx->base_size + tx->size;
        has_witness = has_witness || tx->has_witness;
    }
    FUZZ_CHECK(facts->legacy_sigops == sigops && sigops <= 20000);
    FUZZ_CHECK(facts->weight == weight);
    FUZZ_CHECK(facts->has_witness == has_witness);
    FUZZ_CHECK(!facts->is_commitment_good || (facts->has_commitment && facts->is_witness_nonce_good));
    FUZZ_CHECK(lode_amount_is_money(facts->coinbase_value));
}

static void set_root(uint8_t *raw, lode_block *block, lode_arena *arena)
{
    uint8_t *leaves = lode_arena_take_array(arena, (size_t)block->tx_count + 1, 32);
    bool mutated;

    FUZZ_CHECK(leaves);
    for (uint32_t i = 0; i < block->tx_count; i++)
        memcpy(leaves + 32 * (size_t)i, block->txs[i].txid.bytes, 32);
    lode_merkle_root(raw + 36, &mutated, leaves, block->tx_count);
    lode_header_parse(&block->header, raw);
}

static void try_block(lode_chain_params *params, uint8_t *raw, size_t len)
{
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_node prev = { .height = 15, .median_time = 1600000000 };
    lode_block block;
    lode_block_facts facts;
    lode_verdict verdict;

    if (lode_block_parse(&block, &arena, raw, len, LODE_PARSE_ALLOW_TAIL, NULL) && block.tx_count < 253) {
        set_root(raw, &block, &arena);
        FUZZ_CHECK(lode_block_examine(&facts, &block, &arena, params));
        FUZZ_CHECK(facts.verdict.reject != LODE_BAD_TXNMRKLROOT);
        FUZZ_CHECK(facts.verdict.is_mutated == (facts.verdict.reject == LODE_BAD_TXNS_DUPLICATE));
        if (facts.verdict.reject == LODE_VALID) {
            check_facts(&facts, &block);
            verdict = lode_block_check_context(&block, &facts, &prev, params);
            FUZZ_CHECK(verdict.reject < LODE_REJECT_COUNT);
            FUZZ_CHECK(verdict.reject != LODE_VALID || !facts.has_witness || facts.is_commitment_good);
        }
    }
    lode_arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static lode_chain_params networks[2];
    lode_header header = { .version = 4, .time = 1600000600, .bits = 0x207fffff };
    uint8_t *raw;

    if (len < 1)
        return 0;
    if (!networks[0].name) {
        lode_chain_params_init(&networks[0], LODE_CHAIN_REGTEST);
        lode_chain_params_init(&networks[1], LODE_CHAIN_SIGNET);
        lode_chain_params_set_challenge(&networks[1], (const uint8_t *)"\x51", 1);
    }
    raw = malloc(LODE_HEADER_SIZE + len - 1);
    FUZZ_CHECK(raw);
    lode_header_serialize(raw, &header);
    if (len > 1)
        memcpy(raw + LODE_HEADER_SIZE, data + 1, len - 1);
    try_block(&networks[data[0] & 1], raw, LODE_HEADER_SIZE + len - 1);
    free(raw);
    return 0;
}
