/* storage/log_format.h: the frame of write-ahead logs and manifests.
 *
 * A file is cut into blocks of 32 KiB; what is left of a block below 7 bytes is zeros.
 * Record:  crc u32 | length u16 | type u8 | payload          little endian
 * crc is CRC-32C of type and payload, rotated right by 15, plus 0xa282ead8. A record that does not fit into the block
 * is cut: first, middle..., last.
 *     "hi", whole:  8b6eace0 0200 01 6869
 */
#ifndef LODE_STORAGE_LOG_FORMAT_H
#define LODE_STORAGE_LOG_FORMAT_H

enum { LODE_LOG_BLOCK_BYTES = 32768, LODE_LOG_HEADER_BYTES = 7 };

typedef enum lode_log_type {
    LODE_LOG_ZERO = 0, /* room that was reserved and never written */
    LODE_LOG_FULL = 1,
    LODE_LOG_FIRST = 2,
    LODE_LOG_MIDDLE = 3,
    LODE_LOG_LAST = 4
} lode_log_type;

#endif
