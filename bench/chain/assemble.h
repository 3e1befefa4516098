/* bench/chain/assemble.h: a signed plan becomes a block: coinbase, commitment, merkle root, proof of work. */
#ifndef LODE_BENCH_ASSEMBLE_H
#define LODE_BENCH_ASSEMBLE_H

#include "bench/chain/block_plan.h"
#include "bench/chain/keys.h"

/* How a block is wrong, beyond its transactions. */
typedef enum lode_block_spoil {
    LODE_BLOCK_GOOD,
    LODE_BLOCK_CB_AMOUNT,   /* pays itself one satoshi too much */
    LODE_BLOCK_CB_HEIGHT,   /* names the next height (BIP 34) */
    LODE_BLOCK_CB_MISSING,  /* the first transaction is no coinbase */
    LODE_BLOCK_CB_MULTIPLE, /* two coinbases */
    LODE_BLOCK_CB_LENGTH,   /* coinbase script of 101 bytes */
    LODE_BLOCK_MERKLE,      /* another root than the transactions' */
    LODE_BLOCK_DUPLICATE,   /* the same transaction twice in a row (CVE-2012-2459) */
    LODE_BLOCK_COMMITMENT,  /* another witness root */
    LODE_BLOCK_NO_COMMITMENT,
    LODE_BLOCK_NONCE_SIZE, /* witness reserved value of 31 bytes */
    LODE_BLOCK_SIGOPS,     /* an output with 20,001 OP_CHECKSIGs */
    LODE_BLOCK_LENGTH,     /* over a million bytes without any witness */
    LODE_BLOCK_TIME_OLD,   /* time stamp not above the median before */
    LODE_BLOCK_TIME_NEW,   /* time stamp in the year 2106 */
    LODE_BLOCK_BITS,       /* another difficulty than asked */
    LODE_BLOCK_HIGH_HASH,  /* no proof of work */
    LODE_BLOCK_VERSION,    /* version 1 */
    LODE_BLOCK_ORPHAN      /* a parent nobody has */
} lode_block_spoil;

typedef struct lode_assembly {
    const lode_key_ring *ring;
    const lode_block_plan *plan; /* made by the signers */
    lode_block_hash prev;
    uint64_t salt;       /* makes the coinbase unlike that of any other branch */
    lode_coin_kind kind; /* the coinbase pays to */
    uint16_t key;
    lode_block_spoil spoil;
} lode_assembly;

/* Writes the block into `raw` (emptied first) and describes it; out->raw is lent from `raw`. *coinbase is its coin.
 * Errors: LODE_NO_MEMORY. */
lode_status lode_assemble(lode_buf *raw, lode_made_block *out, lode_made_coin *coinbase, const lode_assembly *a);

#endif
