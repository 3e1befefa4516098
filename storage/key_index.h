/* storage/key_index.h: sorted keys as numbers, so that most of a search touches no key.
 *
 * What all keys begin with is left out; the eight bytes behind it are the number. Only for bytewise order.
 */
#ifndef LODE_STORAGE_KEY_INDEX_H
#define LODE_STORAGE_KEY_INDEX_H

#include "storage/format.h"

typedef struct lode_key_index {
    size_t count;
    uint64_t *prefixes; /* NULL: no index, and every search is left with everything */
    lode_slice common;  /* lent by the first key */
    double scale;       /* positions per step of the number, for a first guess */
} lode_key_index;

/* `key` gives the user key at a position, lent for as long as the index lives. False when memory is out. */
bool lode_key_index_init(lode_key_index *x, size_t count, lode_slice (*key)(const void *context, size_t i),
                         const void *context);
void lode_key_index_clear(lode_key_index *x);

/* The first key that is not before `user_key` lies in [*low, *high]; keys in [*low, *high) are still to be compared. */
void lode_key_index_search(const lode_key_index *x, size_t *low, size_t *high, lode_slice user_key);

#endif
