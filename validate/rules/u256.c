/* validate/rules/u256.c: 256-bit unsigned arithmetic, for targets and chain work only.
 *
 * Room:     four 64-bit limbs, least significant first; every operation is modulo 2^256, as Core's arith_uint256.
 * Touches:  nothing.
 */
#include "validate/rules/u256.h"

#include "support/bytes.h"

int lode_u256_compare(const lode_u256 *a, const lode_u256 *b)
{
    for (int i = 3; i >= 0; i--)
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

bool lode_u256_is_zero(const lode_u256 *a)
{
    return (a->limbs[0] | a->limbs[1] | a->limbs[2] | a->limbs[3]) == 0;
}

lode_u256 lode_u256_add(lode_u256 a, lode_u256 b)
{
    unsigned __int128 sum = 0;
    for (int i = 0; i < 4; i++) {
        sum += (unsigned __int128)a.limbs[i] + b.limbs[i];
        a.limbs[i] = (uint64_t)sum;
        sum >>= 64;
    }
    return a;
}

lode_u256 lode_u256_sub(lode_u256 a, lode_u256 b)
{
    uint64_t borrow = 0;
    for (int i = 0; i < 4; i++) {
        unsigned __int128 take = (unsigned __int128)b.limbs[i] + borrow;
        borrow = take > a.limbs[i];
        a.limbs[i] -= (uint64_t)take;
    }
    return a;
}

lode_u256 lode_u256_mul_u32(lode_u256 a, uint32_t b)
{
    unsigned __int128 carry = 0;
    for (int i = 0; i < 4; i++) {
        carry += (unsigned __int128)a.limbs[i] * b;
        a.limbs[i] = (uint64_t)carry;
        carry >>= 64;
    }
    return a;
}

/* Long division, one bit of the quotient at a time: a divisor of n bits takes at most 257 - n rounds. */
lode_u256 lode_u256_div(lode_u256 a, lode_u256 b)
{
    lode_u256 quotient = { { 0 } };
    int shift = (int)lode_u256_bits(&a) - (int)lode_u256_bits(&b);

    if (shift < 0)
        return quotient;
    b = lode_u256_shift_left(b, (unsigned)shift);
    for (; shift >= 0; shift--) {
        if (lode_u256_compare(&a, &b) >= 0) {
            a = lode_u256_sub(a, b);
            quotient.limbs[shift / 64] |= UINT64_C(1) << (shift % 64);
        }
        b = lode_u256_shift_right(b, 1);
    }
    return quotient;
}

lode_u256 lode_u256_shift_left(lode_u256 a, unsigned bits)
{
    lode_u256 out = { { 0 } };
    unsigned limbs = bits / 64, rest = bits % 64;

    for (unsigned i = limbs; i < 4; i++) {
        out.limbs[i] = a.limbs[i - limbs] << rest;
        if (rest && i > limbs)
            out.limbs[i] |= a.limbs[i - limbs - 1] >> (64 - rest);
    }
    return out;
}

lode_u256 lode_u256_shift_right(lode_u256 a, unsigned bits)
{
    lode_u256 out = { { 0 } };
    unsigned limbs = bits / 64, rest = bits % 64;

    for (unsigned i = 0; i + limbs < 4; i++) {
        out.limbs[i] = a.limbs[i + limbs] >> rest;
        if (rest && i + limbs + 1 < 4)
            out.limbs[i] |= a.limbs[i + limbs + 1] << (64 - rest);
    }
    return out;
}

unsigned lode_u256_bits(const lode_u256 *a)
{
    for (unsigned i = 4; i-- > 0;)
        if (a->limbs[i])
            return 64 * i + 64 - (unsigned)__builtin_clzll(a->limbs[i]);
    return 0;
}

lode_u256 lode_u256_from_u64(uint64_t v)
{
    return (lode_u256){ { v, 0, 0, 0 } };
}

lode_u256 lode_u256_from_le(const uint8_t bytes[32])
{
    lode_u256 a;
    for (int i = 0; i < 4; i++)
        a.limbs[i] = lode_read_le64(bytes + 8 * i);
    return a;
}

void lode_u256_to_le(uint8_t bytes[32], const lode_u256 *a)
{
    for (int i = 0; i < 4; i++)
        lode_write_le64(bytes + 8 * i, a->limbs[i]);
}

void lode_u256_to_hex(char out[65], const lode_u256 *a)
{
    for (unsigned i = 0; i < 64; i++) {
        unsigned shift = 4 * (63 - i);
        out[i] = "0123456789abcdef"[(a->limbs[shift / 64] >> (shift % 64)) & 15];
    }
    out[64] = '\0';
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool lode_u256_from_hex(lode_u256 *out, const char *hex)
{
    lode_u256 a = { { 0 } };
    unsigned digits = 0;

    if (hex[0] == '0' && (hex[1] == 'x' || hex[1] == 'X'))
        hex += 2;
    for (; hex[digits]; digits++) {
        int digit = hex_digit(hex[digits]);
        if (digit < 0 || digits == 64)
            return false;
        a = lode_u256_shift_left(a, 4);
        a.limbs[0] |= (uint64_t)digit;
    }
    if (digits == 0)
        return false;
    *out = a;
    return true;
}

/* Compact form:  size u8 | sign 1 bit | mantissa 23 bits       value = mantissa * 256^(size - 3)
 *     1d00ffff:  0xffff * 256^26, the limit of mainnet
 * A nonzero mantissa with the sign bit is negative; one that is shifted past bit 255 overflows. Neither is a target.
 */
lode_u256 lode_u256_from_compact(uint32_t bits, bool *negative, bool *overflow)
{
    unsigned size = bits >> 24;
    uint32_t mantissa = bits & 0x007fffffu;

    if (size <= 3)
        mantissa >>= 8 * (3 - size);
    if (negative)
        *negative = mantissa != 0 && (bits & 0x00800000u) != 0;
    if (overflow)
        *overflow = mantissa != 0 && (size > 34 || (mantissa > 0xff && size > 33) || (mantissa > 0xffff && size > 32));
    return size <= 3 ? lode_u256_from_u64(mantissa)
                     : lode_u256_shift_left(lode_u256_from_u64(mantissa), 8 * (size - 3));
}

uint32_t lode_u256_to_compact(const lode_u256 *a)
{
    unsigned size = (lode_u256_bits(a) + 7) / 8;
    uint32_t mantissa;

    if (size <= 3)
        mantissa = (uint32_t)(a->limbs[0] << 8 * (3 - size));
    else
        mantissa = (uint32_t)lode_u256_shift_right(*a, 8 * (size - 3)).limbs[0];
    if (mantissa & 0x00800000u) { /* the sign bit is taken: one byte less of mantissa */
        mantissa >>= 8;
        size++;
    }
    return mantissa | (uint32_t)size << 24;
}
