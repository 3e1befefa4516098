/* bench/lode-import-bench-options.h: what lode-import-bench is asked for. */
#ifndef LODE_BENCH_IMPORT_BENCH_OPTIONS_H
#define LODE_BENCH_IMPORT_BENCH_OPTIONS_H

#include <stdint.h>

#include "bench/lode-import-bench-rival.h"

enum { LODE_BENCH_ROUNDS_MAX = 101 };

typedef struct lode_import_bench_options {
    lode_bench_place place;
    const char *genchain;
    const char *chains; /* names, commas between */
    const char *rows;   /* likewise; NULL: those that tell something on the chain */
    char **files;       /* in place of made chains */
    int file_count;
    uint64_t size_bytes, coins; /* of made chains; 0: by --full */
    int rounds, par, dbcache_mib, small_dbcache_mib;
    bool full;
    const char *json; /* NULL: none, - for standard output instead of text */
} lode_import_bench_options;

typedef enum lode_import_bench_wish { LODE_BENCH_MEASURE, LODE_BENCH_DONE, LODE_BENCH_USAGE } lode_import_bench_wish;

/* Reads the command line; help is printed here. Strings are lent by argv or live for ever. */
lode_import_bench_wish lode_import_bench_read_options(lode_import_bench_options *o, int argc, char **argv);

#endif
