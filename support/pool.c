/* support/pool.c: two queues, one lock, N workers.
 *
 * Room:     queues of borrowed tasks; a worker sleeps when both are empty.
 * Threads:  any; pool->lock guards the queues, and no task runs under it.
 * Promise:  every submitted task is run exactly once, at the latest by lode_pool_destroy.
 */
#include "support/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "support/thread.h"

typedef struct task_queue {
    lode_task *first;
    lode_task *last;
} task_queue;

struct lode_pool {
    /* Constant after create: */
    unsigned thread_count;
    /* Guarded by lock: */
    lode_mutex lock;
    lode_cond work; /* a task was queued, or stopping */
    task_queue queues[2];
    unsigned sleepers;
    bool stopping;

    lode_thread threads[];
};

static void append_list(task_queue *q, lode_task *first, lode_task *last)
{
    if (q->last)
        q->last->next = first;
    else
        q->first = first;
    q->last = last;
}

static lode_task *take_task(lode_pool *pool)
{
    lode_mutex_assert_held(&pool->lock);
    for (int i = LODE_POOL_URGENT; i <= LODE_POOL_NORMAL; i++) {
        task_queue *q = &pool->queues[i];
        lode_task *task = q->first;
        if (!task)
            continue;
        q->first = task->next;
        if (!q->first)
            q->last = NULL;
        return task;
    }
    return NULL;
}

/* NULL when the pool stops and nothing is queued. */
static lode_task *wait_for_task(lode_pool *pool)
{
    lode_mutex_lock(&pool->lock);
    lode_task *task = take_task(pool);
    while (!task && !pool->stopping) {
        pool->sleepers++;
        lode_cond_wait(&pool->work, &pool->lock);
        pool->sleepers--;
        task = take_task(pool);
    }
    lode_mutex_unlock(&pool->lock);
    return task;
}

static void *run_worker(void *context)
{
    lode_pool *pool = context;

    for (lode_task *task = wait_for_task(pool); task; task = wait_for_task(pool))
        task->run(task);
    return NULL;
}

static lode_status start_workers(lode_pool *pool, unsigned threads, const char *name)
{
    for (unsigned i = 0; i < threads; i++) {
        char numbered[24]; /* lode_thread_start cuts it */

        snprintf(numbered, sizeof numbered, "%.10s-%u", name, i);
        LODE_TRY(lode_thread_start(&pool->threads[i], numbered, run_worker, pool));
        pool->thread_count++;
    }
    return lode_ok();
}

lode_status lode_pool_create(lode_pool **out, unsigned threads, const char *name)
{
    lode_pool *pool = calloc(1, sizeof *pool + threads * sizeof pool->threads[0]);

    *out = NULL;
    if (!pool)
        return lode_fail(LODE_NO_MEMORY, "no memory for a pool of %u threads", threads);
    lode_mutex_init(&pool->lock);
    lode_cond_init(&pool->work);
    lode_status s = start_workers(pool, threads, name);
    if (lode_failed(s))
        lode_pool_destroy(pool);
    else
        *out = pool;
    return s;
}

void lode_pool_destroy(lode_pool *pool)
{
    if (!pool)
        return;
    lode_mutex_lock(&pool->lock);
    pool->stopping = true;
    lode_cond_broadcast(&pool->work);
    lode_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->thread_count; i++)
        lode_thread_join(&pool->threads[i]);
    while (lode_pool_help(pool))
        ; /* what a pool without threads still holds */
    lode_cond_clear(&pool->work);
    lode_mutex_clear(&pool->lock);
    free(pool);
}

void lode_pool_submit_list(lode_pool *pool, lode_pool_priority priority, lode_task *first)
{
    unsigned count = 1;
    lode_task *last = first;

    if (!first)
        return;
    for (; last->next; last = last->next)
        count++;
    lode_mutex_lock(&pool->lock);
    append_list(&pool->queues[priority], first, last);
    unsigned wake = pool->sleepers < count ? pool->sleepers : count;
    if (wake && wake == pool->sleepers)
        lode_cond_broadcast(&pool->work);
    else
        while (wake-- > 0)
            lode_cond_signal(&pool->work);
    lode_mutex_unlock(&pool->lock);
}

void lode_pool_submit(lode_pool *pool, lode_pool_priority priority, lode_task *task)
{
    task->next = NULL;
    lode_pool_submit_list(pool, priority, task);
}

bool lode_pool_help(lode_pool *pool)
{
    lode_mutex_lock(&pool->lock);
    lode_task *task = take_task(pool);
    lode_mutex_unlock(&pool->lock);
    if (!task)
        return false;
    task->run(task);
    return true;
}

unsigned lode_pool_thread_count(const lode_pool *pool)
{
    return pool->thread_count;
}

uint64_t lode_pool_cpu_ns(lode_pool *pool)
{
    uint64_t total = 0;

    for (unsigned i = 0; i < pool->thread_count; i++) {
        struct timespec t;
        clockid_t clock;

        if (pthread_getcpuclockid(pool->threads[i].id, &clock) == 0 && clock_gettime(clock, &t) == 0)
            total += (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    }
    return total;
}
