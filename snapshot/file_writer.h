/* snapshot/file_writer.h: a file that has its name only when it is whole. */
#ifndef LODE_SNAPSHOT_FILE_WRITER_H
#define LODE_SNAPSHOT_FILE_WRITER_H

#include "support/bytes.h"
#include "support/env.h"

typedef struct lode_file_writer {
    lode_env *env;
    lode_file *file;
    char *path, *unfinished; /* "PATH.incomplete" until the end, as Core names it */
    lode_buf buf;
    uint64_t written;   /* bytes in the file, without buf */
    lode_status status; /* the first failure; what is put after it is dropped */
} lode_file_writer;

/* The target is looked at first, before any work: LODE_EXISTS when something has its name. What an earlier run left
 * unfinished is written over. */
lode_status lode_file_writer_open(lode_file_writer *w, lode_env *env, const char *path);
void lode_file_writer_put(lode_file_writer *w, const void *data, size_t len);
/* The buffer may be appended to directly, some KiB at a time; then this must be called. */
void lode_file_writer_drain(lode_file_writer *w);
/* Written over, at the beginning of the file: what was not known when it was begun. */
void lode_file_writer_patch(lode_file_writer *w, const void *data, size_t len, uint64_t offset);
/* Synced, then renamed, then the directory is synced. The writer is cleared, also when this fails: no file then. */
lode_status lode_file_writer_finish(lode_file_writer *w);
/* No file is left. Does nothing when finished, or never opened. */
void lode_file_writer_abandon(lode_file_writer *w);

#endif
