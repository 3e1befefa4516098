/* chainstate/coins.c: opening and closing the coin set, what it says of itself, and its memory.
 *
 * Room:     the chainstate database as Core has it: its obfuscation key, its best block, formats that are not ours.
 * Touches:  the store; memory.
 * Threads:  the chain's; statistics from any.
 */
#include "chainstate/coins_internal.h"

#include <stdlib.h>
#include <sys/random.h>

#include "support/check.h"

#define MIB ((size_t)1 << 20)

/* ---- shares of memory ---- */

static size_t between(size_t low, size_t value, size_t high)
{
    return value < low ? low : value > high ? high : value;
}

size_t lode_coins_block_cache_bytes(size_t cache_bytes)
{
    return between(MIB / 4, cache_bytes / 16, 64 * MIB);
}

static size_t write_buffer_bytes(size_t cache_bytes)
{
    return between(MIB / 8, cache_bytes / 32, 4 * MIB);
}

/* The rest is for runs that are being built, and what memory management loses. */
size_t lode_coins_budget(size_t cache_bytes)
{
    size_t apart = lode_coins_block_cache_bytes(cache_bytes) + 2 * write_buffer_bytes(cache_bytes) + cache_bytes / 64;

    return cache_bytes > apart + MIB / 4 ? cache_bytes - apart : MIB / 4;
}

void lode_coins_set_cache_bytes(lode_coins *c, size_t bytes)
{
    bool shrinks = bytes < c->cache_bytes;

    c->cache_bytes = bytes;
    __atomic_store_n(&c->budget, lode_coins_budget(bytes), __ATOMIC_RELAXED);
    if (c->cache)
        lode_cache_set_capacity(c->cache, lode_coins_block_cache_bytes(bytes));
    if (shrinks && !lode_failed(lode_coins_make_room(c, 0)))
        lode_coins_pool_trim(&c->pool);
}

/* ---- the database ---- */

static lode_status make_random(void *bytes, size_t len)
{
    if (getrandom(bytes, len, 0) != (ssize_t)len)
        return lode_fail(LODE_IO, "the system gives no random bytes");
    return lode_ok();
}

/* A new database gets a key, an older one without a key has plain values. */
static lode_status load_obfuscation(lode_coins *c, bool is_empty)
{
    bool found;

    LODE_TRY(lode_core_store_load_key(c->store, c->path, &found, c->obfuscation));
    if (found || !is_empty || c->read_only)
        return lode_ok();
    LODE_TRY(make_random(c->obfuscation, sizeof c->obfuscation));
    return lode_core_store_write_key(c->store, c->obfuscation);
}

static lode_status refuse_later_keys(const char *path, lode_iterator *it)
{
    lode_bytes key;

    lode_iterator_seek(it, "c", 1);
    LODE_TRY(lode_iterator_status(it));
    if (!lode_iterator_is_valid(it))
        return lode_ok();
    key = lode_iterator_key(it);
    if (*(const uint8_t *)key.data == 'c')
        return lode_fail(LODE_UNSUPPORTED,
                         "%s: unsupported chainstate format (coins by transaction, before Core 0.15); "
                         "-reindex-chainstate rebuilds it",
                         path);
    return lode_fail(LODE_UNSUPPORTED,
                     "%s: unsupported chainstate format (a record under key 0x%02x: a later version's); "
                     "-reindex-chainstate rebuilds it",
                     path, *(const uint8_t *)key.data);
}

static lode_status check_format(const char *path, lode_store *store)
{
    lode_iterator *it;
    lode_status s;

    LODE_TRY(lode_iterator_create(&it, store, NULL));
    s = refuse_later_keys(path, it);
    lode_iterator_destroy(it);
    return s;
}

lode_status lode_coins_check_format(const char *path, lode_env *env)
{
    return lode_core_store_look(path, env, check_format);
}

/* What is there: is anything, are there coins, is it ours to read. */
static lode_status look_over(lode_coins *c, bool *is_empty)
{
    lode_iterator *it;
    lode_status s;

    LODE_TRY(lode_iterator_create(&it, c->store, NULL));
    lode_iterator_seek_first(it);
    *is_empty = !lode_iterator_is_valid(it);
    s = lode_iterator_status(it);
    if (!lode_failed(s))
        s = refuse_later_keys(c->path, it);
    if (!lode_failed(s)) {
        lode_iterator_seek(it, "C", 1);
        c->database_has_coins = lode_iterator_is_valid(it) && *(const uint8_t *)lode_iterator_key(it).data == 'C';
        s = lode_iterator_status(it);
    }
    lode_iterator_destroy(it);
    return s;
}

static lode_status read_record(lode_coins *c, bool *found, uint8_t *value, size_t len, char name)
{
    size_t got;
    int there;

    LODE_TRY(lode_store_get_into(c->store, &there, value, len, &got, &name, 1, NULL));
    if (there && got != len)
        return lode_fail(LODE_CORRUPT, "%s: record %c has %zu bytes, %zu expected", c->path, name, got, len);
    if (there)
        lode_coins_obfuscate(c, value, len);
    *found = there;
    return lode_ok();
}

/* 'H' is a vector of two hashes, the new one first. */
lode_status lode_coins_load_heads(lode_coins *c)
{
    uint8_t heads[1 + 2 * 32];

    LODE_TRY(read_record(c, &c->has_best, c->best.bytes, sizeof c->best.bytes, 'B'));
    LODE_TRY(read_record(c, &c->has_heads, heads, sizeof heads, 'H'));
    if (!c->has_heads)
        return lode_ok();
    if (heads[0] != 2)
        return lode_fail(LODE_CORRUPT, "%s: record H names %u blocks, 2 expected", c->path, heads[0]);
    memcpy(c->new_head.bytes, heads + 1, 32);
    memcpy(c->old_head.bytes, heads + 33, 32);
    return lode_ok();
}

static lode_status open_store(lode_coins *c, const lode_coins_options *options)
{
    lode_store_options o;

    lode_core_store_options(&o, c->env, options->read_only);
    o.map_tables = 0; /* mapped pages would count beside -dbcache */
    o.write_buffer_bytes = write_buffer_bytes(options->cache_bytes);
    o.cache = c->cache;
    return lode_core_store_open(&c->store, c->path, &o, options->wipe);
}

static lode_status take_memory(lode_coins *c, const lode_coins_options *options)
{
    c->path = strdup(options->path);
    c->script = malloc(LODE_COINS_SCRATCH);
    c->stored = malloc(LODE_COINS_SCRATCH);
    c->cache = lode_cache_create(lode_coins_block_cache_bytes(options->cache_bytes));
    lode_coins_pool_init(&c->pool, c->budget);
    c->active = lode_coins_generation_create(&c->pool, c->salt, 1, c->budget);
    if (!c->path || !c->script || !c->stored || !c->cache || !c->active)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for coins", options->path);
    return lode_ok();
}

static lode_status load_coins(lode_coins *c, const lode_coins_options *options)
{
    bool is_empty;

    LODE_TRY(make_random(c->salt, sizeof c->salt));
    LODE_TRY(take_memory(c, options));
    LODE_TRY(open_store(c, options));
    LODE_TRY(look_over(c, &is_empty));
    LODE_TRY(load_obfuscation(c, is_empty));
    return lode_coins_load_heads(c);
}

void lode_coins_init_locks(lode_coins *c)
{
    pthread_rwlockattr_t attributes;

    pthread_rwlockattr_init(&attributes);
#ifdef __GLIBC__
    /* Workers come without pause: a flush must not wait for all of them. */
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
    pthread_rwlock_init(&c->generations_lock, &attributes);
    pthread_rwlockattr_destroy(&attributes);
    lode_mutex_init(&c->lock);
    lode_cond_init(&c->flushed);
}

lode_status lode_coins_open(lode_coins **out, const lode_coins_options *options)
{
    lode_coins *c = calloc(1, sizeof *c);
    lode_status s;

    *out = NULL;
    if (!c)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for coins", options->path);
    c->env = options->env ? options->env : lode_env_system();
    c->logger = options->logger;
    c->read_only = options->read_only;
    c->threads = options->threads < 1 ? 1 : options->threads > 16 ? 16 : options->threads;
    c->batch_most = options->batch_most ? options->batch_most : 5000;
    c->cache_bytes = options->cache_bytes;
    c->budget = lode_coins_budget(options->cache_bytes);
    lode_coins_init_locks(c);
    s = load_coins(c, options);
    if (lode_failed(s)) {
        lode_ignore(lode_coins_close(c)); /* the first error is the one to tell */
        return s;
    }
    *out = c;
    return lode_ok();
}

lode_status lode_coins_close(lode_coins *c)
{
    lode_status s = lode_ok();

    if (!c)
        return s;
    lode_coins_settle_flush(c);
    if (c->store && !c->is_overlay)
        s = lode_store_close(c->store);
    lode_batch_destroy(c->batch);
    lode_coins_generation_destroy(c->active);
    lode_coins_generation_destroy(c->frozen);
    lode_coins_pool_clear(&c->pool);
    lode_cache_destroy(c->cache);
    pthread_rwlock_destroy(&c->generations_lock);
    lode_mutex_clear(&c->lock);
    lode_cond_clear(&c->flushed);
    free(c->path);
    free(c->script);
    free(c->stored);
    free(c);
    return s;
}

/* ---- answers ---- */

lode_status lode_coins_best_block(lode_coins *c, bool *found, lode_block_hash *hash)
{
    lode_mutex_lock(&c->lock);
    *found = c->has_best;
    if (*found)
        *hash = c->best;
    lode_mutex_unlock(&c->lock);
    return lode_ok();
}

lode_status lode_coins_head_blocks(lode_coins *c, bool *found, lode_block_hash *new_hash, lode_block_hash *old_hash)
{
    lode_mutex_lock(&c->lock);
    *found = c->has_heads;
    if (*found) {
        *new_hash = c->new_head;
        *old_hash = c->old_head;
    }
    lode_mutex_unlock(&c->lock);
    return lode_ok();
}

uint64_t lode_coins_hash(const lode_coins *c, const uint8_t txid[32])
{
    return lode_coins_salted_hash(c->salt, txid);
}

lode_store *lode_coins_store(lode_coins *c)
{
    return c->store;
}

bool lode_coins_wants_flush(const lode_coins *c)
{
    return c->active->bytes >= c->budget / 5 * 3;
}

bool lode_coins_is_dirty(const lode_coins *c)
{
    return c->active->records > 0 || (c->frozen && !c->frozen_is_written);
}

static bool verify_generation(const lode_coins_generation *g, const char **what)
{
    for (size_t i = 0; g && i < (size_t)1 << g->shard_bits; i++) {
        if (!lode_coins_shard_verify(g, &g->shards[i], what))
            return false;
    }
    return true;
}

bool lode_coins_verify(lode_coins *c, const char **what)
{
    return verify_generation(c->active, what) && verify_generation(c->frozen, what);
}

static uint64_t load(const uint64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static void add_generation(lode_coins_stats *stats, size_t *bytes, const lode_coins_generation *g)
{
    if (!g)
        return;
    *bytes = __atomic_load_n(&g->bytes, __ATOMIC_RELAXED);
    stats->coins_cached += load(&g->live);
}

void lode_coins_get_stats(lode_coins *c, lode_coins_stats *stats)
{
    *stats = (lode_coins_stats){ .lookups = load(&c->lookups),
                                 .hits = load(&c->hits),
                                 .database_reads = load(&c->database_reads),
                                 .prefetched_used = load(&c->prefetched_used),
                                 .flushes = load(&c->flushes),
                                 .coins_written = load(&c->coins_written),
                                 .coins_deleted = load(&c->coins_deleted),
                                 .flush_wait_ns = load(&c->flush_wait_ns),
                                 .flush_ns = load(&c->flush_ns) };
    pthread_rwlock_rdlock(&c->generations_lock);
    add_generation(stats, &stats->active_bytes, c->active);
    add_generation(stats, &stats->frozen_bytes, c->frozen);
    pthread_rwlock_unlock(&c->generations_lock);
}
