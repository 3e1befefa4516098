/* test/validate/tx_rules_test.c: each rule for one transaction, just valid and just invalid. */
#include "validate/rules/tx.h"

#include "made_chain.h"
#include "validate/rules/prevouts.h"
#include "validate/rules/sigops.h"
#include "validate/script/interpreter.h"

#define MAX_MONEY INT64_C(2100000000000000)
#define FINAL 0xffffffffu

static lode_slice bytes_of(uint8_t byte, size_t len)
{
    static uint8_t bytes[4000000];
    memset(bytes, byte, len);
    return lode_slice_of(bytes, len);
}

static lode_reject check_made(const made_tx *made)
{
    lode_buf raw = LODE_BUF_EMPTY;
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_tx tx = view_made_tx(&raw, &arena, made);
    lode_reject reject = lode_tx_check(&tx, &arena);

    lode_arena_clear(&arena);
    lode_buf_clear(&raw);
    return reject;
}

/* One input, and outputs of these values. */
static lode_reject check_values(const int64_t *values, uint32_t count)
{
    made_input input = { 1, 0, { NULL, 0 }, FINAL, { NULL, 0 } };
    made_output outputs[8];

    for (uint32_t i = 0; i < count; i++)
        outputs[i] = (made_output){ values[i], { NULL, 0 } };
    return check_made(&(made_tx){ 1, &input, 1, outputs, count, 0 });
}

/* ---- Core's CheckTransaction ---- */

static void inputs_and_outputs_must_be_there(void **state)
{
    made_input input = { 1, 0, { NULL, 0 }, FINAL, { NULL, 0 } };
    made_output output = { 0, { NULL, 0 } };

    assert_int_equal(check_made(&(made_tx){ 1, &input, 1, &output, 1, 0 }), LODE_VALID);
    assert_int_equal(check_made(&(made_tx){ 1, NULL, 0, &output, 1, 0 }), LODE_BAD_TXNS_VIN_EMPTY);
    assert_int_equal(check_made(&(made_tx){ 1, &input, 1, NULL, 0, 0 }), LODE_BAD_TXNS_VOUT_EMPTY);
    assert_int_equal(check_made(&(made_tx){ 1, NULL, 0, NULL, 0, 0 }), LODE_BAD_TXNS_VIN_EMPTY);
}

/* 4 + 1 + 41 + 1 + 8 + 5 + script + 4 bytes; the limit is a million. Witnesses do not count. */
static void a_transaction_without_witness_fits_in_a_block(void **state)
{
    made_input input = { 1, 0, { NULL, 0 }, FINAL, { NULL, 0 } };
    made_output output = { 0, bytes_of(0x6a, 1000000 - 64) };
    lode_buf witness = LODE_BUF_EMPTY;

    assert_int_equal(check_made(&(made_tx){ 1, &input, 1, &output, 1, 0 }), LODE_VALID);
    lode_buf_put_u8(&witness, 1);
    lode_buf_put_compact_size(&witness, 5000000);
    assert_non_null(lode_buf_extend(&witness, 5000000));
    memset(witness.data + 6, 0, 5000000);
    input.witness = lode_buf_slice(&witness);
    assert_int_equal(check_made(&(made_tx){ 1, &input, 1, &output, 1, 0 }), LODE_VALID);
    input.witness.len = 0;
    output.script.len++;
    assert_int_equal(check_made(&(made_tx){ 1, &input, 1, &output, 1, 0 }), LODE_BAD_TXNS_OVERSIZE);
    lode_buf_clear(&witness);
}

/* The last case but one is CVE-2010-5139: a sum that wraps 64 bits. */
static void outputs_and_their_sums_are_money(void **state)
{
    static const struct {
        int64_t values[3];
        uint32_t count;
        lode_reject expected;
    } cases[] = {
        { { 0 }, 1, LODE_VALID },
        { { MAX_MONEY }, 1, LODE_VALID },
        { { MAX_MONEY - 1, 1 }, 2, LODE_VALID },
        { { -1 }, 1, LODE_BAD_TXNS_VOUT_NEGATIVE },
        { { INT64_MIN }, 1, LODE_BAD_TXNS_VOUT_NEGATIVE },
        { { MAX_MONEY + 1 }, 1, LODE_BAD_TXNS_VOUT_TOOLARGE },
        { { MAX_MONEY, 1 }, 2, LODE_BAD_TXNS_TXOUTTOTAL_TOOLARGE },
        { { MAX_MONEY, 1, -1 }, 3, LODE_BAD_TXNS_TXOUTTOTAL_TOOLARGE }, /* the first in order of outputs */
        { { MAX_MONEY, -1 }, 2, LODE_BAD_TXNS_VOUT_NEGATIVE },
        { { INT64_C(9223372036854275807), INT64_C(9223372036854275807) }, 2, LODE_BAD_TXNS_VOUT_TOOLARGE },
        { { 0, INT64_MAX }, 2, LODE_BAD_TXNS_VOUT_TOOLARGE },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(check_values(cases[i].values, cases[i].count), cases[i].expected);
}

static void coinbase_scripts_have_2_to_100_bytes(void **state)
{
    static const struct {
        size_t len;
        lode_reject expected;
    } cases[] = { { 0, LODE_BAD_CB_LENGTH },
                  { 1, LODE_BAD_CB_LENGTH },
                  { 2, LODE_VALID },
                  { 100, LODE_VALID },
                  { 101, LODE_BAD_CB_LENGTH } };
    made_output output = { 0, { NULL, 0 } };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_input input = { 0, FINAL, bytes_of(0, cases[i].len), FINAL, { NULL, 0 } };
        assert_int_equal(check_made(&(made_tx){ 1, &input, 1, &output, 1, 0 }), cases[i].expected);
    }
}

/* Null is a zero id and the largest index together; two inputs make it no coinbase. */
static void only_a_coinbase_names_no_prevout(void **state)
{
    made_output output = { 0, { NULL, 0 } };
    made_input inputs[2] = { { 1, 0, { NULL, 0 }, FINAL, { NULL, 0 } }, { 0, FINAL, { NULL, 0 }, FINAL, { NULL, 0 } } };

    assert_int_equal(check_made(&(made_tx){ 1, inputs, 2, &output, 1, 0 }), LODE_BAD_TXNS_PREVOUT_NULL);
    inputs[1].index--;
    assert_int_equal(check_made(&(made_tx){ 1, inputs, 2, &output, 1, 0 }), LODE_VALID);
    inputs[1] = (made_input){ 2, FINAL, { NULL, 0 }, FINAL, { NULL, 0 } };
    assert_int_equal(check_made(&(made_tx){ 1, inputs, 2, &output, 1, 0 }), LODE_VALID);
    assert_int_equal(check_made(&(made_tx){ 1, inputs + 1, 1, &output, 1, 0 }), LODE_VALID); /* no coinbase either */
}

/* CVE-2018-17144. */
static void no_prevout_is_named_twice(void **state)
{
    made_output output = { 0, { NULL, 0 } };
    made_input inputs[3] = { { 1, 7, { NULL, 0 }, FINAL, { NULL, 0 } },
                             { 1, 8, { NULL, 0 }, FINAL, { NULL, 0 } },
                             { 2, 7, { NULL, 0 }, FINAL, { NULL, 0 } } };

    assert_int_equal(check_made(&(made_tx){ 1, inputs, 3, &output, 1, 0 }), LODE_VALID);
    inputs[2] = inputs[0];
    inputs[2].sequence = 0; /* the same coin whatever else differs */
    assert_int_equal(check_made(&(made_tx){ 1, inputs, 3, &output, 1, 0 }), LODE_BAD_TXNS_INPUTS_DUPLICATE);
    inputs[0].parent = inputs[2].parent = 0; /* asked before the null prevout */
    inputs[0].index = inputs[2].index = FINAL;
    assert_int_equal(check_made(&(made_tx){ 1, inputs, 3, &output, 1, 0 }), LODE_BAD_TXNS_INPUTS_DUPLICATE);
}

/* Faults are taken away one after another. */
static void the_first_fault_in_core_s_order_is_told(void **state)
{
    made_input inputs[2] = { { 0, FINAL, { NULL, 0 }, FINAL, { NULL, 0 } },
                             { 0, FINAL, { NULL, 0 }, FINAL, { NULL, 0 } } };
    made_output outputs[3] = { { -1, bytes_of(0, 1000000) },
                               { MAX_MONEY + 1, { NULL, 0 } },
                               { MAX_MONEY, { NULL, 0 } } };
    made_tx tx = { 1, inputs, 2, outputs, 3, 0 };

    assert_int_equal(check_made(&tx), LODE_BAD_TXNS_OVERSIZE);
    outputs[0].script.len = 0;
    assert_int_equal(check_made(&tx), LODE_BAD_TXNS_VOUT_NEGATIVE);
    outputs[0].sat = 1;
    assert_int_equal(check_made(&tx), LODE_BAD_TXNS_VOUT_TOOLARGE);
    outputs[1].sat = 0;
    assert_int_equal(check_made(&tx), LODE_BAD_TXNS_TXOUTTOTAL_TOOLARGE);
    outputs[0].sat = 0;
    assert_int_equal(check_made(&tx), LODE_BAD_TXNS_INPUTS_DUPLICATE);
    inputs[0].index = 3;
    assert_int_equal(check_made(&tx), LODE_BAD_TXNS_PREVOUT_NULL);
    inputs[1].index = 4;
    assert_int_equal(check_made(&tx), LODE_VALID);
}

/* ---- the search for repeats, by itself ---- */

/* Prevouts in one array of 36 bytes each. */
static bool finds_repeat(const uint8_t *prevouts, size_t count)
{
    lode_txin *inputs = calloc(count, sizeof *inputs);
    lode_arena arena = LODE_ARENA_EMPTY;
    bool found = false;

    assert_non_null(inputs);
    for (size_t i = 0; i < count; i++)
        inputs[i].prevout = prevouts + 36 * i;
    assert_true(lode_prevouts_find_repeat(&found, inputs, count, &arena));
    lode_arena_clear(&arena);
    free(inputs);
    return found;
}

static void repeats_are_found_at_any_distance(void **state)
{
    static const size_t counts[] = { 1, 2, 3, 15, 16, 17, 18, 33, 100, 2001 };
    uint8_t *prevouts = malloc(36 * 2001);

    assert_non_null(prevouts);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        size_t count = counts[c];
        for (size_t i = 0; i < count; i++) { /* half of one parent, half of many */
            memset(prevouts + 36 * i, i % 2 ? 9 : (int)(i * 7), 36);
            lode_write_le32(prevouts + 36 * i + 4, i % 2 ? 9 : (uint32_t)i);
            lode_write_le32(prevouts + 36 * i + 32, (uint32_t)i);
        }
        assert_false(finds_repeat(prevouts, count));
        for (size_t i = 0; i < count; i += count / 7 + 1) {
            for (size_t j = 0; j < count; j += count / 5 + 1) {
                uint8_t kept[36];
                if (i == j)
                    continue;
                memcpy(kept, prevouts + 36 * j, 36);
                memcpy(prevouts + 36 * j, prevouts + 36 * i, 36);
                assert_true(finds_repeat(prevouts, count));
                memcpy(prevouts + 36 * j, kept, 36);
            }
        }
    }
    free(prevouts);
}

/* All keys the same, ids different past their first eight bytes: the table gives up and the sort answers. Pairwise
 * this would take minutes. */
static void crowded_prevouts_are_sorted(void **state)
{
    size_t count = 24000;
    uint8_t *prevouts = calloc(count, 36);

    assert_non_null(prevouts);
    for (size_t i = 0; i < count; i++)
        lode_write_le32(prevouts + 36 * i + 20, (uint32_t)(i * 2654435761u));
    assert_false(finds_repeat(prevouts, count));
    memcpy(prevouts + 36 * 17, prevouts + 36 * (count - 3), 36);
    assert_true(finds_repeat(prevouts, count));
    memcpy(prevouts, prevouts + 36, 36);
    assert_true(finds_repeat(prevouts, count));
    free(prevouts);
}

/* ---- IsFinalTx ---- */

static bool is_final(uint32_t lock_time, uint32_t sequence, int32_t height, int64_t cutoff)
{
    lode_txin inputs[2] = { { .sequence = FINAL }, { .sequence = sequence } };
    lode_tx tx = { .lock_time = lock_time, .input_count = 2, .inputs = inputs };
    return lode_tx_is_final(&tx, height, cutoff);
}

static void lock_times_bind_until_they_are_past(void **state)
{
    assert_true(is_final(0, 0, 0, 0));
    assert_true(is_final(99, 0, 100, 0));
    assert_false(is_final(100, 0, 100, INT64_MAX));
    assert_true(is_final(100, FINAL, 100, 0)); /* all inputs final */
    assert_false(is_final(100, FINAL - 1, 100, 0));
    assert_false(is_final(499999999, 0, 499999999, INT64_MAX)); /* the last height */
    assert_true(is_final(500000000, 0, 0, 500000001));          /* the first time */
    assert_false(is_final(500000000, 0, INT32_MAX, 500000000));
    assert_false(is_final(0xffffffffu, 0, INT32_MAX, 0xffffffffu));
    assert_true(is_final(0xffffffffu, 0, 0, INT64_C(0x100000000)));
}

/* ---- BIP 68 ---- */

static bool is_sequence_final(int32_t version, uint32_t sequence, uint32_t coin_height, const lode_node *node)
{
    lode_txin inputs[2] = { { .sequence = FINAL }, { .sequence = sequence } };
    lode_tx tx = { .version = version, .input_count = 2, .inputs = inputs };
    uint32_t heights[2] = { 0, coin_height };
    return lode_tx_is_sequence_final(&tx, heights, node);
}

static void relative_heights_count_from_the_coin_s_block(void **state)
{
    lode_node *nodes = make_nodes(200, 1300000000, 600, 0x207fffff);

    assert_true(is_sequence_final(2, 10, 100, &nodes[110]));
    assert_false(is_sequence_final(2, 10, 100, &nodes[109]));
    assert_true(is_sequence_final(2, 0, 110, &nodes[110])); /* a coin of the same block */
    assert_false(is_sequence_final(2, 1, 110, &nodes[110]));
    assert_false(is_sequence_final(2, 0xffff, 1, &nodes[199]));
    assert_true(is_sequence_final(2, 0x00210000 | 10, 100, &nodes[110])); /* bits between are no one's */
    assert_true(is_sequence_final(2, 1u << 31 | 0xffff, 199, &nodes[199]));
    free(nodes);
}

static void versions_below_two_have_no_relative_locks(void **state)
{
    lode_node *nodes = make_nodes(20, 1300000000, 600, 0x207fffff);

    assert_true(is_sequence_final(1, 10, 19, &nodes[19]));
    assert_true(is_sequence_final(0, 10, 19, &nodes[19]));
    assert_false(is_sequence_final(2, 10, 19, &nodes[19]));
    assert_false(is_sequence_final(-1, 10, 19, &nodes[19])); /* versions are unsigned here */
    assert_false(is_sequence_final(INT32_MIN, 10, 19, &nodes[19]));
    free(nodes);
}

/* A lock of n * 512 seconds on a coin of block 100 is over when the median before the spending block is that much later
 * than the median before block 100. Block times in between may jump as they like. */
static void relative_times_run_from_median_to_median(void **state)
{
    lode_node *nodes = make_nodes(130, 1300000000, 512, 0x207fffff);
    uint32_t lock = 1u << 22 | 3;

    /* medians are 512 seconds apart as well: before 103 it is three units later than before 100 */
    assert_int_equal(nodes[102].median_time - nodes[99].median_time, 3 * 512);
    assert_true(is_sequence_final(2, lock, 100, &nodes[103]));
    assert_false(is_sequence_final(2, lock, 100, &nodes[102]));
    nodes[97].header.time--; /* one second early: it is the median of 92 to 102 */
    relink_nodes(nodes, 130);
    assert_int_equal(nodes[102].median_time - nodes[99].median_time, 3 * 512 - 1);
    assert_false(is_sequence_final(2, lock, 100, &nodes[103]));
    nodes[97].header.time++;
    nodes[103].header.time += 100000; /* the spending block's own time is not asked */
    nodes[100].header.time += 100000; /* nor the coin's */
    relink_nodes(nodes, 130);
    assert_true(is_sequence_final(2, lock, 100, &nodes[104]));
    assert_false(is_sequence_final(2, lock, 101, &nodes[103]));
    free(nodes);
}

/* A coin of genesis is timed from genesis itself. */
static void the_median_before_genesis_is_genesis(void **state)
{
    lode_node *nodes = make_nodes(40, 1300000000, 512, 0x207fffff);

    assert_true(is_sequence_final(2, 1u << 22, 0, &nodes[1]));
    assert_true(is_sequence_final(2, 1u << 22 | 1, 0, &nodes[3])); /* median of 0, 1, 2 is 1 */
    assert_false(is_sequence_final(2, 1u << 22 | 2, 0, &nodes[3]));
    assert_true(is_sequence_final(2, 1u << 22 | 1, 1, &nodes[3]));
    free(nodes);
}

static void locks_are_noticed(void **state)
{
    lode_txin inputs[2] = { { .sequence = FINAL }, { .sequence = 1u << 31 } };
    lode_tx tx = { .version = 2, .input_count = 2, .inputs = inputs };

    assert_false(lode_tx_has_sequence_locks(&tx));
    inputs[1].sequence = 0;
    assert_true(lode_tx_has_sequence_locks(&tx));
    tx.version = 1;
    assert_false(lode_tx_has_sequence_locks(&tx));
    tx.version = -1;
    assert_true(lode_tx_has_sequence_locks(&tx));
}

/* ---- coins ---- */

static void coinbases_mature_after_a_hundred_blocks(void **state)
{
    lode_amount total = { 0 };

    assert_int_equal(lode_tx_check_input(&total, (lode_amount){ 5 }, 100, true, 199),
                     LODE_BAD_TXNS_PREMATURE_SPEND_OF_COINBASE);
    assert_int_equal(lode_tx_check_input(&total, (lode_amount){ 5 }, 100, true, 200), LODE_VALID);
    assert_int_equal(lode_tx_check_input(&total, (lode_amount){ 5 }, 100, false, 100), LODE_VALID);
    assert_int_equal(total.sat, 10);
    /* immaturity is told before the value */
    assert_int_equal(lode_tx_check_input(&total, (lode_amount){ -1 }, 100, true, 199),
                     LODE_BAD_TXNS_PREMATURE_SPEND_OF_COINBASE);
}

static void inputs_and_their_sum_are_money(void **state)
{
    lode_amount total = { 0 };

    assert_int_equal(lode_tx_check_input(&total, (lode_amount){ MAX_MONEY }, 1, false, 9), LODE_VALID);
    assert_int_equal(lode_tx_check_input(&total, (lode_amount){ 1 }, 1, false, 9),
                     LODE_BAD_TXNS_INPUTVALUES_OUTOFRANGE);
    total.sat = 0;
    assert_int_equal(lode_tx_check_input(&total, (lode_amount){ MAX_MONEY + 1 }, 1, false, 9),
                     LODE_BAD_TXNS_INPUTVALUES_OUTOFRANGE);
    total.sat = 0;
    assert_int_equal(lode_tx_check_input(&total, (lode_amount){ -1 }, 1, false, 9),
                     LODE_BAD_TXNS_INPUTVALUES_OUTOFRANGE);
}

static void outputs_do_not_exceed_inputs(void **state)
{
    lode_txout outputs[2] = { { .value = { 30 } }, { .value = { 12 } } };
    lode_tx tx = { .output_count = 2, .outputs = outputs };
    lode_amount fee = { -7 };

    assert_int_equal(lode_tx_check_fee(&fee, &tx, (lode_amount){ 41 }), LODE_BAD_TXNS_IN_BELOWOUT);
    assert_int_equal(lode_tx_check_fee(&fee, &tx, (lode_amount){ 42 }), LODE_VALID);
    assert_int_equal(fee.sat, 0);
    assert_int_equal(lode_tx_check_fee(&fee, &tx, (lode_amount){ MAX_MONEY }), LODE_VALID);
    assert_int_equal(fee.sat, MAX_MONEY - 42);
}

/* ---- signature operations ---- */

static void legacy_sigops_are_counted_as_they_stand(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        uint32_t expected;
    } cases[] = {
        { "", 0, 0 },
        { "\xac\xad\xae\xaf", 4, 42 },
        { "\x52\xae", 2, 20 },                /* a count in front does not matter */
        { "\x6a\xac", 2, 1 },                 /* after OP_RETURN as well */
        { "\x02\xac\xac\xac", 4, 1 },         /* pushed bytes are none */
        { "\x01\x07\xac\xac\x4c\xff", 6, 2 }, /* a push past the end ends it: what was seen counts */
        { "\xac\x4c", 2, 1 },
        { "\xac\x4c\x02\xac\xac\xac", 6, 2 },
        { "\xac\x4d\x01", 3, 1 },
        { "\xac\x4d\x01\x00\xac\xac", 6, 2 },
        { "\xac\x4e\x01\x00\x00", 5, 1 },
        { "\xac\x4e\x01\x00\x00\x00\xac\xac", 8, 2 },
        { "\xac\x4e\xff\xff\xff\xff\xac", 7, 1 },
        { "\x4b\xac", 2, 0 },
        { "\x63\xac\x67\xae\x68", 5, 21 }, /* both branches */
        { "\xba\xff\x00\xac", 4, 1 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint8_t *script = (const uint8_t *)cases[i].bytes;
        assert_int_equal(lode_count_sigops(script, cases[i].len), cases[i].expected);
        assert_int_equal(lode_script_sigops(lode_slice_of(script, cases[i].len), false), cases[i].expected);
    }
}

static void both_ways_of_counting_agree_on_noise(void **state)
{
    static const uint8_t common[] = { 0xac, 0xae, 0x4c, 0x4d, 0x4e, 0x01, 0x02, 0x00, 0x6a, 0xaf };
    uint32_t random = 12345;
    uint8_t script[40];

    for (int round = 0; round < 20000; round++) {
        size_t len = (size_t)round % sizeof script;
        for (size_t i = 0; i < len; i++) {
            random = random * 1664525 + 1013904223;
            script[i] = random >> 31 ? (uint8_t)(random >> 16) : common[(random >> 16) % sizeof common];
        }
        assert_int_equal(lode_count_sigops(script, len), lode_script_sigops(lode_slice_of(script, len), false));
    }
}

static void all_scripts_of_a_transaction_count(void **state)
{
    made_input inputs[2] = { { 0, FINAL, BYTES(0x02, 0xac, 0xac, 0xac, 0xac), FINAL, { NULL, 0 } }, { 0 } };
    made_output outputs[2] = { { 0, BYTES(0xae) }, { 0, BYTES(0x6a, 0xad) } };
    made_tx made = { 1, inputs, 1, outputs, 2, 0 };
    lode_buf raw = LODE_BUF_EMPTY;
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_tx tx = view_made_tx(&raw, &arena, &made);

    assert_true(lode_tx_is_coinbase(&tx));
    assert_int_equal(lode_tx_legacy_sigops(&tx), 2 + 20 + 1);
    lode_arena_clear(&arena);
    lode_buf_clear(&raw);
}

/* P2SH counts four times, a witness once; neither without its flag, and never for a coinbase. */
static void spent_scripts_cost_by_their_kind(void **state)
{
    uint8_t p2sh[23] = { 0xa9, 20 }, p2wpkh[22] = { 0, 20 }, p2wsh[34] = { 0, 32 }, p2tr[34] = { 0x51, 32 };
    uint32_t all = LODE_VERIFY_P2SH | LODE_VERIFY_WITNESS;
    made_input inputs[5] = {
        { 1, 0, BYTES(0x03, 0x52, 0xae, 0xac), FINAL, { NULL, 0 } }, /* 2-of-2-like: 2 + 1 */
        { 1, 1, { NULL, 0 }, FINAL, BYTES(1, 1, 7) },
        { 1, 2, { NULL, 0 }, FINAL, BYTES(2, 0, 3, 0x53, 0xae, 0xac) }, /* 3 + 1 */
        { 1, 3, BYTES(22, 0, 20, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), FINAL, BYTES(1, 0) },
        { 1, 4, { NULL, 0 }, FINAL, BYTES(1, 1, 0xac) },
    };
    made_output output = { 0, BYTES(0xac) };
    made_tx made = { 1, inputs, 5, &output, 1, 0 };
    lode_txout spent[5];
    lode_buf raw = LODE_BUF_EMPTY;
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_tx tx = view_made_tx(&raw, &arena, &made);

    p2sh[22] = 0x87;
    spent[0] = (lode_txout){ { 0 }, p2sh, sizeof p2sh };
    spent[1] = (lode_txout){ { 0 }, p2wpkh, sizeof p2wpkh };
    spent[2] = (lode_txout){ { 0 }, p2wsh, sizeof p2wsh };
    spent[3] = (lode_txout){ { 0 }, p2sh, sizeof p2sh }; /* a version 0 program inside */
    spent[4] = (lode_txout){ { 0 }, p2tr, sizeof p2tr }; /* tapscript has its own budget */
    assert_int_equal(lode_tx_spend_sigops_cost(&tx, spent, all), 3 * 4 + 1 + 4 + 1 + 0);
    assert_int_equal(lode_tx_spend_sigops_cost(&tx, spent, LODE_VERIFY_P2SH), 3 * 4);
    assert_int_equal(lode_tx_spend_sigops_cost(&tx, spent, LODE_VERIFY_NONE), 0);
    lode_arena_clear(&arena);
    lode_buf_clear(&raw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_and_outputs_must_be_there),
        cmocka_unit_test(a_transaction_without_witness_fits_in_a_block),
        cmocka_unit_test(outputs_and_their_sums_are_money),
        cmocka_unit_test(coinbase_scripts_have_2_to_100_bytes),
        cmocka_unit_test(only_a_coinbase_names_no_prevout),
        cmocka_unit_test(no_prevout_is_named_twice),
        cmocka_unit_test(the_first_fault_in_core_s_order_is_told),
        cmocka_unit_test(repeats_are_found_at_any_distance),
        cmocka_unit_test(crowded_prevouts_are_sorted),
        cmocka_unit_test(lock_times_bind_until_they_are_past),
        cmocka_unit_test(relative_heights_count_from_the_coin_s_block),
        cmocka_unit_test(versions_below_two_have_no_relative_locks),
        cmocka_unit_test(relative_times_run_from_median_to_median),
        cmocka_unit_test(the_median_before_genesis_is_genesis),
        cmocka_unit_test(locks_are_noticed),
        cmocka_unit_test(coinbases_mature_after_a_hundred_blocks),
        cmocka_unit_test(inputs_and_their_sum_are_money),
        cmocka_unit_test(outputs_do_not_exceed_inputs),
        cmocka_unit_test(legacy_sigops_are_counted_as_they_stand),
        cmocka_unit_test(both_ways_of_counting_agree_on_noise),
        cmocka_unit_test(all_scripts_of_a_transaction_count),
        cmocka_unit_test(spent_scripts_cost_by_their_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
