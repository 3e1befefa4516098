/* test/validate/header_test.c: work, difficulty, times and versions, each rule just valid and just invalid. */
#include "validate/rules/header.h"

#include "made_chain.h"

#define REGTEST_BITS 0x207fffff
#define MAIN_BITS 0x1d00ffff

static void assert_u256_is(lode_u256 number, const char *hex)
{
    lode_u256 expected;
    char left[65], right[65];

    assert_true(lode_u256_from_hex(&expected, hex));
    lode_u256_to_hex(left, &number);
    lode_u256_to_hex(right, &expected);
    assert_string_equal(left, right);
}

/* ---- proof of work ---- */

static void work_is_the_expected_number_of_hashes(void **state)
{
    assert_u256_is(lode_header_work(MAIN_BITS), "100010001");
    assert_u256_is(lode_header_work(REGTEST_BITS), "2");
    assert_u256_is(lode_header_work(0x1e0377ae), "49d414");
    assert_u256_is(lode_header_work(0x03000001), "8000000000000000000000000000000000000000000000000000000000000000");
    assert_u256_is(lode_header_work(0x2100ffff), "1"); /* a target of almost 2^256 */
    assert_u256_is(lode_header_work(0), "0");
    assert_u256_is(lode_header_work(0x03800001), "0"); /* negative */
    assert_u256_is(lode_header_work(0xff123456), "0"); /* overflow */
}

/* Targets are refused before the hash is looked at: even a hash of zeros has no work then. */
static void senseless_targets_never_hold(void **state)
{
    static const uint32_t bad[] = { 0x00000000, 0x1d000000, 0x1d80ffff, 0x03800001,
                                    0x23000001, 0xff7fffff, 0x1d010000, 0x207fffff };
    lode_block_hash zero = { { 0 } };
    lode_chain_params main_params;

    lode_chain_params_init(&main_params, LODE_CHAIN_MAIN);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(lode_header_has_work(&zero, bad[i], &main_params));
    assert_true(lode_header_has_work(&zero, MAIN_BITS, &main_params));
    assert_true(lode_header_has_work(&zero, 0x03000001, &main_params));
    assert_true(lode_header_has_work(&zero, 0x1b0404cb, &main_params));
}

static void a_hash_may_equal_its_target(void **state)
{
    lode_chain_params p;
    lode_u256 target = lode_u256_from_compact(MAIN_BITS, NULL, NULL);
    lode_block_hash hash;

    lode_chain_params_init(&p, LODE_CHAIN_MAIN);
    lode_u256_to_le(hash.bytes, &target);
    assert_true(lode_header_has_work(&hash, MAIN_BITS, &p));
    target = lode_u256_add(target, lode_u256_from_u64(1));
    lode_u256_to_le(hash.bytes, &target);
    assert_false(lode_header_has_work(&hash, MAIN_BITS, &p));
    /* the limit itself has more digits than its compact form keeps, and stays the bound */
    lode_u256_to_le(hash.bytes, &p.pow_limit);
    assert_false(lode_header_has_work(&hash, MAIN_BITS, &p));
}

/* ---- retargeting ---- */

static uint32_t next_bits(const lode_node *prev, uint32_t time, const lode_chain_params *p)
{
    lode_header header = { .time = time };
    return lode_header_next_bits(prev, &header, p);
}

/* Four real retargets of mainnet, as in Core's pow_tests: the first of its interval, the last, and what came out. */
static void real_retargets_come_out(void **state)
{
    static const struct {
        uint32_t first_time, last_time, bits, expected;
    } cases[] = {
        { 1261130161, 1262152739, 0x1d00ffff, 0x1d00d86a }, /* to 32,256: the first change ever */
        { 1231006505, 1233061996, 0x1d00ffff, 0x1d00ffff }, /* to 2,016: would be easier than the limit */
        { 1279008237, 1279297671, 0x1c05a3f4, 0x1c0168fd }, /* to 68,544: four times harder, no more */
        { 1263163443, 1269211443, 0x1c387f6f, 0x1d00e1fd }, /* made: four times easier, no more */
    };
    lode_chain_params p;

    lode_chain_params_init(&p, LODE_CHAIN_MAIN);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lode_node *nodes = make_nodes(2016, cases[i].first_time, 0, cases[i].bits);
        nodes[2015].header.time = cases[i].last_time;
        assert_int_equal(next_bits(&nodes[2015], 0, &p), cases[i].expected);
        free(nodes);
    }
}

/* Blocks exactly ten minutes apart make targets fall by 1/2016: an interval of 2,016 blocks is timed over 2,015. */
static void an_interval_is_timed_one_block_short(void **state)
{
    lode_chain_params p;
    lode_node *nodes = make_nodes(2 * 2016, 1300000000, 600, 0x1c0ffff0);
    lode_u256 expected = lode_u256_from_compact(0x1c0ffff0, NULL, NULL);

    lode_chain_params_init(&p, LODE_CHAIN_MAIN);
    expected = lode_u256_div(lode_u256_mul_u32(expected, 2015), lode_u256_from_u64(2016));
    assert_int_equal(next_bits(&nodes[2015], 0, &p), lode_u256_to_compact(&expected));
    assert_int_equal(next_bits(&nodes[4031], 0, &p), lode_u256_to_compact(&expected));
    for (size_t height = 0; height < 4032; height += 503)
        if ((height + 1) % 2016 != 0)
            assert_int_equal(next_bits(&nodes[height], 0, &p), 0x1c0ffff0);
    assert_int_equal(next_bits(&nodes[2014], 0, &p), 0x1c0ffff0);
    assert_int_equal(next_bits(&nodes[2016], 0, &p), 0x1c0ffff0);
    free(nodes);
}

/* The bounds are a quarter and four times the timespan, and time may run backwards. */
static void retargets_are_bounded(void **state)
{
    static const struct {
        int64_t took;
        uint32_t times_numerator; /* of the old target, over 1,209,600 */
    } cases[] = {
        { 302399, 302400 },   { 302400, 302400 },   { 302401, 302401 },   { -5000000, 302400 },
        { 4838399, 4838399 }, { 4838400, 4838400 }, { 4838401, 4838400 },
    };
    lode_chain_params p;
    lode_node *nodes = make_nodes(2016, 1300000000, 0, 0x1b0404cb);

    lode_chain_params_init(&p, LODE_CHAIN_MAIN);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lode_u256 expected = lode_u256_from_compact(0x1b0404cb, NULL, NULL);
        expected = lode_u256_mul_u32(expected, cases[i].times_numerator);
        expected = lode_u256_div(expected, lode_u256_from_u64(1209600));
        nodes[2015].header.time = (uint32_t)(1300000000 + cases[i].took);
        assert_int_equal(next_bits(&nodes[2015], 0, &p), lode_u256_to_compact(&expected));
    }
    free(nodes);
}

static void regtest_never_retargets(void **state)
{
    lode_chain_params p;
    lode_node *nodes = make_nodes(288, 1300000000, 1, 0x1c0ffff0);

    lode_chain_params_init(&p, LODE_CHAIN_REGTEST);
    assert_int_equal(next_bits(&nodes[143], 1400000000, &p), 0x1c0ffff0); /* not even for a late block */
    assert_int_equal(next_bits(&nodes[287], 1300000288, &p), 0x1c0ffff0);
    free(nodes);
}

/* ---- testnet ---- */

static void testnet_blocks_are_easy_only_after_twenty_minutes(void **state)
{
    lode_chain_params p;
    lode_node *nodes = make_nodes(2016, 1300000000, 600, 0x1c0ffff0);
    uint32_t time = nodes[100].header.time;

    lode_chain_params_init(&p, LODE_CHAIN_TEST);
    assert_int_equal(next_bits(&nodes[100], time + 1200, &p), 0x1c0ffff0);
    assert_int_equal(next_bits(&nodes[100], time + 1201, &p), MAIN_BITS);
    assert_int_equal(next_bits(&nodes[100], time - 100, &p), 0x1c0ffff0);
    lode_chain_params_init(&p, LODE_CHAIN_MAIN); /* and nowhere else */
    assert_int_equal(next_bits(&nodes[100], time + 1201, &p), 0x1c0ffff0);
    lode_chain_params_init(&p, LODE_CHAIN_SIGNET);
    assert_int_equal(next_bits(&nodes[100], time + 1201, &p), 0x1c0ffff0);
    free(nodes);
}

static void testnet_finds_the_last_true_target_behind_easy_blocks(void **state)
{
    lode_chain_params p;
    lode_node *nodes = make_nodes(4032, 1300000000, 600, 0x1c0ffff0);

    lode_chain_params_init(&p, LODE_CHAIN_TEST);
    for (size_t i = 50; i <= 100; i++)
        nodes[i].header.bits = MAIN_BITS;
    assert_int_equal(next_bits(&nodes[100], nodes[100].header.time + 1, &p), 0x1c0ffff0);
    /* the walk ends at the first block of the interval, easy or not */
    for (size_t i = 2016; i <= 2100; i++)
        nodes[i].header.bits = MAIN_BITS;
    nodes[2015].header.bits = 0x1c0ffff0;
    assert_int_equal(next_bits(&nodes[2100], nodes[2100].header.time + 1, &p), MAIN_BITS);
    nodes[2016].header.bits = 0x1c0aaaa0;
    assert_int_equal(next_bits(&nodes[2100], nodes[2100].header.time + 1, &p), 0x1c0aaaa0);
    free(nodes);
}

/* A late block at a retarget height is no exception; testnet3 then takes its base from the last block, easy or not,
 * and testnet4 from the first of the interval. */
static void testnet4_retargets_from_the_first_block_of_the_interval(void **state)
{
    lode_chain_params test3, test4, main_params;
    lode_node *nodes = make_nodes(2016, 1300000000, 600, 0x1c0ffff0);
    lode_u256 true_target = lode_u256_from_compact(0x1c0ffff0, NULL, NULL);
    lode_u256 easy_target = lode_u256_from_compact(MAIN_BITS, NULL, NULL);
    uint32_t late = nodes[2015].header.time + 5000;

    lode_chain_params_init(&test3, LODE_CHAIN_TEST);
    lode_chain_params_init(&test4, LODE_CHAIN_TESTNET4);
    lode_chain_params_init(&main_params, LODE_CHAIN_MAIN);
    nodes[2015].header.bits = MAIN_BITS;
    true_target = lode_u256_div(lode_u256_mul_u32(true_target, 2015), lode_u256_from_u64(2016));
    easy_target = lode_u256_div(lode_u256_mul_u32(easy_target, 2015), lode_u256_from_u64(2016));
    assert_int_equal(next_bits(&nodes[2015], late, &test3), lode_u256_to_compact(&easy_target));
    assert_int_equal(next_bits(&nodes[2015], late, &main_params), lode_u256_to_compact(&easy_target));
    assert_int_equal(next_bits(&nodes[2015], late, &test4), lode_u256_to_compact(&true_target));
    free(nodes);
}

/* ---- whole checks, on regtest's target so that headers can be mined ---- */

#define NOW INT64_C(1500000000)

static lode_verdict check(lode_header *header, const lode_node *prev, const lode_chain_params *p)
{
    lode_block_hash hash = mine(header, true);
    return lode_header_check(header, &hash, prev, NOW, p);
}

static void time_must_pass_the_median_of_eleven(void **state)
{
    lode_chain_params p;
    lode_node *nodes = make_nodes(12, 1300000000, 10, REGTEST_BITS);
    lode_header header = { .version = 4, .bits = REGTEST_BITS };

    lode_chain_params_init(&p, LODE_CHAIN_REGTEST);
    assert_int_equal(nodes[11].median_time, 1300000060); /* of 1 to 11: number 6 */
    header.time = 1300000060;
    assert_int_equal(check(&header, &nodes[11], &p).reject, LODE_TIME_TOO_OLD);
    header.time = 1300000061;
    assert_int_equal(check(&header, &nodes[11], &p).reject, LODE_VALID);
    free(nodes);
}

static void medians_of_short_chains_take_the_upper_middle(void **state)
{
    static const uint32_t times[] = { 50, 40, 60, 10, 70 };
    static const uint32_t medians[] = { 50, 50, 50, 50, 50 };
    lode_node *nodes = make_nodes(5, 0, 0, REGTEST_BITS);

    for (size_t i = 0; i < 5; i++)
        nodes[i].header.time = times[i];
    relink_nodes(nodes, 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(nodes[i].median_time, medians[i]);
    assert_int_equal(nodes[3].max_time, 60);
    assert_int_equal(nodes[4].max_time, 70);
    free(nodes);
}

static void the_future_begins_after_two_hours(void **state)
{
    lode_chain_params p;
    lode_node *nodes = make_nodes(2, 1300000000, 10, REGTEST_BITS);
    lode_header header = { .version = 4, .bits = REGTEST_BITS, .time = (uint32_t)NOW + 7200 };

    lode_chain_params_init(&p, LODE_CHAIN_REGTEST);
    assert_int_equal(check(&header, &nodes[1], &p).reject, LODE_VALID);
    header.time++;
    assert_int_equal(check(&header, &nodes[1], &p).reject, LODE_TIME_TOO_NEW);
    free(nodes);
}

/* BIP 94: at an interval's first block only, and not on mainnet. Regtest's interval is 144 blocks. */
static void timewarp_is_more_than_ten_minutes_back(void **state)
{
    static const struct {
        uint32_t back;
        lode_reject with_bip94;
    } cases[] = { { 599, LODE_VALID }, { 600, LODE_VALID }, { 601, LODE_TIME_TIMEWARP_ATTACK } };
    lode_chain_params p, with_bip94;
    lode_node *nodes = make_nodes(145, 1300000000, 600, REGTEST_BITS);

    lode_chain_params_init(&p, LODE_CHAIN_REGTEST);
    lode_chain_params_init(&with_bip94, LODE_CHAIN_REGTEST);
    assert_int_equal(lode_chain_params_set(&with_bip94, "test", "bip94").code, LODE_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lode_header header = { .version = 4, .bits = REGTEST_BITS };
        header.time = nodes[143].header.time - cases[i].back;
        assert_int_equal(check(&header, &nodes[143], &with_bip94).reject, cases[i].with_bip94);
        assert_int_equal(check(&header, &nodes[143], &p).reject, LODE_VALID);
        header.time = nodes[144].header.time - cases[i].back;
        assert_int_equal(check(&header, &nodes[144], &with_bip94).reject, LODE_VALID);
        header.time = nodes[142].header.time - cases[i].back;
        assert_int_equal(check(&header, &nodes[142], &with_bip94).reject, LODE_VALID);
    }
    free(nodes);
}

static void versions_retire_at_their_heights(void **state)
{
    lode_chain_params p;
    lode_node *nodes = make_nodes(40, 1300000000, 600, REGTEST_BITS);
    static const struct {
        int32_t height, version;
        bool is_bad;
    } cases[] = {
        { 9, 1, false },          { 10, 1, true },           { 10, 2, false },        { 19, 2, false },
        { 20, 2, true },          { 20, 3, false },          { 29, 3, false },        { 30, 3, true },
        { 30, 4, false },         { 9, 0, false },           { 9, INT32_MIN, false }, { 10, -1, true },
        { 30, INT32_MAX, false }, { 30, 0x20000000, false }, { 30, INT32_MIN, true },
    };

    lode_chain_params_init(&p, LODE_CHAIN_REGTEST);
    p.bip34_height = 10;
    p.bip66_height = 20;
    p.bip65_height = 30;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const lode_node *prev = &nodes[cases[i].height - 1];
        lode_header header = { .version = cases[i].version, .bits = REGTEST_BITS, .time = prev->header.time + 1 };
        lode_verdict verdict = check(&header, prev, &p);
        char text[64], expected[64] = "valid";
        if (cases[i].is_bad)
            snprintf(expected, sizeof expected, "bad-version(0x%08x)", (unsigned)cases[i].version);
        assert_string_equal(lode_verdict_text(text, sizeof text, &verdict), expected);
        assert_false(verdict.is_mutated);
    }
    free(nodes);
}

/* A header that is wrong in every way; then one fault after another is taken away. */
static void the_first_fault_in_core_s_order_is_told(void **state)
{
    lode_chain_params p;
    lode_node *nodes = make_nodes(144, 1300000000, 600, REGTEST_BITS);
    lode_header header = { .version = 1, .bits = 0x207ffffe, .time = nodes[143].median_time };
    lode_block_hash hash;
    const lode_node *prev = &nodes[143];

    lode_chain_params_init(&p, LODE_CHAIN_REGTEST);
    p.enforce_bip94 = true;
    hash = mine(&header, false);
    assert_int_equal(lode_header_check(&header, &hash, prev, 0, &p).reject, LODE_HIGH_HASH);
    hash = mine(&header, true);
    assert_int_equal(lode_header_check(&header, &hash, prev, 0, &p).reject, LODE_BAD_DIFFBITS);
    header.bits = REGTEST_BITS;
    hash = mine(&header, true);
    assert_int_equal(lode_header_check(&header, &hash, prev, 0, &p).reject, LODE_TIME_TOO_OLD);
    header.time++;
    hash = mine(&header, true);
    assert_int_equal(lode_header_check(&header, &hash, prev, 0, &p).reject, LODE_TIME_TIMEWARP_ATTACK);
    header.time = prev->header.time;
    hash = mine(&header, true);
    assert_int_equal(lode_header_check(&header, &hash, prev, 0, &p).reject, LODE_TIME_TOO_NEW);
    assert_int_equal(lode_header_check(&header, &hash, prev, NOW, &p).reject, LODE_BAD_VERSION);
    header.version = 4;
    hash = mine(&header, true);
    assert_int_equal(lode_header_check(&header, &hash, prev, NOW, &p).reject, LODE_VALID);
    free(nodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_the_expected_number_of_hashes),
        cmocka_unit_test(senseless_targets_never_hold),
        cmocka_unit_test(a_hash_may_equal_its_target),
        cmocka_unit_test(real_retargets_come_out),
        cmocka_unit_test(an_interval_is_timed_one_block_short),
        cmocka_unit_test(retargets_are_bounded),
        cmocka_unit_test(regtest_never_retargets),
        cmocka_unit_test(testnet_blocks_are_easy_only_after_twenty_minutes),
        cmocka_unit_test(testnet_finds_the_last_true_target_behind_easy_blocks),
        cmocka_unit_test(testnet4_retargets_from_the_first_block_of_the_interval),
        cmocka_unit_test(time_must_pass_the_median_of_eleven),
        cmocka_unit_test(medians_of_short_chains_take_the_upper_middle),
        cmocka_unit_test(the_future_begins_after_two_hours),
        cmocka_unit_test(timewarp_is_more_than_ten_minutes_back),
        cmocka_unit_test(versions_retire_at_their_heights),
        cmocka_unit_test(the_first_fault_in_core_s_order_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
