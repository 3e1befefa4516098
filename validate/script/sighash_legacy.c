/* validate/script/sighash_legacy.c: what a signature signed before segwit.
 *
 * The transaction with all input scripts blank but the one being signed, and less of it as the hash type says, streamed
 * into SHA-256 without being built. Inputs that are checked many times keep the state before the hash type, by script
 * code and kind, so that a script full of OP_CHECKSIG costs one pass over the transaction (Core's SigHashCache). The
 * inputs of one transaction, checked in order, also share what stands before each, which halves what a transaction with
 * thousands of them costs; what stands behind differs for each and cannot be shared.
 */
#include "validate/script/sighash.h"

#include "validate/script/gather.h"
#include "validate/script/opcode.h"
#include "validate/script/interpreter.h"
#include "validate/script/txout_bytes.h"

/* Any 32-bit number is a hash type: five bits pick the outputs, one the inputs. */
typedef struct mode {
    bool none, single, one_input;
} mode;

static mode read_mode(int32_t hash_type)
{
    int outputs = hash_type & 0x1f;
    return (mode){ outputs == LODE_SIGHASH_NONE, outputs == LODE_SIGHASH_SINGLE,
                   (hash_type & LODE_SIGHASH_ANYONECANPAY) != 0 };
}

/* Length and bytes of the script code without its OP_CODESEPARATORs. After a push that cannot be read the rest is left
 * out, though the length counts it; such a script can never succeed, but its hash is asked for. */
static void add_script_code(lode_gather *g, lode_slice code)
{
    size_t at = 0, kept = 0;
    uint32_t separators = 0;
    uint8_t op;
    lode_slice data;

    while (lode_script_next(code, &at, &op, &data))
        separators += op == LODE_OP_CODESEPARATOR;
    lode_gather_compact_size(g, code.len - separators);
    if (separators == 0) {
        lode_gather_add(g, code.data, at);
        return;
    }
    for (at = 0; lode_script_next(code, &at, &op, &data);) {
        if (op != LODE_OP_CODESEPARATOR)
            continue;
        lode_gather_add(g, code.data + kept, at - 1 - kept);
        kept = at;
    }
    lode_gather_add(g, code.data + kept, at - kept);
}

/* 36 bytes of prevout, an empty script, the sequence */
static void add_blank_inputs(lode_gather *g, const lode_tx *tx, uint32_t first, uint32_t end, bool any_sequence)
{
    for (uint32_t i = first; i < end; i++) {
        uint8_t *p = lode_gather_room(g, 41);
        memcpy(p, tx->inputs[i].prevout, 36);
        p[36] = 0;
        lode_write_le32(p + 37, any_sequence ? 0 : tx->inputs[i].sequence);
    }
}

static void add_signed_input(lode_gather *g, const lode_txin *in, lode_slice code)
{
    lode_gather_add(g, in->prevout, 36);
    add_script_code(g, code);
    lode_gather_le32(g, in->sequence);
}

/* The inputs before the one that is signed. Where `prefix` holds some of them, only the rest is hashed, and all are
 * left there for the next input. */
static void add_inputs_before(lode_gather *g, const lode_tx *tx, uint32_t input, bool any_sequence,
                              lode_sighash_prefix *prefix)
{
    if (!prefix || any_sequence) {
        add_blank_inputs(g, tx, 0, input, any_sequence);
        return;
    }
    uint32_t first = 0;
    if (prefix->has_hash && prefix->input_count <= input) {
        g->hash = prefix->hash; /* instead of version and count, which are all there is so far */
        g->len = 0;
        first = prefix->input_count;
    }
    add_blank_inputs(g, tx, first, input, false);
    lode_gather_flush(g);
    *prefix = (lode_sighash_prefix){ true, input, g->hash };
}

static void add_inputs(lode_gather *g, const lode_tx *tx, uint32_t input, lode_slice code, mode m,
                       lode_sighash_prefix *prefix)
{
    bool any_sequence = m.none || m.single;
    lode_gather_compact_size(g, m.one_input ? 1 : tx->input_count);
    if (!m.one_input)
        add_inputs_before(g, tx, input, any_sequence, prefix);
    add_signed_input(g, &tx->inputs[input], code);
    if (!m.one_input)
        add_blank_inputs(g, tx, input + 1, tx->input_count, any_sequence);
}

static void add_outputs(lode_gather *g, const lode_tx *tx, uint32_t input, mode m)
{
    if (m.none) {
        lode_gather_compact_size(g, 0);
    } else if (m.single) {
        lode_gather_compact_size(g, (uint64_t)input + 1);
        for (uint32_t i = 0; i < input; i++) { /* value -1, no script */
            uint8_t *p = lode_gather_room(g, 9);
            memset(p, 0xff, 8);
            p[8] = 0;
        }
        lode_gather_txout(g, &tx->outputs[input]);
    } else {
        lode_gather_compact_size(g, tx->output_count);
        lode_gather_all_txouts(g, tx);
    }
}

static void add_transaction(lode_gather *g, const lode_tx *tx, uint32_t input, lode_slice code, mode m,
                            lode_sighash_prefix *prefix)
{
    lode_gather_le32(g, (uint32_t)tx->version);
    add_inputs(g, tx, input, code, m, prefix);
    add_outputs(g, tx, input, m);
    lode_gather_le32(g, tx->lock_time);
}

static unsigned count_kind(mode m)
{
    return (m.one_input ? 3 : 0) + (m.single ? 2 : m.none ? 1 : 0);
}

static bool load_midstate(lode_gather *g, const lode_sighash_cache *cache, lode_slice code, mode m)
{
    unsigned kind = count_kind(m);
    if (!cache || !(cache->has_midstate & 1u << kind) || cache->code_len != code.len ||
        memcmp(cache->code, code.data, code.len) != 0)
        return false;
    g->hash = cache->midstates[kind];
    g->len = 0;
    return true;
}

static void store_midstate(lode_gather *g, lode_sighash_cache *cache, lode_slice code, mode m)
{
    if (!cache || code.len > sizeof cache->code)
        return;
    if (cache->code_len != code.len || memcmp(cache->code, code.data, code.len) != 0) {
        cache->has_midstate = 0;
        cache->code_len = (uint32_t)code.len;
        memcpy(cache->code, code.data, code.len);
    }
    lode_gather_flush(g);
    cache->midstates[count_kind(m)] = g->hash;
    cache->has_midstate |= (uint8_t)(1u << count_kind(m));
}

void lode_sighash_legacy(uint8_t out[32], const lode_tx *tx, uint32_t input, lode_slice script_code, int32_t hash_type,
                         lode_sighash_cache *cache)
{
    mode m = read_mode(hash_type);
    if (m.single && input >= tx->output_count) { /* an old mistake that is consensus now */
        memset(out, 0, 32);
        out[0] = 1;
        return;
    }

    lode_gather g;
    if (!load_midstate(&g, cache, script_code, m)) {
        lode_gather_begin(&g);
        add_transaction(&g, tx, input, script_code, m, cache ? cache->prefix : NULL);
        store_midstate(&g, cache, script_code, m);
    }
    lode_gather_le32(&g, (uint32_t)hash_type);
    lode_gather_end_double(&g, out);
}
