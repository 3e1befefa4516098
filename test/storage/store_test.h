/* test/storage/store_test.h: what the store's tests have in common: cmocka, temporary directories, a random source. */
#ifndef LODE_TEST_STORE_TEST_H
#define LODE_TEST_STORE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lode/store.h"
#include "support/bytes.h"
#include "support/env.h"

#define assert_ok(call)                                                                                                \
    do {                                                                                                               \
        lode_status assert_ok_status_ = (call);                                                                        \
        if (lode_failed(assert_ok_status_))                                                                            \
            fail_msg("%s: %s", #call, assert_ok_status_.text);                                                         \
    } while (0)

#define assert_code(wanted, call)                                                                                      \
    do {                                                                                                               \
        lode_status assert_code_status_ = (call);                                                                      \
        if (assert_code_status_.code != (wanted))                                                                      \
            fail_msg("%s: code %d, not %d: %s", #call, assert_code_status_.code, (int)(wanted),                        \
                     assert_code_status_.text);                                                                        \
    } while (0)

/* An empty directory of the system's, given: temporary_directory_remove. */
static inline char *temporary_directory(void)
{
    const char *base = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/lode-test-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(path))
        fail_msg("%s: no temporary directory", path);
    return strdup(path);
}

static inline void temporary_directory_remove(char *path)
{
    lode_ignore(lode_env_remove_tree(lode_env_system(), path)); /* what stays is in /tmp */
    free(path);
}

typedef struct test_random {
    uint64_t state;
} test_random;

static inline uint64_t test_random_next(test_random *r)
{
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}
static inline uint64_t test_random_below(test_random *r, uint64_t limit)
{
    return test_random_next(r) % limit;
}

/* $LODE_TEST_SEED, or the fixed one; printed, so that a failure can be had again. */
static inline test_random test_random_start(const char *test, uint64_t fixed)
{
    const char *given = getenv("LODE_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : fixed;
    printf("%s: LODE_TEST_SEED=%llu\n", test, (unsigned long long)seed);
    return (test_random){ seed };
}

/* $LODE_TEST_STEPS, or so many. */
static inline uint64_t test_steps(uint64_t usual)
{
    const char *given = getenv("LODE_TEST_STEPS");
    return given ? strtoull(given, NULL, 0) : usual;
}

#endif
