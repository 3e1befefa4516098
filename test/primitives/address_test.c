/* test/primitives/address_test.c: addresses against the vectors of BIP 173, BIP 350 and Core's key_io. */
#include "primitives/address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/bytes.h"

/* Each script is a version opcode, a length and the program. */
static void segwit_addresses_are_those_of_the_bips(void **state)
{
    static const struct {
        const char *prefix, *script, *address;
    } rows[] = {
        { "bc", "0014751e76e8199196d454941c45d1b3a323f1433bd6", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4" },
        { "tb", "00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262",
          "tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7" },
        { "bc", "5128751e76e8199196d454941c45d1b3a323f1433bd6751e76e8199196d454941c45d1b3a323f1433bd6",
          "bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y" },
        { "bc", "6002751e", "bc1sw50qgdz25j" },
        { "bc", "5210751e76e8199196d454941c45d1b3a323", "bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs" },
        { "tb", "0020000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433",
          "tb1qqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesrxh6hy" },
        { "tb", "5120000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433",
          "tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c" },
        { "bc", "512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
          "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t script[42];
        size_t len = strlen(rows[i].script) / 2;
        char got[LODE_SEGWIT_TEXT_MAX];
        assert_true(lode_hex_decode(script, len, rows[i].script));
        assert_true(
            lode_segwit_address_encode(got, rows[i].prefix, script[0] ? script[0] - 0x50 : 0, script + 2, len - 2));
        assert_string_equal(got, rows[i].address);
    }
}

static void programs_of_impossible_size_have_no_address(void **state)
{
    uint8_t program[41] = { 0 };
    char got[LODE_SEGWIT_TEXT_MAX];

    assert_false(lode_segwit_address_encode(got, "bc", 1, program, 1));
    assert_false(lode_segwit_address_encode(got, "bc", 1, program, 41));
    assert_false(lode_segwit_address_encode(got, "bc", 17, program, 32));
    assert_false(lode_segwit_address_encode(got, "bc", -1, program, 32));
    assert_string_equal(got, "");
    assert_true(lode_segwit_address_encode(got, "bc", 1, program, 40));
}

static void base58_addresses_are_the_published_ones(void **state)
{
    static const struct {
        const char *payload, *text;
    } rows[] = {
        { "0062e907b15cbf27d5425399ebf6f0fb50ebb88f18", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa" }, /* genesis block */
        { "000000000000000000000000000000000000000000", "1111111111111111111114oLvT2" },
        { "00ffffffffffffffffffffffffffffffffffffffff", "1QLbz7JHiBTspS962RLKV8GndWFwi5j6Qr" },
        { "6f1111111111111111111111111111111111111111", "mh5CE8Nbj38iND267s4XnvhSmhDW7yWc6Q" },
        { "c42222222222222222222222222222222222222222", "2MvMhrRzhzPDeU9QvbpTmybKSBGjUmC6TTu" },
        { "", "3QJmnh" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t payload[21];
        size_t len = strlen(rows[i].payload) / 2;
        char got[LODE_BASE58_TEXT_MAX];
        assert_true(lode_hex_decode(payload, len, rows[i].payload));
        assert_true(lode_base58check_encode(got, payload, len));
        assert_string_equal(got, rows[i].text);
    }
}

static void the_longest_payload_fits_and_a_longer_one_is_refused(void **state)
{
    uint8_t payload[LODE_BASE58_PAYLOAD_MAX + 1];
    char got[LODE_BASE58_TEXT_MAX];

    memset(payload, 0xff, sizeof payload);
    assert_true(lode_base58check_encode(got, payload, LODE_BASE58_PAYLOAD_MAX));
    assert_true(strlen(got) < LODE_BASE58_TEXT_MAX);
    assert_false(lode_base58check_encode(got, payload, sizeof payload));
    assert_string_equal(got, "");
}

/* ---- decoding ---- */

static void every_address_decodes_to_what_it_was_made_of(void **state)
{
    for (unsigned len = 2; len <= 40; len++) {
        uint8_t program[40], got[40];
        char text[LODE_SEGWIT_TEXT_MAX], base[LODE_BASE58_TEXT_MAX];
        size_t got_len = 0;
        int version = -1;

        for (unsigned i = 0; i < len; i++)
            program[i] = (uint8_t)(i * 37 + len);
        assert_true(lode_segwit_address_encode(text, "bcrt", (int)len % 16 + 1, program, len));
        assert_true(lode_segwit_address_decode(&version, got, &got_len, "bcrt", text));
        assert_int_equal(version, len % 16 + 1);
        assert_int_equal(got_len, len);
        assert_memory_equal(got, program, len);
        for (char *p = text; *p; p++)
            *p = *p >= 'a' && *p <= 'z' ? (char)(*p - 32) : *p;
        assert_true(lode_segwit_address_decode(&version, got, &got_len, "bcrt", text));
        assert_false(lode_segwit_address_decode(&version, got, &got_len, "bc", text));

        program[0] = program[1] = 0;
        assert_true(lode_base58check_encode(base, program, len));
        assert_true(lode_base58check_decode(got, &got_len, 40, base));
        assert_int_equal(got_len, len);
        assert_memory_equal(got, program, len);
        assert_false(lode_base58check_decode(got, &got_len, len - 1, base));
    }
}

static void a_mistyped_address_is_none(void **state)
{
    static const char *const good[] = { "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
                                        "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0" };
    uint8_t program[40];
    size_t len;
    int version;

    for (size_t g = 0; g < 2; g++) {
        char text[LODE_SEGWIT_TEXT_MAX];
        assert_true(lode_segwit_address_decode(&version, program, &len, "bc", good[g]));
        for (size_t i = 0; good[g][i]; i++) {
            strcpy(text, good[g]);
            text[i] = text[i] == 'q' ? 'p' : 'q';
            assert_false(lode_segwit_address_decode(&version, program, &len, "bc", text));
        }
    }
    const char *base = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";
    assert_true(lode_base58check_decode(program, &len, 40, base));
    assert_int_equal(len, 21);
    for (size_t i = 0; base[i]; i++) {
        char text[64];
        strcpy(text, base);
        text[i] = text[i] == '2' ? '3' : '2';
        assert_false(lode_base58check_decode(program, &len, 40, text));
    }
}

/* BIP 173 and BIP 350: invalid addresses. */
static void the_bips_invalid_addresses_are_none(void **state)
{
    static const char *const rows[][2] = {
        { "tc", "tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut" },
        { "bc", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd" },
        { "tb", "tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf" },
        { "bc", "BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL" },
        { "bc", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh" },
        { "tb", "tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47" },
        { "bc", "bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4" },
        { "bc", "BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R" },
        { "bc", "bc1pw5dgrnzv" },
        { "bc", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav" },
        { "bc", "BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P" },
        { "tb", "tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq" },
        { "bc", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf" },
        { "tb", "tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j" },
        { "bc", "bc1gmk9yu" },
    };
    uint8_t program[40];
    size_t len;
    int version;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (i > 0) /* the first has a prefix of no network, which the caller names */
            assert_false(lode_segwit_address_decode(&version, program, &len, rows[i][0], rows[i][1]));
    assert_false(lode_segwit_address_decode(&version, program, &len, "bc", rows[0][1]));
    assert_false(lode_segwit_address_decode(&version, program, &len, "bc", ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segwit_addresses_are_those_of_the_bips),
        cmocka_unit_test(programs_of_impossible_size_have_no_address),
        cmocka_unit_test(base58_addresses_are_the_published_ones),
        cmocka_unit_test(the_longest_payload_fits_and_a_longer_one_is_refused),
        cmocka_unit_test(every_address_decodes_to_what_it_was_made_of),
        cmocka_unit_test(a_mistyped_address_is_none),
        cmocka_unit_test(the_bips_invalid_addresses_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
