/* validate/script/sighash.c: hashes over the whole transaction, and the signature hashes of BIP 143 and BIP 341/342.
 *
 * Touches:  a lode_tx_hashes, filled once and then only read.
 */
#include "validate/script/sighash.h"

#include "validate/script/gather.h"
#include "validate/script/txout_bytes.h"

static void hash_prevouts(uint8_t out[32], const lode_tx *tx)
{
    lode_gather g;
    lode_gather_begin(&g);
    for (uint32_t i = 0; i < tx->input_count; i++)
        lode_gather_add(&g, tx->inputs[i].prevout, 36);
    lode_gather_end(&g, out);
}

static void hash_sequences(uint8_t out[32], const lode_tx *tx)
{
    lode_gather g;
    lode_gather_begin(&g);
    for (uint32_t i = 0; i < tx->input_count; i++)
        lode_gather_le32(&g, tx->inputs[i].sequence);
    lode_gather_end(&g, out);
}

static void hash_outputs(uint8_t out[32], const lode_tx *tx)
{
    lode_gather g;
    lode_gather_begin(&g);
    lode_gather_all_txouts(&g, tx);
    lode_gather_end(&g, out);
}

static void hash_output(uint8_t out[32], const lode_txout *output)
{
    lode_gather g;
    lode_gather_begin(&g);
    lode_gather_txout(&g, output);
    lode_gather_end(&g, out);
}

static void hash_amounts(uint8_t out[32], const lode_txout *spent, uint32_t count)
{
    lode_gather g;
    lode_gather_begin(&g);
    for (uint32_t i = 0; i < count; i++)
        lode_gather_le64(&g, (uint64_t)spent[i].value.sat);
    lode_gather_end(&g, out);
}

static void hash_scripts(uint8_t out[32], const lode_txout *spent, uint32_t count)
{
    lode_gather g;
    lode_gather_begin(&g);
    for (uint32_t i = 0; i < count; i++)
        lode_gather_script(&g, lode_slice_of(spent[i].script, spent[i].script_len));
    lode_gather_end(&g, out);
}

/* Which kinds of hashes the inputs may ask for. A witness is for v0 unless it spends what looks like taproot; guessing
 * one kind too many costs time only. */
static void find_needs(lode_tx_hashes *hashes, bool force)
{
    const lode_tx *tx = hashes->tx;
    hashes->has_v0 = force;
    hashes->has_taproot = force && hashes->spent;
    for (uint32_t i = 0; i < tx->input_count; i++) {
        if (tx->inputs[i].witness_count == 0)
            continue;
        const lode_txout *spent = hashes->spent ? &hashes->spent[i] : NULL;
        if (spent && spent->script_len == 34 && spent->script[0] == 0x51)
            hashes->has_taproot = true;
        else
            hashes->has_v0 = true;
    }
}

void lode_tx_hashes_init(lode_tx_hashes *hashes, const lode_tx *tx, const lode_txout *spent, bool force)
{
    hashes->tx = tx;
    hashes->spent = spent;
    find_needs(hashes, force);

    if (hashes->has_v0 || hashes->has_taproot) {
        hash_prevouts(hashes->prevouts_single, tx);
        hash_sequences(hashes->sequences_single, tx);
        hash_outputs(hashes->outputs_single, tx);
    }
    if (hashes->has_v0) {
        lode_sha256(hashes->prevouts_double, hashes->prevouts_single, 32);
        lode_sha256(hashes->sequences_double, hashes->sequences_single, 32);
        lode_sha256(hashes->outputs_double, hashes->outputs_single, 32);
    }
    if (hashes->has_taproot) {
        hash_amounts(hashes->amounts_single, spent, tx->input_count);
        hash_scripts(hashes->scripts_single, spent, tx->input_count);
    }
}

/* The hash of the output with the input's number, made once per input: a large output and a script with many checks
 * would cost their product. */
static const uint8_t *find_output_hash(uint8_t room[32], const lode_tx *tx, uint32_t input, lode_sighash_cache *cache)
{
    if (cache && cache->has_output)
        return cache->output_single;
    hash_output(room, &tx->outputs[input]);
    if (cache) {
        memcpy(cache->output_single, room, 32);
        cache->has_output = true;
    }
    return room;
}

static void make_v0_outputs(uint8_t out[32], const lode_tx_hashes *hashes, uint32_t input, int mode,
                            lode_sighash_cache *cache)
{
    memset(out, 0, 32);
    if (mode != LODE_SIGHASH_SINGLE && mode != LODE_SIGHASH_NONE) {
        memcpy(out, hashes->outputs_double, 32);
    } else if (mode == LODE_SIGHASH_SINGLE && input < hashes->tx->output_count) {
        uint8_t room[32];
        lode_sha256(out, find_output_hash(room, hashes->tx, input, cache), 32);
    }
}

/* version | prevouts | sequences | prevout | script code | value | sequence | outputs | lock time | hash type
 * The hashes of what the type leaves open are zero. */
static void hash_v0(uint8_t out[32], const lode_tx_hashes *hashes, uint32_t input, lode_slice script_code,
                    lode_amount value, int32_t hash_type, lode_sighash_cache *cache)
{
    static const uint8_t zero[32];
    const lode_tx *tx = hashes->tx;
    const lode_txin *in = &tx->inputs[input];
    bool one_input = (hash_type & LODE_SIGHASH_ANYONECANPAY) != 0;
    int mode = hash_type & 0x1f;
    bool any_sequence = one_input || mode == LODE_SIGHASH_SINGLE || mode == LODE_SIGHASH_NONE;
    uint8_t outputs[32];
    lode_gather g;

    make_v0_outputs(outputs, hashes, input, mode, cache);
    lode_gather_begin(&g);
    lode_gather_le32(&g, (uint32_t)tx->version);
    lode_gather_add(&g, one_input ? zero : hashes->prevouts_double, 32);
    lode_gather_add(&g, any_sequence ? zero : hashes->sequences_double, 32);
    lode_gather_add(&g, in->prevout, 36);
    lode_gather_script(&g, script_code);
    lode_gather_le64(&g, (uint64_t)value.sat);
    lode_gather_le32(&g, in->sequence);
    lode_gather_add(&g, outputs, 32);
    lode_gather_le32(&g, tx->lock_time);
    lode_gather_le32(&g, (uint32_t)hash_type);
    lode_gather_end_double(&g, out);
}

void lode_sighash_v0(uint8_t out[32], const lode_tx_hashes *hashes, uint32_t input, lode_slice script_code,
                     lode_amount value, int32_t hash_type, lode_sighash_cache *cache)
{
    lode_tx_hashes made;
    if (!hashes->has_v0) {
        lode_tx_hashes_init(&made, hashes->tx, NULL, true);
        hashes = &made;
    }
    hash_v0(out, hashes, input, script_code, value, hash_type, cache);
}

static bool is_taproot_hash_type(uint8_t hash_type)
{
    return hash_type <= 0x03 || (hash_type >= 0x81 && hash_type <= 0x83);
}

/* BIP 341's common signature message, and BIP 342's extension behind it. */
bool lode_sighash_taproot(uint8_t out[32], const lode_tx_hashes *hashes, uint32_t input, uint8_t hash_type,
                          const lode_tapscript_context *context, lode_sighash_cache *cache)
{
    const lode_tx *tx = hashes->tx;
    const lode_txin *in = &tx->inputs[input];
    uint8_t outputs = hash_type == LODE_SIGHASH_DEFAULT ? LODE_SIGHASH_ALL : hash_type & 3;
    bool one_input = (hash_type & LODE_SIGHASH_ANYONECANPAY) != 0;
    uint8_t room[32];
    lode_gather g;

    if (!hashes->has_taproot || !is_taproot_hash_type(hash_type))
        return false;
    if (outputs == LODE_SIGHASH_SINGLE && input >= tx->output_count)
        return false;

    lode_sha256_begin_tagged(&g.hash, "TapSighash");
    g.len = 0;
    lode_gather_u8(&g, 0); /* epoch */
    lode_gather_u8(&g, hash_type);
    lode_gather_le32(&g, (uint32_t)tx->version);
    lode_gather_le32(&g, tx->lock_time);
    if (!one_input) {
        lode_gather_add(&g, hashes->prevouts_single, 32);
        lode_gather_add(&g, hashes->amounts_single, 32);
        lode_gather_add(&g, hashes->scripts_single, 32);
        lode_gather_add(&g, hashes->sequences_single, 32);
    }
    if (outputs == LODE_SIGHASH_ALL)
        lode_gather_add(&g, hashes->outputs_single, 32);

    lode_gather_u8(&g, (uint8_t)((context->is_script_path ? 2 : 0) + (context->has_annex ? 1 : 0)));
    if (one_input) {
        lode_gather_add(&g, in->prevout, 36);
        lode_gather_txout(&g, &hashes->spent[input]);
        lode_gather_le32(&g, in->sequence);
    } else {
        lode_gather_le32(&g, input);
    }
    if (context->has_annex)
        lode_gather_add(&g, context->annex_hash, 32);
    if (outputs == LODE_SIGHASH_SINGLE)
        lode_gather_add(&g, find_output_hash(room, tx, input, cache), 32);

    if (context->is_script_path) {
        lode_gather_add(&g, context->leaf_hash, 32);
        lode_gather_u8(&g, 0); /* key version */
        lode_gather_le32(&g, context->code_separator_position);
    }
    lode_gather_end(&g, out);
    return true;
}
