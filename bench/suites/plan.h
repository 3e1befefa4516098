/* bench/suites/plan.h: what a suite measures, as a list.
 *
 * A chapter is one process with one fresh database; its phases follow each other. A phase with a row is timed, one
 * without prepares. Phases of several chapters may stand in one table.
 */
#ifndef LODE_BENCH_SUITES_PLAN_H
#define LODE_BENCH_SUITES_PLAN_H

#include "bench/engines/engine.h"
#include "bench/suites/workload.h"

typedef enum lode_phase_kind {
    LODE_PHASE_FILL,    /* puts, or batches of them */
    LODE_PHASE_READ,    /* point reads */
    LODE_PHASE_SCAN,    /* all entries forward */
    LODE_PHASE_REVERSE, /* all entries backward */
    LODE_PHASE_SEEK,    /* a cursor to a key, and the entry there */
    LODE_PHASE_SETTLE,  /* until the engine's threads have nothing left to do */
    LODE_PHASE_COMPACT, /* all of it */
    LODE_PHASE_REOPEN,  /* close and open */
    LODE_PHASE_CLOSE,   /* close, timed; the next phase opens */
    LODE_PHASE_COINS,   /* spends and creations in batches */
    LODE_PHASE_CRC32C,  /* of 4 KiB; the engine does not matter */
    LODE_PHASE_SNAPPY,  /* compress 4 KiB */
    LODE_PHASE_UNSNAPPY /* and back */
} lode_phase_kind;

typedef struct lode_phase {
    lode_phase_kind kind;
    const char *row; /* NULL: not timed */
    lode_key_order order;
    uint64_t ops;   /* 0: as many as the chapter has entries */
    uint32_t batch; /* 0 or 1: single writes */
    bool sync;
    uint32_t passes; /* over the whole; 0: one */
    double per;      /* operations counted as one in print (documents: a pass); 0: 1 */
} lode_phase;

enum { LODE_PHASES_MAX = 24, LODE_CHAPTERS_MAX = 64, LODE_ROUNDS_MAX = 15 };

typedef struct lode_chapter {
    const char *table; /* the heading it belongs under */
    const char *only;  /* the engine that it is for; NULL: all */
    lode_key_form key_form;
    size_t value_len;
    bool documents;
    bool is_variant; /* of what was published: no figures stand beside it */
    uint64_t entries;
    lode_engine_settings settings;
    lode_phase phases[LODE_PHASES_MAX];
    int phase_count;
} lode_chapter;

typedef enum lode_unit {
    LODE_UNIT_US_PER_OP,
    LODE_UNIT_OPS_PER_S,
    LODE_UNIT_SECONDS /* of the whole phase */
} lode_unit;

typedef enum lode_size { LODE_SIZE_TINY, LODE_SIZE_SMALL, LODE_SIZE_FULL } lode_size;

typedef struct lode_plan {
    const char *suite;
    const char *about;
    lode_unit unit;
    const char *base; /* the engine that ratios are held against where figures are published */
    const char *published_unit;
    lode_chapter chapters[LODE_CHAPTERS_MAX];
    int chapter_count;
} lode_plan;

/* The options that plans read; 0 or false: the suite's own choice. */
typedef struct lode_plan_wish {
    lode_size size;
    uint64_t entries;
    size_t value_len;
    lode_engine_settings settings; /* cache_bytes, write_buffer_bytes and bloom_bits as below */
    bool has_cache, has_write_buffer, has_bloom, has_compress;
} lode_plan_wish;

typedef struct lode_suite {
    const char *name, *about;
    void (*plan)(lode_plan *plan, const lode_plan_wish *wish);
} lode_suite;
extern const lode_suite lode_suites[];
extern const int lode_suite_count;

/* For suites. */
lode_chapter *lode_plan_add(lode_plan *plan, const lode_plan_wish *wish, const char *table, uint64_t entries,
                            size_t value_len, size_t cache_bytes);
lode_phase *lode_chapter_add(lode_chapter *c, lode_phase_kind kind, const char *row, lode_key_order order);
/* tiny, small or full, unless the option says otherwise. */
uint64_t lode_wish_entries(const lode_plan_wish *wish, uint64_t tiny, uint64_t small, uint64_t full);

void lode_plan_store(lode_plan *plan, const lode_plan_wish *wish);
void lode_plan_leveldb_2011(lode_plan *plan, const lode_plan_wish *wish);
void lode_plan_hashdb_2011(lode_plan *plan, const lode_plan_wish *wish);
void lode_plan_lmdb_2012(lode_plan *plan, const lode_plan_wish *wish);
void lode_plan_documents_2003(lode_plan *plan, const lode_plan_wish *wish);
void lode_plan_coins(lode_plan *plan, const lode_plan_wish *wish);
void lode_plan_txids(lode_plan *plan, const lode_plan_wish *wish);

#endif
