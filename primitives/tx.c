/* primitives/tx.c: bytes become transactions and blocks, without copying.
 *
 * Room:     one pass over the bytes; arrays come from the arena, and no count is believed that the rest cannot hold.
 * Threads:  any; one arena per thread at a time.
 * Source:   Core's UnserializeTransaction, ReadCompactSize; BIP 144.
 */
#include "primitives/tx.h"

#include "primitives/encode.h"

/* The least that one of each takes when serialised. */
#define INPUT_MIN 41 /* prevout 36, script length 1, sequence 4 */
#define OUTPUT_MIN 9 /* value 8, script length 1 */
#define TX_MIN 10    /* version 4, two counts, lock time 4 */

typedef struct cursor {
    const uint8_t *at;
    const uint8_t *end;
    const char *bad; /* the first thing that was wrong */
} cursor;

static bool refuse(cursor *c, const char *what)
{
    if (!c->bad)
        c->bad = what;
    return false;
}

static inline size_t left_of(const cursor *c)
{
    return (size_t)(c->end - c->at);
}

static inline bool take(cursor *c, const uint8_t **bytes, size_t len)
{
    if (__builtin_expect(len > left_of(c), 0))
        return refuse(c, "end of data");
    *bytes = c->at;
    c->at += len;
    return true;
}

static bool read_long_size(cursor *c, uint64_t *v)
{
    size_t width = (size_t)2 << (c->at[0] - 253);

    if (left_of(c) < 1 + width)
        return refuse(c, "end of data");
    lode_reader r = lode_reader_of(c->at, 1 + width);
    *v = lode_reader_compact_size(&r, false);
    if (r.bad)
        return refuse(c, "non-canonical CompactSize");
    if (*v > LODE_MAX_SIZE)
        return refuse(c, "size too large");
    c->at += 1 + width;
    return true;
}

static inline bool read_size(cursor *c, uint64_t *v)
{
    if (__builtin_expect(c->at == c->end, 0))
        return refuse(c, "end of data");
    if (__builtin_expect(*c->at >= 253, 0))
        return read_long_size(c, v);
    *v = *c->at++;
    return true;
}

/* A count of things that take `least` bytes each: more than the rest can hold ends where Core's reading would. */
static bool read_count(cursor *c, uint32_t *count, size_t least)
{
    uint64_t v;

    if (!read_size(c, &v))
        return false;
    if (v > left_of(c) / least)
        return refuse(c, "end of data");
    *count = (uint32_t)v;
    return true;
}

static inline bool read_script(cursor *c, const uint8_t **script, uint32_t *len)
{
    uint64_t v;

    if (!read_size(c, &v) || !take(c, script, (size_t)v))
        return false;
    *len = (uint32_t)v;
    return true;
}

static bool read_inputs(cursor *c, lode_tx *tx, lode_arena *arena)
{
    const uint8_t *p;

    tx->inputs = lode_arena_take_array(arena, tx->input_count, sizeof *tx->inputs);
    if (!tx->inputs)
        return refuse(c, "out of memory");
    for (uint32_t i = 0; i < tx->input_count; i++) {
        lode_txin *in = &tx->inputs[i];
        if (!take(c, &in->prevout, 36) || !read_script(c, &in->script_sig, &in->script_sig_len) || !take(c, &p, 4))
            return false;
        in->sequence = lode_read_le32(p);
        in->witness = NULL;
        in->witness_len = 0;
        in->witness_count = 0;
    }
    return true;
}

static bool read_outputs(cursor *c, lode_tx *tx, lode_arena *arena)
{
    const uint8_t *p;

    if (!read_count(c, &tx->output_count, OUTPUT_MIN))
        return false;
    tx->outputs = lode_arena_take_array(arena, tx->output_count, sizeof *tx->outputs);
    if (!tx->outputs)
        return refuse(c, "out of memory");
    for (uint32_t i = 0; i < tx->output_count; i++) {
        lode_txout *out = &tx->outputs[i];
        if (!take(c, &p, 8) || !read_script(c, &out->script, &out->script_len))
            return false;
        out->value.sat = (int64_t)lode_read_le64(p);
    }
    return true;
}

static bool read_witness(cursor *c, lode_txin *in)
{
    uint64_t count, len;
    const uint8_t *item;

    if (!read_size(c, &count))
        return false;
    if (count > left_of(c))
        return refuse(c, "end of data");
    if (count == 0)
        return true;
    const uint8_t *first = c->at;
    for (uint64_t i = 0; i < count; i++) {
        if (!read_size(c, &len) || !take(c, &item, (size_t)len))
            return false;
    }
    in->witness = first;
    in->witness_len = (uint32_t)(c->at - first);
    in->witness_count = (uint32_t)count;
    return true;
}

static bool read_witnesses(cursor *c, lode_tx *tx)
{
    bool any = false;

    for (uint32_t i = 0; i < tx->input_count; i++) {
        if (!read_witness(c, &tx->inputs[i]))
            return false;
        any = any || tx->inputs[i].witness;
    }
    return any || refuse(c, "Superfluous witness record");
}

/* Inputs, outputs and the flag of what follows them.
 *
 *     version u32 | [00 flag u8] | inputs | outputs | [witness of each input] | lock time u32
 *
 * No inputs and a flag of 00 is a transaction without inputs and outputs: the flag is its count of outputs. */
static bool read_body(cursor *c, lode_tx *tx, lode_arena *arena, int parse_flags, uint8_t *flag)
{
    const uint8_t *p;

    *flag = 0;
    if (!read_count(c, &tx->input_count, INPUT_MIN))
        return false;
    if (tx->input_count == 0 && !(parse_flags & LODE_PARSE_NO_WITNESS)) {
        if (!take(c, &p, 1))
            return false;
        *flag = *p;
        if (*flag == 0)
            return true;
        if (!read_count(c, &tx->input_count, INPUT_MIN))
            return false;
    }
    return read_inputs(c, tx, arena) && read_outputs(c, tx, arena);
}

static void hash_tx(lode_tx *tx, size_t witness_at, int parse_flags)
{
    lode_sha256_stream s;

    if (!tx->has_witness || !(parse_flags & LODE_PARSE_NO_WTXIDS))
        lode_sha256d(tx->wtxid.bytes, tx->raw, tx->size);
    if (!tx->has_witness) {
        memcpy(tx->txid.bytes, tx->wtxid.bytes, 32);
        return;
    }
    lode_sha256_begin(&s);
    lode_sha256_add(&s, tx->raw, 4);
    lode_sha256_add(&s, tx->raw + 6, witness_at - 6);
    lode_sha256_add(&s, tx->raw + tx->size - 4, 4);
    lode_sha256d_end(&s, tx->txid.bytes);
}

static bool read_tx(cursor *c, lode_tx *tx, lode_arena *arena, int parse_flags)
{
    const uint8_t *p, *start = c->at;
    uint8_t flag;

    *tx = (lode_tx){ .raw = start };
    if (!take(c, &p, 4))
        return false;
    tx->version = (int32_t)lode_read_le32(p);
    if (!read_body(c, tx, arena, parse_flags, &flag))
        return false;
    const uint8_t *witness_at = c->at;
    if ((flag & 1) && !read_witnesses(c, tx))
        return false;
    if (flag & ~1)
        return refuse(c, "Unknown transaction optional data");
    size_t witness_len = (size_t)(c->at - witness_at);
    if (!take(c, &p, 4))
        return false;
    tx->lock_time = lode_read_le32(p);
    tx->size = (uint32_t)(c->at - start);
    tx->has_witness = flag & 1;
    tx->base_size = tx->has_witness ? tx->size - 2 - (uint32_t)witness_len : tx->size;
    if (!(parse_flags & LODE_PARSE_NO_HASHES))
        hash_tx(tx, (size_t)(witness_at - start), parse_flags);
    return true;
}

/* Sizes are 32 bits wide, so what lies beyond 4 GiB is out of reach, and no block is that long. */
static cursor cursor_of(const uint8_t *raw, size_t len)
{
    size_t within = len < UINT32_MAX ? len : UINT32_MAX;

    return (cursor){ raw, within ? raw + within : raw, NULL };
}

static bool finish(const cursor *c, const uint8_t *raw, lode_parse_error *error)
{
    if (error)
        *error = (lode_parse_error){ c->bad, (size_t)(c->at - raw) };
    return !c->bad;
}

static void expect_end(cursor *c, const uint8_t *raw, size_t len, int flags)
{
    if (!(flags & LODE_PARSE_ALLOW_TAIL) && (size_t)(c->at - raw) != len)
        refuse(c, "bytes after the end");
}

bool lode_tx_parse(lode_tx *tx, lode_arena *arena, const uint8_t *raw, size_t len, int flags, lode_parse_error *error)
{
    cursor c = cursor_of(raw, len);

    if (read_tx(&c, tx, arena, flags))
        expect_end(&c, raw, len, flags);
    return finish(&c, raw, error);
}

void lode_header_parse(lode_header *header, const uint8_t raw[LODE_HEADER_SIZE])
{
    header->version = (int32_t)lode_read_le32(raw);
    memcpy(header->prev.bytes, raw + 4, 32);
    memcpy(header->merkle_root.bytes, raw + 36, 32);
    header->time = lode_read_le32(raw + 68);
    header->bits = lode_read_le32(raw + 72);
    header->nonce = lode_read_le32(raw + 76);
}

void lode_header_serialize(uint8_t raw[LODE_HEADER_SIZE], const lode_header *header)
{
    lode_write_le32(raw, (uint32_t)header->version);
    memcpy(raw + 4, header->prev.bytes, 32);
    memcpy(raw + 36, header->merkle_root.bytes, 32);
    lode_write_le32(raw + 68, header->time);
    lode_write_le32(raw + 72, header->bits);
    lode_write_le32(raw + 76, header->nonce);
}

static bool read_block(cursor *c, lode_block *block, lode_arena *arena, int flags)
{
    const uint8_t *start = c->at, *header;

    *block = (lode_block){ .raw = start };
    if (!take(c, &header, LODE_HEADER_SIZE))
        return false;
    lode_header_parse(&block->header, header);
    lode_sha256d(block->hash.bytes, header, LODE_HEADER_SIZE);
    if (!read_count(c, &block->tx_count, TX_MIN))
        return false;
    block->txs = lode_arena_take_array(arena, block->tx_count, sizeof *block->txs);
    if (!block->txs)
        return refuse(c, "out of memory");
    block->base_size = (uint32_t)(c->at - start);
    for (uint32_t i = 0; i < block->tx_count; i++) {
        lode_tx *tx = &block->txs[i];
        if (!read_tx(c, tx, arena, flags))
            return false;
        block->base_size += tx->base_size;
        block->input_count += tx->input_count;
        block->output_count += tx->output_count;
    }
    block->size = (uint32_t)(c->at - start);
    return true;
}

bool lode_block_parse(lode_block *block, lode_arena *arena, const uint8_t *raw, size_t len, int flags,
                      lode_parse_error *error)
{
    cursor c = cursor_of(raw, len);

    if (read_block(&c, block, arena, flags))
        expect_end(&c, raw, len, flags);
    return finish(&c, raw, error);
}

/* Whatever stands between the flag and the witness is the same in both formats. */
void lode_tx_serialize_base(lode_buf *out, const lode_tx *tx)
{
    if (!tx->has_witness) {
        lode_buf_append(out, tx->raw, tx->size);
        return;
    }
    lode_buf_append(out, tx->raw, 4);
    lode_buf_append(out, tx->raw + 6, tx->base_size - 8);
    lode_buf_append(out, tx->raw + tx->size - 4, 4);
}

bool lode_witness_next(lode_reader *r, lode_slice *item)
{
    if (r->bad || r->at == r->end)
        return false;
    uint64_t len = lode_reader_compact_size(r, true);
    const uint8_t *p = lode_reader_take(r, (size_t)len);
    if (!p)
        return false;
    *item = lode_slice_of(p, (size_t)len);
    return true;
}
