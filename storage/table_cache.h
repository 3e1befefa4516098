/* storage/table_cache.h: which tables are open, and the removal of those that no version holds any more. */
#ifndef LODE_STORAGE_TABLE_CACHE_H
#define LODE_STORAGE_TABLE_CACHE_H

#include "storage/file_meta.h"

typedef struct lode_table_cache lode_table_cache;

/* `directory` is copied. At most about `limit` tables stay open. NULL when memory is out. */
lode_table_cache *lode_table_cache_create(lode_env *env, const char *directory, size_t limit,
                                          const lode_table_read_options *options);
void lode_table_cache_destroy(lode_table_cache *c); /* after the last file_meta */

/* The open table with a reference for the caller. Threads: any. */
lode_status lode_table_cache_open_slow(lode_table_cache *c, lode_table **out, lode_file_meta *f);
static inline lode_status lode_table_cache_open(lode_table_cache *c, lode_table **out, lode_file_meta *f)
{
    while (atomic_flag_test_and_set_explicit(&f->table_lock, memory_order_acquire))
        __builtin_ia32_pause();
    lode_table *t = f->table;
    if (t)
        lode_table_ref(t);
    atomic_flag_clear_explicit(&f->table_lock, memory_order_release);
    if (__builtin_expect(!t, 0))
        return lode_table_cache_open_slow(c, out, f);
    if (!atomic_load_explicit(&f->used, memory_order_relaxed))
        atomic_store_explicit(&f->used, true, memory_order_relaxed);
    *out = t;
    return lode_ok();
}

static inline void lode_file_meta_ref(lode_file_meta *f)
{
    atomic_fetch_add_explicit(&f->refs, 1, memory_order_relaxed);
}
/* With the last reference the table is closed, and the file of an obsolete one put on the list of what is to go. */
void lode_file_meta_unref(lode_table_cache *c, lode_file_meta *f);

/* Removes the files on that list. A failure costs room until the next open, which sweeps. */
void lode_table_cache_empty_trash(lode_table_cache *c);
size_t lode_table_cache_open_count(lode_table_cache *c);

#endif
