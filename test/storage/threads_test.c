/* test/storage/threads_test.c: many threads on one store, for ThreadSanitizer and for the promises of group commit.
 *
 * Each writer owns keys of its own and counts up in them; a batch sets two keys to the same count. Readers must never
 * see the two apart at one snapshot, nor a count go back.
 */
#include "storage/store_test.h"

#include <pthread.h>
#include <stdatomic.h>

#include "support/memory_env.h"

enum { WRITERS = 3, READERS = 2, LAST_COUNT = 4000 };

typedef struct shared {
    lode_store *store;
    atomic_int running;
    atomic_int acknowledged[WRITERS];
} shared;

typedef struct worker {
    shared *s;
    int id;
    pthread_t thread;
} worker;

#define must(call)                                                                                                     \
    do {                                                                                                               \
        lode_status must_status_ = (call);                                                                             \
        if (lode_failed(must_status_)) {                                                                               \
            fprintf(stderr, "%s: %s\n", #call, must_status_.text);                                                     \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static void give_up(const char *what, int a, int b)
{
    fprintf(stderr, "%s: %d, %d\n", what, a, b);
    abort();
}

static void *write_counts(void *context)
{
    worker *w = context;
    char a[16], b[16], filler[300];
    size_t a_len = (size_t)sprintf(a, "a%d", w->id), b_len = (size_t)sprintf(b, "z%d", w->id);
    memset(filler, 'f', sizeof filler);
    for (int n = 1; n <= LAST_COUNT; n++) {
        if (n % 200 == 0) {
            lode_run *run;
            must(lode_run_begin(&run, w->s->store));
            must(lode_run_put(run, a, a_len, &n, sizeof n));
            for (int i = 0; i < 50; i++) {
                char key[32];
                size_t len = (size_t)sprintf(key, "m%d-%05d-%02d", w->id, n, i);
                must(lode_run_put(run, key, len, filler, sizeof filler));
            }
            must(lode_run_put(run, b, b_len, &n, sizeof n));
            must(lode_run_finish(run));
        } else {
            char key[32];
            lode_batch *batch = lode_batch_create();
            lode_batch_put(batch, a, a_len, &n, sizeof n);
            lode_batch_put(batch, b, b_len, &n, sizeof n);
            lode_batch_put(batch, key, (size_t)sprintf(key, "m%d-%05d", w->id, n), filler, sizeof filler);
            must(lode_store_write(w->s->store, batch, n % 100 == 0));
            lode_batch_destroy(batch);
        }
        atomic_store(&w->s->acknowledged[w->id], n);
    }
    atomic_fetch_sub(&w->s->running, 1);
    return NULL;
}

static int read_count(lode_store *store, char letter, int id, const lode_snapshot *snapshot)
{
    char key[16];
    int n = 0, found;
    size_t len;
    must(lode_store_get_into(store, &found, &n, sizeof n, &len, key, (size_t)sprintf(key, "%c%d", letter, id),
                             snapshot));
    return found ? n : 0;
}

static void *read_counts(void *context)
{
    worker *w = context;
    lode_store *store = w->s->store;
    int last[WRITERS] = { 0 };
    for (int round = 0; atomic_load(&w->s->running) > 0; round++) {
        for (int i = 0; i < WRITERS; i++) {
            int least = atomic_load(&w->s->acknowledged[i]), n = read_count(store, 'a', i, NULL);
            if (n < least || n < last[i])
                give_up("a count went back", n, least < last[i] ? last[i] : least);
            last[i] = n;
        }
        lode_snapshot *snapshot;
        must(lode_snapshot_take(&snapshot, store));
        for (int i = 0; i < WRITERS; i++)
            if (read_count(store, 'a', i, snapshot) != read_count(store, 'z', i, snapshot))
                give_up("a batch came apart", read_count(store, 'a', i, snapshot), read_count(store, 'z', i, snapshot));
        if (round % 10 == 0) {
            lode_iterator *it;
            lode_iterator_options o;
            int seen[WRITERS] = { 0 };
            lode_iterator_options_init(&o);
            o.snapshot = round % 20 ? snapshot : NULL;
            must(lode_iterator_create(&it, store, &o));
            for (lode_iterator_seek_first(it); lode_iterator_is_valid(it); lode_iterator_next(it)) {
                const char *key = lode_iterator_key(it).data;
                int n;
                if (key[0] == 'm')
                    continue;
                memcpy(&n, lode_iterator_value(it).data, sizeof n);
                if (key[0] == 'a')
                    seen[key[1] - '0'] = n;
                else if (seen[key[1] - '0'] != n)
                    give_up("a batch came apart in a scan", seen[key[1] - '0'], n);
            }
            must(lode_iterator_status(it));
            lode_iterator_destroy(it);
        }
        lode_snapshot_release(store, snapshot);
    }
    return NULL;
}

static void *do_upkeep(void *context)
{
    worker *w = context;
    for (int round = 0; atomic_load(&w->s->running) > 0; round++) {
        must(lode_store_flush(w->s->store));
        if (round % 4 == 0)
            must(lode_store_compact_range(w->s->store, "m", 1, "n", 1));
        if (round % 7 == 0)
            must(lode_store_verify(w->s->store));
        lode_store_free(lode_store_property(w->s->store, "leveldb.stats"));
        lode_store_free(lode_store_property(w->s->store, "leveldb.sstables"));
        usleep(5000);
    }
    return NULL;
}

static void threads_see_batches_whole_and_in_order(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_store_options o;
    shared s = { 0 };
    worker workers[WRITERS + READERS + 1];
    (void)state;
    lode_store_options_init(&o);
    o.env = env;
    o.create_if_missing = 1;
    o.write_buffer_bytes = 64 << 10;
    o.table_bytes = 64 << 10;
    o.background_threads = 3;
    o.max_open_files = 20;
    o.cache_bytes = 256 << 10;
    assert_ok(lode_store_open(&s.store, "db", &o));
    atomic_store(&s.running, WRITERS);
    for (int i = 0; i < WRITERS + READERS + 1; i++) {
        workers[i] = (worker){ &s, i, 0 };
        void *(*run)(void *) = i < WRITERS ? write_counts : i < WRITERS + READERS ? read_counts : do_upkeep;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, run, &workers[i]), 0);
    }
    for (int i = 0; i < WRITERS + READERS + 1; i++)
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(read_count(s.store, 'z', i, NULL), LAST_COUNT);
    assert_ok(lode_store_verify(s.store));
    assert_ok(lode_store_close(s.store));
    lode_memory_env_destroy(env);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(threads_see_batches_whole_and_in_order) };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
