/* chainstate/block_files_handle.c: a bounded number of open block and undo files.
 *
 * Touches:  files of the blocks folder, through lode_env.
 * Threads:  any. A handle is shared by its users; when all places are in use, one more is opened and closed again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "chainstate/block_files_private.h"

char *lode_block_files_name(const lode_block_files *files, lode_file_id id)
{
    char name[32];

    snprintf(name, sizeof name, "%s%05d.dat", id.kind == LODE_FILE_BLK ? "blk" : "rev", (int)id.number);
    return lode_path_join(files->path, name);
}

static lode_block_handle *find_open(lode_block_files *files, lode_file_id id, bool writable)
{
    for (int i = 0; i < LODE_BLOCK_HANDLES; i++) {
        lode_block_handle *h = &files->handles[i];
        if (h->file && lode_file_id_is_equal(h->id, id) && (h->is_writable || !writable))
            return h;
    }
    return NULL;
}

/* A free place, or the one whose file was unused longest, closed. NULL: all are in use. */
static lode_block_handle *find_place(lode_block_files *files)
{
    lode_block_handle *oldest = NULL;

    for (int i = 0; i < LODE_BLOCK_HANDLES; i++) {
        lode_block_handle *h = &files->handles[i];
        if (!h->file)
            return h;
        if (h->users == 0 && (!oldest || h->used < oldest->used))
            oldest = h;
    }
    if (oldest) {
        files->env->close(files->env, oldest->file);
        oldest->file = NULL;
    }
    return oldest;
}

static void close_idle(lode_block_files *files)
{
    for (int i = 0; i < LODE_BLOCK_HANDLES; i++) {
        lode_block_handle *h = &files->handles[i];
        if (h->file && h->users == 0) {
            files->env->close(files->env, h->file);
            h->file = NULL;
        }
    }
}

static lode_status open_path(lode_file **out, lode_block_files *files, const char *path, bool writable)
{
    lode_env *env = files->env;
    int flags = writable ? LODE_OPEN_READ | LODE_OPEN_WRITE | LODE_OPEN_DIRECT : LODE_OPEN_READ;
    lode_status s = env->open(env, out, path, flags);

    if (s.sys_errno == EMFILE || s.sys_errno == ENFILE) {
        close_idle(files);
        s = env->open(env, out, path, flags);
    }
    if (!writable || s.code != LODE_MISSING)
        return s;
    s = env->open(env, out, path, flags | LODE_OPEN_CREATE);
    if (!lode_failed(s))
        files->folder_is_dirty = true;
    return s;
}

static lode_status take_guarded(lode_block_handle **out, lode_block_files *files, lode_file_id id, bool writable)
{
    lode_block_handle *h = find_open(files, id, writable);
    lode_file *file;

    if (!h) {
        char *path = lode_block_files_name(files, id);
        if (!path)
            return lode_fail(LODE_NO_MEMORY, "%s: no memory to open block file %d", files->path, (int)id.number);
        lode_status s = open_path(&file, files, path, writable);
        free(path);
        if (lode_failed(s))
            return s;
        h = find_place(files);
        bool is_cached = h != NULL;
        if (!h && !(h = malloc(sizeof *h))) {
            files->env->close(files->env, file);
            return lode_fail(LODE_NO_MEMORY, "%s: no memory to open block file %d", files->path, (int)id.number);
        }
        *h = (lode_block_handle){ id, file, writable, is_cached, 0, 0 };
    }
    h->users++;
    h->used = ++files->handle_clock;
    *out = h;
    return lode_ok();
}

lode_status lode_block_handle_take(lode_block_handle **out, lode_block_files *files, lode_file_id id, bool writable)
{
    *out = NULL;
    lode_mutex_lock(&files->handles_mutex);
    lode_status s = take_guarded(out, files, id, writable);
    lode_mutex_unlock(&files->handles_mutex);
    return s;
}

void lode_block_handle_release(lode_block_files *files, lode_block_handle *handle)
{
    lode_mutex_lock(&files->handles_mutex);
    handle->users--;
    bool is_cached = handle->is_cached;
    lode_mutex_unlock(&files->handles_mutex);
    if (is_cached)
        return;
    files->env->close(files->env, handle->file);
    free(handle);
}

void lode_block_handles_close(lode_block_files *files)
{
    lode_mutex_lock(&files->handles_mutex);
    close_idle(files);
    lode_mutex_unlock(&files->handles_mutex);
}
