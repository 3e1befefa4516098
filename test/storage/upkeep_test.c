/* test/storage/upkeep_test.c: opening rules, locks, read-only, checkpoint, verify, repair, destroy, properties. */
#include "storage/store_test.h"

#include "support/memory_env.h"

static lode_store_options usual_options(lode_env *env)
{
    lode_store_options o;
    lode_store_options_init(&o);
    o.env = env;
    o.create_if_missing = 1;
    o.write_buffer_bytes = 64 << 10;
    return o;
}

static void put_number(lode_store *store, int i, const char *value)
{
    char key[32];
    size_t len = (size_t)sprintf(key, "key%05d", i);
    assert_ok(lode_store_put(store, key, len, value, strlen(value), 0));
}

static void assert_number(lode_store *store, int i, const char *value)
{
    char key[32], got[256];
    size_t len = (size_t)sprintf(key, "key%05d", i), got_len;
    int found;
    assert_ok(lode_store_get_into(store, &found, got, sizeof got, &got_len, key, len, NULL));
    assert_int_equal(found, value != NULL);
    if (value) {
        assert_int_equal(got_len, strlen(value));
        assert_memory_equal(got, value, got_len);
    }
}

static void fill(lode_store *store, int count)
{
    char value[128];
    for (int i = 0; i < count; i++) {
        sprintf(value, "value of %d, somewhat longer so that tables fill up", i);
        put_number(store, i, value);
    }
}

static void check_fill(lode_store *store, int count)
{
    char value[128];
    for (int i = 0; i < count; i++) {
        sprintf(value, "value of %d, somewhat longer so that tables fill up", i);
        assert_number(store, i, value);
    }
}

static void opening_follows_the_options(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_store_options o = usual_options(env);
    lode_store *store, *second;
    (void)state;
    o.create_if_missing = 0;
    assert_code(LODE_MISSING, lode_store_open(&store, "db", &o));
    assert_null(store);
    o.read_only = 1;
    assert_code(LODE_MISSING, lode_store_open(&store, "db", &o));
    lode_file_info info;
    bool exists;
    assert_ok(env->path_info(env, &exists, &info, "db"));
    assert_false(exists);
    o.read_only = 0;
    o.create_if_missing = 1;
    assert_ok(lode_store_open(&store, "db", &o));
    assert_code(LODE_LOCKED, lode_store_open(&second, "db", &o));
    o.read_only = 1;
    assert_code(LODE_LOCKED, lode_store_open(&second, "db", &o));
    o.read_only = 0;
    assert_ok(lode_store_close(store));
    o.error_if_exists = 1;
    assert_code(LODE_EXISTS, lode_store_open(&store, "db", &o));
    lode_memory_env_destroy(env);
}

static void callers_mistakes_are_errors(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_store_options o = usual_options(env);
    lode_store *store;
    lode_iterator *it;
    lode_snapshot *snapshot;
    lode_run *run;
    int found;
    size_t len;
    void *value;
    (void)state;
    assert_code(LODE_INVALID_ARGUMENT, lode_store_open(NULL, "db", &o));
    assert_code(LODE_INVALID_ARGUMENT, lode_store_open(&store, NULL, &o));
    assert_ok(lode_store_open(&store, "db", &o));
    assert_code(LODE_INVALID_ARGUMENT, lode_store_put(NULL, "k", 1, "v", 1, 0));
    assert_code(LODE_INVALID_ARGUMENT, lode_store_put(store, NULL, 1, "v", 1, 0));
    assert_code(LODE_INVALID_ARGUMENT, lode_store_put(store, "k", 1, NULL, 1, 0));
    assert_code(LODE_INVALID_ARGUMENT, lode_store_put(store, "k", 1, "v", (size_t)1 << 32, 0));
    assert_code(LODE_INVALID_ARGUMENT, lode_store_write(store, NULL, 0));
    assert_code(LODE_INVALID_ARGUMENT, lode_store_get(store, NULL, &value, &len, "k", 1, NULL));
    assert_code(LODE_INVALID_ARGUMENT, lode_store_get_into(store, &found, NULL, 5, &len, "k", 1, NULL));
    assert_code(LODE_INVALID_ARGUMENT, lode_iterator_create(&it, NULL, NULL));
    assert_code(LODE_INVALID_ARGUMENT, lode_run_begin(&run, NULL));
    assert_ok(lode_run_begin(&run, store));
    assert_ok(lode_run_put(run, "b", 1, "", 0));
    assert_code(LODE_INVALID_ARGUMENT, lode_run_put(run, "b", 1, "", 0));
    assert_code(LODE_INVALID_ARGUMENT, lode_run_finish(run));
    assert_ok(lode_iterator_create(&it, store, NULL));
    assert_code(LODE_INVALID_ARGUMENT, lode_store_close(store));
    lode_iterator_destroy(it);
    assert_ok(lode_snapshot_take(&snapshot, store));
    assert_code(LODE_INVALID_ARGUMENT, lode_store_close(store));
    lode_snapshot_release(store, snapshot);
    assert_ok(lode_store_close(store));
    assert_ok(lode_store_close(NULL));
    lode_memory_env_destroy(env);
}

static int compare_backwards(void *context, const void *a, size_t a_len, const void *b, size_t b_len)
{
    (void)context;
    int c = lode_slice_compare(lode_slice_of(b, b_len), lode_slice_of(a, a_len));
    return c < 0 ? -128 : c > 0 ? 127 : 0;
}

static void a_comparator_is_remembered_by_name(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_store_options o = usual_options(env);
    lode_comparator backwards = { NULL, "backwards", compare_backwards, NULL, NULL };
    lode_store *store;
    lode_iterator *it;
    (void)state;
    o.comparator = &backwards;
    assert_ok(lode_store_open(&store, "db", &o));
    fill(store, 5000);
    assert_ok(lode_store_compact_range(store, NULL, 0, NULL, 0));
    check_fill(store, 5000);
    assert_ok(lode_iterator_create(&it, store, NULL));
    lode_iterator_seek_first(it);
    assert_memory_equal(lode_iterator_key(it).data, "key04999", 8);
    lode_iterator_destroy(it);
    assert_ok(lode_store_verify(store));
    assert_ok(lode_store_close(store));
    o.comparator = NULL;
    assert_code(LODE_INVALID_ARGUMENT, lode_store_open(&store, "db", &o));
    lode_memory_env_destroy(env);
}

static void a_checkpoint_is_a_store_of_its_own(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_store_options o = usual_options(env);
    lode_store *store, *copy;
    (void)state;
    assert_ok(lode_store_open(&store, "db", &o));
    fill(store, 3000);
    assert_ok(lode_store_checkpoint(store, "copy"));
    assert_code(LODE_EXISTS, lode_store_checkpoint(store, "copy"));
    put_number(store, 0, "changed later");
    assert_ok(lode_store_compact_range(store, NULL, 0, NULL, 0));
    assert_ok(lode_store_open(&copy, "copy", &o));
    check_fill(copy, 3000);
    assert_ok(lode_store_verify(copy));
    assert_ok(lode_store_close(copy));
    assert_number(store, 0, "changed later");
    assert_ok(lode_store_close(store));
    assert_ok(lode_store_destroy("db", &o));
    assert_ok(lode_store_open(&copy, "copy", &o));
    check_fill(copy, 3000);
    assert_ok(lode_store_close(copy));
    lode_memory_env_destroy(env);
}

typedef struct find_file {
    const char *ending;
    char name[64];
} find_file;

static lode_status note_name(void *context, const char *name)
{
    find_file *f = context;
    size_t len = strlen(name), ending = strlen(f->ending);
    if (len >= ending && strcmp(name + len - ending, f->ending) == 0)
        snprintf(f->name, sizeof f->name, "db/%s", name);
    return lode_ok();
}

static void flip_a_byte(lode_env *env, const char *path, uint64_t offset)
{
    lode_file *file;
    uint8_t byte;
    size_t got;
    assert_ok(env->open(env, &file, path, LODE_OPEN_READ | LODE_OPEN_WRITE));
    assert_ok(env->pread(env, file, &got, &byte, 1, offset));
    byte ^= 0x10;
    assert_ok(env->pwrite(env, file, &byte, 1, offset));
    env->close(env, file);
}

static void damage_is_found_and_named(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_store_options o = usual_options(env);
    lode_store *store;
    find_file f = { .ending = ".ldb" };
    (void)state;
    assert_ok(lode_store_open(&store, "db", &o));
    fill(store, 3000);
    assert_ok(lode_store_flush(store));
    assert_ok(lode_store_close(store));
    assert_ok(env->list(env, "db", note_name, &f));
    flip_a_byte(env, f.name, 1000);
    o.cache_bytes = 0;
    assert_ok(lode_store_open(&store, "db", &o));
    lode_status s = lode_store_verify(store);
    assert_int_equal(s.code, LODE_CORRUPT);
    assert_non_null(strstr(s.text, f.name + 3));
    assert_non_null(strstr(s.text, "offset"));
    lode_iterator *it;
    assert_ok(lode_iterator_create(&it, store, NULL));
    lode_iterator_seek_first(it);
    while (lode_iterator_is_valid(it))
        lode_iterator_next(it);
    s = lode_iterator_status(it);
    assert_int_equal(s.code, LODE_CORRUPT);
    lode_iterator_destroy(it);
    assert_ok(lode_store_close(store));
    lode_memory_env_destroy(env);
}

static void repair_keeps_what_reads_and_marks_the_store(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_store_options o = usual_options(env);
    lode_store *store;
    find_file f = { .ending = ".ldb" };
    (void)state;
    assert_ok(lode_store_open(&store, "db", &o));
    fill(store, 3000);
    assert_ok(lode_store_flush(store));
    put_number(store, 7, "newest, and only in the log");
    assert_ok(lode_store_delete(store, "key00008", 8, 1));
    assert_ok(lode_store_close(store));
    assert_ok(env->list(env, "db", note_name, &f));
    flip_a_byte(env, f.name, 1000);
    assert_ok(env->remove(env, "db/CURRENT"));
    assert_code(LODE_CORRUPT, lode_store_open(&store, "db", &o));
    assert_ok(lode_store_repair("db", &o));
    lode_status s = lode_store_open(&store, "db", &o);
    assert_int_equal(s.code, LODE_CORRUPT);
    assert_non_null(strstr(s.text, "REPAIRED"));
    assert_ok(env->remove(env, "db/REPAIRED"));
    assert_ok(lode_store_open(&store, "db", &o));
    assert_ok(lode_store_verify(store));
    assert_number(store, 7, "newest, and only in the log");
    assert_number(store, 8, NULL);
    int present = 0;
    for (int i = 0; i < 3000; i++) {
        char key[32], value[256];
        size_t len;
        int found;
        sprintf(key, "key%05d", i);
        assert_ok(lode_store_get_into(store, &found, value, sizeof value, &len, key, 8, NULL));
        present += found;
    }
    assert_true(present > 2800 && present < 2999);
    assert_ok(lode_store_close(store));
    lode_memory_env_destroy(env);
}

static void properties_have_answers(void **state)
{
    static const char *const names[] = {
        "leveldb.stats",
        "leveldb.sstables",
        "leveldb.num-files-at-level0",
        "leveldb.approximate-memory-usage",
        "lode.write-amplification",
        "lode.cache-hit-rate",
        "lode.bloom-false-positive-rate",
        "lode.longest-write-us",
    };
    lode_env *env = lode_memory_env_create();
    lode_store_options o = usual_options(env);
    lode_store *store;
    (void)state;
    assert_ok(lode_store_open(&store, "db", &o));
    fill(store, 5000);
    assert_ok(lode_store_flush(store));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *text = lode_store_property(store, names[i]);
        assert_non_null(text);
        assert_true(strlen(text) > 0);
        lode_store_free(text);
    }
    assert_null(lode_store_property(store, "leveldb.num-files-at-level7"));
    assert_null(lode_store_property(store, "nonsense"));
    lode_bytes starts[2] = { { "key", 3 }, { "key02000", 8 } }, limits[2] = { { "kez", 3 }, { "key03000", 8 } };
    uint64_t sizes[2];
    assert_ok(lode_store_approximate_sizes(store, 2, starts, limits, sizes));
    assert_true(sizes[0] > 50000 && sizes[1] > sizes[0] / 20 && sizes[1] < sizes[0] / 2);
    assert_ok(lode_store_close(store));
    lode_memory_env_destroy(env);
}

static void destroy_removes_only_a_stores_files(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_store_options o = usual_options(env);
    lode_store *store;
    lode_file_info info;
    bool exists;
    (void)state;
    assert_ok(lode_store_destroy("db", &o));
    assert_ok(lode_store_open(&store, "db", &o));
    fill(store, 100);
    assert_code(LODE_LOCKED, lode_store_destroy("db", &o));
    assert_ok(lode_store_close(store));
    assert_ok(lode_env_write_file_atomically(env, "db/mine", "x", 1));
    assert_ok(lode_store_destroy("db", &o));
    assert_ok(env->path_info(env, &exists, &info, "db/mine"));
    assert_true(exists);
    o.create_if_missing = 0;
    assert_code(LODE_MISSING, lode_store_open(&store, "db", &o));
    assert_ok(env->remove(env, "db/mine"));
    lode_memory_env_destroy(env);
}

static void bulk_load_merges_at_the_end(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_store_options o = usual_options(env);
    lode_store *store;
    (void)state;
    o.bulk_load = 1;
    o.background_threads = 4;
    o.table_bytes = 64 << 10;
    o.compression = LODE_COMPRESSION_NONE;
    assert_ok(lode_store_open(&store, "db", &o));
    for (int pass = 0; pass < 40; pass++) {
        lode_run *run;
        assert_ok(lode_run_begin(&run, store));
        for (int i = pass; i < 40000; i += 40) {
            char key[32], value[64];
            size_t len = (size_t)sprintf(key, "key%05d", i);
            assert_ok(
                lode_run_put(run, key, len, value, (size_t)sprintf(value, "run %d, and some more to fill it", pass)));
        }
        assert_ok(lode_run_finish(run));
    }
    assert_number(store, 77, "run 37, and some more to fill it");
    char *files = lode_store_property(store, "leveldb.num-files-at-level0");
    assert_true(atoi(files) >= 39);
    lode_store_free(files);
    assert_ok(lode_store_close(store));
    o.bulk_load = 0;
    assert_ok(lode_store_open(&store, "db", &o));
    files = lode_store_property(store, "leveldb.num-files-at-level0");
    assert_string_equal(files, "0");
    lode_store_free(files);
    for (int i = 0; i < 40000; i++) {
        char value[64];
        sprintf(value, "run %d, and some more to fill it", i % 40);
        assert_number(store, i, value);
    }
    assert_ok(lode_store_close(store));
    lode_memory_env_destroy(env);
}

static bool is_there(lode_env *env, const char *path)
{
    lode_file_info info;
    bool exists;
    assert_ok(env->path_info(env, &exists, &info, path));
    return exists;
}

static void a_store_that_never_syncs_is_marked_until_it_is_closed(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_store_options o = usual_options(env);
    lode_store *store;
    (void)state;
    o.sync_policy = LODE_SYNC_NEVER;
    assert_ok(lode_store_open(&store, "db", &o));
    fill(store, 1000);
    assert_true(is_there(env, "db/UNSYNCED"));
    assert_ok(lode_store_close(store));
    assert_false(is_there(env, "db/UNSYNCED"));
    lode_memory_env_power_off(env);
    lode_memory_env_power_on(env, LODE_KEEP_SYNCED, 0);
    assert_ok(lode_store_open(&store, "db", &o));
    check_fill(store, 1000);
    put_number(store, 1, "not synced");
    lode_memory_env_power_off(env);
    assert_true(lode_failed(lode_store_close(store)));
    lode_memory_env_power_on(env, LODE_KEEP_SYNCED, 0);
    assert_true(is_there(env, "db/UNSYNCED"));
    o.sync_policy = LODE_SYNC_ASKED;
    assert_ok(lode_store_open(&store, "db", &o));
    check_fill(store, 1000);
    assert_false(is_there(env, "db/UNSYNCED"));
    assert_ok(lode_store_close(store));
    lode_memory_env_destroy(env);
}

static void runs_that_overlap_are_refused_and_others_come_in_together(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_store_options o = usual_options(env);
    lode_store *store;
    lode_run *runs[3];
    (void)state;
    assert_ok(lode_store_open(&store, "db", &o));
    for (int overlap = 1; overlap >= 0; overlap--) {
        for (int i = 0; i < 3; i++)
            assert_ok(lode_run_begin(&runs[i], store));
        put_number(store, 1, "before");
        for (int i = 0; i < 3; i++) /* the second run stays empty */
            for (int n = 0; n < 20 && i != 1; n++) {
                char key[32];
                size_t len = (size_t)sprintf(key, "key%05d", (i ? 0 : 20 - overlap) + n);
                assert_ok(lode_run_put(runs[i], key, len, "run", 3));
            }
        assert_number(store, 2, NULL);
        if (overlap)
            assert_code(LODE_INVALID_ARGUMENT, lode_runs_finish(runs, 3));
        else
            assert_ok(lode_runs_finish(runs, 3));
    }
    for (int n = 0; n < 40; n++)
        assert_number(store, n, "run");
    put_number(store, 1, "after");
    assert_number(store, 1, "after");
    assert_ok(lode_store_verify(store));
    assert_ok(lode_runs_finish(NULL, 0));
    assert_ok(lode_run_begin(&runs[0], store));
    runs[1] = NULL;
    assert_code(LODE_INVALID_ARGUMENT, lode_runs_finish(runs, 2));
    assert_ok(lode_store_close(store)); /* which would be refused while a run is alive */
    lode_memory_env_destroy(env);
}

static int files_at(lode_store *store, int level)
{
    char name[64];
    sprintf(name, "leveldb.num-files-at-level%d", level);
    char *text = lode_store_property(store, name);
    int files = atoi(text);
    lode_store_free(text);
    return files;
}

/* Every second key lies in one table above, which a read of any other looks into in vain. */
static void a_table_that_is_in_the_way_of_reads_is_merged(void **state)
{
    enum { COUNT = 2000, MOST_ROUNDS = 5000 };
    lode_env *env = lode_memory_env_create();
    lode_store_options o = usual_options(env);
    lode_store *store;
    (void)state;
    o.write_buffer_bytes = 1 << 20;
    assert_ok(lode_store_open(&store, "db", &o));
    fill(store, COUNT);
    assert_ok(lode_store_compact_range(store, NULL, 0, NULL, 0));
    for (int i = 0; i < COUNT; i += 2)
        put_number(store, i, "above");
    assert_ok(lode_store_flush(store));
    assert_int_equal(files_at(store, 0) + files_at(store, 1), 1);
    int rounds = 0;
    for (; files_at(store, 0) + files_at(store, 1) && rounds < MOST_ROUNDS; rounds++)
        for (int i = 0; i < COUNT; i++) {
            char value[128];
            sprintf(value, "value of %d, somewhat longer so that tables fill up", i);
            assert_number(store, i, i % 2 ? value : "above");
        }
    assert_true(rounds < MOST_ROUNDS);
    assert_ok(lode_store_close(store));
    lode_memory_env_destroy(env);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opening_follows_the_options),
        cmocka_unit_test(callers_mistakes_are_errors),
        cmocka_unit_test(a_comparator_is_remembered_by_name),
        cmocka_unit_test(a_checkpoint_is_a_store_of_its_own),
        cmocka_unit_test(damage_is_found_and_named),
        cmocka_unit_test(repair_keeps_what_reads_and_marks_the_store),
        cmocka_unit_test(properties_have_answers),
        cmocka_unit_test(destroy_removes_only_a_stores_files),
        cmocka_unit_test(bulk_load_merges_at_the_end),
        cmocka_unit_test(runs_that_overlap_are_refused_and_others_come_in_together),
        cmocka_unit_test(a_table_that_is_in_the_way_of_reads_is_merged),
        cmocka_unit_test(a_store_that_never_syncs_is_marked_until_it_is_closed),
    };
    return cmocka_run_group_tests_name("upkeep", tests, NULL, NULL);
}
