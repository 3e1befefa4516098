/* bench/suites/options.h: the command line of lode-bench. */
#ifndef LODE_BENCH_SUITES_OPTIONS_H
#define LODE_BENCH_SUITES_OPTIONS_H

#include "bench/suites/outcome.h"

typedef struct lode_bench_wish {
    lode_plan_wish plan;
    lode_run_wish run;
    const char *engines; /* NULL: all */
    const char *json;    /* NULL: none; "-": standard output in place of text */
    const char *rows;    /* substring that a chapter's rows must contain */
    int rounds;
    char **suites;
    int suite_count;
} lode_bench_wish;

typedef enum lode_bench_order { LODE_BENCH_RUN, LODE_BENCH_DONE, LODE_BENCH_MISUSED } lode_bench_order;
lode_bench_order lode_bench_read_options(lode_bench_wish *wish, int argc, char **argv);

#endif
