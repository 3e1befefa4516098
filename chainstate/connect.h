/* chainstate/connect.h: one block's effect on the coins: the serial heart of an import. */
#ifndef LODE_CHAINSTATE_CONNECT_H
#define LODE_CHAINSTATE_CONNECT_H

#include "chainstate/chain.h"
#include "validate/rules/block.h"

/* A block on its way through the chain: what workers made ready and what connecting leaves behind for them.
 * Arrays come from the block's arena. */
typedef struct lode_block_prep {
    uint64_t *tx_hashes;       /* lode_coins_hash of each txid */
    lode_packed_tx *packed;    /* spendable outputs of each transaction */
    uint64_t *prevout_hashes;  /* of each input in order, the coinbase's left out */
    const uint8_t **prevouts;  /* 36 bytes each, likewise */
    lode_fetched *fetched;     /* likewise; NULL: nothing was read ahead */
    size_t prevout_count;
    bool *has_sequence_locks;  /* by transaction; NULL: none has */
} lode_block_prep;

/* Made by a worker. False when memory is out. fetch: read coins ahead. */
bool lode_block_prepare(lode_block_prep *prep, const lode_block *block, lode_arena *arena, lode_coins *coins);
lode_status lode_block_prefetch_coins(lode_block_prep *prep, lode_arena *arena, lode_coins *coins);

typedef struct lode_connected {
    lode_buf undo;         /* serialised CBlockUndo */
    uint32_t *undo_starts; /* by transaction: where its first coin stands in undo; [0] is unused */
    lode_amount fees;
    uint32_t script_flags;
} lode_connected;

/* Connect `entry` on chain->tip, which is its parent. verdict valid: the tip has moved, `connected` is filled.
 * Otherwise the coins are as they were. Scripts are not run here.
 * Order of checks: Core's ConnectBlock, without scripts. */
lode_status lode_chain_connect(lode_chain *chain, lode_verdict *verdict, lode_connected *connected, lode_entry *entry,
                               const lode_block *block, const lode_block_facts *facts, const lode_block_prep *prep, lode_arena *arena);

#endif
