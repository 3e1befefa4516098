/* validate/script/lax_der.c: reads signatures that are nearly DER.
 *
 * Until BIP 66 the rules were OpenSSL's parser, and blocks hold what it let pass. Accepted here, as in Core: any length
 * of the sequence, lengths in long form with zeros in front, integers with padding or the sign bit set (read as
 * positive), bytes left over at the end. An integer that does not fit 32 bytes, or is not below the group's order,
 * makes a signature that reads well and verifies never.
 */
#include "validate/script/lax_der.h"

typedef struct der_integer {
    const uint8_t *data;
    size_t len;
} der_integer;

/* The sequence's length is not believed, only stepped over: one byte, or 0x80 + count and count bytes. */
static void skip_sequence_length(lode_reader *r)
{
    uint8_t first = lode_reader_u8(r);
    if (first & 0x80)
        lode_reader_take(r, first & 0x7f);
}

static size_t read_length(lode_reader *r)
{
    uint8_t first = lode_reader_u8(r);
    if (!(first & 0x80))
        return first;

    size_t count = first & 0x7f;
    const uint8_t *bytes = lode_reader_take(r, count);
    size_t length = 0;
    if (!bytes)
        return 0;
    while (count > 0 && *bytes == 0) {
        bytes++;
        count--;
    }
    if (count > 3) { /* 16 MiB and more: cannot be there */
        r->bad = true;
        return 0;
    }
    while (count-- > 0)
        length = length << 8 | *bytes++;
    return length;
}

static der_integer read_integer(lode_reader *r)
{
    if (lode_reader_u8(r) != 0x02)
        r->bad = true;
    size_t len = read_length(r);
    const uint8_t *data = lode_reader_take(r, len);
    if (!data)
        return (der_integer){ NULL, 0 };
    while (len > 0 && *data == 0) {
        data++;
        len--;
    }
    return (der_integer){ data, len };
}

/* Right-aligned in 32 bytes; false when it is longer. */
static bool place_integer(uint8_t out[32], der_integer v)
{
    if (v.len > 32)
        return false;
    memset(out, 0, 32 - v.len);
    if (v.len > 0)
        memcpy(out + 32 - v.len, v.data, v.len);
    return true;
}

bool lode_der_parse_lax(secp256k1_ecdsa_signature *sig, lode_slice der)
{
    static const uint8_t never[64]; /* r = s = 0 */
    uint8_t compact[64];
    lode_reader r = lode_reader_of(der.data, der.len);

    if (lode_reader_u8(&r) != 0x30)
        return false;
    skip_sequence_length(&r);
    der_integer big_r = read_integer(&r);
    der_integer big_s = read_integer(&r);
    if (r.bad)
        return false;

    if (!place_integer(compact, big_r) || !place_integer(compact + 32, big_s) ||
        !secp256k1_ecdsa_signature_parse_compact(secp256k1_context_static, sig, compact))
        return secp256k1_ecdsa_signature_parse_compact(secp256k1_context_static, sig, never);
    return true;
}

bool lode_der_has_low_s(lode_slice der)
{
    secp256k1_ecdsa_signature sig;
    return lode_der_parse_lax(&sig, der) && !secp256k1_ecdsa_signature_normalize(secp256k1_context_static, NULL, &sig);
}
