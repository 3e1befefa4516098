/* chainstate/utxo_stats.h: totals and hashes over the whole coin set, as Core's gettxoutsetinfo has them. */
#ifndef LODE_CHAINSTATE_UTXO_STATS_H
#define LODE_CHAINSTATE_UTXO_STATS_H

#include "chainstate/coins.h"

enum lode_utxo_hashes { LODE_UTXO_HASH_SERIALIZED_3 = 1, LODE_UTXO_MUHASH = 2 };

typedef struct lode_utxo_stats {
    bool has_best_block; /* false: an empty database */
    lode_block_hash best_block;
    uint64_t txouts;
    uint64_t transactions; /* with at least one unspent output */
    uint64_t bogosize;     /* Core's GetBogoSize: 50 bytes and the script, each */
    lode_amount total;
    uint32_t max_height;           /* of the youngest coin */
    uint64_t disk_size;            /* estimated bytes of the coins on disk */
    uint8_t hash_serialized_3[32]; /* internal order; zero unless asked for */
    uint8_t muhash[32];
} lode_utxo_stats;

/* Over the coins as they stand on disk (flush first).
 * In:      hashes       any of lode_utxo_hashes. muhash is shared among `threads` threads; hash_serialized_3 goes over
 *                       the set in order and takes one more.
 *          interrupted  may be NULL; nonzero ends the work soon.
 * Errors:  LODE_CORRUPT if a stored coin does not decode or the total is no money, LODE_IO, LODE_CANCELLED.
 *          Nothing is filled then.
 * Source:  Core's kernel/coinstats.cpp.
 */
lode_status lode_utxo_stats_compute(lode_utxo_stats *stats, lode_coins *coins, int hashes, int threads,
                                    const volatile int *interrupted);

#endif
