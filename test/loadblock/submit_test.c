/* test/loadblock/submit_test.c: blocks given one at a time, and blocks that the operator declares bad or good. */
#include "test/loadblock/bed.h"

#include <string.h>

enum { FORK = 104, HEIGHT = 112, LONGER = 115 };
static made_chain chain, side, bad;
static bed_print at_height, at_side, at_fork;

static lode_submit_result submit(bed *b, const made_block *block)
{
    lode_submit_result r;
    memset(&r, 0x55, sizeof r);
    r.size = sizeof r;
    assert_ok(lode_submit_block(b->h, &r, block->raw, block->size));
    assert_string_equal(r.hash, block->hex);
    return r;
}

static void submit_good(bed *b, const made_block *block, bool is_best)
{
    lode_submit_result r = submit(b, block);
    if (!r.accepted || r.in_best_chain != is_best || r.reason[0])
        fail_msg("block %d: accepted %d, in best chain %d, %s", block->height, r.accepted, r.in_best_chain, r.reason);
}

static void submit_chain(bed *b, const made_chain *c, size_t first, size_t end, bool is_best)
{
    for (size_t i = first; i < end; i++)
        submit_good(b, &c->blocks[i], is_best);
}

static void blocks_one_by_one_give_the_same_set_as_an_import(void **state)
{
    for (int threads = 1; threads <= 2; threads++) {
        bed b;
        bed_init(&b, "regtest");
        b.options.threads = threads;
        bed_open(&b);
        submit_chain(&b, &chain, 0, chain.count, true);
        bed_assert_print(&b, &at_height);
        submit_chain(&b, &chain, 0, chain.count, true); /* known: nothing changes */
        bed_reopen(&b);
        bed_assert_print(&b, &at_height);
        bed_import_chain(&b, &chain, 0, chain.count);
        assert_int_equal(b.result.blocks_new, 0);
        bed_clear(&b);
    }
}

static void a_side_branch_takes_over_with_the_block_that_gives_it_more_work(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    bed_open(&b);
    submit_chain(&b, &chain, 1, chain.count, true);
    submit_chain(&b, &side, 0, HEIGHT - FORK, false);
    bed_assert_print(&b, &at_height);
    submit_chain(&b, &side, HEIGHT - FORK, side.count, true);
    bed_assert_print(&b, &at_side);
    submit_good(&b, &chain.blocks[HEIGHT], false);
    bed_clear(&b);
}

static void bytes_that_are_no_block_are_refused(void **state)
{
    bed b;
    lode_submit_result r = { .size = sizeof r };
    bed_init(&b, "regtest");
    bed_open(&b);
    const made_block *block = &chain.blocks[1];
    for (size_t len = 0; len < block->size; len++) {
        assert_ok(lode_submit_block(b.h, &r, block->raw, len));
        assert_false(r.accepted || r.in_best_chain);
        assert_true(r.reason[0] != 0);
        assert_string_equal(r.hash, "");
    }
    assert_ok(lode_submit_block(b.h, &r, NULL, 0));
    assert_false(r.accepted);
    assert_int_equal(bed_tip(&b).height, 0);
    submit_good(&b, block, true);
    bed_clear(&b);
}

static void a_block_without_its_parent_is_refused_and_may_come_again(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    bed_open(&b);
    lode_submit_result r = submit(&b, &chain.blocks[2]);
    assert_false(r.accepted);
    assert_string_equal(r.reason, "prev-blk-not-found");
    submit_chain(&b, &chain, 1, 3, true);
    bed_clear(&b);
}

/* Core's words for a copy whose header was found bad before. */
static bool is_remembered(const lode_submit_result *r)
{
    return strcmp(r->reason, "duplicate-invalid") == 0;
}

static void each_kind_of_bad_block_is_refused_and_changes_nothing(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    bed_open(&b);
    submit_chain(&b, &chain, 1, chain.count, true);
    for (size_t i = 0; i < bad.count; i++) {
        const made_block *block = &bad.blocks[i];
        lode_submit_result r = submit(&b, block);
        if (r.accepted || r.in_best_chain || strcmp(r.reason, block->reject) != 0)
            fail_msg("%s: accepted %d, told as %s", block->reject, r.accepted, r.reason);
        r = submit(&b, block);
        if (r.accepted || (strcmp(r.reason, block->reject) != 0 && !is_remembered(&r)))
            fail_msg("%s: the second time accepted %d, told as %s", block->reject, r.accepted, r.reason);
        bed_assert_tip(&b, &chain.blocks[HEIGHT]);
    }
    bed_assert_print(&b, &at_height);
    submit_chain(&b, &side, 0, HEIGHT - FORK, false);
    submit_chain(&b, &side, HEIGHT - FORK, side.count, true);
    bed_assert_print(&b, &at_side);
    bed_clear(&b);
}

/* Stored as a side branch unchecked; found bad when it would take over. */
static void a_bad_block_on_a_side_branch_is_found_when_it_would_take_over(void **state)
{
    for (size_t i = 0; i < bad.count; i++) {
        const made_block *block = &bad.blocks[i];
        made_chain after = { 0 };
        bed b;
        if (strncmp(block->reject, "block-script-verify", 19) != 0)
            continue;
        bed_init(&b, "regtest");
        bed_open(&b);
        submit_chain(&b, &chain, 1, FORK + 1, true);
        submit_chain(&b, &side, 0, side.count, true);
        submit_chain(&b, &chain, FORK + 1, chain.count, false);
        submit_good(&b, block, false);
        made_empty_upon(&after, block, 1);
        made_empty_upon(&after, &after.blocks[0], 1);
        made_empty_upon(&after, &after.blocks[1], 1);
        submit_good(&b, &after.blocks[0], false);
        submit_good(&b, &after.blocks[1], false); /* as much work as the tip */
        lode_submit_result r = submit(&b, &after.blocks[2]);
        assert_false(r.accepted || r.in_best_chain);
        assert_string_equal(r.reason, "bad-prevblk");
        bed_assert_print(&b, &at_side);
        r = submit(&b, block);
        assert_true(is_remembered(&r));
        made_chain_clear(&after);
        bed_clear(&b);
    }
}

static void a_bad_copy_of_a_block_does_not_keep_the_good_one_out(void **state)
{
    made_chain copies = { 0 };
    bed b;
    size_t done = 0;
    bed_init(&b, "regtest");
    bed_open(&b);
    for (size_t h = 1; h <= HEIGHT; h++) {
        size_t before = copies.count;
        made_mutate_merkle(&copies, &chain.blocks[h]);
        made_mutate_witness(&copies, &chain.blocks[h]);
        for (size_t i = before; i < copies.count; i++) {
            assert_false(submit(&b, &copies.blocks[i]).accepted);
            done++;
        }
        submit_good(&b, &chain.blocks[h], true);
    }
    assert_true(done > 3);
    bed_assert_print(&b, &at_height);
    made_chain_clear(&copies);
    bed_clear(&b);
}

/* ---- declared bad, declared good ---- */

static void invalidate(bed *b, const made_block *block)
{
    int found = -1;
    assert_ok(lode_invalidate_block(b->h, &found, block->hash.bytes));
    assert_int_equal(found, 1);
}

static void reconsider(bed *b, const made_block *block)
{
    int found = -1;
    assert_ok(lode_reconsider_block(b->h, &found, block->hash.bytes));
    assert_int_equal(found, 1);
}

static void a_block_declared_bad_leaves_the_chain_until_it_is_declared_good(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    b.options.txindex = 1;
    bed_open(&b);
    submit_chain(&b, &chain, 1, chain.count, true);
    submit_chain(&b, &side, 0, 2, false);
    /* the best that is left: two blocks of the other branch */
    invalidate(&b, &chain.blocks[FORK + 1]);
    bed_assert_tip(&b, &side.blocks[1]);
    bed_reopen(&b);
    bed_assert_tip(&b, &side.blocks[1]);
    assert_ok(bed_import(&b, NULL, 0));
    bed_assert_tip(&b, &side.blocks[1]);
    lode_submit_result r = submit(&b, &chain.blocks[HEIGHT]);
    assert_false(r.accepted);
    /* the whole branch goes */
    invalidate(&b, &side.blocks[0]);
    bed_assert_print(&b, &at_fork);
    invalidate(&b, &side.blocks[0]); /* again: nothing to do */
    bed_assert_print(&b, &at_fork);
    /* asked for at a block in the middle, the whole branch is looked at again */
    reconsider(&b, &chain.blocks[FORK + 3]);
    bed_assert_print(&b, &at_height);
    reconsider(&b, &side.blocks[1]);
    bed_assert_print(&b, &at_height);
    submit_chain(&b, &side, 2, HEIGHT - FORK, false);
    submit_chain(&b, &side, HEIGHT - FORK, side.count, true);
    bed_assert_print(&b, &at_side);
    invalidate(&b, &side.blocks[side.count - 1]);
    bed_assert_tip(&b, &side.blocks[side.count - 2]);
    reconsider(&b, &side.blocks[side.count - 1]);
    bed_assert_print(&b, &at_side);
    bed_clear(&b);
}

static void a_block_that_rules_refuse_is_refused_again_when_declared_good(void **state)
{
    for (size_t i = 0; i < bad.count; i++) {
        bed b;
        if (strncmp(bad.blocks[i].reject, "block-script-verify", 19) != 0)
            continue;
        bed_init(&b, "regtest");
        bed_open(&b);
        submit_chain(&b, &chain, 1, chain.count, true);
        assert_false(submit(&b, &bad.blocks[i]).accepted);
        reconsider(&b, &bad.blocks[i]);
        bed_assert_print(&b, &at_height);
        lode_submit_result r = submit(&b, &bad.blocks[i]);
        assert_true(is_remembered(&r));
        bed_clear(&b);
        break;
    }
}

static void a_block_nobody_knows_is_not_found_and_genesis_stays(void **state)
{
    bed b;
    uint8_t hash[32] = { 7 };
    int found = -1;
    bed_init(&b, "regtest");
    bed_open(&b);
    assert_ok(lode_invalidate_block(b.h, &found, hash));
    assert_int_equal(found, 0);
    found = -1;
    assert_ok(lode_reconsider_block(b.h, &found, hash));
    assert_int_equal(found, 0);
    assert_fails_with(LODE_INVALID_ARGUMENT, lode_invalidate_block(b.h, &found, chain.blocks[0].hash.bytes));
    submit_good(&b, &chain.blocks[1], true); /* the handle goes on */
    bed_clear(&b);
}

static int set_up(void **state)
{
    lode_chain_maker *maker = made_maker(51, 15);
    lode_made_block block;
    bed b;

    lode_chain_maker_genesis(&block);
    made_chain_add(&chain, &block);
    made_extend(maker, &chain, FORK);
    assert_int_equal(lode_chain_maker_mark(maker).code, LODE_OK);
    made_extend(maker, &side, LONGER - FORK);
    lode_chain_maker_rewind(maker);
    made_extend(maker, &chain, HEIGHT - FORK);
    for (unsigned kind = 0; kind < lode_invalid_kind_count(); kind++) {
        assert_int_equal(lode_chain_maker_make_invalid(maker, &block, kind).code, LODE_OK);
        made_chain_add(&bad, &block);
    }
    lode_chain_maker_destroy(maker);
    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, FORK + 1);
    at_fork = bed_take_print(&b);
    bed_import_chain(&b, &chain, 0, chain.count);
    at_height = bed_take_print(&b);
    bed_remove_datadir(&b);
    bed_import_chain(&b, &chain, 0, FORK + 1);
    bed_import_chain(&b, &side, 0, side.count);
    at_side = bed_take_print(&b);
    bed_clear(&b);
    return 0;
}

static int tear_down(void **state)
{
    made_chain_clear(&chain);
    made_chain_clear(&side);
    made_chain_clear(&bad);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_one_by_one_give_the_same_set_as_an_import),
        cmocka_unit_test(a_side_branch_takes_over_with_the_block_that_gives_it_more_work),
        cmocka_unit_test(bytes_that_are_no_block_are_refused),
        cmocka_unit_test(a_block_without_its_parent_is_refused_and_may_come_again),
        cmocka_unit_test(each_kind_of_bad_block_is_refused_and_changes_nothing),
        cmocka_unit_test(a_bad_block_on_a_side_branch_is_found_when_it_would_take_over),
        cmocka_unit_test(a_bad_copy_of_a_block_does_not_keep_the_good_one_out),
        cmocka_unit_test(a_block_declared_bad_leaves_the_chain_until_it_is_declared_good),
        cmocka_unit_test(a_block_that_rules_refuse_is_refused_again_when_declared_good),
        cmocka_unit_test(a_block_nobody_knows_is_not_found_and_genesis_stays),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
