/* chainstate/coins_overlay.c: a view of the coin set whose changes stay in memory.
 *
 * Room:     a generation of its own over another coin set's store: every read that memory cannot answer goes there.
 * Touches:  the store for reading; memory.
 * Threads:  as any coin set; the one below must not change meanwhile.
 * Promise:  nothing is ever written: flushing is refused, as for what was opened to be read only.
 */
#include <stdlib.h>

#include "chainstate/coins_internal.h"

static lode_status take_memory(lode_coins *c, const lode_coins *base)
{
    c->path = strdup(base->path);
    c->script = malloc(LODE_COINS_SCRATCH);
    c->stored = malloc(LODE_COINS_SCRATCH);
    lode_coins_pool_init(&c->pool, c->budget);
    c->active = lode_coins_generation_create(&c->pool, c->salt, 1, c->budget);
    if (!c->path || !c->script || !c->stored || !c->active)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a view of the coins", base->path);
    return lode_ok();
}

lode_status lode_coins_open_overlay(lode_coins **out, lode_coins *base, size_t cache_bytes)
{
    lode_coins *c;
    lode_status s;

    *out = NULL;
    if (lode_coins_is_dirty(base))
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: coins that are not on disk yet cannot be looked over", base->path);
    c = calloc(1, sizeof *c);
    if (!c)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a view of the coins", base->path);
    c->env = base->env;
    c->logger = base->logger;
    c->read_only = true;
    c->is_overlay = true;
    c->threads = base->threads;
    c->cache_bytes = cache_bytes;
    c->budget = lode_coins_budget(cache_bytes);
    memcpy(c->salt, base->salt, sizeof c->salt);
    memcpy(c->obfuscation, base->obfuscation, sizeof c->obfuscation);
    c->store = base->store;
    c->database_has_coins = base->database_has_coins;
    c->has_best = base->has_best;
    c->best = base->best;
    lode_coins_init_locks(c);
    s = take_memory(c, base);
    if (lode_failed(s)) {
        lode_ignore(lode_coins_close(c)); /* the first error is the one to tell */
        return s;
    }
    *out = c;
    return s;
}
