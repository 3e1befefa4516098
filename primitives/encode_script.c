/* primitives/encode_script.c: the common output scripts without what all of them share.
 *
 * Room:     five kinds of script as 20 or 32 bytes and a number; any other as its length and itself.
 * Touches:  libsecp256k1's static context, for the two kinds that need a point's y.
 * Source:   Core's compressor.cpp.
 *
 *     kind  script                                               stored after the kind
 *     0     OP_DUP OP_HASH160 <20> OP_EQUALVERIFY OP_CHECKSIG    the 20 bytes
 *     1     OP_HASH160 <20> OP_EQUAL                             the 20 bytes
 *     2, 3  <33: 02 or 03, x> OP_CHECKSIG                        x; the kind is the key's first byte
 *     4, 5  <65: 04, x, y> OP_CHECKSIG, on the curve             x; the kind is 4 plus y's lowest bit
 *     len+6 any other                                            the script
 */
#include "primitives/encode.h"

#include <secp256k1.h>

#define SPECIAL_KINDS 6
#define NOT_SPECIAL SPECIAL_KINDS
#define SCRIPT_MAX 10000 /* Core's MAX_SCRIPT_SIZE */

enum { OP_RETURN = 0x6a, OP_DUP = 0x76, OP_EQUAL = 0x87, OP_EQUALVERIFY = 0x88, OP_HASH160 = 0xa9, OP_CHECKSIG = 0xac };

static bool is_key_hash(const uint8_t *s, size_t len)
{
    return len == 25 && s[0] == OP_DUP && s[1] == OP_HASH160 && s[2] == 20 && s[23] == OP_EQUALVERIFY &&
           s[24] == OP_CHECKSIG;
}

static bool is_script_hash(const uint8_t *s, size_t len)
{
    return len == 23 && s[0] == OP_HASH160 && s[1] == 20 && s[22] == OP_EQUAL;
}

static bool is_compressed_key(const uint8_t *s, size_t len)
{
    return len == 35 && s[0] == 33 && s[34] == OP_CHECKSIG && (s[1] == 2 || s[1] == 3);
}

static bool is_uncompressed_key(const uint8_t *s, size_t len)
{
    secp256k1_pubkey key;

    return len == 67 && s[0] == 65 && s[66] == OP_CHECKSIG && s[1] == 4 &&
           secp256k1_ec_pubkey_parse(secp256k1_context_static, &key, s + 1, 65);
}

/* The kind of a script, and where in it the bytes stand that are stored. */
static unsigned kind_of(const uint8_t **stored, const uint8_t *script, size_t len)
{
    if (is_key_hash(script, len)) {
        *stored = script + 3;
        return 0;
    }
    if (is_script_hash(script, len)) {
        *stored = script + 2;
        return 1;
    }
    if (is_compressed_key(script, len)) {
        *stored = script + 2;
        return script[1];
    }
    if (is_uncompressed_key(script, len)) {
        *stored = script + 2;
        return 4 | (script[65] & 1u);
    }
    return NOT_SPECIAL;
}

static size_t stored_length(uint64_t kind)
{
    return kind < 2 ? 20 : 32;
}

size_t lode_script_compressed_length(const uint8_t *script, size_t len)
{
    const uint8_t *stored;
    unsigned kind = kind_of(&stored, script, len);

    return kind == NOT_SPECIAL ? lode_varint_length(len + SPECIAL_KINDS) + len : 1 + stored_length(kind);
}

size_t lode_script_compress(uint8_t *out, const uint8_t *script, size_t len)
{
    const uint8_t *stored;
    unsigned kind = kind_of(&stored, script, len);

    if (kind == NOT_SPECIAL) {
        size_t n = lode_varint_write(out, len + SPECIAL_KINDS);
        if (len)
            memcpy(out + n, script, len);
        return n + len;
    }
    out[0] = (uint8_t)kind;
    memcpy(out + 1, stored, stored_length(kind));
    return 1 + stored_length(kind);
}

static size_t restore_key_hash(uint8_t scratch[67], const uint8_t *stored)
{
    scratch[0] = OP_DUP;
    scratch[1] = OP_HASH160;
    scratch[2] = 20;
    memcpy(scratch + 3, stored, 20);
    scratch[23] = OP_EQUALVERIFY;
    scratch[24] = OP_CHECKSIG;
    return 25;
}

static size_t restore_script_hash(uint8_t scratch[67], const uint8_t *stored)
{
    scratch[0] = OP_HASH160;
    scratch[1] = 20;
    memcpy(scratch + 2, stored, 20);
    scratch[22] = OP_EQUAL;
    return 23;
}

static size_t restore_compressed_key(uint8_t scratch[67], const uint8_t *stored, uint8_t kind)
{
    scratch[0] = 33;
    scratch[1] = kind;
    memcpy(scratch + 2, stored, 32);
    scratch[34] = OP_CHECKSIG;
    return 35;
}

/* Zero when x is no point's. */
static size_t restore_uncompressed_key(uint8_t scratch[67], const uint8_t *stored, uint8_t kind)
{
    uint8_t compressed[33];
    secp256k1_pubkey key;
    size_t len = 65;

    compressed[0] = (uint8_t)(kind - 2);
    memcpy(compressed + 1, stored, 32);
    if (!secp256k1_ec_pubkey_parse(secp256k1_context_static, &key, compressed, sizeof compressed))
        return 0;
    secp256k1_ec_pubkey_serialize(secp256k1_context_static, scratch + 1, &len, &key, SECP256K1_EC_UNCOMPRESSED);
    scratch[0] = 65;
    scratch[66] = OP_CHECKSIG;
    return 67;
}

static size_t restore(uint8_t scratch[67], const uint8_t *stored, uint8_t kind)
{
    if (kind == 0)
        return restore_key_hash(scratch, stored);
    if (kind == 1)
        return restore_script_hash(scratch, stored);
    if (kind < 4)
        return restore_compressed_key(scratch, stored, kind);
    return restore_uncompressed_key(scratch, stored, kind);
}

/* Core reads the number into 32 bits and refuses what is larger. */
static uint64_t read_kind(lode_reader *r)
{
    uint64_t kind = lode_reader_varint(r);

    if (kind > UINT32_MAX)
        r->bad = true;
    return kind;
}

void lode_reader_script(lode_reader *r, lode_slice *out, uint8_t scratch[67])
{
    uint64_t kind = read_kind(r);
    bool is_special = kind < SPECIAL_KINDS;
    size_t len = is_special ? stored_length(kind) : (size_t)(kind - SPECIAL_KINDS);
    const uint8_t *stored = lode_reader_take(r, len);

    *out = lode_slice_of(NULL, 0);
    if (!stored)
        return;
    if (!is_special && len <= SCRIPT_MAX) {
        *out = lode_slice_of(stored, len);
    } else if (!is_special) {
        scratch[0] = OP_RETURN;
        *out = lode_slice_of(scratch, 1);
    } else {
        size_t restored = restore(scratch, stored, (uint8_t)kind);
        r->bad = restored == 0;
        *out = lode_slice_of(restored ? scratch : NULL, restored);
    }
}

void lode_reader_skip_script(lode_reader *r)
{
    uint64_t kind = read_kind(r);

    (void)lode_reader_take(r, kind < SPECIAL_KINDS ? stored_length(kind) : (size_t)(kind - SPECIAL_KINDS));
}
