/* storage/merge_job.c: merging tables into new ones, and the rules for what may be forgotten.
 *
 * Touches:  input tables, new tables. The manifest is compaction.c's.
 * Threads:  one per job; the jobs of one compaction have key ranges of their own.
 * Promise:  what a snapshot or a deeper level still needs is kept; outputs are synced; entries of one user key are
 * never spread over two tables.
 */
#include "storage/merge_job.h"

#include <stdlib.h>

#include "storage/file_name.h"
#include "storage/merge_cursor.h"

/* ---- outputs ---- */

static lode_status open_output(lode_merge_job *j)
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

static lode_status close_output(lode_merge_job *j)
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

void lode_merge_job_remove_table(const lode_merge_job *j, uint64_t number)
{
    char *path = lode_file_path(j->store->path, LODE_FILE_TABLE, number);
    if (path)
        lode_ignore(j->store->env->remove(j->store->env, path)); /* the next open sweeps */
    free(path);
}

/* ---- what may be forgotten ---- */

/* No level below the output holds anything of this user key. Keys come in ascending order. */
static bool is_bottom_for(lode_merge_job *j, lode_slice user_key)
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
static bool lies_over_too_much(lode_merge_job *j, lode_slice user_key)
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

static lode_status take_entry(lode_merge_job *j, lode_slice key, lode_slice value)
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

static lode_cursor *open_inputs(lode_merge_job *j)
{
    const lode_compaction *c = j->c;
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

static lode_status seek_first(lode_merge_job *j, lode_cursor *c)
{
    lode_buf key = LODE_BUF_EMPTY;
    if (!j->first.data) {
        c->ops->seek_first(c);
        return lode_ok();
    }
    lode_buf_append(&key, j->first.data, j->first.len);
    lode_buf_put_le64(&key, lode_seek_trailer(LODE_MAX_SEQUENCE));
    bool good = lode_buf_is_good(&key);
    if (good)
        c->ops->seek(c, lode_buf_slice(&key));
    lode_buf_clear(&key);
    return good ? lode_ok() : lode_fail(LODE_NO_MEMORY, "%s: no memory for a key", j->store->path);
}

static bool is_past(const lode_merge_job *j, const lode_cursor *c)
{
    return j->limit.data && lode_compare_user(j->store->cmp, lode_user_key(c->key), j->limit) >= 0;
}

static bool must_give_up(const lode_store *store)
{
    return atomic_load_explicit(&store->closing, memory_order_relaxed) ||
           atomic_load_explicit(&store->has_failed, memory_order_relaxed);
}

static lode_status merge(lode_merge_job *j)
{
    unsigned steps = 0;
    lode_cursor *c = open_inputs(j);
    if (!c)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a compaction", j->store->path);
    lode_status s = seek_first(j, c);
    for (; !lode_failed(s) && c->valid && !is_past(j, c); c->ops->next(c)) {
        s = take_entry(j, c->key, c->value);
        if (++steps % 1024 == 0 && must_give_up(j->store))
            s = lode_fail(LODE_CANCELLED, "%s: a compaction was given up, since the store closes", j->store->path);
    }
    if (!lode_failed(s) && !c->valid)
        s = c->status;
    lode_cursor_destroy(c);
    return lode_failed(s) ? s : close_output(j);
}

lode_status lode_merge_job_run(lode_merge_job *j)
{
    lode_version_edit_init(&j->edit);
    lode_status s = merge(j);
    if (lode_failed(s)) {
        lode_table_builder_destroy(j->builder);
        j->builder = NULL;
        if (j->path)
            lode_ignore(j->store->env->remove(j->store->env, j->path)); /* the next open sweeps */
        for (size_t i = 0; i < j->edit.added_count; i++)
            lode_merge_job_remove_table(j, j->edit.added[i].file->number);
        lode_version_edit_clear(j->store->tables, &j->edit);
    }
    return s;
}

void lode_merge_job_clear(lode_merge_job *j)
{
    free(j->path);
    lode_buf_clear(&j->last_user_key);
    lode_version_edit_clear(j->store->tables, &j->edit);
}
