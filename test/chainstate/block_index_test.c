/* test/chainstate/block_index_test.c: the tree of headers, its records, and what is refused. */
#include "index_helpers.h"

#include "support/json.h"
#include "support/memory_env.h"

/* Each test gets an empty directory, in memory. */
typedef struct room {
    const char *path;
    lode_env *env;
} room;

static int enter(void **state)
{
    static room r;

    r.path = "/index";
    r.env = lode_memory_env_create();
    *state = &r;
    return 0;
}

static int leave(void **state)
{
    room *r = *state;

    lode_memory_env_destroy(r->env);
    return 0;
}

static void empty(room *r)
{
    assert_ok(lode_env_remove_tree(r->env, r->path));
}

/* ---- what Core wrote ---- */

static bool mark_dirty(void *context, lode_entry *entry)
{
    lode_block_index_mark_dirty(context, entry);
    return true;
}

static void write_all_back(lode_env *env, const char *path)
{
    lode_block_index *index = open_index(env, path);

    lode_block_index_visit(index, index, mark_dirty);
    for (int32_t i = 0; i <= lode_block_index_last_file(index); i++)
        lode_block_index_mark_file_dirty(index, i);
    assert_ok(lode_block_index_write(index));
    assert_ok(lode_block_index_close(index));
}

static void cores_records_are_written_back_byte_for_byte(void **state)
{
    static const char *const names[] = { "core-regtest", "core-forks", "core-crash" };

    for (size_t i = 0; i < 3; i++) {
        char *directory = given_directory_unpack(names[i]);
        char path[1024];

        if (!directory)
            continue;
        snprintf(path, sizeof path, "%s/%s/regtest/blocks/index", directory, names[i]);
        lode_buf before = dump_raw(lode_env_system(), path);
        write_all_back(lode_env_system(), path);
        lode_buf after = dump_raw(lode_env_system(), path);
        assert_int_equal(before.len, after.len);
        assert_memory_equal(before.data, after.data, before.len);
        lode_buf_clear(&before);
        lode_buf_clear(&after);
        test_directory_remove(directory);
    }
}

/* getchaintips' words. */
static const char *tip_status(const lode_entry *e, const lode_entry *best)
{
    if (e == best)
        return "active";
    if (e->status & LODE_BLOCK_FAILED_VALID)
        return "invalid";
    if (e->chain_tx_count == 0)
        return "headers-only";
    return (e->status & LODE_BLOCK_VALID_MASK) >= LODE_BLOCK_VALID_SCRIPTS ? "valid-fork" : "valid-headers";
}

typedef struct tips {
    const json *expected;
    const lode_entry *best;
    size_t seen;
} tips;

static bool check_tip(void *context, lode_entry *e)
{
    tips *t = context;
    char hex[65];

    if (e->first_child)
        return true;
    lode_hash_to_hex(hex, e->node.hash.bytes);
    for (size_t i = 0; i < t->expected->count; i++) {
        const json *tip = json_at(t->expected, i);
        if (strcmp(json_text(json_get(tip, "hash")), hex) != 0)
            continue;
        assert_int_equal(json_int(json_get(tip, "height")), e->node.height);
        assert_string_equal(json_text(json_get(tip, "status")), tip_status(e, t->best));
        assert_int_equal(json_int(json_get(tip, "branchlen")),
                         e->node.height - lode_node_fork(&e->node, (lode_node *)(uintptr_t)&t->best->node)->height);
        t->seen++;
        return true;
    }
    fail_msg("%s is no tip of Core's", hex);
    return false;
}

static void check_given(const char *name, const char *answers, size_t count)
{
    char *directory = given_directory_unpack(name);
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_block_hash hash;
    char path[1024], file[64], work[65];
    size_t len = 0;

    if (!directory)
        return;
    snprintf(path, sizeof path, "%s/%s/regtest/blocks/index", directory, name);
    snprintf(file, sizeof file, "expected/%s.json", answers);
    char *text = (char *)given_data_read(file, &len);
    assert_non_null(text);
    const json *expected = json_parse(&arena, text, len);
    lode_block_index_options o = { .path = path, .params = regtest(), .env = lode_env_system(), .read_only = true };
    lode_block_index *index;
    assert_ok(lode_block_index_open(&index, &o));
    assert_int_equal(lode_block_index_count(index), count);
    assert_true(lode_hash_from_hex(hash.bytes, json_text(json_get(expected, "bestblockhash"))));
    lode_entry *best = lode_block_index_find(index, &hash);
    assert_non_null(best);
    lode_block_index_set_best(index, best);
    assert_ptr_equal(lode_block_index_best_candidate(index), best);
    lode_u256_to_hex(work, &best->node.chain_work);
    assert_string_equal(work, json_text(json_get(expected, "chainwork")));
    tips t = { json_get(expected, "chaintips"), best, 0 };
    lode_block_index_visit(index, &t, check_tip);
    assert_int_equal(t.seen, t.expected->count);
    assert_ok(lode_block_index_verify(index));
    assert_null(lode_block_index_lacks_witness(index, best));
    assert_code(lode_block_index_write(index), LODE_INVALID_ARGUMENT);
    assert_ok(lode_block_index_close(index));
    free(text);
    lode_arena_clear(&arena);
    test_directory_remove(directory);
}

static void cores_tips_have_the_status_that_core_gives(void **state)
{
    check_given("core-regtest", "regtest-all", 266);
    check_given("core-forks", "core-forks", 298);
}

/* ---- records ---- */

static void a_stored_genesis_is_the_documented_record(void **state)
{
    static const char *const expected =
        "8eed3c00800b0100080100000000000000000000000000000000000000000000000000000000000000"
        "000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4adae5494d"
        "ffff7f2002000000";
    room *r = *state;
    uint8_t value[256], key[33] = "b", wanted[256];

    lode_block_index *index = open_index(r->env, r->path);
    receive(index, add_genesis(index));
    assert_ok(lode_block_index_write(index));
    assert_ok(lode_block_index_close(index));
    memcpy(key + 1, regtest()->genesis_hash.bytes, 32);
    int len = get_raw(r->env, r->path, value, key, sizeof key);
    assert_int_equal(len, strlen(expected) / 2);
    assert_true(lode_hex_decode(wanted, (size_t)len, expected));
    assert_memory_equal(value, wanted, (size_t)len);
    assert_int_equal(get_raw(r->env, r->path, value, "f\0\0\0\0", 5), 7);
    assert_memory_equal(value, "\x01\x6c\0\0\0\0\0", 7); /* a block, 108 bytes, no undo, height 0 */
    assert_int_equal(get_raw(r->env, r->path, value, "l", 1), 4);
    assert_memory_equal(value, "\0\0\0\0", 4);
    assert_int_equal(get_raw(r->env, r->path, value, "R", 1), -1);
}

static void a_new_index_is_empty(void **state)
{
    room *r = *state;
    lode_block_index *index = open_index(r->env, r->path);
    bool value;

    assert_int_equal(lode_block_index_count(index), 0);
    assert_null(lode_block_index_find(index, &regtest()->genesis_hash));
    assert_null(lode_block_index_genesis(index));
    assert_null(lode_block_index_best_candidate(index));
    assert_null(lode_block_index_best_header(index));
    assert_int_equal(lode_block_index_last_file(index), -1);
    assert_false(lode_block_index_flag(index, "txindex", &value));
    assert_false(lode_block_index_is_reindexing(index));
    assert_ok(lode_block_index_write(index)); /* nothing to do */
    assert_ok(lode_block_index_verify(index));
    assert_ok(lode_block_index_close(index));
}

static void a_reader_of_nothing_creates_nothing(void **state)
{
    room *r = *state;
    const char *path = test_path(r->path, "none");
    lode_block_index_options o = { .path = path, .params = regtest(), .env = r->env, .read_only = true };
    lode_block_index *index;
    bool exists;

    assert_code(lode_block_index_open(&index, &o), LODE_MISSING);
    assert_null(index);
    assert_ok(r->env->path_info(r->env, &exists, NULL, path));
    assert_false(exists);
}

/* Core and we look for a record of each file up to the one that 'l' names. */
static void a_file_that_was_asked_for_has_a_record(void **state)
{
    room *r = *state;
    uint8_t bytes[256];

    lode_block_index *index = open_index(r->env, r->path);
    assert_non_null(lode_block_index_file(index, 3));
    lode_block_index_mark_file_dirty(index, 1);
    assert_ok(lode_block_index_write(index));
    assert_ok(lode_block_index_close(index));
    assert_int_equal(get_raw(r->env, r->path, bytes, "l", 1), 4);
    assert_int_equal(bytes[0], 3);
    for (char file = 0; file < 4; file++) {
        const char key[5] = { 'f', file };
        assert_int_equal(get_raw(r->env, r->path, bytes, key, sizeof key), 7);
    }
    index = open_index(r->env, r->path);
    assert_int_equal(lode_block_index_last_file(index), 3);
    assert_ok(lode_block_index_close(index));
}

static void flags_and_the_mark_of_a_reindex_are_kept(void **state)
{
    room *r = *state;
    uint8_t byte[256];
    bool value;

    lode_block_index *index = open_index(r->env, r->path);
    lode_block_index_set_flag(index, "txindex", true);
    lode_block_index_set_flag(index, "other", false);
    lode_block_index_set_reindexing(index, true);
    assert_ok(lode_block_index_write(index));
    assert_ok(lode_block_index_close(index));
    assert_int_equal(get_raw(r->env, r->path, byte, "F\x07txindex", 9), 1);
    assert_int_equal(byte[0], '1');
    assert_int_equal(get_raw(r->env, r->path, byte, "F\x05other", 7), 1);
    assert_int_equal(byte[0], '0');
    assert_int_equal(get_raw(r->env, r->path, byte, "R", 1), 1);
    assert_int_equal(byte[0], '1');
    index = open_index(r->env, r->path);
    assert_true(lode_block_index_flag(index, "txindex", &value) && value);
    assert_true(lode_block_index_flag(index, "other", &value) && !value);
    assert_true(lode_block_index_is_reindexing(index));
    lode_block_index_set_reindexing(index, false);
    lode_block_index_set_flag(index, "txindex", false);
    assert_ok(lode_block_index_write(index));
    assert_ok(lode_block_index_close(index));
    index = open_index(r->env, r->path);
    assert_true(lode_block_index_flag(index, "txindex", &value) && !value);
    assert_false(lode_block_index_is_reindexing(index));
    assert_ok(lode_block_index_close(index));
}

static void a_wiped_index_is_empty_and_marked_at_once(void **state)
{
    room *r = *state;
    uint8_t byte[256];

    lode_block_index *index = open_index(r->env, r->path);
    receive(index, add_genesis(index));
    assert_ok(lode_block_index_write(index));
    assert_ok(lode_block_index_close(index));
    lode_block_index_options o = { .path = r->path, .params = regtest(), .env = r->env, .wipe = true };
    assert_ok(lode_block_index_open(&index, &o));
    assert_int_equal(lode_block_index_count(index), 0);
    assert_int_equal(lode_block_index_last_file(index), -1);
    assert_true(lode_block_index_is_reindexing(index));
    assert_ok(lode_block_index_close(index)); /* without a write */
    assert_int_equal(get_raw(r->env, r->path, byte, "R", 1), 1);
    o.read_only = true;
    assert_code(lode_block_index_open(&index, &o), LODE_INVALID_ARGUMENT);
}

static void an_obfuscated_index_is_read_and_written_with_its_key(void **state)
{
    static const uint8_t name[] = "\x0e\0obfuscate_key", key_record[] = "\x08\x01\x02\x03\x04\x05\x06\x07\x80";
    room *r = *state;
    uint8_t plain[256], coded[256], key[33] = "b";
    const char *second = test_path(r->path, "plain");
    int len;

    put_raw(r->env, r->path, name, sizeof name - 1, key_record, 9);
    for (int i = 0; i < 2; i++) {
        lode_block_index *index = open_index(r->env, i ? second : r->path);
        receive(index, add_genesis(index));
        lode_block_index_set_flag(index, "txindex", true);
        assert_ok(lode_block_index_write(index));
        assert_ok(lode_block_index_close(index));
    }
    memcpy(key + 1, regtest()->genesis_hash.bytes, 32);
    len = get_raw(r->env, r->path, coded, key, sizeof key);
    assert_int_equal(len, get_raw(r->env, second, plain, key, sizeof key));
    for (int i = 0; i < len; i++)
        assert_int_equal(coded[i], plain[i] ^ key_record[1 + i % 8]);
    assert_int_equal(get_raw(r->env, r->path, coded, "F\x07txindex", 9), 1);
    assert_int_equal(coded[0], '1' ^ 1);
    lode_block_index *index = open_index(r->env, r->path);
    assert_int_equal(lode_block_index_count(index), 1);
    assert_int_equal(lode_block_index_file(index, 0)->size, 108);
    assert_ok(lode_block_index_close(index));
}

/* ---- what is refused ---- */

/* Genesis and five blocks on it, written; entries[] are gone, hashes stay. */
static void write_small(const room *r, lode_block_hash hashes[6])
{
    lode_block_index *index = open_index(r->env, r->path);
    lode_entry *e = add_genesis(index);

    receive(index, e);
    hashes[0] = e->node.hash;
    for (uint32_t i = 1; i < 6; i++) {
        e = add_made(index, e, i);
        hashes[i] = e->node.hash;
        receive(index, e);
    }
    assert_ok(lode_block_index_write(index));
    assert_ok(lode_block_index_close(index));
}

/* One more child of genesis, so that there are more records than heights. */
static void write_side_block(const room *r)
{
    lode_block_index *index = open_index(r->env, r->path);

    add_made(index, lode_block_index_genesis(index), 99);
    assert_ok(lode_block_index_write(index));
    assert_ok(lode_block_index_close(index));
}

static void assert_refused(const room *r, lode_code code, const char *word)
{
    lode_block_index *index;
    lode_status s = try_index(&index, r->env, r->path);

    assert_code(s, code);
    assert_null(index);
    if (!strstr(s.text, word))
        fail_msg("\"%s\" does not say \"%s\"", s.text, word);
}

static void a_pruned_directory_is_declined(void **state)
{
    room *r = *state;
    lode_block_hash hashes[6];

    write_small(r, hashes);
    put_raw(r->env, r->path, "F\x10prunedblockfiles", 18, "0", 1);
    lode_block_index *index = open_index(r->env, r->path);
    assert_ok(lode_block_index_close(index));
    put_raw(r->env, r->path, "F\x10prunedblockfiles", 18, "1", 1);
    assert_refused(r, LODE_UNSUPPORTED, "pruned");
}

static void another_networks_index_is_declined(void **state)
{
    room *r = *state;
    lode_chain_params main_params;
    lode_block_index *index;
    lode_header header;

    lode_chain_params_init(&main_params, LODE_CHAIN_MAIN);
    lode_block_index_options o = { .path = r->path, .params = &main_params, .env = r->env };
    assert_ok(lode_block_index_open(&index, &o));
    lode_header_parse(&header, main_params.genesis_raw);
    receive(index, lode_block_index_add(index, &header, &main_params.genesis_hash, NULL));
    assert_ok(lode_block_index_write(index));
    assert_ok(lode_block_index_close(index));
    assert_refused(r, LODE_UNSUPPORTED, "network");
}

static void a_record_without_its_parent_is_damage(void **state)
{
    room *r = *state;
    lode_block_hash hashes[6];
    uint8_t key[33] = "b";

    for (int i = 0; i < 5; i++) {
        write_small(r, hashes);
        memcpy(key + 1, hashes[i].bytes, 32);
        put_raw(r->env, r->path, key, sizeof key, NULL, 0);
        assert_refused(r, LODE_CORRUPT, "missing");
        empty(r);
        write_small(r, hashes);
        write_side_block(r);
        put_raw(r->env, r->path, key, sizeof key, NULL, 0);
        assert_refused(r, LODE_CORRUPT, "parent");
        empty(r);
    }
}

static void senseless_keys_and_files_are_damage(void **state)
{
    static const struct {
        const char *key;
        size_t key_len;
        const char *value;
        size_t len;
    } cases[] = {
        { "b", 1, "x", 1 },
        { "bshort", 6, "x", 1 },
        { "b0123456789012345678901234567890123", 35, "x", 1 },
        { "f\0\0\0", 4, "\0\0\0\0\0\0\0", 7 },
        { "f\1\0\0\0", 5, "\0\0\0\0\0\0", 6 },
        { "f\1\0\0\0", 5, "\0\0\0\0\0\0\0\0", 8 },
        { "f\0\0\0\x7f", 5, "\0\0\0\0\0\0\0", 7 },
        { "f\0\0\0\xff", 5, "\0\0\0\0\0\0\0", 7 },
        { "l", 1, "\0\0\0\x7f", 4 },
        { "l", 1, "\0\0\0", 3 },
        { "F", 1, "1", 1 },
        { "F\x03tx", 4, "1", 1 },
        { "F\x02tx", 4, "", 0 },
        { "\x0e\0obfuscate_key", 15, "\x08\x01", 2 },
    };
    room *r = *state;
    lode_block_hash hashes[6];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_small(r, hashes);
        put_raw(r->env, r->path, cases[i].key, cases[i].key_len, cases[i].value, cases[i].len);
        assert_refused(r, LODE_CORRUPT, "");
        empty(r);
    }
}

/* Every bit of one record in turn, and every shorter or longer form of it. What opens must be sound. */
static void a_damaged_record_is_found_or_harmless(void **state)
{
    room *r = *state;
    lode_block_hash hashes[6];
    uint8_t key[33] = "b", value[257];
    lode_block_index *index;
    size_t refused = 0;

    write_small(r, hashes);
    memcpy(key + 1, hashes[3].bytes, 32);
    size_t len = (size_t)get_raw(r->env, r->path, value, key, sizeof key);
    for (size_t bit = 0; bit < len * 8; bit++) {
        value[bit / 8] ^= (uint8_t)(1 << bit % 8);
        put_raw(r->env, r->path, key, sizeof key, value, len);
        lode_status s = try_index(&index, r->env, r->path);
        if (lode_failed(s)) {
            assert_true(s.code == LODE_CORRUPT || s.code == LODE_UNSUPPORTED);
            refused++;
        } else {
            assert_int_equal(lode_block_index_count(index), 6);
            assert_ok(lode_block_index_close(index));
        }
        value[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_true(refused >= 80 * 8); /* the header to its last bit */
    for (size_t n = 0; n < len; n++) {
        put_raw(r->env, r->path, key, sizeof key, value, n);
        assert_refused(r, LODE_CORRUPT, "block");
    }
    value[len] = 0;
    put_raw(r->env, r->path, key, sizeof key, value, len + 1);
    assert_refused(r, LODE_CORRUPT, "left over");
}

static void marks_of_failure_spread_to_descendants_at_load(void **state)
{
    room *r = *state;
    lode_block_hash hashes[6];
    uint8_t key[33] = "b", value[256], small[256];

    write_small(r, hashes);
    memcpy(key + 1, hashes[3].bytes, 32);
    size_t len = (size_t)get_raw(r->env, r->path, value, key, sizeof key);
    /* status 8 + 128 + 3 = 139: 80 0b as VARINT; with 64, the old mark of a failed child, 203: 80 4b */
    assert_memory_equal(value, "\x8e\xed\x3c\x03\x80\x0b", 6);
    memcpy(small, value, len);
    small[5] = 0x4b;
    put_raw(r->env, r->path, key, sizeof key, small, len);
    lode_block_index *index = open_index(r->env, r->path);
    for (int i = 0; i < 6; i++) {
        lode_entry *e = lode_block_index_find(index, &hashes[i]);
        assert_int_equal(e->status & (LODE_BLOCK_FAILED_VALID | LODE_BLOCK_FAILED_CHILD),
                         i < 3 ? 0 : LODE_BLOCK_FAILED_VALID);
        assert_true(e->is_dirty == (i >= 3));
    }
    assert_true(lode_block_hash_is_equal(&lode_block_index_best_candidate(index)->node.hash, &hashes[2]));
    assert_ok(lode_block_index_close(index));
}

static void a_block_from_before_segwit_software_is_pointed_out(void **state)
{
    room *r = *state;
    lode_block_hash hashes[6];

    write_small(r, hashes);
    lode_block_index *index = open_index(r->env, r->path);
    lode_entry *tip = lode_block_index_find(index, &hashes[5]), *third = lode_block_index_find(index, &hashes[3]);
    assert_null(lode_block_index_lacks_witness(index, tip));
    third->status &= ~(uint32_t)LODE_BLOCK_OPT_WITNESS;
    assert_ptr_equal(lode_block_index_lacks_witness(index, tip), third);
    assert_null(lode_block_index_lacks_witness(index, lode_entry_prev(third)));
    assert_ok(lode_block_index_close(index));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_records_are_written_back_byte_for_byte),
        cmocka_unit_test(cores_tips_have_the_status_that_core_gives),
        cmocka_unit_test_setup_teardown(a_stored_genesis_is_the_documented_record, enter, leave),
        cmocka_unit_test_setup_teardown(a_new_index_is_empty, enter, leave),
        cmocka_unit_test_setup_teardown(a_reader_of_nothing_creates_nothing, enter, leave),
        cmocka_unit_test_setup_teardown(a_file_that_was_asked_for_has_a_record, enter, leave),
        cmocka_unit_test_setup_teardown(flags_and_the_mark_of_a_reindex_are_kept, enter, leave),
        cmocka_unit_test_setup_teardown(a_wiped_index_is_empty_and_marked_at_once, enter, leave),
        cmocka_unit_test_setup_teardown(an_obfuscated_index_is_read_and_written_with_its_key, enter, leave),
        cmocka_unit_test_setup_teardown(a_pruned_directory_is_declined, enter, leave),
        cmocka_unit_test_setup_teardown(another_networks_index_is_declined, enter, leave),
        cmocka_unit_test_setup_teardown(a_record_without_its_parent_is_damage, enter, leave),
        cmocka_unit_test_setup_teardown(senseless_keys_and_files_are_damage, enter, leave),
        cmocka_unit_test_setup_teardown(a_damaged_record_is_found_or_harmless, enter, leave),
        cmocka_unit_test_setup_teardown(marks_of_failure_spread_to_descendants_at_load, enter, leave),
        cmocka_unit_test_setup_teardown(a_block_from_before_segwit_software_is_pointed_out, enter, leave),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
