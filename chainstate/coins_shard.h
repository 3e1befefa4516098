/* chainstate/coins_shard.h: the records of all txids that begin with the same bits, and the table that finds them.
 *
 * The table is made of buckets of one cache line: 15 slots of 4 bytes, and a count of the records that found this
 * bucket full and went on to a later one, so that a search for what is absent ends early and a removal leaves nothing
 * behind. 0 is a free slot; others are
 *     bit 31 | bits of the record's hash | place of the record in the shard's chunks, in units of 4 bytes (offset_bits)
 * where bit 31 says that some output of the record is not fresh: the database may know others of that transaction.
 *
 * Records lie in chunks, one after another. Freed blocks are kept by size; when too much of a shard is in them, its
 * records are moved together. All steps touch one shard only, so none takes long.
 *
 * Threads: one thread changes shards and takes no lock. Others look at slots alone, atomically, and learn whether a
 * record seems to be there: a wrong answer costs them, or later the chain's thread, one reading of the database. A
 * table is freed when nobody looks.
 */
#ifndef LODE_CHAINSTATE_COINS_SHARD_H
#define LODE_CHAINSTATE_COINS_SHARD_H

#include "chainstate/coins_pool.h"
#include "chainstate/coins_record.h"
#include "support/status.h"

#define LODE_COINS_BUCKET_SLOTS 15u
#define LODE_COINS_CLASSES 79u /* of free blocks: exact ones up to 64 units, then quarters of powers of two */

typedef struct lode_coins_bucket {
    uint32_t slots[LODE_COINS_BUCKET_SLOTS]; /* atomic */
    uint32_t passed; /* atomic; records whose search starts here or earlier, and that lie further on */
} lode_coins_bucket;

typedef struct lode_coins_shard {
    /* Changed seldom, so that all processors may keep this line. Atomic. */
    lode_coins_bucket *buckets;
    uint32_t bucket_count;
    uint32_t offset_bits;
    uint32_t version; /* odd while the three above change */
    uint32_t chunk_count, chunk_capacity;
    uint8_t **chunks;
    lode_coins_bucket *retired; /* a table that someone was looking at when it was replaced */
    /* The changing thread's own. */
    uint32_t end_unit __attribute__((aligned(64))); /* of what is used in the last chunk */
    uint32_t records;
    uint32_t live;       /* unspent entries */
    uint32_t free_units; /* in free blocks */
    uint64_t classes[2]; /* which lists of free blocks are not empty */
    uint32_t heads[LODE_COINS_CLASSES];
    /* The others'. Atomic. */
    uint32_t readers __attribute__((aligned(64))); /* who may be looking at a table */
} lode_coins_shard;

/* One generation of coins: shards by the first bits of the txid. */
typedef struct lode_coins_generation {
    uint64_t id;
    unsigned shard_bits; /* 4 to 12 */
    uint32_t next_drop;  /* the shard whose turn it is to be dropped */
    lode_coins_shard *shards;
    lode_coins_pool *pool; /* kept */
    const uint64_t *salt;  /* kept; five words */
    /* Atomic; changed by the one thread that changes coins. */
    size_t bytes; /* chunks, tables, lists and shards */
    uint64_t records, live;
} lode_coins_generation;

static inline void lode_coins_account(lode_coins_generation *g, ptrdiff_t change)
{
    __atomic_store_n(&g->bytes, g->bytes + (size_t)change, __ATOMIC_RELAXED);
    __atomic_store_n(&g->pool->used_bytes, g->pool->used_bytes + (size_t)change, __ATOMIC_RELAXED);
}

/* Where an entry stands. Ends with the next change to the shard. */
typedef struct lode_coins_place {
    lode_coins_shard *shard;
    lode_coins_record *record;
    uint8_t *entry;
    uint32_t left; /* entries from this one on */
    uint64_t hash; /* of txid and part */
    uint32_t bucket, slot;
} lode_coins_place;

/* What names an output. */
typedef struct lode_coins_key {
    const uint8_t *txid;
    uint64_t hash; /* of txid and part */
    uint32_t part;
    unsigned index; /* within the part */
} lode_coins_key;

uint64_t lode_coins_salted_hash(const uint64_t salt[5], const uint8_t txid[32]);
/* Of the record's txid and part. */
uint64_t lode_coins_record_hash(const lode_coins_generation *g, const lode_coins_record *r);
static inline uint64_t lode_coins_part_hash(uint64_t hash, uint32_t part)
{
    if (part == 0)
        return hash;
    hash = (hash + part) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static inline lode_coins_shard *lode_coins_shard_of(const lode_coins_generation *g, const uint8_t *txid)
{
    return &g->shards[lode_read_be32(txid) >> (32 - g->shard_bits)];
}
static inline lode_coins_bucket *lode_coins_home(const lode_coins_shard *s, uint64_t hash)
{
    return &s->buckets[(hash >> 32) * s->bucket_count >> 32];
}

/* NULL when memory is out. */
lode_coins_generation *lode_coins_generation_create(lode_coins_pool *pool, const uint64_t *salt, uint64_t id,
                                                    size_t budget_bytes);
void lode_coins_generation_destroy(lode_coins_generation *g);
/* Gives one shard's memory back; false when none has any. */
bool lode_coins_generation_drop_shard(lode_coins_generation *g);

/* Searching, by the thread that changes. */
bool lode_coins_shard_find(lode_coins_place *place, lode_coins_shard *s, const lode_coins_key *key);
/* Is there a record of the key's txid and part, whatever its entries? */
bool lode_coins_shard_has_record(lode_coins_shard *s, const lode_coins_key *key);
/* All outputs of the key's txid and part that are known, as bits: adds to both sets. */
void lode_coins_shard_list(lode_coins_shard *s, const lode_coins_key *key, uint32_t *unspent, uint32_t *spent);
/* The slot's line, or the record's first two. */
void lode_coins_shard_prefetch_slot(const lode_coins_shard *s, uint64_t hash);
void lode_coins_shard_prefetch_record(const lode_coins_shard *s, uint64_t hash);

/* Looking, by any thread, at slots alone. Absent is certain of a shard that does not change meanwhile; the others may be of
 * another transaction. */
typedef enum lode_coins_seeming {
    LODE_COINS_ABSENT, /* no record of this txid and part */
    LODE_COINS_SOME,   /* one that may not hold all there is, or the table is being replaced */
    LODE_COINS_ALL,    /* one that holds all there is */
} lode_coins_seeming;
lode_coins_seeming lode_coins_shard_seems_to_have(lode_coins_shard *s, uint64_t hash);

/* Changes. All but remove may fail for want of memory; then nothing has changed. */

/* A new record with all its entries: fresh ones, or a single one. */
bool lode_coins_shard_add_record(lode_coins_generation *g, lode_coins_shard *s, const lode_coins_key *key,
                                 uint32_t code, const uint8_t *entries, size_t bytes, uint32_t count);
/* One more entry, whose index is not there yet, into a record of this code (any code for a spent one) or a new one. */
bool lode_coins_shard_add_entry(lode_coins_generation *g, lode_coins_shard *s, const lode_coins_key *key, uint32_t code,
                                const uint8_t *entry, size_t bytes);
void lode_coins_place_remove(lode_coins_generation *g, lode_coins_place *place);
/* An unspent entry becomes a spent one. */
void lode_coins_place_spend(lode_coins_generation *g, lode_coins_place *place);

void lode_coins_count_live(lode_coins_generation *g, lode_coins_shard *s, int change);
void lode_coins_count_records(lode_coins_generation *g, lode_coins_shard *s, int change);

/* No table: all records are gone. */
void lode_coins_shard_clear_table(lode_coins_generation *g, lode_coins_shard *s);

/* Walks all records, in no order. */
typedef struct lode_coins_walk {
    const lode_coins_shard *shard;
    uint32_t chunk, unit;
} lode_coins_walk;
static inline lode_coins_walk lode_coins_walk_of(const lode_coins_shard *s)
{
    return (lode_coins_walk){ s, 0, 1 };
}
lode_coins_record *lode_coins_walk_next(lode_coins_walk *w, uint32_t *offset); /* NULL at the end; offset may be NULL */

/* Checks the shape of a shard: every record is found, counts fit. False with *what. For tests and --enable-verify. */
bool lode_coins_shard_verify(const lode_coins_generation *g, const lode_coins_shard *s, const char **what);

#endif
