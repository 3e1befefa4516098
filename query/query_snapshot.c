/* query/query_snapshot.c: the chain and its coins as a whole: verifychain.
 *
 * Touches:  nothing that lasts.
 */
#include "query/call.h"
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
