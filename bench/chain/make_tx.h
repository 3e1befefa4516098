/* bench/chain/make_tx.h: one planned transaction becomes bytes. */
#ifndef LODE_BENCH_MAKE_TX_H
#define LODE_BENCH_MAKE_TX_H

#include "bench/chain/block_plan.h"
#include "bench/chain/keys.h"
#include "support/arena.h"

/* What one thread needs; nothing in it is shared. */
typedef struct lode_tx_bench {
    lode_arena made;    /* raw transactions, until the next block */
    lode_arena scratch; /* until the next transaction */
    lode_buf script_sigs, witnesses;
} lode_tx_bench;

#define LODE_TX_BENCH_EMPTY                                                                                            \
    {                                                                                                                  \
        LODE_ARENA_EMPTY, LODE_ARENA_EMPTY, LODE_BUF_EMPTY, LODE_BUF_EMPTY                                             \
    }

void lode_tx_bench_clear(lode_tx_bench *bench);

/* Signs and serialises; fills the last group of `tx`. Those whose outputs it spends must have been made.
 * Errors: LODE_NO_MEMORY, LODE_INVALID_ARGUMENT when an input cannot be signed as asked. */
lode_status lode_make_tx(lode_tx_bench *bench, lode_planned_tx *tx, const lode_block_plan *plan,
                         const lode_key_ring *ring);

#endif
