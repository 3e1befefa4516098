/* test/loadblock/inputs_test.c: which files an import reads, in which order, under which key, and what it says of those
 * that are missing or cannot be read.
 */
#include "test/loadblock/bed.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEIGHT = 108 };
static made_chain chain;
static const uint8_t key_a[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static const uint8_t key_b[8] = { 0x80, 0, 0x7f, 9, 0xff, 0xfe, 0, 0x11 };

static void encode(lode_buf *file, const uint8_t key[8])
{
    for (size_t i = 0; i < file->len; i++)
        file->data[i] ^= key[i % 8];
}

static const char *write_blocks(bed *b, const char *name, size_t first, size_t end, const uint8_t *key)
{
    lode_buf file = LODE_BUF_EMPTY;
    bed_put_chain(b, &file, &chain, first, end);
    if (key)
        encode(&file, key);
    const char *path = bed_write(b, name, &file);
    lode_buf_clear(&file);
    return path;
}

static const char *write_bytes(bed *b, const char *name, const void *data, size_t len)
{
    lode_buf file = LODE_BUF_EMPTY;
    lode_buf_append(&file, data, len);
    const char *path = bed_write(b, name, &file);
    lode_buf_clear(&file);
    return path;
}

static void import_one(bed *b, const char *path)
{
    assert_ok(bed_import(b, &path, 1));
}

/* ---- names and order ---- */

static void files_of_a_folder_are_read_by_number(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    /* made backwards; the width of numbers changes; others are left alone */
    write_blocks(&b, "in/blk100000.dat", 90, HEIGHT + 1, NULL);
    write_blocks(&b, "in/blk99999.dat", 60, 90, NULL);
    write_blocks(&b, "in/blk00002.dat", 50, 60, NULL);
    write_blocks(&b, "in/blk00001.dat", 20, 50, NULL);
    write_blocks(&b, "in/blk00000.dat", 0, 20, NULL);
    write_bytes(&b, "in/blk1.dat", "not one of them", 15);
    write_bytes(&b, "in/rev00000.dat", "not one of them", 15);
    write_bytes(&b, "in/blk00003.dat.tmp", "not one of them", 15);
    import_one(&b, bed_path(&b, "in"));
    bed_assert_tip(&b, &chain.blocks[HEIGHT]);
    assert_int_equal(b.result.files_missing, 99999 - 3);
    assert_int_equal(b.result.blocks_waiting, 0);
    assert_int_equal(b.result.bytes_skipped, 0);
    bed_clear(&b);
}

static void a_hole_in_the_numbers_is_named_and_what_waits_is_counted(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    write_blocks(&b, "in/blk00000.dat", 0, 40, NULL);
    write_blocks(&b, "in/blk00002.dat", 70, HEIGHT + 1, NULL);
    import_one(&b, bed_path(&b, "in"));
    bed_assert_tip(&b, &chain.blocks[39]);
    assert_int_equal(b.result.files_missing, 1);
    assert_int_equal(b.result.blocks_waiting, HEIGHT + 1 - 70);
    assert_true(bed_noticed(&b, "in/blk00001.dat"));
    assert_true(bed_noticed(&b, chain.blocks[69].hex));

    /* and when it turns up, all is well */
    bed_forget(&b);
    write_blocks(&b, "in/blk00001.dat", 40, 70, NULL);
    import_one(&b, bed_path(&b, "in"));
    bed_assert_tip(&b, &chain.blocks[HEIGHT]);
    assert_int_equal(b.result.files_missing, 0);
    assert_int_equal(b.result.blocks_waiting, 0);
    assert_int_equal(b.notices.len, 0);
    bed_clear(&b);
}

static void named_files_are_numbered_sets_too(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    const char *paths[3];
    paths[0] = write_blocks(&b, "in/blk00007.dat", 60, HEIGHT + 1, NULL);
    paths[1] = write_blocks(&b, "in/blk00004.dat", 0, 60, NULL);
    paths[2] = write_blocks(&b, "other/blk00001.dat", 0, 10, NULL);
    assert_ok(bed_import(&b, paths, 3));
    bed_assert_tip(&b, &chain.blocks[HEIGHT]);
    assert_int_equal(b.result.files_missing, 2); /* 5 and 6; before the first nothing was asked for */
    assert_true(bed_noticed(&b, "in/blk00005.dat"));
    assert_true(bed_noticed(&b, "in/blk00006.dat"));
    bed_clear(&b);
}

static void a_file_that_is_missing_fails_before_anything_is_written(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    const char *paths[2];
    paths[0] = write_blocks(&b, "good.dat", 0, HEIGHT + 1, NULL);
    paths[1] = bed_path(&b, "absent.dat");
    lode_status s = bed_import(&b, paths, 2);
    assert_int_equal(s.code, LODE_MISSING);
    assert_non_null(strstr(s.text, "absent.dat"));
    bed_assert_tip(&b, &chain.blocks[0]);
    assert_int_equal(b.result.blocks_read, 0);
    assert_int_equal(b.result.height, 0);
    /* the handle goes on */
    assert_ok(bed_import(&b, paths, 1));
    bed_assert_tip(&b, &chain.blocks[HEIGHT]);
    bed_clear(&b);
}

static void a_file_that_may_not_be_read_fails_before_anything_is_written(void **state)
{
    bed b;
    if (geteuid() == 0)
        return; /* root may read everything */
    bed_init_on_disk(&b, "regtest");
    const char *paths[2];
    paths[0] = write_blocks(&b, "good.dat", 0, HEIGHT + 1, NULL);
    paths[1] = write_blocks(&b, "secret.dat", 0, 1, NULL);
    assert_int_equal(chmod(paths[1], 0), 0);
    lode_status s = bed_import(&b, paths, 2);
    assert_int_equal(s.code, LODE_IO);
    assert_int_equal(s.sys_errno, EACCES);
    assert_non_null(strstr(s.text, "secret.dat"));
    bed_assert_tip(&b, &chain.blocks[0]);
    bed_clear(&b);
}

static void a_folder_without_block_files_is_told(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    write_bytes(&b, "in/readme", "x", 1);
    const char *path = bed_path(&b, "in");
    lode_status s = bed_import(&b, &path, 1);
    assert_int_equal(s.code, LODE_MISSING);
    assert_non_null(strstr(s.text, "/in"));
    bed_clear(&b);
}

static void input_files_are_not_changed(void **state)
{
    bed b;
    lode_buf before = LODE_BUF_EMPTY, after = LODE_BUF_EMPTY;
    bed_init(&b, "regtest");
    write_blocks(&b, "in/blk00000.dat", 0, 50, NULL);
    const char *path = write_blocks(&b, "in/blk00001.dat", 50, HEIGHT + 1, NULL);
    bed_read(&b, "in/blk00001.dat", &before);
    import_one(&b, path);
    import_one(&b, bed_path(&b, "in"));
    bed_assert_tip(&b, &chain.blocks[HEIGHT]);
    bed_read(&b, "in/blk00001.dat", &after);
    assert_int_equal(before.len, after.len);
    assert_memory_equal(before.data, after.data, after.len);
    lode_buf_clear(&before);
    lode_buf_clear(&after);
    bed_clear(&b);
}

/* ---- keys ---- */

static void the_key_beside_a_file_decodes_it(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    const char *paths[3];
    write_bytes(&b, "a/xor.dat", key_a, 8);
    write_bytes(&b, "b/xor.dat", key_b, 8);
    paths[0] = write_blocks(&b, "a/blk00000.dat", 0, 40, key_a);
    paths[1] = write_blocks(&b, "b/blk00000.dat", 40, 80, key_b);
    paths[2] = write_blocks(&b, "plain/blk00000.dat", 80, HEIGHT + 1, NULL);
    assert_ok(bed_import(&b, paths, 3));
    bed_assert_tip(&b, &chain.blocks[HEIGHT]);
    assert_int_equal(b.notices.len, 0);
    bed_clear(&b);
}

static void a_key_that_is_named_comes_before_the_one_beside(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    write_bytes(&b, "in/xor.dat", key_b, 8);
    b.import.xor_key = "0102030405060708";
    import_one(&b, write_blocks(&b, "in/blk00000.dat", 0, HEIGHT + 1, key_a));
    bed_assert_tip(&b, &chain.blocks[HEIGHT]);
    bed_clear(&b);
}

static void a_key_that_does_not_fit_is_told(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    write_bytes(&b, "in/xor.dat", key_b, 8);
    import_one(&b, write_blocks(&b, "in/blk00000.dat", 0, HEIGHT + 1, key_a));
    bed_assert_tip(&b, &chain.blocks[0]);
    assert_int_equal(b.result.blocks_read, 0);
    assert_true(bed_noticed(&b, "in/blk00000.dat: no block found"));
    assert_true(bed_noticed(&b, "key"));
    bed_clear(&b);
}

static void a_coded_file_without_its_key_is_told(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    import_one(&b, write_blocks(&b, "in/blk00000.dat", 0, HEIGHT + 1, key_a));
    bed_assert_tip(&b, &chain.blocks[0]);
    assert_true(bed_noticed(&b, "in/blk00000.dat: no block found"));
    bed_forget(&b);
    import_one(&b, write_bytes(&b, "in/blk00001.dat", "\0\0\0\0\0\0\0\0\0\0", 10)); /* padding is no reason to worry */
    assert_false(bed_noticed(&b, "no block found"));
    bed_clear(&b);
}

static void a_key_of_another_length_is_an_error(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    write_bytes(&b, "in/xor.dat", key_b, 7);
    const char *path = write_blocks(&b, "in/blk00000.dat", 0, HEIGHT + 1, NULL);
    lode_status s = bed_import(&b, &path, 1);
    assert_int_equal(s.code, LODE_CORRUPT);
    assert_non_null(strstr(s.text, "xor.dat"));
    b.import.xor_key = "01020304";
    assert_fails_with(LODE_INVALID_ARGUMENT, bed_import(&b, &path, 1));
    b.import.xor_key = "zz02030405060708";
    assert_fails_with(LODE_INVALID_ARGUMENT, bed_import(&b, &path, 1));
    bed_clear(&b);
}

/* ---- streams ---- */

/* Blocks in an order that makes half of them wait. */
static void put_disorder(const bed *b, lode_buf *file)
{
    for (size_t i = HEIGHT + 1; i-- > 60;)
        bed_put_frame(b, file, &chain.blocks[i]);
    bed_put_frame_of(b, file, chain.blocks[5].raw, 100, 2000);
    lode_buf_append(file, "junk", 4);
    for (size_t i = 0; i < 60; i++)
        bed_put_frame(b, file, &chain.blocks[i]);
}

static void a_pipe_is_read_to_its_end(void **state)
{
    static const size_t pieces[] = { 1 << 20, 4096, 37 };
    for (size_t i = 0; i < 3; i++) {
        bed b;
        lode_buf file = LODE_BUF_EMPTY;
        bed_feeder feeder;
        bed_init_on_disk(&b, "regtest");
        put_disorder(&b, &file);
        import_one(&b, bed_feed_pipe(&b, &feeder, &file, pieces[i]));
        bed_feed_end(&feeder);
        bed_assert_tip(&b, &chain.blocks[HEIGHT]);
        assert_int_equal(b.result.blocks_waiting, 0);
        assert_int_equal(b.result.bytes_read, file.len);
        assert_false(bed_exists(&b, "data/regtest/lode/spool.dat"));
        lode_buf_clear(&file);
        bed_clear(&b);
    }
}

static void standard_input_is_read_to_its_end(void **state)
{
    bed b;
    lode_buf file = LODE_BUF_EMPTY;
    bed_feeder feeder;
    int ends[2], old = dup(0);
    bed_init_on_disk(&b, "regtest");
    put_disorder(&b, &file);
    encode(&file, key_a);
    b.import.xor_key = "0102030405060708";
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(dup2(ends[0], 0), 0);
    close(ends[0]);
    bed_feed_start(&feeder, NULL, ends[1], &file, 5000);
    import_one(&b, "-");
    bed_feed_end(&feeder);
    assert_int_equal(dup2(old, 0), 0);
    close(old);
    bed_assert_tip(&b, &chain.blocks[HEIGHT]);
    lode_buf_clear(&file);
    bed_clear(&b);
}

/* ---- large files ---- */

static void a_block_behind_a_hole_of_4_gigabytes_and_a_half_is_found(void **state)
{
    const uint64_t hole = UINT64_C(4608) << 20;
    bed b;
    lode_buf file = LODE_BUF_EMPTY;
    lode_file *f;
    uint64_t room = 0;
    bed_init_on_disk(&b, "regtest");
    assert_ok(b.env->free_space(b.env, &room, b.root));
    if (!getenv("LODE_LONG") || room < UINT64_C(1) << 30) {
        printf("skipped: a sparse file of 4.5 GiB is read with LODE_LONG=1\n");
        bed_clear(&b);
        return;
    }
    bed_put_chain(&b, &file, &chain, 0, 50);
    const char *path = bed_write(&b, "large.dat", &file);
    bed_put_chain(&b, &file, &chain, 50, HEIGHT);
    made_block *last = &chain.blocks[HEIGHT];
    uint64_t offset = hole + file.len + 8;
    bed_put_frame(&b, &file, last);
    file.data[file.len - 1] ^= 1; /* refused, so that its place is told */
    assert_ok(b.env->open(b.env, &f, path, LODE_OPEN_WRITE));
    assert_ok(b.env->pwrite(b.env, f, file.data, file.len, hole));
    b.env->close(b.env, f);
    import_one(&b, path);
    bed_assert_tip(&b, &chain.blocks[HEIGHT - 1]);
    assert_int_equal(b.result.bytes_read, hole + file.len);
    assert_int_equal(b.rejection_count, 1);
    assert_int_equal(b.rejections[0].offset, offset);
    lode_buf_clear(&file);
    bed_clear(&b);
}

static int set_up(void **state)
{
    made_chain_make(&chain, 21, HEIGHT, 10);
    return 0;
}

static int tear_down(void **state)
{
    made_chain_clear(&chain);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_a_folder_are_read_by_number),
        cmocka_unit_test(a_hole_in_the_numbers_is_named_and_what_waits_is_counted),
        cmocka_unit_test(named_files_are_numbered_sets_too),
        cmocka_unit_test(a_file_that_is_missing_fails_before_anything_is_written),
        cmocka_unit_test(a_file_that_may_not_be_read_fails_before_anything_is_written),
        cmocka_unit_test(a_folder_without_block_files_is_told),
        cmocka_unit_test(input_files_are_not_changed),
        cmocka_unit_test(the_key_beside_a_file_decodes_it),
        cmocka_unit_test(a_key_that_is_named_comes_before_the_one_beside),
        cmocka_unit_test(a_key_that_does_not_fit_is_told),
        cmocka_unit_test(a_coded_file_without_its_key_is_told),
        cmocka_unit_test(a_key_of_another_length_is_an_error),
        cmocka_unit_test(a_pipe_is_read_to_its_end),
        cmocka_unit_test(standard_input_is_read_to_its_end),
        cmocka_unit_test(a_block_behind_a_hole_of_4_gigabytes_and_a_half_is_found),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
