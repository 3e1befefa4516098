/* test/cli/script_text_test.c: scripts in words, descriptors, addresses and types, as Core 31 answers decodescript. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "query/descriptor.h"
#include "query/script_asm.h"
#include "query/script_class.h"

static size_t decode(uint8_t *out, const char *hex)
{
    size_t len = strlen(hex) / 2;

    assert_true(lode_hex_decode(out, len, hex));
    return len;
}

static void assert_buf_is(lode_buf *b, const char *text)
{
    lode_buf_put_u8(b, 0);
    assert_true(lode_buf_is_good(b));
    assert_string_equal((const char *)b->data, text);
    lode_buf_clear(b);
}

/* On regtest. */
static void scripts_read_as_core_reads_them(void **state)
{
    static const struct {
        const char *hex, *words, *descriptor, *address, *type;
    } rows[] = {
        { "", "", "raw()#58lrscpx", "", "nonstandard" },
        { "210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798ac",
          "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798 OP_CHECKSIG",
          "pk(0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798)#gn28ywm7", "", "pubkey" },
        { "410479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448"
          "a68554199c47d08ffb10d4b8ac",
          "0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a6"
          "8554199c47d08ffb10d4b8 OP_CHECKSIG",
          "pk("
          "0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a6"
          "8554199c47d08ffb10d4b8)#fsjyjr2x",
          "", "pubkey" },
        { "410679be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448"
          "a68554199c47d08ffb10d4b8ac",
          "0679be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a6"
          "8554199c47d08ffb10d4b8 OP_CHECKSIG",
          "raw("
          "410679be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448"
          "a68554199c47d08ffb10d4b8ac)#qhj9gd8d",
          "", "pubkey" },
        { "210579be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798ac",
          "0579be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798 OP_CHECKSIG",
          "raw(210579be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798ac)#zps6ayhq", "", "nonstandard" },
        { "76a914111111111111111111111111111111111111111188ac",
          "OP_DUP OP_HASH160 1111111111111111111111111111111111111111 OP_EQUALVERIFY OP_CHECKSIG",
          "addr(mh5CE8Nbj38iND267s4XnvhSmhDW7yWc6Q)#7cjjyjvp", "mh5CE8Nbj38iND267s4XnvhSmhDW7yWc6Q", "pubkeyhash" },
        { "a914222222222222222222222222222222222222222287",
          "OP_HASH160 2222222222222222222222222222222222222222 OP_EQUAL",
          "addr(2MvMhrRzhzPDeU9QvbpTmybKSBGjUmC6TTu)#fjhaxe8g", "2MvMhrRzhzPDeU9QvbpTmybKSBGjUmC6TTu", "scripthash" },
        { "00143333333333333333333333333333333333333333", "0 3333333333333333333333333333333333333333",
          "addr(bcrt1qxvenxvenxvenxvenxvenxvenxvenxvenztev8a)#58h6rznr", "bcrt1qxvenxvenxvenxvenxvenxvenxvenxvenztev8a",
          "witness_v0_keyhash" },
        { "00204444444444444444444444444444444444444444444444444444444444444444",
          "0 4444444444444444444444444444444444444444444444444444444444444444",
          "addr(bcrt1qg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zqhkv0pq)#589e9ys8",
          "bcrt1qg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zqhkv0pq", "witness_v0_scripthash" },
        { "512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
          "1 79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
          "rawtr(79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798)#xsjqcczm",
          "bcrt1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqc8gma6", "witness_v1_taproot" },
        { "51200000000000000000000000000000000000000000000000000000000000000000",
          "1 0000000000000000000000000000000000000000000000000000000000000000",
          "addr(bcrt1pqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqm3usuw)#h0u3564j",
          "bcrt1pqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqm3usuw", "witness_v1_taproot" },
        { "5120ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
          "1 ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
          "addr(bcrt1plllllllllllllllllllllllllllllllllllllllllllllllllllse0lp4e)#f6jd6wfe",
          "bcrt1plllllllllllllllllllllllllllllllllllllllllllllllllllse0lp4e", "witness_v1_taproot" },
        { "51024e73", "1 29518", "addr(bcrt1pfeesnyr2tx)#swxgse0y", "bcrt1pfeesnyr2tx", "anchor" },
        { "52021234", "2 13330", "addr(bcrt1zzg6q0vr39h)#k0c5szpp", "bcrt1zzg6q0vr39h", "witness_unknown" },
        { "6028abababababababababababababababababababababababababababababababababababababababab",
          "16 abababababababababababababababababababababababababababababababababababababababab",
          "addr(bcrt1s4w46h2at4w46h2at4w46h2at4w46h2at4w46h2at4w46h2at4w46h2at4w46h2atxtya5d)#0n7c0eqv",
          "bcrt1s4w46h2at4w46h2at4w46h2at4w46h2at4w46h2at4w46h2at4w46h2at4w46h2atxtya5d", "witness_unknown" },
        { "0010cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd", "0 cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",
          "raw(0010cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd)#xvgdxcqs", "", "nonstandard" },
        { "51210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f8179851ae",
          "1 0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798 1 OP_CHECKMULTISIG",
          "multi(1,0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798)#gs8559k9", "", "multisig" },
        { "51210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798410479be667ef9dcbbac55a06295ce870b0702"
          "9bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b852ae",
          "1 0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798 "
          "0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a6"
          "8554199c47d08ffb10d4b8 2 OP_CHECKMULTISIG",
          "multi(1,0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798,"
          "0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a6"
          "8554199c47d08ffb10d4b8)#gh3puna5",
          "", "multisig" },
        { "51410679be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b4"
          "48a68554199c47d08ffb10d4b851ae",
          "1 "
          "0679be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a6"
          "8554199c47d08ffb10d4b8 1 OP_CHECKMULTISIG",
          "raw("
          "51410679be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b4"
          "48a68554199c47d08ffb10d4b851ae)#q4j8lzl0",
          "", "multisig" },
        { "52210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f8179851ae",
          "2 0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798 1 OP_CHECKMULTISIG",
          "raw(52210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f8179851ae)#5ltdfpgv", "",
          "nonstandard" },
        { "00210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f8179851ae",
          "0 0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798 1 OP_CHECKMULTISIG",
          "raw(00210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f8179851ae)#2gu2ykxx", "",
          "nonstandard" },
        { "0101210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f8179851ae",
          "1 0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798 1 OP_CHECKMULTISIG",
          "raw(0101210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f8179851ae)#w3gwnjfh", "",
          "nonstandard" },
        { "6a", "OP_RETURN", "raw(6a)#4mhr9ur5", "", "nulldata" },
        { "6a0548656c6c6f", "OP_RETURN 48656c6c6f", "raw(6a0548656c6c6f)#p5l78u99", "", "nulldata" },
        { "6a4c0548656c6c6f", "OP_RETURN 48656c6c6f", "raw(6a4c0548656c6c6f)#3z2v4xmz", "", "nulldata" },
        { "6a6a", "OP_RETURN OP_RETURN", "raw(6a6a)#2ex057rn", "", "nonstandard" },
        { "6a05aabb", "OP_RETURN [error]", "raw(6a05aabb)#uwmv5k6v", "", "nonstandard" },
        { "6a04ffffffff", "OP_RETURN -2147483647", "raw(6a04ffffffff)#qq5kpk9q", "", "nulldata" },
        { "01ff", "-127", "raw(01ff)#52lgh42q", "", "nonstandard" },
        { "0180", "0", "raw(0180)#c8vu8w92", "", "nonstandard" },
        { "0281ff", "-32641", "raw(0281ff)#un945uf4", "", "nonstandard" },
        { "02ff80", "-255", "raw(02ff80)#s5h0d6fg", "", "nonstandard" },
        { "03ffff7f", "8388607", "raw(03ffff7f)#39ndjgcm", "", "nonstandard" },
        { "04ffffff7f", "2147483647", "raw(04ffffff7f)#lhyaf53f", "", "nonstandard" },
        { "04ffffffff", "-2147483647", "raw(04ffffffff)#p80fdd34", "", "nonstandard" },
        { "0501020304ff", "01020304ff", "raw(0501020304ff)#r9398fh2", "", "nonstandard" },
        { "4e04000000aabbccdd", "-1573698474", "raw(4e04000000aabbccdd)#tfefgh05", "", "nonstandard" },
        { "4d0100aa", "-42", "raw(4d0100aa)#wtnzjqwc", "", "nonstandard" },
        { "4c", "[error]", "raw(4c)#w8vxm298", "", "nonstandard" },
        { "02aa", "[error]", "raw(02aa)#e02sv52u", "", "nonstandard" },
        { "4f5051605f6162676879babbfeff",
          "-1 OP_RESERVED 1 16 15 OP_NOP OP_VER OP_ELSE OP_ENDIF OP_PICK OP_CHECKSIGADD OP_UNKNOWN OP_UNKNOWN "
          "OP_INVALIDOPCODE",
          "raw(4f5051605f6162676879babbfeff)#f4lmf7tq", "", "nonstandard" },
        { "b1b2b0b3b9ae", "OP_CHECKLOCKTIMEVERIFY OP_CHECKSEQUENCEVERIFY OP_NOP1 OP_NOP4 OP_NOP10 OP_CHECKMULTISIG",
          "raw(b1b2b0b3b9ae)#xp8luuua", "", "nonstandard" },
        { "7576a9", "OP_DROP OP_DUP OP_HASH160", "raw(7576a9)#ypcavqed", "", "nonstandard" },
        { "00", "0", "raw(00)#qwfjgwf6", "", "nonstandard" },
        { "00000000", "0 0 0 0", "raw(00000000)#fd79gd40", "", "nonstandard" },
        { "0100", "0", "raw(0100)#h0ak9k9y", "", "nonstandard" },
        { "03000080", "0", "raw(03000080)#3hnnh03y", "", "nonstandard" }
    };
    lode_chain_params params;

    lode_chain_params_init(&params, LODE_CHAIN_REGTEST);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t bytes[256];
        lode_slice script = lode_slice_of(bytes, decode(bytes, rows[i].hex));
        char address[LODE_BASE58_TEXT_MAX];
        lode_buf words = LODE_BUF_EMPTY;
        lode_buf descriptor = LODE_BUF_EMPTY;
        lode_script_class c;
        lode_script_classify(&c, script);
        lode_buf_put_script_asm(&words, script, false);
        assert_buf_is(&words, rows[i].words);
        lode_buf_put_descriptor(&descriptor, script, &c, &params);
        assert_buf_is(&descriptor, rows[i].descriptor);
        assert_int_equal(lode_script_address(address, &c, &params), rows[i].address[0] != 0);
        assert_string_equal(address, rows[i].address);
        assert_string_equal(lode_script_type_name(c.type), rows[i].type);
    }
}

static const char key[] = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";

/* required and count as given, then `keys` keys between them. */
static lode_script_type multisig_type(const char *required, int keys, const char *count)
{
    char hex[4096];
    uint8_t bytes[2048];
    lode_script_class c;

    strcpy(hex, required);
    for (int i = 0; i < keys; i++)
        strcat(strcat(hex, "21"), key);
    strcat(strcat(hex, count), "ae");
    lode_script_classify(&c, lode_slice_of(bytes, decode(bytes, hex)));
    return c.type;
}

static void multisig_takes_up_to_twenty_keys_counted_in_shortest_form(void **state)
{
    assert_int_equal(multisig_type("51", 16, "60"), LODE_SCRIPT_MULTISIG);
    assert_int_equal(multisig_type("0111", 17, "0111"), LODE_SCRIPT_MULTISIG);
    assert_int_equal(multisig_type("0114", 20, "0114"), LODE_SCRIPT_MULTISIG);
    assert_int_equal(multisig_type("51", 21, "0115"), LODE_SCRIPT_NONSTANDARD);
    assert_int_equal(multisig_type("51", 2, "51"), LODE_SCRIPT_NONSTANDARD);
    assert_int_equal(multisig_type("53", 2, "52"), LODE_SCRIPT_NONSTANDARD);
    assert_int_equal(multisig_type("51", 1, "4c0101"), LODE_SCRIPT_NONSTANDARD);
}

/* A signature in DER with `type` at its end, as a push, and how it is to read. */
static void assert_signature_reads(const char *type, const char *mark, bool shown)
{
    static const char r_and_s[] = "3006020101020101";
    char hex[64], want[96];
    uint8_t bytes[32];
    lode_buf got = LODE_BUF_EMPTY;

    snprintf(hex, sizeof hex, "09%s%s", r_and_s, type);
    snprintf(want, sizeof want, "%s%s", r_and_s, mark ? mark : type);
    lode_buf_put_script_asm(&got, lode_slice_of(bytes, decode(bytes, hex)), shown);
    assert_buf_is(&got, want);
}

static void signatures_tell_their_hash_type(void **state)
{
    assert_signature_reads("01", "[ALL]", true);
    assert_signature_reads("02", "[NONE]", true);
    assert_signature_reads("03", "[SINGLE]", true);
    assert_signature_reads("81", "[ALL|ANYONECANPAY]", true);
    assert_signature_reads("82", "[NONE|ANYONECANPAY]", true);
    assert_signature_reads("83", "[SINGLE|ANYONECANPAY]", true);
    assert_signature_reads("00", NULL, true);
    assert_signature_reads("41", NULL, true);
    assert_signature_reads("01", NULL, false);
}

/* BIP 380's own example. */
static void a_descriptor_has_the_bips_checksum(void **state)
{
    char got[9];

    assert_true(lode_descriptor_checksum(got, "raw(deadbeef)", 13));
    assert_string_equal(got, "89f8spxm");
    assert_false(lode_descriptor_checksum(got, "raw(\x01)", 6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scripts_read_as_core_reads_them),
        cmocka_unit_test(multisig_takes_up_to_twenty_keys_counted_in_shortest_form),
        cmocka_unit_test(signatures_tell_their_hash_type),
        cmocka_unit_test(a_descriptor_has_the_bips_checksum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
