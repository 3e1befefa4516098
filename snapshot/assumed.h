/* snapshot/assumed.h: the coin sets that Core's releases vouch for. */
#ifndef LODE_SNAPSHOT_ASSUMED_H
#define LODE_SNAPSHOT_ASSUMED_H

#include "validate/rules/params.h"

typedef struct lode_assumed {
    lode_network chain;
    int32_t height;
    const char *block_hash;        /* as people read them */
    const char *hash_serialized_3; /* of the set */
    uint64_t chain_tx_count;       /* transactions up to the block */
} lode_assumed;

/* The i-th of a network, lowest first; NULL past the last. Static. */
const lode_assumed *lode_assumed_at(lode_network chain, size_t i);
/* NULL: Core does not vouch for this block. */
const lode_assumed *lode_assumed_find(lode_network chain, const lode_block_hash *hash);

#endif
