/* query/descriptor.c: output descriptors that can be told from the script alone.
 *
 * Room:     a script's class and bytes to a descriptor's text.
 * Touches:  libsecp256k1, asked whether a taproot key is a point.
 * Source:   BIP 380 (checksum), 381 (pk), 383 (multi), 385 (addr, raw), 386; Core's InferDescriptor for which is
 * chosen.
 */
#include "query/descriptor.h"

#include <secp256k1.h>
#include <secp256k1_extrakeys.h>

#include "query/json.h"

static uint64_t step_checksum(uint64_t state, unsigned value)
{
    static const uint64_t generator[5] = { 0xf5dee51989, 0xa9fdca3312, 0x1bab10e32d, 0x3706b1677a, 0x644d626ffd };
    uint64_t top = state >> 35;

    state = (state & 0x7ffffffff) << 5 ^ value;
    for (int i = 0; i < 5; i++)
        if (top >> i & 1)
            state ^= generator[i];
    return state;
}

bool lode_descriptor_checksum(char out[9], const char *text, size_t len)
{
    static const char alphabet[] = "0123456789()[],'/*abcdefgh@:$%{}"
                                   "IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~"
                                   "ijklmnopqrstuvwxyzABCDEFGH`#\"\\ ";
    static const char digits[] = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    uint64_t state = 1;
    unsigned groups = 0;
    unsigned group_count = 0;

    for (size_t i = 0; i < len; i++) {
        const char *place = text[i] ? strchr(alphabet, text[i]) : NULL;
        if (!place)
            return false;
        state = step_checksum(state, (unsigned)(place - alphabet) & 31);
        groups = groups * 3 + (unsigned)((place - alphabet) >> 5);
        if (++group_count == 3) {
            state = step_checksum(state, groups);
            groups = group_count = 0;
        }
    }
    if (group_count)
        state = step_checksum(state, groups);
    for (int i = 0; i < 8; i++)
        state = step_checksum(state, 0);
    state ^= 1;
    for (int i = 0; i < 8; i++)
        out[i] = digits[state >> (5 * (7 - i)) & 31];
    out[8] = '\0';
    return true;
}

static bool is_hybrid(lode_slice key)
{
    return key.data[0] == 6 || key.data[0] == 7;
}

static bool has_hybrid_key(const lode_script_class *c)
{
    for (int i = 0; i < c->key_count; i++)
        if (is_hybrid(c->keys[i]))
            return true;
    return false;
}

static bool is_point(lode_slice x_only)
{
    secp256k1_xonly_pubkey key;
    return secp256k1_xonly_pubkey_parse(secp256k1_context_static, &key, x_only.data) == 1;
}

static void put_multi(lode_buf *out, const lode_script_class *c)
{
    lode_buf_printf(out, "multi(%d", c->required);
    for (int i = 0; i < c->key_count; i++) {
        lode_buf_put_u8(out, ',');
        lode_buf_put_hex(out, c->keys[i].data, c->keys[i].len);
    }
    lode_buf_put_u8(out, ')');
}

static void put_hex_in(lode_buf *out, const char *name, lode_slice bytes)
{
    lode_buf_printf(out, "%s(", name);
    lode_buf_put_hex(out, bytes.data, bytes.len);
    lode_buf_put_u8(out, ')');
}

static void put_body(lode_buf *out, lode_slice script, const lode_script_class *c, const lode_chain_params *params)
{
    char address[LODE_BASE58_TEXT_MAX];

    if (c->type == LODE_SCRIPT_PUBKEY && !is_hybrid(c->data))
        put_hex_in(out, "pk", c->data);
    else if (c->type == LODE_SCRIPT_MULTISIG && !has_hybrid_key(c))
        put_multi(out, c);
    else if (c->type == LODE_SCRIPT_WITNESS_V1_TAPROOT && is_point(c->data))
        put_hex_in(out, "rawtr", c->data);
    else if (lode_script_address(address, c, params))
        lode_buf_printf(out, "addr(%s)", address);
    else
        put_hex_in(out, "raw", script);
}

void lode_buf_put_descriptor(lode_buf *out, lode_slice script, const lode_script_class *c,
                             const lode_chain_params *params)
{
    size_t start = out->len;
    char checksum[9];

    put_body(out, script, c, params);
    if (lode_buf_is_good(out) && lode_descriptor_checksum(checksum, (const char *)out->data + start, out->len - start))
        lode_buf_printf(out, "#%s", checksum);
}
