/* storage/run_finish.c: placing all tables of one run, or of several, with one manifest record.
 *
 * Touches:  the manifest; names of the tables, where they go to level 0.
 * Threads:  placing waits its turn among the writers. Runs over ranges of keys that are apart may be finished together,
 *           which is one step.
 * Promise:  nothing is seen before finish, everything after it, also over a crash; a run counts as written when it is
 *           finished: what was written before is below it, what is written after is above it.
 *
 * A run has had its sequence number since it was begun. Where other writes reached it, or a later run was finished
 * first, the number is still right as long as nobody else wrote between the run's keys and no snapshot saw it; else the
 * tables are written once more.
 */
#include <stdlib.h>

#include "storage/coding.h"
#include "storage/file_name.h"
#include "storage/run.h"

/* ---- ranges that were written while runs were under way: prefixed smallest, prefixed largest, sequence u64 ---- */

void lode_runs_note_range(lode_store *store, lode_slice smallest, lode_slice largest, uint64_t sequence)
{
    if (!store->runs)
        return;
    lode_buf_put_prefixed(&store->recent, smallest);
    lode_buf_put_prefixed(&store->recent, largest);
    lode_buf_put_le64(&store->recent, sequence);
}

static bool meets(const lode_comparator *cmp, lode_slice a, lode_slice a_end, lode_slice b, lode_slice b_end)
{
    return lode_compare_user(cmp, a, b_end) <= 0 && lode_compare_user(cmp, b, a_end) <= 0;
}

/* Did anything between these keys come in with a sequence not below the run's? */
static bool was_overtaken(const lode_store *store, lode_slice smallest, lode_slice largest, uint64_t sequence)
{
    const uint8_t *p = store->recent.data, *end = p + store->recent.len;
    if (!lode_buf_is_good(&store->recent))
        return true;
    while (p < end) {
        lode_slice a, b;
        p = lode_read_prefixed(p, end, &a);
        p = lode_read_prefixed(p, end, &b);
        uint64_t other = lode_read_le64(p);
        p += 8;
        if (other >= sequence && meets(store->cmp, a, b, smallest, largest))
            return true;
    }
    return false;
}

/* ---- placing ---- */

/* Readers take the newest table of level 0 first, and number tells age: the tables get numbers of now. */
static lode_status renumber(lode_run *run, uint64_t first_number)
{
    lode_store *store = run->store;
    for (size_t i = 0; i < run->count; i++) {
        char *from = lode_file_path(store->path, LODE_FILE_TABLE, run->files[i]->number);
        char *to = lode_file_path(store->path, LODE_FILE_TABLE, first_number + i);
        lode_status s = from && to ? store->env->rename(store->env, from, to)
                                   : lode_fail(LODE_NO_MEMORY, "%s: no memory for a file name", store->path);
        free(from);
        free(to);
        LODE_TRY(s);
        run->files[i]->number = first_number + i;
    }
    return lode_ok();
}

static bool meets_memtable(const lode_store *store, const lode_memtable *mem, lode_slice smallest, lode_slice largest)
{
    lode_slice a, b;
    return lode_memtable_range(mem, &a, &b) && meets(store->cmp, a, b, smallest, largest);
}

/* Memtables are read before tables, so one that holds keys of the run's range must be a table first. As first writer.
 */
static lode_status clear_memtables(lode_store *store, lode_slice smallest, lode_slice largest)
{
    bool in_sealed = false;
    if (meets_memtable(store, store->mem, smallest, largest)) {
        while (store->sealed_count == LODE_SEALED_LIMIT && !lode_failed(store->error))
            lode_cond_wait(&store->done, &store->lock);
        LODE_TRY(store->error);
        LODE_TRY(lode_store_seal(store));
        in_sealed = true;
    }
    for (int i = 0; i < store->sealed_count; i++)
        in_sealed |= meets_memtable(store, store->sealed[i].mem, smallest, largest);
    return in_sealed ? lode_store_wait_for_flush(store) : store->error;
}

static bool must_rewrite(const lode_run *run, lode_slice smallest, lode_slice largest)
{
    const lode_store *store = run->store;
    if (run->first_sequence > atomic_load(&store->last_sequence))
        return false;
    const lode_snapshot *newest = store->snapshots.prev;
    if (newest != &store->snapshots && newest->sequence >= run->first_sequence)
        return true;
    return was_overtaken(store, smallest, largest, run->first_sequence);
}

static int level_for_size(const lode_store *store, uint64_t bytes)
{
    int level = 1;
    while (level < LODE_LEVELS - 1 &&
           store->versions.current->levels[level].bytes + bytes > lode_store_level_limit(store, level))
        level++;
    return level;
}

static void show_run(void *context)
{
    lode_run *run = context;
    if (lode_view_renew(run->store, run->sequence))
        return;
    run->error = lode_fail(LODE_NO_MEMORY, "%s: no memory to show the run, which the next open does", run->store->path);
    lode_store_fail(run->store, run->error);
}

/* With the lock, as first writer. */
static lode_status place(lode_run *run)
{
    lode_store *store = run->store;
    lode_version_edit edit;
    lode_slice smallest = lode_user_key(run->files[0]->smallest);
    lode_slice largest = lode_user_key(run->files[run->count - 1]->largest);
    while (!store->options.bulk_load && store->versions.current->run_count >= LODE_RUNS_TO_STOP &&
           !lode_failed(store->error))
        lode_cond_wait(&store->done, &store->lock);
    LODE_TRY(clear_memtables(store, smallest, largest));
    LODE_TRY(lode_store_sync_logs(store));
    if (must_rewrite(run, smallest, largest)) {
        uint64_t sequence = atomic_load(&store->last_sequence) + 1;
        if (store->reserved_sequence < sequence)
            store->reserved_sequence = sequence;
        lode_mutex_unlock(&store->lock);
        lode_status rewritten = lode_run_rewrite(run, sequence);
        lode_mutex_lock(&store->lock);
        LODE_TRY(rewritten);
        smallest = lode_user_key(run->files[0]->smallest);
        largest = lode_user_key(run->files[run->count - 1]->largest);
    }
    store->placing_below = run->first_sequence <= atomic_load(&store->last_sequence);
    lode_compaction placing = { .smallest = smallest, .largest = largest };
    placing.output_level = lode_store_level_for(store, smallest, largest, level_for_size(store, run->bytes));
    lode_running_add(store, &placing);
    lode_status s = lode_ok();
    if (!placing.output_level) {
        uint64_t first_number = store->versions.next_file;
        store->versions.next_file += run->count;
        lode_mutex_unlock(&store->lock);
        s = renumber(run, first_number);
        lode_mutex_lock(&store->lock);
    }
    if (!lode_failed(s)) {
        lode_version_edit_init(&edit);
        for (size_t i = 0; i < run->count; i++) {
            lode_file_meta_ref(run->files[i]);
            lode_version_edit_add(&edit, placing.output_level, run->files[i]);
        }
        edit.has_last_sequence = true;
        edit.last_sequence = run->sequence;
        s = lode_versions_apply(&store->versions, &store->lock, &edit, run, show_run);
        if (lode_failed(s))
            lode_store_fail(store, s);
        else
            s = run->error;
        lode_mutex_unlock(&store->lock);
        lode_version_edit_clear(store->tables, &edit);
        lode_mutex_lock(&store->lock);
    }
    lode_running_remove(store, &placing);
    store->placing_below = false;
    if (!lode_failed(s)) {
        store->stats[placing.output_level].bytes_written += run->bytes;
        store->stats[placing.output_level].runs++;
        store->user_bytes += run->bytes;
        lode_runs_note_range(store, smallest, largest, run->sequence);
    }
    lode_cond_broadcast(&store->work);
    lode_cond_broadcast(&store->done);
    return s;
}

/* Closed, with tables or none: they become visible, or the store fails. The run is taken. */
static lode_status finish(lode_run *run)
{
    lode_store *store = run->store;
    lode_status s = lode_ok();
    if (run->count) {
        lode_writer self = { 0 };
        lode_mutex_lock(&store->lock);
        lode_writers_enter(store, &self);
        s = store->error;
        bool untouched = lode_failed(s);
        if (!untouched)
            s = place(run);
        lode_writers_leave(store, &self);
        lode_mutex_unlock(&store->lock);
        if (untouched)
            lode_run_drop_tables(run);
    }
    lode_run_leave(run); /* tables that a failure left over are swept by the next open */
    return s;
}

/* ---- several at once ---- */

static int by_smallest(const void *a, const void *b)
{
    const lode_run *x = *(lode_run *const *)a, *y = *(lode_run *const *)b;
    if (!x->count || !y->count)
        return (x->count == 0) - (y->count == 0);
    return lode_compare_user(x->store->cmp, lode_user_key(x->files[0]->smallest), lode_user_key(y->files[0]->smallest));
}

static lode_status close_all(lode_run **runs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        LODE_TRY(runs[i]->error);
        LODE_TRY(lode_run_close_table(runs[i]));
    }
    return lode_ok();
}

/* In the order of their keys, those without any last. */
static lode_status check_disjoint(lode_run **runs, size_t count)
{
    for (size_t i = 1; i < count && runs[i]->count; i++) {
        const lode_run *before = runs[i - 1];
        lode_slice largest = lode_user_key(before->files[before->count - 1]->largest);
        if (lode_compare_user(before->store->cmp, largest, lode_user_key(runs[i]->files[0]->smallest)) >= 0)
            return lode_fail(LODE_INVALID_ARGUMENT, "runs finish: two runs overlap");
    }
    return lode_ok();
}

/* All tables become the first run's. They may have several sequences: no key is in two of them. */
static lode_status take_in(lode_run **runs, size_t count)
{
    lode_run *all = runs[0];
    size_t files = 0;
    for (size_t i = 0; i < count; i++)
        files += runs[i]->count;
    lode_file_meta **grown = realloc(all->files, (files ? files : 1) * sizeof *grown);
    if (!grown)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for %zu runs", all->store->path, count);
    all->files = grown;
    all->capacity = files;
    for (size_t i = 1; i < count; i++) {
        lode_run *r = runs[i];
        if (r->count)
            memcpy(all->files + all->count, r->files, r->count * sizeof *r->files);
        all->count += r->count;
        all->bytes += r->bytes;
        r->count = 0;
        if (all->sequence < r->sequence)
            all->sequence = r->sequence;
        if (all->first_sequence > r->first_sequence)
            all->first_sequence = r->first_sequence;
    }
    return lode_ok();
}

static bool stands_before(lode_run **runs, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (runs[j] == runs[i])
            return true;
    return false;
}

/* Of one store, and each once; else they are given up here, each once. */
static lode_status check_runs(lode_run **runs, size_t count)
{
    const char *wrong = NULL;
    for (size_t i = 0; i < count && !wrong; i++)
        if (!runs[i])
            wrong = "a run is NULL";
        else if (runs[i]->store != runs[0]->store)
            wrong = "two stores";
        else if (stands_before(runs, i))
            wrong = "a run stands there twice";
    if (!wrong)
        return lode_ok();
    for (size_t i = count; i--;) /* from the end, so that the last to go is the first of its kind */
        if (!stands_before(runs, i))
            lode_run_abandon(runs[i]);
    return lode_fail(LODE_INVALID_ARGUMENT, "runs finish: %s", wrong);
}

lode_status lode_runs_finish(lode_run **runs, size_t count)
{
    if (!runs && count)
        return lode_fail(LODE_INVALID_ARGUMENT, "runs finish: runs is NULL");
    if (!count)
        return lode_ok();
    LODE_TRY(check_runs(runs, count));
    lode_status s = close_all(runs, count);
    if (!lode_failed(s)) {
        qsort(runs, count, sizeof(lode_run *), by_smallest);
        s = check_disjoint(runs, count);
    }
    if (!lode_failed(s))
        s = take_in(runs, count);
    for (size_t i = lode_failed(s) ? 0 : 1; i < count; i++)
        lode_run_abandon(runs[i]);
    return lode_failed(s) ? s : finish(runs[0]);
}

lode_status lode_run_finish(lode_run *run)
{
    return run ? lode_runs_finish(&run, 1) : lode_fail(LODE_INVALID_ARGUMENT, "run finish: run is NULL");
}
