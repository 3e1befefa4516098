/* bench/suites/store.c: the suite `store`: what an LSM store is asked for, with a small cache and with a large one. */
#include <stdio.h>

#include "bench/suites/plan.h"

enum { MIB = 1 << 20 };

static void add_reads(lode_chapter *c)
{
    uint64_t seeks = c->entries / 4 ? c->entries / 4 : 1;

    lode_chapter_add(c, LODE_PHASE_SETTLE, "fill random: what was left to do", LODE_ORDER_SEQUENTIAL);
    lode_chapter_add(c, LODE_PHASE_REOPEN, NULL, LODE_ORDER_SEQUENTIAL);
    lode_chapter_add(c, LODE_PHASE_READ, "read random", LODE_ORDER_RANDOM);
    lode_chapter_add(c, LODE_PHASE_READ, "read missing", LODE_ORDER_MISSING);
    lode_chapter_add(c, LODE_PHASE_READ, "read hot", LODE_ORDER_HOT);
    lode_chapter_add(c, LODE_PHASE_SEEK, "seek random", LODE_ORDER_RANDOM)->ops = seeks;
    lode_chapter_add(c, LODE_PHASE_SCAN, "read sequential", LODE_ORDER_SEQUENTIAL);
    lode_chapter_add(c, LODE_PHASE_REVERSE, "read reverse", LODE_ORDER_SEQUENTIAL);
}

static void add_main(lode_plan *plan, const lode_plan_wish *wish, const char *table, uint64_t entries,
                     size_t cache_bytes)
{
    lode_chapter *c = lode_plan_add(plan, wish, table, entries, 100, cache_bytes);

    lode_chapter_add(c, LODE_PHASE_FILL, "fill random", LODE_ORDER_SHUFFLED);
    add_reads(c);
    lode_chapter_add(c, LODE_PHASE_FILL, "overwrite", LODE_ORDER_SHUFFLED);
    lode_chapter_add(c, LODE_PHASE_SETTLE, "overwrite: what was left to do", LODE_ORDER_SEQUENTIAL);
    lode_chapter_add(c, LODE_PHASE_COMPACT, NULL, LODE_ORDER_SEQUENTIAL);
    lode_chapter_add(c, LODE_PHASE_READ, "read random, compacted", LODE_ORDER_RANDOM);
    lode_chapter_add(c, LODE_PHASE_SCAN, "read sequential, compacted", LODE_ORDER_SEQUENTIAL);
}

static void add_fill(lode_plan *plan, const lode_plan_wish *wish, const char *table, uint64_t entries, const char *row,
                     lode_key_order order, uint32_t batch)
{
    lode_chapter *c = lode_plan_add(plan, wish, table, entries, 100, (size_t)4 * MIB);

    lode_chapter_add(c, LODE_PHASE_FILL, row, order)->batch = batch;
}

static void add_other_values(lode_plan *plan, const lode_plan_wish *wish, uint64_t entries)
{
    lode_chapter *c = lode_plan_add(plan, wish, "512-byte values, 4 MiB cache", entries / 2 + 1, 512, (size_t)4 * MIB);

    lode_chapter_add(c, LODE_PHASE_FILL, "fill random", LODE_ORDER_SHUFFLED);
    add_reads(c);
    c = lode_plan_add(plan, wish, "100,000-byte values, 4 MiB cache", entries / 1000 + 20, 100000, (size_t)4 * MIB);
    lode_chapter_add(c, LODE_PHASE_FILL, "fill random", LODE_ORDER_SHUFFLED);
    lode_chapter_add(c, LODE_PHASE_SETTLE, "fill random: what was left to do", LODE_ORDER_SEQUENTIAL);
    lode_chapter_add(c, LODE_PHASE_READ, "read random", LODE_ORDER_RANDOM);
    lode_chapter_add(c, LODE_PHASE_SCAN, "read sequential", LODE_ORDER_SEQUENTIAL);
}

static void add_size(lode_plan *plan, const lode_plan_wish *wish, uint64_t entries)
{
    static char titles[4][3][80];
    static int used;
    char(*title)[80] = titles[used++ % 4];

    snprintf(title[0], sizeof title[0], "%llu entries, 100-byte values, 4 MiB cache", (unsigned long long)entries);
    snprintf(title[1], sizeof title[1], "%llu entries, 100-byte values, 512 MiB cache", (unsigned long long)entries);
    add_fill(plan, wish, title[0], entries, "fill sequential", LODE_ORDER_SEQUENTIAL, 1);
    add_fill(plan, wish, title[0], entries, "fill sequential, batches of 1,000", LODE_ORDER_SEQUENTIAL, 1000);
    add_fill(plan, wish, title[0], entries, "fill random, batches of 1,000", LODE_ORDER_SHUFFLED, 1000);
    add_main(plan, wish, title[0], entries, (size_t)4 * MIB);
    if (!wish->has_cache)
        add_main(plan, wish, title[1], entries, (size_t)512 * MIB);
}

void lode_plan_store(lode_plan *plan, const lode_plan_wish *wish)
{
    uint64_t entries = lode_wish_entries(wish, 600, 100000, 1000000);
    lode_chapter *c;

    plan->unit = LODE_UNIT_US_PER_OP;
    add_size(plan, wish, entries);
    if (wish->size == LODE_SIZE_FULL && !wish->entries)
        add_size(plan, wish, 10 * entries);
    c = lode_plan_add(plan, wish, "synced writes", entries / 500 + 20, 100, (size_t)4 * MIB);
    lode_chapter_add(c, LODE_PHASE_FILL, "fill random, each synced", LODE_ORDER_SHUFFLED)->sync = true;
    c->settings.sync = true;
    add_other_values(plan, wish, entries);
    lode_plan_coins(plan, wish);
}
