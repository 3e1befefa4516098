/* bench/suites/plan.c: the list of suites, and what they build plans with. */
#include "bench/suites/plan.h"

const lode_suite lode_suites[] = {
    { "store", "lode's own table: fills, overwrites, reads, scans, seeks, batches, large values", lode_plan_store },
    { "leveldb-2011", "LevelDB, SQLite and Kyoto TreeDB as LevelDB's page of 2011 compared them",
      lode_plan_leveldb_2011 },
    { "hashdb-2011", "Kyoto HashDB, TreeDB and LevelDB: insert and iterate", lode_plan_hashdb_2011 },
    { "lmdb-2012", "LMDB and LevelDB, the list of 2012", lode_plan_lmdb_2012 },
    { "documents-2003", "Berkeley DB and one file per document", lode_plan_documents_2003 },
    { "coins", "unspent outputs: spends, creations and misses in batches, a growing set", lode_plan_coins },
    { "txids", "random keys written once, then read, as in a transaction index", lode_plan_txids },
};
const int lode_suite_count = sizeof lode_suites / sizeof lode_suites[0];

lode_chapter *lode_plan_add(lode_plan *plan, const lode_plan_wish *wish, const char *table, uint64_t entries,
                            size_t value_len, size_t cache_bytes)
{
    lode_chapter *c = &plan->chapters[plan->chapter_count];

    if (plan->chapter_count == LODE_CHAPTERS_MAX)
        lode_engine_stop("a plan has more than %d chapters", LODE_CHAPTERS_MAX);
    plan->chapter_count++;
    *c = (lode_chapter){ .table = table, .entries = entries, .value_len = value_len, .settings = wish->settings };
    c->settings.entries = entries;
    c->settings.data_bytes = entries * (uint64_t)(value_len + 40);
    c->settings.large_values = value_len > 2000;
    if (!wish->has_cache)
        c->settings.cache_bytes = cache_bytes;
    return c;
}

lode_phase *lode_chapter_add(lode_chapter *c, lode_phase_kind kind, const char *row, lode_key_order order)
{
    lode_phase *p = &c->phases[c->phase_count];

    if (c->phase_count == LODE_PHASES_MAX)
        lode_engine_stop("a chapter has more than %d phases", LODE_PHASES_MAX);
    c->phase_count++;
    *p = (lode_phase){ .kind = kind, .row = row, .order = order };
    return p;
}

uint64_t lode_wish_entries(const lode_plan_wish *wish, uint64_t tiny, uint64_t small, uint64_t full)
{
    if (wish->entries)
        return wish->entries;
    return wish->size == LODE_SIZE_TINY ? tiny : wish->size == LODE_SIZE_SMALL ? small : full;
}
