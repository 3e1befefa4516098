/* storage/versions.h: the current version, and the manifest that tells it to the next open. */
#ifndef LODE_STORAGE_VERSIONS_H
#define LODE_STORAGE_VERSIONS_H

#include "storage/log_writer.h"
#include "storage/version.h"
#include "support/thread.h"

typedef struct lode_versions {
    /* Constant after init. */
    lode_env *env;
    char *directory;
    const lode_comparator *cmp;
    const char *cmp_name;
    lode_table_cache *tables;
    const _Atomic(uint64_t) *live_sequence; /* the store's own; NULL: none */
    uint64_t manifest_limit_bytes;          /* a longer one is started anew */

    /* Guarded by the store's lock. */
    lode_version *current;
    uint64_t next_file;
    uint64_t last_sequence; /* as the manifest has it; the store's own is ahead of it */
    uint64_t log_number, prev_log_number;
    lode_buf pointers[LODE_LEVELS]; /* where the last compaction of a level ended; internal keys */
    bool applying;                  /* one edit at a time; the lock is not held while it is written */
    lode_cond applied;

    /* The applier's. */
    lode_log_writer *manifest; /* NULL: the next edit starts one */
    uint64_t manifest_number;
    uint64_t manifest_began_with; /* bytes that describe everything */
    bool marks_logs;              /* what was recovered says that its logs have marks */
    bool was_torn;                /* the manifest that was recovered had a torn tail */
    uint64_t old_manifest;        /* to be removed when CURRENT names another; 0: none */
} lode_versions;

lode_status lode_versions_init(lode_versions *vs, lode_env *env, const char *directory, const lode_comparator *cmp,
                               lode_table_cache *tables);
void lode_versions_clear(lode_versions *vs);

/* Reads CURRENT and the manifest. LODE_MISSING: there is no CURRENT, so there is no store. */
lode_status lode_versions_recover(lode_versions *vs);

/* Adds number, sequence and log fields to the edit, writes and syncs it, makes the result current, and hands that out:
 * `changed` is called with the lock held just after. `lock` is held by the caller, and released while the disk works.
 * Errors: nothing has changed in memory, and what the disk has is not known: the caller must write no more. */
lode_status lode_versions_apply(lode_versions *vs, lode_mutex *lock, lode_version_edit *edit, void *context,
                                void (*changed)(void *context));

static inline uint64_t lode_versions_new_number(lode_versions *vs)
{
    return vs->next_file++;
}
/* `number` is in use. */
static inline void lode_versions_mark_used(lode_versions *vs, uint64_t number)
{
    if (vs->next_file <= number)
        vs->next_file = number + 1;
}

#endif
