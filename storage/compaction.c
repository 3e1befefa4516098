/* storage/compaction.c: merging tables into the level below.
 *
 * Room:     the merge itself, the rules for what may be forgotten, and the threads that do it.
 * Touches:  input tables, new tables, the manifest.
 * Threads:  several compactions at once, on tables and key ranges that are apart (pick.c).
 * Promise:  what a snapshot or a deeper level still needs is kept; outputs are synced before the manifest names them;
 *           a failed compaction changes nothing; entries of one user key are never spread over two tables.
 */
#include <stdlib.h>

#include "storage/file_name.h"
#include "storage/merge_cursor.h"
#include "storage/store_internal.h"

typedef struct job {
    lode_store *store;
    lode_compaction *c;
    lode_version_edit edit;
    uint64_t smallest_snapshot;

    lode_table_builder *builder; /* NULL between tables */
    char *path;
    uint64_t number;
    uint64_t bytes_read, bytes_written;

    size_t deeper_at[LODE_LEVELS]; /* files of deeper levels that lie before the current key */
    size_t grandparent_at;
    uint64_t grandparent_bytes; /* under the current output */

    lode_buf last_user_key;
    bool has_last;
    uint64_t last_sequence; /* of the entry before, when it had the same user key */
} job;

uint64_t lode_store_smallest_snapshot(lode_store *store)
{
    if (store->snapshots.next != &store->snapshots)
        return store->snapshots.next->sequence;
    return atomic_load_explicit(&store->last_sequence, memory_order_acquire);
}

/* ---- outputs ---- */

static lode_status open_output(job *j)
{
    lode_store *store = j->store;
    lode_mutex_lock(&store->lock);
    j->number = lode_versions_new_number(&store->versions);
    lode_mutex_unlock(&store->lock);
    j->path = lode_file_path(store->path, LODE_FILE_TABLE, j->number);
    if (!j->path)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a file name", store->path);
    j->grandparent_bytes = 0;
    return lode_table_builder_create(&j->builder, store->env, j->path, &store->table_options);
}

static lode_status close_output(job *j)
{
    if (!j->builder)
        return lode_ok();
    lode_status s = lode_table_builder_finish(j->builder, true);
    if (!lode_failed(s)) {
        lode_file_meta *f =
            lode_file_meta_create(j->number, lode_table_builder_bytes(j->builder),
                                  lode_table_builder_first_key(j->builder), lode_table_builder_last_key(j->builder));
        if (f) {
            j->bytes_written += f->bytes;
            lode_version_edit_add(&j->edit, j->c->output_level, f);
        } else {
            s = lode_fail(LODE_NO_MEMORY, "%s: no memory for a table", j->path);
        }
    }
    if (lode_failed(s))
        return s;
    lode_table_builder_destroy(j->builder);
    j->builder = NULL;
    free(j->path);
    j->path = NULL;
    return s;
}

/* After a failure that left the manifest alone. */
static void remove_outputs(job *j)
{
    lode_env *env = j->store->env;
    for (size_t i = 0; i < j->edit.added_count; i++) {
        char *path = lode_file_path(j->store->path, LODE_FILE_TABLE, j->edit.added[i].file->number);
        if (path)
            lode_ignore(env->remove(env, path)); /* the next open sweeps */
        free(path);
    }
}

/* ---- what may be forgotten ---- */

/* No level below the output holds anything of this user key. Keys come in ascending order. */
static bool is_bottom_for(job *j, lode_slice user_key)
{
    for (int level = j->c->output_level + 1; level < LODE_LEVELS; level++) {
        const lode_level *l = &j->c->version->levels[level];
        size_t *at = &j->deeper_at[level];
        while (*at < l->count && lode_compare_user(j->store->cmp, lode_user_key(l->files[*at]->largest), user_key) < 0)
            ++*at;
        if (*at < l->count && lode_compare_user(j->store->cmp, lode_user_key(l->files[*at]->smallest), user_key) <= 0)
            return false;
    }
    return true;
}

/* A table that lies over too much of the level below it would make its own compaction expensive. */
static bool lies_over_too_much(job *j, lode_slice user_key)
{
    int level = j->c->output_level + 1;
    if (level >= LODE_LEVELS)
        return false;
    const lode_level *l = &j->c->version->levels[level];
    while (j->grandparent_at < l->count &&
           lode_compare_user(j->store->cmp, lode_user_key(l->files[j->grandparent_at]->largest), user_key) < 0)
        j->grandparent_bytes += l->files[j->grandparent_at++]->bytes;
    return j->grandparent_bytes > 10 * (uint64_t)j->store->options.table_bytes;
}

static lode_status take_entry(job *j, lode_slice key, lode_slice value)
{
    lode_slice user_key = lode_user_key(key);
    uint64_t trailer = lode_trailer(key), sequence = trailer >> 8;
    unsigned type = trailer & 0xff;
    if (type > LODE_ENTRY_VALUE)
        return lode_fail(LODE_CORRUPT, "%s: an entry of unknown type %u met in a compaction of level %d",
                         j->store->path, type, j->c->level);
    bool is_new = !j->has_last || lode_compare_user(j->store->cmp, lode_buf_slice(&j->last_user_key), user_key) != 0;
    if (is_new) {
        lode_buf_reset(&j->last_user_key);
        lode_buf_append(&j->last_user_key, user_key.data, user_key.len);
        if (!lode_buf_is_good(&j->last_user_key))
            return lode_fail(LODE_NO_MEMORY, "%s: no memory for a key", j->store->path);
        j->has_last = true;
        if (j->builder &&
            (lode_table_builder_bytes(j->builder) >= j->store->options.table_bytes || lies_over_too_much(j, user_key)))
            LODE_TRY(close_output(j));
    }
    bool is_hidden = !is_new && j->last_sequence <= j->smallest_snapshot;
    j->last_sequence = sequence;
    if (is_hidden)
        return lode_ok();
    if (type == LODE_ENTRY_DELETION && sequence <= j->smallest_snapshot && is_bottom_for(j, user_key))
        return lode_ok();
    if (!j->builder)
        LODE_TRY(open_output(j));
    return lode_table_builder_add(j->builder, key, value);
}

/* ---- the merge ---- */

static lode_cursor *open_inputs(job *j)
{
    lode_compaction *c = j->c;
    lode_cursor_options options = { .fill_cache = false, .verify_checksums = j->store->options.paranoid_checks };
    size_t most = (c->level ? 1 : c->counts[0]) + 1, count = 0;
    lode_cursor **children = malloc(most * sizeof *children);
    bool good = children != NULL;
    if (good && c->level)
        good = (children[count] = lode_level_cursor(c->version, c->inputs[0], c->counts[0], &options)) && ++count;
    for (size_t i = 0; good && !c->level && i < c->counts[0]; i++)
        good = (children[count] = lode_level_cursor(c->version, c->inputs[0] + i, 1, &options)) && ++count;
    if (good && c->counts[1])
        good = (children[count] = lode_level_cursor(c->version, c->inputs[1], c->counts[1], &options)) && ++count;
    lode_cursor *merge = good ? lode_merge_cursor(j->store->cmp, children, count) : NULL;
    for (size_t i = 0; !good && i < count; i++)
        lode_cursor_destroy(children[i]);
    free(children);
    return merge;
}

static lode_status merge(job *j)
{
    lode_store *store = j->store;
    lode_status s = lode_ok();
    unsigned steps = 0;
    lode_cursor *c = open_inputs(j);
    if (!c)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a compaction", store->path);
    for (c->ops->seek_first(c); c->valid && !lode_failed(s); c->ops->next(c)) {
        s = take_entry(j, c->key, c->value);
        if (++steps % 1024 == 0 && (atomic_load_explicit(&store->closing, memory_order_relaxed) ||
                                    atomic_load_explicit(&store->has_failed, memory_order_relaxed)))
            s = lode_fail(LODE_CANCELLED, "%s: a compaction was given up, since the store closes", store->path);
    }
    if (!lode_failed(s) && !c->valid)
        s = c->status;
    lode_cursor_destroy(c);
    return lode_failed(s) ? s : close_output(j);
}

static void renew_view(void *context)
{
    lode_store *store = context;
    if (!lode_view_renew(store, 0))
        lode_store_fail(store, lode_fail(LODE_NO_MEMORY, "%s: no memory for a view", store->path));
}

/* With the lock. */
static lode_status install(job *j)
{
    lode_compaction *c = j->c;
    for (int which = 0; which < 2; which++)
        for (size_t i = 0; i < c->counts[which]; i++)
            lode_version_edit_remove(&j->edit, which ? c->output_level : c->level, c->inputs[which][i]->number);
    if (c->is_move) {
        lode_file_meta_ref(c->inputs[0][0]);
        lode_version_edit_add(&j->edit, c->output_level, c->inputs[0][0]);
    }
    if (c->level && j->store->versions.pointers[c->level].len)
        lode_version_edit_set_pointer(&j->edit, c->level, lode_buf_slice(&j->store->versions.pointers[c->level]));
    return lode_versions_apply(&j->store->versions, &j->store->lock, &j->edit, j->store, renew_view);
}

static void note_stats(job *j, uint64_t start_ns)
{
    lode_level_stats *stats = &j->store->stats[j->c->output_level];
    for (int which = 0; which < 2; which++)
        for (size_t i = 0; i < j->c->counts[which]; i++)
            stats->bytes_read += j->c->inputs[which][i]->bytes;
    stats->bytes_written += j->bytes_written;
    stats->time_ns += lode_clock_ns() - start_ns;
    stats->runs++;
}

/* With the lock, which is released while the merge runs. `c` is ended. */
static lode_status run_compaction(lode_store *store, lode_compaction *c)
{
    job j = { .store = store, .c = c, .smallest_snapshot = lode_store_smallest_snapshot(store) };
    uint64_t start_ns = lode_clock_ns();
    lode_status s = lode_ok();
    lode_version_edit_init(&j.edit);
    if (!c->is_move) {
        lode_mutex_unlock(&store->lock);
        s = merge(&j);
        if (lode_failed(s)) {
            lode_table_builder_destroy(j.builder);
            if (j.path)
                lode_ignore(store->env->remove(store->env, j.path)); /* the next open sweeps */
            remove_outputs(&j);
        }
        lode_mutex_lock(&store->lock);
        if (!lode_failed(s))
            note_stats(&j, start_ns);
    }
    if (!lode_failed(s))
        s = install(&j);
    lode_compaction_end(store, c);
    lode_mutex_unlock(&store->lock);
    free(j.path);
    lode_buf_clear(&j.last_user_key);
    lode_version_edit_clear(store->tables, &j.edit);
    lode_table_cache_empty_trash(store->tables);
    lode_mutex_lock(&store->lock);
    if (lode_failed(s) && s.code != LODE_CANCELLED)
        lode_store_fail(store, s);
    lode_cond_broadcast(&store->done);
    lode_cond_broadcast(&store->work);
    return s;
}

void *lode_store_compactor(void *context)
{
    lode_store *store = context;
    lode_mutex_lock(&store->lock);
    while (!atomic_load(&store->closing)) {
        lode_compaction *c = lode_failed(store->error) ? NULL : lode_compaction_pick(store);
        if (c)
            lode_ignore(run_compaction(store, c)); /* a failure was remembered */
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
