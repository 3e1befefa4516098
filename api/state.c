/* api/state.c: see state.h.
 *
 * Touches:  the coins store: snapshots and reads.
 * Threads:  record, publish, follow: the writer. take, hold, release, find: any.
 */
#include "api/state.h"

#include <stdlib.h>

#include "chainstate/coins_at.h"
#include "support/check.h"

/* ---- views ---- */

void lode_state_hold(lode_state *view)
{
    __atomic_add_fetch(&view->references, 1, __ATOMIC_RELAXED);
}

void lode_state_release(lode_state *view)
{
    if (!view || __atomic_sub_fetch(&view->references, 1, __ATOMIC_ACQ_REL))
        return;
    lode_snapshot_release(lode_coins_store(view->chain->coins), view->snapshot);
    for (size_t i = 0; i < view->layer_count; i++)
        lode_layer_release(view->layers[i]);
    free(view);
}

lode_state *lode_publisher_take(lode_publisher *p, bool may_wait)
{
    lode_state *view;

    __atomic_store_n(&p->has_readers, 1, __ATOMIC_RELAXED);
    lode_mutex_lock(&p->lock);
    while (!p->view && p->is_awaited && may_wait)
        lode_cond_wait(&p->published, &p->lock);
    view = p->view;
    if (view)
        lode_state_hold(view);
    lode_mutex_unlock(&p->lock);
    return view;
}

bool lode_state_contains(const lode_state *view, const lode_entry *entry)
{
    return lode_node_ancestor(&view->tip->node, entry->node.height) == &entry->node;
}

lode_entry *lode_state_at(const lode_state *view, int32_t height)
{
    lode_node *node = lode_node_ancestor(&view->tip->node, height);
    return node ? lode_entry_of(node) : NULL;
}

lode_status lode_state_find_coin(const lode_state *view, bool *found, lode_buf *value, const uint8_t prevout[36])
{
    uint8_t key[LODE_COIN_KEY_MAX];
    size_t len = lode_coin_key(key, prevout);

    for (size_t i = view->layer_count; i-- > 0;) {
        const lode_layer_item *item = lode_layer_find(view->layers[i], key, len);
        lode_slice stored;
        if (!item)
            continue;
        *found = item->value_len != LODE_LAYER_GONE;
        stored = lode_layer_value(view->layers[i], item);
        lode_buf_reset(value);
        lode_buf_append(value, stored.data, stored.len);
        return lode_buf_is_good(value) ? lode_ok() : lode_fail(LODE_NO_MEMORY, "no memory for a coin");
    }
    return lode_coins_get_at(view->chain->coins, view->snapshot, found, value, key, len);
}

/* ---- recording ---- */

void lode_publisher_init(lode_publisher *p, lode_chain *chain)
{
    lode_mutex_init(&p->lock);
    lode_cond_init(&p->published);
    lode_publisher_set_cache_bytes(p, chain->options.cache_bytes);
    p->recent.first_step = 1;
    p->recent.base = chain->tip;
    p->recent.is_lost = !chain->tip;
}

void lode_publisher_set_cache_bytes(lode_publisher *p, size_t bytes)
{
    size_t share = bytes / 8, least = (size_t)2 << 20;

    p->recent.limit_bytes = share < least ? least : share;
}

static void drop_layers(lode_recent *r, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lode_layer_release(r->layers[i]);
    r->layer_count -= count;
    memmove(r->layers, r->layers + count, r->layer_count * sizeof *r->layers);
}

static void set_view(lode_publisher *p, lode_state *view)
{
    lode_state *old;

    lode_mutex_lock(&p->lock);
    old = p->view;
    p->view = view;
    lode_cond_broadcast(&p->published);
    lode_mutex_unlock(&p->lock);
    lode_state_release(old);
}

void lode_publisher_clear(lode_publisher *p)
{
    set_view(p, NULL);
    drop_layers(&p->recent, p->recent.layer_count);
    lode_layer_builder_clear(&p->recent.builder);
    free(p->recent.states);
    free(p->events);
    lode_cond_clear(&p->published);
    lode_mutex_clear(&p->lock);
}

static bool add_state(lode_recent *r, lode_entry *tip)
{
    if (r->state_count == r->state_capacity) {
        size_t capacity = r->state_capacity ? r->state_capacity * 2 : 256;
        lode_entry **bigger = realloc(r->states, capacity * sizeof *bigger);
        if (!bigger)
            return false;
        r->states = bigger;
        r->state_capacity = capacity;
    }
    r->states[r->state_count++] = tip;
    return true;
}

void lode_publisher_record(lode_publisher *p, lode_entry *entry, bool is_connected, const lode_block *block,
                           lode_slice undo)
{
    lode_recent *r = &p->recent;

    __atomic_add_fetch(is_connected ? &p->connected : &p->disconnected, 1, __ATOMIC_RELAXED);
    r->is_lost |= p->is_importing;
    if (r->is_lost)
        return;
    if (is_connected)
        lode_layer_add_block(&r->builder, block, entry->node.height);
    else
        lode_layer_take_block_back(&r->builder, block, undo);
    if (!add_state(r, is_connected ? entry : lode_entry_prev(entry)) || r->builder.failed ||
        r->builder.bytes.len > 2 * r->limit_bytes) {
        r->is_lost = true;
        lode_layer_builder_clear(&r->builder);
    }
}

/* ---- publishing ---- */

static uint64_t last_step(const lode_recent *r)
{
    return r->first_step + r->state_count - 1;
}

/* Few layers, each at least twice as large as the next: a lookup asks few, and an item is copied few times. */
static void merge_layers(lode_recent *r)
{
    while (r->layer_count >= 2) {
        lode_layer **two = &r->layers[r->layer_count - 2], *merged;
        if (two[0]->count > 2 * two[1]->count && r->layer_count < LODE_STATE_LAYERS_MAX)
            return;
        merged = lode_layer_merge(two[0], two[1]);
        if (!merged) {
            r->is_lost |= r->layer_count == LODE_STATE_LAYERS_MAX;
            return;
        }
        lode_layer_release(two[0]);
        lode_layer_release(two[1]);
        two[0] = merged;
        r->layer_count--;
    }
}

static void close_builder(lode_recent *r)
{
    lode_layer *layer;

    if (r->is_lost || (!r->builder.count && !r->builder.failed))
        return;
    layer = lode_layer_make(&r->builder, last_step(r));
    if (!layer) {
        r->is_lost = true;
        return;
    }
    r->layers[r->layer_count++] = layer;
    merge_layers(r);
}

/* The state on disk is `base`: what led to it is not needed any more. False: it is none that was recorded. */
static bool move_base(lode_recent *r, lode_entry *base, uint64_t flushed_at_ns)
{
    size_t steps = r->state_count, gone = 0;

    if (r->base == base && r->looked_at_ns == flushed_at_ns)
        return true; /* there may be very many states to look through */
    r->looked_at_ns = flushed_at_ns;
    while (steps > 0 && r->states[steps - 1] != base)
        steps--;
    if (steps == 0 && r->base != base)
        return false;
    r->base = base;
    r->first_step += steps;
    r->state_count -= steps;
    if (steps)
        memmove(r->states, r->states + steps, r->state_count * sizeof *r->states);
    while (gone < r->layer_count && r->layers[gone]->last_step < r->first_step)
        gone++;
    drop_layers(r, gone);
    return true;
}

static void begin_anew(lode_recent *r, lode_entry *base)
{
    drop_layers(r, r->layer_count);
    lode_layer_builder_clear(&r->builder);
    r->first_step += r->state_count;
    r->state_count = 0;
    r->base = base;
}

static void count_bytes(lode_recent *r)
{
    size_t bytes = 0, count = 0;

    for (size_t i = 0; i < r->layer_count; i++) {
        bytes += lode_layer_bytes(r->layers[i]);
        count += r->layers[i]->count;
    }
    __atomic_store_n(&r->bytes, bytes, __ATOMIC_RELAXED);
    __atomic_store_n(&r->count, count, __ATOMIC_RELAXED);
    __atomic_store_n(&r->shown_layers, r->layer_count, __ATOMIC_RELAXED);
}

static lode_status find_base(lode_entry **base, lode_chain *chain, const lode_snapshot *snapshot)
{
    lode_block_hash hash;
    bool found;

    LODE_TRY(lode_coins_best_at(chain->coins, snapshot, &found, &hash));
    *base = found ? lode_block_index_find(chain->index, &hash) : lode_block_index_genesis(chain->index);
    return *base ? lode_ok() : lode_fail(LODE_BUG, "the coins on disk stand at a block that the index does not know");
}

/* *fits false: the state on disk is not where recording began, nor any state since. */
static lode_status make_view(lode_state **out, bool *fits, lode_publisher *p, lode_chain *chain)
{
    lode_recent *r = &p->recent;
    lode_state *view = calloc(1, sizeof *view);
    lode_entry *base;
    lode_status s;

    *out = NULL;
    *fits = true;
    if (!view)
        return lode_fail(LODE_NO_MEMORY, "no memory for a view of the chain");
    *view = (lode_state){ .references = 1, .chain = chain };
    s = lode_snapshot_take(&view->snapshot, lode_coins_store(chain->coins));
    if (lode_failed(s)) {
        free(view);
        return s;
    }
    s = find_base(&base, chain, view->snapshot);
    if (!lode_failed(s) && (p->is_importing || (r->is_lost && base == chain->tip)))
        begin_anew(r, base);
    else if (!lode_failed(s))
        *fits = !r->is_lost && move_base(r, base, chain->flushed_at_ns);
    if (lode_failed(s) || !*fits) {
        lode_state_release(view);
        return s;
    }
    r->is_lost = p->is_importing;
    view->tip = r->state_count ? r->states[r->state_count - 1] : r->base;
    view->best_header = lode_block_index_best_header(chain->index);
    if (!view->best_header)
        view->best_header = view->tip;
    for (; view->layer_count < r->layer_count; view->layer_count++) {
        view->layers[view->layer_count] = r->layers[view->layer_count];
        lode_layer_hold(view->layers[view->layer_count]);
    }
    *out = view;
    return s;
}

/* While a cut-off flush is replayed, what is on disk is no state, but somewhere between two. */
static bool has_state(const lode_chain *chain)
{
    return chain->tip && !chain->replay_to && !chain->in_doubt;
}

lode_status lode_publisher_publish(lode_publisher *p, lode_chain *chain)
{
    lode_recent *r = &p->recent;
    lode_state *view;
    bool fits;

    if (!has_state(chain))
        return lode_ok();
    close_builder(r);
    count_bytes(r);
    if (!p->is_importing && !chain->options.read_only && r->bytes > r->limit_bytes)
        LODE_TRY(lode_chain_flush(chain, r->bytes > 2 * r->limit_bytes));
    LODE_TRY(make_view(&view, &fits, p, chain));
    if (!fits && !chain->options.read_only) {
        LODE_TRY(lode_chain_flush(chain, true));
        r->is_lost = true;
        LODE_TRY(make_view(&view, &fits, p, chain));
    }
    if (!fits)
        return lode_fail(LODE_BUG, "the coins on disk do not stand at the tip after a flush");
    count_bytes(r);
    set_view(p, view);
    return lode_ok();
}

lode_status lode_publisher_begin_showing(lode_publisher *p, lode_chain *chain)
{
    return p->view || !p->is_importing ? lode_ok() : lode_publisher_publish(p, chain);
}

lode_status lode_publisher_follow(lode_publisher *p, lode_chain *chain)
{
    lode_block_hash best;
    bool found, is_new;

    if (!p->is_importing || !__atomic_load_n(&p->has_readers, __ATOMIC_RELAXED) || !has_state(chain))
        return lode_ok();
    LODE_TRY(lode_coins_best_block(chain->coins, &found, &best));
    is_new = !p->view || (found && !lode_block_hash_is_equal(&p->view->tip->node.hash, &best)) ||
             p->view->best_header != lode_block_index_best_header(chain->index);
    return is_new ? lode_publisher_publish(p, chain) : lode_ok();
}

static void set_awaited(lode_publisher *p, bool is_awaited)
{
    lode_mutex_lock(&p->lock);
    p->is_awaited = is_awaited;
    lode_cond_broadcast(&p->published);
    lode_mutex_unlock(&p->lock);
}

lode_status lode_publisher_begin_import(lode_publisher *p, lode_chain *chain)
{
    bool has_readers = __atomic_load_n(&p->has_readers, __ATOMIC_RELAXED);

    /* so that what is on disk is never behind what was shown */
    if (has_readers && chain->tip && p->recent.state_count) {
        LODE_TRY(lode_chain_flush(chain, true));
        LODE_TRY(lode_publisher_publish(p, chain));
    }
    p->is_importing = true;
    set_awaited(p, true);
    if (!has_readers)
        set_view(p, NULL);
    return lode_ok();
}

void lode_publisher_end_import(lode_publisher *p)
{
    p->is_importing = false;
}

void lode_publisher_settle(lode_publisher *p)
{
    if (p->is_awaited)
        set_awaited(p, false);
}
