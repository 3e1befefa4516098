/* test/validate/tx_vectors_test.c: Core's tx_valid.json and tx_invalid.json, every line.
 *
 * Flags of a valid transaction are those it must be spared; those of an invalid one are the fewest that refuse it. Both
 * are proved to be as tight as the files claim, as Core's transaction_tests does.
 */
#include "validate/script/sigcheck.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "given_data.h"
#include "support/json.h"
#include "test/validate/script_words.h"
#include "validate/rules/tx.h"

typedef struct vector {
    lode_tx tx;
    lode_txout *spent; /* by input */
    lode_buf *scripts;
    const char *flags;
    size_t number; /* line */
} vector;

/* The line's prevouts are named; inputs find theirs by name. */
static void read_prevouts(vector *v, lode_arena *arena, const json *prevouts)
{
    v->spent = lode_arena_take_array(arena, v->tx.input_count, sizeof *v->spent);
    v->scripts = lode_arena_take_array(arena, prevouts->count + 1, sizeof *v->scripts);
    memset(v->scripts, 0, (prevouts->count + 1) * sizeof *v->scripts);
    memset(v->spent, 0, v->tx.input_count * sizeof *v->spent);
    for (size_t i = 0; i < prevouts->count; i++) {
        const json *p = json_at(prevouts, i);
        uint8_t name[36];
        assert_true(lode_hash_from_hex(name, json_text(json_at(p, 0))));
        lode_write_le32(name + 32, (uint32_t)json_int(json_at(p, 1)));
        script_put_words(&v->scripts[i], json_text(json_at(p, 2)));
        for (uint32_t k = 0; k < v->tx.input_count; k++)
            if (memcmp(v->tx.inputs[k].prevout, name, 36) == 0)
                v->spent[k] = (lode_txout){ { p->count > 3 ? json_int(json_at(p, 3)) : 0 },
                                            v->scripts[i].data,
                                            (uint32_t)v->scripts[i].len };
    }
}

static void read_vector(vector *v, lode_arena *arena, const json *line, size_t number)
{
    size_t len;
    assert_int_equal(line->count, 3);
    uint8_t *raw = json_bytes(arena, json_at(line, 1), &len);
    lode_parse_error error;
    if (!lode_tx_parse(&v->tx, arena, raw, len, 0, &error))
        fail_msg("line %zu: %s", number, error.what);
    read_prevouts(v, arena, json_at(line, 0));
    v->flags = json_text(json_at(line, 2));
    v->number = number;
}

static void clear_vector(vector *v, const json *line)
{
    for (size_t i = 0; i < json_at(line, 0)->count; i++)
        lode_buf_clear(&v->scripts[i]);
}

static bool check_scripts(const vector *v, uint32_t flags)
{
    lode_tx_hashes hashes;
    lode_script_error error;
    uint32_t failed;
    lode_tx_hashes_init(&hashes, &v->tx, v->spent, false);
    return lode_tx_check_scripts(&error, &failed, &hashes, 0, v->tx.input_count, flags, NULL);
}

static void assert_verdict(const vector *v, uint32_t flags, bool good, const char *why)
{
    if (check_scripts(v, flags) != good)
        fail_msg("line %zu, flags %x: not %s, %s", v->number, flags, good ? "valid" : "invalid", why);
}

static void check_valid(const vector *v, lode_arena *arena)
{
    uint32_t spared = script_read_flags(v->flags);
    assert_int_equal(lode_tx_check(&v->tx, arena), LODE_VALID);
    assert_verdict(v, script_all_flags & ~spared, true, "as the line says");
    for (int i = 0; i < SCRIPT_FLAG_COUNT; i++) {
        uint32_t flag = 1u << i;
        assert_verdict(v, script_trim_flags(script_all_flags & ~(spared | flag)), true, "with one flag less");
        assert_verdict(v, script_trim_flags(script_all_flags & ~(spared | ((uint32_t)random() & script_all_flags))),
                       true, "with fewer flags");
        uint32_t fewer = script_trim_flags(spared & ~flag);
        if (fewer != spared)
            assert_verdict(v, script_all_flags & ~fewer, false, "with one flag more");
    }
}

static void check_invalid(const vector *v, lode_arena *arena)
{
    if (strcmp(v->flags, "BADTX") == 0) {
        assert_int_not_equal(lode_tx_check(&v->tx, arena), LODE_VALID);
        return;
    }
    uint32_t needed = script_read_flags(v->flags);
    assert_int_equal(lode_tx_check(&v->tx, arena), LODE_VALID);
    assert_verdict(v, needed, false, "as the line says");
    for (int i = 0; i < SCRIPT_FLAG_COUNT; i++) {
        uint32_t flag = 1u << i;
        assert_verdict(v, script_fill_flags(needed | flag), false, "with one flag more");
        assert_verdict(v, script_fill_flags(needed | ((uint32_t)random() & script_all_flags)), false,
                       "with more flags");
        uint32_t fewer = script_trim_flags(needed & ~flag);
        if (fewer != needed)
            assert_verdict(v, fewer, true, "with one flag less");
    }
}

static void check_file(const char *name, size_t at_least, void (*check)(const vector *, lode_arena *))
{
    lode_arena arena = LODE_ARENA_EMPTY;
    size_t len, checked = 0;
    uint8_t *text = given_data_read(name, &len);
    if (!text)
        return;
    const json *lines = json_parse(&arena, (const char *)text, len);
    assert_non_null(lines);
    srandom(1);
    for (size_t i = 0; i < lines->count; i++) {
        const json *line = json_at(lines, i);
        vector v;
        if (json_at(line, 0)->kind != JSON_ARRAY)
            continue; /* a remark */
        read_vector(&v, &arena, line, i);
        check(&v, &arena);
        clear_vector(&v, line);
        checked++;
    }
    print_message("%zu transactions\n", checked);
    assert_true(checked >= at_least);
    lode_arena_clear(&arena);
    free(text);
}

static void every_public_valid_transaction_is_valid_and_spares_no_flag_too_many(void **state)
{
    check_file("vectors/tx_valid.json", 100, check_valid);
}

static void every_public_invalid_transaction_is_invalid_by_the_flags_it_names(void **state)
{
    check_file("vectors/tx_invalid.json", 80, check_invalid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_public_valid_transaction_is_valid_and_spares_no_flag_too_many),
        cmocka_unit_test(every_public_invalid_transaction_is_invalid_by_the_flags_it_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
