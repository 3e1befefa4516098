/* storage/pick.c: which tables to merge next.
 *
 * Room:     scores of levels, choice of inputs, and the book of what is running so that nothing meets.
 * Touches:  memory only.
 * Threads:  with the store's lock.
 * Promise:  two running compactions share no table, and write to one level only between keys that are apart.
 */
#include <stdlib.h>

#include "storage/store_internal.h"

enum { FILES_TO_COMPACT = 64 };
#define LEVEL_ONE_BYTES (UINT64_C(10) << 20)

uint64_t lode_store_level_limit(const lode_store *store, int level)
{
    uint64_t limit = LEVEL_ONE_BYTES, buffers = 4 * (uint64_t)store->options.write_buffer_bytes;
    if (limit < buffers)
        limit = buffers;
    for (int i = 1; i < level; i++)
        limit *= 10;
    return limit;
}

/* ---- the book ---- */

void lode_running_add(lode_store *store, lode_compaction *c)
{
    c->next = store->running;
    store->running = c;
}

void lode_running_remove(lode_store *store, lode_compaction *c)
{
    lode_compaction **p = &store->running;
    while (*p != c)
        p = &(*p)->next;
    *p = c->next;
}

bool lode_running_meets(const lode_store *store, int output_level, lode_slice smallest, lode_slice largest)
{
    for (const lode_compaction *c = store->running; c; c = c->next)
        if (c->output_level == output_level && lode_compare_user(store->cmp, c->smallest, largest) <= 0 &&
            lode_compare_user(store->cmp, smallest, c->largest) <= 0)
            return true;
    return false;
}

static uint64_t idle_bytes(const lode_store *store, int level)
{
    uint64_t bytes = store->versions.current->levels[level].bytes;
    for (const lode_compaction *c = store->running; c; c = c->next)
        for (size_t i = 0; c->version && c->level == level && i < c->counts[0]; i++)
            bytes -= c->inputs[0][i]->bytes;
    return bytes;
}

static bool is_burst(const lode_store *store)
{
    return !store->waiting_for_all && lode_clock_ns() < store->calm_at_ns;
}

static double score_of(const lode_store *store, int level)
{
    const lode_version *v = store->versions.current;
    if (level)
        return (double)idle_bytes(store, level) / (double)lode_store_level_limit(store, level);
    double by_runs = (double)v->run_count / (is_burst(store) ? LODE_RUNS_IN_A_BURST : LODE_RUNS_TO_COMPACT);
    double by_files = (double)v->levels[0].count / FILES_TO_COMPACT;
    return by_runs > by_files ? by_runs : v->run_count > 1 ? by_files : 0;
}

uint64_t lode_compaction_wait_us(const lode_store *store)
{
    uint64_t now = lode_clock_ns();
    if (store->versions.current->run_count < LODE_RUNS_TO_COMPACT || now >= store->calm_at_ns)
        return 0;
    return (store->calm_at_ns - now) / 1000 + 1;
}

/* ---- inputs ---- */

static bool contains(lode_file_meta **files, size_t count, const lode_file_meta *f)
{
    for (size_t i = 0; i < count; i++)
        if (files[i] == f)
            return true;
    return false;
}

static void widen(lode_compaction *c, const lode_comparator *cmp, const lode_file_meta *f)
{
    lode_slice smallest = lode_user_key(f->smallest), largest = lode_user_key(f->largest);
    if (!c->smallest.data || lode_compare_user(cmp, smallest, c->smallest) < 0)
        c->smallest = smallest;
    if (!c->largest.data || lode_compare_user(cmp, largest, c->largest) > 0)
        c->largest = largest;
}

static void take_input(lode_compaction *c, const lode_comparator *cmp, int which, lode_file_meta *f)
{
    c->inputs[which][c->counts[which]++] = f;
    widen(c, cmp, f);
}

static bool meets_range(const lode_compaction *c, const lode_comparator *cmp, const lode_file_meta *f)
{
    return lode_compare_user(cmp, lode_user_key(f->smallest), c->largest) <= 0 &&
           lode_compare_user(cmp, lode_user_key(f->largest), c->smallest) >= 0;
}

/* Level 0: whatever overlaps what was taken is taken too, until nothing does. */
static void close_level_0(lode_compaction *c, const lode_comparator *cmp)
{
    const lode_level *l = &c->version->levels[0];
    for (bool grown = true; grown;) {
        grown = false;
        for (size_t i = 0; i < l->count; i++)
            if (!contains(c->inputs[0], c->counts[0], l->files[i]) && meets_range(c, cmp, l->files[i])) {
                take_input(c, cmp, 0, l->files[i]);
                grown = true;
            }
    }
}

/* Files of the level from `at` on: those that overlap the range, and then any that goes on with the same user key,
 * which older entries of it must not stay above newer ones. Returns the index after the last. */
static size_t take_neighbours(lode_compaction *c, const lode_comparator *cmp, int which, int level, size_t at)
{
    const lode_level *l = &c->version->levels[level];
    for (; at < l->count && lode_compare_user(cmp, lode_user_key(l->files[at]->smallest), c->largest) <= 0; at++)
        take_input(c, cmp, which, l->files[at]);
    return at;
}

static void take_next_level(lode_compaction *c, const lode_comparator *cmp)
{
    size_t at = lode_version_file_of(c->version, c->output_level, c->smallest, lode_seek_trailer(LODE_MAX_SEQUENCE));
    take_neighbours(c, cmp, 1, c->output_level, at);
}

static uint64_t bytes_of(lode_file_meta **files, size_t count)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += files[i]->bytes;
    return bytes;
}

/* A table that meets nothing below is moved by a manifest record, unless that makes a later merge expensive. */
static bool is_movable(const lode_store *store, const lode_compaction *c)
{
    uint64_t below = 0;
    if (c->counts[0] != 1 || c->counts[1])
        return false;
    if (c->output_level + 1 < LODE_LEVELS) {
        const lode_level *l = &c->version->levels[c->output_level + 1];
        size_t i =
            lode_version_file_of(c->version, c->output_level + 1, c->smallest, lode_seek_trailer(LODE_MAX_SEQUENCE));
        for (; i < l->count && meets_range(c, store->cmp, l->files[i]); i++)
            below += l->files[i]->bytes;
    }
    return below <= 20 * (uint64_t)store->options.table_bytes;
}

static bool is_free(const lode_store *store, const lode_compaction *c)
{
    for (int which = 0; which < 2; which++)
        for (size_t i = 0; i < c->counts[which]; i++)
            if (c->inputs[which][i]->compacting)
                return false;
    return !lode_running_meets(store, c->output_level, c->smallest, c->largest);
}

static void destroy(lode_compaction *c)
{
    if (!c)
        return;
    lode_version_unref(c->version);
    free(c->inputs[0]);
    free(c->inputs[1]);
    free(c);
}

static lode_compaction *create(lode_store *store, int level)
{
    lode_version *v = store->versions.current;
    lode_compaction *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->level = level;
    c->output_level = level + 1;
    c->version = v;
    lode_version_ref(v);
    c->inputs[0] = malloc((v->levels[level].count + 1) * sizeof *c->inputs[0]);
    c->inputs[1] = malloc((v->levels[level + 1].count + 1) * sizeof *c->inputs[1]);
    if (!c->inputs[0] || !c->inputs[1]) {
        destroy(c);
        return NULL;
    }
    return c;
}

static void start(lode_store *store, lode_compaction *c)
{
    c->is_move = is_movable(store, c);
    for (int which = 0; which < 2; which++)
        for (size_t i = 0; i < c->counts[which]; i++)
            c->inputs[which][i]->compacting = true;
    lode_running_add(store, c);
}

void lode_compaction_end(lode_store *store, lode_compaction *c)
{
    for (int which = 0; which < 2; which++)
        for (size_t i = 0; i < c->counts[which]; i++)
            c->inputs[which][i]->compacting = false;
    lode_running_remove(store, c);
    destroy(c);
}

static void forget_inputs(lode_compaction *c)
{
    c->counts[0] = c->counts[1] = 0;
    c->smallest = c->largest = (lode_slice){ NULL, 0 };
}

/* Where the last compaction of the level stopped, so that all of it gets its turn. */
static size_t first_candidate(const lode_store *store, int level)
{
    const lode_buf *pointer = &store->versions.pointers[level];
    const lode_version *v = store->versions.current;
    if (pointer->len < LODE_TRAILER_BYTES)
        return 0;
    lode_slice key = lode_buf_slice(pointer);
    size_t i = lode_version_file_of(v, level, lode_user_key(key), lode_trailer(key));
    if (i < v->levels[level].count && lode_compare_internal(v->cmp, v->levels[level].files[i]->largest, key) == 0)
        i++;
    return i < v->levels[level].count ? i : 0;
}

/* A table of the level with all that must go along. False: something of that is in use. */
static bool take_table(lode_store *store, lode_compaction *c, size_t at)
{
    forget_inputs(c);
    take_input(c, store->cmp, 0, c->version->levels[c->level].files[at]);
    if (c->level)
        take_neighbours(c, store->cmp, 0, c->level, at + 1);
    else
        close_level_0(c, store->cmp);
    take_next_level(c, store->cmp);
    return is_free(store, c);
}

static bool fill_level_0(lode_store *store, lode_compaction *c)
{
    size_t count = c->version->levels[0].count;
    return count && take_table(store, c, count - 1);
}

static bool fill_level(lode_store *store, lode_compaction *c)
{
    const lode_level *l = &c->version->levels[c->level];
    size_t start_at = first_candidate(store, c->level);
    for (size_t tried = 0; tried < l->count; tried++) {
        size_t i = (start_at + tried) % l->count;
        if (!l->files[i]->compacting && take_table(store, c, i))
            return true;
    }
    return false;
}

static void remember_pointer(lode_store *store, const lode_compaction *c)
{
    lode_buf *pointer = &store->versions.pointers[c->level];
    lode_slice largest = c->inputs[0][c->counts[0] - 1]->largest;
    if (!c->level)
        return;
    lode_buf_reset(pointer);
    lode_buf_append(pointer, largest.data, largest.len);
    if (!lode_buf_is_good(pointer))
        lode_buf_clear(pointer);
}

/* Only when nothing is due by size: what reads would be quicker without. */
static lode_compaction *pick_worn(lode_store *store)
{
    const lode_version *v = store->versions.current;
    if (!atomic_load_explicit(&v->worn, memory_order_relaxed))
        return NULL;
    for (int level = 0; level < LODE_LEVELS - 1; level++) {
        const lode_level *l = &v->levels[level];
        for (size_t i = 0; i < l->count; i++) {
            if (l->files[i]->compacting || !lode_file_is_worn(l->files[i]))
                continue;
            lode_compaction *c = create(store, level);
            if (!c)
                return NULL;
            if (take_table(store, c, i)) {
                start(store, c);
                return c;
            }
            destroy(c);
        }
    }
    return NULL;
}

lode_compaction *lode_compaction_pick(lode_store *store)
{
    bool tried[LODE_LEVELS] = { false };
    if (store->options.bulk_load && !store->waiting_for_all)
        return NULL;
    for (int round = 0; round < LODE_LEVELS - 1; round++) {
        int best = -1;
        double best_score = 1;
        for (int level = 0; level < LODE_LEVELS - 1; level++) {
            double score = tried[level] ? 0 : score_of(store, level);
            if (score >= best_score && (best < 0 || score > best_score)) {
                best = level;
                best_score = score;
            }
        }
        if (best < 0)
            return round ? NULL : pick_worn(store);
        tried[best] = true;
        lode_compaction *c = create(store, best);
        if (!c)
            return NULL;
        if (best ? fill_level(store, c) : fill_level_0(store, c)) {
            start(store, c);
            remember_pointer(store, c);
            return c;
        }
        destroy(c);
    }
    return NULL;
}

/* ---- by hand ---- */

static bool is_in_range(const lode_store *store, const lode_file_meta *f, const lode_slice *first,
                        const lode_slice *limit)
{
    return !(first && lode_compare_user(store->cmp, lode_user_key(f->largest), *first) < 0) &&
           !(limit && lode_compare_user(store->cmp, lode_user_key(f->smallest), *limit) > 0);
}

lode_compaction *lode_compaction_pick_range(lode_store *store, int level, const lode_slice *first,
                                            const lode_slice *limit, bool *busy)
{
    const lode_level *l = &store->versions.current->levels[level];
    uint64_t most = 8 * (uint64_t)store->options.table_bytes; /* old and new tables are there at once */
    *busy = false;
    lode_compaction *c = create(store, level);
    if (!c)
        return NULL;
    size_t i = 0;
    while (i < l->count && !is_in_range(store, l->files[i], first, limit))
        i++;
    if (i < l->count && !level) {
        for (; i < l->count; i++)
            if (is_in_range(store, l->files[i], first, limit))
                take_input(c, store->cmp, 0, l->files[i]);
        close_level_0(c, store->cmp);
    } else if (i < l->count) {
        take_input(c, store->cmp, 0, l->files[i++]);
        while (i < l->count && is_in_range(store, l->files[i], first, limit) &&
               bytes_of(c->inputs[0], c->counts[0]) < most)
            take_input(c, store->cmp, 0, l->files[i++]);
        take_neighbours(c, store->cmp, 0, level, i);
    }
    if (c->counts[0]) {
        take_next_level(c, store->cmp);
        if (is_free(store, c)) {
            start(store, c);
            return c;
        }
        *busy = true;
    }
    destroy(c);
    return NULL;
}
