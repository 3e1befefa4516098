/* snapshot/earlier_coins.h: the coin set as it was at an earlier block. */
#ifndef LODE_SNAPSHOT_EARLIER_COINS_H
#define LODE_SNAPSHOT_EARLIER_COINS_H

#include "chainstate/chain.h"

typedef struct lode_earlier_coins {
    lode_coins *coins;   /* lent until close; its cursor gives the set */
    lode_chain *overlay; /* NULL: the set is the chain's own */
} lode_earlier_coins;

/* target is in the chain. Blocks above it are undone in memory (-dbcache); the chain stays as it is.
 * Errors:  LODE_CANCELLED when interrupted; LODE_NO_MEMORY when the blocks above change more than there is memory for;
 *          LODE_MISSING, LODE_CORRUPT, LODE_IO from blocks and undo data. Close it in any case. */
lode_status lode_earlier_coins_open(lode_earlier_coins *at, lode_chain *chain, lode_entry *target);
void lode_earlier_coins_close(lode_earlier_coins *at);

/* A block of the active chain as people name it: a height, or a hash. Errors: LODE_INVALID_ARGUMENT. */
lode_status lode_chain_find_named(lode_entry **entry, const lode_chain *chain, const char *name);

#endif
