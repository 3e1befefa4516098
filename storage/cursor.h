/* storage/cursor.h: what walks over internal keys, whatever lies beneath: memtable, block, table, level, merge.
 *
 * key, value and valid are fields, kept right by every move, so that whoever merges need not call to look.
 */
#ifndef LODE_STORAGE_CURSOR_H
#define LODE_STORAGE_CURSOR_H

#include <stdlib.h>

#include "storage/format.h"
#include "support/status.h"

typedef struct lode_cursor lode_cursor;

typedef struct lode_cursor_ops {
    void (*seek_first)(lode_cursor *c);
    void (*seek_last)(lode_cursor *c);
    void (*seek)(lode_cursor *c, lode_slice internal); /* first entry >= */
    void (*next)(lode_cursor *c);
    void (*prev)(lode_cursor *c);
    void (*destroy)(lode_cursor *c);
    /* A hint that this seek comes next, so that several children's misses overlap. NULL: nothing to be gained. */
    void (*foresee)(lode_cursor *c, lode_slice internal);
} lode_cursor_ops;

struct lode_cursor {
    const lode_cursor_ops *ops;
    bool valid;
    lode_slice key;     /* internal; lent until the cursor moves */
    lode_slice value;   /* lent until the cursor moves */
    lode_status status; /* not valid and failed: damage or a read error, not the end */
};

/* Zeros, or NULL. Not calloc, which in glibc passes the thread's cache by; a compiler that sees malloc and memset makes
 * a calloc of them. */
static inline void *lode_cursor_memory(size_t size)
{
    void *p = malloc(size);
    __asm__("" : "+r"(p));
    return p ? memset(p, 0, size) : NULL;
}

static inline void lode_cursor_destroy(lode_cursor *c)
{
    if (c)
        c->ops->destroy(c);
}
/* Not valid, with the reason. */
static inline void lode_cursor_fail(lode_cursor *c, lode_status s)
{
    c->valid = false;
    c->status = s;
}

#endif
