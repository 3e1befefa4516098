/* loadblock/chunk.c: the memory that holds input bytes while blocks point into them.
 *
 * Room:     counting and reuse. The budget is what keeps an import's memory bounded, whatever the input.
 * Threads:  any; one lock, taken per chunk and not per block.
 */
#include "loadblock/chunk.h"

#include <stdlib.h>

#include "support/check.h"

struct lode_chunk_pool {
    size_t usual_bytes, budget_bytes; /* constant */
    lode_mutex lock;                  /* guards what follows */
    lode_cond room;
    size_t used_bytes;
    lode_chunk *free_list;
    bool stopped;
};

lode_status lode_chunk_pool_create(lode_chunk_pool **out, size_t usual_bytes, size_t budget_bytes)
{
    lode_chunk_pool *p = calloc(1, sizeof *p);
    *out = NULL;
    if (!p)
        return lode_fail(LODE_NO_MEMORY, "no memory for input buffers");
    p->usual_bytes = usual_bytes;
    p->budget_bytes = budget_bytes;
    lode_mutex_init(&p->lock);
    lode_cond_init(&p->room);
    *out = p;
    return lode_ok();
}

static void free_chunk(lode_chunk *c)
{
    if (!c)
        return;
    free(c->data);
    free(c);
}

void lode_chunk_pool_destroy(lode_chunk_pool *p)
{
    if (!p)
        return;
    LODE_CHECK(p->used_bytes == 0);
    while (p->free_list) {
        lode_chunk *next = p->free_list->next_free;
        free_chunk(p->free_list);
        p->free_list = next;
    }
    lode_cond_clear(&p->room);
    lode_mutex_clear(&p->lock);
    free(p);
}

static lode_chunk *make_chunk(lode_chunk_pool *p, size_t bytes)
{
    lode_chunk *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->data = malloc(bytes ? bytes : 1);
    c->capacity = bytes;
    c->pool = p;
    if (!c->data) {
        free(c);
        return NULL;
    }
    return c;
}

lode_chunk *lode_chunk_take(lode_chunk_pool *p, size_t bytes, bool may_wait)
{
    lode_chunk *c = NULL;

    lode_mutex_lock(&p->lock);
    while (may_wait && !p->stopped && p->used_bytes && p->used_bytes + bytes > p->budget_bytes)
        lode_cond_wait(&p->room, &p->lock);
    if (p->stopped && may_wait) {
        lode_mutex_unlock(&p->lock);
        return NULL;
    }
    p->used_bytes += bytes;
    if (bytes == p->usual_bytes && p->free_list) {
        c = p->free_list;
        p->free_list = c->next_free;
    }
    lode_mutex_unlock(&p->lock);
    if (!c)
        c = make_chunk(p, bytes);
    if (!c) {
        lode_mutex_lock(&p->lock);
        p->used_bytes -= bytes;
        lode_mutex_unlock(&p->lock);
        return NULL;
    }
    c->next_free = NULL;
    __atomic_store_n(&c->references, 1, __ATOMIC_RELAXED);
    return c;
}

void lode_chunk_stop(lode_chunk_pool *p)
{
    lode_mutex_lock(&p->lock);
    p->stopped = true;
    lode_cond_broadcast(&p->room);
    lode_mutex_unlock(&p->lock);
}

void lode_chunk_hold(lode_chunk *c)
{
    __atomic_add_fetch(&c->references, 1, __ATOMIC_RELAXED);
}

void lode_chunk_release(lode_chunk *c)
{
    lode_chunk_pool *p;
    if (!c || __atomic_sub_fetch(&c->references, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    p = c->pool;
    lode_mutex_lock(&p->lock);
    p->used_bytes -= c->capacity;
    if (c->capacity == p->usual_bytes && !p->stopped) {
        c->next_free = p->free_list;
        p->free_list = c;
        c = NULL;
    }
    lode_cond_broadcast(&p->room);
    lode_mutex_unlock(&p->lock);
    free_chunk(c);
}
