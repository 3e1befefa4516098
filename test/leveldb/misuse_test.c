/* test/leveldb/misuse_test.c: what a program against LevelDB's interface does wrong, or late, does no harm here; and
 * many threads at once.
 */
#include <pthread.h>

#include "leveldb/bed.h"

static void nothing_is_written_through_null_lengths(void **state)
{
    bed b;
    (void)state;
    make_bed(&b);
    put(&b, "k", "v");
    char *value = leveldb_get(b.db, b.read, "k", 1, NULL, &b.error);
    assert_memory_equal(value, "v", 1);
    leveldb_free(value);
    assert_null(leveldb_get(b.db, b.read, "none", 4, NULL, &b.error));
    leveldb_iterator_t *it = leveldb_create_iterator(b.db, b.read);
    leveldb_iter_seek_to_first(it);
    assert_memory_equal(leveldb_iter_key(it, NULL), "k", 1);
    assert_memory_equal(leveldb_iter_value(it, NULL), "v", 1);
    leveldb_iter_destroy(it);
    clear_bed(&b);
}

static void nothing_is_read_through_null_data(void **state)
{
    bed b;
    size_t len = 5;
    (void)state;
    make_bed(&b);
    leveldb_put(b.db, b.write, NULL, 0, NULL, 0, &b.error);
    assert_null(b.error);
    char *value = leveldb_get(b.db, b.read, NULL, 0, &len, &b.error);
    assert_non_null(value);
    assert_int_equal(len, 0);
    leveldb_free(value);
    leveldb_put(b.db, b.write, NULL, 3, "v", 1, &b.error);
    expect_error(&b.error, "Invalid argument: ");
    leveldb_put(b.db, b.write, "k", 1, NULL, 3, &b.error);
    expect_error(&b.error, "Invalid argument: ");
    leveldb_delete(b.db, b.write, NULL, 3, &b.error);
    expect_error(&b.error, "Invalid argument: ");
    assert_null(leveldb_get(b.db, b.read, NULL, 3, &len, &b.error));
    expect_error(&b.error, "Invalid argument: ");
    assert_int_equal(len, 0);
    leveldb_write(b.db, b.write, NULL, &b.error);
    expect_error(&b.error, "Invalid argument: ");
    assert_null(leveldb_property_value(b.db, NULL));
    clear_bed(&b);
}

static void missing_objects_are_defaults_or_errors(void **state)
{
    bed b;
    size_t len = 5;
    char *error = NULL;
    (void)state;
    make_bed(&b);
    leveldb_put(b.db, NULL, "k", 1, "v", 1, &b.error);
    assert_null(b.error);
    char *value = leveldb_get(b.db, NULL, "k", 1, &len, &b.error);
    assert_memory_equal(value, "v", 1);
    leveldb_free(value);
    leveldb_iterator_t *it = leveldb_create_iterator(b.db, NULL);
    leveldb_iter_seek_to_first(it);
    assert_true(leveldb_iter_valid(it));
    leveldb_iter_destroy(it);
    leveldb_put(b.db, b.write, NULL, 3, "v", 1, NULL); /* fails, and nobody wants to know */
    leveldb_release_snapshot(b.db, NULL);

    leveldb_put(NULL, b.write, "k", 1, "v", 1, &error);
    expect_error(&error, "Invalid argument: ");
    leveldb_delete(NULL, b.write, "k", 1, &error);
    expect_error(&error, "Invalid argument: ");
    assert_null(leveldb_get(NULL, b.read, "k", 1, &len, &error));
    expect_error(&error, "Invalid argument: ");
    assert_null(leveldb_create_iterator(NULL, b.read));
    assert_null(leveldb_create_snapshot(NULL));
    assert_null(leveldb_property_value(NULL, "leveldb.stats"));
    leveldb_release_snapshot(NULL, NULL);
    leveldb_compact_range(NULL, NULL, 0, NULL, 0);
    leveldb_close(NULL);
    leveldb_iter_seek_to_first(NULL);
    leveldb_iter_seek_to_last(NULL);
    leveldb_iter_seek(NULL, "k", 1);
    leveldb_iter_next(NULL);
    leveldb_iter_prev(NULL);
    assert_false(leveldb_iter_valid(NULL));
    assert_null(leveldb_iter_key(NULL, &len));
    assert_null(leveldb_iter_value(NULL, &len));
    leveldb_iter_get_error(NULL, &error);
    expect_error(&error, "Invalid argument: ");
    leveldb_iter_destroy(NULL);
    leveldb_options_destroy(NULL);
    leveldb_readoptions_destroy(NULL);
    leveldb_writeoptions_destroy(NULL);
    leveldb_comparator_destroy(NULL);
    leveldb_filterpolicy_destroy(NULL);
    leveldb_cache_destroy(NULL);
    leveldb_env_destroy(NULL);
    leveldb_writebatch_destroy(NULL);
    assert_null(leveldb_open(NULL, "/nonexistent/folder/of/nothing", &error));
    expect_error(&error, "NotFound: ");
    assert_null(leveldb_open(b.options, NULL, &error));
    expect_error(&error, "NotFound: ");
    assert_null(leveldb_open(b.options, "", &error));
    expect_error(&error, "NotFound: ");
    leveldb_destroy_db(NULL, NULL, &error);
    expect_error(&error, "Invalid argument: ");
    leveldb_repair_db(NULL, NULL, &error);
    expect_error(&error, "NotFound: ");
    clear_bed(&b);
}

static void an_iterator_that_is_nowhere_has_no_key(void **state)
{
    bed b;
    size_t len = 5;
    (void)state;
    make_bed(&b);
    leveldb_iterator_t *it = leveldb_create_iterator(b.db, b.read);
    assert_null(leveldb_iter_key(it, &len));
    assert_int_equal(len, 0);
    leveldb_iter_next(it);
    leveldb_iter_prev(it);
    assert_false(leveldb_iter_valid(it));
    leveldb_iter_get_error(it, &b.error);
    assert_null(b.error);
    leveldb_iter_destroy(it);
    clear_bed(&b);
}

static void a_store_closes_under_its_iterators_and_snapshots(void **state)
{
    bed b;
    leveldb_iterator_t *its[3];
    (void)state;
    make_bed(&b);
    put(&b, "k", "v");
    for (int i = 0; i < 3; i++) {
        its[i] = leveldb_create_iterator(b.db, b.read);
        leveldb_iter_seek_to_first(its[i]);
    }
    const leveldb_snapshot_t *snapshot = leveldb_create_snapshot(b.db);
    assert_non_null(leveldb_create_snapshot(b.db));
    leveldb_release_snapshot(b.db, snapshot);
    leveldb_iter_destroy(its[1]);
    leveldb_close(b.db);
    open_again(&b); /* so it was closed */
    for (int i = 0; i < 3; i += 2) {
        assert_false(leveldb_iter_valid(its[i]));
        leveldb_iter_seek_to_first(its[i]);
        assert_false(leveldb_iter_valid(its[i]));
        leveldb_iter_get_error(its[i], &b.error);
        expect_error(&b.error, "Invalid argument: ");
        leveldb_iter_destroy(its[i]);
    }
    put(&b, "k", "w");
    clear_bed(&b);
}

static int compare_bytes(void *state, const char *a, size_t a_len, const char *b, size_t b_len)
{
    (void)state;
    assert_non_null(a);
    assert_non_null(b);
    int c = memcmp(a, b, a_len < b_len ? a_len : b_len);
    return c ? c : a_len < b_len ? -1 : a_len > b_len;
}
static const char *name_of(void *state)
{
    return state;
}
static char *make_no_filter(void *state, const char *const *keys, const size_t *lens, int count, size_t *len)
{
    (void)state, (void)keys, (void)lens, (void)count, (void)len;
    return NULL;
}
static uint8_t match_all(void *state, const char *key, size_t key_len, const char *filter, size_t len)
{
    (void)state, (void)key, (void)key_len, (void)filter, (void)len;
    return 1;
}

static void names_and_destructors_may_be_missing(void **state)
{
    char name[] = "an order", *error = NULL;
    bed b;
    (void)state;
    make_bed(&b);
    leveldb_close(b.db);
    leveldb_destroy_db(b.options, b.path, &error);
    leveldb_comparator_t *c = leveldb_comparator_create(name, NULL, compare_bytes, name_of);
    leveldb_options_set_comparator(b.options, c);
    open_again(&b);
    leveldb_put(b.db, b.write, NULL, 0, "empty", 5, &error);
    put(&b, "k", "v");
    leveldb_compact_range(b.db, NULL, 0, NULL, 0);
    leveldb_close(b.db);
    leveldb_comparator_t *nameless = leveldb_comparator_create(NULL, NULL, compare_bytes, name_of);
    leveldb_options_set_comparator(b.options, nameless);
    assert_null(leveldb_open(b.options, b.path, &error));
    expect_error(&error, "Invalid argument: ");
    leveldb_options_set_comparator(b.options, NULL); /* the bytewise one */
    assert_null(leveldb_open(b.options, b.path, &error));
    expect_error(&error, "Invalid argument: ");
    leveldb_options_set_comparator(b.options, c);
    open_again(&b);
    clear_bed(&b);
    leveldb_comparator_destroy(c);
    leveldb_comparator_destroy(nameless);
}

/* A filter that could not be made must not hide keys: the table is not written, and the store says so. */
static void a_filter_that_is_not_made_loses_nothing(void **state)
{
    char name[] = "no filter", *error = NULL;
    size_t len;
    bed b;
    (void)state;
    make_bed(&b);
    leveldb_close(b.db);
    leveldb_filterpolicy_t *p = leveldb_filterpolicy_create(name, NULL, make_no_filter, match_all, name_of);
    leveldb_options_set_filter_policy(b.options, p);
    open_again(&b);
    leveldb_writeoptions_set_sync(b.write, 1);
    put(&b, "k", "v");
    leveldb_compact_range(b.db, NULL, 0, NULL, 0);
    leveldb_put(b.db, b.write, "l", 1, "v", 1, &error);
    expect_error(&error, "IO error: ");
    char *value = leveldb_get(b.db, b.read, "k", 1, &len, &error);
    assert_non_null(value);
    leveldb_free(value);
    leveldb_close(b.db);
    leveldb_options_set_filter_policy(b.options, NULL);
    open_again(&b);
    value = leveldb_get(b.db, b.read, "k", 1, &len, &error);
    assert_non_null(value);
    leveldb_free(value);
    clear_bed(&b);
    leveldb_filterpolicy_destroy(p);
}

static void a_value_of_4_gib_is_refused(void **state)
{
    bed b;
    char *error = NULL;
    (void)state;
    make_bed(&b);
    leveldb_put(b.db, b.write, "k", 1, "v", (size_t)1 << 32, &error);
    expect_error(&error, "Invalid argument: ");
    leveldb_put(b.db, b.write, "k", (size_t)1 << 32, "v", 1, &error);
    expect_error(&error, "Invalid argument: ");
    leveldb_writebatch_t *batch = leveldb_writebatch_create();
    leveldb_writebatch_put(batch, "j", 1, "v", 1);
    leveldb_writebatch_put(batch, "k", 1, "v", SIZE_MAX);
    leveldb_write(b.db, b.write, batch, &error);
    expect_error(&error, "Invalid argument: ");
    assert_null(leveldb_get(b.db, b.read, "j", 1, NULL, &error));
    assert_null(error);
    leveldb_writebatch_destroy(batch);
    clear_bed(&b);
}

static void impossible_options_become_possible(void **state)
{
    bed b;
    size_t len;
    (void)state;
    make_bed(&b);
    for (int high = 0; high < 2; high++) {
        leveldb_close(b.db);
        leveldb_options_set_write_buffer_size(b.options, high ? SIZE_MAX : 0);
        leveldb_options_set_block_size(b.options, high ? SIZE_MAX : 0);
        leveldb_options_set_max_file_size(b.options, high ? SIZE_MAX : 0);
        leveldb_options_set_max_open_files(b.options, high ? INT32_MAX : INT32_MIN);
        leveldb_options_set_block_restart_interval(b.options, high ? INT32_MAX : INT32_MIN);
        leveldb_options_set_compression(b.options, high ? INT32_MAX : INT32_MIN);
        leveldb_filterpolicy_t *p = leveldb_filterpolicy_create_bloom(high ? INT32_MAX : INT32_MIN);
        leveldb_cache_t *cache = leveldb_cache_create_lru(high ? SIZE_MAX : 0);
        leveldb_options_set_filter_policy(b.options, p);
        leveldb_options_set_cache(b.options, cache);
        open_again(&b);
        for (char key[] = "a"; *key <= 'z'; ++*key)
            put(&b, key, key);
        leveldb_compact_range(b.db, NULL, 0, NULL, 0);
        char *value = leveldb_get(b.db, b.read, "q", 1, &len, &b.error);
        assert_non_null(value);
        leveldb_free(value);
        leveldb_close(b.db);
        leveldb_cache_destroy(cache);
        leveldb_filterpolicy_destroy(p);
        leveldb_options_set_filter_policy(b.options, NULL);
        leveldb_options_set_cache(b.options, NULL);
        open_again(&b);
    }
    clear_bed(&b);
}

/* ---- many at once ---- */

enum { THREADS = 4, ROUNDS = 400 };

typedef struct worker {
    bed *b;
    int number, wrong;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    char key[32], *error = NULL;
    for (int i = 0; i < ROUNDS && !error; i++) {
        size_t len, key_len = (size_t)sprintf(key, "%d-%05d", w->number, i);
        leveldb_writebatch_t *batch = leveldb_writebatch_create();
        leveldb_writebatch_put(batch, key, key_len, key, key_len);
        leveldb_writebatch_put(batch, "shared", 6, key, key_len);
        leveldb_write(w->b->db, w->b->write, batch, &error);
        leveldb_writebatch_destroy(batch);
        char *value = leveldb_get(w->b->db, w->b->read, key, key_len, &len, &error);
        w->wrong += !value || len != key_len || memcmp(value, key, len) != 0;
        leveldb_free(value);
        if (i % 8)
            continue;
        const leveldb_snapshot_t *snapshot = leveldb_create_snapshot(w->b->db);
        leveldb_readoptions_t *r = leveldb_readoptions_create();
        leveldb_readoptions_set_snapshot(r, snapshot);
        leveldb_iterator_t *it = leveldb_create_iterator(w->b->db, r);
        leveldb_iter_seek(it, key, key_len);
        w->wrong += !leveldb_iter_valid(it);
        leveldb_iter_seek_to_last(it);
        const char *last = leveldb_iter_key(it, &len);
        w->wrong += len != 6 || memcmp(last, "shared", 6) != 0;
        leveldb_iter_destroy(it);
        leveldb_readoptions_destroy(r);
        leveldb_release_snapshot(w->b->db, snapshot);
    }
    w->wrong += error != NULL;
    leveldb_free(error);
    return NULL;
}

static void many_threads_share_a_store(void **state)
{
    bed b;
    pthread_t threads[THREADS];
    worker workers[THREADS];
    int count = 0;
    (void)state;
    make_bed(&b);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){ &b, i, 0 };
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].wrong, 0);
    }
    leveldb_iterator_t *it = leveldb_create_iterator(b.db, b.read);
    for (leveldb_iter_seek_to_first(it); leveldb_iter_valid(it); leveldb_iter_next(it))
        count++;
    leveldb_iter_destroy(it);
    assert_int_equal(count, THREADS * ROUNDS + 1);
    clear_bed(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_written_through_null_lengths),
        cmocka_unit_test(nothing_is_read_through_null_data),
        cmocka_unit_test(missing_objects_are_defaults_or_errors),
        cmocka_unit_test(an_iterator_that_is_nowhere_has_no_key),
        cmocka_unit_test(a_store_closes_under_its_iterators_and_snapshots),
        cmocka_unit_test(names_and_destructors_may_be_missing),
        cmocka_unit_test(a_filter_that_is_not_made_loses_nothing),
        cmocka_unit_test(a_value_of_4_gib_is_refused),
        cmocka_unit_test(impossible_options_become_possible),
        cmocka_unit_test(many_threads_share_a_store),
    };
    return cmocka_run_group_tests_name("misuse", tests, NULL, NULL);
}
