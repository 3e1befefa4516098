/* bench/suites/outcome.h: what a suite measured, and how it is told. */
#ifndef LODE_BENCH_SUITES_OUTCOME_H
#define LODE_BENCH_SUITES_OUTCOME_H

#include <stdio.h>

#include "bench/suites/chapter.h"

enum { LODE_ENGINES_MAX = 20 };

typedef struct lode_outcome {
    const lode_plan *plan;
    const lode_engine *engines[LODE_ENGINES_MAX];
    int engine_count;
    int rounds;
    lode_run_wish wish;
    lode_chapter_results *results; /* [chapter][engine][round] */
} lode_outcome;

static inline lode_chapter_results *lode_outcome_at(const lode_outcome *o, int chapter, int engine, int round)
{
    return &o->results[(chapter * o->engine_count + engine) * o->rounds + round];
}

typedef struct lode_cell {
    lode_result_state state;
    double wall, least, most; /* in the plan's unit: median, and the rounds' extremes */
    double cpu_us;            /* per operation, median */
    double longest_us;        /* median of the longest operations */
    const char *why;
} lode_cell;
lode_cell lode_outcome_cell(const lode_outcome *o, int chapter, int phase, int engine);
const char *lode_unit_name(lode_unit unit);

/* Each result wrong or missing, on standard error. How many. */
int lode_outcome_complain(const lode_outcome *o);
void lode_outcome_print(FILE *f, const lode_outcome *o);
void lode_outcome_json(FILE *f, const lode_outcome *o);

/* Engines, versions, settings, machine. */
void lode_engines_print(FILE *f, const lode_outcome *o);

#endif
