/* test/storage/unpack_test.c: snappy streams, good, damaged and made up, against libsnappy. */
#include "storage/store_test.h"

#include <snappy-c.h>

#include "storage/coding.h"
#include "storage/unpack.h"

/* Pieces of every kind: literals of all lengths, patterns of all periods, far copies. */
static size_t make_text(uint8_t *text, size_t most, test_random *r)
{
    size_t len = 0;
    while (len < most) {
        size_t n = 1 + test_random_below(r, test_random_below(r, 8) ? 40 : 400), period = 1 + test_random_below(r, 30);
        bool random = len < period || test_random_below(r, 2), far = test_random_below(r, 3) == 0;
        if (far && len > 5000)
            period = 4000 + test_random_below(r, 900);
        for (size_t i = 0; i < n && len < most; i++, len++)
            text[len] = random ? (uint8_t)test_random_next(r) : text[len - period];
    }
    return len;
}

static void unpacking_undoes_libsnappys_packing(void **state)
{
    static uint8_t text[20000], packed[30000], out[20000 + LODE_UNPACK_SLACK];
    test_random r = test_random_start("unpack_test", 6);
    (void)state;
    for (int n = 0; n < 2000; n++) {
        size_t len = make_text(text, test_random_below(&r, n % 10 ? 3000 : sizeof text), &r);
        size_t packed_len = sizeof packed, claimed;
        assert_int_equal(snappy_compress((const char *)text, len, (char *)packed, &packed_len), SNAPPY_OK);
        assert_true(lode_unpack_length(&claimed, packed, packed_len) && claimed == len);
        uint8_t *exact = malloc(packed_len); /* a sanitizer sees a byte too many */
        memcpy(exact, packed, packed_len);
        assert_true(lode_unpack(out, len, exact, packed_len));
        assert_memory_equal(out, text, len);
        if (packed_len > 1)
            assert_false(lode_unpack(out, len, exact, packed_len - 1));
        assert_false(lode_unpack(out, len + 1, exact, packed_len));
        free(exact);
    }
    static const uint8_t example[] = { 8, 4, 'a', 'b', 9, 2 };
    assert_true(lode_unpack(out, 8, example, sizeof example));
    assert_memory_equal(out, "abababab", 8);
}

/* A stream means to us what it means to libsnappy: both refuse it, or both make the same bytes of it. */
static bool check_against_libsnappy(const uint8_t *stream, size_t len)
{
    uint8_t *in = malloc(len + 1); /* exact, so that a sanitizer sees a byte too many */
    size_t ours, theirs;
    memcpy(in, stream, len);
    bool has_length = lode_unpack_length(&ours, in, len);
    assert_int_equal(has_length, snappy_uncompressed_length((const char *)in, len, &theirs) == SNAPPY_OK);
    bool accepted = false;
    if (has_length && ours < 100000) {
        uint8_t *a = malloc(ours + LODE_UNPACK_SLACK);
        char *b = malloc(theirs + 1);
        assert_int_equal(ours, theirs);
        accepted = lode_unpack(a, ours, in, len);
        assert_int_equal(accepted, snappy_uncompress((const char *)in, len, b, &theirs) == SNAPPY_OK);
        if (accepted)
            assert_memory_equal(a, b, ours);
        free(a);
        free(b);
    }
    free(in);
    return accepted;
}

static void damaged_streams_mean_what_they_mean_to_libsnappy(void **state)
{
    static uint8_t text[3000], packed[6000];
    test_random r = test_random_start("unpack_test", 7);
    int accepted = 0;
    (void)state;
    for (int n = 0; n < 4000; n++) {
        size_t len = make_text(text, 1 + test_random_below(&r, n % 8 ? 200 : sizeof text), &r);
        size_t packed_len = sizeof packed;
        assert_int_equal(snappy_compress((const char *)text, len, (char *)packed, &packed_len), SNAPPY_OK);
        for (size_t flips = 1 + test_random_below(&r, 3); flips; flips--)
            packed[test_random_below(&r, packed_len)] ^= (uint8_t)(1 + test_random_below(&r, 255));
        if (n % 5 == 0)
            packed_len = test_random_below(&r, packed_len);
        accepted += check_against_libsnappy(packed, packed_len);
    }
    assert_true(accepted > 100);
}

/* One element. Every fourth copy reaches before the beginning or has no offset, every 32nd literal past the end. */
static size_t make_element(uint8_t *to, size_t *made, test_random *r)
{
    uint8_t *p = to;
    size_t kind = *made ? test_random_below(r, 4) : 0, len, offset;
    if (!kind) {
        static const size_t most[] = { 4, 60, 70, 300 };
        len = 1 + test_random_below(r, most[test_random_below(r, 4)]);
        unsigned size = len > 256 ? 2 : len > 60 ? 1 + (unsigned)test_random_below(r, 4) : 0;
        *p++ = (uint8_t)(size ? (59 + size) << 2 : (len - 1) << 2);
        for (unsigned i = 0; i < size; i++)
            *p++ = (uint8_t)((len - 1) >> (8 * i));
        *made += len;
        for (; len; len--)
            *p++ = (uint8_t)test_random_next(r);
        return (size_t)(p - to);
    }
    offset = 1 + test_random_below(r, test_random_below(r, 2) && *made > 20 ? 20 : *made);
    if (!test_random_below(r, 64))
        offset = test_random_below(r, 2) ? 0 : *made + 1;
    len = kind == 1 ? 4 + test_random_below(r, 8) : 1 + test_random_below(r, 64);
    if (kind == 1) {
        offset &= 2047;
        *p++ = (uint8_t)(1 | (len - 4) << 2 | offset >> 8 << 5);
        *p++ = (uint8_t)offset;
    } else {
        *p++ = (uint8_t)(kind | (len - 1) << 2);
        for (unsigned i = 0; i < (kind == 2 ? 2u : 4u); i++)
            *p++ = (uint8_t)(offset >> (8 * i));
    }
    *made += len;
    return (size_t)(p - to);
}

static void made_up_streams_mean_what_they_mean_to_libsnappy(void **state)
{
    static uint8_t body[20000], stream[20010];
    test_random r = test_random_start("unpack_test", 8);
    int accepted = 0, refused = 0;
    (void)state;
    for (int n = 0; n < 6000; n++) {
        size_t len = 0, made = 0;
        for (size_t elements = 1 + test_random_below(&r, 40); elements; elements--)
            len += make_element(body + len, &made, &r);
        static const int off[] = { 0, 0, 0, 0, 0, 0, 1, -1, 64, -64 };
        size_t claimed = made + (size_t)off[test_random_below(&r, 10)];
        uint8_t *p = lode_write_varint32(stream, (uint32_t)(claimed > 1u << 20 ? 0 : claimed));
        memcpy(p, body, len);
        bool good = check_against_libsnappy(stream, (size_t)(p - stream) + len);
        accepted += good;
        refused += !good;
    }
    assert_true(accepted > 1000 && refused > 1000);
}

static void a_claim_of_four_gigabytes_is_no_length_to_allocate_for(void **state)
{
    static const uint8_t most[] = { 0xff, 0xff, 0xff, 0xff, 0x0f, 0 }, more[] = { 0xff, 0xff, 0xff, 0xff, 0x1f, 0 };
    static const uint8_t literal[] = { 1, 63 << 2, 0xff, 0xff, 0xff, 0xff, 'a' };
    uint8_t out[1 + LODE_UNPACK_SLACK];
    size_t len;
    (void)state;
    assert_true(lode_unpack_length(&len, most, sizeof most));
    assert_int_equal(len, UINT32_MAX);
    assert_false(lode_unpack_length(&len, more, sizeof more));
    assert_false(lode_unpack_length(&len, most, 4));
    assert_false(lode_unpack_length(&len, most, 0));
    assert_false(lode_unpack(out, 1, literal, sizeof literal));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unpacking_undoes_libsnappys_packing),
        cmocka_unit_test(damaged_streams_mean_what_they_mean_to_libsnappy),
        cmocka_unit_test(made_up_streams_mean_what_they_mean_to_libsnappy),
        cmocka_unit_test(a_claim_of_four_gigabytes_is_no_length_to_allocate_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
