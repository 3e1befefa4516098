/* bench/sync/row.h: one import of a chain with its coins and transaction index on one engine. */
#ifndef LODE_BENCH_SYNC_ROW_H
#define LODE_BENCH_SYNC_ROW_H

#include "bench/engines/engine.h"

/* The configurations of 2012: what an engine lacks leaves a row out. */
typedef enum lode_sync_config {
    LODE_SYNC_DEFAULTS,    /* 8 MiB cache, as LevelDB's default; no filter */
    LODE_SYNC_BLOOM,       /* and a filter of 10 bits a key */
    LODE_SYNC_BLOOM_CACHE, /* and 30 MB of cache */
    LODE_SYNC_CONFIGS
} lode_sync_config;

/* What does not change from run to run. */
typedef struct lode_sync_job {
    const char *room;
    const char *network;
    char *const *files;
    int file_count;
    uint64_t chain_bytes;
    int par;
    int dbcache_mib;
    bool each_block; /* every block's changes are written at once, as in 2012 */
    bool sync;       /* writes wait for the disk where the product's do */
    bool keep;
} lode_sync_job;

typedef struct lode_sync_row {
    const lode_engine *engine;
    lode_sync_config config;
    bool signatures;
} lode_sync_row;

/* What the databases hold in the end. */
typedef struct lode_sync_state {
    char best_block[65], set_hash[65]; /* hash_serialized_3 */
    uint64_t coins, transactions;      /* transactions: entries of the index */
    uint64_t index_sum;                /* over keys and values of the index */
} lode_sync_state;

typedef struct lode_sync_run {
    bool good;
    char why[256];
    double real_s, user_s, sys_s, peak_mib;
    uint64_t blocks, transactions, inputs;
    uint64_t files_bytes; /* of coins and transaction index, when the import's process has ended */
    lode_sync_state state;
} lode_sync_run;

/* NULL: the engine can do it. */
const char *lode_sync_cannot(const lode_engine *engine, lode_sync_config config);
const char *lode_sync_config_name(lode_sync_config config);
/* For a person: "10-bit bloom", or what is left of it with an engine that has no filter. */
const char *lode_sync_config_words(const lode_engine *engine, lode_sync_config config);
lode_engine_settings lode_sync_settings(const lode_sync_job *job, const lode_sync_row *row);

/* Imports into an empty directory in a process of its own, then reads all that was written in another. The time is
 * that of the first process, start and end included. good only if both ended well and, with an `expected` that is not
 * NULL, hold the same. */
void lode_sync_do(lode_sync_run *run, const lode_sync_job *job, const lode_sync_row *row,
                  const lode_sync_state *expected);

#endif
