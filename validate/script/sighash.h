/* validate/script/sighash.h: what a signature signs: legacy, BIP 143 and BIP 341/342. */
#ifndef LODE_VALIDATE_SCRIPT_SIGHASH_H
#define LODE_VALIDATE_SCRIPT_SIGHASH_H

#include "primitives/tx.h"

enum {
    LODE_SIGHASH_DEFAULT = 0,
    LODE_SIGHASH_ALL = 1,
    LODE_SIGHASH_NONE = 2,
    LODE_SIGHASH_SINGLE = 3,
    LODE_SIGHASH_ANYONECANPAY = 0x80
};

/* Hashes over the whole transaction, made once and read by every input's check.
 * Filled by lode_tx_hashes_init; constant afterwards, so any number of threads may read it. */
typedef struct lode_tx_hashes {
    const lode_tx *tx;       /* kept */
    const lode_txout *spent; /* kept; the outputs spent, by input; NULL when unknown: then no BIP 341 hashes */
    bool has_v0, has_taproot;
    /* SHA-256 once (BIP 341); BIP 143 uses the second hash of each */
    uint8_t prevouts_single[32], sequences_single[32], outputs_single[32];
    uint8_t amounts_single[32], scripts_single[32];
    uint8_t prevouts_double[32], sequences_double[32], outputs_double[32];
} lode_tx_hashes;

/* Looks at the witnesses and spent scripts to make only what may be needed (`force` makes all that can be made). */
void lode_tx_hashes_init(lode_tx_hashes *hashes, const lode_tx *tx, const lode_txout *spent, bool force);

/* What the legacy checks of one transaction's inputs share when one thread makes them in order: the hash of version,
 * input count and the inputs before this one, blank, for hash types that sign them all. */
typedef struct lode_sighash_prefix {
    bool has_hash;
    uint32_t input_count; /* blank inputs in the hash */
    lode_sha256_stream hash;
} lode_sighash_prefix;

/* What the checks of one input share. Filled by the functions below; init before the first, no two threads at once. */
typedef struct lode_sighash_cache {
    bool has_output; /* output_single is the hash of the output with this input's number */
    uint8_t output_single[32];
    uint8_t has_midstate; /* bit per kind of hash type: legacy hash before its last four bytes */
    uint32_t code_len;    /* the script code that the midstates are for */
    lode_sha256_stream midstates[6];
    uint8_t code[10000];         /* no legacy script code is longer */
    lode_sighash_prefix *prefix; /* kept; may be NULL */
} lode_sighash_cache;
static inline void lode_sighash_cache_init(lode_sighash_cache *cache)
{
    cache->has_output = false;
    cache->has_midstate = 0;
    cache->code_len = 0;
    cache->prefix = NULL;
}

/* The three kinds follow. `cache` may be NULL; it serves one input of one transaction. */

/* Legacy. script_code is taken as given, but OP_CODESEPARATORs are left out; hash_type is the 4-byte number hashed.
 * SIGHASH_SINGLE with no matching output gives the number one, little endian. input < input_count. */
void lode_sighash_legacy(uint8_t out[32], const lode_tx *tx, uint32_t input, lode_slice script_code, int32_t hash_type,
                         lode_sighash_cache *cache);
/* BIP 143. */
void lode_sighash_v0(uint8_t out[32], const lode_tx_hashes *hashes, uint32_t input, lode_slice script_code,
                     lode_amount value, int32_t hash_type, lode_sighash_cache *cache);

typedef struct lode_tapscript_context {
    bool is_script_path;
    uint8_t leaf_hash[32];
    uint32_t code_separator_position; /* opcode position of the last one run, 0xffffffff: none */
    bool has_annex;
    uint8_t annex_hash[32]; /* SHA-256 of CompactSize length and annex */
} lode_tapscript_context;
/* BIP 341/342. False when hash_type is not allowed or SINGLE has no matching output. */
bool lode_sighash_taproot(uint8_t out[32], const lode_tx_hashes *hashes, uint32_t input, uint8_t hash_type,
                          const lode_tapscript_context *context, lode_sighash_cache *cache);

#endif
