/* test/storage/model_test.c: a store beside a sorted array, driven by the same random steps.
 *
 * After every step the touched keys agree; after some, everything does: point reads, scans both ways, bounds,
 * snapshots, and the same again after closing and opening. LODE_TEST_SEED and LODE_TEST_STEPS change the walk.
 */
#include "storage/store_test.h"

#include "support/memory_env.h"

enum { KEYS = 500, SNAPSHOTS = 3, ITERATORS = 2 };

typedef struct model_value {
    bool present;
    uint32_t seed; /* of the value's bytes */
    uint32_t len;
} model_value;

typedef struct model {
    model_value values[KEYS];
} model;

typedef struct walk {
    test_random random;
    lode_env *env;
    lode_store *store;
    lode_store_options options;
    model now;
    struct {
        lode_snapshot *snapshot;
        model then;
    } snapshots[SNAPSHOTS];
    struct {
        lode_iterator *it;
        model then;
        int at; /* the key that it stands on, -1: none */
    } iterators[ITERATORS];
} walk;

/* Keys of several lengths, some a beginning of others, that sort as their indexes do. */
static size_t make_key(char *key, int index)
{
    return (size_t)sprintf(key, index % 3 ? "k%04d" : "k%04d-and-more-of-it", index);
}

static size_t make_value(uint8_t *value, const model_value *v)
{
    for (uint32_t i = 0; i < v->len; i++)
        value[i] = (uint8_t)(v->seed >> (i % 4 * 8) ^ (i / 64));
    return v->len;
}

static model_value random_value(walk *w)
{
    uint32_t most = test_random_below(&w->random, 50) ? 120 : 6000;
    return (model_value){ true, (uint32_t)test_random_next(&w->random), (uint32_t)test_random_below(&w->random, most) };
}

static void check_value(const model_value *wanted, bool found, const void *value, size_t len)
{
    static uint8_t bytes[8192];
    assert_int_equal(found, wanted->present);
    if (!found)
        return;
    assert_int_equal(len, make_value(bytes, wanted));
    if (len)
        assert_memory_equal(value, bytes, len);
}

static void check_key(walk *w, const model *m, int index, const lode_snapshot *snapshot)
{
    char key[64];
    size_t key_len = make_key(key, index), len;
    int found;
    if (index % 2) {
        void *value = NULL;
        assert_ok(lode_store_get(w->store, &found, &value, &len, key, key_len, snapshot));
        check_value(&m->values[index], found, value, len);
        lode_store_free(value);
    } else {
        static uint8_t buffer[8192];
        assert_ok(lode_store_get_into(w->store, &found, buffer, sizeof buffer, &len, key, key_len, snapshot));
        check_value(&m->values[index], found, buffer, len);
    }
}

static int next_present(const model *m, int index)
{
    while (index < KEYS && !m->values[index].present)
        index++;
    return index < KEYS ? index : -1;
}

static int last_present(const model *m, int index)
{
    while (index >= 0 && !m->values[index].present)
        index--;
    return index;
}

static void check_position(const lode_iterator *it, const model *m, int index)
{
    char key[64];
    assert_ok(lode_iterator_status(it));
    assert_int_equal(lode_iterator_is_valid(it), index >= 0);
    if (index < 0)
        return;
    lode_bytes k = lode_iterator_key(it), v = lode_iterator_value(it);
    size_t len = make_key(key, index);
    assert_int_equal(k.len, len);
    assert_memory_equal(k.data, key, len);
    check_value(&m->values[index], true, v.data, v.len);
}

static void check_scan(walk *w, const model *m, const lode_snapshot *snapshot, bool bounded)
{
    lode_iterator_options options;
    lode_iterator *it;
    char low_key[64], high_key[64];
    int low = 0, high = KEYS;
    lode_iterator_options_init(&options);
    options.snapshot = snapshot;
    if (bounded) {
        low = (int)test_random_below(&w->random, KEYS);
        high = low + (int)test_random_below(&w->random, (uint64_t)(KEYS - low));
        options.lower = (lode_bytes){ low_key, make_key(low_key, low) };
        options.upper = (lode_bytes){ high_key, make_key(high_key, high) };
    }
    assert_ok(lode_iterator_create(&it, w->store, &options));
    int at = next_present(m, low);
    for (lode_iterator_seek_first(it);; lode_iterator_next(it)) {
        if (at >= high)
            at = -1;
        check_position(it, m, at);
        if (at < 0)
            break;
        at = next_present(m, at + 1);
    }
    at = last_present(m, high - 1);
    for (lode_iterator_seek_last(it);; lode_iterator_prev(it)) {
        if (at < low)
            at = -1;
        check_position(it, m, at);
        if (at < 0)
            break;
        at = last_present(m, at - 1);
    }
    lode_iterator_destroy(it);
}

typedef struct multi {
    walk *w;
    const int *indexes;
    const model *m;
    int seen;
} multi;

static void visit_multi(void *context, size_t position, lode_bytes value)
{
    multi *x = context;
    check_value(&x->m->values[x->indexes[position]], true, value.data, value.len);
    x->seen++;
}

static void check_multi_get(walk *w, const model *m, const lode_snapshot *snapshot)
{
    enum { COUNT = 40 };
    static char keys[COUNT][64];
    lode_bytes wanted[COUNT];
    int indexes[COUNT], present = 0;
    for (int i = 0; i < COUNT; i++) {
        indexes[i] = (int)test_random_below(&w->random, KEYS);
        wanted[i] = (lode_bytes){ keys[i], make_key(keys[i], indexes[i]) };
        present += m->values[indexes[i]].present;
    }
    multi x = { w, indexes, m, 0 };
    assert_ok(lode_store_multi_get(w->store, wanted, COUNT, snapshot, &x, visit_multi));
    assert_int_equal(x.seen, present);
}

static void check_everything(walk *w)
{
    for (int i = 0; i < KEYS; i++)
        check_key(w, &w->now, i, NULL);
    check_scan(w, &w->now, NULL, false);
    check_scan(w, &w->now, NULL, true);
    check_multi_get(w, &w->now, NULL);
    for (int s = 0; s < SNAPSHOTS; s++)
        if (w->snapshots[s].snapshot) {
            check_scan(w, &w->snapshots[s].then, w->snapshots[s].snapshot, false);
            check_multi_get(w, &w->snapshots[s].then, w->snapshots[s].snapshot);
            for (int i = 0; i < 20; i++)
                check_key(w, &w->snapshots[s].then, (int)test_random_below(&w->random, KEYS), w->snapshots[s].snapshot);
        }
}

static void write_batch(walk *w, int count)
{
    static uint8_t value[8192];
    char key[64];
    lode_batch *b = lode_batch_create(), *second = lode_batch_create();
    for (int i = 0; i < count; i++) {
        int index = (int)test_random_below(&w->random, KEYS);
        model_value v = random_value(w);
        v.present = test_random_below(&w->random, 4) != 0;
        w->now.values[index] = v;
        if (v.present)
            lode_batch_put(i % 7 ? b : b, key, make_key(key, index), value, make_value(value, &v));
        else
            lode_batch_delete(b, key, make_key(key, index));
    }
    lode_batch_append(second, b);
    assert_int_equal(lode_batch_count(second), count);
    assert_ok(lode_store_write(w->store, second, test_random_below(&w->random, 4) == 0));
    lode_batch_destroy(b);
    lode_batch_destroy(second);
}

static void write_run(walk *w)
{
    static uint8_t value[8192];
    char key[64];
    lode_run *run;
    bool abandoned = test_random_below(&w->random, 4) == 0, interrupted = test_random_below(&w->random, 2);
    model then = w->now;
    int low = (int)test_random_below(&w->random, KEYS), step = 1 + (int)test_random_below(&w->random, 5);
    assert_ok(lode_run_begin(&run, w->store));
    for (int index = low; index < KEYS; index += step) {
        model_value v = random_value(w);
        v.present = test_random_below(&w->random, 5) != 0;
        then.values[index] = v;
        if (v.present)
            assert_ok(lode_run_put(run, key, make_key(key, index), value, make_value(value, &v)));
        else
            assert_ok(lode_run_delete(run, key, make_key(key, index)));
        if (interrupted && test_random_below(&w->random, 40) == 0) { /* what is written during the run is older */
            int other = (int)test_random_below(&w->random, KEYS);
            model_value o = random_value(w);
            assert_ok(lode_store_put(w->store, key, make_key(key, other), value, make_value(value, &o), 0));
            w->now.values[other] = o;
            if (other < low || (other - low) % step || other > index)
                then.values[other] = o;
        }
    }
    if (abandoned) {
        lode_run_abandon(run);
        return;
    }
    assert_ok(lode_run_finish(run));
    w->now = then;
}

static void move_iterator(walk *w, int i)
{
    char key[64];
    lode_iterator *it = w->iterators[i].it;
    const model *m = &w->iterators[i].then;
    int at = w->iterators[i].at, index = (int)test_random_below(&w->random, KEYS);
    size_t len = make_key(key, index);
    switch (test_random_below(&w->random, 8)) {
    case 0:
        lode_iterator_seek(it, key, len);
        at = next_present(m, index);
        break;
    case 1:
        lode_iterator_seek_for_prev(it, key, len);
        at = last_present(m, index);
        break;
    case 2:
        lode_iterator_seek_first(it);
        at = next_present(m, 0);
        break;
    case 3:
        lode_iterator_seek_last(it);
        at = last_present(m, KEYS - 1);
        break;
    case 4:
    case 5:
        if (at >= 0) {
            lode_iterator_next(it);
            at = next_present(m, at + 1);
        }
        break;
    default:
        if (at >= 0) {
            lode_iterator_prev(it);
            at = last_present(m, at - 1);
        }
    }
    check_position(it, m, at);
    w->iterators[i].at = at;
}

static void use_iterator(walk *w)
{
    int i = (int)test_random_below(&w->random, ITERATORS);
    if (!w->iterators[i].it) {
        assert_ok(lode_iterator_create(&w->iterators[i].it, w->store, NULL));
        w->iterators[i].then = w->now;
        w->iterators[i].at = -1;
    } else if (test_random_below(&w->random, 20) == 0) {
        lode_iterator_destroy(w->iterators[i].it);
        w->iterators[i].it = NULL;
        return;
    }
    for (int n = 0; n < 10; n++)
        move_iterator(w, i);
}

static void use_snapshot(walk *w)
{
    int s = (int)test_random_below(&w->random, SNAPSHOTS);
    if (w->snapshots[s].snapshot) {
        check_scan(w, &w->snapshots[s].then, w->snapshots[s].snapshot, false);
        lode_snapshot_release(w->store, w->snapshots[s].snapshot);
        w->snapshots[s].snapshot = NULL;
    } else {
        assert_ok(lode_snapshot_take(&w->snapshots[s].snapshot, w->store));
        w->snapshots[s].then = w->now;
    }
}

static void drop_children(walk *w)
{
    for (int i = 0; i < ITERATORS; i++) {
        lode_iterator_destroy(w->iterators[i].it);
        w->iterators[i].it = NULL;
    }
    for (int s = 0; s < SNAPSHOTS; s++) {
        lode_snapshot_release(w->store, w->snapshots[s].snapshot);
        w->snapshots[s].snapshot = NULL;
    }
}

static void reopen(walk *w)
{
    drop_children(w);
    assert_ok(lode_store_close(w->store));
    w->options.compression = test_random_below(&w->random, 2) ? LODE_COMPRESSION_SNAPPY : LODE_COMPRESSION_NONE;
    w->options.bloom_bits_per_key = test_random_below(&w->random, 3) ? 10 : 0;
    w->options.block_restart_interval = 1 + (int)test_random_below(&w->random, 16);
    w->options.cache_bytes = test_random_below(&w->random, 2) ? 1 << 20 : 0;
    w->options.background_threads = 1 + (int)test_random_below(&w->random, 3);
    if (test_random_below(&w->random, 4) == 0) {
        w->options.read_only = 1;
        assert_ok(lode_store_open(&w->store, "db", &w->options));
        check_everything(w);
        assert_ok(lode_store_close(w->store));
        w->options.read_only = 0;
    }
    assert_ok(lode_store_open(&w->store, "db", &w->options));
}

static void take_step(walk *w)
{
    static uint8_t value[8192];
    char key[64];
    uint64_t choice = test_random_below(&w->random, 1000);
    int index = (int)test_random_below(&w->random, KEYS);
    if (choice < 500) {
        model_value v = random_value(w);
        assert_ok(lode_store_put(w->store, key, make_key(key, index), value, make_value(value, &v), choice < 20));
        w->now.values[index] = v;
    } else if (choice < 650) {
        assert_ok(lode_store_delete(w->store, key, make_key(key, index), choice < 510));
        w->now.values[index].present = false;
    } else if (choice < 800) {
        write_batch(w, 1 + (int)test_random_below(&w->random, 60));
    } else if (choice < 830) {
        write_run(w);
    } else if (choice < 900) {
        use_iterator(w);
    } else if (choice < 930) {
        use_snapshot(w);
    } else if (choice < 940) {
        assert_ok(lode_store_flush(w->store));
    } else if (choice < 944) {
        assert_ok(lode_store_compact_range(w->store, NULL, 0, NULL, 0));
    } else if (choice < 950) {
        char end[64];
        size_t len = make_key(key, index), end_len = make_key(end, index + (KEYS - index) / 2);
        assert_ok(lode_store_compact_range(w->store, key, len, end, end_len));
    } else if (choice < 958) {
        reopen(w);
    } else if (choice < 965) {
        check_everything(w);
    }
    check_key(w, &w->now, index, NULL);
}

static void random_steps_agree_with_a_sorted_array(void **state)
{
    walk *w = calloc(1, sizeof *w);
    (void)state;
    w->random = test_random_start("model_test", 1);
    w->env = lode_memory_env_create();
    lode_store_options_init(&w->options);
    w->options.env = w->env;
    w->options.create_if_missing = 1;
    w->options.write_buffer_bytes = 64 << 10;
    w->options.table_bytes = 64 << 10;
    w->options.block_bytes = 512;
    w->options.background_threads = 2;
    assert_ok(lode_store_open(&w->store, "db", &w->options));
    for (uint64_t n = test_steps(20000); n; n--)
        take_step(w);
    check_everything(w);
    reopen(w);
    check_everything(w);
    drop_children(w);
    assert_ok(lode_store_close(w->store));
    lode_memory_env_destroy(w->env);
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_steps_agree_with_a_sorted_array) };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
