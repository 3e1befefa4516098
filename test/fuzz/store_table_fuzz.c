/* test/fuzz/store_table_fuzz.c: any bytes are a table, a block or a filter that reads or is damaged.
 *
 * Input: kind u8 (0 table, 1 table that is mapped, 2 block, 3 filter block, 4 snappy stream), then the bytes. What a
 * scan shows forwards it shows backwards, in tables whose keys ascend, and a search finds it. A stream means to us what
 * it means to libsnappy.
 */
#include <snappy-c.h>

#include "storage/block.h"
#include "storage/filter.h"
#include "storage/table.h"
#include "storage/unpack.h"

#include "test/fuzz/fuzz.h"
#include "test/storage/one_file_env.h"

static void walk_block(const uint8_t *data, size_t len)
{
    lode_block block;
    lode_block_cursor c;
    size_t forwards = 0, backwards = 0;
    if (!lode_block_init(&block, lode_slice_of(data, len)))
        return;
    lode_block_cursor_init(&c, NULL);
    lode_block_cursor_use(&c, &block);
    for (lode_block_cursor_seek_first(&c); c.valid; lode_block_cursor_next(&c)) {
        lode_slice value;
        lode_block_fault fault;
        forwards++;
        lode_block_find(&block, NULL, &value, &fault, lode_user_key(c.key), lode_trailer(c.key));
    }
    bool was_bad = c.bad;
    lode_block_cursor_use(&c, &block);
    for (lode_block_cursor_seek_last(&c); c.valid && backwards <= len; lode_block_cursor_prev(&c))
        backwards++;
    FUZZ_CHECK(forwards <= len && (was_bad || c.bad || backwards <= len));
    lode_block_cursor_use(&c, &block);
    lode_block_cursor_seek(&c, lode_slice_of("abc\1\0\0\0\0\0\0\0", 11));
    while (c.valid)
        lode_block_cursor_next(&c);
    lode_block_cursor_clear(&c);
}

static void ask_filter(const uint8_t *data, size_t len)
{
    lode_filter_reader r;
    lode_filter_reader_init(&r, lode_slice_of(data, len));
    for (uint64_t offset = 0; offset < 20000; offset += 1000)
        for (uint32_t hash = 1; hash; hash <<= 3)
            lode_filter_may_match(&r, offset, hash);
}

static void find_current(lode_table *t, const lode_cursor *c, bool ascends)
{
    lode_lookup found;
    lode_slice value, user = lode_user_key(c->key);
    lode_table_pin pin = { 0 };
    int step;
    lode_status s = lode_table_find(t, &found, &value, &pin, &step, user, lode_filter_hash(user.data, user.len),
                                    lode_trailer(c->key));
    if (!lode_failed(s) && ascends && found == LODE_LOOKUP_VALUE && (lode_trailer(c->key) & 0xff) == LODE_ENTRY_VALUE)
        FUZZ_CHECK(lode_slice_is_equal(value, c->value));
    lode_table_pin_release(&pin);
}

static void walk_table(const uint8_t *data, size_t len, bool mapped)
{
    one_file_env e;
    lode_env *env = one_file_env_init(&e, data, len, mapped);
    lode_cache *cache = lode_cache_create(1 << 16);
    lode_table_read_options options = { .cache = cache, .verify_checksums = true, .use_filter = true };
    lode_cursor_options cursor_options = { .fill_cache = true };
    lode_table *t;
    FUZZ_CHECK(cache);
    lode_status s = lode_table_open(&t, env, "table", 0, &options);
    if (lode_failed(s)) {
        FUZZ_CHECK(s.code == LODE_CORRUPT || s.code == LODE_UNSUPPORTED);
        lode_cache_destroy(cache);
        return;
    }
    lode_cursor *c = lode_table_cursor(t, &cursor_options);
    lode_buf last = LODE_BUF_EMPTY;
    bool ascends = true;
    size_t steps = 0;
    FUZZ_CHECK(c);
    for (c->ops->seek_first(c); c->valid && steps < 10000; c->ops->next(c), steps++) {
        if (last.len && lode_compare_internal(NULL, lode_buf_slice(&last), c->key) >= 0)
            ascends = false;
        lode_buf_reset(&last);
        lode_buf_append(&last, c->key.data, c->key.len);
        find_current(t, c, ascends);
    }
    for (c->ops->seek_last(c), steps = 0; c->valid && steps < 10000; steps++)
        c->ops->prev(c);
    lode_cursor_destroy(c);
    lode_buf_clear(&last);
    lode_table_unref(t);
    lode_cache_destroy(cache);
}

static void unpack_stream(const uint8_t *data, size_t len)
{
    size_t ours, theirs;
    bool has_length = lode_unpack_length(&ours, data, len);
    FUZZ_CHECK(has_length == (snappy_uncompressed_length((const char *)data, len, &theirs) == SNAPPY_OK));
    if (!has_length || ours > (1 << 20))
        return;
    FUZZ_CHECK(ours == theirs);
    uint8_t *a = malloc(ours + LODE_UNPACK_SLACK);
    char *b = malloc(theirs + 1);
    FUZZ_CHECK(a && b);
    bool is_good = lode_unpack(a, ours, data, len);
    FUZZ_CHECK(is_good == (snappy_uncompress((const char *)data, len, b, &theirs) == SNAPPY_OK));
    FUZZ_CHECK(!is_good || memcmp(a, b, ours) == 0);
    free(a);
    free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (!len)
        return 0;
    switch (data[0] % 5) {
    case 0:
    case 1:
        walk_table(data + 1, len - 1, data[0] % 5 == 1);
        break;
    case 2:
        walk_block(data + 1, len - 1);
        break;
    case 3:
        ask_filter(data + 1, len - 1);
        break;
    default:
        unpack_stream(data + 1, len - 1);
    }
    return 0;
}
