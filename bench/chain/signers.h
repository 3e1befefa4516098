/* bench/chain/signers.h: threads that make the transactions of a block plan. */
#ifndef LODE_BENCH_SIGNERS_H
#define LODE_BENCH_SIGNERS_H

#include "bench/chain/block_plan.h"
#include "bench/chain/keys.h"

typedef struct lode_signers lode_signers;

/* The caller's own thread is one of them. The ring is kept. *out is given: lode_signers_destroy. */
lode_status lode_signers_create(lode_signers **out, const lode_key_ring *ring, unsigned threads);
void lode_signers_destroy(lode_signers *s);

/* Makes every transaction of the plan, level by level. What was made for the plan before is gone. */
lode_status lode_signers_run(lode_signers *s, lode_block_plan *plan);

#endif
