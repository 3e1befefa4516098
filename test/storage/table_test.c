/* test/storage/table_test.c: blocks, filters, tables, memtable and cache, each against a sorted array. */
#include "storage/store_test.h"

#include "storage/block_builder.h"
#include "storage/cache.h"
#include "storage/filter.h"
#include "storage/memtable.h"
#include "storage/one_file_env.h"
#include "storage/table.h"
#include "storage/table_builder.h"
#include "support/memory_env.h"

enum { ENTRIES = 700 };

typedef struct entry {
    uint8_t key[48];
    size_t key_len;
    char value[64];
    size_t value_len;
} entry;

static int by_internal_key(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return lode_compare_internal(NULL, lode_slice_of(x->key, x->key_len), lode_slice_of(y->key, y->key_len));
}

/* Keys of many lengths, beginnings of one another, some in several versions. */
static void make_entries(entry *e, test_random *r)
{
    for (int i = 0; i < ENTRIES; i++) {
        char user[40];
        int n = (int)test_random_below(r, 400);
        int len = n % 5 == 0 ? sprintf(user, "%d", n) : sprintf(user, "key-%04d%s", n, n % 3 ? "" : "-and-a-tail");
        memcpy(e[i].key, user, (size_t)len);
        lode_write_le64(e[i].key + len,
                        lode_trailer_of((uint64_t)i + 1, n % 7 ? LODE_ENTRY_VALUE : LODE_ENTRY_DELETION));
        e[i].key_len = (size_t)len + 8;
        e[i].value_len = n % 7 ? (size_t)sprintf(e[i].value, "value %d of %s", i, user) : 0;
    }
    qsort(e, ENTRIES, sizeof *e, by_internal_key);
}

static lode_slice key_of(const entry *e)
{
    return lode_slice_of(e->key, e->key_len);
}
static lode_slice value_of(const entry *e)
{
    return lode_slice_of(e->value, e->value_len);
}

/* What a search for (user, sequence) must find. */
static lode_lookup expect(const entry *e, lode_slice *value, lode_slice user, uint64_t sequence)
{
    for (int i = 0; i < ENTRIES; i++)
        if (lode_slice_is_equal(lode_user_key(key_of(&e[i])), user) && lode_trailer(key_of(&e[i])) >> 8 <= sequence) {
            *value = value_of(&e[i]);
            return (lode_trailer(key_of(&e[i])) & 0xff) ? LODE_LOOKUP_VALUE : LODE_LOOKUP_DELETED;
        }
    return LODE_LOOKUP_NONE;
}

typedef lode_lookup (*find_function)(void *context, lode_slice *value, lode_slice user, uint64_t sequence);

static void check_searches(const entry *e, find_function find, void *context)
{
    for (int i = 0; i < ENTRIES; i++) {
        lode_slice user = lode_user_key(key_of(&e[i])), wanted, got;
        uint64_t own = lode_trailer(key_of(&e[i])) >> 8, sequences[] = { LODE_MAX_SEQUENCE, own, own - 1 };
        for (int n = 0; n < 3; n++) {
            lode_lookup found = expect(e, &wanted, user, sequences[n]);
            assert_int_equal(find(context, &got, user, sequences[n]), found);
            if (found == LODE_LOOKUP_VALUE)
                assert_true(lode_slice_is_equal(wanted, got));
        }
        uint8_t near[64];
        memcpy(near, user.data, user.len);
        near[user.len] = '!';
        assert_int_equal(find(context, &got, lode_slice_of(near, user.len + 1), LODE_MAX_SEQUENCE),
                         expect(e, &wanted, lode_slice_of(near, user.len + 1), LODE_MAX_SEQUENCE));
        assert_int_equal(find(context, &got, lode_slice_of(near, user.len - 1), LODE_MAX_SEQUENCE),
                         expect(e, &wanted, lode_slice_of(near, user.len - 1), LODE_MAX_SEQUENCE));
    }
}

static void assert_at(const lode_cursor *c, const entry *e, int i)
{
    assert_ok(c->status);
    assert_int_equal(c->valid, i >= 0 && i < ENTRIES);
    if (!c->valid)
        return;
    assert_true(lode_slice_is_equal(c->key, key_of(&e[i])));
    assert_true(lode_slice_is_equal(c->value, value_of(&e[i])));
}

static void check_cursor(lode_cursor *c, const entry *e, test_random *r)
{
    int i = 0;
    assert_non_null(c);
    for (c->ops->seek_first(c), i = 0; i < ENTRIES; c->ops->next(c), i++)
        assert_at(c, e, i);
    assert_at(c, e, -1);
    for (c->ops->seek_last(c), i = ENTRIES - 1; i >= 0; c->ops->prev(c), i--)
        assert_at(c, e, i);
    assert_at(c, e, -1);
    for (int n = 0; n < 3000; n++) { /* here and there, forwards and back */
        i = (int)test_random_below(r, ENTRIES);
        c->ops->seek(c, key_of(&e[i]));
        assert_at(c, e, i);
        for (int step = 0; step < 4 && i >= 0 && i < ENTRIES; step++) {
            if (test_random_below(r, 2))
                c->ops->next(c), i++;
            else
                c->ops->prev(c), i--;
            assert_at(c, e, i);
        }
    }
    lode_cursor_destroy(c);
}

typedef struct block_search {
    lode_block block;
} block_search;

static lode_lookup find_in_block(void *context, lode_slice *value, lode_slice user, uint64_t sequence)
{
    lode_block_fault fault;
    lode_lookup found =
        lode_block_find(&((block_search *)context)->block, NULL, value, &fault, user, lode_seek_trailer(sequence));
    assert_int_equal(fault, LODE_BLOCK_SOUND);
    return found;
}

static void a_block_finds_what_a_sorted_array_finds(void **state)
{
    static entry e[ENTRIES];
    test_random r = test_random_start("table_test", 3);
    (void)state;
    for (unsigned interval = 1; interval < 40; interval = interval * 2 + 1) {
        lode_block_builder b;
        block_search s;
        lode_slice bytes;
        make_entries(e, &r);
        lode_block_builder_init(&b, interval);
        for (int i = 0; i < ENTRIES; i++)
            lode_block_builder_add(&b, key_of(&e[i]), value_of(&e[i]));
        assert_true(lode_block_builder_finish(&b, &bytes));
        assert_true(lode_block_init(&s.block, bytes));
        check_searches(e, find_in_block, &s);
        lode_block_builder_clear(&b);
    }
}

static lode_lookup find_in_table(void *context, lode_slice *value, lode_slice user, uint64_t sequence)
{
    lode_lookup found;
    lode_table_pin pin;
    int step;
    assert_ok(lode_table_find(context, &found, value, &pin, &step, user, lode_filter_hash(user.data, user.len),
                              lode_seek_trailer(sequence)));
    static char kept[128];
    if (found == LODE_LOOKUP_VALUE && value->len < sizeof kept) {
        memcpy(kept, value->data, value->len);
        value->data = (const uint8_t *)kept;
    }
    lode_table_pin_release(&pin);
    return found;
}

static void a_table_finds_and_shows_what_was_put_in(void **state)
{
    static entry e[ENTRIES];
    test_random r = test_random_start("table_test", 4);
    (void)state;
    for (int n = 0; n < 16; n++) {
        lode_env *memory = lode_memory_env_create();
        lode_table_options o = { .block_bytes = n & 1 ? 200 : 5000,
                                 .restart_interval = n & 2 ? 3 : 16,
                                 .bloom_bits_per_key = n & 4 ? 10 : 0,
                                 .compression = n & 8 ? LODE_COMPRESSION_SNAPPY : LODE_COMPRESSION_NONE };
        lode_table_builder *b;
        lode_buf file = LODE_BUF_EMPTY;
        make_entries(e, &r);
        assert_ok(lode_table_builder_create(&b, memory, "t", &o));
        for (int i = 0; i < ENTRIES; i++)
            assert_ok(lode_table_builder_add(b, key_of(&e[i]), value_of(&e[i])));
        assert_true(lode_slice_is_equal(lode_table_builder_first_key(b), key_of(&e[0])));
        assert_true(lode_slice_is_equal(lode_table_builder_last_key(b), key_of(&e[ENTRIES - 1])));
        assert_ok(lode_table_builder_finish(b, true));
        assert_ok(lode_env_read_file(memory, &file, "t", 1 << 20));
        assert_int_equal(file.len, lode_table_builder_bytes(b));
        lode_table_builder_destroy(b);
        for (int mapped = 0; mapped < 2; mapped++) {
            one_file_env one;
            lode_env *env = one_file_env_init(&one, file.data, file.len, mapped);
            lode_cache *cache = n % 3 ? lode_cache_create(10000) : NULL;
            lode_table_read_options read = { .cache = cache, .verify_checksums = true, .use_filter = true };
            lode_cursor_options options = { .fill_cache = true };
            lode_table *t;
            assert_code(LODE_CORRUPT, lode_table_open(&t, env, "t", file.len - 1, &read));
            assert_ok(lode_table_open(&t, env, "t", file.len, &read));
            check_searches(e, find_in_table, t);
            check_cursor(lode_table_cursor(t, &options), e, &r);
            uint64_t before = 0;
            for (int i = 0; i < ENTRIES; i++) {
                uint64_t at = lode_table_approximate_offset(t, key_of(&e[i]));
                assert_true(at >= before && at <= file.len);
                before = at;
            }
            lode_table_unref(t);
            lode_cache_destroy(cache);
        }
        lode_buf_clear(&file);
        lode_memory_env_destroy(memory);
    }
}

static void a_damaged_table_is_refused_without_allocating_for_it(void **state)
{
    static const struct {
        const char *handles; /* of the footer: metaindex and index */
        size_t len;
    } bad[] = {
        { "\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10", 13 }, /* offset 2^64 - 1 */
        { "\0\0\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13 }, /* length 2^64 - 1 */
        { "\0\0\xf0\xff\xff\xff\xff\xff\xff\xff\xff\x01\xf0\xff\xff\xff\xff\xff\xff\xff\xff\x01",
          22 },                            /* their sum wraps */
        { "\0\0\x05\x80\x80\x80\x10", 7 }, /* 32 MiB of 100 bytes */
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        for (int mapped = 0; mapped < 2; mapped++) {
            uint8_t file[100] = { 0 };
            one_file_env one;
            lode_env *env = one_file_env_init(&one, file, sizeof file, mapped);
            lode_table_read_options read = { .verify_checksums = true };
            lode_table *t;
            memcpy(file + 52, bad[i].handles, bad[i].len);
            lode_write_le64(file + 92, LODE_TABLE_MAGIC);
            assert_code(LODE_CORRUPT, lode_table_open(&t, env, "t", 0, &read));
            file[99] ^= 1;
            assert_code(LODE_CORRUPT, lode_table_open(&t, env, "t", 0, &read));
            one.len = 47;
            assert_code(LODE_CORRUPT, lode_table_open(&t, env, "t", 0, &read));
        }
}

static void a_filter_lets_its_keys_through_and_few_others(void **state)
{
    lode_filter_builder b;
    lode_filter_reader r;
    lode_slice block;
    char key[32];
    int wrong = 0;
    (void)state;
    lode_filter_builder_init(&b, 10, NULL);
    for (int i = 0; i < 2000; i++) {
        if (i % 100 == 0)
            lode_filter_builder_start_block(&b, (uint64_t)i * 50);
        lode_filter_builder_add(&b, lode_slice_of(key, (size_t)sprintf(key, "key %d", i)));
    }
    assert_true(lode_filter_builder_finish(&b, &block));
    assert_true(lode_filter_reader_init(&r, block));
    for (int i = 0; i < 2000; i++) {
        uint64_t at = (uint64_t)(i / 100 * 100) * 50;
        int len = sprintf(key, "key %d", i);
        assert_true(lode_filter_may_match(&r, at, lode_filter_hash(key, (size_t)len)));
        len = sprintf(key, "other %d", i);
        wrong += lode_filter_may_match(&r, at, lode_filter_hash(key, (size_t)len));
    }
    assert_true(wrong < 60); /* three in a hundred would be too many; one is usual */
    assert_false(lode_filter_reader_init(&r, lode_slice_of("abcd", 4)));
    assert_true(lode_filter_may_match(&r, 0, 1)); /* one that is none lets everything through */
    lode_filter_builder_clear(&b);
}

static lode_lookup find_in_memtable(void *context, lode_slice *value, lode_slice user, uint64_t sequence)
{
    return lode_memtable_find(context, value, user, lode_filter_hash(user.data, user.len), sequence);
}

static void a_memtable_finds_and_shows_what_was_put_in(void **state)
{
    static entry e[ENTRIES];
    test_random r = test_random_start("table_test", 5);
    (void)state;
    for (int n = 0; n < 4; n++) {
        lode_memtable *m = lode_memtable_create(NULL, n % 2 ? 100 : 1 << 20);
        int order[ENTRIES];
        lode_slice smallest, largest;
        make_entries(e, &r);
        assert_false(lode_memtable_range(m, &smallest, &largest));
        for (int i = 0; i < ENTRIES; i++)
            order[i] = i;
        for (int i = ENTRIES - 1; i > 0 && n < 3; i--) { /* shuffled, or in order, which takes the short way */
            int j = (int)test_random_below(&r, (uint64_t)i + 1), swap = order[i];
            order[i] = order[j];
            order[j] = swap;
        }
        for (int i = 0; i < ENTRIES; i++) {
            const entry *x = &e[order[i]];
            uint64_t trailer = lode_trailer(key_of(x));
            assert_true(lode_memtable_add(m, trailer >> 8, (lode_entry_type)(trailer & 0xff), lode_user_key(key_of(x)),
                                          value_of(x)));
        }
        assert_int_equal(lode_memtable_count(m), ENTRIES);
        check_searches(e, find_in_memtable, m);
        check_cursor(lode_memtable_cursor(m), e, &r);
        assert_true(lode_memtable_range(m, &smallest, &largest));
        assert_true(lode_slice_is_equal(smallest, lode_user_key(key_of(&e[0]))));
        assert_true(lode_slice_is_equal(largest, lode_user_key(key_of(&e[ENTRIES - 1]))));
        lode_memtable_unref(m);
    }
}

static lode_cache_entry *put_in_cache(lode_cache *cache, uint64_t owner, uint64_t offset, uint8_t byte)
{
    lode_cache_entry *e = lode_cache_entry_create(owner, offset, 100);
    memset(e->data, byte, 100);
    lode_cache_insert(cache, e);
    return e;
}

static void a_cache_keeps_what_is_used_and_what_is_pinned(void **state)
{
    lode_cache *cache = lode_cache_create(64 << 10);
    (void)state;
    lode_cache_entry *pinned = put_in_cache(cache, 1, 0, 'p');
    for (uint64_t i = 0; i < 5000; i++) {
        lode_cache_unpin(cache, put_in_cache(cache, 2, i * 4096, (uint8_t)i));
        lode_cache_entry *hot = lode_cache_find(cache, 2, 0);
        assert_non_null(hot);
        assert_int_equal(hot->data[99], 0);
        lode_cache_unpin(cache, hot);
    }
    assert_true(lode_cache_bytes(cache) <= 64 << 10);
    assert_null(lode_cache_find(cache, 2, 4096));
    assert_int_equal(pinned->data[50], 'p');
    lode_cache_unpin(cache, pinned);
    lode_cache_set_capacity(cache, 0);
    assert_int_equal(lode_cache_bytes(cache), 0);
    lode_cache_entry *alone = put_in_cache(cache, 3, 0, 'a'); /* larger than all the room: kept by its pin alone */
    assert_null(lode_cache_find(cache, 3, 0));
    lode_cache_unpin(cache, alone);
    lode_cache_destroy(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_finds_what_a_sorted_array_finds),
        cmocka_unit_test(a_table_finds_and_shows_what_was_put_in),
        cmocka_unit_test(a_damaged_table_is_refused_without_allocating_for_it),
        cmocka_unit_test(a_filter_lets_its_keys_through_and_few_others),
        cmocka_unit_test(a_memtable_finds_and_shows_what_was_put_in),
        cmocka_unit_test(a_cache_keeps_what_is_used_and_what_is_pinned),
    };
    return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
