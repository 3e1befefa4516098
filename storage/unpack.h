/* storage/unpack.h: snappy streams back into bytes. Packing is libsnappy's.
 *
 * Stream:   length varint | element...
 * Literal:  (n - 1) << 2 | 0, n up to 60, or 59 + size of n - 1 in bytes and n - 1 | n bytes
 * Copy:     offset 11 bits, length 4..11, in two bytes (1); offset u16, length 1..64 (2); offset u32, length 1..64 (3)
 *     "abababab":  08  04 61 62  09 02
 */
#ifndef LODE_STORAGE_UNPACK_H
#define LODE_STORAGE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LODE_UNPACK_SLACK = 64 }; /* bytes behind the output that may be written to */

/* What the stream claims; false when it does not even have a length. */
bool lode_unpack_length(size_t *len, const uint8_t *in, size_t in_len);
/* Exactly `len` bytes, with LODE_UNPACK_SLACK more to write on. False: not a stream of that length. */
bool lode_unpack(uint8_t *out, size_t len, const uint8_t *in, size_t in_len);

#endif
