/* test/chainstate/block_crash_test.c: block files, undo files and the block index together, when the machine dies. */
#include "index_helpers.h"

#include <errno.h>

#include "chainstate/block_files.h"
#include "support/fault_env.h"
#include "support/memory_env.h"

#define ROUNDS 3
#define BLOCKS_PER_ROUND 5

typedef struct node {
    lode_env *env;
    lode_block_index *index;
    lode_block_files *files;
    size_t written; /* entries when the last write came back good */
} node;

static lode_status start(node *n)
{
    lode_block_index_options io = { .path = "/b/index", .params = regtest(), .env = n->env };

    LODE_TRY(lode_env_make_path(n->env, "/b"));
    LODE_TRY(lode_block_index_open(&n->index, &io));
    lode_block_files_options fo = {
        .path = "/b", .params = regtest(), .index = n->index, .env = n->env, .random_xor_key = true
    };
    return lode_block_files_open(&n->files, &fo);
}

static void stop(node *n)
{
    lode_block_files_close(n->files);
    n->files = NULL;
    if (n->index)
        lode_ignore(lode_block_index_close(n->index)); /* on a dead disk it may fail */
    n->index = NULL;
}

/* The body of the block at this height: its header, then bytes that follow from the height. */
static size_t make_body(uint8_t *out, const lode_entry *e)
{
    size_t len = 2000 + (size_t)e->node.height * 731 % 9000;

    lode_header_serialize(out, &e->node.header);
    for (size_t i = LODE_HEADER_SIZE; i < len; i++)
        out[i] = (uint8_t)(i * 7 + (size_t)e->node.height);
    return len;
}

static lode_status store(node *n, lode_entry *e)
{
    static uint8_t body[12000];
    size_t len = make_body(body, e);
    int32_t file;
    uint32_t pos;

    LODE_TRY(
        lode_block_files_append_block(n->files, &file, &pos, body, (uint32_t)len, e->node.height, e->node.header.time));
    lode_block_index_received(n->index, e, 1, file, pos);
    if (!e->node.prev)
        return lode_ok();
    LODE_TRY(lode_block_files_append_undo(n->files, &e->undo_pos, file, body + 100, len / 3, &e->node.prev->hash));
    e->status |= LODE_BLOCK_HAVE_UNDO;
    lode_block_index_mark_dirty(n->index, e);
    return lode_ok();
}

static lode_status grow(node *n)
{
    lode_entry *tip = lode_block_index_best_candidate(n->index);

    for (uint32_t i = 0; i < BLOCKS_PER_ROUND; i++) {
        tip = tip ? add_made(n->index, tip, i) : add_genesis(n->index);
        LODE_TRY(store(n, tip));
    }
    LODE_TRY(lode_block_files_sync(n->files));
    LODE_TRY(lode_block_index_write(n->index));
    n->written = lode_block_index_count(n->index);
    return lode_ok();
}

static bool check_entry(void *context, lode_entry *e)
{
    static uint8_t body[12000];
    node *n = context;
    lode_buf got = LODE_BUF_EMPTY;
    size_t len = make_body(body, e);

    assert_true(e->status & LODE_BLOCK_HAVE_DATA);
    assert_ok(lode_block_files_read_block(n->files, &got, e->file, e->data_pos));
    assert_int_equal(got.len, len);
    assert_memory_equal(got.data, body, len);
    if (e->node.prev) {
        assert_true(e->status & LODE_BLOCK_HAVE_UNDO);
        assert_ok(lode_block_files_read_undo(n->files, &got, e->file, e->undo_pos, &e->node.prev->hash));
        assert_int_equal(got.len, len / 3);
        assert_memory_equal(got.data, body + 100, len / 3);
    }
    lode_buf_clear(&got);
    return true;
}

/* Everything that was written is there, of what was being written all or nothing, and it goes on from there. */
static void check_and_go_on(node *n)
{
    size_t before = n->written;

    assert_ok(start(n));
    size_t count = lode_block_index_count(n->index);
    assert_true(count == before || count == before + BLOCKS_PER_ROUND);
    assert_ok(lode_block_index_verify(n->index));
    lode_block_index_visit(n->index, n, check_entry);
    assert_ok(grow(n));
    lode_block_index_visit(n->index, n, check_entry);
    stop(n);
    assert_ok(start(n));
    assert_int_equal(lode_block_index_count(n->index), count + BLOCKS_PER_ROUND);
    lode_block_index_visit(n->index, n, check_entry);
    stop(n);
}

static lode_status run(node *n)
{
    LODE_TRY(start(n));
    for (int i = 0; i < ROUNDS; i++)
        LODE_TRY(grow(n));
    return lode_ok();
}

static void die_at_every_call(lode_power_cut cut)
{
    for (uint64_t call = 0, failed = 1; failed; call++) {
        lode_env *memory = lode_memory_env_create(), *env = lode_fault_env_create(memory);
        node n = { .env = env };

        lode_fault_env_plan(env, &(lode_fault_plan){ .calls = LODE_FAULT_CHANGES,
                                                     .skip = call,
                                                     .times = UINT64_MAX,
                                                     .error_number = EIO,
                                                     .torn_bytes = (size_t)call * 37 % 500 });
        lode_status s = run(&n);
        failed = lode_fault_env_failed(env);
        assert_true(failed || !lode_failed(s));
        lode_memory_env_power_off(memory);
        stop(&n);
        lode_memory_env_power_on(memory, cut, call);
        lode_fault_env_plan(env, NULL);
        check_and_go_on(&n);
        lode_fault_env_destroy(env);
        lode_memory_env_destroy(memory);
    }
}

static void a_power_cut_that_keeps_what_was_synced_loses_no_written_block(void **state)
{
    die_at_every_call(LODE_KEEP_SYNCED);
}

static void a_power_cut_that_keeps_some_of_the_rest_loses_none_either(void **state)
{
    die_at_every_call(LODE_KEEP_SOME);
}

static void a_killed_process_loses_no_written_block(void **state)
{
    die_at_every_call(LODE_KEEP_ALL);
}

/* One call fails; the run stops with its error, and the next start goes on. */
static void one_failing_call_is_an_error_and_no_damage(void **state)
{
    for (uint64_t call = 0, failed = 1; failed; call++) {
        lode_env *memory = lode_memory_env_create(), *env = lode_fault_env_create(memory);
        node n = { .env = env };

        lode_fault_env_plan(env, &(lode_fault_plan){ .calls = LODE_FAULT_CHANGES | LODE_FAULT_OPEN | LODE_FAULT_PREAD,
                                                     .skip = call,
                                                     .times = 1,
                                                     .error_number = call % 2 ? EIO : ENOSPC });
        lode_status s = run(&n);
        failed = lode_fault_env_failed(env);
        assert_true(failed || !lode_failed(s));
        if (lode_failed(s))
            assert_true(s.code == LODE_IO || s.code == LODE_NO_SPACE);
        stop(&n);
        lode_fault_env_plan(env, NULL);
        check_and_go_on(&n);
        lode_fault_env_destroy(env);
        lode_memory_env_destroy(memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_power_cut_that_keeps_what_was_synced_loses_no_written_block),
        cmocka_unit_test(a_power_cut_that_keeps_some_of_the_rest_loses_none_either),
        cmocka_unit_test(a_killed_process_loses_no_written_block),
        cmocka_unit_test(one_failing_call_is_an_error_and_no_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
