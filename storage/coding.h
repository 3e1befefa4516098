/* storage/coding.h: LevelDB's integers and strings: varints (7 bits a byte, low first) and length-prefixed bytes. */
#ifndef LODE_STORAGE_CODING_H
#define LODE_STORAGE_CODING_H

#include "support/bytes.h"

enum { LODE_VARINT32_MAX_BYTES = 5, LODE_VARINT64_MAX_BYTES = 10 };

/* Writes at `p`, which has room, and returns the end. */
static inline uint8_t *lode_write_varint64(uint8_t *p, uint64_t v)
{
    while (v >= 128) {
        *p++ = (uint8_t)(v | 128);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}
static inline uint8_t *lode_write_varint32(uint8_t *p, uint32_t v)
{
    return lode_write_varint64(p, v);
}

const uint8_t *lode_read_varint32_slow(const uint8_t *p, const uint8_t *end, uint32_t *v);
const uint8_t *lode_read_varint64(const uint8_t *p, const uint8_t *end, uint64_t *v);

/* The position after the number, or NULL when it is cut or too large. */
static inline const uint8_t *lode_read_varint32(const uint8_t *p, const uint8_t *end, uint32_t *v)
{
    if (p < end && *p < 128) {
        *v = *p;
        return p + 1;
    }
    return lode_read_varint32_slow(p, end, v);
}

/* A length as varint32, then so many bytes, lent from the input. */
static inline const uint8_t *lode_read_prefixed(const uint8_t *p, const uint8_t *end, lode_slice *out)
{
    uint32_t len;
    p = lode_read_varint32(p, end, &len);
    if (!p || len > (size_t)(end - p))
        return NULL;
    *out = lode_slice_of(p, len);
    return p + len;
}

void lode_buf_put_varint64(lode_buf *b, uint64_t v);
static inline void lode_buf_put_varint32(lode_buf *b, uint32_t v)
{
    lode_buf_put_varint64(b, v);
}
/* The caller knows that s.len < 2^32. */
void lode_buf_put_prefixed(lode_buf *b, lode_slice s);

#endif
