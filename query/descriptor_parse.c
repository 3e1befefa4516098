/* query/descriptor_parse.c: output descriptors without derivation, turned into the scripts they stand for.
 *
 * Room:     text to scripts, and for each script the descriptor that Core would tell for it: keys with their origin,
 * the first four bytes of their hash where none was given. Touches:  libsecp256k1: is a key a point; the tweak of a
 * taproot key. Source:   BIP 380 to 386; Core's script/descriptor.cpp for refusals and for what is told.
 */
#include "query/descriptor_parse.h"

#include <secp256k1_extrakeys.h>
#include <stdlib.h>

#include "primitives/address.h"
#include "primitives/hash.h"
#include "query/descriptor.h"
#include "query/descriptor_key.h"
#include "query/script_class.h"
#include "validate/script/taproot.h"

enum { KEYS_MAX = 20, TOP_KEYS_MAX = 3, P2SH_MAX = 520 };

/* ---- pieces of text ---- */

/* "name(...)": *inner is what stands between. */
static bool is_call(lode_slice s, const char *name, lode_slice *inner)
{
    size_t len = strlen(name);

    if (!lode_slice_starts_with(s, name) || s.len < len + 2 || s.data[len] != '(' || s.data[s.len - 1] != ')')
        return false;
    *inner = lode_slice_of(s.data + len + 1, s.len - len - 2);
    return true;
}

/* Up to the next comma outside of brackets; *rest begins with the comma, or is empty. */
static lode_slice take_expression(lode_slice *rest)
{
    lode_slice s = *rest;
    size_t at = 0;
    int depth = 0;

    for (; at < s.len; at++) {
        uint8_t c = s.data[at];
        if (c == '(' || c == '{')
            depth++;
        else if ((c == ')' || c == '}') && depth > 0)
            depth--;
        else if ((c == ',' || c == ')' || c == '}') && depth == 0)
            break;
    }
    *rest = lode_slice_of(s.data + at, s.len - at);
    return lode_slice_of(s.data, at);
}

/* ---- scripts ---- */

static void put_push(lode_buf *out, const uint8_t *data, size_t len)
{
    lode_buf_put_u8(out, (uint8_t)len);
    lode_buf_append(out, data, len);
}

static void put_pk(lode_buf *out, const lode_descriptor_key *k)
{
    put_push(out, k->bytes, k->len);
    lode_buf_put_u8(out, 0xac); /* OP_CHECKSIG */
}

static void put_pkh(lode_buf *out, const lode_descriptor_key *k)
{
    uint8_t hash[20];
    lode_hash160(hash, k->bytes, k->len);
    lode_buf_append(out, "\x76\xa9", 2); /* OP_DUP OP_HASH160 */
    put_push(out, hash, 20);
    lode_buf_append(out, "\x88\xac", 2); /* OP_EQUALVERIFY OP_CHECKSIG */
}

static void put_program(lode_buf *out, int version, const uint8_t *program, size_t len)
{
    lode_buf_put_u8(out, version ? (uint8_t)(0x50 + version) : 0);
    put_push(out, program, len);
}

static void put_wpkh(lode_buf *out, const lode_descriptor_key *k)
{
    uint8_t hash[20];
    lode_hash160(hash, k->bytes, k->len);
    put_program(out, 0, hash, 20);
}

static void put_sh(lode_buf *out, const lode_buf *inner)
{
    uint8_t hash[20];
    lode_hash160(hash, inner->data, inner->len);
    lode_buf_put_u8(out, 0xa9); /* OP_HASH160 */
    put_push(out, hash, 20);
    lode_buf_put_u8(out, 0x87); /* OP_EQUAL */
}

static void put_wsh(lode_buf *out, const lode_buf *inner)
{
    uint8_t hash[32];
    lode_sha256(hash, inner->data, inner->len);
    put_program(out, 0, hash, 32);
}

bool lode_address_script(lode_buf *out, const char *address, const lode_chain_params *params)
{
    uint8_t bytes[40];
    size_t len;
    int version;

    if (lode_segwit_address_decode(&version, bytes, &len, params->bech32_prefix, address)) {
        put_program(out, version, bytes, len);
        return true;
    }
    if (!lode_base58check_decode(bytes, &len, sizeof bytes, address) || len != 21)
        return false;
    if (bytes[0] == params->pubkey_prefix) {
        lode_buf_append(out, "\x76\xa9", 2);
        put_push(out, bytes + 1, 20);
        lode_buf_append(out, "\x88\xac", 2);
        return true;
    }
    if (bytes[0] != params->script_prefix)
        return false;
    lode_buf_put_u8(out, 0xa9);
    put_push(out, bytes + 1, 20);
    lode_buf_put_u8(out, 0x87);
    return true;
}

/* ---- expressions: script and text ---- */

static bool parse_single(lode_descriptor_parsing *p, lode_buf *script, lode_buf *text, lode_slice inner,
                         const char *name, lode_descriptor_context c,
                         void (*put)(lode_buf *out, const lode_descriptor_key *k))
{
    lode_descriptor_key k;

    if (!lode_descriptor_read_key(p, &k, inner, c)) {
        char why[256];
        memcpy(why, p->error, sizeof why);
        p->error[0] = '\0';
        return lode_descriptor_refuse(p, "%s(): %.240s", name, why);
    }
    put(script, &k);
    lode_buf_printf(text, "%s(", name);
    lode_descriptor_put_key(text, &k, false);
    lode_buf_put_u8(text, ')');
    return true;
}

static int compare_keys(const void *a, const void *b)
{
    const lode_descriptor_key *x = a, *y = b;
    int c = memcmp(x->bytes, y->bytes, x->len < y->len ? x->len : y->len);
    return c ? c : (int)x->len - (int)y->len;
}

static void put_number(lode_buf *out, unsigned n)
{
    if (n <= 16) {
        lode_buf_put_u8(out, (uint8_t)(0x50 + n));
    } else {
        lode_buf_put_u8(out, 1);
        lode_buf_put_u8(out, (uint8_t)n);
    }
}

static bool read_keys(lode_descriptor_parsing *p, lode_descriptor_key *keys, size_t *count, lode_slice rest,
                      lode_descriptor_context c)
{
    while (rest.len) {
        lode_slice one;
        if (rest.data[0] != ',')
            return lode_descriptor_refuse(p, "Multi: expected ',', got '%c'", rest.data[0]);
        rest = lode_slice_of(rest.data + 1, rest.len - 1);
        one = take_expression(&rest);
        if (*count == KEYS_MAX)
            return lode_descriptor_refuse(p, "Cannot have more than %d keys in multisig", KEYS_MAX);
        if (!lode_descriptor_read_key(p, &keys[(*count)++], one, c)) {
            char why[256];
            memcpy(why, p->error, sizeof why);
            p->error[0] = '\0';
            return lode_descriptor_refuse(p, "Multi: %.240s", why);
        }
    }
    return true;
}

static bool read_threshold(uint32_t *value, lode_slice text)
{
    uint64_t n = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || n > UINT32_MAX / 10)
            return false;
        n = n * 10 + (text.data[i] - '0');
    }
    *value = (uint32_t)n;
    return text.len > 0;
}

static bool parse_multi(lode_descriptor_parsing *p, lode_buf *script, lode_buf *text, lode_slice inner, bool is_sorted,
                        lode_descriptor_context c)
{
    lode_slice rest = inner, first = take_expression(&rest);
    lode_descriptor_key keys[KEYS_MAX];
    size_t count = 0;
    uint32_t threshold;

    if (!read_threshold(&threshold, first))
        return lode_descriptor_refuse(p, "Multi threshold '%.*s' is not valid", (int)first.len,
                                      (const char *)first.data);
    if (!read_keys(p, keys, &count, rest, c))
        return false;
    if (count == 0)
        return lode_descriptor_refuse(p, "Cannot have 0 keys in multisig; must have between 1 and %d keys, inclusive",
                                      KEYS_MAX);
    if (threshold == 0)
        return lode_descriptor_refuse(p, "Multisig threshold cannot be 0, must be at least 1");
    if (threshold > count)
        return lode_descriptor_refuse(
            p,
            "Multisig threshold cannot be larger than the number of keys; threshold is %u but only %zu keys specified",
            threshold, count);
    if (c == LODE_DESCRIPTOR_TOP && count > TOP_KEYS_MAX)
        return lode_descriptor_refuse(p, "Cannot have %zu pubkeys in bare multisig; only at most %d pubkeys", count,
                                      TOP_KEYS_MAX);
    if (is_sorted)
        qsort(keys, count, sizeof *keys, compare_keys);
    put_number(script, threshold);
    lode_buf_printf(text, "multi(%u", threshold);
    for (size_t i = 0; i < count; i++) {
        put_push(script, keys[i].bytes, keys[i].len);
        lode_buf_put_u8(text, ',');
        lode_descriptor_put_key(text, &keys[i], false);
    }
    put_number(script, (unsigned)count);
    lode_buf_put_u8(script, 0xae); /* OP_CHECKMULTISIG */
    lode_buf_put_u8(text, ')');
    return true;
}

static bool parse_script(lode_descriptor_parsing *p, lode_buf *script, lode_buf *text, lode_slice s,
                         lode_descriptor_context c);

/* sh() or wsh() around another one. */
static bool parse_wrapped(lode_descriptor_parsing *p, lode_buf *script, lode_buf *text, lode_slice inner,
                          const char *name, lode_descriptor_context c,
                          void (*put)(lode_buf *out, const lode_buf *inner))
{
    lode_buf held = LODE_BUF_EMPTY;
    bool good;

    lode_buf_printf(text, "%s(", name);
    good = parse_script(p, &held, text, inner, c);
    lode_buf_put_u8(text, ')');
    if (good && c == LODE_DESCRIPTOR_IN_SH && held.len > P2SH_MAX)
        good = lode_descriptor_refuse(p, "P2SH script is too large, %zu bytes is larger than %d bytes", held.len,
                                      P2SH_MAX);
    if (good)
        put(script, &held);
    if (!lode_buf_is_good(&held))
        good = lode_descriptor_refuse(p, "out of memory");
    lode_buf_clear(&held);
    return good;
}

static bool parse_tr(lode_descriptor_parsing *p, lode_buf *script, lode_buf *text, lode_slice inner, bool is_raw)
{
    lode_slice rest = inner, first = take_expression(&rest);
    const char *name = is_raw ? "rawtr" : "tr";
    uint8_t tweak[32], output[32];
    secp256k1_xonly_pubkey point;
    secp256k1_pubkey full;
    lode_descriptor_key k;

    if (is_raw && rest.len)
        return lode_descriptor_refuse(p, "rawtr(): only one key expected.");
    if (!lode_descriptor_read_key(p, &k, first, LODE_DESCRIPTOR_IN_TR)) {
        char why[256];
        memcpy(why, p->error, sizeof why);
        p->error[0] = '\0';
        return lode_descriptor_refuse(p, "%s(): %.240s", name, why);
    }
    if (rest.len)
        return lode_descriptor_refuse(p, "tr() with scripts is not taken here: name its address, or raw()");
    memcpy(output, k.bytes + 1, 32);
    if (!is_raw) {
        lode_taproot_tweak(tweak, output, NULL);
        if (!secp256k1_xonly_pubkey_parse(secp256k1_context_static, &point, output) ||
            !secp256k1_xonly_pubkey_tweak_add(secp256k1_context_static, &full, &point, tweak) ||
            !secp256k1_xonly_pubkey_from_pubkey(secp256k1_context_static, &point, NULL, &full) ||
            !secp256k1_xonly_pubkey_serialize(secp256k1_context_static, output, &point))
            return lode_descriptor_refuse(p, "tr(): the key cannot be tweaked");
    }
    put_program(script, 1, output, 32);
    lode_buf_printf(text, "%s(", name);
    lode_descriptor_put_key(text, &k, true);
    lode_buf_put_u8(text, ')');
    return true;
}

static bool parse_keyed(lode_descriptor_parsing *p, bool *known, lode_buf *script, lode_buf *text, lode_slice s,
                        lode_descriptor_context c)
{
    lode_slice inner;

    *known = true;
    if (is_call(s, "pk", &inner))
        return parse_single(p, script, text, inner, "pk", c, put_pk);
    if (is_call(s, "pkh", &inner))
        return parse_single(p, script, text, inner, "pkh", c, put_pkh);
    if (is_call(s, "multi", &inner) || is_call(s, "sortedmulti", &inner))
        return parse_multi(p, script, text, inner, s.data[0] == 's', c);
    if (is_call(s, "wpkh", &inner)) {
        if (c == LODE_DESCRIPTOR_IN_WSH)
            return lode_descriptor_refuse(p, "Can only have wpkh() at top level or inside sh()");
        return parse_single(p, script, text, inner, "wpkh", LODE_DESCRIPTOR_IN_WPKH, put_wpkh);
    }
    if (is_call(s, "wsh", &inner)) {
        if (c == LODE_DESCRIPTOR_IN_WSH)
            return lode_descriptor_refuse(p, "Can only have wsh() at top level or inside sh()");
        return parse_wrapped(p, script, text, inner, "wsh", LODE_DESCRIPTOR_IN_WSH, put_wsh);
    }
    *known = false;
    return false;
}

static bool parse_script(lode_descriptor_parsing *p, lode_buf *script, lode_buf *text, lode_slice s,
                         lode_descriptor_context c)
{
    static const char *const top_only[] = { "combo", "sh", "addr", "tr", "rawtr", "raw" };
    lode_slice inner;
    bool known, good = parse_keyed(p, &known, script, text, s, c);

    if (known)
        return good;
    for (size_t i = 0; c != LODE_DESCRIPTOR_TOP && i < sizeof top_only / sizeof *top_only; i++)
        if (is_call(s, top_only[i], &inner))
            return lode_descriptor_refuse(p, "Can only have %s%s at top level", top_only[i],
                                          strstr(top_only[i], "tr") ? "" : "()");
    if (c != LODE_DESCRIPTOR_TOP)
        return lode_descriptor_refuse(p, "A function is needed within %s",
                                      c == LODE_DESCRIPTOR_IN_SH ? "P2SH" : "P2WSH");
    if (is_call(s, "sh", &inner))
        return parse_wrapped(p, script, text, inner, "sh", LODE_DESCRIPTOR_IN_SH, put_sh);
    if (is_call(s, "tr", &inner) || is_call(s, "rawtr", &inner))
        return parse_tr(p, script, text, inner, s.data[0] == 'r');
    return lode_descriptor_refuse(p, "'%.*s' is not a valid descriptor function", (int)s.len, (const char *)s.data);
}

/* ---- the whole ---- */

static void finish_text(lode_buf *text)
{
    char checksum[9];
    if (lode_buf_is_good(text) && lode_descriptor_checksum(checksum, (const char *)text->data, text->len))
        lode_buf_printf(text, "#%s", checksum);
    lode_buf_put_u8(text, 0);
}

/* A script that was given as such: Core tells what can be told from it alone. */
static bool add_plain(lode_descriptor_parsing *p, lode_descriptor_scripts *out, lode_buf *script)
{
    lode_script_class class;
    lode_slice bytes = lode_buf_slice(script);

    out->items[0].script = *script;
    out->count = 1;
    lode_script_classify(&class, bytes);
    lode_buf_put_descriptor(&out->items[0].text, bytes, &class, p->params);
    lode_buf_put_u8(&out->items[0].text, 0);
    return true;
}

static bool parse_address(lode_descriptor_parsing *p, lode_descriptor_scripts *out, lode_slice address)
{
    lode_buf script = LODE_BUF_EMPTY;
    char *text = strndup((const char *)address.data, address.len);
    bool good = text && lode_address_script(&script, text, p->params);

    free(text);
    return good ? add_plain(p, out, &script) : lode_descriptor_refuse(p, "Address is not valid");
}

static bool parse_raw(lode_descriptor_parsing *p, lode_descriptor_scripts *out, lode_slice hex)
{
    lode_buf script = LODE_BUF_EMPTY;

    if (lode_descriptor_read_hex(&script, hex))
        return add_plain(p, out, &script);
    lode_buf_clear(&script);
    return lode_descriptor_refuse(p, "Raw script is not hex");
}

static bool parse_combo(lode_descriptor_parsing *p, lode_descriptor_scripts *out, lode_slice inner)
{
    static const char *const forms[] = { "pk(%.*s)", "pkh(%.*s)", "wpkh(%.*s)", "sh(wpkh(%.*s))" };
    bool is_compressed;
    lode_descriptor_key k;

    if (!lode_descriptor_read_key(p, &k, inner, LODE_DESCRIPTOR_TOP)) {
        char why[256];
        memcpy(why, p->error, sizeof why);
        p->error[0] = '\0';
        return lode_descriptor_refuse(p, "combo(): %.240s", why);
    }
    is_compressed = k.len == 33;
    for (size_t i = 0; i < (is_compressed ? 4 : 2); i++) {
        lode_buf form = LODE_BUF_EMPTY;
        bool good;
        lode_buf_printf(&form, forms[i], (int)inner.len, (const char *)inner.data);
        out->count = i + 1;
        good = lode_buf_is_good(&form) &&
               parse_script(p, &out->items[i].script, &out->items[i].text, lode_buf_slice(&form), LODE_DESCRIPTOR_TOP);
        lode_buf_clear(&form);
        if (!good)
            return lode_descriptor_refuse(p, "out of memory");
        finish_text(&out->items[i].text);
    }
    return true;
}

/* The part before '#'. */
static bool take_checksum(lode_descriptor_parsing *p, lode_slice *s, const char *text)
{
    const char *mark = strchr(text, '#');
    char expected[9];

    *s = lode_slice_of(text, mark ? (size_t)(mark - text) : strlen(text));
    if (mark && strchr(mark + 1, '#'))
        return lode_descriptor_refuse(p, "Multiple '#' symbols");
    if (mark && strlen(mark + 1) != 8)
        return lode_descriptor_refuse(p, "Expected 8 character checksum, not %zu characters", strlen(mark + 1));
    if (!lode_descriptor_checksum(expected, text, s->len))
        return lode_descriptor_refuse(p, "Invalid characters in payload");
    if (mark && strcmp(mark + 1, expected) != 0)
        return lode_descriptor_refuse(p, "Provided checksum '%s' does not match computed checksum '%s'", mark + 1,
                                      expected);
    return true;
}

static bool parse(lode_descriptor_parsing *p, lode_descriptor_scripts *out, const char *text)
{
    lode_buf script = LODE_BUF_EMPTY;
    lode_slice s, inner;

    if (lode_address_script(&script, text, p->params))
        return add_plain(p, out, &script);
    if (!take_checksum(p, &s, text))
        return false;
    if (is_call(s, "addr", &inner))
        return parse_address(p, out, inner);
    if (is_call(s, "raw", &inner))
        return parse_raw(p, out, inner);
    if (is_call(s, "combo", &inner))
        return parse_combo(p, out, inner);
    out->count = 1;
    if (!parse_script(p, &out->items[0].script, &out->items[0].text, s, LODE_DESCRIPTOR_TOP))
        return false;
    finish_text(&out->items[0].text);
    return true;
}

const char *lode_descriptor_parse(lode_descriptor_scripts *out, char error[256], const char *text,
                                  const lode_chain_params *params)
{
    lode_descriptor_parsing p = { params, error };

    memset(out, 0, sizeof *out);
    error[0] = '\0';
    if (parse(&p, out, text)) {
        for (size_t i = 0; i < out->count; i++)
            if (!lode_buf_is_good(&out->items[i].script) || !lode_buf_is_good(&out->items[i].text))
                lode_descriptor_refuse(&p, "out of memory");
    } else if (!error[0]) {
        lode_descriptor_refuse(&p, "out of memory");
    }
    if (!error[0])
        return NULL;
    lode_descriptor_scripts_clear(out);
    return error;
}

void lode_descriptor_scripts_clear(lode_descriptor_scripts *scripts)
{
    for (size_t i = 0; i < LODE_DESCRIPTOR_SCRIPTS_MAX; i++) {
        lode_buf_clear(&scripts->items[i].script);
        lode_buf_clear(&scripts->items[i].text);
    }
    scripts->count = 0;
}
