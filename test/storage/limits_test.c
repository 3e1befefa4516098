/* test/storage/limits_test.c: few descriptors, a manifest that grows, large values, a store killed in mid-write. */
#include "storage/store_test.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "storage/store_internal.h"
#include "support/memory_env.h"

static size_t make_key(char *key, int i)
{
    return (size_t)sprintf(key, "key%07d", i);
}

/* The system's files without mapping, so that every open table holds a descriptor. */
static lode_status no_map(lode_env *env, lode_file *file, const uint8_t **data, size_t len)
{
    (void)env;
    (void)file;
    (void)len;
    *data = NULL;
    return lode_ok();
}

static void sixty_four_descriptors_are_enough(void **state)
{
    char *path = temporary_directory(), key[32], value[600];
    struct rlimit old, few;
    lode_env env = *lode_env_system();
    lode_store_options o;
    lode_store *store;
    (void)state;
    env.map = no_map;
    env.map_writable = NULL;
    lode_store_options_init(&o);
    o.env = &env;
    o.create_if_missing = 1;
    o.write_buffer_bytes = 64 << 10;
    o.table_bytes = 64 << 10;
    o.max_open_files = 20;
    o.compression = LODE_COMPRESSION_NONE;
    memset(value, 'v', sizeof value);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    few = old;
    few.rlim_cur = 64;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    assert_ok(lode_store_open(&store, path, &o));
    for (int i = 0; i < 20000; i++) {
        int n = i * 7919 % 20000;
        assert_ok(lode_store_put(store, key, make_key(key, n), value, (size_t)(n % 600), 0));
    }
    assert_ok(lode_store_compact_range(store, NULL, 0, NULL, 0));
    for (int i = 0; i < 20000; i += 3) {
        size_t len;
        int found, n = i * 7919 % 20000;
        assert_ok(lode_store_get_into(store, &found, value, sizeof value, &len, key, make_key(key, n), NULL));
        assert_true(found && len == (size_t)(n % 600));
    }
    assert_ok(lode_store_verify(store));
    assert_true(lode_table_cache_open_count(store->tables) <= 20);
    size_t tables = 0;
    for (int level = 0; level < LODE_LEVELS; level++)
        tables += store->versions.current->levels[level].count;
    assert_true(tables > 70);
    assert_ok(lode_store_close(store));
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    temporary_directory_remove(path);
}

static void a_manifest_is_begun_anew_when_it_has_grown(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_store_options o;
    lode_store *store;
    char key[32];
    (void)state;
    lode_store_options_init(&o);
    o.env = env;
    o.create_if_missing = 1;
    assert_ok(lode_store_open(&store, "db", &o));
    store->versions.manifest_limit_bytes = 3000;
    for (int i = 0; i < 600; i++) {
        assert_ok(lode_store_put(store, key, make_key(key, i), "v", 1, 0));
        assert_ok(lode_store_flush(store));
        uint64_t bytes = lode_log_writer_bytes(store->versions.manifest);
        assert_true(bytes < 4000 || bytes < 3 * store->versions.manifest_began_with);
    }
    assert_ok(lode_store_verify(store));
    assert_ok(lode_store_close(store));
    assert_ok(lode_store_open(&store, "db", &o));
    for (int i = 0; i < 600; i++) {
        char value[4];
        size_t len;
        int found;
        assert_ok(lode_store_get_into(store, &found, value, sizeof value, &len, key, make_key(key, i), NULL));
        assert_true(found);
    }
    assert_ok(lode_store_close(store));
    lode_memory_env_destroy(env);
}

static void large_values_come_back(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_store_options o;
    lode_store *store;
    char *value = malloc(5 << 20);
    (void)state;
    lode_store_options_init(&o);
    o.env = env;
    o.create_if_missing = 1;
    o.write_buffer_bytes = 64 << 10;
    assert_ok(lode_store_open(&store, "db", &o));
    for (int i = 0; i < 6; i++) {
        memset(value, 'a' + i, 5 << 20);
        assert_ok(lode_store_put(store, &i, sizeof i, value, (5 << 20) - (size_t)i, 0));
    }
    assert_ok(lode_store_put(store, "", 0, "empty key", 9, 0));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 6; i++) {
            void *got;
            size_t len;
            int found;
            assert_ok(lode_store_get(store, &found, &got, &len, &i, sizeof i, NULL));
            assert_true(found && len == (5 << 20) - (size_t)i && ((char *)got)[len - 1] == 'a' + i);
            lode_store_free(got);
        }
        assert_ok(lode_store_compact_range(store, NULL, 0, NULL, 0));
    }
    char small[16];
    size_t len;
    int found;
    assert_ok(lode_store_get_into(store, &found, small, 5, &len, "", 0, NULL));
    assert_true(found && len == 9 && memcmp(small, "empty", 5) == 0);
    assert_ok(lode_store_close(store));
    free(value);
    lode_memory_env_destroy(env);
}

/* In a child: writes without a sync, tells after each how far it is, and is killed. */
static void write_until_killed(const char *path, int pipe_end, int first)
{
    lode_store_options o;
    lode_store *store;
    lode_store_options_init(&o);
    o.create_if_missing = 1;
    o.write_buffer_bytes = 200 << 10;
    if (lode_failed(lode_store_open(&store, path, &o)))
        _exit(1);
    for (int i = first;; i++) {
        char key[32], value[200];
        memset(value, 'v', sizeof value);
        memcpy(value, &i, sizeof i);
        if (lode_failed(lode_store_put(store, key, make_key(key, i), value, 10 + (size_t)(i % 190), 0)))
            _exit(1);
        if (write(pipe_end, &i, sizeof i) != sizeof i)
            _exit(1);
    }
}

static void a_killed_process_loses_no_write_and_wakes_up_again(void **state)
{
    char *path = temporary_directory(), key[32];
    lode_store_options o;
    lode_store *store;
    int first = 0;
    (void)state;
    lode_store_options_init(&o);
    o.create_if_missing = 1;
    o.paranoid_checks = 1;
    for (int round = 0; round < 6; round++) {
        int ends[2], last = first - 1, i;
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
            close(ends[0]);
            write_until_killed(path, ends[1], first);
        }
        close(ends[1]);
        while (read(ends[0], &i, sizeof i) == sizeof i) {
            last = i;
            if (i == first + 400 * (round + 1))
                kill(child, SIGKILL);
        }
        close(ends[0]);
        waitpid(child, NULL, 0);
        assert_true(last >= first + 400 * (round + 1));
        assert_ok(lode_store_open(&store, path, &o));
        for (i = 0; i <= last; i++) {
            char value[256];
            size_t len;
            int found;
            assert_ok(lode_store_get_into(store, &found, value, sizeof value, &len, key, make_key(key, i), NULL));
            assert_true(found && len == 10 + (size_t)(i % 190) && memcmp(value, &i, sizeof i) == 0);
        }
        assert_ok(lode_store_put(store, "one more", 8, "", 0, 0));
        assert_ok(lode_store_close(store));
        first = last + 1;
    }
    temporary_directory_remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sixty_four_descriptors_are_enough),
        cmocka_unit_test(a_manifest_is_begun_anew_when_it_has_grown),
        cmocka_unit_test(large_values_come_back),
        cmocka_unit_test(a_killed_process_loses_no_write_and_wakes_up_again),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
