/* storage/run.h: a sorted run on its way, as run.c builds it and run_finish.c places it. Nobody else includes this. */
#ifndef LODE_STORAGE_RUN_H
#define LODE_STORAGE_RUN_H

#include "storage/store_internal.h"

struct lode_run {
    lode_store *store;
    lode_run *next, *prev; /* in store->runs */
    uint64_t sequence;
    uint64_t first_sequence; /* lower when other runs were taken in: the lowest of theirs and this one's */
    lode_status error;

    lode_table_builder *builder; /* NULL between tables */
    char *path;
    uint64_t number;
    lode_file_meta **files; /* finished and synced; nobody else knows them */
    size_t count, capacity;
    uint64_t bytes;
    lode_buf key; /* internal key of the last entry */
    bool has_key;
};

/* The last table is synced and among `files`. */
lode_status lode_run_close_table(lode_run *run);
/* The tables' files go; the run is as it was at its beginning. */
void lode_run_drop_tables(lode_run *run);
/* No run of the store any more, and freed. Files stay. */
void lode_run_leave(lode_run *run);
/* Everything again under a new sequence. Without the lock. */
lode_status lode_run_rewrite(lode_run *run, uint64_t sequence);

#endif
