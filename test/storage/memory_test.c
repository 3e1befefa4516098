/* test/storage/memory_test.c: memory runs out at each allocation in turn, once or from there on. The store says so and
 * goes on or stops; what it acknowledged is there when it is opened again; nothing crashes and nothing leaks.
 *
 * Files are the system's, never synced.
 */
#include "storage/store_test.h"

#include "test/support/failing_memory.h"

enum { KEYS = 60, FIRST_OF_RUNS = 50, VALUE_BYTES = 2000 };

/* ---- what is done meanwhile ---- */

typedef struct story {
    lode_store_options o;
    const char *path;
    char copy[512];
    bool is_there[KEYS], may_be_there[KEYS];
} story;

static lode_status sync_nothing(lode_env *env, lode_file *file)
{
    (void)env, (void)file;
    return (lode_status){ 0 };
}
static lode_status sync_no_folder(lode_env *env, const char *path)
{
    (void)env, (void)path;
    return (lode_status){ 0 };
}

static size_t make_key(char key[32], int i)
{
    return (size_t)sprintf(key, "key%05d", i);
}
static void make_value(char value[VALUE_BYTES], int i)
{
    for (size_t j = 0; j < VALUE_BYTES; j++)
        value[j] = (char)((i * 31 + (int)j * (int)j) >> 3);
}

/* True: it was done. A failure is of memory alone. */
static bool went_well(lode_status s)
{
    if (lode_failed(s) && s.code != LODE_NO_MEMORY)
        fail_msg("code %d: %s", s.code, s.text);
    return !lode_failed(s);
}

static void write_some(story *t, lode_store *store)
{
    char key[32], value[VALUE_BYTES];
    for (int i = 0; i < 40; i++) {
        make_value(value, i);
        t->may_be_there[i] = true;
        t->is_there[i] = went_well(lode_store_put(store, key, make_key(key, i), value, sizeof value, i == 20));
    }
    lode_batch *batch = lode_batch_create(), *more = lode_batch_create();
    for (int i = 40; i < FIRST_OF_RUNS; i++) {
        make_value(value, i);
        t->may_be_there[i] = true;
        lode_batch_put(i % 2 ? batch : more, key, make_key(key, i), value, sizeof value);
    }
    lode_batch_append(batch, more);
    /* Without both batches nothing was promised. */
    bool done = batch && more && went_well(lode_store_write(store, batch, 0));
    for (int i = 40; i < FIRST_OF_RUNS; i++)
        t->is_there[i] = done;
    lode_batch_destroy(batch);
    lode_batch_destroy(more);
    went_well(lode_store_delete(store, "none", 4, 0));
}

/* Two that are finished together, the one with the later keys first. */
static void write_runs(story *t, lode_store *store)
{
    char key[32], value[VALUE_BYTES];
    lode_run *runs[2] = { NULL, NULL };
    if (!went_well(lode_run_begin(&runs[0], store)) || !went_well(lode_run_begin(&runs[1], store))) {
        lode_run_abandon(runs[0]);
        return;
    }
    bool good = true;
    for (int i = FIRST_OF_RUNS; i < KEYS; i++) {
        make_value(value, i);
        t->may_be_there[i] = true;
        good &= went_well(lode_run_put(runs[i < 55], key, make_key(key, i), value, sizeof value));
    }
    good &= went_well(lode_runs_finish(runs, 2));
    for (int i = FIRST_OF_RUNS; i < KEYS; i++)
        t->is_there[i] = good;
}

static void check_pair(const story *t, lode_bytes key, lode_bytes value)
{
    char wanted_key[32] = { 0 }, wanted[VALUE_BYTES];
    assert_int_equal(key.len, 8);
    memcpy(wanted_key, key.data, key.len);
    int i = atoi(wanted_key + 3);
    assert_true(i >= 0 && i < KEYS && t->may_be_there[i]);
    assert_memory_equal(key.data, wanted_key, make_key(wanted_key, i));
    make_value(wanted, i);
    assert_int_equal(value.len, sizeof wanted);
    assert_memory_equal(value.data, wanted, sizeof wanted);
}

static void read_alone(const story *t, lode_store *store)
{
    char key[32];
    void *value;
    size_t len;
    for (int i = 0; i < KEYS; i += 7) {
        int found = 0;
        size_t key_len = make_key(key, i);
        if (!went_well(lode_store_get(store, &found, &value, &len, key, key_len, NULL)))
            continue;
        assert_true(found ? t->may_be_there[i] : !t->is_there[i]);
        if (found)
            check_pair(t, (lode_bytes){ key, key_len }, (lode_bytes){ value, len });
        lode_store_free(value);
    }
}

static void walk(const story *t, lode_store *store, const lode_snapshot *snapshot)
{
    lode_iterator_options o;
    lode_iterator *it;
    lode_iterator_options_init(&o);
    o.snapshot = snapshot;
    if (!went_well(lode_iterator_create(&it, store, &o)))
        return;
    for (int backwards = 0; backwards < 2; backwards++) {
        int count = 0, wanted = 0;
        if (backwards)
            lode_iterator_seek_last(it);
        else
            lode_iterator_seek_first(it);
        for (; lode_iterator_is_valid(it); count++) {
            check_pair(t, lode_iterator_key(it), lode_iterator_value(it));
            if (backwards)
                lode_iterator_prev(it);
            else
                lode_iterator_next(it);
        }
        for (int i = 0; i < KEYS; i++)
            wanted += t->is_there[i];
        if (went_well(lode_iterator_status(it)))
            assert_true(count >= wanted); /* a scan never ends early in silence */
    }
    lode_iterator_seek(it, "key00030", 8);
    lode_iterator_seek_for_prev(it, "key00030", 8);
    lode_iterator_destroy(it);
}

static void visit(void *context, size_t position, lode_bytes value)
{
    const story *t = context;
    char key[32];
    check_pair(t, (lode_bytes){ key, make_key(key, (int)position) }, value);
}

static void read_together(story *t, lode_store *store)
{
    char texts[KEYS][32];
    lode_bytes keys[KEYS];
    for (int i = 0; i < KEYS; i++)
        keys[i] = (lode_bytes){ texts[i], make_key(texts[i], i) };
    went_well(lode_store_multi_get(store, keys, KEYS, NULL, t, visit));
}

static void look_after(story *t, lode_store *store)
{
    lode_bytes start = { "a", 1 }, limit = { "z", 1 };
    uint64_t size;
    char *text = lode_store_property(store, "leveldb.sstables");
    lode_store_free(text);
    went_well(lode_store_approximate_sizes(store, 1, &start, &limit, &size));
    went_well(lode_store_flush(store));
    went_well(lode_store_compact_range(store, NULL, 0, NULL, 0));
    if (!went_well(lode_store_checkpoint(store, t->copy)))
        return;
    lode_ignore(lode_env_remove_tree(t->o.env, t->copy)); /* and the next one is refused if it stays */
}

static void live(story *t)
{
    lode_store *store;
    lode_snapshot *snapshot;
    if (!went_well(lode_store_open(&store, t->path, &t->o)))
        return;
    write_some(t, store);
    bool has_snapshot = went_well(lode_snapshot_take(&snapshot, store));
    read_alone(t, store);
    walk(t, store, has_snapshot ? snapshot : NULL);
    write_runs(t, store);
    look_after(t, store);
    read_alone(t, store);
    read_together(t, store);
    walk(t, store, NULL);
    went_well(lode_store_verify(store));
    if (has_snapshot)
        lode_snapshot_release(store, snapshot);
    went_well(lode_store_close(store));
}

/* Of a store with tables and a log that is not in them. */
static void open_again(story *t)
{
    lode_store *store;
    if (!went_well(lode_store_open(&store, t->path, &t->o)))
        return;
    read_alone(t, store);
    walk(t, store, NULL);
    went_well(lode_store_close(store));
}

static void repair(story *t)
{
    went_well(lode_store_repair(t->path, &t->o));
}

/* Nothing fails: a repair that did not end is done again, and its mark taken away. */
static void finish_repair(story *t)
{
    char *mark = lode_path_join(t->path, "REPAIRED");
    assert_ok(lode_store_repair(t->path, &t->o));
    assert_ok(t->o.env->remove(t->o.env, mark));
    free(mark);
}

/* Runs that were finished together are there together, whatever was said of them. */
static void check_runs(lode_store *store)
{
    int count = 0;
    for (int i = FIRST_OF_RUNS; i < KEYS; i++) {
        char key[32];
        size_t len;
        int found;
        assert_ok(lode_store_get_into(store, &found, NULL, 0, &len, key, make_key(key, i), NULL));
        count += found;
    }
    assert_true(count == 0 || count == KEYS - FIRST_OF_RUNS);
}

static void check_afterwards(story *t)
{
    lode_store *store;
    t->o.paranoid_checks = 1;
    assert_ok(lode_store_open(&store, t->path, &t->o));
    read_alone(t, store);
    walk(t, store, NULL);
    check_runs(store);
    assert_ok(lode_store_verify(store));
    assert_ok(lode_store_close(store));
}

static void write_beforehand(story *t)
{
    lode_store *store;
    assert_ok(lode_store_open(&store, t->path, &t->o));
    write_runs(t, store);
    write_some(t, store);
    assert_ok(lode_store_flush(store));
    write_some(t, store);
    assert_ok(lode_store_close(store));
}

static int compare_bytes(void *context, const void *a, size_t a_len, const void *b, size_t b_len)
{
    (void)context;
    return lode_slice_compare(lode_slice_of(a, a_len), lode_slice_of(b, b_len));
}
static const lode_comparator bytes = { NULL, "bytes", compare_bytes, NULL, NULL };

typedef void (*scene)(story *t);

/* False: the story ended before so many allocations. */
static bool fail_at(long n, bool goes_on, scene what)
{
    char *path = temporary_directory();
    lode_env env = *lode_env_system();
    story t = { .path = path };
    env.sync = sync_nothing;
    env.sync_directory = sync_no_folder;
    snprintf(t.copy, sizeof t.copy, "%s/copy", path);
    lode_store_options_init(&t.o);
    t.o.env = &env;
    t.o.create_if_missing = 1;
    t.o.write_buffer_bytes = t.o.table_bytes = 64 << 10;
    t.o.cache_bytes = 64 << 10;
    t.o.map_tables = (int)(n & 1);
    t.o.comparator = n % 3 ? NULL : &bytes;
    if (what != live)
        write_beforehand(&t);
    failing_memory_start(n, goes_on);
    what(&t);
    bool has_failed = failing_memory_stop();
    if (what == repair)
        finish_repair(&t);
    check_afterwards(&t);
    temporary_directory_remove(path);
    return has_failed;
}

/* $LODE_TEST_STEPS: how many places are tried, spread over all. */
static void fail_everywhere(scene what)
{
    for (int goes_on = 0; goes_on < 2; goes_on++) {
        long most = 1, places = (long)test_steps(60);
        while (fail_at(most, goes_on, what))
            most += most / 3 + 1;
        for (long i = 0; i < places; i++)
            fail_at(1 + i * most / places, goes_on, what);
        printf("about %ld allocations\n", most);
    }
}

static void a_store_without_memory_loses_nothing(void **state)
{
    (void)state;
    fail_everywhere(live);
}

static void opening_without_memory_loses_nothing(void **state)
{
    (void)state;
    fail_everywhere(open_again);
}

static void repair_without_memory_loses_nothing(void **state)
{
    (void)state;
    fail_everywhere(repair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_without_memory_loses_nothing),
        cmocka_unit_test(opening_without_memory_loses_nothing),
        cmocka_unit_test(repair_without_memory_loses_nothing),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
