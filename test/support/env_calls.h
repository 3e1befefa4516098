/* test/support/env_calls.h: what the tests of lode_env have in common: cmocka, and short words for frequent steps. */
#ifndef LODE_TEST_ENV_CALLS_H
#define LODE_TEST_ENV_CALLS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/bytes.h"
#include "support/env.h"

#define READ_WRITE (LODE_OPEN_READ | LODE_OPEN_WRITE)
#define MAKE (READ_WRITE | LODE_OPEN_CREATE)

static inline void ok(lode_status s)
{
    if (lode_failed(s))
        fail_msg("%s", s.text);
}

static inline void fails(lode_status s, lode_code code)
{
    assert_int_equal(s.code, code);
    assert_true(s.text[0] != '\0');
}

static inline void put(lode_env *env, const char *path, const char *text)
{
    lode_file *f;

    ok(env->open(env, &f, path, MAKE | LODE_OPEN_TRUNCATE));
    ok(env->pwrite(env, f, text, strlen(text), 0));
    env->close(env, f);
}

static inline void holds(lode_env *env, const char *path, const char *text)
{
    lode_buf b = LODE_BUF_EMPTY;

    ok(lode_env_read_file(env, &b, path, 1 << 20));
    assert_int_equal(b.len, strlen(text));
    if (b.len)
        assert_memory_equal(b.data, text, b.len);
    lode_buf_clear(&b);
}

static inline bool is_there(lode_env *env, const char *path)
{
    bool exists = false;

    ok(env->path_info(env, &exists, NULL, path));
    return exists;
}

#endif
