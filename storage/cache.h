/* storage/cache.h: blocks that were read, those not used of late first to go. The public half is in lode/store.h. */
#ifndef LODE_STORAGE_CACHE_H
#define LODE_STORAGE_CACHE_H

#include "lode/store.h"
#include "support/bytes.h"

/* A pinned block. `data` is constant once it was inserted. */
typedef struct lode_cache_entry {
    uint64_t owner, offset;
    struct lode_cache_entry *hash_next;
    struct lode_cache_entry *prev, *next; /* in the ring of the clock */
    uint32_t refs;
    bool in_cache;
    bool used;        /* since the hand came by */
    size_t len;       /* of `data` */
    size_t block_len; /* of the block in it; a trailer may follow */
    uint8_t data[];
} lode_cache_entry;

uint64_t lode_cache_new_owner(void); /* one number per open table, so that files of one name never meet */

/* Memory for a block that is about to be read, pinned by the caller; NULL when memory is out. */
lode_cache_entry *lode_cache_entry_create(uint64_t owner, uint64_t offset, size_t len);
/* A hint that find comes next. */
void lode_cache_prefetch(lode_cache *cache, uint64_t owner, uint64_t offset);
/* A number that tells where an entry lies, to prefetch its beginning and its end before it is found. It may outlive the
 * entry, as prefetching what is gone does nothing.
 *     length / 8 u16 | address u48 */
static inline uint64_t lode_cache_hint(const lode_cache_entry *e)
{
    uint64_t len = e->block_len / 8 < UINT16_MAX ? e->block_len / 8 : UINT16_MAX;
    return (uint64_t)(uintptr_t)e | len << 48;
}
static inline void lode_cache_prefetch_hint(uint64_t hint)
{
    const uint8_t *e = (const uint8_t *)(uintptr_t)(hint & ((UINT64_C(1) << 48) - 1));
    if (!hint)
        return;
    __builtin_prefetch(e);
    __builtin_prefetch(e + sizeof(lode_cache_entry));
    __builtin_prefetch(e + sizeof(lode_cache_entry) + (hint >> 48) * 8 - 8);
}
/* Pinned, or NULL. `cache` may be NULL, then nothing is ever found and insert keeps nothing. */
lode_cache_entry *lode_cache_find(lode_cache *cache, uint64_t owner, uint64_t offset);
bool lode_cache_has(lode_cache *cache, uint64_t owner, uint64_t offset); /* that is no use of it, and not counted */
/* The caller's pin stays. When another thread was faster, both entries live, and the newer is found. */
void lode_cache_insert(lode_cache *cache, lode_cache_entry *e);
void lode_cache_unpin(lode_cache *cache, lode_cache_entry *e); /* NULL does nothing */
/* Nobody will ask for it again. It lives on while it is pinned. */
void lode_cache_forget(lode_cache *cache, uint64_t owner, uint64_t offset);

void lode_cache_counts(const lode_cache *cache, uint64_t *hits, uint64_t *misses);

#endif
