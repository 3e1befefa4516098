/* storage/key_index.h: sorted keys as numbers, so that most of a search touches no key.
 *
 * What all keys begin with is left out; the eight bytes behind it are the number. Only for bytewise order.
 * The last key of a table's index is often a single byte, which begins like no other: it is let off, and has the
 * highest number.
 */
#ifndef LODE_STORAGE_KEY_INDEX_H
#define LODE_STORAGE_KEY_INDEX_H

#include "storage/format.h"

typedef struct lode_key_index {
    size_t count;
    uint64_t *prefixes; /* NULL: no index, and every search is left with everything */
    lode_slice common;  /* lent by the first key */
    uint64_t *samples;  /* every so-manyth of the numbers, in the same memory */
    size_t sample_count;
    bool last_is_odd; /* the last key does not begin with `common` */
} lode_key_index;

/* `key` gives the user key at a position, lent for as long as the index lives. False when memory is out. */
bool lode_key_index_init(lode_key_index *x, size_t count, lode_slice (*key)(const void *context, size_t i),
                         const void *context);
void lode_key_index_clear(lode_key_index *x);

/* The first key that is not before `user_key` lies in [*low, *high]; keys in [*low, *high) are still to be compared. */
void lode_key_index_search(const lode_key_index *x, size_t *low, size_t *high, lode_slice user_key);

#endif
