/* bench/suites/hashdb_2011.c: the suite `hashdb-2011`: insert and iterate; nothing compressed, nothing synced.
 *
 * Values called small there are of 8 bytes here; keys are of 16. Iteration is in whatever order an engine has.
 */
#include "bench/suites/plan.h"

static void add(lode_plan *plan, const lode_plan_wish *wish, const char *const rows[2], uint64_t entries,
                size_t value_len)
{
    lode_chapter *c = lode_plan_add(plan, wish, "insert and iterate", entries, value_len, (size_t)8 << 20);

    if (!wish->has_bloom)
        c->settings.bloom_bits = 0;
    if (!wish->has_compress)
        c->settings.compress = false;
    lode_chapter_add(c, LODE_PHASE_FILL, rows[0], LODE_ORDER_SHUFFLED);
    lode_chapter_add(c, LODE_PHASE_SCAN, rows[1], LODE_ORDER_SEQUENTIAL);
}

void lode_plan_hashdb_2011(lode_plan *plan, const lode_plan_wish *wish)
{
    static const char *const rows[4][2] = {
        { "100,000 entries, small values: insert", "100,000 entries, small values: iterate" },
        { "100,000 entries, 512-byte values: insert", "100,000 entries, 512-byte values: iterate" },
        { "1,000,000 entries, small values: insert", "1,000,000 entries, small values: iterate" },
        { "1,000,000 entries, 512-byte values: insert", "1,000,000 entries, 512-byte values: iterate" },
    };
    uint64_t entries = lode_wish_entries(wish, 1000, 100000, 100000);

    plan->unit = LODE_UNIT_SECONDS;
    plan->base = "leveldb";
    plan->published_unit = "seconds";
    add(plan, wish, rows[0], entries, 8);
    add(plan, wish, rows[1], entries, 512);
    if (wish->size != LODE_SIZE_FULL)
        return;
    add(plan, wish, rows[2], 10 * entries, 8);
    add(plan, wish, rows[3], 10 * entries, 512);
}
