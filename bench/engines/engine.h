/* bench/engines/engine.h: one small face for every storage engine that lode-bench measures.
 *
 * Room:     what a key-value store does, in as few calls as the suites need.
 * Threads:  one; an engine may have threads of its own.
 * Errors:   lode_engine_stop ends the process with a message: each run has a process of its own.
 */
#ifndef LODE_BENCH_ENGINES_ENGINE_H
#define LODE_BENCH_ENGINES_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lode/store.h"

/* What is asked of every engine alike; one that lacks a knob ignores it, and its description shows that. */
typedef struct lode_engine_settings {
    uint64_t entries;          /* expected in the end; hash tables are sized by it, maps too */
    uint64_t data_bytes;       /* of keys and values, expected in the end */
    size_t cache_bytes;        /* of the engine's own cache */
    size_t write_buffer_bytes; /* LSM: memtable */
    size_t block_bytes;        /* LSM: of a table block. B-trees keep their own page size */
    size_t table_bytes;        /* LSM; 0: the engine's default */
    int bloom_bits;            /* 0: no filter */
    int threads;               /* background threads; 0: the engine's default */
    int max_open_files;        /* LSM */
    bool compress;             /* snappy */
    bool unchecked;            /* blocks are read without comparing their checksums, where that can be chosen */
    bool sync;                 /* writes will ask to be synced: for engines that decide at open */
    bool bulk;                 /* written once, then compacted, then read: modes for that may be used */
    bool integer_keys;         /* keys are 8-byte big-endian numbers */
    bool large_values;         /* values exceed a page */
    bool lmdb_writemap;        /* LMDB: write through the map */
    bool sqlite_shared;        /* SQLite: without the exclusive lock */
    bool no_log;               /* Berkeley DB: without log and transactions, as in 2003 */
    uint64_t files_most;       /* one file per record: entries it is asked to hold */
    int files_how;             /* one file per record: enum lode_files_how */
} lode_engine_settings;

/* After Perl's ways in 2003: buffered print, buffered write, system write; buffered reads, whole, system read. */
enum lode_files_how { LODE_FILES_PRINT, LODE_FILES_WRITE, LODE_FILES_SYSTEM, LODE_FILES_SLURP };

typedef struct lode_engine_entry {
    lode_bytes key, value; /* lent until the cursor moves */
} lode_engine_entry;

typedef enum lode_engine_move {
    LODE_MOVE_FIRST,
    LODE_MOVE_LAST,
    LODE_MOVE_NEXT,
    LODE_MOVE_PREV,
    LODE_MOVE_SEEK /* to the first key not below the one given */
} lode_engine_move;

/* `at`: which key of those asked for. */
typedef void (*lode_engine_visit)(void *context, size_t at, lode_bytes value);

typedef struct lode_engine {
    const char *name;
    const char *promise; /* what a write survives that is not synced */
    bool has_filter;     /* bloom_bits mean something to it */
    bool has_no_cache;   /* cache_bytes mean nothing to it */
    /* Why it cannot; NULL: it can. */
    const char *no_order; /* NULL: entries come in the order of their keys, from any key on */
    const char *no_reverse;
    const char *no_batch;
    const char *no_sync;
    const char *no_compact;
    void (*version)(char *text, size_t size);
    void (*describe)(char *text, size_t size, const lode_engine_settings *s); /* settings as they were understood */
    void *(*open)(const char *path, const lode_engine_settings *s);           /* made when missing */
    void (*close)(void *db);
    void (*put)(void *db, lode_bytes key, lode_bytes value, bool sync);
    void (*batch_begin)(void *db);
    void (*batch_put)(void *db, lode_bytes key, lode_bytes value);
    void (*batch_delete)(void *db, lode_bytes key);
    void (*batch_commit)(void *db, bool sync);
    bool (*get)(void *db, lode_bytes key, lode_bytes *value); /* lent until the next call */
    /* As get, by any number of threads at once and beside one that writes; the value is lent to visit. NULL: such an
     * engine is used by one thread at a time. */
    void (*get_beside)(void *db, const lode_bytes *keys, size_t count, lode_engine_visit visit, void *context);
    void *(*cursor_create)(void *db);
    bool (*cursor_move)(void *cursor, lode_engine_move move, lode_bytes key, lode_engine_entry *entry);
    void (*cursor_destroy)(void *cursor);
    void (*compact)(void *db);
} lode_engine;

/* What each adapter says of itself with functions of these names. */
#define LODE_ENGINE_CALLS                                                                                              \
    .version = write_version, .close = close_db, .put = put, .get = get, .cursor_create = cursor_create,               \
    .cursor_move = cursor_move, .cursor_destroy = cursor_destroy
#define LODE_ENGINE_BATCHES                                                                                            \
    .batch_begin = batch_begin, .batch_put = batch_put, .batch_delete = batch_delete, .batch_commit = batch_commit

/* Those that were built in, ends with NULL. */
const lode_engine *const *lode_engines(void);
const lode_engine *lode_engine_find(const char *name, size_t len);

__attribute__((noreturn, format(printf, 1, 2))) void lode_engine_stop(const char *format, ...);
/* Memory or the end of the process. */
void *lode_engine_memory(size_t bytes);

/* Where there is none; the one above it is there. */
void lode_engine_make_directory(const char *path);
/* The name of a file in `directory`, which is made where there is none. Given: free. */
__attribute__((format(printf, 2, 3))) char *lode_engine_file(const char *directory, const char *format, ...);
/* A directory or file and all below it. */
void lode_engine_remove(const char *path);
uint64_t lode_engine_disk_bytes(const char *path); /* blocks that are in use */

/* Lent buffers that grow. */
typedef struct lode_engine_buffer {
    uint8_t *bytes;
    size_t capacity;
} lode_engine_buffer;
void lode_engine_buffer_grow(lode_engine_buffer *b, size_t capacity);

extern const lode_engine lode_engine_lode;
extern const lode_engine lode_engine_leveldb;
extern const lode_engine lode_engine_rocksdb;
extern const lode_engine lode_engine_lmdb;
extern const lode_engine lode_engine_berkeleydb;
extern const lode_engine lode_engine_berkeleydb_hash;
extern const lode_engine lode_engine_sqlite;
extern const lode_engine lode_engine_kyoto_tree;
extern const lode_engine lode_engine_kyoto_hash;
extern const lode_engine lode_engine_tokyo_tree;
extern const lode_engine lode_engine_tokyo_hash;
extern const lode_engine lode_engine_files;

#endif
