/* validate/script/sig_cache.h: the cache of good signatures, as checkers use it. */
#ifndef LODE_VALIDATE_SCRIPT_SIG_CACHE_H
#define LODE_VALIDATE_SCRIPT_SIG_CACHE_H

#include "validate/script/sigcheck.h"

typedef struct lode_sig_cache_key {
    uint8_t bytes[32];
} lode_sig_cache_key;

void lode_sig_cache_make_key(lode_sig_cache_key *key, const lode_sig_cache *cache, bool is_schnorr,
                             const uint8_t digest[32], lode_slice pubkey, lode_slice sig);
/* A transaction all of whose inputs were verified. The key hangs on all that its verdict does: wtxid, so every byte of it;
 * value and script of each output it spends; flags. hashes->spent is not NULL. */
void lode_sig_cache_make_tx_key(lode_sig_cache_key *key, const lode_sig_cache *cache, const lode_tx_hashes *hashes,
                                uint32_t flags);
/* `take`: forget it if it is there (its block is being connected; it will not be asked for again). */
bool lode_sig_cache_has(lode_sig_cache *cache, const lode_sig_cache_key *key, bool take);
void lode_sig_cache_add(lode_sig_cache *cache, const lode_sig_cache_key *key);

#endif
