/* support/env_system.c: the operating system's files behind the table of support/env.h.
 *
 * Room:     one system call per function, repeated while it is interrupted or comes back short.
 * Touches:  files; and the table of locks that this process holds, since fcntl locks do not exclude their own process.
 * Threads:  any; the table of locks has its own mutex.
 */
#include "support/env.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "support/thread.h"

struct lode_file {
    int fd;
    int direct_fd; /* LODE_OPEN_DIRECT: a second descriptor, for whole pages; -1: none */
    /* Of a lock only, guarded by locks_mutex: */
    dev_t device;
    ino_t inode;
    struct lode_file *next_lock;
    char path[]; /* for messages */
};

static lode_mutex locks_mutex = LODE_MUTEX_INITIALIZER;
static lode_file *locks_held;

/* The first call in `expression` that is not interrupted. */
#define UNINTERRUPTED(result, expression)                                                                              \
    do {                                                                                                               \
        (result) = (expression);                                                                                       \
    } while ((result) < 0 && errno == EINTR)

static lode_file *make_file(const char *path)
{
    size_t len = strlen(path);
    lode_file *file = malloc(sizeof *file + len + 1);

    if (!file)
        return NULL;
    *file = (lode_file){ .fd = -1, .direct_fd = -1 };
    memcpy(file->path, path, len + 1);
    return file;
}

static void free_file(lode_file *file)
{
    if (!file)
        return;
    if (file->fd >= 0)
        close(file->fd);
    if (file->direct_fd >= 0)
        close(file->direct_fd);
    free(file);
}

static int system_flags(int flags)
{
    int f = O_CLOEXEC;

    if ((flags & LODE_OPEN_READ) && (flags & LODE_OPEN_WRITE))
        f |= O_RDWR;
    else
        f |= flags & LODE_OPEN_WRITE ? O_WRONLY : O_RDONLY;
    if (flags & LODE_OPEN_CREATE)
        f |= O_CREAT;
    if (flags & LODE_OPEN_EXCLUSIVE)
        f |= O_EXCL;
    if (flags & LODE_OPEN_TRUNCATE)
        f |= O_TRUNC;
    if (flags & LODE_OPEN_STREAM)
        f |= O_NONBLOCK;
    return f;
}

static lode_status open_file(lode_env *env, lode_file **out, const char *path, int flags)
{
    lode_file *file = make_file(path);

    *out = NULL;
    if (!file)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to open it", path);
    UNINTERRUPTED(file->fd, open(path, system_flags(flags), 0644));
    if (file->fd < 0 && errno == ENXIO && strcmp(path, "/dev/stdin") == 0)
        file->fd = dup(STDIN_FILENO); /* a socket, which has no name to be opened by */
    if (file->fd < 0) {
        int error = errno;
        free_file(file);
        return lode_fail_errno(error, "%s: cannot open", path);
    }
    if (flags & LODE_OPEN_DIRECT)
        UNINTERRUPTED(file->direct_fd, open(path, O_WRONLY | O_CLOEXEC | O_DIRECT)); /* -1: not on this file system */
    *out = file;
    return lode_ok();
}

static void close_file(lode_env *env, lode_file *file)
{
    free_file(file);
}

static lode_status pread_file(lode_env *env, lode_file *file, size_t *got, void *data, size_t len, uint64_t offset)
{
    size_t done = 0;

    while (done < len) {
        ssize_t n;
        UNINTERRUPTED(n, pread(file->fd, (char *)data + done, len - done, (off_t)(offset + done)));
        if (n < 0)
            return lode_fail_errno(errno, "%s: cannot read %zu bytes at %llu", file->path, len,
                                   (unsigned long long)offset);
        if (n == 0)
            break;
        done += (size_t)n;
    }
    *got = done;
    return lode_ok();
}

static lode_status read_file(lode_env *env, lode_file *file, size_t *got, bool *at_end, void *data, size_t len,
                             uint64_t timeout_us)
{
    struct pollfd waits = { .fd = file->fd, .events = POLLIN };
    ssize_t n;
    int ready;

    UNINTERRUPTED(ready, poll(&waits, 1, (int)(timeout_us / 1000)));
    if (ready < 0)
        return lode_fail_errno(errno, "%s: cannot wait for bytes", file->path);
    *got = 0;
    *at_end = false;
    if (ready == 0)
        return lode_ok();
    UNINTERRUPTED(n, read(file->fd, data, len));
    if (n < 0 && errno != EAGAIN)
        return lode_fail_errno(errno, "%s: cannot read", file->path);
    *got = n > 0 ? (size_t)n : 0;
    *at_end = n == 0 && len > 0;
    return lode_ok();
}

static lode_status write_through_cache(lode_file *file, const void *data, size_t len, uint64_t offset)
{
    size_t done = 0;

    while (done < len) {
        ssize_t n;
        UNINTERRUPTED(n, pwrite(file->fd, (const char *)data + done, len - done, (off_t)(offset + done)));
        if (n <= 0) /* zero for a request above zero is no progress: a disk that says nothing is full */
            return lode_fail_errno(n < 0 ? errno : ENOSPC, "%s: cannot write %zu bytes at %llu", file->path, len,
                                   (unsigned long long)offset);
        done += (size_t)n;
    }
    return lode_ok();
}

/* Whole pages from `data` on, past the page cache. *done: how far that went; what is left takes the usual way, which
 * also says what is wrong. */
static void write_direct(size_t *done, lode_file *file, const uint8_t *data, size_t len, uint64_t offset)
{
    for (*done = 0; len - *done >= LODE_DIRECT_ALIGN;) {
        ssize_t n;
        UNINTERRUPTED(n, pwrite(file->direct_fd, data + *done, (len - *done) / LODE_DIRECT_ALIGN * LODE_DIRECT_ALIGN,
                                (off_t)(offset + *done)));
        if (n <= 0 || n % LODE_DIRECT_ALIGN)
            return;
        *done += (size_t)n;
    }
}

static lode_status pwrite_file(lode_env *env, lode_file *file, const void *data, size_t len, uint64_t offset)
{
    size_t head = (size_t)(-offset % LODE_DIRECT_ALIGN), done;

    if (file->direct_fd < 0 || len < LODE_DIRECT_LEAST || ((uintptr_t)data - offset) % LODE_DIRECT_ALIGN)
        return write_through_cache(file, data, len, offset);
    if (head)
        LODE_TRY(write_through_cache(file, data, head, offset));
    write_direct(&done, file, (const uint8_t *)data + head, len - head, offset + head);
    head += done;
    return head < len ? write_through_cache(file, (const char *)data + head, len - head, offset + head) : lode_ok();
}

static lode_status sync_file(lode_env *env, lode_file *file)
{
    int error;

    UNINTERRUPTED(error, fdatasync(file->fd));
    if (error < 0)
        return lode_fail_errno(errno, "%s: cannot sync", file->path);
    return lode_ok();
}

static lode_status truncate_file(lode_env *env, lode_file *file, uint64_t size)
{
    int error;

    UNINTERRUPTED(error, ftruncate(file->fd, (off_t)size));
    if (error < 0)
        return lode_fail_errno(errno, "%s: cannot set its size to %llu", file->path, (unsigned long long)size);
    return lode_ok();
}

/* For file systems without fallocate: zeros from the end of the file on. */
static lode_status write_zeros_up_to(lode_env *env, lode_file *file, uint64_t end)
{
    static const char zeros[64 * 1024];
    struct stat st;

    if (fstat(file->fd, &st) != 0)
        return lode_fail_errno(errno, "%s: cannot stat", file->path);
    for (uint64_t at = (uint64_t)st.st_size; at < end;) {
        size_t len = end - at < sizeof zeros ? (size_t)(end - at) : sizeof zeros;
        LODE_TRY(pwrite_file(env, file, zeros, len, at));
        at += len;
    }
    return lode_ok();
}

static lode_status allocate_file(lode_env *env, lode_file *file, uint64_t offset, uint64_t len)
{
    int error;

    if (len == 0)
        return lode_ok();
    UNINTERRUPTED(error, fallocate(file->fd, 0, (off_t)offset, (off_t)len));
    if (error == 0)
        return lode_ok();
    if (errno == EOPNOTSUPP || errno == ENOSYS)
        return write_zeros_up_to(env, file, offset + len);
    return lode_fail_errno(errno, "%s: cannot reserve %llu bytes at %llu", file->path, (unsigned long long)len,
                           (unsigned long long)offset);
}

static lode_file_info info_of_stat(const struct stat *st)
{
    return (lode_file_info){
        .size_bytes = st->st_size < 0 ? 0 : (uint64_t)st->st_size,
        .device = (uint64_t)st->st_dev,
        .inode = (uint64_t)st->st_ino,
        .mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec,
        .is_directory = S_ISDIR(st->st_mode),
        .is_regular = S_ISREG(st->st_mode),
    };
}

static lode_status file_info(lode_env *env, lode_file *file, lode_file_info *info)
{
    struct stat st;

    if (fstat(file->fd, &st) != 0)
        return lode_fail_errno(errno, "%s: cannot stat", file->path);
    *info = info_of_stat(&st);
    return lode_ok();
}

static void advise_file(lode_env *env, lode_file *file, uint64_t offset, uint64_t len, int advice)
{
    static const int system_advice[] = {
        [LODE_ADVISE_NORMAL] = POSIX_FADV_NORMAL,     [LODE_ADVISE_SEQUENTIAL] = POSIX_FADV_SEQUENTIAL,
        [LODE_ADVISE_RANDOM] = POSIX_FADV_RANDOM,     [LODE_ADVISE_WILLNEED] = POSIX_FADV_WILLNEED,
        [LODE_ADVISE_DONTNEED] = POSIX_FADV_DONTNEED,
    };

    posix_fadvise(file->fd, (off_t)offset, (off_t)len, system_advice[advice]);
}

static lode_status copy_by_hand(lode_env *env, lode_file *to, uint64_t to_offset, lode_file *from, uint64_t from_offset,
                                uint64_t len)
{
    size_t piece = 256 * 1024;
    char *buffer = malloc(piece);
    lode_status s = lode_ok();

    if (!buffer)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to copy %s", to->path, from->path);
    while (len > 0) {
        size_t got, want = len < piece ? (size_t)len : piece;
        s = pread_file(env, from, &got, buffer, want, from_offset);
        if (!lode_failed(s) && got < want)
            s = lode_fail(LODE_CORRUPT, "%s: ends at %llu, %llu bytes before what is copied from it", from->path,
                          (unsigned long long)(from_offset + got), (unsigned long long)(len - got));
        if (!lode_failed(s))
            s = pwrite_file(env, to, buffer, got, to_offset);
        if (lode_failed(s))
            break;
        from_offset += got;
        to_offset += got;
        len -= got;
    }
    free(buffer);
    return s;
}

static lode_status copy_range(lode_env *env, lode_file *to, uint64_t to_offset, lode_file *from, uint64_t from_offset,
                              uint64_t len)
{
    while (len > 0) {
        off_t in = (off_t)from_offset, out = (off_t)to_offset;
        size_t want = len < (1u << 30) ? (size_t)len : 1u << 30;
        ssize_t n;

        UNINTERRUPTED(n, copy_file_range(from->fd, &in, to->fd, &out, want, 0));
        if (n < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO))
            return lode_fail_errno(errno, "%s: cannot copy %llu bytes from %s", to->path, (unsigned long long)len,
                                   from->path);
        if (n <= 0) /* not on this pair of files, or at the end: by hand says which */
            return copy_by_hand(env, to, to_offset, from, from_offset, len);
        from_offset += (uint64_t)n;
        to_offset += (uint64_t)n;
        len -= (uint64_t)n;
    }
    return lode_ok();
}

static lode_status map_file(lode_env *env, lode_file *file, const uint8_t **data, size_t len)
{
    struct stat st;

    if (len == 0) {
        *data = NULL;
        return lode_ok();
    }
    if (fstat(file->fd, &st) != 0)
        return lode_fail_errno(errno, "%s: cannot stat", file->path);
    if (st.st_size < 0 || (uint64_t)st.st_size < len) /* touching what lies behind the end would be a SIGBUS */
        return lode_fail(LODE_CORRUPT, "%s: %lld bytes, shorter than the %zu to be mapped", file->path,
                         (long long)st.st_size, len);
    void *p = mmap(NULL, len, PROT_READ, MAP_SHARED, file->fd, 0);
    if (p == MAP_FAILED)
        return lode_fail_errno(errno, "%s: cannot map", file->path);
    *data = p;
    return lode_ok();
}

static lode_status map_writable(lode_env *env, lode_file *file, uint8_t **data, uint64_t offset, size_t len)
{
    void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd, (off_t)offset);
    if (p == MAP_FAILED)
        return lode_fail_errno(errno, "%s: cannot map", file->path);
    *data = p;
    return lode_ok();
}

static void unmap_file(lode_env *env, const uint8_t *data, size_t len)
{
    if (data)
        munmap((void *)(uintptr_t)data, len);
}

static void start_writeback(lode_env *env, lode_file *file, uint64_t offset, uint64_t len)
{
    sync_file_range(file->fd, (off_t)offset, (off_t)len, SYNC_FILE_RANGE_WRITE);
}

static lode_status path_info(lode_env *env, bool *exists, lode_file_info *info, const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            return lode_fail_errno(errno, "%s: cannot stat", path);
        *exists = false;
        return lode_ok();
    }
    *exists = true;
    if (info)
        *info = info_of_stat(&st);
    return lode_ok();
}

static lode_status list_directory(lode_env *env, const char *directory, lode_list_visit visit, void *visit_context)
{
    DIR *d = opendir(directory);
    lode_status s = lode_ok();

    if (!d)
        return lode_fail_errno(errno, "%s: cannot open directory", directory);
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(d);
        if (!entry) {
            if (errno)
                s = lode_fail_errno(errno, "%s: cannot read directory", directory);
            break;
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        s = visit(visit_context, entry->d_name);
        if (lode_failed(s))
            break;
    }
    closedir(d);
    return s;
}

static lode_status make_directory(lode_env *env, const char *path)
{
    struct stat st;

    if (mkdir(path, 0755) == 0)
        return lode_ok();
    int error = errno;
    if (error == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return lode_ok();
    return lode_fail_errno(error, "%s: cannot make directory", path);
}

static lode_status sync_directory(lode_env *env, const char *path)
{
    int fd, error;

    UNINTERRUPTED(fd, open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd < 0)
        return lode_fail_errno(errno, "%s: cannot open directory", path);
    UNINTERRUPTED(error, fsync(fd));
    int why = error < 0 ? errno : 0;
    close(fd);
    if (why && why != EINVAL)
        return lode_fail_errno(why, "%s: cannot sync directory", path);
    return lode_ok();
}

static lode_status rename_path(lode_env *env, const char *from, const char *to)
{
    if (rename(from, to) != 0)
        return lode_fail_errno(errno, "%s: cannot rename to %s", from, to);
    return lode_ok();
}

static lode_status link_path(lode_env *env, const char *from, const char *to)
{
    if (link(from, to) != 0)
        return lode_fail_errno(errno, "%s: cannot link to %s", from, to);
    return lode_ok();
}

static lode_status remove_file(lode_env *env, const char *path)
{
    if (unlink(path) != 0)
        return lode_fail_errno(errno, "%s: cannot remove", path);
    return lode_ok();
}

static lode_status remove_directory(lode_env *env, const char *path)
{
    if (rmdir(path) != 0)
        return lode_fail_errno(errno, "%s: cannot remove directory", path);
    return lode_ok();
}

static bool is_held_here(const struct stat *st)
{
    lode_mutex_assert_held(&locks_mutex);
    for (const lode_file *l = locks_held; l; l = l->next_lock) {
        if (l->device == st->st_dev && l->inode == st->st_ino)
            return true;
    }
    return false;
}

static struct flock whole_file(short type)
{
    return (struct flock){ .l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0 };
}

/* Some network shares have no locks at all, so that nobody can hold one. */
static bool has_no_locks(int error)
{
    return error == ENOLCK || error == ENOSYS || error == EOPNOTSUPP;
}

static lode_status lock_opened(lode_file *file)
{
    struct flock want = whole_file(F_WRLCK);
    struct stat st;

    if (fcntl(file->fd, F_SETLK, &want) != 0) {
        int error = errno;
        if (has_no_locks(error))
            return lode_fail_errno(error, "%s: this file system has no locks, so it can only be opened for reading",
                                   file->path);
        if (error != EAGAIN && error != EACCES)
            return lode_fail_errno(error, "%s: cannot lock", file->path);
        if (fcntl(file->fd, F_GETLK, &want) == 0 && want.l_type != F_UNLCK)
            return lode_fail(LODE_LOCKED, "%s: locked by process %ld", file->path, (long)want.l_pid);
        return lode_fail(LODE_LOCKED, "%s: locked by another process", file->path);
    }
    if (fstat(file->fd, &st) != 0)
        return lode_fail_errno(errno, "%s: cannot stat", file->path);
    file->device = st.st_dev;
    file->inode = st.st_ino;
    file->next_lock = locks_held;
    locks_held = file;
    return lode_ok();
}

/* Closing any descriptor of a file drops the process's fcntl locks on it, so a file that is locked here is not even
 * opened again: its identity is looked up first, under the mutex that all locking holds. */
static lode_status lock_guarded(lode_file *file)
{
    struct stat st;

    if (stat(file->path, &st) == 0 && is_held_here(&st))
        return lode_fail(LODE_LOCKED, "%s: locked by this process", file->path);
    UNINTERRUPTED(file->fd, open(file->path, O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (file->fd < 0)
        return lode_fail_errno(errno, "%s: cannot open lock file", file->path);
    return lock_opened(file);
}

static lode_status lock_file(lode_env *env, lode_file **out, const char *path)
{
    lode_file *file = make_file(path);

    *out = NULL;
    if (!file)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to lock it", path);
    lode_mutex_lock(&locks_mutex);
    lode_status s = lock_guarded(file);
    if (lode_failed(s))
        free_file(file);
    else
        *out = file;
    lode_mutex_unlock(&locks_mutex);
    return s;
}

static void unlock_file(lode_env *env, lode_file *lock)
{
    if (!lock)
        return;
    lode_mutex_lock(&locks_mutex);
    for (lode_file **l = &locks_held; *l; l = &(*l)->next_lock) {
        if (*l == lock) {
            *l = lock->next_lock;
            break;
        }
    }
    free_file(lock); /* closing drops the lock */
    lode_mutex_unlock(&locks_mutex);
}

static lode_status is_locked_guarded(bool *held, const char *path)
{
    struct flock probe = whole_file(F_WRLCK);
    struct stat st;
    int fd;

    *held = false;
    if (stat(path, &st) == 0 && is_held_here(&st)) {
        *held = true;
        return lode_ok();
    }
    UNINTERRUPTED(fd, open(path, O_RDONLY | O_CLOEXEC));
    if (fd < 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return lode_ok();
        return lode_fail_errno(errno, "%s: cannot open lock file", path);
    }
    int error = fcntl(fd, F_GETLK, &probe) == 0 ? 0 : errno;
    close(fd);
    if (has_no_locks(error))
        return lode_ok();
    if (error)
        return lode_fail_errno(error, "%s: cannot ask for its lock", path);
    *held = probe.l_type != F_UNLCK;
    return lode_ok();
}

static lode_status is_locked(lode_env *env, bool *held, const char *path)
{
    lode_mutex_lock(&locks_mutex);
    lode_status s = is_locked_guarded(held, path);
    lode_mutex_unlock(&locks_mutex);
    return s;
}

static lode_status free_space(lode_env *env, uint64_t *bytes, const char *path)
{
    struct statvfs st;
    int error;

    UNINTERRUPTED(error, statvfs(path, &st));
    if (error < 0)
        return lode_fail_errno(errno, "%s: cannot ask for free space", path);
    *bytes = (uint64_t)st.f_bavail * (uint64_t)st.f_frsize;
    return lode_ok();
}

static lode_env system_env = {
    .context = NULL,
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
    .map_writable = map_writable,
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

lode_env *lode_env_system(void)
{
    return &system_env;
}
