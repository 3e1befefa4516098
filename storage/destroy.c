/* storage/destroy.c: removing a store's files.
 *
 * Touches:  the store's own files by their names; anything else in the directory stays, and so does the directory then.
 * Promise:  when power goes in the middle, what is left is the whole store, or is known as one that is being removed:
 *           the next open for writing ends the removal.
 */
#include <stdlib.h>

#include "storage/file_name.h"
#include "storage/store_internal.h"

static lode_status note_own(void *context, const char *name)
{
    lode_buf *names = context;
    lode_file_kind kind;
    uint64_t number;
    if (lode_file_name_parse(name, &kind, &number) && kind != LODE_FILE_LOCK && kind != LODE_FILE_WIPED)
        lode_buf_append(names, name, strlen(name) + 1);
    return lode_ok();
}

static lode_status remove_one(lode_env *env, const char *directory, const char *name)
{
    char *path = lode_path_join(directory, name);
    lode_status s =
        path ? env->remove(env, path) : lode_fail(LODE_NO_MEMORY, "%s: no memory for a file name", directory);
    free(path);
    return s.code == LODE_MISSING ? lode_ok() : s;
}

/* CURRENT gets another name first, and that name goes last. */
static lode_status rename_current(lode_env *env, const char *path)
{
    char *from = lode_file_path(path, LODE_FILE_CURRENT, 0), *to = lode_file_path(path, LODE_FILE_WIPED, 0);
    lode_status s =
        from && to ? env->rename(env, from, to) : lode_fail(LODE_NO_MEMORY, "%s: no memory for a file name", path);
    free(from);
    free(to);
    if (s.code == LODE_MISSING)
        s = lode_ok();
    return lode_failed(s) ? s : env->sync_directory(env, path);
}

lode_status lode_store_remove_files(lode_env *env, const char *path)
{
    lode_buf names = LODE_BUF_EMPTY;
    LODE_TRY(rename_current(env, path));
    lode_status s = env->list(env, path, note_own, &names);
    if (!lode_failed(s) && !lode_buf_is_good(&names))
        s = lode_fail(LODE_NO_MEMORY, "%s: no memory for a list of files", path);
    for (size_t at = 0; !lode_failed(s) && at < names.len; at += strlen((char *)names.data + at) + 1)
        s = remove_one(env, path, (char *)names.data + at);
    lode_buf_clear(&names);
    if (!lode_failed(s))
        s = env->sync_directory(env, path);
    return lode_failed(s) ? s : remove_one(env, path, LODE_WIPED_NAME);
}

lode_status lode_store_destroy(const char *path, const lode_store_options *options)
{
    lode_env *env = options && options->env ? options->env : lode_env_system();
    lode_file_info info;
    lode_file *lock;
    bool exists;
    if (!path || !*path)
        return lode_fail(LODE_INVALID_ARGUMENT, "store destroy: no path");
    LODE_TRY(env->path_info(env, &exists, &info, path));
    if (!exists)
        return lode_ok();
    char *lock_path = lode_file_path(path, LODE_FILE_LOCK, 0);
    if (!lock_path)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a file name", path);
    lode_status s = env->lock(env, &lock, lock_path);
    if (!lode_failed(s)) {
        s = lode_store_remove_files(env, path);
        env->unlock(env, lock);
        if (!lode_failed(s))
            s = remove_one(env, path, LODE_LOCK_NAME);
        if (!lode_failed(s))
            lode_ignore(env->remove_directory(env, path)); /* other people's files keep it */
    }
    free(lock_path);
    return s;
}
