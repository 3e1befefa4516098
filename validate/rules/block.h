/* validate/rules/block.h: rules for blocks, cut so that workers do all that needs no place in the chain. */
#ifndef LODE_VALIDATE_BLOCK_H
#define LODE_VALIDATE_BLOCK_H

#include "validate/rules/header.h"

#define LODE_MAX_BLOCK_WEIGHT 4000000
#define LODE_MAX_BLOCK_SIGOPS_COST 80000
#define LODE_COINBASE_MATURITY 100
#define LODE_WITNESS_SCALE_FACTOR 4

/* What a worker finds out about a block before its place is known. */
typedef struct lode_block_facts {
    lode_verdict verdict;         /* of CheckBlock without the proof of work: merkle root, sizes, coinbase form, CheckTransaction, sigops */
    uint32_t weight;
    uint32_t legacy_sigops;       /* of all transactions, not scaled */
    bool has_witness;             /* any transaction has */
    bool has_commitment;          /* BIP 141: the last fitting output of the coinbase */
    bool is_witness_nonce_good;   /* coinbase witness is one item of 32 bytes */
    bool is_commitment_good;      /* hash matches; meaningful with has_commitment and is_witness_nonce_good */
    bool has_locks;               /* some transaction has a lock time and a non-final sequence: IsFinalTx must be asked */
    lode_amount coinbase_value;   /* sum of the coinbase's outputs; meaningful when verdict is valid */
} lode_block_facts;

/* The block must have been parsed with hashes. `arena` gives scratch memory; false when memory is out (nothing is
 * judged then). Pure, any thread. Signet solutions are checked here too (params->is_signet), as Core does in CheckBlock. */
bool lode_block_examine(lode_block_facts *facts, const lode_block *block, lode_arena *arena, const lode_chain_params *params);

/* ContextualCheckBlock on prev (NULL for genesis): finality, BIP 34 height, witness commitment, weight. */
lode_verdict lode_block_check_context(const lode_block *block, const lode_block_facts *facts, const lode_node *prev, const lode_chain_params *params);

uint32_t lode_block_script_flags(const lode_node *node, const lode_chain_params *params); /* GetBlockScriptFlags */
bool lode_block_needs_bip30(const lode_node *node, const lode_chain_params *params);
/* The two mainnet blocks whose coinbase repeats an earlier one (Core's IsBIP30Repeat), and the two that were
 * overwritten (IsBIP30Unspendable). */
bool lode_block_is_bip30_repeat(const lode_node *node, const lode_chain_params *params);
bool lode_block_is_bip30_unspendable(const lode_node *node, const lode_chain_params *params);
lode_amount lode_block_subsidy(int32_t height, const lode_chain_params *params);
static inline bool lode_is_csv_active(int32_t height, const lode_chain_params *params)
{
    return height >= params->csv_height;
}
static inline bool lode_is_segwit_active(int32_t height, const lode_chain_params *params)
{
    return height >= params->segwit_height;
}

/* BIP 325. Only called when params->is_signet; genesis needs no solution. LODE_VALID, LODE_BAD_SIGNET_BLKSIG, or
 * LODE_REJECT_COUNT when memory is out. */
lode_reject lode_signet_check(const lode_block *block, lode_arena *arena, const lode_chain_params *params);

#endif
