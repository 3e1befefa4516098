/* bench/chain/make_tx.c: one planned transaction becomes bytes.
 *
 * Room:     builds the parsed form that signature hashes are made of, signs each input, writes the bytes.
 * Touches:  its bench and one transaction of the plan.
 * Threads:  one bench per thread; the plan is read, but for the transaction being made.
 */
#include "bench/chain/make_tx.h"

#include <string.h>

#include "bench/chain/script_kind.h"
#include "bench/chain/unlock.h"
#include "primitives/encode.h"
#include "primitives/tx.h"

typedef struct lode_tx_parts {
    lode_tx tx;
    lode_txout *spent;
    lode_slice *script_sigs, *witnesses; /* witnesses with their count of items */
    bool has_witness;                    /* of any item */
} lode_tx_parts;

void lode_tx_bench_clear(lode_tx_bench *bench)
{
    lode_arena_clear(&bench->made);
    lode_arena_clear(&bench->scratch);
    lode_buf_clear(&bench->script_sigs);
    lode_buf_clear(&bench->witnesses);
}

static lode_status no_memory(void)
{
    return lode_fail(LODE_NO_MEMORY, "no memory for a transaction");
}

static bool write_script(const uint8_t **script, uint32_t *len, lode_arena *arena, const uint8_t *made, size_t made_len)
{
    uint8_t *kept = (uint8_t *)lode_arena_take(arena, made_len);

    if (!kept)
        return false;
    memcpy(kept, made, made_len);
    *script = kept;
    *len = (uint32_t)made_len;
    return true;
}

static bool fill_inputs(lode_tx_parts *parts, lode_arena *arena, const lode_planned_tx *planned,
                        const lode_block_plan *plan, const lode_key_ring *ring)
{
    const lode_maker_input *inputs = &plan->inputs[planned->first_input];
    uint8_t script[LODE_MADE_SCRIPT_MAX];
    uint8_t *prevouts = (uint8_t *)lode_arena_take_array(arena, planned->input_count, 36);

    if (!prevouts)
        return false;
    for (uint32_t i = 0; i < planned->input_count; i++) {
        const lode_made_coin *coin = &inputs[i].coin;
        uint8_t *prevout = prevouts + (size_t)36 * i;
        size_t len = lode_script_output(script, ring, (lode_coin_kind)coin->kind, coin->key, coin->height, 0);

        memcpy(prevout, coin->source ? plan->txs[coin->source - 1].txid.bytes : coin->txid.bytes, 32);
        lode_write_le32(prevout + 32, coin->index);
        parts->tx.inputs[i] = (lode_txin){ .prevout = prevout, .sequence = inputs[i].sequence };
        parts->spent[i].value.sat = coin->value;
        if (!write_script(&parts->spent[i].script, &parts->spent[i].script_len, arena, script, len))
            return false;
    }
    return true;
}

static bool fill_outputs(lode_tx_parts *parts, lode_arena *arena, const lode_planned_tx *planned,
                         const lode_block_plan *plan, const lode_key_ring *ring)
{
    uint8_t script[LODE_MADE_SCRIPT_MAX];

    for (uint32_t i = 0; i < planned->output_count; i++) {
        const lode_maker_output *out = &plan->outputs[planned->first_output + i];
        lode_txout *to = &parts->tx.outputs[i];
        size_t len = lode_script_output(script, ring, (lode_coin_kind)out->kind, out->key, plan->height, out->salt);

        to->value.sat = out->value;
        if (!write_script(&to->script, &to->script_len, arena, script, len))
            return false;
    }
    return true;
}

static bool fill_parts(lode_tx_parts *parts, lode_arena *arena, const lode_planned_tx *planned,
                       const lode_block_plan *plan, const lode_key_ring *ring)
{
    uint32_t in = planned->input_count, out = planned->output_count;

    *parts = (lode_tx_parts){
        .tx = { .version = planned->version, .lock_time = planned->lock_time, .input_count = in, .output_count = out },
    };
    parts->tx.inputs = (lode_txin *)lode_arena_take_array(arena, in, sizeof(lode_txin));
    parts->tx.outputs = (lode_txout *)lode_arena_take_array(arena, out, sizeof(lode_txout));
    parts->spent = (lode_txout *)lode_arena_take_array(arena, in, sizeof(lode_txout));
    parts->script_sigs = (lode_slice *)lode_arena_take_array(arena, in, sizeof(lode_slice));
    parts->witnesses = (lode_slice *)lode_arena_take_array(arena, in, sizeof(lode_slice));
    return parts->tx.inputs && parts->tx.outputs && parts->spent && parts->script_sigs && parts->witnesses &&
           fill_inputs(parts, arena, planned, plan, ring) && fill_outputs(parts, arena, planned, plan, ring);
}

/* Slices hold offsets while the buffers may still move, and are turned into pointers at the end. */
static void point_into_buffers(lode_tx_parts *parts, const lode_tx_bench *bench)
{
    size_t script_at = 0, witness_at = 0;

    for (uint32_t i = 0; i < parts->tx.input_count; i++) {
        parts->script_sigs[i].data = bench->script_sigs.data + script_at;
        parts->witnesses[i].data = bench->witnesses.data + witness_at;
        script_at += parts->script_sigs[i].len;
        witness_at += parts->witnesses[i].len;
        parts->has_witness |= parts->witnesses[i].data[0] != 0;
    }
}

static lode_status unlock_inputs(lode_tx_parts *parts, lode_tx_bench *bench, const lode_planned_tx *planned,
                                 const lode_block_plan *plan, const lode_key_ring *ring)
{
    lode_tx_hashes hashes;
    lode_unlock_job job = { ring, &parts->tx, &hashes, 0, NULL };

    if (planned->has_witness)
        lode_tx_hashes_init(&hashes, &parts->tx, parts->spent, true);
    lode_buf_reset(&bench->script_sigs);
    lode_buf_reset(&bench->witnesses);
    for (uint32_t i = 0; i < planned->input_count; i++) {
        size_t script_at = bench->script_sigs.len, witness_at = bench->witnesses.len;

        job.index = i;
        job.input = &plan->inputs[planned->first_input + i];
        if (!lode_unlock(&bench->script_sigs, &bench->witnesses, &job))
            return lode_fail(LODE_INVALID_ARGUMENT, "input %u of kind %s cannot be signed with hash type 0x%02x", i,
                             lode_coin_kind_name((lode_coin_kind)job.input->coin.kind), job.input->sighash);
        parts->script_sigs[i].len = bench->script_sigs.len - script_at;
        parts->witnesses[i].len = bench->witnesses.len - witness_at;
    }
    if (!lode_buf_is_good(&bench->script_sigs) || !lode_buf_is_good(&bench->witnesses))
        return no_memory();
    point_into_buffers(parts, bench);
    return lode_ok();
}

static uint32_t measure_base(const lode_tx_parts *parts)
{
    size_t n = 8 + lode_compact_size_length(parts->tx.input_count) + lode_compact_size_length(parts->tx.output_count);

    for (uint32_t i = 0; i < parts->tx.input_count; i++)
        n += 40 + lode_compact_size_length(parts->script_sigs[i].len) + parts->script_sigs[i].len;
    for (uint32_t i = 0; i < parts->tx.output_count; i++)
        n += 8 + lode_compact_size_length(parts->tx.outputs[i].script_len) + parts->tx.outputs[i].script_len;
    return (uint32_t)n;
}

static uint32_t measure_witness(const lode_tx_parts *parts)
{
    size_t n = 2;

    for (uint32_t i = 0; i < parts->tx.input_count; i++)
        n += parts->witnesses[i].len;
    return parts->has_witness ? (uint32_t)n : 0;
}

static uint8_t *put(uint8_t *at, const void *data, size_t len)
{
    if (len)
        memcpy(at, data, len);
    return at + len;
}

/* Inputs and outputs with their counts: what stands between version, marker and flag, and witnesses or lock time. */
static uint8_t *put_body(uint8_t *at, const lode_tx_parts *parts)
{
    at += lode_compact_size_write(at, parts->tx.input_count);
    for (uint32_t i = 0; i < parts->tx.input_count; i++) {
        at = put(at, parts->tx.inputs[i].prevout, 36);
        at += lode_compact_size_write(at, parts->script_sigs[i].len);
        at = put(at, parts->script_sigs[i].data, parts->script_sigs[i].len);
        lode_write_le32(at, parts->tx.inputs[i].sequence);
        at += 4;
    }
    at += lode_compact_size_write(at, parts->tx.output_count);
    for (uint32_t i = 0; i < parts->tx.output_count; i++) {
        const lode_txout *out = &parts->tx.outputs[i];
        lode_write_le64(at, (uint64_t)out->value.sat);
        at += 8 + lode_compact_size_write(at + 8, out->script_len);
        at = put(at, out->script, out->script_len);
    }
    return at;
}

static void write_tx(uint8_t *raw, lode_planned_tx *planned, const lode_tx_parts *parts)
{
    uint8_t *body = raw + (parts->has_witness ? 6 : 4);
    uint8_t *at;
    lode_sha256_stream s;

    lode_write_le32(raw, (uint32_t)parts->tx.version);
    raw[4] = 0; /* marker and flag, written over when there is no witness */
    raw[5] = 1;
    at = put_body(body, parts);
    lode_sha256_begin(&s);
    lode_sha256_add(&s, raw, 4);
    lode_sha256_add(&s, body, (size_t)(at - body));
    for (uint32_t i = 0; parts->has_witness && i < parts->tx.input_count; i++)
        at = put(at, parts->witnesses[i].data, parts->witnesses[i].len);
    lode_write_le32(at, parts->tx.lock_time);
    lode_sha256_add(&s, at, 4);
    lode_sha256d_end(&s, planned->txid.bytes);
    memcpy(planned->wtxid.bytes, planned->txid.bytes, 32);
    if (parts->has_witness)
        lode_sha256d(planned->wtxid.bytes, raw, planned->size);
}

lode_status lode_make_tx(lode_tx_bench *bench, lode_planned_tx *tx, const lode_block_plan *plan,
                         const lode_key_ring *ring)
{
    lode_tx_parts parts;
    uint8_t *raw;

    lode_arena_reset(&bench->scratch);
    if (!fill_parts(&parts, &bench->scratch, tx, plan, ring))
        return no_memory();
    LODE_TRY(unlock_inputs(&parts, bench, tx, plan, ring));
    tx->base_size = measure_base(&parts);
    tx->size = tx->base_size + measure_witness(&parts);
    tx->has_witness = parts.has_witness;
    raw = (uint8_t *)lode_arena_take(&bench->made, tx->size);
    if (!raw)
        return no_memory();
    write_tx(raw, tx, &parts);
    tx->raw = raw;
    return lode_ok();
}
