/* storage/block.h: reading one block of a table. The format is drawn in block_builder.h. */
#ifndef LODE_STORAGE_BLOCK_H
#define LODE_STORAGE_BLOCK_H

#include "storage/format.h"
#include "storage/memtable.h"

typedef struct lode_block {
    const uint8_t *data; /* lent by whoever pins the block */
    uint32_t restarts_at;
    uint32_t restart_count;
} lode_block;

/* False when the end of the bytes is no restart array. */
bool lode_block_init(lode_block *b, lode_slice bytes);

/* One position in a block of internal keys. The caller looks at `valid` and, when it is not, at `bad`: damage, or with
 * `no_memory` memory that ran out. */
typedef struct lode_block_cursor {
    const lode_comparator *cmp;
    lode_block block;
    bool valid;
    bool bad, no_memory;
    lode_slice key;
    lode_slice value;

    uint32_t at;   /* offset of the current entry */
    uint32_t next; /* offset of the one after it */
    lode_buf joined;
    /* While walking backwards: the entries of one restart interval, so that each is decoded once. */
    lode_buf back; /* of back_entry (block.c) */
    lode_buf back_keys;
    size_t back_left;
} lode_block_cursor;

void lode_block_cursor_init(lode_block_cursor *c, const lode_comparator *cmp);
void lode_block_cursor_clear(lode_block_cursor *c);
/* Go to another block (lent until the next use or clear); not valid before a seek. */
void lode_block_cursor_use(lode_block_cursor *c, const lode_block *block);
void lode_block_cursor_seek_first(lode_block_cursor *c);
void lode_block_cursor_seek_last(lode_block_cursor *c);
void lode_block_cursor_seek(lode_block_cursor *c, lode_slice internal);
void lode_block_cursor_next(lode_block_cursor *c);
void lode_block_cursor_prev(lode_block_cursor *c);

typedef enum lode_block_fault {
    LODE_BLOCK_SOUND = 0,
    LODE_BLOCK_DAMAGED = 1,
    LODE_BLOCK_NO_MEMORY = 2
} lode_block_fault;

/* The newest entry of `user_key` with a trailer not above `trailer`. With a fault nothing is known of the key.
 * *value is lent as the block is. */
lode_lookup lode_block_find(const lode_block *b, const lode_comparator *cmp, lode_slice *value, lode_block_fault *fault,
                            lode_slice user_key, uint64_t trailer);

#endif
