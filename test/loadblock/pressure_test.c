/* test/loadblock/pressure_test.c: disks that fail, disks that fill up, little memory, few descriptors: an import may
 * end with an error, but it never calls a good block bad, and what is on disk is sound.
 */
#include "test/loadblock/bed.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/support/fault_env.h"
#include "test/support/memory_env.h"

enum { FORK = 106, HEIGHT = 112, LONGER = 114 };
static made_chain chain, side, wide; /* wide: blocks with thousands of inputs and outputs */
static bed_print at_side, at_wide;

/* Both branches in one file, so that a reorganisation is part of it. */
static const char *write_both(bed *b)
{
    lode_buf file = LODE_BUF_EMPTY;
    bed_put_chain(b, &file, &chain, 0, chain.count);
    bed_put_chain(b, &file, &side, 0, side.count);
    const char *path = bed_write(b, "both.dat", &file);
    lode_buf_clear(&file);
    return path;
}

static void assert_no_block_is_called_bad(const bed *b)
{
    if (b->rejection_count)
        fail_msg("%s is called bad: %s", b->rejections[0].hash, b->rejections[0].reason);
}

/* ---- calls that fail ---- */

static lode_status open_and_import(bed *b, const char *path)
{
    lode_status s = lode_open(&b->h, &b->options);
    if (s.code != LODE_OK) {
        assert_null(b->h);
        return s;
    }
    s = bed_import(b, &path, 1);
    lode_status closed = lode_close(b->h);
    b->h = NULL;
    return s.code != LODE_OK ? s : closed;
}

static uint64_t count_calls(unsigned calls)
{
    bed b;
    bed_init(&b, "regtest");
    b.options.env = lode_fault_env_create(b.env);
    const char *path = write_both(&b);
    b.options.txindex = 1;
    assert_ok(open_and_import(&b, path));
    uint64_t n = lode_fault_env_count(b.options.env, calls);
    lode_fault_env_destroy(b.options.env);
    bed_clear(&b);
    return n;
}

/* From call n on everything of these kinds fails, `times` times. */
static void fail_at(unsigned calls, uint64_t n, uint64_t times, int error)
{
    bed b;
    bed_init(&b, "regtest");
    lode_env *fault = lode_fault_env_create(b.env);
    b.options.env = fault;
    b.options.txindex = 1;
    b.options.threads = 1 + (int)(n % 3);
    const char *path = write_both(&b);
    lode_fault_env_plan(fault, &(lode_fault_plan){ .calls = calls, .skip = n, .times = times, .error_number = error });
    lode_status s = open_and_import(&b, path);
    bool has_failed = lode_fault_env_failed(fault) > 0;
    if (s.code == LODE_OK && has_failed && times == UINT64_MAX)
        fail_msg("calls %x fail from %llu on, and nobody says so", calls, (unsigned long long)n);
    if (s.code != LODE_OK && !has_failed)
        fail_msg("nothing failed, and yet: %s", s.text);
    assert_no_block_is_called_bad(&b);
    lode_fault_env_plan(fault, NULL);

    /* the disk is well again: a plain restart goes on */
    lode_status after = open_and_import(&b, path);
    if (after.code != LODE_OK)
        fail_msg("after call %llu of %x failed (%s): %s", (unsigned long long)n, calls, s.text, after.text);
    assert_no_block_is_called_bad(&b);
    bed_open(&b);
    bed_assert_print(&b, &at_side);
    bed_close(&b);
    lode_fault_env_destroy(fault);
    bed_clear(&b);
}

static void fail_at_many_places(unsigned calls, uint64_t times)
{
    uint64_t n = count_calls(calls), step = getenv("LODE_LONG") ? 1 : n / 25 + 1;
    assert_true(n > 0);
    for (uint64_t at = 0; at < n; at += step)
        fail_at(calls, at, times, EIO);
}

static void a_read_that_fails_is_an_error_and_no_verdict(void **state)
{
    if (getenv("LODE_TEST_DISK"))
        return;
    fail_at_many_places(LODE_FAULT_PREAD, 1);
    fail_at_many_places(LODE_FAULT_PREAD | LODE_FAULT_OPEN, UINT64_MAX);
}

static void a_write_that_fails_is_an_error_and_no_verdict(void **state)
{
    if (getenv("LODE_TEST_DISK"))
        return;
    fail_at_many_places(LODE_FAULT_CHANGES, 1);
    fail_at_many_places(LODE_FAULT_CHANGES, UINT64_MAX);
}

static void memory_or_descriptors_that_run_out_are_an_error_and_no_verdict(void **state)
{
    if (getenv("LODE_TEST_DISK"))
        return;
    uint64_t n = count_calls(LODE_FAULT_OPEN);
    for (uint64_t at = 0; at < n; at += n / 15 + 1)
        fail_at(LODE_FAULT_OPEN, at, 1, EMFILE);
}

/* ---- a disk that fills up ---- */

static void after_a_full_disk_has_room_again_a_plain_restart_goes_on(void **state)
{
    uint64_t used;
    bed b;
    if (getenv("LODE_TEST_DISK"))
        return;
    bed_init(&b, "regtest");
    b.options.txindex = 1;
    const char *path = write_both(&b);
    uint64_t before = lode_memory_env_used_bytes(b.env);
    assert_ok(open_and_import(&b, path));
    used = lode_memory_env_used_bytes(b.env) - before;
    bed_clear(&b);
    const uint64_t steps = getenv("LODE_LONG") ? 200 : 24;
    for (uint64_t i = 0; i < steps; i++) {
        bed_init(&b, "regtest");
        b.options.txindex = 1;
        path = write_both(&b);
        lode_memory_env_set_capacity(b.env, before + used * i / steps);
        lode_status s = open_and_import(&b, path);
        if (s.code != LODE_OK && s.code != LODE_NO_SPACE)
            fail_msg("on a full disk: code %d: %s", s.code, s.text);
        assert_no_block_is_called_bad(&b);
        lode_memory_env_set_capacity(b.env, UINT64_MAX);
        lode_status after = open_and_import(&b, path);
        if (after.code != LODE_OK)
            fail_msg("with room again after %s: %s", s.text, after.text);
        assert_no_block_is_called_bad(&b);
        bed_open(&b);
        bed_assert_print(&b, &at_side);
        bed_clear(&b);
    }
}

/* ---- little memory ---- */

static void thousands_of_inputs_are_judged_alike_with_any_cache(void **state)
{
    static const uint64_t caches[] = { 4, 8, 450 };
    for (size_t i = 0; i < 3; i++)
        for (int threads = 1; threads <= 3; threads += 2) {
            bed b;
            bed_init(&b, "regtest");
            b.options.threads = threads;
            b.options.dbcache_bytes = caches[i] << 20;
            bed_import_chain(&b, &wide, 0, wide.count);
            bed_assert_print(&b, &at_wide);
            assert_int_equal(b.rejection_count, 0);
            bed_clear(&b);
        }
}

static int import_with_few_descriptors(void)
{
    struct rlimit limit = { 64, 64 };
    bed b;
    bed_init_on_disk(&b, "regtest");
    b.options.txindex = 1;
    b.options.dbcache_bytes = 4 << 20;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 1;
    bed_import_chain(&b, &wide, 0, wide.count);
    bed_assert_print(&b, &at_wide);
    bed_clear(&b);
    return 0;
}

static void sixty_four_descriptors_are_enough(void **state)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(import_with_few_descriptors());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void make_wide(void)
{
    lode_chain_recipe recipe;
    lode_chain_maker *maker;
    lode_made_block block;

    assert_true(lode_chain_recipe_init(&recipe, "p2wpkh:60,p2pkh:5,p2tr:35"));
    recipe.seed = 5;
    recipe.threads = 2;
    recipe.key_count = 64;
    recipe.txs_per_block = 40;
    recipe.outputs_x100 = 1000;
    recipe.inputs_x100 = 100;
    assert_int_equal(lode_chain_maker_create(&maker, &recipe).code, LODE_OK);
    lode_chain_maker_genesis(&block);
    made_chain_add(&wide, &block);
    made_extend(maker, &wide, 122);
    /* one transaction of 800 inputs: a recipe would make it rare */
    for (int i = 0; i < 3; i++) {
        lode_maker_input inputs[800];
        lode_maker_output output = { 1000, 1, 0, LODE_KIND_P2WPKH };
        lode_maker_tx tx = { .version = 2, .inputs = inputs, .outputs = &output, .output_count = 1 };
        while (tx.input_count < 800 &&
               lode_chain_maker_take_coin(maker, &inputs[tx.input_count].coin, LODE_KIND_P2WPKH)) {
            inputs[tx.input_count].sequence = 0xffffffff;
            inputs[tx.input_count].sighash = 1;
            inputs[tx.input_count].spoil = 0;
            tx.input_count++;
        }
        assert_true(tx.input_count > 500);
        assert_int_equal(lode_chain_maker_add_tx(maker, NULL, &tx).code, LODE_OK);
        made_extend(maker, &wide, 1);
    }
    lode_chain_maker_destroy(maker);
}

static int set_up(void **state)
{
    lode_chain_maker *maker = made_maker(101, 12);
    lode_made_block block;
    bed b;

    lode_chain_maker_genesis(&block);
    made_chain_add(&chain, &block);
    made_extend(maker, &chain, FORK);
    assert_int_equal(lode_chain_maker_mark(maker).code, LODE_OK);
    made_extend(maker, &side, LONGER - FORK);
    lode_chain_maker_rewind(maker);
    made_extend(maker, &chain, HEIGHT - FORK);
    lode_chain_maker_destroy(maker);
    make_wide();
    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    bed_import_chain(&b, &side, 0, side.count);
    at_side = bed_take_print(&b);
    bed_remove_datadir(&b);
    bed_import_chain(&b, &wide, 0, wide.count);
    bed_assert_tip(&b, &wide.blocks[wide.count - 1]);
    at_wide = bed_take_print(&b);
    bed_clear(&b);
    return 0;
}

static int tear_down(void **state)
{
    made_chain_clear(&chain);
    made_chain_clear(&side);
    made_chain_clear(&wide);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_that_fails_is_an_error_and_no_verdict),
        cmocka_unit_test(a_write_that_fails_is_an_error_and_no_verdict),
        cmocka_unit_test(memory_or_descriptors_that_run_out_are_an_error_and_no_verdict),
        cmocka_unit_test(after_a_full_disk_has_room_again_a_plain_restart_goes_on),
        cmocka_unit_test(thousands_of_inputs_are_judged_alike_with_any_cache),
        cmocka_unit_test(sixty_four_descriptors_are_enough),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
