/* test/primitives/encode_test.c: numbers, amounts, scripts and coins as Core stores them. */
#include "primitives/encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include <secp256k1.h>

/* Decodes `hex` into malloc'd memory of exactly that size, so that a sanitizer sees one byte too many. */
static uint8_t *bytes_of(const char *hex, size_t *len)
{
    *len = strlen(hex) / 2;
    uint8_t *bytes = malloc(*len ? *len : 1);

    assert_non_null(bytes);
    assert_true(lode_hex_decode(bytes, *len, hex));
    return bytes;
}

static void assert_hex(const uint8_t *data, size_t len, const char *hex)
{
    char *got = malloc(2 * len + 1);

    lode_hex_encode(got, data, len);
    assert_string_equal(got, hex);
    free(got);
}

static void compact_sizes_have_one_form(void **state)
{
    static const struct {
        uint64_t value;
        const char *hex;
    } table[] = {
        { 0, "00" },
        { 252, "fc" },
        { 253, "fdfd00" },
        { 0xffff, "fdffff" },
        { 0x10000, "fe00000100" },
        { 0x02000000, "fe00000002" },
        { 0xffffffff, "feffffffff" },
        { UINT64_C(0x100000000), "ff0000000001000000" },
        { UINT64_MAX, "ffffffffffffffffff" },
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t len;
        uint8_t *bytes = bytes_of(table[i].hex, &len), out[9];
        lode_buf b = LODE_BUF_EMPTY;

        assert_int_equal(lode_compact_size_length(table[i].value), len);
        assert_int_equal(lode_compact_size_write(out, table[i].value), len);
        assert_memory_equal(out, bytes, len);
        lode_buf_put_compact_size(&b, table[i].value);
        assert_hex(b.data, b.len, table[i].hex);
        lode_buf_clear(&b);
        lode_reader r = lode_reader_of(bytes, len);
        assert_true(lode_reader_compact_size(&r, false) == table[i].value);
        assert_true(lode_reader_is_done(&r));
        r = lode_reader_of(bytes, len);
        assert_true(lode_reader_compact_size(&r, true) == (table[i].value <= LODE_MAX_SIZE ? table[i].value : 0));
        assert_int_equal(r.bad, table[i].value > LODE_MAX_SIZE);
        for (size_t cut = 0; cut < len; cut++) {
            r = lode_reader_of(bytes, cut);
            assert_true(lode_reader_compact_size(&r, false) == 0);
            assert_true(r.bad);
        }
        free(bytes);
    }
}

/* Core's noncanonical test: each could have been written shorter. */
static void longer_forms_of_a_compact_size_are_refused(void **state)
{
    static const char *const table[] = {
        "fdfc00", "fd0000", "fe00000000", "feffff0000", "feffff0000", "ff0000000000000000", "ffffffff0000000000"
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t len;
        uint8_t *bytes = bytes_of(table[i], &len);
        lode_reader r = lode_reader_of(bytes, len);

        assert_true(lode_reader_compact_size(&r, false) == 0);
        assert_true(r.bad);
        free(bytes);
    }
}

/* Core's serialize_tests, varints_bitpatterns. */
static void varints_have_cores_bit_patterns(void **state)
{
    static const struct {
        uint64_t value;
        const char *hex;
    } table[] = {
        { 0, "00" },
        { 0x7f, "7f" },
        { 0x80, "8000" },
        { 0x1234, "a334" },
        { 0xffff, "82fe7f" },
        { 0x123456, "c7e756" },
        { 0x80123456, "86ffc7e756" },
        { 0xffffffff, "8efefefe7f" },
        { 0x7fffffffffffffff, "fefefefefefefefe7f" },
        { UINT64_MAX, "80fefefefefefefefe7f" },
        /* encode.c's drawing */
        { 255, "807f" },
        { 16511, "ff7f" },
        { 16512, "808000" },
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t len;
        uint8_t *bytes = bytes_of(table[i].hex, &len), out[10];
        lode_buf b = LODE_BUF_EMPTY;

        assert_int_equal(lode_varint_length(table[i].value), len);
        assert_int_equal(lode_varint_write(out, table[i].value), len);
        assert_memory_equal(out, bytes, len);
        lode_buf_put_varint(&b, table[i].value);
        assert_hex(b.data, b.len, table[i].hex);
        lode_buf_clear(&b);
        for (size_t cut = 0; cut <= len; cut++) {
            lode_reader r = lode_reader_of(bytes, cut);
            uint64_t v = lode_reader_varint(&r);
            assert_true(v == (cut == len ? table[i].value : 0));
            assert_int_equal(r.bad, cut < len);
        }
        free(bytes);
    }
}

static void every_varint_reads_back(void **state)
{
    uint8_t out[10];

    for (uint64_t v = 0; v < 100000; v++) {
        size_t len = lode_varint_write(out, v);
        lode_reader r = lode_reader_of(out, len);
        assert_true(lode_reader_varint(&r) == v && lode_reader_is_done(&r));
    }
    for (uint64_t v = 0; v < UINT64_C(100000000000); v += 999999937) {
        size_t len = lode_varint_write(out, v);
        lode_reader r = lode_reader_of(out, len);
        assert_true(lode_reader_varint(&r) == v && lode_reader_is_done(&r));
    }
}

static void varints_beyond_64_bits_are_refused(void **state)
{
    static const char *const table[] = { "80fefefefefefefeff00", "81fefefefefefefefe7f", "ffffffffffffffffffff7f",
                                         "ffffffffffffffffffffffffffffff00" };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t len;
        uint8_t *bytes = bytes_of(table[i], &len);
        lode_reader r = lode_reader_of(bytes, len);

        assert_true(lode_reader_varint(&r) == 0);
        assert_true(r.bad);
        free(bytes);
    }
}

/* Core's compress_tests. */
static void amounts_compress_as_cores(void **state)
{
    static const struct {
        uint64_t sat, compressed;
    } table[] = {
        { 0, 0x0 },         { 1, 0x1 },           { 1000000, 0x7 },
        { 100000000, 0x9 }, { 5000000000, 0x32 }, { 2100000000000000, 0x1406f40 },
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_true(lode_amount_compress(table[i].sat) == table[i].compressed);
        assert_true(lode_amount_decompress(table[i].compressed) == table[i].sat);
    }
    for (uint64_t i = 1; i <= 100000; i++) {
        assert_true(lode_amount_decompress(lode_amount_compress(i)) == i);
        assert_true(lode_amount_decompress(lode_amount_compress(i * 1000000)) == i * 1000000);
        assert_true(lode_amount_decompress(lode_amount_compress(i * 21000000000)) == i * 21000000000);
        assert_true(lode_amount_compress(lode_amount_decompress(i)) == i);
    }
}

#define HASH20 "0123456789abcdef0123456789abcdef01234567"
/* The generator of secp256k1, whose y is even, and its negative. */
#define GX "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
#define GY "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"
#define GY_NEGATIVE "b7c52588d95c3b9aa25b0403f1eef75702e84bb7597aabe663b82f6f04ef2777"

static void scripts_compress_as_cores(void **state)
{
    static const struct {
        const char *script, *stored;
    } table[] = {
        { "76a914" HASH20 "88ac", "00" HASH20 },
        { "a914" HASH20 "87", "01" HASH20 },
        { "2102" GX "ac", "02" GX },
        { "2103" GX "ac", "03" GX },
        { "4104" GX GY "ac", "04" GX },
        { "4104" GX GY_NEGATIVE "ac", "05" GX },
        { "", "06" },
        { "51", "0751" },
        { "0014" HASH20, "1c0014" HASH20 },
        /* nearly one of the kinds */
        { "76a914" HASH20 "88ad", "1f76a914" HASH20 "88ad" },
        { "76a914" HASH20 "88ac00", "2076a914" HASH20 "88ac00" },
        { "a914" HASH20 "88", "1da914" HASH20 "88" },
        { "2104" GX "ac", "292104" GX "ac" },
        { "4104" GX GX "ac", "494104" GX GX "ac" }, /* not on the curve */
        { "4106" GX GY "ac", "494106" GX GY "ac" }, /* hybrid */
        { "4104" GX GY "ae", "494104" GX GY "ae" },
        { "2102"
          "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
          "ac", /* no point, and not asked */
          "02"
          "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff" },
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t len, stored_len;
        uint8_t *script = bytes_of(table[i].script, &len), *stored = bytes_of(table[i].stored, &stored_len);
        uint8_t *out = malloc(len + 10), scratch[67];
        lode_slice back;

        assert_int_equal(lode_script_compressed_length(script, len), stored_len);
        assert_int_equal(lode_script_compress(out, script, len), stored_len);
        assert_memory_equal(out, stored, stored_len);
        for (size_t cut = 0; cut <= stored_len; cut++) {
            uint8_t *exact = malloc(cut + 1);
            memcpy(exact, stored, cut);
            lode_reader r = lode_reader_of(exact, cut), skip = r;
            lode_reader_script(&r, &back, scratch);
            lode_reader_skip_script(&skip);
            assert_int_equal(r.bad, cut < stored_len);
            assert_int_equal(skip.bad, cut < stored_len);
            if (cut == stored_len) {
                assert_true(lode_reader_is_done(&r) && lode_reader_is_done(&skip));
                assert_true(lode_slice_is_equal(back, lode_slice_of(script, len)));
            }
            free(exact);
        }
        free(script);
        free(stored);
        free(out);
    }
}

static void long_scripts_read_as_one_op_return(void **state)
{
    lode_buf b = LODE_BUF_EMPTY;
    uint8_t scratch[67];
    lode_slice script;

    for (size_t len = 9999; len <= 10001; len++) {
        lode_buf_reset(&b);
        lode_buf_put_varint(&b, len + 6);
        memset(lode_buf_extend(&b, len), 0x51, len);
        lode_reader r = lode_reader_of(b.data, b.len);
        lode_reader_script(&r, &script, scratch);
        assert_true(lode_reader_is_done(&r));
        assert_int_equal(script.len, len > 10000 ? 1 : len);
        assert_int_equal(script.data[0], len > 10000 ? 0x6a : 0x51);
    }
    lode_buf_reset(&b);
    lode_buf_put_varint(&b, UINT64_C(0x100000000)); /* more than Core's 32 bits */
    lode_reader r = lode_reader_of(b.data, b.len);
    lode_reader_script(&r, &script, scratch);
    assert_true(r.bad);
    lode_buf_clear(&b);
}

static void a_stored_x_without_a_point_is_refused(void **state)
{
    size_t len;
    uint8_t *bytes = bytes_of("04ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", &len);
    lode_reader r = lode_reader_of(bytes, len);
    uint8_t scratch[67];
    lode_slice script;

    lode_reader_script(&r, &script, scratch);
    assert_true(r.bad);
    free(bytes);
}

static void uncompressed_keys_of_any_parity_come_back(void **state)
{
    secp256k1_context *secp = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
    unsigned odd = 0;

    for (unsigned i = 1; i <= 40; i++) {
        uint8_t secret[32] = { 0 }, script[67], out[80], scratch[67];
        secp256k1_pubkey key;
        size_t len = 65;
        lode_slice back;

        secret[31] = (uint8_t)i;
        secret[0] = (uint8_t)(i * 3);
        assert_true(secp256k1_ec_pubkey_create(secp, &key, secret));
        script[0] = 65;
        secp256k1_ec_pubkey_serialize(secp, script + 1, &len, &key, SECP256K1_EC_UNCOMPRESSED);
        script[66] = 0xac;
        assert_int_equal(lode_script_compress(out, script, 67), 33);
        lode_reader r = lode_reader_of(out, 33);
        lode_reader_script(&r, &back, scratch);
        assert_true(lode_slice_is_equal(back, lode_slice_of(script, 67)));
        odd += out[0] == 5;
    }
    assert_true(odd > 0 && odd < 40);
    secp256k1_context_destroy(secp);
}

/* The two coins that older releases of Core described in coins.h: height 203998 and 120891. */
static void coins_are_stored_as_cores(void **state)
{
    static const struct {
        const char *stored;
        uint32_t height;
        bool is_coinbase;
        int64_t sat;
        const char *script;
    } table[] = {
        { "97f23c835800816115944e077fe7c803cfa57f29b36bf87c1d35", 203998, false, INT64_C(60000000000),
          "76a914816115944e077fe7c803cfa57f29b36bf87c1d3588ac" },
        { "8ddf77bbd123008c988f1a4a4de2161e0f50aac7f17e7f9555caa4", 120891, true, 110397,
          "76a9148c988f1a4a4de2161e0f50aac7f17e7f9555caa488ac" },
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t len, script_len;
        uint8_t *stored = bytes_of(table[i].stored, &len), *script = bytes_of(table[i].script, &script_len);
        uint8_t scratch[67], out[64];
        lode_coin coin;

        assert_true(lode_coin_decode(&coin, scratch, stored, len));
        assert_int_equal(coin.height, table[i].height);
        assert_int_equal(coin.is_coinbase, table[i].is_coinbase);
        assert_true(coin.value.sat == table[i].sat);
        assert_true(lode_slice_is_equal(coin.script, lode_slice_of(script, script_len)));
        assert_int_equal(lode_coin_encoded_length(&coin), len);
        assert_int_equal(lode_coin_encode(out, &coin), len);
        assert_memory_equal(out, stored, len);
        for (size_t cut = 0; cut < len; cut++)
            assert_false(lode_coin_decode(&coin, scratch, stored, cut));
        free(stored);
        free(script);
    }
}

static void coins_with_a_tail_or_too_high_are_refused(void **state)
{
    uint8_t scratch[67], out[64];
    lode_coin coin = { { 1 }, 0x7fffffff, true, lode_slice_of("\x51", 1) };
    size_t len = lode_coin_encode(out, &coin);

    assert_true(lode_coin_decode(&coin, scratch, out, len));
    assert_int_equal(coin.height, 0x7fffffff);
    out[len] = 0;
    assert_false(lode_coin_decode(&coin, scratch, out, len + 1));
    len = lode_varint_write(out, UINT64_C(0x100000000));
    memcpy(out + len, "\x01\x07\x51", 3);
    assert_false(lode_coin_decode(&coin, scratch, out, len + 3));
}

static void coin_keys_name_txid_and_index(void **state)
{
    static const uint32_t indexes[] = { 0, 1, 127, 128, 65535, 0xfffffffe, 0xffffffff };

    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++) {
        uint8_t prevout[36], back[36], key[LODE_COIN_KEY_MAX + 1];

        memset(prevout, 0xab, 32);
        lode_write_le32(prevout + 32, indexes[i]);
        size_t len = lode_coin_key(key, prevout);
        assert_int_equal(len, 33 + lode_varint_length(indexes[i]));
        assert_int_equal(key[0], 'C');
        assert_true(lode_coin_key_decode(back, key, len));
        assert_memory_equal(back, prevout, 36);
        assert_false(lode_coin_key_decode(back, key, len - 1));
        key[len] = 0;
        assert_false(lode_coin_key_decode(back, key, len + 1));
        key[0] = 'c';
        assert_false(lode_coin_key_decode(back, key, len));
    }
}

static void some_scripts_can_never_be_spent(void **state)
{
    static uint8_t script[10001];

    assert_false(lode_script_is_unspendable(script, 0));
    assert_false(lode_script_is_unspendable(script, 10000));
    assert_true(lode_script_is_unspendable(script, 10001));
    script[0] = 0x6a;
    assert_true(lode_script_is_unspendable(script, 1));
    assert_false(lode_script_is_unspendable(script, 0));
}

static void amounts_add_up_to_money_or_not_at_all(void **state)
{
    lode_amount total = { LODE_MAX_MONEY - 1 };

    assert_true(lode_amount_add(&total, (lode_amount){ 1 }));
    assert_false(lode_amount_add(&total, (lode_amount){ 1 }));
    total.sat = 5;
    assert_false(lode_amount_add(&total, (lode_amount){ INT64_MAX }));
    total.sat = 5;
    assert_false(lode_amount_add(&total, (lode_amount){ -6 }));
    assert_true(lode_amount_is_money((lode_amount){ 0 }));
    assert_false(lode_amount_is_money((lode_amount){ -1 }));
    assert_false(lode_amount_is_money((lode_amount){ LODE_MAX_MONEY + 1 }));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compact_sizes_have_one_form),
        cmocka_unit_test(longer_forms_of_a_compact_size_are_refused),
        cmocka_unit_test(varints_have_cores_bit_patterns),
        cmocka_unit_test(every_varint_reads_back),
        cmocka_unit_test(varints_beyond_64_bits_are_refused),
        cmocka_unit_test(amounts_compress_as_cores),
        cmocka_unit_test(scripts_compress_as_cores),
        cmocka_unit_test(long_scripts_read_as_one_op_return),
        cmocka_unit_test(a_stored_x_without_a_point_is_refused),
        cmocka_unit_test(uncompressed_keys_of_any_parity_come_back),
        cmocka_unit_test(coins_are_stored_as_cores),
        cmocka_unit_test(coins_with_a_tail_or_too_high_are_refused),
        cmocka_unit_test(coin_keys_name_txid_and_index),
        cmocka_unit_test(some_scripts_can_never_be_spent),
        cmocka_unit_test(amounts_add_up_to_money_or_not_at_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
