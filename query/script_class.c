/* query/script_class.c: what kind of output script is this, and what address has it?
 *
 * Room:     the shapes that wallets know. Nothing here is consensus.
 * Touches:  the script given.
 * Source:   Core's Solver and ExtractDestination.
 */
#include "query/script_class.h"

#include "validate/script/interpreter.h"

enum { OP_1 = 0x51, OP_16 = 0x60, OP_RETURN = 0x6a, OP_CHECKSIG = 0xac, OP_CHECKMULTISIG = 0xae };

/* Does the first byte of a key go with its length? Hybrid keys (6, 7) count. */
static bool is_key_sized(lode_slice key)
{
    if (key.len == 33)
        return key.data[0] == 2 || key.data[0] == 3;
    return key.len == 65 && (key.data[0] == 4 || key.data[0] == 6 || key.data[0] == 7);
}

static bool match_pubkey(lode_script_class *c, lode_slice script)
{
    if ((script.len != 35 && script.len != 67) || script.data[0] != script.len - 2 ||
        script.data[script.len - 1] != OP_CHECKSIG)
        return false;
    c->data = lode_slice_of(script.data + 1, script.len - 2);
    return is_key_sized(c->data);
}

static bool match_pubkeyhash(lode_script_class *c, lode_slice script)
{
    static const uint8_t before[3] = { 0x76, 0xa9, 20 };   /* OP_DUP OP_HASH160 */
    static const uint8_t after[2] = { 0x88, OP_CHECKSIG }; /* OP_EQUALVERIFY */

    if (script.len != 25 || memcmp(script.data, before, 3) != 0 || memcmp(script.data + 23, after, 2) != 0)
        return false;
    c->data = lode_slice_of(script.data + 3, 20);
    return true;
}

/* 1 to 20 in its shortest form; 0 for anything else. */
static int small_count(uint8_t opcode, lode_slice push)
{
    if (opcode >= OP_1 && opcode <= OP_16)
        return opcode - OP_1 + 1;
    if (opcode == 1 && push.len == 1 && push.data[0] > 16 && push.data[0] <= LODE_MULTISIG_KEYS_MAX)
        return push.data[0];
    return 0;
}

static bool match_multisig(lode_script_class *c, lode_slice script)
{
    size_t at = 0;
    uint8_t opcode = 0;
    lode_slice push = { NULL, 0 };

    if (script.len == 0 || script.data[script.len - 1] != OP_CHECKMULTISIG)
        return false;
    if (!lode_script_next(script, &at, &opcode, &push))
        return false;
    c->required = small_count(opcode, push);
    if (c->required == 0)
        return false;
    c->key_count = 0;
    for (;;) {
        if (!lode_script_next(script, &at, &opcode, &push))
            return false;
        if (!is_key_sized(push))
            break;
        if (c->key_count == LODE_MULTISIG_KEYS_MAX)
            return false;
        c->keys[c->key_count++] = push;
    }
    return small_count(opcode, push) == c->key_count && c->key_count >= c->required && at + 1 == script.len;
}

static lode_script_type classify_program(int version, lode_slice program)
{
    static const uint8_t anchor[2] = { 0x4e, 0x73 };

    if (version == 0 && program.len == 20)
        return LODE_SCRIPT_WITNESS_V0_KEYHASH;
    if (version == 0 && program.len == 32)
        return LODE_SCRIPT_WITNESS_V0_SCRIPTHASH;
    if (version == 0)
        return LODE_SCRIPT_NONSTANDARD;
    if (version == 1 && program.len == 32)
        return LODE_SCRIPT_WITNESS_V1_TAPROOT;
    if (version == 1 && program.len == 2 && memcmp(program.data, anchor, 2) == 0)
        return LODE_SCRIPT_ANCHOR;
    return LODE_SCRIPT_WITNESS_UNKNOWN;
}

void lode_script_classify(lode_script_class *c, lode_slice script)
{
    *c = (lode_script_class){ .type = LODE_SCRIPT_NONSTANDARD };
    if (lode_script_is_p2sh(script)) {
        c->type = LODE_SCRIPT_SCRIPTHASH;
        c->data = lode_slice_of(script.data + 2, 20);
    } else if (lode_script_is_witness_program(script, &c->witness_version, &c->data)) {
        c->type = classify_program(c->witness_version, c->data);
    } else if (script.len > 0 && script.data[0] == OP_RETURN &&
               lode_script_is_push_only(lode_slice_of(script.data + 1, script.len - 1))) {
        c->type = LODE_SCRIPT_NULL_DATA;
    } else if (match_pubkey(c, script)) {
        c->type = LODE_SCRIPT_PUBKEY;
    } else if (match_pubkeyhash(c, script)) {
        c->type = LODE_SCRIPT_PUBKEYHASH;
    } else if (match_multisig(c, script)) {
        c->type = LODE_SCRIPT_MULTISIG;
    }
}

const char *lode_script_type_name(lode_script_type type)
{
    switch (type) {
    case LODE_SCRIPT_NONSTANDARD:
        return "nonstandard";
    case LODE_SCRIPT_PUBKEY:
        return "pubkey";
    case LODE_SCRIPT_PUBKEYHASH:
        return "pubkeyhash";
    case LODE_SCRIPT_SCRIPTHASH:
        return "scripthash";
    case LODE_SCRIPT_MULTISIG:
        return "multisig";
    case LODE_SCRIPT_NULL_DATA:
        return "nulldata";
    case LODE_SCRIPT_ANCHOR:
        return "anchor";
    case LODE_SCRIPT_WITNESS_V0_KEYHASH:
        return "witness_v0_keyhash";
    case LODE_SCRIPT_WITNESS_V0_SCRIPTHASH:
        return "witness_v0_scripthash";
    case LODE_SCRIPT_WITNESS_V1_TAPROOT:
        return "witness_v1_taproot";
    case LODE_SCRIPT_WITNESS_UNKNOWN:
        return "witness_unknown";
    }
    return "";
}

static bool encode_hash160(char out[LODE_BASE58_TEXT_MAX], uint8_t prefix, lode_slice hash)
{
    uint8_t payload[21] = { prefix };

    memcpy(payload + 1, hash.data, 20);
    return lode_base58check_encode(out, payload, sizeof payload);
}

bool lode_script_address(char out[LODE_BASE58_TEXT_MAX], const lode_script_class *c, const lode_chain_params *params)
{
    out[0] = '\0';
    switch (c->type) {
    case LODE_SCRIPT_NONSTANDARD:
    case LODE_SCRIPT_PUBKEY:
    case LODE_SCRIPT_MULTISIG:
    case LODE_SCRIPT_NULL_DATA:
        return false;
    case LODE_SCRIPT_PUBKEYHASH:
        return encode_hash160(out, params->pubkey_prefix, c->data);
    case LODE_SCRIPT_SCRIPTHASH:
        return encode_hash160(out, params->script_prefix, c->data);
    case LODE_SCRIPT_ANCHOR:
    case LODE_SCRIPT_WITNESS_V0_KEYHASH:
    case LODE_SCRIPT_WITNESS_V0_SCRIPTHASH:
    case LODE_SCRIPT_WITNESS_V1_TAPROOT:
    case LODE_SCRIPT_WITNESS_UNKNOWN:
        return lode_segwit_address_encode(out, params->bech32_prefix, c->witness_version, c->data.data, c->data.len);
    }
    return false;
}
