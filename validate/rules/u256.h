/* validate/rules/u256.h: 256-bit unsigned arithmetic for targets and chain work. */
#ifndef LODE_VALIDATE_U256_H
#define LODE_VALIDATE_U256_H

#include <stdbool.h>
#include <stdint.h>

typedef struct lode_u256 {
    uint64_t limbs[4]; /* least significant first */
} lode_u256;

int lode_u256_compare(const lode_u256 *a, const lode_u256 *b);
bool lode_u256_is_zero(const lode_u256 *a);
lode_u256 lode_u256_add(lode_u256 a, lode_u256 b); /* modulo 2^256, as Core's arith_uint256 */
lode_u256 lode_u256_sub(lode_u256 a, lode_u256 b);
lode_u256 lode_u256_mul_u32(lode_u256 a, uint32_t b);
lode_u256 lode_u256_div(lode_u256 a, lode_u256 b); /* b is not zero */
lode_u256 lode_u256_shift_left(lode_u256 a, unsigned bits);
lode_u256 lode_u256_shift_right(lode_u256 a, unsigned bits);
unsigned lode_u256_bits(const lode_u256 *a); /* position of the highest set bit + 1 */
lode_u256 lode_u256_from_u64(uint64_t v);
lode_u256 lode_u256_from_le(const uint8_t bytes[32]);
void lode_u256_to_le(uint8_t bytes[32], const lode_u256 *a);
void lode_u256_to_hex(char out[65], const lode_u256 *a); /* 64 digits, most significant first: "chainwork" */
bool lode_u256_from_hex(lode_u256 *out, const char *hex); /* up to 64 digits, optional 0x */

/* Core's SetCompact / GetCompact. */
lode_u256 lode_u256_from_compact(uint32_t bits, bool *negative, bool *overflow);
uint32_t lode_u256_to_compact(const lode_u256 *a);

#endif
