/* test/validate/sighash_slow.c: signature hashes the long way round.
 *
 * Legacy: copy the transaction, change the copy as the original client did, serialise it, append the type, hash.
 * Version 0: BIP 143's text, line by line.
 */
#include "test/validate/sighash_slow.h"

#include <stdlib.h>

#include "primitives/encode.h"
#include "validate/script/interpreter.h"

static void put_bytes(lode_buf *b, const uint8_t *data, size_t len)
{
    lode_buf_put_compact_size(b, len);
    lode_buf_append(b, data, len);
}

static void put_output(lode_buf *b, const lode_txout *out)
{
    lode_buf_put_le64(b, (uint64_t)out->value.sat);
    put_bytes(b, out->script, out->script_len);
}

/* The code without separators, its length in front. What cannot be read is counted and left out. */
static void put_code(lode_buf *b, lode_slice code)
{
    lode_buf kept = LODE_BUF_EMPTY;
    size_t at = 0, separators = 0;
    for (;;) {
        uint8_t op;
        lode_slice data;
        size_t before = at;
        bool good = lode_script_next(code, &at, &op, &data);
        if (good && op == 0xab)
            separators++;
        else
            lode_buf_append(&kept, code.data + before, at - before);
        if (!good)
            break;
    }
    lode_buf_put_compact_size(b, code.len - separators);
    lode_buf_append(b, kept.data, kept.len);
    lode_buf_clear(&kept);
}

typedef struct copy {
    uint32_t input_count, output_count;
    const lode_txin *inputs[64];
    uint32_t sequences[64];
    bool is_signed[64];
    lode_txout outputs[64];
} copy;

static void make_copy(copy *c, const lode_tx *tx, uint32_t input)
{
    c->input_count = tx->input_count;
    c->output_count = tx->output_count;
    if (c->input_count > 64 || c->output_count > 64)
        abort();
    for (uint32_t i = 0; i < tx->input_count; i++) {
        c->inputs[i] = &tx->inputs[i];
        c->sequences[i] = tx->inputs[i].sequence;
        c->is_signed[i] = i == input;
    }
    for (uint32_t i = 0; i < tx->output_count; i++)
        c->outputs[i] = tx->outputs[i];
}

static void change_copy(copy *c, uint32_t input, int32_t hash_type)
{
    int mode = hash_type & 31;
    if (mode == 2)
        c->output_count = 0;
    if (mode == 3) {
        c->output_count = input + 1;
        for (uint32_t i = 0; i < input; i++)
            c->outputs[i] = (lode_txout){ { -1 }, NULL, 0 };
    }
    if (mode == 2 || mode == 3)
        for (uint32_t i = 0; i < c->input_count; i++)
            if (i != input)
                c->sequences[i] = 0;
    if (hash_type & 0x80) {
        c->inputs[0] = c->inputs[input];
        c->sequences[0] = c->sequences[input];
        c->is_signed[0] = true;
        c->input_count = 1;
    }
}

void slow_sighash_legacy(uint8_t out[32], const lode_tx *tx, uint32_t input, lode_slice code, int32_t hash_type)
{
    copy c;
    lode_buf b = LODE_BUF_EMPTY;
    if ((hash_type & 31) == 3 && input >= tx->output_count) {
        static const uint8_t one[32] = { 1 };
        memcpy(out, one, 32);
        return;
    }
    make_copy(&c, tx, input);
    change_copy(&c, input, hash_type);
    lode_buf_put_le32(&b, (uint32_t)tx->version);
    lode_buf_put_compact_size(&b, c.input_count);
    for (uint32_t i = 0; i < c.input_count; i++) {
        lode_buf_append(&b, c.inputs[i]->prevout, 36);
        if (c.is_signed[i])
            put_code(&b, code);
        else
            lode_buf_put_u8(&b, 0);
        lode_buf_put_le32(&b, c.sequences[i]);
    }
    lode_buf_put_compact_size(&b, c.output_count);
    for (uint32_t i = 0; i < c.output_count; i++)
        put_output(&b, &c.outputs[i]);
    lode_buf_put_le32(&b, tx->lock_time);
    lode_buf_put_le32(&b, (uint32_t)hash_type);
    lode_sha256d(out, b.data, b.len);
    lode_buf_clear(&b);
}

static void hash_prevouts(uint8_t out[32], const lode_tx *tx)
{
    lode_buf b = LODE_BUF_EMPTY;
    for (uint32_t i = 0; i < tx->input_count; i++)
        lode_buf_append(&b, tx->inputs[i].prevout, 36);
    lode_sha256d(out, b.data, b.len);
    lode_buf_clear(&b);
}

static void hash_sequences(uint8_t out[32], const lode_tx *tx)
{
    lode_buf b = LODE_BUF_EMPTY;
    for (uint32_t i = 0; i < tx->input_count; i++)
        lode_buf_put_le32(&b, tx->inputs[i].sequence);
    lode_sha256d(out, b.data, b.len);
    lode_buf_clear(&b);
}

static void hash_outputs(uint8_t out[32], const lode_tx *tx, uint32_t first, uint32_t end)
{
    lode_buf b = LODE_BUF_EMPTY;
    for (uint32_t i = first; i < end; i++)
        put_output(&b, &tx->outputs[i]);
    lode_sha256d(out, b.data, b.len);
    lode_buf_clear(&b);
}

void slow_sighash_v0(uint8_t out[32], const lode_tx *tx, uint32_t input, lode_slice code, int64_t value,
                     int32_t hash_type)
{
    uint8_t prevouts[32] = { 0 }, sequences[32] = { 0 }, outputs[32] = { 0 };
    bool one_input = hash_type & 0x80, single = (hash_type & 31) == 3, none = (hash_type & 31) == 2;
    lode_buf b = LODE_BUF_EMPTY;

    if (!one_input)
        hash_prevouts(prevouts, tx);
    if (!one_input && !single && !none)
        hash_sequences(sequences, tx);
    if (!single && !none)
        hash_outputs(outputs, tx, 0, tx->output_count);
    else if (single && input < tx->output_count)
        hash_outputs(outputs, tx, input, input + 1);

    lode_buf_put_le32(&b, (uint32_t)tx->version);
    lode_buf_append(&b, prevouts, 32);
    lode_buf_append(&b, sequences, 32);
    lode_buf_append(&b, tx->inputs[input].prevout, 36);
    put_bytes(&b, code.data, code.len);
    lode_buf_put_le64(&b, (uint64_t)value);
    lode_buf_put_le32(&b, tx->inputs[input].sequence);
    lode_buf_append(&b, outputs, 32);
    lode_buf_put_le32(&b, tx->lock_time);
    lode_buf_put_le32(&b, (uint32_t)hash_type);
    lode_sha256d(out, b.data, b.len);
    lode_buf_clear(&b);
}
