/* query/query_snapshot.c: the chain and its coins as a whole: verifychain, dumptxoutset.
 *
 * Touches:  the file that is asked for; otherwise nothing that lasts.
 */
#include <stdlib.h>

#include "query/call.h"
#include "snapshot/assumed.h"
#include "snapshot/coin_file.h"
#include "snapshot/verify_chain.h"

/* Core's DEFAULT_CHECKLEVEL and DEFAULT_CHECKBLOCKS. */
enum { DEFAULT_LEVEL = 3, DEFAULT_BLOCKS = 6 };

lode_status lode_query_verifychain(lode_query_call *call)
{
    lode_chain_verdict verdict;
    int64_t level = DEFAULT_LEVEL, blocks = DEFAULT_BLOCKS;

    if ((lode_query_has(call, 0) && !lode_query_take_integer(call, &level, 0, INT32_MIN, INT32_MAX)) ||
        (lode_query_has(call, 1) && !lode_query_take_integer(call, &blocks, 1, INT32_MIN, INT32_MAX)))
        return lode_ok();
    LODE_TRY(lode_chain_verify(&verdict, call->chain, (int)level, (int32_t)blocks));
    lode_log(call->chain->logger, verdict.answer == LODE_VERIFY_GOOD ? LODE_LOG_INFO : LODE_LOG_WARNING,
             "verifychain: %s", verdict.text);
    lode_json_put_bool(&call->json, NULL, verdict.answer == LODE_VERIFY_GOOD);
    return lode_ok();
}

/* ---- dumptxoutset ---- */

static lode_entry *find_height(lode_query_call *call, int64_t height)
{
    int32_t tip = call->chain->tip->node.height;

    if (height < 0)
        lode_query_refuse(call, LODE_RPC_INVALID_PARAMETER, "Target block height %lld is negative", (long long)height);
    else if (height > tip)
        lode_query_refuse(call, LODE_RPC_INVALID_PARAMETER, "Target block height %lld after current tip %d",
                          (long long)height, tip);
    return call->error_code ? NULL : lode_chain_at(call->chain, (int32_t)height);
}

static lode_entry *find_hash(lode_query_call *call, const char *hex)
{
    lode_block_hash hash;
    lode_entry *e;

    if (!lode_hash_from_hex(hash.bytes, hex)) {
        lode_query_refuse(call, LODE_RPC_INVALID_PARAMETER, "rollback must be a height or a block hash (not '%s')",
                          hex);
        return NULL;
    }
    e = lode_block_index_find(call->chain->index, &hash);
    if (!e)
        lode_query_refuse(call, LODE_RPC_INVALID_ADDRESS_OR_KEY, "Block not found");
    else if (!lode_chain_contains(call->chain, e))
        lode_query_refuse(call, LODE_RPC_INVALID_PARAMETER, "Block %s is not in the active chain", hex);
    return call->error_code ? NULL : e;
}

static lode_entry *find_target(lode_query_call *call, const char *text)
{
    lode_argument number;
    int64_t height;

    if (strlen(text) != 64 && lode_argument_parse(&number, text) && number.kind == LODE_JSON_NUMBER) {
        if (lode_argument_to_integer(&height, &number, INT32_MIN, INT32_MAX))
            return find_height(call, height);
        lode_query_refuse(call, LODE_RPC_MISC_ERROR, "JSON integer out of range");
        return NULL;
    }
    return find_hash(call, text);
}

/* The member "rollback" as text, in `out`; false when there is none. */
static bool read_options(lode_query_call *call, lode_buf *out, const lode_argument *object)
{
    lode_argument_walk walk = lode_argument_walk_of(object);
    lode_argument key, value;
    lode_buf name = LODE_BUF_EMPTY;
    bool found = false;

    while (lode_argument_walk_next(&walk, &key, &value)) {
        bool is_rollback = lode_argument_unquote(&name, &key) && strcmp((char *)name.data, "rollback") == 0;
        if (is_rollback && value.kind == LODE_JSON_STRING) {
            found = lode_argument_unquote(out, &value);
        } else if (is_rollback) {
            lode_buf_reset(out);
            lode_buf_append(out, value.text, value.len);
            lode_buf_put_u8(out, 0);
            found = lode_buf_is_good(out);
        } else if (strcmp((char *)name.data, "in_memory") != 0) { /* it always is */
            lode_query_refuse(call, LODE_RPC_INVALID_PARAMETER, "Unknown named parameter %s", (char *)name.data);
        }
    }
    lode_buf_clear(&name);
    return found;
}

/* "rollback=X" of the last argument or in place of the type, or an object's; empty: not given. */
static void take_rollback(lode_query_call *call, lode_buf *out)
{
    static const char prefix[] = "rollback=";

    for (size_t i = 1; i <= 2; i++) {
        const char *text = call->arguments[i].text;
        lode_argument object;
        if (!lode_query_has(call, i))
            continue;
        if (strncmp(text, prefix, sizeof prefix - 1) == 0) {
            lode_buf_reset(out);
            lode_buf_append(out, text + sizeof prefix - 1, strlen(text) - sizeof prefix + 2);
        } else if (i == 2 && lode_argument_parse(&object, text) && object.kind == LODE_JSON_OBJECT) {
            read_options(call, out, &object);
        } else if (i == 2 && strncmp(text, "in_memory=", 10) != 0) {
            lode_query_refuse(call, LODE_RPC_INVALID_PARAMETER, "options: rollback=HEIGHT or rollback=HASH (not '%s')",
                              text);
        }
    }
}

static lode_entry *highest_assumed(lode_query_call *call)
{
    const lode_assumed *a, *last = NULL;

    for (size_t i = 0; (a = lode_assumed_at(call->chain->params.chain, i)); i++)
        last = a;
    return last ? find_height(call, last->height) : NULL;
}

static lode_entry *choose_target(lode_query_call *call, const lode_buf *rollback)
{
    const char *type = lode_query_has(call, 1) ? call->arguments[1].text : "";

    if (strncmp(type, "rollback=", 9) == 0)
        type = "rollback";
    if (rollback->len) {
        if (*type && strcmp(type, "rollback") != 0) {
            lode_query_refuse(call, LODE_RPC_INVALID_PARAMETER,
                              "Invalid snapshot type \"%s\" specified with rollback option", type);
            return NULL;
        }
        return find_target(call, (const char *)rollback->data);
    }
    if (strcmp(type, "rollback") == 0)
        return highest_assumed(call);
    if (strcmp(type, "latest") == 0)
        return call->chain->tip;
    lode_query_refuse(call, LODE_RPC_INVALID_PARAMETER,
                      "Invalid snapshot type \"%s\" specified. Please specify \"rollback\" or \"latest\"", type);
    return NULL;
}

static void put_dump(lode_json *j, const lode_dump_info *info, const char *path)
{
    lode_json_begin_object(j, NULL);
    lode_json_put_unsigned(j, "coins_written", info->coins);
    lode_json_put_hash(j, "base_hash", info->base->node.hash.bytes);
    lode_json_put_signed(j, "base_height", info->base->node.height);
    lode_json_put_string(j, "path", path);
    lode_json_put_hash(j, "txoutset_hash", info->hash_serialized_3);
    lode_json_put_unsigned(j, "nchaintx", info->base->chain_tx_count);
    lode_json_end_object(j);
}

lode_status lode_query_dumptxoutset(lode_query_call *call)
{
    lode_buf rollback = LODE_BUF_EMPTY;
    lode_dump_info info;
    lode_entry *target = NULL;
    char *path;
    lode_status s;

    take_rollback(call, &rollback);
    if (!call->error_code)
        target = choose_target(call, &rollback);
    lode_buf_clear(&rollback);
    if (!target)
        return lode_ok();
    path = lode_path_absolute(call->arguments[0].text);
    if (!path)
        return lode_fail(LODE_NO_MEMORY, "out of memory for a path");
    s = lode_coins_dump(&info, call->chain, target, path);
    if (s.code == LODE_EXISTS) {
        lode_query_refuse(call, LODE_RPC_INVALID_PARAMETER, "%s", s.text);
        s = lode_ok();
    } else if (!lode_failed(s)) {
        put_dump(&call->json, &info, path);
    }
    free(path);
    return s;
}
