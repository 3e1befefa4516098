/* bench/chain/block_plan.h: a block before it is signed: who pays whom, and in what order it must be signed. */
#ifndef LODE_BENCH_BLOCK_PLAN_H
#define LODE_BENCH_BLOCK_PLAN_H

#include "bench/chain/chain_maker.h"
#include "bench/chain/coin_pool.h"
#include "bench/chain/random.h"

/* A transaction of the plan. Signing fills the last group. */
typedef struct lode_planned_tx {
    uint32_t first_input, input_count; /* in plan->inputs */
    uint32_t first_output, output_count;
    int32_t version;
    uint32_t lock_time;
    uint32_t level; /* one more than the highest whose outputs it spends: levels are signed in order */

    const uint8_t *raw; /* lent until the signers begin another block */
    uint32_t size, base_size;
    bool has_witness;
    lode_txid txid;
    lode_wtxid wtxid;
} lode_planned_tx;

typedef struct lode_block_plan {
    lode_planned_tx *txs;
    size_t tx_count, tx_capacity;
    lode_maker_input *inputs;
    size_t input_count, input_capacity;
    lode_maker_output *outputs;
    size_t output_count, output_capacity;
    lode_made_coin *fresh; /* outputs of this block that nothing in it spends */
    size_t fresh_count, fresh_capacity;
    uint32_t height;
    uint32_t level_count;
    int64_t fees;
    uint64_t weight; /* at most */
    uint64_t sigops; /* cost units, coinbase not included */
    uint64_t signatures;
} lode_block_plan;

#define LODE_BLOCK_PLAN_EMPTY                                                                                          \
    {                                                                                                                  \
        0                                                                                                              \
    }

void lode_block_plan_clear(lode_block_plan *plan);
void lode_block_plan_reset(lode_block_plan *plan, uint32_t height);

/* Puts a transaction at the end of the plan; its outputs become fresh coins, and those it spends stop being fresh.
 * Errors: LODE_NO_MEMORY, LODE_INVALID_ARGUMENT for a source that does not come before. */
lode_status lode_block_plan_add(lode_block_plan *plan, uint32_t *position, const lode_maker_tx *tx);

/* Fills the plan with random transactions as the recipe says, spending from the pool. */
lode_status lode_block_plan_fill(lode_block_plan *plan, const lode_chain_recipe *recipe, lode_random *random,
                                 lode_coin_pool *pool);

/* A kind by the recipe's weights. */
lode_coin_kind lode_recipe_draw_kind(const lode_chain_recipe *recipe, lode_random *random);

#endif
