/* test/validate/block_rules_test.c: whole blocks, each rule just valid and just invalid, and faults in Core's order. */
#include "validate/rules/tx.h"

#include "made_chain.h"

#define FINAL 0xffffffffu
#define MAX_TXS 8

/* A block being made: a coinbase and up to seven payments of nothing, all changeable before it is judged. */
typedef struct draft {
    lode_header header;
    made_input inputs[MAX_TXS][3];
    made_output outputs[MAX_TXS][3];
    made_tx txs[MAX_TXS];
    uint32_t count;
    bool keeps_root; /* header.merkle_root as it is, right or wrong */
    lode_chain_params params;
} draft;

/* OP_16 and a zero: fits height 16 and the length rule. */
static const uint8_t height_16[] = { 0x60, 0x00 };

static draft make_draft(uint32_t count)
{
    draft d = { .header = { .version = 4, .time = 1300009600, .bits = 0x207fffff }, .count = count };

    lode_chain_params_init(&d.params, LODE_CHAIN_REGTEST);
    for (uint32_t i = 0; i < count; i++) {
        d.inputs[i][0] = (made_input){ (uint8_t)(i + 1), 0, { NULL, 0 }, FINAL, { NULL, 0 } };
        d.outputs[i][0] = (made_output){ (int64_t)i, { NULL, 0 } };
        d.txs[i] = (made_tx){ 1, NULL, 1, NULL, 1, 0 };
    }
    d.inputs[0][0] = (made_input){ 0, FINAL, lode_slice_of(height_16, 2), FINAL, { NULL, 0 } };
    return d;
}

static void serialize_draft(lode_buf *raw, draft *d)
{
    lode_hash256 root = d->header.merkle_root;

    for (uint32_t i = 0; i < d->count; i++) {
        if (!d->txs[i].inputs)
            d->txs[i].inputs = d->inputs[i];
        if (!d->txs[i].outputs)
            d->txs[i].outputs = d->outputs[i];
    }
    put_made_block(raw, &d->header, d->txs, d->count);
    if (d->keeps_root) {
        memcpy(raw->data + 36, root.bytes, 32);
        d->header.merkle_root = root;
    }
}

/* Judged without a place. */
static lode_block_facts examine(draft *d)
{
    lode_buf raw = LODE_BUF_EMPTY;
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_block block;
    lode_block_facts facts;
    lode_parse_error error;

    serialize_draft(&raw, d);
    if (!lode_block_parse(&block, &arena, raw.data, raw.len, 0, &error))
        fail_msg("made block: %s at %zu", error.what, error.offset);
    assert_true(lode_block_examine(&facts, &block, &arena, &d->params));
    lode_arena_clear(&arena);
    lode_buf_clear(&raw);
    return facts;
}

/* Judged at height 16, or where `prev` says. */
static lode_verdict check_on(draft *d, const lode_node *prev)
{
    lode_buf raw = LODE_BUF_EMPTY;
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_block block;
    lode_block_facts facts;
    lode_verdict verdict;

    serialize_draft(&raw, d);
    assert_true(lode_block_parse(&block, &arena, raw.data, raw.len, 0, NULL));
    assert_true(lode_block_examine(&facts, &block, &arena, &d->params));
    assert_int_equal(facts.verdict.reject, LODE_VALID);
    verdict = lode_block_check_context(&block, &facts, prev, &d->params);
    lode_arena_clear(&arena);
    lode_buf_clear(&raw);
    return verdict;
}

static lode_verdict check_at_16(draft *d)
{
    lode_node *nodes = make_nodes(16, 1300000000, 600, 0x207fffff);
    lode_verdict verdict = check_on(d, &nodes[15]);
    free(nodes);
    return verdict;
}

/* ---- CheckBlock ---- */

static void a_plain_block_is_valid(void **state)
{
    draft d = make_draft(4);
    lode_block_facts facts = examine(&d);

    assert_int_equal(facts.verdict.reject, LODE_VALID);
    assert_int_equal(facts.verdict.tx_index, LODE_NO_INDEX);
    assert_false(facts.verdict.is_mutated || facts.has_witness || facts.has_commitment || facts.has_locks);
    assert_int_equal(facts.weight, 4 * (80 + 1 + 62 + 3 * 60));
    assert_int_equal(check_at_16(&d).reject, LODE_VALID);
}

static void the_root_must_fit(void **state)
{
    draft d = make_draft(3);
    lode_block_facts facts;

    d.keeps_root = true;
    facts = examine(&d);
    assert_int_equal(facts.verdict.reject, LODE_BAD_TXNMRKLROOT);
    assert_true(facts.verdict.is_mutated);
}

/* CVE-2012-2459: three transactions, and the third once more, have one root. Every level counts. */
static void repeated_transactions_are_a_mutation(void **state)
{
    static const struct {
        uint32_t count;       /* of the good block */
        uint32_t repeated[2]; /* [first, end) appended */
    } cases[] = { { 3, { 2, 3 } }, { 5, { 4, 5 } }, { 6, { 4, 6 } } };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        draft d = make_draft(cases[i].count);
        lode_block_facts facts = examine(&d);

        assert_int_equal(facts.verdict.reject, LODE_VALID);
        d.keeps_root = true;
        for (uint32_t at = cases[i].repeated[0]; at < cases[i].repeated[1]; at++)
            d.txs[d.count++] = d.txs[at];
        facts = examine(&d);
        assert_int_equal(facts.verdict.reject, LODE_BAD_TXNS_DUPLICATE);
        assert_true(facts.verdict.is_mutated);
    }
}

/* Two equal transactions that are no pair of the tree are no mutation; coins decide about them. */
static void equal_transactions_elsewhere_are_no_mutation(void **state)
{
    draft d = make_draft(4);

    d.inputs[2][0] = d.inputs[1][0];
    d.outputs[2][0] = d.outputs[1][0];
    assert_int_equal(examine(&d).verdict.reject, LODE_VALID);
}

static void a_block_has_transactions(void **state)
{
    draft d = make_draft(0);
    lode_block_facts facts = examine(&d);

    assert_int_equal(facts.verdict.reject, LODE_BAD_BLK_LENGTH);
    assert_false(facts.verdict.is_mutated);
}

/* 80 + 1 + coinbase 62 + 51 + 5 + 5 + script: the limit is a million bytes without witnesses. A single transaction of
 * that size would be told as oversize if the block were not told first. */
static void a_block_without_witness_has_a_million_bytes(void **state)
{
    draft d = make_draft(3);
    static uint8_t zeros[1000000];
    size_t rest = 1000000 - (80 + 1 + 62 + 2 * (60 + 4));

    d.outputs[1][0].script = lode_slice_of(zeros, rest / 2);
    d.outputs[2][0].script = lode_slice_of(zeros, rest - rest / 2);
    assert_int_equal(examine(&d).verdict.reject, LODE_VALID);
    assert_int_equal(examine(&d).weight, 4000000);
    assert_int_equal(check_at_16(&d).reject, LODE_VALID);
    d.outputs[2][0].script.len++;
    assert_int_equal(examine(&d).verdict.reject, LODE_BAD_BLK_LENGTH);
}

static void one_coinbase_comes_first(void **state)
{
    draft d = make_draft(3);

    d.inputs[0][0].parent = 9;
    assert_int_equal(examine(&d).verdict.reject, LODE_BAD_CB_MISSING);
    d = make_draft(3);
    d.inputs[2][0] = d.inputs[0][0];
    assert_int_equal(examine(&d).verdict.reject, LODE_BAD_CB_MULTIPLE);
    d.inputs[2][0].parent = 1; /* the largest index alone makes none */
    assert_int_equal(examine(&d).verdict.reject, LODE_VALID);
}

static void a_bad_transaction_is_named(void **state)
{
    draft d = make_draft(4);
    lode_block_facts facts;

    d.outputs[2][0].sat = -1;
    facts = examine(&d);
    assert_int_equal(facts.verdict.reject, LODE_BAD_TXNS_VOUT_NEGATIVE);
    assert_int_equal(facts.verdict.tx_index, 2);
    assert_false(facts.verdict.is_mutated);
}

/* 80,000 of cost are 20,000 legacy operations; report 32: they count after OP_RETURN, spread over outputs as well. */
static void a_block_has_twenty_thousand_legacy_sigops(void **state)
{
    draft d = make_draft(3);
    static uint8_t script[20001];

    memset(script, 0xac, sizeof script);
    script[0] = 0x6a;
    d.txs[1].output_count = d.txs[2].output_count = 2;
    d.outputs[1][0].script = lode_slice_of(script, 10001);
    d.outputs[1][1].script = lode_slice_of(script, 5001);
    d.outputs[2][0].script = lode_slice_of(script, 4001);
    d.outputs[2][1].script = lode_slice_of(script, 1001);
    assert_int_equal(examine(&d).verdict.reject, LODE_VALID);
    assert_int_equal(examine(&d).legacy_sigops, 20000);
    d.outputs[2][1].script.len++;
    assert_int_equal(examine(&d).verdict.reject, LODE_BAD_BLK_SIGOPS);
    d.outputs[2][1].script.len--;
    d.inputs[0][0].script = BYTES(0x60, 0xac); /* the coinbase's script counts */
    assert_int_equal(examine(&d).verdict.reject, LODE_BAD_BLK_SIGOPS);
}

/* A block that is wrong in every way; faults are taken away one by one. */
static void the_first_fault_in_core_s_order_is_told(void **state)
{
    draft d = make_draft(3);
    static uint8_t script[1000000];

    memset(script, 0xae, sizeof script);
    d.keeps_root = true;
    d.inputs[0][0].parent = 9;
    d.inputs[1][0] = (made_input){ 0, FINAL, { NULL, 0 }, FINAL, { NULL, 0 } };
    d.outputs[1][0] = (made_output){ -1, lode_slice_of(script, sizeof script) };
    d.outputs[2][0] = (made_output){ INT64_MAX, { NULL, 0 } };
    assert_int_equal(examine(&d).verdict.reject, LODE_BAD_TXNMRKLROOT);
    d.keeps_root = false;
    assert_int_equal(examine(&d).verdict.reject, LODE_BAD_BLK_LENGTH);
    d.outputs[1][0].script.len = 1001;
    assert_int_equal(examine(&d).verdict.reject, LODE_BAD_CB_MISSING);
    d.inputs[0][0].parent = 0;
    assert_int_equal(examine(&d).verdict.reject, LODE_BAD_CB_MULTIPLE);
    d.inputs[1][0].parent = 1;
    assert_int_equal(examine(&d).verdict.reject, LODE_BAD_TXNS_VOUT_NEGATIVE); /* of transaction 1 before 2 */
    d.outputs[1][0].sat = 0;
    assert_int_equal(examine(&d).verdict.reject, LODE_BAD_TXNS_VOUT_TOOLARGE); /* of transaction 2 before sigops */
    d.outputs[2][0].sat = 0;
    assert_int_equal(examine(&d).verdict.reject, LODE_BAD_BLK_SIGOPS);
    d.outputs[1][0].script.len = 1000;
    assert_int_equal(examine(&d).verdict.reject, LODE_VALID);
}

static void the_coinbase_s_outputs_are_summed(void **state)
{
    draft d = make_draft(2);

    d.txs[0].output_count = 3;
    for (int i = 0; i < 3; i++)
        d.outputs[0][i] = (made_output){ 100 + i, { NULL, 0 } };
    assert_int_equal(examine(&d).coinbase_value.sat, 303);
}

/* ---- ContextualCheckBlock ---- */

/* BIP 113: until CSV the block's own time is the clock, from then on the median before it. */
static void locks_are_held_against_the_right_clock(void **state)
{
    lode_node *nodes = make_nodes(16, 1300000000, 600, 0x207fffff);
    uint32_t median = nodes[15].median_time;
    draft d = make_draft(3);

    assert_int_equal(median, 1300000000 + 10 * 600);
    d.inputs[2][0].sequence = 0;
    d.txs[2].lock_time = median - 1;
    assert_int_equal(check_on(&d, &nodes[15]).reject, LODE_VALID);
    d.txs[2].lock_time = median;
    assert_int_equal(check_on(&d, &nodes[15]).reject, LODE_BAD_TXNS_NONFINAL);
    assert_int_equal(check_on(&d, &nodes[15]).tx_index, 2);
    d.params.csv_height = 17;
    assert_int_equal(check_on(&d, &nodes[15]).reject, LODE_VALID);
    d.txs[2].lock_time = d.header.time;
    assert_int_equal(check_on(&d, &nodes[15]).reject, LODE_BAD_TXNS_NONFINAL);
    d.txs[2].lock_time = d.header.time - 1;
    assert_int_equal(check_on(&d, &nodes[15]).reject, LODE_VALID);
    d.txs[2].lock_time = 15; /* a height: may be in the next block */
    assert_int_equal(check_on(&d, &nodes[15]).reject, LODE_VALID);
    d.txs[2].lock_time = 16;
    assert_int_equal(check_on(&d, &nodes[15]).reject, LODE_BAD_TXNS_NONFINAL);
    d.inputs[2][0].sequence = FINAL;
    assert_int_equal(check_on(&d, &nodes[15]).reject, LODE_VALID);
    d.inputs[0][0].sequence = 0; /* a coinbase may be locked as well */
    d.txs[0].lock_time = 16;
    assert_int_equal(check_on(&d, &nodes[15]).reject, LODE_BAD_TXNS_NONFINAL);
    assert_int_equal(check_on(&d, &nodes[15]).tx_index, 0);
    free(nodes);
}

/* BIP 34, each width of number and the sign byte. */
static void coinbases_tell_their_height(void **state)
{
    static const struct {
        int32_t height;
        uint8_t push[7]; /* and what follows */
        uint8_t len;
        bool is_good;
    } cases[] = {
        { 1, { 0x51, 0 }, 2, true },
        { 1, { 0x01, 0x01 }, 2, false }, /* a push of the number is not the shortest form */
        { 16, { 0x60, 0 }, 2, true },
        { 16, { 0x01, 0x10 }, 2, false },
        { 17, { 0x01, 0x11 }, 2, true },
        { 17, { 0x61, 0x00 }, 2, false },
        { 127, { 0x01, 0x7f }, 2, true },
        { 128, { 0x02, 0x80, 0x00 }, 3, true },
        { 128, { 0x01, 0x80, 0x00 }, 3, false },
        { 255, { 0x02, 0xff, 0x00 }, 3, true },
        { 256, { 0x02, 0x00, 0x01 }, 3, true },
        { 256, { 0x02, 0x00 }, 2, false }, /* cut short */
        { 256, { 0x02, 0x01, 0x00 }, 3, false },
        { 256, { 0x03, 0x00, 0x01, 0x00 }, 4, false },
        { 256, { 0x4c, 0x02, 0x00, 0x01 }, 4, false },
        { 32767, { 0x02, 0xff, 0x7f }, 3, true },
        { 32768, { 0x03, 0x00, 0x80, 0x00 }, 4, true },
        { 65535, { 0x03, 0xff, 0xff, 0x00 }, 4, true },
        { 500000, { 0x03, 0x20, 0xa1, 0x07 }, 4, true },
        { 500000, { 0x03, 0x20, 0xa1, 0x07, 0xff, 0xff }, 6, true }, /* anything may follow */
        { 500000, { 0x03, 0x21, 0xa1, 0x07 }, 4, false },
        { 8388607, { 0x03, 0xff, 0xff, 0x7f }, 4, true },
        { 8388608, { 0x04, 0x00, 0x00, 0x80, 0x00 }, 5, true },
        { 2147483647, { 0x04, 0xff, 0xff, 0xff, 0x7f }, 5, true },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        draft d = make_draft(1);
        lode_node prev = { .height = cases[i].height - 1 };
        lode_verdict verdict;

        d.inputs[0][0].script = lode_slice_of(cases[i].push, cases[i].len);
        verdict = check_on(&d, &prev);
        if (verdict.reject != (cases[i].is_good ? LODE_VALID : LODE_BAD_CB_HEIGHT))
            fail_msg("case %zu, height %d: %s", i, cases[i].height, lode_reject_name(verdict.reject));
        d.params.bip34_height = cases[i].height == INT32_MAX ? INT32_MAX : cases[i].height + 1; /* not yet */
        if (cases[i].height != INT32_MAX)
            assert_int_equal(check_on(&d, &prev).reject, LODE_VALID);
    }
}

/* At height 0 the push is OP_0; the real genesis block is never asked. */
static void genesis_stands_on_nothing(void **state)
{
    draft d = make_draft(1);

    assert_int_equal(check_on(&d, NULL).reject, LODE_VALID);
    d.params.bip34_height = 0;
    assert_int_equal(check_on(&d, NULL).reject, LODE_BAD_CB_HEIGHT);
    d.inputs[0][0].script = BYTES(0x00, 0x00);
    assert_int_equal(check_on(&d, NULL).reject, LODE_VALID);
}

/* ---- BIP 141 ---- */

static const uint8_t zero_reserved[34] = { 1, 32 }; /* one item, 32 zeros */

/* Three transactions, the second with a witness; commitment and reserved value in place. */
static draft make_segwit_draft(uint8_t commitment[38])
{
    draft d = make_draft(3);

    d.inputs[1][0].witness = lode_slice_of("\1\2\7\7", 4);
    d.inputs[0][0].witness = lode_slice_of(zero_reserved, sizeof zero_reserved);
    for (uint32_t i = 0; i < d.count; i++) {
        d.txs[i].inputs = d.inputs[i];
        d.txs[i].outputs = d.outputs[i];
    }
    made_commitment(commitment, d.txs, d.count);
    for (uint32_t i = 0; i < d.count; i++) {
        d.txs[i].inputs = NULL; /* the draft is copied out of here */
        d.txs[i].outputs = NULL;
    }
    d.txs[0].output_count = 2;
    d.outputs[0][1] = (made_output){ 0, lode_slice_of(commitment, 38) };
    return d;
}

static void committed_witnesses_are_valid(void **state)
{
    uint8_t commitment[38];
    draft d = make_segwit_draft(commitment);
    lode_block_facts facts = examine(&d);

    assert_true(facts.has_witness && facts.has_commitment && facts.is_witness_nonce_good && facts.is_commitment_good);
    assert_int_equal(check_at_16(&d).reject, LODE_VALID);
}

static void assert_mutated(draft *d, lode_reject reject)
{
    lode_verdict verdict = check_at_16(d);

    assert_int_equal(verdict.reject, reject);
    assert_true(verdict.is_mutated);
}

static void the_reserved_value_is_one_item_of_32_bytes(void **state)
{
    static const uint8_t long_item[35] = { 1, 33 }, two_items[35] = { 2, 32 }, short_item[33] = { 1, 31 };
    uint8_t commitment[38];
    draft d = make_segwit_draft(commitment);

    d.inputs[0][0].witness = lode_slice_of(long_item, sizeof long_item);
    assert_mutated(&d, LODE_BAD_WITNESS_NONCE_SIZE);
    d.inputs[0][0].witness = lode_slice_of(short_item, sizeof short_item);
    assert_mutated(&d, LODE_BAD_WITNESS_NONCE_SIZE);
    d.inputs[0][0].witness = lode_slice_of(two_items, sizeof two_items);
    assert_mutated(&d, LODE_BAD_WITNESS_NONCE_SIZE);
    d.inputs[0][0].witness = lode_slice_of("", 0);
    assert_mutated(&d, LODE_BAD_WITNESS_NONCE_SIZE);
}

static void the_commitment_must_match(void **state)
{
    uint8_t commitment[38], other_reserved[34];
    draft d = make_segwit_draft(commitment);

    d.inputs[1][0].witness = lode_slice_of("\1\2\7\6", 4); /* someone changed a witness */
    assert_mutated(&d, LODE_BAD_WITNESS_MERKLE_MATCH);
    d.inputs[1][0].witness = lode_slice_of("", 0); /* or took it away */
    assert_mutated(&d, LODE_BAD_WITNESS_MERKLE_MATCH);
    d = make_segwit_draft(commitment);
    memcpy(other_reserved, zero_reserved, sizeof other_reserved);
    other_reserved[33] = 1;
    d.inputs[0][0].witness = lode_slice_of(other_reserved, sizeof other_reserved);
    assert_mutated(&d, LODE_BAD_WITNESS_MERKLE_MATCH);
}

/* A wrong commitment before a right one does no harm; after it, it counts. Longer scripts are commitments, other ones
 * are none. */
static void the_last_commitment_counts(void **state)
{
    uint8_t commitment[38], wrong[38], longer[40];
    draft d = make_segwit_draft(commitment);

    memcpy(wrong, commitment, 38);
    wrong[37] ^= 1;
    d.txs[0].output_count = 3;
    d.outputs[0][2] = d.outputs[0][1];
    d.outputs[0][1].script = lode_slice_of(wrong, 38);
    assert_int_equal(check_at_16(&d).reject, LODE_VALID);
    d.outputs[0][1].script = lode_slice_of(commitment, 38);
    d.outputs[0][2].script = lode_slice_of(wrong, 38);
    assert_mutated(&d, LODE_BAD_WITNESS_MERKLE_MATCH);
    d.outputs[0][2].script.len = 37; /* too short to be one */
    assert_int_equal(check_at_16(&d).reject, LODE_VALID);
    wrong[5] ^= 1; /* another header */
    d.outputs[0][2].script.len = 38;
    assert_int_equal(check_at_16(&d).reject, LODE_VALID);
    memcpy(longer, commitment, 38);
    longer[38] = longer[39] = 9;
    d.outputs[0][2].script = lode_slice_of(longer, 40);
    assert_int_equal(check_at_16(&d).reject, LODE_VALID);
}

static void witnesses_need_a_commitment(void **state)
{
    uint8_t commitment[38];
    draft d = make_segwit_draft(commitment);

    d.txs[0].output_count = 1;
    assert_mutated(&d, LODE_UNEXPECTED_WITNESS);
    d.inputs[0][0].witness = lode_slice_of("", 0);
    assert_mutated(&d, LODE_UNEXPECTED_WITNESS);
    d.inputs[1][0].witness = lode_slice_of("", 0);
    assert_int_equal(check_at_16(&d).reject, LODE_VALID);
    d = make_segwit_draft(commitment); /* before segwit a commitment is just an output */
    d.params.segwit_height = 17;
    assert_mutated(&d, LODE_UNEXPECTED_WITNESS);
    d.inputs[0][0].witness = d.inputs[1][0].witness = lode_slice_of("", 0);
    assert_int_equal(check_at_16(&d).reject, LODE_VALID);
}

/* A commitment without any witness in the block asks for its reserved value all the same. */
static void a_commitment_over_no_witness_is_checked(void **state)
{
    uint8_t commitment[38];
    draft d = make_draft(1);

    d.txs[0].inputs = d.inputs[0];
    d.txs[0].outputs = d.outputs[0];
    made_commitment(commitment, d.txs, 1);
    d.txs[0].output_count = 2;
    d.outputs[0][1] = (made_output){ 0, lode_slice_of(commitment, 38) };
    assert_mutated(&d, LODE_BAD_WITNESS_NONCE_SIZE);
    d.inputs[0][0].witness = lode_slice_of(zero_reserved, sizeof zero_reserved);
    assert_int_equal(check_at_16(&d).reject, LODE_VALID);
}

/* Weight is told last, and is no mutation by then. Report 33: one huge item is no fault of its own. */
static void weight_is_limited_to_four_million(void **state)
{
    uint8_t commitment[38];
    draft d = make_segwit_draft(commitment);
    lode_buf witness = LODE_BUF_EMPTY;
    uint32_t before;
    size_t item;

    lode_buf_put_u8(&witness, 1);
    lode_buf_put_u8(&witness, 0xfe);
    lode_buf_put_le32(&witness, 3900000);
    assert_non_null(lode_buf_extend(&witness, 4000000));
    memset(witness.data + 6, 0, 4000000);
    d.inputs[1][0].witness = lode_slice_of(witness.data, 6 + 3900000);
    before = examine(&d).weight;
    item = 3900000 + (4000000 - before);
    for (int over = 0; over < 2; over++) {
        lode_write_le32(witness.data + 2, (uint32_t)item + (uint32_t)over);
        d.inputs[1][0].witness = lode_slice_of(witness.data, 6 + item + (size_t)over);
        made_commitment(commitment, d.txs, d.count);
        assert_int_equal(examine(&d).weight, 4000000 + over);
        assert_int_equal(check_at_16(&d).reject, over ? LODE_BAD_BLK_WEIGHT : LODE_VALID);
        assert_false(check_at_16(&d).is_mutated);
    }
    commitment[20] ^= 1;
    assert_mutated(&d, LODE_BAD_WITNESS_MERKLE_MATCH);
    lode_buf_clear(&witness);
}

/* All contextual faults at once, taken away in order. */
static void the_first_contextual_fault_is_told(void **state)
{
    uint8_t commitment[38];
    draft d = make_segwit_draft(commitment);
    lode_node *nodes = make_nodes(17, 1300000000, 600, 0x207fffff);

    d.txs[2].lock_time = 400;
    d.inputs[2][0].sequence = 1;
    d.inputs[0][0].witness = lode_slice_of("", 0);
    assert_int_equal(check_on(&d, &nodes[16]).reject, LODE_BAD_TXNS_NONFINAL);
    d.txs[2].lock_time = 0;
    assert_int_equal(check_on(&d, &nodes[16]).reject, LODE_BAD_CB_HEIGHT);
    assert_false(check_on(&d, &nodes[16]).is_mutated);
    assert_int_equal(check_on(&d, &nodes[15]).reject, LODE_BAD_WITNESS_NONCE_SIZE);
    free(nodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_block_is_valid),
        cmocka_unit_test(the_root_must_fit),
        cmocka_unit_test(repeated_transactions_are_a_mutation),
        cmocka_unit_test(equal_transactions_elsewhere_are_no_mutation),
        cmocka_unit_test(a_block_has_transactions),
        cmocka_unit_test(a_block_without_witness_has_a_million_bytes),
        cmocka_unit_test(one_coinbase_comes_first),
        cmocka_unit_test(a_bad_transaction_is_named),
        cmocka_unit_test(a_block_has_twenty_thousand_legacy_sigops),
        cmocka_unit_test(the_first_fault_in_core_s_order_is_told),
        cmocka_unit_test(the_coinbase_s_outputs_are_summed),
        cmocka_unit_test(locks_are_held_against_the_right_clock),
        cmocka_unit_test(coinbases_tell_their_height),
        cmocka_unit_test(genesis_stands_on_nothing),
        cmocka_unit_test(committed_witnesses_are_valid),
        cmocka_unit_test(the_reserved_value_is_one_item_of_32_bytes),
        cmocka_unit_test(the_commitment_must_match),
        cmocka_unit_test(the_last_commitment_counts),
        cmocka_unit_test(witnesses_need_a_commitment),
        cmocka_unit_test(a_commitment_over_no_witness_is_checked),
        cmocka_unit_test(weight_is_limited_to_four_million),
        cmocka_unit_test(the_first_contextual_fault_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
