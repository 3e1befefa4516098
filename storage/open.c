/* storage/open.c: opening and closing a store.
 *
 * Room:     options, lock file, recovery, background threads, and taking all of it down again.
 * Touches:  the directory and LOCK; what is in the files is recovery.c's.
 * Promise:  a read-only open creates, changes and removes nothing. A second writer is refused.
 */
#include <stdio.h>
#include <stdlib.h>

#include "storage/file_name.h"
#include "storage/log_format.h"
#include "storage/store_internal.h"

void lode_store_options_init(lode_store_options *options)
{
    *options = (lode_store_options){
        .size = sizeof *options,
        .verify_checksums = 1,
        .write_buffer_bytes = 4u << 20,
        .block_bytes = 4096,
        .block_restart_interval = 16,
        .bloom_bits_per_key = 10,
        .compression = LODE_COMPRESSION_SNAPPY,
        .table_bytes = 2u << 20,
        .max_open_files = 1000,
        .map_tables = 1,
        .background_threads = 1,
        .cache_bytes = 8u << 20,
    };
}

static size_t clip(size_t v, size_t least, size_t most)
{
    return v < least ? least : v > most ? most : v;
}

/* Fields that an older caller does not know keep their defaults. Values out of range go to the nearest one inside. */
static void take_options(lode_store_options *o, const lode_store_options *given)
{
    lode_store_options_init(o);
    if (given) {
        size_t size = given->size < sizeof *o ? given->size : sizeof *o;
        memcpy(o, given, size);
    }
    o->size = sizeof *o;
    o->write_buffer_bytes = clip(o->write_buffer_bytes, 64u << 10, 1u << 30);
    o->block_bytes = clip(o->block_bytes, 256, 4u << 20);
    o->table_bytes = clip(o->table_bytes, 64u << 10, 1u << 30);
    o->block_restart_interval = o->block_restart_interval < 1 ? 1 : o->block_restart_interval;
    o->bloom_bits_per_key = o->bloom_bits_per_key < 0 ? 0 : o->bloom_bits_per_key > 64 ? 64 : o->bloom_bits_per_key;
    o->max_open_files = o->max_open_files < 16 ? 16 : o->max_open_files;
    o->background_threads =
        (int)clip((size_t)(o->background_threads < 1 ? 1 : o->background_threads), 1, LODE_THREADS_LIMIT);
    if (!o->env)
        o->env = lode_env_system();
}

static void write_log_line(void *context, lode_log_level level, const char *line)
{
    lode_store *store = context;
    store->options.log(store->options.log_context, (int)level, line);
}

static lode_status make_parts(lode_store *store)
{
    const lode_store_options *o = &store->options;
    lode_table_read_options read = { .may_map = o->map_tables != 0,
                                     .cmp = store->cmp,
                                     .verify_checksums = o->verify_checksums || o->paranoid_checks,
                                     .use_filter = true,
                                     .filter_policy = o->filter_policy };
    store->cache = o->cache;
    if (!store->cache && o->cache_bytes) {
        store->cache = lode_cache_create(o->cache_bytes);
        store->owns_cache = true;
        if (!store->cache)
            return lode_fail(LODE_NO_MEMORY, "%s: no memory for a cache", store->path);
    }
    read.cache = store->cache;
    store->tables = lode_table_cache_create(store->env, store->path, (size_t)o->max_open_files, &read);
    store->group = lode_batch_create();
    if (!store->tables || !store->group)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to open the store", store->path);
    LODE_TRY(lode_versions_init(&store->versions, store->env, store->path, store->cmp, store->tables));
    store->versions.live_sequence = &store->last_sequence;
    return lode_ok();
}

static lode_store *create_store(const char *path, const lode_store_options *options)
{
    lode_store *store = calloc(1, sizeof *store);
    if (!store)
        return NULL;
    store->path = strdup(path);
    if (!store->path) {
        free(store);
        return NULL;
    }
    take_options(&store->options, options);
    store->env = store->options.env;
    store->cmp = store->options.comparator;
    store->table_options = (lode_table_options){ .cmp = store->cmp,
                                                 .block_bytes = store->options.block_bytes,
                                                 .restart_interval = (unsigned)store->options.block_restart_interval,
                                                 .bloom_bits_per_key = (unsigned)store->options.bloom_bits_per_key,
                                                 .filter_policy = store->options.filter_policy,
                                                 .compression = store->options.compression };
    store->logger = (lode_logger){ store->options.log ? write_log_line : NULL, store, LODE_LOG_DEBUG };
    store->error = lode_ok();
    store->snapshots.next = store->snapshots.prev = &store->snapshots;
    atomic_flag_clear(&store->view_lock);
    lode_mutex_init(&store->lock);
    lode_cond_init(&store->work);
    lode_cond_init(&store->done);
    return store;
}

void lode_store_discard(lode_store *store)
{
    lode_view_release(store, store->view);
    lode_memtable_unref(store->mem);
    for (int i = 0; i < store->sealed_count; i++)
        lode_memtable_unref(store->sealed[i].mem);
    lode_log_writer_close(store->log);
    for (int i = 0; i < store->old_log_count; i++)
        lode_log_writer_close(store->old_logs[i].log);
    if (store->versions.directory || store->versions.current)
        lode_versions_clear(&store->versions);
    lode_table_cache_destroy(store->tables);
    if (store->owns_cache)
        lode_cache_destroy(store->cache);
    lode_batch_destroy(store->group);
    lode_buf_clear(&store->recent);
    if (store->lock_file)
        store->env->unlock(store->env, store->lock_file);
    lode_cond_clear(&store->work);
    lode_cond_clear(&store->done);
    lode_mutex_clear(&store->lock);
    free(store->path);
    free(store);
}

void lode_store_fail(lode_store *store, lode_status s)
{
    if (!lode_failed(store->error)) {
        store->error = s;
        atomic_store(&store->has_failed, true);
        lode_log(&store->logger, LODE_LOG_ERROR, "%s: no more writes: %s", store->path, s.text);
    }
    lode_cond_broadcast(&store->done);
    lode_cond_broadcast(&store->work);
}

void lode_store_add_mark(lode_log_writer *log, uint64_t last_sequence)
{
    uint8_t mark[LODE_LOG_MARK_BYTES] = { 0 };
    lode_write_le64(mark, last_sequence + 1);
    lode_log_writer_add(log, lode_slice_of(mark, sizeof mark));
}

lode_status lode_store_new_log(lode_store *store, lode_log_writer **out, uint64_t number)
{
    *out = NULL;
    char *path = lode_file_path(store->path, LODE_FILE_LOG, number);
    if (!path)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a file name", store->path);
    lode_status s = lode_log_writer_create(out, store->env, path, true);
    if (!lode_failed(s))
        lode_store_add_mark(*out, atomic_load(&store->last_sequence));
    free(path);
    return s;
}

static lode_status exists(lode_store *store, bool *found, lode_file_kind kind)
{
    lode_file_info info;
    char *path = lode_file_path(store->path, kind, 0);
    if (!path)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a file name", store->path);
    lode_status s = store->env->path_info(store->env, found, &info, path);
    free(path);
    return s;
}

lode_status lode_store_lock_files(lode_store *store)
{
    char *path = lode_file_path(store->path, LODE_FILE_LOCK, 0);
    bool held = false;
    if (!path)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a file name", store->path);
    lode_status s = store->options.read_only ? store->env->is_locked(store->env, &held, path)
                                             : store->env->lock(store->env, &store->lock_file, path);
    if (!lode_failed(s) && held)
        s = lode_fail(LODE_LOCKED, "%s: a writer has the store open", path);
    free(path);
    return s;
}

/* With the lock. What is left of a store whose removal was cut off goes. */
static lode_status finish_removal(lode_store *store)
{
    bool is_wiped, has_current;
    LODE_TRY(exists(store, &is_wiped, LODE_FILE_WIPED));
    LODE_TRY(exists(store, &has_current, LODE_FILE_CURRENT));
    return is_wiped && !has_current ? lode_store_remove_files(store->env, store->path) : lode_ok();
}

static lode_status check_existence(lode_store *store)
{
    const lode_store_options *o = &store->options;
    bool has_current, is_repaired;
    LODE_TRY(exists(store, &has_current, LODE_FILE_CURRENT));
    LODE_TRY(exists(store, &is_repaired, LODE_FILE_REPAIRED));
    if (is_repaired)
        return lode_fail(
            LODE_CORRUPT,
            "%s: this store was repaired, so records may be missing or come back from the dead; rebuild it, "
            "or check it and remove the file " LODE_REPAIRED_NAME " in it",
            store->path);
    if (!has_current && (o->read_only || !o->create_if_missing))
        return lode_fail(LODE_MISSING, "%s: there is no store", store->path);
    if (has_current && o->error_if_exists)
        return lode_fail(LODE_EXISTS, "%s: there is a store already", store->path);
    return lode_ok();
}

/* A store whose logs are never synced says so in its directory until it is closed in peace. */
static lode_status mark_as_unsynced(lode_store *store)
{
    static const char text[] = "The logs of this store are not synced: after a power cut its newest writes are lost.\n";
    bool was_unsynced;
    LODE_TRY(exists(store, &was_unsynced, LODE_FILE_UNSYNCED));
    if (was_unsynced)
        lode_log(&store->logger, LODE_LOG_WARNING,
                 "%s: it was not closed, and its logs were not synced: the newest writes may be lost", store->path);
    char *path = lode_file_path(store->path, LODE_FILE_UNSYNCED, 0);
    if (!path)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a file name", store->path);
    lode_status s = lode_ok();
    if (store->options.sync_policy == LODE_SYNC_NEVER)
        s = lode_env_write_file_atomically(store->env, path, text, sizeof text - 1);
    else if (was_unsynced)
        lode_ignore(store->env->remove(store->env, path)); /* recovery made tables of all that was left */
    free(path);
    return s;
}

static lode_status unmark_as_unsynced(lode_store *store)
{
    if (store->options.sync_policy != LODE_SYNC_NEVER || store->options.read_only || lode_failed(store->error))
        return lode_ok();
    store->options.sync_policy = LODE_SYNC_ASKED;
    lode_mutex_lock(&store->lock);
    lode_status s = lode_store_sync_logs(store);
    lode_mutex_unlock(&store->lock);
    LODE_TRY(s);
    char *path = lode_file_path(store->path, LODE_FILE_UNSYNCED, 0);
    if (path)
        lode_ignore(store->env->remove(store->env, path)); /* a mark too many does no harm */
    free(path);
    return s;
}

static lode_status start_threads(lode_store *store)
{
    if (store->options.read_only)
        return lode_ok();
    LODE_TRY(lode_thread_start(&store->flusher, "lode-flush", lode_store_flusher, store));
    for (int i = 0; i < store->options.background_threads; i++)
        LODE_TRY(lode_thread_start(&store->compactors[i], "lode-compact", lode_store_compactor, store));
    return lode_ok();
}

static void stop_threads(lode_store *store)
{
    lode_mutex_lock(&store->lock);
    atomic_store(&store->closing, true);
    lode_cond_broadcast(&store->work);
    lode_cond_broadcast(&store->done);
    lode_mutex_unlock(&store->lock);
    lode_thread_join(&store->flusher);
    for (int i = 0; i < LODE_THREADS_LIMIT; i++)
        lode_thread_join(&store->compactors[i]);
}

static lode_status open_store(lode_store *store)
{
    if (store->options.create_if_missing && !store->options.read_only) {
        LODE_TRY(lode_env_make_path(store->env, store->path));
        LODE_TRY(lode_store_lock_files(store));
        LODE_TRY(finish_removal(store));
        LODE_TRY(check_existence(store));
    } else {
        LODE_TRY(check_existence(store));
        LODE_TRY(lode_store_lock_files(store));
    }
    LODE_TRY(lode_store_recover(store));
    if (!store->options.read_only)
        LODE_TRY(mark_as_unsynced(store));
    if (!lode_view_renew(store, 0))
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to open the store", store->path);
    return start_threads(store);
}

static lode_status check_options(const char *path, const lode_store_options *options)
{
    lode_store_options o;
    take_options(&o, options);
    if (o.comparator && (!o.comparator->name || !o.comparator->compare))
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: a comparator without name or function", path);
    if (o.filter_policy && (!o.filter_policy->name || !o.filter_policy->create || !o.filter_policy->may_match))
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: a filter policy without name or functions", path);
    return lode_ok();
}

lode_status lode_store_prepare(lode_store **out, const char *path, const lode_store_options *options)
{
    *out = NULL;
    LODE_TRY(check_options(path, options));
    lode_store *store = create_store(path, options);
    if (!store)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to open the store", path);
    lode_status s = make_parts(store);
    if (lode_failed(s)) {
        lode_store_discard(store);
        return s;
    }
    *out = store;
    return s;
}

lode_status lode_store_open(lode_store **out, const char *path, const lode_store_options *options)
{
    if (!out)
        return lode_fail(LODE_INVALID_ARGUMENT, "store open: out is NULL");
    *out = NULL;
    if (!path || !*path)
        return lode_fail(LODE_INVALID_ARGUMENT, "store open: no path");
    lode_store *store;
    LODE_TRY(lode_store_prepare(&store, path, options));
    lode_status s = open_store(store);
    if (lode_failed(s)) {
        stop_threads(store);
        lode_store_discard(store);
        return s;
    }
    *out = store;
    return s;
}

/* Bulk loading promised one merge at the end. */
static lode_status finish_bulk_load(lode_store *store)
{
    if (!store->options.bulk_load || store->options.read_only || lode_failed(store->error))
        return lode_ok();
    return lode_store_compact_range(store, NULL, 0, NULL, 0);
}

lode_status lode_store_close(lode_store *store)
{
    if (!store)
        return lode_ok();
    lode_mutex_lock(&store->lock);
    size_t iterators = store->iterator_count, snapshots = store->snapshot_count, runs = store->run_count;
    bool is_idle = store->first_writer == NULL;
    lode_mutex_unlock(&store->lock);
    if (iterators || snapshots || runs || !is_idle)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: not closed: %zu iterators, %zu snapshots and %zu runs are alive%s",
                         store->path, iterators, snapshots, runs, is_idle ? "" : ", and a write is under way");
    lode_status s = finish_bulk_load(store);
    stop_threads(store);
    if (!lode_failed(s))
        s = unmark_as_unsynced(store);
    if (!lode_failed(s))
        s = store->error;
    lode_store_discard(store);
    return s;
}
