/* storage/table_internal.h: what table.c and table_cursor.c share. */
#ifndef LODE_STORAGE_TABLE_INTERNAL_H
#define LODE_STORAGE_TABLE_INTERNAL_H

#include <stdatomic.h>

#include "storage/filter.h"
#include "storage/key_index.h"
#include "storage/table.h"

typedef enum lode_block_kind {
    LODE_BLOCK_UNSEEN = 0, /* or not mapped */
    LODE_BLOCK_PLAIN = 1,
    LODE_BLOCK_PACKED = 2
} lode_block_kind;

struct lode_table {
    atomic_uint refs;

    /* Constant after open. */
    lode_env *env;
    char *path;
    lode_file *file;    /* NULL when mapped */
    const uint8_t *map; /* NULL: read with pread */
    uint64_t size;
    const lode_comparator *cmp;
    lode_cache *cache;
    uint64_t owner; /* in the cache */
    bool verify;
    bool has_filter;
    bool filter_is_damaged;           /* there is one and it does not read */
    const lode_filter_policy *policy; /* NULL: bloom */
    lode_filter_reader filter;
    lode_cache_entry *filter_entry; /* memory of the filter, or NULL when it lies in the map */

    /* The index, one element for each data block. Constant after open. */
    size_t count;
    lode_key_index by_key; /* empty when the order is not bytewise */
    uint64_t *offsets;
    uint32_t *lens;
    uint32_t *key_ends; /* of the internal keys, which lie side by side in `keys` */
    lode_buf keys;

    /* Where the cached copy of a block lay when it was last seen (cache.h), for prefetching only: it may be gone. */
    _Atomic(uint64_t) *hints;
    atomic_uchar *kinds; /* of mapped blocks, a lode_block_kind; set once, when the checksum was right */
};

/* The first block that may hold (user_key, trailer) or something after it; t->count: none. */
size_t lode_table_block_of(const lode_table *t, lode_slice user_key, uint64_t trailer);
lode_status lode_table_read_block(lode_table *t, lode_block *block, lode_table_pin *pin, size_t index,
                                  const lode_cursor_options *options);

/* A piece of a file read ahead of a walk that is not worth the cache. Zeroed: empty; data is freed by its owner. */
enum { LODE_TABLE_WINDOW_BYTES = 256 << 10 };
typedef struct lode_table_window {
    uint8_t *data;
    uint64_t offset;
    size_t len;
} lode_table_window;
/* A block from the window, which moves there first. *is_served false: it is compressed or too long, read it otherwise.
 * The block is lent until the window moves. */
lode_status lode_table_read_through(lode_table *t, lode_block *block, lode_table_window *window, size_t index,
                                    bool *is_served);

/* A hint that the block is read next. `index` may be t->count: nothing. */
void lode_table_prefetch(const lode_table *t, size_t index);

#endif
