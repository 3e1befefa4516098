/* storage/cache.c: a hash table and a ring in each of sixteen shards.
 *
 * Touches:  memory only.
 * Threads:  any; a shard's lock is held for a few dozen instructions.
 * Promise:  what is pinned is never freed, also when the cache is over its capacity for it.
 */
#include "storage/cache.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "support/thread.h"

enum { SHARD_BITS = 4, SHARDS = 1 << SHARD_BITS, FIRST_BUCKETS = 64 };

typedef struct shard {
    _Alignas(64) lode_mutex lock;
    /* Guarded by lock. */
    lode_cache_entry **buckets;
    size_t bucket_count, count;
    size_t bytes, capacity;
    lode_cache_entry *ring; /* of what nobody pins: ring->newer is the oldest, ring->older the newest */
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
    s->ring = calloc(1, sizeof *s->ring);
    s->buckets = calloc(FIRST_BUCKETS, sizeof *s->buckets);
    if (!s->ring || !s->buckets)
        return false;
    s->ring->older = s->ring->newer = s->ring;
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

static void unlink_ring(lode_cache_entry *e)
{
    e->older->newer = e->newer;
    e->newer->older = e->older;
    e->older = e->newer = NULL;
}

static void link_newest(shard *s, lode_cache_entry *e)
{
    e->newer = s->ring;
    e->older = s->ring->older;
    e->older->newer = e;
    s->ring->older = e;
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
    if (!e->refs) {
        unlink_ring(e);
        free(e);
    }
}

static void shrink_to_capacity(shard *s)
{
    while (s->bytes > s->capacity && s->ring->newer != s->ring)
        evict(s, s->ring->newer);
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

lode_cache_entry *lode_cache_find(lode_cache *cache, uint64_t owner, uint64_t offset)
{
    if (!cache)
        return NULL;
    uint64_t hash = hash_of(owner, offset);
    shard *s = &cache->shards[hash & (SHARDS - 1)];
    lode_mutex_lock(&s->lock);
    lode_cache_entry *e = *place_of(s, hash, owner, offset);
    if (e) {
        if (!e->refs++)
            unlink_ring(e);
        s->hits++;
    } else {
        s->misses++;
    }
    lode_mutex_unlock(&s->lock);
    return e;
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
        if (!gone) {
            link_newest(s, e);
            shrink_to_capacity(s);
        }
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
        free(s->ring);
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
