/* test/snapshot/snapshot_helpers.h: directories as they are before and after, and questions with several arguments. */
#ifndef LODE_TEST_SNAPSHOT_HELPERS_H
#define LODE_TEST_SNAPSHOT_HELPERS_H

#include <string.h>

#include "primitives/hash.h"
#include "test/loadblock/bed.h"

/* ---- the print of a folder ---- */

typedef struct folder_sum {
    lode_env *env;
    const char *path;
    uint8_t sum[32]; /* of names and contents, whatever their order */
    int files;
} folder_sum;

static lode_status add_to_sum(void *context, const char *name)
{
    folder_sum *f = context;
    char *path = lode_path_join(f->path, name);
    lode_file_info info;
    bool exists;

    assert_ok(f->env->path_info(f->env, &exists, &info, path));
    if (info.is_directory) {
        folder_sum inner = { .env = f->env, .path = path };
        assert_ok(f->env->list(f->env, path, add_to_sum, &inner));
        for (int i = 0; i < 32; i++)
            f->sum[i] ^= inner.sum[i];
        f->files += inner.files;
    } else {
        lode_sha256_stream s;
        lode_buf bytes = LODE_BUF_EMPTY;
        uint8_t hash[32];
        assert_ok(lode_env_read_file(f->env, &bytes, path, (size_t)1 << 30));
        lode_sha256_begin(&s);
        lode_sha256_add(&s, path, strlen(path) + 1);
        lode_sha256_add(&s, bytes.data, bytes.len);
        lode_sha256_end(&s, hash);
        for (int i = 0; i < 32; i++)
            f->sum[i] ^= hash[i];
        f->files++;
        lode_buf_clear(&bytes);
    }
    free(path);
    return lode_ok();
}

/* Every file of the data directory. */
static inline folder_sum sum_folder(bed *b)
{
    folder_sum f = { .env = b->env, .path = b->datadir };
    assert_ok(b->env->list(b->env, b->datadir, add_to_sum, &f));
    return f;
}

static inline void assert_same_folder(bed *b, const folder_sum *before)
{
    folder_sum now = sum_folder(b);
    assert_int_equal(now.files, before->files);
    assert_memory_equal(now.sum, before->sum, 32);
}

/* In place. `name` counts from the bed's root. */
static inline void flip_byte(bed *b, const char *name, uint64_t at)
{
    char *path = lode_path_join(b->root, name);
    lode_file *file;
    uint8_t byte;
    size_t got;

    assert_ok(b->env->open(b->env, &file, path, LODE_OPEN_READ | LODE_OPEN_WRITE));
    assert_ok(b->env->pread(b->env, file, &got, &byte, 1, at));
    assert_int_equal(got, 1);
    byte ^= 1;
    assert_ok(b->env->pwrite(b->env, file, &byte, 1, at));
    b->env->close(b->env, file);
    free(path);
}

/* ---- asking ---- */

typedef struct said {
    lode_status status;
    char *answer, *error; /* ours */
    int code;
} said;

static inline void said_clear(said *s)
{
    free(s->answer);
    free(s->error);
}

/* Up to three arguments, NULL past the last. */
static inline said ask(bed *b, const char *command, const char *first, const char *second, const char *third)
{
    const char *arguments[] = { first, second, third };
    size_t count = !first ? 0 : !second ? 1 : !third ? 2 : 3;
    int is_text;
    said s = { .status = lode_ok() };

    s.status = lode_query(b->h, command, arguments, count, &s.answer, &is_text, &s.code, &s.error);
    return s;
}

static inline void assert_answer(bed *b, const char *expected, const char *command, const char *first,
                                 const char *second)
{
    said s = ask(b, command, first, second, NULL);
    assert_ok(s.status);
    assert_int_equal(s.code, 0);
    assert_string_equal(s.answer, expected);
    said_clear(&s);
}

/* For reading only, from now on. */
static inline void reopen_for_reading(bed *b)
{
    bed_close(b);
    b->options.read_only = 1;
    bed_open(b);
}

static inline void reopen_for_writing(bed *b)
{
    bed_close(b);
    b->options.read_only = 0;
    bed_open(b);
}

#endif
