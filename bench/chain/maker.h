/* bench/chain/maker.h: the inside of a chain maker, for the files of this folder. */
#ifndef LODE_BENCH_MAKER_H
#define LODE_BENCH_MAKER_H

#include "bench/chain/assemble.h"
#include "bench/chain/block_plan.h"
#include "bench/chain/chain_maker.h"
#include "bench/chain/coin_pool.h"
#include "bench/chain/keys.h"
#include "bench/chain/random.h"
#include "bench/chain/signers.h"

/* Where a chain stands. The rest of the maker is the same on all branches, or only grows. */
typedef struct lode_chain_place {
    uint32_t height;
    lode_block_hash tip;
    uint64_t tx_count;
    lode_made_coin spent; /* a coin that this chain has spent; value 0 while there is none */
    bool begun;           /* the next block's plan is begun: its coinbase coin is ripe, coins may be taken */
    size_t pool_mark;     /* of marks only */
} lode_chain_place;

struct lode_chain_maker {
    lode_chain_recipe recipe; /* constant after create */
    lode_key_ring ring;       /* constant after create */
    lode_signers *signers;
    lode_random random;
    uint64_t salt; /* blocks made so far, on all branches */
    lode_coin_pool pool;
    lode_made_coin *coinbases; /* by height - 1, of this chain */
    size_t coinbase_capacity;
    lode_block_plan plan;
    lode_buf raw;
    lode_chain_place at;
    lode_chain_place *marks;
    size_t mark_count, mark_capacity;
};

/* Makes the plan ready for the block upon the tip; again does nothing. */
lode_status lode_maker_begin(lode_chain_maker *m);
/* Signs and assembles what is planned: the block is the tip, its outputs are coins. */
lode_status lode_maker_finish(lode_chain_maker *m, lode_made_block *out, lode_block_spoil spoil);

#endif
