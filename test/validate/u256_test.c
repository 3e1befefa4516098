/* test/validate/u256_test.c: 256-bit arithmetic against identities, compact targets against Core's own cases. */
#include "validate/rules/u256.h"

#include <stdlib.h>

#include "made_chain.h"

static lode_u256 of(const char *hex)
{
    lode_u256 a;
    assert_true(lode_u256_from_hex(&a, hex));
    return a;
}

static void assert_u256_equal(lode_u256 a, lode_u256 b)
{
    char left[65], right[65];
    lode_u256_to_hex(left, &a);
    lode_u256_to_hex(right, &b);
    assert_string_equal(left, right);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Numbers of every length, with runs of zeros and ones. */
static lode_u256 random_u256(uint64_t *state)
{
    lode_u256 a;
    for (int i = 0; i < 4; i++) {
        uint64_t kind = next_random(state) % 4;
        a.limbs[i] = kind == 0 ? 0 : kind == 1 ? UINT64_MAX : next_random(state);
    }
    return lode_u256_shift_right(a, (unsigned)(next_random(state) % 256));
}

static lode_u256 multiply_slowly(lode_u256 a, lode_u256 b)
{
    lode_u256 sum = { { 0 } };
    for (unsigned bit = 0; bit < 256; bit++)
        if (b.limbs[bit / 64] >> (bit % 64) & 1)
            sum = lode_u256_add(sum, lode_u256_shift_left(a, bit));
    return sum;
}

static void hex_goes_both_ways(void **state)
{
    const char *digits = "0123456789abcdeffedcba9876543210ffffffff00000000aaaaaaaa55555555";
    char out[65];
    lode_u256 a = of(digits), untouched = of("7");

    lode_u256_to_hex(out, &a);
    assert_string_equal(out, digits);
    assert_int_equal(a.limbs[0], 0xaaaaaaaa55555555);
    assert_int_equal(a.limbs[3], 0x0123456789abcdef);
    assert_u256_equal(of("0xFf"), lode_u256_from_u64(255));
    assert_false(lode_u256_from_hex(&untouched, ""));
    assert_false(lode_u256_from_hex(&untouched, "0x"));
    assert_false(lode_u256_from_hex(&untouched, "12g"));
    assert_false(lode_u256_from_hex(&untouched, "00000000000000000000000000000000000000000000000000000000000000001"));
    assert_int_equal(untouched.limbs[0], 7);
}

static void bytes_are_little_endian(void **state)
{
    uint8_t bytes[32] = { 1, 2 }, again[32];
    lode_u256 a;

    bytes[31] = 0x80;
    a = lode_u256_from_le(bytes);
    assert_u256_equal(a, of("8000000000000000000000000000000000000000000000000000000000000201"));
    lode_u256_to_le(again, &a);
    assert_memory_equal(again, bytes, 32);
}

static void arithmetic_wraps_at_256_bits(void **state)
{
    lode_u256 max = of("ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff");
    lode_u256 one = lode_u256_from_u64(1), zero = lode_u256_from_u64(0);

    assert_u256_equal(lode_u256_add(max, one), zero);
    assert_u256_equal(lode_u256_sub(zero, one), max);
    assert_u256_equal(lode_u256_mul_u32(max, 2), lode_u256_sub(max, one));
    assert_int_equal(lode_u256_bits(&max), 256);
    assert_int_equal(lode_u256_bits(&one), 1);
    assert_int_equal(lode_u256_bits(&zero), 0);
    assert_true(lode_u256_is_zero(&zero));
    assert_false(lode_u256_is_zero(&one));
    assert_u256_equal(lode_u256_shift_left(max, 256), zero);
    assert_u256_equal(lode_u256_shift_right(max, 255), one);
    assert_u256_equal(lode_u256_shift_left(one, 64), of("10000000000000000"));
}

static void random_numbers_keep_the_identities(void **state)
{
    const char *asked = getenv("LODE_SEED");
    uint64_t seed = asked ? strtoull(asked, NULL, 0) : 20240813, random = seed | 1;

    for (int i = 0; i < 2000; i++) {
        lode_u256 a = random_u256(&random), b = random_u256(&random);
        uint32_t small = (uint32_t)next_random(&random);
        unsigned shift = (unsigned)(next_random(&random) % 256);
        int order = lode_u256_compare(&a, &b);
        lode_u256 quotient, rest;

        assert_u256_equal(lode_u256_sub(lode_u256_add(a, b), b), a);
        assert_u256_equal(lode_u256_mul_u32(a, small), multiply_slowly(a, lode_u256_from_u64(small)));
        assert_u256_equal(lode_u256_shift_right(lode_u256_shift_left(a, shift), shift),
                          lode_u256_sub(a, multiply_slowly(lode_u256_shift_left(lode_u256_from_u64(1), 256 - shift),
                                                           lode_u256_shift_right(a, 256 - shift))));
        assert_int_equal(order, -lode_u256_compare(&b, &a));
        if (lode_u256_is_zero(&b))
            continue;
        quotient = lode_u256_div(a, b);
        rest = lode_u256_sub(a, multiply_slowly(quotient, b));
        if (lode_u256_compare(&rest, &b) >= 0)
            fail_msg("LODE_SEED=%llu round %d: remainder is not below the divisor", (unsigned long long)seed, i);
    }
}

/* The cases of Core's arith_uint256_tests, bignum_SetCompact. */
static void compact_form_is_read_as_core_reads_it(void **state)
{
    static const struct {
        uint32_t bits;
        const char *value;
        bool negative, overflow;
        uint32_t again; /* compact form of the value's magnitude */
    } cases[] = {
        { 0x00000000, "0", false, false, 0 },
        { 0x00123456, "0", false, false, 0 },
        { 0x01003456, "0", false, false, 0 },
        { 0x02000056, "0", false, false, 0 },
        { 0x03000000, "0", false, false, 0 },
        { 0x04000000, "0", false, false, 0 },
        { 0x00923456, "0", false, false, 0 },
        { 0x01803456, "0", false, false, 0 },
        { 0x02800056, "0", false, false, 0 },
        { 0x03800000, "0", false, false, 0 },
        { 0x04800000, "0", false, false, 0 },
        { 0x01123456, "12", false, false, 0x01120000 },
        { 0x01fedcba, "7e", true, false, 0x017e0000 },
        { 0x02123456, "1234", false, false, 0x02123400 },
        { 0x03123456, "123456", false, false, 0x03123456 },
        { 0x04123456, "12345600", false, false, 0x04123456 },
        { 0x04923456, "12345600", true, false, 0x04123456 },
        { 0x05009234, "92340000", false, false, 0x05009234 },
        { 0x20123456, "1234560000000000000000000000000000000000000000000000000000000000", false, false, 0x20123456 },
        { 0xff123456, "0", false, true, 0 },
        { 0x1d00ffff, "ffff0000000000000000000000000000000000000000000000000000", false, false, 0x1d00ffff },
        { 0x207fffff, "7fffff0000000000000000000000000000000000000000000000000000000000", false, false, 0x207fffff },
        /* the edges of overflow: one byte of mantissa may stand two sizes higher, two bytes one */
        { 0x220000ff, "ff00000000000000000000000000000000000000000000000000000000000000", false, false, 0x2100ff00 },
        { 0x22000100, "0", false, true, 0 },
        { 0x2100ffff, "ffff000000000000000000000000000000000000000000000000000000000000", false, false, 0x2100ffff },
        { 0x21010000, "0", false, true, 0 },
        { 0x23000001, "0", false, true, 0 },
        { 0xff000000, "0", false, false, 0 },
    };
    lode_u256 value = lode_u256_from_u64(0x80);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool negative, overflow;
        value = lode_u256_from_compact(cases[i].bits, &negative, &overflow);
        assert_int_equal(negative, cases[i].negative);
        assert_int_equal(overflow, cases[i].overflow);
        if (cases[i].overflow)
            continue;
        assert_u256_equal(value, of(cases[i].value));
        assert_int_equal(lode_u256_to_compact(&value), cases[i].again);
    }
    value = lode_u256_from_u64(0x80); /* the sign bit pushes it into the next size */
    assert_int_equal(lode_u256_to_compact(&value), 0x02008000);
    value = of("ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff");
    assert_int_equal(lode_u256_to_compact(&value), 0x2100ffff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hex_goes_both_ways),
        cmocka_unit_test(bytes_are_little_endian),
        cmocka_unit_test(arithmetic_wraps_at_256_bits),
        cmocka_unit_test(random_numbers_keep_the_identities),
        cmocka_unit_test(compact_form_is_read_as_core_reads_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
