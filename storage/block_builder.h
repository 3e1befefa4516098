/* storage/block_builder.h: sorted entries with shared beginnings, as LevelDB's tables hold them.
 *
 * Entry:  shared varint | unshared varint | value_len varint | key without the shared bytes | value
 * Block:  entry... | offset of each restart u32... | number of restarts u32
 * At a restart nothing is shared, so that a search can begin there.
 *     "ab" = "1", "ac" = "2":  00 02 01 61 62 31  01 01 01 63 32  00000000  01000000
 */
#ifndef LODE_STORAGE_BLOCK_BUILDER_H
#define LODE_STORAGE_BLOCK_BUILDER_H

#include "support/bytes.h"

typedef struct lode_block_builder {
    lode_buf bytes;
    lode_buf restarts;
    unsigned restart_interval;
    unsigned since_restart;
    lode_buf last_key;
} lode_block_builder;

void lode_block_builder_init(lode_block_builder *b, unsigned restart_interval);
void lode_block_builder_clear(lode_block_builder *b);
void lode_block_builder_reset(lode_block_builder *b); /* the next block */
/* Keys ascend; lengths are below 2^32. A failed allocation is reported by finish. */
void lode_block_builder_add(lode_block_builder *b, lode_slice key, lode_slice value);
static inline bool lode_block_builder_is_empty(const lode_block_builder *b)
{
    return b->bytes.len == 0;
}
static inline size_t lode_block_builder_bytes(const lode_block_builder *b)
{
    return b->bytes.len + b->restarts.len + 4;
}
/* False: an entry is missing, since memory was. Reset makes it good. */
static inline bool lode_block_builder_is_good(const lode_block_builder *b)
{
    return lode_buf_is_good(&b->bytes) && lode_buf_is_good(&b->restarts) && lode_buf_is_good(&b->last_key);
}
/* Lent until reset; false when memory ran out. */
bool lode_block_builder_finish(lode_block_builder *b, lode_slice *block);

#endif
