/* test/primitives/address_test.c: addresses against the vectors of BIP 173, BIP 350 and Core's key_io. */
#include "primitives/address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segwit_addresses_are_those_of_the_bips),
        cmocka_unit_test(programs_of_impossible_size_have_no_address),
        cmocka_unit_test(base58_addresses_are_the_published_ones),
        cmocka_unit_test(the_longest_payload_fits_and_a_longer_one_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
