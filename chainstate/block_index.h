/* chainstate/block_index.h: the tree of headers, with what is stored of each block, and its database.
 *
 * The tree is loaded whole from `blocks/index` and lives in memory. One thread changes it.
 */
#ifndef LODE_CHAINSTATE_BLOCK_INDEX_H
#define LODE_CHAINSTATE_BLOCK_INDEX_H

#include "lode/store.h"
#include "support/env.h"
#include "support/log.h"
#include "validate/rules/node.h"

/* Core's BlockStatus. */
enum lode_block_status {
    LODE_BLOCK_VALID_TREE = 2, /* header and ancestors checked */
    LODE_BLOCK_VALID_TRANSACTIONS = 3,
    LODE_BLOCK_VALID_CHAIN = 4,
    LODE_BLOCK_VALID_SCRIPTS = 5,
    LODE_BLOCK_VALID_MASK = 7,
    LODE_BLOCK_HAVE_DATA = 8,
    LODE_BLOCK_HAVE_UNDO = 16,
    LODE_BLOCK_FAILED_VALID = 32,
    LODE_BLOCK_FAILED_CHILD = 64, /* read from old directories, written no more */
    LODE_BLOCK_OPT_WITNESS = 128,
    LODE_BLOCK_STATUS_RESERVED = 256, /* older versions' mark of blocks below a coin snapshot; kept as it is */
    LODE_BLOCK_STATUS_KNOWN = 511,
};

typedef struct lode_entry lode_entry;
struct lode_entry {
    lode_node node; /* first: a lode_node* in the tree is a lode_entry* */
    uint32_t status;
    uint32_t tx_count;              /* 0: never had its transactions */
    uint64_t chain_tx_count;        /* 0 until this block and all its ancestors had their transactions */
    int32_t file;                   /* with HAVE_DATA or HAVE_UNDO */
    uint32_t data_pos;              /* of the block itself, past the 8-byte record header */
    uint32_t undo_pos;              /* of the undo bytes, past the record header */
    uint32_t sequence;              /* order in which blocks became connectable: first seen wins at equal work */
    bool is_dirty;                  /* differs from what the database holds */
    bool in_candidates, in_headers; /* the index's own, as all below */
    uint32_t number;                /* order of arrival in memory, from 0 */
    lode_entry *first_child, *next_sibling;
    lode_entry *hash_next; /* the table's */
    lode_entry *dirty_next;
    lode_entry *queue_next;
};

static inline lode_entry *lode_entry_of(lode_node *node)
{
    return (lode_entry *)node;
}
static inline lode_entry *lode_entry_prev(const lode_entry *e)
{
    return (lode_entry *)e->node.prev;
}

/* Core's CBlockFileInfo. */
typedef struct lode_block_file_info {
    uint32_t blocks, size, undo_size; /* bytes used, not pre-allocated */
    uint32_t height_first, height_last;
    uint64_t time_first, time_last;
} lode_block_file_info;

typedef struct lode_block_index lode_block_index;

typedef struct lode_block_index_options {
    const char *path;                /* of blocks/index */
    const lode_chain_params *params; /* kept */
    lode_env *env;
    const lode_logger *logger;
    bool read_only; /* touch nothing; a missing database is LODE_MISSING */
    bool wipe;      /* -reindex: begin with an empty database */
    bool has_snapshot; /* verified blocks may stand upon one whose transactions have not come yet */
} lode_block_index_options;

/* Loads and checks everything: header hashes, proof of work, links, no record left unread. Sets chain_tx_count and
 * sequence as Core does after a load (0 for the best chain once told, 1 for others: see lode_block_index_set_best).
 * A new database holds nothing: the caller adds genesis. Errors: LODE_CORRUPT naming the record, LODE_LOCKED,
 * LODE_UNSUPPORTED (pruned or otherwise not ours). */
lode_status lode_block_index_open(lode_block_index **out, const lode_block_index_options *options);
lode_status lode_block_index_close(lode_block_index *index);

lode_entry *lode_block_index_find(const lode_block_index *index, const lode_block_hash *hash); /* NULL: unknown */
/* New entry below prev (NULL: genesis), status VALID_TREE, dirty. NULL when memory is out. */
lode_entry *lode_block_index_add(lode_block_index *index, const lode_header *header, const lode_block_hash *hash,
                                 lode_entry *prev);
size_t lode_block_index_count(const lode_block_index *index);
lode_entry *lode_block_index_genesis(const lode_block_index *index);
/* Every entry, in order of height, so parents before children. Stops when visit returns false. visit may change an
 * entry's fields and mark it dirty or failed, but must not call add, received or visit. Threads: one at a time, since
 * the entries hold the queue. */
void lode_block_index_visit(const lode_block_index *index, void *context,
                            bool (*visit)(void *context, lode_entry *entry));
void lode_block_index_mark_dirty(lode_block_index *index, lode_entry *entry);
/* The block's transactions are stored: status, tx_count, chain_tx_count of it and of waiting descendants, sequence. */
void lode_block_index_received(lode_block_index *index, lode_entry *entry, uint32_t tx_count, int32_t file,
                               uint32_t data_pos);
/* Its scripts passed, and its undo data lies there: status, position. */
void lode_block_index_verified(lode_block_index *index, lode_entry *entry, uint32_t undo_pos);
/* It and those below it pass for blocks stored with witnesses, from segwit's height on: a snapshot stands upon them. */
void lode_block_index_assume_witnesses(lode_block_index *index, lode_entry *entry);
/* After open: entries on the chain that ends here get sequence 0, others 1 (Core's LoadChainTip). */
void lode_block_index_set_best(lode_block_index *index, lode_entry *tip);
/* FAILED_VALID on the entry and all descendants / taken away from it, its ancestors and its descendants (Core's
 * ResetBlockFailureFlags). */
void lode_block_index_mark_failed(lode_block_index *index, lode_entry *entry);
void lode_block_index_reconsider(lode_block_index *index, lode_entry *entry);
/* The entry with most work (then lowest sequence) whose whole chain has data and no failure; never NULL once genesis
 * is stored. Costs no walk over the index (kept up to date by the calls above). */
lode_entry *lode_block_index_best_candidate(lode_block_index *index);
lode_entry *lode_block_index_best_header(lode_block_index *index); /* most work, not failed */

/* What other threads ask while one changes the tree. An entry's node never changes once it is in the tree, and entries live
 * until close: prev, skip, hash, header, height, times and work may be read by whoever has the pointer. */
typedef struct lode_entry_facts {
    const lode_entry *entry; /* its node only */
    uint32_t status, tx_count;
    bool has_children, is_connectable; /* it and all its ancestors had their transactions */
    int32_t file;
    uint32_t data_pos, undo_pos;
} lode_entry_facts;
bool lode_block_index_find_facts(lode_block_index *index, lode_entry_facts *facts, const lode_block_hash *hash);
void lode_block_index_facts_of(lode_block_index *index, lode_entry_facts *facts, const lode_entry *entry);
size_t lode_block_index_count_shared(lode_block_index *index);
/* Facts of the entries from number `first` on, at most `most`, in order of arrival: parents before children. Returns how
 * many; 0: there are no more. */
size_t lode_block_index_list_facts(lode_block_index *index, lode_entry_facts *facts, size_t first, size_t most);

/* Block files, number from 0. */
int32_t lode_block_index_last_file(const lode_block_index *index); /* -1: none yet */
/* Grows as asked; lent until the next call. NULL: a senseless number, or memory is out. */
lode_block_file_info *lode_block_index_file(lode_block_index *index, int32_t file);
void lode_block_index_mark_file_dirty(lode_block_index *index, int32_t file);

/* Flags ("txindex", "prunedblockfiles") and the R mark. */
bool lode_block_index_flag(const lode_block_index *index, const char *name, bool *value); /* false: no record */
void lode_block_index_set_flag(lode_block_index *index, const char *name, bool value);
bool lode_block_index_is_reindexing(const lode_block_index *index);
void lode_block_index_set_reindexing(lode_block_index *index, bool on);

/* Everything dirty in one synced batch. Block and undo files must have been synced before. */
lode_status lode_block_index_write(lode_block_index *index);

/* The first block at or above segwit's activation on the chain that ends here that was stored without its witness
 * (Core then asks for -reindex); NULL: none. */
lode_entry *lode_block_index_lacks_witness(const lode_block_index *index, lode_entry *tip);
/* Walks the invariants of Core's CheckBlockIndex over all entries, and that hashes, files and positions fit.
 * Errors: LODE_CORRUPT naming the first block that breaks one, and which. */
lode_status lode_block_index_verify(const lode_block_index *index);
lode_store *lode_block_index_store(lode_block_index *index); /* lent, for statistics and verify */

#endif
