/* storage/memtable.h: the newest writes, sorted, in memory. */
#ifndef LODE_STORAGE_MEMTABLE_H
#define LODE_STORAGE_MEMTABLE_H

#include "storage/cursor.h"

typedef struct lode_memtable lode_memtable;

typedef enum lode_lookup { LODE_LOOKUP_NONE = 0, LODE_LOOKUP_VALUE = 1, LODE_LOOKUP_DELETED = 2 } lode_lookup;

/* One reference, the caller's. NULL when memory is out. `cmp` is kept; NULL: bytewise. It may grow past
 * `expected_bytes`, which its filter is made for. */
lode_memtable *lode_memtable_create(const lode_comparator *cmp, size_t expected_bytes);
void lode_memtable_ref(lode_memtable *m);
void lode_memtable_unref(lode_memtable *m); /* frees with the last one; NULL does nothing */

/* Threads: one writer; readers at any time. False: memory is out, nothing was added. The entry is seen by readers at
 * once, and not meant for them before its sequence is published. Adding in ascending order is cheapest. */
bool lode_memtable_add(lode_memtable *m, uint64_t sequence, lode_entry_type type, lode_slice key, lode_slice value);

/* The newest entry of `key` not after `sequence`; *value is lent until the last reference goes. `hash` is
 * lode_filter_hash of the key. */
lode_lookup lode_memtable_find(const lode_memtable *m, lode_slice *value, lode_slice key, uint32_t hash,
                               uint64_t sequence);

size_t lode_memtable_bytes(const lode_memtable *m); /* of entries and their links */
size_t lode_memtable_count(const lode_memtable *m);
/* False when empty. User keys, lent as values are. */
bool lode_memtable_range(const lode_memtable *m, lode_slice *smallest, lode_slice *largest);

/* Keeps a reference of its own. NULL when memory is out. */
lode_cursor *lode_memtable_cursor(lode_memtable *m);

#endif
