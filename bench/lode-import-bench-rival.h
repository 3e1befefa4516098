/* bench/lode-import-bench-rival.h: one import by one of the two programs, checked at its end. */
#ifndef LODE_BENCH_IMPORT_BENCH_RIVAL_H
#define LODE_BENCH_IMPORT_BENCH_RIVAL_H

#include "bench/lode-import-bench-process.h"

typedef enum lode_bench_who { LODE_BENCH_LODE, LODE_BENCH_CORE } lode_bench_who;

/* What does not change from run to run. */
typedef struct lode_bench_place {
    const char *lode, *bitcoind; /* programs; bitcoind NULL: not there */
    const char *room;            /* a directory for all this makes */
    const char *network;
} lode_bench_place;

/* Block files and what is known of the chain in them. Numbers are filled from the first import. */
typedef struct lode_bench_chain {
    const char *name;
    char **files;
    int file_count;
    char best_block[65], set_hash[65];
    long height;
    long quiet_from; /* this block and all after it hold a coinbase only */
    double inputs, megabytes;
} lode_bench_chain;

typedef enum lode_bench_work {
    LODE_BENCH_IMPORT,      /* of the files, into an empty directory */
    LODE_BENCH_REINDEX_ALL, /* -reindex of the files, which lie as block files in a directory with nothing else */
    LODE_BENCH_REINDEX,     /* -reindex-chainstate over the directory that the last import left */
    LODE_BENCH_TXINDEX,     /* the transaction index alone, likewise */
} lode_bench_work;

typedef struct lode_bench_job {
    lode_bench_who who;
    lode_bench_work work;
    bool scripts, txindex, cold; /* cold: what is read is dropped from the page cache first */
    bool one_processor;          /* all threads share one */
    int par, dbcache_mib;
} lode_bench_job;

/* Runs the job. False: it failed, or its end is not the chain's, or Core ran scripts where it should not have; then
 * `why` says so. The first import of a chain sets best_block and set_hash; later ones must end with the same. */
bool lode_bench_do_job(lode_bench_cost *cost, char why[256], const lode_bench_place *place, lode_bench_chain *chain,
                       const lode_bench_job *job);

/* The data directory of one of the two. Static until the next call. */
const char *lode_bench_directory(const lode_bench_place *place, lode_bench_who who);
/* Something in it, where the network's folder is counted in. */
void lode_bench_path_of(char path[4096], const lode_bench_place *place, lode_bench_who who, const char *name);

#endif
