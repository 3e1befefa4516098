/* bench/lode-import-bench-rows.h: the questions, each asked in pairs. */
#ifndef LODE_BENCH_IMPORT_BENCH_ROWS_H
#define LODE_BENCH_IMPORT_BENCH_ROWS_H

#include "bench/lode-import-bench-options.h"

enum { LODE_BENCH_SIDES_MAX = 3 };

/* One of those that take turns in a row. */
typedef struct lode_bench_side {
    const char *name; /* lode, core, floor, or what differs: lode_par1 */
    int par, dbcache_mib;
    double wall_s[LODE_BENCH_ROUNDS_MAX], cpu_s[LODE_BENCH_ROUNDS_MAX], peak_mib[LODE_BENCH_ROUNDS_MAX];
} lode_bench_side;

typedef struct lode_bench_row {
    const char *name;
    const lode_bench_chain *of; /* kept */
    double n;                   /* inputs; signatures of the floor */
    double signatures;
    int rounds;
    lode_bench_side sides[LODE_BENCH_SIDES_MAX];
    int side_count; /* the first is lode's, others are held against it */
    /* the first side's time: other sides' is to be at least so many times that, or that at most so many times theirs;
     * 0: nothing is wanted */
    double at_least[LODE_BENCH_SIDES_MAX], at_most[LODE_BENCH_SIDES_MAX];
    char refused[256]; /* why it does not count; empty: it does */
} lode_bench_row;

void lode_bench_list_rows(void);

/* All rows that were asked for, on one chain; `told` is called as each is done. */
void lode_bench_measure_chain(const lode_import_bench_options *o, lode_bench_chain *chain, void *context,
                              void (*told)(void *context, const lode_bench_row *row));

#endif
