/* storage/table.h: reading one sorted table. The format is drawn in table_builder.h. */
#ifndef LODE_STORAGE_TABLE_H
#define LODE_STORAGE_TABLE_H

#include "storage/block.h"
#include "storage/cache.h"
#include "storage/cursor.h"
#include "support/env.h"

typedef struct lode_table lode_table;

typedef struct lode_table_read_options {
    const lode_comparator *cmp; /* kept; NULL: bytewise */
    lode_cache *cache;          /* kept; NULL: none */
    bool verify_checksums;
    bool use_filter;
    const lode_filter_policy *filter_policy; /* kept; NULL: bloom filters are used. Filters of another name are not */
    bool may_map;                            /* read through a map where the env has one */
} lode_table_read_options;

/* Footer, index and filter are read and checked: every block that the index names lies inside the file. One reference,
 * the caller's. `expected_bytes` 0: any size; else another size is LODE_CORRUPT. */
lode_status lode_table_open(lode_table **out, lode_env *env, const char *path, uint64_t expected_bytes,
                            const lode_table_read_options *options);
void lode_table_ref(lode_table *t);
void lode_table_unref(lode_table *t);                   /* closes with the last one; NULL does nothing */
bool lode_table_holds_file(const lode_table *t);        /* a descriptor is open; a mapped table needs none */
bool lode_table_filter_is_damaged(const lode_table *t); /* reads do without it; verify tells */

/* What keeps a block, and so the value in it, where it is. Released before the table. */
typedef struct lode_table_pin {
    lode_cache *cache;
    lode_cache_entry *entry; /* NULL: the block lies in a mapped file */
} lode_table_pin;
static inline void lode_table_pin_release(lode_table_pin *pin)
{
    lode_cache_unpin(pin->cache, pin->entry);
    pin->entry = NULL;
}

typedef enum lode_table_step { LODE_TABLE_FILTERED = 1, LODE_TABLE_PROBED = 2 } lode_table_step;

/* The newest entry of `user_key` with a trailer not above `trailer`.
 * Out: *value is lent until `pin` is released; *step, when the filter had a say, tells what it said. */
lode_status lode_table_find(lode_table *t, lode_lookup *found, lode_slice *value, lode_table_pin *pin, int *step,
                            lode_slice user_key, uint32_t hash, uint64_t trailer);

/* The disk is asked for the block that lode_table_find would read, unless it is mapped or in the cache. False: the key
 * is not here. */
bool lode_table_will_need(lode_table *t, lode_slice user_key, uint32_t hash, uint64_t trailer);

/* The index: one internal key for each block, not before any key in it; lent. */
size_t lode_table_block_count(const lode_table *t);
lode_slice lode_table_index_key(const lode_table *t, size_t i);

/* Where in the file an internal key would be. */
uint64_t lode_table_approximate_offset(const lode_table *t, lode_slice internal);

typedef struct lode_cursor_options {
    bool fill_cache;
    bool verify_checksums; /* also of blocks that were checked before */
    bool has_deeper;       /* a deeper level is looked into as well: seeks are noted as detours */
} lode_cursor_options;
/* Keeps a reference of its own. NULL when memory is out. */
lode_cursor *lode_table_cursor(lode_table *t, const lode_cursor_options *options);
/* On to another table of the same order; not valid before a seek. */
void lode_table_cursor_use(lode_cursor *c, lode_table *t);

#endif
