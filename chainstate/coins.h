/* chainstate/coins.h: the coin set: a compact cache in memory over the chainstate database.
 *
 * The cache is keyed by transaction: all outputs of one transaction that are in memory stand in one record, with their
 * txid, height and coinbase flag once, each output as it will be written to disk. Records live in slabs; a table of
 * small slots, sharded by the first bits of the txid (so that a flush walks them in key order) and hashed with a salt
 * inside a shard, finds them.
 *
 * Two generations: `active` takes all changes; a flush freezes it, writes it in the background as sorted runs, and the
 * frozen one then goes on serving reads as a clean cache until its memory is needed, shard by shard. A few changes are
 * written as a batch and join the frozen generation, so that frequent flushes do not cost the cache.
 *
 * Threads: one thread changes coins (the chain's thread). lode_coins_hash, lode_coins_pack, lode_coins_fetch may be
 *          called from any number of workers meanwhile.
 */
#ifndef LODE_CHAINSTATE_COINS_H
#define LODE_CHAINSTATE_COINS_H

#include "lode/store.h"
#include "primitives/encode.h"
#include "support/env.h"
#include "support/log.h"

typedef struct lode_coins lode_coins;

typedef struct lode_coins_options {
    const char *path; /* of the chainstate folder */
    lode_env *env;
    const lode_logger *logger;
    bool read_only;         /* touch nothing; LODE_MISSING if absent */
    bool wipe;              /* -reindex-chainstate: begin empty */
    size_t cache_bytes;     /* for everything here: cache, frozen generation, database block cache, runs being written */
    int threads;            /* for sorting and building runs */
    uint32_t batch_most;    /* records and coins up to which a flush goes through log and memtable; 0: 5,000 */
} lode_coins_options;

/* Refuses what it cannot read with a sentence: per-transaction records ('c', before 0.15) and unknown keys at or after
 * 'c' are LODE_UNSUPPORTED. A new database gets a random obfuscation key record, as Core writes one. */
lode_status lode_coins_open(lode_coins **out, const lode_coins_options *options);
/* The same refusals, before anything is written; an absent database is none of them. */
lode_status lode_coins_check_format(const char *path, lode_env *env);
/* What was not flushed is lost (the caller flushes first if it wants to keep it). */
lode_status lode_coins_close(lode_coins *coins);
/* A view of the same set whose changes stay in memory and can never be written: blocks are undone and connected in it
 * while what is on disk, and `base`, stay as they are. All calls work on it but flush. Its cursor shows the changes.
 * In:      base         kept; nothing in it may be changed, nor may it be closed, while the view is open. Everything in
 *                       it must be on disk: LODE_INVALID_ARGUMENT otherwise.
 *          cache_bytes  memory grows beyond it when changes need more: lode_coins_wants_flush says when to stop. */
lode_status lode_coins_open_overlay(lode_coins **out, lode_coins *base, size_t cache_bytes);

/* Record 'B': the block that the coins on disk stand at; and 'H', left by a flush of Core's that was cut off. */
lode_status lode_coins_best_block(lode_coins *coins, bool *found, lode_block_hash *hash);
lode_status lode_coins_head_blocks(lode_coins *coins, bool *found, lode_block_hash *new_hash, lode_block_hash *old_hash);

/* Salted hash of a txid. Any thread. */
uint64_t lode_coins_hash(const lode_coins *coins, const uint8_t txid[32]);
/* Brings what is needed to find outputs of this transaction into the processor's cache: the slot at once, the record
 * when 16 more calls have been made. Chain's thread, some 16 to 32 lookups ahead. */
void lode_coins_prefetch(const lode_coins *coins, const uint8_t txid[32], uint64_t hash);

/* One coin in parts. */
typedef struct lode_coin_view {
    uint32_t height;
    bool is_coinbase;
    uint64_t compressed_amount; /* Core's CompressAmount; lode_amount_decompress gives satoshis */
    lode_slice script;          /* compressed as Core stores it; lent until the next find or change of `coins` */
} lode_coin_view;

/* What a worker read ahead from the database for one input. */
typedef struct lode_fetched {
    uint64_t epoch;     /* of the database when it was read; what has changed since may make it stale: then it is read again */
    bool is_asked;      /* false: seemed to be in memory, was not read */
    bool is_found;
    uint32_t len;
    const uint8_t *coin; /* encoded as stored, in the caller's arena */
} lode_fetched;
/* Reads ahead, in key order, the coins of `count` prevouts (36 bytes each) that do not seem to be in memory. Results in
 * `fetched` by position, bytes from `arena`. Any thread. With an empty database this costs nothing. */
lode_status lode_coins_fetch(lode_coins *coins, lode_fetched *fetched, const uint8_t *const *prevouts, const uint64_t *hashes,
                             size_t count, lode_arena *arena);

/* Find without spending. hint may be NULL. A miss reads the database. */
lode_status lode_coins_find(lode_coins *coins, bool *found, lode_coin_view *view, const uint8_t prevout[36], uint64_t hash, const lode_fetched *hint);
/* Find and spend: afterwards the coin is gone. view->script stays lent until the next find or change. */
lode_status lode_coins_spend(lode_coins *coins, bool *found, lode_coin_view *view, const uint8_t prevout[36], uint64_t hash, const lode_fetched *hint);
/* Put one coin back or in (undo, snapshots, overwriting repeats of BIP 30). An existing coin is replaced. */
lode_status lode_coins_put(lode_coins *coins, const uint8_t prevout[36], uint64_t hash, const lode_coin_view *view);
/* Is any output of this transaction unspent (BIP 30)? output_count outputs are asked for. */
lode_status lode_coins_has_any(lode_coins *coins, bool *any, const uint8_t txid[32], uint64_t hash, uint32_t output_count);

/* All spendable outputs of a transaction in the cache's own form, made by a worker; from `arena`, NULL when memory is
 * out. len 0: the transaction has no spendable output. */
typedef struct lode_packed_tx {
    const uint8_t *bytes;
    uint32_t len;
    uint32_t count; /* outputs in it */
} lode_packed_tx;
bool lode_coins_pack(lode_packed_tx *packed, const lode_tx *tx, lode_arena *arena);
/* Add them all. The caller knows that none of them is unspent in the set (BIP 30 was asked, or cannot be violated);
 * may_overwrite says that it does not know (a repeated coinbase, blocks replayed after a flush that was cut off): then
 * older ones are replaced. */
lode_status lode_coins_add_tx(lode_coins *coins, const uint8_t txid[32], uint64_t hash, const lode_packed_tx *packed, uint32_t height,
                              bool is_coinbase, bool may_overwrite);

/* The same for a transaction that is about to be added: step 0 a good while before, step 1 somewhat before. */
void lode_coins_prefetch_add(const lode_coins *coins, const uint8_t txid[32], uint64_t hash, const lode_packed_tx *packed, int step);

/* Memory and flushing. */
typedef struct lode_coins_stats {
    size_t active_bytes, frozen_bytes; /* tables and records */
    uint64_t coins_cached;             /* live ones in memory */
    uint64_t lookups, hits, database_reads, prefetched_used, flushes, coins_written, coins_deleted;
    uint64_t flush_wait_ns, flush_ns;
} lode_coins_stats;
void lode_coins_get_stats(lode_coins *coins, lode_coins_stats *stats); /* any thread, a snapshot of counters */
bool lode_coins_wants_flush(const lode_coins *coins); /* active has reached its share */
bool lode_coins_is_dirty(const lode_coins *coins);    /* something to write beyond the database's best block */

/* Freeze and begin writing everything that changed, with best block `best`, in the background. When the call returns
 * the caller may go on changing coins. Waits for an earlier flush first. The flush is atomic over a crash: all of it,
 * 'B' included, becomes visible in one step of the store. The caller has synced block and undo files and the index. */
lode_status lode_coins_flush_begin(lode_coins *coins, const lode_block_hash *best);
/* The same in the middle of replaying a flush of Core's that was cut off: no 'B' is written, and 'H' names the block that
 * the coins are to reach and the one that the replay has come to. */
lode_status lode_coins_flush_part(lode_coins *coins, const lode_block_hash *new_head, const lode_block_hash *reached);
/* Wait until it is durable. Its error, if it failed (then everything is still in memory and begin may be tried again). */
lode_status lode_coins_flush_wait(lode_coins *coins);
bool lode_coins_is_flushing(const lode_coins *coins);
void lode_coins_set_cache_bytes(lode_coins *coins, size_t bytes);
/* Walks everything in memory and checks its shape: false with *what. Chain's thread, for tests. */
bool lode_coins_verify(lode_coins *coins, const char **what);

/* Every coin of the set as it stands on disk, in key order (flush first); of an overlay, with its changes. */
typedef struct lode_coins_cursor lode_coins_cursor;
lode_status lode_coins_cursor_open(lode_coins_cursor **out, lode_coins *coins, const uint8_t *from_txid /* NULL: first */);
/* *found false at the end. prevout filled, view lent until the next call. */
lode_status lode_coins_cursor_next(lode_coins_cursor *cursor, bool *found, uint8_t prevout[36], lode_coin_view *view);
void lode_coins_cursor_close(lode_coins_cursor *cursor);
/* A new, empty database filled with a whole set at once, in key order, past the cache: with best block `best`. Nothing is
 * visible until finish, then everything is. */
typedef struct lode_coins_load lode_coins_load;
lode_status lode_coins_load_begin(lode_coins_load **out, lode_coins *coins, const lode_block_hash *best);
lode_status lode_coins_load_put(lode_coins_load *load, const uint8_t prevout[36], const lode_coin_view *view);
lode_status lode_coins_load_finish(lode_coins_load *load); /* taken, also on failure */
void lode_coins_load_abandon(lode_coins_load *load);       /* NULL does nothing */

lode_store *lode_coins_store(lode_coins *coins); /* lent, for statistics, verify and compaction */

#endif
