/* validate/rules/tx.h: rules for transactions, alone and with the coins they spend. */
#ifndef LODE_VALIDATE_TX_H
#define LODE_VALIDATE_TX_H

#include "primitives/encode.h"
#include "validate/rules/node.h"
#include "validate/rules/reject.h"

/* CheckTransaction. `arena` gives scratch for the duplicate-input search of large transactions; LODE_REJECT_COUNT is
 * returned when memory is out. */
lode_reject lode_tx_check(const lode_tx *tx, lode_arena *arena);

/* IsFinalTx: cutoff is the block's time, or the median time past of its parent once CSV is active. */
bool lode_tx_is_final(const lode_tx *tx, int32_t height, int64_t cutoff);

/* What rules need of a spent coin besides its script. */
typedef struct lode_spent_facts {
    lode_amount value;
    uint32_t height;
    bool is_coinbase;
} lode_spent_facts;

/* CheckTxInputs for one input whose coin was found; sums into *total_in (starts at 0). */
static inline lode_reject lode_tx_check_input(lode_amount *total_in, lode_amount value, uint32_t coin_height, bool is_coinbase, int32_t spend_height)
{
    if (is_coinbase && spend_height - (int32_t)coin_height < 100)
        return LODE_BAD_TXNS_PREMATURE_SPEND_OF_COINBASE;
    if (!lode_amount_is_money(value) || !lode_amount_add(total_in, value))
        return LODE_BAD_TXNS_INPUTVALUES_OUTOFRANGE;
    return LODE_VALID;
}
/* The end of CheckTxInputs: value in against value out, fee in range. Outputs were checked by lode_tx_check. */
lode_reject lode_tx_check_fee(lode_amount *fee, const lode_tx *tx, lode_amount total_in);

/* BIP 68. coin_heights by input; node is the block that holds the transaction (its ancestors are asked for median
 * times). True: may be included. Only when CSV is active there. */
bool lode_tx_is_sequence_final(const lode_tx *tx, const uint32_t *coin_heights, const lode_node *node);
/* Quick: does any input have a relative lock at all (version >= 2 and a sequence without the disable bit)? */
bool lode_tx_has_sequence_locks(const lode_tx *tx);

/* GetTransactionSigOpCost without the legacy part: P2SH and witness, scaled as Core does. spent by input. */
uint32_t lode_tx_legacy_sigops(const lode_tx *tx);
uint64_t lode_tx_spend_sigops_cost(const lode_tx *tx, const lode_txout *spent, uint32_t flags);

#endif
