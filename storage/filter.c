/* storage/filter.c: filters, one for each 2 KiB of table: bloom filters, built from hashes alone, or a caller's own,
 * which are shown the keys.
 *
 * Touches:  memory only.
 * Source:   the format is LevelDB's, so that its tables have working filters here and ours there.
 */
#include "storage/filter.h"

#include <stdlib.h>

enum { BASE_SHIFT = 11 };

uint32_t lode_filter_hash(const void *key, size_t len)
{
    const uint8_t *p = key, *end = p + len;
    const uint32_t m = 0xc6a4a793;
    uint32_t h = 0xbc9f1d34 ^ ((uint32_t)len * m);
    for (; end - p >= 4; p += 4) {
        h = (h + lode_read_le32(p)) * m;
        h ^= h >> 16;
    }
    if (p < end) {
        if (end - p == 3)
            h += (uint32_t)p[2] << 16;
        if (end - p >= 2)
            h += (uint32_t)p[1] << 8;
        h = (h + p[0]) * m;
        h ^= h >> 24;
    }
    return h;
}

void lode_filter_builder_init(lode_filter_builder *b, unsigned bits_per_key, const lode_filter_policy *policy)
{
    *b = (lode_filter_builder){ .bits_per_key = bits_per_key, .policy = policy };
}

void lode_filter_builder_clear(lode_filter_builder *b)
{
    lode_buf_clear(&b->result);
    lode_buf_clear(&b->offsets);
    lode_buf_clear(&b->keys);
    lode_buf_clear(&b->lengths);
    free(b->hashes);
    b->hashes = NULL;
    b->count = b->capacity = 0;
}

void lode_filter_builder_add_slow(lode_filter_builder *b, uint32_t hash)
{
    size_t capacity = b->capacity ? b->capacity * 2 : 256;
    uint32_t *hashes = realloc(b->hashes, capacity * sizeof *hashes);
    if (!hashes) {
        b->failed = true;
        return;
    }
    b->hashes = hashes;
    b->capacity = capacity;
    b->hashes[b->count++] = hash;
}

void lode_filter_builder_add_key(lode_filter_builder *b, lode_slice user_key)
{
    lode_buf_append(&b->keys, user_key.data, user_key.len);
    lode_buf_put_le32(&b->lengths, (uint32_t)user_key.len);
    b->count++;
}

/* 0.69 is ln 2, which makes false positives rarest. */
static uint32_t probes_for(unsigned bits_per_key)
{
    uint32_t k = (uint32_t)(bits_per_key * 69 / 100);
    return k < 1 ? 1 : k > 30 ? 30 : k;
}

/* The caller's filter of the keys so far. */
static bool append_own_filter(lode_filter_builder *b)
{
    lode_bytes *keys = malloc(b->count * sizeof *keys);
    size_t at = 0, len = 0;
    if (!keys || !lode_buf_is_good(&b->keys) || !lode_buf_is_good(&b->lengths)) {
        free(keys);
        return false;
    }
    for (size_t i = 0; i < b->count; i++) {
        keys[i] = (lode_bytes){ b->keys.data + at, lode_read_le32(b->lengths.data + i * 4) };
        at += keys[i].len;
    }
    void *filter = b->policy->create(b->policy->context, keys, b->count, &len);
    free(keys);
    if (!filter)
        return false;
    lode_buf_append(&b->result, filter, len);
    free(filter);
    return true;
}

static void finish_filter(lode_filter_builder *b)
{
    lode_buf_put_le32(&b->offsets, (uint32_t)b->result.len);
    if (!b->count)
        return;
    if (b->policy) {
        b->failed |= !append_own_filter(b);
        lode_buf_reset(&b->keys);
        lode_buf_reset(&b->lengths);
        b->count = 0;
        return;
    }
    size_t bits = b->count * b->bits_per_key;
    size_t bytes = bits < 64 ? 8 : (bits + 7) / 8;
    uint8_t *array = lode_buf_extend(&b->result, bytes + 1);
    uint32_t probes = probes_for(b->bits_per_key);
    bits = bytes * 8;
    if (!array || bits > UINT32_MAX) {
        b->failed = true;
        return;
    }
    memset(array, 0, bytes);
    array[bytes] = (uint8_t)probes;
    for (size_t i = 0; i < b->count; i++) {
        uint32_t h = b->hashes[i], delta = h >> 17 | h << 15;
        for (uint32_t j = 0; j < probes; j++, h += delta) {
            uint32_t bit = h % (uint32_t)bits;
            array[bit / 8] |= (uint8_t)(1u << (bit % 8));
        }
    }
    b->count = 0;
}

void lode_filter_builder_start_block(lode_filter_builder *b, uint64_t offset)
{
    uint64_t index = offset >> BASE_SHIFT;
    while (b->offsets.len / 4 < index && !b->failed && lode_buf_is_good(&b->offsets))
        finish_filter(b);
}

bool lode_filter_builder_finish(lode_filter_builder *b, lode_slice *block)
{
    if (b->count)
        finish_filter(b);
    size_t array_at = b->result.len;
    lode_buf_append(&b->result, b->offsets.data, b->offsets.len);
    lode_buf_put_le32(&b->result, (uint32_t)array_at);
    lode_buf_put_u8(&b->result, BASE_SHIFT);
    *block = lode_buf_slice(&b->result);
    return !b->failed && lode_buf_is_good(&b->result) && lode_buf_is_good(&b->offsets) && b->result.len <= UINT32_MAX;
}

bool lode_filter_reader_init(lode_filter_reader *r, lode_slice block)
{
    *r = (lode_filter_reader){ 0 };
    if (block.len < 5)
        return false;
    size_t array_at = lode_read_le32(block.data + block.len - 5);
    if (array_at > block.len - 5 || block.data[block.len - 1] > 63)
        return false;
    r->data = block.data;
    r->offsets = block.data + array_at;
    r->count = (block.len - 5 - array_at) / 4;
    r->base_shift = block.data[block.len - 1];
    return true;
}

static bool filter_matches(const uint8_t *filter, size_t len, uint32_t h)
{
    if (len < 2)
        return false; /* no keys at all */
    if (len - 1 >= UINT32_MAX / 8)
        return true;
    uint32_t bits = (uint32_t)(len - 1) * 8, delta = h >> 17 | h << 15, probes = filter[len - 1];
    if (probes > 30)
        return true; /* kept free for other encodings */
    for (uint32_t j = 0; j < probes; j++, h += delta) {
        uint32_t bit = h % bits;
        if (!(filter[bit / 8] & 1u << (bit % 8)))
            return false;
    }
    return true;
}

/* False: none is known for this block. */
static inline bool find_filter(const lode_filter_reader *r, lode_slice *filter, uint64_t block_offset)
{
    uint64_t index = block_offset >> r->base_shift;
    if (index >= r->count)
        return false;
    const uint8_t *p = r->offsets + index * 4;
    size_t start = lode_read_le32(p), limit = lode_read_le32(p + 4); /* the last one reads the array's own offset */
    size_t most = (size_t)(r->offsets - r->data);
    if (start > limit || limit > most)
        return false;
    *filter = lode_slice_of(r->data + start, limit - start);
    return true;
}

bool lode_filter_may_match(const lode_filter_reader *r, uint64_t block_offset, uint32_t hash)
{
    lode_slice filter;
    return !find_filter(r, &filter, block_offset) || filter_matches(filter.data, filter.len, hash);
}

bool lode_filter_may_match_key(const lode_filter_reader *r, const lode_filter_policy *policy, uint64_t block_offset,
                               lode_slice user_key)
{
    lode_slice filter;
    if (!find_filter(r, &filter, block_offset))
        return true;
    return filter.len && policy->may_match(policy->context, user_key.data, user_key.len, filter.data, filter.len) != 0;
}
