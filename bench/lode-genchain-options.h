/* bench/lode-genchain-options.h: what lode-genchain is asked for. */
#ifndef LODE_BENCH_GENCHAIN_OPTIONS_H
#define LODE_BENCH_GENCHAIN_OPTIONS_H

#include "bench/chain/chain_maker.h"
#include "bench/lode-genchain-out.h"

typedef struct lode_genchain_options {
    lode_chain_recipe recipe;
    lode_block_out_options out;
    uint32_t blocks;     /* height before the empty tail; 0: not asked */
    uint64_t size_bytes; /* 0: not asked */
    uint32_t empty_tail;
    uint32_t forks, bad_forks, fork_depth;
    unsigned *invalid; /* kinds, in order; given: free */
    size_t invalid_count;
    const char *manifest; /* NULL: none */
    bool progress;
    bool muhash;
} lode_genchain_options;

typedef enum lode_genchain_wish { LODE_GENCHAIN_MAKE, LODE_GENCHAIN_DONE, LODE_GENCHAIN_USAGE } lode_genchain_wish;

/* Reads the command line; help and lists are printed here. */
lode_genchain_wish lode_genchain_read_options(lode_genchain_options *o, int argc, char **argv);

#endif
