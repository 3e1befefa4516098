/* test/support/fault_env.h: a lode_env that passes every call on to another one, counts it, and fails the chosen ones.
 *
 *     lode_env *env = lode_fault_env_create(base);        base: lode_env_system() or a memory env; kept
 *     for (uint64_t n = 0;; n++) {
 *         lode_fault_env_plan(env, &(lode_fault_plan){ .calls = LODE_FAULT_CHANGES, .skip = n, .times = 1,
 *                                                      .error_number = EIO });
 *         ... run; it must fail cleanly, or have no need of that call ...
 *         if (!lode_fault_env_failed(env))
 *             break;                                      every call has had its turn
 *     }
 *
 * For a machine that dies in the middle: .times = UINT64_MAX fails everything from there on, then
 * lode_memory_env_power_on gives back the files. Or .hook = a function that calls lode_memory_env_power_off.
 * Closing, unlocking, advice and write-back hints are passed on and never fail. Threads: any.
 */
#ifndef LODE_TEST_FAULT_ENV_H
#define LODE_TEST_FAULT_ENV_H

#include "support/env.h"

enum lode_fault_call {
    LODE_FAULT_OPEN = 1 << 0,
    LODE_FAULT_PREAD = 1 << 1,
    LODE_FAULT_READ = 1 << 2,
    LODE_FAULT_PWRITE = 1 << 3,
    LODE_FAULT_SYNC = 1 << 4,
    LODE_FAULT_TRUNCATE = 1 << 5,
    LODE_FAULT_ALLOCATE = 1 << 6,
    LODE_FAULT_FILE_INFO = 1 << 7,
    LODE_FAULT_COPY_RANGE = 1 << 8,
    LODE_FAULT_MAP = 1 << 9,
    LODE_FAULT_PATH_INFO = 1 << 10,
    LODE_FAULT_LIST = 1 << 11,
    LODE_FAULT_MAKE_DIRECTORY = 1 << 12,
    LODE_FAULT_SYNC_DIRECTORY = 1 << 13,
    LODE_FAULT_RENAME = 1 << 14,
    LODE_FAULT_LINK = 1 << 15,
    LODE_FAULT_REMOVE = 1 << 16,
    LODE_FAULT_REMOVE_DIRECTORY = 1 << 17,
    LODE_FAULT_LOCK = 1 << 18,
    LODE_FAULT_IS_LOCKED = 1 << 19,
    LODE_FAULT_FREE_SPACE = 1 << 20,
    LODE_FAULT_ALL = (1 << 21) - 1,
    /* What changes the disk or asks it to remember. */
    LODE_FAULT_CHANGES = LODE_FAULT_PWRITE | LODE_FAULT_SYNC | LODE_FAULT_TRUNCATE | LODE_FAULT_ALLOCATE |
                         LODE_FAULT_COPY_RANGE | LODE_FAULT_MAKE_DIRECTORY | LODE_FAULT_SYNC_DIRECTORY |
                         LODE_FAULT_RENAME | LODE_FAULT_LINK | LODE_FAULT_REMOVE | LODE_FAULT_REMOVE_DIRECTORY,
};

typedef struct lode_fault_plan {
    unsigned calls;            /* which kinds count and fail; 0 fails none */
    const char *path_contains; /* only calls on such a path, NULL for any; kept */
    /* Only calls of which this says true; NULL: all. Asked under a lock, for all calls of the kinds above in turn, so it
     * may count them, too. */
    bool (*matches)(void *context, unsigned call, const char *path);
    void *matches_context;
    uint64_t skip;             /* so many of these calls pass first */
    uint64_t times;            /* so many fail then; UINT64_MAX for all that follow */
    int error_number;          /* EIO, ENOSPC, EMFILE, ... */
    /* A failing pwrite first writes this many of its bytes (all but one at most): a torn write. */
    size_t torn_bytes;
    /* Called before the first call that fails, without a lock; may be NULL. With error_number 0 the calls then go
     * through: a point in time to do something at. */
    void (*hook)(void *context);
    void *hook_context;
    bool has_endless_space; /* free_space tells of room that is not there */
} lode_fault_plan;

/* Given: lode_fault_env_destroy. NULL when memory is out. */
lode_env *lode_fault_env_create(lode_env *base);
void lode_fault_env_destroy(lode_env *env);

/* From now on. NULL: nothing fails. Counts of calls and failures begin again at zero. */
void lode_fault_env_plan(lode_env *env, const lode_fault_plan *plan);
/* Calls of these kinds since the plan was made, those that failed included. */
uint64_t lode_fault_env_count(lode_env *env, unsigned calls);
/* How many calls the plan has hit. */
uint64_t lode_fault_env_failed(lode_env *env);

#endif
