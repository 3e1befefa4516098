/* api/statistics.c: numbers about the handle's work.
 *
 * Threads:  any; counters are read one by one, so they need not fit each other to the last.
 */
#include "api/handle.h"

static uint64_t load(const uint64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

lode_status lode_get_statistics(lode *h, lode_statistics *statistics)
{
    lode_statistics full = { .size = sizeof full };
    lode_coins_stats coins;

    LODE_NEEDS(h, "no handle");
    LODE_NEEDS_SIZE(statistics);
    lode_coins_get_stats(h->chain->coins, &coins);
    full.headers = lode_block_index_count_shared(h->chain->index);
    full.blocks_connected = load(&h->publisher.connected);
    full.blocks_disconnected = load(&h->publisher.disconnected);
    full.cache_bytes = coins.active_bytes + coins.frozen_bytes;
    full.cache_limit_bytes = load(&h->cache_limit);
    full.coins_cached = coins.coins_cached;
    full.coin_lookups = coins.lookups;
    full.coin_hits = coins.hits;
    full.database_reads = coins.database_reads;
    full.flushes = coins.flushes;
    full.coins_written = coins.coins_written;
    full.coins_deleted = coins.coins_deleted;
    full.reader_lookups = load(&h->reader_lookups);
    full.recent_changes = __atomic_load_n(&h->publisher.recent.count, __ATOMIC_RELAXED);
    full.recent_layers = __atomic_load_n(&h->publisher.recent.shown_layers, __ATOMIC_RELAXED);
    full.warm_transactions = load(&h->warm_count);
    full.warm_hits = load(&h->chain->warm_hits);
    lode_mutex_lock(&h->background.lock);
    full.submissions_waiting = h->background.queued;
    lode_mutex_unlock(&h->background.lock);
    LODE_PUT_RESULT(statistics, full);
    return lode_ok();
}
