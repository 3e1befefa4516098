/* bench/chain/coin_pool.h: the coins of a maker's chain, youngest near the end, with a journal to go back by. */
#ifndef LODE_BENCH_COIN_POOL_H
#define LODE_BENCH_COIN_POOL_H

#include "bench/chain/chain_maker.h"

typedef struct lode_coin_pool {
    lode_made_coin **chunks; /* of LODE_POOL_CHUNK coins each, so that growing moves nothing */
    size_t chunk_count;
    uint64_t count;
    struct lode_pool_step *journal; /* steps since the oldest mark */
    size_t journal_len, journal_capacity;
    uint32_t mark_count; /* while 0 nothing is written down */
} lode_coin_pool;

#define LODE_COIN_POOL_EMPTY                                                                                           \
    {                                                                                                                  \
        NULL, 0, 0, NULL, 0, 0, 0                                                                                      \
    }
#define LODE_POOL_CHUNK 65536

void lode_coin_pool_clear(lode_coin_pool *pool);

static inline lode_made_coin *lode_coin_pool_at(const lode_coin_pool *pool, uint64_t i)
{
    return &pool->chunks[i / LODE_POOL_CHUNK][i % LODE_POOL_CHUNK];
}

/* Errors of all: LODE_NO_MEMORY. */
lode_status lode_coin_pool_push(lode_coin_pool *pool, const lode_made_coin *coin);
/* Takes coin i out; the last coin comes into its place. */
lode_status lode_coin_pool_take(lode_coin_pool *pool, lode_made_coin *coin, uint64_t i);

/* A mark is a place in the journal. Going back undoes every step after it. */
size_t lode_coin_pool_mark(lode_coin_pool *pool);
void lode_coin_pool_rewind(lode_coin_pool *pool, size_t mark); /* forgets the mark too */
void lode_coin_pool_drop_mark(lode_coin_pool *pool);

#endif
