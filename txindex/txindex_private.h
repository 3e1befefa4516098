/* txindex/txindex_private.h: what txindex.c and writer.c share. */
#ifndef LODE_TXINDEX_TXINDEX_PRIVATE_H
#define LODE_TXINDEX_TXINDEX_PRIVATE_H

#include "support/thread.h"
#include "txindex/core_store.h"
#include "txindex/entries.h"
#include "txindex/txindex.h"

enum { LODE_TXINDEX_KEY_BYTES = 33, LODE_TXINDEX_VALUE_MOST = 15 };

typedef struct lode_txindex_place {
    uint32_t file, block_pos;
} lode_txindex_place;

/* Entries of transactions, and where the blocks they lie in are. */
typedef struct lode_txindex_array {
    lode_tx_entry *entries;     /* room for `capacity`; allocated when first needed, like blocks */
    lode_txindex_place *blocks; /* room for `block_capacity` */
    size_t count, capacity;
    size_t block_count, block_capacity;
} lode_txindex_array;

struct lode_txindex {
    /* Constant after open. */
    char *path;
    lode_env *env;
    const lode_logger *logger;
    bool read_only;
    int threads;
    uint8_t obfuscation[LODE_CORE_KEY_BYTES]; /* Core honours a key here too, though it writes none */
    lode_store *store;
    uint32_t batch_most;
    uint64_t settle_bytes;

    /* The chain's thread. */
    uint64_t added;               /* entries, since the open */
    lode_txindex_array arrays[2]; /* four fifths of the memory, and one fifth for while the first is written */
    int filling;                  /* which one */
    lode_buf locator;             /* as it was written last; empty: not known */

    /* The writer's while it runs. What is left in its array after a failure is written again. */
    lode_thread writer;
    lode_txindex_array *writing;
    int writer_threads;
    int writer_is_done;      /* atomic */
    lode_buf writer_locator; /* written behind the entries; empty: none */
    lode_status writer_status;
};

static inline void lode_txindex_obfuscate(const lode_txindex *index, uint8_t *value, size_t len)
{
    lode_core_store_hide(index->obfuscation, value, len);
}

/* writer.c */
void lode_txindex_share_memory(lode_txindex *index, size_t bytes);
void lode_txindex_drop_entries(lode_txindex *index); /* waits for the writer; what was not written is gone */

#endif
