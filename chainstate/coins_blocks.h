/* chainstate/coins_blocks.h: room for records inside a shard's chunks. Used by coins_shard.c alone. */
#ifndef LODE_CHAINSTATE_COINS_BLOCKS_H
#define LODE_CHAINSTATE_COINS_BLOCKS_H

#include "chainstate/coins_shard.h"

static inline lode_coins_record *lode_coins_record_at(const lode_coins_shard *s, uint32_t offset)
{
    return (lode_coins_record *)(void *)(s->chunks[offset / LODE_COINS_MAX_UNITS] +
                                         (size_t)(offset % LODE_COINS_MAX_UNITS) * LODE_COINS_UNIT);
}

/* Brings the block that take_ready would give into the processor's cache. */
void lode_coins_block_prefetch(const lode_coins_shard *s, uint32_t units);
/* A block of at least `units`, at most one more; its meta is the taker's to write, its length is *got. Only from what
 * lies ready: 0 if there is none. */
uint32_t lode_coins_block_take_ready(lode_coins_shard *s, uint32_t units, uint32_t *got);
/* Cuts up a larger free block or takes a new chunk. 0: memory is out. */
uint32_t lode_coins_block_take_more(lode_coins_generation *g, lode_coins_shard *s, uint32_t units, uint32_t *got);
void lode_coins_block_give(lode_coins_shard *s, uint32_t offset, uint32_t units);
/* Slots lend one more bit to offsets and lose one of the hash. False when none is left. (In coins_shard.c.) */
bool lode_coins_shard_widen_offsets(lode_coins_shard *s);
/* Would moving all records together free much? */
bool lode_coins_blocks_are_scattered(const lode_coins_shard *s);
/* Moves them. Every offset changes: the table is to be made again. */
void lode_coins_blocks_gather(lode_coins_generation *g, lode_coins_shard *s);
void lode_coins_blocks_clear(lode_coins_generation *g, lode_coins_shard *s);

#endif
