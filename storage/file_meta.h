/* storage/file_meta.h: one table as versions see it, shared by all of them that hold it. */
#ifndef LODE_STORAGE_FILE_META_H
#define LODE_STORAGE_FILE_META_H

#include <stdatomic.h>

#include "storage/format.h"
#include "storage/table.h"

typedef struct lode_file_meta {
    atomic_uint refs;
    /* Constant after create; a run's table gets its final number before it is shared. */
    uint64_t number;
    uint64_t bytes;
    lode_slice smallest, largest; /* internal keys, in memory behind this struct */

    /* Guarded by the store's lock. */
    bool compacting;      /* an input of a running compaction */
    atomic_bool obsolete; /* no installed version holds it: the last reference removes the file */

    /* Reads that looked here in vain and went on to a deeper level, weighted (version.h). Updates may be lost. */
    _Atomic(uint32_t) detours;

    /* The table cache's. */
    atomic_flag table_lock;
    lode_table *table; /* guarded by table_lock; NULL: not open */
    atomic_bool used;  /* since the clock's hand came by */
    struct lode_file_meta *clock_next, *clock_prev;
} lode_file_meta;

/* One reference; NULL when memory is out. The keys are copied. */
lode_file_meta *lode_file_meta_create(uint64_t number, uint64_t bytes, lode_slice smallest, lode_slice largest);

#endif
