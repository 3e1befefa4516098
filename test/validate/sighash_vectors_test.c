/* test/validate/sighash_vectors_test.c: Core's sighash.json and BIP 341's wallet vectors, every line. */
#include "validate/script/sighash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "given_data.h"
#include "support/json.h"
#include "test/validate/script_words.h"
#include "validate/script/sigcheck.h"
#include "validate/script/taproot.h"

static void parse_tx(lode_tx *tx, lode_arena *arena, const json *hex)
{
    size_t len;
    uint8_t *raw = json_bytes(arena, hex, &len);
    assert_true(lode_tx_parse(tx, arena, raw, len, 0, NULL));
}

static void every_public_legacy_digest_is_cores(void **state)
{
    lode_arena arena = LODE_ARENA_EMPTY;
    size_t len, script_len;
    uint8_t *text = given_data_read("vectors/sighash.json", &len);
    if (!text)
        return;
    const json *lines = json_parse(&arena, (const char *)text, len);
    assert_non_null(lines);
    assert_true(lines->count > 500);
    for (size_t i = 1; i < lines->count; i++) {
        const json *line = json_at(lines, i);
        uint8_t got[32], want[32];
        lode_tx tx;
        lode_sighash_cache cache;
        parse_tx(&tx, &arena, json_at(line, 0));
        uint8_t *script = json_bytes(&arena, json_at(line, 1), &script_len);
        uint32_t input = (uint32_t)json_int(json_at(line, 2));
        int32_t hash_type = (int32_t)json_int(json_at(line, 3));
        assert_true(lode_hash_from_hex(want, json_text(json_at(line, 4))));
        lode_sighash_cache_init(&cache);
        for (int round = 0; round < 3; round++) { /* without the cache, filling it, from it */
            lode_sighash_legacy(got, &tx, input, lode_slice_of(script, script_len), hash_type, round ? &cache : NULL);
            assert_memory_equal(got, want, 32);
        }
    }
    lode_arena_clear(&arena);
    free(text);
}

static void assert_is_hex(const uint8_t bytes[32], const json *hex)
{
    char got[65];
    lode_hex_encode(got, bytes, 32);
    assert_string_equal(got, json_text(hex));
}

typedef struct tree {
    lode_arena *arena;
    uint8_t leaf_hashes[8][32];
    size_t leaf_count;
} tree;

/* The hash of a tree of the file, and its leaves' hashes in the order in which they stand. */
static void hash_tree(uint8_t out[32], tree *t, const json *node)
{
    if (node->kind == JSON_OBJECT) {
        size_t len;
        uint8_t *script = json_bytes(t->arena, json_get(node, "script"), &len);
        lode_tapleaf_hash(out, (uint8_t)json_int(json_get(node, "leafVersion")), lode_slice_of(script, len));
        memcpy(t->leaf_hashes[t->leaf_count++], out, 32);
        return;
    }
    uint8_t control[65] = { 0 }, left[32]; /* a control block with the right side as its only node */
    hash_tree(left, t, json_at(node, 0));
    hash_tree(control + 33, t, json_at(node, 1));
    lode_taproot_root(out, lode_slice_of(control, sizeof control), left);
}

static void check_output(lode_arena *arena, const json *line)
{
    const json *given = json_get(line, "given"), *made = json_get(line, "intermediary");
    const json *expected = json_get(line, "expected"), *scripts = json_get(given, "scriptTree");
    const json *controls = json_get(expected, "scriptPathControlBlocks");
    tree t = { .arena = arena };
    uint8_t root[32], tweak[32];
    bool has_tree = scripts->kind != JSON_NULL;
    size_t len;
    uint8_t *internal_key = json_bytes(arena, json_get(given, "internalPubkey"), &len);

    if (has_tree) {
        hash_tree(root, &t, scripts);
        assert_is_hex(root, json_get(made, "merkleRoot"));
        for (size_t i = 0; i < t.leaf_count; i++)
            assert_is_hex(t.leaf_hashes[i], json_at(json_get(made, "leafHashes"), i));
    }
    lode_taproot_tweak(tweak, internal_key, has_tree ? root : NULL);
    assert_is_hex(tweak, json_get(made, "tweak"));

    uint8_t *output_key = json_bytes(arena, json_get(made, "tweakedPubkey"), &len);
    assert_int_equal(controls ? controls->count : 0, t.leaf_count);
    for (size_t i = 0; i < t.leaf_count; i++) {
        uint8_t *control = json_bytes(arena, json_at(controls, i), &len);
        assert_true(lode_control_block_has_good_size(lode_slice_of(control, len)));
        assert_true(lode_taproot_commits(output_key, lode_slice_of(control, len), t.leaf_hashes[i]));
        control[0] ^= 1;
        assert_false(lode_taproot_commits(output_key, lode_slice_of(control, len), t.leaf_hashes[i]));
    }
}

static lode_txout *read_spent(lode_arena *arena, const json *list)
{
    lode_txout *spent = lode_arena_take_array(arena, list->count, sizeof *spent);
    for (size_t i = 0; i < list->count; i++) {
        size_t len;
        spent[i].script = json_bytes(arena, json_get(json_at(list, i), "scriptPubKey"), &len);
        spent[i].script_len = (uint32_t)len;
        spent[i].value.sat = json_int(json_get(json_at(list, i), "amountSats"));
    }
    return spent;
}

static void check_digest(const lode_tx_hashes *hashes, const json *spending)
{
    const json *given = json_get(spending, "given");
    lode_tapscript_context context = { .is_script_path = false };
    uint8_t digest[32];
    assert_true(lode_sighash_taproot(digest, hashes, (uint32_t)json_int(json_get(given, "txinIndex")),
                                     (uint8_t)json_int(json_get(given, "hashType")), &context, NULL));
    assert_is_hex(digest, json_get(json_get(spending, "intermediary"), "sigHash"));
}

static void check_spending(lode_arena *arena, const json *line)
{
    const json *given = json_get(line, "given"), *made = json_get(line, "intermediary");
    const json *spendings = json_get(line, "inputSpending");
    lode_txout *spent = read_spent(arena, json_get(given, "utxosSpent"));
    lode_tx tx, signed_tx;
    lode_tx_hashes hashes;
    lode_script_error error;
    uint32_t failed;

    parse_tx(&tx, arena, json_get(given, "rawUnsignedTx"));
    lode_tx_hashes_init(&hashes, &tx, spent, true);
    assert_is_hex(hashes.amounts_single, json_get(made, "hashAmounts"));
    assert_is_hex(hashes.outputs_single, json_get(made, "hashOutputs"));
    assert_is_hex(hashes.prevouts_single, json_get(made, "hashPrevouts"));
    assert_is_hex(hashes.scripts_single, json_get(made, "hashScriptPubkeys"));
    assert_is_hex(hashes.sequences_single, json_get(made, "hashSequences"));
    for (size_t i = 0; i < spendings->count; i++)
        check_digest(&hashes, json_at(spendings, i));

    parse_tx(&signed_tx, arena, json_get(json_get(line, "auxiliary"), "fullySignedTx"));
    lode_tx_hashes_init(&hashes, &signed_tx, spent, false);
    assert_true(lode_tx_check_scripts(&error, &failed, &hashes, 0, signed_tx.input_count, script_all_flags, NULL));
    spent[signed_tx.input_count - 1].value.sat++; /* every BIP 341 digest but those of one input covers all amounts */
    lode_tx_hashes_init(&hashes, &signed_tx, spent, false);
    assert_false(lode_tx_check_scripts(&error, &failed, &hashes, 0, signed_tx.input_count, script_all_flags, NULL));
    assert_int_equal(error, LODE_SCRIPT_SCHNORR_SIG);
}

static void every_wallet_vector_of_bip_341_holds(void **state)
{
    lode_arena arena = LODE_ARENA_EMPTY;
    size_t len;
    uint8_t *text = given_data_read("vectors/bip341_wallet_vectors.json", &len);
    if (!text)
        return;
    const json *root = json_parse(&arena, (const char *)text, len);
    const json *outputs = json_get(root, "scriptPubKey"), *spendings = json_get(root, "keyPathSpending");
    assert_non_null(outputs);
    assert_non_null(spendings);
    assert_true(outputs->count > 0 && spendings->count > 0);
    for (size_t i = 0; i < outputs->count; i++)
        check_output(&arena, json_at(outputs, i));
    for (size_t i = 0; i < spendings->count; i++)
        check_spending(&arena, json_at(spendings, i));
    lode_arena_clear(&arena);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_public_legacy_digest_is_cores),
        cmocka_unit_test(every_wallet_vector_of_bip_341_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
