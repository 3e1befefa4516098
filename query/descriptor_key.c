/* query/descriptor_key.c: keys in descriptors, with their origin.
 *
 * Touches:  libsecp256k1: is a key a point?
 * Source:   BIP 380; Core's script/descriptor.cpp for refusals.
 */
#include "query/descriptor_key.h"

#include <secp256k1.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "primitives/hash.h"
#include "query/json.h"

bool lode_descriptor_refuse(lode_descriptor_parsing *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!p->error[0])
        vsnprintf(p->error, 256, format, arguments);
    va_end(arguments);
    return false;
}

bool lode_descriptor_read_hex(lode_buf *out, lode_slice hex)
{
    char *text = strndup((const char *)hex.data, hex.len);
    uint8_t *bytes = text && hex.len % 2 == 0 ? lode_buf_extend(out, hex.len / 2) : NULL;
    bool good = bytes && lode_hex_decode(bytes, hex.len / 2, text);

    if (text && hex.len == 0)
        good = true;
    free(text);
    return good;
}

static bool is_point(const lode_descriptor_key *k)
{
    secp256k1_pubkey point;
    return secp256k1_ec_pubkey_parse(secp256k1_context_static, &point, k->bytes, k->len) == 1;
}

static bool has_key_form(const uint8_t *bytes, size_t len)
{
    return (len == 33 && (bytes[0] == 2 || bytes[0] == 3)) ||
           (len == 65 && (bytes[0] == 4 || bytes[0] == 6 || bytes[0] == 7));
}

/* One step of a path: digits, and a mark if it is hardened; told with h. */
static bool put_step(lode_descriptor_parsing *p, lode_buf *out, lode_slice step)
{
    bool is_hardened = step.len > 0 && strchr("'h", step.data[step.len - 1]);
    size_t digits = step.len - is_hardened;
    uint64_t number = 0;

    for (size_t i = 0; i < digits; i++) {
        if (step.data[i] < '0' || step.data[i] > '9' || number > UINT32_MAX / 10) {
            digits = 0;
            break;
        }
        number = number * 10 + (step.data[i] - '0');
    }
    if (digits == 0 || number > UINT32_MAX)
        return lode_descriptor_refuse(p, "Key path value '%.*s' is not a valid uint32", (int)(step.len - is_hardened),
                                      (const char *)step.data);
    if (number >= 1u << 31)
        return lode_descriptor_refuse(p, "Key path value %u is out of range", (unsigned)number);
    lode_buf_printf(out, "/%u%s", (unsigned)number, is_hardened ? "h" : "");
    return true;
}

/* Eight digits, then steps. */
static bool read_origin(lode_descriptor_parsing *p, lode_descriptor_key *k, lode_slice text)
{
    lode_buf out = LODE_BUF_EMPTY;
    lode_buf fingerprint = LODE_BUF_EMPTY;
    size_t at = 0;
    bool good;

    while (at < text.len && text.data[at] != '/')
        at++;
    if (at != 8)
        return lode_descriptor_refuse(p, "Fingerprint is not 4 bytes (%zu characters instead of 8 characters)", at);
    good = lode_descriptor_read_hex(&fingerprint, lode_slice_of(text.data, 8)) ||
           lode_descriptor_refuse(p, "Fingerprint '%.8s' is not hex", (const char *)text.data);
    if (good)
        lode_buf_put_hex(&out, fingerprint.data, 4);
    while (good && at < text.len) {
        size_t end = ++at;
        while (end < text.len && text.data[end] != '/')
            end++;
        good = put_step(p, &out, lode_slice_of(text.data + at, end - at));
        at = end;
    }
    if (good && (!lode_buf_is_good(&out) || out.len >= sizeof k->origin))
        good = lode_descriptor_refuse(p, "a key's origin is too long");
    if (good) {
        memcpy(k->origin, out.data, out.len);
        k->origin[out.len] = '\0';
    }
    lode_buf_clear(&out);
    lode_buf_clear(&fingerprint);
    return good;
}

static bool take_key_bytes(lode_descriptor_parsing *p, lode_descriptor_key *k, lode_slice text, const lode_buf *bytes,
                           lode_descriptor_context c)
{
    k->len = bytes->len;
    if (k->len <= sizeof k->bytes)
        memcpy(k->bytes, bytes->data, k->len);
    if (has_key_form(bytes->data, bytes->len) && (bytes->data[0] == 6 || bytes->data[0] == 7))
        return lode_descriptor_refuse(p, "Hybrid public keys are not allowed");
    if (has_key_form(bytes->data, bytes->len) && is_point(k)) {
        if (k->len == 65 && c != LODE_DESCRIPTOR_TOP && c != LODE_DESCRIPTOR_IN_SH)
            return lode_descriptor_refuse(p, "Uncompressed keys are not allowed");
        return true;
    }
    if (bytes->len == 32 && c == LODE_DESCRIPTOR_IN_TR) {
        k->is_x_only = true;
        k->len = 33;
        k->bytes[0] = 2;
        memcpy(k->bytes + 1, bytes->data, 32);
        if (is_point(k))
            return true;
    }
    return lode_descriptor_refuse(p, "Pubkey '%.*s' is invalid", (int)text.len, (const char *)text.data);
}

static bool read_bare_key(lode_descriptor_parsing *p, lode_descriptor_key *k, lode_slice text,
                          lode_descriptor_context c)
{
    lode_buf bytes = LODE_BUF_EMPTY;
    bool good;

    if (text.len == 0)
        return lode_descriptor_refuse(p, "No key provided");
    if (!lode_descriptor_read_hex(&bytes, text)) {
        lode_buf_clear(&bytes);
        if (lode_slice_starts_with(text, "xpub") || lode_slice_starts_with(text, "tpub") ||
            lode_slice_starts_with(text, "xprv") || lode_slice_starts_with(text, "tprv"))
            return lode_descriptor_refuse(
                p, "extended keys are not derived here: name the keys, addresses or scripts themselves");
        return lode_descriptor_refuse(p, "key '%.*s' is not valid", (int)text.len, (const char *)text.data);
    }
    good = take_key_bytes(p, k, text, &bytes, c);
    lode_buf_clear(&bytes);
    return good;
}

bool lode_descriptor_read_key(lode_descriptor_parsing *p, lode_descriptor_key *k, lode_slice text,
                              lode_descriptor_context c)
{
    const uint8_t *bracket = text.len ? memchr(text.data, ']', text.len) : NULL;
    uint8_t hash[20];

    *k = (lode_descriptor_key){ .len = 0 };
    if (bracket) {
        size_t at = (size_t)(bracket - text.data);
        if (memchr(bracket + 1, ']', text.len - at - 1))
            return lode_descriptor_refuse(p, "Multiple ']' characters found for a single pubkey");
        if (text.data[0] != '[')
            return lode_descriptor_refuse(p, "Key origin start '[ character expected but not found, got '%c' instead",
                                          text.data[0]);
        if (!read_origin(p, k, lode_slice_of(text.data + 1, at - 1)))
            return false;
        text = lode_slice_of(bracket + 1, text.len - at - 1);
    }
    if (!read_bare_key(p, k, text, c))
        return false;
    if (!bracket) {
        lode_hash160(hash, k->bytes, k->len);
        snprintf(k->origin, sizeof k->origin, "%02x%02x%02x%02x", hash[0], hash[1], hash[2], hash[3]);
    }
    return true;
}

void lode_descriptor_put_key(lode_buf *out, const lode_descriptor_key *k, bool is_x_only)
{
    lode_buf_printf(out, "[%s]", k->origin);
    lode_buf_put_hex(out, k->bytes + is_x_only, k->len - is_x_only);
}
