/* chainstate/coins_pool.c: chunks for records, out of large regions.
 *
 * Room:     takes regions from the system, gives chunks out and takes them back.
 * Touches:  memory alone. Regions stand on boundaries of huge pages and ask for them: a lookup in a large cache then
 *           costs a cache miss, not a cache miss and a page walk.
 * Threads:  the chain's.
 */
#include "chainstate/coins_pool.h"

#include <stdlib.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

void lode_coins_pool_init(lode_coins_pool *pool, size_t budget_bytes)
{
    size_t region = (size_t)256 << 10;

    while (region < budget_bytes / 32 && region < (size_t)32 << 20)
        region *= 2;
    *pool = (lode_coins_pool){ .region_bytes = region };
}

void lode_coins_pool_clear(lode_coins_pool *pool)
{
    for (size_t i = 0; i < pool->region_count; i++)
        free(pool->regions[i]);
    free(pool->regions);
    free(pool->free);
    *pool = (lode_coins_pool){ .region_bytes = pool->region_bytes };
}

static bool grow_lists(lode_coins_pool *pool)
{
    size_t capacity = pool->region_capacity ? pool->region_capacity * 2 : 16;
    uint8_t **regions, **list;

    if (pool->region_count < pool->region_capacity)
        return true;
    regions = realloc(pool->regions, capacity * sizeof *regions);
    if (!regions)
        return false;
    pool->regions = regions;
    list = realloc(pool->free, capacity * (pool->region_bytes / LODE_COINS_CHUNK) * sizeof *list);
    if (!list)
        return false;
    pool->free = list;
    pool->region_capacity = capacity;
    return true;
}

static bool add_region(lode_coins_pool *pool)
{
    size_t alignment = pool->region_bytes < HUGE_PAGE ? LODE_COINS_CHUNK : HUGE_PAGE;
    uint8_t *region;

    if (!grow_lists(pool))
        return false;
    region = aligned_alloc(alignment, pool->region_bytes);
    if (!region)
        return false;
#ifdef MADV_HUGEPAGE
    if (alignment == HUGE_PAGE)
        (void)madvise(region, pool->region_bytes, MADV_HUGEPAGE); /* a wish: small pages serve as well */
#endif
    pool->regions[pool->region_count++] = region;
    pool->at = region;
    pool->end = region + pool->region_bytes;
    return true;
}

uint8_t *lode_coins_pool_take(lode_coins_pool *pool)
{
    uint8_t *chunk;

    if (pool->free_count > 0) {
        chunk = pool->free[--pool->free_count];
    } else {
        if (pool->at == pool->end && !add_region(pool))
            return NULL;
        chunk = pool->at;
        pool->at += LODE_COINS_CHUNK;
    }
    return chunk;
}

void lode_coins_pool_give(lode_coins_pool *pool, uint8_t *chunk)
{
    pool->free[pool->free_count++] = chunk;
}

void lode_coins_pool_trim(lode_coins_pool *pool)
{
    for (size_t i = 0; i < pool->free_count; i++)
        (void)madvise(pool->free[i], LODE_COINS_CHUNK, MADV_DONTNEED); /* without it the memory stays ours: no harm */
}
