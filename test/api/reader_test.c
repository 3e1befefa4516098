/* test/api/reader_test.c: coins, walks, blocks, headers and tips, held against what the blocks alone say. */
#include "test/api/api_bed.h"
#include "test/api/model.h"

#include <string.h>

#include "chainstate/undo.h"

enum { HEIGHT = 125, FORK_AT = 118 };

static made_chain chain, side; /* side: two empty blocks upon FORK_AT */
static model coins;

static void assert_coins(bed *b, int32_t height)
{
    lode_coin_id *ids = calloc(coins.count, sizeof *ids);
    lode_coin_info *infos = calloc(coins.count, sizeof *infos);
    int *found = calloc(coins.count, sizeof *found);
    lode_tip at = { .size = sizeof at };

    assert_true(ids && infos && found);
    for (size_t i = 0; i < coins.count; i++) {
        ids[i] = coins.coins[i].id;
        infos[i].size = sizeof infos[i];
    }
    assert_ok(lode_get_coins(b->h, found, infos, &at, ids, coins.count));
    assert_int_equal(at.height, height);
    for (size_t i = 0; i < coins.count; i++) {
        assert_int_equal(found[i], model_is_there(&coins.coins[i], height));
        if (!found[i])
            continue;
        assert_int_equal(infos[i].value_sat, coins.coins[i].value);
        assert_int_equal(infos[i].height, coins.coins[i].made);
        assert_int_equal(infos[i].is_coinbase, coins.coins[i].is_coinbase);
        lode_free(infos[i].script);
    }
    free(ids);
    free(infos);
    free(found);
}

static int compare_keys(const lode_coin_id *a, const lode_coin_id *b)
{
    int order = memcmp(a->txid, b->txid, 32);
    return order ? order : a->index < b->index ? -1 : a->index > b->index;
}

static void assert_walk(bed *b, lode_coin_walk *walk, int32_t height)
{
    lode_coin_info info = { .size = sizeof info };
    lode_coin_id id, before;
    uint64_t expected, seen = 0;
    int64_t total_expected, total = 0;
    int found = 1;

    model_totals(&coins, height, &expected, &total_expected);
    for (;;) {
        assert_ok(lode_coin_walk_next(walk, &found, &id, &info));
        if (!found)
            break;
        if (seen++)
            assert_true(compare_keys(&before, &id) < 0);
        total += info.value_sat;
        before = id;
    }
    assert_int_equal(seen, expected);
    assert_int_equal(total, total_expected);
    lode_coin_walk_close(walk);
}

static lode_coin_walk *open_walk(bed *b, const uint8_t *from)
{
    lode_coin_walk *walk;
    assert_ok(lode_coin_walk_open(&walk, b->h, NULL, from));
    return walk;
}

static void coins_are_those_of_the_tip_after_each_block(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    bed_open(&b);
    for (int32_t h = 1; h <= HEIGHT; h++) {
        api_submit(&b, &chain, (size_t)h, (size_t)h + 1);
        if (h > 98)
            assert_coins(&b, h);
        if (h == 110)
            assert_ok(lode_flush(b.h));
    }
    assert_walk(&b, open_walk(&b, NULL), HEIGHT);
    bed_reopen(&b);
    assert_coins(&b, HEIGHT);
    bed_clear(&b);
}

static void coins_are_right_after_blocks_are_taken_back(void **state)
{
    bed b;
    int found;
    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    for (int32_t h = HEIGHT; h > 100; h -= 3) {
        assert_ok(lode_invalidate_block(b.h, &found, chain.blocks[h].hash.bytes));
        assert_coins(&b, h - 1);
        assert_walk(&b, open_walk(&b, NULL), h - 1);
    }
    assert_ok(lode_reconsider_block(b.h, &found, chain.blocks[101].hash.bytes));
    assert_ok(lode_reconsider_block(b.h, &found, chain.blocks[HEIGHT].hash.bytes));
    assert_coins(&b, HEIGHT);
    bed_clear(&b);
}

static void a_walk_keeps_its_state_while_blocks_arrive(void **state)
{
    lode_tip at = { .size = sizeof at };
    lode_coin_walk *early, *late;
    bed b;

    bed_init(&b, "regtest");
    bed_open(&b);
    api_submit(&b, &chain, 1, 111);
    assert_ok(lode_coin_walk_open(&early, b.h, &at, NULL));
    assert_int_equal(at.height, 110);
    api_submit(&b, &chain, 111, 116);
    assert_ok(lode_flush(b.h));
    assert_ok(lode_coin_walk_open(&late, b.h, &at, NULL));
    api_submit(&b, &chain, 116, chain.count);
    assert_ok(lode_flush(b.h));
    assert_int_equal(lode_close(b.h).code, LODE_INVALID_ARGUMENT); /* it stays open */
    assert_walk(&b, early, 110);
    assert_walk(&b, late, 115);
    bed_clear(&b);
}

static void a_walk_begins_where_it_is_told(void **state)
{
    lode_coin_info info = { .size = sizeof info };
    const model_coin *middle = &coins.coins[coins.count / 2];
    uint8_t last[32];
    lode_coin_walk *walk;
    lode_coin_id id;
    int found;
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, 80);
    api_submit(&b, &chain, 80, chain.count);
    walk = open_walk(&b, middle->id.txid);
    assert_ok(lode_coin_walk_next(walk, &found, &id, &info));
    assert_int_equal(found, 1);
    assert_true(memcmp(id.txid, middle->id.txid, 32) >= 0);
    lode_coin_walk_close(walk);
    memset(last, 0xff, sizeof last);
    walk = open_walk(&b, last);
    assert_ok(lode_coin_walk_next(walk, &found, &id, &info));
    assert_int_equal(found, 0);
    assert_ok(lode_coin_walk_next(walk, &found, &id, &info)); /* and stays there */
    assert_int_equal(found, 0);
    lode_coin_walk_close(walk);
    bed_clear(&b);
}

static void blocks_and_undo_data_come_by_hash_and_height(void **state)
{
    lode_block_info info = { .size = sizeof info }, by_hash = { .size = sizeof by_hash };
    uint8_t *raw, *again, unknown[32] = { 9 };
    size_t len, again_len;
    int found;
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, 60);
    api_submit(&b, &chain, 60, chain.count);
    for (int32_t h = 0; h <= HEIGHT; h++) {
        const made_block *block = &chain.blocks[h];
        uint64_t txs = 0;
        lode_undo_reader u;
        assert_ok(lode_get_block(b.h, &found, &raw, &len, block->hash.bytes));
        assert_int_equal(found, 1);
        assert_int_equal(len, block->size);
        assert_memory_equal(raw, block->raw, len);
        assert_ok(lode_get_block_at(b.h, &found, &again, &again_len, h));
        assert_int_equal(again_len, len);
        assert_memory_equal(again, raw, len);
        lode_free(raw);
        lode_free(again);
        assert_ok(lode_get_undo_at(b.h, &found, &raw, &len, h));
        assert_int_equal(found, h > 0);
        if (found) {
            lode_undo_reader_init(&u, raw, len, &txs);
            assert_int_equal(txs + 1, block->tx_count);
            assert_ok(lode_get_undo(b.h, &found, &again, &again_len, block->hash.bytes));
            assert_int_equal(again_len, len);
            assert_memory_equal(again, raw, len);
            lode_free(raw);
            lode_free(again);
        }
        assert_ok(lode_get_block_info_at(b.h, &found, &info, h));
        assert_ok(lode_get_block_info(b.h, &found, &by_hash, block->hash.bytes));
        assert_memory_equal(&info, &by_hash, sizeof info);
        assert_int_equal(info.height, h);
        assert_memory_equal(info.hash, block->hash.bytes, 32);
        assert_memory_equal(info.prev, block->raw + 4, 32);
        assert_memory_equal(info.merkle_root, block->raw + 36, 32);
        assert_int_equal(info.time, lode_read_le32(block->raw + 68));
        assert_int_equal(info.bits, lode_read_le32(block->raw + 72));
        assert_int_equal(info.transactions, h ? block->tx_count : 1);
        assert_true(info.in_best_chain && info.has_data && !info.is_failed && info.has_undo == (h > 0));
        assert_int_equal(info.chain_work[31], 2 * (h + 1) & 0xff); /* regtest: two a block */
    }
    assert_ok(lode_get_block_at(b.h, &found, &raw, &len, HEIGHT + 1));
    assert_int_equal(found, 0);
    assert_ok(lode_get_block_at(b.h, &found, &raw, &len, -1));
    assert_int_equal(found, 0);
    assert_ok(lode_get_block(b.h, &found, &raw, &len, unknown));
    assert_int_equal(found, 0);
    assert_ok(lode_get_undo(b.h, &found, &raw, &len, unknown));
    assert_int_equal(found, 0);
    bed_clear(&b);
}

typedef struct hashes {
    uint8_t seen[HEIGHT + 8][32];
    size_t count;
} hashes;

static int check_order(void *context, const lode_block_info *info)
{
    hashes *h = context;
    bool has_parent = info->height == 0;
    for (size_t i = 0; i < h->count && !has_parent; i++)
        has_parent = memcmp(h->seen[i], info->prev, 32) == 0;
    assert_true(has_parent && h->count < HEIGHT + 8);
    memcpy(h->seen[h->count++], info->hash, 32);
    return 1;
}

static int stop_at_once(void *context, const lode_block_info *info)
{
    ++*(int *)context;
    return 0;
}

typedef struct tips {
    int count, kinds[5];
    int32_t lengths[5];
} tips;

static int take_tip(void *context, const lode_block_info *info, int kind, int32_t branch_length)
{
    tips *t = context;
    t->count++;
    t->kinds[kind]++;
    t->lengths[kind] = branch_length;
    return 1;
}

static void the_tree_is_listed_and_its_ends_are_named(void **state)
{
    lode_submit_result r = { .size = sizeof r };
    hashes seen = { .count = 0 };
    tips t = { 0 };
    int calls = 0, found;
    bed b;

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count - 1);
    api_submit(&b, &side, 0, 2);
    assert_ok(lode_submit_header(b.h, &r, chain.blocks[HEIGHT].raw, 80));
    assert_ok(lode_visit_headers(b.h, &seen, check_order));
    assert_int_equal(seen.count, chain.count + 2);
    assert_ok(lode_visit_headers(b.h, &calls, stop_at_once));
    assert_int_equal(calls, 1);
    assert_ok(lode_visit_chain_tips(b.h, &t, take_tip));
    assert_int_equal(t.count, 3);
    assert_int_equal(t.kinds[LODE_TIP_ACTIVE], 1);
    assert_int_equal(t.kinds[LODE_TIP_HEADERS_ONLY], 1);
    assert_int_equal(t.lengths[LODE_TIP_HEADERS_ONLY], 1);
    assert_int_equal(t.kinds[LODE_TIP_VALID_HEADERS], 1);
    assert_int_equal(t.lengths[LODE_TIP_VALID_HEADERS], 2);
    assert_ok(lode_invalidate_block(b.h, &found, side.blocks[0].hash.bytes));
    t = (tips){ 0 };
    assert_ok(lode_visit_chain_tips(b.h, &t, take_tip));
    assert_int_equal(t.kinds[LODE_TIP_INVALID], 1);
    bed_clear(&b);
}

static void a_reader_of_a_directory_answers_the_same(void **state)
{
    tips t = { 0 };
    bed b;
    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    bed_close(&b);
    b.options.read_only = 1;
    bed_open(&b);
    bed_assert_tip(&b, &chain.blocks[HEIGHT]);
    assert_coins(&b, HEIGHT);
    assert_walk(&b, open_walk(&b, NULL), HEIGHT);
    assert_ok(lode_visit_chain_tips(b.h, &t, take_tip));
    assert_int_equal(t.count, 1);
    bed_clear(&b);
}

static void an_answer_names_one_state_with_a_tiny_cache(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    b.options.dbcache_bytes = 4 << 20;
    bed_open(&b);
    for (size_t i = 1; i < chain.count; i += 5) {
        api_submit(&b, &chain, i, i + 5 < chain.count ? i + 5 : chain.count);
        assert_coins(&b, bed_tip(&b).height);
    }
    bed_clear(&b);
}

static int set_up(void **state)
{
    made_chain_make(&chain, 47, HEIGHT, 12);
    made_empty_upon(&side, &chain.blocks[FORK_AT], 2);
    made_empty_upon(&side, &side.blocks[0], 2);
    model_make(&coins, &chain);
    return 0;
}

static int tear_down(void **state)
{
    model_clear(&coins);
    made_chain_clear(&chain);
    made_chain_clear(&side);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coins_are_those_of_the_tip_after_each_block),
        cmocka_unit_test(coins_are_right_after_blocks_are_taken_back),
        cmocka_unit_test(a_walk_keeps_its_state_while_blocks_arrive),
        cmocka_unit_test(a_walk_begins_where_it_is_told),
        cmocka_unit_test(blocks_and_undo_data_come_by_hash_and_height),
        cmocka_unit_test(the_tree_is_listed_and_its_ends_are_named),
        cmocka_unit_test(a_reader_of_a_directory_answers_the_same),
        cmocka_unit_test(an_answer_names_one_state_with_a_tiny_cache),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
