/* chainstate/coins_pool.h: memory for records, in chunks of 16 KiB that pass from one generation to the next. */
#ifndef LODE_CHAINSTATE_COINS_POOL_H
#define LODE_CHAINSTATE_COINS_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LODE_COINS_CHUNK 16384u

typedef struct lode_coins_pool {
    size_t region_bytes; /* constant; what is asked of the system at a time */
    uint8_t **regions;
    size_t region_count, region_capacity;
    uint8_t *at, *end; /* rest of the newest region */
    uint8_t **free;    /* a stack; as much room as there are chunks in all regions */
    size_t free_count;
    size_t used_bytes; /* atomic; kept by its users: chunks they hold, their tables and lists */
} lode_coins_pool;

void lode_coins_pool_init(lode_coins_pool *pool, size_t budget_bytes);
void lode_coins_pool_clear(lode_coins_pool *pool);
/* Uninitialised, aligned to 64; NULL when memory is out. */
uint8_t *lode_coins_pool_take(lode_coins_pool *pool);
void lode_coins_pool_give(lode_coins_pool *pool, uint8_t *chunk);
/* The system may have the memory of chunks that are free. */
void lode_coins_pool_trim(lode_coins_pool *pool);

#endif
