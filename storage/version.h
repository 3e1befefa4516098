/* storage/version.h: which tables make up the store at one moment, level by level. Immutable and shared. */
#ifndef LODE_STORAGE_VERSION_H
#define LODE_STORAGE_VERSION_H

#include "storage/key_index.h"
#include "storage/version_edit.h"

typedef struct lode_level {
    lode_file_meta **files; /* level 0: newest first, may overlap; others: ascending and disjoint */
    size_t count;
    uint64_t bytes;
    lode_key_index by_largest; /* of a level above 0 in bytewise order, else empty */
} lode_level;

typedef struct lode_version {
    atomic_uint refs;
    lode_table_cache *tables; /* kept */
    const lode_comparator *cmp;
    lode_level levels[LODE_LEVELS];
    size_t run_count;  /* of level 0: neighbours that do not overlap count once */
    atomic_uchar worn; /* a lode_wear */
} lode_version;

/* A table that many reads look into in vain, on their way to a deeper level, is worth merging into that level. */
typedef enum lode_wear { LODE_WEAR_NONE, LODE_WEAR_FOUND, LODE_WEAR_TOLD } lode_wear;
enum { LODE_DETOUR_OF_GET = 1, LODE_DETOUR_OF_SEEK = 4 };
/* A detour costs about 100 ns, a merge about 10 ns for each byte that it writes, and it writes several times the table.
 */
static inline bool lode_file_is_worn(const lode_file_meta *f)
{
    enum { LEAST = 4096, BYTES_PER_DETOUR = 64 };
    uint64_t most = f->bytes / BYTES_PER_DETOUR;
    return atomic_load_explicit(&f->detours, memory_order_relaxed) > (most < LEAST ? LEAST : most);
}
static inline void lode_version_note_detour(lode_version *v, lode_file_meta *f, uint32_t weight)
{
    atomic_store_explicit(&f->detours, atomic_load_explicit(&f->detours, memory_order_relaxed) + weight,
                          memory_order_relaxed);
    if (__builtin_expect(lode_file_is_worn(f), 0) && !atomic_load_explicit(&v->worn, memory_order_relaxed))
        atomic_store_explicit(&v->worn, LODE_WEAR_FOUND, memory_order_relaxed);
}

/* An empty one with one reference; NULL when memory is out. */
lode_version *lode_version_create(lode_table_cache *tables, const lode_comparator *cmp);
static inline void lode_version_ref(lode_version *v)
{
    atomic_fetch_add_explicit(&v->refs, 1, memory_order_relaxed);
}
void lode_version_unref(lode_version *v); /* NULL does nothing */

/* `base` with the edit applied. LODE_CORRUPT when that is no store: a removed table that is not there, two tables of
 * one number, tables of a level that overlap. */
lode_status lode_version_apply(lode_version **out, lode_version *base, const lode_version_edit *edit);

typedef struct lode_read_counts {
    uint64_t filtered, passed, passed_in_vain; /* what filters said, and how often a yes was wrong */
} lode_read_counts;

/* What the pin of a found value holds; release it before the version. */
typedef struct lode_version_pin {
    lode_table *table;
    lode_table_pin block;
} lode_version_pin;
static inline void lode_version_pin_release(lode_version_pin *pin)
{
    lode_table_pin_release(&pin->block);
    lode_table_unref(pin->table);
    pin->table = NULL;
}

/* The newest entry of `key` that `sequence` sees. Only when *found is LODE_LOOKUP_VALUE are *value and *pin filled. */
lode_status lode_version_find(lode_version *v, lode_lookup *found, lode_slice *value, lode_version_pin *pin,
                              lode_read_counts *counts, lode_slice key, uint32_t hash, uint64_t sequence);

/* Asks the disk for the block in which lode_version_find will look first. */
void lode_version_will_need(const lode_version *v, lode_slice key, uint32_t hash, uint64_t sequence);

/* In a level above 0: the first file whose largest key is at or after (user_key, trailer); count: none. */
size_t lode_version_file_of(const lode_version *v, int level, lode_slice user_key, uint64_t trailer);
/* Does a file of the level meet [smallest, largest]? User keys, both inclusive; NULL: open end. */
bool lode_version_overlaps(const lode_version *v, int level, const lode_slice *smallest, const lode_slice *largest);

/* A cursor over `files` (kept), which ascend and are disjoint; each is opened when it is reached. It keeps a
 * reference to the version. NULL when memory is out. */
lode_cursor *lode_level_cursor(lode_version *v, lode_file_meta *const *files, size_t count,
                               const lode_cursor_options *options);

#endif
