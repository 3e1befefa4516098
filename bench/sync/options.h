/* bench/sync/options.h: the command line of lode-sync. */
#ifndef LODE_BENCH_SYNC_OPTIONS_H
#define LODE_BENCH_SYNC_OPTIONS_H

#include "bench/sync/row.h"

enum { LODE_SYNC_ROUNDS_MAX = 31 };

typedef struct lode_sync_options {
    lode_sync_job job;
    const char *engines; /* names, commas between; NULL: all */
    bool configs[LODE_SYNC_CONFIGS];
    bool with_signatures, without_signatures;
    const char *chain; /* made; of the chain maker's mixes */
    const char *genchain;
    uint64_t size_bytes, coins;
    int rounds;
    const char *json; /* NULL: none; - for standard output in place of the table */
    bool markdown;
} lode_sync_options;

typedef enum lode_sync_wish { LODE_SYNC_MEASURE, LODE_SYNC_DONE, LODE_SYNC_USAGE } lode_sync_wish;

/* Help and lists are printed here. Strings are lent by argv or live for ever. */
lode_sync_wish lode_sync_read_options(lode_sync_options *options, int argc, char **argv);

#endif
