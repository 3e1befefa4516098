/* storage/view.c: what readers see, handed out without the store's lock.
 *
 * Touches:  memory only.
 * Threads:  any. The lock here is held for a load, an increment and a load.
 * Promise:  a view and the sequence that comes with it belong together: everything up to the sequence is in the view.
 */
#include <stdlib.h>

#include "storage/store_internal.h"

static inline void lock_view(lode_store *store)
{
    while (atomic_flag_test_and_set_explicit(&store->view_lock, memory_order_acquire))
        __builtin_ia32_pause();
}
static inline void unlock_view(lode_store *store)
{
    atomic_flag_clear_explicit(&store->view_lock, memory_order_release);
}

lode_view *lode_view_acquire(lode_store *store, uint64_t *sequence)
{
    lock_view(store);
    lode_view *v = store->view;
    atomic_fetch_add_explicit(&v->refs, 1, memory_order_relaxed);
    *sequence = atomic_load_explicit(&store->last_sequence, memory_order_acquire);
    unlock_view(store);
    return v;
}

void lode_view_release(lode_store *store, lode_view *view)
{
    (void)store;
    if (!view || atomic_fetch_sub_explicit(&view->refs, 1, memory_order_acq_rel) != 1)
        return;
    lode_memtable_unref(view->mem);
    for (int i = 0; i < view->sealed_count; i++)
        lode_memtable_unref(view->sealed[i]);
    lode_version_unref(view->version);
    free(view);
}

bool lode_view_renew(lode_store *store, uint64_t publish_sequence)
{
    lode_view *v = calloc(1, sizeof *v);
    if (!v)
        return false;
    atomic_init(&v->refs, 1);
    v->mem = store->mem;
    lode_memtable_ref(v->mem);
    for (int i = store->sealed_count - 1; i >= 0; i--) {
        v->sealed[v->sealed_count] = store->sealed[i].mem;
        lode_memtable_ref(v->sealed[v->sealed_count++]);
    }
    v->version = store->versions.current;
    lode_version_ref(v->version);
    lock_view(store);
    lode_view *old = store->view;
    store->view = v;
    if (publish_sequence > atomic_load_explicit(&store->last_sequence, memory_order_relaxed))
        atomic_store_explicit(&store->last_sequence, publish_sequence, memory_order_release);
    unlock_view(store);
    lode_view_release(store, old);
    return true;
}
