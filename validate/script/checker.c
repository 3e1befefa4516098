/* validate/script/checker.c: what a script asks about its transaction, answered at once.
 *
 * Touches:  the transaction's hashes (read), the cache of signatures if there is one.
 * Threads:  one checker per thread; hashes and cache are shared.
 */
#include "validate/script/sigcheck.h"

#include "validate/script/encoding.h"
#include "validate/script/sig_cache.h"

#define LOCK_TIME_THRESHOLD INT64_C(500000000) /* below: a height; from here on: seconds */
#define SEQUENCE_FINAL 0xffffffffu
#define SEQUENCE_DISABLED (1u << 31)
#define SEQUENCE_IS_TIME (1u << 22)
#define SEQUENCE_MASK 0x0000ffffu

static lode_tx_checker *upcast(lode_sig_checker *base)
{
    return (lode_tx_checker *)base; /* base is the first field */
}

void lode_tx_checker_ecdsa_digest(uint8_t digest[32], lode_tx_checker *c, uint8_t hash_type, lode_slice script_code,
                                  lode_sig_version version)
{
    if (version == LODE_SIG_WITNESS_V0)
        lode_sighash_v0(digest, c->hashes, c->input, script_code, c->hashes->spent[c->input].value, hash_type,
                        &c->sighash);
    else
        lode_sighash_legacy(digest, c->hashes->tx, c->input, script_code, hash_type, &c->sighash);
}

static bool check_ecdsa(lode_sig_checker *self, lode_slice sig, lode_slice pubkey, lode_slice script_code,
                        lode_sig_version version)
{
    lode_tx_checker *c = upcast(self);
    uint8_t digest[32];
    if (sig.len == 0 || !lode_pubkey_is_possible(pubkey))
        return false;
    if (version == LODE_SIG_WITNESS_V0 && !c->hashes->spent)
        return false;
    lode_slice der = lode_slice_of(sig.data, sig.len - 1);
    lode_tx_checker_ecdsa_digest(digest, c, sig.data[sig.len - 1], script_code, version);

    lode_sig_cache_key key;
    if (c->cache) {
        lode_sig_cache_make_key(&key, c->cache, false, digest, pubkey, der);
        if (lode_sig_cache_has(c->cache, &key, !c->cache_store))
            return true;
    }
    if (!lode_ecdsa_verify(pubkey, der, digest))
        return false;
    if (c->cache && c->cache_store)
        lode_sig_cache_add(c->cache, &key);
    return true;
}

bool lode_tx_checker_schnorr_digest(uint8_t digest[32], lode_tx_checker *c, lode_slice sig,
                                    const lode_tapscript_context *context, lode_script_error *error)
{
    uint8_t hash_type = LODE_SIGHASH_DEFAULT;
    if (sig.len != 64 && sig.len != 65) {
        *error = LODE_SCRIPT_SCHNORR_SIG_SIZE;
        return false;
    }
    if (sig.len == 65)
        hash_type = sig.data[64];
    /* the default type is written by leaving the byte out, and only so */
    if ((sig.len == 65 && hash_type == LODE_SIGHASH_DEFAULT) ||
        !lode_sighash_taproot(digest, c->hashes, c->input, hash_type, context, &c->sighash)) {
        *error = LODE_SCRIPT_SCHNORR_SIG_HASHTYPE;
        return false;
    }
    return true;
}

static bool check_schnorr(lode_sig_checker *self, lode_slice sig, const uint8_t pubkey[32],
                          const lode_tapscript_context *context, lode_script_error *error)
{
    lode_tx_checker *c = upcast(self);
    uint8_t digest[32];
    if (!lode_tx_checker_schnorr_digest(digest, c, sig, context, error))
        return false;

    lode_sig_cache_key key;
    if (c->cache) {
        lode_sig_cache_make_key(&key, c->cache, true, digest, lode_slice_of(pubkey, 32), lode_slice_of(sig.data, 64));
        if (lode_sig_cache_has(c->cache, &key, !c->cache_store))
            return true;
    }
    *error = LODE_SCRIPT_SCHNORR_SIG;
    if (!lode_schnorr_verify(pubkey, sig.data, digest))
        return false;
    if (c->cache && c->cache_store)
        lode_sig_cache_add(c->cache, &key);
    return true;
}

/* Heights are compared with heights, times with times; an input that is final switches the lock time off. */
static bool check_lock_time(lode_sig_checker *self, int64_t lock_time)
{
    const lode_tx_checker *c = upcast(self);
    int64_t actual = c->hashes->tx->lock_time;
    if ((actual < LOCK_TIME_THRESHOLD) != (lock_time < LOCK_TIME_THRESHOLD))
        return false;
    return lock_time <= actual && c->hashes->tx->inputs[c->input].sequence != SEQUENCE_FINAL;
}

static bool check_sequence(lode_sig_checker *self, int64_t sequence)
{
    const lode_tx_checker *c = upcast(self);
    uint32_t actual = c->hashes->tx->inputs[c->input].sequence;
    uint32_t asked = (uint32_t)sequence & (SEQUENCE_IS_TIME | SEQUENCE_MASK);

    if ((uint32_t)c->hashes->tx->version < 2 || (actual & SEQUENCE_DISABLED))
        return false;
    actual &= SEQUENCE_IS_TIME | SEQUENCE_MASK;
    return (actual & SEQUENCE_IS_TIME) == (asked & SEQUENCE_IS_TIME) && asked <= actual;
}

void lode_tx_checker_init(lode_tx_checker *checker, const lode_tx_hashes *hashes, uint32_t input, lode_sig_cache *cache,
                          bool cache_store)
{
    checker->base = (lode_sig_checker){ check_ecdsa, check_schnorr, check_lock_time, check_sequence, false };
    checker->hashes = hashes;
    checker->input = input;
    checker->cache = cache;
    checker->cache_store = cache_store;
    lode_sighash_cache_init(&checker->sighash);
}

bool lode_tx_check_scripts(lode_script_error *error, uint32_t *failed_input, const lode_tx_hashes *hashes,
                           uint32_t first, uint32_t end, uint32_t flags, lode_sig_cache *cache)
{
    lode_tx_checker checker;
    lode_sighash_prefix prefix = { .has_hash = false };
    for (uint32_t i = first; i < end; i++) {
        const lode_txin *in = &hashes->tx->inputs[i];
        const lode_txout *spent = &hashes->spent[i];
        lode_tx_checker_init(&checker, hashes, i, cache, true);
        checker.sighash.prefix = &prefix;
        if (!lode_script_verify(error, lode_slice_of(in->script_sig, in->script_sig_len),
                                lode_slice_of(spent->script, spent->script_len), in, flags, &checker.base)) {
            *failed_input = i;
            return false;
        }
    }
    *error = LODE_SCRIPT_OK;
    return true;
}
