/* query/tx_json.c: transactions and output scripts as members of an answer.
 *
 * Room:     field names and their order, which are Core's (TxToUniv, ScriptToUniv).
 * Touches:  the transaction, the undo bytes and the answer.
 */
#include "query/tx_json.h"

#include "query/descriptor.h"
#include "query/script_asm.h"
#include "query/script_class.h"

/* A member made by `put`-ing into a buffer of its own. */
static void put_asm(lode_json *j, lode_slice script, bool show_hash_types)
{
    lode_buf text = LODE_BUF_EMPTY;

    lode_buf_put_script_asm(&text, script, show_hash_types);
    if (!lode_buf_is_good(&text))
        j->out->failed = true;
    lode_json_put_bytes(j, "asm", (const char *)text.data, text.len);
    lode_buf_clear(&text);
}

static void put_descriptor(lode_json *j, lode_slice script, const lode_script_class *c, const lode_chain_params *params)
{
    lode_buf text = LODE_BUF_EMPTY;

    lode_buf_put_descriptor(&text, script, c, params);
    if (!lode_buf_is_good(&text))
        j->out->failed = true;
    lode_json_put_bytes(j, "desc", (const char *)text.data, text.len);
    lode_buf_clear(&text);
}

void lode_json_put_script(lode_json *j, lode_slice script, const lode_chain_params *params)
{
    char address[LODE_BASE58_TEXT_MAX];
    lode_script_class c;

    lode_script_classify(&c, script);
    put_asm(j, script, false);
    put_descriptor(j, script, &c, params);
    lode_json_put_hex(j, "hex", script.data, script.len);
    if (lode_script_address(address, &c, params))
        lode_json_put_string(j, "address", address);
    lode_json_put_string(j, "type", lode_script_type_name(c.type));
}

static void put_witness(lode_json *j, const lode_txin *in)
{
    lode_reader r = lode_witness_reader(in);
    lode_slice item;

    if (in->witness_count == 0)
        return;
    lode_json_begin_array(j, "txinwitness");
    while (lode_witness_next(&r, &item))
        lode_json_put_hex(j, NULL, item.data, item.len);
    lode_json_end_array(j);
}

/* The coin that an input spent, from the undo. */
typedef struct spent_coin {
    uint32_t height;
    bool is_coinbase;
    lode_amount value;
    lode_slice script; /* lent from the undo or from scratch */
    uint8_t scratch[67];
} spent_coin;

static bool next_spent_coin(spent_coin *coin, lode_undo_reader *undo)
{
    uint64_t compressed_amount;
    lode_slice compressed_script;
    lode_reader r;

    if (!lode_undo_next_coin(undo, &coin->height, &coin->is_coinbase, &compressed_amount, &compressed_script))
        return false;
    coin->value.sat = (int64_t)lode_amount_decompress(compressed_amount);
    r = lode_reader_of(compressed_script.data, compressed_script.len);
    lode_reader_script(&r, &coin->script, coin->scratch);
    return lode_reader_is_done(&r);
}

static void put_prevout(lode_json *j, const spent_coin *coin, const lode_chain_params *params)
{
    lode_json_begin_object(j, "prevout");
    lode_json_put_bool(j, "generated", coin->is_coinbase);
    lode_json_put_unsigned(j, "height", coin->height);
    lode_json_put_amount(j, "value", coin->value);
    lode_json_begin_object(j, "scriptPubKey");
    lode_json_put_script(j, coin->script, params);
    lode_json_end_object(j);
    lode_json_end_object(j);
}

static void put_origin(lode_json *j, const lode_txin *in, bool is_coinbase)
{
    if (is_coinbase) {
        lode_json_put_hex(j, "coinbase", in->script_sig, in->script_sig_len);
        return;
    }
    lode_json_put_hash(j, "txid", in->prevout);
    lode_json_put_unsigned(j, "vout", lode_read_le32(in->prevout + 32));
    lode_json_begin_object(j, "scriptSig");
    put_asm(j, lode_slice_of(in->script_sig, in->script_sig_len), true);
    lode_json_put_hex(j, "hex", in->script_sig, in->script_sig_len);
    lode_json_end_object(j);
}

static bool put_input(lode_json *j, lode_amount *total_in, const lode_txin *in, bool is_coinbase,
                      lode_undo_reader *undo, bool prevouts, const lode_chain_params *params)
{
    spent_coin coin;

    lode_json_begin_object(j, NULL);
    put_origin(j, in, is_coinbase);
    put_witness(j, in);
    if (undo) {
        if (!next_spent_coin(&coin, undo) || !lode_amount_add(total_in, coin.value))
            return false;
        if (prevouts)
            put_prevout(j, &coin, params);
    }
    lode_json_put_unsigned(j, "sequence", in->sequence);
    lode_json_end_object(j);
    return true;
}

static void put_output(lode_json *j, const lode_txout *out, uint32_t n, const lode_chain_params *params)
{
    lode_json_begin_object(j, NULL);
    lode_json_put_amount(j, "value", out->value);
    lode_json_put_unsigned(j, "n", n);
    lode_json_begin_object(j, "scriptPubKey");
    lode_json_put_script(j, lode_slice_of(out->script, out->script_len), params);
    lode_json_end_object(j);
    lode_json_end_object(j);
}

bool lode_json_put_tx(lode_json *j, const lode_tx *tx, lode_undo_reader *undo, bool prevouts,
                      const lode_chain_params *params)
{
    uint32_t weight = 3 * tx->base_size + tx->size;
    bool is_coinbase = lode_tx_is_coinbase(tx);
    lode_amount total_in = { 0 };
    lode_amount total_out = { 0 };
    uint64_t undo_inputs;

    if (undo && (!lode_undo_next_tx(undo, &undo_inputs) || undo_inputs != tx->input_count))
        return false;
    lode_json_put_hash(j, "txid", tx->txid.bytes);
    lode_json_put_hash(j, "hash", tx->wtxid.bytes);
    lode_json_put_unsigned(j, "version", (uint32_t)tx->version);
    lode_json_put_unsigned(j, "size", tx->size);
    lode_json_put_unsigned(j, "vsize", (weight + 3) / 4);
    lode_json_put_unsigned(j, "weight", weight);
    lode_json_put_unsigned(j, "locktime", tx->lock_time);
    lode_json_begin_array(j, "vin");
    for (uint32_t i = 0; i < tx->input_count; i++)
        if (!put_input(j, &total_in, &tx->inputs[i], is_coinbase, undo, prevouts, params))
            return false;
    lode_json_end_array(j);
    lode_json_begin_array(j, "vout");
    for (uint32_t i = 0; i < tx->output_count; i++) {
        put_output(j, &tx->outputs[i], i, params);
        total_out.sat += tx->outputs[i].value.sat; /* a stored block's outputs were summed when it was checked */
    }
    lode_json_end_array(j);
    if (undo)
        lode_json_put_amount(j, "fee", (lode_amount){ total_in.sat - total_out.sat });
    lode_json_put_hex(j, "hex", tx->raw, tx->size);
    return true;
}
