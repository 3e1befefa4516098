/* test/storage/one_file_env.h: a lode_env with one file, whatever its name, whose bytes are given. Read only. */
#ifndef LODE_TEST_ONE_FILE_ENV_H
#define LODE_TEST_ONE_FILE_ENV_H

#include <string.h>

#include "support/env.h"

typedef struct one_file_env {
    lode_env env;
    const uint8_t *data;
    size_t len;
    bool may_map;
} one_file_env;

static inline lode_status one_file_open(lode_env *env, lode_file **out, const char *path, int flags)
{
    (void)path;
    (void)flags;
    *out = (lode_file *)env->context;
    return lode_ok();
}
static inline void one_file_close(lode_env *env, lode_file *file)
{
    (void)env;
    (void)file;
}
static inline lode_status one_file_pread(lode_env *env, lode_file *file, size_t *got, void *data, size_t len,
                                         uint64_t offset)
{
    const one_file_env *e = env->context;
    (void)file;
    *got = 0;
    if (offset < e->len) {
        *got = e->len - (size_t)offset < len ? e->len - (size_t)offset : len;
        memcpy(data, e->data + offset, *got);
    }
    return lode_ok();
}
static inline lode_status one_file_info(lode_env *env, lode_file *file, lode_file_info *info)
{
    (void)file;
    *info = (lode_file_info){ .size_bytes = ((const one_file_env *)env->context)->len, .is_regular = true };
    return lode_ok();
}
static inline lode_status one_file_map(lode_env *env, lode_file *file, const uint8_t **data, size_t len)
{
    const one_file_env *e = env->context;
    (void)file;
    *data = e->may_map && len <= e->len ? e->data : NULL;
    return lode_ok();
}
static inline void one_file_unmap(lode_env *env, const uint8_t *data, size_t len)
{
    (void)env;
    (void)data;
    (void)len;
}

/* `e` and `data` are kept. */
static inline lode_env *one_file_env_init(one_file_env *e, const uint8_t *data, size_t len, bool may_map)
{
    *e = (one_file_env){ .data = data, .len = len, .may_map = may_map };
    e->env = (lode_env){ .context = e,
                         .open = one_file_open,
                         .close = one_file_close,
                         .pread = one_file_pread,
                         .file_info = one_file_info,
                         .map = one_file_map,
                         .unmap = one_file_unmap };
    return &e->env;
}

#endif
