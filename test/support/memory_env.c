/* test/support/memory_env.c: the table of support/env.h over memory_tree.c.
 *
 * Threads:  disk->lock around everything; a visitor of `list` is called without it.
 */
#include "test/support/memory_env.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/bytes.h"
#include "support/thread.h"
#include "test/support/memory_tree.h"

typedef struct disk {
    lode_env env; /* first: the table and the disk are one address */
    lode_mutex lock;
    memory_tree tree;
    bool is_off;
    bool allows_map;
    unsigned powered; /* how often power came; a handle of an earlier time is dead */
} disk;

typedef struct handle {
    memory_node *node; /* counted in its refs */
    unsigned powered;
    int flags;
    uint64_t position; /* for `read` */
    char path[];
} handle;

static disk *begin(lode_env *env)
{
    disk *d = (disk *)env->context;

    lode_mutex_lock(&d->lock);
    return d;
}

/* Ends a call: errno becomes a status. */
static lode_status end(disk *d, int error, const char *what, const char *path)
{
    lode_mutex_unlock(&d->lock);
    return error ? lode_fail_errno(error, "%s: cannot %s (memory)", path, what) : lode_ok();
}

static handle *handle_of(lode_file *file)
{
    return (handle *)(void *)file;
}

/* 0, or why this handle cannot be read or written. */
static int check_handle(const disk *d, const handle *h, int flag)
{
    if (d->is_off || h->powered != d->powered)
        return EIO;
    if (!(h->flags & flag))
        return EBADF;
    return h->node->is_directory ? EISDIR : 0;
}

static handle *make_handle(disk *d, memory_node *node, const char *path, int flags)
{
    size_t len = strlen(path);
    handle *h = malloc(sizeof *h + len + 1);

    if (!h)
        abort();
    *h = (handle){ node, d->powered, flags, 0 };
    memcpy(h->path, path, len + 1);
    memory_node_hold(node);
    return h;
}

static int find_or_make(disk *d, memory_node **node, const char *path, int flags)
{
    int error = memory_tree_find(&d->tree, node, path);

    if (!error && (flags & LODE_OPEN_CREATE) && (flags & LODE_OPEN_EXCLUSIVE))
        return EEXIST;
    if (error == ENOENT && (flags & LODE_OPEN_CREATE))
        return memory_tree_make(&d->tree, node, path, false);
    if (!error && (*node)->is_directory && (flags & LODE_OPEN_WRITE))
        return EISDIR;
    if (!error && (flags & LODE_OPEN_TRUNCATE) && (*node)->now.len > 0)
        return memory_node_resize(&d->tree, *node, 0);
    return error;
}

static lode_status open_file(lode_env *env, lode_file **out, const char *path, int flags)
{
    disk *d = begin(env);
    memory_node *node;
    int error = d->is_off ? EIO : find_or_make(d, &node, path, flags);

    *out = NULL;
    if (!error)
        *out = (lode_file *)(void *)make_handle(d, node, path, flags);
    return end(d, error, "open", path);
}

static void close_file(lode_env *env, lode_file *file)
{
    handle *h = handle_of(file);

    if (!h)
        return;
    disk *d = begin(env);
    memory_node_drop(&d->tree, h->node);
    free(h);
    lode_mutex_unlock(&d->lock);
}

static size_t copy_out(const memory_node *n, void *data, size_t len, uint64_t offset)
{
    if (offset >= n->now.len)
        return 0;
    size_t fits = n->now.len - (size_t)offset < len ? n->now.len - (size_t)offset : len;
    if (fits)
        memcpy(data, n->now.data + offset, fits);
    return fits;
}

static lode_status pread_file(lode_env *env, lode_file *file, size_t *got, void *data, size_t len, uint64_t offset)
{
    disk *d = begin(env);
    handle *h = handle_of(file);
    int error = check_handle(d, h, LODE_OPEN_READ);

    if (!error)
        *got = copy_out(h->node, data, len, offset);
    return end(d, error, "read", h->path);
}

static lode_status read_file(lode_env *env, lode_file *file, size_t *got, bool *at_end, void *data, size_t len,
                             uint64_t timeout_us)
{
    disk *d = begin(env);
    handle *h = handle_of(file);
    int error = check_handle(d, h, LODE_OPEN_READ);

    if (!error) {
        *got = copy_out(h->node, data, len, h->position);
        h->position += *got;
        *at_end = !*got && len;
    }
    return end(d, error, "read", h->path);
}

static lode_status pwrite_file(lode_env *env, lode_file *file, const void *data, size_t len, uint64_t offset)
{
    disk *d = begin(env);
    handle *h = handle_of(file);
    int error = check_handle(d, h, LODE_OPEN_WRITE);

    if (!error)
        error = memory_node_write(&d->tree, h->node, data, len, offset);
    return end(d, error, "write", h->path);
}

static lode_status sync_file(lode_env *env, lode_file *file)
{
    disk *d = begin(env);
    handle *h = handle_of(file);
    int error = check_handle(d, h, LODE_OPEN_READ | LODE_OPEN_WRITE);

    if (!error)
        memory_node_sync(h->node);
    return end(d, error, "sync", h->path);
}

static lode_status truncate_file(lode_env *env, lode_file *file, uint64_t size)
{
    disk *d = begin(env);
    handle *h = handle_of(file);
    int error = check_handle(d, h, LODE_OPEN_WRITE);

    if (!error)
        error = memory_node_resize(&d->tree, h->node, size);
    return end(d, error, "truncate", h->path);
}

static lode_status allocate_file(lode_env *env, lode_file *file, uint64_t offset, uint64_t len)
{
    disk *d = begin(env);
    handle *h = handle_of(file);
    int error = check_handle(d, h, LODE_OPEN_WRITE);

    if (!error && len > 0 && offset + len > h->node->now.len)
        error = memory_node_resize(&d->tree, h->node, offset + len);
    return end(d, error, "reserve room", h->path);
}

static lode_file_info info_of(const memory_node *n)
{
    return (lode_file_info){
        .size_bytes = n->now.len,
        .device = 1,
        .inode = n->inode,
        .mtime_ns = n->mtime_ns,
        .is_directory = n->is_directory,
        .is_regular = !n->is_directory,
    };
}

static lode_status file_info(lode_env *env, lode_file *file, lode_file_info *info)
{
    disk *d = begin(env);
    handle *h = handle_of(file);
    int error = d->is_off || h->powered != d->powered ? EIO : 0;

    if (!error)
        *info = info_of(h->node);
    return end(d, error, "stat", h->path);
}

static void advise_file(lode_env *env, lode_file *file, uint64_t offset, uint64_t len, int advice)
{
}

static int copy_node_range(disk *d, const handle *to, uint64_t to_offset, const handle *from, uint64_t from_offset,
                           size_t len)
{
    uint8_t *piece = malloc(len ? len : 1);

    if (!piece)
        abort();
    size_t got = copy_out(from->node, piece, len, from_offset);
    int error = memory_node_write(&d->tree, to->node, piece, got, to_offset);
    free(piece);
    return error ? error : got < len ? ENODATA : 0;
}

static lode_status copy_range(lode_env *env, lode_file *to, uint64_t to_offset, lode_file *from, uint64_t from_offset,
                              uint64_t len)
{
    disk *d = begin(env);
    handle *t = handle_of(to), *f = handle_of(from);
    int error = check_handle(d, t, LODE_OPEN_WRITE);

    if (!error)
        error = check_handle(d, f, LODE_OPEN_READ);
    if (!error)
        error = copy_node_range(d, t, to_offset, f, from_offset, (size_t)len);
    if (error == ENODATA) {
        lode_mutex_unlock(&d->lock);
        return lode_fail(LODE_CORRUPT, "%s: ends before what is copied from it (memory)", f->path);
    }
    return end(d, error, "copy to", t->path);
}

static lode_status map_file(lode_env *env, lode_file *file, const uint8_t **data, size_t len)
{
    disk *d = begin(env);
    handle *h = handle_of(file);
    int error = check_handle(d, h, LODE_OPEN_READ);

    if (!error && h->node->now.len < len) {
        lode_mutex_unlock(&d->lock);
        return lode_fail(LODE_CORRUPT, "%s: shorter than the %zu bytes to be mapped (memory)", h->path, len);
    }
    if (!error) {
        uint8_t *copy = d->allows_map && len ? malloc(len) : NULL;
        if (copy)
            copy_out(h->node, copy, len, 0);
        *data = copy;
    }
    return end(d, error, "map", h->path);
}

static void unmap_file(lode_env *env, const uint8_t *data, size_t len)
{
    free((void *)(uintptr_t)data);
}

static void start_writeback(lode_env *env, lode_file *file, uint64_t offset, uint64_t len)
{
}

static lode_status path_info(lode_env *env, bool *exists, lode_file_info *info, const char *path)
{
    disk *d = begin(env);
    memory_node *node;
    int error = d->is_off ? EIO : memory_tree_find(&d->tree, &node, path);

    if (error != EIO)
        *exists = !error;
    if (!error && info)
        *info = info_of(node);
    return end(d, error == EIO ? EIO : 0, "stat", path);
}

/* The names, each with its NUL. */
static int collect_names(disk *d, lode_buf *names, const char *directory)
{
    memory_node *node;
    int error = d->is_off ? EIO : memory_tree_find(&d->tree, &node, directory);

    if (error)
        return error;
    if (!node->is_directory)
        return ENOTDIR;
    for (size_t i = 0; i < node->now_entries.count; i++) {
        const char *name = node->now_entries.list[i].name;
        lode_buf_append(names, name, strlen(name) + 1);
    }
    return 0;
}

static lode_status list_directory(lode_env *env, const char *directory, lode_list_visit visit, void *visit_context)
{
    disk *d = begin(env);
    lode_buf names = LODE_BUF_EMPTY;
    lode_status s = end(d, collect_names(d, &names, directory), "list", directory);

    for (size_t at = 0; !lode_failed(s) && at < names.len;) {
        const char *name = (const char *)names.data + at;
        at += strlen(name) + 1;
        s = visit(visit_context, name);
    }
    lode_buf_clear(&names);
    return s;
}

static lode_status make_directory(lode_env *env, const char *path)
{
    disk *d = begin(env);
    memory_node *node;
    int error = d->is_off ? EIO : memory_tree_make(&d->tree, &node, path, true);

    if (error == EEXIST && memory_tree_find(&d->tree, &node, path) == 0 && node->is_directory)
        error = 0;
    return end(d, error, "make directory", path);
}

static lode_status sync_directory(lode_env *env, const char *path)
{
    disk *d = begin(env);
    memory_node *node;
    int error = d->is_off ? EIO : memory_tree_find(&d->tree, &node, path);

    if (!error && !node->is_directory)
        error = ENOTDIR;
    if (!error)
        memory_tree_sync_directory(&d->tree, node);
    return end(d, error, "sync directory", path);
}

static lode_status rename_path(lode_env *env, const char *from, const char *to)
{
    disk *d = begin(env);

    return end(d, d->is_off ? EIO : memory_tree_rename(&d->tree, from, to), "rename", from);
}

static lode_status link_path(lode_env *env, const char *from, const char *to)
{
    disk *d = begin(env);

    return end(d, d->is_off ? EIO : memory_tree_link(&d->tree, from, to), "link", from);
}

static lode_status remove_file(lode_env *env, const char *path)
{
    disk *d = begin(env);

    return end(d, d->is_off ? EIO : memory_tree_remove(&d->tree, path, false), "remove", path);
}

static lode_status remove_directory(lode_env *env, const char *path)
{
    disk *d = begin(env);

    return end(d, d->is_off ? EIO : memory_tree_remove(&d->tree, path, true), "remove directory", path);
}

static lode_status lock_file(lode_env *env, lode_file **out, const char *path)
{
    disk *d = begin(env);
    memory_node *node;
    int error = d->is_off ? EIO : find_or_make(d, &node, path, LODE_OPEN_WRITE | LODE_OPEN_CREATE);

    *out = NULL;
    if (!error && node->is_locked) {
        lode_mutex_unlock(&d->lock);
        return lode_fail(LODE_LOCKED, "%s: locked (memory)", path);
    }
    if (!error) {
        node->is_locked = true;
        *out = (lode_file *)(void *)make_handle(d, node, path, 0);
    }
    return end(d, error, "lock", path);
}

static void unlock_file(lode_env *env, lode_file *lock)
{
    handle *h = handle_of(lock);

    if (!h)
        return;
    disk *d = begin(env);
    if (h->powered == d->powered) /* else the power cut has unlocked it, and it may be another's */
        h->node->is_locked = false;
    memory_node_drop(&d->tree, h->node);
    free(h);
    lode_mutex_unlock(&d->lock);
}

static lode_status is_locked(lode_env *env, bool *held, const char *path)
{
    disk *d = begin(env);
    memory_node *node;
    int error = d->is_off ? EIO : memory_tree_find(&d->tree, &node, path);

    if (error != EIO)
        *held = !error && node->is_locked;
    return end(d, error == EIO ? EIO : 0, "ask for the lock", path);
}

static lode_status free_space(lode_env *env, uint64_t *bytes, const char *path)
{
    disk *d = begin(env);
    memory_node *node;
    int error = d->is_off ? EIO : memory_tree_find(&d->tree, &node, path);

    if (!error)
        *bytes = d->tree.capacity_bytes > d->tree.used_bytes ? d->tree.capacity_bytes - d->tree.used_bytes : 0;
    return end(d, error, "ask for free space", path);
}

static const lode_env memory_table = {
    .open = open_file,
    .close = close_file,
    .pread = pread_file,
    .read = read_file,
    .pwrite = pwrite_file,
    .sync = sync_file,
    .truncate = truncate_file,
    .allocate = allocate_file,
    .file_info = file_info,
    .advise = advise_file,
    .copy_range = copy_range,
    .map = map_file,
    .unmap = unmap_file,
    .start_writeback = start_writeback,
    .path_info = path_info,
    .list = list_directory,
    .make_directory = make_directory,
    .sync_directory = sync_directory,
    .rename = rename_path,
    .link = link_path,
    .remove = remove_file,
    .remove_directory = remove_directory,
    .lock = lock_file,
    .unlock = unlock_file,
    .is_locked = is_locked,
    .free_space = free_space,
};

lode_env *lode_memory_env_create(void)
{
    disk *d = calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->env = memory_table;
    d->env.context = d;
    lode_mutex_init(&d->lock);
    memory_tree_init(&d->tree);
    return &d->env;
}

void lode_memory_env_destroy(lode_env *env)
{
    if (!env)
        return;
    disk *d = env->context;
    memory_tree_clear(&d->tree);
    lode_mutex_clear(&d->lock);
    free(d);
}

void lode_memory_env_power_off(lode_env *env)
{
    disk *d = begin(env);

    d->is_off = true;
    lode_mutex_unlock(&d->lock);
}

void lode_memory_env_power_on(lode_env *env, lode_power_cut cut, uint64_t seed)
{
    disk *d = begin(env);

    memory_tree_lose_power(&d->tree, cut, seed);
    d->powered++;
    d->is_off = false;
    lode_mutex_unlock(&d->lock);
}

void lode_memory_env_set_capacity(lode_env *env, uint64_t bytes)
{
    disk *d = begin(env);

    d->tree.capacity_bytes = bytes;
    lode_mutex_unlock(&d->lock);
}

void lode_memory_env_allow_map(lode_env *env, bool allowed)
{
    disk *d = begin(env);

    d->allows_map = allowed;
    lode_mutex_unlock(&d->lock);
}

uint64_t lode_memory_env_used_bytes(lode_env *env)
{
    disk *d = begin(env);
    uint64_t used = d->tree.used_bytes;

    lode_mutex_unlock(&d->lock);
    return used;
}
