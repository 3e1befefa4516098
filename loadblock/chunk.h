/* loadblock/chunk.h: pieces of input in memory, counted, and shared by the blocks that point into them. */
#ifndef LODE_LOADBLOCK_CHUNK_H
#define LODE_LOADBLOCK_CHUNK_H

#include "support/status.h"
#include "support/thread.h"

#include <stddef.h>

typedef struct lode_chunk_pool lode_chunk_pool;

typedef struct lode_chunk {
    unsigned char *data;
    size_t capacity;
    int references; /* atomic */
    lode_chunk_pool *pool;
    struct lode_chunk *next_free;
} lode_chunk;

/* All chunks together stay within `budget_bytes`, but a request is granted when nothing else is out, or when the asker
 * says it must not wait. Chunks of `usual_bytes` are kept for use again. */
lode_status lode_chunk_pool_create(lode_chunk_pool **out, size_t usual_bytes, size_t budget_bytes);
void lode_chunk_pool_destroy(lode_chunk_pool *pool); /* every chunk has been released; NULL does nothing */
/* Waits for room. NULL when memory is out, or after lode_chunk_pool_stop. One reference is the caller's. */
lode_chunk *lode_chunk_take(lode_chunk_pool *pool, size_t bytes, bool may_wait);
void lode_chunk_stop(lode_chunk_pool *pool); /* wakes all who wait; later takes give NULL */
void lode_chunk_hold(lode_chunk *chunk);
void lode_chunk_release(lode_chunk *chunk); /* NULL does nothing */

#endif
