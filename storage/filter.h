/* storage/filter.h: LevelDB's bloom filters (leveldb.BuiltinBloomFilter2) or a caller's own, and the block of a table
 * that holds them.
 *
 * Filter block:  filter... | offset of each filter u32... | offset of that array u32 | 0b
 * Filter i covers the data blocks that begin in [i * 2048, (i + 1) * 2048).
 * Filter:        bits | number of probes u8; a caller's own: any bytes. No bytes: no keys.
 */
#ifndef LODE_STORAGE_FILTER_H
#define LODE_STORAGE_FILTER_H

#include "lode/store.h"
#include "support/bytes.h"

uint32_t lode_filter_hash(const void *key, size_t len);

typedef struct lode_filter_builder {
    unsigned bits_per_key;
    const lode_filter_policy *policy; /* NULL: bloom */
    lode_buf result;
    lode_buf offsets;
    uint32_t *hashes; /* of the keys since the last filter */
    lode_buf keys;    /* for a policy: those keys themselves, side by side, */
    lode_buf lengths; /* and the length of each, u32 */
    size_t count, capacity;
    bool failed;
} lode_filter_builder;

/* `policy` is kept; NULL: bloom filters of so many bits per key. */
void lode_filter_builder_init(lode_filter_builder *b, unsigned bits_per_key, const lode_filter_policy *policy);
void lode_filter_builder_clear(lode_filter_builder *b);
/* A data block begins at `offset`; offsets ascend. */
void lode_filter_builder_start_block(lode_filter_builder *b, uint64_t offset);
void lode_filter_builder_add_slow(lode_filter_builder *b, uint32_t hash);
void lode_filter_builder_add_key(lode_filter_builder *b, lode_slice user_key);
static inline void lode_filter_builder_add(lode_filter_builder *b, lode_slice user_key)
{
    if (b->policy) {
        lode_filter_builder_add_key(b, user_key);
        return;
    }
    uint32_t hash = lode_filter_hash(user_key.data, user_key.len);
    if (b->count < b->capacity)
        b->hashes[b->count++] = hash;
    else
        lode_filter_builder_add_slow(b, hash);
}
/* The block's bytes, lent until clear; false when memory ran out or the block would be 4 GiB. */
bool lode_filter_builder_finish(lode_filter_builder *b, lode_slice *block);

typedef struct lode_filter_reader {
    const uint8_t *data; /* lent by whoever holds the block */
    const uint8_t *offsets;
    size_t count;
    unsigned base_shift;
} lode_filter_reader;

/* False when the bytes are no filter block; the reader then lets every key through, as an empty one does. */
bool lode_filter_reader_init(lode_filter_reader *r, lode_slice block);
/* False: no key with this hash is in the data block at `block_offset`. Damage answers true. */
bool lode_filter_may_match(const lode_filter_reader *r, uint64_t block_offset, uint32_t hash);
/* The same of a filter that `policy` made. */
bool lode_filter_may_match_key(const lode_filter_reader *r, const lode_filter_policy *policy, uint64_t block_offset,
                               lode_slice user_key);

#endif
