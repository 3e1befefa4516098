/* storage/log_format.h: the frame of write-ahead logs and manifests.
 *
 * A file is cut into blocks of 32 KiB; what is left of a block below 7 bytes is zeros.
 * Record:  crc u32 | length u16 | type u8 | payload          little endian
 * crc is CRC-32C of type and payload, rotated right by 15, plus 0xa282ead8. A record that does not fit into the block
 * is cut: first, middle..., last.
 *     "hi", whole:  8b6eace0 0200 01 6869
 *
 * Marks. A log of ours, not a manifest, begins with a mark: a batch of no records, which LevelDB reads and passes over.
 * Any later mark says that all before it, older logs included, was synced before the mark was written. So a power cut
 * that left a hole in what was not synced (cut there) can be told from damage to what was (an error).
 *     mark after write 41:  crc 0c00 01 | 2a00000000000000 00000000
 */
#ifndef LODE_STORAGE_LOG_FORMAT_H
#define LODE_STORAGE_LOG_FORMAT_H

enum { LODE_LOG_BLOCK_BYTES = 32768, LODE_LOG_HEADER_BYTES = 7, LODE_LOG_MARK_BYTES = 12 };

typedef enum lode_log_type {
    LODE_LOG_ZERO = 0, /* room that was reserved and never written */
    LODE_LOG_FULL = 1,
    LODE_LOG_FIRST = 2,
    LODE_LOG_MIDDLE = 3,
    LODE_LOG_LAST = 4
} lode_log_type;

#endif
