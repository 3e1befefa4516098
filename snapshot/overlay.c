/* snapshot/overlay.c: a chain in memory over one that stays as it is.
 *
 * Room:     a copy of the chain's struct with coins, path and workers of its own.
 * Touches:  memory alone; reads what the chain below reads.
 * Threads:  the chain's.
 */
#include "snapshot/overlay.h"

#include <stdlib.h>

#include "support/check.h"

enum { LEAST_BYTES = 1 << 20 };

static size_t room_for_changes(const lode_chain *base)
{
    lode_coins_stats stats;
    size_t used;

    lode_coins_get_stats(base->coins, &stats);
    used = stats.active_bytes + stats.frozen_bytes;
    return base->options.cache_bytes > used + LEAST_BYTES ? base->options.cache_bytes - used : LEAST_BYTES;
}

static lode_status fill(lode_chain *c, lode_chain *base)
{
    size_t count = (size_t)base->tip->node.height + 1;

    LODE_TRY(lode_coins_open_overlay(&c->coins, base->coins, room_for_changes(base)));
    c->active = malloc(count * sizeof *c->active);
    if (!c->active)
        return lode_fail(LODE_NO_MEMORY, "no memory for a chain of %zu blocks", count);
    memcpy(c->active, base->active, count * sizeof *c->active);
    c->active_capacity = count;
    return lode_pool_create(&c->pool, (unsigned)base->options.threads, "lode-over");
}

lode_status lode_overlay_open(lode_chain **out, lode_chain *base)
{
    lode_chain *c = malloc(sizeof *c);
    lode_status s;

    *out = NULL;
    if (!c)
        return lode_fail(LODE_NO_MEMORY, "no memory for a view of the chain");
    LODE_CHECK(base->tip != NULL);
    *c = *base;
    c->options.read_only = true;
    c->options.params = &c->params;
    c->coins = NULL;
    c->pool = NULL;
    c->active = NULL;
    c->txindex = NULL;
    c->txindex_at = NULL;
    c->waiter = lode_waiter_create();
    s = c->waiter ? fill(c, base) : lode_fail(LODE_NO_MEMORY, "no memory for a view of the chain");
    if (lode_failed(s)) {
        lode_overlay_close(c);
        return s;
    }
    *out = c;
    return s;
}

void lode_overlay_close(lode_chain *c)
{
    if (!c)
        return;
    lode_pool_destroy(c->pool);
    lode_waiter_destroy(c->waiter);
    lode_ignore(lode_coins_close(c->coins)); /* nothing of it is on disk */
    free(c->active);
    free(c);
}

bool lode_overlay_is_full(const lode_chain *c)
{
    return lode_coins_wants_flush(c->coins);
}
