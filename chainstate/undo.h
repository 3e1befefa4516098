/* chainstate/undo.h: Core's CBlockUndo: the coins a block spent, in order.
 *
 * CompactSize number of transactions without the coinbase, then for each CompactSize number of inputs, then for each
 * the coin: VARINT(height * 2 + coinbase), one VARINT(0) if height > 0, VARINT(compressed amount), compressed script.
 */
#ifndef LODE_CHAINSTATE_UNDO_H
#define LODE_CHAINSTATE_UNDO_H

#include "primitives/encode.h"

/* Walks undo bytes. */
typedef struct lode_undo_reader {
    lode_reader r;
    uint64_t txs_left;
    uint64_t inputs_left; /* of the current transaction */
} lode_undo_reader;
void lode_undo_reader_init(lode_undo_reader *u, const uint8_t *undo, size_t len, uint64_t *tx_count);
bool lode_undo_next_tx(lode_undo_reader *u, uint64_t *input_count); /* false at the end or when damaged */
/* The coin's parts as stored: *script is compressed bytes lent from the undo. */
bool lode_undo_next_coin(lode_undo_reader *u, uint32_t *height, bool *is_coinbase, uint64_t *compressed_amount, lode_slice *script);
bool lode_undo_reader_is_done(const lode_undo_reader *u);

/* At most 31 bytes before the script. Appends one coin at `out`, returns its length. */
size_t lode_undo_put_coin(uint8_t *out, uint32_t height, bool is_coinbase, uint64_t compressed_amount, lode_slice compressed_script);

#endif
