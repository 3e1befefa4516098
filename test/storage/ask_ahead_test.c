/* test/storage/ask_ahead_test.c: many gets from a slow disk ask it for blocks ahead: which blocks, and that it is no
 * more than asking. Every read of the env here takes longer than what counts as slow; nothing is measured.
 */
#include "storage/store_test.h"

#include "support/memory_env.h"
#include "support/thread.h"

enum { COUNT = 3000, WANTED = 1200, SLOW_US = 60 };

typedef struct piece {
    const lode_file *file;
    uint64_t offset, len;
} piece;

/* Of the env below: what was asked for, and not yet read. */
static struct {
    lode_mutex lock;
    const lode_env *base;
    piece waiting[WANTED * 2];
    size_t waiting_count, asked, reads;
} disk = { .lock = LODE_MUTEX_INITIALIZER };

static void advise_and_note(lode_env *env, lode_file *file, uint64_t offset, uint64_t len, int advice)
{
    (void)env;
    if (advice != LODE_ADVISE_WILLNEED)
        return;
    lode_mutex_lock(&disk.lock);
    assert_true(disk.waiting_count < sizeof disk.waiting / sizeof disk.waiting[0]);
    disk.waiting[disk.waiting_count++] = (piece){ file, offset, len };
    disk.asked++;
    lode_mutex_unlock(&disk.lock);
}

static lode_status read_slowly(lode_env *env, lode_file *file, size_t *got, void *data, size_t len, uint64_t offset)
{
    lode_mutex_lock(&disk.lock);
    for (size_t i = disk.waiting_count; i--;)
        if (disk.waiting[i].file == file && disk.waiting[i].offset == offset && disk.waiting[i].len == len)
            disk.waiting[i] = disk.waiting[--disk.waiting_count];
    disk.reads++;
    lode_mutex_unlock(&disk.lock);
    usleep(SLOW_US);
    return disk.base->pread(env, file, got, data, len, offset);
}

static void forget_the_past(void)
{
    disk.waiting_count = disk.asked = disk.reads = 0;
}

/* ---- a store with tables on three levels ---- */

typedef struct bed {
    lode_env *memory, env;
    lode_store_options o;
    lode_store *store;
    lode_cache *cache;
} bed;

static size_t make_key(char key[32], int i)
{
    return (size_t)sprintf(key, "key%05d", i);
}

/* Of key i after `changes` rounds of changes: every third is written again, then every seventh is deleted. */
static bool make_value(char value[128], int i, int changes)
{
    if (changes > 1 && i % 7 == 0)
        return false;
    sprintf(value, "value %d of %d, and what makes it so long that blocks are many", changes && i % 3 == 0, i);
    return i < COUNT;
}

static void change(bed *b, int changes)
{
    static const int steps[] = { 1, 3, 7 };
    for (int i = 0; i < COUNT; i += steps[changes]) {
        char key[32], value[128];
        size_t len = make_key(key, i);
        if (make_value(value, i, changes))
            assert_ok(lode_store_put(b->store, key, len, value, strlen(value), 0));
        else
            assert_ok(lode_store_delete(b->store, key, len, 0));
    }
    assert_ok(lode_store_flush(b->store));
}

static void make_bed(bed *b, bool maps, lode_snapshot **after_first)
{
    b->memory = lode_memory_env_create();
    lode_memory_env_allow_map(b->memory, maps);
    b->env = *b->memory;
    disk.base = b->memory;
    b->env.pread = read_slowly;
    b->env.advise = advise_and_note;
    b->cache = lode_cache_create(8 << 20);
    lode_store_options_init(&b->o);
    b->o.env = &b->env;
    b->o.cache = b->cache;
    b->o.create_if_missing = 1;
    b->o.map_tables = maps;
    b->o.compression = LODE_COMPRESSION_NONE;
    b->o.bulk_load = 1; /* nothing is merged, so that the same tables are read all the time */
    assert_ok(lode_store_open(&b->store, "db", &b->o));
    for (int changes = 0; changes < 3; changes++) {
        change(b, changes);
        if (!changes)
            assert_ok(lode_snapshot_take(after_first, b->store));
    }
    forget_the_past();
}

static void clear_bed(bed *b, lode_snapshot *snapshot)
{
    lode_snapshot_release(b->store, snapshot);
    assert_ok(lode_store_close(b->store));
    lode_cache_destroy(b->cache);
    lode_memory_env_destroy(b->memory);
}

/* ---- reading ---- */

typedef struct answers {
    int numbers[WANTED], changes;
    bool is_there[WANTED];
    bool is_slow; /* the visitor takes the time that the disk does not */
} answers;

static void visit(void *context, size_t position, lode_bytes value)
{
    answers *a = context;
    char wanted[128];
    assert_true(position < WANTED && !a->is_there[position]);
    assert_true(make_value(wanted, a->numbers[position], a->changes));
    assert_int_equal(value.len, strlen(wanted));
    assert_memory_equal(value.data, wanted, value.len);
    a->is_there[position] = true;
    if (a->is_slow)
        usleep(SLOW_US);
}

/* Any keys in any order, some of them twice and some that never were. */
static void get_many(bed *b, const lode_snapshot *snapshot, bool slow_visits)
{
    static char texts[WANTED][32];
    static answers a;
    lode_bytes keys[WANTED];
    a = (answers){ .changes = snapshot ? 0 : 2, .is_slow = slow_visits };
    for (int i = 0; i < WANTED; i++) {
        a.numbers[i] = i * 7919 % (COUNT + 500);
        if (i % 50 == 1)
            a.numbers[i] = a.numbers[i - 1];
        keys[i] = (lode_bytes){ texts[i], make_key(texts[i], a.numbers[i]) };
    }
    assert_ok(lode_store_multi_get(b->store, keys, WANTED, snapshot, &a, visit));
    for (int i = 0; i < WANTED; i++) {
        char value[128];
        assert_int_equal(a.is_there[i], make_value(value, a.numbers[i], a.changes));
    }
}

static void blocks_ahead_are_asked_for_and_then_read(void **state)
{
    bed b;
    lode_snapshot *snapshot;
    (void)state;
    make_bed(&b, false, &snapshot);
    get_many(&b, NULL, false);
    assert_true(disk.asked > 50 && disk.reads > 50);
    assert_int_equal(disk.waiting_count, 0); /* each was read afterwards, from its first byte to its last */
    lode_cache_set_capacity(b.cache, 0);
    lode_cache_set_capacity(b.cache, 8 << 20);
    forget_the_past();
    get_many(&b, snapshot, false);
    assert_true(disk.asked > 50);
    assert_int_equal(disk.waiting_count, 0);
    clear_bed(&b, snapshot);
}

static void what_the_cache_has_is_not_asked_for_and_what_it_had_is(void **state)
{
    bed b;
    lode_snapshot *snapshot;
    (void)state;
    make_bed(&b, false, &snapshot);
    get_many(&b, NULL, false);
    forget_the_past();
    get_many(&b, NULL, true);
    assert_int_equal(disk.reads, 0);
    assert_int_equal(disk.asked, 0);
    lode_cache_set_capacity(b.cache, 0);
    lode_cache_set_capacity(b.cache, 8 << 20);
    get_many(&b, NULL, false);
    assert_true(disk.asked > 50 && disk.reads > 50);
    assert_int_equal(disk.waiting_count, 0);
    clear_bed(&b, snapshot);
}

static void mapped_tables_are_not_asked_for(void **state)
{
    bed b;
    lode_snapshot *snapshot;
    (void)state;
    make_bed(&b, true, &snapshot);
    get_many(&b, NULL, true);
    get_many(&b, snapshot, true);
    assert_int_equal(disk.asked, 0);
    assert_int_equal(disk.reads, 0);
    clear_bed(&b, snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_ahead_are_asked_for_and_then_read),
        cmocka_unit_test(what_the_cache_has_is_not_asked_for_and_what_it_had_is),
        cmocka_unit_test(mapped_tables_are_not_asked_for),
    };
    return cmocka_run_group_tests_name("ask ahead", tests, NULL, NULL);
}
