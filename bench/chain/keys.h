/* bench/chain/keys.h: a fixed ring of key pairs, made once from the seed, and what scripts are made of them. */
#ifndef LODE_BENCH_KEYS_H
#define LODE_BENCH_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include <secp256k1.h>
#include <secp256k1_extrakeys.h>

#include "support/status.h"

typedef struct lode_maker_key {
    secp256k1_keypair keypair;
    secp256k1_keypair taproot_keypair; /* tweaked with no scripts: signs the key path */
    uint8_t secret[32];
    uint8_t compressed[33], uncompressed[65];
    uint8_t compressed_hash[20], uncompressed_hash[20]; /* HASH160 */
    uint8_t x_only[32];
    uint8_t taproot_output[32]; /* of the key path kind */
    uint8_t script_output[32];  /* of LODE_KIND_P2TR_SCRIPT, made when the ring is */
    uint8_t script_parity;
} lode_maker_key;

typedef struct lode_key_ring {
    secp256k1_context *context; /* never changes once made, so that threads may share it */
    lode_maker_key *keys;
    uint32_t count;
} lode_key_ring;

/* Errors: LODE_NO_MEMORY. */
lode_status lode_key_ring_init(lode_key_ring *ring, uint64_t seed, uint32_t count);
void lode_key_ring_clear(lode_key_ring *ring);

/* Wraps around: multisig of key i takes keys i, i + 1 and i + 2. */
static inline const lode_maker_key *lode_key_ring_at(const lode_key_ring *ring, uint32_t i)
{
    return &ring->keys[i % ring->count];
}

/* BIP 341: the output key of an internal key and a merkle root (NULL: none), and the parity of its y. */
bool lode_maker_taproot_output(uint8_t output[32], uint8_t *parity, const lode_key_ring *ring,
                               const lode_maker_key *key, const uint8_t *merkle_root);

/* BIP 341's hashes of a leaf (version 0xc0) and of two branches. */
void lode_maker_leaf_hash(uint8_t out[32], const uint8_t *script, size_t len);
void lode_maker_branch_hash(uint8_t out[32], const uint8_t a[32], const uint8_t b[32]);

#endif
