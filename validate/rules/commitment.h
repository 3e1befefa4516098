/* validate/rules/commitment.h: where a block commits to its witnesses. For rules/ only. */
#ifndef LODE_VALIDATE_COMMITMENT_H
#define LODE_VALIDATE_COMMITMENT_H

#include "primitives/tx.h"

#define LODE_COMMITMENT_OFFSET 6 /* of the 32-byte hash in the output's script */
#define LODE_COMMITMENT_SIZE 38  /* at least; more may follow */

/* The coinbase's last output whose script starts as BIP 141 says; NULL if there is none. */
static inline lode_txout *lode_find_commitment(const lode_tx *coinbase)
{
    static const uint8_t start[LODE_COMMITMENT_OFFSET] = { 0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed };

    for (uint32_t i = coinbase->output_count; i-- > 0;) {
        lode_txout *out = &coinbase->outputs[i];
        if (out->script_len >= LODE_COMMITMENT_SIZE && memcmp(out->script, start, sizeof start) == 0)
            return out;
    }
    return NULL;
}

#endif
