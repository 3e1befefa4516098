/* test/support/support_test.c: statuses, arena, buffers, readers, hexadecimal, log, threads. */
#include "support/arena.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/bytes.h"
#include "support/check.h"
#include "support/log.h"
#include "support/status.h"
#include "support/thread.h"

static void an_errno_value_chooses_the_code(void **state)
{
    static const struct {
        int error;
        lode_code code;
    } table[] = {
        { ENOSPC, LODE_NO_SPACE },  { EDQUOT, LODE_NO_SPACE }, { ENOENT, LODE_MISSING }, { ENOTDIR, LODE_MISSING },
        { ENOMEM, LODE_NO_MEMORY }, { EEXIST, LODE_EXISTS },   { EIO, LODE_IO },         { EMFILE, LODE_IO },
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        lode_status s = lode_fail_errno(table[i].error, "file %d", 7);
        char want[128];

        snprintf(want, sizeof want, "file 7: %s", strerror(table[i].error));
        assert_int_equal(s.code, table[i].code);
        assert_int_equal(s.sys_errno, table[i].error);
        assert_string_equal(s.text, want);
        assert_true(lode_failed(s));
    }
    assert_false(lode_failed(lode_ok()));
}

static void a_long_text_is_cut_and_keeps_its_reason(void **state)
{
    char path[1000];

    memset(path, 'p', sizeof path);
    path[sizeof path - 1] = '\0';
    lode_status s = lode_fail(LODE_CORRUPT, "%s", path);
    assert_int_equal(strlen(s.text), sizeof s.text - 1);
    s = lode_fail_errno(ENOSPC, "%s: cannot write", path);
    assert_int_equal(strlen(s.text), sizeof s.text - 1);
    assert_non_null(strstr(s.text, strerror(ENOSPC)));
    lode_status outer = lode_fail_within(lode_fail_errno(EIO, "inner"), "while reading %s", "x");
    assert_string_equal(outer.text, "while reading x: inner: Input/output error");
    assert_int_equal(outer.code, LODE_IO);
    assert_int_equal(outer.sys_errno, EIO);
    outer = lode_fail_within(s, "%s", path);
    assert_true(strlen(outer.text) < sizeof outer.text);
}

static lode_status try_twice(lode_status first)
{
    LODE_TRY(first);
    return lode_fail(LODE_BUG, "went on");
}

static void try_passes_a_failure_on(void **state)
{
    assert_int_equal(try_twice(lode_ok()).code, LODE_BUG);
    assert_int_equal(try_twice(lode_fail(LODE_IO, "x")).code, LODE_IO);
}

static void remember_bug(const char *file, int line, const char *promise, void *context)
{
    *(const char **)context = promise;
}

static void a_broken_promise_reaches_the_host(void **state)
{
    const char *promise = NULL;

    lode_set_bug_handler(remember_bug, &promise);
    LODE_CHECK(1 + 1 == 2);
    assert_null(promise);
    LODE_CHECK(1 + 1 == 3);
    assert_string_equal(promise, "1 + 1 == 3");
    lode_set_bug_handler(NULL, NULL);
}

static void arena_memory_is_aligned_and_apart(void **state)
{
    lode_arena a = LODE_ARENA_EMPTY;
    unsigned char *before = NULL;

    for (size_t i = 0; i < 5000; i++) {
        size_t size = i * 37 % 300;
        unsigned char *p = lode_arena_take(&a, size);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 16, 0);
        memset(p, (int)i, size);
        if (before)
            assert_true(p != before || size == 0 || (i - 1) * 37 % 300 == 0);
        before = p;
    }
    unsigned char *large = lode_arena_take(&a, 10 << 20);
    assert_non_null(large);
    memset(large, 1, 10 << 20);
    size_t total = a.total_bytes;
    lode_arena_reset(&a);
    assert_true(a.total_bytes >= 10 << 20); /* the largest stays */
    assert_true(a.total_bytes < total);
    assert_ptr_equal(lode_arena_take(&a, 10 << 20), large);
    lode_arena_clear(&a);
    assert_int_equal(a.total_bytes, 0);
    lode_arena_clear(&a);
    lode_arena_reset(&a);
}

static void arena_refuses_what_overflows(void **state)
{
    lode_arena a = LODE_ARENA_EMPTY;

    assert_null(lode_arena_take(&a, SIZE_MAX));
    assert_null(lode_arena_take(&a, SIZE_MAX - 20));
    assert_null(lode_arena_take_array(&a, SIZE_MAX / 2, 3));
    assert_non_null(lode_arena_take_array(&a, 0, 3));
    assert_non_null(lode_arena_take_array(&a, 3, 7));
    lode_arena_clear(&a);
}

static void a_buffer_grows_and_keeps_what_it_has(void **state)
{
    lode_buf b = LODE_BUF_EMPTY;

    for (unsigned i = 0; i < 1000; i++)
        lode_buf_put_le32(&b, i);
    lode_buf_put_le64(&b, UINT64_C(0x0807060504030201));
    lode_buf_put_u8(&b, 9);
    assert_true(lode_buf_is_good(&b));
    assert_int_equal(b.len, 4009);
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(lode_read_le32(b.data + 4 * i), i);
    for (int i = 0; i < 9; i++)
        assert_int_equal(b.data[4000 + i], i + 1);
    lode_buf_reset(&b);
    lode_buf_printf(&b, "%s-%d", "block", 413567);
    lode_buf_printf(&b, "%s", "");
    assert_int_equal(b.len, strlen("block-413567"));
    assert_memory_equal(b.data, "block-413567", b.len);
    lode_buf_clear(&b);
    lode_buf_append(&b, NULL, 0);
    assert_non_null(lode_buf_extend(&b, 0));
    assert_int_equal(b.len, 0);
    lode_buf_clear(&b);
}

static void a_failed_buffer_drops_what_follows(void **state)
{
    lode_buf b = LODE_BUF_EMPTY;

    lode_buf_append(&b, "abc", 3);
    assert_false(lode_buf_reserve(&b, SIZE_MAX));
    assert_false(lode_buf_is_good(&b));
    lode_buf_append(&b, "def", 3);
    assert_null(lode_buf_extend(&b, 1));
    assert_int_equal(b.len, 3);
    lode_buf_clear(&b);
    assert_true(lode_buf_is_good(&b));
}

static void a_reader_remembers_its_first_failure(void **state)
{
    static const uint8_t bytes[15] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
    lode_reader r = lode_reader_of(bytes, sizeof bytes);
    uint8_t rest[4] = { 9, 9, 9, 9 };

    assert_int_equal(lode_reader_u8(&r), 1);
    assert_int_equal(lode_reader_u16(&r), 0x0302);
    assert_int_equal(lode_reader_u32(&r), 0x07060504);
    assert_true(lode_reader_u64(&r) == UINT64_C(0x0f0e0d0c0b0a0908));
    assert_true(lode_reader_is_done(&r));
    r = lode_reader_of(bytes, 3);
    assert_int_equal(lode_reader_left(&r), 3);
    lode_reader_copy(&r, rest, 4);
    assert_int_equal(rest[0] | rest[1] | rest[2] | rest[3], 0);
    assert_int_equal(lode_reader_u8(&r), 0); /* it would have fitted */
    assert_false(lode_reader_is_done(&r));
    r = lode_reader_of(NULL, 0);
    assert_true(lode_reader_is_done(&r));
    assert_null(lode_reader_take(&r, SIZE_MAX));
}

static void numbers_are_little_endian_and_slices_compare_as_leveldbs(void **state)
{
    uint8_t p[8];

    lode_write_le64(p, UINT64_C(0x8877665544332211));
    for (int i = 0; i < 8; i++)
        assert_int_equal(p[i], 0x11 * (i + 1));
    assert_true(lode_read_le64(p) == UINT64_C(0x8877665544332211));
    assert_int_equal(lode_read_le16(p), 0x2211);
    lode_write_le16(p, 0xff01);
    assert_int_equal(lode_read_le16(p), 0xff01);
    lode_write_be32(p, 0x01020304);
    assert_int_equal(p[0], 1);
    assert_int_equal(lode_read_be32(p), 0x01020304);
    lode_slice a = lode_slice_of("abc", 3), ab = lode_slice_of("ab", 2), high = lode_slice_of("\xff", 1);
    assert_true(lode_slice_compare(ab, a) < 0 && lode_slice_compare(a, ab) > 0);
    assert_true(lode_slice_compare(a, high) < 0);
    assert_int_equal(lode_slice_compare(a, a), 0);
    assert_true(lode_slice_compare(lode_slice_of(NULL, 0), a) < 0);
    assert_true(lode_slice_is_equal(lode_slice_of(NULL, 0), lode_slice_of("", 0)));
    assert_false(lode_slice_is_equal(a, ab));
}

static void hexadecimal_is_lower_case_and_exact(void **state)
{
    static const uint8_t bytes[4] = { 0x00, 0x9f, 0xa0, 0xff };
    uint8_t back[4] = { 7, 7, 7, 7 };
    char hex[9];

    lode_hex_encode(hex, bytes, 4);
    assert_string_equal(hex, "009fa0ff");
    assert_true(lode_hex_decode(back, 4, "009FA0ff"));
    assert_memory_equal(back, bytes, 4);
    assert_true(lode_hex_decode(back, 0, ""));
    static const char *const refused[] = { "009fa0f", "009fa0fff", "", "009fa0fg", "009fa0f ", "0x9fa0ff" };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_false(lode_hex_decode(back, 4, refused[i]));
    assert_memory_equal(back, bytes, 4);
}

static void keep_line(void *context, lode_log_level level, const char *line)
{
    snprintf(context, 64, "%d %s", (int)level, line);
}

static void hand_on(void *context, lode_log_level level, const char *line)
{
    lode_log(context, level, "inner: %s", line);
}

static void a_logger_may_hand_its_lines_on_to_another(void **state)
{
    char line[64] = "";
    lode_logger last = { keep_line, line, LODE_LOG_INFO };
    lode_logger first = { hand_on, &last, LODE_LOG_INFO };

    lode_log(&first, LODE_LOG_INFO, "height %d", 5);
    assert_non_null(strstr(line, "inner: height 5"));
}

static void a_logger_makes_only_the_lines_that_it_wants(void **state)
{
    char line[64] = "";
    lode_logger logger = { keep_line, line, LODE_LOG_INFO };

    lode_log(&logger, LODE_LOG_INFO, "height %d", 5);
    assert_string_equal(line, "2 height 5");
    lode_log(&logger, LODE_LOG_DEBUG, "no");
    assert_string_equal(line, "2 height 5");
    lode_log(NULL, LODE_LOG_ERROR, "no");
    logger.write = NULL;
    lode_log(&logger, LODE_LOG_ERROR, "no");
}

typedef struct shared_count {
    lode_mutex lock;
    lode_cond done;
    int count;
} shared_count;

static void *count_up(void *context)
{
    shared_count *c = context;
    sigset_t blocked;

    for (int i = 0; i < 1000; i++) {
        lode_mutex_lock(&c->lock);
        lode_mutex_assert_held(&c->lock);
        c->count++;
        lode_mutex_unlock(&c->lock);
    }
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    lode_mutex_lock(&c->lock);
    if (!sigismember(&blocked, SIGINT) || !sigismember(&blocked, SIGTERM))
        c->count = -1000000;
    lode_cond_broadcast(&c->done);
    lode_mutex_unlock(&c->lock);
    return NULL;
}

static void threads_share_by_locks_and_take_no_signals(void **state)
{
    shared_count c = { .count = 0 };
    lode_thread threads[4] = { { 0 } }, never = { 0 };

    lode_mutex_init(&c.lock);
    lode_cond_init(&c.done);
    for (int i = 0; i < 4; i++)
        assert_int_equal(lode_thread_start(&threads[i], "a-name-that-is-too-long", count_up, &c).code, LODE_OK);
    lode_mutex_lock(&c.lock);
    assert_true(lode_mutex_is_held(&c.lock));
    while (c.count < 4000 && c.count >= 0)
        lode_cond_wait(&c.done, &c.lock);
    assert_true(lode_mutex_is_held(&c.lock));
    lode_mutex_unlock(&c.lock);
    assert_false(lode_mutex_is_held(&c.lock));
    for (int i = 0; i < 4; i++)
        lode_thread_join(&threads[i]);
    lode_thread_join(&threads[0]); /* again, and one that never was */
    lode_thread_join(&never);
    assert_int_equal(c.count, 4000);
    lode_mutex_lock(&c.lock);
    assert_false(lode_cond_wait_us(&c.done, &c.lock, 1000));
    lode_mutex_unlock(&c.lock);
    lode_cond_clear(&c.done);
    lode_mutex_clear(&c.lock);
}

static void clocks_go_forward(void **state)
{
    uint64_t wall = lode_clock_ns(), cpu = lode_thread_cpu_ns();

    assert_true(lode_clock_ns() >= wall);
    assert_true(lode_thread_cpu_ns() >= cpu);
    assert_true(lode_cpu_count() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_errno_value_chooses_the_code),
        cmocka_unit_test(a_long_text_is_cut_and_keeps_its_reason),
        cmocka_unit_test(try_passes_a_failure_on),
        cmocka_unit_test(a_broken_promise_reaches_the_host),
        cmocka_unit_test(arena_memory_is_aligned_and_apart),
        cmocka_unit_test(arena_refuses_what_overflows),
        cmocka_unit_test(a_buffer_grows_and_keeps_what_it_has),
        cmocka_unit_test(a_failed_buffer_drops_what_follows),
        cmocka_unit_test(a_reader_remembers_its_first_failure),
        cmocka_unit_test(numbers_are_little_endian_and_slices_compare_as_leveldbs),
        cmocka_unit_test(hexadecimal_is_lower_case_and_exact),
        cmocka_unit_test(a_logger_makes_only_the_lines_that_it_wants),
        cmocka_unit_test(a_logger_may_hand_its_lines_on_to_another),
        cmocka_unit_test(threads_share_by_locks_and_take_no_signals),
        cmocka_unit_test(clocks_go_forward),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
