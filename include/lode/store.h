/* lode/store.h: an embedded ordered key-value store in LevelDB's file format.
 *
 * One writer at a time (others queue and are committed together), any number of readers. Keys and values are bytes.
 * Words for ownership: "borrowed" is used during the call only, "kept" must outlive the object, "given" is the
 * caller's to free with the named function, "lent" is valid until the event named.
 */
#ifndef LODE_STORE_H
#define LODE_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "lode/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define LODE_API __attribute__((visibility("default")))
#else
#define LODE_API
#endif

typedef struct lode_store lode_store;
typedef struct lode_batch lode_batch;
typedef struct lode_iterator lode_iterator;
typedef struct lode_snapshot lode_snapshot;
typedef struct lode_cache lode_cache;
typedef struct lode_run lode_run;
struct lode_env;

typedef struct lode_bytes {
    const void *data;
    size_t len;
} lode_bytes;

/* A total order. compare returns any negative, zero or positive int. The name is stored and checked at open. */
typedef struct lode_comparator {
    void *context;
    const char *name;
    int (*compare)(void *context, const void *a, size_t a_len, const void *b, size_t b_len);
    /* Both may be NULL. Shorten *start (in place, *start_len shrinks) to something in [start, limit); successor: in
     * place to a short key >= key. */
    void (*shorten)(void *context, void *start, size_t *start_len, const void *limit, size_t limit_len);
    void (*successor)(void *context, void *key, size_t *key_len);
} lode_comparator;

/* Says of the keys of a stretch of a table, in few bytes, which keys may be among them, so that a read that misses need
 * not touch the table. The name is stored in each table: filters of another name are passed over. */
typedef struct lode_filter_policy {
    void *context;
    const char *name;
    /* A filter for these user keys, in malloc'd memory, taken; NULL: memory is out. Of several threads. */
    void *(*create)(void *context, const lode_bytes *keys, size_t count, size_t *filter_len);
    /* 0: none of the keys that the filter was made of is this one. Of several threads. */
    int (*may_match)(void *context, const void *key, size_t key_len, const void *filter, size_t filter_len);
} lode_filter_policy;

typedef enum lode_compression { LODE_COMPRESSION_NONE = 0, LODE_COMPRESSION_SNAPPY = 1 } lode_compression;

typedef enum lode_sync_policy {
    LODE_SYNC_ASKED = 0, /* a write is synced when it asks for it (LevelDB's way) */
    LODE_SYNC_ALWAYS = 1,
    LODE_SYNC_NEVER = 2 /* logs are not synced at all; tables and manifest still are */
} lode_sync_policy;

/* Filled by lode_store_options_init; then change what differs. `size` lets old callers meet newer libraries. */
typedef struct lode_store_options {
    size_t size;
    int create_if_missing;    /* default 0: a missing store is LODE_MISSING */
    int error_if_exists;      /* default 0 */
    int read_only;            /* default 0. 1: no file is created, changed or removed; fails when a writer has the lock */
    int paranoid_checks;      /* default 0. 1: damage found anywhere while opening fails the open */
    int verify_checksums;     /* default 1: every block read is checked against its CRC */
    size_t write_buffer_bytes; /* memtable size; default 4 MiB, clipped to [64 KiB, 1 GiB] */
    size_t block_bytes;       /* of a table block before compression; default 4096 */
    int block_restart_interval; /* default 16 */
    int bloom_bits_per_key;   /* default 10; 0: no filter */
    lode_compression compression; /* default snappy */
    size_t table_bytes;       /* size at which a compaction starts a new table; default 2 MiB */
    int max_open_files;       /* default 1000; table handles beyond it are closed and reopened */
    int background_threads;   /* compaction threads; default 1, at most 16 */
    lode_sync_policy sync_policy;
    size_t cache_bytes;       /* of a private block cache when `cache` is NULL; default 8 MiB; 0: none */
    lode_cache *cache;        /* kept; shared between stores; default NULL */
    const lode_comparator *comparator; /* kept; default NULL: leveldb.BytewiseComparator */
    struct lode_env *env;     /* kept; default NULL: the system's files */
    void (*log)(void *context, int level, const char *line); /* may be NULL; any thread */
    void *log_context;
    int map_tables;           /* default 1: tables are read through memory maps where the env has them, which is fastest; their
                               * pages then count as the process's resident memory. 0: reads go through the block cache */
    int bulk_load;            /* default 0. 1: no compaction until lode_store_compact_range or close; reads stay right */
    const lode_filter_policy *filter_policy; /* kept; takes the place of the bloom filter; default NULL */
} lode_store_options;

LODE_API void lode_store_options_init(lode_store_options *options);

/* *out is NULL on failure. `path` is a directory. */
LODE_API lode_status lode_store_open(lode_store **out, const char *path, const lode_store_options *options);
/* Waits for background work. Fails with LODE_INVALID_ARGUMENT, and the store stays open, while iterators or snapshots
 * are alive. Closing NULL does nothing. */
LODE_API lode_status lode_store_close(lode_store *store);

/* ---- writing ---- */
LODE_API lode_status lode_store_put(lode_store *store, const void *key, size_t key_len, const void *value, size_t value_len, int sync);
LODE_API lode_status lode_store_delete(lode_store *store, const void *key, size_t key_len, int sync);

LODE_API lode_batch *lode_batch_create(void); /* given: lode_batch_destroy; NULL when memory is out */
LODE_API void lode_batch_destroy(lode_batch *batch);
LODE_API void lode_batch_clear(lode_batch *batch);
/* An allocation that fails, a size above 2^32 - 1, or NULL with a length, is remembered and reported by the write. */
LODE_API void lode_batch_put(lode_batch *batch, const void *key, size_t key_len, const void *value, size_t value_len);
LODE_API void lode_batch_delete(lode_batch *batch, const void *key, size_t key_len);
LODE_API void lode_batch_append(lode_batch *to, const lode_batch *from);
LODE_API uint32_t lode_batch_count(const lode_batch *batch);
LODE_API size_t lode_batch_bytes(const lode_batch *batch); /* of its log record */
/* Visit in order; value is NULL for a deletion. */
LODE_API lode_status lode_batch_iterate(const lode_batch *batch, void *context,
                                        void (*visit)(void *context, lode_bytes key, const lode_bytes *value));
/* All or nothing, also over a crash. With sync it is on disk when this returns. */
LODE_API lode_status lode_store_write(lode_store *store, lode_batch *batch, int sync);

/* A sorted run goes straight into tables, past log and memtable. Keys must come in strictly ascending order; a NULL
 * value is a deletion. Nothing is visible until finish, then everything is, atomically over a crash as well. */
LODE_API lode_status lode_run_begin(lode_run **out, lode_store *store);
LODE_API lode_status lode_run_put(lode_run *run, const void *key, size_t key_len, const void *value, size_t value_len);
LODE_API lode_status lode_run_delete(lode_run *run, const void *key, size_t key_len);
/* Synced tables, then the manifest. `run` is taken, also on failure. */
LODE_API lode_status lode_run_finish(lode_run *run);
/* Several runs of one store, whose ranges of keys are apart (else LODE_INVALID_ARGUMENT), each perhaps filled by a thread
 * of its own: all of them become visible in one step, over a crash as well. Every run is taken, also on failure; the
 * array is put in another order. */
LODE_API lode_status lode_runs_finish(lode_run **runs, size_t count);
LODE_API void lode_run_abandon(lode_run *run);

/* ---- reading ---- */
/* *found tells; *value is given: free with lode_store_free, NULL when not found. snapshot may be NULL: now. */
LODE_API lode_status lode_store_get(lode_store *store, int *found, void **value, size_t *value_len, const void *key,
                                    size_t key_len, const lode_snapshot *snapshot);
/* Copies into the caller's buffer: *value_len is the full length, of which at most `capacity` bytes are copied. */
LODE_API lode_status lode_store_get_into(lode_store *store, int *found, void *buffer, size_t capacity, size_t *value_len,
                                         const void *key, size_t key_len, const lode_snapshot *snapshot);
/* Many at once: sorted inside, so that neighbours share block reads; where the disk is found slow, and tables are not
 * mapped, blocks of the keys ahead are asked for meanwhile. visit is called once for each key that is found,
 * in any order, with its position in `keys`; the value is borrowed to it. */
LODE_API lode_status lode_store_multi_get(lode_store *store, const lode_bytes *keys, size_t count, const lode_snapshot *snapshot,
                                          void *context, void (*visit)(void *context, size_t position, lode_bytes value));
LODE_API void lode_store_free(void *value);

LODE_API lode_status lode_snapshot_take(lode_snapshot **out, lode_store *store);
LODE_API void lode_snapshot_release(lode_store *store, lode_snapshot *snapshot);

typedef struct lode_iterator_options {
    size_t size;
    const lode_snapshot *snapshot; /* kept until the iterator is destroyed; NULL: now */
    lode_bytes lower;              /* kept; inclusive; data NULL: none */
    lode_bytes upper;              /* kept; exclusive; data NULL: none */
    int verify_checksums;          /* default 0. 1: every block is checked, also where the store's own option is off */
    int fill_cache;                /* default 1 */
} lode_iterator_options;
LODE_API void lode_iterator_options_init(lode_iterator_options *options);
LODE_API lode_status lode_iterator_create(lode_iterator **out, lode_store *store, const lode_iterator_options *options);
LODE_API void lode_iterator_destroy(lode_iterator *it);
LODE_API int lode_iterator_is_valid(const lode_iterator *it);
LODE_API void lode_iterator_seek_first(lode_iterator *it);
LODE_API void lode_iterator_seek_last(lode_iterator *it);
LODE_API void lode_iterator_seek(lode_iterator *it, const void *key, size_t key_len); /* first key >= key */
LODE_API void lode_iterator_seek_for_prev(lode_iterator *it, const void *key, size_t key_len); /* last key <= key */
LODE_API void lode_iterator_next(lode_iterator *it);
LODE_API void lode_iterator_prev(lode_iterator *it);
LODE_API lode_bytes lode_iterator_key(const lode_iterator *it);   /* lent until the iterator moves */
LODE_API lode_bytes lode_iterator_value(const lode_iterator *it); /* lent until the iterator moves */
/* Not valid may mean the end or damage: this tells. A scan never ends early in silence. */
LODE_API lode_status lode_iterator_status(const lode_iterator *it);

/* ---- upkeep ---- */
LODE_API lode_status lode_store_flush(lode_store *store); /* memtable into a table, waited for */
/* NULL start or limit: open end. Waits. */
LODE_API lode_status lode_store_compact_range(lode_store *store, const void *start, size_t start_len, const void *limit, size_t limit_len);
LODE_API lode_status lode_store_approximate_sizes(lode_store *store, size_t count, const lode_bytes *starts,
                                                  const lode_bytes *limits, uint64_t *sizes);
/* NUL-terminated text, given: lode_store_free; NULL when the property is unknown. Names: "leveldb.stats",
 * "leveldb.sstables", "leveldb.num-files-at-level<N>", "leveldb.approximate-memory-usage", "lode.write-amplification",
 * "lode.cache-hit-rate", "lode.bloom-false-positive-rate", "lode.longest-write-us". */
LODE_API char *lode_store_property(lode_store *store, const char *name);
/* Hard links of all tables plus copies of what still grows: a store of its own at `path`. */
LODE_API lode_status lode_store_checkpoint(lode_store *store, const char *path);
/* Reads everything and checks checksums, order and levels. */
LODE_API lode_status lode_store_verify(lode_store *store);
LODE_API lode_status lode_store_repair(const char *path, const lode_store_options *options);
LODE_API lode_status lode_store_destroy(const char *path, const lode_store_options *options);

LODE_API lode_cache *lode_cache_create(size_t bytes); /* given: lode_cache_destroy, after every store that uses it */
LODE_API void lode_cache_destroy(lode_cache *cache);
LODE_API size_t lode_cache_bytes(const lode_cache *cache);           /* in use */
LODE_API void lode_cache_set_capacity(lode_cache *cache, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
