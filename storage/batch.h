/* storage/batch.h: changes that are applied together, in the form in which the log stores them.
 *
 * Batch:  sequence u64 | count u32 | record...                          little endian
 * Record: 01 | key_len varint | key | value_len varint | value          put
 *         00 | key_len varint | key                                     delete
 */
#ifndef LODE_STORAGE_BATCH_H
#define LODE_STORAGE_BATCH_H

#include "storage/format.h"
#include "storage/memtable.h"
#include "support/status.h"

enum { LODE_BATCH_HEADER_BYTES = 12 };

struct lode_batch {
    lode_buf rep; /* header and records; empty until the first record */
    uint32_t count;
    bool no_memory;
    bool too_large;
    bool lacks_bytes; /* a length without data */
};

/* Why this batch must not be written, if so. */
lode_status lode_batch_check(const lode_batch *b);
void lode_batch_set_sequence(lode_batch *b, uint64_t sequence);

/* Walks over the records of a stored batch: false at the end or at damage, which `bad` tells apart. */
typedef struct lode_batch_walk {
    const uint8_t *at;
    const uint8_t *end;
    uint32_t left;
    bool bad;
} lode_batch_walk;

/* *sequence is that of the first record. False when there is not even a header. */
bool lode_batch_walk_start(lode_batch_walk *w, uint64_t *sequence, lode_slice rep);
bool lode_batch_walk_next(lode_batch_walk *w, lode_entry_type *type, lode_slice *key, lode_slice *value);

/* Adds every record. *last_sequence is that of the last one. LODE_CORRUPT when the bytes are not a batch. */
lode_status lode_batch_apply(lode_slice rep, lode_memtable *m, uint64_t *last_sequence);

#endif
