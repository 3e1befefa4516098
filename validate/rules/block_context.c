/* validate/rules/block_context.c: what a block must be in the place it claims, and which rules hold there.
 *
 * Room:     Core's ContextualCheckBlock in its order, GetBlockScriptFlags, the predicates of BIP 30, the subsidy.
 * Touches:  nothing; ancestors are read only.
 */
#include "validate/rules/block.h"

#include "validate/rules/tx.h"
#include "validate/script/flags.h"

/* From this height on a coinbase made before BIP 34 could come again. Source: Core's ConnectBlock. */
#define BIP34_IMPLIES_BIP30_LIMIT 1983702

/* BIP 113: with CSV the clock is the median of the parent's. */
static lode_verdict transactions_are_final(const lode_block *block, const lode_block_facts *facts,
                                           const lode_node *prev, int32_t height, const lode_chain_params *params)
{
    bool by_median = prev && lode_is_csv_active(height, params);
    int64_t cutoff = by_median ? prev->median_time : block->header.time;
    lode_verdict verdict = lode_verdict_of(LODE_VALID);

    if (!facts->has_locks)
        return verdict;
    for (uint32_t i = 0; i < block->tx_count; i++) {
        if (!lode_tx_is_final(&block->txs[i], height, cutoff)) {
            verdict.reject = LODE_BAD_TXNS_NONFINAL;
            verdict.tx_index = i;
            return verdict;
        }
    }
    return verdict;
}

/* The shortest script that pushes a height:
 *     0: 00   1 to 16: 51 to 60   17: 01 11   127: 01 7f   128: 02 8000   500000: 03 20a107
 * Little endian; a top bit that is set would mean a negative number, so a zero byte follows it. */
static size_t write_height(uint8_t out[6], int32_t height)
{
    size_t len = 0;

    if (height == 0) {
        out[0] = 0x00;
        return 1;
    }
    if (height <= 16) {
        out[0] = (uint8_t)(0x50 + height);
        return 1;
    }
    for (uint32_t rest = (uint32_t)height; rest; rest >>= 8)
        out[++len] = (uint8_t)rest;
    if (out[len] & 0x80)
        out[++len] = 0;
    out[0] = (uint8_t)len;
    return len + 1;
}

/* BIP 34. */
static lode_reject coinbase_tells_its_height(const lode_block *block, int32_t height, const lode_chain_params *params)
{
    const lode_txin *in = &block->txs[0].inputs[0];
    uint8_t push[6];
    size_t len;

    if (height < params->bip34_height)
        return LODE_VALID;
    len = write_height(push, height);
    return in->script_sig_len >= len && memcmp(in->script_sig, push, len) == 0 ? LODE_VALID : LODE_BAD_CB_HEIGHT;
}

/* BIP 141. Witnesses must be committed to, or absent. The header covers the commitment only, so a failure may be the
 * copy's. Source: Core's CheckWitnessMalleation. */
static lode_reject witness_is_committed_to(const lode_block_facts *facts, int32_t height,
                                           const lode_chain_params *params)
{
    if (lode_is_segwit_active(height, params) && facts->has_commitment) {
        if (!facts->is_witness_nonce_good)
            return LODE_BAD_WITNESS_NONCE_SIZE;
        return facts->is_commitment_good ? LODE_VALID : LODE_BAD_WITNESS_MERKLE_MATCH;
    }
    return facts->has_witness ? LODE_UNEXPECTED_WITNESS : LODE_VALID;
}

lode_verdict lode_block_check_context(const lode_block *block, const lode_block_facts *facts, const lode_node *prev,
                                      const lode_chain_params *params)
{
    int32_t height = prev ? prev->height + 1 : 0;
    lode_verdict verdict = transactions_are_final(block, facts, prev, height, params);

    if (verdict.reject != LODE_VALID)
        return verdict;
    verdict.reject = coinbase_tells_its_height(block, height, params);
    if (verdict.reject != LODE_VALID)
        return verdict;
    verdict.reject = witness_is_committed_to(facts, height, params);
    verdict.is_mutated = verdict.reject != LODE_VALID;
    if (verdict.reject != LODE_VALID)
        return verdict;
    /* Only now: before, anyone could have made the coinbase's witness larger. */
    if (facts->weight > LODE_MAX_BLOCK_WEIGHT)
        verdict.reject = LODE_BAD_BLK_WEIGHT;
    return verdict;
}

/* An exception replaces the base flags; rules with a height of their own are added all the same. */
uint32_t lode_block_script_flags(const lode_node *node, const lode_chain_params *params)
{
    uint32_t flags = LODE_VERIFY_P2SH | LODE_VERIFY_WITNESS | LODE_VERIFY_TAPROOT;

    for (uint32_t i = 0; i < params->exception_count; i++)
        if (lode_block_hash_is_equal(&node->hash, &params->exceptions[i].hash))
            flags = params->exceptions[i].flags;
    if (node->height >= params->bip66_height)
        flags |= LODE_VERIFY_DERSIG;
    if (node->height >= params->bip65_height)
        flags |= LODE_VERIFY_CHECKLOCKTIMEVERIFY;
    if (node->height >= params->csv_height)
        flags |= LODE_VERIFY_CHECKSEQUENCEVERIFY;
    if (node->height >= params->segwit_height)
        flags |= LODE_VERIFY_NULLDUMMY; /* BIP 147 came with segwit */
    return flags;
}

typedef struct known_block {
    int32_t height;
    uint8_t hash[32]; /* as hashed */
} known_block;

static bool is_one_of_two(const lode_node *node, const known_block known[2])
{
    for (int i = 0; i < 2; i++)
        if (node->height == known[i].height && lode_bytes32_is_equal(node->hash.bytes, known[i].hash))
            return true;
    return false;
}

/* 00000000000a4d0a398161ffc163c503763b1f4360639393e0e4c8e300e0caec and
 * 00000000000743f190a18c5577a3c2d2a1f610ae9601ac046a38084ccb7cd721. Heights and hashes decide, on any network. */
bool lode_block_is_bip30_repeat(const lode_node *node, const lode_chain_params *params)
{
    static const known_block known[2] = {
        { 91842, { 0xec, 0xca, 0xe0, 0x00, 0xe3, 0xc8, 0xe4, 0xe0, 0x93, 0x93, 0x63, 0x60, 0x43, 0x1f,
                   0x3b, 0x76, 0x03, 0xc5, 0x63, 0xc1, 0xff, 0x61, 0x81, 0x39, 0x0a, 0x4d, 0x0a } },
        { 91880, { 0x21, 0xd7, 0x7c, 0xcb, 0x4c, 0x08, 0x38, 0x6a, 0x04, 0xac, 0x01, 0x96, 0xae, 0x10,
                   0xf6, 0xa1, 0xd2, 0xc2, 0xa3, 0x77, 0x55, 0x8c, 0xa1, 0x90, 0xf1, 0x43, 0x07 } },
    };
    return is_one_of_two(node, known);
}

/* 00000000000271a2dc26e7667f8419f2e15416dc6955e5a6c6cdf3f2574dd08e and
 * 00000000000af0aed4792b1acee3d966af36cf5def14935db8de83d6f9306f2f. */
bool lode_block_is_bip30_unspendable(const lode_node *node, const lode_chain_params *params)
{
    static const known_block known[2] = {
        { 91722, { 0x8e, 0xd0, 0x4d, 0x57, 0xf2, 0xf3, 0xcd, 0xc6, 0xa6, 0xe5, 0x55, 0x69, 0xdc, 0x16,
                   0x54, 0xe1, 0xf2, 0x19, 0x84, 0x7f, 0x66, 0xe7, 0x26, 0xdc, 0xa2, 0x71, 0x02 } },
        { 91812, { 0x2f, 0x6f, 0x30, 0xf9, 0xd6, 0x83, 0xde, 0xb8, 0x5d, 0x93, 0x14, 0xef, 0x5d, 0xcf,
                   0x36, 0xaf, 0x66, 0xd9, 0xe3, 0xce, 0x1a, 0x2b, 0x79, 0xd4, 0xae, 0xf0, 0x0a } },
    };
    return is_one_of_two(node, known);
}

/* No coin may be overwritten. Above the BIP 34 height of the known chain a repeat cannot be made, so the question is
 * spared there; it is asked again where coinbases from before BIP 34 foretell the height. Source: Core's ConnectBlock.
 */
bool lode_block_needs_bip30(const lode_node *node, const lode_chain_params *params)
{
    const lode_node *at_bip34 = node->prev ? lode_node_ancestor(node->prev, params->bip34_height) : NULL;
    bool is_known_chain = at_bip34 && lode_block_hash_is_equal(&at_bip34->hash, &params->bip34_hash);

    if (node->height >= BIP34_IMPLIES_BIP30_LIMIT)
        return true;
    return node->prev && !lode_block_is_bip30_repeat(node, params) && !is_known_chain;
}

lode_amount lode_block_subsidy(int32_t height, const lode_chain_params *params)
{
    int32_t halvings = height / params->halving_interval;
    return (lode_amount){ halvings >= 64 ? 0 : (50 * LODE_COIN) >> halvings };
}
