/* test/support/env_test.c: one table of promises, kept by the system's files, by those in memory, and through faults.
 *
 * Each case runs on all three; what only one can show (processes, power cuts, planned faults) stands behind them.
 */
#include "support/env.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/bytes.h"
#include "test/support/fault_env.h"
#include "test/support/memory_env.h"

#define READ_WRITE (LODE_OPEN_READ | LODE_OPEN_WRITE)
#define MAKE (READ_WRITE | LODE_OPEN_CREATE)

static lode_env *memory, *fault;
static char system_root[64]; /* a directory of its own */

/* A case's env and the directory that it may fill. */
typedef struct place {
    lode_env *env;
    const char *root;
    char path[3][512];
} place;

static char *at(place *p, int which, const char *name)
{
    snprintf(p->path[which], sizeof p->path[which], "%s/%s", p->root, name);
    return p->path[which];
}

static place here(void **state)
{
    const int *which = *state;

    return (place){ *which == 0 ? lode_env_system() : *which == 1 ? memory : fault, *which ? "root" : system_root };
}

static int begin_case(void **state)
{
    static int which_env[3] = { 0, 1, 2 };

    *state = &which_env[*(int *)*state];
    place p = here(state);
    return lode_failed(lode_env_make_path(p.env, p.root));
}

static int end_case(void **state)
{
    place p = here(state);

    return lode_failed(lode_env_remove_tree(p.env, p.root));
}

static void ok(lode_status s)
{
    if (lode_failed(s))
        fail_msg("%s", s.text);
}

static void fails(lode_status s, lode_code code)
{
    assert_int_equal(s.code, code);
    assert_true(s.text[0] != '\0');
}

static void put(lode_env *env, const char *path, const char *text)
{
    lode_file *f;

    ok(env->open(env, &f, path, MAKE | LODE_OPEN_TRUNCATE));
    ok(env->pwrite(env, f, text, strlen(text), 0));
    env->close(env, f);
}

static void holds(lode_env *env, const char *path, const char *text)
{
    lode_buf b = LODE_BUF_EMPTY;

    ok(lode_env_read_file(env, &b, path, 1 << 20));
    assert_int_equal(b.len, strlen(text));
    if (b.len)
        assert_memory_equal(b.data, text, b.len);
    lode_buf_clear(&b);
}

static bool is_there(lode_env *env, const char *path)
{
    bool exists = false;

    ok(env->path_info(env, &exists, NULL, path));
    return exists;
}

static void bytes_are_read_where_they_were_written(void **state)
{
    place p = here(state);
    lode_env *env = p.env;
    lode_file *f;
    char data[64];
    size_t got;
    bool at_end;

    ok(env->open(env, &f, at(&p, 0, "file"), MAKE));
    ok(env->pwrite(env, f, "hello", 5, 0));
    ok(env->pwrite(env, f, "world", 5, 10));
    ok(env->pwrite(env, f, "", 0, 3));
    ok(env->pread(env, f, &got, data, sizeof data, 0));
    assert_int_equal(got, 15);
    assert_memory_equal(data, "hello\0\0\0\0\0world", 15);
    ok(env->pread(env, f, &got, data, 4, 12));
    assert_int_equal(got, 3);
    ok(env->pread(env, f, &got, data, 4, 15));
    assert_int_equal(got, 0);
    ok(env->pread(env, f, &got, data, 4, 1000000));
    assert_int_equal(got, 0);
    ok(env->read(env, f, &got, &at_end, data, 2, 0));
    ok(env->read(env, f, &got, &at_end, data, 2, 0));
    assert_false(at_end);
    assert_int_equal(got, 2);
    assert_memory_equal(data, "ll", 2);
    ok(env->sync(env, f));
    env->advise(env, f, 0, 0, LODE_ADVISE_SEQUENTIAL);
    env->start_writeback(env, f, 0, 0);
    env->close(env, f);
    env->close(env, NULL);
}

static void open_flags_mean_what_they_say(void **state)
{
    place p = here(state);
    lode_env *env = p.env;
    const char *path = at(&p, 0, "file");
    lode_file *f;
    char byte;
    size_t got;

    fails(env->open(env, &f, path, LODE_OPEN_READ), LODE_MISSING);
    assert_null(f);
    fails(env->open(env, &f, path, READ_WRITE), LODE_MISSING);
    fails(env->open(env, &f, at(&p, 1, "none/file"), MAKE), LODE_MISSING);
    put(env, path, "content");
    fails(env->open(env, &f, path, MAKE | LODE_OPEN_EXCLUSIVE), LODE_EXISTS);
    assert_null(f);
    ok(env->open(env, &f, path, MAKE));
    env->close(env, f);
    holds(env, path, "content");
    ok(env->open(env, &f, path, LODE_OPEN_READ));
    fails(env->pwrite(env, f, "x", 1, 0), LODE_IO);
    env->close(env, f);
    ok(env->open(env, &f, path, LODE_OPEN_WRITE | LODE_OPEN_TRUNCATE));
    fails(env->pread(env, f, &got, &byte, 1, 0), LODE_IO);
    env->close(env, f);
    holds(env, path, "");
    ok(env->open(env, &f, at(&p, 1, "new"), MAKE | LODE_OPEN_EXCLUSIVE));
    env->close(env, f);
    fails(env->open(env, &f, at(&p, 1, "new/below"), MAKE), LODE_MISSING); /* ENOTDIR */
}

static void sizes_change_by_truncate_and_allocate(void **state)
{
    place p = here(state);
    lode_env *env = p.env;
    lode_file_info info;
    lode_file *f;
    char data[100];
    size_t got;

    put(env, at(&p, 0, "file"), "0123456789");
    ok(env->open(env, &f, p.path[0], READ_WRITE));
    ok(env->truncate(env, f, 4));
    ok(env->truncate(env, f, 6));
    ok(env->pread(env, f, &got, data, sizeof data, 0));
    assert_int_equal(got, 6);
    assert_memory_equal(data, "0123\0\0", 6);
    ok(env->allocate(env, f, 0, 3)); /* inside: nothing changes */
    ok(env->allocate(env, f, 50, 0));
    ok(env->file_info(env, f, &info));
    assert_int_equal(info.size_bytes, 6);
    ok(env->allocate(env, f, 10, 20));
    ok(env->file_info(env, f, &info));
    assert_int_equal(info.size_bytes, 30);
    assert_true(info.is_regular && !info.is_directory);
    ok(env->pread(env, f, &got, data, sizeof data, 4));
    assert_int_equal(got, 26);
    for (size_t i = 0; i < got; i++)
        assert_int_equal(data[i], 0);
    env->close(env, f);
}

static void a_range_is_copied_or_the_source_is_too_short(void **state)
{
    place p = here(state);
    lode_env *env = p.env;
    lode_file *from, *to;

    put(env, at(&p, 0, "from"), "0123456789");
    put(env, at(&p, 1, "to"), "abc");
    ok(env->open(env, &from, p.path[0], LODE_OPEN_READ));
    ok(env->open(env, &to, p.path[1], READ_WRITE));
    ok(env->copy_range(env, to, 2, from, 3, 5));
    holds(env, p.path[1], "ab34567");
    ok(env->copy_range(env, to, 0, from, 0, 0));
    fails(env->copy_range(env, to, 0, from, 5, 6), LODE_CORRUPT);
    env->close(env, from);
    env->close(env, to);
}

static void a_map_shows_the_file_or_is_not_there(void **state)
{
    place p = here(state);
    lode_env *env = p.env;
    const uint8_t *data;
    lode_file *f;

    put(env, at(&p, 0, "file"), "mapped");
    ok(env->open(env, &f, p.path[0], LODE_OPEN_READ));
    ok(env->map(env, f, &data, 6));
    if (data)
        assert_memory_equal(data, "mapped", 6);
    else
        assert_ptr_not_equal(env, lode_env_system());
    env->unmap(env, data, 6);
    ok(env->map(env, f, &data, 0));
    assert_null(data);
    fails(env->map(env, f, &data, 7), LODE_CORRUPT);
    env->close(env, f);
}

static void names_move_and_go(void **state)
{
    place p = here(state);
    lode_env *env = p.env;
    const char *a = at(&p, 0, "a"), *b = at(&p, 1, "b"), *c = at(&p, 2, "c");
    lode_file_info info_a, info_b;
    lode_file *f;
    bool exists;
    size_t got;
    char data[8];

    put(env, a, "first");
    put(env, b, "second");
    ok(env->open(env, &f, b, LODE_OPEN_READ));
    ok(env->rename(env, a, b));
    assert_false(is_there(env, a));
    holds(env, b, "first");
    ok(env->pread(env, f, &got, data, 6, 0)); /* an open file outlives its name */
    assert_memory_equal(data, "second", 6);
    env->close(env, f);
    fails(env->rename(env, a, b), LODE_MISSING);

    ok(env->link(env, b, a));
    fails(env->link(env, b, a), LODE_EXISTS);
    fails(env->link(env, c, at(&p, 2, "d")), LODE_MISSING);
    ok(env->path_info(env, &exists, &info_a, a));
    ok(env->path_info(env, &exists, &info_b, b));
    assert_int_equal(info_a.inode, info_b.inode);
    assert_int_equal(info_a.device, info_b.device);
    ok(env->remove(env, b));
    fails(env->remove(env, b), LODE_MISSING);
    holds(env, a, "first");
}

typedef struct name_set {
    char names[8][32];
    int count;
} name_set;

static lode_status collect(void *context, const char *name)
{
    name_set *set = context;

    snprintf(set->names[set->count++ % 8], 32, "%s", name);
    return lode_ok();
}

static lode_status stop_at_once(void *context, const char *name)
{
    return lode_fail(LODE_CANCELLED, "enough");
}

static void directories_list_and_empty(void **state)
{
    place p = here(state);
    lode_env *env = p.env;
    name_set set = { .count = 0 };
    const char *d = at(&p, 0, "d");
    bool exists;
    lode_file_info info;

    ok(env->make_directory(env, d));
    ok(env->make_directory(env, d));
    ok(env->path_info(env, &exists, &info, d));
    assert_true(exists && info.is_directory && !info.is_regular);
    put(env, at(&p, 1, "d/x"), "");
    ok(env->make_directory(env, at(&p, 2, "d/y")));
    fails(env->make_directory(env, p.path[1]), LODE_EXISTS);
    ok(env->list(env, d, collect, &set));
    assert_int_equal(set.count, 2);
    bool x_first = strcmp(set.names[0], "x") == 0;
    assert_string_equal(set.names[x_first ? 0 : 1], "x");
    assert_string_equal(set.names[x_first ? 1 : 0], "y");
    fails(env->list(env, d, stop_at_once, NULL), LODE_CANCELLED);
    fails(env->list(env, at(&p, 1, "none"), collect, &set), LODE_MISSING);
    assert_int_equal(env->remove_directory(env, d).sys_errno, ENOTEMPTY);
    assert_true(lode_failed(env->remove(env, p.path[2])));
    ok(env->remove_directory(env, p.path[2]));
    ok(env->sync_directory(env, d));
    fails(env->sync_directory(env, p.path[1]), LODE_MISSING);
    ok(lode_env_remove_tree(env, d));
    assert_false(is_there(env, d));
}

static void a_lock_excludes_other_handles(void **state)
{
    place p = here(state);
    lode_env *env = p.env;
    const char *path = at(&p, 0, "LOCK");
    lode_file *lock, *second;
    bool held = true;

    ok(env->is_locked(env, &held, path));
    assert_false(held);
    assert_false(is_there(env, path));
    put(env, path, "kept");
    ok(env->lock(env, &lock, path));
    fails(env->lock(env, &second, path), LODE_LOCKED);
    assert_null(second);
    ok(env->is_locked(env, &held, path));
    assert_true(held);
    env->unlock(env, lock);
    env->unlock(env, NULL);
    ok(env->is_locked(env, &held, path));
    assert_false(held);
    ok(env->lock(env, &lock, path));
    env->unlock(env, lock);
    holds(env, path, "kept"); /* never truncated */
    fails(env->lock(env, &lock, at(&p, 1, "none/LOCK")), LODE_MISSING);
}

static void free_space_is_known(void **state)
{
    place p = here(state);
    uint64_t bytes = 0;

    ok(p.env->free_space(p.env, &bytes, p.root));
    assert_true(bytes > 0);
    fails(p.env->free_space(p.env, &bytes, at(&p, 0, "none")), LODE_MISSING);
}

static void paths_are_made_with_their_parents(void **state)
{
    place p = here(state);

    ok(lode_env_make_path(p.env, at(&p, 0, "a//b/c/")));
    assert_true(is_there(p.env, at(&p, 1, "a/b/c")));
    ok(lode_env_make_path(p.env, at(&p, 0, "a/b")));
    put(p.env, at(&p, 0, "a/file"), "");
    fails(lode_env_make_path(p.env, p.path[0]), LODE_EXISTS);
    assert_true(lode_failed(lode_env_make_path(p.env, at(&p, 0, "a/file/below"))));
    ok(lode_env_remove_tree(p.env, at(&p, 0, "never was")));
}

static void small_files_are_read_whole_or_refused(void **state)
{
    place p = here(state);
    lode_buf b = LODE_BUF_EMPTY;

    put(p.env, at(&p, 0, "file"), "12345");
    lode_buf_append(&b, "before", 6);
    ok(lode_env_read_file(p.env, &b, p.path[0], 5));
    assert_int_equal(b.len, 11);
    assert_memory_equal(b.data, "before12345", 11);
    fails(lode_env_read_file(p.env, &b, p.path[0], 4), LODE_CORRUPT);
    assert_int_equal(b.len, 11);
    fails(lode_env_read_file(p.env, &b, p.path[0], 0), LODE_CORRUPT);
    fails(lode_env_read_file(p.env, &b, at(&p, 1, "none"), 4), LODE_MISSING);
    lode_buf_clear(&b);

    char *large = malloc(300001);
    memset(large, 'x', 300000);
    large[300000] = '\0';
    put(p.env, p.path[0], large);
    holds(p.env, p.path[0], large);
    free(large);
}

static void an_atomic_write_replaces_the_whole(void **state)
{
    place p = here(state);

    ok(lode_env_write_file_atomically(p.env, at(&p, 0, "file"), "old content", 11));
    ok(lode_env_write_file_atomically(p.env, p.path[0], "new", 3));
    holds(p.env, p.path[0], "new");
    assert_false(is_there(p.env, at(&p, 1, "file.tmp")));
    fails(lode_env_write_file_atomically(p.env, at(&p, 1, "none/file"), "x", 1), LODE_MISSING);
}

static void joined_paths_have_one_slash(void **state)
{
    static const char *const table[][3] = {
        { "a", "b", "a/b" }, { "a/", "b", "a/b" }, { "", "b", "b" }, { "/", "b", "/b" }
    };

    for (size_t i = 0; i < 4; i++) {
        char *path = lode_path_join(table[i][0], table[i][1]);
        assert_string_equal(path, table[i][2]);
        free(path);
    }
}

/* In a child, so that it is another process: 0 if the lock was had, 1 if it is held. */
static int lock_in_child(const char *path)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        lode_env *env = lode_env_system();
        lode_file *lock;
        bool held = false;
        lode_status asked = env->is_locked(env, &held, path), s = env->lock(env, &lock, path);
        _exit(lode_failed(asked) || held != (s.code == LODE_LOCKED) ? 9 : s.code == LODE_LOCKED ? 1 : s.code ? 8 : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WEXITSTATUS(status);
}

static void a_lock_excludes_other_processes(void **state)
{
    lode_env *env = lode_env_system();
    char path[128];
    lode_file *lock, *second;
    bool held;

    snprintf(path, sizeof path, "%s.lock", system_root);
    assert_int_equal(lock_in_child(path), 0);
    ok(env->lock(env, &lock, path));
    ok(env->is_locked(env, &held, path)); /* neither asking nor trying again may drop it: fcntl's trap */
    fails(env->lock(env, &second, path), LODE_LOCKED);
    assert_int_equal(lock_in_child(path), 1);
    env->unlock(env, lock);
    assert_int_equal(lock_in_child(path), 0);
    unlink(path);
}

/* Another process, as bitcoind is, that holds the lock by fcntl alone. */
static void another_programs_lock_is_seen(void **state)
{
    lode_env *env = lode_env_system();
    int ready[2], leave[2], status;
    char path[128], byte;
    lode_file *lock;
    bool held;

    snprintf(path, sizeof path, "%s.lock", system_root);
    assert_int_equal(pipe(ready) | pipe(leave), 0);
    pid_t child = fork();
    if (child == 0) {
        struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
        int fd = open(path, O_RDWR | O_CREAT, 0600);
        byte = fcntl(fd, F_SETLK, &whole) == 0;
        close(leave[1]);
        if (write(ready[1], &byte, 1) != 1 || read(leave[0], &byte, 1) != 0)
            _exit(1);
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 1);
    ok(env->is_locked(env, &held, path));
    assert_true(held);
    lode_status s = env->lock(env, &lock, path);
    fails(s, LODE_LOCKED);
    assert_non_null(strstr(s.text, "locked by process"));
    close(leave[0]);
    close(leave[1]);
    waitpid(child, &status, 0);
    ok(env->lock(env, &lock, path));
    env->unlock(env, lock);
    close(ready[0]);
    close(ready[1]);
    unlink(path);
}

/* A pipe gives a few bytes at a time, or none, and then ends. Neither opening nor reading waits for ever. */
static void a_pipe_is_read_as_it_fills(void **state)
{
    lode_env *env = lode_env_system();
    char path[128], data[3001] = { 0 };
    lode_file *f;
    size_t got, sum = 0;
    bool at_end;

    snprintf(path, sizeof path, "%s.pipe", system_root);
    assert_int_equal(mkfifo(path, 0600), 0);
    ok(env->open(env, &f, path, LODE_OPEN_READ | LODE_OPEN_STREAM));
    ok(env->read(env, f, &got, &at_end, data, sizeof data, 1000));
    assert_int_equal(got, 0);
    assert_false(at_end);
    pid_t child = fork();
    if (child == 0) {
        int fd = open(path, O_WRONLY);
        for (int i = 0; i < 30; i++) {
            char piece[100];
            memset(piece, i, sizeof piece);
            if (write(fd, piece, sizeof piece) != sizeof piece)
                _exit(1);
            usleep(100);
        }
        _exit(0);
    }
    do {
        ok(env->read(env, f, &got, &at_end, data + sum, sizeof data - sum, 1000));
        sum += got;
    } while (!at_end);
    assert_int_equal(sum, 3000);
    assert_int_equal(data[2999], 29);
    env->close(env, f);
    waitpid(child, NULL, 0);
    unlink(path);
}

static void a_tree_is_removed_without_following_links(void **state)
{
    lode_env *env = lode_env_system();
    char tree[128], outside[128], link_path[160], kept[160];

    snprintf(tree, sizeof tree, "%s.tree", system_root);
    snprintf(outside, sizeof outside, "%s.outside", system_root);
    snprintf(kept, sizeof kept, "%s/kept", outside);
    snprintf(link_path, sizeof link_path, "%s/link", tree);
    ok(lode_env_make_path(env, tree));
    ok(lode_env_make_path(env, outside));
    put(env, kept, "kept");
    assert_int_equal(symlink(outside, link_path), 0);
    ok(lode_env_remove_tree(env, tree));
    assert_false(is_there(env, tree));
    holds(env, kept, "kept");
    ok(lode_env_remove_tree(env, outside));
}

static void a_power_cut_takes_what_was_not_synced(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_file *f, *lock;

    ok(lode_env_make_path(env, "db"));
    ok(env->sync_directory(env, "/"));
    ok(env->open(env, &f, "db/log", MAKE));
    ok(env->pwrite(env, f, "synced", 6, 0));
    ok(env->sync(env, f));
    ok(env->sync_directory(env, "db"));
    ok(env->pwrite(env, f, "SYNCED, and more", 16, 0));
    put(env, "db/unsynced", "x");
    ok(env->lock(env, &lock, "db/LOCK"));
    lode_memory_env_power_off(env);
    fails(env->pwrite(env, f, "late", 4, 0), LODE_IO);
    lode_memory_env_power_on(env, LODE_KEEP_SYNCED, 0);
    fails(env->pwrite(env, f, "later", 5, 0), LODE_IO); /* the handle is of before */
    env->close(env, f);
    env->unlock(env, lock);
    holds(env, "db/log", "synced");
    assert_false(is_there(env, "db/unsynced"));
    assert_false(is_there(env, "db/LOCK"));
    assert_int_equal(lode_memory_env_used_bytes(env), 6);
    lode_memory_env_destroy(env);
}

static void a_name_is_durable_with_its_directory(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_file *f;

    ok(env->make_directory(env, "db"));
    ok(env->open(env, &f, "db/file", MAKE));
    ok(env->pwrite(env, f, "bytes", 5, 0));
    ok(env->sync(env, f));
    env->close(env, f);
    ok(env->sync_directory(env, "db")); /* but db itself is in no synced directory */
    lode_memory_env_power_on(env, LODE_KEEP_SYNCED, 0);
    assert_false(is_there(env, "db"));

    ok(lode_env_make_path(env, "db"));
    ok(lode_env_write_file_atomically(env, "db/CURRENT", "one", 3));
    put(env, "db/next", "two");
    ok(env->rename(env, "db/next", "db/CURRENT")); /* neither its bytes nor the rename are synced */
    ok(env->link(env, "db/CURRENT", "db/second"));
    holds(env, "db/CURRENT", "two");
    lode_memory_env_power_on(env, LODE_KEEP_SYNCED, 0);
    holds(env, "db/CURRENT", "one");
    assert_false(is_there(env, "db/second"));
    ok(env->remove(env, "db/CURRENT"));
    lode_memory_env_power_on(env, LODE_KEEP_SYNCED, 0);
    holds(env, "db/CURRENT", "one");
    ok(env->remove(env, "db/CURRENT"));
    ok(env->sync_directory(env, "db"));
    lode_memory_env_power_on(env, LODE_KEEP_SYNCED, 0);
    assert_false(is_there(env, "db/CURRENT"));
    put(env, "db/alive", "kill -9");
    lode_memory_env_power_on(env, LODE_KEEP_ALL, 0);
    holds(env, "db/alive", "kill -9");
    lode_memory_env_destroy(env);
}

/* A store must not lean on an order in which nobody asked for the disk. */
static void names_that_were_not_synced_are_kept_in_any_order(void **state)
{
    int outcomes[4] = { 0 };

    for (uint64_t seed = 0; seed < 200; seed++) {
        lode_env *env = lode_memory_env_create();

        put(env, "first", "1");
        put(env, "second", "2");
        lode_memory_env_power_on(env, LODE_KEEP_SOME, seed);
        outcomes[is_there(env, "first") * 2 + is_there(env, "second")]++;
        lode_memory_env_destroy(env);
    }
    for (int i = 0; i < 4; i++)
        assert_true(outcomes[i] > 0);
}

/* Whatever a seed keeps, an atomic write is there before or after, never between. */
static void an_atomic_write_survives_every_power_cut(void **state)
{
    int old = 0, new = 0;

    for (uint64_t seed = 0; seed < 300; seed++) {
        lode_env *env = lode_memory_env_create(), *faulty = lode_fault_env_create(env);
        lode_buf b = LODE_BUF_EMPTY;

        ok(lode_env_make_path(env, "db"));
        ok(lode_env_write_file_atomically(env, "db/file", "old", 3));
        lode_fault_env_plan(faulty, &(lode_fault_plan){ .calls = LODE_FAULT_CHANGES,
                                                        .skip = seed % 6,
                                                        .times = UINT64_MAX,
                                                        .error_number = EIO,
                                                        .torn_bytes = seed % 3 });
        lode_status s = lode_env_write_file_atomically(faulty, "db/file", "newer", 5);
        lode_memory_env_power_on(env, LODE_KEEP_SOME, seed);
        ok(lode_env_read_file(env, &b, "db/file", 100));
        bool is_new = b.len == 5 && memcmp(b.data, "newer", 5) == 0;
        assert_true(is_new || (b.len == 3 && memcmp(b.data, "old", 3) == 0));
        assert_true(is_new || lode_failed(s));
        old += !is_new;
        new += is_new;
        lode_buf_clear(&b);
        lode_fault_env_destroy(faulty);
        lode_memory_env_destroy(env);
    }
    assert_true(old > 0 && new > 0);
}

static void a_full_disk_says_so(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_file *f;
    uint64_t left;

    lode_memory_env_set_capacity(env, 10);
    ok(env->open(env, &f, "file", MAKE));
    ok(env->pwrite(env, f, "12345678", 8, 0));
    ok(env->free_space(env, &left, "/"));
    assert_int_equal(left, 2);
    fails(env->pwrite(env, f, "abcd", 4, 8), LODE_NO_SPACE);
    fails(env->allocate(env, f, 8, 10), LODE_NO_SPACE);
    ok(env->pwrite(env, f, "ABCD", 4, 0));
    holds(env, "file", "ABCD5678ab");
    env->close(env, f);
    ok(env->remove(env, "file"));
    ok(env->sync_directory(env, "/"));
    assert_int_equal(lode_memory_env_used_bytes(env), 0);
    lode_memory_env_destroy(env);
}

static void power_off(void *context)
{
    lode_memory_env_power_off(context);
}

static void a_planned_call_fails_and_others_do_not(void **state)
{
    lode_env *base = lode_memory_env_create(), *env = lode_fault_env_create(base);
    lode_file *f;

    ok(env->open(env, &f, "a", MAKE));
    lode_fault_env_plan(
        env, &(lode_fault_plan){
                 .calls = LODE_FAULT_PWRITE, .skip = 1, .times = 2, .error_number = ENOSPC, .torn_bytes = 2 });
    ok(env->pwrite(env, f, "aaaa", 4, 0));
    lode_status s = env->pwrite(env, f, "bbbb", 4, 4);
    fails(s, LODE_NO_SPACE);
    assert_int_equal(s.sys_errno, ENOSPC);
    ok(env->sync(env, f));
    fails(env->pwrite(env, f, "c", 1, 6), LODE_NO_SPACE);
    ok(env->pwrite(env, f, "d", 1, 6));
    holds(env, "a", "aaaabbd");
    assert_int_equal(lode_fault_env_failed(env), 2);
    assert_int_equal(lode_fault_env_count(env, LODE_FAULT_PWRITE), 4);
    assert_int_equal(lode_fault_env_count(env, LODE_FAULT_PWRITE | LODE_FAULT_SYNC), 5);

    lode_fault_env_plan(
        env, &(lode_fault_plan){
                 .calls = LODE_FAULT_ALL, .path_contains = "b", .times = UINT64_MAX, .error_number = EMFILE });
    ok(env->sync(env, f));
    fails(env->rename(env, "a", "b"), LODE_IO);
    lode_fault_env_plan(
        env, &(lode_fault_plan){ .calls = LODE_FAULT_SYNC, .times = 1, .hook = power_off, .hook_context = base });
    ok(env->pwrite(env, f, "x", 1, 0));
    fails(env->sync(env, f), LODE_IO); /* the plan lets it through, to a machine without power */
    lode_fault_env_plan(env, NULL);
    env->close(env, f);
    lode_memory_env_power_on(base, LODE_KEEP_ALL, 0);
    holds(env, "a", "xaaabbd");
    lode_fault_env_destroy(env);
    lode_memory_env_destroy(base);
}

static int make_places(void **state)
{
    snprintf(system_root, sizeof system_root, "/tmp/lode-env-test-XXXXXX");
    if (!mkdtemp(system_root))
        return 1;
    memory = lode_memory_env_create();
    fault = lode_fault_env_create(memory);
    return !memory || !fault;
}

static int remove_places(void **state)
{
    lode_fault_env_destroy(fault);
    lode_memory_env_destroy(memory);
    rmdir(system_root);
    return 0;
}

#define EVERYWHERE(f)                                                                                                  \
    { #f " (system)", f, begin_case, end_case, &which[0] }, { #f " (memory)", f, begin_case, end_case, &which[1] },    \
    {                                                                                                                  \
#f " (faults)", f, begin_case, end_case, &which[2]                                                             \
    }

int main(void)
{
    static int which[3] = { 0, 1, 2 };
    const struct CMUnitTest tests[] = {
        EVERYWHERE(bytes_are_read_where_they_were_written),
        EVERYWHERE(open_flags_mean_what_they_say),
        EVERYWHERE(sizes_change_by_truncate_and_allocate),
        EVERYWHERE(a_range_is_copied_or_the_source_is_too_short),
        EVERYWHERE(a_map_shows_the_file_or_is_not_there),
        EVERYWHERE(names_move_and_go),
        EVERYWHERE(directories_list_and_empty),
        EVERYWHERE(a_lock_excludes_other_handles),
        EVERYWHERE(free_space_is_known),
        EVERYWHERE(paths_are_made_with_their_parents),
        EVERYWHERE(small_files_are_read_whole_or_refused),
        EVERYWHERE(an_atomic_write_replaces_the_whole),
        cmocka_unit_test(joined_paths_have_one_slash),
        cmocka_unit_test(a_lock_excludes_other_processes),
        cmocka_unit_test(another_programs_lock_is_seen),
        cmocka_unit_test(a_pipe_is_read_as_it_fills),
        cmocka_unit_test(a_tree_is_removed_without_following_links),
        cmocka_unit_test(a_power_cut_takes_what_was_not_synced),
        cmocka_unit_test(a_name_is_durable_with_its_directory),
        cmocka_unit_test(names_that_were_not_synced_are_kept_in_any_order),
        cmocka_unit_test(an_atomic_write_survives_every_power_cut),
        cmocka_unit_test(a_full_disk_says_so),
        cmocka_unit_test(a_planned_call_fails_and_others_do_not),
    };

    return cmocka_run_group_tests(tests, make_places, remove_places);
}
