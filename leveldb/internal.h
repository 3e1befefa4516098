/* leveldb/internal.h: the objects behind LevelDB's C interface. Nobody else includes this.
 *
 * This room gives lode/store.h LevelDB's names and rules. It adds nothing to what the store does.
 */
#ifndef LODE_LEVELDB_INTERNAL_H
#define LODE_LEVELDB_INTERNAL_H

#include "lode-leveldb/leveldb/c.h"
#include "lode/store.h"
#include "support/status.h"
#include "support/thread.h"

struct leveldb_comparator_t {
    void *state;
    void (*destructor)(void *state);
    int (*compare)(void *state, const char *a, size_t a_len, const char *b, size_t b_len);
    const char *(*name)(void *state);
};

struct leveldb_filterpolicy_t {
    void *state;
    void (*destructor)(void *state);
    char *(*create_filter)(void *state, const char *const *keys, const size_t *key_lens, int count, size_t *filter_len);
    uint8_t (*key_may_match)(void *state, const char *key, size_t key_len, const char *filter, size_t filter_len);
    const char *(*name)(void *state);
    int bloom_bits; /* not 0: the store's own bloom filter, and nothing of the above */
};

struct leveldb_options_t {
    lode_store_options store;
    const leveldb_comparator_t *comparator; /* NULL: bytewise */
    const leveldb_filterpolicy_t *policy;   /* NULL: none */
};

struct leveldb_readoptions_t {
    bool verify_checksums, fill_cache;
    const leveldb_snapshot_t *snapshot;
};

struct leveldb_writeoptions_t {
    bool sync;
};

/* What the store keeps of the options that belong to one open store. */
typedef struct lode_leveldb_custom {
    leveldb_comparator_t comparator;
    leveldb_filterpolicy_t policy;
    lode_comparator store_comparator;
    lode_filter_policy store_policy;
} lode_leveldb_custom;

/* options.c: the store's options, with comparator and policy through `custom`, which they point to; NULL: the
 * defaults. Nothing to free. */
void lode_leveldb_options(lode_store_options *out, lode_leveldb_custom *custom, const leveldb_options_t *options);
/* custom.c */
void lode_leveldb_set_custom(lode_store_options *out, lode_leveldb_custom *custom,
                             const leveldb_comparator_t *comparator, const leveldb_filterpolicy_t *policy);

/* error.c: a failure frees *error and puts malloc'd text there; success leaves it alone. True: it has failed. */
bool lode_leveldb_take_error(char **error, lode_status s);
/* For the failure that finds no memory for its text; at each open. */
void lode_leveldb_keep_spare_error(void);

/* ---- what belongs to an open store ---- */

struct leveldb_snapshot_t {
    lode_snapshot *snapshot;
    leveldb_snapshot_t *next, **link; /* of its store's; guarded by its lock */
};

struct leveldb_iterator_t {
    leveldb_t *db;      /* NULL: the store was closed */
    lode_iterator *it;  /* NULL: the store was closed, or memory was out */
    lode_status status; /* when `it` is NULL */
    leveldb_iterator_t *next, **link;
};

struct leveldb_t {
    lode_store *store;
    lode_leveldb_custom custom;
    lode_mutex lock;
    /* Guarded by lock. */
    leveldb_snapshot_t *snapshots;
    leveldb_iterator_t *iterators;
};

/* iterator.c: what is left when the store is closed. */
void lode_leveldb_orphan_iterators(leveldb_t *db);
void lode_leveldb_release_snapshots(leveldb_t *db);

#endif
