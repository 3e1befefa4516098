/* test/chainstate/directory_test.c: layout, locks and notes of a data directory. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "chainstate/directory.h"
#include "chainstate/given_directory.h"
#include "chainstate/notes.h"
#include "support/bytes.h"
#include "support/fault_env.h"
#include "support/memory_env.h"

static lode_chain_params params;

static lode_directory_options options_for(lode_env *env, const char *path, bool read_only)
{
    return (lode_directory_options){
        .path = path, .params = &params, .env = env, .read_only = read_only, .create_if_missing = true
    };
}

static lode_status try_open(lode_directory **out, lode_env *env, const char *path, bool read_only)
{
    lode_directory_options o = options_for(env, path, read_only);

    return lode_directory_open(out, &o);
}

static void assert_code(lode_status s, lode_code code)
{
    if (s.code != (int32_t)code)
        fail_msg("status %d instead of %d: %s", (int)s.code, (int)code, s.text);
}

static bool exists(lode_env *env, const char *path)
{
    bool there;

    assert_code(env->path_info(env, &there, NULL, path), LODE_OK);
    return there;
}

/* ---- layout ---- */

static void each_network_has_its_folder(void **state)
{
    static const struct {
        lode_network network;
        const char *root;
    } cases[] = {
        { LODE_CHAIN_MAIN, "/d" },
        { LODE_CHAIN_TEST, "/d/testnet3" },
        { LODE_CHAIN_TESTNET4, "/d/testnet4" },
        { LODE_CHAIN_SIGNET, "/d/signet" },
        { LODE_CHAIN_REGTEST, "/d/regtest" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lode_env *env = lode_memory_env_create();
        lode_directory *d;
        char expected[64];

        lode_chain_params_init(&params, cases[i].network);
        assert_code(try_open(&d, env, "/d", false), LODE_OK);
        assert_string_equal(d->root, cases[i].root);
        snprintf(expected, sizeof expected, "%s/blocks/index", cases[i].root);
        assert_string_equal(d->index, expected);
        snprintf(expected, sizeof expected, "%s/indexes/txindex", cases[i].root);
        assert_string_equal(d->txindex, expected);
        snprintf(expected, sizeof expected, "%s/lode", cases[i].root);
        assert_string_equal(d->own, expected);
        snprintf(expected, sizeof expected, "%s/chainstate", cases[i].root);
        assert_string_equal(d->chainstate, expected);
        assert_true(exists(env, d->blocks));
        lode_directory_close(d);
        lode_memory_env_destroy(env);
    }
    lode_chain_params_init(&params, LODE_CHAIN_REGTEST);
}

static void blocksdir_holds_a_folder_per_network(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_directory_options o = options_for(env, "/d", false);
    lode_directory *d;

    o.blocks_path = "/b";
    assert_code(lode_directory_open(&d, &o), LODE_MISSING); /* it is not made: a disk may not be mounted */
    assert_null(d);
    assert_code(env->make_directory(env, "/b"), LODE_OK);
    assert_code(lode_directory_open(&d, &o), LODE_OK);
    assert_string_equal(d->blocks, "/b/regtest/blocks");
    assert_string_equal(d->index, "/b/regtest/blocks/index");
    assert_string_equal(d->root, "/d/regtest");
    assert_true(exists(env, "/b/regtest/blocks/.lock"));
    assert_true(exists(env, "/d/regtest/.lock"));
    assert_false(exists(env, "/d/regtest/blocks"));
    lode_directory_close(d);
    lode_memory_env_destroy(env);
}

static void a_missing_directory_is_made_only_when_asked(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_directory_options o = options_for(env, "/d", false);
    lode_directory *d;

    o.create_if_missing = false;
    assert_code(lode_directory_open(&d, &o), LODE_MISSING);
    assert_false(exists(env, "/d"));
    lode_memory_env_destroy(env);
}

static void a_snapshot_chainstate_is_refused(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_directory *d;

    assert_code(try_open(&d, env, "/d", false), LODE_OK);
    lode_directory_close(d);
    assert_code(env->make_directory(env, "/d/regtest/chainstate_snapshot"), LODE_OK);
    assert_code(try_open(&d, env, "/d", false), LODE_UNSUPPORTED);
    assert_code(try_open(&d, env, "/d", true), LODE_UNSUPPORTED);
    assert_code(env->remove_directory(env, "/d/regtest/chainstate_snapshot"), LODE_OK);
    assert_code(try_open(&d, env, "/d", false), LODE_OK); /* and no lock stayed behind */
    lode_directory_close(d);
    lode_memory_env_destroy(env);
}

/* ---- locks ---- */

/* Takes the lock as Core does, in a process of its own, until the pipe is closed. */
static pid_t hold_lock(const char *path, int *release)
{
    int ready[2], stop[2];
    char byte;

    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(stop), 0);
    pid_t child = fork();
    if (child == 0) {
        struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
        int fd = open(path, O_RDWR);
        close(stop[1]);
        if (fd < 0 || fcntl(fd, F_SETLK, &lock) != 0 || write(ready[1], "x", 1) != 1)
            _exit(1);
        _exit(read(stop[0], &byte, 1) < 0);
    }
    assert_true(child > 0);
    close(ready[1]);
    close(stop[0]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    *release = stop[1];
    return child;
}

static void release_lock(pid_t child, int release)
{
    int status;

    close(release);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void another_process_with_either_lock_keeps_writers_and_readers_out(void **state)
{
    static const char *const locks[] = { "regtest/.lock", "regtest/blocks/.lock" };
    lode_env *env = lode_env_system();
    char *path = test_directory_make();
    lode_directory *d;
    int release;

    assert_code(try_open(&d, env, path, false), LODE_OK);
    lode_directory_close(d);
    for (size_t i = 0; i < 2; i++) {
        pid_t child = hold_lock(test_path(path, locks[i]), &release);
        lode_status s = try_open(&d, env, path, false);
        assert_code(s, LODE_LOCKED);
        assert_non_null(strstr(s.text, "running"));
        assert_null(d);
        assert_code(try_open(&d, env, path, true), LODE_LOCKED);
        assert_null(d);
        release_lock(child, release);
        assert_code(try_open(&d, env, path, false), LODE_OK);
        lode_directory_close(d);
    }
    test_directory_remove(path);
}

/* What F_SETLK in a child says about a lock that this process holds. */
static bool is_locked_for_others(const char *path)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
        int fd = open(path, O_RDWR);
        _exit(fd < 0 ? 2 : fcntl(fd, F_SETLK, &lock) != 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
    return WEXITSTATUS(status) == 1;
}

static void a_writer_holds_both_locks_until_it_closes(void **state)
{
    lode_env *env = lode_env_system();
    char *path = test_directory_make();
    lode_directory *d, *second;

    assert_code(try_open(&d, env, path, false), LODE_OK);
    assert_true(is_locked_for_others(test_path(path, "regtest/.lock")));
    assert_true(is_locked_for_others(test_path(path, "regtest/blocks/.lock")));
    assert_code(try_open(&second, env, path, false), LODE_LOCKED);
    assert_code(try_open(&second, env, path, true), LODE_LOCKED);
    assert_true(is_locked_for_others(test_path(path, "regtest/.lock"))); /* asking did not lose it */
    lode_directory_close(d);
    assert_false(is_locked_for_others(test_path(path, "regtest/.lock")));
    assert_false(is_locked_for_others(test_path(path, "regtest/blocks/.lock")));
    test_directory_remove(path);
}

static void a_reader_changes_nothing(void **state)
{
    lode_env *memory = lode_memory_env_create(), *env = lode_fault_env_create(memory);
    lode_directory *d;
    lode_notes *notes;

    assert_code(try_open(&d, env, "/d", true), LODE_MISSING);
    assert_code(try_open(&d, memory, "/d", false), LODE_OK);
    assert_code(lode_notes_open(&notes, d, "n"), LODE_OK);
    assert_code(lode_notes_set(notes, "a", "1"), LODE_OK);
    assert_code(lode_notes_write(notes), LODE_OK);
    lode_notes_close(notes);
    lode_directory_close(d);
    lode_fault_env_plan(env, NULL);
    assert_code(try_open(&d, env, "/d", true), LODE_OK);
    assert_code(lode_notes_open(&notes, d, "n"), LODE_OK);
    assert_string_equal(lode_notes_get(notes, "a"), "1");
    assert_code(lode_notes_set(notes, "a", "2"), LODE_OK);
    assert_code(lode_notes_write(notes), LODE_INVALID_ARGUMENT);
    lode_notes_close(notes);
    lode_directory_close(d);
    assert_int_equal(lode_fault_env_count(env, LODE_FAULT_CHANGES | LODE_FAULT_LOCK), 0);
    lode_fault_env_destroy(env);
    lode_memory_env_destroy(memory);
}

static void every_failing_call_is_reported_and_leaves_no_lock(void **state)
{
    lode_env *memory = lode_memory_env_create(), *env = lode_fault_env_create(memory);
    lode_directory *d;

    for (uint64_t n = 0;; n++) {
        lode_fault_env_plan(env,
                            &(lode_fault_plan){ .calls = LODE_FAULT_ALL, .skip = n, .times = 1, .error_number = EIO });
        lode_status s = try_open(&d, env, "/d", false);
        assert_true(lode_failed(s) == (lode_fault_env_failed(env) > 0));
        assert_true(lode_failed(s) == (d == NULL));
        lode_directory_close(d);
        if (!lode_failed(s))
            break;
        assert_code(s, LODE_IO);
    }
    lode_fault_env_plan(env, NULL);
    assert_code(try_open(&d, env, "/d", false), LODE_OK);
    lode_directory_close(d);
    lode_fault_env_destroy(env);
    lode_memory_env_destroy(memory);
}

/* ---- notes ---- */

static lode_notes *open_notes(lode_directory *d)
{
    lode_notes *notes;

    assert_code(lode_notes_open(&notes, d, "notes"), LODE_OK);
    return notes;
}

static void notes_are_the_documented_text(void **state)
{
    static const char head[] = "lode notes 1\nrules=a3f0\nscripts=x\n";
    lode_env *env = lode_memory_env_create();
    lode_buf text = LODE_BUF_EMPTY;
    lode_directory *d;
    uint8_t hash[32];
    char check[9];

    assert_code(try_open(&d, env, "/d", false), LODE_OK);
    lode_notes *notes = open_notes(d);
    assert_null(lode_notes_get(notes, "rules"));
    assert_code(lode_notes_write(notes), LODE_OK);
    assert_false(exists(env, d->own)); /* nothing to say */
    assert_code(lode_notes_set(notes, "scripts", "x"), LODE_OK);
    assert_code(lode_notes_set(notes, "rules", "1"), LODE_OK);
    assert_code(lode_notes_set(notes, "rules", "a3f0"), LODE_OK);
    assert_code(lode_notes_write(notes), LODE_OK);
    lode_notes_close(notes);
    assert_code(lode_env_read_file(env, &text, "/d/regtest/lode/notes", 1000), LODE_OK);
    assert_int_equal(text.len, sizeof head - 1 + 15);
    assert_memory_equal(text.data, head, sizeof head - 1);
    lode_sha256(hash, head, sizeof head - 1);
    lode_hex_encode(check, hash, 4);
    assert_memory_equal(text.data + sizeof head - 1, "check=", 6);
    assert_memory_equal(text.data + sizeof head - 1 + 6, check, 8);
    notes = open_notes(d);
    assert_string_equal(lode_notes_get(notes, "rules"), "a3f0");
    assert_string_equal(lode_notes_get(notes, "scripts"), "x");
    assert_code(lode_notes_set(notes, "rules", NULL), LODE_OK);
    assert_code(lode_notes_write(notes), LODE_OK);
    lode_notes_close(notes);
    notes = open_notes(d);
    assert_null(lode_notes_get(notes, "rules"));
    assert_string_equal(lode_notes_get(notes, "scripts"), "x");
    lode_notes_close(notes);
    lode_buf_clear(&text);
    lode_directory_close(d);
    lode_memory_env_destroy(env);
}

static void a_note_that_would_break_the_text_is_refused(void **state)
{
    static const char *const keys[] = { "", "a=b", "a b", "a\n", "check", "\xc3\xa4" };
    static const char *const values[] = { "a\nb", "\t", "\x7f" };
    lode_env *env = lode_memory_env_create();
    char key[66], value[1002];
    lode_directory *d;

    assert_code(try_open(&d, env, "/d", false), LODE_OK);
    lode_notes *notes = open_notes(d);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_code(lode_notes_set(notes, keys[i], "1"), LODE_INVALID_ARGUMENT);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_code(lode_notes_set(notes, "a", values[i]), LODE_INVALID_ARGUMENT);
    memset(key, 'k', 65);
    key[65] = 0;
    memset(value, 'v', 1001);
    value[1001] = 0;
    assert_code(lode_notes_set(notes, key, "1"), LODE_INVALID_ARGUMENT);
    assert_code(lode_notes_set(notes, "a", value), LODE_INVALID_ARGUMENT);
    assert_code(lode_notes_set(notes, key + 1, value + 1), LODE_OK);
    assert_code(lode_notes_write(notes), LODE_OK);
    lode_notes_close(notes);
    notes = open_notes(d);
    assert_string_equal(lode_notes_get(notes, key + 1), value + 1);
    lode_notes_close(notes);
    lode_directory_close(d);
    lode_memory_env_destroy(env);
}

static void put_file(lode_env *env, const uint8_t *data, size_t len)
{
    assert_code(lode_env_write_file_atomically(env, "/d/regtest/lode/notes", data, len), LODE_OK);
}

static void damaged_notes_say_nothing(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_buf text = LODE_BUF_EMPTY;
    lode_directory *d;

    assert_code(try_open(&d, env, "/d", false), LODE_OK);
    lode_notes *notes = open_notes(d);
    assert_code(lode_notes_set(notes, "scripts", "17"), LODE_OK);
    assert_code(lode_notes_write(notes), LODE_OK);
    lode_notes_close(notes);
    assert_code(lode_env_read_file(env, &text, "/d/regtest/lode/notes", 1000), LODE_OK);
    for (size_t len = 0; len < text.len; len++) {
        put_file(env, text.data, len);
        notes = open_notes(d);
        assert_null(lode_notes_get(notes, "scripts"));
        lode_notes_close(notes);
    }
    for (size_t i = 0; i < text.len; i++) {
        text.data[i] ^= 1;
        put_file(env, text.data, text.len);
        notes = open_notes(d);
        assert_null(lode_notes_get(notes, "scripts"));
        lode_notes_close(notes);
        text.data[i] ^= 1;
    }
    lode_buf_clear(&text);
    lode_directory_close(d);
    lode_memory_env_destroy(env);
}

/* Power fails at each call of a write: old or new content is there afterwards. */
static void notes_are_replaced_as_a_whole(void **state)
{
    for (uint64_t n = 0, failed = 1; failed; n++) {
        lode_env *memory = lode_memory_env_create(), *env = lode_fault_env_create(memory);
        lode_directory *d;

        assert_code(try_open(&d, env, "/d", false), LODE_OK);
        lode_notes *notes = open_notes(d);
        assert_code(lode_notes_set(notes, "scripts", "1"), LODE_OK);
        assert_code(lode_notes_write(notes), LODE_OK);
        assert_code(lode_notes_set(notes, "scripts", "2"), LODE_OK);
        lode_fault_env_plan(
            env,
            &(lode_fault_plan){ .calls = LODE_FAULT_CHANGES, .skip = n, .times = UINT64_MAX, .error_number = EIO });
        lode_status s = lode_notes_write(notes);
        failed = lode_fault_env_failed(env);
        assert_true(lode_failed(s) == (failed > 0));
        lode_notes_close(notes);
        lode_directory_close(d);
        lode_memory_env_power_off(memory);
        lode_memory_env_power_on(memory, LODE_KEEP_SOME, n);
        lode_fault_env_plan(env, NULL);
        assert_code(try_open(&d, env, "/d", false), LODE_OK);
        notes = open_notes(d);
        const char *value = lode_notes_get(notes, "scripts");
        assert_non_null(value);
        assert_true(strcmp(value, "2") == 0 || (failed && strcmp(value, "1") == 0));
        lode_notes_close(notes);
        lode_directory_close(d);
        lode_fault_env_destroy(env);
        lode_memory_env_destroy(memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_network_has_its_folder),
        cmocka_unit_test(blocksdir_holds_a_folder_per_network),
        cmocka_unit_test(a_missing_directory_is_made_only_when_asked),
        cmocka_unit_test(a_snapshot_chainstate_is_refused),
        cmocka_unit_test(another_process_with_either_lock_keeps_writers_and_readers_out),
        cmocka_unit_test(a_writer_holds_both_locks_until_it_closes),
        cmocka_unit_test(a_reader_changes_nothing),
        cmocka_unit_test(every_failing_call_is_reported_and_leaves_no_lock),
        cmocka_unit_test(notes_are_the_documented_text),
        cmocka_unit_test(a_note_that_would_break_the_text_is_refused),
        cmocka_unit_test(damaged_notes_say_nothing),
        cmocka_unit_test(notes_are_replaced_as_a_whole),
    };

    lode_chain_params_init(&params, LODE_CHAIN_REGTEST);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
