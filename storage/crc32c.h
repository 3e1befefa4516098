/* storage/crc32c.h: CRC-32C (Castagnoli), and the masked form that LevelDB stores. */
#ifndef LODE_STORAGE_CRC32C_H
#define LODE_STORAGE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of what `crc` covers followed by `data`; start with 0. */
uint32_t lode_crc32c_extend(uint32_t crc, const void *data, size_t len);
static inline uint32_t lode_crc32c(const void *data, size_t len)
{
    return lode_crc32c_extend(0, data, len);
}

/* Stored checksums are masked, since bytes that hold their own checksum would check badly. */
static inline uint32_t lode_crc32c_mask(uint32_t crc)
{
    return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}
static inline uint32_t lode_crc32c_unmask(uint32_t masked)
{
    uint32_t rotated = masked - 0xa282ead8u;
    return (rotated >> 17) | (rotated << 15);
}

/* The table path, which every processor has. */
uint32_t lode_crc32c_portable_for_test(uint32_t crc, const void *data, size_t len);

#endif
