/* test/storage/reports_test.c: what users of other stores reported, and what is right instead.
 *
 *     power lost between create, rename and delete      crash_test.c
 *     torn tails, also of manifests                     crash_test.c, log_test.c; short reads and writes: here
 *     manifests that grow for ever                      limits_test.c
 *     sizes that wrap around                            format_test.c, table_test.c; options: here
 *     repair that brings the dead back                  here
 *     network shares: no directory sync, no locks       here
 *     a large log at open; orders that are none         here
 *
 * The system's calls are this program's own: they do less than they were asked, or fail, as long as `share` says so.
 */
#include "storage/store_test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "storage/store_internal.h"
#include "support/memory_env.h"

static struct {
    bool is_short; /* reads and writes stop after 1, 2, ... 7 bytes, and then again */
    atomic_uint calls;
    bool syncs_no_folder; /* fsync of a directory: EINVAL */
    bool has_no_locks;    /* fcntl of a lock: ENOLCK */
    atomic_uint refused;
} share;

static size_t less(size_t len)
{
    size_t most = 1 + share.calls++ % 7;
    return share.is_short && len > most ? most : len;
}

ssize_t pread(int fd, void *data, size_t len, off_t offset)
{
    return syscall(SYS_pread64, fd, data, less(len), offset);
}
ssize_t pwrite(int fd, const void *data, size_t len, off_t offset)
{
    return syscall(SYS_pwrite64, fd, data, less(len), offset);
}

int fsync(int fd)
{
    struct stat st;
    if (share.syncs_no_folder && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        share.refused++;
        errno = EINVAL;
        return -1;
    }
    return (int)syscall(SYS_fsync, fd);
}

int fcntl(int fd, int command, ...)
{
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (share.has_no_locks && (command == F_SETLK || command == F_GETLK)) {
        share.refused++;
        errno = ENOLCK;
        return -1;
    }
    return (int)syscall(SYS_fcntl, fd, command, argument);
}

static size_t make_key(char *key, int i)
{
    return (size_t)sprintf(key, "key%07d", i);
}

static void put_number(lode_store *store, int i, const char *value, size_t len)
{
    char key[32];
    assert_ok(lode_store_put(store, key, make_key(key, i), value, len, 0));
}

static bool has_number(lode_store *store, int i, const char *value, size_t len)
{
    char key[32], got[256];
    size_t got_len;
    int found;
    assert_ok(lode_store_get_into(store, &found, got, sizeof got, &got_len, key, make_key(key, i), NULL));
    return found && got_len == len && memcmp(got, value, len) == 0;
}

/* google/leveldb#160: a call that does less than it was asked is not the end of the file. */
static void short_reads_and_writes_are_gone_on_with(void **state)
{
    enum { COUNT = 300 };
    char *path = temporary_directory(), value[200];
    lode_env env = *lode_env_system();
    lode_store_options o;
    lode_store *store;
    (void)state;
    env.map_writable = NULL;
    lode_store_options_init(&o);
    o.env = &env;
    o.create_if_missing = 1;
    o.map_tables = 0;
    memset(value, 's', sizeof value);
    share.is_short = true;
    for (int round = 0; round < 3; round++) {
        atomic_store(&share.calls, (unsigned)round);
        assert_ok(lode_store_open(&store, path, &o)); /* from the log of the round before */
        for (int i = 0; i < COUNT * round; i++)
            assert_true(has_number(store, i, value, sizeof value));
        for (int i = COUNT * round; i < COUNT * (round + 1); i++)
            put_number(store, i, value, sizeof value);
        if (round == 1)
            assert_ok(lode_store_compact_range(store, NULL, 0, NULL, 0));
        assert_ok(lode_store_verify(store));
        assert_ok(lode_store_close(store));
    }
    share.is_short = false;
    assert_true(share.calls > 1000);
    temporary_directory_remove(path);
}

/* google/leveldb#281, bitcoin/bitcoin#7981. */
static void a_share_that_syncs_no_folder_is_good_enough(void **state)
{
    char *path = temporary_directory();
    lode_store_options o;
    lode_store *store;
    (void)state;
    lode_store_options_init(&o);
    o.create_if_missing = 1;
    share.syncs_no_folder = true;
    share.refused = 0;
    assert_ok(lode_store_open(&store, path, &o));
    assert_ok(lode_store_put(store, "k", 1, "v", 1, 1));
    assert_ok(lode_store_compact_range(store, NULL, 0, NULL, 0));
    assert_ok(lode_store_close(store));
    share.syncs_no_folder = false;
    assert_true(share.refused > 0);
    temporary_directory_remove(path);
}

static void a_share_without_locks_is_read_and_not_written(void **state)
{
    char *path = temporary_directory();
    lode_store_options o;
    lode_store *store, *second;
    (void)state;
    lode_store_options_init(&o);
    o.create_if_missing = 1;
    assert_ok(lode_store_open(&store, path, &o));
    put_number(store, 1, "v", 1);
    assert_ok(lode_store_close(store));
    share.has_no_locks = true;
    share.refused = 0;
    lode_status s = lode_store_open(&store, path, &o);
    assert_int_equal(s.code, LODE_IO);
    assert_int_equal(s.sys_errno, ENOLCK);
    assert_non_null(strstr(s.text, "LOCK: this file system has no locks"));
    o.read_only = 1;
    assert_ok(lode_store_open(&store, path, &o));
    assert_ok(lode_store_open(&second, path, &o));
    assert_true(has_number(store, 1, "v", 1));
    assert_true(has_number(second, 1, "v", 1));
    assert_ok(lode_store_close(store));
    assert_ok(lode_store_close(second));
    share.has_no_locks = false;
    assert_true(share.refused >= 3);
    temporary_directory_remove(path);
}

/* google/leveldb#718: a size of 2^31 or more is large, not small. */
static void options_beyond_a_limit_become_the_limit(void **state)
{
    static const size_t large[] = { (size_t)1 << 31, (size_t)1 << 32, ((size_t)1 << 32) + 1, SIZE_MAX };
    lode_env *env = lode_memory_env_create();
    lode_store_options o;
    lode_store *store;
    (void)state;
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        lode_store_options_init(&o);
        o.env = env;
        o.create_if_missing = 1;
        o.write_buffer_bytes = o.block_bytes = o.table_bytes = o.cache_bytes = large[i];
        o.block_restart_interval = o.bloom_bits_per_key = o.max_open_files = o.background_threads = INT32_MAX;
        assert_ok(lode_store_open(&store, "db", &o));
        assert_int_equal(store->options.write_buffer_bytes, 1 << 30);
        assert_int_equal(store->options.table_bytes, 1 << 30);
        assert_int_equal(store->options.block_bytes, 4 << 20);
        assert_int_equal(store->options.bloom_bits_per_key, 64);
        assert_int_equal(store->options.background_threads, LODE_THREADS_LIMIT);
        assert_int_equal(store->options.max_open_files, INT32_MAX);
        put_number(store, (int)i, "v", 1);
        assert_ok(lode_store_compact_range(store, NULL, 0, NULL, 0));
        for (size_t j = 0; j <= i; j++)
            assert_true(has_number(store, (int)j, "v", 1));
        assert_ok(lode_store_close(store));
    }
    o.write_buffer_bytes = o.block_bytes = o.table_bytes = o.cache_bytes = 0;
    o.block_restart_interval = o.bloom_bits_per_key = o.max_open_files = o.background_threads = INT32_MIN;
    assert_ok(lode_store_open(&store, "db", &o));
    assert_int_equal(store->options.write_buffer_bytes, 64 << 10);
    assert_int_equal(store->options.table_bytes, 64 << 10);
    assert_int_equal(store->options.block_bytes, 256);
    assert_int_equal(store->options.block_restart_interval, 1);
    assert_int_equal(store->options.bloom_bits_per_key, 0);
    assert_int_equal(store->options.background_threads, 1);
    assert_int_equal(store->options.max_open_files, 16);
    put_number(store, 9, "v", 1);
    assert_ok(lode_store_compact_range(store, NULL, 0, NULL, 0));
    assert_true(has_number(store, 9, "v", 1));
    assert_ok(lode_store_close(store));
    lode_memory_env_destroy(env);
}

/* Level/levelup#520, syndtr/goleveldb#53. */
static lode_status lose_manifest(void *context, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "db/%s", name);
    if (strncmp(name, "MANIFEST", 8) == 0)
        lode_ignore(((lode_env *)context)->remove(context, path)); /* what is then opened tells */
    return lode_ok();
}

static void a_repaired_store_is_not_believed(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_store_options o;
    lode_store *store;
    (void)state;
    lode_store_options_init(&o);
    o.env = env;
    o.create_if_missing = 1;
    assert_ok(lode_store_open(&store, "db", &o));
    for (int i = 0; i < 100; i++)
        put_number(store, i, "coin", 4);
    assert_ok(lode_store_compact_range(store, NULL, 0, NULL, 0));
    for (int i = 0; i < 100; i += 2) {
        char key[32];
        assert_ok(lode_store_delete(store, key, make_key(key, i), 0));
    }
    assert_ok(lode_store_close(store));
    assert_ok(env->list(env, "db", lose_manifest, env));
    assert_code(LODE_CORRUPT, lode_store_open(&store, "db", &o));
    assert_ok(lode_store_repair("db", &o));
    for (int read_only = 0; read_only < 2; read_only++) {
        o.read_only = read_only;
        lode_status s = lode_store_open(&store, "db", &o);
        assert_int_equal(s.code, LODE_CORRUPT);
        assert_non_null(strstr(s.text, "REPAIRED"));
    }
    o.read_only = 0;
    assert_ok(env->remove(env, "db/REPAIRED")); /* somebody has looked */
    assert_ok(lode_store_open(&store, "db", &o));
    for (int i = 0; i < 100; i++)
        assert_int_equal(has_number(store, i, "coin", 4), i % 2);
    assert_ok(lode_store_verify(store));
    assert_ok(lode_store_close(store));
    lode_memory_env_destroy(env);
}

/* google/leveldb#226: what a large log holds goes into tables of the usual size, one read of it, and nothing is merged
 * before the store is open. */
static void a_large_log_is_opened_piece_by_piece(void **state)
{
    enum { COUNT = 160000 };
    char *path = temporary_directory(), value[200];
    lode_store_options o;
    lode_store *store;
    (void)state;
    lode_store_options_init(&o);
    o.create_if_missing = 1;
    o.write_buffer_bytes = 256 << 20;
    o.compression = LODE_COMPRESSION_NONE;
    memset(value, 'l', sizeof value);
    assert_ok(lode_store_open(&store, path, &o));
    for (int i = 0; i < COUNT; i++)
        put_number(store, (int)((long long)i * 7919 % COUNT), value, sizeof value);
    assert_int_equal(store->versions.current->levels[0].count, 0);
    assert_ok(lode_store_close(store));
    o.write_buffer_bytes = 1 << 20;
    assert_ok(lode_store_open(&store, path, &o));
    lode_mutex_lock(&store->lock);
    uint64_t tables = 0, largest = 0;
    for (int level = 0; level < LODE_LEVELS; level++) {
        const lode_level *l = &store->versions.current->levels[level];
        tables += l->count;
        for (size_t i = 0; i < l->count; i++)
            largest = l->files[i]->bytes > largest ? l->files[i]->bytes : largest;
    }
    lode_mutex_unlock(&store->lock);
    assert_true(tables >= COUNT * sizeof value / (3 << 20)); /* as one table, it would have been in memory at once */
    assert_true(largest < 4 << 20);
    put_number(store, COUNT, value, sizeof value);
    for (int i = 0; i <= COUNT; i += 13)
        assert_true(has_number(store, i, value, sizeof value));
    assert_ok(lode_store_close(store));
    temporary_directory_remove(path);
}

/* google/leveldb#380, #836: an order that is none may cost its owner the store, and nothing else. */
static int compare_by_chance(void *context, const void *a, size_t a_len, const void *b, size_t b_len)
{
    (void)a, (void)b, (void)a_len, (void)b_len;
    uint64_t x = atomic_fetch_add((_Atomic uint64_t *)context, UINT64_C(0x9e3779b97f4a7c15));
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    static const int answers[] = { -128, 127, 0, INT32_MIN, INT32_MAX, -1, 1, 7 };
    return answers[x >> 61];
}

static void an_order_that_is_none_does_no_harm_to_the_program(void **state)
{
    test_random r = test_random_start("reports", 5);
    (void)state;
    for (int round = 0; round < 10; round++) {
        _Atomic uint64_t chance = test_random_next(&r);
        lode_comparator c = { &chance, "chance", compare_by_chance, NULL, NULL };
        lode_env *env = lode_memory_env_create();
        lode_store_options o;
        lode_store *store;
        lode_iterator *it;
        lode_store_options_init(&o);
        o.env = env;
        o.create_if_missing = 1;
        o.write_buffer_bytes = o.table_bytes = 64 << 10;
        o.comparator = &c;
        assert_ok(lode_store_open(&store, "db", &o));
        for (int i = 0; i < 4000; i++) {
            char key[32], value[64];
            size_t len = make_key(key, (int)test_random_below(&r, 1000)), value_len;
            int found;
            if (lode_failed(lode_store_put(store, key, len, key, len, 0)))
                break;
            lode_ignore(lode_store_get_into(store, &found, value, sizeof value, &value_len, key, len, NULL));
        }
        lode_ignore(lode_store_compact_range(store, NULL, 0, NULL, 0)); /* whatever it says, it comes back */
        assert_ok(lode_iterator_create(&it, store, NULL));
        lode_iterator_seek_first(it);
        for (int i = 0; i < 3000 && lode_iterator_is_valid(it); i++)
            if (i % 5)
                lode_iterator_next(it);
            else
                lode_iterator_prev(it);
        lode_iterator_seek(it, "key0000500", 10);
        lode_iterator_seek_last(it);
        lode_iterator_destroy(it);
        lode_ignore(lode_store_verify(store));
        lode_ignore(lode_store_close(store));
        if (!lode_failed(lode_store_open(&store, "db", &o)))
            lode_ignore(lode_store_close(store));
        lode_memory_env_destroy(env);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_reads_and_writes_are_gone_on_with),
        cmocka_unit_test(a_share_that_syncs_no_folder_is_good_enough),
        cmocka_unit_test(a_share_without_locks_is_read_and_not_written),
        cmocka_unit_test(options_beyond_a_limit_become_the_limit),
        cmocka_unit_test(a_repaired_store_is_not_believed),
        cmocka_unit_test(a_large_log_is_opened_piece_by_piece),
        cmocka_unit_test(an_order_that_is_none_does_no_harm_to_the_program),
    };
    return cmocka_run_group_tests_name("reports", tests, NULL, NULL);
}
