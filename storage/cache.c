/* storage/cache.c: a hash table and a clock in each of sixteen shards.
 *
 * Touches:  memory only.
 * Threads:  any; a shard's lock is held for a few dozen instructions.
 * Promise:  what is pinned is never freed, also when the cache is over its capacity for it.
 *
 * A hit marks the entry and moves nothing: a list in order of use would touch its neighbours, and each of them is a
 * miss of the processor's cache.
 */
#include "storage/cache.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "support/thread.h"

enum { SHARD_BITS = 4, SHARDS = 1 << SHARD_BITS, FIRST_BUCKETS = 64 };

typedef struct shard {
    _Alignas(64) lode_mutex lock;
    /* Guarded by lock. */
    _Atomic(lode_cache_entry **) buckets; /* also looked at without the lock, for prefetching */
    atomic_size_t bucket_count;
    size_t count;
    size_t bytes, capacity;
    lode_cache_entry *hand; /* in the ring of all entries; NULL: empty */
    uint64_t hits, misses;
} shard;

struct lode_cache {
    shard shards[SHARDS];
};

uint64_t lode_cache_new_owner(void)
{
    static _Atomic uint64_t last;
    return atomic_fetch_add(&last, 1) + 1;
}

static uint64_t hash_of(uint64_t owner, uint64_t offset)
{
    uint64_t h = (owner * UINT64_C(0x9e3779b97f4a7c15)) ^ (offset * UINT64_C(0xc2b2ae3d27d4eb4f));
    h ^= h >> 29;
    h *= UINT64_C(0xbf58476d1ce4e5b9);
    return h ^ h >> 32;
}

static size_t charge_of(const lode_cache_entry *e)
{
    return sizeof *e + e->len;
}

static bool init_shard(shard *s, size_t capacity)
{
    lode_mutex_init(&s->lock);
    s->capacity = capacity;
    lode_cache_entry **buckets = calloc(FIRST_BUCKETS, sizeof *buckets);
    if (!buckets)
        return false;
    s->buckets = buckets;
    s->bucket_count = FIRST_BUCKETS;
    return true;
}

lode_cache *lode_cache_create(size_t bytes)
{
    lode_cache *c = aligned_alloc(64, sizeof *c);
    bool good = true;
    if (!c)
        return NULL;
    memset(c, 0, sizeof *c);
    for (size_t i = 0; i < SHARDS; i++)
        good &= init_shard(&c->shards[i], bytes / SHARDS);
    if (!good) {
        lode_cache_destroy(c);
        return NULL;
    }
    return c;
}

static void unlink_ring(shard *s, lode_cache_entry *e)
{
    if (e->next == e) {
        s->hand = NULL;
    } else {
        e->prev->next = e->next;
        e->next->prev = e->prev;
        if (s->hand == e)
            s->hand = e->next;
    }
}

/* Behind the hand, so that it is looked at last. */
static void link_ring(shard *s, lode_cache_entry *e)
{
    if (!s->hand) {
        s->hand = e->next = e->prev = e;
        return;
    }
    e->next = s->hand;
    e->prev = s->hand->prev;
    e->prev->next = e;
    s->hand->prev = e;
}

static lode_cache_entry **place_of(shard *s, uint64_t hash, uint64_t owner, uint64_t offset)
{
    lode_cache_entry **p = &s->buckets[(hash >> SHARD_BITS) & (s->bucket_count - 1)];
    while (*p && ((*p)->offset != offset || (*p)->owner != owner))
        p = &(*p)->hash_next;
    return p;
}

/* Takes an entry out of the table; what nobody pins is freed. */
static void evict(shard *s, lode_cache_entry *e)
{
    lode_cache_entry **p = place_of(s, hash_of(e->owner, e->offset), e->owner, e->offset);
    while (*p != e)
        p = &(*p)->hash_next;
    *p = e->hash_next;
    e->in_cache = false;
    s->count--;
    s->bytes -= charge_of(e);
    unlink_ring(s, e);
    if (!e->refs)
        free(e);
}

/* Twice round at most: the first time clears the marks. */
static void shrink_to_capacity(shard *s)
{
    for (size_t steps = 2 * s->count; s->bytes > s->capacity && steps; steps--) {
        lode_cache_entry *e = s->hand;
        s->hand = e->next;
        if (e->refs)
            continue;
        if (e->used)
            e->used = false;
        else
            evict(s, e);
    }
}

/* A table that cannot grow stays as it is, which is slower and right. */
static void grow(shard *s)
{
    size_t bucket_count = s->bucket_count * 2;
    lode_cache_entry **buckets = calloc(bucket_count, sizeof *buckets);
    if (!buckets)
        return;
    for (size_t i = 0; i < s->bucket_count; i++) {
        for (lode_cache_entry *e = s->buckets[i], *next; e; e = next) {
            lode_cache_entry **p = &buckets[(hash_of(e->owner, e->offset) >> SHARD_BITS) & (bucket_count - 1)];
            next = e->hash_next;
            e->hash_next = *p;
            *p = e;
        }
    }
    free(s->buckets);
    s->buckets = buckets;
    s->bucket_count = bucket_count;
}

lode_cache_entry *lode_cache_entry_create(uint64_t owner, uint64_t offset, size_t len)
{
    if (len > SIZE_MAX - sizeof(lode_cache_entry))
        return NULL;
    lode_cache_entry *e = malloc(sizeof *e + len);
    if (!e)
        return NULL;
    *e = (lode_cache_entry){ .owner = owner, .offset = offset, .refs = 1, .len = len };
    return e;
}

void lode_cache_prefetch(lode_cache *cache, uint64_t owner, uint64_t offset)
{
    if (!cache)
        return;
    uint64_t hash = hash_of(owner, offset);
    shard *s = &cache->shards[hash & (SHARDS - 1)];
    size_t mask = atomic_load_explicit(&s->bucket_count, memory_order_relaxed) - 1;
    __builtin_prefetch(atomic_load_explicit(&s->buckets, memory_order_relaxed) + ((hash >> SHARD_BITS) & mask));
}

lode_cache_entry *lode_cache_find(lode_cache *cache, uint64_t owner, uint64_t offset)
{
    if (!cache)
        return NULL;
    uint64_t hash = hash_of(owner, offset);
    shard *s = &cache->shards[hash & (SHARDS - 1)];
    lode_mutex_lock(&s->lock);
    lode_cache_entry *e = *place_of(s, hash, owner, offset);
    if (e) {
        e->refs++;
        e->used = true;
        __builtin_prefetch(e->data + e->block_len - 8); /* read next, and then the beginning */
        __builtin_prefetch(e->data);
        s->hits++;
    } else {
        s->misses++;
    }
    lode_mutex_unlock(&s->lock);
    return e;
}

bool lode_cache_has(lode_cache *cache, uint64_t owner, uint64_t offset)
{
    if (!cache)
        return false;
    uint64_t hash = hash_of(owner, offset);
    shard *s = &cache->shards[hash & (SHARDS - 1)];
    lode_mutex_lock(&s->lock);
    bool has = *place_of(s, hash, owner, offset) != NULL;
    lode_mutex_unlock(&s->lock);
    return has;
}

void lode_cache_forget(lode_cache *cache, uint64_t owner, uint64_t offset)
{
    if (!cache)
        return;
    uint64_t hash = hash_of(owner, offset);
    shard *s = &cache->shards[hash & (SHARDS - 1)];
    lode_mutex_lock(&s->lock);
    lode_cache_entry *e = *place_of(s, hash, owner, offset);
    if (e)
        evict(s, e);
    lode_mutex_unlock(&s->lock);
}

void lode_cache_insert(lode_cache *cache, lode_cache_entry *e)
{
    if (!cache)
        return;
    uint64_t hash = hash_of(e->owner, e->offset);
    shard *s = &cache->shards[hash & (SHARDS - 1)];
    lode_mutex_lock(&s->lock);
    if (charge_of(e) <= s->capacity) {
        lode_cache_entry *old = *place_of(s, hash, e->owner, e->offset);
        if (old)
            evict(s, old);
        if (s->count >= s->bucket_count)
            grow(s);
        lode_cache_entry **p = &s->buckets[(hash >> SHARD_BITS) & (s->bucket_count - 1)];
        e->hash_next = *p;
        *p = e;
        e->in_cache = true;
        link_ring(s, e);
        s->count++;
        s->bytes += charge_of(e);
        shrink_to_capacity(s);
    }
    lode_mutex_unlock(&s->lock);
}

void lode_cache_unpin(lode_cache *cache, lode_cache_entry *e)
{
    if (!e)
        return;
    if (!cache) {
        free(e);
        return;
    }
    shard *s = &cache->shards[hash_of(e->owner, e->offset) & (SHARDS - 1)];
    lode_mutex_lock(&s->lock);
    bool gone = false;
    if (!--e->refs) {
        gone = !e->in_cache;
        if (!gone && s->bytes > s->capacity)
            shrink_to_capacity(s);
    }
    lode_mutex_unlock(&s->lock);
    if (gone)
        free(e);
}

void lode_cache_destroy(lode_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < SHARDS; i++) {
        shard *s = &cache->shards[i];
        for (size_t j = 0; j < s->bucket_count; j++)
            for (lode_cache_entry *e = s->buckets[j], *next; e; e = next) {
                next = e->hash_next;
                free(e);
            }
        free(s->buckets);
        lode_mutex_clear(&s->lock);
    }
    free(cache);
}

size_t lode_cache_bytes(const lode_cache *cache)
{
    size_t bytes = 0;
    if (!cache)
        return 0;
    for (size_t i = 0; i < SHARDS; i++) {
        shard *s = (shard *)(uintptr_t)&cache->shards[i];
        lode_mutex_lock(&s->lock);
        bytes += s->bytes;
        lode_mutex_unlock(&s->lock);
    }
    return bytes;
}

void lode_cache_set_capacity(lode_cache *cache, size_t bytes)
{
    if (!cache)
        return;
    for (size_t i = 0; i < SHARDS; i++) {
        shard *s = &cache->shards[i];
        lode_mutex_lock(&s->lock);
        s->capacity = bytes / SHARDS;
        shrink_to_capacity(s);
        lode_mutex_unlock(&s->lock);
    }
}

void lode_cache_counts(const lode_cache *cache, uint64_t *hits, uint64_t *misses)
{
    *hits = *misses = 0;
    if (!cache)
        return;
    for (size_t i = 0; i < SHARDS; i++) {
        shard *s = (shard *)(uintptr_t)&cache->shards[i];
        lode_mutex_lock(&s->lock);
        *hits += s->hits;
        *misses += s->misses;
        lode_mutex_unlock(&s->lock);
    }
}
