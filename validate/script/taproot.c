/* validate/script/taproot.c: the hashes and the commitment of BIP 341. */
#include "validate/script/taproot.h"

#include <secp256k1_extrakeys.h>

#define CONTROL_BASE 33
#define CONTROL_NODE 32
#define CONTROL_MAX_NODES 128

bool lode_control_block_has_good_size(lode_slice control)
{
    return control.len >= CONTROL_BASE && control.len <= CONTROL_BASE + CONTROL_NODE * CONTROL_MAX_NODES &&
           (control.len - CONTROL_BASE) % CONTROL_NODE == 0;
}

static void add_with_length(lode_sha256_stream *s, lode_slice bytes)
{
    uint8_t length[9];
    lode_sha256_add(s, length, lode_compact_size_write(length, bytes.len));
    lode_sha256_add(s, bytes.data, bytes.len);
}

void lode_tapleaf_hash(uint8_t out[32], uint8_t leaf_version, lode_slice script)
{
    lode_sha256_stream s;
    lode_sha256_begin_tagged(&s, "TapLeaf");
    lode_sha256_add(&s, &leaf_version, 1);
    add_with_length(&s, script);
    lode_sha256_end(&s, out);
}

/* Branches are sorted, so a proof need not say left or right. `out` may be `a`. */
static void hash_branch(uint8_t out[32], const uint8_t a[32], const uint8_t b[32])
{
    lode_sha256_stream s;
    bool a_first = memcmp(a, b, 32) < 0;
    lode_sha256_begin_tagged(&s, "TapBranch");
    lode_sha256_add(&s, a_first ? a : b, 32);
    lode_sha256_add(&s, a_first ? b : a, 32);
    lode_sha256_end(&s, out);
}

void lode_taproot_root(uint8_t out[32], lode_slice control, const uint8_t leaf_hash[32])
{
    memcpy(out, leaf_hash, 32);
    for (size_t at = CONTROL_BASE; at < control.len; at += CONTROL_NODE)
        hash_branch(out, out, control.data + at);
}

void lode_taproot_tweak(uint8_t out[32], const uint8_t internal_key[32], const uint8_t *root)
{
    lode_sha256_stream s;
    lode_sha256_begin_tagged(&s, "TapTweak");
    lode_sha256_add(&s, internal_key, 32);
    if (root)
        lode_sha256_add(&s, root, 32);
    lode_sha256_end(&s, out);
}

bool lode_taproot_commits(const uint8_t output_key[32], lode_slice control, const uint8_t leaf_hash[32])
{
    secp256k1_xonly_pubkey internal;
    uint8_t root[32], tweak[32];
    if (!secp256k1_xonly_pubkey_parse(secp256k1_context_static, &internal, control.data + 1))
        return false;
    lode_taproot_root(root, control, leaf_hash);
    lode_taproot_tweak(tweak, control.data + 1, root);
    return secp256k1_xonly_pubkey_tweak_add_check(secp256k1_context_static, output_key, control.data[0] & 1, &internal,
                                                  tweak);
}

void lode_annex_hash(uint8_t out[32], lode_slice annex)
{
    lode_sha256_stream s;
    lode_sha256_begin(&s);
    add_with_length(&s, annex);
    lode_sha256_end(&s, out);
}
