/* primitives/address_decode.c: what people write, as hashes and witness programs.
 *
 * Room:     text to bytes, checksums included. Which script an address stands for is the caller's to know.
 * Touches:  nothing.
 * Source:   BIP 173, BIP 350.
 */
#include <string.h>

#include "primitives/address.h"
#include "primitives/hash.h"

static const char base58_digits[] = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
static const char bech32_digits[] = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/* `bytes` as a number grows from its end. Each '1' in front is a zero byte. */
static bool decode_base58(uint8_t *bytes, size_t *len, size_t capacity, const char *text)
{
    size_t zeros = 0, used = 0;

    while (text[zeros] == '1')
        zeros++;
    for (const char *p = text + zeros; *p; p++) {
        const char *digit = strchr(base58_digits, *p);
        unsigned carry;
        if (!digit)
            return false;
        carry = (unsigned)(digit - base58_digits);
        for (size_t i = 0; i < used || carry; i++) {
            if (i == capacity)
                return false;
            if (i == used)
                bytes[capacity - 1 - used++] = 0;
            carry += 58u * bytes[capacity - 1 - i];
            bytes[capacity - 1 - i] = (uint8_t)carry;
            carry >>= 8;
        }
    }
    if (zeros + used > capacity)
        return false;
    memmove(bytes + zeros, bytes + capacity - used, used);
    memset(bytes, 0, zeros);
    *len = zeros + used;
    return true;
}

bool lode_base58check_decode(uint8_t *payload, size_t *len, size_t capacity, const char *text)
{
    uint8_t whole[LODE_BASE58_PAYLOAD_MAX + 4], hash[32];
    size_t got;

    if (!decode_base58(whole, &got, sizeof whole, text) || got < 4 || got - 4 > capacity)
        return false;
    lode_sha256d(hash, whole, got - 4);
    if (memcmp(hash, whole + got - 4, 4) != 0)
        return false;
    memcpy(payload, whole, got - 4);
    *len = got - 4;
    return true;
}

static uint32_t step_bech32(uint32_t state, unsigned value)
{
    static const uint32_t generator[5] = { 0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3 };
    uint32_t top = state >> 25;

    state = (state & 0x1ffffff) << 5 ^ value;
    for (int i = 0; i < 5; i++)
        if (top >> i & 1)
            state ^= generator[i];
    return state;
}

static bool is_mixed_case(const char *text)
{
    bool upper = false, lower = false;
    for (; *text; text++) {
        upper |= *text >= 'A' && *text <= 'Z';
        lower |= *text >= 'a' && *text <= 'z';
    }
    return upper && lower;
}

static char to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Groups of five bits, checksum included; `constant` is what the checksum leaves. */
static bool read_fives(uint8_t fives[LODE_SEGWIT_TEXT_MAX], size_t *count, uint32_t *constant, const char *prefix,
                       const char *text)
{
    size_t prefix_len = strlen(prefix), len = strlen(text);
    uint32_t state = 1;

    if (len >= LODE_SEGWIT_TEXT_MAX || len < prefix_len + 1 + 6 || is_mixed_case(text) || text[prefix_len] != '1')
        return false;
    for (size_t i = 0; i < prefix_len; i++) {
        if (to_lower(text[i]) != prefix[i])
            return false;
        state = step_bech32(state, (unsigned char)prefix[i] >> 5);
    }
    state = step_bech32(state, 0);
    for (size_t i = 0; i < prefix_len; i++)
        state = step_bech32(state, prefix[i] & 31);
    *count = 0;
    for (const char *p = text + prefix_len + 1; *p; p++) {
        const char *digit = strchr(bech32_digits, to_lower(*p));
        if (!digit)
            return false;
        fives[(*count)++] = (uint8_t)(digit - bech32_digits);
        state = step_bech32(state, (unsigned)(digit - bech32_digits));
    }
    *constant = state;
    return true;
}

/* Padding is less than five bits, all zero. */
static bool join_fives(uint8_t program[40], size_t *len, const uint8_t *fives, size_t count)
{
    uint32_t held = 0;
    unsigned bits = 0;

    *len = 0;
    for (size_t i = 0; i < count; i++) {
        held = (held << 5 | fives[i]) & 0xfff;
        bits += 5;
        if (bits < 8)
            continue;
        bits -= 8;
        if (*len == 40)
            return false;
        program[(*len)++] = (uint8_t)(held >> bits);
    }
    return bits < 5 && !(held & ((1u << bits) - 1));
}

bool lode_segwit_address_decode(int *version, uint8_t program[40], size_t *len, const char *prefix, const char *text)
{
    uint8_t fives[LODE_SEGWIT_TEXT_MAX];
    uint32_t constant = 0;
    size_t count;

    if (!read_fives(fives, &count, &constant, prefix, text) || count < 7)
        return false;
    *version = fives[0];
    if (*version > 16 || constant != (*version == 0 ? 1 : 0x2bc830a3u))
        return false;
    if (!join_fives(program, len, fives + 1, count - 7) || *len < 2)
        return false;
    return *version != 0 || *len == 20 || *len == 32;
}
