/* api/transaction.c: scripts of one transaction, with the caller's coins or the chain's.
 *
 * Room:     verification, and remembering what was verified until its block comes.
 * Threads:  any.
 */
#include <stdlib.h>

#include "api/coins.h"
#include "api/handle.h"
#include "validate/rules/block.h"
#include "validate/script/flags.h"
#include "validate/script/sig_cache.h"

static const struct {
    uint32_t rule, flag;
} rule_flags[] = {
    { LODE_RULE_P2SH, LODE_VERIFY_P2SH },
    { LODE_RULE_DERSIG, LODE_VERIFY_DERSIG },
    { LODE_RULE_NULLDUMMY, LODE_VERIFY_NULLDUMMY },
    { LODE_RULE_CHECKLOCKTIMEVERIFY, LODE_VERIFY_CHECKLOCKTIMEVERIFY },
    { LODE_RULE_CHECKSEQUENCEVERIFY, LODE_VERIFY_CHECKSEQUENCEVERIFY },
    { LODE_RULE_WITNESS, LODE_VERIFY_WITNESS },
    { LODE_RULE_TAPROOT, LODE_VERIFY_TAPROOT },
    { LODE_RULE_STRICTENC, LODE_VERIFY_STRICTENC },
    { LODE_RULE_LOW_S, LODE_VERIFY_LOW_S },
    { LODE_RULE_SIGPUSHONLY, LODE_VERIFY_SIGPUSHONLY },
    { LODE_RULE_MINIMALDATA, LODE_VERIFY_MINIMALDATA },
    { LODE_RULE_DISCOURAGE_UPGRADABLE_NOPS, LODE_VERIFY_DISCOURAGE_UPGRADABLE_NOPS },
    { LODE_RULE_CLEANSTACK, LODE_VERIFY_CLEANSTACK },
    { LODE_RULE_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM, LODE_VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM },
    { LODE_RULE_MINIMALIF, LODE_VERIFY_MINIMALIF },
    { LODE_RULE_NULLFAIL, LODE_VERIFY_NULLFAIL },
    { LODE_RULE_WITNESS_PUBKEYTYPE, LODE_VERIFY_WITNESS_PUBKEYTYPE },
    { LODE_RULE_CONST_SCRIPTCODE, LODE_VERIFY_CONST_SCRIPTCODE },
    { LODE_RULE_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION, LODE_VERIFY_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION },
    { LODE_RULE_DISCOURAGE_OP_SUCCESS, LODE_VERIFY_DISCOURAGE_OP_SUCCESS },
    { LODE_RULE_DISCOURAGE_UPGRADABLE_PUBKEYTYPE, LODE_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE },
};

static bool flags_of(uint32_t *flags, uint32_t rules)
{
    *flags = 0;
    for (size_t i = 0; i < sizeof rule_flags / sizeof *rule_flags; i++) {
        if (rules & rule_flags[i].rule)
            *flags |= rule_flags[i].flag;
        rules &= ~rule_flags[i].rule;
    }
    if ((*flags & LODE_VERIFY_WITNESS) && !(*flags & LODE_VERIFY_P2SH))
        return false;
    if ((*flags & LODE_VERIFY_CLEANSTACK) && !(*flags & LODE_VERIFY_WITNESS))
        return false;
    return rules == 0;
}

/* ---- one transaction ---- */

typedef struct subject {
    lode_arena arena;
    lode_tx tx;
    lode_txout *spent;
} subject;

static lode_status parse(subject *s, const void *raw, size_t len)
{
    lode_parse_error error = { NULL, 0 };

    if (!lode_tx_parse(&s->tx, &s->arena, raw, len, 0, &error))
        return lode_fail(LODE_INVALID_ARGUMENT, "the bytes are no transaction: %s at %zu",
                         error.what ? error.what : "broken", error.offset);
    s->spent = lode_arena_take_array(&s->arena, s->tx.input_count, sizeof *s->spent);
    return s->spent ? lode_ok()
                    : lode_fail(LODE_NO_MEMORY, "no memory for a transaction of %u inputs", s->tx.input_count);
}

static lode_status take_spent(subject *s, const lode_spent_output *given, size_t count)
{
    if (count != s->tx.input_count)
        return lode_fail(LODE_INVALID_ARGUMENT, "%zu outputs for %u inputs", count, s->tx.input_count);
    for (size_t i = 0; i < count; i++) {
        if ((!given[i].script && given[i].script_len) || given[i].script_len > UINT32_MAX)
            return lode_fail(LODE_INVALID_ARGUMENT, "the script of output %zu is missing", i);
        s->spent[i] = (lode_txout){ { given[i].value_sat },
                                    given[i].script_len ? given[i].script : (const void *)"",
                                    (uint32_t)given[i].script_len };
    }
    return lode_ok();
}

static void judge(lode_script_result *result, const subject *t, uint32_t flags)
{
    lode_script_error error;
    lode_tx_hashes hashes;

    *result = (lode_script_result){ .size = sizeof *result };
    lode_tx_hashes_init(&hashes, &t->tx, t->spent, false);
    result->valid = lode_tx_check_scripts(&error, &result->input, &hashes, 0, t->tx.input_count, flags, NULL);
    if (!result->valid)
        memccpy(result->reason, lode_script_error_text(error), '\0', sizeof result->reason - 1);
}

lode_status lode_verify_transaction(lode_script_result *result, const void *raw, size_t len,
                                    const lode_spent_output *spent, size_t spent_count, uint32_t rules)
{
    subject t = { .arena = LODE_ARENA_EMPTY };
    lode_script_result full;
    uint32_t flags;
    lode_status s;

    LODE_NEEDS_SIZE(result);
    LODE_NEEDS(raw, "no transaction");
    LODE_NEEDS(spent || !spent_count, "no outputs");
    LODE_NEEDS(flags_of(&flags, rules), "rules that are unknown, or that ask for others which are not there");
    s = parse(&t, raw, len);
    if (!lode_failed(s))
        s = take_spent(&t, spent, spent_count);
    if (!lode_failed(s)) {
        judge(&full, &t, flags);
        LODE_PUT_RESULT(result, full);
    }
    lode_arena_clear(&t.arena);
    return s;
}

/* ---- before its block comes ---- */

static lode_sig_cache *warm_cache(lode *h)
{
    lode_sig_cache *cache;

    lode_mutex_lock(&h->warm_lock);
    cache = h->chain->warm;
    if (!cache && (cache = lode_sig_cache_create((size_t)h->signature_cache_bytes)))
        __atomic_store_n(&h->chain->warm, cache, __ATOMIC_RELEASE);
    lode_mutex_unlock(&h->warm_lock);
    return cache;
}

static lode_status look_up_one(subject *t, bool *found, lode_buf *value, uint32_t input, const lode_state *view)
{
    uint8_t scratch[67], *copy;
    lode_coin_info coin;
    lode_slice script;

    LODE_TRY(lode_state_find_coin(view, found, value, t->tx.inputs[input].prevout));
    if (!*found)
        return lode_ok();
    LODE_TRY(lode_coin_info_of(&coin, &script, scratch, lode_buf_slice(value)));
    copy = lode_arena_take(&t->arena, script.len + 1);
    if (!copy)
        return lode_fail(LODE_NO_MEMORY, "no memory for a script of %zu bytes", script.len);
    if (script.len)
        memcpy(copy, script.data, script.len);
    t->spent[input] = (lode_txout){ { coin.value_sat }, copy, (uint32_t)script.len };
    return lode_ok();
}

/* *found false: the coin of *input is not there. */
static lode_status look_up_spent(subject *t, bool *found, uint32_t *input, const lode_state *view)
{
    lode_buf value = LODE_BUF_EMPTY;
    lode_status s = lode_ok();

    *found = true;
    for (uint32_t i = 0; i < t->tx.input_count && *found && !lode_failed(s); i++) {
        *input = i;
        s = look_up_one(t, found, &value, i, view);
    }
    lode_buf_clear(&value);
    return s;
}

/* The rules of a block that stands on the view's tip. */
static uint32_t next_flags(const lode *h, const lode_state *view)
{
    lode_node next = { .header = { .time = view->tip->node.header.time } };

    lode_node_link(&next, &view->tip->node);
    return lode_block_script_flags(&next, &h->chain->params);
}

static lode_status warm(lode_script_result *full, lode *h, const subject *t, uint32_t flags)
{
    const lode_tx_hashes subject_alone = { .tx = &t->tx, .spent = t->spent }; /* hashes are made when they are needed */
    lode_sig_cache *cache = warm_cache(h);
    lode_sig_cache_key key;

    if (!cache)
        return lode_fail(LODE_NO_MEMORY, "no memory to remember transactions");
    lode_sig_cache_make_tx_key(&key, cache, &subject_alone, flags);
    *full = (lode_script_result){ .size = sizeof *full, .valid = 1 };
    if (lode_sig_cache_has(cache, &key, false))
        return lode_ok();
    judge(full, t, flags);
    if (!full->valid)
        return lode_ok();
    lode_sig_cache_add(cache, &key);
    __atomic_add_fetch(&h->warm_count, 1, __ATOMIC_RELAXED);
    return lode_ok();
}

lode_status lode_warm_transaction(lode *h, lode_script_result *result, const void *raw, size_t len,
                                  const lode_spent_output *spent, size_t spent_count)
{
    subject t = { .arena = LODE_ARENA_EMPTY };
    lode_script_result full = { .size = sizeof full };
    bool found = true;
    lode_state *view;
    lode_status s;

    LODE_NEEDS_SIZE(result);
    LODE_NEEDS(raw, "no transaction");
    LODE_NEEDS(spent || !spent_count, "no outputs");
    LODE_TRY(lode_handle_view(&view, h, __func__));
    s = parse(&t, raw, len);
    if (!lode_failed(s))
        s = spent ? take_spent(&t, spent, spent_count) : look_up_spent(&t, &found, &full.input, view);
    if (!lode_failed(s) && !found)
        memcpy(full.reason, "bad-txns-inputs-missingorspent", sizeof "bad-txns-inputs-missingorspent");
    else if (!lode_failed(s))
        s = warm(&full, h, &t, next_flags(h, view));
    if (!lode_failed(s))
        LODE_PUT_RESULT(result, full);
    lode_state_release(view);
    lode_arena_clear(&t.arena);
    return lode_handle_tell(h, s);
}
