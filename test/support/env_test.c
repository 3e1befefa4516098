/* test/support/env_test.c: one table of promises, kept by the system's files, by those in memory, and through faults.
 *
 * Each case runs on all three; what only one can show (processes, power cuts, planned faults) is in env_alone_test.c.
 */
#include "test/support/env_calls.h"

#include <errno.h>

#include "test/support/fault_env.h"
#include "test/support/memory_env.h"

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
    };

    return cmocka_run_group_tests(tests, make_places, remove_places);
}
