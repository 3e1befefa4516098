/* validate/rules/reject.c: verdicts in Core's words.
 *
 * Room:     names only. A parse failure has no name in Core; ours is "undecodable".
 */
#include "validate/rules/reject.h"

#include <stdio.h>

static const char *const names[LODE_REJECT_COUNT] = {
    [LODE_VALID] = "valid",
    [LODE_HIGH_HASH] = "high-hash",
    [LODE_BAD_DIFFBITS] = "bad-diffbits",
    [LODE_TIME_TOO_OLD] = "time-too-old",
    [LODE_TIME_TOO_NEW] = "time-too-new",
    [LODE_TIME_TIMEWARP_ATTACK] = "time-timewarp-attack",
    [LODE_BAD_VERSION] = "bad-version",
    [LODE_BAD_PREVBLK] = "bad-prevblk",
    [LODE_PREV_BLK_NOT_FOUND] = "prev-blk-not-found",
    [LODE_DUPLICATE_INVALID] = "duplicate-invalid",
    [LODE_UNDECODABLE] = "undecodable",
    [LODE_BAD_SIGNET_BLKSIG] = "bad-signet-blksig",
    [LODE_BAD_TXNMRKLROOT] = "bad-txnmrklroot",
    [LODE_BAD_TXNS_DUPLICATE] = "bad-txns-duplicate",
    [LODE_BAD_BLK_LENGTH] = "bad-blk-length",
    [LODE_BAD_CB_MISSING] = "bad-cb-missing",
    [LODE_BAD_CB_MULTIPLE] = "bad-cb-multiple",
    [LODE_BAD_BLK_SIGOPS] = "bad-blk-sigops",
    [LODE_BAD_TXNS_VIN_EMPTY] = "bad-txns-vin-empty",
    [LODE_BAD_TXNS_VOUT_EMPTY] = "bad-txns-vout-empty",
    [LODE_BAD_TXNS_OVERSIZE] = "bad-txns-oversize",
    [LODE_BAD_TXNS_VOUT_NEGATIVE] = "bad-txns-vout-negative",
    [LODE_BAD_TXNS_VOUT_TOOLARGE] = "bad-txns-vout-toolarge",
    [LODE_BAD_TXNS_TXOUTTOTAL_TOOLARGE] = "bad-txns-txouttotal-toolarge",
    [LODE_BAD_TXNS_INPUTS_DUPLICATE] = "bad-txns-inputs-duplicate",
    [LODE_BAD_CB_LENGTH] = "bad-cb-length",
    [LODE_BAD_TXNS_PREVOUT_NULL] = "bad-txns-prevout-null",
    [LODE_BAD_TXNS_NONFINAL] = "bad-txns-nonfinal",
    [LODE_BAD_CB_HEIGHT] = "bad-cb-height",
    [LODE_BAD_WITNESS_NONCE_SIZE] = "bad-witness-nonce-size",
    [LODE_BAD_WITNESS_MERKLE_MATCH] = "bad-witness-merkle-match",
    [LODE_UNEXPECTED_WITNESS] = "unexpected-witness",
    [LODE_BAD_BLK_WEIGHT] = "bad-blk-weight",
    [LODE_BAD_TXNS_BIP30] = "bad-txns-BIP30",
    [LODE_BAD_TXNS_INPUTS_MISSINGORSPENT] = "bad-txns-inputs-missingorspent",
    [LODE_BAD_TXNS_PREMATURE_SPEND_OF_COINBASE] = "bad-txns-premature-spend-of-coinbase",
    [LODE_BAD_TXNS_INPUTVALUES_OUTOFRANGE] = "bad-txns-inputvalues-outofrange",
    [LODE_BAD_TXNS_IN_BELOWOUT] = "bad-txns-in-belowout",
    [LODE_BAD_TXNS_FEE_OUTOFRANGE] = "bad-txns-fee-outofrange",
    [LODE_BAD_TXNS_ACCUMULATED_FEE_OUTOFRANGE] = "bad-txns-accumulated-fee-outofrange",
    [LODE_BAD_CB_AMOUNT] = "bad-cb-amount",
    [LODE_BLOCK_SCRIPT_VERIFY_FLAG_FAILED] = "block-script-verify-flag-failed",
};

const char *lode_reject_name(lode_reject reject)
{
    unsigned i = (unsigned)reject;
    return i < LODE_REJECT_COUNT ? names[i] : "unknown";
}

char *lode_verdict_text(char *out, size_t capacity, const lode_verdict *verdict)
{
    const char *name = lode_reject_name(verdict->reject);

    if (capacity == 0)
        return out;
    if (verdict->reject == LODE_BAD_VERSION)
        (void)snprintf(out, capacity, "%s(0x%08x)", name, (unsigned)verdict->version);
    else if (verdict->reject == LODE_BLOCK_SCRIPT_VERIFY_FLAG_FAILED)
        (void)snprintf(out, capacity, "%s (%s)", name, lode_script_error_text(verdict->script_error));
    else
        (void)snprintf(out, capacity, "%s", name);
    return out;
}
