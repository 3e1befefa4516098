/* api/writer.c: the writer's turn: what every call that changes the chain begins and ends with.
 *
 * Threads:  any; one at a time holds the lock.
 */
#include <stdlib.h>

#include "api/handle.h"
#include "chainstate/remedy.h"

lode_status lode_handle_broken(int why)
{
    if (why == LODE_HANDLE_HAS_LOADED)
        return lode_fail(LODE_UNSUPPORTED, "coins were loaded from a snapshot; close this handle, and open the directory for reading");
    return lode_fail(LODE_IO, "an earlier error stopped this handle; close it and open the directory again");
}

lode_status lode_handle_cut_off(void)
{
    return lode_fail(LODE_UNSUPPORTED, "a flush was cut off; run an import once to replay it");
}

lode_status lode_handle_check(const lode *h)
{
    int why = h->chain->in_doubt ? LODE_HANDLE_IN_DOUBT : __atomic_load_n(&h->is_broken, __ATOMIC_ACQUIRE);

    lode_mutex_assert_held((lode_mutex *)(uintptr_t)&h->lock);
    return why ? lode_handle_broken(why) : lode_ok();
}

lode_status lode_handle_tell(const lode *h, lode_status s)
{
    return lode_add_remedy(s, h->chain->directory);
}

lode_status lode_handle_flush(lode *h)
{
    lode_status s = lode_chain_flush(h->chain, true);
    h->chain->in_doubt |= lode_failed(s);
    return s;
}

void lode_handle_take_wishes(lode *h)
{
    uint64_t bytes = __atomic_exchange_n(&h->wanted_cache, 0, __ATOMIC_ACQ_REL);

    lode_mutex_assert_held(&h->lock);
    if (!bytes)
        return;
    h->chain->options.cache_bytes = (size_t)bytes;
    __atomic_store_n(&h->cache_limit, bytes, __ATOMIC_RELAXED);
    lode_publisher_set_cache_bytes(&h->publisher, (size_t)bytes);
    lode_coins_set_cache_bytes(h->chain->coins, (size_t)bytes);
}

lode_status lode_handle_begin(lode *h, const char *function, bool reading)
{
    lode_status s;

    if (!h)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: no handle", function);
    if (!reading && h->read_only)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: the directory was opened for reading", function);
    if (lode_mutex_is_held(&h->lock))
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: called from a callback, where only readers may be called",
                         function);
    lode_mutex_lock(&h->lock);
    s = lode_handle_check(h);
    if (lode_failed(s)) {
        lode_mutex_unlock(&h->lock);
        return s;
    }
    lode_handle_take_wishes(h);
    return s;
}

void lode_handle_forget_interrupt(lode *h)
{
    __atomic_store_n(&h->chain->interrupted, 0, __ATOMIC_RELAXED);
}

/* ---- events ---- */

static void tell_event(const lode *h, const lode_pending_event *pending)
{
    const lode_node *node = &pending->entry->node;
    lode_event event = { .size = sizeof event,
                         .kind = pending->is_connected ? LODE_EVENT_CONNECTED : LODE_EVENT_DISCONNECTED,
                         .height = node->height };

    memcpy(event.hash, node->hash.bytes, 32);
    memcpy(event.prev, node->header.prev.bytes, 32);
    h->on_event(h->event_context, &event);
}

static void tell_events(lode *h)
{
    lode_publisher *p = &h->publisher;

    for (size_t i = 0; i < p->event_count; i++)
        tell_event(h, &p->events[i]);
    p->event_count = 0;
}

/* Events wait until what they tell of can be read, but for those of an import. */
static void add_event(lode *h, const lode_pending_event *event)
{
    lode_publisher *p = &h->publisher;

    if (!h->tells_events_at_once && p->event_count == p->event_capacity) {
        size_t capacity = p->event_capacity ? p->event_capacity * 2 : 64;
        lode_pending_event *bigger = realloc(p->events, capacity * sizeof *bigger);
        if (!bigger) {
            tell_events(h); /* too early rather than never */
            tell_event(h, event);
            return;
        }
        p->events = bigger;
        p->event_capacity = capacity;
    }
    if (h->tells_events_at_once)
        tell_event(h, event);
    else
        p->events[p->event_count++] = *event;
}

static void on_block(void *context, lode_entry *entry, bool is_connected, const lode_block *block, lode_slice undo)
{
    lode *h = context;
    lode_pending_event event = { entry, is_connected };

    lode_publisher_record(&h->publisher, entry, is_connected, block, undo);
    if (h->on_event)
        add_event(h, &event);
}

lode_status lode_handle_end(lode *h, lode_status s)
{
    lode_chain *chain = h->chain;
    lode_status published = lode_ok();

    chain->on_block = on_block; /* from the first call on */
    chain->on_block_context = h;
    if (!chain->in_doubt && chain->tip && chain->txindex && !h->read_only)
        published = lode_txindex_publish(chain->txindex);
    if (!lode_failed(published))
        published = lode_publisher_publish(&h->publisher, chain);
    chain->in_doubt |= lode_failed(published);
    if (chain->in_doubt)
        __atomic_store_n(&h->is_broken, LODE_HANDLE_IN_DOUBT, __ATOMIC_RELEASE);
    lode_publisher_settle(&h->publisher);
    if (!chain->in_doubt)
        tell_events(h);
    if (s.code == LODE_CANCELLED) /* a request to stop ends one call */
        lode_handle_forget_interrupt(h);
    lode_mutex_unlock(&h->lock);
    return lode_handle_tell(h, lode_failed(s) ? s : published);
}

/* ---- answers that need the chain itself ---- */

lode_status lode_handle_lock_for_answer(lode *h, const void *out, const char *function)
{
    if (!out)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: nowhere to put the answer", function);
    LODE_TRY(lode_handle_begin(h, function, true));
    if (h->chain->tip)
        return lode_ok();
    lode_mutex_unlock(&h->lock);
    return lode_handle_cut_off();
}

lode_status lode_handle_lock_for_walk(lode *h, const void *out, const char *function)
{
    lode_status s;

    LODE_TRY(lode_handle_lock_for_answer(h, out, function));
    s = !h->read_only && lode_coins_is_dirty(h->chain->coins) ? lode_handle_flush(h) : lode_ok();
    if (lode_failed(s))
        return lode_handle_end_answer(h, s);
    return s;
}

lode_status lode_handle_end_answer(lode *h, lode_status s)
{
    if (s.code == LODE_CANCELLED)
        lode_handle_forget_interrupt(h);
    if (h->chain->in_doubt)
        __atomic_store_n(&h->is_broken, LODE_HANDLE_IN_DOUBT, __ATOMIC_RELEASE);
    s = lode_handle_tell(h, s);
    lode_mutex_unlock(&h->lock);
    return s;
}
