/* bench/sync/published_2012.h: the table of 2012. */
#ifndef LODE_BENCH_SYNC_PUBLISHED_2012_H
#define LODE_BENCH_SYNC_PUBLISHED_2012_H

#include "bench/sync/row.h"

typedef struct lode_sync_published {
    const char *engine;
    lode_sync_config config;
    bool signatures;
    double real_s, user_s, sys_s;
    const char *throughput;    /* MB/s; NULL: not told */
    double files_mb, peak_mib; /* 0: not told */
} lode_sync_published;

/* NULL: nothing was published. */
const lode_sync_published *lode_sync_published_of(const char *engine, lode_sync_config config, bool signatures);
extern const char lode_sync_published_source[];

#endif
