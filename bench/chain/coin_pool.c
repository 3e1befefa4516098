/* bench/chain/coin_pool.c: the coins of a maker's chain.
 *
 * Room:     an array where the last coin fills each gap, so that any coin is drawn in one step.
 * Touches:  memory alone.
 * Threads:  one.
 * Promise:  rewinding restores every coin and its place, so that what is drawn later does not depend on branches.
 */
#include "bench/chain/coin_pool.h"

#include <stdlib.h>

#include "support/check.h"

typedef struct lode_pool_step {
    uint64_t place; /* PUSHED, or where the coin was taken */
    lode_made_coin coin;
} lode_pool_step;

#define PUSHED UINT64_MAX

void lode_coin_pool_clear(lode_coin_pool *pool)
{
    for (size_t i = 0; i < pool->chunk_count; i++)
        free(pool->chunks[i]);
    free(pool->chunks);
    free(pool->journal);
    *pool = (lode_coin_pool)LODE_COIN_POOL_EMPTY;
}

static lode_status add_chunk(lode_coin_pool *pool)
{
    lode_made_coin **chunks = (lode_made_coin **)realloc(pool->chunks, (pool->chunk_count + 1) * sizeof *pool->chunks);

    if (!chunks)
        return lode_fail(LODE_NO_MEMORY, "no memory for %llu coins", (unsigned long long)pool->count);
    pool->chunks = chunks;
    chunks[pool->chunk_count] = (lode_made_coin *)malloc(LODE_POOL_CHUNK * sizeof **chunks);
    if (!chunks[pool->chunk_count])
        return lode_fail(LODE_NO_MEMORY, "no memory for %llu coins", (unsigned long long)pool->count);
    pool->chunk_count++;
    return lode_ok();
}

static lode_status write_down(lode_coin_pool *pool, uint64_t place, const lode_made_coin *coin)
{
    if (!pool->mark_count)
        return lode_ok();
    if (pool->journal_len == pool->journal_capacity) {
        size_t capacity = pool->journal_capacity ? pool->journal_capacity * 2 : 1024;
        lode_pool_step *journal = (lode_pool_step *)realloc(pool->journal, capacity * sizeof *journal);

        if (!journal)
            return lode_fail(LODE_NO_MEMORY, "no memory for a journal of %zu coins", capacity);
        pool->journal = journal;
        pool->journal_capacity = capacity;
    }
    pool->journal[pool->journal_len].place = place;
    pool->journal[pool->journal_len].coin = *coin;
    pool->journal_len++;
    return lode_ok();
}

lode_status lode_coin_pool_push(lode_coin_pool *pool, const lode_made_coin *coin)
{
    if (pool->count == (uint64_t)pool->chunk_count * LODE_POOL_CHUNK)
        LODE_TRY(add_chunk(pool));
    LODE_TRY(write_down(pool, PUSHED, coin));
    *lode_coin_pool_at(pool, pool->count) = *coin;
    pool->count++;
    return lode_ok();
}

lode_status lode_coin_pool_take(lode_coin_pool *pool, lode_made_coin *coin, uint64_t i)
{
    lode_made_coin *place = lode_coin_pool_at(pool, i);

    LODE_TRY(write_down(pool, i, place));
    *coin = *place;
    pool->count--;
    *place = *lode_coin_pool_at(pool, pool->count);
    return lode_ok();
}

size_t lode_coin_pool_mark(lode_coin_pool *pool)
{
    pool->mark_count++;
    return pool->journal_len;
}

void lode_coin_pool_drop_mark(lode_coin_pool *pool)
{
    LODE_CHECK(pool->mark_count > 0);
    pool->mark_count--;
    if (!pool->mark_count)
        pool->journal_len = 0;
}

void lode_coin_pool_rewind(lode_coin_pool *pool, size_t mark)
{
    while (pool->journal_len > mark) {
        const lode_pool_step *step = &pool->journal[--pool->journal_len];

        if (step->place == PUSHED) {
            pool->count--;
            continue;
        }
        *lode_coin_pool_at(pool, pool->count) = *lode_coin_pool_at(pool, step->place);
        *lode_coin_pool_at(pool, step->place) = step->coin;
        pool->count++;
    }
    lode_coin_pool_drop_mark(pool);
}
