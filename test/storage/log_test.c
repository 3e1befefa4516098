/* test/storage/log_test.c: records of every awkward length come back; tails that are torn end a log, damage does not.
 */
#include "storage/store_test.h"

#include "storage/crc32c.h"
#include "storage/log_format.h"
#include "storage/log_reader.h"
#include "storage/log_writer.h"
#include "support/memory_env.h"

static size_t length_of(size_t i)
{
    static const size_t lengths[] = {
        1, 10,    100,    LODE_LOG_BLOCK_BYTES - 7 - 132, 0, 5, LODE_LOG_BLOCK_BYTES - 7 - 19 - 6,
        1, 40000, 100000, LODE_LOG_BLOCK_BYTES - 7,       3, 12
    };
    return lengths[i % (sizeof lengths / sizeof lengths[0])];
}

static void fill(uint8_t *p, size_t i)
{
    for (size_t n = 0; n < length_of(i); n++)
        p[n] = (uint8_t)(i * 31 + n * 7 + n / 251);
}

static void write_log(lode_env *env, const char *path, size_t count, bool may_map, bool marks)
{
    static uint8_t bytes[100000];
    lode_log_writer *w;
    assert_ok(lode_log_writer_create(&w, env, path, may_map));
    for (size_t i = 0; i < count; i++) {
        static const uint8_t mark[LODE_LOG_MARK_BYTES] = { 1 };
        if (marks && i % 5 == 0)
            lode_log_writer_add(w, lode_slice_of(mark, sizeof mark));
        fill(bytes, i);
        assert_ok(lode_log_writer_append(w, lode_slice_of(bytes, length_of(i))));
    }
    assert_ok(lode_log_writer_sync(w));
    lode_log_writer_close(w);
}

/* How many records come back before the end; the first failure in *s. */
static size_t read_log(lode_env *env, const char *path, lode_status *s, bool *torn, bool marks)
{
    static uint8_t bytes[100000];
    lode_log_reader *r;
    bool found = true;
    lode_slice record;
    size_t count = 0;
    uint64_t at;
    assert_ok(lode_log_reader_open(&r, env, path));
    if (marks)
        lode_log_reader_expect_marks(r);
    for (;;) {
        *s = lode_log_reader_next(r, &found, &record);
        if (lode_failed(*s) || !found)
            break;
        if (marks && record.len == LODE_LOG_MARK_BYTES && record.data[0] == 1 && record.data[1] == 0)
            continue;
        assert_int_equal(record.len, length_of(count));
        fill(bytes, count);
        if (record.len)
            assert_memory_equal(record.data, bytes, record.len);
        count++;
    }
    *torn = lode_log_reader_is_torn(r, &at);
    lode_log_reader_close(r);
    return count;
}

static void records_of_every_length_come_back(void **state)
{
    lode_env *memory = lode_memory_env_create();
    char *directory = temporary_directory(), *path = lode_path_join(directory, "log");
    lode_status s;
    bool torn;
    (void)state;
    write_log(memory, "log", 60, false, false);
    assert_int_equal(read_log(memory, "log", &s, &torn, false), 60);
    assert_ok(s);
    assert_false(torn);
    write_log(lode_env_system(), path, 60, true, false); /* some of them through mapped room */
    assert_int_equal(read_log(lode_env_system(), path, &s, &torn, false), 60);
    assert_ok(s);
    assert_false(torn);
    lode_buf a = LODE_BUF_EMPTY, b = LODE_BUF_EMPTY;
    assert_ok(lode_env_read_file(memory, &a, "log", 1 << 24));
    assert_ok(lode_env_read_file(lode_env_system(), &b, path, 1 << 24));
    assert_true(lode_slice_is_equal(lode_buf_slice(&a), lode_buf_slice(&b)));
    lode_buf_clear(&a);
    lode_buf_clear(&b);
    free(path);
    temporary_directory_remove(directory);
    lode_memory_env_destroy(memory);
}

static void a_record_is_the_bytes_in_its_header(void **state)
{
    static const uint8_t wanted[] = { 0x8b, 0x6e, 0xac, 0xe0, 2, 0, 1, 'h', 'i' };
    lode_env *env = lode_memory_env_create();
    lode_log_writer *w;
    lode_buf bytes = LODE_BUF_EMPTY;
    (void)state;
    assert_ok(lode_log_writer_create(&w, env, "log", false));
    assert_ok(lode_log_writer_append(w, lode_slice_of("hi", 2)));
    lode_log_writer_close(w);
    assert_ok(lode_env_read_file(env, &bytes, "log", 100));
    assert_int_equal(bytes.len, sizeof wanted);
    assert_memory_equal(bytes.data, wanted, sizeof wanted);
    lode_buf_clear(&bytes);
    lode_memory_env_destroy(env);
}

static void change(lode_env *env, const char *path, uint64_t at, const void *with, size_t len)
{
    lode_file *file;
    assert_ok(env->open(env, &file, path, LODE_OPEN_READ | LODE_OPEN_WRITE));
    assert_ok(env->pwrite(env, file, with, len, at));
    env->close(env, file);
}

static void a_cut_log_ends_with_its_last_whole_record(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_buf whole = LODE_BUF_EMPTY;
    lode_status s;
    bool torn;
    size_t last = 9;
    (void)state;
    write_log(env, "log", 9, false, false);
    assert_ok(lode_env_read_file(env, &whole, "log", 1 << 24));
    for (size_t len = whole.len; len > 0; len -= len > whole.len - 300 ? 1 : len < 977 ? 1 : 977) {
        lode_file *file;
        assert_ok(env->open(env, &file, "log", LODE_OPEN_WRITE));
        assert_ok(env->truncate(env, file, len));
        env->close(env, file);
        size_t count = read_log(env, "log", &s, &torn, false);
        assert_ok(s);
        assert_true(count <= last);
        assert_true(torn || len == whole.len || count == last - 1 || count == last || len % LODE_LOG_BLOCK_BYTES == 0);
        last = count;
    }
    lode_buf_clear(&whole);
    lode_memory_env_destroy(env);
}

static void damage_before_a_whole_record_is_an_error_with_its_offset(void **state)
{
    lode_env *env = lode_memory_env_create();
    lode_status s;
    bool torn;
    (void)state;
    write_log(env, "log", 12, false, false);
    change(env, "log", 30, "X", 1); /* in the third record */
    assert_int_equal(read_log(env, "log", &s, &torn, false), 2);
    assert_int_equal(s.code, LODE_CORRUPT);
    assert_non_null(strstr(s.text, "log"));
    assert_non_null(strstr(s.text, "offset 25"));
    lode_memory_env_destroy(env);
}

static void a_hole_is_the_end_until_a_mark_vouches_for_it(void **state)
{
    static const uint8_t zeros[4096];
    lode_env *env = lode_memory_env_create();
    lode_status s;
    bool torn;
    (void)state;
    write_log(env, "marked", 5, false, true); /* a mark before the first record only */
    change(env, "marked", 200, zeros, sizeof zeros);
    assert_int_equal(read_log(env, "marked", &s, &torn, true), 3);
    assert_ok(s);
    assert_true(torn);
    write_log(env, "vouched", 8, false, true); /* and another one before the sixth */
    change(env, "vouched", 200, zeros, sizeof zeros);
    assert_int_equal(read_log(env, "vouched", &s, &torn, true), 3);
    assert_int_equal(s.code, LODE_CORRUPT);
    write_log(env, "unmarked", 5, false, false);
    change(env, "unmarked", 200, zeros, sizeof zeros);
    assert_int_equal(read_log(env, "unmarked", &s, &torn, false), 3);
    assert_int_equal(s.code, LODE_CORRUPT);
    lode_memory_env_destroy(env);
}

static void room_that_was_reserved_and_not_used_is_the_end(void **state)
{
    static const uint8_t zeros[100000];
    lode_env *env = lode_memory_env_create();
    lode_buf bytes = LODE_BUF_EMPTY;
    lode_status s;
    bool torn;
    (void)state;
    write_log(env, "log", 7, false, false);
    assert_ok(lode_env_read_file(env, &bytes, "log", 1 << 24));
    change(env, "log", bytes.len, zeros, sizeof zeros);
    assert_int_equal(read_log(env, "log", &s, &torn, false), 7);
    assert_ok(s);
    assert_false(torn);
    lode_buf_clear(&bytes);
    lode_memory_env_destroy(env);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_of_every_length_come_back),
        cmocka_unit_test(a_record_is_the_bytes_in_its_header),
        cmocka_unit_test(a_cut_log_ends_with_its_last_whole_record),
        cmocka_unit_test(damage_before_a_whole_record_is_an_error_with_its_offset),
        cmocka_unit_test(a_hole_is_the_end_until_a_mark_vouches_for_it),
        cmocka_unit_test(room_that_was_reserved_and_not_used_is_the_end),
    };
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
