/* snapshot/check_block.h: everything that is stored of one block, held against each other. For check.c. */
#ifndef LODE_SNAPSHOT_CHECK_BLOCK_H
#define LODE_SNAPSHOT_CHECK_BLOCK_H

#include "chainstate/chain.h"
#include "primitives/muhash.h"

/* The coins that blocks made, less those that they spent. Sums of parts are the parts' sums, whatever the order. */
typedef struct lode_set_sum {
    lode_muhash hash;
    int64_t coins, satoshis;
} lode_set_sum;
void lode_set_sum_init(lode_set_sum *sum);
void lode_set_sum_add(lode_set_sum *to, const lode_set_sum *from);

/* One task: a block by one worker. Used again for other blocks. */
typedef struct lode_block_check {
    lode_task task;
    lode_waiter *waiter;
    int done; /* atomic */
    /* asked */
    lode_chain *chain;
    const lode_entry *entry;
    bool is_active;                /* in the chain of the tip: it has undo data unless it is genesis */
    bool is_indexed;               /* its transactions are in the transaction index */
    bool sums;                     /* add to `sum` what the block makes and spends */
    uint32_t file_size, undo_size; /* of the files it lies in, as the index has them */
    /* answered */
    lode_status status; /* what is wrong, or why it cannot be told */
    uint32_t size;      /* of the block; 0: not known */
    lode_set_sum sum;   /* of all blocks this was used for */
    /* scratch */
    lode_arena arena;
    lode_buf raw, undo, form;
} lode_block_check;

void lode_block_check_init(lode_block_check *c, lode_chain *chain, lode_waiter *waiter);
void lode_block_check_clear(lode_block_check *c);
/* entry and what follows are set, done is 0. */
void lode_block_check_submit(lode_block_check *c, lode_pool *pool);

#endif
