/* bench/suites/chapter.h: runs one chapter with one engine, in a process of its own. */
#ifndef LODE_BENCH_SUITES_CHAPTER_H
#define LODE_BENCH_SUITES_CHAPTER_H

#include "bench/suites/plan.h"

enum { LODE_WHY_MAX = 120 };

typedef enum lode_result_state {
    LODE_RESULT_NONE, /* not reached: the process ended before */
    LODE_RESULT_GOOD, /* its counts and sums were right */
    LODE_RESULT_CANNOT,
    LODE_RESULT_WRONG
} lode_result_state;

typedef struct lode_result {
    lode_result_state state;
    double wall_s, cpu_s; /* cpu: all threads of the process */
    double ops;
    double longest_us;   /* the longest operation; batches count as one. 0: not looked at */
    uint64_t count, sum; /* of what reads and scans returned */
    char why[LODE_WHY_MAX];
} lode_result;

typedef struct lode_chapter_results {
    lode_result phases[LODE_PHASES_MAX];
    uint64_t disk_bytes; /* at the end, closed */
    double peak_mib;     /* of the process, with what the benchmark itself holds */
} lode_chapter_results;

typedef struct lode_run_wish {
    const char *room; /* directory for databases */
    uint64_t seed;
    bool cold;         /* drop files from the page cache when a database is opened again */
    bool keep;         /* databases stay */
    uint32_t quiet_us; /* how long an engine must have been quiet to count as settled */
} lode_run_wish;

/* Forks; fills *results. A process that died is told in the first phase that has no result. */
void lode_chapter_run(lode_chapter_results *results, const lode_chapter *chapter, const lode_engine *engine,
                      const lode_run_wish *wish);

#endif
