/* api/open.c: options in, an open data directory out.
 *
 * Room:     translates lode.h's options into the chain's; everything a caller can get wrong is answered here.
 * Threads:  open and close: one. interrupt: any, signal handlers too.
 */
#include <stdlib.h>
#include <string.h>

#include "api/handle.h"
#include "chainstate/remedy.h"
#include "support/check.h"
#include "validate/rules/u256.h"
#include "validate/script/sigcheck.h"

enum { THREADS_MAX = 256 };

#define TEXT(x) #x
#define VERSION(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

const char *lode_version(void)
{
    return VERSION(LODE_VERSION_MAJOR, LODE_VERSION_MINOR, LODE_VERSION_PATCH);
}

void lode_free(void *memory)
{
    free(memory);
}

lode_status lode_handle_give(uint8_t **out, size_t *len, lode_slice bytes)
{
    uint8_t *copy = malloc(bytes.len ? bytes.len : 1);

    if (!copy)
        return lode_fail(LODE_NO_MEMORY, "no memory for %zu bytes", bytes.len);
    if (bytes.len)
        memcpy(copy, bytes.data, bytes.len);
    *out = copy;
    *len = bytes.len;
    return lode_ok();
}

void lode_options_init(lode_options *options)
{
    if (!options)
        return;
    memset(options, 0, sizeof *options);
    options->size = sizeof *options;
    options->create_if_missing = 1;
    options->dbcache_bytes = UINT64_C(450) << 20;
    options->check_scripts = 1;
    options->log_level = LODE_LOG_INFO;
    options->signature_cache_bytes = UINT64_C(32) << 20;
}

typedef struct log_bridge {
    void (*log)(void *context, int level, const char *line);
    void *context;
} log_bridge;

static lode_status set_chain_options(lode_chain_params *params, const lode_options *o)
{
    LODE_NEEDS(!o->chain_option_count || o->chain_options, "chain options are missing");
    for (size_t i = 0; i < o->chain_option_count; i++) {
        const char *text = o->chain_options[i], *equals;
        char name[64];
        size_t len;

        LODE_NEEDS(text, "a chain option is NULL");
        equals = strchr(text, '=');
        len = equals ? (size_t)(equals - text) : strlen(text);
        if (len >= sizeof name)
            return lode_fail(LODE_INVALID_ARGUMENT, "-%s: no such option", text);
        memcpy(name, text, len);
        name[len] = '\0';
        lode_status s = lode_chain_params_set(params, name, equals ? equals + 1 : "");
        if (s.code == LODE_UNSUPPORTED)
            return lode_fail(LODE_INVALID_ARGUMENT, "-%s: no option of a chain", name);
        LODE_TRY(s);
    }
    return lode_ok();
}

static lode_status set_assume_valid(lode_chain_options *c, const lode_options *o)
{
    const char *hex = o->assume_valid;
    c->has_assume_valid = false;
    if (!hex || strcmp(hex, "0") == 0 || !*hex)
        return lode_ok();
    if (!lode_hash_from_hex(c->assume_valid.bytes, hex))
        return lode_fail(LODE_INVALID_ARGUMENT, "-assumevalid=%s: a block hash is 64 hexadecimal digits", hex);
    c->has_assume_valid = !lode_bytes32_is_zero(c->assume_valid.bytes);
    return lode_ok();
}

static void log_line(void *context, lode_log_level level, const char *line)
{
    log_bridge *bridge = context;
    bridge->log(bridge->context, (int)level, line);
}

static lode_status set_logger(lode *h, const lode_options *o)
{
    log_bridge *bridge;
    if (!o->log)
        return lode_ok();
    bridge = malloc(sizeof *bridge);
    if (!bridge)
        return lode_fail(LODE_NO_MEMORY, "no memory for a logger");
    *bridge = (log_bridge){ o->log, o->log_context };
    h->logger = (lode_logger){ log_line, bridge, (lode_log_level)o->log_level };
    return lode_ok();
}

static lode_status fill_chain_options(lode_chain_options *c, lode_chain_params *params, const lode *h, const lode_options *o)
{
    lode_network network;

    if (!lode_chain_from_name(&network, o->chain ? o->chain : "main"))
        return lode_fail(LODE_INVALID_ARGUMENT, "-chain=%s: the chains are main, test, testnet4, signet and regtest", o->chain);
    lode_chain_params_init(params, network);
    LODE_TRY(set_chain_options(params, o));
    *c = (lode_chain_options){
        .datadir = o->datadir,
        .blocksdir = o->blocksdir,
        .blocks_from = o->blocks_from,
        .params = params,
        .env = o->env ? o->env : lode_env_system(),
        .logger = &h->logger,
        .read_only = o->read_only,
        .create_if_missing = o->create_if_missing,
        .reindex = o->reindex,
        .reindex_chainstate = o->reindex_chainstate,
        .random_xor_key = o->random_xor_key,
        .txindex = o->txindex,
        .check_scripts = o->check_scripts,
        .minimum_chain_work = params->minimum_chain_work,
        .threads = o->threads > 0 ? o->threads : (int)lode_cpu_count(),
        .cache_bytes = (size_t)o->dbcache_bytes,
        .clock = o->clock,
        .clock_context = o->clock_context,
    };
    if (c->threads > THREADS_MAX)
        c->threads = THREADS_MAX;
    if (c->cache_bytes < LODE_HANDLE_CACHE_LEAST)
        c->cache_bytes = LODE_HANDLE_CACHE_LEAST;
    if (o->minimum_chain_work && !lode_u256_from_hex(&c->minimum_chain_work, o->minimum_chain_work))
        return lode_fail(LODE_INVALID_ARGUMENT, "-minimumchainwork=%s: up to 64 hexadecimal digits", o->minimum_chain_work);
    return set_assume_valid(c, o);
}

static void destroy(lode *h)
{
    lode_background_clear(&h->background);
    lode_mutex_clear(&h->warm_lock);
    lode_mutex_clear(&h->lock);
    free(h->logger.context);
    free(h);
}

static lode_status close_handle(lode *h, bool cancel)
{
    lode_status s = lode_ok(), closed;

    LODE_NEEDS(!lode_mutex_is_held(&h->lock) && !lode_background_is_own_thread(h), "called from a callback of the handle");
    LODE_NEEDS(!__atomic_load_n(&h->walks, __ATOMIC_ACQUIRE), "a walk over coins or headers is open");
    lode_background_end(h, cancel);
    lode_mutex_lock(&h->lock);
    if (!h->read_only && h->chain->tip && !h->chain->in_doubt)
        s = lode_handle_tell(h, lode_chain_flush(h->chain, true));
    h->chain->on_block = NULL;
    lode_publisher_clear(&h->publisher);
    lode_sig_cache *warm = h->chain->warm;
    closed = lode_chain_close(h->chain);
    lode_sig_cache_destroy(warm);
    lode_mutex_unlock(&h->lock);
    destroy(h);
    return lode_failed(s) ? s : closed;
}

lode_status lode_open(lode **out, const lode_options *given)
{
    lode_options o;
    lode_chain_options c;
    lode_chain_params params;
    lode_status s;
    lode *h;

    LODE_NEEDS(out, "nowhere to put the handle");
    *out = NULL;
    LODE_NEEDS(given && given->size >= sizeof given->size, "options are not initialised: call lode_options_init");
    lode_options_init(&o);
    lode_take_options(&o, given, sizeof o);
    LODE_NEEDS(o.datadir && *o.datadir, "no data directory (-datadir=)");
    LODE_NEEDS(!(o.read_only && (o.reindex || o.reindex_chainstate)), "a reader cannot reindex");
    h = calloc(1, sizeof *h);
    if (!h)
        return lode_fail(LODE_NO_MEMORY, "no memory for a handle");
    lode_mutex_init(&h->lock);
    lode_mutex_init(&h->warm_lock);
    lode_background_init(&h->background);
    h->on_event = o.on_event;
    h->event_context = o.event_context;
    h->signature_cache_bytes = o.signature_cache_bytes;
    h->stop_at_height = o.stop_at_height > 0 ? o.stop_at_height : 0;
    h->read_only = o.read_only;
    s = set_logger(h, &o);
    if (!lode_failed(s))
        s = fill_chain_options(&c, &params, h, &o);
    if (!lode_failed(s))
        s = lode_chain_open(&h->chain, &c);
    if (lode_failed(s)) {
        destroy(h);
        return s;
    }
    h->cache_limit = h->chain->options.cache_bytes;
    lode_publisher_init(&h->publisher, h->chain);
    lode_mutex_lock(&h->lock);
    s = lode_handle_end(h, s); /* the first state is published */
    if (lode_failed(s)) {
        lode_ignore(close_handle(h, true)); /* the first failure is the one to tell */
        return s;
    }
    *out = h;
    return s;
}

lode_status lode_close(lode *h)
{
    return h ? close_handle(h, false) : lode_ok();
}

lode_status lode_close_cancel(lode *h)
{
    return h ? close_handle(h, true) : lode_ok();
}

void lode_interrupt(lode *h)
{
    if (h)
        __atomic_store_n(&h->chain->interrupted, 1, __ATOMIC_RELAXED);
}
