/* test/loadblock/embed_test.c: example/embed.c does what it says. */
#include "test/loadblock/bed.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static made_chain chain, beside;

static char *run(const char *datadir, const char *file, int expected_status)
{
    char command[1024];
    static char out[1 << 16];
    size_t len;

    snprintf(command, sizeof command, "./example/embed '%s' regtest '%s'", datadir, file);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    len = fread(out, 1, sizeof out - 1, pipe);
    out[len] = '\0';
    int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) != expected_status)
        fail_msg("%s ends with %d: %s", command, WEXITSTATUS(status), out);
    return out;
}

static void the_example_takes_blocks_in_and_tells_of_them(void **state)
{
    bed b;
    lode_buf file = LODE_BUF_EMPTY;
    char muhash[65], *out;

    if (access("./example/embed", X_OK) != 0) {
        printf("skipped: ./example/embed is not here\n");
        return;
    }
    bed_init_on_disk(&b, "regtest");
    bed_put_chain(&b, &file, &chain, 0, 100);
    bed_put_frame(&b, &file, &beside.blocks[0]); /* beside the best chain */
    bed_put_chain(&b, &file, &chain, 100, chain.count);
    bed_put_frame(&b, &file, &beside.blocks[1]); /* with a bad signature */
    const char *path = bed_write(&b, "blocks.dat", &file);
    out = run(b.datadir, path, 0);
    assert_non_null(strstr(out, "tip: height 110, "));
    assert_non_null(strstr(out, chain.blocks[110].hex));
    assert_non_null(strstr(out, "refused"));
    assert_non_null(strstr(out, beside.blocks[1].reject));
    assert_non_null(strstr(out, "beside the best chain"));
    assert_non_null(strstr(out, "\"valid-headers\""));
    out = run(b.datadir, path, 0); /* once more: all is known */
    assert_non_null(strstr(out, "tip: height 110, "));
    assert_non_null(strstr(out, "duplicate-invalid"));
    bed_open(&b);
    bed_print print = bed_take_print(&b);
    lode_hash_to_hex(muhash, print.muhash);
    assert_non_null(strstr(out, muhash));
    run(b.datadir, path, 1); /* another holds the directory */
    run(b.datadir, "/nowhere/at/all", 1);
    lode_buf_clear(&file);
    bed_clear(&b);
}

static int set_up(void **state)
{
    lode_chain_maker *maker = made_maker(71, 10);
    lode_made_block block;
    lode_chain_maker_genesis(&block);
    made_chain_add(&chain, &block);
    made_extend(maker, &chain, 110);
    made_empty_upon(&beside, &chain.blocks[90], 1);
    assert_int_equal(lode_chain_maker_make_invalid(maker, &block, made_invalid_kind("bad-signature")).code, LODE_OK);
    made_chain_add(&beside, &block);
    lode_chain_maker_destroy(maker);
    return 0;
}

static int tear_down(void **state)
{
    made_chain_clear(&chain);
    made_chain_clear(&beside);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_example_takes_blocks_in_and_tells_of_them) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
