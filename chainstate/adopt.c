/* chainstate/adopt.c: links and copies another node's block files.
 *
 * Room:     names and bytes; what is in the files is the import's to find out.
 * Touches:  reads the other folder, writes our blocks folder.
 * Threads:  none.
 */
#include "chainstate/adopt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chainstate/foreign.h"
#include "support/bytes.h"

typedef struct found_files {
    uint32_t *numbers;
    size_t count, capacity;
} found_files;

static lode_status visit_name(void *context, const char *name)
{
    found_files *f = context;
    char *end;
    unsigned long n;

    if (strncmp(name, "blk", 3) != 0 || strlen(name) < 12 || name[3] < '0' || name[3] > '9')
        return lode_ok();
    n = strtoul(name + 3, &end, 10);
    if (strcmp(end, ".dat") != 0 || n > 99999999)
        return lode_ok();
    if (f->count == f->capacity) {
        size_t capacity = f->capacity ? f->capacity * 2 : 64;
        uint32_t *bigger = realloc(f->numbers, capacity * sizeof *bigger);
        if (!bigger)
            return lode_fail(LODE_NO_MEMORY, "no memory for %zu file names", capacity);
        f->numbers = bigger;
        f->capacity = capacity;
    }
    f->numbers[f->count++] = (uint32_t)n;
    return lode_ok();
}

/* Under another name until it is whole and durable: half a copy would be taken for the whole next time. */
static lode_status copy_file(lode_env *env, const char *to, const char *from)
{
    char temporary[4096];
    lode_file *in = NULL, *out = NULL;
    lode_file_info info;
    lode_status s = lode_ok();

    if (snprintf(temporary, sizeof temporary, "%s.tmp", to) >= (int)sizeof temporary)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: the name is too long", to);
    s = env->open(env, &in, from, LODE_OPEN_READ);
    if (!lode_failed(s))
        s = env->file_info(env, in, &info);
    if (!lode_failed(s))
        s = env->open(env, &out, temporary, LODE_OPEN_WRITE | LODE_OPEN_CREATE | LODE_OPEN_TRUNCATE);
    if (!lode_failed(s))
        s = env->copy_range(env, out, 0, in, 0, info.size_bytes);
    if (!lode_failed(s))
        s = env->sync(env, out);
    env->close(env, in);
    env->close(env, out);
    if (!lode_failed(s))
        s = env->rename(env, temporary, to);
    else
        lode_ignore(env->remove(env, temporary)); /* the first failure is the one to tell */
    return s;
}

static lode_status adopt_one(lode_env *env, const char *to_folder, const char *from_folder, const char *name, bool may_link)
{
    char *to = lode_path_join(to_folder, name), *from = lode_path_join(from_folder, name);
    lode_file_info info;
    bool exists = false;
    lode_status s = to && from ? env->path_info(env, &exists, &info, to) : lode_fail(LODE_NO_MEMORY, "no memory for a path");

    if (!lode_failed(s) && !exists) {
        if (may_link)
            s = env->link(env, from, to);
        if (!may_link || lode_failed(s))
            s = copy_file(env, to, from);
    }
    free(to);
    free(from);
    return s;
}

static lode_status adopt_key(lode_env *env, const char *to, const char *from)
{
    char *path = lode_path_join(from, "xor.dat");
    lode_file_info info;
    bool exists = false;
    lode_status s = path ? env->path_info(env, &exists, &info, path) : lode_fail(LODE_NO_MEMORY, "no memory for a path");
    free(path);
    LODE_TRY(s);
    return exists ? adopt_one(env, to, from, "xor.dat", false) : lode_ok();
}

lode_status lode_adopt_block_files(lode_env *env, const char *to, const char *from, const lode_logger *logger)
{
    found_files found = { 0 };
    uint32_t last = 0;
    lode_status s = env->list(env, from, visit_name, &found);

    if (!lode_failed(s) && !found.count)
        s = lode_fail(LODE_MISSING, "%s: holds no blkNNNNN.dat", from);
    for (size_t i = 0; i < found.count; i++)
        if (found.numbers[i] > last)
            last = found.numbers[i];
    if (!lode_failed(s))
        s = lode_foreign_refuse_pruned(env, from);
    if (!lode_failed(s))
        s = adopt_key(env, to, from);
    for (size_t i = 0; i < found.count && !lode_failed(s); i++) {
        char name[32];
        snprintf(name, sizeof name, "blk%05u.dat", found.numbers[i]);
        s = adopt_one(env, to, from, name, found.numbers[i] != last);
    }
    if (!lode_failed(s))
        s = env->sync_directory(env, to);
    if (!lode_failed(s))
        lode_log(logger, LODE_LOG_INFO, "%zu block files taken over from %s", found.count, from);
    free(found.numbers);
    return lode_failed(s) ? lode_fail_within(s, "-blocksfrom=%s", from) : s;
}
