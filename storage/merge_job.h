/* storage/merge_job.h: one compaction, or the part of it between two keys: inputs merged into new tables. */
#ifndef LODE_STORAGE_MERGE_JOB_H
#define LODE_STORAGE_MERGE_JOB_H

#include "storage/store_internal.h"

typedef struct lode_merge_job {
    /* Set by whoever runs it. */
    lode_store *store;
    const lode_compaction *c;
    uint64_t smallest_snapshot;
    lode_slice first, limit; /* user keys, half open; data NULL: no bound */

    /* Filled. */
    lode_version_edit edit; /* the tables that were made, at the output level */
    uint64_t bytes_written;

    /* Its own. */
    lode_table_builder *builder; /* NULL between tables */
    char *path;
    uint64_t number;
    size_t deeper_at[LODE_LEVELS]; /* files of deeper levels that lie before the current key */
    size_t grandparent_at;
    uint64_t grandparent_bytes; /* under the current output */
    lode_buf last_user_key;
    bool has_last;
    uint64_t last_sequence; /* of the entry before, when it had the same user key */
} lode_merge_job;

/* Without the store's lock. After a failure the tables that it made are gone, and the edit is empty. */
lode_status lode_merge_job_run(lode_merge_job *j);
/* A table that it made and that will not be used after all. */
void lode_merge_job_remove_table(const lode_merge_job *j, uint64_t number);
void lode_merge_job_clear(lode_merge_job *j);

#endif
