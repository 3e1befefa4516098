/* support/thread.c: threads, condition variables and clocks of the system.
 *
 * Touches:  pthreads and clock_gettime only.
 * Threads:  any.
 */
#include "support/thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/check.h"

#define NS_PER_S UINT64_C(1000000000)
#define STACK_BYTES ((size_t)1 << 20) /* the largest frame of ours has 64 KiB */

void lode_mutex_init(lode_mutex *m)
{
    pthread_mutex_init(&m->m, NULL);
    m->owner = 0;
}

void lode_mutex_clear(lode_mutex *m)
{
    pthread_mutex_destroy(&m->m);
}

void lode_cond_init(lode_cond *c)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&c->c, &attributes);
    pthread_condattr_destroy(&attributes);
}

void lode_cond_clear(lode_cond *c)
{
    pthread_cond_destroy(&c->c);
}

static uint64_t read_clock_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

bool lode_cond_wait_us(lode_cond *c, lode_mutex *m, uint64_t timeout_us)
{
    uint64_t until = read_clock_ns(CLOCK_MONOTONIC);
    uint64_t wait_ns;

    if (__builtin_mul_overflow(timeout_us, UINT64_C(1000), &wait_ns) || wait_ns > INT64_MAX / 2)
        wait_ns = INT64_MAX / 2;
    until += wait_ns;
    struct timespec t = { (time_t)(until / NS_PER_S), (long)(until % NS_PER_S) };
    lode_mutex_disown(m);
    int error = pthread_cond_timedwait(&c->c, &m->m, &t);
    lode_mutex_own(m);
    return error != ETIMEDOUT;
}

/* What a new thread needs before it runs the caller's function; freed by the thread. */
typedef struct start_record {
    void *(*run)(void *);
    void *context;
    char name[16];
} start_record;

static void *run_named(void *context)
{
    start_record record = *(start_record *)context;

    free(context);
    pthread_setname_np(pthread_self(), record.name);
    return record.run(record.context);
}

/* A limit on address space (ulimit -v) counts stacks whole, whatever is used of them. Sanitizers make frames larger. */
static void choose_stack(pthread_attr_t *attributes)
{
    pthread_attr_init(attributes);
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    pthread_attr_setstacksize(attributes, STACK_BYTES);
#endif
}

lode_status lode_thread_start(lode_thread *t, const char *name, void *(*run)(void *), void *context)
{
    start_record *record = malloc(sizeof *record);
    pthread_attr_t attributes;
    sigset_t all, before;

    t->started = false;
    if (!record)
        return lode_fail(LODE_NO_MEMORY, "no memory to start thread %s", name);
    *record = (start_record){ run, context, "" };
    snprintf(record->name, sizeof record->name, "%.15s", name);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    choose_stack(&attributes);
    int error = pthread_create(&t->id, &attributes, run_named, record);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) {
        free(record);
        return lode_fail_errno(error, "cannot start thread %s", name);
    }
    t->started = true;
    return lode_ok();
}

void lode_thread_join(lode_thread *t)
{
    if (!t->started)
        return;
    LODE_CHECK(pthread_join(t->id, NULL) == 0);
    t->started = false;
}

uint64_t lode_clock_ns(void)
{
    return read_clock_ns(CLOCK_MONOTONIC);
}

uint64_t lode_thread_cpu_ns(void)
{
    return read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

unsigned lode_cpu_count(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (unsigned)CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}
