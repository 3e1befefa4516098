/* validate/script/taproot.h: the hashes and the commitment of BIP 341. */
#ifndef LODE_VALIDATE_SCRIPT_TAPROOT_H
#define LODE_VALIDATE_SCRIPT_TAPROOT_H

#include "primitives/encode.h"
#include "validate/script/sighash.h"

enum { LODE_TAPROOT_LEAF_MASK = 0xfe, LODE_TAPROOT_LEAF_TAPSCRIPT = 0xc0 };

/* Leaf version and parity, the internal key, and 0 to 128 hashes of 32 bytes. */
bool lode_control_block_has_good_size(lode_slice control);
void lode_tapleaf_hash(uint8_t out[32], uint8_t leaf_version, lode_slice script);
/* The output key is the internal key of `control`, tweaked by the tree in which the leaf stands. `control` has a good
 * size. */
bool lode_taproot_commits(const uint8_t output_key[32], lode_slice control, const uint8_t leaf_hash[32]);
/* The root of the tree that `control` and the leaf give. */
void lode_taproot_root(uint8_t out[32], lode_slice control, const uint8_t leaf_hash[32]);
/* What the internal key is tweaked by; no tree: root is NULL. */
void lode_taproot_tweak(uint8_t out[32], const uint8_t internal_key[32], const uint8_t *root);
void lode_annex_hash(uint8_t out[32], lode_slice annex);

#endif
