/* query/query_chain.c: the chain as a whole: its tip, its forks, its index.
 *
 * Room:     getblockchaininfo, getbestblockhash, getblockcount, getblockhash, getdifficulty, getchaintips,
 * getindexinfo. Touches:  the block index in memory.
 */
#include <stdlib.h>

#include "primitives/encode.h"
#include "query/call.h"

double lode_query_difficulty(uint32_t bits)
{
    int exponent = (int)(bits >> 24);
    double difficulty = (double)0xffff / (double)(bits & 0xffffff);

    for (; exponent < 29; exponent++)
        difficulty *= 256.0;
    for (; exponent > 29; exponent--)
        difficulty /= 256.0;
    return difficulty;
}

void lode_query_put_target(lode_json *j, uint32_t bits)
{
    bool negative, overflow;
    lode_u256 target = lode_u256_from_compact(bits, &negative, &overflow);
    char hex[65];

    lode_u256_to_hex(hex, &target);
    lode_json_put_string(j, "target", hex);
}

void lode_query_put_bits(lode_json *j, uint32_t bits)
{
    char text[9];

    for (int i = 0; i < 8; i++)
        text[i] = "0123456789abcdef"[bits >> (28 - 4 * i) & 15];
    text[8] = '\0';
    lode_json_put_string(j, "bits", text);
}

void lode_query_put_work(lode_json *j, const lode_node *node)
{
    char hex[65];

    lode_u256_to_hex(hex, &node->chain_work);
    lode_json_put_string(j, "chainwork", hex);
}

/* What Core's release knew of each network's transactions, for its estimate of progress. Source: chainparams.cpp. */
typedef struct tx_rate {
    int64_t time;
    uint64_t tx_count;
    double tx_per_second;
} tx_rate;

static tx_rate rate_of(const lode_chain_params *params)
{
    static const tx_rate rates[] = { [LODE_CHAIN_MAIN] = { 1772055173, 1315805869, 5.40111006496122 },
                                     [LODE_CHAIN_TEST] = { 1772051651, 536108416, 0.02691479016257117 },
                                     [LODE_CHAIN_TESTNET4] = { 1772013387, 14191421, 0.01848579579528412 },
                                     [LODE_CHAIN_SIGNET] = { 1772055248, 28676833, 0.06736623436338929 },
                                     [LODE_CHAIN_REGTEST] = { 0, 0, 0.001 } };
    static const uint8_t default_signet_magic[4] = { 0x0a, 0x03, 0xcf, 0x40 };

    if (params->is_signet && memcmp(params->magic, default_signet_magic, 4) != 0)
        return (tx_rate){ 0, 0, 0.0 };
    return rates[params->chain];
}

/* Source: Core's GuessVerificationProgress. */
static double guess_progress(const lode_chain *chain, const lode_entry *best_header)
{
    const lode_entry *tip = chain->tip;
    tx_rate rate = rate_of(&chain->params);
    int64_t now = lode_chain_now(chain);
    int64_t block_time = tip->node.header.time;
    double expected;

    if (tip->chain_tx_count == 0)
        return 0.0;
    if (best_header && llabs(now - block_time) <= 7200 && best_header->node.height >= tip->node.height)
        block_time = now - (best_header->node.height - tip->node.height) * chain->params.target_spacing;
    if (tip->chain_tx_count <= rate.tx_count)
        expected = (double)rate.tx_count + (double)(now - rate.time) * rate.tx_per_second;
    else
        expected = (double)tip->chain_tx_count + (double)(now - block_time) * rate.tx_per_second;
    double share = (double)tip->chain_tx_count / expected;
    return share < 1.0 ? share : 1.0;
}

static bool is_initial_download(const lode_chain *chain)
{
    const lode_node *tip = &chain->tip->node;

    return lode_u256_compare(&tip->chain_work, &chain->options.minimum_chain_work) < 0 ||
           (int64_t)tip->header.time < lode_chain_now(chain) - 24 * 60 * 60;
}

static uint64_t size_on_disk(lode_chain *chain)
{
    uint64_t sum = 0;

    for (int32_t i = 0; i <= lode_block_index_last_file(chain->index); i++) {
        const lode_block_file_info *info = lode_block_index_file(chain->index, i);
        if (info)
            sum += (uint64_t)info->size + info->undo_size;
    }
    return sum;
}

lode_status lode_query_getblockchaininfo(lode_query_call *call)
{
    lode_chain *chain = call->chain;
    const lode_node *tip = &chain->tip->node;
    const lode_entry *best_header = lode_block_index_best_header(chain->index);
    lode_json *j = &call->json;

    lode_json_begin_object(j, NULL);
    lode_json_put_string(j, "chain", chain->params.name);
    lode_json_put_signed(j, "blocks", tip->height);
    lode_json_put_signed(j, "headers", best_header ? best_header->node.height : -1);
    lode_json_put_hash(j, "bestblockhash", tip->hash.bytes);
    lode_query_put_bits(j, tip->header.bits);
    lode_query_put_target(j, tip->header.bits);
    lode_json_put_double(j, "difficulty", lode_query_difficulty(tip->header.bits));
    lode_json_put_unsigned(j, "time", tip->header.time);
    lode_json_put_unsigned(j, "mediantime", tip->median_time);
    lode_json_put_double(j, "verificationprogress", guess_progress(chain, best_header));
    lode_json_put_bool(j, "initialblockdownload", is_initial_download(chain));
    lode_query_put_work(j, tip);
    lode_json_put_unsigned(j, "size_on_disk", size_on_disk(chain));
    lode_json_put_bool(j, "pruned", false);
    if (chain->params.is_signet)
        lode_json_put_hex(j, "signet_challenge", chain->params.signet_challenge, chain->params.signet_challenge_len);
    lode_json_begin_array(j, "warnings");
    lode_json_end_array(j);
    lode_json_end_object(j);
    return lode_ok();
}

static void answer_hash(lode_query_call *call, const lode_block_hash *hash)
{
    char hex[65];

    lode_hash_to_hex(hex, hash->bytes);
    lode_query_answer_text(call, hex);
}

lode_status lode_query_getbestblockhash(lode_query_call *call)
{
    answer_hash(call, &call->chain->tip->node.hash);
    return lode_ok();
}

lode_status lode_query_getblockcount(lode_query_call *call)
{
    lode_json_put_signed(&call->json, NULL, call->chain->tip->node.height);
    return lode_ok();
}

lode_status lode_query_getblockhash(lode_query_call *call)
{
    int64_t height;
    const lode_entry *entry = NULL;

    if (!lode_query_take_integer(call, &height, 0, INT32_MIN, INT32_MAX))
        return lode_ok();
    if (height >= 0 && height <= call->chain->tip->node.height)
        entry = lode_chain_at(call->chain, (int32_t)height);
    if (entry)
        answer_hash(call, &entry->node.hash);
    else
        lode_query_refuse(call, LODE_RPC_INVALID_PARAMETER, "Block height out of range");
    return lode_ok();
}

lode_status lode_query_getdifficulty(lode_query_call *call)
{
    lode_json_put_double(&call->json, NULL, lode_query_difficulty(call->chain->tip->node.header.bits));
    return lode_ok();
}

/* Entries that end a branch: no child outside the active chain, and not in it. The active tip is one of its own. */
typedef struct tip_list {
    lode_chain *chain;
    lode_entry **entries;
    size_t count, capacity;
    bool failed;
} tip_list;

static void add_tip(tip_list *list, lode_entry *entry)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        lode_entry **bigger = realloc(list->entries, capacity * sizeof *bigger);
        if (!bigger) {
            list->failed = true;
            return;
        }
        list->entries = bigger;
        list->capacity = capacity;
    }
    list->entries[list->count++] = entry;
}

static bool visit_for_tips(void *context, lode_entry *entry)
{
    tip_list *list = context;

    if (entry == list->chain->tip || (!entry->first_child && !lode_chain_contains(list->chain, entry)))
        add_tip(list, entry);
    return !list->failed;
}

/* Highest first, as Core lists them; hashes settle what Core leaves to chance. */
static int compare_tips(const void *a, const void *b)
{
    const lode_node *x = &(*(lode_entry *const *)a)->node;
    const lode_node *y = &(*(lode_entry *const *)b)->node;

    if (x->height != y->height)
        return x->height > y->height ? -1 : 1;
    return memcmp(x->hash.bytes, y->hash.bytes, 32);
}

static const char *tip_status(const lode_chain *chain, const lode_entry *entry)
{
    if (lode_chain_contains(chain, entry))
        return "active";
    if (entry->status & (LODE_BLOCK_FAILED_VALID | LODE_BLOCK_FAILED_CHILD))
        return "invalid";
    if (entry->chain_tx_count == 0)
        return "headers-only";
    return (entry->status & LODE_BLOCK_VALID_MASK) >= LODE_BLOCK_VALID_SCRIPTS ? "valid-fork" : "valid-headers";
}

lode_status lode_query_getchaintips(lode_query_call *call)
{
    lode_chain *chain = call->chain;
    tip_list list = { .chain = chain };
    lode_json *j = &call->json;

    lode_block_index_visit(chain->index, &list, visit_for_tips);
    if (list.failed) {
        free(list.entries);
        return lode_fail(LODE_NO_MEMORY, "out of memory for the list of tips");
    }
    if (list.count)
        qsort(list.entries, list.count, sizeof *list.entries, compare_tips);
    lode_json_begin_array(j, NULL);
    for (size_t i = 0; i < list.count; i++) {
        lode_entry *entry = list.entries[i];
        const lode_node *fork = lode_node_fork(&entry->node, &chain->tip->node);
        lode_json_begin_object(j, NULL);
        lode_json_put_signed(j, "height", entry->node.height);
        lode_json_put_hash(j, "hash", entry->node.hash.bytes);
        lode_json_put_signed(j, "branchlen", entry->node.height - (fork ? fork->height : -1));
        lode_json_put_string(j, "status", tip_status(chain, entry));
        lode_json_end_object(j);
    }
    lode_json_end_array(j);
    free(list.entries);
    return lode_ok();
}

lode_status lode_query_index_tip(lode_chain *chain, lode_entry **entry)
{
    lode_buf locator = LODE_BUF_EMPTY;
    bool found = false;
    lode_block_hash first;
    lode_status s;

    *entry = NULL;
    if (!chain->txindex)
        return lode_ok();
    s = lode_txindex_best(chain->txindex, &found, &first, &locator);
    lode_buf_clear(&locator);
    if (!lode_failed(s) && found)
        *entry = lode_block_index_find(chain->index, &first);
    return s;
}

lode_status lode_query_getindexinfo(lode_query_call *call)
{
    const lode_argument *name = &call->arguments[0];
    bool is_wanted = name->kind == LODE_JSON_NULL || name->len == 0 || strcmp(name->text, "txindex") == 0;
    lode_entry *best;
    lode_json *j = &call->json;

    LODE_TRY(lode_query_index_tip(call->chain, &best));
    lode_json_begin_object(j, NULL);
    if (call->chain->txindex && is_wanted) {
        lode_json_begin_object(j, "txindex");
        lode_json_put_bool(j, "synced", best == call->chain->tip);
        lode_json_put_signed(j, "best_block_height", best ? best->node.height : 0);
        lode_json_end_object(j);
    }
    lode_json_end_object(j);
    return lode_ok();
}
