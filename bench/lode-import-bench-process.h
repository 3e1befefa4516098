/* bench/lode-import-bench-process.h: runs a program to its end and says what it cost. */
#ifndef LODE_BENCH_IMPORT_BENCH_PROCESS_H
#define LODE_BENCH_IMPORT_BENCH_PROCESS_H

#include <stdbool.h>

enum { LODE_BENCH_ARGUMENTS_MAX = 64 };

/* A command line, put together piece by piece. */
typedef struct lode_bench_command {
    char *words[LODE_BENCH_ARGUMENTS_MAX + 1];
    int count;
} lode_bench_command;
void lode_bench_command_add(lode_bench_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lode_bench_command_clear(lode_bench_command *command);

/* The whole process with all its threads. */
typedef struct lode_bench_cost {
    double wall_s, cpu_s, peak_mib; /* cpu: user and system */
} lode_bench_cost;

/* When to end a program that does not end by itself: when this text stands in this file. */
typedef struct lode_bench_ending {
    const char *path, *text;
    double patience_s; /* it is ended, and counts as failed, when it took longer */
} lode_bench_ending;

/* Output and errors go to the file `out`. Ending may be NULL. one_processor: all its threads share one. False: it could
 * not be started, or failed. */
bool lode_bench_run(lode_bench_cost *cost, const lode_bench_command *command, const char *out, bool one_processor,
                    const lode_bench_ending *ending);

/* A whole small file as text, given: free. NULL when it cannot be read. */
char *lode_bench_read_text(const char *path);

__attribute__((noreturn, format(printf, 1, 2))) void lode_bench_stop(const char *format, ...);

#endif
