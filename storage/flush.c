/* storage/flush.c: full memtables become tables.
 *
 * Room:     one thread of its own, so that a long compaction never makes writers wait for a flush.
 * Touches:  new tables, the manifest, the logs that are done with.
 * Promise:  a log is removed only after the table that holds its records, its name and the manifest are synced.
 */
#include <stdlib.h>

#include "storage/file_name.h"
#include "storage/store_internal.h"

enum { DEEPEST_FLUSH_LEVEL = 2 };

static lode_status fill_table(lode_store *store, lode_table_builder *b, lode_memtable *mem)
{
    lode_cursor *c = lode_memtable_cursor(mem);
    lode_status s = lode_ok();
    if (!c)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to write a table", store->path);
    for (c->ops->seek_first(c); c->valid && !lode_failed(s); c->ops->next(c))
        s = lode_table_builder_add(b, c->key, c->value);
    if (!lode_failed(s) && !c->valid)
        s = c->status;
    lode_cursor_destroy(c);
    return s;
}

lode_status lode_store_write_table(lode_store *store, lode_file_meta **out, lode_memtable *mem, uint64_t number)
{
    lode_table_builder *b = NULL;
    *out = NULL;
    char *path = lode_file_path(store->path, LODE_FILE_TABLE, number);
    if (!path)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a file name", store->path);
    lode_status s = lode_table_builder_create(&b, store->env, path, &store->table_options);
    if (!lode_failed(s))
        s = fill_table(store, b, mem);
    if (!lode_failed(s))
        s = lode_table_builder_finish(b, true);
    if (!lode_failed(s)) {
        *out = lode_file_meta_create(number, lode_table_builder_bytes(b), lode_table_builder_first_key(b),
                                     lode_table_builder_last_key(b));
        if (!*out)
            s = lode_fail(LODE_NO_MEMORY, "%s: no memory to write a table", store->path);
    }
    lode_table_builder_destroy(b);
    if (lode_failed(s))
        lode_ignore(store->env->remove(store->env, path)); /* the next open sweeps */
    free(path);
    return s;
}

int lode_store_level_for(lode_store *store, lode_slice smallest, lode_slice largest, int deepest)
{
    const lode_version *v = store->versions.current;
    int level = 0;
    if (lode_version_overlaps(v, 0, &smallest, &largest))
        return 0;
    while (level < deepest && !lode_version_overlaps(v, level + 1, &smallest, &largest) &&
           !lode_running_meets(store, level + 1, smallest, largest))
        level++;
    return level;
}

static void remove_log(lode_store *store, uint64_t number)
{
    char *path = lode_file_path(store->path, LODE_FILE_LOG, number);
    if (path)
        lode_ignore(store->env->remove(store->env, path)); /* the next open sweeps */
    free(path);
}

static void oldest_is_done(void *context)
{
    lode_store *store = context;
    lode_memtable_unref(store->sealed[0].mem);
    for (int i = 1; i < store->sealed_count; i++)
        store->sealed[i - 1] = store->sealed[i];
    store->sealed_count--;
    if (!lode_view_renew(store, 0))
        lode_store_fail(store, lode_fail(LODE_NO_MEMORY, "%s: no memory for a view", store->path));
}

/* With the lock. */
static lode_status flush_oldest(lode_store *store)
{
    lode_version_edit edit;
    lode_file_meta *f;
    lode_memtable *mem = store->sealed[0].mem;
    uint64_t number = lode_versions_new_number(&store->versions), start_ns = lode_clock_ns();
    uint64_t done_log = store->sealed[0].log_number;
    lode_mutex_unlock(&store->lock);
    lode_status s = lode_store_write_table(store, &f, mem, number);
    lode_mutex_lock(&store->lock);
    LODE_TRY(s);

    lode_version_edit_init(&edit);
    int level = lode_store_level_for(store, lode_user_key(f->smallest), lode_user_key(f->largest), DEEPEST_FLUSH_LEVEL);
    store->stats[level].bytes_written += f->bytes;
    store->stats[level].time_ns += lode_clock_ns() - start_ns;
    store->stats[level].runs++;
    lode_runs_note_range(store, lode_user_key(f->smallest), lode_user_key(f->largest),
                         atomic_load(&store->last_sequence));
    lode_compaction placing = { .output_level = level,
                                .smallest = lode_user_key(f->smallest),
                                .largest = lode_user_key(f->largest) };
    lode_running_add(store, &placing);
    lode_version_edit_add(&edit, level, f);
    edit.has_log_number = true;
    edit.log_number = store->sealed_count > 1 ? store->sealed[1].log_number : store->log_number;
    s = lode_versions_apply(&store->versions, &store->lock, &edit, store, oldest_is_done);
    lode_running_remove(store, &placing);
    lode_mutex_unlock(&store->lock);
    lode_version_edit_clear(store->tables, &edit);
    if (!lode_failed(s))
        remove_log(store, done_log);
    lode_table_cache_empty_trash(store->tables);
    lode_mutex_lock(&store->lock);
    return s;
}

void *lode_store_flusher(void *context)
{
    lode_store *store = context;
    lode_mutex_lock(&store->lock);
    while (!store->closing) {
        if (!store->sealed_count || lode_failed(store->error)) {
            lode_cond_wait(&store->work, &store->lock);
            continue;
        }
        store->flushing = true;
        lode_status s = flush_oldest(store);
        store->flushing = false;
        if (lode_failed(s))
            lode_store_fail(store, s);
        lode_cond_broadcast(&store->done);
        lode_cond_broadcast(&store->work);
    }
    lode_mutex_unlock(&store->lock);
    return NULL;
}

lode_status lode_store_wait_for_flush(lode_store *store)
{
    while (store->sealed_count && !lode_failed(store->error) && !store->closing)
        lode_cond_wait(&store->done, &store->lock);
    return store->error;
}

lode_status lode_store_flush(lode_store *store)
{
    if (!store)
        return lode_fail(LODE_INVALID_ARGUMENT, "store flush: store is NULL");
    if (store->options.read_only)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: opened read only", store->path);
    lode_writer self = { 0 };
    lode_status s = lode_ok();
    lode_mutex_lock(&store->lock);
    lode_writers_enter(store, &self);
    while (store->sealed_count == LODE_SEALED_LIMIT && !lode_failed(store->error))
        lode_cond_wait(&store->done, &store->lock);
    if (!lode_failed(store->error) && lode_memtable_count(store->mem))
        s = lode_store_seal(store);
    lode_writers_leave(store, &self);
    if (!lode_failed(s))
        s = lode_store_wait_for_flush(store);
    lode_mutex_unlock(&store->lock);
    return s;
}
