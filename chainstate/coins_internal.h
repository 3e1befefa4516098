/* chainstate/coins_internal.h: the coin set's own fields, for chainstate/coins_*.c alone. */
#ifndef LODE_CHAINSTATE_COINS_INTERNAL_H
#define LODE_CHAINSTATE_COINS_INTERNAL_H

#include "chainstate/coins.h"
#include "chainstate/coins_shard.h"
#include "support/thread.h"
#include "txindex/core_store.h"

#define LODE_COINS_SCRATCH 10240u /* any coin as stored: two VARINTs and a script of 10,002 bytes */
#define LODE_COINS_QUEUE 16u      /* prefetches under way */

/* A prefetch whose slot is on its way: its record is asked for some calls later. */
typedef struct lode_coins_prefetch_item {
    uint64_t hash;
    uint32_t first_bytes; /* of the txid, big endian */
} lode_coins_prefetch_item;

struct lode_coins {
    /* Constant after open. */
    char *path;
    lode_env *env;
    const lode_logger *logger;
    bool read_only;
    bool is_overlay; /* the store is another's, changes are never written */
    int threads;
    uint32_t batch_most; /* records and coins up to which a flush goes through log and memtable */
    uint64_t salt[5];
    uint8_t obfuscation[LODE_CORE_KEY_BYTES]; /* zeros: values stand as they are */
    lode_store *store;
    lode_cache *cache;

    /* Which generations there are: changed by the chain's thread under the write lock, read by workers under the read
     * lock. */
    pthread_rwlock_t generations_lock;
    lode_coins_generation *active;
    lode_coins_generation *frozen; /* NULL: none */
    bool frozen_is_written;        /* atomic; becomes true without the lock */
    bool database_has_coins;       /* false: no flush has begun and none was there; likewise locked */

    /* The chain's thread. */
    lode_coins_pool pool;
    size_t cache_bytes;
    uint64_t oldest_whole; /* all changes since the generation of this id are in memory */
    lode_coins_prefetch_item queue[LODE_COINS_QUEUE];
    uint32_t queue_at;
    uint8_t *script;            /* what a view lends; LODE_COINS_SCRATCH bytes */
    uint8_t *stored;            /* a coin read from the database; likewise */
    lode_block_hash flush_best; /* or how far a replay has come */
    bool flush_is_part;         /* 'H' is written instead of 'B': from flush_best to flush_new_head */
    lode_block_hash flush_new_head;
    lode_batch *batch; /* what the flush writes, if not all that is frozen */
    lode_thread flusher;

    size_t budget; /* atomic; for both generations */

    /* What stands on disk, and the flush under way. */
    lode_mutex lock;
    lode_cond flushed;
    bool has_best, has_heads;
    lode_block_hash best, new_head, old_head;
    bool is_flushing;
    lode_status flush_status;

    /* Atomic; each written by one thread. */
    uint64_t lookups, hits, database_reads, prefetched_used, flushes, coins_written, coins_deleted;
    uint64_t flush_wait_ns, flush_ns;
};

static inline void lode_coins_count(uint64_t *counter, uint64_t by)
{
    __atomic_store_n(counter, *counter + by, __ATOMIC_RELAXED);
}

/* XOR with the database's key. */
static inline void lode_coins_obfuscate(const lode_coins *c, uint8_t *value, size_t len)
{
    lode_core_store_hide(c->obfuscation, value, len);
}

/* A coin as stored, obfuscation undone, in parts; view->script points into data. False when it does not decode. */
bool lode_coins_decode_stored(lode_coin_view *view, const uint8_t *data, size_t len);

lode_status lode_coins_not_a_coin(const lode_coins *c, const uint8_t prevout[36]); /* the error that says so */
/* What memory does not know. A hint holds as long as every change since it was read is in memory. */
lode_status lode_coins_find_in_database(lode_coins *c, bool *found, lode_coin_view *view, const uint8_t prevout[36],
                                        const lode_fetched *hint);

/* Shares of cache_bytes. */
size_t lode_coins_block_cache_bytes(size_t cache_bytes);
size_t lode_coins_budget(size_t cache_bytes);

/* Before a change: sees to it that the frozen generation's memory makes room for what is to come. */
lode_status lode_coins_make_room(lode_coins *c, size_t bytes);

/* Waits for a flush under way and takes note of how it ended. Chain's thread. */
void lode_coins_settle_flush(lode_coins *c);

/* A generation with best block `flush_best`: as a batch, given (lode_batch_destroy), or written at once as a run. */
lode_status lode_coins_make_batch(lode_coins *c, lode_batch **batch, const lode_coins_generation *g);
lode_status lode_coins_write_run(lode_coins *c, const lode_coins_generation *g);
/* The changes in one shard alone, in key order, without 'B' and 'H'. Any thread, while nobody changes the generation.
 */
lode_status lode_coins_make_shard_batch(const lode_coins *c, lode_batch **batch, const lode_coins_generation *g,
                                        size_t shard);

void lode_coins_init_locks(lode_coins *c);
/* Tells 'B' and 'H' of the database. */
lode_status lode_coins_load_heads(lode_coins *c);

#endif
