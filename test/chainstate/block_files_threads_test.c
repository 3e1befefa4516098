/* test/chainstate/block_files_threads_test.c: block and undo files with readers beside appends, and few descriptors. */
#include "block_files_helpers.h"

#include <pthread.h>
#include <sys/resource.h>

#define SHARED 400

typedef struct shared {
    room r;
    record blocks[SHARED];
    uint32_t ready; /* atomic: publishes blocks[0, ready) */
} shared;

static char wrong_block[] = "a block is wrong", failed_sync[] = "a sync failed";

static void *read_along(void *context)
{
    shared *s = context;
    lode_buf buf = LODE_BUF_EMPTY;
    uint64_t x = 1;
    uint32_t ready;

    do {
        ready = __atomic_load_n(&s->ready, __ATOMIC_ACQUIRE);
        for (int i = 0; ready > 0 && i < 20; i++) {
            x = x * UINT64_C(6364136223846793005) + 1;
            const record *rec = &s->blocks[i < 5 ? ready - 1 : (uint32_t)(x >> 33) % ready];
            uint8_t *bytes = make_bytes(rec->which, rec->len);
            if (lode_failed(lode_block_files_read_block(s->r.files, &buf, rec->file, rec->pos)) ||
                buf.len != rec->len || memcmp(buf.data, bytes, rec->len) != 0) {
                free(bytes);
                lode_buf_clear(&buf);
                return wrong_block;
            }
            free(bytes);
        }
    } while (ready < SHARED);
    lode_buf_clear(&buf);
    return NULL;
}

static void *sync_along(void *context)
{
    shared *s = context;

    while (__atomic_load_n(&s->ready, __ATOMIC_ACQUIRE) < SHARED) {
        if (lode_failed(lode_block_files_sync(s->r.files)))
            return failed_sync;
    }
    return NULL;
}

static void readers_and_a_sync_run_beside_appends(void **state)
{
    static shared s;
    lode_env *memory = lode_memory_env_create();
    pthread_t threads[3];

    s.r = begin(memory, "/b", true);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, i < 2 ? read_along : sync_along, &s), 0);
    for (uint32_t i = 0; i < SHARED; i++) {
        assert_ok(append(&s.r, &s.blocks[i], i, 80 + i * 7919 % 60000));
        __atomic_store_n(&s.ready, i + 1, __ATOMIC_RELEASE);
    }
    for (int i = 0; i < 3; i++) {
        void *wrong;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        if (wrong)
            fail_msg("%s", (char *)wrong);
    }
    end(&s.r);
    lode_memory_env_destroy(memory);
}

static void a_hundred_files_need_few_descriptors(void **state)
{
    char *path = test_directory_make();
    struct rlimit before, few = { 64, 64 };
    record blocks[100], undos[100];

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few.rlim_max = before.rlim_max;
    room r = begin(lode_env_system(), path, false);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    for (uint32_t i = 0; i < 100; i++) {
        lode_block_index_file(r.index, (int32_t)i);
        assert_ok(append(&r, &blocks[i], i, 1000));
        assert_ok(append_undo(&r, &undos[i], (int32_t)i, i, 1000));
    }
    assert_ok(lode_block_files_sync(r.files));
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t i = 0; i < 100; i++) {
            assert_int_equal(blocks[i].file, i);
            assert_block(&r, &blocks[i]);
            assert_undo(&r, &undos[i]);
        }
    }
    end(&r);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    test_directory_remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_and_a_sync_run_beside_appends),
        cmocka_unit_test(a_hundred_files_need_few_descriptors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
