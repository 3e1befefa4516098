/* validate/rules/block_examine.c: all that a block's own bytes decide.
 *
 * Room:     Core's CheckBlock less the proof of work, in its order; and facts that later rules ask for.
 * Touches:  scratch in the arena, one array of hashes per block. No coins, no place in the chain.
 * Threads:  any; this is what the import's workers do to every block.
 */
#include "validate/rules/block.h"

#include "validate/rules/commitment.h"
#include "validate/rules/tx.h"

typedef struct examination {
    lode_block_facts *facts;
    const lode_block *block;
    lode_arena *arena;
    const lode_chain_params *params;
    uint8_t *leaves;   /* 32 bytes per transaction */
    uint32_t tx_index; /* of the transaction that failed */
    bool is_mutated;   /* the failure may be the copy's */
} examination;

/* BIP 325. */
static lode_reject signet_is_solved(examination *e)
{
    return e->params->is_signet ? lode_signet_check(e->block, e->arena, e->params) : LODE_VALID;
}

/* A list in which the last transactions are repeated has the root of the list without them: CVE-2012-2459. Neither
 * failure says anything about the header. Source: Core's CheckMerkleRoot. */
static lode_reject merkle_root_fits(examination *e)
{
    uint8_t root[32];
    bool repeats = false;

    e->leaves = lode_arena_take_array(e->arena, (size_t)e->block->tx_count + 1, 32);
    if (!e->leaves)
        return LODE_REJECT_COUNT;
    for (uint32_t i = 0; i < e->block->tx_count; i++)
        memcpy(e->leaves + 32 * (size_t)i, e->block->txs[i].txid.bytes, 32);
    lode_merkle_root(root, &repeats, e->leaves, e->block->tx_count);
    e->is_mutated = true;
    if (!lode_bytes32_is_equal(root, e->block->header.merkle_root.bytes))
        return LODE_BAD_TXNMRKLROOT;
    if (repeats)
        return LODE_BAD_TXNS_DUPLICATE;
    e->is_mutated = false;
    return LODE_VALID;
}

/* Witnesses are not counted here: they may have been changed on the way, and the header does not tell. */
static lode_reject size_is_in_range(examination *e)
{
    uint64_t count = e->block->tx_count, base_size = e->block->base_size;
    bool fits = count > 0 && count * LODE_WITNESS_SCALE_FACTOR <= LODE_MAX_BLOCK_WEIGHT &&
                base_size * LODE_WITNESS_SCALE_FACTOR <= LODE_MAX_BLOCK_WEIGHT;
    return fits ? LODE_VALID : LODE_BAD_BLK_LENGTH;
}

static lode_reject coinbase_is_first_and_only(examination *e)
{
    if (!lode_tx_is_coinbase(&e->block->txs[0]))
        return LODE_BAD_CB_MISSING;
    for (uint32_t i = 1; i < e->block->tx_count; i++)
        if (lode_tx_is_coinbase(&e->block->txs[i]))
            return LODE_BAD_CB_MULTIPLE;
    return LODE_VALID;
}

/* Sigops of scripts that are spent come on top when the block is connected. */
static lode_reject transactions_are_well_formed(examination *e)
{
    uint64_t sigops = 0;

    for (uint32_t i = 0; i < e->block->tx_count; i++) {
        const lode_tx *tx = &e->block->txs[i];
        lode_reject reject = lode_tx_check(tx, e->arena);
        if (reject != LODE_VALID) {
            e->tx_index = i;
            return reject;
        }
        sigops += lode_tx_legacy_sigops(tx);
    }
    e->facts->legacy_sigops = (uint32_t)sigops;
    return sigops * LODE_WITNESS_SCALE_FACTOR > LODE_MAX_BLOCK_SIGOPS_COST ? LODE_BAD_BLK_SIGOPS : LODE_VALID;
}

static lode_reject (*const block_rules[])(examination *) = {
    signet_is_solved, merkle_root_fits, size_is_in_range, coinbase_is_first_and_only, transactions_are_well_formed,
};

/* ---- facts for later rules; the block is valid so far ---- */

static bool has_lock(const lode_tx *tx)
{
    if (tx->lock_time == 0)
        return false;
    for (uint32_t i = 0; i < tx->input_count; i++)
        if (tx->inputs[i].sequence != 0xffffffffu)
            return true;
    return false;
}

/* Hash of the witness root (the coinbase's leaf is zero) and the reserved value. Source: BIP 141. */
static bool fits_commitment(const examination *e, const lode_txout *commitment, const uint8_t reserved[32])
{
    uint8_t preimage[64], hash[32];
    bool ignored; /* the tree of txids would have shown it already */

    memset(e->leaves, 0, 32);
    for (uint32_t i = 1; i < e->block->tx_count; i++)
        memcpy(e->leaves + 32 * (size_t)i, e->block->txs[i].wtxid.bytes, 32);
    lode_merkle_root(preimage, &ignored, e->leaves, e->block->tx_count);
    memcpy(preimage + 32, reserved, 32);
    lode_sha256d(hash, preimage, sizeof preimage);
    return lode_bytes32_is_equal(hash, commitment->script + LODE_COMMITMENT_OFFSET);
}

static void gather_facts(const examination *e)
{
    lode_block_facts *facts = e->facts;
    const lode_tx *coinbase = &e->block->txs[0];
    const lode_txin *in = &coinbase->inputs[0];
    const lode_txout *commitment = lode_find_commitment(coinbase);

    for (uint32_t i = 0; i < e->block->tx_count; i++) {
        facts->has_witness = facts->has_witness || e->block->txs[i].has_witness;
        facts->has_locks = facts->has_locks || has_lock(&e->block->txs[i]);
    }
    for (uint32_t i = 0; i < coinbase->output_count; i++)
        facts->coinbase_value.sat += coinbase->outputs[i].value.sat;
    facts->has_commitment = commitment != NULL;
    facts->is_witness_nonce_good = in->witness_count == 1 && in->witness_len == 33 && in->witness[0] == 32;
    if (commitment && facts->is_witness_nonce_good)
        facts->is_commitment_good = fits_commitment(e, commitment, in->witness + 1);
}

bool lode_block_examine(lode_block_facts *facts, const lode_block *block, lode_arena *arena,
                        const lode_chain_params *params)
{
    examination e = { facts, block, arena, params, NULL, LODE_NO_INDEX, false };
    uint64_t weight = (uint64_t)block->base_size * (LODE_WITNESS_SCALE_FACTOR - 1) + block->size;
    lode_reject reject = LODE_VALID;

    memset(facts, 0, sizeof *facts);
    facts->weight = weight > UINT32_MAX ? UINT32_MAX : (uint32_t)weight;
    for (size_t i = 0; i < sizeof block_rules / sizeof *block_rules && reject == LODE_VALID; i++)
        reject = block_rules[i](&e);
    if (reject == LODE_REJECT_COUNT)
        return false; /* memory is out */
    facts->verdict = lode_verdict_of(reject);
    facts->verdict.tx_index = e.tx_index;
    facts->verdict.is_mutated = e.is_mutated;
    if (reject == LODE_VALID)
        gather_facts(&e);
    return true;
}
