/* storage/format.h: what the files of a store have in common.
 *
 * Internal key:  user key | trailer u64 little endian,  trailer = sequence << 8 | type
 *     "k" put by write 5:  6b 01 05 00 00 00 00 00 00
 * Order: user keys ascending, and of one user key the newest first, that is trailers descending.
 */
#ifndef LODE_STORAGE_FORMAT_H
#define LODE_STORAGE_FORMAT_H

#include "lode/store.h"
#include "support/bytes.h"

enum {
    LODE_LEVELS = 7,
    LODE_TRAILER_BYTES = 8,
    LODE_BLOCK_TRAILER_BYTES = 5, /* compression type u8, masked crc u32 */
    LODE_FOOTER_BYTES = 48
};

typedef enum lode_entry_type { LODE_ENTRY_DELETION = 0, LODE_ENTRY_VALUE = 1 } lode_entry_type;

#define LODE_MAX_SEQUENCE ((UINT64_C(1) << 56) - 1)
#define LODE_TABLE_MAGIC UINT64_C(0xdb4775248b80fb57)
#define LODE_BYTEWISE_NAME "leveldb.BytewiseComparator"
#define LODE_FILTER_NAME "leveldb.BuiltinBloomFilter2"

static inline uint64_t lode_trailer_of(uint64_t sequence, lode_entry_type type)
{
    return sequence << 8 | (uint64_t)type;
}
/* The trailer at which a search for what `sequence` sees begins. */
static inline uint64_t lode_seek_trailer(uint64_t sequence)
{
    return lode_trailer_of(sequence, LODE_ENTRY_VALUE);
}
static inline lode_slice lode_user_key(lode_slice internal)
{
    return lode_slice_of(internal.data, internal.len - LODE_TRAILER_BYTES);
}
static inline uint64_t lode_trailer(lode_slice internal)
{
    return lode_read_le64(internal.data + internal.len - LODE_TRAILER_BYTES);
}

/* `cmp` NULL is the bytewise order, which is most of the world and worth its own path. */
static inline int lode_compare_user(const lode_comparator *cmp, lode_slice a, lode_slice b)
{
    if (!cmp)
        return lode_slice_compare(a, b);
    return cmp->compare(cmp->context, a.data, a.len, b.data, b.len);
}
/* Both have a trailer. */
static inline int lode_compare_internal(const lode_comparator *cmp, lode_slice a, lode_slice b)
{
    int c = lode_compare_user(cmp, lode_user_key(a), lode_user_key(b));
    if (c)
        return c;
    uint64_t x = lode_trailer(a), y = lode_trailer(b);
    return x > y ? -1 : x < y;
}
/* Eight bytes of a key as a number of the same order; a shorter key is filled up with zeros. */
static inline uint64_t lode_key_prefix(const uint8_t *p, size_t len)
{
    uint64_t v = 0;
    if (len >= 8) {
        memcpy(&v, p, 8);
        return __builtin_bswap64(v);
    }
    for (size_t i = 0; i < 8; i++)
        v = v << 8 | (i < len ? p[i] : 0u);
    return v;
}

/* Where a block lies in a table; the trailer is not counted. */
typedef struct lode_block_handle {
    uint64_t offset;
    uint64_t len;
} lode_block_handle;

#endif
