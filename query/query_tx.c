/* query/query_tx.c: transactions that stand in blocks.
 *
 * Room:     getrawtransaction, locate.
 * Touches:  transaction index, block and undo files, reading.
 */
#include "query/call.h"
#include "query/find_tx.h"
#include "query/tx_json.h"

/* A transaction that was found, with what its views point into. */
typedef struct found_tx {
    bool is_found;
    lode_tx tx;
    lode_block_hash block_hash;
    lode_buf raw;
    lode_arena arena;
} found_tx;

static void clear_found_tx(found_tx *f)
{
    lode_buf_clear(&f->raw);
    lode_arena_clear(&f->arena);
}

/* The position of a transaction in its block; block->tx_count when it is not there. */
static uint32_t position_in(const lode_block *block, const lode_txid *txid)
{
    uint32_t i = 0;

    while (i < block->tx_count && !lode_txid_is_equal(&block->txs[i].txid, txid))
        i++;
    return i;
}

static lode_status find_in_block(lode_chain *chain, found_tx *f, const lode_entry *entry, const lode_txid *txid)
{
    lode_block block;
    uint32_t i;

    if (!(entry->status & LODE_BLOCK_HAVE_DATA))
        return lode_ok();
    LODE_TRY(lode_chain_read_block(chain, &block, &f->raw, &f->arena, entry));
    i = position_in(&block, txid);
    f->is_found = i < block.tx_count;
    if (f->is_found) {
        f->tx = block.txs[i];
        f->block_hash = entry->node.hash;
    }
    return lode_ok();
}

/* By the index, unless it names another block than the one asked for; then in that block. */
static lode_status find_tx(lode_chain *chain, found_tx *f, const lode_entry *entry, const lode_txid *txid)
{
    if (chain->txindex) {
        LODE_TRY(lode_find_indexed_tx(chain, &f->is_found, &f->tx, &f->raw, &f->arena, &f->block_hash, txid));
        if (f->is_found && (!entry || lode_block_hash_is_equal(&f->block_hash, &entry->node.hash)))
            return lode_ok();
        f->is_found = false;
        lode_buf_reset(&f->raw);
        lode_arena_reset(&f->arena);
    }
    if (!entry)
        LODE_TRY(chain->txindex_declined);
    return entry ? find_in_block(chain, f, entry, txid) : lode_ok();
}

static lode_status refuse_missing(lode_query_call *call, const lode_entry *entry)
{
    lode_chain *chain = call->chain;
    lode_entry *index_tip;
    const char *text;

    LODE_TRY(lode_query_index_tip(chain, &index_tip));
    if (entry && !(entry->status & LODE_BLOCK_HAVE_DATA)) {
        lode_query_refuse(call, LODE_RPC_MISC_ERROR, "Block not available");
        return lode_ok();
    }
    if (entry)
        text = "No such transaction found in the provided block";
    else if (!chain->txindex)
        text = "No such mempool transaction. Use -txindex or provide a block hash to enable blockchain transaction "
               "queries";
    else if (index_tip != chain->tip)
        text = "No such mempool transaction. Blockchain transactions are still in the process of being indexed";
    else
        text = "No such mempool or blockchain transaction";
    lode_query_refuse(call, LODE_RPC_INVALID_ADDRESS_OR_KEY, "%s. Use gettransaction for wallet transactions.", text);
    return lode_ok();
}

/* Fee and spent outputs come from the undo of its block: stepped over up to this transaction. */
static lode_status put_tx_with_undo(lode_query_call *call, const found_tx *f, const lode_entry *entry)
{
    lode_chain *chain = call->chain;
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_buf raw = LODE_BUF_EMPTY;
    lode_buf undo = LODE_BUF_EMPTY;
    lode_undo_reader reader;
    lode_block block;
    uint64_t count;
    lode_status s = lode_chain_read_block(chain, &block, &raw, &arena, entry);

    if (!lode_failed(s))
        s = lode_chain_read_undo(chain, &undo, entry);
    if (lode_failed(s))
        goto done;
    lode_undo_reader_init(&reader, undo.data, undo.len, &count);
    for (uint32_t i = position_in(&block, &f->tx.txid); i > 1; i--) {
        uint32_t height;
        bool is_coinbase;
        uint64_t amount;
        lode_slice script;
        bool good = lode_undo_next_tx(&reader, &count);
        while (good && count-- > 0)
            good = lode_undo_next_coin(&reader, &height, &is_coinbase, &amount, &script);
    }
    if (!lode_json_put_tx(&call->json, &f->tx, &reader, true, &chain->params))
        s = lode_fail(LODE_CORRUPT, "the undo data of block %d does not fit its transactions", entry->node.height);
done:
    lode_buf_clear(&undo);
    lode_buf_clear(&raw);
    lode_arena_clear(&arena);
    return s;
}

static void put_place(lode_query_call *call, const found_tx *f, const lode_entry *entry)
{
    lode_json *j = &call->json;

    lode_json_put_hash(j, "blockhash", f->block_hash.bytes);
    if (!entry)
        return;
    if (!lode_chain_contains(call->chain, entry)) {
        lode_json_put_signed(j, "confirmations", 0);
        return;
    }
    lode_json_put_signed(j, "confirmations", 1 + call->chain->tip->node.height - entry->node.height);
    lode_json_put_unsigned(j, "time", entry->node.header.time);
    lode_json_put_unsigned(j, "blocktime", entry->node.header.time);
}

static lode_status answer_found(lode_query_call *call, const found_tx *f, bool is_block_named, int verbosity)
{
    const lode_entry *entry = lode_block_index_find(call->chain->index, &f->block_hash);
    bool has_undo = entry && (entry->status & LODE_BLOCK_HAVE_UNDO) && !lode_tx_is_coinbase(&f->tx);
    lode_json *j = &call->json;

    if (verbosity <= 0) {
        lode_query_answer_hex(call, f->tx.raw, f->tx.size);
        return lode_ok();
    }
    lode_json_begin_object(j, NULL);
    if (is_block_named)
        lode_json_put_bool(j, "in_active_chain", entry && lode_chain_contains(call->chain, entry));
    if (verbosity >= 2 && has_undo)
        LODE_TRY(put_tx_with_undo(call, f, entry));
    else
        lode_json_put_tx(j, &f->tx, NULL, false, &call->chain->params);
    put_place(call, f, entry);
    lode_json_end_object(j);
    return lode_ok();
}

static bool is_genesis_coinbase(const lode_chain *chain, const lode_txid *txid)
{
    lode_header genesis;

    lode_header_parse(&genesis, chain->params.genesis_raw);
    return lode_bytes32_is_equal(genesis.merkle_root.bytes, txid->bytes);
}

lode_status lode_query_getrawtransaction(lode_query_call *call)
{
    lode_chain *chain = call->chain;
    bool is_block_named = lode_query_has(call, 2);
    found_tx f = { 0 };
    lode_entry *entry = NULL;
    lode_txid txid;
    lode_block_hash hash;
    int verbosity;
    lode_status s;

    if (!lode_query_take_hash(call, txid.bytes, 0, "parameter 1"))
        return lode_ok();
    if (is_genesis_coinbase(chain, &txid)) {
        lode_query_refuse(
            call, LODE_RPC_INVALID_ADDRESS_OR_KEY,
            "The genesis block coinbase is not considered an ordinary transaction and cannot be retrieved");
        return lode_ok();
    }
    if (!lode_query_take_verbosity(call, &verbosity, 1, 0))
        return lode_ok();
    if (is_block_named) {
        if (!lode_query_take_hash(call, hash.bytes, 2, "parameter 3"))
            return lode_ok();
        entry = lode_block_index_find(chain->index, &hash);
        if (!entry) {
            lode_query_refuse(call, LODE_RPC_INVALID_ADDRESS_OR_KEY, "Block hash not found");
            return lode_ok();
        }
    }
    s = find_tx(chain, &f, entry, &txid);
    if (!lode_failed(s))
        s = f.is_found ? answer_found(call, &f, is_block_named, verbosity) : refuse_missing(call, entry);
    clear_found_tx(&f);
    return s;
}

/* null unless the active chain holds it: an entry of the index may point into a stale block. */
static lode_status put_location(lode_query_call *call, const char *word)
{
    lode_chain *chain = call->chain;
    const lode_entry *entry = NULL;
    found_tx f = { 0 };
    lode_txid txid;
    lode_status s = lode_ok();

    if (lode_hash_from_hex(txid.bytes, word))
        s = lode_find_indexed_tx(chain, &f.is_found, &f.tx, &f.raw, &f.arena, &f.block_hash, &txid);
    if (!lode_failed(s) && f.is_found)
        entry = lode_block_index_find(chain->index, &f.block_hash);
    if (entry && lode_chain_contains(chain, entry))
        lode_json_put_hash(&call->json, word, entry->node.hash.bytes);
    else if (!lode_failed(s))
        lode_json_put_null(&call->json, word);
    clear_found_tx(&f);
    return s;
}

lode_status lode_query_locate(lode_query_call *call)
{
    LODE_TRY(call->chain->txindex_declined);
    if (!call->chain->txindex) {
        lode_query_refuse(call, LODE_RPC_MISC_ERROR,
                          "There is no transaction index in this directory: import with -txindex to make one");
        return lode_ok();
    }
    lode_json_begin_object(&call->json, NULL);
    for (size_t i = 0; i < call->word_count; i++)
        LODE_TRY(put_location(call, call->words[i]));
    lode_json_end_object(&call->json);
    return lode_ok();
}
