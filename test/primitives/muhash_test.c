/* test/primitives/muhash_test.c: the set hash against Core's documented values and the laws of a group. */
#include "primitives/muhash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "primitives/hash.h"
#include "support/bytes.h"

/* 32 bytes whose first is `i`. */
static void insert_number(lode_muhash *m, uint8_t i)
{
    uint8_t element[32] = { i };

    lode_muhash_insert(m, element, sizeof element);
}

static void remove_number(lode_muhash *m, uint8_t i)
{
    uint8_t element[32] = { i };

    lode_muhash_remove(m, element, sizeof element);
}

static void assert_final(const lode_muhash *m, const char *hex)
{
    uint8_t out[32];
    char got[65];

    lode_muhash_final(out, m);
    lode_hash_to_hex(got, out);
    assert_string_equal(got, hex);
}

/* Core's crypto_tests.cpp, muhash_tests. */
static void cores_documented_set_has_its_value(void **state)
{
    lode_muhash m;

    lode_muhash_init(&m);
    insert_number(&m, 0);
    insert_number(&m, 1);
    remove_number(&m, 2);
    assert_final(&m, "10d312b100cbd32ada024a6646e40d3482fcff103668d2625f10002a607d5863");
}

/* What `gettxoutsetinfo muhash` prints for a set without coins: SHA-256 of the number one in 384 bytes. */
static void the_empty_set_is_the_hash_of_one(void **state)
{
    uint8_t number[384] = { 1 }, want[32], got[32];
    lode_muhash m;

    lode_muhash_init(&m);
    lode_muhash_final(got, &m);
    lode_sha256(want, number, sizeof number);
    assert_memory_equal(got, want, 32);
    assert_final(&m, "dd5ad2a105c2d29495f577245c357409002329b9f4d6182c0af3dc2f462555c8");
}

/* Core's test of a numerator at 2^3072 - 1, which is above the modulus; its value is printed unreversed there. */
static void a_number_above_the_modulus_is_brought_below_it(void **state)
{
    lode_muhash m;

    lode_muhash_init(&m);
    memset(m.numerator.limbs, 0xff, sizeof m.numerator.limbs);
    assert_final(&m, "7122dce59a311400b92298a0cde26ce71d868b7f9f9a2ff6e90dff3a90e6313a");
}

/* The product of elements 1 and 2 as Core's serialisation test writes it: 384 bytes, of which the first and last. */
static void a_product_has_cores_bytes(void **state)
{
    lode_muhash m;

    lode_muhash_init(&m);
    insert_number(&m, 1);
    insert_number(&m, 2);
    assert_true(m.numerator.limbs[0] == UINT64_C(0x6a0aa35e2993a01f));
    assert_true(m.numerator.limbs[1] == UINT64_C(0x53fa70f7b3c7cd3a));
    assert_true(m.numerator.limbs[47] == UINT64_C(0x5c8ce413cb3680e1));
}

static void order_does_not_matter(void **state)
{
    static const int orders[4][4] = { { 0, 1, 2, 3 }, { 3, 2, 1, 0 }, { 1, 3, 0, 2 }, { 2, 0, 3, 1 } };
    uint8_t first[32], other[32];

    for (int o = 0; o < 4; o++) {
        lode_muhash m;
        lode_muhash_init(&m);
        for (int i = 0; i < 4; i++) {
            if (orders[o][i] == 2)
                remove_number(&m, 2);
            else
                insert_number(&m, (uint8_t)orders[o][i]);
        }
        lode_muhash_final(o ? other : first, &m);
        if (o)
            assert_memory_equal(first, other, 32);
    }
}

static void what_is_added_and_removed_leaves_nothing(void **state)
{
    lode_muhash m;

    lode_muhash_init(&m);
    for (int i = 0; i < 20; i++)
        lode_muhash_insert(&m, &i, sizeof i);
    for (int i = 19; i >= 0; i--)
        lode_muhash_remove(&m, &i, sizeof i);
    assert_final(&m, "dd5ad2a105c2d29495f577245c357409002329b9f4d6182c0af3dc2f462555c8");
}

static void parts_combine_to_the_whole(void **state)
{
    lode_muhash whole, parts[3];
    uint8_t want[32], got[32];

    lode_muhash_init(&whole);
    for (int p = 0; p < 3; p++)
        lode_muhash_init(&parts[p]);
    for (int i = 0; i < 30; i++) {
        lode_muhash_insert(&whole, &i, sizeof i);
        lode_muhash_insert(&parts[i % 3], &i, sizeof i);
        if (i % 7 == 0) {
            lode_muhash_remove(&whole, &i, 2);
            lode_muhash_remove(&parts[(i + 1) % 3], &i, 2);
        }
    }
    lode_muhash_combine(&parts[0], &parts[1]);
    lode_muhash_combine(&parts[0], &parts[2]);
    lode_muhash_final(want, &whole);
    lode_muhash_final(got, &parts[0]);
    assert_memory_equal(got, want, 32);
}

/* Multiplying by -1 = p - 1 twice changes nothing, and the corner cases of carrying come up. */
static void the_largest_numbers_multiply_rightly(void **state)
{
    lode_muhash m, minus_one;

    lode_muhash_init(&minus_one);
    memset(minus_one.numerator.limbs, 0xff, sizeof minus_one.numerator.limbs);
    minus_one.numerator.limbs[0] = UINT64_C(0) - 1103717 - 1; /* p - 1 */
    lode_muhash_init(&m);
    lode_muhash_combine(&m, &minus_one);
    lode_muhash_combine(&m, &minus_one);
    assert_final(&m, "dd5ad2a105c2d29495f577245c357409002329b9f4d6182c0af3dc2f462555c8");
    m = minus_one;
    m.denominator = minus_one.numerator;
    assert_final(&m, "dd5ad2a105c2d29495f577245c357409002329b9f4d6182c0af3dc2f462555c8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_documented_set_has_its_value),
        cmocka_unit_test(the_empty_set_is_the_hash_of_one),
        cmocka_unit_test(a_number_above_the_modulus_is_brought_below_it),
        cmocka_unit_test(a_product_has_cores_bytes),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(what_is_added_and_removed_leaves_nothing),
        cmocka_unit_test(parts_combine_to_the_whole),
        cmocka_unit_test(the_largest_numbers_multiply_rightly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
