/* bench/chain/unlock.h: what an input must show to spend a coin, well signed or wrong in a named way. */
#ifndef LODE_BENCH_UNLOCK_H
#define LODE_BENCH_UNLOCK_H

#include "bench/chain/chain_maker.h"
#include "bench/chain/keys.h"
#include "primitives/tx.h"
#include "validate/script/sighash.h"

/* How an input is wrong. Not every way makes sense for every kind: where it does not, nothing is spoilt. */
typedef enum lode_spoil {
    LODE_SPOIL_NONE,
    LODE_SPOIL_MESSAGE,     /* the signature is of something else */
    LODE_SPOIL_KEY,         /* shows the next key in place of the one asked for */
    LODE_SPOIL_DER,         /* a DER signature with a needless zero (BIP 66) */
    LODE_SPOIL_DUMMY,       /* multisig's dummy is not empty (BIP 147) */
    LODE_SPOIL_ORDER,       /* multisig's signatures stand in the wrong order */
    LODE_SPOIL_SCRIPT,      /* shows another redeem script, witness script or leaf */
    LODE_SPOIL_NO_WITNESS,  /* the witness is left out */
    LODE_SPOIL_SCRIPT_SIG,  /* a native witness program with an input script */
    LODE_SPOIL_HASH_TYPE,   /* Schnorr signature with hash type 4 */
    LODE_SPOIL_CONTROL,     /* control block one byte short */
    LODE_SPOIL_NO_SIG,      /* an empty signature */
    LODE_SPOIL_HUGE_WITNESS /* one item of four million bytes, in place of a v0 witness */
} lode_spoil;

typedef struct lode_unlock_job {
    const lode_key_ring *ring;
    const lode_tx *tx;             /* scripts and witnesses need not be filled */
    const lode_tx_hashes *hashes;  /* complete where any input has a witness */
    uint32_t index;                /* of the input */
    const lode_maker_input *input; /* what it spends and how */
} lode_unlock_job;

/* Appends the input script, and the witness with its count of items, to the buffers. False when libsecp256k1 refuses
 * or the hash type is not allowed; failed allocations show in the buffers. */
bool lode_unlock(lode_buf *script_sig, lode_buf *witness, const lode_unlock_job *job);

#endif
