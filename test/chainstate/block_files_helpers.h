/* test/chainstate/block_files_helpers.h: a folder of block files with its index, and records that can be told apart. */
#ifndef LODE_TEST_CHAINSTATE_BLOCK_FILES_HELPERS_H
#define LODE_TEST_CHAINSTATE_BLOCK_FILES_HELPERS_H

#include "index_helpers.h"

#include "chainstate/block_files.h"
#include "support/memory_env.h"

/* The index is on a disk of its own, which never fails. */
typedef struct room {
    lode_env *env;
    lode_env *index_env;
    const char *blocks;
    lode_block_index *index;
    lode_block_files *files;
} room;

static inline lode_status try_files(room *r, bool random_key)
{
    lode_block_files_options o = {
        .path = r->blocks, .params = regtest(), .index = r->index, .env = r->env, .random_xor_key = random_key
    };

    return lode_block_files_open(&r->files, &o);
}

static inline room begin(lode_env *env, const char *blocks, bool random_key)
{
    room r = { .env = env, .index_env = lode_memory_env_create(), .blocks = blocks };

    r.index = open_index(r.index_env, "/index");
    assert_ok(lode_env_make_path(env, blocks));
    assert_ok(try_files(&r, random_key));
    return r;
}

static inline void end(room *r)
{
    lode_block_files_close(r->files);
    assert_ok(lode_block_index_close(r->index));
    lode_memory_env_destroy(r->index_env);
}

/* What a restart finds: the index as it was last written. */
static inline void restart(room *r)
{
    lode_block_files_close(r->files);
    assert_ok(lode_block_index_close(r->index));
    r->index = open_index(r->index_env, "/index");
    assert_ok(try_files(r, false));
}

/* Bytes that tell which record they are of. */
static inline uint8_t *make_bytes(uint32_t which, size_t len)
{
    uint8_t *p = malloc(len ? len : 1);
    uint64_t x = which * UINT64_C(0x9e3779b97f4a7c15) + 1;

    assert_non_null(p);
    for (size_t i = 0; i < len; i++) {
        x = x * UINT64_C(6364136223846793005) + 1;
        p[i] = (uint8_t)(x >> 56);
    }
    return p;
}

typedef struct record {
    int32_t file;
    uint32_t pos, which;
    size_t len;
} record;

static inline lode_status append(room *r, record *out, uint32_t which, size_t len)
{
    uint8_t *bytes = make_bytes(which, len);
    record rec = { 0, 0, which, len };
    lode_status s = lode_block_files_append_block(r->files, &rec.file, &rec.pos, bytes, (uint32_t)len, (int32_t)which,
                                                  1000 + which);

    free(bytes);
    if (!lode_failed(s))
        *out = rec;
    return s;
}

static inline lode_status append_undo(room *r, record *out, int32_t file, uint32_t which, size_t len)
{
    uint8_t *bytes = make_bytes(which, len);
    lode_block_hash prev = { { (uint8_t)which } };
    record rec = { file, 0, which, len };
    lode_status s = lode_block_files_append_undo(r->files, &rec.pos, file, bytes, len, &prev);

    free(bytes);
    if (!lode_failed(s))
        *out = rec;
    return s;
}

static inline void assert_block(room *r, const record *rec)
{
    uint8_t *bytes = make_bytes(rec->which, rec->len);
    lode_buf got = LODE_BUF_EMPTY;

    assert_ok(lode_block_files_read_block(r->files, &got, rec->file, rec->pos));
    assert_int_equal(got.len, rec->len);
    assert_memory_equal(got.data, bytes, rec->len);
    lode_buf_clear(&got);
    free(bytes);
}

static inline void assert_undo(room *r, const record *rec)
{
    uint8_t *bytes = make_bytes(rec->which, rec->len);
    lode_block_hash prev = { { (uint8_t)rec->which } }, other = { { (uint8_t)rec->which, 1 } };
    lode_buf got = LODE_BUF_EMPTY;

    assert_ok(lode_block_files_read_undo(r->files, &got, rec->file, rec->pos, &prev));
    assert_int_equal(got.len, rec->len);
    assert_memory_equal(got.data, bytes, rec->len);
    assert_code(lode_block_files_read_undo(r->files, &got, rec->file, rec->pos, &other), LODE_CORRUPT);
    lode_buf_clear(&got);
    free(bytes);
}

static inline lode_buf whole_file(lode_env *env, const char *path)
{
    lode_buf all = LODE_BUF_EMPTY;

    assert_ok(lode_env_read_file(env, &all, path, 512 << 20));
    return all;
}

static inline uint64_t file_size(lode_env *env, const char *path)
{
    lode_file_info info;
    bool exists;

    assert_ok(env->path_info(env, &exists, &info, path));
    return exists ? info.size_bytes : 0;
}

#endif
