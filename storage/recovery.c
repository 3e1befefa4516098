/* storage/recovery.c: from files to an open store.
 *
 * Room:     manifest, then the logs that it does not cover, oldest first; then a new log and a new manifest.
 * Touches:  everything in the directory. Read only: reads alone, and logs become a memtable.
 * Promise:  what comes back is everything up to some write, and at least up to the last synced one. A torn tail is cut
 *           and never appended to; damage elsewhere fails the open; tables that the manifest names and the directory
 * has not fail it as well. Files are removed last.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "storage/file_name.h"
#include "storage/log_reader.h"
#include "storage/store_internal.h"

typedef struct listing {
    uint64_t *logs;
    size_t log_count, log_capacity;
    uint64_t *tables;
    size_t table_count, table_capacity;
    uint64_t highest;
} listing;

static bool append_number(uint64_t **numbers, size_t *count, size_t *capacity, uint64_t number)
{
    if (*count == *capacity) {
        size_t more = *capacity ? *capacity * 2 : 64;
        uint64_t *larger = realloc(*numbers, more * sizeof *larger);
        if (!larger)
            return false;
        *numbers = larger;
        *capacity = more;
    }
    (*numbers)[(*count)++] = number;
    return true;
}

static lode_status note_file(void *context, const char *name)
{
    listing *l = context;
    lode_file_kind kind;
    uint64_t number;
    bool good = true;
    if (!lode_file_name_parse(name, &kind, &number))
        return lode_ok();
    if (number > l->highest && number < UINT64_MAX)
        l->highest = number;
    if (kind == LODE_FILE_LOG)
        good = append_number(&l->logs, &l->log_count, &l->log_capacity, number);
    else if (kind == LODE_FILE_TABLE || kind == LODE_FILE_OLD_TABLE)
        good = append_number(&l->tables, &l->table_count, &l->table_capacity, number);
    return good ? lode_ok() : lode_fail(LODE_NO_MEMORY, "no memory for a list of files");
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static lode_status list_files(lode_store *store, listing *l)
{
    LODE_TRY(store->env->list(store->env, store->path, note_file, l));
    if (l->log_count)
        qsort(l->logs, l->log_count, sizeof *l->logs, compare_numbers);
    if (l->table_count)
        qsort(l->tables, l->table_count, sizeof *l->tables, compare_numbers);
    return lode_ok();
}

static void clear_listing(listing *l)
{
    free(l->logs);
    free(l->tables);
}

static lode_status check_tables(lode_store *store, const listing *l)
{
    size_t missing = 0;
    uint64_t example = 0;
    for (int level = 0; level < LODE_LEVELS; level++) {
        const lode_level *files = &store->versions.current->levels[level];
        for (size_t i = 0; i < files->count; i++)
            if (!l->table_count ||
                !bsearch(&files->files[i]->number, l->tables, l->table_count, sizeof *l->tables, compare_numbers)) {
                missing++;
                example = files->files[i]->number;
            }
    }
    if (missing)
        return lode_fail(LODE_CORRUPT, "%s: %zu tables are missing, among them %06" PRIu64 ".ldb", store->path, missing,
                         example);
    return lode_ok();
}

/* When a record is torn because it was never finished, the log that it made needless is still there. */
static lode_status check_log(lode_store *store, const listing *l)
{
    uint64_t number = store->versions.log_number;
    if (l->log_count && bsearch(&number, l->logs, l->log_count, sizeof *l->logs, compare_numbers))
        return lode_ok();
    return lode_fail(LODE_CORRUPT, "%s: the manifest is torn, and %06" PRIu64 ".log, which it needs, is missing",
                     store->path, number);
}

/* The memtable of a replay becomes a table of level 0. */
static lode_status flush_replayed(lode_store *store, lode_version_edit *edit)
{
    lode_file_meta *f;
    if (!store->mem || !lode_memtable_count(store->mem))
        return lode_ok();
    LODE_TRY(lode_store_write_table(store, &f, store->mem, lode_versions_new_number(&store->versions)));
    lode_version_edit_add(edit, 0, f);
    lode_memtable_unref(store->mem);
    store->mem = lode_memtable_create(store->cmp, store->options.write_buffer_bytes);
    return store->mem ? lode_ok() : lode_fail(LODE_NO_MEMORY, "%s: no memory for a memtable", store->path);
}

typedef struct replay {
    lode_store *store;
    lode_version_edit *edit;
    bool was_cut; /* something of ours was lost that was never synced: nothing after it was, and nothing counts */
} replay;

static lode_status take_record(replay *r, lode_slice record, const char *path)
{
    lode_store *store = r->store;
    uint64_t last = 0;
    lode_status s = lode_batch_apply(record, store->mem, &last);
    if (lode_failed(s))
        return lode_fail_within(s, "%s", path);
    if (last > atomic_load(&store->last_sequence))
        atomic_store(&store->last_sequence, last);
    if (!store->options.read_only && lode_memtable_bytes(store->mem) > store->options.write_buffer_bytes)
        return flush_replayed(store, r->edit);
    return lode_ok();
}

/* Writes are numbered without gaps, and runs in between are in the manifest. */
static void note_gap(replay *r, lode_slice record, const char *path)
{
    lode_store *store = r->store;
    if (r->was_cut || !store->versions.marks_logs || record.len < LODE_BATCH_HEADER_BYTES ||
        lode_read_le64(record.data) <= atomic_load(&store->last_sequence) + 1)
        return;
    lode_log(&store->logger, LODE_LOG_WARNING, "%s: cut before write %" PRIu64 ": what comes before it is lost", path,
             lode_read_le64(record.data));
    r->was_cut = true;
}

static lode_status read_records(replay *r, lode_log_reader *reader, bool *is_empty, const char *path)
{
    bool found;
    lode_slice record;
    for (*is_empty = true;; *is_empty = false) {
        LODE_TRY(lode_log_reader_next(reader, &found, &record));
        if (!found)
            return lode_ok();
        note_gap(r, record, path);
        if (r->was_cut && lode_log_reader_vouches(reader))
            return lode_fail(LODE_CORRUPT,
                             "%s: it says that all before it is there, and after write %" PRIu64
                             " something is missing",
                             path, atomic_load(&r->store->last_sequence));
        if (!r->was_cut)
            LODE_TRY(take_record(r, record, path));
    }
}

static lode_status replay_log(replay *r, uint64_t number)
{
    lode_store *store = r->store;
    lode_log_reader *reader = NULL;
    uint64_t torn_at;
    bool is_empty = true;
    char *path = lode_file_path(store->path, LODE_FILE_LOG, number);
    if (!path)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a file name", store->path);
    lode_status s = lode_log_reader_open(&reader, store->env, path);
    if (!lode_failed(s) && store->versions.marks_logs)
        lode_log_reader_expect_marks(reader);
    if (!lode_failed(s))
        s = read_records(r, reader, &is_empty, path);
    if (!lode_failed(s) && lode_log_reader_is_torn(reader, &torn_at)) {
        lode_log(&store->logger, LODE_LOG_WARNING, "%s: cut at offset %" PRIu64 ", where a write was torn", path,
                 torn_at);
        is_empty = true;
    }
    if (!lode_failed(s) && is_empty && store->versions.marks_logs) /* one that another log follows had records */
        r->was_cut = true;
    lode_log_reader_close(reader);
    free(path);
    return s;
}

static lode_status replay_logs(lode_store *store, lode_version_edit *edit, const listing *l)
{
    const lode_versions *vs = &store->versions;
    replay r = { .store = store, .edit = edit };
    store->mem = lode_memtable_create(store->cmp, store->options.write_buffer_bytes);
    if (!store->mem)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a memtable", store->path);
    for (size_t i = 0; i < l->log_count; i++)
        if (l->logs[i] >= vs->log_number || l->logs[i] == vs->prev_log_number)
            LODE_TRY(replay_log(&r, l->logs[i]));
    return store->options.read_only ? lode_ok() : flush_replayed(store, edit);
}

/* A new log, and a manifest that says that the old ones are done with. */
static lode_status begin_writing(lode_store *store, lode_version_edit *edit)
{
    store->log_number = lode_versions_new_number(&store->versions);
    LODE_TRY(lode_store_new_log(store, &store->log, store->log_number));
    edit->has_log_number = true;
    edit->log_number = store->log_number;
    edit->has_last_sequence = true;
    edit->last_sequence = atomic_load(&store->last_sequence);
    lode_mutex_lock(&store->lock);
    lode_status s = lode_versions_apply(&store->versions, &store->lock, edit, NULL, NULL);
    lode_mutex_unlock(&store->lock);
    store->log_name_is_synced = !lode_failed(s); /* the manifest's directory sync came after the log was made */
    return s;
}

static lode_status recover_files(lode_store *store, lode_version_edit *edit, listing *l)
{
    lode_status s = lode_versions_recover(&store->versions);
    if (lode_failed(s) && !(s.code == LODE_MISSING && store->options.create_if_missing && !store->options.read_only))
        return s;
    LODE_TRY(list_files(store, l));
    if (lode_failed(s) && l->table_count)
        return lode_fail(LODE_CORRUPT, "%s: CURRENT is missing, and there are tables: repair or rebuild the store",
                         store->path);
    lode_versions_mark_used(&store->versions, l->highest);
    atomic_store(&store->last_sequence, store->versions.last_sequence);
    LODE_TRY(check_tables(store, l));
    if (store->versions.was_torn)
        LODE_TRY(check_log(store, l));
    LODE_TRY(replay_logs(store, edit, l));
    if (store->options.read_only)
        return lode_ok();
    LODE_TRY(begin_writing(store, edit));
    lode_store_sweep(store);
    return lode_ok();
}

lode_status lode_store_recover(lode_store *store)
{
    lode_version_edit edit;
    listing l = { 0 };
    lode_version_edit_init(&edit);
    lode_status s = recover_files(store, &edit, &l);
    lode_version_edit_clear(store->tables, &edit);
    clear_listing(&l);
    return s;
}

/* ---- sweeping ---- */

typedef struct sweep {
    lode_store *store;
    uint64_t *live; /* tables, ascending */
    size_t live_count;
    lode_buf names; /* to be removed, NUL-terminated, one after the other */
} sweep;

static lode_status note_leftover(void *context, const char *name)
{
    sweep *w = context;
    const lode_versions *vs = &w->store->versions;
    lode_file_kind kind;
    uint64_t number;
    bool keep = true;
    if (!lode_file_name_parse(name, &kind, &number))
        return lode_ok();
    switch (kind) {
    case LODE_FILE_LOG:
        keep = number >= vs->log_number || number == vs->prev_log_number;
        break;
    case LODE_FILE_TABLE:
    case LODE_FILE_OLD_TABLE:
        keep = w->live_count && bsearch(&number, w->live, w->live_count, sizeof *w->live, compare_numbers);
        break;
    case LODE_FILE_TEMPORARY:
        keep = false;
        break;
    case LODE_FILE_MANIFEST:
        keep = number >= vs->manifest_number;
        break;
    case LODE_FILE_CURRENT:
    case LODE_FILE_LOCK:
    case LODE_FILE_INFO_LOG:
    case LODE_FILE_REPAIRED:
    case LODE_FILE_WIPED:
    case LODE_FILE_UNSYNCED:
        break;
    }
    if (!keep)
        lode_buf_append(&w->names, name, strlen(name) + 1);
    return lode_ok();
}

/* At open only, when nothing is being written: what stays because of an error costs room and nothing else. */
void lode_store_sweep(lode_store *store)
{
    sweep w = { .store = store };
    size_t count = 0;
    for (int level = 0; level < LODE_LEVELS; level++)
        count += store->versions.current->levels[level].count;
    w.live = malloc((count + 1) * sizeof *w.live);
    if (!w.live)
        return;
    for (int level = 0; level < LODE_LEVELS; level++)
        for (size_t i = 0; i < store->versions.current->levels[level].count; i++)
            w.live[w.live_count++] = store->versions.current->levels[level].files[i]->number;
    if (w.live_count)
        qsort(w.live, w.live_count, sizeof *w.live, compare_numbers);
    if (!lode_failed(store->env->list(store->env, store->path, note_leftover, &w)) && lode_buf_is_good(&w.names))
        for (size_t at = 0; at < w.names.len; at += strlen((char *)w.names.data + at) + 1) {
            char *path = lode_path_join(store->path, (char *)w.names.data + at);
            if (path)
                lode_ignore(store->env->remove(store->env, path));
            free(path);
        }
    lode_buf_clear(&w.names);
    free(w.live);
}
