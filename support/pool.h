/* support/pool.h: worker threads that run small tasks, urgent ones first.
 *
 * A task is part of the caller's own struct, so that submitting takes no memory and cannot fail:
 *     struct check { lode_task task; ... };
 *     static void run_check(lode_task *task) { struct check *c = (struct check *)task; ... }
 * One lock guards both queues: a task should be worth some 50 us; smaller work is put together by the caller.
 */
#ifndef LODE_SUPPORT_POOL_H
#define LODE_SUPPORT_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "support/status.h"

typedef struct lode_pool lode_pool;

typedef struct lode_task {
    struct lode_task *next; /* the pool's while queued */
    /* Called once, by any thread. The pool does not touch the task from then on, so it may be freed or queued again. */
    void (*run)(struct lode_task *task);
} lode_task;

typedef enum lode_pool_priority { LODE_POOL_URGENT = 0, LODE_POOL_NORMAL = 1 } lode_pool_priority;

/* Start `threads` workers; none is allowed, then only lode_pool_help and lode_pool_destroy run tasks.
 * Out: *out  given: lode_pool_destroy. `name` shows in debuggers, with the worker's number. */
lode_status lode_pool_create(lode_pool **out, unsigned threads, const char *name);
/* Runs what is queued, and what that queues, then ends the workers. NULL does nothing. */
void lode_pool_destroy(lode_pool *pool);

/* From any thread, a task's too. Within one priority tasks start in the order in which they came. */
void lode_pool_submit(lode_pool *pool, lode_pool_priority priority, lode_task *task);
/* Tasks linked by `next`, NULL at the end, with the lock taken once. */
void lode_pool_submit_list(lode_pool *pool, lode_pool_priority priority, lode_task *first);

/* The calling thread runs one queued task; false if there is none. For a thread that waits for tasks anyway. */
bool lode_pool_help(lode_pool *pool);

unsigned lode_pool_thread_count(const lode_pool *pool);
/* Processor time of all workers so far; what lode_pool_help ran counts for its caller's thread. */
uint64_t lode_pool_cpu_ns(lode_pool *pool);

#endif
