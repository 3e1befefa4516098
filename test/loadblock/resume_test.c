/* test/loadblock/resume_test.c: an import that is stopped, at any place, goes on where it was and ends where it would
 * have ended.
 */
#include "test/loadblock/bed.h"

#include <semaphore.h>
#include <string.h>
#include <unistd.h>

#include "api/handle.h"
#include "bench/chain/random.h"
#include "test/support/memory_env.h"

enum { HEIGHT = 116, FORK = 108 };
static made_chain chain, side; /* side: two blocks longer, upon FORK */
static bed_print at_height, at_side;

static const char *write_chain(bed *b, const char *name)
{
    lode_buf file = LODE_BUF_EMPTY;
    bed_put_chain(b, &file, &chain, 0, chain.count);
    const char *path = bed_write(b, name, &file);
    lode_buf_clear(&file);
    return path;
}

static void interrupt_now(bed *b)
{
    lode_interrupt(b->h);
}

static void use_lasting_clock(bed *b)
{
    bed_use_clock(b, (int64_t)lode_read_le32(chain.blocks[HEIGHT].raw + 68));
}

/* ---- stopped on request ---- */

static void stopped_at_any_block_it_goes_on_from_there(void **state)
{
    const uint64_t step = getenv("LODE_LONG") ? 1 : 13;
    for (uint64_t k = 1; k <= HEIGHT; k += step) {
        bed b;
        bed_init(&b, "regtest");
        b.options.threads = 1 + (int)(k % 3);
        b.options.txindex = 1;
        use_lasting_clock(&b);
        b.act_at_ask = k;
        b.act = interrupt_now;
        const char *path = write_chain(&b, "blk00000.dat");
        assert_fails_with(LODE_CANCELLED, bed_import(&b, &path, 1));
        uint64_t connected = b.result.blocks_connected;
        assert_int_equal(b.result.height, connected);
        assert_int_equal(bed_tip(&b).height, connected);
        assert_true(connected < k);
        if (k % 2)
            bed_reopen(&b);
        assert_int_equal(bed_tip(&b).height, connected);
        b.act_at_ask = 0;
        assert_ok(bed_import(&b, &path, 1));
        assert_int_equal(b.result.blocks_connected, HEIGHT - connected);
        bed_assert_print(&b, &at_height);
        bed_clear(&b);
    }
}

static sem_t wanted;
static void wake_the_other(bed *b)
{
    sem_post(&wanted);
}
static void *interrupt_when_woken(void *context)
{
    bed *b = context;
    sem_wait(&wanted);
    lode_interrupt(b->h);
    return NULL;
}

static void another_thread_may_stop_it(void **state)
{
    for (uint64_t k = 1; k <= HEIGHT; k += 23) {
        bed b;
        lode_thread thread = { 0 };
        bed_init(&b, "regtest");
        use_lasting_clock(&b);
        assert_int_equal(sem_init(&wanted, 0, 0), 0);
        b.act_at_ask = k;
        b.act = wake_the_other;
        const char *path = write_chain(&b, "blk00000.dat");
        bed_open(&b);
        assert_ok(lode_thread_start(&thread, "interrupter", interrupt_when_woken, &b));
        lode_status s = bed_import(&b, &path, 1);
        lode_thread_join(&thread);
        assert_true(s.code == LODE_OK || s.code == LODE_CANCELLED);
        if (s.code == LODE_OK)
            assert_fails_with(LODE_CANCELLED,
                              bed_import(&b, &path, 1)); /* it came too late: then the next is stopped */
        assert_ok(bed_import(&b, &path, 1));
        bed_assert_print(&b, &at_height);
        sem_destroy(&wanted);
        bed_clear(&b);
    }
}

static void a_stop_ends_one_call(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    const char *path = write_chain(&b, "blk00000.dat");
    bed_open(&b);
    lode_interrupt(b.h);
    assert_fails_with(LODE_CANCELLED, bed_import(&b, &path, 1));
    assert_ok(bed_import(&b, &path, 1));
    bed_assert_print(&b, &at_height);
    lode_submit_result result = { .size = sizeof result };
    lode_interrupt(b.h);
    assert_fails_with(LODE_CANCELLED, lode_submit_block(b.h, &result, side.blocks[0].raw, side.blocks[0].size));
    assert_ok(lode_submit_block(b.h, &result, side.blocks[0].raw, side.blocks[0].size));
    assert_true(result.accepted);
    lode_interrupt(NULL);
    bed_clear(&b);
}

static void stop_on_progress(bed *b, const lode_progress *progress)
{
    if (progress->phase == *(const lode_phase *)b->hook_context)
        lode_interrupt(b->h);
}

static void a_callback_may_stop_it_in_any_phase(void **state)
{
    for (lode_phase phase = LODE_PHASE_IMPORTING; phase <= LODE_PHASE_DONE; phase++) {
        bed b;
        bed_init(&b, "regtest");
        b.options.txindex = 1;
        b.on_progress = stop_on_progress;
        b.hook_context = &phase;
        const char *path = write_chain(&b, "blk00000.dat");
        lode_status s = bed_import(&b, &path, 1);
        assert_true(s.code == LODE_OK || s.code == LODE_CANCELLED);
        b.on_progress = NULL;
        bed_reopen(&b);
        assert_ok(bed_import(&b, &path, 1));
        bed_assert_print(&b, &at_height);
        bed_clear(&b);
    }
}

static void a_silent_pipe_does_not_keep_it_from_stopping(void **state)
{
    bed b;
    bed_feeder feeder;
    lode_buf file = LODE_BUF_EMPTY;
    bed_init_on_disk(&b, "regtest");
    use_lasting_clock(&b);
    b.act_at_ask = 30;
    b.act = interrupt_now;
    int keep[2];
    assert_int_equal(pipe(keep), 0); /* its writer never ends */
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", keep[0]);
    bed_put_chain(&b, &file, &chain, 0, 60);
    bed_feed_start(&feeder, NULL, dup(keep[1]), &file, 4096);
    const char *paths[1] = { path };
    assert_fails_with(LODE_CANCELLED, bed_import(&b, paths, 1));
    bed_feed_end(&feeder);
    close(keep[0]);
    close(keep[1]);
    bed_import_chain(&b, &chain, 0, chain.count);
    bed_assert_print(&b, &at_height);
    lode_buf_clear(&file);
    bed_clear(&b);
}

/* ---- stopped by a power cut ---- */

static void cut_power(bed *b)
{
    lode_memory_env_power_off(b->env);
}

static void after_a_power_cut_only_what_was_not_flushed_is_done_again(void **state)
{
    if (getenv("LODE_TEST_DISK"))
        return;
    for (uint64_t k = 10; k <= HEIGHT; k += 15)
        for (int cut = LODE_KEEP_SYNCED; cut <= LODE_KEEP_ALL; cut++) {
            bed b;
            bed_init(&b, "regtest");
            b.options.txindex = 1;
            use_lasting_clock(&b);
            b.act_at_ask = k;
            b.act = cut_power;
            const char *path = write_chain(&b, "blk00000.dat");
            lode_file *f;
            assert_ok(b.env->open(b.env, &f, path, LODE_OPEN_READ | LODE_OPEN_WRITE));
            assert_ok(b.env->sync(b.env, f));
            b.env->close(b.env, f);
            assert_ok(b.env->sync_directory(b.env, b.root));
            assert_ok(b.env->sync_directory(b.env, "/"));
            bed_open(&b);
            b.h->chain->flush_interval_ns = 0; /* after every block */
            lode_status s = bed_import(&b, &path, 1);
            assert_int_not_equal(s.code, LODE_OK);
            lode_close(b.h);
            b.h = NULL;
            lode_memory_env_power_on(b.env, (lode_power_cut)cut, k);
            b.act_at_ask = 0;
            bed_open(&b);
            int32_t kept = bed_tip(&b).height;
            if (kept + 6 < (int32_t)k) /* what is parsed ahead and one flush */
                fail_msg("cut at %d, and only %d are kept", (int)k, (int)kept);
            assert_ok(bed_import(&b, &path, 1));
            assert_int_equal(b.result.blocks_connected, HEIGHT - kept);
            bed_assert_print(&b, &at_height);
            bed_clear(&b);
        }
}

/* ---- stop at a height ---- */

static void it_stops_at_the_height_that_was_named(void **state)
{
    static const int32_t heights[] = { 1, 50, 103, HEIGHT };
    for (size_t i = 0; i < 4; i++) {
        bed b;
        bed_init(&b, "regtest");
        b.options.stop_at_height = heights[i];
        const char *path = write_chain(&b, "blk00000.dat");
        assert_ok(bed_import(&b, &path, 1));
        bed_assert_tip(&b, &chain.blocks[heights[i]]);
        bed_reopen(&b);
        bed_assert_tip(&b, &chain.blocks[heights[i]]);
        assert_ok(bed_import(&b, &path, 1)); /* again: it is there already */
        bed_assert_tip(&b, &chain.blocks[heights[i]]);
        bed_close(&b);
        b.options.stop_at_height = 0;
        assert_ok(bed_import(&b, &path, 1));
        bed_assert_print(&b, &at_height);
        bed_clear(&b);
    }
}

/* ---- rebuilt ---- */

static void import_both(bed *b)
{
    bed_import_chain(b, &chain, 0, chain.count);
    bed_import_chain(b, &side, 0, side.count);
    bed_assert_print(b, &at_side);
    bed_close(b);
}

static void a_rebuilt_index_gives_the_same_set(void **state)
{
    for (int i = 0; i < 4; i++) {
        bed b;
        bed_init(&b, "regtest");
        b.options.random_xor_key = i % 2;
        b.options.txindex = i / 2;
        import_both(&b);
        b.options.reindex = 1;
        assert_ok(bed_import(&b, NULL, 0));
        assert_true(b.result.blocks_connected >= HEIGHT);
        assert_int_equal(b.result.blocks_waiting, 0);
        bed_assert_print(&b, &at_side);
        bed_close(&b);
        b.options.reindex = 0;
        assert_ok(bed_import(&b, NULL, 0));
        assert_int_equal(b.result.blocks_connected, 0);
        bed_assert_print(&b, &at_side);
        bed_clear(&b);
    }
}

static void rebuilt_coins_are_the_same_set(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    import_both(&b);
    b.options.reindex_chainstate = 1;
    assert_ok(bed_import(&b, NULL, 0));
    assert_int_equal(b.result.blocks_connected, FORK + side.count);
    assert_int_equal(b.result.blocks_new, 0);
    bed_assert_print(&b, &at_side);
    bed_close(&b);
    b.options.reindex_chainstate = 0;
    assert_ok(bed_import(&b, NULL, 0));
    assert_int_equal(b.result.blocks_connected, 0);
    bed_clear(&b);
}

/* The flag is given once; what was stopped goes on without it. */
static void a_rebuild_that_was_stopped_goes_on_without_the_flag(void **state)
{
    const uint64_t step = getenv("LODE_LONG") ? 1 : 29;
    for (uint64_t k = 1; k < HEIGHT; k += step) {
        bed b;
        bed_init(&b, "regtest");
        use_lasting_clock(&b);
        b.now = (int64_t)lode_read_le32(side.blocks[side.count - 1].raw + 68);
        import_both(&b);
        b.options.reindex = 1;
        bed_open(&b);
        b.options.reindex = 0;
        b.clock_asks = 0;
        b.act_at_ask = k;
        b.act = interrupt_now;
        assert_fails_with(LODE_CANCELLED, bed_import(&b, NULL, 0));
        b.act_at_ask = 0;
        if (k % 2)
            bed_reopen(&b);
        assert_ok(bed_import(&b, NULL, 0));
        bed_assert_print(&b, &at_side);
        bed_reopen(&b);
        assert_ok(bed_import(&b, NULL, 0));
        assert_int_equal(b.result.blocks_connected, 0);
        bed_assert_print(&b, &at_side);
        bed_clear(&b);
    }
}

static void stop_when_connecting(bed *b, const lode_progress *progress)
{
    if (progress->phase == LODE_PHASE_CONNECTING)
        lode_interrupt(b->h);
}

static void coins_whose_rebuild_was_stopped_go_on_without_the_flag(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    import_both(&b);
    b.options.reindex_chainstate = 1;
    bed_open(&b);
    b.options.reindex_chainstate = 0;
    b.on_progress = stop_when_connecting;
    assert_fails_with(LODE_CANCELLED, bed_import(&b, NULL, 0));
    b.on_progress = NULL;
    assert_int_equal(bed_tip(&b).height, 0);
    bed_reopen(&b);
    assert_int_equal(bed_tip(&b).height, 0);
    assert_ok(bed_import(&b, NULL, 0));
    bed_assert_print(&b, &at_side);
    bed_clear(&b);
}

/* ---- another node's files ---- */

static void block_files_of_another_node_are_taken_over_and_left_as_they_are(void **state)
{
    for (int i = 0; i < 2; i++) {
        bed b, node;
        lode_buf before = LODE_BUF_EMPTY, after = LODE_BUF_EMPTY;
        char from[256];
        if (i) {
            bed_init_on_disk(&node, "regtest");
            node.options.random_xor_key = 1;
        } else {
            bed_init(&node, "regtest");
        }
        import_both(&node);
        bed_read(&node, "data/regtest/blocks/blk00000.dat", &before);
        b = node;
        snprintf(from, sizeof from, "%s/regtest/blocks", node.datadir);
        snprintf(b.datadir, sizeof b.datadir, "%s/other", node.root);
        b.options.datadir = b.datadir;
        b.import.context = b.options.log_context = &b;
        b.options.random_xor_key = 0;
        b.options.blocks_from = from;
        assert_ok(bed_import(&b, NULL, 0));
        bed_assert_print(&b, &at_side);
        bed_close(&b);
        b.options.blocks_from = NULL;
        made_chain more = { 0 };
        made_empty_upon(&more, &side.blocks[side.count - 1], 3);
        bed_import_chain(&b, &more, 0, 1);
        bed_assert_tip(&b, &more.blocks[0]);
        made_chain_clear(&more);
        bed_read(&node, "data/regtest/blocks/blk00000.dat", &after);
        assert_int_equal(before.len, after.len);
        assert_memory_equal(before.data, after.data, before.len);
        lode_buf_clear(&before);
        lode_buf_clear(&after);
        bed_clear(&b);
    }
}

/* ---- settings that change between runs ---- */

static void a_trusted_block_that_is_not_there_is_told_and_all_scripts_run(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    b.options.assume_valid = "00000000000000000000000000000000000000000000000000000000deadbeef";
    bed_import_chain(&b, &chain, 0, chain.count);
    bed_assert_print(&b, &at_height);
    assert_true(bed_logged(&b, "assumevalid hash not in headers"));
    assert_true(b.result.scripts_checked > 0);
    assert_int_equal(b.result.scripts_checked, b.result.inputs);
    bed_clear(&b);
}

static void scripts_that_were_not_run_do_not_change_the_set(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    b.options.check_scripts = 0;
    bed_import_chain(&b, &chain, 0, 60);
    bed_close(&b);
    b.options.check_scripts = 1;
    bed_import_chain(&b, &chain, 0, 112);
    bed_close(&b);
    b.options.check_scripts = 0;
    bed_import_chain(&b, &chain, 0, chain.count);
    assert_int_equal(b.result.scripts_checked, 0);
    bed_assert_print(&b, &at_height);
    bed_clear(&b);
}

/* A mark made under stricter rules is not for ever: it is taken away on request. */
static void a_block_found_bad_under_other_rules_may_be_looked_at_again(void **state)
{
    static const char *const loose[] = { "testactivationheight=bip34@100", "testactivationheight=dersig@100",
                                         "testactivationheight=cltv@100" };
    bed b;
    made_chain old = { 0 };
    made_empty_upon(&old, &chain.blocks[0], 1);
    old.blocks[0].raw[0] = 1; /* version 1: too old where BIP 34 holds */
    old.blocks[0].raw[3] = 0;
    for (uint32_t nonce = 0;; nonce++) {
        lode_write_le32(old.blocks[0].raw + 76, nonce);
        lode_sha256d(old.blocks[0].hash.bytes, old.blocks[0].raw, 80);
        if (old.blocks[0].hash.bytes[31] < 0x7f)
            break;
    }
    lode_hash_to_hex(old.blocks[0].hex, old.blocks[0].hash.bytes);
    bed_init(&b, "regtest");
    bed_import_chain(&b, &old, 0, 1);
    assert_int_equal(bed_tip(&b).height, 0);
    assert_non_null(bed_find_rejection(&b, old.blocks[0].hex));
    bed_close(&b);
    b.options.chain_options = loose;
    b.options.chain_option_count = 3;
    bed_import_chain(&b, &old, 0, 1);
    bed_assert_tip(&b, &old.blocks[0]);
    made_chain_clear(&old);
    bed_clear(&b);
}

static int set_up(void **state)
{
    lode_chain_maker *maker = made_maker(41, 14);
    lode_made_block block;
    bed b;

    lode_chain_maker_genesis(&block);
    made_chain_add(&chain, &block);
    made_extend(maker, &chain, FORK);
    assert_int_equal(lode_chain_maker_mark(maker).code, LODE_OK);
    made_extend(maker, &side, HEIGHT - FORK + 2);
    lode_chain_maker_rewind(maker);
    made_extend(maker, &chain, HEIGHT - FORK);
    lode_chain_maker_destroy(maker);
    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    at_height = bed_take_print(&b);
    bed_remove_datadir(&b);
    bed_import_chain(&b, &chain, 0, FORK + 1);
    bed_import_chain(&b, &side, 0, side.count);
    at_side = bed_take_print(&b);
    bed_clear(&b);
    return 0;
}

static int tear_down(void **state)
{
    made_chain_clear(&chain);
    made_chain_clear(&side);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stopped_at_any_block_it_goes_on_from_there),
        cmocka_unit_test(another_thread_may_stop_it),
        cmocka_unit_test(a_stop_ends_one_call),
        cmocka_unit_test(a_callback_may_stop_it_in_any_phase),
        cmocka_unit_test(a_silent_pipe_does_not_keep_it_from_stopping),
        cmocka_unit_test(after_a_power_cut_only_what_was_not_flushed_is_done_again),
        cmocka_unit_test(it_stops_at_the_height_that_was_named),
        cmocka_unit_test(a_rebuilt_index_gives_the_same_set),
        cmocka_unit_test(rebuilt_coins_are_the_same_set),
        cmocka_unit_test(a_rebuild_that_was_stopped_goes_on_without_the_flag),
        cmocka_unit_test(coins_whose_rebuild_was_stopped_go_on_without_the_flag),
        cmocka_unit_test(block_files_of_another_node_are_taken_over_and_left_as_they_are),
        cmocka_unit_test(a_trusted_block_that_is_not_there_is_told_and_all_scripts_run),
        cmocka_unit_test(scripts_that_were_not_run_do_not_change_the_set),
        cmocka_unit_test(a_block_found_bad_under_other_rules_may_be_looked_at_again),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
