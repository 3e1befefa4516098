/* storage/merge_cursor.h: several cursors as one, in order of internal keys. */
#ifndef LODE_STORAGE_MERGE_CURSOR_H
#define LODE_STORAGE_MERGE_CURSOR_H

#include "storage/cursor.h"

/* The children are taken, also on failure; the array is borrowed. NULL when memory is out. One child is given back as
 * it is. No two children hold the same internal key. */
lode_cursor *lode_merge_cursor(const lode_comparator *cmp, lode_cursor **children, size_t count);

#endif
