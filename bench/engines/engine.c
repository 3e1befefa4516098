/* bench/engines/engine.c: the list of engines, and what their adapters share. */
#include "config.h"

#include "bench/engines/engine.h"

#include <errno.h>
#include <fts.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/env.h"
#include "support/status.h"

static const lode_engine *const engines[] = {
    &lode_engine_lode,
#ifdef HAVE_LEVELDB
    &lode_engine_leveldb,
#endif
#ifdef HAVE_ROCKSDB
    &lode_engine_rocksdb,
#endif
#ifdef HAVE_LMDB
    &lode_engine_lmdb,
#endif
#ifdef HAVE_BERKELEYDB
    &lode_engine_berkeleydb, &lode_engine_berkeleydb_hash,
#endif
#ifdef HAVE_SQLITE
    &lode_engine_sqlite,
#endif
#ifdef HAVE_KYOTO
    &lode_engine_kyoto_tree, &lode_engine_kyoto_hash,
#endif
#ifdef HAVE_TOKYO
    &lode_engine_tokyo_tree, &lode_engine_tokyo_hash,
#endif
    &lode_engine_files,      NULL,
};

const lode_engine *const *lode_engines(void)
{
    return engines;
}

const lode_engine *lode_engine_find(const char *name, size_t len)
{
    for (const lode_engine *const *e = engines; *e; e++)
        if (strlen((*e)->name) == len && memcmp((*e)->name, name, len) == 0)
            return *e;
    return NULL;
}

/* Without the handlers of libraries that have threads running. */
void lode_engine_stop(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    fflush(NULL);
    _exit(1);
}

void *lode_engine_memory(size_t bytes)
{
    void *memory = calloc(1, bytes ? bytes : 1);

    if (!memory)
        lode_engine_stop("no memory for %zu bytes", bytes);
    return memory;
}

void lode_engine_buffer_grow(lode_engine_buffer *b, size_t capacity)
{
    if (capacity <= b->capacity)
        return;
    b->bytes = (uint8_t *)realloc(b->bytes, capacity);
    if (!b->bytes)
        lode_engine_stop("no memory for %zu bytes", capacity);
    b->capacity = capacity;
}

/* ---- files ---- */

void lode_engine_make_directory(const char *path)
{
    lode_env *env = lode_env_system();
    lode_status s = env->make_directory(env, path);

    if (lode_failed(s))
        lode_engine_stop("%s", s.text);
}

char *lode_engine_file(const char *directory, const char *format, ...)
{
    va_list arguments;
    char *name, *path;

    lode_engine_make_directory(directory);
    va_start(arguments, format);
    if (vasprintf(&name, format, arguments) < 0)
        lode_engine_stop("no memory for a name");
    va_end(arguments);
    path = lode_path_join(directory, name);
    if (!path)
        lode_engine_stop("no memory for a name");
    free(name);
    return path;
}

void lode_engine_remove(const char *path)
{
    lode_status s = lode_env_remove_tree(lode_env_system(), path);

    if (lode_failed(s))
        lode_engine_stop("%s", s.text);
}

uint64_t lode_engine_disk_bytes(const char *path)
{
    char *copy = strdup(path);
    char *paths[] = { copy, NULL };
    FTS *tree = copy ? fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
    const FTSENT *entry;
    uint64_t bytes = 0;

    if (!tree)
        lode_engine_stop("%s cannot be walked", path);
    while ((entry = fts_read(tree)))
        if (entry->fts_info == FTS_F)
            bytes += (uint64_t)entry->fts_statp->st_blocks * 512;
    fts_close(tree);
    free(copy);
    return bytes;
}
