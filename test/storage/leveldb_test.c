/* test/storage/leveldb_test.c: Debian's libleveldb and this store read each other's files, and Core's are read too.
 *
 * Links with libleveldb, as only tests and benchmarks may.
 */
#include "storage/store_test.h"

#include <signal.h>
#include <sys/wait.h>

#include <leveldb/c.h>

enum { KEYS = 4000 };

typedef struct setting {
    bool snappy, filter, compact;
} setting;

static const setting settings[] = {
    { false, false, false }, { true, false, true }, { false, true, true }, { true, true, false }, { true, true, true }
};

static size_t make_key(char *key, int i)
{
    return (size_t)sprintf(key, "key-%06d%s", i, i % 5 ? "" : "-longer");
}

static size_t make_value(char *value, int i, int generation)
{
    int len = (i * 7 + generation * 13) % 300;
    for (int j = 0; j < len; j++)
        value[j] = (char)('a' + (i + generation + j / 8) % 26);
    if (i % 500 == 0)
        memset(value, 'x', 5000), len = 5000;
    return (size_t)len;
}

/* Generation 0 everywhere, then every third key overwritten, then every seventh deleted. */
static int generation_of(int i)
{
    return i % 7 == 0 ? -1 : i % 3 == 0 ? 1 : 0;
}

/* ---- the other side ---- */

typedef struct other {
    leveldb_t *db;
    leveldb_options_t *options;
    leveldb_filterpolicy_t *filter;
} other;

static other other_open(const char *path, const setting *s)
{
    char *error = NULL;
    other o = { .options = leveldb_options_create() };
    leveldb_options_set_create_if_missing(o.options, 1);
    leveldb_options_set_paranoid_checks(o.options, 1);
    leveldb_options_set_write_buffer_size(o.options, 100000);
    leveldb_options_set_compression(o.options, s->snappy ? leveldb_snappy_compression : leveldb_no_compression);
    if (s->filter) {
        o.filter = leveldb_filterpolicy_create_bloom(10);
        leveldb_options_set_filter_policy(o.options, o.filter);
    }
    o.db = leveldb_open(o.options, path, &error);
    if (error)
        fail_msg("leveldb: %s", error);
    return o;
}

static void other_close(other *o)
{
    leveldb_close(o->db);
    leveldb_options_destroy(o->options);
    if (o->filter)
        leveldb_filterpolicy_destroy(o->filter);
}

static void other_put(other *o, const char *key, size_t key_len, const char *value, size_t len)
{
    char *error = NULL;
    leveldb_writeoptions_t *w = leveldb_writeoptions_create();
    if (value)
        leveldb_put(o->db, w, key, key_len, value, len, &error);
    else
        leveldb_delete(o->db, w, key, key_len, &error);
    leveldb_writeoptions_destroy(w);
    if (error)
        fail_msg("leveldb: %s", error);
}

static void other_check(other *o)
{
    char key[64], value[8192], *error = NULL;
    leveldb_readoptions_t *r = leveldb_readoptions_create();
    leveldb_readoptions_set_verify_checksums(r, 1);
    leveldb_iterator_t *it = leveldb_create_iterator(o->db, r);
    leveldb_iter_seek_to_first(it);
    for (int i = 0; i < KEYS; i++) {
        size_t key_len = make_key(key, i), len;
        char *got = leveldb_get(o->db, r, key, key_len, &len, &error);
        if (error)
            fail_msg("leveldb: %s", error);
        if (generation_of(i) < 0) {
            assert_null(got);
            continue;
        }
        size_t wanted = make_value(value, i, generation_of(i));
        assert_non_null(got);
        assert_int_equal(len, wanted);
        assert_memory_equal(got, value, wanted);
        leveldb_free(got);
        assert_true(leveldb_iter_valid(it));
        const char *k = leveldb_iter_key(it, &len);
        assert_int_equal(len, key_len);
        assert_memory_equal(k, key, len);
        leveldb_iter_value(it, &len);
        assert_int_equal(len, wanted);
        leveldb_iter_next(it);
    }
    assert_false(leveldb_iter_valid(it));
    leveldb_iter_get_error(it, &error);
    assert_null(error);
    leveldb_iter_destroy(it);
    leveldb_readoptions_destroy(r);
}

/* ---- this side ---- */

static lode_store *ours_open(const char *path, const setting *s)
{
    lode_store *store;
    lode_store_options o;
    lode_store_options_init(&o);
    o.create_if_missing = 1;
    o.paranoid_checks = 1;
    o.write_buffer_bytes = 100000;
    o.compression = s->snappy ? LODE_COMPRESSION_SNAPPY : LODE_COMPRESSION_NONE;
    o.bloom_bits_per_key = s->filter ? 10 : 0;
    assert_ok(lode_store_open(&store, path, &o));
    return store;
}

static void ours_put(lode_store *store, const char *key, size_t key_len, const char *value, size_t len)
{
    if (value)
        assert_ok(lode_store_put(store, key, key_len, value, len, 0));
    else
        assert_ok(lode_store_delete(store, key, key_len, 0));
}

static void ours_check(lode_store *store)
{
    char key[64], value[8192];
    lode_iterator *it;
    assert_ok(lode_iterator_create(&it, store, NULL));
    lode_iterator_seek_first(it);
    for (int i = 0; i < KEYS; i++) {
        size_t key_len = make_key(key, i), len;
        void *got = NULL;
        int found;
        assert_ok(lode_store_get(store, &found, &got, &len, key, key_len, NULL));
        assert_int_equal(found, generation_of(i) >= 0);
        if (!found)
            continue;
        size_t wanted = make_value(value, i, generation_of(i));
        assert_int_equal(len, wanted);
        assert_memory_equal(got, value, wanted);
        lode_store_free(got);
        assert_true(lode_iterator_is_valid(it));
        assert_int_equal(lode_iterator_key(it).len, key_len);
        assert_memory_equal(lode_iterator_key(it).data, key, key_len);
        assert_int_equal(lode_iterator_value(it).len, wanted);
        lode_iterator_next(it);
    }
    assert_false(lode_iterator_is_valid(it));
    assert_ok(lode_iterator_status(it));
    lode_iterator_destroy(it);
}

typedef void (*put_function)(void *context, const char *key, size_t key_len, const char *value, size_t len);

static void put_everything(void *context, put_function put)
{
    char key[64], value[8192];
    for (int n = 0; n < KEYS; n++) {
        int i = n * 1237 % KEYS;
        put(context, key, make_key(key, i), value, make_value(value, i, 0));
    }
    for (int i = 0; i < KEYS; i += 3)
        put(context, key, make_key(key, i), value, make_value(value, i, 1));
    for (int i = 0; i < KEYS; i += 7)
        put(context, key, make_key(key, i), NULL, 0);
}

static void put_ours(void *context, const char *key, size_t key_len, const char *value, size_t len)
{
    ours_put(context, key, key_len, value, len);
}
static void put_other(void *context, const char *key, size_t key_len, const char *value, size_t len)
{
    other_put(context, key, key_len, value, len);
}

static void leveldb_reads_what_we_wrote(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof settings / sizeof settings[0]; n++) {
        char *path = temporary_directory();
        lode_store *store = ours_open(path, &settings[n]);
        put_everything(store, put_ours);
        if (settings[n].compact)
            assert_ok(lode_store_compact_range(store, NULL, 0, NULL, 0));
        ours_check(store);
        assert_ok(lode_store_close(store));
        other o = other_open(path, &settings[n]);
        other_check(&o);
        leveldb_compact_range(o.db, NULL, 0, NULL, 0);
        other_check(&o);
        other_close(&o);
        store = ours_open(path, &settings[n]);
        ours_check(store);
        assert_ok(lode_store_close(store));
        temporary_directory_remove(path);
    }
}

static void we_read_what_leveldb_wrote(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof settings / sizeof settings[0]; n++) {
        char *path = temporary_directory();
        other o = other_open(path, &settings[n]);
        put_everything(&o, put_other);
        if (settings[n].compact)
            leveldb_compact_range(o.db, NULL, 0, NULL, 0);
        other_close(&o);
        lode_store *store = ours_open(path, &settings[n]);
        ours_check(store);
        assert_ok(lode_store_compact_range(store, NULL, 0, NULL, 0));
        ours_check(store);
        assert_ok(lode_store_close(store));
        o = other_open(path, &settings[n]);
        other_check(&o);
        other_close(&o);
        temporary_directory_remove(path);
    }
}

static void leveldb_reads_an_ingested_run(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof settings / sizeof settings[0]; n++) {
        char *path = temporary_directory(), key[64], value[8192];
        lode_store *store = ours_open(path, &settings[n]);
        lode_run *run;
        put_everything(store, put_ours);
        for (int i = 0; i < KEYS; i += 3) /* spoilt, and made good by the run */
            ours_put(store, key, make_key(key, i), "bad", 3);
        assert_ok(lode_run_begin(&run, store));
        for (int i = 0; i < KEYS; i += 3) {
            size_t len = make_key(key, i);
            if (generation_of(i) < 0)
                assert_ok(lode_run_delete(run, key, len));
            else
                assert_ok(lode_run_put(run, key, len, value, make_value(value, i, 1)));
        }
        assert_ok(lode_run_finish(run));
        ours_check(store);
        assert_ok(lode_store_close(store));
        other o = other_open(path, &settings[n]);
        other_check(&o);
        leveldb_compact_range(o.db, NULL, 0, NULL, 0);
        other_check(&o);
        other_close(&o);
        temporary_directory_remove(path);
    }
}

/* ---- crashes of either ---- */

/* A child puts everything and is killed without closing; `ours` says through which store. */
static void put_and_die(const char *path, const setting *s, bool ours)
{
    pid_t child = fork();
    if (child == 0) {
        if (ours) {
            lode_store *store = ours_open(path, s);
            put_everything(store, put_ours);
        } else {
            other o = other_open(path, s);
            put_everything(&o, put_other);
        }
        kill(getpid(), SIGKILL);
    }
    waitpid(child, NULL, 0);
}

/* The first test: libleveldb's thread is not in a child that is forked after it was started. */
static void each_opens_what_the_other_left_when_it_was_killed(void **state)
{
    enum { COUNT = sizeof settings / sizeof settings[0] };
    char *ours[COUNT], *others[COUNT];
    (void)state;
    for (size_t n = 0; n < COUNT; n++) {
        put_and_die(ours[n] = temporary_directory(), &settings[n], true);
        put_and_die(others[n] = temporary_directory(), &settings[n], false);
    }
    for (size_t n = 0; n < COUNT; n++) {
        other o = other_open(ours[n], &settings[n]);
        other_check(&o);
        other_close(&o);
        lode_store *store = ours_open(others[n], &settings[n]);
        ours_check(store);
        assert_ok(lode_store_verify(store));
        assert_ok(lode_store_close(store));
        temporary_directory_remove(ours[n]);
        temporary_directory_remove(others[n]);
    }
}

/* ---- Core's directories ---- */

static uint64_t digest_bytes(uint64_t h, const void *data, size_t len)
{
    const uint8_t *p = data;
    h = (h ^ len) * UINT64_C(0x100000001b3);
    for (size_t i = 0; i < len; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

static uint64_t digest_ours(const char *path, bool read_only, size_t *count)
{
    lode_store *store;
    lode_store_options o;
    lode_iterator *it;
    uint64_t h = 0;
    lode_store_options_init(&o);
    o.read_only = read_only;
    o.compression = LODE_COMPRESSION_NONE;
    o.table_bytes = 32 << 20;
    assert_ok(lode_store_open(&store, path, &o));
    assert_ok(lode_iterator_create(&it, store, NULL));
    *count = 0;
    for (lode_iterator_seek_first(it); lode_iterator_is_valid(it); lode_iterator_next(it), ++*count) {
        lode_bytes k = lode_iterator_key(it), v = lode_iterator_value(it);
        void *value;
        size_t len;
        int found;
        h = digest_bytes(digest_bytes(h, k.data, k.len), v.data, v.len);
        if (*count % 16)
            continue;
        assert_ok(lode_store_get(store, &found, &value, &len, k.data, k.len, NULL));
        assert_true(found);
        assert_int_equal(len, v.len);
        lode_store_free(value);
    }
    assert_ok(lode_iterator_status(it));
    lode_iterator_destroy(it);
    if (!read_only)
        assert_ok(lode_store_compact_range(store, NULL, 0, NULL, 0));
    assert_ok(lode_store_close(store));
    return h;
}

static uint64_t digest_other(const char *path, size_t *count)
{
    setting s = { false, true, false };
    other o = other_open(path, &s);
    leveldb_readoptions_t *r = leveldb_readoptions_create();
    leveldb_iterator_t *it = leveldb_create_iterator(o.db, r);
    uint64_t h = 0;
    *count = 0;
    for (leveldb_iter_seek_to_first(it); leveldb_iter_valid(it); leveldb_iter_next(it), ++*count) {
        size_t key_len, len;
        const char *key = leveldb_iter_key(it, &key_len), *value = leveldb_iter_value(it, &len);
        h = digest_bytes(digest_bytes(h, key, key_len), value, len);
    }
    leveldb_iter_destroy(it);
    leveldb_readoptions_destroy(r);
    other_close(&o);
    return h;
}

static void cores_directories_read_alike(void **state)
{
    static const char *const archives[] = { "core-regtest", "core-forks", "core-crash" };
    const char *data = getenv("LODE_DATA"), *source = getenv("srcdir");
    char command[2048], base[1024], directory[1200];
    (void)state;
    if (data)
        snprintf(base, sizeof base, "%s", data);
    else
        snprintf(base, sizeof base, "%s/../shared/data", source ? source : ".");
    for (size_t n = 0; n < sizeof archives / sizeof archives[0]; n++) {
        char *path = temporary_directory();
        snprintf(command, sizeof command, "tar -C %s --zstd -xf %s/%s.tar.zst 2>/dev/null", path, base, archives[n]);
        if (system(command) != 0) {
            printf("given data is absent, skipped: %s/%s.tar.zst\n", base, archives[n]);
            temporary_directory_remove(path);
            continue;
        }
        snprintf(command, sizeof command, "find %s -name CURRENT -printf '%%h\\n'", path);
        FILE *list = popen(command, "r");
        assert_non_null(list);
        while (fgets(directory, sizeof directory, list)) {
            size_t ours, others, again, after;
            directory[strcspn(directory, "\n")] = '\0';
            uint64_t a = digest_ours(directory, true, &ours);
            uint64_t b = digest_other(directory, &others);
            uint64_t c = digest_ours(directory, false, &again);
            uint64_t d = digest_other(directory, &after);
            printf("%s: %zu records\n", strrchr(directory, '/') + 1, ours);
            assert_true(ours > 0);
            assert_int_equal(ours, others);
            assert_int_equal(ours, again);
            assert_int_equal(ours, after);
            assert_true(a == b && b == c && c == d);
        }
        pclose(list);
        temporary_directory_remove(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_opens_what_the_other_left_when_it_was_killed),
        cmocka_unit_test(leveldb_reads_what_we_wrote),
        cmocka_unit_test(we_read_what_leveldb_wrote),
        cmocka_unit_test(leveldb_reads_an_ingested_run),
        cmocka_unit_test(cores_directories_read_alike),
    };
    return cmocka_run_group_tests_name("leveldb", tests, NULL, NULL);
}
