/* loadblock/waiting.h: blocks seen, and blocks that wait for a parent. Used by the scan alone; not safe by itself. */
#ifndef LODE_LOADBLOCK_WAITING_H
#define LODE_LOADBLOCK_WAITING_H

#include "loadblock/scan.h"

/* Hashes by their first eight bytes. A false "seen" costs time, never a block: whoever acts on it asks the index. */
typedef struct lode_seen {
    uint64_t *slots; /* 0: empty */
    size_t count, capacity;
} lode_seen;
bool lode_seen_add(lode_seen *seen, const lode_block_hash *hash, bool *is_new); /* false: memory is out */
bool lode_seen_has(const lode_seen *seen, const lode_block_hash *hash);
void lode_seen_clear(lode_seen *seen);

typedef struct lode_waiting_map {
    lode_waiting **buckets;
    size_t bucket_count, count;
} lode_waiting_map;
bool lode_waiting_add(lode_waiting_map *map, const lode_waiting *waiting); /* copied; false: memory is out */
/* All that wait for `prev`, in order of arrival, taken out of the map: given, free each. */
lode_waiting *lode_waiting_take(lode_waiting_map *map, const lode_block_hash *prev);
void lode_waiting_clear(lode_waiting_map *map);

#endif
