/* test/storage/arguments_test.c: lode/store.h, called with what nobody should call it with: NULL, lengths without
 * bytes, structs of other sizes, in the wrong order. Nothing crashes, nothing is lost, and errors say so.
 */
#include "storage/store_test.h"

#include "support/memory_env.h"

typedef struct bed {
    lode_env *env;
    lode_store_options o;
    lode_store *store;
} bed;

static void make_bed(bed *b)
{
    b->env = lode_memory_env_create();
    lode_store_options_init(&b->o);
    b->o.env = b->env;
    b->o.create_if_missing = 1;
    b->o.write_buffer_bytes = 64 << 10;
    assert_ok(lode_store_open(&b->store, "db", &b->o));
    assert_ok(lode_store_put(b->store, "k", 1, "v", 1, 0));
}

static void check_value(lode_store *store, const char *key, const char *value)
{
    char got[64];
    size_t len;
    int found;
    assert_ok(lode_store_get_into(store, &found, got, sizeof got, &len, key, strlen(key), NULL));
    assert_int_equal(found, value != NULL);
    if (value) {
        assert_int_equal(len, strlen(value));
        assert_memory_equal(got, value, len);
    }
}

/* What was there is there, also after closing. */
static void clear_bed(bed *b)
{
    check_value(b->store, "k", "v");
    assert_ok(lode_store_verify(b->store));
    assert_ok(lode_store_close(b->store));
    assert_ok(lode_store_open(&b->store, "db", &b->o));
    check_value(b->store, "k", "v");
    assert_ok(lode_store_close(b->store));
    lode_memory_env_destroy(b->env);
}

#define refused(call) assert_code(LODE_INVALID_ARGUMENT, call)

static void visit_nothing(void *context, lode_bytes key, const lode_bytes *value)
{
    (void)context, (void)key, (void)value;
    fail_msg("nothing is to be visited");
}
static void visit_no_value(void *context, size_t position, lode_bytes value)
{
    (void)context, (void)position, (void)value;
    fail_msg("nothing is to be visited");
}

static void no_store_is_an_error(void **state)
{
    lode_bytes key = { "k", 1 };
    lode_snapshot *snapshot = (lode_snapshot *)(uintptr_t)8;
    lode_iterator *it = (lode_iterator *)(uintptr_t)8;
    lode_run *run = (lode_run *)(uintptr_t)8;
    lode_batch *batch = lode_batch_create();
    uint64_t size;
    void *value;
    size_t len;
    int found;
    (void)state;
    assert_ok(lode_store_close(NULL));
    refused(lode_store_put(NULL, "k", 1, "v", 1, 0));
    refused(lode_store_delete(NULL, "k", 1, 0));
    refused(lode_store_write(NULL, batch, 0));
    refused(lode_store_get(NULL, &found, &value, &len, "k", 1, NULL));
    refused(lode_store_get_into(NULL, &found, NULL, 0, &len, "k", 1, NULL));
    refused(lode_store_multi_get(NULL, &key, 1, NULL, NULL, visit_no_value));
    refused(lode_snapshot_take(&snapshot, NULL));
    assert_null(snapshot);
    lode_snapshot_release(NULL, NULL);
    refused(lode_iterator_create(&it, NULL, NULL));
    assert_null(it);
    refused(lode_run_begin(&run, NULL));
    assert_null(run);
    refused(lode_store_flush(NULL));
    refused(lode_store_compact_range(NULL, NULL, 0, NULL, 0));
    refused(lode_store_approximate_sizes(NULL, 1, &key, &key, &size));
    assert_null(lode_store_property(NULL, "leveldb.stats"));
    refused(lode_store_checkpoint(NULL, "copy"));
    refused(lode_store_verify(NULL));
    lode_batch_destroy(batch);
}

static void no_outputs_and_no_names_are_errors(void **state)
{
    bed b;
    lode_store *store = (lode_store *)(uintptr_t)8;
    lode_bytes key = { "k", 1 };
    void *value;
    size_t len;
    int found;
    (void)state;
    make_bed(&b);
    refused(lode_store_open(NULL, "other", &b.o));
    refused(lode_store_open(&store, NULL, &b.o));
    assert_null(store);
    refused(lode_store_open(&store, "", &b.o));
    refused(lode_store_repair(NULL, &b.o));
    refused(lode_store_repair("", &b.o));
    refused(lode_store_destroy(NULL, &b.o));
    refused(lode_store_destroy("", &b.o));
    refused(lode_store_checkpoint(b.store, NULL));
    refused(lode_store_checkpoint(b.store, ""));
    refused(lode_store_get(b.store, NULL, &value, &len, "k", 1, NULL));
    refused(lode_store_get(b.store, &found, NULL, &len, "k", 1, NULL));
    refused(lode_store_get(b.store, &found, &value, NULL, "k", 1, NULL));
    refused(lode_store_get_into(b.store, NULL, NULL, 0, &len, "k", 1, NULL));
    refused(lode_store_get_into(b.store, &found, NULL, 0, NULL, "k", 1, NULL));
    refused(lode_store_get_into(b.store, &found, NULL, 1, &len, "k", 1, NULL));
    refused(lode_store_multi_get(b.store, &key, 1, NULL, NULL, NULL));
    refused(lode_store_multi_get(b.store, NULL, 1, NULL, NULL, visit_no_value));
    assert_ok(lode_store_multi_get(b.store, NULL, 0, NULL, NULL, visit_no_value));
    refused(lode_snapshot_take(NULL, b.store));
    refused(lode_iterator_create(NULL, b.store, NULL));
    refused(lode_run_begin(NULL, b.store));
    refused(lode_store_approximate_sizes(b.store, 1, NULL, NULL, NULL));
    assert_ok(lode_store_approximate_sizes(b.store, 0, NULL, NULL, NULL));
    assert_null(lode_store_property(b.store, NULL));
    assert_null(lode_store_property(b.store, ""));
    assert_null(lode_store_property(b.store, "leveldb.num-files-at-level99999999999999999999"));
    lode_snapshot_release(b.store, NULL);
    clear_bed(&b);
}

static void lengths_without_bytes_are_errors(void **state)
{
    bed b;
    lode_bytes none = { NULL, 3 }, key = { "k", 1 }, empty = { NULL, 0 };
    lode_iterator *it;
    lode_run *run;
    uint64_t size;
    void *value;
    size_t len;
    int found;
    (void)state;
    make_bed(&b);
    refused(lode_store_put(b.store, NULL, 3, "v", 1, 0));
    refused(lode_store_put(b.store, "k", 1, NULL, 3, 0));
    refused(lode_store_delete(b.store, NULL, 3, 0));
    refused(lode_store_get(b.store, &found, &value, &len, NULL, 3, NULL));
    refused(lode_store_get_into(b.store, &found, NULL, 0, &len, NULL, 3, NULL));
    refused(lode_store_multi_get(b.store, &none, 1, NULL, NULL, visit_no_value));
    refused(lode_store_approximate_sizes(b.store, 1, &none, &key, &size));
    refused(lode_store_approximate_sizes(b.store, 1, &key, &none, &size));
    assert_ok(lode_store_approximate_sizes(b.store, 1, &empty, &key, &size));

    lode_batch *batch = lode_batch_create(), *other = lode_batch_create();
    lode_batch_put(batch, "j", 1, "v", 1);
    lode_batch_put(batch, NULL, 3, "v", 1);
    refused(lode_store_write(b.store, batch, 0));
    refused(lode_batch_iterate(batch, NULL, visit_nothing));
    lode_batch_append(other, batch);
    refused(lode_store_write(b.store, other, 0));
    lode_batch_clear(batch);
    lode_batch_delete(batch, NULL, 3);
    refused(lode_store_write(b.store, batch, 0));
    lode_batch_clear(batch);
    lode_batch_put(batch, "j", 1, NULL, 3);
    refused(lode_store_write(b.store, batch, 0));
    lode_batch_destroy(batch);
    lode_batch_destroy(other);
    check_value(b.store, "j", NULL);

    assert_ok(lode_iterator_create(&it, b.store, NULL));
    lode_iterator_seek(it, NULL, 3);
    assert_false(lode_iterator_is_valid(it));
    refused(lode_iterator_status(it));
    lode_iterator_seek_for_prev(it, NULL, 3);
    assert_false(lode_iterator_is_valid(it));
    refused(lode_iterator_status(it));
    lode_iterator_seek(it, NULL, 0); /* the empty key */
    assert_true(lode_iterator_is_valid(it));
    assert_ok(lode_iterator_status(it));
    lode_iterator_destroy(it);

    assert_ok(lode_run_begin(&run, b.store));
    refused(lode_run_put(run, NULL, 3, "v", 1));
    refused(lode_run_put(run, "r", 1, NULL, 3));
    refused(lode_run_delete(run, NULL, 3));
    assert_ok(lode_run_put(run, NULL, 0, "", 0)); /* and those before did no harm */
    assert_ok(lode_run_finish(run));
    check_value(b.store, "", "");
    clear_bed(&b);
}

static void no_object_does_nothing(void **state)
{
    bed b;
    lode_run *none = NULL;
    lode_batch *batch = lode_batch_create();
    (void)state;
    make_bed(&b);
    lode_batch_destroy(NULL);
    lode_batch_clear(NULL);
    lode_batch_put(NULL, "k", 1, "v", 1);
    lode_batch_delete(NULL, "k", 1);
    lode_batch_append(NULL, batch);
    lode_batch_append(batch, NULL);
    assert_int_equal(lode_batch_count(NULL), 0);
    assert_int_equal(lode_batch_bytes(NULL), lode_batch_bytes(batch));
    refused(lode_batch_iterate(NULL, NULL, visit_nothing));
    refused(lode_batch_iterate(batch, NULL, NULL));
    assert_ok(lode_batch_iterate(batch, NULL, visit_nothing));
    refused(lode_store_write(b.store, NULL, 0));
    assert_ok(lode_store_write(b.store, batch, 1));
    refused(lode_run_put(none, "k", 1, "v", 1));
    refused(lode_run_delete(none, "k", 1));
    refused(lode_run_finish(none));
    lode_run_abandon(none);
    lode_iterator_destroy(NULL);
    assert_false(lode_iterator_is_valid(NULL));
    lode_iterator_seek_first(NULL);
    lode_iterator_seek_last(NULL);
    lode_iterator_seek(NULL, "k", 1);
    lode_iterator_seek_for_prev(NULL, "k", 1);
    lode_iterator_next(NULL);
    lode_iterator_prev(NULL);
    assert_null(lode_iterator_key(NULL).data);
    assert_null(lode_iterator_value(NULL).data);
    refused(lode_iterator_status(NULL));
    lode_store_free(NULL);
    lode_cache_destroy(NULL);
    assert_int_equal(lode_cache_bytes(NULL), 0);
    lode_cache_set_capacity(NULL, 5);
    lode_batch_destroy(batch);
    clear_bed(&b);
}

static void structs_of_other_sizes_are_understood(void **state)
{
    bed b;
    lode_iterator *it;
    lode_store *store;
    struct {
        lode_store_options known;
        char unknown[64];
    } newer;
    (void)state;
    make_bed(&b);
    lode_iterator_options older;
    memset(&older, 0xff, sizeof older);
    older.size = sizeof older.size; /* whose other fields nobody knew yet */
    assert_ok(lode_iterator_create(&it, b.store, &older));
    lode_iterator_seek_first(it);
    assert_memory_equal(lode_iterator_key(it).data, "k", 1);
    lode_iterator_destroy(it);

    lode_store_options oldest;
    memset(&oldest, 0xff, sizeof oldest);
    oldest.size = offsetof(lode_store_options, create_if_missing);
    assert_code(LODE_MISSING, lode_store_open(&store, "/nonexistent/lode", &oldest));
    oldest.size = 0;
    assert_code(LODE_MISSING, lode_store_open(&store, "/nonexistent/lode", &oldest));
    assert_code(LODE_MISSING, lode_store_open(&store, "/nonexistent/lode", NULL));
    assert_code(LODE_MISSING, lode_store_repair("/nonexistent/lode", NULL));
    assert_ok(lode_store_destroy("/nonexistent/lode", NULL));

    memset(&newer, 0xff, sizeof newer);
    newer.known = b.o;
    newer.known.size = sizeof newer;
    assert_ok(lode_store_open(&store, "newer", &newer.known));
    assert_ok(lode_store_close(store));
    clear_bed(&b);
}

static void a_store_is_not_closed_under_what_lives_in_it(void **state)
{
    bed b;
    lode_iterator *its[2];
    lode_snapshot *snapshot;
    lode_run *run;
    (void)state;
    make_bed(&b);
    assert_ok(lode_iterator_create(&its[0], b.store, NULL));
    assert_ok(lode_iterator_create(&its[1], b.store, NULL));
    assert_ok(lode_snapshot_take(&snapshot, b.store));
    assert_ok(lode_run_begin(&run, b.store));
    for (int i = 0; i < 4; i++) {
        refused(lode_store_close(b.store));
        assert_ok(lode_store_put(b.store, "open", 4, "still", 5, 1)); /* and it goes on */
        check_value(b.store, "open", "still");
        assert_ok(lode_store_flush(b.store));
        if (i < 2)
            lode_iterator_destroy(its[i]);
        else if (i == 2)
            lode_snapshot_release(b.store, snapshot);
        else
            lode_run_abandon(run);
    }
    clear_bed(&b);
}

static void reading_only_refuses_every_write(void **state)
{
    bed b;
    lode_run *run;
    lode_batch *batch = lode_batch_create();
    (void)state;
    make_bed(&b);
    assert_ok(lode_store_close(b.store));
    b.o.read_only = 1;
    assert_ok(lode_store_open(&b.store, "db", &b.o));
    lode_batch_put(batch, "k", 1, "w", 1);
    refused(lode_store_put(b.store, "k", 1, "w", 1, 0));
    refused(lode_store_delete(b.store, "k", 1, 0));
    refused(lode_store_write(b.store, batch, 1));
    refused(lode_run_begin(&run, b.store));
    refused(lode_store_flush(b.store));
    refused(lode_store_compact_range(b.store, NULL, 0, NULL, 0));
    refused(lode_store_checkpoint(b.store, "copy"));
    lode_batch_destroy(batch);
    clear_bed(&b);
}

static void runs_that_do_not_belong_together_are_given_up(void **state)
{
    bed b, other;
    lode_run *runs[3];
    (void)state;
    make_bed(&b);
    make_bed(&other);
    refused(lode_runs_finish(NULL, 1));
    assert_ok(lode_runs_finish(NULL, 0));
    for (int wrong = 0; wrong < 4; wrong++) {
        assert_ok(lode_run_begin(&runs[0], b.store));
        assert_ok(lode_run_begin(&runs[1], wrong == 2 ? other.store : b.store));
        assert_ok(lode_run_put(runs[0], "r", 1, "v", 1));
        assert_ok(lode_run_put(runs[1], "s", 1, "v", 1));
        runs[2] = wrong == 0 ? NULL : wrong == 1 ? runs[0] : runs[1];
        if (wrong == 3) { /* nothing is */
            assert_ok(lode_runs_finish(runs, 2));
            check_value(b.store, "r", "v");
            check_value(b.store, "s", "v");
            continue;
        }
        refused(lode_runs_finish(runs, 3));
        check_value(b.store, "r", NULL);
        check_value(other.store, "s", NULL);
    }
    clear_bed(&b); /* which would not close with a run alive */
    clear_bed(&other);
}

/* ---- orders and filters ---- */

static int compare_bytes(void *context, const void *a, size_t a_len, const void *b, size_t b_len)
{
    (void)context;
    return lode_slice_compare(lode_slice_of(a, a_len), lode_slice_of(b, b_len));
}
static int compare_backwards(void *context, const void *a, size_t a_len, const void *b, size_t b_len)
{
    return compare_bytes(context, b, b_len, a, a_len);
}
static void *make_filter(void *context, const lode_bytes *keys, size_t count, size_t *len)
{
    char *filter = malloc(1);
    ++*(int *)context;
    assert_true(count > 0 && keys[0].len > 0);
    *filter = '!';
    *len = 1;
    return filter;
}
static int match_unless_it_is_odd(void *context, const void *key, size_t key_len, const void *filter, size_t len)
{
    assert_int_equal(len, 1);
    assert_memory_equal(filter, "!", 1);
    return *(int *)context > 0 || (key_len && ((const char *)key)[key_len - 1] % 2 == 0);
}

static void half_a_comparator_or_filter_is_refused(void **state)
{
    bed b;
    lode_store *store;
    lode_comparator c = { NULL, NULL, compare_bytes, NULL, NULL };
    lode_filter_policy p = { NULL, NULL, make_filter, match_unless_it_is_odd };
    (void)state;
    make_bed(&b);
    lode_store_options o = b.o;
    o.comparator = &c;
    refused(lode_store_open(&store, "other", &o));
    c = (lode_comparator){ NULL, "name", NULL, NULL, NULL };
    refused(lode_store_open(&store, "other", &o));
    refused(lode_store_repair("db", &o));
    o.comparator = NULL;
    o.filter_policy = &p;
    refused(lode_store_open(&store, "other", &o));
    p = (lode_filter_policy){ NULL, "name", NULL, match_unless_it_is_odd };
    refused(lode_store_open(&store, "other", &o));
    p = (lode_filter_policy){ NULL, "name", make_filter, NULL };
    refused(lode_store_open(&store, "other", &o));
    clear_bed(&b);
}

static void another_comparator_is_refused_everywhere(void **state)
{
    bed b;
    lode_store *store;
    lode_comparator backwards = { NULL, "backwards", compare_backwards, NULL, NULL };
    lode_comparator bytes = { NULL, "leveldb.BytewiseComparator", compare_bytes, NULL, NULL };
    (void)state;
    make_bed(&b);
    assert_ok(lode_store_checkpoint(b.store, "copy"));
    assert_ok(lode_store_close(b.store));
    lode_store_options o = b.o;
    o.comparator = &backwards;
    refused(lode_store_open(&store, "db", &o));
    refused(lode_store_open(&store, "copy", &o));
    o.read_only = 1;
    refused(lode_store_open(&store, "db", &o));
    o.read_only = 0;
    o.comparator = &bytes; /* a name that is right is believed */
    assert_ok(lode_store_open(&store, "copy", &o));
    check_value(store, "k", "v");
    assert_ok(lode_store_close(store));
    assert_ok(lode_store_open(&b.store, "db", &b.o));
    clear_bed(&b);
}

static void a_filter_that_hides_keys_is_found_by_verify(void **state)
{
    bed b;
    int made = 0;
    lode_filter_policy p = { &made, "a filter", make_filter, match_unless_it_is_odd };
    (void)state;
    make_bed(&b);
    assert_ok(lode_store_close(b.store));
    b.o.filter_policy = &p;
    assert_ok(lode_store_open(&b.store, "db", &b.o));
    assert_ok(lode_store_put(b.store, "j", 1, "even", 4, 0));
    assert_ok(lode_store_compact_range(b.store, NULL, 0, NULL, 0));
    assert_true(made > 0);
    check_value(b.store, "k", "v");
    check_value(b.store, "j", "even");
    assert_ok(lode_store_verify(b.store));
    int count = made;
    made = 0; /* from now on it lies about "k", whose last byte is odd */
    check_value(b.store, "k", NULL);
    check_value(b.store, "j", "even");
    assert_code(LODE_CORRUPT, lode_store_verify(b.store));
    made = count;
    clear_bed(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_store_is_an_error),
        cmocka_unit_test(no_outputs_and_no_names_are_errors),
        cmocka_unit_test(lengths_without_bytes_are_errors),
        cmocka_unit_test(no_object_does_nothing),
        cmocka_unit_test(structs_of_other_sizes_are_understood),
        cmocka_unit_test(a_store_is_not_closed_under_what_lives_in_it),
        cmocka_unit_test(reading_only_refuses_every_write),
        cmocka_unit_test(runs_that_do_not_belong_together_are_given_up),
        cmocka_unit_test(half_a_comparator_or_filter_is_refused),
        cmocka_unit_test(another_comparator_is_refused_everywhere),
        cmocka_unit_test(a_filter_that_hides_keys_is_found_by_verify),
    };
    return cmocka_run_group_tests_name("arguments", tests, NULL, NULL);
}
