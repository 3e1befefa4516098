/* test/support/pool_test.c: every task runs once, urgent ones first, and ending a pool loses none. */
#include "support/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/thread.h"

typedef struct counted_task {
    lode_task task;
    unsigned runs;
    unsigned order;
    unsigned *clock; /* atomic */
} counted_task;

static void count_run(lode_task *task)
{
    counted_task *t = (counted_task *)task;

    t->runs++;
    t->order = __atomic_fetch_add(t->clock, 1, __ATOMIC_RELAXED);
}

static counted_task *make_tasks(size_t count, unsigned *clock)
{
    counted_task *tasks = calloc(count, sizeof *tasks);

    assert_non_null(tasks);
    for (size_t i = 0; i < count; i++) {
        tasks[i].task.run = count_run;
        tasks[i].clock = clock;
    }
    return tasks;
}

static void every_task_runs_once_before_the_pool_ends(void **state)
{
    for (unsigned threads = 0; threads <= 4; threads++) {
        unsigned clock = 0;
        counted_task *tasks = make_tasks(1000, &clock);
        lode_pool *pool;

        assert_int_equal(lode_pool_create(&pool, threads, "test").code, LODE_OK);
        assert_int_equal(lode_pool_thread_count(pool), threads);
        for (size_t i = 0; i < 500; i++)
            lode_pool_submit(pool, i % 3 ? LODE_POOL_NORMAL : LODE_POOL_URGENT, &tasks[i].task);
        for (size_t i = 500; i + 1 < 1000; i++)
            tasks[i].task.next = &tasks[i + 1].task;
        lode_pool_submit_list(pool, LODE_POOL_NORMAL, &tasks[500].task);
        lode_pool_destroy(pool);
        for (size_t i = 0; i < 1000; i++)
            assert_int_equal(tasks[i].runs, 1);
        free(tasks);
    }
    lode_pool_destroy(NULL);
}

static void urgent_tasks_go_first_and_each_queue_keeps_its_order(void **state)
{
    unsigned clock = 0;
    counted_task *tasks = make_tasks(6, &clock);
    lode_pool *pool;

    assert_int_equal(lode_pool_create(&pool, 0, "test").code, LODE_OK);
    for (size_t i = 0; i < 6; i++)
        lode_pool_submit(pool, i % 2 ? LODE_POOL_URGENT : LODE_POOL_NORMAL, &tasks[i].task);
    while (lode_pool_help(pool))
        ;
    assert_false(lode_pool_help(pool));
    static const unsigned want[6] = { 3, 0, 4, 1, 5, 2 };
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(tasks[i].order, want[i]);
    lode_pool_destroy(pool);
    free(tasks);
}

typedef struct spawning_task {
    lode_task task;
    lode_pool *pool;
    unsigned left;
    unsigned *total; /* atomic */
} spawning_task;

static void spawn_again(lode_task *task)
{
    spawning_task *t = (spawning_task *)task;

    __atomic_fetch_add(t->total, 1, __ATOMIC_RELAXED);
    if (t->left-- > 0)
        lode_pool_submit(t->pool, LODE_POOL_NORMAL, task);
}

static void a_task_may_queue_itself_again_even_while_the_pool_ends(void **state)
{
    for (unsigned threads = 0; threads <= 2; threads++) {
        unsigned total = 0;
        spawning_task t = { { NULL, spawn_again }, NULL, 99, &total };

        assert_int_equal(lode_pool_create(&t.pool, threads, "test").code, LODE_OK);
        lode_pool_submit(t.pool, LODE_POOL_URGENT, &t.task);
        lode_pool_destroy(t.pool);
        assert_int_equal(total, 100);
    }
}

static void spin_one_millisecond(lode_task *task)
{
    uint64_t until = lode_thread_cpu_ns() + 1000000;

    while (lode_thread_cpu_ns() < until)
        ;
    free(task);
}

static void the_workers_processor_time_is_known(void **state)
{
    unsigned clock = 0;
    counted_task *last = make_tasks(1, &clock);
    lode_pool *pool;

    assert_int_equal(lode_pool_create(&pool, 1, "test").code, LODE_OK);
    for (int i = 0; i < 5; i++) {
        lode_task *task = calloc(1, sizeof *task); /* frees itself when run */
        task->run = spin_one_millisecond;
        lode_pool_submit(pool, LODE_POOL_NORMAL, task);
    }
    lode_pool_submit(pool, LODE_POOL_NORMAL, &last->task);
    while (__atomic_load_n(&clock, __ATOMIC_ACQUIRE) == 0)
        sched_yield();
    assert_true(lode_pool_cpu_ns(pool) >= 5000000);
    lode_pool_destroy(pool);
    free(last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once_before_the_pool_ends),
        cmocka_unit_test(urgent_tasks_go_first_and_each_queue_keeps_its_order),
        cmocka_unit_test(a_task_may_queue_itself_again_even_while_the_pool_ends),
        cmocka_unit_test(the_workers_processor_time_is_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
