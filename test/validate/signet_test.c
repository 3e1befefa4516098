/* test/validate/signet_test.c: solutions to a signet's challenge. Core's submitblock was given every case of both
 * tables as a mined block, and answered as they say.
 */
#include "made_chain.h"

#include "given_data.h"

#define FINAL 0xffffffffu
#define COMMITMENT_SIZE 38
#define SIGNET_PUSH(...) 0xec, 0xc7, 0xda, 0xa2, __VA_ARGS__

/* A block of one coinbase whose output holds a commitment and then `tail`. */
static lode_reject check_tail(lode_slice tail, bool is_commitment, const lode_chain_params *params)
{
    static const uint8_t height_1[] = { 0x51, 0x00 }, reserved[34] = { 1, 32 };
    uint8_t script[256];
    made_input input = { 0, FINAL, lode_slice_of(height_1, 2), FINAL, lode_slice_of(reserved, sizeof reserved) };
    made_output output = { 0, { script, COMMITMENT_SIZE + tail.len } };
    made_tx coinbase = { 1, &input, 1, &output, 1, 0 };
    lode_header header = { .version = 4, .time = 1600000000, .bits = params->pow_limit_bits };
    lode_buf raw = LODE_BUF_EMPTY;
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_block block;
    lode_reject reject;

    made_commitment(script, &coinbase, 1);
    memcpy(script + COMMITMENT_SIZE, tail.data, tail.len);
    if (!is_commitment)
        script[5] ^= 1;
    put_made_block(&raw, &header, &coinbase, 1);
    assert_true(lode_block_parse(&block, &arena, raw.data, raw.len, 0, NULL));
    reject = lode_signet_check(&block, &arena, params);
    lode_arena_clear(&arena);
    lode_buf_clear(&raw);
    return reject;
}

/* The challenge is `5 OP_EQUAL`, so a solution pushes 5. A solution is a script, a witness stack and nothing else. */
static void a_solution_is_a_script_and_a_witness(void **state)
{
    static const struct {
        const char *what;
        uint8_t tail[24];
        uint8_t len;
        bool is_solved;
    } cases[] = {
        { "none", { 0 }, 0, false },
        { "good", { 7, SIGNET_PUSH(1, 0x55, 0) }, 8, true },
        { "wrong", { 7, SIGNET_PUSH(1, 0x56, 0) }, 8, false },
        { "no witness count", { 6, SIGNET_PUSH(1, 0x55) }, 7, false },
        { "bytes left over", { 8, SIGNET_PUSH(1, 0x55, 0, 0) }, 9, false },
        { "long form of a length", { 9, SIGNET_PUSH(0xfd, 1, 0, 0x55, 0) }, 10, false },
        { "a witness nobody asks for", { 8, SIGNET_PUSH(1, 0x55, 1, 0) }, 9, false },
        { "a count beyond the bytes", { 11, SIGNET_PUSH(1, 0x55, 0xfe, 0, 0, 0, 2) }, 12, false },
        { "a bare header first", { 4, 0xec, 0xc7, 0xda, 0xa2, 7, SIGNET_PUSH(1, 0x55, 0) }, 13, true },
        { "good before wrong", { 7, SIGNET_PUSH(1, 0x55, 0), 7, SIGNET_PUSH(1, 0x56, 0) }, 16, true },
        { "wrong before good", { 7, SIGNET_PUSH(1, 0x56, 0), 7, SIGNET_PUSH(1, 0x55, 0) }, 16, false },
    };
    lode_chain_params params;

    lode_chain_params_init(&params, LODE_CHAIN_SIGNET);
    assert_int_equal(lode_chain_params_set(&params, "signetchallenge", "5587").code, LODE_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lode_reject reject = check_tail(lode_slice_of(cases[i].tail, cases[i].len), true, &params);
        if (reject != (cases[i].is_solved ? LODE_VALID : LODE_BAD_SIGNET_BLKSIG))
            fail_msg("%s: %s", cases[i].what, lode_reject_name(reject));
    }
    /* no commitment, no place for a solution */
    assert_int_equal(check_tail(lode_slice_of(cases[1].tail, cases[1].len), false, &params), LODE_BAD_SIGNET_BLKSIG);
}

/* OP_TRUE needs no solution, but a commitment to look into. */
static void an_open_challenge_needs_a_commitment_only(void **state)
{
    static const uint8_t empty[] = { 6, SIGNET_PUSH(0, 0) }, broken[] = { 5, SIGNET_PUSH(9) };
    lode_chain_params params;

    lode_chain_params_init(&params, LODE_CHAIN_SIGNET);
    assert_int_equal(lode_chain_params_set(&params, "signetchallenge", "51").code, LODE_OK);
    assert_int_equal(check_tail(lode_slice_of("", 0), true, &params), LODE_VALID);
    assert_int_equal(check_tail(lode_slice_of(empty, sizeof empty), true, &params), LODE_VALID);
    assert_int_equal(check_tail(lode_slice_of("", 0), false, &params), LODE_BAD_SIGNET_BLKSIG);
    assert_int_equal(check_tail(lode_slice_of(broken, sizeof broken), true, &params), LODE_BAD_SIGNET_BLKSIG);
}

/* P2WSH of OP_TRUE: the script is in the solution's witness. */
static void a_challenge_may_be_a_witness_program(void **state)
{
    static const uint8_t with_witness[] = { 8, SIGNET_PUSH(0, 1, 1, 0x51) }, without[] = { 6, SIGNET_PUSH(0, 0) };
    uint8_t program[34] = { 0, 32 };
    lode_chain_params params;

    lode_sha256(program + 2, "\x51", 1);
    lode_chain_params_init(&params, LODE_CHAIN_SIGNET);
    lode_chain_params_set_challenge(&params, program, sizeof program);
    assert_int_equal(check_tail(lode_slice_of(with_witness, sizeof with_witness), true, &params), LODE_VALID);
    assert_int_equal(check_tail(lode_slice_of(without, sizeof without), true, &params), LODE_BAD_SIGNET_BLKSIG);
}

/* The first block of the default network with another commitment script in its coinbase and the root that follows. */
static lode_reject check_rewritten(const uint8_t *raw, size_t size, lode_slice script)
{
    lode_chain_params params;
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_buf changed = LODE_BUF_EMPTY;
    lode_block block;
    const lode_txout *output;
    size_t at, old_len;
    lode_reject reject;

    lode_chain_params_init(&params, LODE_CHAIN_SIGNET);
    assert_true(lode_block_parse(&block, &arena, raw, size, 0, NULL));
    output = &block.txs[0].outputs[1];
    at = (size_t)(output->script - raw);
    old_len = output->script_len;
    assert_true(old_len < 253 && script.len < 253);
    lode_buf_append(&changed, raw, at - 1);
    lode_buf_put_u8(&changed, (uint8_t)script.len);
    lode_buf_append(&changed, script.data, script.len);
    lode_buf_append(&changed, raw + at + old_len, size - at - old_len);
    assert_true(lode_block_parse(&block, &arena, changed.data, changed.len, 0, NULL));
    memcpy(changed.data + 36, block.txs[0].txid.bytes, 32);
    assert_true(lode_block_parse(&block, &arena, changed.data, changed.len, 0, NULL));
    reject = lode_signet_check(&block, &arena, &params);
    lode_arena_clear(&arena);
    lode_buf_clear(&changed);
    return reject;
}

/* What is signed is the commitment's script written anew without the solution. So another way of pushing the solution,
 * or a tail that cannot be read, changes nothing; a readable tail does. */
static void the_commitment_is_signed_as_it_is_written_anew(void **state)
{
    static const struct {
        const char *what;
        uint8_t push[5]; /* of the solution, in place of OP_PUSHDATA1 and length */
        uint8_t push_len;
        uint8_t tail[6];
        uint8_t tail_len;
        bool is_solved;
    } cases[] = {
        { "as it is", { 0x4c, 79 }, 2, { 0 }, 0, true },
        { "OP_PUSHDATA2", { 0x4d, 79, 0 }, 3, { 0 }, 0, true },
        { "OP_PUSHDATA4", { 0x4e, 79, 0, 0, 0 }, 5, { 0 }, 0, true },
        { "a push that runs out", { 0x4c, 79 }, 2, { 0x4c, 0xff }, 2, true },
        { "OP_NOP", { 0x4c, 79 }, 2, { 0x61 }, 1, false },
        { "an empty OP_PUSHDATA1", { 0x4c, 79 }, 2, { 0x4c, 0 }, 2, false },
        { "a second push with the header", { 0x4c, 79 }, 2, { 5, SIGNET_PUSH(1) }, 6, false },
    };
    size_t len, at = 0, size = 0;
    uint8_t *file = given_data_read("conformance/feature_signet.dat", &len);
    const uint8_t *raw = NULL;
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_block block;
    const uint8_t *original;

    if (!file)
        return;
    assert_true(given_data_next_block(file, len, &at, &raw, &size)); /* genesis */
    assert_true(given_data_next_block(file, len, &at, &raw, &size));
    assert_true(lode_block_parse(&block, &arena, raw, size, 0, NULL));
    original = block.txs[0].outputs[1].script;
    assert_int_equal(block.txs[0].outputs[1].script_len, COMMITMENT_SIZE + 2 + 79);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lode_buf script = LODE_BUF_EMPTY;
        lode_reject reject;

        lode_buf_append(&script, original, COMMITMENT_SIZE);
        lode_buf_append(&script, cases[i].push, cases[i].push_len);
        lode_buf_append(&script, original + COMMITMENT_SIZE + 2, 79);
        lode_buf_append(&script, cases[i].tail, cases[i].tail_len);
        reject = check_rewritten(raw, size, lode_buf_slice(&script));
        if (reject != (cases[i].is_solved ? LODE_VALID : LODE_BAD_SIGNET_BLKSIG))
            fail_msg("%s: %s", cases[i].what, lode_reject_name(reject));
        lode_buf_clear(&script);
    }
    lode_arena_clear(&arena);
    free(file);
}

static void genesis_needs_no_solution(void **state)
{
    lode_chain_params params;
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_block block;

    lode_chain_params_init(&params, LODE_CHAIN_SIGNET);
    assert_true(lode_block_parse(&block, &arena, params.genesis_raw, params.genesis_size, 0, NULL));
    assert_int_equal(lode_signet_check(&block, &arena, &params), LODE_VALID);
    block.hash.bytes[0] ^= 1;
    assert_int_equal(lode_signet_check(&block, &arena, &params), LODE_BAD_SIGNET_BLKSIG);
    lode_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_solution_is_a_script_and_a_witness),
        cmocka_unit_test(an_open_challenge_needs_a_commitment_only),
        cmocka_unit_test(a_challenge_may_be_a_witness_program),
        cmocka_unit_test(the_commitment_is_signed_as_it_is_written_anew),
        cmocka_unit_test(genesis_needs_no_solution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
