/* primitives/address.c: hashes and witness programs as people write them.
 *
 * Room:     bytes to text. Which script has which address is the caller's to know.
 * Touches:  nothing.
 */
#include "primitives/address.h"

#include <string.h>

#include "primitives/hash.h"

static const char base58_digits[] = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
static const char bech32_digits[] = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/* Long division by 58, most significant byte first. Each leading zero byte is one '1'. */
static void encode_base58(char *out, const uint8_t *data, size_t len)
{
    uint8_t digits[LODE_BASE58_TEXT_MAX] = { 0 };
    size_t used = 0;
    size_t zeros = 0;

    while (zeros < len && data[zeros] == 0)
        zeros++;
    for (size_t i = zeros; i < len; i++) {
        unsigned carry = data[i];
        for (size_t j = 0; j < used; j++) {
            carry += (unsigned)digits[j] << 8;
            digits[j] = (uint8_t)(carry % 58);
            carry /= 58;
        }
        while (carry) {
            digits[used++] = (uint8_t)(carry % 58);
            carry /= 58;
        }
    }
    memset(out, '1', zeros);
    for (size_t j = 0; j < used; j++)
        out[zeros + j] = base58_digits[digits[used - 1 - j]];
    out[zeros + used] = '\0';
}

bool lode_base58check_encode(char out[LODE_BASE58_TEXT_MAX], const uint8_t *payload, size_t len)
{
    uint8_t whole[LODE_BASE58_PAYLOAD_MAX + 4];
    uint8_t hash[32];

    out[0] = '\0';
    if (len > LODE_BASE58_PAYLOAD_MAX)
        return false;
    memcpy(whole, payload, len);
    lode_sha256d(hash, payload, len);
    memcpy(whole + len, hash, 4);
    encode_base58(out, whole, len + 4);
    return true;
}

/* One step of the checksum's division in GF(32)[x]. Source: BIP 173. */
static uint32_t step_bech32(uint32_t state, uint8_t value)
{
    static const uint32_t generator[5] = { 0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3 };
    uint32_t top = state >> 25;

    state = (state & 0x1ffffff) << 5 ^ value;
    for (int i = 0; i < 5; i++)
        if (top >> i & 1)
            state ^= generator[i];
    return state;
}

/* Bits of `data` in groups of five, the last filled up with zeros. Returns how many. */
static size_t split_into_fives(uint8_t *out, const uint8_t *data, size_t len)
{
    uint32_t held = 0;
    unsigned bits = 0;
    size_t n = 0;

    for (size_t i = 0; i < len; i++) {
        held = (held << 8 | data[i]) & 0xfff;
        for (bits += 8; bits >= 5; bits -= 5)
            out[n++] = held >> (bits - 5) & 31;
    }
    if (bits)
        out[n++] = (uint8_t)(held << (5 - bits) & 31);
    return n;
}

bool lode_segwit_address_encode(char out[LODE_SEGWIT_TEXT_MAX], const char *prefix, int version, const uint8_t *program,
                                size_t len)
{
    const uint32_t constant = version == 0 ? 1 : 0x2bc830a3; /* BIP 173, BIP 350 */
    size_t prefix_len = strlen(prefix);
    uint8_t values[1 + 64];
    size_t count = 1;
    uint32_t state = 1;

    out[0] = '\0';
    if (version < 0 || version > 16 || len < 2 || len > 40)
        return false;
    values[0] = (uint8_t)version;
    count += split_into_fives(values + 1, program, len);
    if (prefix_len + 1 + count + 6 >= LODE_SEGWIT_TEXT_MAX)
        return false;

    for (size_t i = 0; i < prefix_len; i++)
        state = step_bech32(state, (uint8_t)prefix[i] >> 5);
    state = step_bech32(state, 0);
    for (size_t i = 0; i < prefix_len; i++)
        state = step_bech32(state, (uint8_t)prefix[i] & 31);
    for (size_t i = 0; i < count; i++)
        state = step_bech32(state, values[i]);
    for (int i = 0; i < 6; i++)
        state = step_bech32(state, 0);
    state ^= constant;

    memcpy(out, prefix, prefix_len);
    out += prefix_len;
    *out++ = '1';
    for (size_t i = 0; i < count; i++)
        *out++ = bech32_digits[values[i]];
    for (int i = 0; i < 6; i++)
        *out++ = bech32_digits[state >> (5 * (5 - i)) & 31];
    *out = '\0';
    return true;
}
