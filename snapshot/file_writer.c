/* snapshot/file_writer.c: a file that has its name only when it is whole.
 *
 * Touches:  PATH.incomplete, then PATH, through lode_env.
 * Promise:  PATH never names part of a file, whatever fails or stops.
 */
#include "snapshot/file_writer.h"

#include <stdlib.h>

enum { PIECE = 1 << 20 };

static lode_status demand_absent(lode_env *env, const char *path)
{
    bool exists = false;

    LODE_TRY(env->path_info(env, &exists, NULL, path));
    if (exists)
        return lode_fail(LODE_EXISTS, "%s exists already, and is not written over", path);
    return lode_ok();
}

static void clear(lode_file_writer *w)
{
    if (w->file)
        w->env->close(w->env, w->file);
    free(w->path);
    free(w->unfinished);
    lode_buf_clear(&w->buf);
    *w = (lode_file_writer){ .env = w->env };
}

lode_status lode_file_writer_open(lode_file_writer *w, lode_env *env, const char *path)
{
    static const char suffix[] = ".incomplete";
    size_t len = strlen(path);
    lode_status s;

    *w = (lode_file_writer){ .env = env, .status = lode_ok() };
    LODE_TRY(demand_absent(env, path));
    w->path = strdup(path);
    w->unfinished = malloc(len + sizeof suffix);
    if (!w->path || !w->unfinished || !lode_buf_reserve(&w->buf, PIECE + PIECE / 8)) {
        clear(w);
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to write it", path);
    }
    memcpy(w->unfinished, path, len);
    memcpy(w->unfinished + len, suffix, sizeof suffix);
    s = env->open(env, &w->file, w->unfinished, LODE_OPEN_WRITE | LODE_OPEN_CREATE | LODE_OPEN_TRUNCATE);
    if (lode_failed(s)) {
        w->file = NULL;
        clear(w);
    }
    return s;
}

static void write_buffer(lode_file_writer *w)
{
    if (!lode_failed(w->status) && !lode_buf_is_good(&w->buf))
        w->status = lode_fail(LODE_NO_MEMORY, "%s: no memory to write it", w->path);
    if (!lode_failed(w->status) && w->buf.len)
        w->status = w->env->pwrite(w->env, w->file, w->buf.data, w->buf.len, w->written);
    if (!lode_failed(w->status)) {
        w->env->start_writeback(w->env, w->file, w->written, w->buf.len);
        w->written += w->buf.len;
    }
    lode_buf_reset(&w->buf);
}

void lode_file_writer_drain(lode_file_writer *w)
{
    if (w->buf.len >= PIECE || !lode_buf_is_good(&w->buf))
        write_buffer(w);
}

void lode_file_writer_put(lode_file_writer *w, const void *data, size_t len)
{
    lode_buf_append(&w->buf, data, len);
    lode_file_writer_drain(w);
}

void lode_file_writer_patch(lode_file_writer *w, const void *data, size_t len, uint64_t offset)
{
    write_buffer(w);
    if (!lode_failed(w->status))
        w->status = w->env->pwrite(w->env, w->file, data, len, offset);
}

static lode_status sync_parent(lode_env *env, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *parent = !slash ? strdup(".") : slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
    lode_status s;

    if (!parent)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for the name of its folder", path);
    s = env->sync_directory(env, parent);
    free(parent);
    return s;
}

lode_status lode_file_writer_finish(lode_file_writer *w)
{
    lode_env *env = w->env;
    lode_status s;

    write_buffer(w);
    s = w->status;
    if (!lode_failed(s))
        s = env->sync(env, w->file);
    if (!lode_failed(s))
        s = demand_absent(env, w->path); /* it may have come meanwhile */
    if (!lode_failed(s))
        s = env->rename(env, w->unfinished, w->path);
    if (lode_failed(s)) {
        lode_file_writer_abandon(w);
        return s;
    }
    s = sync_parent(env, w->path);
    clear(w);
    return s;
}

void lode_file_writer_abandon(lode_file_writer *w)
{
    if (!w->file)
        return;
    lode_ignore(w->env->remove(w->env, w->unfinished)); /* its name says what it is */
    clear(w);
}
