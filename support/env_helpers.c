/* support/env_helpers.c: what is made of several calls of one table.
 *
 * Touches:  files, through the lode_env that it is given.
 * Promise:  a file that was written atomically has its old or its new content after a power cut, never a mixture.
 */
#include "support/env.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/bytes.h"

char *lode_path_join(const char *directory, const char *name)
{
    size_t d = strlen(directory), n = strlen(name);
    size_t slash = d > 0 && directory[d - 1] != '/';
    char *path = malloc(d + slash + n + 1);

    if (!path)
        return NULL;
    memcpy(path, directory, d);
    if (slash)
        path[d] = '/';
    memcpy(path + d + slash, name, n + 1);
    return path;
}

char *lode_path_absolute(const char *path)
{
    char *here, *joined;

    if (path[0] == '/')
        return strdup(path);
    here = getcwd(NULL, 0);
    joined = lode_path_join(here ? here : ".", path);
    free(here);
    return joined;
}

/* The directory that holds `path`, given, NULL when memory is out: "." for a bare name. */
static char *parent_of(const char *path)
{
    size_t len = strlen(path);

    while (len > 1 && path[len - 1] == '/')
        len--;
    while (len > 0 && path[len - 1] != '/')
        len--;
    while (len > 1 && path[len - 1] == '/')
        len--;
    return len ? strndup(path, len) : strdup(".");
}

static lode_status sync_parent(lode_env *env, const char *path)
{
    char *parent = parent_of(path);

    if (!parent)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for the name of its directory", path);
    lode_status s = env->sync_directory(env, parent);
    free(parent);
    return s;
}

static lode_status make_one(lode_env *env, const char *path)
{
    lode_file_info info;
    bool exists;

    LODE_TRY(env->path_info(env, &exists, &info, path));
    if (exists && info.is_directory)
        return lode_ok();
    LODE_TRY(env->make_directory(env, path));
    return sync_parent(env, path);
}

lode_status lode_env_make_path(lode_env *env, const char *path)
{
    char *prefix = strdup(path);
    lode_status s = lode_ok();

    if (!prefix)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to make it", path);
    for (size_t i = 1; prefix[0] && !lode_failed(s); i++) {
        char c = prefix[i];
        if (c != '/' && c != '\0')
            continue;
        prefix[i] = '\0';
        if (prefix[i - 1] != '/')
            s = make_one(env, prefix);
        prefix[i] = c;
        if (c == '\0')
            break;
    }
    free(prefix);
    return s;
}

static lode_status read_open_file(lode_env *env, lode_buf *out, lode_file *file, const char *path, size_t limit_bytes)
{
    size_t piece = 64 * 1024, from = out->len;

    for (;;) {
        size_t have = out->len - from, got;
        size_t want = limit_bytes - have < piece ? limit_bytes - have + 1 : piece; /* one more shows what is too long */
        uint8_t *p = lode_buf_extend(out, want);

        if (!p)
            return lode_fail(LODE_NO_MEMORY, "%s: no memory to read it", path);
        lode_status s = env->pread(env, file, &got, p, want, have);
        out->len -= want;
        LODE_TRY(s);
        out->len += got;
        if (have + got > limit_bytes)
            return lode_fail(LODE_CORRUPT, "%s: more than the %zu bytes that it may have", path, limit_bytes);
        if (got < want)
            return lode_ok();
        if (piece < 16 * 1024 * 1024)
            piece *= 2;
    }
}

lode_status lode_env_read_file(lode_env *env, lode_buf *out, const char *path, size_t limit_bytes)
{
    size_t before = out->len;
    lode_file *file;

    LODE_TRY(env->open(env, &file, path, LODE_OPEN_READ));
    lode_status s = read_open_file(env, out, file, path, limit_bytes);
    env->close(env, file);
    if (lode_failed(s) && lode_buf_is_good(out))
        out->len = before;
    return s;
}

static lode_status write_and_sync(lode_env *env, const char *path, const void *data, size_t len)
{
    lode_file *file;

    LODE_TRY(env->open(env, &file, path, LODE_OPEN_WRITE | LODE_OPEN_CREATE | LODE_OPEN_TRUNCATE));
    lode_status s = env->pwrite(env, file, data, len, 0);
    if (!lode_failed(s))
        s = env->sync(env, file);
    env->close(env, file);
    return s;
}

lode_status lode_env_write_file_atomically(lode_env *env, const char *path, const void *data, size_t len)
{
    size_t n = strlen(path);
    char *temporary = malloc(n + sizeof ".tmp");

    if (!temporary)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to write it", path);
    memcpy(temporary, path, n);
    memcpy(temporary + n, ".tmp", sizeof ".tmp");
    lode_status s = write_and_sync(env, temporary, data, len);
    if (!lode_failed(s))
        s = env->rename(env, temporary, path);
    if (lode_failed(s))
        lode_ignore(env->remove(env, temporary)); /* the next write truncates what stays */
    else
        s = sync_parent(env, path);
    free(temporary);
    return s;
}

typedef struct name_list {
    lode_buf names; /* each ends with a NUL */
} name_list;

static lode_status add_name(void *context, const char *name)
{
    name_list *list = context;

    lode_buf_append(&list->names, name, strlen(name) + 1);
    return lode_buf_is_good(&list->names) ? lode_ok() : lode_fail(LODE_NO_MEMORY, "no memory to list a directory");
}

static lode_status empty_directory(lode_env *env, const char *path)
{
    name_list list = { LODE_BUF_EMPTY };
    lode_status s = env->list(env, path, add_name, &list);

    for (size_t at = 0; !lode_failed(s) && at < list.names.len;) {
        const char *name = (const char *)list.names.data + at;
        char *child = lode_path_join(path, name);

        at += strlen(name) + 1;
        s = child ? lode_env_remove_tree(env, child) : lode_fail(LODE_NO_MEMORY, "%s: no memory to remove it", path);
        free(child);
    }
    lode_buf_clear(&list.names);
    return s;
}

/* Removing as a file comes first: a symbolic link goes away itself, and what it points to stays. */
lode_status lode_env_remove_tree(lode_env *env, const char *path)
{
    lode_file_info info;
    bool exists;
    lode_status s = env->remove(env, path);

    if (!lode_failed(s) || s.code == LODE_MISSING)
        return lode_ok();
    if (s.sys_errno != EISDIR && s.sys_errno != EPERM)
        return s;
    LODE_TRY(env->path_info(env, &exists, &info, path));
    if (!exists || !info.is_directory)
        return s;
    LODE_TRY(empty_directory(env, path));
    return env->remove_directory(env, path);
}
