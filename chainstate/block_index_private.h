/* chainstate/block_index_private.h: what the files block_index_*.c share. */
#ifndef LODE_CHAINSTATE_BLOCK_INDEX_PRIVATE_H
#define LODE_CHAINSTATE_BLOCK_INDEX_PRIVATE_H

#include "chainstate/block_index.h"
#include "support/bytes.h"
#include "support/check.h"
#include "support/thread.h"
#include "txindex/core_store.h"

#define LODE_INDEX_SLAB 1024             /* entries */
#define LODE_INDEX_MAX_FILES (1 << 20)   /* 128 TiB of blocks */
#define LODE_INDEX_RECORD_VERSION 259900 /* Core's, in every record since; its value is not looked at */
#define LODE_INDEX_RECORD_MAX 256        /* bytes that an entry's record stays below */

/* Entries of which one is the best: the best apart, the others in a heap. A chain that grows at its best end never
 * touches the heap. An entry that is no longer a member may stay in it until it comes to the top. */
typedef struct lode_best {
    lode_entry *top;
    lode_entry **heap;
    size_t count, capacity;
} lode_best;

typedef struct lode_index_file {
    lode_block_file_info info;
    bool is_dirty;
} lode_index_file;

typedef struct lode_index_flag {
    char name[64];
    bool value, is_dirty;
} lode_index_flag;

struct lode_block_index {
    /* constant after open */
    const lode_chain_params *params;
    const lode_logger *logger;
    char *path;
    bool read_only, has_snapshot;
    lode_store *store;
    bool has_key; /* values are XORed with it */
    uint8_t key[LODE_CORE_KEY_BYTES];
    /* The tree: one thread changes it, under the write lock; it reads without. Others read under the read lock. */
    pthread_rwlock_t tree_lock;
    lode_entry **slabs;
    size_t slab_count, slab_capacity;
    size_t count;
    lode_entry **buckets;
    size_t bucket_count; /* a power of two, or 0 */
    lode_entry *genesis;
    lode_best candidates, headers;
    uint32_t next_sequence;
    lode_entry *dirty;
    /* the rest of the database */
    lode_index_file *files;
    size_t file_count, file_capacity;
    lode_index_flag *flags;
    size_t flag_count;
    bool is_reindexing, reindexing_is_dirty;
};

static inline lode_entry *lode_index_entry(const lode_block_index *index, size_t number)
{
    return &index->slabs[number / LODE_INDEX_SLAB][number % LODE_INDEX_SLAB];
}
static inline bool lode_entry_is_failed(const lode_entry *e)
{
    return e->status & LODE_BLOCK_FAILED_VALID;
}
/* Core calls it a candidate: this block and all before it are stored, none has failed. */
static inline bool lode_entry_is_candidate(const lode_entry *e)
{
    return e->chain_tx_count != 0 && !lode_entry_is_failed(e);
}

/* block_index.c. Room for one more entry in every structure, so that what follows cannot fail. */
bool lode_index_reserve(lode_block_index *index, size_t total);
/* The next free entry, zeroed, after a reserve. It is not in the tree before link. */
lode_entry *lode_index_take(lode_block_index *index);
/* Header, hash, stored fields are set: links it below prev and makes it findable. */
void lode_index_link(lode_block_index *index, lode_entry *e, lode_entry *prev);

/* block_index_best.c */
bool lode_index_is_better(const lode_entry *a, const lode_entry *b); /* as a tip: work, sequence, place on disk */
void lode_index_add_candidate(lode_block_index *index, lode_entry *e);
void lode_index_add_header(lode_block_index *index, lode_entry *e);
void lode_index_drop_failed(lode_block_index *index, lode_entry *root); /* after root and all below it were marked */
void lode_index_rebuild_candidates(lode_block_index *index);

/* block_index_record.c */
size_t lode_index_encode_entry(uint8_t out[LODE_INDEX_RECORD_MAX], const lode_entry *e);
/* NULL, or what is wrong. The header's prev is filled, links are not; *height is the record's. */
const char *lode_index_decode_entry(lode_entry *e, int32_t *height, lode_slice record);
const char *lode_index_peek_height(uint32_t *height, lode_slice record);
size_t lode_index_encode_file(uint8_t out[LODE_INDEX_RECORD_MAX], const lode_block_file_info *info);
const char *lode_index_decode_file(lode_block_file_info *info, lode_slice record);

/* block_index_load.c */
lode_status lode_index_load(lode_block_index *index);

#endif
