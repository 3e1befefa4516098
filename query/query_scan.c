/* query/query_scan.c: scantxoutset: which unspent outputs pay to given scripts?
 *
 * Room:     scripts are compared as they are stored, so that no coin is unpacked that is not wanted.
 * Touches:  the coins on disk, reading.
 */
#include <stdlib.h>

#include "query/call.h"
#include "query/descriptor_parse.h"
#include "support/check.h"

enum { TELL_EVERY = 8192 };

typedef struct needle {
    lode_buf stored; /* the script as coins keep it */
    lode_buf script;
    lode_buf text; /* its descriptor */
    uint64_t hash;
} needle;

typedef struct hit {
    uint8_t prevout[36];
    uint32_t height;
    bool is_coinbase;
    lode_amount value;
    size_t needle;
} hit;

typedef struct scan {
    lode_query_call *call;
    needle *needles;
    size_t needle_count, needle_capacity;
    uint32_t *table;   /* 1 + number of a needle, by hash; 0: none */
    size_t table_size; /* a power of two */
    hit *hits;
    size_t hit_count, hit_capacity;
    uint64_t seen;
} scan;

/* ---- what is looked for ---- */

static uint64_t hash_script(lode_slice stored)
{
    return lode_siphash(0x6c6f6465, 0x7363616e, stored.data, stored.len);
}

static bool grow(void **array, size_t *capacity, size_t count, size_t size)
{
    size_t more = *capacity ? *capacity * 2 : 64;
    void *bigger;

    if (count < *capacity)
        return true;
    bigger = realloc(*array, more * size);
    if (!bigger)
        return false;
    *array = bigger;
    *capacity = more;
    return true;
}

/* Takes script and text out of the item. */
static bool add_needle(scan *s, lode_buf *script, lode_buf *text)
{
    needle *n;

    if (!grow((void **)&s->needles, &s->needle_capacity, s->needle_count, sizeof *s->needles))
        return false;
    n = &s->needles[s->needle_count++];
    *n = (needle){ .stored = LODE_BUF_EMPTY, .script = *script, .text = *text };
    *script = *text = (lode_buf)LODE_BUF_EMPTY;
    if (!lode_buf_reserve(&n->stored, n->script.len + 10))
        return false;
    n->stored.len = lode_script_compress(n->stored.data, n->script.data, n->script.len);
    n->hash = hash_script(lode_buf_slice(&n->stored));
    return true;
}

static lode_status add_descriptor(scan *s, const char *text)
{
    lode_descriptor_scripts scripts;
    char error[256];
    const char *refusal = lode_descriptor_parse(&scripts, error, text, &s->call->chain->params);
    bool good = true;

    if (refusal) {
        lode_query_refuse(s->call, LODE_RPC_INVALID_ADDRESS_OR_KEY, "%s", refusal);
        return lode_ok();
    }
    for (size_t i = 0; i < scripts.count; i++)
        good = good && add_needle(s, &scripts.items[i].script, &scripts.items[i].text);
    lode_descriptor_scripts_clear(&scripts);
    return good ? lode_ok() : lode_fail(LODE_NO_MEMORY, "out of memory for what is looked for");
}

static lode_status add_object(scan *s, const lode_argument *object, lode_buf *text)
{
    lode_argument_walk walk = lode_argument_walk_of(object);
    lode_argument name, value;
    bool found = false;

    while (lode_argument_walk_next(&walk, &name, &value)) {
        if (!lode_argument_unquote(text, &name) || strcmp((const char *)text->data, "desc") != 0)
            continue; /* a range means nothing where nothing is derived */
        if (value.kind != LODE_JSON_STRING) {
            lode_query_refuse(s->call, LODE_RPC_TYPE_ERROR, "JSON value of type %s is not of expected type string",
                              lode_json_kind_name(value.kind));
            return lode_ok();
        }
        found = true;
        if (!lode_argument_unquote(text, &value))
            return lode_fail(LODE_NO_MEMORY, "out of memory for a descriptor");
        LODE_TRY(add_descriptor(s, (const char *)text->data));
    }
    if (!found)
        lode_query_refuse(s->call, LODE_RPC_INVALID_PARAMETER, "Descriptor needs to be provided in scan object");
    return lode_ok();
}

static lode_status add_needles(scan *s, const lode_argument *array)
{
    lode_argument_walk walk = lode_argument_walk_of(array);
    lode_buf text = LODE_BUF_EMPTY;
    lode_argument value;
    lode_status status = lode_ok();

    while (!s->call->error_code && !lode_failed(status) && lode_argument_walk_next(&walk, NULL, &value)) {
        if (value.kind == LODE_JSON_OBJECT)
            status = add_object(s, &value, &text);
        else if (value.kind != LODE_JSON_STRING)
            lode_query_refuse(s->call, LODE_RPC_INVALID_PARAMETER,
                              "Scan object needs to be either a string or an object");
        else if (lode_argument_unquote(&text, &value))
            status = add_descriptor(s, (const char *)text.data);
        else
            lode_query_refuse(s->call, LODE_RPC_INVALID_ADDRESS_OR_KEY, "Invalid characters in payload");
    }
    lode_buf_clear(&text);
    return status;
}

/* The first of equal scripts stays, as its descriptor is the one that is told. */
static lode_status make_table(scan *s)
{
    size_t size = 64;

    while (size < s->needle_count * 4)
        size *= 2;
    s->table = calloc(size, sizeof *s->table);
    if (!s->table)
        return lode_fail(LODE_NO_MEMORY, "out of memory for what is looked for");
    s->table_size = size;
    for (size_t i = 0; i < s->needle_count; i++) {
        size_t at = s->needles[i].hash & (size - 1);
        while (s->table[at] && !lode_slice_is_equal(lode_buf_slice(&s->needles[s->table[at] - 1].stored),
                                                    lode_buf_slice(&s->needles[i].stored)))
            at = (at + 1) & (size - 1);
        if (!s->table[at])
            s->table[at] = (uint32_t)i + 1;
    }
    return lode_ok();
}

static const needle *find_needle(const scan *s, lode_slice stored)
{
    uint64_t hash = hash_script(stored);

    for (size_t at = hash & (s->table_size - 1); s->table[at]; at = (at + 1) & (s->table_size - 1)) {
        const needle *n = &s->needles[s->table[at] - 1];
        if (n->hash == hash && lode_slice_is_equal(lode_buf_slice(&n->stored), stored))
            return n;
    }
    return NULL;
}

/* ---- looking ---- */

static lode_status look_at(scan *s, const uint8_t prevout[36], const lode_coin_view *coin)
{
    const needle *n = find_needle(s, coin->script);
    hit *h;

    if (!n)
        return lode_ok();
    if (!grow((void **)&s->hits, &s->hit_capacity, s->hit_count, sizeof *s->hits))
        return lode_fail(LODE_NO_MEMORY, "out of memory for %zu outputs that were found", s->hit_count);
    h = &s->hits[s->hit_count++];
    memcpy(h->prevout, prevout, 36);
    h->height = coin->height;
    h->is_coinbase = coin->is_coinbase;
    h->value.sat = (int64_t)lode_amount_decompress(coin->compressed_amount);
    h->needle = (size_t)(n - s->needles);
    if (!lode_amount_is_money(h->value) || !lode_chain_at(s->call->chain, (int32_t)h->height))
        return lode_fail(LODE_CORRUPT, "a stored coin has an amount or a height that cannot be");
    return lode_ok();
}

static lode_status look(scan *s)
{
    lode_chain *chain = s->call->chain;
    lode_coins_cursor *cursor;
    lode_status status = lode_coins_cursor_open(&cursor, chain->coins, NULL);

    while (!lode_failed(status)) {
        uint8_t prevout[36];
        lode_coin_view coin;
        bool found = false;

        status = lode_coins_cursor_next(cursor, &found, prevout, &coin);
        if (lode_failed(status) || !found)
            break;
        status = look_at(s, prevout, &coin);
        if (++s->seen % TELL_EVERY != 0)
            continue;
        if (!lode_failed(status) && lode_chain_is_interrupted(chain))
            status = lode_fail(LODE_CANCELLED, "interrupted after %llu coins", (unsigned long long)s->seen);
        if (chain->on_progress)
            chain->on_progress(chain->progress_context, "scanning coins", (uint64_t)prevout[0] << 8 | prevout[1],
                               65536);
    }
    lode_coins_cursor_close(cursor);
    return status;
}

static int compare_hits(const void *a, const void *b)
{
    const hit *x = a, *y = b;
    uint32_t i = lode_read_le32(x->prevout + 32), j = lode_read_le32(y->prevout + 32);
    int c = memcmp(x->prevout, y->prevout, 32);
    return c ? c : i < j ? -1 : i > j;
}

/* ---- the answer ---- */

static void put_hit(lode_json *j, const scan *s, const hit *h)
{
    const lode_chain *chain = s->call->chain;
    const needle *n = &s->needles[h->needle];

    lode_json_begin_object(j, NULL);
    lode_json_put_hash(j, "txid", h->prevout);
    lode_json_put_unsigned(j, "vout", lode_read_le32(h->prevout + 32));
    lode_json_put_hex(j, "scriptPubKey", n->script.data, n->script.len);
    lode_json_put_string(j, "desc", (const char *)n->text.data);
    lode_json_put_amount(j, "amount", h->value);
    lode_json_put_bool(j, "coinbase", h->is_coinbase);
    lode_json_put_unsigned(j, "height", h->height);
    lode_json_put_hash(j, "blockhash", lode_chain_at(chain, (int32_t)h->height)->node.hash.bytes);
    lode_json_put_signed(j, "confirmations", (int64_t)chain->tip->node.height - h->height + 1);
    lode_json_end_object(j);
}

static lode_status put_answer(lode_json *j, scan *s)
{
    const lode_node *tip = &s->call->chain->tip->node;
    lode_amount total = { 0 };

    if (s->hit_count)
        qsort(s->hits, s->hit_count, sizeof *s->hits, compare_hits);
    lode_json_begin_object(j, NULL);
    lode_json_put_bool(j, "success", true);
    lode_json_put_unsigned(j, "txouts", s->seen);
    lode_json_put_signed(j, "height", tip->height);
    lode_json_put_hash(j, "bestblock", tip->hash.bytes);
    lode_json_begin_array(j, "unspents");
    for (size_t i = 0; i < s->hit_count; i++) {
        put_hit(j, s, &s->hits[i]);
        if (!lode_amount_add(&total, s->hits[i].value))
            return lode_fail(LODE_CORRUPT, "the coins found are worth more than can exist");
    }
    lode_json_end_array(j);
    lode_json_put_amount(j, "total_amount", total);
    lode_json_end_object(j);
    return lode_ok();
}

static void clear_scan(scan *s)
{
    for (size_t i = 0; i < s->needle_count; i++) {
        lode_buf_clear(&s->needles[i].stored);
        lode_buf_clear(&s->needles[i].script);
        lode_buf_clear(&s->needles[i].text);
    }
    free(s->needles);
    free(s->table);
    free(s->hits);
}

static lode_status start(lode_query_call *call)
{
    scan s = { .call = call };
    lode_status status = add_needles(&s, &call->arguments[1]);

    if (!lode_failed(status) && !call->error_code)
        status = make_table(&s);
    if (!lode_failed(status) && !call->error_code)
        status = look(&s);
    if (!lode_failed(status) && !call->error_code)
        status = put_answer(&call->json, &s);
    clear_scan(&s);
    return status;
}

lode_status lode_query_scantxoutset(lode_query_call *call)
{
    const char *action = call->arguments[0].text;

    if (strcmp(action, "status") == 0) {
        lode_query_answer_text(call, ""); /* bitcoin-cli prints nothing for null */
        return lode_ok();
    }
    if (strcmp(action, "abort") == 0) {
        lode_json_put_bool(&call->json, NULL, false);
        return lode_ok();
    }
    if (strcmp(action, "start") == 0 && lode_query_has(call, 1))
        return start(call);
    if (strcmp(action, "start") == 0)
        lode_query_refuse(call, LODE_RPC_MISC_ERROR, "scanobjects argument is required for the start action");
    else
        lode_query_refuse(call, LODE_RPC_INVALID_PARAMETER, "Invalid action '%s'", action);
    return lode_ok();
}
