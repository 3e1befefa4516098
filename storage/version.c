/* storage/version.c: the tables of one moment: built by applying an edit, searched for one key.
 *
 * Touches:  tables, through the table cache.
 * Threads:  any; a version never changes.
 * Promise:  tables of a level above 0 are disjoint and ascending; an edit that would break that is refused.
 */
#include "storage/version.h"

#include <stdlib.h>

lode_version *lode_version_create(lode_table_cache *tables, const lode_comparator *cmp)
{
    lode_version *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    atomic_init(&v->refs, 1);
    v->tables = tables;
    v->cmp = cmp;
    return v;
}

void lode_version_unref(lode_version *v)
{
    if (!v || atomic_fetch_sub_explicit(&v->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (int level = 0; level < LODE_LEVELS; level++) {
        for (size_t i = 0; i < v->levels[level].count; i++)
            lode_file_meta_unref(v->tables, v->levels[level].files[i]);
        free(v->levels[level].files);
        lode_key_index_clear(&v->levels[level].by_largest);
    }
    free(v);
}

/* ---- applying an edit ---- */

static bool is_removed(const lode_version_edit *edit, int level, uint64_t number)
{
    for (size_t i = 0; i < edit->removed_count; i++)
        if (edit->removed[i].number == number && edit->removed[i].level == level)
            return true;
    return false;
}

static int newest_first(const void *a, const void *b)
{
    const lode_file_meta *x = *(lode_file_meta *const *)a, *y = *(lode_file_meta *const *)b;
    return x->number > y->number ? -1 : x->number < y->number;
}

/* qsort_r with the comparator as its context. */
static int smallest_first(const void *a, const void *b, void *cmp)
{
    const lode_file_meta *x = *(lode_file_meta *const *)a, *y = *(lode_file_meta *const *)b;
    int c = lode_compare_internal(cmp, x->smallest, y->smallest);
    return c ? c : x->number < y->number ? -1 : x->number > y->number;
}

static lode_status check_level(const lode_version *v, int level)
{
    const lode_level *l = &v->levels[level];
    for (size_t i = 0; i < l->count; i++) {
        const lode_file_meta *f = l->files[i];
        if (lode_compare_internal(v->cmp, f->smallest, f->largest) > 0)
            return lode_fail(LODE_CORRUPT, "table %llu: its smallest key is after its largest",
                             (unsigned long long)f->number);
        if (!i)
            continue;
        const lode_file_meta *before = l->files[i - 1];
        if (before->number == f->number || (level && lode_compare_internal(v->cmp, before->largest, f->smallest) >= 0))
            return lode_fail(LODE_CORRUPT, "tables %llu and %llu of level %d overlap",
                             (unsigned long long)before->number, (unsigned long long)f->number, level);
    }
    return lode_ok();
}

static lode_slice largest_user_key(const void *level, size_t i)
{
    return lode_user_key(((const lode_level *)level)->files[i]->largest);
}

static lode_status index_level(lode_version *v, int level)
{
    lode_level *l = &v->levels[level];
    if (level && !v->cmp && !lode_key_index_init(&l->by_largest, l->count, largest_user_key, l))
        return lode_fail(LODE_NO_MEMORY, "no memory for a level of %zu tables", l->count);
    return lode_ok();
}

static lode_status build_level(lode_version *v, const lode_version *base, const lode_version_edit *edit, int level)
{
    const lode_level *old = &base->levels[level];
    lode_level *l = &v->levels[level];
    size_t added = 0, removed = 0, kept = 0;
    bool sorted = true;
    for (size_t i = 0; i < edit->added_count; i++)
        added += edit->added[i].level == level;
    for (size_t i = 0; i < edit->removed_count; i++)
        removed += edit->removed[i].level == level;
    if (!(old->count + added))
        return removed ? lode_fail(LODE_CORRUPT, "a table is removed from level %d, which has none", level) : lode_ok();
    l->files = malloc((old->count + added) * sizeof *l->files);
    if (!l->files)
        return lode_fail(LODE_NO_MEMORY, "no memory for a level of %zu tables", old->count + added);
    for (size_t i = 0; i < old->count; i++) {
        if (removed && is_removed(edit, level, old->files[i]->number))
            continue;
        l->files[kept++] = old->files[i];
    }
    l->count = kept;
    for (size_t i = 0; i < edit->added_count; i++)
        if (edit->added[i].level == level) {
            l->files[l->count++] = edit->added[i].file;
            sorted = false;
        }
    for (size_t i = 0; i < l->count; i++) {
        lode_file_meta_ref(l->files[i]);
        l->bytes += l->files[i]->bytes;
    }
    if (old->count - kept != removed)
        return lode_fail(LODE_CORRUPT, "a table is removed from level %d, where it is not", level);
    if (sorted)
        return index_level(v, level);
    if (level)
        qsort_r(l->files, l->count, sizeof *l->files, smallest_first, (void *)(uintptr_t)v->cmp);
    else
        qsort(l->files, l->count, sizeof *l->files, newest_first);
    LODE_TRY(check_level(v, level));
    return index_level(v, level);
}

/* A run that was ingested is many tables, and costs a reader one. */
static size_t count_runs(const lode_version *v)
{
    const lode_level *l = &v->levels[0];
    lode_slice low = { 0 }, high = { 0 };
    size_t runs = 0;
    for (size_t i = 0; i < l->count; i++) {
        lode_slice smallest = lode_user_key(l->files[i]->smallest), largest = lode_user_key(l->files[i]->largest);
        if (runs && lode_compare_user(v->cmp, largest, low) < 0) {
            low = smallest;
        } else if (runs && lode_compare_user(v->cmp, smallest, high) > 0) {
            high = largest;
        } else {
            runs++;
            low = smallest;
            high = largest;
        }
    }
    return runs;
}

lode_status lode_version_apply(lode_version **out, lode_version *base, const lode_version_edit *edit)
{
    *out = NULL;
    lode_version *v = lode_version_create(base->tables, base->cmp);
    if (!v)
        return lode_fail(LODE_NO_MEMORY, "no memory for a version");
    for (int level = 0; level < LODE_LEVELS; level++) {
        lode_status s = build_level(v, base, edit, level);
        if (lode_failed(s)) {
            lode_version_unref(v);
            return s;
        }
    }
    v->run_count = count_runs(v);
    *out = v;
    return lode_ok();
}

/* ---- searching ---- */

size_t lode_version_file_of(const lode_version *v, int level, lode_slice user_key, uint64_t trailer)
{
    const lode_level *l = &v->levels[level];
    size_t low = 0, high = l->count;
    if (l->by_largest.prefixes)
        lode_key_index_search(&l->by_largest, &low, &high, user_key);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        lode_slice largest = l->files[middle]->largest;
        int c = lode_compare_user(v->cmp, lode_user_key(largest), user_key);
        if (c == 0)
            c = lode_trailer(largest) > trailer ? -1 : 1;
        if (c < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_after(const lode_comparator *cmp, lode_slice a, lode_slice b)
{
    return lode_compare_user(cmp, a, b) > 0;
}

bool lode_version_overlaps(const lode_version *v, int level, const lode_slice *smallest, const lode_slice *largest)
{
    const lode_level *l = &v->levels[level];
    if (!level) {
        for (size_t i = 0; i < l->count; i++)
            if (!(largest && is_after(v->cmp, lode_user_key(l->files[i]->smallest), *largest)) &&
                !(smallest && is_after(v->cmp, *smallest, lode_user_key(l->files[i]->largest))))
                return true;
        return false;
    }
    size_t i = smallest ? lode_version_file_of(v, level, *smallest, lode_seek_trailer(LODE_MAX_SEQUENCE)) : 0;
    return i < l->count && !(largest && is_after(v->cmp, lode_user_key(l->files[i]->smallest), *largest));
}

typedef struct search {
    lode_slice key;
    uint64_t trailer;
    uint32_t hash;
} search;

static lode_status find_in_file(const lode_version *v, lode_lookup *found, lode_slice *value, lode_version_pin *pin,
                                lode_read_counts *counts, lode_file_meta *f, const search *q)
{
    lode_table *t;
    int step;
    LODE_TRY(lode_table_cache_open(v->tables, &t, f));
    lode_status s = lode_table_find(t, found, value, &pin->block, &step, q->key, q->hash, q->trailer);
    counts->filtered += step == LODE_TABLE_FILTERED;
    counts->passed += step == LODE_TABLE_PROBED;
    counts->passed_in_vain += step == LODE_TABLE_PROBED && *found == LODE_LOOKUP_NONE;
    if (!lode_failed(s) && *found == LODE_LOOKUP_VALUE) {
        pin->table = t;
        return s;
    }
    if (*found == LODE_LOOKUP_DELETED)
        lode_table_pin_release(&pin->block);
    lode_table_unref(t);
    return s;
}

lode_status lode_version_find(lode_version *v, lode_lookup *found, lode_slice *value, lode_version_pin *pin,
                              lode_read_counts *counts, lode_slice key, uint32_t hash, uint64_t sequence)
{
    search q = { key, lode_seek_trailer(sequence), hash };
    const lode_level *l = &v->levels[0];
    lode_file_meta *first = NULL; /* that was looked into in vain */
    *found = LODE_LOOKUP_NONE;
    for (size_t i = 0; i < l->count; i++) {
        lode_file_meta *f = l->files[i];
        if (is_after(v->cmp, lode_user_key(f->smallest), key) || is_after(v->cmp, key, lode_user_key(f->largest)))
            continue;
        LODE_TRY(find_in_file(v, found, value, pin, counts, f, &q));
        if (*found != LODE_LOOKUP_NONE)
            return lode_ok();
        first = f;
    }
    for (int level = 1; level < LODE_LEVELS; level++) {
        if (!v->levels[level].count)
            continue;
        size_t i = lode_version_file_of(v, level, key, q.trailer);
        if (i == v->levels[level].count || is_after(v->cmp, lode_user_key(v->levels[level].files[i]->smallest), key))
            continue;
        lode_file_meta *f = v->levels[level].files[i];
        if (first)
            lode_version_note_detour(v, first, LODE_DETOUR_OF_GET);
        LODE_TRY(find_in_file(v, found, value, pin, counts, f, &q));
        if (*found != LODE_LOOKUP_NONE)
            return lode_ok();
        first = f;
    }
    return lode_ok();
}

/* True: that is where the search will begin to read. */
static bool file_will_need(const lode_version *v, lode_file_meta *f, const search *q)
{
    lode_table *t;
    if (is_after(v->cmp, lode_user_key(f->smallest), q->key) || is_after(v->cmp, q->key, lode_user_key(f->largest)))
        return false;
    lode_status s = lode_table_cache_open(v->tables, &t, f);
    if (lode_failed(s))
        return true; /* the search meets the same failure and reports it */
    bool needed = lode_table_will_need(t, q->key, q->hash, q->trailer);
    lode_table_unref(t);
    return needed;
}

void lode_version_will_need(const lode_version *v, lode_slice key, uint32_t hash, uint64_t sequence)
{
    search q = { key, lode_seek_trailer(sequence), hash };
    for (size_t i = 0; i < v->levels[0].count; i++)
        if (file_will_need(v, v->levels[0].files[i], &q))
            return;
    for (int level = 1; level < LODE_LEVELS; level++) {
        size_t i = v->levels[level].count ? lode_version_file_of(v, level, key, q.trailer) : 0;
        if (i < v->levels[level].count && file_will_need(v, v->levels[level].files[i], &q))
            return;
    }
}
