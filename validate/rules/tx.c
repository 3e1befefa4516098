/* validate/rules/tx.c: rules for one transaction, alone and with the coins it spends.
 *
 * Room:     Core's consensus/tx_check.cpp and tx_verify.cpp, in their order.
 * Touches:  scratch in the arena; coins come as arguments.
 */
#include "validate/rules/tx.h"

#include "validate/rules/block.h"
#include "validate/rules/prevouts.h"
#include "validate/rules/sigops.h"
#include "validate/script/interpreter.h"

#define LOCKTIME_THRESHOLD 500000000u /* below it a lock time is a height, from it on a time */
#define SEQUENCE_FINAL 0xffffffffu

/* BIP 68 */
#define SEQUENCE_DISABLE_FLAG (1u << 31)
#define SEQUENCE_TYPE_FLAG (1u << 22)
#define SEQUENCE_MASK 0xffffu
#define SEQUENCE_GRANULARITY 9 /* time locks count units of 2^9 seconds */

static bool is_null_prevout(const uint8_t *prevout)
{
    return lode_read_le32(prevout + 32) == 0xffffffffu && lode_bytes32_is_zero(prevout);
}

/* ---- Core's CheckTransaction ---- */

static lode_reject has_inputs(const lode_tx *tx, lode_arena *arena)
{
    return tx->input_count ? LODE_VALID : LODE_BAD_TXNS_VIN_EMPTY;
}

static lode_reject has_outputs(const lode_tx *tx, lode_arena *arena)
{
    return tx->output_count ? LODE_VALID : LODE_BAD_TXNS_VOUT_EMPTY;
}

/* Without witness: that may have been changed by anyone on the way. */
static lode_reject fits_in_a_block(const lode_tx *tx, lode_arena *arena)
{
    return (uint64_t)tx->base_size * LODE_WITNESS_SCALE_FACTOR > LODE_MAX_BLOCK_WEIGHT ? LODE_BAD_TXNS_OVERSIZE
                                                                                       : LODE_VALID;
}

/* Each output, and each partial sum, lies in [0, MAX_MONEY]. Source: CVE-2010-5139. */
static lode_reject outputs_are_money(const lode_tx *tx, lode_arena *arena)
{
    lode_amount total = { 0 };
    for (uint32_t i = 0; i < tx->output_count; i++) {
        lode_amount value = tx->outputs[i].value;
        if (value.sat < 0)
            return LODE_BAD_TXNS_VOUT_NEGATIVE;
        if (value.sat > LODE_MAX_MONEY)
            return LODE_BAD_TXNS_VOUT_TOOLARGE;
        if (!lode_amount_add(&total, value))
            return LODE_BAD_TXNS_TXOUTTOTAL_TOOLARGE;
    }
    return LODE_VALID;
}

/* Source: CVE-2018-17144. */
static lode_reject spends_nothing_twice(const lode_tx *tx, lode_arena *arena)
{
    bool found;
    if (!lode_prevouts_find_repeat(&found, tx->inputs, tx->input_count, arena))
        return LODE_REJECT_COUNT;
    return found ? LODE_BAD_TXNS_INPUTS_DUPLICATE : LODE_VALID;
}

/* A coinbase says 2 to 100 bytes; any other transaction names all its prevouts. */
static lode_reject prevouts_are_named(const lode_tx *tx, lode_arena *arena)
{
    if (lode_tx_is_coinbase(tx)) {
        uint32_t len = tx->inputs[0].script_sig_len;
        return len < 2 || len > 100 ? LODE_BAD_CB_LENGTH : LODE_VALID;
    }
    for (uint32_t i = 0; i < tx->input_count; i++)
        if (is_null_prevout(tx->inputs[i].prevout))
            return LODE_BAD_TXNS_PREVOUT_NULL;
    return LODE_VALID;
}

static lode_reject (*const tx_rules[])(const lode_tx *, lode_arena *) = {
    has_inputs, has_outputs, fits_in_a_block, outputs_are_money, spends_nothing_twice, prevouts_are_named,
};

lode_reject lode_tx_check(const lode_tx *tx, lode_arena *arena)
{
    for (size_t i = 0; i < sizeof tx_rules / sizeof *tx_rules; i++) {
        lode_reject reject = tx_rules[i](tx, arena);
        if (reject != LODE_VALID)
            return reject;
    }
    return LODE_VALID;
}

/* ---- locks ---- */

/* An unreached lock time binds unless every input is final. */
bool lode_tx_is_final(const lode_tx *tx, int32_t height, int64_t cutoff)
{
    int64_t reached = tx->lock_time < LOCKTIME_THRESHOLD ? height : cutoff;

    if (tx->lock_time == 0 || (int64_t)tx->lock_time < reached)
        return true;
    for (uint32_t i = 0; i < tx->input_count; i++)
        if (tx->inputs[i].sequence != SEQUENCE_FINAL)
            return false;
    return true;
}

bool lode_tx_has_sequence_locks(const lode_tx *tx)
{
    if ((uint32_t)tx->version < 2)
        return false;
    for (uint32_t i = 0; i < tx->input_count; i++)
        if (!(tx->inputs[i].sequence & SEQUENCE_DISABLE_FLAG))
            return true;
    return false;
}

/* A lock by height counts blocks from the coin's. A lock by time counts from the median time before the coin's block,
 * and is held against the median time before the spending one. Source: BIP 68; Core's CalculateSequenceLocks, which
 * computes the last height and time at which the transaction is still locked. */
bool lode_tx_is_sequence_final(const lode_tx *tx, const uint32_t *coin_heights, const lode_node *node)
{
    if ((uint32_t)tx->version < 2)
        return true;
    for (uint32_t i = 0; i < tx->input_count; i++) {
        uint32_t sequence = tx->inputs[i].sequence;
        int64_t coin_height = coin_heights[i];
        int64_t amount = sequence & SEQUENCE_MASK;
        if (sequence & SEQUENCE_DISABLE_FLAG)
            continue;
        if (sequence & SEQUENCE_TYPE_FLAG) {
            int64_t before = coin_height > 0 ? coin_height - 1 : 0;
            const lode_node *start = lode_node_ancestor(node, before > INT32_MAX ? -1 : (int32_t)before);
            if (!start ||
                (int64_t)start->median_time + (amount << SEQUENCE_GRANULARITY) - 1 >= (int64_t)node->prev->median_time)
                return false;
        } else if (coin_height + amount - 1 >= node->height) {
            return false;
        }
    }
    return true;
}

/* ---- with coins ---- */

/* The end of Core's CheckTxInputs. total_in is money, and so are the outputs, so the fee always is. */
lode_reject lode_tx_check_fee(lode_amount *fee, const lode_tx *tx, lode_amount total_in)
{
    lode_amount out = { 0 };

    for (uint32_t i = 0; i < tx->output_count; i++)
        out.sat += tx->outputs[i].value.sat;
    if (total_in.sat < out.sat)
        return LODE_BAD_TXNS_IN_BELOWOUT;
    fee->sat = total_in.sat - out.sat;
    return lode_amount_is_money(*fee) ? LODE_VALID : LODE_BAD_TXNS_FEE_OUTOFRANGE;
}

/* The coinbase's input counts as well, and scripts that can never run. */
uint32_t lode_tx_legacy_sigops(const lode_tx *tx)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < tx->input_count; i++)
        count += lode_count_sigops(tx->inputs[i].script_sig, tx->inputs[i].script_sig_len);
    for (uint32_t i = 0; i < tx->output_count; i++)
        count += lode_count_sigops(tx->outputs[i].script, tx->outputs[i].script_len);
    return count;
}

uint64_t lode_tx_spend_sigops_cost(const lode_tx *tx, const lode_txout *spent, uint32_t flags)
{
    uint64_t cost = 0;

    if (lode_tx_is_coinbase(tx))
        return 0;
    for (uint32_t i = 0; i < tx->input_count; i++) {
        const lode_txin *in = &tx->inputs[i];
        lode_slice script_pubkey = lode_slice_of(spent[i].script, spent[i].script_len);
        if ((flags & LODE_VERIFY_P2SH) && lode_script_is_p2sh(script_pubkey))
            cost += (uint64_t)LODE_WITNESS_SCALE_FACTOR *
                    lode_script_p2sh_sigops(lode_slice_of(in->script_sig, in->script_sig_len), script_pubkey);
        cost += lode_script_witness_sigops(in, script_pubkey, flags);
    }
    return cost;
}
