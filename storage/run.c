/* storage/run.c: sorted runs, which become tables without log or memtable: building them.
 *
 * Room:     the tables of one run, written while it comes in.
 * Touches:  new tables, which nobody else knows. The manifest is run_finish.c's.
 * Threads:  one per run, any number of runs.
 * Promise:  nothing of a run is seen before it is finished; one that is given up leaves no file.
 *
 * Entries need a sequence number before it is known when the run will be finished. A run is given one far enough ahead
 * that ordinary writes will hardly reach it; run_finish.c tells what is done where they did.
 */
#include "storage/run.h"

#include <stdlib.h>

#include "storage/file_name.h"

#define SEQUENCE_LEAD (UINT64_C(1) << 20)

/* ---- building ---- */

static lode_run *create(lode_store *store)
{
    lode_run *run = calloc(1, sizeof *run);
    if (!run)
        return NULL;
    run->store = store;
    run->error = lode_ok();
    return run;
}

lode_status lode_run_begin(lode_run **out, lode_store *store)
{
    if (!out)
        return lode_fail(LODE_INVALID_ARGUMENT, "run begin: out is NULL");
    *out = NULL;
    if (!store)
        return lode_fail(LODE_INVALID_ARGUMENT, "run begin: store is NULL");
    if (store->options.read_only)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: opened read only", store->path);
    lode_run *run = create(store);
    if (!run)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a run", store->path);
    lode_mutex_lock(&store->lock);
    lode_status s = store->error;
    uint64_t base = atomic_load(&store->last_sequence);
    if (base < store->reserved_sequence)
        base = store->reserved_sequence;
    if (!lode_failed(s) && base > LODE_MAX_SEQUENCE - 2 * SEQUENCE_LEAD)
        s = lode_fail(LODE_UNSUPPORTED, "%s: sequence numbers are used up", store->path);
    if (!lode_failed(s)) {
        run->sequence = store->runs ? base + 1 : base + SEQUENCE_LEAD;
        run->first_sequence = run->sequence;
        store->reserved_sequence = run->sequence;
        run->next = store->runs;
        if (run->next)
            run->next->prev = run;
        store->runs = run;
        store->run_count++;
        *out = run;
    }
    lode_mutex_unlock(&store->lock);
    if (lode_failed(s))
        free(run);
    return s;
}

static lode_status open_table(lode_run *run)
{
    lode_store *store = run->store;
    lode_mutex_lock(&store->lock);
    run->number = lode_versions_new_number(&store->versions);
    lode_mutex_unlock(&store->lock);
    run->path = lode_file_path(store->path, LODE_FILE_TABLE, run->number);
    if (!run->path)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a file name", store->path);
    return lode_table_builder_create(&run->builder, store->env, run->path, &store->table_options);
}

static lode_status keep_table(lode_run *run)
{
    if (run->count == run->capacity) {
        size_t capacity = run->capacity ? run->capacity * 2 : 16;
        lode_file_meta **files = realloc(run->files, capacity * sizeof *files);
        if (!files)
            return lode_fail(LODE_NO_MEMORY, "%s: no memory for a run", run->store->path);
        run->files = files;
        run->capacity = capacity;
    }
    lode_file_meta *f =
        lode_file_meta_create(run->number, lode_table_builder_bytes(run->builder),
                              lode_table_builder_first_key(run->builder), lode_table_builder_last_key(run->builder));
    if (!f)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a run", run->store->path);
    run->files[run->count++] = f;
    run->bytes += f->bytes;
    return lode_ok();
}

lode_status lode_run_close_table(lode_run *run)
{
    if (!run->builder)
        return lode_ok();
    LODE_TRY(lode_table_builder_finish(run->builder, true));
    LODE_TRY(keep_table(run));
    lode_table_builder_destroy(run->builder);
    run->builder = NULL;
    free(run->path);
    run->path = NULL;
    return lode_ok();
}

static lode_status add_entry(lode_run *run, lode_entry_type type, lode_slice key, lode_slice value)
{
    if (run->has_key) {
        lode_slice last = lode_user_key(lode_buf_slice(&run->key));
        if (lode_compare_user(run->store->cmp, last, key) >= 0)
            return lode_fail(LODE_INVALID_ARGUMENT, "run put: keys must ascend strictly");
    }
    lode_buf_reset(&run->key);
    lode_buf_append(&run->key, key.data, key.len);
    lode_buf_put_le64(&run->key, lode_trailer_of(run->sequence, type));
    if (!lode_buf_is_good(&run->key))
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a key", run->store->path);
    run->has_key = true;
    if (run->builder && lode_table_builder_bytes(run->builder) >= run->store->options.table_bytes)
        LODE_TRY(lode_run_close_table(run));
    if (!run->builder)
        LODE_TRY(open_table(run));
    return lode_table_builder_add(run->builder, lode_buf_slice(&run->key), value);
}

static lode_status check_put(const lode_run *run, const void *key, size_t key_len, const void *value, size_t value_len)
{
    if (!run || (!key && key_len) || (!value && value_len))
        return lode_fail(LODE_INVALID_ARGUMENT, "run put: NULL argument");
    if (key_len >= UINT32_MAX - LODE_TRAILER_BYTES || value_len >= UINT32_MAX - key_len - 64)
        return lode_fail(LODE_INVALID_ARGUMENT, "run put: a record of 4 GiB or more");
    return run->error;
}

lode_status lode_run_put(lode_run *run, const void *key, size_t key_len, const void *value, size_t value_len)
{
    LODE_TRY(check_put(run, key, key_len, value, value_len));
    lode_entry_type type = value ? LODE_ENTRY_VALUE : LODE_ENTRY_DELETION;
    run->error = add_entry(run, type, lode_slice_of(key, key_len), lode_slice_of(value, value_len));
    return run->error;
}

lode_status lode_run_delete(lode_run *run, const void *key, size_t key_len)
{
    LODE_TRY(check_put(run, key, key_len, NULL, 0));
    run->error = add_entry(run, LODE_ENTRY_DELETION, lode_slice_of(key, key_len), lode_slice_of(NULL, 0));
    return run->error;
}

/* ---- ending ---- */

static void remove_table(lode_store *store, uint64_t number)
{
    char *path = lode_file_path(store->path, LODE_FILE_TABLE, number);
    if (path)
        lode_ignore(store->env->remove(store->env, path)); /* the next open sweeps */
    free(path);
}

void lode_run_drop_tables(lode_run *run)
{
    if (run->builder) {
        lode_table_builder_destroy(run->builder);
        run->builder = NULL;
        remove_table(run->store, run->number);
    }
    free(run->path);
    run->path = NULL;
    for (size_t i = 0; i < run->count; i++) {
        remove_table(run->store, run->files[i]->number);
        lode_file_meta_unref(run->store->tables, run->files[i]);
    }
    run->count = 0;
    run->bytes = 0;
    run->has_key = false;
}

void lode_run_leave(lode_run *run)
{
    lode_store *store = run->store;
    lode_mutex_lock(&store->lock);
    if (run->prev)
        run->prev->next = run->next;
    else
        store->runs = run->next;
    if (run->next)
        run->next->prev = run->prev;
    store->run_count--;
    if (!store->runs)
        lode_buf_clear(&store->recent);
    lode_mutex_unlock(&store->lock);
    for (size_t i = 0; i < run->count; i++)
        lode_file_meta_unref(store->tables, run->files[i]);
    free(run->files);
    lode_buf_clear(&run->key);
    free(run);
}

void lode_run_abandon(lode_run *run)
{
    if (!run)
        return;
    lode_run_drop_tables(run);
    lode_run_leave(run);
}

lode_status lode_run_rewrite(lode_run *run, uint64_t sequence)
{
    lode_run *again = create(run->store);
    lode_cursor_options options = { 0 };
    lode_status s = lode_ok();
    if (!again)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a run", run->store->path);
    again->sequence = sequence;
    for (size_t i = 0; i < run->count && !lode_failed(s); i++) {
        lode_table *t;
        s = lode_table_cache_open(run->store->tables, &t, run->files[i]);
        if (lode_failed(s))
            break;
        lode_cursor *c = lode_table_cursor(t, &options);
        lode_table_unref(t);
        if (!c) {
            s = lode_fail(LODE_NO_MEMORY, "%s: no memory for a cursor", run->store->path);
            break;
        }
        for (c->ops->seek_first(c); c->valid && !lode_failed(s); c->ops->next(c))
            s = add_entry(again, (lode_entry_type)(lode_trailer(c->key) & 1), lode_user_key(c->key), c->value);
        if (!lode_failed(s) && !c->valid)
            s = c->status;
        lode_cursor_destroy(c);
    }
    if (!lode_failed(s))
        s = lode_run_close_table(again);
    if (lode_failed(s)) {
        lode_run_drop_tables(again);
    } else {
        lode_run_drop_tables(run);
        lode_file_meta **files = run->files;
        run->files = again->files;
        run->count = again->count;
        run->bytes = again->bytes;
        run->sequence = run->first_sequence = sequence;
        again->files = files;
    }
    free(again->files);
    lode_buf_clear(&again->key);
    free(again);
    return s;
}
