/* test/leveldb/memory_test.c: without memory every call says so, and no error is lost for lack of memory to tell it. */
#include "leveldb/bed.h"
#include "test/support/failing_memory.h"

static void a_failure_is_told_without_memory(void **state)
{
    static char large[100000];
    bed b;
    (void)state;
    make_bed(&b);
    put(&b, "k", "v");
    failing_memory_start(1, true);
    leveldb_put(b.db, b.write, "large", 5, large, sizeof large, &b.error);
    failing_memory_stop();
    expect_error(&b.error, "IO error: ");
    leveldb_close(b.db);
    open_again(&b);
    char *value = leveldb_get(b.db, b.read, "k", 1, NULL, &b.error);
    assert_non_null(value);
    leveldb_free(value);

    failing_memory_start(1, true);
    assert_null(leveldb_get(b.db, b.read, "k", 1, NULL, &b.error));
    failing_memory_stop();
    expect_error(&b.error, "IO error: ");
    clear_bed(&b);
}

static void what_is_not_made_is_null_and_does_nothing(void **state)
{
    bed b;
    (void)state;
    make_bed(&b);
    put(&b, "k", "v");
    failing_memory_start(1, true);
    leveldb_iterator_t *it = leveldb_create_iterator(b.db, b.read);
    const leveldb_snapshot_t *snapshot = leveldb_create_snapshot(b.db);
    leveldb_writebatch_t *batch = leveldb_writebatch_create();
    leveldb_options_t *options = leveldb_options_create();
    leveldb_cache_t *cache = leveldb_cache_create_lru(1000);
    assert_null(it);
    assert_null(snapshot);
    assert_null(batch);
    assert_null(options);
    assert_null(cache);
    assert_null(leveldb_property_value(b.db, "leveldb.stats"));
    leveldb_iter_seek_to_first(it);
    assert_false(leveldb_iter_valid(it));
    leveldb_writebatch_put(batch, "k", 1, "w", 1);
    failing_memory_stop();
    leveldb_iter_get_error(it, &b.error);
    expect_error(&b.error, "Invalid argument: ");
    leveldb_write(b.db, b.write, batch, &b.error);
    expect_error(&b.error, "Invalid argument: ");
    leveldb_iter_destroy(it);
    leveldb_release_snapshot(b.db, snapshot);
    leveldb_writebatch_destroy(batch);
    leveldb_options_destroy(options);
    leveldb_cache_destroy(cache);
    clear_bed(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_is_told_without_memory),
        cmocka_unit_test(what_is_not_made_is_null_and_does_nothing),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
