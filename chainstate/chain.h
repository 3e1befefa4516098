/* chainstate/chain.h: one data directory, open: block index, block files, coins, transaction index, and the tip.
 *
 * The struct is the library's own interface: loadblock/, query/ and api/ read its fields. One thread (the chain's)
 * changes it.
 */
#ifndef LODE_CHAINSTATE_CHAIN_H
#define LODE_CHAINSTATE_CHAIN_H

#include "chainstate/block_files.h"
#include "chainstate/block_index.h"
#include "chainstate/coins.h"
#include "chainstate/directory.h"
#include "chainstate/notes.h"
#include "support/pool.h"
#include "support/waiter.h"
#include "txindex/txindex.h"

/* Sizes that are Core's or fit large chains; a test shrinks them, so that a small chain meets every case. 0: as is. */
typedef struct lode_chain_geometry {
    uint32_t block_file_bytes, block_chunk_bytes, undo_chunk_bytes;
    uint32_t coins_batch_most, txindex_batch_most;
} lode_chain_geometry;

typedef struct lode_chain_options {
    const char *datadir, *blocksdir; /* blocksdir may be NULL */
    const char *blocks_from; /* another node's block files to take over without copying; NULL: none */
    const lode_chain_params *params; /* copied */
    lode_env *env;
    const lode_logger *logger; /* kept; may be NULL */
    bool read_only, create_if_missing, reindex, reindex_chainstate, random_xor_key;
    bool txindex; /* writers: keep one. Readers: opened when it is there */
    bool check_scripts;
    bool has_assume_valid;
    lode_block_hash assume_valid;
    lode_u256 minimum_chain_work;
    int threads; /* at least 1 */
    size_t cache_bytes;
    int64_t (*clock)(void *context); /* NULL: the system's */
    void *clock_context;
    lode_chain_geometry geometry;
} lode_chain_options;

typedef struct lode_chain {
    /* constant after open */
    lode_chain_params params;
    lode_chain_options options;
    lode_env *env;
    const lode_logger *logger;
    lode_directory *directory;
    lode_pool *pool; /* workers; NULL when read-only */
    lode_waiter *waiter; /* told by workers; here, since it must outlive them */
    lode_notes *notes;
    /* the chain thread's */
    lode_block_index *index;
    lode_block_files *files;
    lode_coins *coins;
    lode_txindex *txindex; /* NULL: none */
    lode_status txindex_declined; /* a failure: there is one, newer or damaged, which cannot be read (readers) */
    lode_entry *txindex_at; /* the block up to which transactions were added, NULL: none */
    lode_entry *scripts_run_to; /* the highest block of this run whose scripts, and those of all before, were run */
    lode_entry *tip;       /* what the coins stand at, in memory; its scripts may still be running */
    lode_entry **active;   /* entries of the chain that ends at tip, by height */
    size_t active_capacity;
    lode_entry *assumed;   /* the -assumevalid block, when it is known */
    lode_entry *replay_to; /* the new block of a cut-off flush while it is replayed; NULL: none is */
    bool in_doubt;      /* an error left the coins in memory half way in a block: they are never written */
    uint64_t flushed_at_ns; /* when the last flush began */
    uint64_t flush_interval_ns; /* a new one begins when it is so long ago */
    bool coins_wiped;       /* the coins start again from nothing in this run (-reindex, -reindex-chainstate) */
    volatile int interrupted; /* atomic; set from anywhere */
    /* Told now and then by long answers: `done` of `total` (0: not known) steps of what is named. May be NULL. */
    void (*on_progress)(void *context, const char *what, uint64_t done, uint64_t total);
    void *progress_context;
    /* Told of each block that joins the chain verified, or leaves it. Chain's thread; borrowed. May be NULL. */
    void (*on_block)(void *context, lode_entry *entry, bool is_connected, const lode_block *block, lode_slice undo);
    void *on_block_context;
    struct lode_sig_cache *warm; /* atomic; transactions that were verified before their block came; NULL: none */
    uint64_t warm_hits;          /* atomic */
} lode_chain;

/* Errors: LODE_MISSING (readers), LODE_LOCKED, LODE_CORRUPT, LODE_UNSUPPORTED, each with a sentence. A writer finishes
 * what a cut-off flush of Core's left ('H'): see lode_chain_replay. */
lode_status lode_chain_open(lode_chain **out, const lode_chain_options *options);
/* Does not flush: lode_chain_flush first. */
lode_status lode_chain_close(lode_chain *chain);

int64_t lode_chain_now(const lode_chain *chain); /* seconds since 1970, by the clock given */

bool lode_chain_is_interrupted(const lode_chain *chain);

/* Read and parse a stored block or its undo. buf is filled and must outlive `block`; arrays come from arena. */
lode_status lode_chain_read_block(lode_chain *chain, lode_block *block, lode_buf *buf, lode_arena *arena, const lode_entry *entry);
lode_status lode_chain_read_undo(lode_chain *chain, lode_buf *buf, const lode_entry *entry);

/* Take the tip's effects back: coins restored from undo bytes. Moves chain->tip to its parent. *unclean is set when
 * the coins did not match (Core's DISCONNECT_UNCLEAN). */
lode_status lode_chain_disconnect(lode_chain *chain, bool *unclean, const lode_block *block, lode_slice undo);

/* Durable: block and undo files, block index, then coins, then the transaction index as far as the coins on disk are.
 * Nothing unverified may be pending. wait false: the coins are written in the background. In the middle of a replay 'H'
 * stays and names the block that was reached.
 * Errors: LODE_NO_SPACE before anything is written when the disk has no room for it all: after room was made, opening
 *         and importing again goes on. */
lode_status lode_chain_flush(lode_chain *chain, bool wait);

/* The genesis block in our files and the index, where it is not there yet. */
lode_status lode_chain_store_genesis(lode_chain *chain);
/* The tip moves by one block; connect and disconnect call it. */
lode_status lode_chain_set_tip(lode_chain *chain, lode_entry *tip);
/* Finish what a cut-off flush of Core's left: undo from the old block to the fork, roll forward to the new one. progress
 * (may be NULL) is told the height. LODE_CANCELLED when interrupted: what was done is on disk, and the next replay goes
 * on from there; the chain has no tip then. */
lode_status lode_chain_replay(lode_chain *chain, void *context, void (*progress)(void *context, int32_t height, int32_t target));
/* Is the entry part of the chain that ends at chain->tip? */
bool lode_chain_contains(const lode_chain *chain, const lode_entry *entry);
/* The entry of the active chain at a height; NULL when there is none. */
lode_entry *lode_chain_at(const lode_chain *chain, int32_t height);
/* Are scripts of this block run, and why (Core's words for the log)? NULL reason: they are skipped. */
const char *lode_chain_script_reason(const lode_chain *chain, const lode_entry *entry);
/* CBlockLocator ending at entry, serialised as Core stores it. */
void lode_chain_locator(lode_buf *out, const lode_entry *entry);

#endif
