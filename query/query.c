/* query/query.c: finds the command, holds its arguments against its rules, runs it.
 *
 * Room:     the table of commands. Refusals come in Core's words and with Core's codes.
 * Touches:  nothing but the call.
 */
#include "query/query.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "query/call.h"
#include "query/help.h"

typedef struct command {
    const char *name;
    lode_status (*run)(lode_query_call *call);
    bool takes_words; /* any number of arguments, at least one */
    lode_argument_rule rules[LODE_QUERY_ARGUMENTS_MAX];
} command;

#define REQUIRED true
#define OPTIONAL false
#define JSON true
#define BARE false

static const command commands[] = {
    { "dumptxoutset",
      lode_query_dumptxoutset,
      false,
      { { "path", LODE_JSON_STRING, REQUIRED, BARE, false },
        { "type", LODE_JSON_STRING, OPTIONAL, BARE, false },
        { "options", LODE_JSON_OBJECT, OPTIONAL, BARE, true } } },
    { "getbestblockhash", lode_query_getbestblockhash, false, { { 0 } } },
    { "getblock",
      lode_query_getblock,
      false,
      { { "blockhash", LODE_JSON_STRING, REQUIRED, BARE, false },
        { "verbosity|verbose", LODE_JSON_NUMBER, OPTIONAL, JSON, true } } },
    { "getblockchaininfo", lode_query_getblockchaininfo, false, { { 0 } } },
    { "getblockcount", lode_query_getblockcount, false, { { 0 } } },
    { "getblockhash", lode_query_getblockhash, false, { { "height", LODE_JSON_NUMBER, REQUIRED, JSON, false } } },
    { "getblockheader",
      lode_query_getblockheader,
      false,
      { { "blockhash", LODE_JSON_STRING, REQUIRED, BARE, false },
        { "verbose", LODE_JSON_BOOL, OPTIONAL, JSON, false } } },
    { "getchaintips", lode_query_getchaintips, false, { { 0 } } },
    { "getdifficulty", lode_query_getdifficulty, false, { { 0 } } },
    { "getindexinfo", lode_query_getindexinfo, false, { { "index_name", LODE_JSON_STRING, OPTIONAL, BARE, false } } },
    { "getrawtransaction",
      lode_query_getrawtransaction,
      false,
      { { "txid", LODE_JSON_STRING, REQUIRED, BARE, false },
        { "verbosity|verbose", LODE_JSON_NUMBER, OPTIONAL, JSON, true },
        { "blockhash", LODE_JSON_STRING, OPTIONAL, BARE, false } } },
    { "gettxout",
      lode_query_gettxout,
      false,
      { { "txid", LODE_JSON_STRING, REQUIRED, BARE, false },
        { "n", LODE_JSON_NUMBER, REQUIRED, JSON, false },
        { "include_mempool", LODE_JSON_BOOL, OPTIONAL, JSON, false } } },
    { "gettxoutsetinfo",
      lode_query_gettxoutsetinfo,
      false,
      { { "hash_type", LODE_JSON_STRING, OPTIONAL, BARE, false },
        { "hash_or_height", LODE_JSON_NUMBER, OPTIONAL, BARE, true },
        { "use_index", LODE_JSON_BOOL, OPTIONAL, JSON, false } } },
    { "locate", lode_query_locate, true, { { 0 } } },
    { "scantxoutset",
      lode_query_scantxoutset,
      false,
      { { "action", LODE_JSON_STRING, REQUIRED, BARE, false },
        { "scanobjects", LODE_JSON_ARRAY, OPTIONAL, JSON, false } } },
    { "stats", lode_query_stats, false, { { 0 } } },
    { "verifychain",
      lode_query_verifychain,
      false,
      { { "checklevel", LODE_JSON_NUMBER, OPTIONAL, JSON, false },
        { "nblocks", LODE_JSON_NUMBER, OPTIONAL, JSON, false } } },
};

static const command *find_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

const char *lode_query_command_name(size_t i)
{
    return i < sizeof commands / sizeof *commands ? commands[i].name : NULL;
}

const char *lode_query_command_help(const char *name)
{
    return find_command(name) ? lode_query_help_text(name) : NULL;
}

void lode_query_refuse(lode_query_call *call, int code, const char *format, ...)
{
    char text[4096];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    call->error_code = code;
    lode_buf_reset(&call->error);
    lode_buf_append(&call->error, text, strlen(text));
}

void lode_query_answer_text(lode_query_call *call, const char *text)
{
    call->is_text = true;
    lode_buf_append(&call->answer, text, strlen(text));
}

void lode_query_answer_hex(lode_query_call *call, const uint8_t *data, size_t len)
{
    call->is_text = true;
    lode_buf_put_hex(&call->answer, data, len);
}

bool lode_query_take_hash(lode_query_call *call, uint8_t bytes[32], size_t position, const char *name)
{
    const lode_argument *a = &call->arguments[position];
    size_t len = strlen(a->text);

    if (lode_hash_from_hex(bytes, a->text))
        return true;
    if (len != 64)
        lode_query_refuse(call, LODE_RPC_INVALID_PARAMETER, "%s must be of length 64 (not %zu, for '%s')", name, len,
                          a->text);
    else
        lode_query_refuse(call, LODE_RPC_INVALID_PARAMETER, "%s must be hexadecimal string (not '%s')", name, a->text);
    return false;
}

bool lode_query_take_integer(lode_query_call *call, int64_t *value, size_t position, int64_t low, int64_t high)
{
    const lode_argument *a = &call->arguments[position];

    if (a->kind != LODE_JSON_NUMBER) {
        lode_query_refuse(call, LODE_RPC_TYPE_ERROR, "JSON value of type %s is not of expected type number",
                          lode_json_kind_name(a->kind));
        return false;
    }
    if (!lode_argument_to_integer(value, a, low, high)) {
        lode_query_refuse(call, LODE_RPC_MISC_ERROR, "JSON integer out of range");
        return false;
    }
    return true;
}

bool lode_query_take_verbosity(lode_query_call *call, int *verbosity, size_t position, int fallback)
{
    const lode_argument *a = &call->arguments[position];
    int64_t value = fallback;

    if (a->kind == LODE_JSON_BOOL)
        value = a->truth;
    else if (a->kind != LODE_JSON_NULL && !lode_query_take_integer(call, &value, position, INT32_MIN, INT32_MAX))
        return false;
    *verbosity = (int)value;
    return true;
}

static size_t count_rules(const command *c, size_t *required)
{
    size_t n = 0;

    *required = 0;
    for (; n < LODE_QUERY_ARGUMENTS_MAX && c->rules[n].name; n++)
        if (c->rules[n].is_required)
            *required = n + 1;
    return n;
}

/* Kinds that do not fit are reported together, position by position. */
static void check_kinds(lode_query_call *call, const command *c, const lode_argument *arguments, size_t rule_count)
{
    lode_buf list = LODE_BUF_EMPTY;

    for (size_t i = 0; i < rule_count; i++) {
        const lode_argument_rule *rule = &c->rules[i];
        const lode_argument *a = &arguments[i];
        if (rule->any_kind || a->kind == rule->kind || (!rule->is_required && a->kind == LODE_JSON_NULL))
            continue;
        lode_buf_printf(&list, "%s    \"Position %zu (%s)\": \"JSON value of type %s is not of expected type %s\"",
                        list.len ? ",\n" : "", i + 1, rule->name, lode_json_kind_name(a->kind),
                        lode_json_kind_name(rule->kind));
    }
    if (list.len)
        lode_query_refuse(call, LODE_RPC_TYPE_ERROR, "Wrong type passed:\n{\n%.*s\n}", (int)list.len,
                          (const char *)list.data);
    lode_buf_clear(&list);
}

/* Fills `arguments`; a refusal is in the call. */
static void read_arguments(lode_query_call *call, lode_argument *arguments, const command *c, const char *const *given,
                           size_t count)
{
    size_t required;
    size_t rule_count = count_rules(c, &required);

    if (c->takes_words) {
        call->words = given;
        call->word_count = count;
        if (count == 0)
            lode_query_refuse(call, LODE_RPC_MISC_ERROR, "%s", lode_query_help_text(c->name));
        return;
    }
    for (size_t i = 0; i < count && i < rule_count; i++) {
        arguments[i] = (lode_argument){ LODE_JSON_STRING, false, given[i], strlen(given[i]) };
        if (c->rules[i].is_json && !lode_argument_parse(&arguments[i], given[i])) {
            lode_query_refuse(call, LODE_RPC_PARSE_ERROR, "Error parsing JSON: %s", given[i]);
            return;
        }
    }
    if (count < required || count > rule_count) {
        lode_query_refuse(call, LODE_RPC_MISC_ERROR, "%s", lode_query_help_text(c->name));
        return;
    }
    check_kinds(call, c, arguments, rule_count);
}

/* The buffer's bytes as a NUL-terminated text, given; the buffer is empty afterwards. NULL when memory was out. */
static char *take_text(lode_buf *b)
{
    char *text;

    lode_buf_put_u8(b, 0);
    if (!lode_buf_is_good(b))
        return NULL;
    text = (char *)b->data;
    *b = (lode_buf)LODE_BUF_EMPTY;
    return text;
}

static lode_status run_command(lode_query_call *call, const char *name, const char *const *given, size_t count)
{
    static const lode_argument none = { LODE_JSON_NULL, false, "", 0 };
    lode_argument arguments[LODE_QUERY_ARGUMENTS_MAX] = { none, none, none, none };
    const command *c = find_command(name);

    if (!c) {
        lode_query_refuse(call, LODE_RPC_METHOD_NOT_FOUND, "Method not found");
        return lode_ok();
    }
    if (!call->chain->tip)
        return lode_fail(LODE_MISSING, "this directory holds no blocks yet");
    call->arguments = arguments;
    read_arguments(call, arguments, c, given, count);
    return call->error_code ? lode_ok() : c->run(call);
}

lode_status lode_query_chain(lode_chain *chain, const char *command_name, const char *const *arguments,
                             size_t argument_count, char **answer, int *is_text, int *error_code, char **error_text)
{
    lode_query_call call = { .chain = chain };
    lode_status s;

    *answer = NULL;
    *error_text = NULL;
    *error_code = 0;
    *is_text = 0;
    lode_json_init(&call.json, &call.answer);
    s = run_command(&call, command_name, arguments, argument_count);
    if (!lode_failed(s)) {
        char *text = take_text(call.error_code ? &call.error : &call.answer);
        if (!text)
            s = lode_fail(LODE_NO_MEMORY, "out of memory for the answer to %s", command_name);
        else if (call.error_code)
            *error_text = text;
        else
            *answer = text;
        *error_code = call.error_code;
        *is_text = call.is_text;
    }
    lode_buf_clear(&call.answer);
    lode_buf_clear(&call.error);
    return s;
}
