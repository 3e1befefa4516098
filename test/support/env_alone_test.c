/* test/support/env_alone_test.c: what only one lode_env can show: the system's with other processes, pipes and links;
 * the one in memory with power cuts and full disks; the one of faults with planned ones.
 */
#include "test/support/env_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "test/support/fault_env.h"
#include "test/support/memory_env.h"

static char system_root[64]; /* a directory of its own; what is made stands beside it */

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

static int make_root(void **state)
{
    snprintf(system_root, sizeof system_root, "/tmp/lode-env-test-XXXXXX");
    return !mkdtemp(system_root);
}

static int remove_root(void **state)
{
    return rmdir(system_root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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

    return cmocka_run_group_tests(tests, make_root, remove_root);
}
