/* test/support/fault_env.c: the counting, failing table.
 *
 * Room:     a handle is the base's handle and its path, so that a plan can choose by path.
 * Threads:  f->lock guards plan and counts; no call of the base is made under it.
 */
#include "test/support/fault_env.h"

#include <stdlib.h>
#include <string.h>

#include "support/thread.h"

#define KINDS 21

typedef struct fault_env {
    lode_env env; /* first: the table and this are one address */
    lode_env *base;
    lode_mutex lock;
    lode_fault_plan plan;
    uint64_t matched; /* calls that the plan speaks of */
    uint64_t failed;
    uint64_t counts[KINDS];
} fault_env;

typedef struct handle {
    lode_file *file; /* the base's */
    char path[];
} handle;

static fault_env *fault_of(lode_env *env)
{
    return env->context;
}

static handle *handle_of(lode_file *file)
{
    return (handle *)(void *)file;
}

/* Counts the call; the error to fail with, or 0. */
static int meet(lode_env *env, unsigned call, const char *path)
{
    fault_env *f = fault_of(env);

    lode_mutex_lock(&f->lock);
    const lode_fault_plan p = f->plan;
    f->counts[__builtin_ctz(call)]++;
    bool hit = (p.calls & call) && (!p.path_contains || strstr(path, p.path_contains)) &&
               (!p.matches || p.matches(p.matches_context, call, path));
    if (hit) {
        uint64_t n = f->matched++;
        hit = n >= p.skip && n - p.skip < p.times;
    }
    bool is_first = hit && f->failed++ == 0;
    lode_mutex_unlock(&f->lock);
    if (is_first && p.hook)
        p.hook(p.hook_context);
    return hit ? p.error_number : 0;
}

#define FAIL_IF_PLANNED(env, call, path)                                                                               \
    do {                                                                                                               \
        int planned_error = meet(env, call, path);                                                                     \
        if (planned_error)                                                                                             \
            return lode_fail_errno(planned_error, "%s: %s as planned", path, #call);                                   \
    } while (0)

/* Wraps the base's handle, or closes nothing when the base has failed. */
static lode_status wrap(lode_file **out, lode_status s, lode_file *file, const char *path)
{
    *out = NULL;
    if (lode_failed(s))
        return s;
    size_t len = strlen(path);
    handle *h = malloc(sizeof *h + len + 1);
    if (!h)
        abort(); /* a test's tool */
    h->file = file;
    memcpy(h->path, path, len + 1);
    *out = (lode_file *)(void *)h;
    return s;
}

static lode_status open_file(lode_env *env, lode_file **out, const char *path, int flags)
{
    lode_env *base = fault_of(env)->base;
    lode_file *file = NULL;

    *out = NULL;
    FAIL_IF_PLANNED(env, LODE_FAULT_OPEN, path);
    lode_status s = base->open(base, &file, path, flags);
    return wrap(out, s, file, path);
}

static void close_file(lode_env *env, lode_file *file)
{
    lode_env *base = fault_of(env)->base;
    handle *h = handle_of(file);

    if (!h)
        return;
    base->close(base, h->file);
    free(h);
}

static lode_status pread_file(lode_env *env, lode_file *file, size_t *got, void *data, size_t len, uint64_t offset)
{
    lode_env *base = fault_of(env)->base;
    handle *h = handle_of(file);

    FAIL_IF_PLANNED(env, LODE_FAULT_PREAD, h->path);
    return base->pread(base, h->file, got, data, len, offset);
}

static lode_status read_file(lode_env *env, lode_file *file, size_t *got, bool *at_end, void *data, size_t len,
                             uint64_t timeout_us)
{
    lode_env *base = fault_of(env)->base;
    handle *h = handle_of(file);

    FAIL_IF_PLANNED(env, LODE_FAULT_READ, h->path);
    return base->read(base, h->file, got, at_end, data, len, timeout_us);
}

static size_t torn_bytes(lode_env *env)
{
    fault_env *f = fault_of(env);

    lode_mutex_lock(&f->lock);
    size_t torn = f->plan.torn_bytes;
    lode_mutex_unlock(&f->lock);
    return torn;
}

static lode_status pwrite_file(lode_env *env, lode_file *file, const void *data, size_t len, uint64_t offset)
{
    lode_env *base = fault_of(env)->base;
    handle *h = handle_of(file);
    int error = meet(env, LODE_FAULT_PWRITE, h->path);

    if (!error)
        return base->pwrite(base, h->file, data, len, offset);
    size_t torn = torn_bytes(env);
    if (torn >= len)
        torn = len ? len - 1 : 0;
    if (torn)
        lode_ignore(base->pwrite(base, h->file, data, torn, offset)); /* the write fails anyhow */
    return lode_fail_errno(error, "%s: LODE_FAULT_PWRITE as planned, %zu bytes written", h->path, torn);
}

static lode_status sync_file(lode_env *env, lode_file *file)
{
    lode_env *base = fault_of(env)->base;
    handle *h = handle_of(file);

    FAIL_IF_PLANNED(env, LODE_FAULT_SYNC, h->path);
    return base->sync(base, h->file);
}

static lode_status truncate_file(lode_env *env, lode_file *file, uint64_t size)
{
    lode_env *base = fault_of(env)->base;
    handle *h = handle_of(file);

    FAIL_IF_PLANNED(env, LODE_FAULT_TRUNCATE, h->path);
    return base->truncate(base, h->file, size);
}

static lode_status allocate_file(lode_env *env, lode_file *file, uint64_t offset, uint64_t len)
{
    lode_env *base = fault_of(env)->base;
    handle *h = handle_of(file);

    FAIL_IF_PLANNED(env, LODE_FAULT_ALLOCATE, h->path);
    return base->allocate(base, h->file, offset, len);
}

static lode_status file_info(lode_env *env, lode_file *file, lode_file_info *info)
{
    lode_env *base = fault_of(env)->base;
    handle *h = handle_of(file);

    FAIL_IF_PLANNED(env, LODE_FAULT_FILE_INFO, h->path);
    return base->file_info(base, h->file, info);
}

static void advise_file(lode_env *env, lode_file *file, uint64_t offset, uint64_t len, int advice)
{
    lode_env *base = fault_of(env)->base;

    base->advise(base, handle_of(file)->file, offset, len, advice);
}

static lode_status copy_range(lode_env *env, lode_file *to, uint64_t to_offset, lode_file *from, uint64_t from_offset,
                              uint64_t len)
{
    lode_env *base = fault_of(env)->base;

    FAIL_IF_PLANNED(env, LODE_FAULT_COPY_RANGE, handle_of(to)->path);
    return base->copy_range(base, handle_of(to)->file, to_offset, handle_of(from)->file, from_offset, len);
}

static lode_status map_file(lode_env *env, lode_file *file, const uint8_t **data, size_t len)
{
    lode_env *base = fault_of(env)->base;
    handle *h = handle_of(file);

    FAIL_IF_PLANNED(env, LODE_FAULT_MAP, h->path);
    return base->map(base, h->file, data, len);
}

static void unmap_file(lode_env *env, const uint8_t *data, size_t len)
{
    lode_env *base = fault_of(env)->base;

    base->unmap(base, data, len);
}

static void start_writeback(lode_env *env, lode_file *file, uint64_t offset, uint64_t len)
{
    lode_env *base = fault_of(env)->base;

    base->start_writeback(base, handle_of(file)->file, offset, len);
}

static lode_status path_info(lode_env *env, bool *exists, lode_file_info *info, const char *path)
{
    lode_env *base = fault_of(env)->base;

    FAIL_IF_PLANNED(env, LODE_FAULT_PATH_INFO, path);
    return base->path_info(base, exists, info, path);
}

static lode_status list_directory(lode_env *env, const char *directory, lode_list_visit visit, void *visit_context)
{
    lode_env *base = fault_of(env)->base;

    FAIL_IF_PLANNED(env, LODE_FAULT_LIST, directory);
    return base->list(base, directory, visit, visit_context);
}

static lode_status make_directory(lode_env *env, const char *path)
{
    lode_env *base = fault_of(env)->base;

    FAIL_IF_PLANNED(env, LODE_FAULT_MAKE_DIRECTORY, path);
    return base->make_directory(base, path);
}

static lode_status sync_directory(lode_env *env, const char *path)
{
    lode_env *base = fault_of(env)->base;

    FAIL_IF_PLANNED(env, LODE_FAULT_SYNC_DIRECTORY, path);
    return base->sync_directory(base, path);
}

static lode_status rename_path(lode_env *env, const char *from, const char *to)
{
    lode_env *base = fault_of(env)->base;

    FAIL_IF_PLANNED(env, LODE_FAULT_RENAME, to);
    return base->rename(base, from, to);
}

static lode_status link_path(lode_env *env, const char *from, const char *to)
{
    lode_env *base = fault_of(env)->base;

    FAIL_IF_PLANNED(env, LODE_FAULT_LINK, to);
    return base->link(base, from, to);
}

static lode_status remove_file(lode_env *env, const char *path)
{
    lode_env *base = fault_of(env)->base;

    FAIL_IF_PLANNED(env, LODE_FAULT_REMOVE, path);
    return base->remove(base, path);
}

static lode_status remove_directory(lode_env *env, const char *path)
{
    lode_env *base = fault_of(env)->base;

    FAIL_IF_PLANNED(env, LODE_FAULT_REMOVE_DIRECTORY, path);
    return base->remove_directory(base, path);
}

static lode_status lock_file(lode_env *env, lode_file **out, const char *path)
{
    lode_env *base = fault_of(env)->base;
    lode_file *file = NULL;

    *out = NULL;
    FAIL_IF_PLANNED(env, LODE_FAULT_LOCK, path);
    lode_status s = base->lock(base, &file, path);
    return wrap(out, s, file, path);
}

static void unlock_file(lode_env *env, lode_file *lock)
{
    lode_env *base = fault_of(env)->base;
    handle *h = handle_of(lock);

    if (!h)
        return;
    base->unlock(base, h->file);
    free(h);
}

static lode_status is_locked(lode_env *env, bool *held, const char *path)
{
    lode_env *base = fault_of(env)->base;

    FAIL_IF_PLANNED(env, LODE_FAULT_IS_LOCKED, path);
    return base->is_locked(base, held, path);
}

static lode_status free_space(lode_env *env, uint64_t *bytes, const char *path)
{
    lode_env *base = fault_of(env)->base;

    FAIL_IF_PLANNED(env, LODE_FAULT_FREE_SPACE, path);
    lode_mutex_lock(&fault_of(env)->lock);
    bool lies = fault_of(env)->plan.has_endless_space;
    lode_mutex_unlock(&fault_of(env)->lock);
    if (lies) {
        *bytes = UINT64_MAX / 2;
        return lode_ok();
    }
    return base->free_space(base, bytes, path);
}

static const lode_env fault_table = {
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

lode_env *lode_fault_env_create(lode_env *base)
{
    fault_env *f = calloc(1, sizeof *f);

    if (!f)
        return NULL;
    f->env = fault_table;
    f->env.context = f;
    f->base = base;
    lode_mutex_init(&f->lock);
    return &f->env;
}

void lode_fault_env_destroy(lode_env *env)
{
    if (!env)
        return;
    fault_env *f = fault_of(env);
    lode_mutex_clear(&f->lock);
    free(f);
}

void lode_fault_env_plan(lode_env *env, const lode_fault_plan *plan)
{
    fault_env *f = fault_of(env);

    lode_mutex_lock(&f->lock);
    f->plan = plan ? *plan : (lode_fault_plan){ .calls = 0 };
    f->matched = 0;
    f->failed = 0;
    memset(f->counts, 0, sizeof f->counts);
    lode_mutex_unlock(&f->lock);
}

uint64_t lode_fault_env_count(lode_env *env, unsigned calls)
{
    fault_env *f = fault_of(env);
    uint64_t count = 0;

    lode_mutex_lock(&f->lock);
    for (int i = 0; i < KINDS; i++) {
        if (calls >> i & 1)
            count += f->counts[i];
    }
    lode_mutex_unlock(&f->lock);
    return count;
}

uint64_t lode_fault_env_failed(lode_env *env)
{
    fault_env *f = fault_of(env);

    lode_mutex_lock(&f->lock);
    uint64_t failed = f->failed;
    lode_mutex_unlock(&f->lock);
    return failed;
}
