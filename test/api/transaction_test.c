/* test/api/transaction_test.c: scripts of one transaction, and blocks of transactions that were verified before. */
#include "test/api/api_bed.h"

#include <string.h>

#include "primitives/encode.h"
#include "primitives/tx.h"

enum { HEIGHT = 112 };

static made_chain chain, bad;
static lode_arena arena;
static lode_block last; /* parsed: the block after HEIGHT - 1 */

static void parse(lode_block *block, const made_block *made)
{
    lode_parse_error why;
    assert_true(lode_block_parse(block, &arena, made->raw, made->size, 0, &why));
}

static void submit(bed *b, const made_block *block, bool accepted)
{
    lode_submit_result r = { .size = sizeof r };
    assert_ok(lode_submit_block(b->h, &r, block->raw, block->size));
    if (!!r.accepted != accepted)
        fail_msg("%s", r.reason);
    if (!accepted)
        assert_string_equal(r.reason, block->reject);
}

static void open_before_last(bed *b)
{
    bed_init(b, "regtest");
    bed_import_chain(b, &chain, 0, HEIGHT);
}

/* The outputs that a transaction of the last block spends, looked up; those of its own block are found there. */
static lode_spent_output *spent_by(bed *b, const lode_tx *tx)
{
    lode_spent_output *spent = calloc(tx->input_count, sizeof *spent);
    assert_non_null(spent);
    for (uint32_t j = 0; j < tx->input_count; j++) {
        lode_coin_info coin = { .size = sizeof coin };
        uint32_t index = lode_read_le32(tx->inputs[j].prevout + 32);
        int found;
        assert_ok(lode_get_coin(b->h, &found, &coin, tx->inputs[j].prevout, index));
        for (uint32_t i = 0; i < last.tx_count && !found; i++) {
            const lode_tx *parent = &last.txs[i];
            if (memcmp(parent->txid.bytes, tx->inputs[j].prevout, 32) != 0)
                continue;
            const lode_txout *out = &parent->outputs[index];
            coin.value_sat = out->value.sat;
            coin.script_len = out->script_len;
            coin.script = malloc(out->script_len + 1);
            memcpy(coin.script, out->script, out->script_len);
            found = 1;
        }
        assert_int_equal(found, 1);
        spent[j] = (lode_spent_output){ coin.value_sat, coin.script, coin.script_len };
    }
    return spent;
}

static void free_spent(lode_spent_output *spent, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lode_free((void *)(uintptr_t)spent[i].script);
    free(spent);
}

static void good_scripts_are_good_and_changed_ones_are_not(void **state)
{
    lode_script_result r = { .size = sizeof r };
    size_t refused = 0;
    bed b;

    open_before_last(&b);
    for (uint32_t i = 1; i < last.tx_count; i++) {
        const lode_tx *tx = &last.txs[i];
        lode_spent_output *spent = spent_by(&b, tx);
        assert_ok(lode_verify_transaction(&r, tx->raw, tx->size, spent, tx->input_count, LODE_RULE_CONSENSUS));
        if (!r.valid)
            fail_msg("transaction %u: %s", i, r.reason);
        assert_string_equal(r.reason, "");
        /* another amount: signed by every input with a witness */
        spent[0].value_sat++;
        assert_ok(lode_verify_transaction(&r, tx->raw, tx->size, spent, tx->input_count, LODE_RULE_CONSENSUS));
        if (tx->inputs[0].witness_count)
            assert_int_equal(r.valid, 0);
        spent[0].value_sat--;
        /* another lock time: signed by all */
        uint8_t *changed = malloc(tx->size);
        memcpy(changed, tx->raw, tx->size);
        changed[tx->size - 1] ^= 1;
        assert_ok(lode_verify_transaction(&r, changed, tx->size, spent, tx->input_count, LODE_RULE_CONSENSUS));
        assert_int_equal(r.valid, 0);
        assert_true(r.reason[0] != 0);
        refused++;
        free(changed);
        free_spent(spent, tx->input_count);
    }
    assert_true(refused > 3);
    bed_clear(&b);
}

static void a_block_of_warm_transactions_runs_no_script_again(void **state)
{
    lode_statistics s = { .size = sizeof s };
    lode_script_result r = { .size = sizeof r };
    uint64_t warm = 0;
    bed b;

    open_before_last(&b);
    for (uint32_t i = 1; i < last.tx_count; i++) {
        const lode_tx *tx = &last.txs[i];
        assert_ok(lode_warm_transaction(b.h, &r, tx->raw, tx->size, NULL, 0));
        if (!r.valid) { /* it spends one of its own block */
            assert_string_equal(r.reason, "bad-txns-inputs-missingorspent");
            lode_spent_output *spent = spent_by(&b, tx);
            assert_ok(lode_warm_transaction(b.h, &r, tx->raw, tx->size, spent, tx->input_count));
            free_spent(spent, tx->input_count);
        }
        assert_int_equal(r.valid, 1);
        warm++;
        assert_ok(lode_warm_transaction(b.h, &r, tx->raw, tx->size, NULL, 0)); /* once more costs nothing */
    }
    assert_ok(lode_get_statistics(b.h, &s));
    assert_int_equal(s.warm_transactions, warm);
    assert_int_equal(s.warm_hits, 0);
    submit(&b, &chain.blocks[HEIGHT], true);
    assert_ok(lode_get_statistics(b.h, &s));
    assert_int_equal(s.warm_hits, warm);
    bed_assert_tip(&b, &chain.blocks[HEIGHT]);
    bed_clear(&b);
}

/* Told to be valid with outputs that are not those of the chain: remembered, and of no use to a block. */
static void wrong_outputs_make_no_block_valid(void **state)
{
    static const uint8_t op_true[1] = { 0x51 };
    lode_statistics s = { .size = sizeof s };
    lode_script_result r = { .size = sizeof r };
    lode_submit_result told = { .size = sizeof told };
    size_t tried = 0;
    bed b;

    open_before_last(&b);
    submit(&b, &chain.blocks[HEIGHT], true);
    for (size_t i = 0; i < bad.count; i++) {
        lode_block block;
        if (strncmp(bad.blocks[i].reject, "block-script-verify", 19) != 0)
            continue;
        parse(&block, &bad.blocks[i]);
        for (uint32_t t = 1; t < block.tx_count; t++) {
            const lode_tx *tx = &block.txs[t];
            lode_spent_output *spent = calloc(tx->input_count, sizeof *spent);
            for (uint32_t j = 0; j < tx->input_count; j++)
                spent[j] = (lode_spent_output){ 1000, op_true, 1 };
            assert_ok(lode_warm_transaction(b.h, &r, tx->raw, tx->size, spent, tx->input_count));
            free(spent);
        }
        assert_ok(lode_submit_block(b.h, &told, bad.blocks[i].raw, bad.blocks[i].size));
        assert_int_equal(told.accepted, 0);
        assert_string_equal(told.reason, bad.blocks[i].reject);
        tried++;
    }
    assert_true(tried > 0);
    assert_ok(lode_get_statistics(b.h, &s));
    assert_int_equal(s.warm_hits, 0);
    bed_clear(&b);
}

/* A wrong witness under the same txid is another transaction to remember. */
static void a_changed_witness_is_not_warm(void **state)
{
    made_chain changed = { 0 };
    lode_submit_result told = { .size = sizeof told };
    lode_script_result r = { .size = sizeof r };
    bed b;

    open_before_last(&b);
    for (uint32_t i = 1; i < last.tx_count; i++)
        assert_ok(lode_warm_transaction(b.h, &r, last.txs[i].raw, last.txs[i].size, NULL, 0));
    if (made_mutate_witness(&changed, &chain.blocks[HEIGHT])) {
        assert_ok(lode_submit_block(b.h, &told, changed.blocks[0].raw, changed.blocks[0].size));
        assert_int_equal(told.accepted, 0);
    }
    submit(&b, &chain.blocks[HEIGHT], true);
    made_chain_clear(&changed);
    bed_clear(&b);
}

static void bad_transactions_are_not_remembered(void **state)
{
    lode_statistics s = { .size = sizeof s };
    lode_script_result r = { .size = sizeof r };
    bed b;

    open_before_last(&b);
    for (uint32_t i = 1; i < last.tx_count; i++) {
        uint8_t *changed = malloc(last.txs[i].size);
        memcpy(changed, last.txs[i].raw, last.txs[i].size);
        changed[last.txs[i].size - 1] ^= 1;
        for (int again = 0; again < 2; again++) {
            assert_ok(lode_warm_transaction(b.h, &r, changed, last.txs[i].size, NULL, 0));
            assert_int_equal(r.valid, 0);
        }
        free(changed);
    }
    assert_ok(lode_get_statistics(b.h, &s));
    assert_int_equal(s.warm_transactions, 0);
    bed_clear(&b);
}

static void rules_are_those_asked_for(void **state)
{
    /* api_tx spends OP_NOP4 OP_1: valid, unless such words are discouraged */
    static const uint8_t nop[] = { 0xb3, 0x51 };
    lode_spent_output spent = { 0, nop, sizeof nop };
    lode_script_result r = { .size = sizeof r };

    assert_ok(lode_verify_transaction(&r, api_tx, sizeof api_tx, &spent, 1, LODE_RULE_CONSENSUS));
    assert_int_equal(r.valid, 1);
    assert_ok(lode_verify_transaction(&r, api_tx, sizeof api_tx, &spent, 1,
                                      LODE_RULE_CONSENSUS | LODE_RULE_DISCOURAGE_UPGRADABLE_NOPS));
    assert_int_equal(r.valid, 0);
    assert_int_equal(r.input, 0);
    assert_string_equal(r.reason, "NOPx reserved for soft-fork upgrades");
    spent.script_len = 0; /* nothing on the stack */
    assert_ok(lode_verify_transaction(&r, api_tx, sizeof api_tx, &spent, 1, 0));
    assert_int_equal(r.valid, 0);
    spent.script = NULL;
    assert_ok(lode_verify_transaction(&r, api_tx, sizeof api_tx, &spent, 1, 0));
    assert_int_equal(r.valid, 0);
}

static int set_up(void **state)
{
    api_make_chains(&chain, &bad, NULL, 17, 14, HEIGHT);
    parse(&last, &chain.blocks[HEIGHT]);
    return 0;
}

static int tear_down(void **state)
{
    lode_arena_clear(&arena);
    made_chain_clear(&chain);
    made_chain_clear(&bad);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_scripts_are_good_and_changed_ones_are_not),
        cmocka_unit_test(a_block_of_warm_transactions_runs_no_script_again),
        cmocka_unit_test(wrong_outputs_make_no_block_valid),
        cmocka_unit_test(a_changed_witness_is_not_warm),
        cmocka_unit_test(bad_transactions_are_not_remembered),
        cmocka_unit_test(rules_are_those_asked_for),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
