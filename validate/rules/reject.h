/* validate/rules/reject.h: what the rules say of bytes that were read well, in Core's words. */
#ifndef LODE_VALIDATE_REJECT_H
#define LODE_VALIDATE_REJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "validate/script/script_error.h"

typedef enum lode_reject {
    LODE_VALID = 0,
    /* headers */
    LODE_HIGH_HASH,
    LODE_BAD_DIFFBITS,
    LODE_TIME_TOO_OLD,
    LODE_TIME_TOO_NEW, /* a postponement, never stored as invalid */
    LODE_TIME_TIMEWARP_ATTACK,
    LODE_BAD_VERSION,
    LODE_BAD_PREVBLK,
    LODE_PREV_BLK_NOT_FOUND,
    LODE_DUPLICATE_INVALID,
    /* blocks, context free */
    LODE_UNDECODABLE, /* the bytes are no block */
    LODE_BAD_SIGNET_BLKSIG,
    LODE_BAD_TXNMRKLROOT,
    LODE_BAD_TXNS_DUPLICATE,
    LODE_BAD_BLK_LENGTH,
    LODE_BAD_CB_MISSING,
    LODE_BAD_CB_MULTIPLE,
    LODE_BAD_BLK_SIGOPS,
    /* transactions, context free */
    LODE_BAD_TXNS_VIN_EMPTY,
    LODE_BAD_TXNS_VOUT_EMPTY,
    LODE_BAD_TXNS_OVERSIZE,
    LODE_BAD_TXNS_VOUT_NEGATIVE,
    LODE_BAD_TXNS_VOUT_TOOLARGE,
    LODE_BAD_TXNS_TXOUTTOTAL_TOOLARGE,
    LODE_BAD_TXNS_INPUTS_DUPLICATE,
    LODE_BAD_CB_LENGTH,
    LODE_BAD_TXNS_PREVOUT_NULL,
    /* blocks, in the place they claim */
    LODE_BAD_TXNS_NONFINAL,
    LODE_BAD_CB_HEIGHT,
    LODE_BAD_WITNESS_NONCE_SIZE,
    LODE_BAD_WITNESS_MERKLE_MATCH,
    LODE_UNEXPECTED_WITNESS,
    LODE_BAD_BLK_WEIGHT,
    /* connecting */
    LODE_BAD_TXNS_BIP30,
    LODE_BAD_TXNS_INPUTS_MISSINGORSPENT,
    LODE_BAD_TXNS_PREMATURE_SPEND_OF_COINBASE,
    LODE_BAD_TXNS_INPUTVALUES_OUTOFRANGE,
    LODE_BAD_TXNS_IN_BELOWOUT,
    LODE_BAD_TXNS_FEE_OUTOFRANGE,
    LODE_BAD_TXNS_ACCUMULATED_FEE_OUTOFRANGE,
    LODE_BAD_CB_AMOUNT,
    LODE_BLOCK_SCRIPT_VERIFY_FLAG_FAILED,
    LODE_REJECT_COUNT
} lode_reject;

#define LODE_NO_INDEX UINT32_MAX

/* A verdict with what is needed to tell a person. */
typedef struct lode_verdict {
    lode_reject reject;
    lode_script_error script_error; /* with BLOCK_SCRIPT_VERIFY_FLAG_FAILED */
    int32_t version;                /* with BAD_VERSION */
    uint32_t tx_index;              /* within the block, or LODE_NO_INDEX */
    uint32_t input_index;           /* within the transaction, or LODE_NO_INDEX */
    bool is_mutated;                /* the body may not be the header's: never brand the hash (Core's BLOCK_MUTATED) */
} lode_verdict;

static inline lode_verdict lode_verdict_of(lode_reject reject)
{
    return (lode_verdict){ reject, LODE_SCRIPT_OK, 0, LODE_NO_INDEX, LODE_NO_INDEX, false };
}

/* Core's words: "bad-cb-amount", "bad-version(0x00000001)", "block-script-verify-flag-failed (...)". NUL-terminated,
 * cut to capacity. Returns out. */
char *lode_verdict_text(char *out, size_t capacity, const lode_verdict *verdict);
/* The fixed part. Static text. */
const char *lode_reject_name(lode_reject reject);

#endif
