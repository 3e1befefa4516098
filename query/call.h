/* query/call.h: one command being answered: what every command family uses. Within query/ only. */
#ifndef LODE_QUERY_CALL_H
#define LODE_QUERY_CALL_H

#include "chainstate/chain.h"
#include "query/arguments.h"
#include "query/json.h"

/* Core's RPC error codes that occur here. */
enum {
    LODE_RPC_MISC_ERROR = -1,
    LODE_RPC_TYPE_ERROR = -3,
    LODE_RPC_INVALID_ADDRESS_OR_KEY = -5,
    LODE_RPC_INVALID_PARAMETER = -8,
    LODE_RPC_METHOD_NOT_FOUND = -32601,
    LODE_RPC_INTERNAL_ERROR = -32603,
    LODE_RPC_PARSE_ERROR = -32700
};

enum { LODE_QUERY_ARGUMENTS_MAX = 4 };

typedef struct lode_query_call {
    lode_chain *chain;
    const lode_argument *arguments; /* LODE_QUERY_ARGUMENTS_MAX of them; null where none was given */
    const char *const *words;       /* of a command that takes any number: as they were given */
    size_t word_count;
    lode_json json; /* the answer */
    lode_buf answer;
    bool is_text;
    int error_code; /* 0: none */
    lode_buf error;
} lode_query_call;

/* Refuse as Core does: the command then ends with lode_ok(). */
void lode_query_refuse(lode_query_call *call, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Bare text as the answer. */
void lode_query_answer_text(lode_query_call *call, const char *text);
void lode_query_answer_hex(lode_query_call *call, const uint8_t *data, size_t len);

/* Arguments by position; false after lode_query_refuse. `name` is as Core's message has it. */
bool lode_query_take_hash(lode_query_call *call, uint8_t bytes[32], size_t position, const char *name);
bool lode_query_take_integer(lode_query_call *call, int64_t *value, size_t position, int64_t low, int64_t high);
bool lode_query_take_verbosity(lode_query_call *call, int *verbosity, size_t position, int fallback);
static inline bool lode_query_has(const lode_query_call *call, size_t position)
{
    return call->arguments[position].kind != LODE_JSON_NULL;
}

/* The commands, by family. */
lode_status lode_query_getblockchaininfo(lode_query_call *call);
lode_status lode_query_getbestblockhash(lode_query_call *call);
lode_status lode_query_getblockcount(lode_query_call *call);
lode_status lode_query_getblockhash(lode_query_call *call);
lode_status lode_query_getdifficulty(lode_query_call *call);
lode_status lode_query_getchaintips(lode_query_call *call);
lode_status lode_query_getindexinfo(lode_query_call *call);
lode_status lode_query_getblockheader(lode_query_call *call);
lode_status lode_query_getblock(lode_query_call *call);
lode_status lode_query_getrawtransaction(lode_query_call *call);
lode_status lode_query_locate(lode_query_call *call);
lode_status lode_query_gettxout(lode_query_call *call);
lode_status lode_query_gettxoutsetinfo(lode_query_call *call);
lode_status lode_query_dumptxoutset(lode_query_call *call);
lode_status lode_query_scantxoutset(lode_query_call *call);
lode_status lode_query_verifychain(lode_query_call *call);
lode_status lode_query_stats(lode_query_call *call);

/* Core's GetDifficulty. */
double lode_query_difficulty(uint32_t bits);
void lode_query_put_target(lode_json *j, uint32_t bits);
void lode_query_put_bits(lode_json *j, uint32_t bits);
void lode_query_put_work(lode_json *j, const lode_node *node);
/* Where the transaction index stands; *entry NULL when there is no index or it stands nowhere. */
lode_status lode_query_index_tip(lode_chain *chain, lode_entry **entry);

#endif
