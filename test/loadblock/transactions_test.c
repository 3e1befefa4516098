/* test/loadblock/transactions_test.c: the transaction index, whenever it is built, gives every transaction byte for
 * byte.
 */
#include "test/loadblock/bed.h"

#include <string.h>

#include "primitives/tx.h"

enum { FORK = 106, HEIGHT = 112, LONGER = 114 };
static made_chain chain, side;

/* Every transaction of the block is found, with its bytes and the block's hash. */
static void assert_block(bed *b, const made_block *block)
{
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_block parsed;

    assert_true(lode_block_parse(&parsed, &arena, block->raw, block->size, 0, NULL));
    for (uint32_t i = 0; i < parsed.tx_count; i++) {
        uint8_t *raw = NULL, hash[32] = { 0 };
        size_t len = 0;
        int found = -1;
        assert_ok(lode_get_transaction(b->h, &found, &raw, &len, hash, parsed.txs[i].txid.bytes));
        if (block->height == 0) {
            assert_int_equal(found, 0); /* as in Core: nobody can spend it */
            continue;
        }
        if (!found)
            fail_msg("transaction %u of block %d is not found", i, block->height);
        assert_int_equal(len, parsed.txs[i].size);
        assert_memory_equal(raw, parsed.txs[i].raw, len);
        assert_memory_equal(hash, block->hash.bytes, 32);
        lode_free(raw);
    }
    lode_arena_clear(&arena);
}

static void assert_all(bed *b)
{
    for (size_t i = 0; i <= FORK; i++)
        assert_block(b, &chain.blocks[i]);
    if (bed_tip(b).height == LONGER)
        for (size_t i = 0; i < side.count; i++)
            assert_block(b, &side.blocks[i]);
    else
        for (size_t i = FORK + 1; i <= HEIGHT; i++)
            assert_block(b, &chain.blocks[i]);
}

static void built_while_importing_it_has_every_transaction(void **state)
{
    for (int i = 0; i < 2; i++) {
        bed b;
        bed_init(&b, "regtest");
        b.options.txindex = 1;
        b.options.random_xor_key = i;
        b.options.dbcache_bytes = i ? 4 << 20 : 64 << 20;
        bed_import_chain(&b, &chain, 0, chain.count);
        assert_all(&b);
        bed_import_chain(&b, &side, 0, side.count);
        assert_all(&b);
        bed_reopen(&b);
        assert_all(&b);
        bed_close(&b);
        b.options.txindex = 0;
        b.options.read_only = 1; /* a reader finds it by itself */
        bed_open(&b);
        assert_all(&b);
        bed_clear(&b);
    }
}

static void built_later_it_is_the_same(void **state)
{
    for (int i = 0; i < 3; i++) {
        bed b;
        bed_init(&b, "regtest");
        bed_import_chain(&b, &chain, 0, chain.count);
        if (i == 1)
            bed_import_chain(&b, &side, 0, side.count);
        bed_close(&b);
        b.options.txindex = 1;
        b.import.txindex_only = i < 2;
        assert_ok(bed_import(&b, NULL, 0));
        assert_int_equal(b.result.blocks_connected, 0);
        assert_all(&b);
        bed_reopen(&b);
        assert_all(&b);
        bed_clear(&b);
    }
}

static void only_the_index_is_built_when_told_so(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, FORK + 1);
    bed_close(&b);
    b.options.txindex = 1;
    b.import.txindex_only = 1;
    bed_import_chain(&b, &chain, 0, chain.count);
    bed_assert_tip(&b, &chain.blocks[FORK]);
    assert_block(&b, &chain.blocks[FORK]);
    b.import.txindex_only = 0;
    bed_import_chain(&b, &chain, 0, chain.count);
    assert_all(&b);
    bed_clear(&b);
}

/* It stood on a branch that lost while it was switched off. */
static void after_a_reorganisation_without_it_it_finds_its_way(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    b.options.txindex = 1;
    bed_import_chain(&b, &chain, 0, chain.count);
    bed_close(&b);
    b.options.txindex = 0;
    bed_import_chain(&b, &side, 0, side.count);
    assert_int_equal(bed_tip(&b).height, LONGER);
    bed_close(&b);
    b.options.txindex = 1;
    assert_ok(bed_import(&b, NULL, 0));
    assert_all(&b);
    bed_clear(&b);
}

static void stop_when_indexing(bed *b, const lode_progress *progress)
{
    if (progress->phase == LODE_PHASE_INDEXING)
        lode_interrupt(b->h);
}

static void stopped_in_the_middle_it_is_completed_later(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    bed_close(&b);
    b.options.txindex = 1;
    b.on_progress = stop_when_indexing;
    assert_fails_with(LODE_CANCELLED, bed_import(&b, NULL, 0));
    b.on_progress = NULL;
    bed_reopen(&b);
    assert_ok(bed_import(&b, NULL, 0));
    assert_all(&b);
    bed_clear(&b);
}

static void it_follows_blocks_given_one_by_one_and_declared_bad(void **state)
{
    bed b;
    lode_submit_result r = { .size = sizeof r };
    int found;
    bed_init(&b, "regtest");
    b.options.txindex = 1;
    bed_open(&b);
    for (size_t i = 1; i < chain.count; i++)
        assert_ok(lode_submit_block(b.h, &r, chain.blocks[i].raw, chain.blocks[i].size));
    assert_all(&b);
    for (size_t i = 0; i < side.count; i++)
        assert_ok(lode_submit_block(b.h, &r, side.blocks[i].raw, side.blocks[i].size));
    assert_all(&b);
    assert_ok(lode_invalidate_block(b.h, &found, side.blocks[0].hash.bytes));
    bed_assert_tip(&b, &chain.blocks[HEIGHT]);
    assert_all(&b);
    bed_reopen(&b);
    assert_all(&b);
    bed_clear(&b);
}

static void it_is_rebuilt_with_everything(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    b.options.txindex = 1;
    bed_import_chain(&b, &chain, 0, chain.count);
    bed_import_chain(&b, &side, 0, side.count);
    bed_close(&b);
    b.options.reindex = 1;
    assert_ok(bed_import(&b, NULL, 0));
    assert_all(&b);
    bed_close(&b);
    b.options.reindex = 0;
    b.options.reindex_chainstate = 1;
    assert_ok(bed_import(&b, NULL, 0));
    assert_all(&b);
    bed_clear(&b);
}

static void without_it_the_answer_says_so_and_unknown_ones_are_not_found(void **state)
{
    bed b;
    uint8_t *raw = NULL, hash[32], txid[32] = { 1, 2, 3 };
    size_t len;
    int found = -1;
    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    assert_fails_with(LODE_UNSUPPORTED, lode_get_transaction(b.h, &found, &raw, &len, hash, txid));
    bed_close(&b);
    b.options.txindex = 1;
    assert_ok(bed_import(&b, NULL, 0));
    assert_ok(lode_get_transaction(b.h, &found, &raw, &len, hash, txid));
    assert_int_equal(found, 0);
    bed_clear(&b);
}

static int set_up(void **state)
{
    lode_chain_maker *maker = made_maker(61, 12);
    lode_made_block block;
    lode_chain_maker_genesis(&block);
    made_chain_add(&chain, &block);
    made_extend(maker, &chain, FORK);
    assert_int_equal(lode_chain_maker_mark(maker).code, LODE_OK);
    made_extend(maker, &side, LONGER - FORK);
    lode_chain_maker_rewind(maker);
    made_extend(maker, &chain, HEIGHT - FORK);
    lode_chain_maker_destroy(maker);
    return 0;
}

static int tear_down(void **state)
{
    made_chain_clear(&chain);
    made_chain_clear(&side);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_while_importing_it_has_every_transaction),
        cmocka_unit_test(built_later_it_is_the_same),
        cmocka_unit_test(only_the_index_is_built_when_told_so),
        cmocka_unit_test(after_a_reorganisation_without_it_it_finds_its_way),
        cmocka_unit_test(stopped_in_the_middle_it_is_completed_later),
        cmocka_unit_test(it_follows_blocks_given_one_by_one_and_declared_bad),
        cmocka_unit_test(it_is_rebuilt_with_everything),
        cmocka_unit_test(without_it_the_answer_says_so_and_unknown_ones_are_not_found),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
