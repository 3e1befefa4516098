/* snapshot/coin_file.h: the file that dumptxoutset writes and loadtxoutset reads: all unspent outputs at one block.
 *
 *     "utxo" ff | version u16 = 2 | network magic 4 | base block hash 32 | number of coins u64
 *     then for each transaction that has any, in order of txid:
 *         txid 32 | CompactSize number | each:  CompactSize index | coin as chainstate stores it, not hidden
 * Little endian. Outputs of one transaction stand in the order of the database's keys: VARINT(index) as bytes.
 * Source: Core's node/utxo_snapshot.h and WriteUTXOSnapshot.
 */
#ifndef LODE_SNAPSHOT_COIN_FILE_H
#define LODE_SNAPSHOT_COIN_FILE_H

#include "chainstate/chain.h"

#define LODE_COIN_FILE_HEADER 51u
#define LODE_COIN_FILE_VERSION 2u

typedef struct lode_coin_file_header {
    lode_block_hash base;
    uint64_t coins;
} lode_coin_file_header;

void lode_coin_file_put_header(uint8_t out[LODE_COIN_FILE_HEADER], const lode_coin_file_header *header,
                               const lode_chain_params *params);
/* NULL when the bytes are a header for this network; else what is wrong. */
const char *lode_coin_file_read_header(lode_coin_file_header *header, const uint8_t *bytes, size_t len,
                                       const lode_chain_params *params);

typedef struct lode_dump_info {
    uint64_t coins;
    lode_entry *base;
    uint8_t hash_serialized_3[32];
} lode_dump_info;

/* Writes the set at `target`, a block of the chain at or below its tip, to `path`. An earlier one is reached by undoing
 * blocks in memory; the chain stays as it is.
 * Errors:  LODE_EXISTS at once when `path` does; LODE_INVALID_ARGUMENT when target is not in the chain; LODE_CANCELLED;
 *          LODE_MISSING, LODE_CORRUPT, LODE_IO from blocks, undo data and coins. No file is left then. */
lode_status lode_coins_dump(lode_dump_info *info, lode_chain *chain, lode_entry *target, const char *path);

#endif
