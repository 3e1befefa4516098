/* txindex/txindex.h: txid -> where the transaction lies in the block files; Core's `indexes/txindex` database.
 *
 * 't' + txid -> VARINT file, VARINT position of the block, VARINT offset after its 80-byte header. 'B' -> block locator
 * (int32 version, CompactSize count, hashes). Entries of blocks that a reorganisation left behind are not removed, as
 * in Core; they are overwritten when the transaction appears again.
 */
#ifndef LODE_TXINDEX_TXINDEX_H
#define LODE_TXINDEX_TXINDEX_H

#include "lode/store.h"
#include "primitives/tx.h"
#include "support/env.h"
#include "support/log.h"

typedef struct lode_txindex lode_txindex;

typedef struct lode_txindex_options {
    const char *path; /* of indexes/txindex */
    lode_env *env;
    const lode_logger *logger;
    bool read_only; /* LODE_MISSING if absent */
    bool wipe;
    size_t memory_bytes; /* for entries not yet written */
    int threads;
    uint64_t settle_bytes; /* merged between two looks at a stop; 0: 256 MiB */
    uint32_t batch_most; /* entries up to which a write goes through log and memtable; 0: 20,000 */
} lode_txindex_options;

/* A directory of a newer kind (hashed keys) is LODE_UNSUPPORTED, named. */
lode_status lode_txindex_open(lode_txindex **out, const lode_txindex_options *options);
/* The same refusal, before anything is written; an absent index is none. */
lode_status lode_txindex_check_format(const char *path, lode_env *env);
lode_status lode_txindex_close(lode_txindex *index);

typedef struct lode_tx_position {
    int32_t file;
    uint32_t block_pos; /* as the block index has it */
    uint32_t tx_offset; /* after the header */
} lode_tx_position;

/* The best block's locator: *found false in a new index. *first is the block it stands at. */
lode_status lode_txindex_best(lode_txindex *index, bool *found, lode_block_hash *first, lode_buf *locator);
/* All transactions of a block (genesis: none are added). Kept in memory and written as sorted runs when memory_bytes is
 * reached, by background threads. Does not move the best block. `block` is borrowed. Chain's thread. */
lode_status lode_txindex_add_block(lode_txindex *index, const lode_block *block, int32_t file, uint32_t block_pos);
/* Everything added so far becomes durable together with the locator (serialised, CBlockLocator). Never before the
 * blocks it names are in the block index on disk. The first hash is the block everything up to which was added. */
lode_status lode_txindex_flush(lode_txindex *index, lode_slice locator);
/* Begins a flush and does not wait for its end; a writer that is busy with an earlier part makes it do nothing. Without
 * a locator: a flush will follow soon, and what it would write is begun. Chain's thread. */
lode_status lode_txindex_flush_begin(lode_txindex *index, lode_slice locator);
/* About how many bytes the next flush writes. Chain's thread. */
uint64_t lode_txindex_pending_bytes(const lode_txindex *index);
/* Everything added so far can be found from now on; it need not be durable. Chain's thread. */
lode_status lode_txindex_publish(lode_txindex *index);
/* End of a bulk load: runs are merged into few levels. May take a while. Where what was added since the open is little
 * beside what was there, nothing is done: all of it would be written once more. interrupted (may be NULL): nonzero ends it
 * soon; what was merged stays merged, and nothing is lost. */
lode_status lode_txindex_settle(lode_txindex *index, const volatile int *interrupted);
lode_status lode_txindex_find(lode_txindex *index, bool *found, lode_tx_position *position, const lode_txid *txid);
lode_store *lode_txindex_store(lode_txindex *index);

#endif
