/* storage/unpack.c: the decoder of snappy streams.
 *
 * Touches:  memory only.
 * Promise:  nothing outside input, output and the slack is read or written, whatever the input.
 *
 * Reading a packed block is most of a random read that misses the cache, and the usual decoder calls memmove for each
 * short piece. Here pieces of up to 64 bytes are moved in steps of sixteen without a call or a loop over their length,
 * which needs room to write past the piece: the slack.
 */
#include "storage/unpack.h"

#include <string.h>

#include "storage/coding.h"

bool lode_unpack_length(size_t *len, const uint8_t *in, size_t in_len)
{
    uint32_t claimed;
    if (!lode_read_varint32(in, in + in_len, &claimed))
        return false;
    *len = claimed;
    return true;
}

static inline void move16(uint8_t *to, const uint8_t *from)
{
    uint64_t a, b;
    memcpy(&a, from, 8);
    memcpy(&b, from + 8, 8);
    memcpy(to, &a, 8);
    memcpy(to + 8, &b, 8);
}

/* Up to 64 bytes, in whole steps of 16; `from` may lie 16 or more before `to`. */
static inline void move_piece(uint8_t *to, const uint8_t *from, size_t len)
{
    move16(to, from);
    if (len > 16) {
        move16(to + 16, from + 16);
        if (len > 32) {
            move16(to + 32, from + 32);
            move16(to + 48, from + 48);
        }
    }
}

/* A pattern shorter than a step repeats itself: doubled until it is long enough to be moved in steps. */
static inline void repeat_pattern(uint8_t *to, size_t offset, size_t len)
{
    const uint8_t *from = to - offset;
    size_t done = 0;
    while (offset < 16 && done < len) {
        for (size_t i = 0; i < offset && i + done < len; i++)
            to[done + i] = from[i];
        done += offset;
        offset *= 2;
        from = to + done - offset;
    }
    if (done < len)
        move_piece(to + done, from, len - done);
}

/* The length of a literal of more than 60 bytes; the position after it, or NULL. */
static const uint8_t *long_literal(const uint8_t *in, const uint8_t *end, unsigned tag, size_t *len)
{
    unsigned size = (tag >> 2) - 59;
    uint32_t n = 0;
    if ((size_t)(end - in) < size)
        return NULL;
    for (unsigned i = 0; i < size; i++)
        n |= (uint32_t)in[i] << (8 * i);
    *len = (size_t)n + 1;
    return in + size;
}

bool lode_unpack(uint8_t *out, size_t len, const uint8_t *in, size_t in_len)
{
    const uint8_t *end = in + in_len;
    uint8_t *to = out, *to_end = out + len;
    uint32_t claimed;
    if (!(in = lode_read_varint32(in, end, &claimed)) || claimed != len)
        return false;
    while (in < end) {
        unsigned tag = *in++;
        size_t n = (tag >> 2) + 1, offset;
        switch (tag & 3) {
        case 0:
            if (n <= 60 && end - in >= 64 && to_end - to >= (ptrdiff_t)n) {
                move_piece(to, in, n);
            } else {
                if (n > 60 && !(in = long_literal(in, end, tag, &n)))
                    return false;
                if (n > (size_t)(end - in) || n > (size_t)(to_end - to))
                    return false;
                memcpy(to, in, n);
            }
            in += n;
            to += n;
            continue;
        case 1:
            if (in == end)
                return false;
            n = ((tag >> 2) & 7) + 4;
            offset = (size_t)(tag >> 5) << 8 | *in++;
            break;
        case 2:
            if (end - in < 2)
                return false;
            offset = lode_read_le16(in);
            in += 2;
            break;
        default:
            if (end - in < 4)
                return false;
            offset = lode_read_le32(in);
            in += 4;
        }
        if (offset - 1 >= (size_t)(to - out) || n > (size_t)(to_end - to))
            return false;
        if (offset >= 16)
            move_piece(to, to - offset, n);
        else
            repeat_pattern(to, offset, n);
        to += n;
    }
    return to == to_end;
}
