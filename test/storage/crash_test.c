/* test/storage/crash_test.c: what is left when calls fail, writes are torn, and the power goes.
 *
 * The same small history is written again and again, and interrupted at each of its calls in turn. Its steps are
 * numbered, each step is one batch or one run, and each step writes its number: so whatever opens afterwards must be
 * the state after some step, and no earlier one than was promised.
 */
#include "storage/store_test.h"

#include <errno.h>

#include "support/fault_env.h"
#include "support/memory_env.h"

enum { STEPS = 60, KEYS = 40 };

typedef struct history {
    int promised; /* the last step that a synced write, or a finished run, acknowledged */
    int acknowledged;
    int begun; /* the last step that was tried */
} history;

static lode_store_options small_options(lode_env *env)
{
    lode_store_options o;
    lode_store_options_init(&o);
    o.env = env;
    o.create_if_missing = 1;
    o.write_buffer_bytes = 64 << 10;
    o.table_bytes = 64 << 10;
    o.block_bytes = 1024;
    o.compression = LODE_COMPRESSION_NONE;
    return o;
}

/* Step n sets keys (n * 7 + i * 3) % KEYS for i < 5, and deletes key n % KEYS when n % 4 is 3. */
static int keys_of_step(int *keys, int n)
{
    int count = 0;
    for (int i = 0; i < 5; i++) {
        int key = (n * 7 + i * 3) % KEYS;
        if (!(n % 4 == 3 && key == n % KEYS))
            keys[count++] = key;
    }
    return count;
}

static size_t make_value(char *value, int n, int key)
{
    size_t len = n % 10 == 5 ? 9000 : 700 + (size_t)key;
    memset(value, 'a' + n % 26, len);
    sprintf(value, "%d/%d", n, key);
    return len;
}

static int compare_ints(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* As one run, or as three that are finished together, in an order that is not the keys'. */
static lode_status run_sorted_step(lode_store *store, int n, const int *keys, int count, bool deletes)
{
    static char value[16384];
    enum { RUNS = 3 };
    lode_run *runs[RUNS] = { NULL };
    size_t run_count = n % 18 == 17 ? RUNS : 1;
    char key[16], number[16];
    lode_status s = lode_ok();
    for (size_t i = 0; i < run_count && !lode_failed(s); i++)
        s = lode_run_begin(&runs[i], store);
    if (lode_failed(s)) {
        for (size_t i = 0; i < run_count; i++)
            lode_run_abandon(runs[i]);
        return s;
    }
    /* the other failures are reported by the finish as well */
    for (int i = 0; i < count; i++) {
        lode_run *run = runs[(size_t)keys[i] * run_count / KEYS];
        if (deletes && keys[i] > n % KEYS) {
            lode_ignore(lode_run_delete(runs[(size_t)(n % KEYS) * run_count / KEYS], key,
                                        (size_t)sprintf(key, "k%02d", n % KEYS)));
            deletes = false;
            i--;
        } else {
            size_t key_len = (size_t)sprintf(key, "k%02d", keys[i]);
            lode_ignore(lode_run_put(run, key, key_len, value, make_value(value, n, keys[i])));
        }
    }
    if (deletes)
        lode_ignore(
            lode_run_delete(runs[(size_t)(n % KEYS) * run_count / KEYS], key, (size_t)sprintf(key, "k%02d", n % KEYS)));
    lode_ignore(lode_run_put(runs[run_count - 1], "n", 1, number, (size_t)sprintf(number, "%d", n)));
    lode_run *last = runs[0];
    runs[0] = runs[run_count - 1];
    runs[run_count - 1] = last;
    return lode_runs_finish(runs, run_count);
}

static lode_status run_step(lode_store *store, int n)
{
    static char value[16384];
    char key[16], number[16];
    int keys[8], count = keys_of_step(keys, n);
    bool deletes = n % 4 == 3;
    if (n % 9 == 8) {
        qsort(keys, (size_t)count, sizeof keys[0], compare_ints);
        return run_sorted_step(store, n, keys, count, deletes);
    }
    lode_batch *b = lode_batch_create();
    lode_batch_put(b, "n", 1, number, (size_t)sprintf(number, "%d", n));
    for (int i = 0; i < count; i++) {
        size_t key_len = (size_t)sprintf(key, "k%02d", keys[i]);
        lode_batch_put(b, key, key_len, value, make_value(value, n, keys[i]));
    }
    if (deletes)
        lode_batch_delete(b, key, (size_t)sprintf(key, "k%02d", n % KEYS));
    lode_status s = lode_store_write(store, b, n % 5 == 0);
    lode_batch_destroy(b);
    return s;
}

/* Until something fails, or all steps are done; the store is closed. */
static void write_history(lode_env *env, history *h, int first, int last)
{
    lode_store_options o = small_options(env);
    lode_store *store;
    if (lode_failed(lode_store_open(&store, "db", &o)))
        return;
    for (int n = first; n <= last; n++) {
        h->begun = n;
        if (lode_failed(run_step(store, n)))
            break;
        h->acknowledged = n;
        if (n % 5 == 0 || n % 9 == 8)
            h->promised = n;
        if (n % 25 == 24 && lode_failed(lode_store_flush(store)))
            break;
        if (n % 25 == 24)
            h->promised = n;
    }
    lode_ignore(lode_store_close(store)); /* tells of the failure, and closes all the same */
}

static void check_state(lode_store *store, int n)
{
    static char wanted[16384], got[16384];
    int last[KEYS], keys[8];
    for (int i = 0; i < KEYS; i++)
        last[i] = -1;
    for (int step = 1; step <= n; step++) {
        int count = keys_of_step(keys, step);
        for (int i = 0; i < count; i++)
            last[keys[i]] = step;
        if (step % 4 == 3)
            last[step % KEYS] = -1;
    }
    for (int i = 0; i < KEYS; i++) {
        char key[16];
        size_t len;
        int found;
        assert_ok(
            lode_store_get_into(store, &found, got, sizeof got, &len, key, (size_t)sprintf(key, "k%02d", i), NULL));
        assert_int_equal(found, last[i] >= 0);
        if (!found)
            continue;
        assert_int_equal(len, make_value(wanted, last[i], i));
        assert_memory_equal(got, wanted, len);
    }
}

/* The state after some step in [least, most]; returns it. */
static int check_reopened(lode_env *env, int least, int most)
{
    lode_store_options o = small_options(env);
    lode_store *store;
    char number[16] = { 0 };
    size_t len;
    int found;
    assert_ok(lode_store_open(&store, "db", &o));
    assert_ok(lode_store_get_into(store, &found, number, sizeof number - 1, &len, "n", 1, NULL));
    int n = found ? atoi(number) : 0;
    if (n < least || n > most)
        fail_msg("step %d is there, where %d to %d were allowed", n, least, most);
    check_state(store, n);
    assert_ok(lode_store_verify(store));
    assert_ok(lode_store_close(store));
    return n;
}

static void cut_power(void *memory)
{
    lode_memory_env_power_off(memory);
}

static void crash_at_each_call(lode_power_cut cut, uint64_t seed, uint64_t stride)
{
    for (uint64_t n = 0;; n += stride) {
        lode_env *memory = lode_memory_env_create(), *env = lode_fault_env_create(memory);
        history h = { 0 };
        lode_fault_env_plan(env, &(lode_fault_plan){ .calls = LODE_FAULT_CHANGES | LODE_FAULT_OPEN,
                                                     .skip = n,
                                                     .times = UINT64_MAX,
                                                     .error_number = EIO,
                                                     .hook = cut_power,
                                                     .hook_context = memory });
        write_history(env, &h, 1, STEPS);
        bool died = lode_fault_env_failed(env) > 0;
        lode_fault_env_plan(env, NULL);
        if (!died)
            lode_memory_env_power_off(memory);
        lode_memory_env_power_on(memory, cut, seed + n);
        int got = check_reopened(env, cut == LODE_KEEP_ALL ? h.acknowledged : h.promised, h.begun);
        /* and it goes on from there */
        h = (history){ got, got, got };
        write_history(env, &h, got + 1, got + 10);
        assert_int_equal(h.acknowledged, got + 10);
        lode_memory_env_power_off(memory);
        lode_memory_env_power_on(memory, cut, seed + n + 1);
        check_reopened(env, cut == LODE_KEEP_ALL ? h.acknowledged : h.promised, h.begun);
        lode_fault_env_destroy(env);
        lode_memory_env_destroy(memory);
        if (!died)
            break;
    }
}

static void power_lost_at_each_call_keeps_what_was_synced(void **state)
{
    (void)state;
    crash_at_each_call(LODE_KEEP_SYNCED, 1, 1);
}

static void power_lost_with_some_writes_kept_is_a_state_of_the_past(void **state)
{
    (void)state;
    test_random r = test_random_start("crash_test", 7);
    for (int i = 0; i < 3; i++)
        crash_at_each_call(LODE_KEEP_SOME, test_random_next(&r), 1);
}

static void a_killed_process_loses_nothing_acknowledged(void **state)
{
    (void)state;
    crash_at_each_call(LODE_KEEP_ALL, 1, 1);
}

static void each_call_may_fail_once(int error_number, size_t torn_bytes)
{
    for (uint64_t n = 0;; n++) {
        lode_env *memory = lode_memory_env_create(), *env = lode_fault_env_create(memory);
        history h = { 0 };
        lode_fault_env_plan(env, &(lode_fault_plan){ .calls = LODE_FAULT_ALL,
                                                     .skip = n,
                                                     .times = 1,
                                                     .error_number = error_number,
                                                     .torn_bytes = torn_bytes });
        write_history(env, &h, 1, STEPS);
        bool failed = lode_fault_env_failed(env) > 0;
        lode_fault_env_plan(env, NULL);
        check_reopened(env, h.acknowledged, h.begun);
        lode_fault_env_destroy(env);
        lode_memory_env_destroy(memory);
        if (!failed)
            break;
    }
}

static void a_failed_call_loses_nothing_acknowledged(void **state)
{
    (void)state;
    each_call_may_fail_once(EIO, 0);
    each_call_may_fail_once(ENOSPC, 100);
    each_call_may_fail_once(EMFILE, 0);
}

static void a_full_disk_stops_writes_until_there_is_room(void **state)
{
    (void)state;
    for (uint64_t capacity = 2000; capacity < 700000; capacity += capacity / 7) {
        lode_env *memory = lode_memory_env_create();
        history h = { 0 };
        lode_memory_env_set_capacity(memory, capacity);
        write_history(memory, &h, 1, STEPS);
        lode_memory_env_set_capacity(memory, UINT64_MAX);
        int n = check_reopened(memory, h.acknowledged, h.begun);
        history more = { n, n, n };
        write_history(memory, &more, n + 1, n + 5);
        assert_int_equal(more.acknowledged, n + 5);
        lode_memory_env_destroy(memory);
    }
}

static void no_write_is_taken_after_a_failed_one(void **state)
{
    lode_env *memory = lode_memory_env_create(), *env = lode_fault_env_create(memory);
    lode_store_options o = small_options(env);
    lode_store *store;
    (void)state;
    assert_ok(lode_store_open(&store, "db", &o));
    assert_ok(lode_store_put(store, "a", 1, "1", 1, 1));
    lode_fault_env_plan(
        env,
        &(lode_fault_plan){
            .calls = LODE_FAULT_PWRITE, .path_contains = ".log", .times = 1, .error_number = ENOSPC, .torn_bytes = 5 });
    assert_code(LODE_NO_SPACE, lode_store_put(store, "b", 1, "2", 1, 0));
    assert_code(LODE_NO_SPACE, lode_store_put(store, "c", 1, "3", 1, 0));
    char value[4];
    size_t len;
    int found;
    assert_ok(lode_store_get_into(store, &found, value, sizeof value, &len, "a", 1, NULL));
    assert_true(found);
    assert_code(LODE_NO_SPACE, lode_store_close(store));
    assert_ok(lode_store_open(&store, "db", &o));
    assert_ok(lode_store_get_into(store, &found, value, sizeof value, &len, "a", 1, NULL));
    assert_true(found);
    assert_ok(lode_store_get_into(store, &found, value, sizeof value, &len, "c", 1, NULL));
    assert_false(found);
    assert_ok(lode_store_put(store, "c", 1, "3", 1, 0));
    assert_ok(lode_store_close(store));
    lode_fault_env_destroy(env);
    lode_memory_env_destroy(memory);
}

/* ---- files that are cut or changed at one place ---- */

typedef struct newest {
    const char *contains;
    char path[64];
    uint64_t bytes;
    lode_env *env;
} newest;

static lode_status note_newest(void *context, const char *name)
{
    newest *x = context;
    char path[64];
    lode_file_info info;
    bool exists;
    snprintf(path, sizeof path, "db/%s", name);
    if (strstr(name, x->contains) && !lode_failed(x->env->path_info(x->env, &exists, &info, path)) &&
        info.size_bytes >= x->bytes) {
        snprintf(x->path, sizeof x->path, "%s", path);
        x->bytes = info.size_bytes;
    }
    return lode_ok();
}

/* A store with a manifest of several records and a log of several blocks, closed. */
static void make_store(lode_env *env, history *h)
{
    *h = (history){ 0 };
    write_history(env, h, 1, 20);
    assert_int_equal(h->acknowledged, 20);
}

static void a_log_cut_anywhere_gives_a_state_of_the_past(void **state)
{
    (void)state;
    for (uint64_t cut = 1; cut <= 100; cut++) {
        lode_env *env = lode_memory_env_create();
        history h;
        newest x = { ".log", "", 0, env };
        lode_file *file;
        make_store(env, &h);
        assert_ok(env->list(env, "db", note_newest, &x));
        assert_true(x.bytes > 100);
        assert_ok(env->open(env, &file, x.path, LODE_OPEN_WRITE));
        assert_ok(env->truncate(env, file, x.bytes - cut));
        env->close(env, file);
        check_reopened(env, 0, 19);
        history more = { 0 };
        write_history(env, &more, 20, 25); /* nothing is appended behind the torn place */
        assert_int_equal(more.acknowledged, 25);
        lode_memory_env_destroy(env);
    }
}

static void a_manifest_cut_anywhere_opens_or_names_what_is_missing(void **state)
{
    (void)state;
    for (uint64_t cut = 1; cut <= 100; cut++) {
        lode_env *env = lode_memory_env_create();
        lode_store_options o = small_options(env);
        history h;
        newest x = { "MANIFEST", "", 0, env };
        lode_file *file;
        lode_store *store;
        make_store(env, &h);
        assert_ok(env->list(env, "db", note_newest, &x));
        assert_ok(env->open(env, &file, x.path, LODE_OPEN_WRITE));
        assert_ok(env->truncate(env, file, x.bytes > cut ? x.bytes - cut : 0));
        env->close(env, file);
        lode_status s = lode_store_open(&store, "db", &o);
        if (lode_failed(s))
            assert_int_equal(s.code, LODE_CORRUPT);
        else
            assert_ok(lode_store_close(store));
        lode_memory_env_destroy(env);
    }
}

static void copy_tree(lode_env *to, lode_env *from, const char *name)
{
    char path[64];
    lode_buf bytes = LODE_BUF_EMPTY;
    snprintf(path, sizeof path, "db/%s", name);
    assert_ok(lode_env_read_file(from, &bytes, path, 1 << 24));
    assert_ok(lode_env_write_file_atomically(to, path, bytes.data, bytes.len));
    lode_buf_clear(&bytes);
}

typedef struct copying {
    lode_env *to, *from;
} copying;

static lode_status copy_one(void *context, const char *name)
{
    copying *c = context;
    copy_tree(c->to, c->from, name);
    return lode_ok();
}

static void flip_every_byte(const char *contains, uint64_t stride, bool tail_may_go)
{
    lode_env *original = lode_memory_env_create();
    history h;
    newest x = { contains, "", 0, original };
    make_store(original, &h);
    assert_ok(original->list(original, "db", note_newest, &x));
    for (uint64_t at = 0; at < x.bytes; at += stride) {
        lode_env *env = lode_memory_env_create();
        lode_store_options o = small_options(env);
        lode_store *store;
        copying c = { env, original };
        lode_file *file;
        uint8_t byte;
        size_t got;
        assert_ok(lode_env_make_path(env, "db"));
        assert_ok(original->list(original, "db", copy_one, &c));
        assert_ok(env->open(env, &file, x.path, LODE_OPEN_READ | LODE_OPEN_WRITE));
        assert_ok(env->pread(env, file, &got, &byte, 1, at));
        byte ^= (uint8_t)(1u << at % 8);
        assert_ok(env->pwrite(env, file, &byte, 1, at));
        env->close(env, file);
        lode_status s = lode_store_open(&store, "db", &o);
        if (!lode_failed(s)) {
            char number[16] = { 0 };
            size_t len;
            int found;
            s = lode_store_get_into(store, &found, number, sizeof number - 1, &len, "n", 1, NULL);
            if (!lode_failed(s) && found && !lode_failed(lode_store_verify(store))) {
                if (!tail_may_go)
                    assert_int_equal(atoi(number), h.acknowledged);
                check_state(store, atoi(number));
            }
            lode_ignore(lode_store_close(store)); /* a compaction may have met the damage */
        } else {
            assert_true(s.code == LODE_CORRUPT || s.code == LODE_UNSUPPORTED || s.code == LODE_INVALID_ARGUMENT);
            assert_true(strlen(s.text) > 0);
        }
        lode_memory_env_destroy(env);
    }
    lode_memory_env_destroy(original);
}

static void a_flipped_byte_is_damage_or_harmless(void **state)
{
    (void)state;
    flip_every_byte("MANIFEST", 1, true);
    flip_every_byte("CURRENT", 1, false);
    flip_every_byte(".log", 37, true);
    flip_every_byte(".ldb", 41, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_write_is_taken_after_a_failed_one),
        cmocka_unit_test(power_lost_at_each_call_keeps_what_was_synced),
        cmocka_unit_test(power_lost_with_some_writes_kept_is_a_state_of_the_past),
        cmocka_unit_test(a_killed_process_loses_nothing_acknowledged),
        cmocka_unit_test(a_failed_call_loses_nothing_acknowledged),
        cmocka_unit_test(a_full_disk_stops_writes_until_there_is_room),
        cmocka_unit_test(a_log_cut_anywhere_gives_a_state_of_the_past),
        cmocka_unit_test(a_manifest_cut_anywhere_opens_or_names_what_is_missing),
        cmocka_unit_test(a_flipped_byte_is_damage_or_harmless),
    };
    return cmocka_run_group_tests_name("crash", tests, NULL, NULL);
}
