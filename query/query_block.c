/* query/query_block.c: one block: its header and its contents.
 *
 * Room:     getblockheader, getblock.
 * Touches:  block and undo files, reading.
 */
#include "query/call.h"
#include "query/tx_json.h"

static lode_entry *take_block(lode_query_call *call, const char *name)
{
    lode_block_hash hash;
    lode_entry *entry;

    if (!lode_query_take_hash(call, hash.bytes, 0, name))
        return NULL;
    entry = lode_block_index_find(call->chain->index, &hash);
    if (!entry)
        lode_query_refuse(call, LODE_RPC_INVALID_ADDRESS_OR_KEY, "Block not found");
    return entry;
}

static void put_header_members(lode_query_call *call, const lode_entry *entry)
{
    lode_chain *chain = call->chain;
    const lode_node *node = &entry->node;
    const lode_header *h = &node->header;
    bool is_active = lode_chain_contains(chain, entry);
    const lode_entry *next = is_active ? lode_chain_at(chain, node->height + 1) : NULL;
    lode_json *j = &call->json;
    char version[9];

    for (int i = 0; i < 8; i++)
        version[i] = "0123456789abcdef"[(uint32_t)h->version >> (28 - 4 * i) & 15];
    version[8] = '\0';
    lode_json_put_hash(j, "hash", node->hash.bytes);
    lode_json_put_signed(j, "confirmations", is_active ? chain->tip->node.height - node->height + 1 : -1);
    lode_json_put_signed(j, "height", node->height);
    lode_json_put_signed(j, "version", h->version);
    lode_json_put_string(j, "versionHex", version);
    lode_json_put_hash(j, "merkleroot", h->merkle_root.bytes);
    lode_json_put_unsigned(j, "time", h->time);
    lode_json_put_unsigned(j, "mediantime", node->median_time);
    lode_json_put_unsigned(j, "nonce", h->nonce);
    lode_query_put_bits(j, h->bits);
    lode_query_put_target(j, h->bits);
    lode_json_put_double(j, "difficulty", lode_query_difficulty(h->bits));
    lode_query_put_work(j, node);
    lode_json_put_unsigned(j, "nTx", entry->tx_count);
    if (node->prev)
        lode_json_put_hash(j, "previousblockhash", node->prev->hash.bytes);
    if (next)
        lode_json_put_hash(j, "nextblockhash", next->node.hash.bytes);
}

lode_status lode_query_getblockheader(lode_query_call *call)
{
    lode_entry *entry = take_block(call, "hash");
    bool is_verbose = !lode_query_has(call, 1) || call->arguments[1].truth;

    if (!entry)
        return lode_ok();
    if (is_verbose) {
        lode_json_begin_object(&call->json, NULL);
        put_header_members(call, entry);
        lode_json_end_object(&call->json);
    } else {
        uint8_t raw[LODE_HEADER_SIZE];
        lode_header_serialize(raw, &entry->node.header);
        lode_query_answer_hex(call, raw, sizeof raw);
    }
    return lode_ok();
}

static void put_coinbase(lode_json *j, const lode_tx *coinbase)
{
    const lode_txin *in = &coinbase->inputs[0];
    lode_reader r = lode_witness_reader(in);
    lode_slice item;

    lode_json_begin_object(j, "coinbase_tx");
    lode_json_put_unsigned(j, "version", (uint32_t)coinbase->version);
    lode_json_put_unsigned(j, "locktime", coinbase->lock_time);
    lode_json_put_unsigned(j, "sequence", in->sequence);
    lode_json_put_hex(j, "coinbase", in->script_sig, in->script_sig_len);
    if (in->witness_count && lode_witness_next(&r, &item))
        lode_json_put_hex(j, "witness", item.data, item.len);
    lode_json_end_object(j);
}

/* The block's transactions in full. `undo` may be empty: fees and spent outputs are left out then. */
static lode_status put_transactions(lode_query_call *call, const lode_block *block, const lode_buf *undo, int verbosity)
{
    lode_json *j = &call->json;
    lode_undo_reader reader;
    uint64_t undo_txs = 0;

    lode_undo_reader_init(&reader, undo->data, undo->len, &undo_txs);
    for (uint32_t i = 0; i < block->tx_count; i++) {
        bool has_undo = i > 0 && undo->len > 0;
        lode_json_begin_object(j, NULL);
        if (!lode_json_put_tx(j, &block->txs[i], has_undo ? &reader : NULL, verbosity >= 3, &call->chain->params))
            return lode_fail(LODE_CORRUPT, "the undo data does not fit transaction %u of its block", i);
        lode_json_end_object(j);
    }
    return lode_ok();
}

static lode_status put_block(lode_query_call *call, const lode_entry *entry, const lode_block *block,
                             const lode_buf *undo, int verbosity)
{
    lode_json *j = &call->json;

    lode_json_begin_object(j, NULL);
    put_header_members(call, entry);
    lode_json_put_unsigned(j, "strippedsize", block->base_size);
    lode_json_put_unsigned(j, "size", block->size);
    lode_json_put_unsigned(j, "weight", 3 * (uint64_t)block->base_size + block->size);
    put_coinbase(j, &block->txs[0]);
    lode_json_begin_array(j, "tx");
    if (verbosity == 1)
        for (uint32_t i = 0; i < block->tx_count; i++)
            lode_json_put_hash(j, NULL, block->txs[i].txid.bytes);
    else
        LODE_TRY(put_transactions(call, block, undo, verbosity));
    lode_json_end_array(j);
    lode_json_end_object(j);
    return lode_ok();
}

static lode_status put_stored_block(lode_query_call *call, const lode_entry *entry, int verbosity)
{
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_buf raw = LODE_BUF_EMPTY;
    lode_buf undo = LODE_BUF_EMPTY;
    lode_block block;
    lode_status s = lode_chain_read_block(call->chain, &block, &raw, &arena, entry);

    if (!lode_failed(s) && verbosity >= 2 && (entry->status & LODE_BLOCK_HAVE_UNDO))
        s = lode_chain_read_undo(call->chain, &undo, entry);
    if (!lode_failed(s))
        s = put_block(call, entry, &block, &undo, verbosity);
    lode_buf_clear(&undo);
    lode_buf_clear(&raw);
    lode_arena_clear(&arena);
    return s;
}

lode_status lode_query_getblock(lode_query_call *call)
{
    lode_entry *entry;
    int verbosity;
    lode_buf raw = LODE_BUF_EMPTY;
    lode_status s;
    uint8_t hash[32];

    if (!lode_query_take_hash(call, hash, 0, "blockhash") || !lode_query_take_verbosity(call, &verbosity, 1, 1))
        return lode_ok();
    entry = take_block(call, "blockhash");
    if (!entry)
        return lode_ok();
    if (!(entry->status & LODE_BLOCK_HAVE_DATA)) {
        lode_query_refuse(call, LODE_RPC_MISC_ERROR, "Block not available (not fully downloaded)");
        return lode_ok();
    }
    if (verbosity > 0)
        return put_stored_block(call, entry, verbosity);
    s = lode_block_files_read_block(call->chain->files, &raw, entry->file, entry->data_pos);
    if (!lode_failed(s))
        lode_query_answer_hex(call, raw.data, raw.len);
    lode_buf_clear(&raw);
    return s;
}
