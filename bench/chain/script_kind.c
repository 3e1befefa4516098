/* bench/chain/script_kind.c: the scripts of each kind of output.
 *
 * Room:     kind, key and height of birth say everything about a coin's scripts, so that coins need not store them.
 * Touches:  nothing but its arguments.
 * Promise:  what lode_script_output locks, bench/chain/unlock.c unlocks; costs are never exceeded.
 */
#include "bench/chain/script_kind.h"

#include <string.h>

#include "primitives/hash.h"
#include "support/bytes.h"
#include "validate/script/opcode.h"

static const char *const names[LODE_KIND_COUNT] = {
    "p2pk",          "p2pk-uncompressed",
    "p2pkh",         "p2pkh-uncompressed",
    "multisig",      "p2sh-multisig",
    "p2sh-p2wpkh",   "p2sh-p2wsh",
    "p2wpkh",        "p2wsh",
    "p2tr",          "p2tr-script",
    "p2tr-multisig", "cltv-p2sh",
    "cltv-p2wsh",    "cltv-p2tr",
    "csv-p2sh",      "csv-p2wsh",
    "csv-p2tr",      "op-return",
};

/* A DER signature with its hash type is at most 72 bytes here (s is low), pushed 73; a Schnorr one 65. */
const lode_kind_cost lode_kind_costs[LODE_KIND_COUNT] = {
    [LODE_KIND_P2PK] = { 35, 73, 0, 4, 0, 1 },           [LODE_KIND_P2PK_UNCOMPRESSED] = { 67, 73, 0, 4, 0, 1 },
    [LODE_KIND_P2PKH] = { 25, 107, 0, 4, 0, 1 },         [LODE_KIND_P2PKH_UNCOMPRESSED] = { 25, 139, 0, 4, 0, 1 },
    [LODE_KIND_MULTISIG] = { 105, 147, 0, 80, 0, 2 },    [LODE_KIND_P2SH_MULTISIG] = { 23, 254, 0, 0, 12, 2 },
    [LODE_KIND_P2SH_P2WPKH] = { 23, 23, 108, 0, 1, 1 },  [LODE_KIND_P2SH_P2WSH] = { 23, 35, 254, 0, 3, 2 },
    [LODE_KIND_P2WPKH] = { 22, 0, 108, 0, 1, 1 },        [LODE_KIND_P2WSH] = { 34, 0, 254, 0, 3, 2 },
    [LODE_KIND_P2TR] = { 34, 0, 67, 0, 0, 1 },           [LODE_KIND_P2TR_SCRIPT] = { 34, 0, 168, 0, 0, 1 },
    [LODE_KIND_P2TR_MULTISIG] = { 34, 0, 273, 0, 0, 2 }, [LODE_KIND_CLTV_P2SH] = { 23, 117, 0, 0, 4, 1 },
    [LODE_KIND_CLTV_P2WSH] = { 34, 0, 119, 0, 1, 1 },    [LODE_KIND_CLTV_P2TR] = { 34, 0, 145, 0, 0, 1 },
    [LODE_KIND_CSV_P2SH] = { 23, 117, 0, 0, 4, 1 },      [LODE_KIND_CSV_P2WSH] = { 34, 0, 119, 0, 1, 1 },
    [LODE_KIND_CSV_P2TR] = { 34, 0, 145, 0, 0, 1 },      [LODE_KIND_OP_RETURN] = { 77, 0, 0, 0, 0, 0 },
};

const char *lode_coin_kind_name(lode_coin_kind kind)
{
    return (unsigned)kind < LODE_KIND_COUNT ? names[kind] : "?";
}

bool lode_coin_kind_from_name(lode_coin_kind *kind, const char *name, size_t len)
{
    for (unsigned i = 0; i < LODE_KIND_COUNT; i++) {
        if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0) {
            *kind = (lode_coin_kind)i;
            return true;
        }
    }
    return false;
}

bool lode_coin_kind_is_taproot(lode_coin_kind kind)
{
    return kind == LODE_KIND_P2TR || kind == LODE_KIND_P2TR_SCRIPT || kind == LODE_KIND_P2TR_MULTISIG ||
           kind == LODE_KIND_CLTV_P2TR || kind == LODE_KIND_CSV_P2TR;
}

bool lode_coin_kind_has_witness(lode_coin_kind kind)
{
    return lode_kind_costs[kind].witness_len > 0;
}

static lode_lock_type lock_type_of(lode_coin_kind kind)
{
    if (kind == LODE_KIND_CLTV_P2SH || kind == LODE_KIND_CLTV_P2WSH || kind == LODE_KIND_CLTV_P2TR)
        return LODE_LOCK_ABSOLUTE;
    if (kind == LODE_KIND_CSV_P2SH || kind == LODE_KIND_CSV_P2WSH || kind == LODE_KIND_CSV_P2TR)
        return LODE_LOCK_RELATIVE;
    return LODE_LOCK_NONE;
}

/* Keys with bit 3 lock by time, the others by height: a few blocks either way. */
lode_coin_lock lode_coin_lock_of(lode_coin_kind kind, uint32_t key, uint32_t born_height)
{
    lode_coin_lock lock = { lock_type_of(kind), 0 };
    bool by_time = key & 8;

    if (lock.type == LODE_LOCK_ABSOLUTE)
        lock.value = by_time ? lode_chain_maker_time(born_height + (key & 3)) : born_height + (key & 7);
    if (lock.type == LODE_LOCK_RELATIVE)
        lock.value = by_time ? UINT32_C(0x00400000) | (1 + (key & 3)) : 1 + (key & 7);
    return lock;
}

/* BIP 113 and BIP 68: times are compared with the median time of the block before. */
static bool lock_has_passed(lode_coin_lock lock, uint32_t born_height, uint32_t height)
{
    uint32_t median = lode_chain_maker_median_time(height - 1);

    switch (lock.type) {
    case LODE_LOCK_NONE:
        return true;
    case LODE_LOCK_ABSOLUTE:
        return lock.value < (lock.value < 500000000 ? height : median);
    case LODE_LOCK_RELATIVE:
        if (!(lock.value & UINT32_C(0x00400000)))
            return born_height + lock.value <= height;
        return lode_chain_maker_median_time(born_height ? born_height - 1 : 0) + 512 * (lock.value & 0xffff) <= median;
    }
    return false;
}

bool lode_coin_is_ripe(const lode_made_coin *coin, uint32_t height)
{
    lode_coin_lock lock = lode_coin_lock_of((lode_coin_kind)coin->kind, coin->key, coin->height);

    if (coin->is_coinbase && height < coin->height + 100)
        return false;
    return lock_has_passed(lock, coin->height, height);
}

void lode_made_coin_needs(const lode_made_coin *coin, uint32_t *sequence, uint32_t *lock_time, int32_t *version)
{
    lode_coin_lock lock = lode_coin_lock_of((lode_coin_kind)coin->kind, coin->key, coin->height);

    *sequence = UINT32_C(0xffffffff);
    *lock_time = 0;
    if (lock.type == LODE_LOCK_ABSOLUTE) {
        *sequence = UINT32_C(0xfffffffe);
        *lock_time = lock.value;
    }
    if (lock.type == LODE_LOCK_RELATIVE) {
        *sequence = lock.value;
        *version = 2;
    }
}

size_t lode_script_push_number(uint8_t *out, uint32_t n)
{
    size_t len = 0;

    if (n == 0) {
        out[0] = LODE_OP_0;
        return 1;
    }
    if (n <= 16) {
        out[0] = (uint8_t)(LODE_OP_1 + n - 1);
        return 1;
    }
    for (uint64_t rest = n; rest; rest >>= 8)
        out[++len] = (uint8_t)rest;
    if (out[len] & 0x80)
        out[++len] = 0;
    out[0] = (uint8_t)len;
    return 1 + len;
}

static size_t put_push(uint8_t *out, const uint8_t *data, size_t len)
{
    out[0] = (uint8_t)len;
    memcpy(out + 1, data, len);
    return 1 + len;
}

static size_t put_multisig(uint8_t *out, const lode_key_ring *ring, uint32_t key)
{
    size_t n = 0;

    out[n++] = LODE_OP_1 + 1;
    for (uint32_t i = 0; i < 3; i++)
        n += put_push(out + n, lode_key_ring_at(ring, key + i)->compressed, 33);
    out[n++] = LODE_OP_1 + 2;
    out[n++] = LODE_OP_CHECKMULTISIG;
    return n;
}

static size_t put_tap_multisig(uint8_t *out, const lode_key_ring *ring, uint32_t key)
{
    size_t n = 0;

    for (uint32_t i = 0; i < 3; i++) {
        n += put_push(out + n, lode_key_ring_at(ring, key + i)->x_only, 32);
        out[n++] = i ? LODE_OP_CHECKSIGADD : LODE_OP_CHECKSIG;
    }
    out[n++] = LODE_OP_1 + 1;
    out[n++] = LODE_OP_NUMEQUAL;
    return n;
}

static size_t put_key_hash(uint8_t *out, const uint8_t hash[20])
{
    size_t n = 0;

    out[n++] = LODE_OP_DUP;
    out[n++] = LODE_OP_HASH160;
    n += put_push(out + n, hash, 20);
    out[n++] = LODE_OP_EQUALVERIFY;
    out[n++] = LODE_OP_CHECKSIG;
    return n;
}

/* number, CHECK...VERIFY, DROP, key, CHECKSIG */
static size_t put_locked(uint8_t *out, const lode_key_ring *ring, lode_coin_kind kind, uint32_t key, uint32_t born)
{
    lode_coin_lock lock = lode_coin_lock_of(kind, key, born);
    const lode_maker_key *k = lode_key_ring_at(ring, key);
    size_t n = lode_script_push_number(out, lock.value);

    out[n++] = lock.type == LODE_LOCK_ABSOLUTE ? LODE_OP_CHECKLOCKTIMEVERIFY : LODE_OP_CHECKSEQUENCEVERIFY;
    out[n++] = LODE_OP_DROP;
    if (lode_coin_kind_is_taproot(kind))
        n += put_push(out + n, k->x_only, 32);
    else
        n += put_push(out + n, k->compressed, 33);
    out[n++] = LODE_OP_CHECKSIG;
    return n;
}

size_t lode_script_inner(uint8_t out[LODE_MADE_SCRIPT_MAX], const lode_key_ring *ring, lode_coin_kind kind,
                         uint32_t key, uint32_t born_height)
{
    const lode_maker_key *k = lode_key_ring_at(ring, key);
    size_t n = 0;

    switch (kind) {
    case LODE_KIND_P2PK:
        n = put_push(out, k->compressed, 33);
        out[n++] = LODE_OP_CHECKSIG;
        return n;
    case LODE_KIND_P2PK_UNCOMPRESSED:
        n = put_push(out, k->uncompressed, 65);
        out[n++] = LODE_OP_CHECKSIG;
        return n;
    case LODE_KIND_P2PKH_UNCOMPRESSED:
        return put_key_hash(out, k->uncompressed_hash);
    case LODE_KIND_P2PKH:
    case LODE_KIND_P2SH_P2WPKH: /* BIP 143: the script code of a key hash program is P2PKH's script */
    case LODE_KIND_P2WPKH:
        return put_key_hash(out, k->compressed_hash);
    case LODE_KIND_MULTISIG:
    case LODE_KIND_P2SH_MULTISIG:
    case LODE_KIND_P2SH_P2WSH:
    case LODE_KIND_P2WSH:
        return put_multisig(out, ring, key);
    case LODE_KIND_P2TR_SCRIPT:
        n = put_push(out, k->x_only, 32);
        out[n++] = LODE_OP_CHECKSIG;
        return n;
    case LODE_KIND_P2TR_MULTISIG:
        return put_tap_multisig(out, ring, key);
    case LODE_KIND_CLTV_P2SH:
    case LODE_KIND_CLTV_P2WSH:
    case LODE_KIND_CLTV_P2TR:
    case LODE_KIND_CSV_P2SH:
    case LODE_KIND_CSV_P2WSH:
    case LODE_KIND_CSV_P2TR:
        return put_locked(out, ring, kind, key, born_height);
    case LODE_KIND_P2TR:
    case LODE_KIND_OP_RETURN:
    case LODE_KIND_COUNT:
        break;
    }
    return 0;
}

static size_t put_script_hash(uint8_t *out, const uint8_t *script, size_t len)
{
    out[0] = LODE_OP_HASH160;
    out[1] = 20;
    lode_hash160(out + 2, script, len);
    out[22] = LODE_OP_EQUAL;
    return 23;
}

static size_t put_script_program(uint8_t *out, const uint8_t *script, size_t len)
{
    out[0] = LODE_OP_0;
    out[1] = 32;
    lode_sha256(out + 2, script, len);
    return 34;
}

static size_t put_key_program(uint8_t *out, const uint8_t hash[20])
{
    out[0] = LODE_OP_0;
    return 1 + put_push(out + 1, hash, 20);
}

size_t lode_script_nested(uint8_t out[LODE_MADE_SCRIPT_MAX], const lode_key_ring *ring, lode_coin_kind kind,
                          uint32_t key, uint32_t born_height)
{
    uint8_t inner[LODE_MADE_SCRIPT_MAX];

    if (kind == LODE_KIND_P2SH_P2WPKH)
        return put_key_program(out, lode_key_ring_at(ring, key)->compressed_hash);
    return put_script_program(out, inner, lode_script_inner(inner, ring, kind, key, born_height));
}

void lode_script_tree_root(uint8_t root[32], const lode_key_ring *ring, lode_coin_kind kind, uint32_t key,
                           uint32_t born_height)
{
    uint8_t leaf[LODE_MADE_SCRIPT_MAX];
    uint8_t other[32];

    lode_maker_leaf_hash(root, leaf, lode_script_inner(leaf, ring, kind, key, born_height));
    if (kind != LODE_KIND_P2TR_SCRIPT)
        return;
    lode_maker_leaf_hash(other, leaf, lode_script_inner(leaf, ring, kind, key + 1, born_height));
    lode_maker_branch_hash(root, root, other);
}

static void find_taproot_output(uint8_t output[32], uint8_t *parity, const lode_key_ring *ring, lode_coin_kind kind,
                                uint32_t key, uint32_t born_height)
{
    const lode_maker_key *k = lode_key_ring_at(ring, key);
    uint8_t root[32];

    if (kind == LODE_KIND_P2TR_SCRIPT) {
        memcpy(output, k->script_output, 32);
        *parity = k->script_parity;
        return;
    }
    lode_script_tree_root(root, ring, kind, key, born_height);
    if (!lode_maker_taproot_output(output, parity, ring, k, root))
        memset(output, 0, 32); /* of negligible chance: a tweak beyond the curve's order */
}

size_t lode_script_control_block(uint8_t out[65], const lode_key_ring *ring, lode_coin_kind kind, uint32_t key,
                                 uint32_t born_height)
{
    const lode_maker_key *k = lode_key_ring_at(ring, key);
    uint8_t leaf[LODE_MADE_SCRIPT_MAX];
    uint8_t output[32], parity = 0;

    find_taproot_output(output, &parity, ring, kind, key, born_height);
    out[0] = (uint8_t)(0xc0 | parity);
    memcpy(out + 1, k->x_only, 32);
    if (kind != LODE_KIND_P2TR_SCRIPT)
        return 33;
    lode_maker_leaf_hash(out + 33, leaf, lode_script_inner(leaf, ring, kind, key + 1, born_height));
    return 65;
}

static size_t put_taproot(uint8_t *out, const lode_key_ring *ring, lode_coin_kind kind, uint32_t key, uint32_t born)
{
    uint8_t parity = 0;

    out[0] = LODE_OP_1;
    out[1] = 32;
    if (kind == LODE_KIND_P2TR)
        memcpy(out + 2, lode_key_ring_at(ring, key)->taproot_output, 32);
    else
        find_taproot_output(out + 2, &parity, ring, kind, key, born);
    return 34;
}

static size_t put_data(uint8_t *out, uint64_t salt)
{
    size_t len = 20 + salt % 56;

    out[0] = LODE_OP_RETURN;
    out[1] = (uint8_t)len;
    for (size_t i = 0; i < len; i++) {
        if (i % 8 == 0)
            salt = salt * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        out[2 + i] = (uint8_t)(salt >> (8 * (7 - i % 8)));
    }
    return 2 + len;
}

size_t lode_script_output(uint8_t out[LODE_MADE_SCRIPT_MAX], const lode_key_ring *ring, lode_coin_kind kind,
                          uint32_t key, uint32_t born_height, uint64_t salt)
{
    uint8_t inner[LODE_MADE_SCRIPT_MAX];

    switch (kind) {
    case LODE_KIND_P2PK:
    case LODE_KIND_P2PK_UNCOMPRESSED:
    case LODE_KIND_P2PKH:
    case LODE_KIND_P2PKH_UNCOMPRESSED:
    case LODE_KIND_MULTISIG:
        return lode_script_inner(out, ring, kind, key, born_height);
    case LODE_KIND_P2SH_MULTISIG:
    case LODE_KIND_CLTV_P2SH:
    case LODE_KIND_CSV_P2SH:
        return put_script_hash(out, inner, lode_script_inner(inner, ring, kind, key, born_height));
    case LODE_KIND_P2SH_P2WPKH:
    case LODE_KIND_P2SH_P2WSH:
        return put_script_hash(out, inner, lode_script_nested(inner, ring, kind, key, born_height));
    case LODE_KIND_P2WPKH:
        return put_key_program(out, lode_key_ring_at(ring, key)->compressed_hash);
    case LODE_KIND_P2WSH:
    case LODE_KIND_CLTV_P2WSH:
    case LODE_KIND_CSV_P2WSH:
        return put_script_program(out, inner, lode_script_inner(inner, ring, kind, key, born_height));
    case LODE_KIND_P2TR:
    case LODE_KIND_P2TR_SCRIPT:
    case LODE_KIND_P2TR_MULTISIG:
    case LODE_KIND_CLTV_P2TR:
    case LODE_KIND_CSV_P2TR:
        return put_taproot(out, ring, kind, key, born_height);
    case LODE_KIND_OP_RETURN:
        return put_data(out, salt);
    case LODE_KIND_COUNT:
        break;
    }
    return 0;
}
