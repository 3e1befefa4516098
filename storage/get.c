/* storage/get.c: reading single keys.
 *
 * Room:     memtables from the newest to the oldest, then tables. The first that knows the key decides.
 * Touches:  tables, through the table cache.
 * Threads:  any. No lock of writers or compactions is taken.
 */
#include <stdlib.h>

#include "storage/filter.h"
#include "storage/store_internal.h"

typedef struct found_value {
    lode_lookup found;
    lode_slice value; /* lent while the view and the pin are held */
    lode_version_pin pin;
} found_value;

static void add_count(_Atomic(uint64_t) *to, uint64_t n)
{
    if (n) /* a lost update now and then does not matter to whoever reads statistics, and a locked one would cost */
        atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + n, memory_order_relaxed);
}

static lode_status find(lode_store *store, found_value *v, lode_view *view, lode_slice key, uint64_t sequence)
{
    lode_read_counts counts = { 0 };
    v->pin = (lode_version_pin){ 0 };
    uint32_t hash = lode_filter_hash(key.data, key.len);
    v->found = lode_memtable_find(view->mem, &v->value, key, hash, sequence);
    for (int i = 0; v->found == LODE_LOOKUP_NONE && i < view->sealed_count; i++)
        v->found = lode_memtable_find(view->sealed[i], &v->value, key, hash, sequence);
    if (v->found != LODE_LOOKUP_NONE)
        return lode_ok();
    lode_status s = lode_version_find(view->version, &v->found, &v->value, &v->pin, &counts, key, hash, sequence);
    lode_store_see_wear(store, view->version);
    add_count(&store->filtered, counts.filtered);
    add_count(&store->passed, counts.passed);
    add_count(&store->passed_in_vain, counts.passed_in_vain);
    return s;
}

static lode_status check_read(const lode_store *store, const void *key, size_t key_len)
{
    if (!store || (!key && key_len))
        return lode_fail(LODE_INVALID_ARGUMENT, "store get: NULL argument");
    return lode_ok();
}

void lode_store_free(void *value)
{
    free(value);
}

lode_status lode_store_get(lode_store *store, int *found, void **value, size_t *value_len, const void *key,
                           size_t key_len, const lode_snapshot *snapshot)
{
    LODE_TRY(check_read(store, key, key_len));
    if (!found || !value || !value_len)
        return lode_fail(LODE_INVALID_ARGUMENT, "store get: NULL output");
    uint64_t sequence;
    found_value v;
    lode_view *view = lode_view_acquire(store, &sequence);
    lode_status s = find(store, &v, view, lode_slice_of(key, key_len), snapshot ? snapshot->sequence : sequence);
    if (!lode_failed(s) && v.found == LODE_LOOKUP_VALUE) {
        void *copy = malloc(v.value.len + 1);
        if (copy) {
            memcpy(copy, v.value.data, v.value.len);
            *value = copy;
            *value_len = v.value.len;
            *found = 1;
        } else {
            s = lode_fail(LODE_NO_MEMORY, "%s: no memory for a value of %zu bytes", store->path, v.value.len);
        }
        lode_version_pin_release(&v.pin);
    } else if (!lode_failed(s)) {
        *found = 0;
        *value = NULL;
        *value_len = 0;
    }
    lode_view_release(store, view);
    return s;
}

lode_status lode_store_get_into(lode_store *store, int *found, void *buffer, size_t capacity, size_t *value_len,
                                const void *key, size_t key_len, const lode_snapshot *snapshot)
{
    LODE_TRY(check_read(store, key, key_len));
    if (!found || !value_len || (!buffer && capacity))
        return lode_fail(LODE_INVALID_ARGUMENT, "store get: NULL output");
    uint64_t sequence;
    found_value v;
    lode_view *view = lode_view_acquire(store, &sequence);
    lode_status s = find(store, &v, view, lode_slice_of(key, key_len), snapshot ? snapshot->sequence : sequence);
    if (!lode_failed(s)) {
        *found = v.found == LODE_LOOKUP_VALUE;
        *value_len = *found ? v.value.len : 0;
        if (*value_len && capacity)
            memcpy(buffer, v.value.data, *value_len < capacity ? *value_len : capacity);
        if (*found)
            lode_version_pin_release(&v.pin);
    }
    lode_view_release(store, view);
    return s;
}

/* ---- many at once ---- */

typedef struct wanted {
    uint64_t prefix;
    uint32_t len;
    uint32_t position;
    const uint8_t *key;
} wanted;

static int by_key(const void *a, const void *b)
{
    const wanted *x = a, *y = b;
    if (x->prefix != y->prefix)
        return x->prefix < y->prefix ? -1 : 1;
    return lode_slice_compare(lode_slice_of(x->key, x->len), lode_slice_of(y->key, y->len));
}

/* Where reads wait for the disk, it is asked for the blocks of the next keys at once. Each question is a system call,
 * so none is asked while the answers come from the page cache. */
typedef struct look_ahead {
    size_t asked;      /* keys before this one were asked for */
    size_t slow_until; /* the disk was slow not long before this one */
} look_ahead;

static bool ask_ahead(look_ahead *a, const lode_view *view, const wanted *order, size_t at, size_t count,
                      uint64_t sequence)
{
    enum { AHEAD = 64 };
    if (at >= a->slow_until || at + AHEAD / 2 < a->asked)
        return false;
    size_t end = count - at < AHEAD ? count : at + AHEAD;
    for (size_t i = a->asked > at ? a->asked : at; i < end; i++) {
        lode_slice key = lode_slice_of(order[i].key, order[i].len);
        lode_version_will_need(view->version, key, lode_filter_hash(key.data, key.len), sequence);
    }
    a->asked = end;
    return true;
}

static lode_status get_sorted(lode_store *store, const wanted *order, size_t count, const lode_snapshot *snapshot,
                              void *context, void (*visit)(void *context, size_t position, lode_bytes value))
{
    enum { SLOW_NS = 30000, STAYS_SLOW = 512 };
    look_ahead ahead = { 0 };
    lode_status s = lode_ok();
    uint64_t sequence;
    lode_view *view = lode_view_acquire(store, &sequence);
    if (snapshot)
        sequence = snapshot->sequence;
    uint64_t now_ns = lode_clock_ns();
    for (size_t i = 0; i < count && !lode_failed(s); i++) {
        found_value v;
        if (ask_ahead(&ahead, view, order, i, count, sequence))
            now_ns = lode_clock_ns();
        s = find(store, &v, view, lode_slice_of(order[i].key, order[i].len), sequence);
        uint64_t then_ns = now_ns;
        now_ns = lode_clock_ns();
        if (now_ns - then_ns > SLOW_NS)
            ahead.slow_until = i + STAYS_SLOW;
        if (lode_failed(s) || v.found != LODE_LOOKUP_VALUE)
            continue;
        visit(context, order[i].position, (lode_bytes){ v.value.data, v.value.len });
        lode_version_pin_release(&v.pin);
    }
    lode_view_release(store, view);
    return s;
}

lode_status lode_store_multi_get(lode_store *store, const lode_bytes *keys, size_t count, const lode_snapshot *snapshot,
                                 void *context, void (*visit)(void *context, size_t position, lode_bytes value))
{
    if (!store || (!keys && count) || !visit)
        return lode_fail(LODE_INVALID_ARGUMENT, "store multi get: NULL argument");
    if (count > UINT32_MAX)
        return lode_fail(LODE_INVALID_ARGUMENT, "store multi get: %zu keys are too many", count);
    wanted *order = malloc((count ? count : 1) * sizeof *order);
    if (!order)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to sort %zu keys", store->path, count);
    for (size_t i = 0; i < count; i++) {
        if ((!keys[i].data && keys[i].len) || keys[i].len > UINT32_MAX) {
            free(order);
            return lode_fail(LODE_INVALID_ARGUMENT, "store multi get: key %zu is no key", i);
        }
        order[i] =
            (wanted){ lode_key_prefix(keys[i].data, keys[i].len), (uint32_t)keys[i].len, (uint32_t)i, keys[i].data };
    }
    qsort(order, count, sizeof *order, by_key);
    lode_status s = get_sorted(store, order, count, snapshot, context, visit);
    free(order);
    return s;
}
