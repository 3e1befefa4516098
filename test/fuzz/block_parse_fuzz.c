/* test/fuzz/block_parse_fuzz.c: what parses as a block or transaction has exactly the bytes that its fields give.
 *
 * Input: flags u8 (lode_parse_flags, and 0x80 for a single transaction), then the bytes.
 */
#include "primitives/tx.h"

#include "primitives/encode.h"
#include "test/fuzz/fuzz.h"

static void put_witness(lode_buf *out, const lode_txin *in)
{
    lode_reader r = lode_witness_reader(in);
    lode_slice item;
    uint32_t items = 0;

    lode_buf_put_compact_size(out, in->witness_count);
    for (; lode_witness_next(&r, &item); items++) {
        lode_buf_put_compact_size(out, item.len);
        lode_buf_append(out, item.data, item.len);
    }
    FUZZ_CHECK(items == in->witness_count && lode_reader_is_done(&r));
}

static void put_tx(lode_buf *out, const lode_tx *tx, bool with_witness)
{
    lode_buf_put_le32(out, (uint32_t)tx->version);
    if (with_witness)
        lode_buf_append(out, "\0\1", 2);
    lode_buf_put_compact_size(out, tx->input_count);
    for (uint32_t i = 0; i < tx->input_count; i++) {
        lode_buf_append(out, tx->inputs[i].prevout, 36);
        lode_buf_put_compact_size(out, tx->inputs[i].script_sig_len);
        lode_buf_append(out, tx->inputs[i].script_sig, tx->inputs[i].script_sig_len);
        lode_buf_put_le32(out, tx->inputs[i].sequence);
    }
    lode_buf_put_compact_size(out, tx->output_count);
    for (uint32_t i = 0; i < tx->output_count; i++) {
        lode_buf_put_le64(out, (uint64_t)tx->outputs[i].value.sat);
        lode_buf_put_compact_size(out, tx->outputs[i].script_len);
        lode_buf_append(out, tx->outputs[i].script, tx->outputs[i].script_len);
    }
    for (uint32_t i = 0; with_witness && i < tx->input_count; i++)
        put_witness(out, &tx->inputs[i]);
    lode_buf_put_le32(out, tx->lock_time);
}

static void check_tx(const lode_tx *tx, int flags)
{
    lode_buf whole = LODE_BUF_EMPTY, base = LODE_BUF_EMPTY, from_fields = LODE_BUF_EMPTY;
    uint8_t hash[32];

    put_tx(&whole, tx, tx->has_witness);
    put_tx(&from_fields, tx, false);
    lode_tx_serialize_base(&base, tx);
    FUZZ_CHECK(whole.len == tx->size && memcmp(whole.data, tx->raw, tx->size) == 0);
    FUZZ_CHECK(base.len == tx->base_size && lode_slice_is_equal(lode_buf_slice(&base), lode_buf_slice(&from_fields)));
    if (!(flags & LODE_PARSE_NO_HASHES)) {
        lode_sha256d(hash, whole.data, whole.len);
        FUZZ_CHECK(memcmp(hash, tx->wtxid.bytes, 32) == 0);
        lode_sha256d(hash, base.data, base.len);
        FUZZ_CHECK(memcmp(hash, tx->txid.bytes, 32) == 0);
    }
    lode_buf_clear(&whole);
    lode_buf_clear(&base);
    lode_buf_clear(&from_fields);
}

static void check_block(const lode_block *block, int flags)
{
    size_t at = LODE_HEADER_SIZE + lode_compact_size_length(block->tx_count);
    uint8_t header[LODE_HEADER_SIZE];

    lode_header_serialize(header, &block->header);
    FUZZ_CHECK(memcmp(header, block->raw, sizeof header) == 0);
    for (uint32_t i = 0; i < block->tx_count; i++) {
        FUZZ_CHECK(block->txs[i].raw == block->raw + at);
        check_tx(&block->txs[i], flags);
        at += block->txs[i].size;
    }
    FUZZ_CHECK(at == block->size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_parse_error error;
    lode_block block;
    lode_tx tx;

    if (len == 0)
        return 0;
    int flags = data[0] & (LODE_PARSE_NO_HASHES | LODE_PARSE_ALLOW_TAIL | LODE_PARSE_NO_WITNESS);
    bool parsed;
    if (data[0] & 0x80) {
        parsed = lode_tx_parse(&tx, &arena, data + 1, len - 1, flags, &error);
        if (parsed)
            check_tx(&tx, flags);
    } else {
        parsed = lode_block_parse(&block, &arena, data + 1, len - 1, flags, &error);
        if (parsed)
            check_block(&block, flags);
    }
    FUZZ_CHECK(parsed == !error.what && error.offset <= len - 1);
    FUZZ_CHECK(arena.total_bytes < (1 << 20) + 64 * len); /* counts that nothing bears out take no memory */
    lode_arena_clear(&arena);
    return 0;
}
