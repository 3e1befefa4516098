/* Writes that may go past the page cache: the file is the same as by ordinary ones, wherever they begin and end. */
#include "test/support/env_calls.h"

enum { MOST = 2 * LODE_DIRECT_LEAST + 3 * LODE_DIRECT_ALIGN, FILE_BYTES = MOST + LODE_DIRECT_ALIGN };

static char root[64];
static uint8_t expected[FILE_BYTES], *memory;

/* `len` bytes at `offset`, from memory that lies `skew` beside the place a direct write needs. */
static void write_and_read(size_t offset, size_t len, size_t skew)
{
    lode_env *env = lode_env_system();
    char path[128];
    lode_file *f;
    uint8_t *data = memory + (offset + skew) % LODE_DIRECT_ALIGN, *got = malloc(FILE_BYTES);
    size_t n;

    assert_non_null(got);
    snprintf(path, sizeof path, "%s/file", root);
    memset(expected, 0x55, sizeof expected);
    ok(env->open(env, &f, path, MAKE | LODE_OPEN_TRUNCATE | LODE_OPEN_DIRECT));
    ok(env->pwrite(env, f, expected, offset + 10, 0)); /* what lies before stays, what is written over goes */
    for (size_t i = 0; i < len; i++)
        data[i] = expected[offset + i] = (uint8_t)(i * 2654435761u >> 13);
    ok(env->pwrite(env, f, data, len, offset));
    ok(env->pread(env, f, &n, got, FILE_BYTES, 0));
    assert_int_equal(n, offset + len);
    assert_memory_equal(got, expected, n);
    ok(env->sync(env, f));
    env->close(env, f);
    ok(env->remove(env, path));
    free(got);
}

static void direct_writes_are_writes(void **state)
{
    static const size_t offsets[] = { 0, 1, 511, 512, 4095, 4096 },
                        lengths[] = { LODE_DIRECT_LEAST - 1, LODE_DIRECT_LEAST, LODE_DIRECT_LEAST + 1,
                                      LODE_DIRECT_LEAST + 4095, 2 * LODE_DIRECT_LEAST + 5000 };

    for (size_t o = 0; o < sizeof offsets / sizeof offsets[0]; o++)
        for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
            write_and_read(offsets[o], lengths[l], 0);
            write_and_read(offsets[o], lengths[l], 8);
        }
}

static int set_up(void **state)
{
    snprintf(root, sizeof root, "/tmp/lode-direct-test-XXXXXX");
    memory = aligned_alloc(LODE_DIRECT_ALIGN, FILE_BYTES);
    return !memory || !mkdtemp(root);
}

static int tear_down(void **state)
{
    free(memory);
    return rmdir(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(direct_writes_are_writes) };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
