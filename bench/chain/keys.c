/* bench/chain/keys.c: the ring of keys of a chain maker.
 *
 * Room:     key i is a hash of the seed and i; its hashes and taproot outputs are made once.
 * Touches:  libsecp256k1. Secrets are for test chains and protect nothing.
 * Threads:  constant after init.
 * Promise:  same seed, same keys.
 */
#include "bench/chain/keys.h"

#include <stdlib.h>
#include <string.h>

#include "bench/chain/script_kind.h"
#include "primitives/encode.h"
#include "primitives/hash.h"
#include "support/bytes.h"

void lode_maker_leaf_hash(uint8_t out[32], const uint8_t *script, size_t len)
{
    lode_sha256_stream s;
    uint8_t head[10] = { 0xc0 };
    size_t head_len = 1 + lode_compact_size_write(head + 1, len);

    lode_sha256_begin_tagged(&s, "TapLeaf");
    lode_sha256_add(&s, head, head_len);
    lode_sha256_add(&s, script, len);
    lode_sha256_end(&s, out);
}

void lode_maker_branch_hash(uint8_t out[32], const uint8_t a[32], const uint8_t b[32])
{
    lode_sha256_stream s;
    bool in_order = memcmp(a, b, 32) < 0;

    lode_sha256_begin_tagged(&s, "TapBranch");
    lode_sha256_add(&s, in_order ? a : b, 32);
    lode_sha256_add(&s, in_order ? b : a, 32);
    lode_sha256_end(&s, out);
}

static void hash_tweak(uint8_t out[32], const lode_maker_key *key, const uint8_t *merkle_root)
{
    lode_sha256_stream s;

    lode_sha256_begin_tagged(&s, "TapTweak");
    lode_sha256_add(&s, key->x_only, 32);
    if (merkle_root)
        lode_sha256_add(&s, merkle_root, 32);
    lode_sha256_end(&s, out);
}

bool lode_maker_taproot_output(uint8_t output[32], uint8_t *parity, const lode_key_ring *ring,
                               const lode_maker_key *key, const uint8_t *merkle_root)
{
    secp256k1_xonly_pubkey internal, tweaked_x;
    secp256k1_pubkey tweaked;
    uint8_t tweak[32];
    int y_is_odd = 0;

    hash_tweak(tweak, key, merkle_root);
    if (!secp256k1_keypair_xonly_pub(ring->context, &internal, NULL, &key->keypair) ||
        !secp256k1_xonly_pubkey_tweak_add(ring->context, &tweaked, &internal, tweak) ||
        !secp256k1_xonly_pubkey_from_pubkey(ring->context, &tweaked_x, &y_is_odd, &tweaked) ||
        !secp256k1_xonly_pubkey_serialize(ring->context, output, &tweaked_x))
        return false;
    *parity = (uint8_t)y_is_odd;
    return true;
}

static bool make_public_forms(const lode_key_ring *ring, lode_maker_key *key)
{
    secp256k1_pubkey pub;
    size_t short_len = sizeof key->compressed, long_len = sizeof key->uncompressed;

    if (!secp256k1_keypair_create(ring->context, &key->keypair, key->secret) ||
        !secp256k1_keypair_pub(ring->context, &pub, &key->keypair) ||
        !secp256k1_ec_pubkey_serialize(ring->context, key->compressed, &short_len, &pub, SECP256K1_EC_COMPRESSED) ||
        !secp256k1_ec_pubkey_serialize(ring->context, key->uncompressed, &long_len, &pub, SECP256K1_EC_UNCOMPRESSED))
        return false;
    memcpy(key->x_only, key->compressed + 1, 32);
    lode_hash160(key->compressed_hash, key->compressed, sizeof key->compressed);
    lode_hash160(key->uncompressed_hash, key->uncompressed, sizeof key->uncompressed);
    return true;
}

static bool make_taproot_forms(const lode_key_ring *ring, lode_maker_key *key)
{
    secp256k1_xonly_pubkey x;
    uint8_t tweak[32];

    hash_tweak(tweak, key, NULL);
    key->taproot_keypair = key->keypair;
    return secp256k1_keypair_xonly_tweak_add(ring->context, &key->taproot_keypair, tweak) &&
           secp256k1_keypair_xonly_pub(ring->context, &x, NULL, &key->taproot_keypair) &&
           secp256k1_xonly_pubkey_serialize(ring->context, key->taproot_output, &x);
}

static bool make_key(const lode_key_ring *ring, lode_maker_key *key, uint64_t seed, uint32_t i)
{
    uint8_t text[32] = "lode chain maker key";

    lode_write_le64(text + 20, seed);
    lode_write_le32(text + 28, i);
    lode_sha256(key->secret, text, sizeof text);
    return make_public_forms(ring, key) && make_taproot_forms(ring, key);
}

lode_status lode_key_ring_init(lode_key_ring *ring, uint64_t seed, uint32_t count)
{
    ring->count = count;
    ring->context = secp256k1_context_create(SECP256K1_CONTEXT_SIGN | SECP256K1_CONTEXT_VERIFY);
    ring->keys = (lode_maker_key *)calloc(count, sizeof *ring->keys);
    if (!ring->context || !ring->keys)
        return lode_fail(LODE_NO_MEMORY, "no memory for %u keys", count);
    for (uint32_t i = 0; i < count; i++) {
        if (!make_key(ring, &ring->keys[i], seed, i))
            return lode_fail(LODE_BUG, "key %u of seed %llu is none", i, (unsigned long long)seed);
    }
    for (uint32_t i = 0; i < count; i++) {
        lode_maker_key *key = &ring->keys[i];
        uint8_t root[32];

        lode_script_tree_root(root, ring, LODE_KIND_P2TR_SCRIPT, i, 0);
        if (!lode_maker_taproot_output(key->script_output, &key->script_parity, ring, key, root))
            return lode_fail(LODE_BUG, "key %u of seed %llu has no script output", i, (unsigned long long)seed);
    }
    return lode_ok();
}

void lode_key_ring_clear(lode_key_ring *ring)
{
    if (ring->context)
        secp256k1_context_destroy(ring->context);
    free(ring->keys);
    ring->context = NULL;
    ring->keys = NULL;
}
