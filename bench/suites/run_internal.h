/* bench/suites/run_internal.h: a chapter's process, as its phases see it. */
#ifndef LODE_BENCH_SUITES_RUN_INTERNAL_H
#define LODE_BENCH_SUITES_RUN_INTERNAL_H

#include "bench/suites/chapter.h"

typedef struct lode_run_state {
    const lode_chapter *chapter;
    const lode_engine *engine;
    const lode_run_wish *wish;
    void *db; /* NULL: closed */
    char path[4096];
    lode_values values;
    uint8_t *generations; /* of each number: 0 is not there */
    uint64_t entries;     /* that are there */
    uint64_t scan_sum;    /* of all entries, 0 when not yet known */
    bool is_other_data;   /* what is there does not stand in generations */
} lode_run_state;

typedef struct lode_stopwatch {
    double wall_s, cpu_s;
} lode_stopwatch;
lode_stopwatch lode_stopwatch_now(void);
static inline void lode_stopwatch_stop(lode_result *r, lode_stopwatch start)
{
    lode_stopwatch end = lode_stopwatch_now();
    r->wall_s += end.wall_s - start.wall_s;
    r->cpu_s += end.cpu_s - start.cpu_s;
}
__attribute__((format(printf, 3, 4))) void lode_result_set(lode_result *r, lode_result_state state, const char *format,
                                                           ...);

void lode_run_coins(lode_run_state *run, const lode_phase *phase, lode_result *r);
void lode_run_pieces(lode_run_state *run, const lode_phase *phase, lode_result *r); /* crc32c and snappy */

#endif
