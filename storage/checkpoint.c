/* storage/checkpoint.c: a second store that shares this one's tables.
 *
 * Touches:  a new directory: hard links, or copies where the file system has none, and a manifest of its own.
 * Threads:  any; writers wait while the memtable is written out, and go on while files are linked.
 * Promise:  the copy holds what was acknowledged before the call; without CURRENT, which comes last, it is no store.
 */
#include <stdlib.h>

#include "storage/file_name.h"
#include "storage/store_internal.h"

typedef struct moment {
    lode_version *version; /* a reference */
    uint64_t sequence, next_file;
} moment;

/* Everything acknowledged is in the tables of moment->version. */
static lode_status take_moment(lode_store *store, moment *m)
{
    lode_writer self = { 0 };
    lode_status s = lode_ok();
    lode_mutex_lock(&store->lock);
    lode_writers_enter(store, &self);
    while (store->sealed_count == LODE_SEALED_LIMIT && !lode_failed(store->error))
        lode_cond_wait(&store->done, &store->lock);
    s = store->error;
    if (!lode_failed(s) && lode_memtable_count(store->mem))
        s = lode_store_seal(store);
    if (!lode_failed(s))
        s = lode_store_wait_for_flush(store);
    if (!lode_failed(s)) {
        m->version = store->versions.current;
        lode_version_ref(m->version);
        m->sequence = atomic_load(&store->last_sequence);
        m->next_file = store->versions.next_file;
    }
    lode_writers_leave(store, &self);
    lode_mutex_unlock(&store->lock);
    return s;
}

static lode_status copy_file(lode_env *env, const char *from_path, const char *to_path, uint64_t bytes)
{
    lode_file *from = NULL, *to = NULL;
    LODE_TRY(env->open(env, &from, from_path, LODE_OPEN_READ));
    lode_status s = env->open(env, &to, to_path, LODE_OPEN_WRITE | LODE_OPEN_CREATE | LODE_OPEN_EXCLUSIVE);
    if (!lode_failed(s))
        s = env->copy_range(env, to, 0, from, 0, bytes);
    if (!lode_failed(s))
        s = env->sync(env, to);
    env->close(env, to);
    env->close(env, from);
    return s;
}

static lode_status share_table(lode_store *store, const lode_file_meta *f, const char *path, lode_file_kind kind)
{
    char *from = lode_file_path(store->path, kind, f->number);
    char *to = lode_file_path(path, LODE_FILE_TABLE, f->number);
    lode_status s = from && to ? store->env->link(store->env, from, to)
                               : lode_fail(LODE_NO_MEMORY, "%s: no memory for a file name", path);
    if (lode_failed(s) && s.code != LODE_MISSING && s.code != LODE_EXISTS && s.code != LODE_NO_SPACE && from && to)
        s = copy_file(store->env, from, to, f->bytes); /* another file system, or one without hard links */
    free(from);
    free(to);
    return s;
}

static lode_status share_tables(lode_store *store, const lode_version *v, const char *path)
{
    for (int level = 0; level < LODE_LEVELS; level++)
        for (size_t i = 0; i < v->levels[level].count; i++) {
            lode_status s = share_table(store, v->levels[level].files[i], path, LODE_FILE_TABLE);
            if (s.code == LODE_MISSING)
                s = share_table(store, v->levels[level].files[i], path, LODE_FILE_OLD_TABLE);
            LODE_TRY(s);
        }
    return store->env->sync_directory(store->env, path);
}

static lode_status write_manifest(lode_store *store, const moment *m, const char *path)
{
    lode_versions vs;
    lode_version_edit edit;
    lode_mutex lock;
    lode_status s = lode_versions_init(&vs, store->env, path, store->cmp, store->tables);
    if (!lode_failed(s)) {
        lode_version_unref(vs.current);
        vs.current = m->version;
        lode_version_ref(vs.current);
        vs.next_file = m->next_file;
        vs.log_number = lode_versions_new_number(&vs);
        vs.last_sequence = m->sequence;
        lode_version_edit_init(&edit);
        lode_mutex_init(&lock);
        lode_mutex_lock(&lock);
        s = lode_versions_apply(&vs, &lock, &edit, NULL, NULL);
        lode_mutex_unlock(&lock);
        lode_mutex_clear(&lock);
        lode_version_edit_clear(store->tables, &edit);
    }
    lode_versions_clear(&vs);
    return s;
}

static lode_status note_any(void *context, const char *name)
{
    *(bool *)context = true;
    (void)name;
    return lode_ok();
}

static lode_status make_target(lode_env *env, const char *path)
{
    lode_file_info info;
    bool exists, has_files = false;
    LODE_TRY(env->path_info(env, &exists, &info, path));
    if (exists && !info.is_directory)
        return lode_fail(LODE_EXISTS, "%s: there is a file of this name", path);
    if (exists)
        LODE_TRY(env->list(env, path, note_any, &has_files));
    if (has_files)
        return lode_fail(LODE_EXISTS, "%s: the directory is not empty", path);
    return lode_env_make_path(env, path);
}

lode_status lode_store_checkpoint(lode_store *store, const char *path)
{
    moment m = { 0 };
    if (!store || !path || !*path)
        return lode_fail(LODE_INVALID_ARGUMENT, "store checkpoint: NULL argument");
    if (store->options.read_only)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: opened read only", store->path);
    LODE_TRY(make_target(store->env, path));
    lode_status s = take_moment(store, &m);
    if (!lode_failed(s))
        s = share_tables(store, m.version, path);
    if (!lode_failed(s))
        s = write_manifest(store, &m, path);
    lode_version_unref(m.version);
    if (lode_failed(s))
        lode_ignore(lode_env_remove_tree(store->env, path)); /* without CURRENT it is no store */
    return s;
}
