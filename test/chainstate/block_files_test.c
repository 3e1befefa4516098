/* test/chainstate/block_files_test.c: block and undo files: their key, appending, reading, damage. */
#include "block_files_helpers.h"

#include <sys/stat.h>

#include "support/fault_env.h"

/* ---- the key ---- */

static void a_new_folder_gets_zeros_or_a_random_key_and_an_old_one_stays_plain(void **state)
{
    uint8_t first[8];
    lode_env *memory = lode_memory_env_create();
    record rec = { 0 };

    room r = begin(memory, "/zeros", false);
    assert_true(lode_read_le64(lode_block_files_xor_key(r.files)) == 0);
    assert_int_equal(file_size(memory, "/zeros/xor.dat"), 8);
    end(&r);

    r = begin(memory, "/random", true);
    memcpy(first, lode_block_files_xor_key(r.files), 8);
    assert_false(lode_read_le64(first) == 0);
    assert_ok(append(&r, &rec, 1, 1000));
    assert_ok(lode_block_files_sync(r.files));
    lode_buf key = whole_file(memory, "/random/xor.dat"), raw = whole_file(memory, "/random/blk00000.dat");
    assert_int_equal(key.len, 8);
    assert_memory_equal(key.data, first, 8);
    for (int i = 0; i < 4; i++)
        assert_int_equal(raw.data[i] ^ first[i], regtest()->magic[i]);
    assert_int_equal(raw.data[1008], 0); /* the reserved tail is zeros on disk */
    lode_buf_clear(&key);
    lode_buf_clear(&raw);
    end(&r);
    r = begin(memory, "/random", true);
    assert_memory_equal(lode_block_files_xor_key(r.files), first, 8);
    end(&r);

    assert_ok(lode_env_make_path(memory, "/old"));
    assert_ok(lode_env_write_file_atomically(memory, "/old/blk00000.dat", "x", 1));
    r = begin(memory, "/old", true);
    assert_true(lode_read_le64(lode_block_files_xor_key(r.files)) == 0);
    end(&r);

    assert_ok(lode_env_make_path(memory, "/short"));
    assert_ok(lode_env_write_file_atomically(memory, "/short/xor.dat", "1234567", 7));
    r = (room){ .env = memory, .index_env = lode_memory_env_create(), .blocks = "/short" };
    r.index = open_index(r.index_env, "/index");
    assert_code(try_files(&r, false), LODE_CORRUPT);
    assert_null(r.files);
    end(&r);
    lode_memory_env_destroy(memory);
}

static void a_reader_creates_nothing(void **state)
{
    lode_env *memory = lode_memory_env_create(), *env = lode_fault_env_create(memory);
    lode_buf buf = LODE_BUF_EMPTY;
    record rec = { 0 };

    room r = begin(memory, "/b", false);
    assert_ok(append(&r, &rec, 1, 5000));
    assert_ok(lode_block_files_sync(r.files));
    lode_block_files_close(r.files);
    assert_ok(memory->remove(memory, "/b/xor.dat"));
    lode_fault_env_plan(env, NULL);
    lode_block_files_options o = { .path = "/b", .params = regtest(), .index = r.index, .env = env, .read_only = true };
    assert_ok(lode_block_files_open(&r.files, &o));
    assert_block(&r, &rec);
    assert_code(lode_block_files_read_block(r.files, &buf, 1, 8), LODE_MISSING);
    assert_code(append(&r, &rec, 2, 5000), LODE_INVALID_ARGUMENT);
    assert_code(append_undo(&r, &rec, 0, 2, 5000), LODE_INVALID_ARGUMENT);
    assert_code(lode_block_files_trim(r.files, 0), LODE_INVALID_ARGUMENT);
    assert_ok(lode_block_files_sync(r.files));
    assert_int_equal(lode_fault_env_count(env, LODE_FAULT_CHANGES), 0);
    assert_int_equal(file_size(memory, "/b/xor.dat"), 0);
    end(&r);
    lode_buf_clear(&buf);
    lode_fault_env_destroy(env);
    lode_memory_env_destroy(memory);
}

/* ---- appending and reading ---- */

static void what_was_appended_is_read_from_memory_and_from_disk(void **state)
{
    static const size_t sizes[] = { 80, 81, 1000000, 4000000, 250, 3999999, 4194304, 4194296, 79 + 8, 12345 };
    record blocks[10], undos[10];

    for (int keyed = 0; keyed < 2; keyed++) {
        lode_env *memory = lode_memory_env_create();
        room r = begin(memory, "/b", keyed);
        for (uint32_t i = 0; i < 10; i++) {
            assert_ok(append(&r, &blocks[i], i, sizes[i]));
            assert_ok(append_undo(&r, &undos[i], 0, i, sizes[i] - 79));
            for (uint32_t n = 0; n <= i; n++) {
                assert_block(&r, &blocks[n]);
                assert_undo(&r, &undos[n]);
            }
        }
        for (int i = 0; i < 2; i++) { /* positions as Core gives them */
            uint32_t at = 0;
            for (uint32_t n = 0; n < 10; n++) {
                const record *rec = i ? &undos[n] : &blocks[n];
                assert_int_equal(rec->pos, at + 8);
                at += (uint32_t)rec->len + (i ? 40 : 8);
            }
            assert_int_equal(at, i ? lode_block_index_file(r.index, 0)->undo_size
                                   : lode_block_index_file(r.index, 0)->size);
        }
        assert_ok(lode_block_files_sync(r.files));
        assert_ok(lode_block_index_write(r.index));
        restart(&r);
        for (uint32_t n = 0; n < 10; n++) {
            assert_block(&r, &blocks[n]);
            assert_undo(&r, &undos[n]);
        }
        lode_block_file_info info = *lode_block_index_file(r.index, 0);
        assert_int_equal(info.blocks, 10);
        assert_int_equal(info.height_first, 0);
        assert_int_equal(info.height_last, 9);
        assert_int_equal(info.time_first, 1000);
        assert_int_equal(info.time_last, 1009);
        end(&r);
        lode_memory_env_destroy(memory);
    }
}

static void parts_end_at_the_blocks_end(void **state)
{
    static const struct {
        uint32_t offset, len, expected;
    } cases[] = {
        { 0, 80, 80 },
        { 80, 100, 100 },
        { 900, 100, 100 },
        { 900, 101, 100 },
        { 999, UINT32_MAX, 1 },
        { 1000, 1, 0 },
        { 1001, 1, 0 },
        { UINT32_MAX, UINT32_MAX, 0 },
        { 5, 0, 0 },
    };
    lode_env *memory = lode_memory_env_create();
    room r = begin(memory, "/b", true);
    uint8_t *bytes = make_bytes(7, 1000);
    lode_buf got = LODE_BUF_EMPTY;
    record rec = { 0 }, after = { 0 };

    assert_ok(append(&r, &rec, 7, 1000));
    assert_ok(append(&r, &after, 8, 1000));
    for (int synced = 0; synced < 2; synced++) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            assert_ok(lode_block_files_read_part(r.files, &got, rec.file, rec.pos, cases[i].offset, cases[i].len));
            assert_int_equal(got.len, cases[i].expected);
            if (got.len)
                assert_memory_equal(got.data, bytes + cases[i].offset, got.len);
        }
        assert_ok(lode_block_files_sync(r.files));
    }
    lode_buf_clear(&got);
    free(bytes);
    end(&r);
    lode_memory_env_destroy(memory);
}

static void a_full_file_is_cut_and_the_next_begun(void **state)
{
    lode_env *memory = lode_memory_env_create();
    room r = begin(memory, "/b", false);
    record a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 }, undo = { 0 };

    assert_ok(append(&r, &a, 1, 1000));
    lode_block_index_file(r.index, 0)->size = LODE_MAX_BLOCKFILE_SIZE - 3009; /* as if blocks lay between */
    assert_ok(append(&r, &b, 2, 3000));
    assert_int_equal(b.file, 0);
    assert_int_equal(lode_block_index_file(r.index, 0)->size, LODE_MAX_BLOCKFILE_SIZE - 1);
    assert_ok(append_undo(&r, &undo, 0, 2, 100));
    assert_ok(append(&r, &c, 3, 500)); /* size + 508 reaches the limit: Core moves on at equality, too */
    assert_int_equal(c.file, 1);
    assert_int_equal(c.pos, 8);
    assert_ok(append(&r, &d, 4, 500));
    assert_int_equal(d.file, 1);
    assert_ok(append_undo(&r, &undo, 0, 3, 100));
    assert_block(&r, &b);
    assert_block(&r, &c);
    assert_undo(&r, &undo);
    assert_ok(lode_block_files_sync(r.files));
    assert_int_equal(file_size(memory, "/b/blk00000.dat"), LODE_MAX_BLOCKFILE_SIZE - 1);
    assert_int_equal(file_size(memory, "/b/blk00001.dat"), LODE_BLOCKFILE_CHUNK_SIZE);
    assert_int_equal(file_size(memory, "/b/rev00000.dat"), 280); /* left behind: no room kept */
    assert_ok(append_undo(&r, &undo, 0, 5, 100));
    assert_ok(append_undo(&r, &undo, 1, 6, 100));
    assert_ok(lode_block_files_sync(r.files));
    assert_int_equal(file_size(memory, "/b/rev00000.dat"), 420);
    assert_int_equal(file_size(memory, "/b/rev00001.dat"), LODE_UNDOFILE_CHUNK_SIZE);
    assert_ok(lode_block_files_trim(r.files, 1));
    assert_ok(lode_block_files_sync(r.files));
    assert_int_equal(file_size(memory, "/b/blk00001.dat"), 1016);
    assert_int_equal(file_size(memory, "/b/rev00001.dat"), 140);
    assert_block(&r, &d);
    assert_undo(&r, &undo);
    end(&r);
    lode_memory_env_destroy(memory);
}

static void exactly_one_byte_below_the_limit_still_fits(void **state)
{
    for (uint32_t free_bytes = 1008; free_bytes <= 1009; free_bytes++) {
        lode_env *memory = lode_memory_env_create();
        room r = begin(memory, "/b", false);
        record rec = { 0 };
        assert_ok(append(&r, &rec, 1, 100));
        lode_block_index_file(r.index, 0)->size = LODE_MAX_BLOCKFILE_SIZE - free_bytes;
        assert_ok(append(&r, &rec, 2, 1000));
        assert_int_equal(rec.file, free_bytes == 1009 ? 0 : 1);
        end(&r);
        lode_memory_env_destroy(memory);
    }
}

static void undo_data_may_go_back_and_forth_between_files(void **state)
{
    lode_env *memory = lode_memory_env_create();
    room r = begin(memory, "/b", true);
    record undos[300];

    for (uint32_t file = 0; file < 20; file++) {
        record rec = { 0 };
        lode_block_index_file(r.index, (int32_t)file);
        assert_ok(append(&r, &rec, file, 100));
        assert_int_equal(rec.file, file);
    }
    for (uint32_t i = 0; i < 300; i++)
        assert_ok(append_undo(&r, &undos[i], (int32_t)(i * 7 % 20), i, 1 + i * 37 % 5000));
    for (uint32_t i = 0; i < 300; i++)
        assert_undo(&r, &undos[i]);
    assert_ok(lode_block_files_sync(r.files));
    for (uint32_t i = 0; i < 300; i++)
        assert_undo(&r, &undos[i]);
    for (int32_t file = 0; file < 20; file++) {
        char path[32];
        snprintf(path, sizeof path, "/b/rev%05d.dat", (int)file);
        uint32_t used = lode_block_index_file(r.index, file)->undo_size;
        if (file < 19)
            assert_int_equal(file_size(memory, path), used);
        else
            assert_true(file_size(memory, path) >= used);
    }
    end(&r);
    lode_memory_env_destroy(memory);
}

static void sizes_that_fit_nowhere_are_refused(void **state)
{
    lode_env *memory = lode_memory_env_create();
    room r = begin(memory, "/b", false);
    record rec = { 0 };
    uint8_t byte = 0;
    int32_t file;
    uint32_t pos;

    assert_code(append(&r, &rec, 1, 79), LODE_INVALID_ARGUMENT);
    assert_code(lode_block_files_append_block(r.files, &file, &pos, &byte, LODE_MAX_BLOCKFILE_SIZE - 8, 0, 0),
                LODE_INVALID_ARGUMENT);
    assert_code(append_undo(&r, &rec, 0, 1, 10), LODE_INVALID_ARGUMENT); /* no block file yet */
    assert_ok(append(&r, &rec, 1, 80));
    assert_code(append_undo(&r, &rec, 1, 1, 10), LODE_INVALID_ARGUMENT);
    assert_code(append_undo(&r, &rec, -1, 1, 10), LODE_INVALID_ARGUMENT);
    lode_block_index_file(r.index, 0)->undo_size = UINT32_MAX - 49;
    assert_code(append_undo(&r, &rec, 0, 1, 10), LODE_UNSUPPORTED);
    assert_int_equal(lode_block_index_file(r.index, 0)->undo_size, UINT32_MAX - 49);
    end(&r);
    lode_memory_env_destroy(memory);
}

/* ---- reindex: blocks that lie there already ---- */

static void appends_go_on_behind_the_last_record_not_behind_a_sum_of_sizes(void **state)
{
    lode_env *memory = lode_memory_env_create();
    room r = begin(memory, "/b", false);
    uint8_t *content = make_bytes(1, 5000);
    record rec = { 0 };

    assert_ok(lode_env_write_file_atomically(memory, "/b/blk00000.dat", content, 5000));
    lode_block_files_note_block(r.files, 0, 2008, 500, 2, 20); /* out of order, junk between */
    lode_block_files_note_block(r.files, 0, 108, 300, 1, 10);
    lode_block_file_info info = *lode_block_index_file(r.index, 0);
    assert_int_equal(info.size, 2508);
    assert_int_equal(info.blocks, 2);
    assert_int_equal(info.height_first, 1);
    assert_int_equal(info.height_last, 2);
    lode_block_files_note_end(r.files, 0, 3000); /* a block that waits for its parent */
    lode_block_files_note_end(r.files, 0, 2900);
    assert_ok(append(&r, &rec, 3, 100));
    assert_int_equal(rec.pos, 3008);
    assert_ok(lode_block_files_sync(r.files));
    lode_buf after = whole_file(memory, "/b/blk00000.dat");
    assert_memory_equal(after.data, content, 3000);
    lode_buf_clear(&after);
    free(content);
    end(&r);
    lode_memory_env_destroy(memory);
}

/* ---- damage ---- */

static void a_damaged_head_length_or_checksum_is_reported(void **state)
{
    lode_env *memory = lode_memory_env_create();
    room r = begin(memory, "/b", false);
    lode_buf got = LODE_BUF_EMPTY;
    lode_block_hash prev = { { 2 } };
    record rec = { 0 }, undo = { 0 };

    assert_ok(append(&r, &rec, 1, 1000));
    assert_ok(append_undo(&r, &undo, 0, 2, 500));
    assert_ok(lode_block_files_sync(r.files));
    for (int kind = 0; kind < 2; kind++) {
        const char *path = kind ? "/b/rev00000.dat" : "/b/blk00000.dat";
        lode_buf good = whole_file(memory, path);
        size_t end = kind ? 540 : 8;
        for (size_t i = 0; i < end; i++) {
            lode_file *file;
            uint8_t bad = good.data[i] ^ 0x40;
            assert_ok(memory->open(memory, &file, path, LODE_OPEN_READ | LODE_OPEN_WRITE));
            assert_ok(memory->pwrite(memory, file, &bad, 1, i));
            lode_status s = kind ? lode_block_files_read_undo(r.files, &got, 0, undo.pos, &prev)
                                 : lode_block_files_read_block(r.files, &got, 0, rec.pos);
            if (kind || i < 4 || i == 7) { /* a length that stays inside the file shows when the block is parsed */
                assert_code(s, LODE_CORRUPT);
            }
            assert_ok(memory->pwrite(memory, file, &good.data[i], 1, i));
            memory->close(memory, file);
        }
        lode_buf_clear(&good);
    }
    assert_block(&r, &rec);
    assert_undo(&r, &undo);
    assert_code(lode_block_files_read_block(r.files, &got, 0, 7), LODE_INVALID_ARGUMENT);
    assert_code(lode_block_files_read_block(r.files, &got, -1, 8), LODE_INVALID_ARGUMENT);
    assert_code(lode_block_files_read_block(r.files, &got, 0, UINT32_MAX), LODE_CORRUPT);
    assert_code(lode_block_files_read_block(r.files, &got, 0, 100000), LODE_CORRUPT); /* the zeros behind the end */
    assert_code(lode_block_files_read_block(r.files, &got, 9, 8), LODE_MISSING);
    lode_buf_clear(&got);
    end(&r);
    lode_memory_env_destroy(memory);
}

static void a_missing_or_shortened_block_file_keeps_a_writer_out(void **state)
{
    lode_env *memory = lode_memory_env_create();
    room r = begin(memory, "/b", false);
    lode_file *file;
    record rec = { 0 };

    assert_ok(append(&r, &rec, 1, 1000));
    assert_ok(lode_block_files_sync(r.files));
    lode_block_files_close(r.files);
    assert_ok(memory->open(memory, &file, "/b/blk00000.dat", LODE_OPEN_READ | LODE_OPEN_WRITE));
    assert_ok(memory->truncate(memory, file, 1008));
    assert_ok(try_files(&r, false));
    lode_block_files_close(r.files);
    assert_ok(memory->truncate(memory, file, 1007));
    assert_code(try_files(&r, false), LODE_CORRUPT);
    memory->close(memory, file);
    assert_ok(memory->remove(memory, "/b/blk00000.dat"));
    assert_code(try_files(&r, false), LODE_MISSING);
    lode_block_files_options o = {
        .path = "/b", .params = regtest(), .index = r.index, .env = memory, .read_only = true
    };
    assert_ok(lode_block_files_open(&r.files, &o));
    end(&r);
    lode_memory_env_destroy(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_folder_gets_zeros_or_a_random_key_and_an_old_one_stays_plain),
        cmocka_unit_test(a_reader_creates_nothing),
        cmocka_unit_test(what_was_appended_is_read_from_memory_and_from_disk),
        cmocka_unit_test(parts_end_at_the_blocks_end),
        cmocka_unit_test(a_full_file_is_cut_and_the_next_begun),
        cmocka_unit_test(exactly_one_byte_below_the_limit_still_fits),
        cmocka_unit_test(undo_data_may_go_back_and_forth_between_files),
        cmocka_unit_test(sizes_that_fit_nowhere_are_refused),
        cmocka_unit_test(appends_go_on_behind_the_last_record_not_behind_a_sum_of_sizes),
        cmocka_unit_test(a_damaged_head_length_or_checksum_is_reported),
        cmocka_unit_test(a_missing_or_shortened_block_file_keeps_a_writer_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
