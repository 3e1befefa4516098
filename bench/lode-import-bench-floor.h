/* bench/lode-import-bench-floor.h: what libsecp256k1 alone needs for all signatures of an imported chain. */
#ifndef LODE_BENCH_IMPORT_BENCH_FLOOR_H
#define LODE_BENCH_IMPORT_BENCH_FLOOR_H

#include "bench/lode-import-bench-rival.h"

/* Fills chain->height, quiet_from, inputs and megabytes from the directory that Lode's import left. */
bool lode_bench_inspect(char why[256], const lode_bench_place *place, lode_bench_chain *chain);

typedef struct lode_bench_floor {
    lode_bench_cost cost;          /* of verifying alone; cpu over its threads */
    double signatures, false_ones; /* false_ones: what OP_CHECKMULTISIG tries in vain */
} lode_bench_floor;

/* Each signature check that the chain's scripts ask for, bare, by `threads` threads. Parses key and signature,
 * verifies; digests are made before. In a process of its own. */
bool lode_bench_measure_floor(lode_bench_floor *floor, char why[256], const lode_bench_place *place, int threads);

#endif
