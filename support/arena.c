/* support/arena.c: a chain of chunks, cut from the front.
 *
 * Room:     memory from malloc only; no lock.
 * Threads:  one at a time for one arena.
 * Promise:  under AddressSanitizer, bytes that were not taken are poisoned, so running over an array is seen.
 */
#include "support/arena.h"

#include <stdint.h>
#include <stdlib.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define ARENA_POISONS 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define ARENA_POISONS 1
#endif

#ifdef ARENA_POISONS
#include <sanitizer/asan_interface.h>
#define POISON(p, n) ASAN_POISON_MEMORY_REGION(p, n)
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
#else
#define POISON(p, n) ((void)0)
#define UNPOISON(p, n) ((void)0)
#endif

#define ALIGNMENT 16
#define FIRST_CHUNK (64 * 1024)
#define DOUBLING_UP_TO (512 * 1024) /* beyond it a chunk adds a quarter, so that little is left unused */

typedef struct lode_arena_chunk {
    struct lode_arena_chunk *older;
    size_t size; /* bytes of payload */
    _Alignas(ALIGNMENT) unsigned char payload[];
} chunk;

static void use_chunk(lode_arena *a, chunk *c)
{
    a->at = c->payload;
    a->end = c->payload + c->size;
    POISON(c->payload, c->size);
}

static void free_chunk(chunk *c)
{
    UNPOISON(c->payload, c->size);
    free(c);
}

static chunk *add_chunk_of(lode_arena *a, size_t size)
{
    if (size > SIZE_MAX - sizeof(chunk))
        return NULL;
    chunk *c = malloc(sizeof(chunk) + size);
    if (!c)
        return NULL;
    c->size = size;
    c->older = a->first;
    a->first = c;
    a->total_bytes += size;
    use_chunk(a, c);
    return c;
}

bool lode_arena_reserve(lode_arena *a, size_t size)
{
    if (a->first && size <= (size_t)(a->end - a->at))
        return true;
    if (a->first && !a->first->older && a->at == a->first->payload)
        lode_arena_clear(a); /* empty and too small */
    return add_chunk_of(a, size) != NULL;
}

static chunk *add_chunk(lode_arena *a, size_t size)
{
    size_t step = a->total_bytes < FIRST_CHUNK ? FIRST_CHUNK : a->total_bytes;
    if (step > DOUBLING_UP_TO)
        step = step / 4 > DOUBLING_UP_TO ? step / 4 : DOUBLING_UP_TO;
    if (size < step)
        size = step;
    return add_chunk_of(a, size);
}

void *lode_arena_take(lode_arena *a, size_t size)
{
    if (size > SIZE_MAX - ALIGNMENT)
        return NULL;
    size_t rounded = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);

    if (!a->first || rounded > (size_t)(a->end - a->at)) {
        if (!add_chunk(a, rounded))
            return NULL;
    }
    void *taken = a->at;
    UNPOISON(taken, size);
    a->at += rounded;
    return taken;
}

void *lode_arena_take_array(lode_arena *a, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    return lode_arena_take(a, bytes);
}

void lode_arena_reset(lode_arena *a)
{
    chunk *largest = a->first;

    for (chunk *c = a->first; c; c = c->older) {
        if (c->size > largest->size)
            largest = c;
    }
    for (chunk *c = a->first, *older; c; c = older) {
        older = c->older;
        if (c != largest)
            free_chunk(c);
    }
    *a = (lode_arena)LODE_ARENA_EMPTY;
    if (!largest)
        return;
    largest->older = NULL;
    a->first = largest;
    a->total_bytes = largest->size;
    use_chunk(a, largest);
}

void lode_arena_clear(lode_arena *a)
{
    for (chunk *c = a->first, *older; c; c = older) {
        older = c->older;
        free_chunk(c);
    }
    *a = (lode_arena)LODE_ARENA_EMPTY;
}
