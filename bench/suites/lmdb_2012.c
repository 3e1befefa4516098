/* bench/suites/lmdb_2012.c: the suite `lmdb-2012`: the whole list of that comparison, by its names.
 *
 * fill...: a fresh database each. fillsync and fill100K are LevelDB's names for fillrandsync and fillrand100K, which
 * were measured by another number of writes. fillrandint has 8-byte numbers as keys. Reads follow fillrandom and
 * overwrite.
 */
#include "bench/suites/plan.h"

static lode_chapter *add(lode_plan *plan, const lode_plan_wish *wish, uint64_t entries, size_t value_len)
{
    lode_chapter *c = lode_plan_add(plan, wish, "the list", entries, value_len, (size_t)8 << 20);

    if (!wish->has_bloom)
        c->settings.bloom_bits = 0;
    if (!wish->has_compress)
        c->settings.compress = false;
    return c;
}

static lode_phase *add_fill(lode_plan *plan, const lode_plan_wish *wish, const char *row, lode_key_order order,
                            uint32_t batch)
{
    lode_phase *p = lode_chapter_add(add(plan, wish, lode_wish_entries(wish, 600, 100000, 1000000), 100),
                                     LODE_PHASE_FILL, row, order);

    p->batch = batch;
    return p;
}

static void add_sync(lode_plan *plan, const lode_plan_wish *wish, const char *row, lode_key_order order)
{
    lode_chapter *c = add(plan, wish, lode_wish_entries(wish, 600, 100000, 1000000) / 1000 + 20, 100);

    c->settings.sync = true;
    lode_chapter_add(c, LODE_PHASE_FILL, row, order)->sync = true;
}

static void add_integers(lode_plan *plan, const lode_plan_wish *wish, const char *row, uint32_t batch)
{
    lode_chapter *c = add(plan, wish, lode_wish_entries(wish, 600, 100000, 1000000), 100);

    c->key_form = LODE_KEY_INTEGER;
    c->settings.integer_keys = true;
    lode_chapter_add(c, LODE_PHASE_FILL, row, LODE_ORDER_RANDOM)->batch = batch;
}

static void add_reads(lode_plan *plan, const lode_plan_wish *wish)
{
    lode_chapter *c = add(plan, wish, lode_wish_entries(wish, 600, 100000, 1000000), 100);

    lode_chapter_add(c, LODE_PHASE_FILL, "fillrandom", LODE_ORDER_RANDOM);
    lode_chapter_add(c, LODE_PHASE_FILL, "overwrite", LODE_ORDER_RANDOM);
    lode_chapter_add(c, LODE_PHASE_FILL, "overwritebatch", LODE_ORDER_RANDOM)->batch = 1000;
    lode_chapter_add(c, LODE_PHASE_READ, "readrandom", LODE_ORDER_RANDOM);
    lode_chapter_add(c, LODE_PHASE_READ, "readrandom, second run", LODE_ORDER_RANDOM);
    lode_chapter_add(c, LODE_PHASE_SCAN, "readseq", LODE_ORDER_SEQUENTIAL);
    lode_chapter_add(c, LODE_PHASE_REVERSE, "readreverse", LODE_ORDER_SEQUENTIAL);
    lode_chapter_add(c, LODE_PHASE_COMPACT, "compact", LODE_ORDER_SEQUENTIAL)->ops = 1;
    lode_chapter_add(c, LODE_PHASE_READ, "readrandom after compact", LODE_ORDER_RANDOM);
    lode_chapter_add(c, LODE_PHASE_SCAN, "readseq after compact", LODE_ORDER_SEQUENTIAL);
    lode_chapter_add(c, LODE_PHASE_REVERSE, "readreverse after compact", LODE_ORDER_SEQUENTIAL);
}

static void add_large(lode_plan *plan, const lode_plan_wish *wish)
{
    uint64_t entries = lode_wish_entries(wish, 600, 100000, 1000000) / 1000 + 20;
    lode_chapter *c = add(plan, wish, entries, 100000);

    lode_chapter_add(c, LODE_PHASE_FILL, "fillrand100K", LODE_ORDER_RANDOM);
    c = add(plan, wish, entries, 100000);
    lode_chapter_add(c, LODE_PHASE_FILL, "fill100K", LODE_ORDER_RANDOM);
    c = add(plan, wish, entries, 100000);
    lode_chapter_add(c, LODE_PHASE_FILL, "fillseq100K", LODE_ORDER_SEQUENTIAL);
    lode_chapter_add(c, LODE_PHASE_SCAN, "readseq100K", LODE_ORDER_SEQUENTIAL)->passes = 10;
    lode_chapter_add(c, LODE_PHASE_READ, "readrand100K", LODE_ORDER_RANDOM)->ops = 10 * entries;
}

static void add_pieces(lode_plan *plan, const lode_plan_wish *wish)
{
    lode_chapter *c = add(plan, wish, 10, 100);
    uint64_t ops = wish->size == LODE_SIZE_TINY ? 100 : 20000;

    c->table = "what tables are made of, 4 KiB at a time (the same code for every engine)";
    c->only = "lode";
    lode_chapter_add(c, LODE_PHASE_CRC32C, "crc32c (4 kB)", LODE_ORDER_SEQUENTIAL)->ops = ops;
    lode_chapter_add(c, LODE_PHASE_SNAPPY, "snappycomp", LODE_ORDER_SEQUENTIAL)->ops = ops;
    lode_chapter_add(c, LODE_PHASE_UNSNAPPY, "snappyuncomp", LODE_ORDER_SEQUENTIAL)->ops = ops;
}

void lode_plan_lmdb_2012(lode_plan *plan, const lode_plan_wish *wish)
{
    plan->unit = LODE_UNIT_US_PER_OP;
    plan->base = "leveldb";
    plan->published_unit = "microseconds per operation";
    add_fill(plan, wish, "fillseq", LODE_ORDER_SEQUENTIAL, 1);
    add_sync(plan, wish, "fillseqsync", LODE_ORDER_SEQUENTIAL);
    add_fill(plan, wish, "fillseqbatch", LODE_ORDER_SEQUENTIAL, 1000);
    add_integers(plan, wish, "fillrandint", 1);
    add_integers(plan, wish, "fillrandibatch", 1000);
    add_sync(plan, wish, "fillrandsync", LODE_ORDER_RANDOM);
    add_sync(plan, wish, "fillsync", LODE_ORDER_RANDOM);
    add_fill(plan, wish, "fillrandbatch", LODE_ORDER_RANDOM, 1000);
    add_reads(plan, wish);
    add_large(plan, wish);
    add_pieces(plan, wish);
}
