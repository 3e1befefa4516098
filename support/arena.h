/* support/arena.h: memory that is freed all at once. One arena serves each block in flight. */
#ifndef LODE_SUPPORT_ARENA_H
#define LODE_SUPPORT_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct lode_arena {
    struct lode_arena_chunk *first; /* newest */
    unsigned char *at;
    unsigned char *end;
    size_t total_bytes; /* of all chunks */
} lode_arena;

#define LODE_ARENA_EMPTY { NULL, NULL, NULL, 0 }

/* `size` bytes aligned to 16, uninitialised, or NULL when memory is out. Lent until clear or reset. */
void *lode_arena_take(lode_arena *a, size_t size);
/* count * size with overflow check. */
void *lode_arena_take_array(lode_arena *a, size_t count, size_t size);
/* Room for `size` bytes in one piece, for a caller that knows what is coming; false when memory is out. */
bool lode_arena_reserve(lode_arena *a, size_t size);
void lode_arena_reset(lode_arena *a); /* forget everything, keep the largest chunk for reuse */
void lode_arena_clear(lode_arena *a); /* free everything */

#endif
