/* storage/versions.c: the manifest: read at open, appended to with every change, started anew when it has grown.
 *
 * Touches:  MANIFEST-*, CURRENT, the directory.
 * Threads:  the store's lock, see versions.h.
 * Promise:  an edit is on disk, and the names of the tables it adds as well, before it is current; CURRENT names a
 *           manifest only after that is synced; a manifest with a torn tail is never appended to.
 */
#include "storage/versions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "storage/file_name.h"
#include "storage/log_reader.h"

#define MANIFEST_LIMIT_BYTES (UINT64_C(64) << 20)

lode_status lode_versions_init(lode_versions *vs, lode_env *env, const char *directory, const lode_comparator *cmp,
                               lode_table_cache *tables)
{
    memset(vs, 0, sizeof *vs);
    vs->env = env;
    vs->cmp = cmp;
    vs->cmp_name = cmp ? cmp->name : LODE_BYTEWISE_NAME;
    vs->tables = tables;
    vs->manifest_limit_bytes = MANIFEST_LIMIT_BYTES;
    vs->next_file = 2;
    lode_cond_init(&vs->applied);
    vs->directory = strdup(directory);
    vs->current = lode_version_create(tables, cmp);
    if (!vs->directory || !vs->current)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for its versions", directory);
    return lode_ok();
}

void lode_versions_clear(lode_versions *vs)
{
    lode_log_writer_close(vs->manifest);
    lode_version_unref(vs->current);
    for (int level = 0; level < LODE_LEVELS; level++)
        lode_buf_clear(&vs->pointers[level]);
    free(vs->directory);
    lode_cond_clear(&vs->applied);
}

/* ---- recovery ---- */

static lode_status read_current(lode_versions *vs)
{
    lode_buf text = LODE_BUF_EMPTY;
    lode_file_kind kind;
    char *path = lode_file_path(vs->directory, LODE_FILE_CURRENT, 0);
    if (!path)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a file name", vs->directory);
    lode_status s = lode_env_read_file(vs->env, &text, path, 4096);
    if (!lode_failed(s)) {
        lode_buf_put_u8(&text, 0);
        char *name = (char *)text.data;
        size_t len = lode_buf_is_good(&text) ? text.len - 1 : 0;
        if (!len || name[len - 1] != '\n' || strlen(name) != len)
            s = lode_fail(LODE_CORRUPT, "%s: it does not end with a line", path);
        else {
            name[len - 1] = '\0';
            if (!lode_file_name_parse(name, &kind, &vs->manifest_number) || kind != LODE_FILE_MANIFEST)
                s = lode_fail(LODE_CORRUPT, "%s: it does not name a manifest", path);
        }
    }
    lode_buf_clear(&text);
    free(path);
    return s;
}

/* The tables that are live after all edits so far are `all->added`. */
static lode_status fold(lode_versions *vs, lode_version_edit *all, lode_version_edit *edit)
{
    for (size_t i = 0; i < edit->removed_count; i++) {
        size_t at = all->added_count;
        while (at && (all->added[at - 1].file->number != edit->removed[i].number ||
                      all->added[at - 1].level != edit->removed[i].level))
            at--;
        if (!at)
            return lode_fail(LODE_CORRUPT, "table %" PRIu64 " is removed from level %d, where it is not",
                             edit->removed[i].number, edit->removed[i].level);
        lode_file_meta_unref(vs->tables, all->added[at - 1].file);
        memmove(&all->added[at - 1], &all->added[at], (all->added_count - at) * sizeof all->added[0]);
        all->added_count--;
    }
    for (size_t i = 0; i < edit->added_count; i++) {
        lode_file_meta_ref(edit->added[i].file);
        lode_version_edit_add(all, edit->added[i].level, edit->added[i].file);
    }
    for (size_t i = 0; i < edit->pointer_count; i++) {
        lode_slice key = lode_version_edit_pointer_key(edit, i);
        lode_buf *pointer = &vs->pointers[edit->pointers[i].level];
        lode_buf_reset(pointer);
        lode_buf_append(pointer, key.data, key.len);
    }
    vs->marks_logs |= edit->marks_logs;
    if (edit->has_log_number)
        all->has_log_number = true, all->log_number = edit->log_number;
    if (edit->has_prev_log_number)
        all->has_prev_log_number = true, all->prev_log_number = edit->prev_log_number;
    if (edit->has_next_file)
        all->has_next_file = true, all->next_file = edit->next_file;
    if (edit->has_last_sequence)
        all->has_last_sequence = true, all->last_sequence = edit->last_sequence;
    if (all->failed)
        return lode_fail(LODE_NO_MEMORY, "memory ran out");
    if (edit->has_comparator && strcmp(edit->comparator, vs->cmp_name) != 0)
        return lode_fail(LODE_INVALID_ARGUMENT, "the store was made with comparator %s, not with %s", edit->comparator,
                         vs->cmp_name);
    return lode_ok();
}

static lode_status read_manifest(lode_versions *vs, lode_version_edit *all, const char *path)
{
    lode_log_reader *reader;
    bool found;
    lode_slice record;
    LODE_TRY(lode_log_reader_open(&reader, vs->env, path));
    for (;;) {
        lode_status s = lode_log_reader_next(reader, &found, &record);
        if (lode_failed(s) || !found) {
            uint64_t torn_at;
            vs->was_torn = lode_log_reader_is_torn(reader, &torn_at);
            lode_log_reader_close(reader);
            return s;
        }
        lode_version_edit edit;
        lode_version_edit_init(&edit);
        s = lode_version_edit_decode(&edit, record);
        if (!lode_failed(s))
            s = fold(vs, all, &edit);
        lode_version_edit_clear(vs->tables, &edit);
        if (lode_failed(s)) {
            lode_log_reader_close(reader);
            return lode_fail_within(s, "%s", path);
        }
    }
}

static lode_status use_recovered(lode_versions *vs, const lode_version_edit *all, const char *path)
{
    lode_version *v;
    if (!all->has_next_file || !all->has_log_number || !all->has_last_sequence)
        return lode_fail(LODE_CORRUPT, "%s: it has no %s", path,
                         !all->has_next_file    ? "next file number"
                         : !all->has_log_number ? "log number"
                                                : "last sequence");
    lode_status s = lode_version_apply(&v, vs->current, all);
    if (lode_failed(s))
        return lode_fail_within(s, "%s", path);
    lode_version_unref(vs->current);
    vs->current = v;
    vs->next_file = all->next_file;
    vs->last_sequence = all->last_sequence;
    vs->log_number = all->log_number;
    vs->prev_log_number = all->has_prev_log_number ? all->prev_log_number : 0;
    lode_versions_mark_used(vs, vs->log_number);
    lode_versions_mark_used(vs, vs->prev_log_number);
    lode_versions_mark_used(vs, vs->manifest_number);
    for (size_t i = 0; i < all->added_count; i++)
        lode_versions_mark_used(vs, all->added[i].file->number);
    vs->old_manifest = vs->manifest_number;
    return lode_ok();
}

lode_status lode_versions_recover(lode_versions *vs)
{
    lode_version_edit all;
    LODE_TRY(read_current(vs));
    char *path = lode_file_path(vs->directory, LODE_FILE_MANIFEST, vs->manifest_number);
    if (!path)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a file name", vs->directory);
    lode_version_edit_init(&all);
    lode_status s = read_manifest(vs, &all, path);
    if (s.code == LODE_MISSING)
        s = lode_fail(LODE_CORRUPT, "%s (CURRENT names it)", s.text);
    if (!lode_failed(s))
        s = use_recovered(vs, &all, path);
    lode_version_edit_clear(vs->tables, &all);
    free(path);
    return s;
}

/* ---- writing ---- */

static void describe_everything(lode_versions *vs, lode_version_edit *all)
{
    all->has_comparator = all->marks_logs = true;
    snprintf(all->comparator, sizeof all->comparator, "%s", vs->cmp_name);
    for (int level = 0; level < LODE_LEVELS; level++) {
        const lode_level *l = &vs->current->levels[level];
        if (vs->pointers[level].len)
            lode_version_edit_set_pointer(all, level, lode_buf_slice(&vs->pointers[level]));
        for (size_t i = l->count; i-- > 0;) {
            lode_file_meta_ref(l->files[i]);
            lode_version_edit_add(all, level, l->files[i]);
        }
    }
}

static lode_status append_edit(lode_log_writer *manifest, const lode_version_edit *edit)
{
    lode_buf record = LODE_BUF_EMPTY;
    lode_status s;
    lode_version_edit_encode(edit, &record);
    if (lode_buf_is_good(&record) && !edit->failed)
        s = lode_log_writer_append(manifest, lode_buf_slice(&record));
    else
        s = lode_fail(LODE_NO_MEMORY, "memory ran out while a manifest record was made");
    lode_buf_clear(&record);
    return s;
}

/* CURRENT by way of a temporary file of LevelDB's naming, which its next open and ours sweep away. */
static lode_status point_current(lode_versions *vs, uint64_t manifest)
{
    char name[LODE_FILE_NAME_BYTES + 1];
    char *temporary = lode_file_path(vs->directory, LODE_FILE_TEMPORARY, manifest);
    char *current = lode_file_path(vs->directory, LODE_FILE_CURRENT, 0);
    lode_file *file = NULL;
    lode_status s = lode_ok();
    if (!temporary || !current) {
        s = lode_fail(LODE_NO_MEMORY, "%s: no memory for a file name", vs->directory);
        goto done;
    }
    lode_file_name(name, LODE_FILE_MANIFEST, manifest);
    size_t len = strlen(name);
    name[len] = '\n';
    s = vs->env->open(vs->env, &file, temporary, LODE_OPEN_WRITE | LODE_OPEN_CREATE | LODE_OPEN_TRUNCATE);
    if (!lode_failed(s))
        s = vs->env->pwrite(vs->env, file, name, len + 1, 0);
    if (!lode_failed(s))
        s = vs->env->sync(vs->env, file);
    vs->env->close(vs->env, file);
    if (!lode_failed(s))
        s = vs->env->rename(vs->env, temporary, current);
    if (!lode_failed(s))
        s = vs->env->sync_directory(vs->env, vs->directory);
done:
    free(temporary);
    free(current);
    return s;
}

static void remove_old_manifest(lode_versions *vs)
{
    if (!vs->old_manifest || vs->old_manifest == vs->manifest_number)
        return;
    char *path = lode_file_path(vs->directory, LODE_FILE_MANIFEST, vs->old_manifest);
    if (path)
        lode_ignore(vs->env->remove(vs->env, path)); /* the next open sweeps */
    free(path);
    vs->old_manifest = 0;
}

/* A manifest that begins with everything and ends with `edit`, then CURRENT. */
static lode_status start_manifest(lode_versions *vs, uint64_t number, const lode_version_edit *edit)
{
    lode_version_edit all;
    lode_log_writer *manifest = NULL;
    char *path = lode_file_path(vs->directory, LODE_FILE_MANIFEST, number);
    if (!path)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a file name", vs->directory);
    lode_version_edit_init(&all);
    describe_everything(vs, &all);
    lode_status s = lode_log_writer_create(&manifest, vs->env, path, false);
    if (!lode_failed(s))
        s = append_edit(manifest, &all);
    if (!lode_failed(s))
        s = append_edit(manifest, edit);
    if (!lode_failed(s))
        s = lode_log_writer_sync(manifest);
    if (!lode_failed(s))
        s = vs->env->sync_directory(vs->env, vs->directory);
    if (!lode_failed(s))
        s = point_current(vs, number);
    lode_version_edit_clear(vs->tables, &all);
    free(path);
    if (lode_failed(s)) {
        lode_log_writer_close(manifest);
        return s;
    }
    lode_log_writer_close(vs->manifest);
    vs->manifest = manifest;
    vs->manifest_began_with = lode_log_writer_bytes(manifest);
    if (!vs->old_manifest)
        vs->old_manifest = vs->manifest_number;
    vs->manifest_number = number;
    remove_old_manifest(vs);
    return s;
}

static lode_status append_and_sync(lode_versions *vs, const lode_version_edit *edit)
{
    if (edit->added_count) /* the names of new tables, before anything points to them */
        LODE_TRY(vs->env->sync_directory(vs->env, vs->directory));
    LODE_TRY(append_edit(vs->manifest, edit));
    return lode_log_writer_sync(vs->manifest);
}

static void complete_edit(lode_versions *vs, lode_version_edit *edit)
{
    if (!edit->has_log_number)
        edit->log_number = vs->log_number;
    if (!edit->has_prev_log_number)
        edit->prev_log_number = 0;
    if (!edit->has_last_sequence || edit->last_sequence < vs->last_sequence)
        edit->last_sequence = vs->last_sequence;
    uint64_t live = vs->live_sequence ? atomic_load_explicit(vs->live_sequence, memory_order_acquire) : 0;
    if (edit->last_sequence < live)
        edit->last_sequence = live;
    edit->next_file = vs->next_file;
    edit->has_log_number = edit->has_prev_log_number = edit->has_last_sequence = edit->has_next_file = true;
}

static void mark_obsolete(lode_version *old, const lode_version_edit *edit)
{
    for (size_t r = 0; r < edit->removed_count; r++) {
        const lode_level *l = &old->levels[edit->removed[r].level];
        bool moved = false;
        for (size_t a = 0; a < edit->added_count; a++)
            moved |= edit->added[a].file->number == edit->removed[r].number;
        for (size_t i = 0; i < l->count && !moved; i++)
            if (l->files[i]->number == edit->removed[r].number)
                atomic_store_explicit(&l->files[i]->obsolete, true, memory_order_relaxed);
    }
}

static void install(lode_versions *vs, lode_version *v, const lode_version_edit *edit)
{
    lode_version *old = vs->current;
    mark_obsolete(old, edit);
    vs->current = v;
    vs->log_number = edit->log_number;
    vs->prev_log_number = edit->prev_log_number;
    vs->last_sequence = edit->last_sequence;
    for (size_t i = 0; i < edit->pointer_count; i++) {
        lode_slice key = lode_version_edit_pointer_key(edit, i);
        lode_buf *pointer = &vs->pointers[edit->pointers[i].level];
        lode_buf_reset(pointer);
        lode_buf_append(pointer, key.data, key.len);
    }
    lode_version_unref(old);
}

static bool has_grown(const lode_versions *vs)
{
    uint64_t grown = lode_log_writer_bytes(vs->manifest) - vs->manifest_began_with;
    return grown > vs->manifest_limit_bytes && grown > vs->manifest_began_with;
}

lode_status lode_versions_apply(lode_versions *vs, lode_mutex *lock, lode_version_edit *edit, void *context,
                                void (*changed)(void *context))
{
    lode_version *v;
    while (vs->applying)
        lode_cond_wait(&vs->applied, lock);
    vs->applying = true;
    bool starts = !vs->manifest || has_grown(vs);
    uint64_t number = starts ? lode_versions_new_number(vs) : 0;
    complete_edit(vs, edit);
    lode_status s = edit->failed
                        ? lode_fail(LODE_NO_MEMORY, "%s: memory ran out while a change was made", vs->directory)
                        : lode_version_apply(&v, vs->current, edit);
    if (!lode_failed(s)) {
        lode_mutex_unlock(lock);
        s = starts ? start_manifest(vs, number, edit) : append_and_sync(vs, edit);
        lode_mutex_lock(lock);
        if (lode_failed(s))
            lode_version_unref(v);
    }
    if (!lode_failed(s)) {
        install(vs, v, edit);
        if (changed)
            changed(context);
    }
    vs->applying = false;
    lode_cond_broadcast(&vs->applied);
    return s;
}
