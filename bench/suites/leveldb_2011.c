/* bench/suites/leveldb_2011.c: the suite `leveldb-2011`: the rows of LevelDB's page of 2011.
 *
 * 16-byte keys, 100-byte values half compressible, 4 MB of cache, nothing synced unless the row says so; then large
 * values, batches, synced writes, without compression, and with 128 MB of memory (LSM stores: 32 MiB of it as write
 * buffer, of which two may be held, and 64 MiB of cache).
 */
#include "bench/suites/plan.h"

enum { MIB = 1 << 20 };

static lode_chapter *add(lode_plan *plan, const lode_plan_wish *wish, const char *table, uint64_t entries,
                         size_t value_len)
{
    lode_chapter *c = lode_plan_add(plan, wish, table, entries, value_len, (size_t)4 * MIB);

    if (!wish->has_bloom)
        c->settings.bloom_bits = 0; /* there was none yet */
    return c;
}

static void add_reads(lode_chapter *c)
{
    lode_chapter_add(c, LODE_PHASE_SETTLE, NULL, LODE_ORDER_SEQUENTIAL);
    lode_chapter_add(c, LODE_PHASE_REOPEN, NULL, LODE_ORDER_SEQUENTIAL);
    lode_chapter_add(c, LODE_PHASE_SCAN, "read sequential", LODE_ORDER_SEQUENTIAL);
    lode_chapter_add(c, LODE_PHASE_REVERSE, "read reverse", LODE_ORDER_SEQUENTIAL);
    lode_chapter_add(c, LODE_PHASE_READ, "read random", LODE_ORDER_RANDOM);
}

static void add_basics(lode_plan *plan, const lode_plan_wish *wish, const char *table, uint64_t entries, bool plain,
                       bool large)
{
    for (int random = 0; random < 2; random++) {
        lode_chapter *c = add(plan, wish, table, entries, 100);
        c->is_variant = plain || large;
        if (plain)
            c->settings.compress = false;
        if (large && !wish->has_cache)
            c->settings.cache_bytes = (size_t)64 * MIB;
        if (large && !wish->has_write_buffer)
            c->settings.write_buffer_bytes = (size_t)32 * MIB;
        lode_chapter_add(c, LODE_PHASE_FILL, random ? "write random" : "write sequential",
                         random ? LODE_ORDER_RANDOM : LODE_ORDER_SEQUENTIAL);
        if (random)
            add_reads(c);
    }
}

static void add_write(lode_plan *plan, const lode_plan_wish *wish, uint64_t entries, size_t value_len, const char *row,
                      lode_key_order order, uint32_t batch, bool sync)
{
    lode_chapter *c = add(plan, wish, "the page's conditions", entries, value_len);
    lode_phase *p = lode_chapter_add(c, LODE_PHASE_FILL, row, order);

    p->batch = batch;
    p->sync = c->settings.sync = sync;
}

void lode_plan_leveldb_2011(lode_plan *plan, const lode_plan_wish *wish)
{
    uint64_t entries = lode_wish_entries(wish, 600, 100000, 1000000);
    uint64_t synced = entries / 100 + 10;

    plan->unit = LODE_UNIT_OPS_PER_S;
    plan->base = "leveldb";
    plan->published_unit = "operations per second";
    add_basics(plan, wish, "the page's conditions", entries, false, false);
    add_write(plan, wish, entries / 1000 + 10, 100000, "write sequential, 100,000-byte values", LODE_ORDER_SEQUENTIAL,
              1, false);
    add_write(plan, wish, entries / 1000 + 10, 100000, "write random, 100,000-byte values", LODE_ORDER_RANDOM, 1,
              false);
    add_write(plan, wish, entries, 100, "batch write sequential (1,000 x 1,000 x 100 bytes)", LODE_ORDER_SEQUENTIAL,
              1000, false);
    add_write(plan, wish, entries, 100, "batch write random", LODE_ORDER_RANDOM, 1000, false);
    add_write(plan, wish, synced, 100, "synchronous write sequential (10,000 writes)", LODE_ORDER_SEQUENTIAL, 1, true);
    add_write(plan, wish, synced, 100, "synchronous write random", LODE_ORDER_RANDOM, 1, true);
    add_basics(plan, wish, "without compression", entries, true, false);
    add_basics(plan, wish, "with 128 MB of memory", entries, false, true);
}
