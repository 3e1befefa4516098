/* support/thread.h: mutexes that know their owner, condition variables, threads, a clock. */
#ifndef LODE_SUPPORT_THREAD_H
#define LODE_SUPPORT_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "support/check.h"
#include "support/status.h"

typedef struct lode_mutex {
    pthread_mutex_t m;
    uintptr_t owner; /* atomic; the holder's pthread_self, or 0 */
} lode_mutex;
#define LODE_MUTEX_INITIALIZER { PTHREAD_MUTEX_INITIALIZER, 0 }
typedef struct lode_cond {
    pthread_cond_t c;
} lode_cond;

void lode_mutex_init(lode_mutex *m);
void lode_mutex_clear(lode_mutex *m);
static inline void lode_mutex_own(lode_mutex *m) /* for the functions here */
{
    __atomic_store_n(&m->owner, (uintptr_t)pthread_self(), __ATOMIC_RELAXED);
}
static inline void lode_mutex_disown(lode_mutex *m) /* for the functions here */
{
    __atomic_store_n(&m->owner, 0, __ATOMIC_RELAXED);
}
static inline void lode_mutex_lock(lode_mutex *m)
{
    pthread_mutex_lock(&m->m);
    lode_mutex_own(m);
}
static inline void lode_mutex_unlock(lode_mutex *m)
{
    lode_mutex_disown(m);
    pthread_mutex_unlock(&m->m);
}
static inline bool lode_mutex_is_held(lode_mutex *m) /* by the calling thread */
{
    return __atomic_load_n(&m->owner, __ATOMIC_RELAXED) == (uintptr_t)pthread_self();
}
/* First line of a function that needs a lock. */
#define lode_mutex_assert_held(mutex) LODE_CHECK(lode_mutex_is_held(mutex))
void lode_cond_init(lode_cond *c); /* waits are on the monotonic clock */
void lode_cond_clear(lode_cond *c);
static inline void lode_cond_wait(lode_cond *c, lode_mutex *m)
{
    lode_mutex_disown(m);
    pthread_cond_wait(&c->c, &m->m);
    lode_mutex_own(m);
}
/* False when the time ran out. */
bool lode_cond_wait_us(lode_cond *c, lode_mutex *m, uint64_t timeout_us);
static inline void lode_cond_signal(lode_cond *c)
{
    pthread_cond_signal(&c->c);
}
static inline void lode_cond_broadcast(lode_cond *c)
{
    pthread_cond_broadcast(&c->c);
}

typedef struct lode_thread {
    pthread_t id;
    bool started;
} lode_thread;
/* Signals are blocked in the new thread: the host's threads keep them. Its stack has 1 MiB. `name` (15 characters)
 * shows in debuggers. */
lode_status lode_thread_start(lode_thread *t, const char *name, void *(*run)(void *), void *context);
void lode_thread_join(lode_thread *t); /* a thread that was not started is success */

uint64_t lode_clock_ns(void);            /* monotonic */
uint64_t lode_thread_cpu_ns(void);       /* of the calling thread */
unsigned lode_cpu_count(void);           /* processors this process may run on, at least 1 */

#endif
