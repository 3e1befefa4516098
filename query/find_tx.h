/* query/find_tx.h: a stored transaction by its id. */
#ifndef LODE_QUERY_FIND_TX_H
#define LODE_QUERY_FIND_TX_H

#include "chainstate/chain.h"

/* By the transaction index, which the chain must have.
 * Out:     found       false if the index does not name it.
 *          raw         filled with the transaction's bytes, and more behind them; tx points into it.
 *          tx          arrays lent from arena.
 *          block_hash  of the block it stands in, which may be a stale one.
 * Errors:  LODE_CORRUPT if the index points at something else. */
lode_status lode_find_indexed_tx(lode_chain *chain, bool *found, lode_tx *tx, lode_buf *raw, lode_arena *arena,
                                 lode_block_hash *block_hash, const lode_txid *txid);

#endif
