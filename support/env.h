/* support/env.h: every file operation of liblode goes through one table of functions.
 *
 * A test puts a lying table in its place: one that fails a chosen call, tears a write, or forgets what was not synced.
 * Nothing in liblode calls open, write, rename and the like by itself.
 */
#ifndef LODE_SUPPORT_ENV_H
#define LODE_SUPPORT_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/status.h"

struct lode_buf;
typedef struct lode_env lode_env;
typedef struct lode_file lode_file; /* an open file; `env` says what is behind it */

enum lode_open_flags {
    LODE_OPEN_READ = 1,
    LODE_OPEN_WRITE = 2,
    LODE_OPEN_CREATE = 4,    /* with WRITE: create if absent */
    LODE_OPEN_EXCLUSIVE = 8, /* with CREATE: LODE_EXISTS if present */
    LODE_OPEN_TRUNCATE = 16, /* with WRITE */
    LODE_OPEN_STREAM = 32,   /* with READ: of a pipe; does not wait for its writer */
    /* With WRITE: a wish. A write of LODE_DIRECT_LEAST bytes or more goes past the page cache where the file system
     * allows it, as far as it fills whole pages. `data` must lie as `offset` does, modulo LODE_DIRECT_ALIGN; else the
     * write is an ordinary one. */
    LODE_OPEN_DIRECT = 64,
};

enum { LODE_DIRECT_LEAST = 1 << 20, LODE_DIRECT_ALIGN = 4096 };

enum lode_advice { LODE_ADVISE_NORMAL, LODE_ADVISE_SEQUENTIAL, LODE_ADVISE_RANDOM, LODE_ADVISE_WILLNEED, LODE_ADVISE_DONTNEED };

typedef struct lode_file_info {
    uint64_t size_bytes;
    uint64_t device, inode; /* the identity of a file under several names */
    int64_t mtime_ns;
    bool is_directory;
    bool is_regular;
} lode_file_info;

/* Called per entry of a directory, "." and ".." left out; order is whatever the system gives. */
typedef lode_status (*lode_list_visit)(void *context, const char *name);

/* The table. Every function is safe to call from several threads on different files, and pread/pwrite on one. */
struct lode_env {
    void *context; /* the table's own */

    lode_status (*open)(lode_env *env, lode_file **out, const char *path, int flags);
    void (*close)(lode_env *env, lode_file *file); /* closing NULL does nothing; errors were sync's to report */

    /* Fewer bytes than asked only at the end of the file: short reads of the system are repeated. */
    lode_status (*pread)(lode_env *env, lode_file *file, size_t *got, void *data, size_t len, uint64_t offset);
    /* For pipes and standard input: what comes next, as much as is there. Waits for it at most timeout_us, so that the
     * caller can be stopped. *at_end: nothing will come any more. */
    lode_status (*read)(lode_env *env, lode_file *file, size_t *got, bool *at_end, void *data, size_t len,
                        uint64_t timeout_us);
    lode_status (*pwrite)(lode_env *env, lode_file *file, const void *data, size_t len, uint64_t offset);
    lode_status (*sync)(lode_env *env, lode_file *file); /* data and what is needed to read it back: fdatasync */
    lode_status (*truncate)(lode_env *env, lode_file *file, uint64_t size);
    /* Reserve room [offset, offset + len), the file grows to hold it and reads as zeros. */
    lode_status (*allocate)(lode_env *env, lode_file *file, uint64_t offset, uint64_t len);
    lode_status (*file_info)(lode_env *env, lode_file *file, lode_file_info *info);
    void (*advise)(lode_env *env, lode_file *file, uint64_t offset, uint64_t len, int advice);
    /* Copy inside the kernel where it can. */
    lode_status (*copy_range)(lode_env *env, lode_file *to, uint64_t to_offset, lode_file *from, uint64_t from_offset, uint64_t len);
    /* A read-only view of the whole file, or *data = NULL where this env has none (then use pread). */
    lode_status (*map)(lode_env *env, lode_file *file, const uint8_t **data, size_t len);
    void (*unmap)(lode_env *env, const uint8_t *data, size_t len);
    /* A shared, writable view of room that `allocate` reserved; offset is a multiple of 64 KiB. What is stored there is
     * in the file as if it had been written: it outlives the process, and `sync` makes it durable. Given: unmap. The
     * function may be NULL, and *data as well: use pwrite then. */
    lode_status (*map_writable)(lode_env *env, lode_file *file, uint8_t **data, uint64_t offset, size_t len);
    /* Start writing dirty pages back without waiting (sync_file_range); a hint, never an error. */
    void (*start_writeback)(lode_env *env, lode_file *file, uint64_t offset, uint64_t len);

    lode_status (*path_info)(lode_env *env, bool *exists, lode_file_info *info, const char *path);
    lode_status (*list)(lode_env *env, const char *directory, lode_list_visit visit, void *visit_context);
    lode_status (*make_directory)(lode_env *env, const char *path); /* success if it exists already as a directory */
    lode_status (*sync_directory)(lode_env *env, const char *path); /* EINVAL, as network shares give, is no error */
    lode_status (*rename)(lode_env *env, const char *from, const char *to);
    lode_status (*link)(lode_env *env, const char *from, const char *to);
    lode_status (*remove)(lode_env *env, const char *path);           /* a file; LODE_MISSING if absent */
    lode_status (*remove_directory)(lode_env *env, const char *path); /* an empty one */
    /* An exclusive fcntl lock on the whole file, created if absent; LODE_LOCKED when another process, or another
     * handle of this process, holds it. Held until unlock. */
    lode_status (*lock)(lode_env *env, lode_file **out, const char *path);
    void (*unlock)(lode_env *env, lode_file *lock);
    /* For readers: does someone hold the lock of this file? Creates nothing; an absent file is not held, and neither is
     * one on a file system that has no locks. */
    lode_status (*is_locked)(lode_env *env, bool *held, const char *path);
    lode_status (*free_space)(lode_env *env, uint64_t *bytes, const char *path);
};

/* The operating system's files. Lent for ever. */
lode_env *lode_env_system(void);

/* Helpers over a table. */
lode_status lode_env_make_path(lode_env *env, const char *path); /* mkdir -p, parents synced */
lode_status lode_env_read_file(lode_env *env, struct lode_buf *out, const char *path, size_t limit_bytes);
/* path.tmp, write, sync, rename over path, sync directory: old or new content, never a mixture. */
lode_status lode_env_write_file_atomically(lode_env *env, const char *path, const void *data, size_t len);
/* A missing tree is success. In no order and without syncs: lode_store_destroy removes what might be opened again. */
lode_status lode_env_remove_tree(lode_env *env, const char *path);
/* "dir/name" in malloc'd memory, given; NULL when memory is out. */
char *lode_path_join(const char *directory, const char *name);
/* The path, from the process's own folder if it is relative; likewise. */
char *lode_path_absolute(const char *path);

#endif
