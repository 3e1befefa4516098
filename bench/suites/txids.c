/* bench/suites/txids.c: the suite `txids`: a transaction index: random 33-byte keys written once, then read. */
#include "bench/suites/plan.h"

static void add_way(lode_plan *plan, const lode_plan_wish *wish, const char *table, bool bulk)
{
    lode_chapter *c =
        lode_plan_add(plan, wish, table, lode_wish_entries(wish, 1000, 200000, 3000000), 12, (size_t)8 << 20);

    c->key_form = LODE_KEY_TXID;
    c->settings.bulk = bulk;
    lode_chapter_add(c, LODE_PHASE_FILL, "write, batches of 10,000", LODE_ORDER_SEQUENTIAL)->batch = 10000;
    if (bulk)
        lode_chapter_add(c, LODE_PHASE_COMPACT, "compact all (per entry)", LODE_ORDER_SEQUENTIAL);
    else
        lode_chapter_add(c, LODE_PHASE_SETTLE, "what was left to do", LODE_ORDER_SEQUENTIAL);
    lode_chapter_add(c, LODE_PHASE_REOPEN, NULL, LODE_ORDER_SEQUENTIAL);
    lode_chapter_add(c, LODE_PHASE_READ, "read random", LODE_ORDER_RANDOM)->ops = c->entries / 2;
    lode_chapter_add(c, LODE_PHASE_READ, "read missing", LODE_ORDER_MISSING)->ops = c->entries / 2;
    lode_chapter_add(c, LODE_PHASE_SCAN, "read sequential", LODE_ORDER_SEQUENTIAL);
}

void lode_plan_txids(lode_plan *plan, const lode_plan_wish *wish)
{
    plan->unit = LODE_UNIT_US_PER_OP;
    add_way(plan, wish, "written as it comes", false);
    add_way(plan, wish, "written in bulk, then compacted", true);
}
