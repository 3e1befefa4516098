/* test/loadblock/order_test.c: blocks in any order, on several branches, good and bad: the tip is where Core would be.
 */
#include "test/loadblock/bed.h"

#include <string.h>

#include "bench/chain/random.h"

enum { FORK = 104, HEIGHT = 116, LONGER = 120 };
static made_chain chain; /* genesis to HEIGHT */
static made_chain side;  /* LONGER - FORK blocks upon FORK: the first is at FORK + 1 */
static made_chain bad;   /* one block of each invalid kind upon HEIGHT */
static bed_print at_height, at_side;

static const char *write_order(bed *b, const char *name, const made_block *const *blocks, size_t count)
{
    lode_buf file = LODE_BUF_EMPTY;
    for (size_t i = 0; i < count; i++)
        bed_put_frame(b, &file, blocks[i]);
    const char *path = bed_write(b, name, &file);
    lode_buf_clear(&file);
    return path;
}

static const made_block *side_at(int32_t height)
{
    return &side.blocks[height - FORK - 1];
}

/* All blocks of both branches. */
static size_t list_all(const made_block **out)
{
    size_t n = 0;
    for (size_t i = 0; i < chain.count; i++)
        out[n++] = &chain.blocks[i];
    for (size_t i = 0; i < side.count; i++)
        out[n++] = &side.blocks[i];
    return n;
}

static void shuffle(const made_block **list, size_t n, uint64_t seed)
{
    lode_random random;
    lode_random_init(&random, seed);
    while (n > 1) {
        size_t j = lode_random_below(&random, n--);
        const made_block *t = list[n];
        list[n] = list[j];
        list[j] = t;
    }
}

static void any_order_over_three_files_gives_the_same_set(void **state)
{
    const uint64_t rounds = getenv("LODE_LONG") ? 500 : 12;
    for (uint64_t r = 0; r < rounds; r++) {
        const made_block *list[256];
        const char *paths[3];
        bed b;
        size_t n = list_all(list), third = n / 3;
        bed_init(&b, "regtest");
        b.options.threads = 1 + (int)r % 8;
        b.options.dbcache_bytes = r % 2 ? 4 << 20 : 64 << 20;
        shuffle(list, n, r);
        paths[r % 3] = write_order(&b, "a.dat", list, third);
        paths[(r + 1) % 3] = write_order(&b, "b.dat", list + third, third);
        paths[(r + 2) % 3] = write_order(&b, "c.dat", list + 2 * third, n - 2 * third);
        assert_ok(bed_import(&b, paths, 3));
        bed_assert_print(&b, &at_side);
        assert_int_equal(b.result.blocks_waiting, 0);
        bed_clear(&b);
    }
}

/* ---- branches ---- */

static void the_branch_with_more_work_wins_whichever_comes_first(void **state)
{
    for (int i = 0; i < 4; i++) {
        bed b;
        lode_buf file = LODE_BUF_EMPTY;
        bed_init(&b, "regtest");
        bed_put_chain(&b, &file, &chain, 0, FORK + 1);
        if (i == 1)
            bed_put_chain(&b, &file, &side, 0, side.count);
        if (i == 2)
            for (size_t h = FORK + 1; h <= LONGER; h++) {
                if (h <= HEIGHT)
                    bed_put_frame(&b, &file, &chain.blocks[h]);
                bed_put_frame(&b, &file, side_at((int32_t)h));
            }
        if (i != 2)
            bed_put_chain(&b, &file, &chain, FORK + 1, chain.count);
        if (i == 0 || i == 3)
            bed_put_chain(&b, &file, &side, 0, side.count);
        if (i == 3)
            b.options.check_scripts = 0;
        const char *path = bed_write(&b, "both.dat", &file);
        assert_ok(bed_import(&b, &path, 1));
        bed_assert_print(&b, &at_side);
        bed_reopen(&b);
        bed_assert_print(&b, &at_side);
        lode_buf_clear(&file);
        bed_clear(&b);
    }
}

static void a_branch_that_grows_in_a_later_run_takes_over(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    b.options.txindex = 1;
    bed_import_chain(&b, &chain, 0, chain.count);
    bed_reopen(&b);
    bed_import_chain(&b, &side, 0, HEIGHT - FORK - 2);
    bed_assert_print(&b, &at_height);
    bed_reopen(&b);
    bed_import_chain(&b, &side, 0, side.count);
    assert_int_equal(b.result.blocks_disconnected, HEIGHT - FORK);
    assert_int_equal(b.result.blocks_connected, LONGER - FORK);
    bed_assert_print(&b, &at_side);
    bed_clear(&b);
}

static void a_tip_of_equal_work_that_came_first_stays(void **state)
{
    for (int first = 0; first < 2; first++) {
        const made_block *own = first ? side_at(HEIGHT) : &chain.blocks[HEIGHT];
        const made_block *other = first ? &chain.blocks[HEIGHT] : side_at(HEIGHT);
        bed b;
        bed_init(&b, "regtest");
        bed_import_chain(&b, &chain, 0, FORK + 1);
        bed_import_chain(&b, first ? &side : &chain, first ? 0 : FORK + 1, first ? HEIGHT - FORK : chain.count);
        bed_assert_tip(&b, own);
        bed_import_chain(&b, first ? &chain : &side, first ? FORK + 1 : 0, first ? chain.count : HEIGHT - FORK);
        for (int i = 0; i < 10; i++) {
            bed_assert_tip(&b, own);
            bed_reopen(&b);
            if (i == 5) { /* both files again, the other first */
                bed_import_chain(&b, first ? &chain : &side, first ? FORK + 1 : 0, first ? chain.count : HEIGHT - FORK);
                bed_import_chain(&b, &chain, 0, chain.count);
            }
            if (i % 2)
                assert_ok(bed_import(&b, NULL, 0));
        }
        /* one block more decides */
        if (!first) {
            bed_import_chain(&b, &side, HEIGHT - FORK, HEIGHT - FORK + 1);
            bed_assert_tip(&b, side_at(HEIGHT + 1));
        } else {
            made_chain more = { 0 };
            made_empty_upon(&more, other, 7);
            bed_import_chain(&b, &more, 0, 1);
            bed_assert_tip(&b, &more.blocks[0]);
            made_chain_clear(&more);
        }
        bed_clear(&b);
    }
}

/* Of two branches of equal work the one that was complete first stays, not the one whose header came first. */
static void a_tie_is_for_the_branch_that_was_complete_first(void **state)
{
    bed b;
    lode_buf file = LODE_BUF_EMPTY;
    bed_init(&b, "regtest");
    bed_put_chain(&b, &file, &chain, 0, FORK + 1);
    bed_put_chain(&b, &file, &chain, FORK + 2, HEIGHT + 1); /* they wait for FORK + 1 */
    bed_put_chain(&b, &file, &side, 0, HEIGHT - FORK);
    bed_put_frame(&b, &file, &chain.blocks[FORK + 1]);
    const char *path = bed_write(&b, "tie.dat", &file);
    assert_ok(bed_import(&b, &path, 1));
    bed_assert_tip(&b, side_at(HEIGHT));
    lode_buf_clear(&file);
    bed_clear(&b);
}

/* ---- bad blocks ---- */

static bool is_of_scripts(const made_block *block)
{
    return strncmp(block->reject, "block-script-verify-flag-failed", 31) == 0;
}

/* Whether the header is branded, so that what stands on it is refused, too. */
static bool brands(const char *reject)
{
    static const char *const harmless[] = {
        "bad-txnmrklroot",
        "bad-txns-duplicate",
        "bad-witness-merkle-match",
        "bad-witness-nonce-size",
        "high-hash",
        "unexpected-witness",
        "time-too-new",
        "prev-blk-not-found",
        "time-too-old",
        "bad-diffbits",
        "bad-version(0x00000001)",
    };
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (strcmp(reject, harmless[i]) == 0)
            return false;
    return true;
}

static void each_kind_of_bad_block_is_refused_with_cores_words(void **state)
{
    for (size_t i = 0; i < bad.count; i++) {
        const made_block *block = &bad.blocks[i];
        made_chain after = { 0 };
        bed b;
        lode_buf file = LODE_BUF_EMPTY;

        if (block->size > 4000000)
            continue; /* no record is that long: Core passes over it, too */
        bed_init(&b, "regtest");
        b.options.threads = 1 + (int)i % 3;
        made_empty_upon(&after, block, 1);
        for (size_t j = 0; j < 5; j++)
            made_empty_upon(&after, &after.blocks[after.count - 1], 1);
        bed_put_chain(&b, &file, &chain, 0, chain.count);
        bed_put_frame(&b, &file, block);
        uint64_t offset = file.len - block->size;
        bed_put_chain(&b, &file, &after, 0, after.count);
        const char *path = bed_write(&b, "bad.dat", &file);
        assert_ok(bed_import(&b, &path, 1));

        const bed_rejection *r = bed_find_rejection(&b, block->hex);
        if (strcmp(block->reject, "prev-blk-not-found") == 0) {
            assert_int_equal(b.result.blocks_waiting, 1 + after.count);
        } else {
            if (!r || strcmp(r->reason, block->reject) != 0)
                fail_msg("%s: told as %s", block->reject, r ? r->reason : "nothing");
            assert_int_equal(r->offset, offset);
            assert_non_null(strstr(r->file, "bad.dat"));
            assert_int_equal(r->height, HEIGHT + 1);
        }
        bed_assert_print(&b, &at_height);
        if (brands(block->reject) && b.result.blocks_waiting)
            fail_msg("%s: %d wait", block->reject, (int)b.result.blocks_waiting);

        /* a second run knows already; the good branch goes on */
        bed_reopen(&b);
        bed_forget(&b);
        bed_put_chain(&b, &file, &side, 0, side.count);
        const char *paths[2] = { path, bed_write(&b, "side.dat", &file) };
        assert_ok(bed_import(&b, paths, 2));
        bed_assert_print(&b, &at_side);
        lode_buf_clear(&file);
        made_chain_clear(&after);
        bed_clear(&b);
    }
}

static void scripts_are_not_run_when_told_so_and_all_else_is_checked(void **state)
{
    for (size_t i = 0; i < bad.count; i++) {
        const made_block *block = &bad.blocks[i];
        bed b;
        lode_buf file = LODE_BUF_EMPTY;
        bed_init(&b, "regtest");
        b.options.check_scripts = 0;
        bed_put_chain(&b, &file, &chain, 0, chain.count);
        bed_put_frame(&b, &file, block);
        const char *path = bed_write(&b, "bad.dat", &file);
        assert_ok(bed_import(&b, &path, 1));
        assert_int_equal(b.result.scripts_checked, 0);
        if (is_of_scripts(block))
            bed_assert_tip(&b, block);
        else
            bed_assert_print(&b, &at_height);
        lode_buf_clear(&file);
        bed_clear(&b);
    }
}

/* The longest branch is bad in its middle; the best of the others is followed. */
static void after_a_bad_block_the_best_other_branch_is_followed(void **state)
{
    for (size_t i = 0; i < bad.count; i++) {
        const made_block *block = &bad.blocks[i];
        made_chain after = { 0 };
        lode_buf file = LODE_BUF_EMPTY;
        bed b;
        if (!is_of_scripts(block) && i % 5)
            continue;
        bed_init(&b, "regtest");
        b.options.threads = 2;
        made_empty_upon(&after, block, 1);
        while (after.count < 12)
            made_empty_upon(&after, &after.blocks[after.count - 1], 1);
        bed_put_chain(&b, &file, &side, 0, side.count);
        bed_put_chain(&b, &file, &after, 0, after.count);
        bed_put_frame(&b, &file, block);
        bed_put_chain(&b, &file, &chain, 0, chain.count);
        const char *path = bed_write(&b, "bad.dat", &file);
        assert_ok(bed_import(&b, &path, 1));
        bed_assert_print(&b, &at_side);
        bed_reopen(&b);
        bed_assert_print(&b, &at_side);
        lode_buf_clear(&file);
        made_chain_clear(&after);
        bed_clear(&b);
    }
}

static int by_hash(const void *a, const void *b)
{
    return strcmp(((const bed_rejection *)a)->hash, ((const bed_rejection *)b)->hash);
}

/* What is told of bad blocks. Whether a block on a bad one was stored before that was found out is left aside. */
static char *tell_verdicts(bed *b)
{
    lode_buf out = LODE_BUF_EMPTY;
    qsort(b->rejections, b->rejection_count, sizeof *b->rejections, by_hash);
    for (size_t i = 0; i < b->rejection_count; i++) {
        const bed_rejection *r = &b->rejections[i];
        if (strcmp(r->reason, "bad-prevblk") != 0)
            lode_buf_printf(&out, "%s %d %llu %s (%s)\n", r->hash, r->height, (unsigned long long)r->offset, r->reason,
                            r->detail);
    }
    lode_buf_put_u8(&out, 0);
    assert_true(lode_buf_is_good(&out));
    return (char *)out.data;
}

static void verdicts_do_not_depend_on_threads_or_memory(void **state)
{
    char *first = NULL;
    for (int i = 0; i < 9; i++) {
        static const int threads[] = { 1, 2, 8 };
        bed b;
        lode_buf file = LODE_BUF_EMPTY;
        made_chain after = { 0 };
        bed_init(&b, "regtest");
        b.options.threads = threads[i % 3];
        b.options.dbcache_bytes = i % 2 ? 4 << 20 : 64 << 20;
        bed_put_chain(&b, &file, &chain, 0, chain.count);
        for (size_t k = 0; k < bad.count; k++) {
            if (bad.blocks[k].size > 1000000)
                continue;
            bed_put_frame(&b, &file, &bad.blocks[k]);
            made_empty_upon(&after, &bad.blocks[k], 5);
            bed_put_frame(&b, &file, &after.blocks[after.count - 1]);
        }
        bed_put_chain(&b, &file, &side, 0, side.count);
        const char *path = bed_write(&b, "bad.dat", &file);
        assert_ok(bed_import(&b, &path, 1));
        bed_assert_print(&b, &at_side);
        char *told = tell_verdicts(&b);
        if (first)
            assert_string_equal(told, first);
        if (first)
            free(told);
        else
            first = told;
        lode_buf_clear(&file);
        made_chain_clear(&after);
        bed_clear(&b);
    }
    free(first);
}

/* ---- bad copies of good blocks ---- */

static void a_bad_copy_does_not_poison_the_good_one(void **state)
{
    made_chain copies = { 0 };
    size_t merkle = 0, witness = 0;
    for (size_t h = 102; h <= HEIGHT; h++) {
        merkle += made_mutate_merkle(&copies, &chain.blocks[h]);
        witness += made_mutate_witness(&copies, &chain.blocks[h]);
    }
    assert_true(merkle > 0 && witness > 0);
    for (int order = 0; order < 4; order++) {
        bed b;
        lode_buf file = LODE_BUF_EMPTY;
        bed_init(&b, "regtest");
        if (order == 0) /* each bad copy right before the good block */
            for (size_t h = 0; h <= HEIGHT; h++) {
                for (size_t i = 0; i < copies.count; i++)
                    if (copies.blocks[i].height == (int32_t)h)
                        bed_put_frame(&b, &file, &copies.blocks[i]);
                bed_put_frame(&b, &file, &chain.blocks[h]);
            }
        if (order == 1) /* all bad copies first */
            bed_put_chain(&b, &file, &copies, 0, copies.count);
        if (order == 1 || order == 2)
            bed_put_chain(&b, &file, &chain, 0, chain.count);
        if (order == 2) /* all bad copies last */
            bed_put_chain(&b, &file, &copies, 0, copies.count);
        if (order == 3) { /* backwards, bad before good */
            bed_put_chain(&b, &file, &copies, 0, copies.count);
            for (size_t h = HEIGHT + 1; h-- > 0;)
                bed_put_frame(&b, &file, &chain.blocks[h]);
        }
        const char *path = bed_write(&b, "copies.dat", &file);
        assert_ok(bed_import(&b, &path, 1));
        bed_assert_print(&b, &at_height);
        lode_buf_clear(&file);
        bed_clear(&b);
    }
    made_chain_clear(&copies);
}

static void a_good_copy_in_a_later_run_heals_a_bad_one(void **state)
{
    made_chain copies = { 0 };
    int32_t h = 102;
    bed b;
    while (!made_mutate_merkle(&copies, &chain.blocks[h]))
        h++;
    bed_init(&b, "regtest");
    lode_buf file = LODE_BUF_EMPTY;
    bed_put_chain(&b, &file, &chain, 0, (size_t)h);
    bed_put_frame(&b, &file, &copies.blocks[0]);
    bed_put_chain(&b, &file, &chain, (size_t)h + 1, chain.count);
    const char *path = bed_write(&b, "damaged.dat", &file);
    assert_ok(bed_import(&b, &path, 1));
    bed_assert_tip(&b, &chain.blocks[h - 1]);
    assert_string_equal(bed_find_rejection(&b, copies.blocks[0].hex)->reason, "bad-txns-duplicate");
    assert_int_equal(b.result.blocks_waiting, HEIGHT - h);
    bed_reopen(&b);
    bed_import_chain(&b, &chain, (size_t)h, (size_t)h + 1);
    if (bed_tip(&b).height != HEIGHT) /* what waited may have been kept by position only */
        bed_import_chain(&b, &chain, 0, chain.count);
    bed_assert_print(&b, &at_height);
    lode_buf_clear(&file);
    made_chain_clear(&copies);
    bed_clear(&b);
}

/* ---- damage in the middle ---- */

static void a_flipped_byte_in_block_50_of_100_is_told_with_its_place_and_what_waits(void **state)
{
    bed b;
    lode_buf file = LODE_BUF_EMPTY;
    char offset[32];
    bed_init(&b, "regtest");
    bed_put_chain(&b, &file, &chain, 0, 50);
    snprintf(offset, sizeof offset, "%zu", file.len + 8);
    size_t at = file.len + 8 + 120;
    bed_put_chain(&b, &file, &chain, 50, 101);
    file.data[at] ^= 0x10;
    const char *path = bed_write(&b, "damaged.dat", &file);
    assert_ok(bed_import(&b, &path, 1));
    bed_assert_tip(&b, &chain.blocks[49]);
    assert_int_equal(b.result.blocks_waiting, 50);
    assert_true(bed_noticed(&b, chain.blocks[50].hex));
    assert_true(bed_noticed(&b, "at height 50"));
    assert_true(bed_noticed(&b, "50 blocks wait"));
    assert_true(bed_noticed(&b, "damaged.dat"));
    assert_true(bed_noticed(&b, offset));
    lode_buf_clear(&file);
    bed_clear(&b);
}

/* ---- the clock ---- */

static void a_block_from_the_future_may_come_again_when_its_time_has_come(void **state)
{
    bed b;
    bed_init(&b, "regtest");
    int64_t last = lode_read_le32(chain.blocks[HEIGHT].raw + 68);
    bed_use_clock(&b, (int64_t)lode_read_le32(chain.blocks[60].raw + 68) - 7200); /* 60 is just allowed */
    bed_import_chain(&b, &chain, 0, chain.count);
    bed_assert_tip(&b, &chain.blocks[60]);
    assert_string_equal(bed_find_rejection(&b, chain.blocks[61].hex)->reason, "time-too-new");
    bed_reopen(&b);
    bed_import_chain(&b, &chain, 0, chain.count);
    bed_assert_tip(&b, &chain.blocks[60]);
    bed_close(&b);
    bed_use_clock(&b, last);
    bed_import_chain(&b, &chain, 0, chain.count);
    bed_assert_print(&b, &at_height);
    assert_int_equal(b.result.blocks_waiting, 0);
    bed_clear(&b);
}

static int set_up(void **state)
{
    lode_chain_maker *maker = made_maker(31, 15);
    lode_made_block block;
    bed b;

    lode_chain_maker_genesis(&block);
    made_chain_add(&chain, &block);
    made_extend(maker, &chain, FORK);
    assert_int_equal(lode_chain_maker_mark(maker).code, LODE_OK);
    made_extend(maker, &side, LONGER - FORK);
    lode_chain_maker_rewind(maker);
    made_extend(maker, &chain, HEIGHT - FORK);
    for (unsigned kind = 0; kind < lode_invalid_kind_count(); kind++) {
        lode_status s = lode_chain_maker_make_invalid(maker, &block, kind);
        if (s.code != LODE_OK)
            fail_msg("%s: %s", lode_invalid_kind_name(kind), s.text);
        made_chain_add(&bad, &block);
    }
    lode_chain_maker_destroy(maker);

    bed_init(&b, "regtest");
    bed_import_chain(&b, &chain, 0, chain.count);
    bed_assert_tip(&b, &chain.blocks[HEIGHT]);
    at_height = bed_take_print(&b);
    bed_remove_datadir(&b);
    bed_import_chain(&b, &chain, 0, FORK + 1);
    bed_import_chain(&b, &side, 0, side.count);
    bed_assert_tip(&b, side_at(LONGER));
    at_side = bed_take_print(&b);
    bed_clear(&b);
    return 0;
}

static int tear_down(void **state)
{
    made_chain_clear(&chain);
    made_chain_clear(&side);
    made_chain_clear(&bad);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order_over_three_files_gives_the_same_set),
        cmocka_unit_test(the_branch_with_more_work_wins_whichever_comes_first),
        cmocka_unit_test(a_branch_that_grows_in_a_later_run_takes_over),
        cmocka_unit_test(a_tip_of_equal_work_that_came_first_stays),
        cmocka_unit_test(a_tie_is_for_the_branch_that_was_complete_first),
        cmocka_unit_test(each_kind_of_bad_block_is_refused_with_cores_words),
        cmocka_unit_test(scripts_are_not_run_when_told_so_and_all_else_is_checked),
        cmocka_unit_test(after_a_bad_block_the_best_other_branch_is_followed),
        cmocka_unit_test(verdicts_do_not_depend_on_threads_or_memory),
        cmocka_unit_test(a_bad_copy_does_not_poison_the_good_one),
        cmocka_unit_test(a_good_copy_in_a_later_run_heals_a_bad_one),
        cmocka_unit_test(a_flipped_byte_in_block_50_of_100_is_told_with_its_place_and_what_waits),
        cmocka_unit_test(a_block_from_the_future_may_come_again_when_its_time_has_come),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
