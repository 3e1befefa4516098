/* validate/script/signature.c: libsecp256k1 asked about one signature, or about many.
 *
 * Touches:  libsecp256k1's static context, which is constant.
 */
#include "validate/script/sigcheck.h"

#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>

#include "validate/script/encoding.h"
#include "validate/script/lax_der.h"

bool lode_ecdsa_verify(lode_slice pubkey, lode_slice der_sig, const uint8_t digest[32])
{
    secp256k1_pubkey key;
    secp256k1_ecdsa_signature sig;
    const secp256k1_context *context = secp256k1_context_static;

    if (!lode_pubkey_is_possible(pubkey) || !secp256k1_ec_pubkey_parse(context, &key, pubkey.data, pubkey.len))
        return false;
    if (!lode_der_parse_lax(&sig, der_sig))
        return false;
    secp256k1_ecdsa_signature_normalize(context, &sig, &sig); /* the library refuses a high S, consensus does not */
    return secp256k1_ecdsa_verify(context, &sig, digest, &key);
}

bool lode_schnorr_verify(const uint8_t pubkey[32], const uint8_t sig[64], const uint8_t digest[32])
{
    secp256k1_xonly_pubkey key;
    return secp256k1_xonly_pubkey_parse(secp256k1_context_static, &key, pubkey) &&
           secp256k1_schnorrsig_verify(secp256k1_context_static, sig, digest, 32, &key);
}

/* One by one, until something faster takes its place. */
void lode_sig_batch_verify(bool *verdicts, const lode_sig_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->key_lengths[i] == 32)
            verdicts[i] = batch->signature_lengths[i] == 64 &&
                          lode_schnorr_verify(batch->keys[i], batch->signatures[i], batch->digests[i]);
        else
            verdicts[i] =
                lode_ecdsa_verify(lode_slice_of(batch->keys[i], batch->key_lengths[i]),
                                  lode_slice_of(batch->signatures[i], batch->signature_lengths[i]), batch->digests[i]);
    }
}
