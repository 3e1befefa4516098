/* snapshot/blocks_ahead.h: stored blocks one after another, upwards or downwards, read and parsed ahead by workers. */
#ifndef LODE_SNAPSHOT_BLOCKS_AHEAD_H
#define LODE_SNAPSHOT_BLOCKS_AHEAD_H

#include "loadblock/work.h"

typedef struct lode_blocks_ahead {
    lode_chain *chain;         /* kept; has a pool */
    lode_entry *const *active; /* kept: entries by height */
    int32_t next, last, step;  /* heights; step is 1 or -1 */
    lode_workshop shop;
    lode_work *first, *newest;
    uint32_t count;
    uint32_t usual_size; /* of the last block: those not read yet are taken to be like it */
} lode_blocks_ahead;

/* Blocks from height `first` to `last`, both included, in whichever direction that is. */
void lode_blocks_ahead_init(lode_blocks_ahead *b, lode_chain *chain, lode_entry *const *active, int32_t first,
                            int32_t last);
/* Waits for what is under way. Works taken have been released. */
void lode_blocks_ahead_clear(lode_blocks_ahead *b);
/* The next one, the caller's to release; *work NULL past the last. Its entry is set, and its block hash is the entry's.
 * Errors: LODE_MISSING when its file is not there; LODE_CORRUPT when it holds something else; LODE_IO. */
lode_status lode_blocks_ahead_next(lode_blocks_ahead *b, lode_work **work);
/* Helps, or waits, until the work's script checks have ended. */
void lode_blocks_ahead_wait_checked(lode_blocks_ahead *b, const lode_work *work);

#endif
