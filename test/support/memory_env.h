/* test/support/memory_env.h: a lode_env whose files live in memory and which can lose power.
 *
 *     lode_env *env = lode_memory_env_create();
 *     ... run the store, the chainstate, the importer on it ...
 *     lode_memory_env_power_off(env);              every call fails with EIO from now on, from whatever thread
 *     ... close what is open: its last writes fail, too ...
 *     lode_memory_env_power_on(env, LODE_KEEP_SYNCED, 0);
 *     ... open again: only what was synced is there ...
 *
 * The rules are POSIX at its strictest. Bytes are durable after `sync` of the file. A name (created, renamed, linked,
 * removed) is durable after `sync_directory` of its directory; a new directory's own name needs a sync of its parent.
 * A file that was synced, but whose name was not, is gone.
 *
 * All functions of the table are there. Paths are taken from the root, whether they begin with '/' or not; "." and
 * empty parts are nothing, ".." is not understood. The root exists. `map` gives *data = NULL unless allowed.
 * Handles that were open when the power went fail with EIO for ever and must still be closed; locks are gone.
 * Threads: any, as support/env.h asks; one lock for everything.
 */
#ifndef LODE_TEST_MEMORY_ENV_H
#define LODE_TEST_MEMORY_ENV_H

#include "support/env.h"

typedef enum lode_power_cut {
    LODE_KEEP_SYNCED, /* nothing that was not synced: the worst that POSIX allows */
    /* By the seed, some of it. Directory changes: a prefix of all, as a journal keeps them, or of those of each
     * directory by itself, or any of them. Each file by itself: nothing; or its writes up to one that is torn; or any
     * of them; or its length with zeros where the data should be. */
    LODE_KEEP_SOME,
    LODE_KEEP_ALL, /* the process was killed, and the machine went on */
} lode_power_cut;

/* Given: lode_memory_env_destroy, when all handles are closed. NULL when memory is out. */
lode_env *lode_memory_env_create(void);
void lode_memory_env_destroy(lode_env *env);

void lode_memory_env_power_off(lode_env *env);
void lode_memory_env_power_on(lode_env *env, lode_power_cut cut, uint64_t seed);

/* Writes beyond this many bytes in all files fail with ENOSPC, half written; free_space tells what is left. */
void lode_memory_env_set_capacity(lode_env *env, uint64_t bytes);
/* Let `map` give a copy of the bytes as they are when it is called. */
void lode_memory_env_allow_map(lode_env *env, bool allowed);
/* Bytes in all files that have a name or a handle. */
uint64_t lode_memory_env_used_bytes(lode_env *env);

#endif
