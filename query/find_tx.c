/* query/find_tx.c: a stored transaction by its id.
 *
 * Room:     follows the index's pointer into the block file and checks what stands there.
 * Touches:  the transaction index and block files, reading.
 */
#include "query/find_tx.h"

enum { FIRST_READ_BYTES = 2048, LARGEST_TX_BYTES = 4000000 };

/* The length of a transaction is known once it is parsed: read more until it is. */
static lode_status read_tx(lode_chain *chain, lode_tx *tx, lode_buf *raw, lode_arena *arena, const lode_tx_position *at)
{
    uint64_t offset = (uint64_t)LODE_HEADER_SIZE + at->tx_offset;
    lode_parse_error why = { "", 0 };

    if (offset > UINT32_MAX)
        return lode_fail(LODE_CORRUPT, "the transaction index points %llu bytes into a block",
                         (unsigned long long)offset);
    for (uint32_t len = FIRST_READ_BYTES;; len *= 16) {
        lode_buf_reset(raw);
        lode_arena_reset(arena);
        LODE_TRY(lode_block_files_read_part(chain->files, raw, at->file, at->block_pos, (uint32_t)offset, len));
        if (lode_tx_parse(tx, arena, raw->data, raw->len, LODE_PARSE_ALLOW_TAIL, &why))
            return lode_ok();
        if (raw->len < len || len > LARGEST_TX_BYTES)
            return lode_fail(LODE_CORRUPT, "the transaction index points at no transaction: file %d, block at %u, %s",
                             at->file, at->block_pos, why.what);
    }
}

lode_status lode_find_indexed_tx(lode_chain *chain, bool *found, lode_tx *tx, lode_buf *raw, lode_arena *arena,
                                 lode_block_hash *block_hash, const lode_txid *txid)
{
    lode_buf header = LODE_BUF_EMPTY;
    lode_tx_position at;
    lode_status s;

    LODE_TRY(lode_txindex_find(chain->txindex, found, &at, txid));
    if (!*found)
        return lode_ok();
    LODE_TRY(read_tx(chain, tx, raw, arena, &at));
    if (!lode_txid_is_equal(&tx->txid, txid))
        return lode_fail(LODE_CORRUPT, "the transaction index points at another transaction: file %d, block at %u",
                         at.file, at.block_pos);
    s = lode_block_files_read_part(chain->files, &header, at.file, at.block_pos, 0, LODE_HEADER_SIZE);
    if (!lode_failed(s) && header.len == LODE_HEADER_SIZE)
        lode_sha256d(block_hash->bytes, header.data, header.len);
    else if (!lode_failed(s))
        s = lode_fail(LODE_CORRUPT, "the block at %u of file %d has no header", at.block_pos, at.file);
    lode_buf_clear(&header);
    return s;
}
