/* test/validate/made_chain.h: headers, transactions and blocks made to measure, for tests of the rules. */
#ifndef LODE_TEST_MADE_CHAIN_H
#define LODE_TEST_MADE_CHAIN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "primitives/encode.h"
#include "validate/rules/block.h"

/* ---- nodes ---- */

/* `count` linked nodes from height 0 on, `spacing` seconds apart from `start`, all of one target. Given: free. The hash
 * of each is its height and a branch number, so that no two are equal. */
static inline lode_node *make_nodes(size_t count, uint32_t start, uint32_t spacing, uint32_t bits)
{
    lode_node *nodes = calloc(count, sizeof *nodes);

    assert_non_null(nodes);
    for (size_t i = 0; i < count; i++) {
        nodes[i].header.version = 4;
        nodes[i].header.time = start + (uint32_t)i * spacing;
        nodes[i].header.bits = bits;
        lode_write_le32(nodes[i].hash.bytes, (uint32_t)i + 1);
        lode_node_link(&nodes[i], i ? &nodes[i - 1] : NULL);
    }
    return nodes;
}

/* Links all again after times or targets were changed. */
static inline void relink_nodes(lode_node *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lode_node_link(&nodes[i], i ? &nodes[i - 1] : NULL);
}

static inline lode_block_hash hash_header(const lode_header *header)
{
    uint8_t raw[LODE_HEADER_SIZE];
    lode_block_hash hash;

    lode_header_serialize(raw, header);
    lode_sha256d(hash.bytes, raw, sizeof raw);
    return hash;
}

/* Tries nonces until the hash is, or is not, below regtest's target: two tries on average. */
static inline lode_block_hash mine(lode_header *header, bool should_fit)
{
    lode_block_hash hash = hash_header(header);

    while ((hash.bytes[31] < 0x7f) != should_fit) {
        header->nonce++;
        hash = hash_header(header);
    }
    return hash;
}

/* ---- transactions ---- */

typedef struct made_input {
    uint8_t parent; /* every byte of the parent's txid; 0 with index ffffffff is no prevout */
    uint32_t index;
    lode_slice script;
    uint32_t sequence;
    lode_slice witness; /* as serialised, count and items; empty: none */
} made_input;

typedef struct made_output {
    int64_t sat;
    lode_slice script;
} made_output;

typedef struct made_tx {
    int32_t version;
    const made_input *inputs;
    uint32_t input_count;
    const made_output *outputs;
    uint32_t output_count;
    uint32_t lock_time;
} made_tx;

#define BYTES(...) lode_slice_of((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

static inline void put_script(lode_buf *out, lode_slice script)
{
    lode_buf_put_compact_size(out, script.len);
    lode_buf_append(out, script.data, script.len);
}

static inline void put_made_tx(lode_buf *out, const made_tx *tx, bool with_witness)
{
    bool has_witness = false;

    for (uint32_t i = 0; i < tx->input_count; i++)
        has_witness = has_witness || (with_witness && tx->inputs[i].witness.len);
    lode_buf_put_le32(out, (uint32_t)tx->version);
    if (has_witness)
        lode_buf_append(out, "\0\1", 2);
    lode_buf_put_compact_size(out, tx->input_count);
    for (uint32_t i = 0; i < tx->input_count; i++) {
        uint8_t prevout[36];
        memset(prevout, tx->inputs[i].parent, 32);
        lode_write_le32(prevout + 32, tx->inputs[i].index);
        lode_buf_append(out, prevout, 36);
        put_script(out, tx->inputs[i].script);
        lode_buf_put_le32(out, tx->inputs[i].sequence);
    }
    lode_buf_put_compact_size(out, tx->output_count);
    for (uint32_t i = 0; i < tx->output_count; i++) {
        lode_buf_put_le64(out, (uint64_t)tx->outputs[i].sat);
        put_script(out, tx->outputs[i].script);
    }
    for (uint32_t i = 0; has_witness && i < tx->input_count; i++) {
        if (tx->inputs[i].witness.len)
            lode_buf_append(out, tx->inputs[i].witness.data, tx->inputs[i].witness.len);
        else
            lode_buf_put_u8(out, 0);
    }
    lode_buf_put_le32(out, tx->lock_time);
}

/* A view of a made transaction. Bytes stay in `raw`. A transaction without inputs has no bytes that parse, so its view
 * is put together here. */
static inline lode_tx view_made_tx(lode_buf *raw, lode_arena *arena, const made_tx *made)
{
    lode_tx tx = { .version = made->version, .lock_time = made->lock_time };
    lode_parse_error error;

    lode_buf_reset(raw);
    put_made_tx(raw, made, true);
    if (made->input_count == 0) {
        tx.output_count = made->output_count;
        tx.outputs = lode_arena_take_array(arena, made->output_count + 1, sizeof *tx.outputs);
        for (uint32_t i = 0; i < made->output_count; i++)
            tx.outputs[i] = (lode_txout){ { made->outputs[i].sat },
                                          made->outputs[i].script.data,
                                          (uint32_t)made->outputs[i].script.len };
        tx.base_size = tx.size = (uint32_t)raw->len;
        return tx;
    }
    if (!lode_tx_parse(&tx, arena, raw->data, raw->len, 0, &error))
        fail_msg("made transaction: %s at %zu", error.what, error.offset);
    return tx;
}

/* ---- blocks ---- */

static inline void made_merkle_root(uint8_t root[32], const made_tx *txs, uint32_t count)
{
    uint8_t *leaves = malloc(32 * ((size_t)count + 1));
    lode_buf raw = LODE_BUF_EMPTY;

    assert_non_null(leaves);
    for (uint32_t i = 0; i < count; i++) {
        lode_buf_reset(&raw);
        put_made_tx(&raw, &txs[i], false);
        lode_sha256d(leaves + 32 * (size_t)i, raw.data, raw.len);
    }
    lode_merkle_root(root, NULL, leaves, count);
    lode_buf_clear(&raw);
    free(leaves);
}

/* The script that BIP 141 asks for in the coinbase, for a reserved value of zeros. */
static inline void made_commitment(uint8_t script[38], const made_tx *txs, uint32_t count)
{
    uint8_t *leaves = calloc((size_t)count + 1, 32);
    uint8_t preimage[64] = { 0 };
    lode_buf raw = LODE_BUF_EMPTY;

    assert_non_null(leaves);
    for (uint32_t i = 1; i < count; i++) {
        lode_buf_reset(&raw);
        put_made_tx(&raw, &txs[i], true);
        lode_sha256d(leaves + 32 * (size_t)i, raw.data, raw.len);
    }
    lode_merkle_root(preimage, NULL, leaves, count);
    memcpy(script, "\x6a\x24\xaa\x21\xa9\xed", 6);
    lode_sha256d(script + 6, preimage, sizeof preimage);
    lode_buf_clear(&raw);
    free(leaves);
}

/* Header with the right root, then the transactions. `header` keeps the root. */
static inline void put_made_block(lode_buf *out, lode_header *header, const made_tx *txs, uint32_t count)
{
    uint8_t raw[LODE_HEADER_SIZE];

    made_merkle_root(header->merkle_root.bytes, txs, count);
    lode_header_serialize(raw, header);
    lode_buf_append(out, raw, sizeof raw);
    lode_buf_put_compact_size(out, count);
    for (uint32_t i = 0; i < count; i++)
        put_made_tx(out, &txs[i], true);
}

#endif
