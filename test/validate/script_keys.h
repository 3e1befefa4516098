/* test/validate/script_keys.h: keys and signatures for tests. Secrets are small numbers; nothing here is for money. */
#ifndef LODE_TEST_SCRIPT_KEYS_H
#define LODE_TEST_SCRIPT_KEYS_H

#include "support/bytes.h"

enum { TEST_KEY_COUNT = 8 };

typedef struct test_key {
    uint8_t secret[32];
    uint8_t compressed[33];
    uint8_t uncompressed[65];
    uint8_t hybrid[65];
    uint8_t x_only[32];
} test_key;

/* Key i has secret i + 1. */
const test_key *test_key_at(unsigned i);

/* Strict DER, low S, exactly 70 bytes, without hash type byte: tests put it in the place of a mark of that length. */
enum { TEST_DER_SIZE = 70 };
void test_sign_ecdsa(uint8_t der[TEST_DER_SIZE], const test_key *key, const uint8_t digest[32]);
void test_sign_schnorr(uint8_t sig[64], const test_key *key, const uint8_t digest[32]);
/* The same signature with the other S; `out` holds 72 bytes. Returns its length. */
size_t test_flip_s(uint8_t *out, lode_slice der);

/* The output key of a tree with `root` (NULL: none) under key->x_only; returns the parity of the point. */
int test_tweak(uint8_t output_key[32], const test_key *key, const uint8_t *root);
/* Signs for that output key. */
void test_sign_tweaked(uint8_t sig[64], const test_key *key, const uint8_t *root, const uint8_t digest[32]);

#endif
