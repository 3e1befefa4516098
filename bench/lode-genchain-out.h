/* bench/lode-genchain-out.h: where lode-genchain's blocks go. */
#ifndef LODE_BENCH_GENCHAIN_OUT_H
#define LODE_BENCH_GENCHAIN_OUT_H

#include "bench/chain/chain_maker.h"
#include "support/status.h"

typedef struct lode_block_out lode_block_out;

typedef struct lode_block_out_options {
    const char *path;        /* a file, "-" for standard output, or a directory (it exists, or the path ends in '/') */
    uint32_t shuffle_window; /* 0 or 1: in order */
    uint64_t seed;           /* of the shuffling */
    bool has_xor_key;        /* directories only: xor.dat is written, files are obfuscated */
    uint8_t xor_key[8];
} lode_block_out_options;

/* *out is given: lode_block_out_close. Options are copied, the path kept.
 * Errors: LODE_IO and its sisters, LODE_NO_MEMORY. */
lode_status lode_block_out_open(lode_block_out **out, const lode_block_out_options *options);
lode_status lode_block_out_add(lode_block_out *o, const lode_made_block *block);
/* Everything is written after this. */
lode_status lode_block_out_finish(lode_block_out *o);
uint64_t lode_block_out_bytes(const lode_block_out *o); /* added so far, with magic and length */
void lode_block_out_close(lode_block_out *o);

#endif
