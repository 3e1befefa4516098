/* validate/script/sigcheck.h: script checks of whole inputs, immediate or collected, with an optional cache.
 *
 * Pure functions of their arguments; threads are the caller's. A verdict never depends on how checks were grouped.
 */
#ifndef LODE_VALIDATE_SCRIPT_SIGCHECK_H
#define LODE_VALIDATE_SCRIPT_SIGCHECK_H

#include "validate/script/interpreter.h"

/* Verified signatures, remembered: salted, bounded, safe from many threads. Only ever holds true answers. */
typedef struct lode_sig_cache lode_sig_cache;
lode_sig_cache *lode_sig_cache_create(size_t bytes); /* given: lode_sig_cache_destroy */
void lode_sig_cache_destroy(lode_sig_cache *cache);

/* The immediate checker for one input. hashes and cache (may be NULL) are kept. */
typedef struct lode_tx_checker {
    lode_sig_checker base;
    const lode_tx_hashes *hashes;
    uint32_t input;
    lode_sig_cache *cache;
    bool cache_store; /* remember what verifies here; false: forget what was found, as its block is being connected */
    lode_sighash_cache sighash;
} lode_tx_checker;
void lode_tx_checker_init(lode_tx_checker *checker, const lode_tx_hashes *hashes, uint32_t input, lode_sig_cache *cache,
                          bool cache_store);
/* The two halves of its signature checks that do not verify: what is signed. The second is false when the signature's
 * length or hash type is not allowed. For other checkers that begin with a lode_tx_checker. */
void lode_tx_checker_ecdsa_digest(uint8_t digest[32], lode_tx_checker *checker, uint8_t hash_type,
                                  lode_slice script_code, lode_sig_version version);
bool lode_tx_checker_schnorr_digest(uint8_t digest[32], lode_tx_checker *checker, lode_slice sig,
                                    const lode_tapscript_context *context, lode_script_error *error);

/* All inputs [first, end) of one transaction; hashes->spent gives the outputs. False: *error and *failed_input of the
 * first failing input. What verifies is remembered in `cache` (may be NULL). */
bool lode_tx_check_scripts(lode_script_error *error, uint32_t *failed_input, const lode_tx_hashes *hashes,
                           uint32_t first, uint32_t end, uint32_t flags, lode_sig_cache *cache);

/* Bulk: arrays in, verdicts out. What a faster verifier will replace. Keys are as they stood in the script. */
typedef struct lode_sig_batch {
    size_t count;
    const uint8_t (*digests)[32];
    const uint8_t *const *keys;
    const uint8_t *key_lengths;        /* 32 (x-only, Schnorr), 33 or 65 */
    const uint8_t *const *signatures;  /* without hash type byte */
    const uint16_t *signature_lengths; /* 64 for Schnorr; DER otherwise, parsed laxly */
} lode_sig_batch;
void lode_sig_batch_verify(bool *verdicts, const lode_sig_batch *batch);

/* One signature over a digest. ECDSA: lax DER, high S normalised (as Core's CPubKey::Verify). */
bool lode_ecdsa_verify(lode_slice pubkey, lode_slice der_sig, const uint8_t digest[32]);
bool lode_schnorr_verify(const uint8_t pubkey[32], const uint8_t sig[64], const uint8_t digest[32]);

#endif
