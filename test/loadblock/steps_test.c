/* test/loadblock/steps_test.c: random steps on one directory: imports of some blocks in some order, single blocks,
 * blocks declared bad and good, stops, reopenings, rebuilds. After each step the tip and the coins are what a plain
 * model says.
 *
 * $LODE_SEED chooses the steps, $LODE_LONG=1 makes more of them.
 */
#include "test/loadblock/bed.h"

#include <string.h>

#include "api/handle.h"
#include "bench/chain/random.h"

enum { STEM = 103, BRANCHES = 4, BLOCKS_MAX = 512 };

/* All blocks there are, parents before children. */
static made_chain all;
static int parent_of[BLOCKS_MAX];
static bool is_bad[BLOCKS_MAX]; /* scripts fail: found when it is connected */
static bed_print prints[BLOCKS_MAX];
static bool has_print[BLOCKS_MAX];

typedef struct model {
    bed b;
    lode_random random;
    bool stored[BLOCKS_MAX], failed[BLOCKS_MAX];
    int tip;
} model;

static void add_block(const made_block *block, bool bad)
{
    int parent = -1;
    for (size_t i = 0; i < all.count; i++)
        if (memcmp(all.blocks[i].hash.bytes, block->raw + 4, 32) == 0)
            parent = (int)i;
    assert_true(all.count < BLOCKS_MAX && (parent >= 0 || block->height == 0));
    parent_of[all.count] = parent;
    is_bad[all.count] = bad;
    made_chain_add_raw(&all, block->raw, block->size, block->height);
}

static void make_blocks(void)
{
    lode_chain_maker *maker = made_maker(111, 10);
    lode_made_block made;
    made_chain some = { 0 };

    lode_chain_maker_genesis(&made);
    made_chain_add(&some, &made);
    made_extend(maker, &some, STEM);
    for (int i = 0; i < BRANCHES; i++) {
        assert_int_equal(lode_chain_maker_mark(maker).code, LODE_OK);
        made_extend(maker, &some, 6 + (uint32_t)i % 2);
        assert_int_equal(lode_chain_maker_make_invalid(maker, &made, made_invalid_kind("bad-signature")).code, LODE_OK);
        made_chain_add(&some, &made);
        if (i % 2)
            lode_chain_maker_rewind(maker);
        else
            lode_chain_maker_drop_mark(maker);
    }
    for (size_t i = 0; i < some.count; i++)
        add_block(&some.blocks[i], some.blocks[i].reject != NULL);
    made_chain_clear(&some);
    /* empty blocks here and there, also upon bad ones */
    lode_random random;
    lode_random_init(&random, 12);
    for (uint32_t salt = 0; salt < 40; salt++) {
        size_t parent = STEM - 4 + lode_random_below(&random, all.count - STEM + 4);
        made_empty_upon(&some, &all.blocks[parent], salt);
        add_block(&some.blocks[some.count - 1], false);
    }
    made_chain_clear(&some);
    lode_chain_maker_destroy(maker);
}

static bool descends(int block, int from)
{
    while (block > from)
        block = parent_of[block];
    return block == from;
}

/* What the coins are at a tip, found once on a directory of its own. */
static const bed_print *print_at(int tip)
{
    if (!has_print[tip]) {
        bed b;
        lode_buf file = LODE_BUF_EMPTY;
        bed_init(&b, "regtest");
        for (int i = 0; i <= tip; i++)
            if (descends(tip, i))
                bed_put_frame(&b, &file, &all.blocks[i]);
        const char *path = bed_write(&b, "one.dat", &file);
        assert_ok(bed_import(&b, &path, 1));
        bed_assert_tip(&b, &all.blocks[tip]);
        prints[tip] = bed_take_print(&b);
        has_print[tip] = true;
        lode_buf_clear(&file);
        bed_clear(&b);
    }
    return &prints[tip];
}

/* ---- the model ---- */

static bool can_be_tip(const model *m, int block)
{
    for (int i = block; i >= 0; i = parent_of[i])
        if (!m->stored[i] || m->failed[i])
            return false;
    return true;
}

/* The new tip: of the best ones the old one if it is among them, else any. A bad block that would be connected is found
 * out; that depends on what is tried, so the index is asked which ones were. */
static void settle(model *m)
{
    lode_tip tip = bed_tip(&m->b);
    int is = -1, best = 0;

    for (size_t i = 0; i < all.count; i++) {
        const lode_entry *e = lode_block_index_find(m->b.h->chain->index, &all.blocks[i].hash);
        bool failed = e && (e->status & LODE_BLOCK_FAILED_VALID);
        if (failed && !m->failed[i]) {
            int at = (int)i;
            while (at >= 0 && !is_bad[at])
                at = parent_of[at];
            if (at < 0)
                fail_msg("block %zu (height %d) is good and was marked bad", i, all.blocks[i].height);
            m->failed[i] = true;
        }
        if (memcmp(tip.hash, all.blocks[i].hash.bytes, 32) == 0)
            is = (int)i;
    }
    for (size_t i = 0; i < all.count; i++)
        if (can_be_tip(m, (int)i) && all.blocks[i].height > all.blocks[best].height)
            best = (int)i;
    assert_true(is >= 0);
    if (!can_be_tip(m, is))
        fail_msg("the tip, block %d at height %d, is no candidate", is, tip.height);
    if (tip.height != all.blocks[best].height)
        fail_msg("the tip is at height %d, the best is at %d", tip.height, all.blocks[best].height);
    if (is != m->tip && can_be_tip(m, m->tip) && all.blocks[m->tip].height == tip.height)
        fail_msg("the tip moved from block %d to %d of equal work", m->tip, is);
    m->tip = is;
}

/* Blocks given in one import: each is stored if its parent is, at whatever time. */
static void store_in_model(model *m, const bool *given)
{
    for (size_t i = 1; i < all.count; i++)
        if (given[i] && !m->stored[i] && parent_of[i] >= 0 && m->stored[parent_of[i]] && !m->failed[parent_of[i]])
            m->stored[i] = true;
}

static bool is_stored(const model *m, size_t i)
{
    const lode_entry *e = lode_block_index_find(m->b.h->chain->index, &all.blocks[i].hash);
    return e && (e->status & LODE_BLOCK_HAVE_DATA);
}

/* A block upon a bad one may be stored before that is found out, or not. */
static void compare_stored(model *m)
{
    for (size_t i = 0; i < all.count; i++) {
        bool is = is_stored(m, i), upon_bad = false;
        for (int at = parent_of[i]; at >= 0; at = parent_of[at])
            upon_bad |= is_bad[at];
        if (upon_bad)
            m->stored[i] = is;
        if (is != m->stored[i])
            fail_msg("block %zu (height %d) is %sstored", i, all.blocks[i].height, is ? "" : "not ");
    }
}

/* ---- steps ---- */

static void step_import(model *m, bool stop)
{
    bool given[BLOCKS_MAX] = { false };
    size_t order[BLOCKS_MAX], n = 0, files = 1 + lode_random_below(&m->random, 3);
    const char *paths[3];
    lode_buf file = LODE_BUF_EMPTY;
    size_t first = lode_random_below(&m->random, 2) ? STEM : 0, share = 1 + lode_random_below(&m->random, 100);

    for (size_t i = first; i < all.count; i++)
        if (lode_random_below(&m->random, 100) < share)
            order[n++] = i;
    for (size_t i = n; i-- > 1 && lode_random_below(&m->random, 2);) {
        size_t j = lode_random_below(&m->random, i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    for (size_t f = 0; f < files; f++) {
        char name[32];
        snprintf(name, sizeof name, "in/%zu.dat", f);
        for (size_t i = f * n / files; i < (f + 1) * n / files; i++) {
            given[order[i]] = true;
            bed_put_frame(&m->b, &file, &all.blocks[order[i]]);
        }
        paths[f] = bed_write(&m->b, name, &file);
        free(m->b.paths[--m->b.path_count]); /* there is room for few names: this one is kept here */
        paths[f] = f == 0 ? "/bed/in/0.dat" : f == 1 ? "/bed/in/1.dat" : "/bed/in/2.dat";
    }
    lode_buf_clear(&file);
    m->b.act_at_ask = stop ? m->b.clock_asks + 1 + lode_random_below(&m->random, 30) : 0;
    lode_status s = bed_import(&m->b, paths, files);
    m->b.act_at_ask = 0;
    if (s.code == LODE_CANCELLED) {
        for (size_t i = 0; i < all.count; i++)
            m->stored[i] = is_stored(m, i);
        assert_ok(bed_import(&m->b, NULL, 0)); /* what was stored is connected */
    } else {
        assert_ok(s);
        store_in_model(m, given);
    }
}

static void step_submit(model *m)
{
    for (uint64_t n = 1 + lode_random_below(&m->random, 12); n > 0; n--) {
        size_t i = STEM + lode_random_below(&m->random, all.count - STEM);
        lode_submit_result r = { .size = sizeof r };
        bool given[BLOCKS_MAX] = { false };
        assert_ok(lode_submit_block(m->b.h, &r, all.blocks[i].raw, all.blocks[i].size));
        given[i] = true;
        store_in_model(m, given);
        settle(m);
        assert_int_equal(r.in_best_chain, descends(m->tip, (int)i));
        assert_int_equal(r.accepted, m->stored[i] && !m->failed[i]);
    }
}

static void step_invalidate(model *m)
{
    size_t i = STEM - 2 + lode_random_below(&m->random, all.count - STEM + 2);
    int found;
    bool is_known = lode_block_index_find(m->b.h->chain->index, &all.blocks[i].hash) != NULL;
    assert_ok(lode_invalidate_block(m->b.h, &found, all.blocks[i].hash.bytes));
    assert_int_equal(found, is_known);
    for (size_t j = 0; found && j < all.count; j++)
        if (descends((int)j, (int)i) && lode_block_index_find(m->b.h->chain->index, &all.blocks[j].hash))
            m->failed[j] = true;
}

static void step_reconsider(model *m)
{
    size_t i = STEM - 2 + lode_random_below(&m->random, all.count - STEM + 2);
    int found;
    assert_ok(lode_reconsider_block(m->b.h, &found, all.blocks[i].hash.bytes));
    for (size_t j = 0; found && j < all.count; j++)
        if (descends((int)j, (int)i) || descends((int)i, (int)j))
            m->failed[j] = false;
    m->tip = 0; /* as in Core, one that is good again and came before a tip of equal work takes its place back */
}

static void step_reopen(model *m, bool reindex, bool chainstate)
{
    bed_close(&m->b);
    m->b.options.threads = 1 + (int)lode_random_below(&m->random, 3);
    m->b.options.txindex = lode_random_below(&m->random, 2) != 0;
    m->b.options.reindex = reindex;
    m->b.options.reindex_chainstate = chainstate;
    bed_open(&m->b);
    if (reindex)
        memset(m->failed, 0, sizeof m->failed);
    if (reindex || chainstate) {
        assert_ok(bed_import(&m->b, NULL, 0));
        m->tip = 0; /* among equal ones another may be first now */
    }
    m->b.options.reindex = m->b.options.reindex_chainstate = 0;
}

static void stop_now(bed *b)
{
    lode_interrupt(b->h);
}

static void take_step(model *m)
{
    uint64_t kind = lode_random_below(&m->random, 20);
    if (getenv("LODE_TEST_TALK"))
        printf("step %d, tip %d at %d\n", (int)kind, m->tip, all.blocks[m->tip].height);
    if (kind < 4)
        step_import(m, false);
    else if (kind < 6)
        step_import(m, true);
    else if (kind < 11)
        step_submit(m);
    else if (kind < 13)
        step_invalidate(m);
    else if (kind < 16)
        step_reconsider(m);
    else if (kind < 18)
        step_reopen(m, false, false);
    else
        step_reopen(m, kind == 18, kind == 19);
}

static void any_steps_lead_where_the_model_says(void **state)
{
    const char *given = getenv("LODE_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : 1, rounds = getenv("LODE_LONG") ? 400 : 6;

    if (getenv("LODE_TEST_DISK"))
        return;
    for (uint64_t r = 0; r < rounds; r++) {
        model *m = calloc(1, sizeof *m);
        assert_non_null(m);
        printf("LODE_SEED=%llu\n", (unsigned long long)(seed + r));
        fflush(stdout);
        lode_random_init(&m->random, seed + r);
        bed_init(&m->b, "regtest");
        bed_use_clock(&m->b, (int64_t)2000000000);
        m->b.act = stop_now;
        bed_open(&m->b);
        m->stored[0] = true;
        for (int i = 1; i <= STEM; i++) {
            lode_submit_result result = { .size = sizeof result };
            assert_ok(lode_submit_block(m->b.h, &result, all.blocks[i].raw, all.blocks[i].size));
            m->stored[i] = true;
        }
        for (int i = 0; i < 40; i++) {
            take_step(m);
            settle(m);
            compare_stored(m);
            if (i % 4 == 3)
                bed_assert_print(&m->b, print_at(m->tip));
            bed_forget(&m->b);
        }
        bed_clear(&m->b);
        free(m);
    }
}

static int set_up(void **state)
{
    make_blocks();
    return 0;
}

static int tear_down(void **state)
{
    made_chain_clear(&all);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(any_steps_lead_where_the_model_says) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
