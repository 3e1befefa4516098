/* storage/snapshot.c: moments that stay readable.
 *
 * Touches:  memory only. A snapshot is a sequence number that compactions respect.
 * Threads:  any.
 */
#include <stdlib.h>

#include "storage/store_internal.h"

lode_status lode_snapshot_take(lode_snapshot **out, lode_store *store)
{
    if (!out)
        return lode_fail(LODE_INVALID_ARGUMENT, "snapshot take: out is NULL");
    *out = NULL;
    if (!store)
        return lode_fail(LODE_INVALID_ARGUMENT, "snapshot take: store is NULL");
    lode_snapshot *s = malloc(sizeof *s);
    if (!s)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a snapshot", store->path);
    lode_mutex_lock(&store->lock);
    while (store->placing_below)
        lode_cond_wait(&store->done, &store->lock);
    s->sequence = atomic_load_explicit(&store->last_sequence, memory_order_acquire);
    s->next = &store->snapshots;
    s->prev = store->snapshots.prev;
    s->prev->next = s;
    store->snapshots.prev = s;
    store->snapshot_count++;
    lode_mutex_unlock(&store->lock);
    *out = s;
    return lode_ok();
}

void lode_snapshot_release(lode_store *store, lode_snapshot *snapshot)
{
    if (!store || !snapshot)
        return;
    lode_mutex_lock(&store->lock);
    snapshot->prev->next = snapshot->next;
    snapshot->next->prev = snapshot->prev;
    store->snapshot_count--;
    lode_mutex_unlock(&store->lock);
    free(snapshot);
}
