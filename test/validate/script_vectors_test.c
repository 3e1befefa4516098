/* test/validate/script_vectors_test.c: Core's script_tests.json, every line, with the error it names. */
#include "validate/script/interpreter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include <secp256k1_extrakeys.h>

#include "given_data.h"
#include "support/json.h"
#include "test/validate/script_spend.h"
#include "test/validate/script_words.h"
#include "validate/script/taproot.h"

typedef struct vector {
    lode_buf script_sig, script_pubkey;
    lode_buf witness[64];
    size_t witness_count;
    int64_t value;
    uint32_t flags;
    const char *expected;
    uint8_t output_key[32]; /* made for #TAPROOTOUTPUT# */
} vector;

/* A tree of the one leaf `script` under the key whose secret is 1. */
static void make_control_block(vector *v, lode_buf *control, const lode_buf *script)
{
    static const uint8_t internal_key[32] = { 0x79, 0xbe, 0x66, 0x7e, 0xf9, 0xdc, 0xbb, 0xac, 0x55, 0xa0, 0x62,
                                              0x95, 0xce, 0x87, 0x0b, 0x07, 0x02, 0x9b, 0xfc, 0xdb, 0x2d, 0xce,
                                              0x28, 0xd9, 0x59, 0xf2, 0x81, 0x5b, 0x16, 0xf8, 0x17, 0x98 };
    const secp256k1_context *context = secp256k1_context_static;
    secp256k1_xonly_pubkey internal, output;
    secp256k1_pubkey tweaked;
    uint8_t leaf[32], tweak[32];
    int parity;

    lode_tapleaf_hash(leaf, LODE_TAPROOT_LEAF_TAPSCRIPT, lode_buf_slice(script));
    lode_taproot_tweak(tweak, internal_key, leaf);
    assert_true(secp256k1_xonly_pubkey_parse(context, &internal, internal_key));
    assert_true(secp256k1_xonly_pubkey_tweak_add(context, &tweaked, &internal, tweak));
    assert_true(secp256k1_xonly_pubkey_from_pubkey(context, &output, &parity, &tweaked));
    secp256k1_xonly_pubkey_serialize(context, v->output_key, &output);
    lode_buf_put_u8(control, (uint8_t)(LODE_TAPROOT_LEAF_TAPSCRIPT | parity));
    lode_buf_append(control, internal_key, 32);
}

static void read_witness(vector *v, lode_arena *arena, const json *items)
{
    v->witness_count = items->count - 1;
    assert_true(v->witness_count < 64);
    for (size_t i = 0; i < v->witness_count; i++) {
        const char *text = json_text(json_at(items, i));
        if (strncmp(text, "#SCRIPT#", 8) == 0) {
            script_put_words(&v->witness[i], text + 8);
        } else if (strcmp(text, "#CONTROLBLOCK#") == 0) {
            make_control_block(v, &v->witness[i], &v->witness[i - 1]);
        } else {
            size_t len;
            uint8_t *bytes = json_bytes(arena, json_at(items, i), &len);
            lode_buf_append(&v->witness[i], bytes, len);
        }
    }
    v->value = json_satoshis(json_at(items, v->witness_count));
}

/* False for a line that is only a remark. */
static bool read_vector(vector *v, lode_arena *arena, const json *line)
{
    size_t at = 0;
    memset(v, 0, sizeof *v);
    if (line->count == 1)
        return false;
    if (json_at(line, 0)->kind == JSON_ARRAY)
        read_witness(v, arena, json_at(line, at++));
    script_put_words(&v->script_sig, json_text(json_at(line, at++)));
    const char *script_pubkey = json_text(json_at(line, at++));
    if (strcmp(script_pubkey, "0x51 0x20 #TAPROOTOUTPUT#") == 0) {
        lode_buf_put_u8(&v->script_pubkey, 0x51);
        script_put_push(&v->script_pubkey, lode_slice_of(v->output_key, 32));
    } else {
        script_put_words(&v->script_pubkey, script_pubkey);
    }
    v->flags = script_fill_flags(script_read_flags(json_text(json_at(line, at++))));
    v->expected = json_text(json_at(line, at));
    return true;
}

static void clear_vector(vector *v)
{
    lode_buf_clear(&v->script_sig);
    lode_buf_clear(&v->script_pubkey);
    for (size_t i = 0; i < v->witness_count; i++)
        lode_buf_clear(&v->witness[i]);
}

/* Fewer rules never refuse what is valid, more rules never admit what is not. */
static void try_other_flags(const vector *v, const spend *s, bool good, size_t number)
{
    for (int i = 0; i < 100; i++) {
        uint32_t extra = (uint32_t)random() & script_all_flags;
        uint32_t flags = good ? v->flags & ~extra : v->flags | extra;
        lode_script_error error;
        if (script_trim_flags(flags) != flags)
            continue;
        if (spend_verify(&error, s, flags) != good)
            fail_msg("line %zu: flags %x give %s", number, flags, lode_script_error_name(error));
    }
}

static void check_vector(const vector *v, size_t number)
{
    spend s;
    lode_script_error error;
    spend_init(&s, lode_buf_slice(&v->script_sig), lode_buf_slice(&v->script_pubkey), v->value);
    for (size_t i = 0; i < v->witness_count; i++)
        spend_add_witness(&s, lode_buf_slice(&v->witness[i]));

    bool good = spend_verify(&error, &s, v->flags);
    if (strcmp(lode_script_error_name(error), v->expected) != 0)
        fail_msg("line %zu: %s instead of %s", number, lode_script_error_name(error), v->expected);
    assert_int_equal(good, error == LODE_SCRIPT_OK);
    try_other_flags(v, &s, good, number);
    spend_clear(&s);
}

static void every_public_script_gives_the_error_that_core_gives(void **state)
{
    lode_arena arena = LODE_ARENA_EMPTY;
    size_t len, checked = 0;
    uint8_t *text = given_data_read("vectors/script_tests.json", &len);
    if (!text)
        return;
    const json *lines = json_parse(&arena, (const char *)text, len);
    assert_non_null(lines);
    srandom(1);
    for (size_t i = 0; i < lines->count; i++) {
        vector v;
        if (read_vector(&v, &arena, json_at(lines, i))) {
            check_vector(&v, i);
            checked++;
        }
        clear_vector(&v);
    }
    print_message("%zu scripts\n", checked);
    assert_true(checked >= 1000);
    lode_arena_clear(&arena);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_public_script_gives_the_error_that_core_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
