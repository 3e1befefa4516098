/* validate/script/txout_bytes.h: outputs as they are serialised, for signature hashes. */
#ifndef LODE_VALIDATE_SCRIPT_TXOUT_BYTES_H
#define LODE_VALIDATE_SCRIPT_TXOUT_BYTES_H

#include "primitives/tx.h"
#include "validate/script/gather.h"

static inline void lode_gather_txout(lode_gather *g, const lode_txout *out)
{
    lode_gather_le64(g, (uint64_t)out->value.sat);
    lode_gather_script(g, lode_slice_of(out->script, out->script_len));
}

/* All outputs, one after the other. */
static inline void lode_gather_all_txouts(lode_gather *g, const lode_tx *tx)
{
    for (uint32_t i = 0; i < tx->output_count; i++)
        lode_gather_txout(g, &tx->outputs[i]);
}

#endif
