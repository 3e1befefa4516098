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

static inline uint64_t lode_load_be64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return __builtin_bswap64(v);
}
/* Inline, since a call to memcmp costs more than most of these comparisons. */
static inline int lode_compare_bytes(lode_slice a, lode_slice b)
{
    size_t n = a.len < b.len ? a.len : b.len, i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t x = lode_load_be64(a.data + i), y = lode_load_be64(b.data + i);
        if (x != y)
            return x < y ? -1 : 1;
    }
    for (; i < n; i++)
        if (a.data[i] != b.data[i])
            return a.data[i] < b.data[i] ? -1 : 1;
    return a.len < b.len ? -1 : a.len > b.len;
}

/* How many bytes two keys have in common from their beginning, `most` at the most. */
static inline size_t lode_common_bytes(const uint8_t *a, const uint8_t *b, size_t most)
{
    size_t i = 0;
    for (; i + 8 <= most; i += 8) {
        uint64_t difference = lode_read_le64(a + i) ^ lode_read_le64(b + i);
        if (difference)
            return i + (size_t)__builtin_ctzll(difference) / 8;
    }
    while (i < most && a[i] == b[i])
        i++;
    return i;
}

/* `cmp` NULL is the bytewise order, which is most of the world and worth its own path. */
static inline int lode_compare_user(const lode_comparator *cmp, lode_slice a, lode_slice b)
{
    if (!cmp)
        return lode_compare_bytes(a, b);
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
    if (len >= 8)
        return lode_load_be64(p);
    if (len >= 4) { /* the first four and the last four, which may overlap */
        uint32_t first, last;
        memcpy(&first, p, 4);
        memcpy(&last, p + len - 4, 4);
        return (uint64_t)__builtin_bswap32(first) << 32 | (uint64_t)__builtin_bswap32(last) << (8 * (8 - len));
    }
    for (size_t i = 0; i < len; i++)
        v |= (uint64_t)p[i] << (56 - 8 * i);
    return v;
}

/* Where a block lies in a table; the trailer is not counted. */
typedef struct lode_block_handle {
    uint64_t offset;
    uint64_t len;
} lode_block_handle;

#endif
