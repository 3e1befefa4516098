/* test/loadblock/made_blocks.h: chains kept in memory for tests: made by the chain maker, or read from given data. */
#ifndef LODE_TEST_MADE_BLOCKS_H
#define LODE_TEST_MADE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/chain/chain_maker.h"

typedef struct made_block {
    uint8_t *raw;
    uint32_t size;
    lode_block_hash hash;
    char hex[65];
    int32_t height; /* -1: not known */
    uint32_t tx_count;
    const char *reject; /* Core's words for a bad one */
} made_block;

typedef struct made_chain {
    made_block *blocks; /* of a straight chain: by height, genesis first */
    size_t count, capacity;
} made_chain;

/* Genesis and `height` blocks upon it; about `txs` transactions a block once coins are ripe. */
void made_chain_make(made_chain *chain, uint64_t seed, uint32_t height, uint32_t txs);
void made_chain_clear(made_chain *chain);
void made_chain_add(made_chain *chain, const lode_made_block *block);
void made_chain_add_raw(made_chain *chain, const void *raw, uint32_t size, int32_t height);
/* All records of a given block file; false: it is absent. */
bool made_chain_read_given(made_chain *chain, const char *name);

/* For tests that build forks by hand. */
lode_chain_maker *made_maker(uint64_t seed, uint32_t txs);
void made_extend(lode_chain_maker *maker, made_chain *chain, uint32_t count); /* appended to chain */
unsigned made_invalid_kind(const char *name);
/* A block with a coinbase alone upon any parent, appended to chain; blocks of another salt differ. */
void made_empty_upon(made_chain *chain, const made_block *parent, uint32_t salt);
/* Appends `block` with other bytes under the same header: its last transaction once more (the merkle root stays when
 * their count was odd), or one byte of a witness changed. False: this block has nothing of the kind. */
bool made_mutate_merkle(made_chain *chain, const made_block *block);
bool made_mutate_witness(made_chain *chain, const made_block *block);

#endif
