/* test/loadblock/framing_test.c: block files as they are found: junk, torn and overlapping records, padding, keys.
 *
 * Each case builds one file from a made chain and says at which height it must end. All are imported plain and under a
 * key, and must leave the coins that the clean file leaves.
 */
#include "test/loadblock/bed.h"

#include <string.h>

#include "bench/chain/random.h"

enum { HEIGHT = 112 };
static made_chain chain;
static bed_print prints[HEIGHT + 1];

typedef struct builder {
    const bed *b;
    lode_buf file;
    lode_random random;
} builder;

static void junk(builder *f, size_t len)
{
    for (size_t i = 0; i < len; i++)
        lode_buf_put_u8(&f->file, (uint8_t)lode_random_below(&f->random, 256));
}

static void zeros(builder *f, size_t len)
{
    assert_true(lode_buf_reserve(&f->file, len));
    memset(f->file.data + f->file.len, 0, len);
    f->file.len += len;
}

static void frame(builder *f, size_t height)
{
    bed_put_frame(f->b, &f->file, &chain.blocks[height]);
}

static void frames(builder *f, size_t first, size_t end)
{
    bed_put_chain(f->b, &f->file, &chain, first, end);
}

static void magic(builder *f, size_t len)
{
    lode_buf_append(&f->file, f->b->magic, len);
}

/* A record that says `stated` and holds the first `len` bytes of a block. */
static void part(builder *f, size_t height, size_t len, uint32_t stated)
{
    bed_put_frame_of(f->b, &f->file, chain.blocks[height].raw, len, stated);
}

static uint32_t size_of(size_t height)
{
    return chain.blocks[height].size;
}

/* ---- the files ---- */

static int plain(builder *f)
{
    frames(f, 0, HEIGHT + 1);
    return HEIGHT;
}

static int without_genesis(builder *f)
{
    frames(f, 1, HEIGHT + 1);
    return HEIGHT;
}

static int junk_of_1_to_7_bytes(builder *f)
{
    for (size_t i = 0; i <= HEIGHT; i++) {
        junk(f, 1 + i % 7);
        frame(f, i);
    }
    junk(f, 3);
    return HEIGHT;
}

static int beginnings_of_the_magic(builder *f)
{
    for (size_t i = 0; i <= HEIGHT; i++) {
        magic(f, 1 + i % 3);
        frame(f, i);
    }
    magic(f, 3);
    return HEIGHT;
}

static int the_magic_twice(builder *f)
{
    for (size_t i = 0; i <= HEIGHT; i++) {
        magic(f, 4);
        if (i % 5 == 0)
            magic(f, 4);
        frame(f, i);
    }
    magic(f, 4);
    return HEIGHT;
}

static int lengths_that_cannot_be(builder *f)
{
    static const uint32_t lengths[] = { 0, 1, 79, 80, 4000001, 0x7fffffff, 0x80000000, 0xffffffff };
    for (size_t i = 0; i <= HEIGHT; i++) {
        part(f, i, i % 2 ? 80 : 0, lengths[i % 8]);
        frame(f, i);
    }
    return HEIGHT;
}

static int half_a_block_and_then_the_whole(builder *f)
{
    for (size_t i = 0; i <= HEIGHT; i++) {
        if (i % 3 == 1)
            part(f, i, i % 2 ? size_of(i) / 2 : size_of(i) - 1, size_of(i));
        frame(f, i);
    }
    return HEIGHT;
}

static int a_header_cut_and_then_the_whole(builder *f)
{
    for (size_t i = 0; i <= HEIGHT; i++) {
        if (i % 3 == 1)
            part(f, i, i % 100, size_of(i));
        frame(f, i);
    }
    return HEIGHT;
}

/* The whole stands first; then halves are of no use. */
static int halves_of_blocks_to_come(builder *f)
{
    for (size_t i = 0; i <= HEIGHT; i++) {
        if (i % 4 == 2 && i + 7 <= HEIGHT)
            part(f, i + 7, size_of(i + 7) - 20, size_of(i + 7));
        frame(f, i);
    }
    return HEIGHT;
}

/* An old record whose tail was written over: its length reaches into the new one, or to its end, or beyond. */
static int overlapping_records(builder *f)
{
    for (size_t i = 0; i <= HEIGHT; i++) {
        if (i % 4 == 1 && i + 1 <= HEIGHT) {
            size_t old = i + 1, kept = 100;
            uint32_t reach = (uint32_t)(kept + 8 + size_of(i));
            part(f, old, kept, i % 8 == 1 ? reach - size_of(i) / 2 : i % 16 == 5 ? reach : reach + 50);
        }
        frame(f, i);
    }
    return HEIGHT;
}

static int a_record_that_hides_five(builder *f)
{
    for (size_t i = 0; i <= HEIGHT; i++) {
        if (i == 20 || i == 60) {
            uint32_t hidden = 0;
            for (size_t j = i; j < i + 5; j++)
                hidden += 8 + size_of(j);
            part(f, i, 90, 90 + hidden);
        }
        frame(f, i);
    }
    return HEIGHT;
}

/* The length says more than the block has, and the block behind is inside the record. */
static int lengths_that_hide_the_next_block(builder *f)
{
    for (size_t i = 0; i <= HEIGHT; i++) {
        uint32_t more = i % 10 == 3 && i < HEIGHT ? 8 + size_of(i + 1) : i % 10 == 7 ? 8 : 0;
        part(f, i, size_of(i), size_of(i) + more);
    }
    return HEIGHT;
}

static int bytes_after_the_block_in_its_record(builder *f)
{
    for (size_t i = 0; i <= HEIGHT; i++) {
        part(f, i, size_of(i), size_of(i) + 11);
        junk(f, 11);
    }
    return HEIGHT;
}

static int zeros_everywhere(builder *f)
{
    zeros(f, 5000);
    for (size_t i = 0; i <= HEIGHT; i++) {
        frame(f, i);
        zeros(f, i == 50 ? 100000 : i % 11);
    }
    zeros(f, 30000);
    return HEIGHT;
}

static int only_zeros(builder *f)
{
    zeros(f, 100000);
    return 0;
}

static int only_magics(builder *f)
{
    for (size_t i = 0; i < 2000; i++)
        magic(f, 4);
    return 0;
}

static int only_junk(builder *f)
{
    junk(f, 100000);
    return 0;
}

static int nothing(builder *f)
{
    return 0;
}

static int the_last_block_cut(builder *f)
{
    frames(f, 0, HEIGHT);
    part(f, HEIGHT, size_of(HEIGHT) - 1, size_of(HEIGHT));
    return HEIGHT - 1;
}

static int a_length_beyond_the_file(builder *f)
{
    frames(f, 0, HEIGHT);
    part(f, HEIGHT, size_of(HEIGHT), size_of(HEIGHT) + 1000);
    return HEIGHT;
}

static int records_of_other_networks(builder *f)
{
    static const uint8_t main_magic[4] = { 0xf9, 0xbe, 0xb4, 0xd9 };
    for (size_t i = 0; i <= HEIGHT; i++) {
        lode_buf_append(&f->file, main_magic, 4);
        lode_buf_put_le32(&f->file, size_of(i));
        lode_buf_append(&f->file, chain.blocks[i].raw, size_of(i));
        frame(f, i);
    }
    return HEIGHT;
}

static int every_block_twice(builder *f)
{
    for (size_t i = 0; i <= HEIGHT; i++) {
        frame(f, i);
        frame(f, i);
    }
    return HEIGHT;
}

static int the_whole_file_twice(builder *f)
{
    frames(f, 0, HEIGHT + 1);
    frames(f, 0, HEIGHT + 1);
    return HEIGHT;
}

/* The header of a real block, and a body that is not its own. */
static int bodies_of_another_block(builder *f)
{
    for (size_t i = 0; i <= HEIGHT; i++) {
        if (i % 5 == 2 && i + 1 <= HEIGHT) {
            magic(f, 4);
            lode_buf_put_le32(&f->file, size_of(i + 1));
            lode_buf_append(&f->file, chain.blocks[i].raw, 80);
            lode_buf_append(&f->file, chain.blocks[i + 1].raw + 80, size_of(i + 1) - 80);
        }
        frame(f, i);
    }
    return HEIGHT;
}

static int a_flipped_byte_and_then_the_good_copy(builder *f)
{
    for (size_t i = 0; i <= HEIGHT; i++) {
        size_t at = f->file.len + 8 + 81 + i;
        frame(f, i);
        if (i % 6 == 3) {
            f->file.data[at] ^= 0x40;
            frame(f, i);
        }
    }
    return HEIGHT;
}

static int backwards(builder *f)
{
    for (size_t i = HEIGHT + 1; i-- > 0;)
        frame(f, i);
    return HEIGHT;
}

static int backwards_with_junk_and_halves(builder *f)
{
    for (size_t i = HEIGHT + 1; i-- > 0;) {
        if (i % 7 == 3)
            part(f, i, size_of(i) / 2, size_of(i));
        junk(f, i % 5);
        frame(f, i);
    }
    return HEIGHT;
}

/* A torn record whose parent never comes hides good ones until the end of input. */
static int a_torn_orphan_that_hides_blocks(builder *f)
{
    uint8_t orphan[80];
    memcpy(orphan, chain.blocks[30].raw, 80);
    memset(orphan + 4, 0x5a, 32); /* a parent nobody has */
    for (uint32_t nonce = 0;; nonce++) {
        lode_block_hash hash;
        lode_write_le32(orphan + 76, nonce);
        lode_sha256d(hash.bytes, orphan, 80);
        if (hash.bytes[31] < 0x7f)
            break;
    }
    frames(f, 0, 40);
    bed_put_frame_of(f->b, &f->file, orphan, 80, 80 + 8 + size_of(40) + 8 + size_of(41));
    frames(f, 40, HEIGHT + 1);
    return HEIGHT;
}

/* Around the places where the reader's buffers end (8 MiB), whatever stands there. */
static int behind_a_buffer(builder *f, size_t short_of)
{
    frames(f, 0, 50);
    zeros(f, ((size_t)8 << 20) - short_of - f->file.len);
    frames(f, 50, HEIGHT + 1);
    return HEIGHT;
}
#define AT_A_BUFFERS_END(n)                                                                                            \
    static int at_a_buffers_end_##n(builder *f)                                                                        \
    {                                                                                                                  \
        return behind_a_buffer(f, n);                                                                                  \
    }
AT_A_BUFFERS_END(0)
AT_A_BUFFERS_END(1)
AT_A_BUFFERS_END(3)
AT_A_BUFFERS_END(4)
AT_A_BUFFERS_END(7)
AT_A_BUFFERS_END(8)
AT_A_BUFFERS_END(50)
AT_A_BUFFERS_END(87)
AT_A_BUFFERS_END(88)
AT_A_BUFFERS_END(100)

static int nine_megabytes_of_junk(builder *f)
{
    frames(f, 0, 50);
    for (size_t i = 0; i < 9 << 20; i += 8)
        lode_buf_put_le64(&f->file, lode_random_next(&f->random));
    frames(f, 50, HEIGHT + 1);
    return HEIGHT;
}

static int a_torn_record_over_a_buffers_end(builder *f)
{
    frames(f, 0, 50);
    zeros(f, ((size_t)8 << 20) - f->file.len - 200);
    part(f, 50, 90, 4000000); /* swallows all that follows */
    frames(f, 50, HEIGHT + 1);
    return HEIGHT;
}

typedef struct file_case {
    const char *name;
    int (*build)(builder *f);
} file_case;
#define CASE(name)                                                                                                     \
    {                                                                                                                  \
#name, name                                                                                                    \
    }
static const file_case cases[] = {
    CASE(plain),
    CASE(without_genesis),
    CASE(junk_of_1_to_7_bytes),
    CASE(beginnings_of_the_magic),
    CASE(the_magic_twice),
    CASE(lengths_that_cannot_be),
    CASE(half_a_block_and_then_the_whole),
    CASE(a_header_cut_and_then_the_whole),
    CASE(halves_of_blocks_to_come),
    CASE(overlapping_records),
    CASE(a_record_that_hides_five),
    CASE(lengths_that_hide_the_next_block),
    CASE(bytes_after_the_block_in_its_record),
    CASE(zeros_everywhere),
    CASE(only_zeros),
    CASE(only_magics),
    CASE(only_junk),
    CASE(nothing),
    CASE(the_last_block_cut),
    CASE(a_length_beyond_the_file),
    CASE(records_of_other_networks),
    CASE(every_block_twice),
    CASE(the_whole_file_twice),
    CASE(bodies_of_another_block),
    CASE(a_flipped_byte_and_then_the_good_copy),
    CASE(backwards),
    CASE(backwards_with_junk_and_halves),
    CASE(a_torn_orphan_that_hides_blocks),
    CASE(at_a_buffers_end_0),
    CASE(at_a_buffers_end_1),
    CASE(at_a_buffers_end_3),
    CASE(at_a_buffers_end_4),
    CASE(at_a_buffers_end_7),
    CASE(at_a_buffers_end_8),
    CASE(at_a_buffers_end_50),
    CASE(at_a_buffers_end_87),
    CASE(at_a_buffers_end_88),
    CASE(at_a_buffers_end_100),
    CASE(nine_megabytes_of_junk),
    CASE(a_torn_record_over_a_buffers_end),
};

static void encode(lode_buf *file, const uint8_t key[8])
{
    for (size_t i = 0; i < file->len; i++)
        file->data[i] ^= key[i % 8];
}

/* Imports what the case builds, and a second time: nothing is new then. */
static void run_case(const file_case *c, const char *key_hex)
{
    static const uint8_t key[8] = { 0x1b, 0xad, 0x00, 0xff, 0x77, 0x01, 0xfa, 0x42 };
    bed b;
    builder f = { .b = &b };
    lode_random_init(&f.random, 7);
    bed_init(&b, "regtest");
    int height = c->build(&f);

    if (key_hex)
        encode(&f.file, key);
    b.import.xor_key = key_hex;
    const char *path = bed_write(&b, "input.dat", &f.file);
    assert_ok(bed_import(&b, &path, 1));
    if (bed_tip(&b).height != height)
        fail_msg("%s ends at height %d, not %d", c->name, bed_tip(&b).height, height);
    bed_assert_print(&b, &prints[height]);
    assert_int_equal(b.result.height, height);
    assert_int_equal(b.result.blocks_connected, height);

    assert_ok(bed_import(&b, &path, 1));
    assert_int_equal(b.result.blocks_new, 0);
    assert_int_equal(b.result.blocks_connected, 0);
    assert_int_equal(b.result.blocks_waiting, 0);
    bed_assert_print(&b, &prints[height]);
    lode_buf_clear(&f.file);
    bed_clear(&b);
}

static void every_good_block_of_a_damaged_file_is_found(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_case(&cases[i], NULL);
}

static void so_it_is_under_a_key(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (cases[i].build != nine_megabytes_of_junk)
            run_case(&cases[i], "1bad00ff7701fa42");
}

static void so_it_is_in_a_pipe(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bed b;
        bed_feeder feeder;
        builder f = { .b = &b };
        lode_random_init(&f.random, 7);
        bed_init_on_disk(&b, "regtest");
        int height = cases[i].build(&f);
        assert_ok(bed_import(&b, &(const char *){ bed_feed_pipe(&b, &feeder, &f.file, 60000) }, 1));
        bed_feed_end(&feeder);
        if (bed_tip(&b).height != height)
            fail_msg("%s ends at height %d, not %d", cases[i].name, bed_tip(&b).height, height);
        bed_assert_print(&b, &prints[height]);
        lode_buf_clear(&f.file);
        bed_clear(&b);
    }
}

/* Blocks in any order with all kinds of rubbish between them: everything that is whole is found. */
static void pile(builder *f, uint64_t seed)
{
    size_t order[HEIGHT + 1];
    lode_random_init(&f->random, seed);
    for (size_t i = 0; i <= HEIGHT; i++)
        order[i] = i;
    size_t spread = 1 + lode_random_below(&f->random, 40);
    for (size_t i = 0; i <= HEIGHT; i++) {
        size_t j = i + lode_random_below(&f->random, spread), t = order[i];
        if (j > HEIGHT)
            j = HEIGHT;
        order[i] = order[j];
        order[j] = t;
    }
    for (size_t i = 0; i <= HEIGHT; i++) {
        size_t other = lode_random_below(&f->random, HEIGHT + 1);
        uint32_t size = size_of(other);
        switch (lode_random_below(&f->random, 10)) {
        case 0:
            junk(f, lode_random_below(&f->random, 30));
            break;
        case 1:
            zeros(f, lode_random_below(&f->random, 300));
            break;
        case 2:
            part(f, other, lode_random_below(&f->random, size), size);
            break;
        case 3:
            part(f, other, lode_random_below(&f->random, size), (uint32_t)lode_random_below(&f->random, 20000));
            break;
        case 4:
            magic(f, lode_random_below(&f->random, 5));
            break;
        case 5:
            frame(f, other);
            f->file.data[f->file.len - 1 - lode_random_below(&f->random, size - 81)] ^= 1;
            break;
        case 6:
            frame(f, other);
            break;
        default:
            break;
        }
        frame(f, order[i]);
    }
}

static void every_whole_block_of_a_pile_is_found(void **state)
{
    const char *given = getenv("LODE_SEED");
    uint64_t rounds = getenv("LODE_LONG") ? 3000 : 40;
    uint64_t seed = given ? strtoull(given, NULL, 0) : 1000;

    for (uint64_t i = 0; i < rounds; i++) {
        bed b;
        builder f = { .b = &b };
        bed_init(&b, "regtest");
        b.options.threads = 1 + (int)(i % 4);
        pile(&f, seed + i);
        const char *path = bed_write(&b, "pile.dat", &f.file);
        assert_ok(bed_import(&b, &path, 1));
        if (bed_tip(&b).height != HEIGHT)
            fail_msg("LODE_SEED=%llu: ends at height %d", (unsigned long long)(seed + i), bed_tip(&b).height);
        bed_assert_print(&b, &prints[HEIGHT]);
        assert_int_equal(b.result.blocks_waiting, 0);
        lode_buf_clear(&f.file);
        bed_clear(&b);
    }
}

static void a_file_goes_on_where_it_was_cut(void **state)
{
    bed b;
    builder f = { .b = &b };
    bed_init(&b, "regtest");
    the_last_block_cut(&f);
    const char *path = bed_write(&b, "blk00000.dat", &f.file);
    assert_ok(bed_import(&b, &path, 1));
    bed_assert_tip(&b, &chain.blocks[HEIGHT - 1]);
    assert_int_equal(b.result.undecodable, 1);
    assert_true(bed_noticed(&b, "blk00000.dat at "));
    plain(&f);
    path = bed_write(&b, "blk00000.dat", &f.file);
    assert_ok(bed_import(&b, &path, 1));
    assert_int_equal(b.result.blocks_new, 1);
    assert_int_equal(b.result.blocks_connected, 1);
    bed_assert_print(&b, &prints[HEIGHT]);
    lode_buf_clear(&f.file);
    bed_clear(&b);
}

static void skipped_bytes_are_counted_and_padding_is_not(void **state)
{
    bed b;
    builder f = { .b = &b };
    bed_init(&b, "regtest");
    frames(&f, 0, 50);
    lode_buf_append(&f.file, "0123456789", 10);
    frames(&f, 50, HEIGHT + 1);
    zeros(&f, 777);
    uint64_t len = f.file.len;
    const char *path = bed_write(&b, "input.dat", &f.file);
    assert_ok(bed_import(&b, &path, 1));
    assert_int_equal(b.result.bytes_read, len);
    assert_int_equal(b.result.bytes_skipped, 10);
    assert_int_equal(b.result.undecodable, 0);
    assert_int_equal(b.result.blocks_read, HEIGHT + 1);
    assert_int_equal(b.result.blocks_new, HEIGHT);
    lode_buf_clear(&f.file);
    bed_clear(&b);
}

static int set_up(void **state)
{
    bed b;
    made_chain_make(&chain, 11, HEIGHT, 12);
    bed_init(&b, "regtest");
    bed_open(&b);
    prints[0] = bed_take_print(&b);
    for (int32_t h = 1; h <= HEIGHT; h++) {
        if (h != HEIGHT && h != HEIGHT - 1)
            continue;
        bed_import_chain(&b, &chain, 0, (size_t)h + 1);
        bed_assert_tip(&b, &chain.blocks[h]);
        prints[h] = bed_take_print(&b);
    }
    bed_clear(&b);
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
        cmocka_unit_test(every_good_block_of_a_damaged_file_is_found),
        cmocka_unit_test(so_it_is_under_a_key),
        cmocka_unit_test(so_it_is_in_a_pipe),
        cmocka_unit_test(every_whole_block_of_a_pile_is_found),
        cmocka_unit_test(a_file_goes_on_where_it_was_cut),
        cmocka_unit_test(skipped_bytes_are_counted_and_padding_is_not),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
