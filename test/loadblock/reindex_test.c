/* test/loadblock/reindex_test.c: an index made anew from the directory's own block files. */
#include "test/loadblock/bed.h"

#define HEIGHT 12

static made_chain chain;

static int set_up(void **state)
{
    made_chain_make(&chain, 5, HEIGHT, 3);
    return 0;
}

static int tear_down(void **state)
{
    made_chain_clear(&chain);
    return 0;
}

static void reindex(bed *b)
{
    bed_close(b);
    b->options.reindex = true;
    bed_open(b);
    assert_ok(bed_import(b, NULL, 0));
    bed_close(b);
    b->options.reindex = false;
    bed_open(b);
}

static void import_one(bed *b, size_t i)
{
    lode_buf file = LODE_BUF_EMPTY;

    bed_put_frame(b, &file, &chain.blocks[i]);
    const char *path = bed_write(b, "one.dat", &file);
    assert_ok(bed_import(b, &path, 1));
    lode_buf_clear(&file);
}

/* bitcoin/bitcoin#5864: the next block went where a sum of sizes said, onto blocks that lay behind junk. Here also a
 * block lies last whose parent is missing. */
static void later_blocks_are_not_written_over_what_lies_in_the_files(void **state)
{
    lode_buf file = LODE_BUF_EMPTY;
    bed b;

    bed_init(&b, "regtest");
    bed_put_chain(&b, &file, &chain, 0, 4);
    lode_buf_append(&file, "thirty bytes of something else", 30);
    bed_put_chain(&b, &file, &chain, 4, 6);
    bed_put_frame(&b, &file, &chain.blocks[7]);
    bed_put_frame(&b, &file, &chain.blocks[9]);
    bed_write(&b, "data/regtest/blocks/blk00000.dat", &file);
    reindex(&b);
    bed_assert_tip(&b, &chain.blocks[5]);
    import_one(&b, 6);
    bed_assert_tip(&b, &chain.blocks[6]);
    reindex(&b);
    bed_assert_tip(&b, &chain.blocks[7]);
    import_one(&b, 8);
    reindex(&b);
    bed_assert_tip(&b, &chain.blocks[9]);
    import_one(&b, 10);
    bed_assert_tip(&b, &chain.blocks[10]);
    lode_buf_clear(&file);
    bed_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_blocks_are_not_written_over_what_lies_in_the_files),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
