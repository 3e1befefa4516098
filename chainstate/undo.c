/* chainstate/undo.c: walking and writing the coins that a block spent.
 *
 * Room:     the bytes of one CBlockUndo.
 * Touches:  nothing but its arguments.
 * Threads:  any.
 */
#include "chainstate/undo.h"

void lode_undo_reader_init(lode_undo_reader *u, const uint8_t *undo, size_t len, uint64_t *tx_count)
{
    u->r = lode_reader_of(undo, len);
    u->txs_left = lode_reader_compact_size(&u->r, true);
    u->inputs_left = 0;
    if (u->r.bad)
        u->txs_left = 0;
    *tx_count = u->txs_left;
}

bool lode_undo_next_tx(lode_undo_reader *u, uint64_t *input_count)
{
    uint32_t height;
    bool is_coinbase;
    uint64_t amount;
    lode_slice script;

    while (u->inputs_left > 0) {
        if (!lode_undo_next_coin(u, &height, &is_coinbase, &amount, &script))
            return false;
    }
    if (u->r.bad || u->txs_left == 0)
        return false;
    u->inputs_left = lode_reader_compact_size(&u->r, true);
    u->txs_left--;
    *input_count = u->inputs_left;
    return !u->r.bad;
}

bool lode_undo_next_coin(lode_undo_reader *u, uint32_t *height, bool *is_coinbase, uint64_t *compressed_amount,
                         lode_slice *script)
{
    uint64_t code, amount;
    const uint8_t *start;

    if (u->inputs_left == 0 || u->r.bad)
        return false;
    code = lode_reader_varint(&u->r);
    if (code >> 1)
        lode_reader_varint(&u->r); /* once the version of the transaction, now always 0; any is read, as in Core */
    amount = lode_reader_varint(&u->r);
    start = u->r.at;
    lode_reader_skip_script(&u->r);
    if (code > UINT32_MAX)
        u->r.bad = true;
    if (u->r.bad)
        return false;
    *height = (uint32_t)(code >> 1);
    *is_coinbase = code & 1;
    *compressed_amount = amount;
    *script = lode_slice_of(start, (size_t)(u->r.at - start));
    u->inputs_left--;
    return true;
}

bool lode_undo_reader_is_done(const lode_undo_reader *u)
{
    return u->txs_left == 0 && u->inputs_left == 0 && lode_reader_is_done(&u->r);
}

size_t lode_undo_put_coin(uint8_t *out, uint32_t height, bool is_coinbase, uint64_t compressed_amount,
                          lode_slice compressed_script)
{
    size_t n = lode_varint_write(out, (uint64_t)height << 1 | is_coinbase);

    if (height > 0)
        out[n++] = 0;
    n += lode_varint_write(out + n, compressed_amount);
    if (compressed_script.len > 0)
        memcpy(out + n, compressed_script.data, compressed_script.len);
    return n + compressed_script.len;
}
