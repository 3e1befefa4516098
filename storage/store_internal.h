/* storage/store_internal.h: the open store, as the files that make it up see it. Nobody else includes this.
 *
 * Locks, in the order in which they are taken: store->lock, then view_lock or a lock of table cache or block cache.
 * The store's lock is never held while a file is read or written.
 */
#ifndef LODE_STORAGE_STORE_INTERNAL_H
#define LODE_STORAGE_STORE_INTERNAL_H

#include <stdatomic.h>

#include "storage/batch.h"
#include "storage/log_writer.h"
#include "storage/memtable.h"
#include "storage/table_builder.h"
#include "storage/version.h"
#include "storage/versions.h"
#include "support/log.h"
#include "support/thread.h"

enum {
    LODE_SEALED_LIMIT = 2,    /* full memtables that wait to be tables */
    LODE_RUNS_TO_COMPACT = 4, /* overlapping tables in level 0 that start a compaction */
    LODE_RUNS_IN_A_BURST = 8, /* while memtables fill one after the other: fewer and larger merges write less */
    LODE_RUNS_TO_SLOW = 12,   /* from here on writes are slowed a little more with each run */
    LODE_RUNS_TO_STOP = 24,   /* here they wait */
    LODE_THREADS_LIMIT = 16
};

/* What a reader looks at: one moment's memtables and tables. Immutable and shared. */
typedef struct lode_view {
    atomic_uint refs;
    lode_memtable *mem;
    lode_memtable *sealed[LODE_SEALED_LIMIT]; /* newest first */
    int sealed_count;
    lode_version *version;
} lode_view;

typedef struct lode_sealed {
    lode_memtable *mem;
    uint64_t log_number;
} lode_sealed;

struct lode_snapshot {
    uint64_t sequence;
    lode_snapshot *next, *prev; /* oldest first; guarded by the store's lock */
};

typedef struct lode_writer lode_writer; /* write.c */
typedef struct lode_compaction lode_compaction;
typedef struct lode_part lode_part; /* compaction.c */

typedef struct lode_level_stats {
    uint64_t runs, bytes_read, bytes_written, time_ns;
} lode_level_stats;

struct lode_store {
    /* Constant after open. */
    lode_store_options options;
    lode_env *env;
    char *path;
    const lode_comparator *cmp; /* NULL: bytewise */
    lode_table_options table_options;
    lode_table_cache *tables;
    lode_cache *cache;
    bool owns_cache;
    lode_file *lock_file;
    lode_logger logger;

    lode_mutex lock;
    lode_cond work; /* for the background threads: there is something to do */
    lode_cond done; /* for everybody else: something was done, or has failed */

    /* Guarded by lock. */
    lode_versions versions;
    lode_memtable *mem;
    lode_sealed sealed[LODE_SEALED_LIMIT]; /* oldest first */
    int sealed_count;
    uint64_t log_number;
    bool log_name_is_synced;
    lode_writer *first_writer, *last_writer; /* the first one leads */
    lode_status error; /* the first failed write of log, table or manifest; no write is taken after it */
    bool flushing;     /* sealed[0] is being written */
    uint64_t sealed_at_ns, calm_at_ns; /* the last memtable was full; writes are no burst from then on */
    lode_compaction *running;          /* compactions, also the picked and not yet begun */
    lode_part *parts;                  /* of running compactions, for whoever is idle */
    int waiting_for_all;     /* compact_range and bulk_load's end: compaction goes on below the usual limits */
    lode_snapshot snapshots; /* head of a ring */
    size_t iterator_count, snapshot_count, run_count;
    lode_run *runs;     /* begun and neither finished nor abandoned */
    lode_buf recent;    /* while there are some: the key ranges that were written since (run_finish.c) */
    bool placing_below; /* a run is coming in below last_sequence: no snapshot may be taken that would see it later */
    uint64_t reserved_sequence;          /* the highest that a run was given */
    lode_level_stats stats[LODE_LEVELS]; /* by the level that was written */
    uint64_t user_bytes;
    lode_thread flusher;
    lode_thread compactors[LODE_THREADS_LIMIT];

    /* The leading writer's. */
    lode_log_writer *log;
    lode_batch *group;
    struct {
        lode_log_writer *log;
        uint64_t number;
    } old_logs[LODE_SEALED_LIMIT + 2]; /* sealed and not synced: a synced write syncs them first; oldest first */
    int old_log_count;
    bool owes_mark; /* all that the log holds, and all older ones, is synced, and no mark says so yet */

    /* Atomic: everything up to last_sequence is in a memtable or table of the current view. */
    _Atomic(uint64_t) last_sequence;
    atomic_bool has_failed; /* `error` is set */
    atomic_bool closing;

    atomic_flag view_lock; /* held for a handful of instructions */
    lode_view *view;       /* guarded by view_lock for readers, changed with `lock` held as well */

    /* Atomic, and only for people to look at. */
    _Atomic(uint64_t) filtered, passed, passed_in_vain, longest_write_ns;
};

/* ---- view.c ---- */
/* The current view with a reference, and the newest sequence it can show. */
lode_view *lode_view_acquire(lode_store *store, uint64_t *sequence);
void lode_view_release(lode_store *store, lode_view *view);
/* With the lock: mem, sealed or version have changed. False: memory is out, and readers go on with the old view. */
bool lode_view_renew(lode_store *store, uint64_t publish_sequence);

/* ---- open.c ---- */
/* A store with its parts made and nothing read, and the end of one: nothing is waited for. */
lode_status lode_store_prepare(lode_store **out, const char *path, const lode_store_options *options);
void lode_store_discard(lode_store *store);
/* Removes the store's files but LOCK, in an order that a power cut may end anywhere. With the lock. */
lode_status lode_store_remove_files(lode_env *env, const char *path);
lode_status lode_store_lock_files(lode_store *store);
void lode_store_fail(lode_store *store, lode_status s); /* with the lock: remember the first error, wake everybody */
/* A mark (log_format.h) that goes out with the next record. */
void lode_store_add_mark(lode_log_writer *log, uint64_t last_sequence);
lode_status lode_store_new_log(lode_store *store, lode_log_writer **out, uint64_t number);

/* ---- recovery.c ---- */
lode_status lode_store_recover(lode_store *store);
void lode_store_sweep(lode_store *store); /* removes what neither manifest nor CURRENT name */

/* ---- write.c ---- */
/* With the lock: no writer is in the queue before this one until lode_writers_leave. */
void lode_writers_enter(lode_store *store, lode_writer *self);
void lode_writers_leave(lode_store *store, lode_writer *self);
struct lode_writer {
    lode_batch *batch; /* NULL: wants the queue for itself */
    bool sync, done, waits;
    lode_status status;
    lode_cond wake; /* initialised when `waits` */
    lode_writer *next;
};
/* With the lock, as the first writer: mem becomes sealed and a new log is begun. Waits for room. */
lode_status lode_store_seal(lode_store *store);

/* With the lock, as the first writer: everything acknowledged is on disk afterwards. A failure is the store's. */
lode_status lode_store_sync_logs(lode_store *store);

/* ---- run_finish.c ---- */
/* With the lock: tables of these user keys came in, with sequences up to `sequence`. */
void lode_runs_note_range(lode_store *store, lode_slice smallest, lode_slice largest, uint64_t sequence);

/* ---- flush.c ---- */
/* A table from a memtable, synced. *out NULL when the memtable is empty. Without the lock. */
lode_status lode_store_write_table(lode_store *store, lode_file_meta **out, lode_memtable *mem, uint64_t number);
void *lode_store_flusher(void *store);
lode_status lode_store_wait_for_flush(lode_store *store); /* with the lock, until nothing is sealed */
/* With the lock: the deepest level, at most `deepest`, that a table with these user keys may go to. */
int lode_store_level_for(lode_store *store, lode_slice smallest, lode_slice largest, int deepest);

/* ---- compaction.c ---- */
void *lode_store_compactor(void *store);
uint64_t lode_store_smallest_snapshot(lode_store *store); /* with the lock */
/* Without the lock: wakes a compactor, once for each version, when a table of it is worn. */
void lode_store_tell_wear(lode_store *store, lode_version *v);
static inline void lode_store_see_wear(lode_store *store, lode_version *v)
{
    if (__builtin_expect(atomic_load_explicit(&v->worn, memory_order_relaxed) == LODE_WEAR_FOUND, 0))
        lode_store_tell_wear(store, v);
}

/* ---- pick.c ---- */
/* A change of levels under way: a compaction, or a table on its way to a level below 0. */
struct lode_compaction {
    int level, output_level;
    lode_version *version;
    lode_file_meta **inputs[2];
    size_t counts[2];
    lode_slice smallest, largest; /* user keys, of all inputs */
    bool is_move;
    lode_compaction *next;
};
/* With the lock: how long until a merge that a burst of writes puts off may be due; 0: none is put off. */
uint64_t lode_compaction_wait_us(const lode_store *store);
/* With the lock: the next thing to do, marked as running, or NULL. */
lode_compaction *lode_compaction_pick(lode_store *store);
/* With the lock: what remains of [start, limit] at `level`, to the level below. NULL: nothing, or *busy. */
lode_compaction *lode_compaction_pick_range(lode_store *store, int level, const lode_slice *start,
                                            const lode_slice *limit, bool *busy);
void lode_compaction_end(lode_store *store, lode_compaction *c); /* with the lock: unmarked and freed */
/* Nothing else may be written to that level between these user keys until it is removed again; with the lock. */
void lode_running_add(lode_store *store, lode_compaction *c);
void lode_running_remove(lode_store *store, lode_compaction *c);
bool lode_running_meets(const lode_store *store, int output_level, lode_slice smallest, lode_slice largest);
uint64_t lode_store_level_limit(const lode_store *store, int level);

#endif
