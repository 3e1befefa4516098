/* test/primitives/hash_test.c: hashes against published vectors and against the long way round. */
#include "primitives/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "primitives/tx.h"
#include "support/bytes.h"

static void assert_hex(const uint8_t *data, size_t len, const char *hex)
{
    char got[129];

    assert_true(len <= 64);
    lode_hex_encode(got, data, len);
    assert_string_equal(got, hex);
}

/* FIPS 180-4's and the RIPEMD-160 page's messages. */
static void published_messages_have_their_published_hashes(void **state)
{
    static const char long_message[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    uint8_t h[32];

    lode_sha256(h, "", 0);
    assert_hex(h, 32, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    lode_sha256(h, "abc", 3);
    assert_hex(h, 32, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    lode_sha256(h, long_message, sizeof long_message - 1);
    assert_hex(h, 32, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    lode_sha1(h, "abc", 3);
    assert_hex(h, 20, "a9993e364706816aba3e25717850c26c9cd0d89d");
    lode_ripemd160(h, "", 0);
    assert_hex(h, 20, "9c1185a5c5e9fc54612808977ee8f548b2258d31");
    lode_ripemd160(h, "abc", 3);
    assert_hex(h, 20, "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc");
}

static void double_hashes_are_hashes_of_hashes(void **state)
{
    uint8_t message[300], inner[32], want[32], got[32];

    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (uint8_t)(i * 7 + 1);
    for (size_t len = 0; len <= sizeof message; len++) {
        lode_sha256(inner, message, len);
        lode_sha256(want, inner, 32);
        lode_sha256d(got, message, len);
        assert_memory_equal(got, want, 32);
        lode_ripemd160(want, inner, 32);
        lode_hash160(got, message, len);
        assert_memory_equal(got, want, 20);
    }
}

static void a_stream_in_pieces_gives_the_hash_of_the_whole(void **state)
{
    uint8_t message[260], want[32], got[32];
    lode_sha256_stream s, kept;

    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (uint8_t)(i ^ 0x5a);
    for (size_t cut = 0; cut <= sizeof message; cut++) {
        lode_sha256_begin(&s);
        lode_sha256_add(&s, message, cut);
        kept = s; /* a copy is a midstate */
        lode_sha256_add(&s, message + cut, sizeof message - cut);
        lode_sha256_end(&s, got);
        lode_sha256(want, message, sizeof message);
        assert_memory_equal(got, want, 32);
        lode_sha256_add(&kept, message + cut, sizeof message - cut);
        lode_sha256d_end(&kept, got);
        lode_sha256d(want, message, sizeof message);
        assert_memory_equal(got, want, 32);
    }
}

static void a_tagged_hash_starts_with_the_tag_hashed_twice(void **state)
{
    uint8_t message[64 + 5], want[32], got[32];
    lode_sha256_stream s;

    lode_sha256(message, "BIP0340/challenge", 17);
    memcpy(message + 32, message, 32);
    memcpy(message + 64, "lodes", 5);
    lode_sha256(want, message, sizeof message);
    lode_sha256_begin_tagged(&s, "BIP0340/challenge");
    lode_sha256_add(&s, "lodes", 5);
    lode_sha256_end(&s, got);
    assert_memory_equal(got, want, 32);
}

static void merkle_nodes_are_double_hashes_of_64_bytes(void **state)
{
    uint8_t in[5 * 64], want[5 * 32], out[5 * 32];

    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (uint8_t)(i * 31 + 5);
    for (size_t i = 0; i < 5; i++)
        lode_sha256d(want + 32 * i, in + 64 * i, 64);
    lode_sha256d_64(out, in, 5);
    assert_memory_equal(out, want, sizeof want);
    lode_sha256d_64(in, in, 5); /* a level in place */
    assert_memory_equal(in, want, sizeof want);
}

/* The table that comes with the reference code: key 00 01 .. 0f, message of n bytes 00 01 .. */
static void siphash_matches_its_reference_table(void **state)
{
    static const struct {
        size_t len;
        uint64_t hash;
    } table[] = {
        { 0, 0x726fdb47dd0e0e31 }, { 1, 0x74f839c593dc67fd }, { 2, 0x0d6c8009d9a94f5a },  { 3, 0x85676696d7fb7e2d },
        { 7, 0xab0200f58b01d137 }, { 8, 0x93f5f5799a932462 }, { 15, 0xa129ca6149be45e5 }, { 16, 0x3f2acc7f57c29bdb },
    };
    uint8_t message[64];

    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (uint8_t)i;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_true(lode_siphash(0x0706050403020100, 0x0f0e0d0c0b0a0908, message, table[i].len) == table[i].hash);
}

static void people_read_hashes_backwards(void **state)
{
    static const char hex[] = "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f";
    uint8_t bytes[32];
    char back[65];

    assert_true(lode_hash_from_hex(bytes, hex));
    assert_int_equal(bytes[0], 0x6f);
    assert_int_equal(bytes[31], 0);
    lode_hash_to_hex(back, bytes);
    assert_string_equal(back, hex);
    assert_false(lode_hash_from_hex(bytes, hex + 1));
    assert_false(lode_hash_from_hex(bytes, "g00000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f"));
}

/* The tree by its definition: levels of pairs, an odd last one twice. */
static void slow_root(uint8_t root[32], const uint8_t *leaves, size_t count)
{
    uint8_t level[16 * 32 + 32];

    memcpy(level, leaves, count * 32);
    while (count > 1) {
        if (count % 2) {
            memcpy(level + 32 * count, level + 32 * (count - 1), 32);
            count++;
        }
        for (size_t i = 0; i < count / 2; i++)
            lode_sha256d(level + 32 * i, level + 64 * i, 64);
        count /= 2;
    }
    memcpy(root, level, 32);
}

static void merkle_roots_follow_the_definition(void **state)
{
    uint8_t leaves[16 * 32], want[32], got[32], zero[32] = { 0 };
    bool mutated;

    for (size_t count = 1; count <= 16; count++) {
        for (size_t i = 0; i < sizeof leaves; i++)
            leaves[i] = (uint8_t)(i / 32 + i * i + count);
        slow_root(want, leaves, count);
        uint8_t *exact = malloc(count * 32); /* no room behind, so that a sanitizer sees a write there */
        assert_non_null(exact);
        memcpy(exact, leaves, count * 32);
        lode_merkle_root(got, &mutated, exact, count);
        free(exact);
        assert_memory_equal(got, want, 32);
        assert_false(mutated);
    }
    lode_merkle_root(got, &mutated, leaves, 0);
    assert_memory_equal(got, zero, 32);
    assert_false(mutated);
}

/* CVE-2012-2459: 1 2 3 and 1 2 3 3 have one root; so have 1..6 and 1..6 5 6. */
static void doubled_leaves_keep_the_root_and_are_seen(void **state)
{
    uint8_t leaves[8 * 32], twice[8 * 32], want[32], got[32];
    bool mutated;

    for (size_t i = 0; i < sizeof leaves; i++)
        leaves[i] = (uint8_t)(i / 32 + 1);
    memcpy(twice, leaves, sizeof twice);
    memcpy(twice + 3 * 32, twice + 2 * 32, 32);
    lode_merkle_root(got, &mutated, twice, 4);
    assert_true(mutated);
    memcpy(twice, leaves, sizeof twice);
    lode_merkle_root(want, &mutated, twice, 3);
    assert_false(mutated);
    assert_memory_equal(got, want, 32);

    memcpy(twice, leaves, sizeof twice);
    memcpy(twice + 6 * 32, twice + 4 * 32, 64);
    lode_merkle_root(got, &mutated, twice, 8);
    assert_true(mutated);
    memcpy(twice, leaves, sizeof twice);
    lode_merkle_root(want, &mutated, twice, 6);
    assert_false(mutated);
    assert_memory_equal(got, want, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_messages_have_their_published_hashes),
        cmocka_unit_test(double_hashes_are_hashes_of_hashes),
        cmocka_unit_test(a_stream_in_pieces_gives_the_hash_of_the_whole),
        cmocka_unit_test(a_tagged_hash_starts_with_the_tag_hashed_twice),
        cmocka_unit_test(merkle_nodes_are_double_hashes_of_64_bytes),
        cmocka_unit_test(siphash_matches_its_reference_table),
        cmocka_unit_test(people_read_hashes_backwards),
        cmocka_unit_test(merkle_roots_follow_the_definition),
        cmocka_unit_test(doubled_leaves_keep_the_root_and_are_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
