/* test/chainstate/block_files_disk_test.c: block and undo files on disks that fail, lose power or are full. */
#include "block_files_helpers.h"

#include <errno.h>

#include "support/fault_env.h"

/* Each call that changes the disk fails once. What fails is told by the next call or by the sync; a second sync mends a
 * write, never a sync. What a good sync has passed is there after a power cut. */
static void a_failing_call_is_told_and_a_write_is_tried_again(void **state)
{
    for (uint64_t n = 0, failed = 1; failed; n++) {
        lode_env *memory = lode_memory_env_create(), *env = lode_fault_env_create(memory);
        room r = begin(env, "/b", false);
        record blocks[6], undos[6];
        uint32_t count = 0, undo_count = 0;
        lode_status s = lode_ok();

        lode_fault_env_plan(env,
                            &(lode_fault_plan){ .calls = LODE_FAULT_CHANGES | LODE_FAULT_OPEN | LODE_FAULT_FREE_SPACE,
                                                .skip = n,
                                                .times = 1,
                                                .error_number = EIO,
                                                .torn_bytes = 5 });
        for (uint32_t i = 0; i < 6 && !lode_failed(s); i++) {
            s = append(&r, &blocks[i], i, 1500000);
            count += !lode_failed(s);
            if (!lode_failed(s)) {
                s = append_undo(&r, &undos[i], 0, i, 700000);
                undo_count += !lode_failed(s);
            }
            if (!lode_failed(s) && i == 3)
                s = lode_block_files_sync(r.files);
        }
        if (!lode_failed(s))
            s = lode_block_files_sync(r.files);
        failed = lode_fault_env_failed(env);
        assert_true(failed || !lode_failed(s)); /* a write that failed unnoticed is mended by the sync */
        lode_status again = lode_block_files_sync(r.files);
        if (!lode_failed(again)) {
            assert_ok(lode_block_index_write(r.index));
        } else {
            assert_code(again, LODE_IO); /* a sync failed: nothing is promised any more */
            assert_code(append(&r, &blocks[5], 9, 100), LODE_IO);
            assert_code(lode_block_files_sync(r.files), LODE_IO);
        }
        for (uint32_t i = 0; i < count; i++)
            assert_block(&r, &blocks[i]);
        for (uint32_t i = 0; i < undo_count; i++)
            assert_undo(&r, &undos[i]);
        lode_memory_env_power_off(memory);
        lode_block_files_close(r.files);
        r.files = NULL;
        lode_memory_env_power_on(memory, LODE_KEEP_SYNCED, n);
        assert_ok(lode_block_index_close(r.index));
        r.index = open_index(r.index_env, "/index");
        lode_fault_env_plan(env, NULL);
        assert_ok(try_files(&r, false));
        for (uint32_t i = 0; i < count && !lode_failed(again); i++)
            assert_block(&r, &blocks[i]);
        for (uint32_t i = 0; i < undo_count && !lode_failed(again); i++)
            assert_undo(&r, &undos[i]);
        assert_ok(append(&r, &blocks[0], 77, 1234)); /* and it goes on */
        assert_ok(lode_block_files_sync(r.files));
        assert_block(&r, &blocks[0]);
        end(&r);
        lode_fault_env_destroy(env);
        lode_memory_env_destroy(memory);
    }
}

/* Power is lost after a sync, while more was appended: the index as written then is what counts, and bytes behind the
 * sizes it names are written over. */
static void after_a_power_cut_appends_go_on_where_the_index_says(void **state)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        lode_env *memory = lode_memory_env_create();
        room r = begin(memory, "/b", true);
        record kept[4], kept_undo[4], lost = { 0 };

        for (uint32_t i = 0; i < 4; i++) {
            assert_ok(append(&r, &kept[i], i, 100000 + i));
            assert_ok(append_undo(&r, &kept_undo[i], 0, i, 3000));
        }
        assert_ok(lode_block_files_sync(r.files));
        assert_ok(lode_block_index_write(r.index));
        for (uint32_t i = 0; i < 60; i++) {
            assert_ok(append(&r, &lost, 100 + i, 200000));
            assert_ok(append_undo(&r, &lost, 0, 100 + i, 50000));
        }
        if (seed % 2)
            assert_ok(lode_block_files_sync(r.files)); /* without the index */
        lode_memory_env_power_off(memory);
        lode_block_files_close(r.files);
        r.files = NULL;
        lode_memory_env_power_on(memory, seed % 3 ? LODE_KEEP_SOME : LODE_KEEP_ALL, seed);
        assert_ok(lode_block_index_close(r.index));
        r.index = open_index(r.index_env, "/index");
        assert_ok(try_files(&r, false));
        for (uint32_t i = 0; i < 4; i++) {
            assert_block(&r, &kept[i]);
            assert_undo(&r, &kept_undo[i]);
        }
        record next = { 0 }, next_undo = { 0 };
        assert_ok(append(&r, &next, 500, 777));
        assert_int_equal(next.pos, kept[3].pos + kept[3].len + 8);
        assert_ok(append_undo(&r, &next_undo, 0, 500, 99));
        assert_int_equal(next_undo.pos, kept_undo[3].pos + 3000 + 40);
        assert_ok(lode_block_files_sync(r.files));
        assert_block(&r, &next);
        assert_undo(&r, &next_undo);
        end(&r);
        lode_memory_env_destroy(memory);
    }
}

static void a_full_disk_stops_cleanly_and_goes_on_with_room(void **state)
{
    lode_env *memory = lode_memory_env_create();
    room r = begin(memory, "/b", false);
    record blocks[64];
    uint32_t count = 0;
    lode_status s = lode_ok();

    lode_memory_env_set_capacity(memory, 40 << 20);
    while (count < 64 && !lode_failed(s)) {
        s = append(&r, &blocks[count], count, 1000000);
        count += !lode_failed(s);
        if (!lode_failed(s))
            s = lode_block_files_sync(r.files);
    }
    assert_code(s, LODE_NO_SPACE);
    assert_true(count > 20 && count < 40);
    assert_true(lode_memory_env_used_bytes(memory) <=
                (40u << 20) - LODE_BLOCKFILE_CHUNK_SIZE / 4); /* some was left for others */
    assert_code(append(&r, &blocks[count], count, 1000000), LODE_NO_SPACE);
    for (uint32_t i = 0; i < count; i++)
        assert_block(&r, &blocks[i]);
    lode_memory_env_set_capacity(memory, 400 << 20);
    assert_ok(lode_block_files_sync(r.files));
    for (; count < 64; count++)
        assert_ok(append(&r, &blocks[count], count, 1000000));
    assert_ok(lode_block_files_sync(r.files));
    assert_ok(lode_block_index_write(r.index));
    restart(&r);
    for (uint32_t i = 0; i < count; i++)
        assert_block(&r, &blocks[i]);
    end(&r);
    lode_memory_env_destroy(memory);
}

static void a_small_disk_is_used_without_whole_chunks(void **state)
{
    lode_env *memory = lode_memory_env_create();
    room r = begin(memory, "/b", false);
    record rec = { 0 };

    lode_memory_env_set_capacity(memory, 12 << 20);
    for (uint32_t i = 0; i < 3; i++)
        assert_ok(append(&r, &rec, i, 1000000));
    assert_ok(lode_block_files_sync(r.files));
    assert_int_equal(file_size(memory, "/b/blk00000.dat"), 3 * 1000008);
    end(&r);
    lode_memory_env_destroy(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failing_call_is_told_and_a_write_is_tried_again),
        cmocka_unit_test(after_a_power_cut_appends_go_on_where_the_index_says),
        cmocka_unit_test(a_full_disk_stops_cleanly_and_goes_on_with_room),
        cmocka_unit_test(a_small_disk_is_used_without_whole_chunks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
