/* query/query_coins.c: the coin set: one coin, or all of them.
 *
 * Room:     gettxout, gettxoutsetinfo, stats.
 * Touches:  the coins, reading.
 */
#include "chainstate/utxo_stats.h"
#include "query/call.h"
#include "query/tx_json.h"

static void put_coin(lode_query_call *call, const lode_coin_view *coin, lode_slice script)
{
    const lode_node *tip = &call->chain->tip->node;
    lode_json *j = &call->json;

    lode_json_begin_object(j, NULL);
    lode_json_put_hash(j, "bestblock", tip->hash.bytes);
    lode_json_put_signed(j, "confirmations", (int64_t)tip->height - coin->height + 1);
    lode_json_put_amount(j, "value", (lode_amount){ (int64_t)lode_amount_decompress(coin->compressed_amount) });
    lode_json_begin_object(j, "scriptPubKey");
    lode_json_put_script(j, script, &call->chain->params);
    lode_json_end_object(j);
    lode_json_put_bool(j, "coinbase", coin->is_coinbase);
    lode_json_end_object(j);
}

lode_status lode_query_gettxout(lode_query_call *call)
{
    lode_coins *coins = call->chain->coins;
    uint8_t prevout[36];
    uint8_t scratch[67];
    lode_coin_view coin;
    lode_slice script;
    lode_reader r;
    int64_t index;
    bool found = false;

    if (!lode_query_take_hash(call, prevout, 0, "txid") || !lode_query_take_integer(call, &index, 1, 0, UINT32_MAX))
        return lode_ok();
    lode_write_le32(prevout + 32, (uint32_t)index);
    LODE_TRY(lode_coins_find(coins, &found, &coin, prevout, lode_coins_hash(coins, prevout), NULL));
    if (!found) {
        lode_query_answer_text(call, ""); /* bitcoin-cli prints nothing for null */
        return lode_ok();
    }
    r = lode_reader_of(coin.script.data, coin.script.len);
    lode_reader_script(&r, &script, scratch);
    if (!lode_reader_is_done(&r))
        return lode_fail(LODE_CORRUPT, "the stored script of output %lld does not decode", (long long)index);
    put_coin(call, &coin, script);
    return lode_ok();
}

static lode_status compute(lode_query_call *call, lode_utxo_stats *stats, const lode_entry **best, int hashes)
{
    lode_chain *chain = call->chain;

    LODE_TRY(lode_utxo_stats_compute(stats, chain->coins, hashes, chain->options.threads, &chain->interrupted));
    *best = stats->has_best_block ? lode_block_index_find(chain->index, &stats->best_block) : NULL;
    if (!*best)
        return lode_fail(LODE_CORRUPT, "the coins on disk stand at a block that the block index does not know");
    return lode_ok();
}

lode_status lode_query_gettxoutsetinfo(lode_query_call *call)
{
    const lode_argument *type = &call->arguments[0];
    const char *name = type->kind == LODE_JSON_NULL ? "hash_serialized_3" : type->text;
    lode_utxo_stats stats;
    const lode_entry *best;
    lode_json *j = &call->json;
    int hashes;

    if (strcmp(name, "hash_serialized_3") == 0)
        hashes = LODE_UTXO_HASH_SERIALIZED_3;
    else if (strcmp(name, "muhash") == 0)
        hashes = LODE_UTXO_MUHASH;
    else if (strcmp(name, "none") == 0)
        hashes = 0;
    else {
        lode_query_refuse(call, LODE_RPC_INVALID_PARAMETER, "'%s' is not a valid hash_type", name);
        return lode_ok();
    }
    if (lode_query_has(call, 1)) {
        lode_query_refuse(call, LODE_RPC_INVALID_PARAMETER, "Querying specific block heights requires coinstatsindex");
        return lode_ok();
    }
    LODE_TRY(compute(call, &stats, &best, hashes));
    lode_json_begin_object(j, NULL);
    lode_json_put_signed(j, "height", best->node.height);
    lode_json_put_hash(j, "bestblock", best->node.hash.bytes);
    lode_json_put_unsigned(j, "txouts", stats.txouts);
    lode_json_put_unsigned(j, "bogosize", stats.bogosize);
    if (hashes & LODE_UTXO_HASH_SERIALIZED_3)
        lode_json_put_hash(j, "hash_serialized_3", stats.hash_serialized_3);
    if (hashes & LODE_UTXO_MUHASH)
        lode_json_put_hash(j, "muhash", stats.muhash);
    lode_json_put_amount(j, "total_amount", stats.total);
    lode_json_put_unsigned(j, "transactions", stats.transactions);
    lode_json_put_unsigned(j, "disk_size", stats.disk_size);
    lode_json_end_object(j);
    return lode_ok();
}

/* Blocks that are wrong themselves; what stands on one is not named. */
static bool put_if_rejected(void *context, lode_entry *entry)
{
    const lode_entry *prev = lode_entry_prev(entry);
    if ((entry->status & LODE_BLOCK_FAILED_VALID) && !(prev && (prev->status & LODE_BLOCK_FAILED_VALID)))
        lode_json_put_hash(context, NULL, entry->node.hash.bytes);
    return true;
}

lode_status lode_query_stats(lode_query_call *call)
{
    lode_utxo_stats stats;
    const lode_entry *best;
    lode_json *j = &call->json;

    LODE_TRY(compute(call, &stats, &best, LODE_UTXO_HASH_SERIALIZED_3 | LODE_UTXO_MUHASH));
    lode_json_begin_object(j, NULL);
    lode_json_put_string(j, "chain", call->chain->params.name);
    lode_json_put_signed(j, "height", best->node.height);
    lode_json_put_hash(j, "bestblockhash", best->node.hash.bytes);
    lode_query_put_work(j, &best->node);
    lode_json_put_unsigned(j, "txouts", stats.txouts);
    lode_json_put_unsigned(j, "transactions", stats.transactions);
    lode_json_put_unsigned(j, "bogosize", stats.bogosize);
    lode_json_put_hash(j, "hash_serialized_3", stats.hash_serialized_3);
    lode_json_put_hash(j, "muhash", stats.muhash);
    lode_json_put_amount(j, "total_amount", stats.total);
    lode_json_put_unsigned(j, "disk_size", stats.disk_size);
    lode_json_begin_array(j, "rejected");
    lode_block_index_visit(call->chain->index, j, put_if_rejected);
    lode_json_end_array(j);
    lode_json_end_object(j);
    return lode_ok();
}
