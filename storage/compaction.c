/* storage/compaction.c: the threads that merge tables into the level below.
 *
 * Room:     splitting a compaction into parts, handing them to whoever is idle, installing the result.
 * Touches:  the manifest; tables are merge_job.c's.
 * Threads:  several compactions at once, on tables and key ranges that are apart (pick.c), each of them perhaps in
 *           several parts.
 * Promise:  a failed compaction changes nothing; the manifest names outputs when all parts are done and synced.
 */
#include <stdlib.h>

#include "storage/merge_job.h"

/* One part of a compaction; the array of them belongs to the thread that began it. */
struct lode_part {
    lode_merge_job job;
    lode_status status;
    size_t *left; /* parts of this compaction that are not done; guarded by the store's lock */
    lode_part *next;
};

uint64_t lode_store_smallest_snapshot(lode_store *store)
{
    if (store->snapshots.next != &store->snapshots)
        return store->snapshots.next->sequence;
    return atomic_load_explicit(&store->last_sequence, memory_order_acquire);
}

/* ---- where to split ---- */

enum { SAMPLES_PER_TABLE = 16 };

typedef struct sample {
    lode_slice key; /* a user key, lent by a table that is kept open */
    uint64_t bytes; /* of its table from here to the next sample */
} sample;

typedef struct sampling {
    sample *samples;
    size_t count;
    lode_table **tables;
    size_t table_count;
    uint64_t bytes;
} sampling;

static int by_user_key(const void *a, const void *b, void *cmp)
{
    return lode_compare_user(cmp, ((const sample *)a)->key, ((const sample *)b)->key);
}

static void clear_sampling(sampling *x)
{
    for (size_t i = 0; i < x->table_count; i++)
        lode_table_unref(x->tables[i]);
    free(x->tables);
    free(x->samples);
}

/* Some index keys of every input. False: no splitting, for whatever reason. */
static bool take_samples(sampling *x, lode_store *store, const lode_compaction *c)
{
    size_t files = c->counts[0] + c->counts[1];
    x->samples = malloc(files * SAMPLES_PER_TABLE * sizeof *x->samples);
    x->tables = malloc(files * sizeof *x->tables);
    if (!x->samples || !x->tables)
        return false;
    for (size_t n = 0; n < files; n++) {
        lode_file_meta *f = n < c->counts[0] ? c->inputs[0][n] : c->inputs[1][n - c->counts[0]];
        lode_table *t;
        if (lode_failed(lode_table_cache_open(store->tables, &t, f)))
            return false; /* the merge meets the same failure and reports it */
        x->tables[x->table_count++] = t;
        size_t blocks = lode_table_block_count(t), step = blocks / SAMPLES_PER_TABLE + 1;
        for (size_t i = step - 1; i < blocks; i += step)
            x->samples[x->count++] =
                (sample){ lode_user_key(lode_table_index_key(t, i)), f->bytes * step / (blocks ? blocks : 1) };
        x->bytes += f->bytes;
    }
    qsort_r(x->samples, x->count, sizeof *x->samples, by_user_key, (void *)(uintptr_t)store->cmp);
    return true;
}

/* Up to most - 1 keys in `bounds` that cut the inputs into parts of about one size. Returns the number of parts. */
static size_t choose_bounds(const sampling *x, lode_slice *bounds, size_t most, const lode_comparator *cmp)
{
    uint64_t so_far = 0, bytes = 0;
    size_t parts = 1;
    for (size_t i = 0; i < x->count; i++)
        bytes += x->samples[i].bytes;
    for (size_t i = 0; i < x->count && parts < most; i++) {
        so_far += x->samples[i].bytes;
        if (so_far < bytes * parts / most)
            continue;
        if (parts == 1 || lode_compare_user(cmp, bounds[parts - 2], x->samples[i].key) < 0)
            bounds[parts++ - 1] = x->samples[i].key;
    }
    return parts;
}

static uint64_t input_bytes(const lode_compaction *c)
{
    uint64_t bytes = 0;
    for (int which = 0; which < 2; which++)
        for (size_t i = 0; i < c->counts[which]; i++)
            bytes += c->inputs[which][i]->bytes;
    return bytes;
}

/* ---- parts ---- */

/* With the lock, which is released meanwhile. */
static void run_part(lode_store *store, lode_part *part)
{
    lode_mutex_unlock(&store->lock);
    part->status = lode_merge_job_run(&part->job);
    lode_mutex_lock(&store->lock);
    if (!--*part->left)
        lode_cond_broadcast(&store->done);
}

static lode_part *take_part(lode_store *store)
{
    lode_part *part = store->parts;
    if (part)
        store->parts = part->next;
    return part;
}

/* With the lock: all parts, helped by idle threads. Returns the first failure. */
static lode_status run_parts(lode_store *store, lode_part *parts, size_t count)
{
    size_t left = count;
    lode_status s = lode_ok();
    for (size_t i = 0; i < count; i++)
        parts[i].left = &left;
    for (size_t i = count; i-- > 1;) {
        parts[i].next = store->parts;
        store->parts = &parts[i];
    }
    if (count > 1)
        lode_cond_broadcast(&store->work);
    run_part(store, &parts[0]);
    while (left) {
        lode_part *part = take_part(store); /* of this compaction or another: all of them are to be done */
        if (part)
            run_part(store, part);
        else
            lode_cond_wait(&store->done, &store->lock);
    }
    for (size_t i = 0; i < count && !lode_failed(s); i++)
        s = parts[i].status;
    return s;
}

/* With the lock, which is released meanwhile: new tables in `edit`. */
static lode_status merge_inputs(lode_store *store, lode_compaction *c, lode_version_edit *edit)
{
    lode_part parts[LODE_THREADS_LIMIT] = { 0 };
    lode_slice bounds[LODE_THREADS_LIMIT];
    sampling x = { 0 };
    uint64_t snapshot = lode_store_smallest_snapshot(store), start_ns = lode_clock_ns(), bytes = input_bytes(c);
    size_t most = (size_t)store->options.background_threads, count = 1;
    if (most > bytes / (4 * store->options.table_bytes))
        most = (size_t)(bytes / (4 * store->options.table_bytes));
    lode_mutex_unlock(&store->lock);
    if (most > 1 && take_samples(&x, store, c))
        count = choose_bounds(&x, bounds, most, store->cmp);
    for (size_t i = 0; i < count; i++) {
        parts[i].job = (lode_merge_job){ .store = store, .c = c, .smallest_snapshot = snapshot };
        if (i)
            parts[i].job.first = bounds[i - 1];
        if (i + 1 < count)
            parts[i].job.limit = bounds[i];
    }
    lode_mutex_lock(&store->lock);
    lode_status s = run_parts(store, parts, count);
    lode_level_stats *stats = &store->stats[c->output_level];
    for (size_t i = 0; i < count; i++)
        stats->bytes_written += parts[i].job.bytes_written;
    stats->bytes_read += bytes;
    stats->time_ns += lode_clock_ns() - start_ns;
    stats->runs++;
    lode_mutex_unlock(&store->lock);
    for (size_t i = 0; i < count; i++) {
        lode_version_edit *made = &parts[i].job.edit;
        for (size_t n = 0; n < made->added_count; n++) {
            if (lode_failed(s)) /* another part failed, so this one's tables are in vain */
                lode_merge_job_remove_table(&parts[i].job, made->added[n].file->number);
            lode_file_meta_ref(made->added[n].file);
            lode_version_edit_add(edit, made->added[n].level, made->added[n].file);
        }
        edit->failed |= made->failed;
        lode_merge_job_clear(&parts[i].job);
    }
    clear_sampling(&x);
    lode_mutex_lock(&store->lock);
    return s;
}

/* ---- installing ---- */

static void renew_view(void *context)
{
    lode_store *store = context;
    if (!lode_view_renew(store, 0))
        lode_store_fail(store, lode_fail(LODE_NO_MEMORY, "%s: no memory for a view", store->path));
}

/* With the lock. */
static lode_status install(lode_store *store, lode_compaction *c, lode_version_edit *edit)
{
    for (int which = 0; which < 2; which++)
        for (size_t i = 0; i < c->counts[which]; i++)
            lode_version_edit_remove(edit, which ? c->output_level : c->level, c->inputs[which][i]->number);
    if (c->is_move) {
        lode_file_meta_ref(c->inputs[0][0]);
        lode_version_edit_add(edit, c->output_level, c->inputs[0][0]);
    }
    if (c->level && store->versions.pointers[c->level].len)
        lode_version_edit_set_pointer(edit, c->level, lode_buf_slice(&store->versions.pointers[c->level]));
    return lode_versions_apply(&store->versions, &store->lock, edit, store, renew_view);
}

/* With the lock, which is released while the merge runs. `c` is ended. */
static lode_status run_compaction(lode_store *store, lode_compaction *c)
{
    lode_version_edit edit;
    lode_status s = lode_ok();
    lode_version_edit_init(&edit);
    if (!c->is_move)
        s = merge_inputs(store, c, &edit);
    if (!lode_failed(s))
        s = install(store, c, &edit);
    lode_compaction_end(store, c);
    lode_mutex_unlock(&store->lock);
    lode_version_edit_clear(store->tables, &edit);
    lode_table_cache_empty_trash(store->tables);
    lode_mutex_lock(&store->lock);
    if (lode_failed(s) && s.code != LODE_CANCELLED)
        lode_store_fail(store, s);
    lode_cond_broadcast(&store->done);
    lode_cond_broadcast(&store->work);
    return s;
}

void lode_store_tell_wear(lode_store *store, lode_version *v)
{
    unsigned char found = LODE_WEAR_FOUND;
    if (!atomic_compare_exchange_strong(&v->worn, &found, LODE_WEAR_TOLD))
        return;
    lode_mutex_lock(&store->lock);
    lode_cond_broadcast(&store->work);
    lode_mutex_unlock(&store->lock);
}

void *lode_store_compactor(void *context)
{
    lode_store *store = context;
    lode_mutex_lock(&store->lock);
    for (;;) {
        lode_part *part = take_part(store); /* also while closing: somebody waits for it */
        if (part) {
            run_part(store, part);
            continue;
        }
        if (atomic_load(&store->closing))
            break;
        lode_compaction *c = lode_failed(store->error) ? NULL : lode_compaction_pick(store);
        uint64_t us = lode_compaction_wait_us(store);
        if (c)
            lode_ignore(run_compaction(store, c)); /* a failure was remembered */
        else if (us)
            lode_cond_wait_us(&store->work, &store->lock, us);
        else
            lode_cond_wait(&store->work, &store->lock);
    }
    lode_mutex_unlock(&store->lock);
    return NULL;
}

/* ---- by hand ---- */

static lode_status compact_level(lode_store *store, int level, const lode_slice *first, const lode_slice *limit)
{
    for (;;) {
        bool busy;
        if (lode_failed(store->error))
            return store->error;
        lode_compaction *c = lode_compaction_pick_range(store, level, first, limit, &busy);
        if (c)
            LODE_TRY(run_compaction(store, c));
        else if (busy)
            lode_cond_wait(&store->done, &store->lock);
        else
            return lode_ok();
    }
}

static int deepest_level(const lode_store *store, const lode_slice *first, const lode_slice *limit)
{
    int deepest = 0;
    for (int level = 1; level < LODE_LEVELS; level++)
        if (lode_version_overlaps(store->versions.current, level, first, limit))
            deepest = level;
    return deepest;
}

lode_status lode_store_compact_range(lode_store *store, const void *start, size_t start_len, const void *limit,
                                     size_t limit_len)
{
    lode_slice a = lode_slice_of(start, start_len), b = lode_slice_of(limit, limit_len);
    LODE_TRY(lode_store_flush(store));
    lode_mutex_lock(&store->lock);
    store->waiting_for_all++;
    int deepest = deepest_level(store, start ? &a : NULL, limit ? &b : NULL);
    lode_status s = lode_ok();
    for (int level = 0; !lode_failed(s) && (level < deepest || level == 0); level++)
        s = compact_level(store, level, start ? &a : NULL, limit ? &b : NULL);
    store->waiting_for_all--;
    lode_mutex_unlock(&store->lock);
    return s;
}
