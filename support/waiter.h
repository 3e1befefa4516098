/* support/waiter.h: one thread waits until any of many things has happened; telling it costs nothing unless it waits. */
#ifndef LODE_SUPPORT_WAITER_H
#define LODE_SUPPORT_WAITER_H

#include <stdlib.h>

#include "support/thread.h"

/* It must outlive the threads that tell: one that stored what happened may still be about to tell it. */
typedef struct lode_waiter {
    lode_mutex lock;
    lode_cond cond;
    unsigned count;   /* atomic: things that have happened */
    unsigned waiting; /* atomic: threads that wait */
} lode_waiter;

static inline void lode_waiter_init(lode_waiter *w)
{
    lode_mutex_init(&w->lock);
    lode_cond_init(&w->cond);
    w->count = 0;
    w->waiting = 0;
}
static inline void lode_waiter_clear(lode_waiter *w)
{
    lode_cond_clear(&w->cond);
    lode_mutex_clear(&w->lock);
}
/* One of its own, for an object that is copied; given: lode_waiter_destroy. NULL when memory is out. */
static inline lode_waiter *lode_waiter_create(void)
{
    lode_waiter *w = malloc(sizeof *w);
    if (w)
        lode_waiter_init(w);
    return w;
}
static inline void lode_waiter_destroy(lode_waiter *w)
{
    if (!w)
        return;
    lode_waiter_clear(w);
    free(w);
}
/* Something happened; what it was has been stored before. */
static inline void lode_waiter_tell(lode_waiter *w)
{
    __atomic_add_fetch(&w->count, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&w->waiting, __ATOMIC_SEQ_CST)) {
        lode_mutex_lock(&w->lock);
        lode_cond_broadcast(&w->cond);
        lode_mutex_unlock(&w->lock);
    }
}
/* Take this before looking; if what was hoped for is not there, wait with it: nothing told in between is lost. */
static inline unsigned lode_waiter_look(const lode_waiter *w)
{
    return __atomic_load_n(&w->count, __ATOMIC_SEQ_CST);
}
static inline void lode_waiter_wait(lode_waiter *w, unsigned seen, uint64_t timeout_us)
{
    lode_mutex_lock(&w->lock);
    __atomic_add_fetch(&w->waiting, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&w->count, __ATOMIC_SEQ_CST) == seen && lode_cond_wait_us(&w->cond, &w->lock, timeout_us))
        ;
    __atomic_sub_fetch(&w->waiting, 1, __ATOMIC_SEQ_CST);
    lode_mutex_unlock(&w->lock);
}

#endif
