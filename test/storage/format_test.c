/* test/storage/format_test.c: the examples in bytes that the headers of storage/ give, and what is near their edges. */
#include "storage/store_test.h"

#include "storage/batch.h"
#include "storage/block_builder.h"
#include "storage/coding.h"
#include "storage/crc32c.h"
#include "storage/file_name.h"
#include "storage/version.h"
#include "support/memory_env.h"

static void varints_come_back_and_cut_ones_are_refused(void **state)
{
    static const uint64_t values[] = { 0,         1, 127, 128, 300, 16383, 16384, UINT32_MAX, (uint64_t)UINT32_MAX + 1,
                                       UINT64_MAX };
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        uint8_t bytes[LODE_VARINT64_MAX_BYTES];
        const uint8_t *end = lode_write_varint64(bytes, values[i]);
        uint64_t wide;
        uint32_t narrow;
        assert_ptr_equal(lode_read_varint64(bytes, end, &wide), end);
        assert_true(wide == values[i]);
        assert_true((lode_read_varint32(bytes, end, &narrow) == end) == (values[i] <= UINT32_MAX));
        for (const uint8_t *cut = bytes; cut < end; cut++)
            assert_null(lode_read_varint64(bytes, cut, &wide));
    }
    static const uint8_t endless[11] = { 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1 };
    uint64_t wide;
    assert_null(lode_read_varint64(endless, endless + sizeof endless, &wide));
}

static void crc32c_has_its_published_value_on_every_path(void **state)
{
    static uint8_t bytes[9000];
    (void)state;
    assert_int_equal(lode_crc32c("123456789", 9), 0xe3069283);
    assert_int_equal(lode_crc32c_unmask(lode_crc32c_mask(0x12345678)), 0x12345678);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i >> 3);
    for (size_t len = 0; len < sizeof bytes; len += len < 700 ? 1 : 131)
        assert_int_equal(lode_crc32c_extend(7, bytes + len % 8, len - len % 8),
                         lode_crc32c_portable_for_test(7, bytes + len % 8, len - len % 8));
}

static void file_names_are_leveldbs(void **state)
{
    static const struct {
        const char *name;
        lode_file_kind kind;
        uint64_t number;
    } cases[] = { { "000005.log", LODE_FILE_LOG, 5 },
                  { "1234567.ldb", LODE_FILE_TABLE, 1234567 },
                  { "000007.sst", LODE_FILE_OLD_TABLE, 7 },
                  { "000009.dbtmp", LODE_FILE_TEMPORARY, 9 },
                  { "MANIFEST-000003", LODE_FILE_MANIFEST, 3 },
                  { "CURRENT", LODE_FILE_CURRENT, 0 },
                  { "LOCK", LODE_FILE_LOCK, 0 },
                  { "LOG", LODE_FILE_INFO_LOG, 0 } };
    static const char *const others[] = {
        "",         "foo",       "5",           ".log",     "000005.logs",
        "MANIFEST", "MANIFEST-", "MANIFEST-3x", "CURRENT2", "18446744073709551616.log"
    };
    lode_file_kind kind;
    uint64_t number;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char name[LODE_FILE_NAME_BYTES];
        assert_true(lode_file_name_parse(cases[i].name, &kind, &number));
        assert_int_equal(kind, cases[i].kind);
        assert_int_equal(number, cases[i].number);
        lode_file_name(name, kind, number);
        assert_string_equal(name, cases[i].name);
    }
    assert_true(lode_file_name_parse("LOG.old", &kind, &number) && kind == LODE_FILE_INFO_LOG);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(lode_file_name_parse(others[i], &kind, &number));
}

static void a_block_is_the_bytes_in_its_header(void **state)
{
    static const uint8_t wanted[] = { 0, 2, 1, 'a', 'b', '1', 1, 1, 1, 'c', '2', 0, 0, 0, 0, 1, 0, 0, 0 };
    lode_block_builder b;
    lode_slice bytes;
    (void)state;
    lode_block_builder_init(&b, 16);
    lode_block_builder_add(&b, lode_slice_of("ab", 2), lode_slice_of("1", 1));
    lode_block_builder_add(&b, lode_slice_of("ac", 2), lode_slice_of("2", 1));
    assert_true(lode_block_builder_finish(&b, &bytes));
    assert_int_equal(bytes.len, sizeof wanted);
    assert_memory_equal(bytes.data, wanted, sizeof wanted);
    lode_block_builder_clear(&b);
}

static void a_batch_is_the_bytes_in_its_header(void **state)
{
    static const uint8_t wanted[] = { 5, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 1, 'k', 2, 'v', 'w', 0, 3, 'o', 'l', 'd' };
    lode_batch *b = lode_batch_create();
    (void)state;
    lode_batch_put(b, "k", 1, "vw", 2);
    lode_batch_delete(b, "old", 3);
    lode_batch_set_sequence(b, 5);
    assert_int_equal(lode_batch_bytes(b), sizeof wanted);
    assert_memory_equal(b->rep.data, wanted, sizeof wanted);
    lode_memtable *m = lode_memtable_create(NULL, 1 << 16);
    uint64_t last;
    for (size_t cut = 0; cut < sizeof wanted; cut++) {
        lode_memtable *half = lode_memtable_create(NULL, 1 << 16);
        assert_code(LODE_CORRUPT, lode_batch_apply(lode_slice_of(wanted, cut), half, &last));
        lode_memtable_unref(half);
    }
    assert_ok(lode_batch_apply(lode_slice_of(wanted, sizeof wanted), m, &last));
    assert_int_equal(last, 6);
    assert_int_equal(lode_memtable_count(m), 2);
    lode_memtable_unref(m);
    lode_batch_destroy(b);
}

static void a_batch_beyond_four_gigabytes_is_refused(void **state)
{
    lode_batch *b = lode_batch_create();
    (void)state;
    lode_batch_put(b, "k", 1, "v", (size_t)UINT32_MAX + 1); /* refused by its length, before a byte is read */
    assert_code(LODE_INVALID_ARGUMENT, lode_batch_check(b));
    lode_batch_clear(b);
    assert_ok(lode_batch_check(b));
    lode_batch_destroy(b);
}

static lode_file_meta *make_file(uint64_t number, const char *from, const char *to)
{
    char a[32], z[32];
    size_t a_len = strlen(from), z_len = strlen(to);
    memcpy(a, from, a_len);
    memcpy(z, to, z_len);
    lode_write_le64((uint8_t *)a + a_len, lode_trailer_of(9, LODE_ENTRY_VALUE));
    lode_write_le64((uint8_t *)z + z_len, lode_trailer_of(5, LODE_ENTRY_VALUE));
    return lode_file_meta_create(number, 1000, lode_slice_of(a, a_len + 8), lode_slice_of(z, z_len + 8));
}

static void an_edit_is_the_bytes_in_its_header(void **state)
{
    static const uint8_t wanted[] = { 2, 5, 3, 7, 4, 0x2a };
    lode_version_edit e;
    lode_buf out = LODE_BUF_EMPTY;
    (void)state;
    lode_version_edit_init(&e);
    e.has_log_number = e.has_next_file = e.has_last_sequence = true;
    e.log_number = 5;
    e.next_file = 7;
    e.last_sequence = 42;
    lode_version_edit_encode(&e, &out);
    assert_int_equal(out.len, sizeof wanted);
    assert_memory_equal(out.data, wanted, sizeof wanted);
    lode_version_edit again;
    lode_version_edit_init(&again);
    assert_code(LODE_CORRUPT, lode_version_edit_decode(&again, lode_slice_of("\x08\x01", 2)));
    assert_code(LODE_CORRUPT, lode_version_edit_decode(&again, lode_slice_of("\x06\x07\x01", 3))); /* level 7 */
    lode_buf_clear(&out);
}

static void an_edit_that_breaks_a_level_is_refused(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_table_read_options options = { 0 };
    lode_table_cache *tables = lode_table_cache_create(env, "db", 10, &options);
    lode_version *empty = lode_version_create(tables, NULL), *v, *next;
    lode_version_edit e;
    (void)state;
    lode_version_edit_init(&e);
    lode_version_edit_add(&e, 1, make_file(3, "m", "p"));
    lode_version_edit_add(&e, 1, make_file(2, "a", "c"));
    lode_version_edit_add(&e, 0, make_file(5, "b", "n"));
    lode_version_edit_add(&e, 0, make_file(7, "a", "z"));
    assert_ok(lode_version_apply(&v, empty, &e));
    assert_int_equal(v->levels[0].files[0]->number, 7);
    assert_int_equal(v->levels[1].files[0]->number, 2);
    assert_int_equal(v->run_count, 2);
    assert_int_equal(lode_version_file_of(v, 1, lode_slice_of("d", 1), lode_seek_trailer(100)), 1);
    assert_int_equal(lode_version_file_of(v, 1, lode_slice_of("q", 1), lode_seek_trailer(100)), 2);
    lode_slice d = lode_slice_of("d", 1), l = lode_slice_of("l", 1), m = lode_slice_of("m", 1);
    assert_false(lode_version_overlaps(v, 1, &d, &l));
    assert_true(lode_version_overlaps(v, 1, &d, &m));
    assert_true(lode_version_overlaps(v, 1, NULL, NULL));
    lode_version_edit_clear(tables, &e);

    lode_version_edit_add(&e, 1, make_file(9, "b", "d"));
    assert_code(LODE_CORRUPT, lode_version_apply(&next, v, &e));
    lode_version_edit_clear(tables, &e);
    lode_version_edit_remove(&e, 2, 3);
    assert_code(LODE_CORRUPT, lode_version_apply(&next, v, &e));
    lode_version_edit_clear(tables, &e);
    lode_version_edit_add(&e, 1, make_file(9, "y", "x"));
    assert_code(LODE_CORRUPT, lode_version_apply(&next, v, &e));
    lode_version_edit_clear(tables, &e);
    lode_version_unref(v);
    lode_version_unref(empty);
    lode_table_cache_destroy(tables);
    lode_memory_env_destroy(env);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(varints_come_back_and_cut_ones_are_refused),
        cmocka_unit_test(crc32c_has_its_published_value_on_every_path),
        cmocka_unit_test(file_names_are_leveldbs),
        cmocka_unit_test(a_block_is_the_bytes_in_its_header),
        cmocka_unit_test(a_batch_is_the_bytes_in_its_header),
        cmocka_unit_test(a_batch_beyond_four_gigabytes_is_refused),
        cmocka_unit_test(an_edit_is_the_bytes_in_its_header),
        cmocka_unit_test(an_edit_that_breaks_a_level_is_refused),
    };
    return cmocka_run_group_tests_name("format", tests, NULL, NULL);
}
