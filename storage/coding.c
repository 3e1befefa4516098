/* storage/coding.c: the longer forms of varints.
 *
 * Touches:  memory only.
 * Promise:  what is cut, or does not fit its type, is refused; nothing past `end` is read.
 */
#include "storage/coding.h"

const uint8_t *lode_read_varint64(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
    uint64_t result = 0;
    for (unsigned shift = 0; shift <= 63 && p < end; shift += 7) {
        uint64_t byte = *p++;
        if (shift == 63 && byte > 1)
            return NULL;
        result |= (byte & 127) << shift;
        if (byte < 128) {
            *v = result;
            return p;
        }
    }
    return NULL;
}

const uint8_t *lode_read_varint32_slow(const uint8_t *p, const uint8_t *end, uint32_t *v)
{
    uint64_t wide;
    const uint8_t *after = lode_read_varint64(p, end, &wide);
    if (!after || wide > UINT32_MAX || after - p > LODE_VARINT32_MAX_BYTES)
        return NULL;
    *v = (uint32_t)wide;
    return after;
}

void lode_buf_put_varint64(lode_buf *b, uint64_t v)
{
    uint8_t x[LODE_VARINT64_MAX_BYTES];
    lode_buf_append(b, x, (size_t)(lode_write_varint64(x, v) - x));
}

void lode_buf_put_prefixed(lode_buf *b, lode_slice s)
{
    lode_buf_put_varint32(b, (uint32_t)s.len);
    lode_buf_append(b, s.data, s.len);
}
