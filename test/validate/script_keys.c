/* test/validate/script_keys.c: keys and signatures for tests. */
#include "test/validate/script_keys.h"

#include <stdio.h>
#include <stdlib.h>

#include <secp256k1_schnorrsig.h>

#include "validate/script/taproot.h"

static secp256k1_context *signer;
static test_key keys[TEST_KEY_COUNT];

static void demand(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "test keys: %s failed\n", what);
    abort();
}

static void make_key(test_key *key, uint8_t number)
{
    secp256k1_pubkey point;
    size_t len = 33;
    memset(key->secret, 0, 32);
    key->secret[31] = number;
    demand(secp256k1_ec_pubkey_create(signer, &point, key->secret), "pubkey_create");
    secp256k1_ec_pubkey_serialize(signer, key->compressed, &len, &point, SECP256K1_EC_COMPRESSED);
    len = 65;
    secp256k1_ec_pubkey_serialize(signer, key->uncompressed, &len, &point, SECP256K1_EC_UNCOMPRESSED);
    memcpy(key->hybrid, key->uncompressed, 65);
    key->hybrid[0] = 6 | (key->uncompressed[64] & 1);
    memcpy(key->x_only, key->compressed + 1, 32);
}

const test_key *test_key_at(unsigned i)
{
    if (!signer) {
        signer = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
        for (unsigned k = 0; k < TEST_KEY_COUNT; k++)
            make_key(&keys[k], (uint8_t)(k + 1));
    }
    return &keys[i % TEST_KEY_COUNT];
}

void test_sign_ecdsa(uint8_t der[TEST_DER_SIZE], const test_key *key, const uint8_t digest[32])
{
    for (uint32_t extra = 0;; extra++) { /* until both numbers fill 32 bytes without a sign byte */
        secp256k1_ecdsa_signature sig;
        uint8_t entropy[32] = { 0 }, room[72];
        size_t len = sizeof room;
        lode_write_le32(entropy, extra);
        demand(secp256k1_ecdsa_sign(signer, &sig, digest, key->secret, NULL, entropy), "ecdsa_sign");
        demand(secp256k1_ecdsa_signature_serialize_der(signer, room, &len, &sig), "serialize_der");
        if (len == TEST_DER_SIZE && room[3] == 32) {
            memcpy(der, room, TEST_DER_SIZE);
            return;
        }
    }
}

static void sign_with(uint8_t sig[64], const secp256k1_keypair *pair, const uint8_t digest[32])
{
    demand(secp256k1_schnorrsig_sign32(signer, sig, digest, pair, NULL), "schnorrsig_sign");
}

void test_sign_schnorr(uint8_t sig[64], const test_key *key, const uint8_t digest[32])
{
    secp256k1_keypair pair;
    demand(secp256k1_keypair_create(signer, &pair, key->secret), "keypair_create");
    sign_with(sig, &pair, digest);
}

size_t test_flip_s(uint8_t *out, lode_slice der)
{
    secp256k1_ecdsa_signature sig;
    uint8_t compact[64];
    size_t len = 72;
    demand(secp256k1_ecdsa_signature_parse_der(signer, &sig, der.data, der.len), "parse_der");
    secp256k1_ecdsa_signature_serialize_compact(signer, compact, &sig);
    demand(secp256k1_ec_seckey_negate(signer, compact + 32), "negate");
    secp256k1_ecdsa_signature_parse_compact(signer, &sig, compact);
    demand(secp256k1_ecdsa_signature_serialize_der(signer, out, &len, &sig), "serialize_der");
    return len;
}

static void make_tweaked(secp256k1_keypair *pair, const test_key *key, const uint8_t *root)
{
    uint8_t tweak[32];
    lode_taproot_tweak(tweak, key->x_only, root);
    demand(secp256k1_keypair_create(signer, pair, key->secret), "keypair_create");
    demand(secp256k1_keypair_xonly_tweak_add(signer, pair, tweak), "tweak_add");
}

int test_tweak(uint8_t output_key[32], const test_key *key, const uint8_t *root)
{
    secp256k1_keypair pair;
    secp256k1_xonly_pubkey x_only;
    int parity;
    make_tweaked(&pair, key, root);
    demand(secp256k1_keypair_xonly_pub(signer, &x_only, &parity, &pair), "keypair_xonly_pub");
    secp256k1_xonly_pubkey_serialize(signer, output_key, &x_only);
    return parity;
}

void test_sign_tweaked(uint8_t sig[64], const test_key *key, const uint8_t *root, const uint8_t digest[32])
{
    secp256k1_keypair pair;
    make_tweaked(&pair, key, root);
    sign_with(sig, &pair, digest);
}
