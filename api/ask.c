/* api/ask.c: transactions by id, counts of the whole set, and bitcoin-cli's questions. */
#include <stdlib.h>
#include <string.h>

#include "api/handle.h"
#include "chainstate/utxo_stats.h"
#include "query/find_tx.h"
#include "query/query.h"

lode_status lode_get_transaction(lode *h, int *found, uint8_t **raw, size_t *len, uint8_t block_hash[32], const uint8_t txid[32])
{
    lode_buf bytes = LODE_BUF_EMPTY;
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_block_hash block;
    lode_state *view;
    lode_txid id;
    lode_tx tx;
    bool is_there = false;
    lode_status s;

    LODE_NEEDS(found && raw && len && txid, "an argument is NULL");
    LODE_TRY(lode_handle_view(&view, h, __func__));
    memcpy(id.bytes, txid, 32);
    s = h->chain->txindex_declined;
    if (!lode_failed(s))
        s = h->chain->txindex ? lode_find_indexed_tx(h->chain, &is_there, &tx, &bytes, &arena, &block, &id)
                              : lode_fail(LODE_UNSUPPORTED, "there is no transaction index; import with -txindex");
    if (!lode_failed(s) && is_there)
        s = lode_handle_give(raw, len, lode_slice_of(tx.raw, tx.size));
    if (!lode_failed(s) && is_there && block_hash)
        memcpy(block_hash, block.bytes, 32);
    lode_state_release(view);
    lode_arena_clear(&arena);
    lode_buf_clear(&bytes);
    if (!lode_failed(s))
        *found = is_there;
    return lode_handle_tell(h, s);
}

lode_status lode_get_set_info(lode *h, lode_set_info *info, int hash)
{
    lode_utxo_stats stats;
    lode_set_info full;
    lode_status s;
    int hashes = (hash & LODE_HASH_SERIALIZED_3 ? LODE_UTXO_HASH_SERIALIZED_3 : 0) | (hash & LODE_HASH_MUHASH ? LODE_UTXO_MUHASH : 0);

    LODE_NEEDS(!(hash & ~(LODE_HASH_SERIALIZED_3 | LODE_HASH_MUHASH)), "unknown hash");
    LODE_NEEDS_SIZE(info);
    LODE_TRY(lode_handle_lock_for_answer(h, info, __func__));
    s = h->read_only ? lode_ok() : lode_handle_flush(h);
    if (!lode_failed(s))
        s = lode_utxo_stats_compute(&stats, h->chain->coins, hashes, h->chain->options.threads, &h->chain->interrupted);
    if (!lode_failed(s)) {
        full = (lode_set_info){ .size = sizeof full, .height = h->chain->tip->node.height, .txouts = stats.txouts,
                                 .transactions = stats.transactions, .bogosize = stats.bogosize, .total_sat = stats.total.sat };
        memcpy(full.best_block, h->chain->tip->node.hash.bytes, 32);
        memcpy(full.hash_serialized_3, stats.hash_serialized_3, 32);
        memcpy(full.muhash, stats.muhash, 32);
        LODE_PUT_RESULT(info, full);
    }
    return lode_handle_end_answer(h, s);
}

lode_status lode_query(lode *h, const char *command, const char *const *arguments, size_t count, char **answer, int *is_text,
                       int *error_code, char **error_text)
{
    LODE_NEEDS(command && answer && is_text && error_code && error_text, "an argument is NULL");
    LODE_NEEDS(!count || arguments, "arguments are missing");
    for (size_t i = 0; i < count; i++)
        LODE_NEEDS(arguments[i], "an argument of the command is NULL");
    *answer = NULL;
    *is_text = 0;
    *error_code = 0;
    *error_text = NULL;
    LODE_TRY(lode_handle_lock_for_walk(h, answer, __func__));
    return lode_handle_end_answer(h, lode_query_chain(h->chain, command, arguments, count, answer, is_text, error_code, error_text));
}

const char *lode_query_name(size_t i)
{
    return lode_query_command_name(i);
}

const char *lode_query_help(const char *command)
{
    return command ? lode_query_command_help(command) : NULL;
}
