/* test/leveldb/calls_random.c: random steps, the same for every library, and a number of all that was read. */
#include "leveldb/calls.h"

enum { STEPS = 10000, STEPS_PER_LINE = 2000, KEYS = 300, HELD = 3 };

typedef struct world {
    uint64_t random, digest;
    const char *path;
    leveldb_t *db;
    leveldb_options_t *options;
    leveldb_filterpolicy_t *filter;
    leveldb_cache_t *cache;
    const leveldb_snapshot_t *snapshots[HELD];
    leveldb_iterator_t *iterators[HELD];
} world;

static uint64_t below(world *w, uint64_t limit)
{
    uint64_t z = (w->random += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (z ^ z >> 31) % limit;
}

static void note(world *w, const char *data, size_t len)
{
    w->digest = (w->digest ^ (data ? len + 1 : 0)) * UINT64_C(0x100000001b3);
    for (size_t i = 0; data && i < len; i++)
        w->digest = (w->digest ^ (unsigned char)data[i]) * UINT64_C(0x100000001b3);
}

/* Of any bytes, and of few lengths and beginnings, so that they share much. */
static size_t random_key(world *w, char key[16])
{
    uint64_t n = below(w, KEYS) * UINT64_C(0x9e3779b97f4a7c15);
    size_t len = n % 5 ? 4 + n % 5 : n % 3;
    for (size_t i = 0; i < len; i++)
        key[i] = (char)(i < 2 ? n >> 60 : n >> (i * 7));
    return len;
}

static size_t random_value(world *w, char value[4096])
{
    size_t len = below(w, 40) ? below(w, 120) : below(w, 4096);
    uint64_t n = below(w, UINT64_MAX);
    for (size_t i = 0; i < len; i++)
        value[i] = (char)(i % 3 ? n >> (i % 8 * 8) : i);
    return len;
}

/* ---- steps ---- */

static void change_one(world *w)
{
    char key[16], value[4096], *error = NULL;
    size_t key_len = random_key(w, key), value_len = random_value(w, value);
    leveldb_writeoptions_t *o = leveldb_writeoptions_create();
    leveldb_writeoptions_set_sync(o, below(w, 1000) == 0);
    if (below(w, 4))
        leveldb_put(w->db, o, key, key_len, value, value_len, &error);
    else
        leveldb_delete(w->db, o, key, key_len, &error);
    must(error, "change");
    leveldb_writeoptions_destroy(o);
}

static void change_many(world *w)
{
    char key[16], value[4096], *error = NULL;
    leveldb_writeoptions_t *o = leveldb_writeoptions_create();
    leveldb_writebatch_t *batches[2] = { leveldb_writebatch_create(), leveldb_writebatch_create() };
    for (uint64_t n = below(w, 30); n; n--) {
        leveldb_writebatch_t *b = batches[below(w, 2)];
        size_t key_len = random_key(w, key), value_len = random_value(w, value);
        if (below(w, 3))
            leveldb_writebatch_put(b, key, key_len, value, value_len);
        else
            leveldb_writebatch_delete(b, key, key_len);
    }
    leveldb_writebatch_append(batches[0], batches[1]);
    leveldb_write(w->db, o, batches[0], &error);
    must(error, "batch");
    leveldb_writebatch_destroy(batches[0]);
    leveldb_writebatch_destroy(batches[1]);
    leveldb_writeoptions_destroy(o);
}

static leveldb_readoptions_t *random_read(world *w)
{
    leveldb_readoptions_t *r = leveldb_readoptions_create();
    leveldb_readoptions_set_snapshot(r, below(w, 2) ? w->snapshots[below(w, HELD)] : NULL);
    leveldb_readoptions_set_fill_cache(r, (uint8_t)below(w, 2));
    leveldb_readoptions_set_verify_checksums(r, (uint8_t)below(w, 2));
    return r;
}

static void read_one(world *w)
{
    char key[16], *error = NULL;
    size_t key_len = random_key(w, key), len;
    leveldb_readoptions_t *r = random_read(w);
    char *value = leveldb_get(w->db, r, key, key_len, &len, &error);
    must(error, "get");
    note(w, value, len);
    leveldb_free(value);
    leveldb_readoptions_destroy(r);
}

static void place(world *w, leveldb_iterator_t *it)
{
    char key[16];
    size_t len = random_key(w, key);
    switch (below(w, 6)) {
    case 0:
        leveldb_iter_seek_to_first(it);
        break;
    case 1:
        leveldb_iter_seek_to_last(it);
        break;
    default:
        leveldb_iter_seek(it, key, len);
    }
}

static void walk(world *w, leveldb_iterator_t *it)
{
    char *error = NULL;
    if (!leveldb_iter_valid(it) || below(w, 2))
        place(w, it);
    for (uint64_t n = below(w, 25); n; n--) {
        size_t len = 0;
        if (!leveldb_iter_valid(it)) {
            note(w, NULL, 0);
            place(w, it);
            continue;
        }
        const char *data = leveldb_iter_key(it, &len);
        note(w, data, len);
        data = leveldb_iter_value(it, &len);
        note(w, data, len);
        if (below(w, 3))
            leveldb_iter_next(it);
        else
            leveldb_iter_prev(it);
    }
    leveldb_iter_get_error(it, &error);
    must(error, "walk");
}

static void hold_or_walk(world *w)
{
    leveldb_iterator_t **it = &w->iterators[below(w, HELD)];
    leveldb_readoptions_t *r = random_read(w);
    if (!*it)
        *it = leveldb_create_iterator(w->db, r);
    walk(w, *it);
    if (below(w, 4) == 0) {
        leveldb_iter_destroy(*it);
        *it = NULL;
    }
    leveldb_readoptions_destroy(r);
}

static void hold_moment(world *w)
{
    const leveldb_snapshot_t **s = &w->snapshots[below(w, HELD)];
    if (*s)
        leveldb_release_snapshot(w->db, *s);
    *s = below(w, 3) ? leveldb_create_snapshot(w->db) : NULL;
}

static void compact(world *w)
{
    char start[16], limit[16];
    size_t start_len = random_key(w, start), limit_len = random_key(w, limit);
    leveldb_compact_range(w->db, below(w, 2) ? start : NULL, start_len, below(w, 2) ? limit : NULL, limit_len);
}

/* ---- opening with other options each time ---- */

static void open_somehow(world *w)
{
    leveldb_options_t *o = w->options = leveldb_options_create();
    leveldb_options_set_create_if_missing(o, 1);
    leveldb_options_set_paranoid_checks(o, (uint8_t)below(w, 2));
    leveldb_options_set_write_buffer_size(o, 65536 << below(w, 4));
    leveldb_options_set_block_size(o, 1024 << below(w, 4));
    leveldb_options_set_block_restart_interval(o, 1 + (int)below(w, 20));
    leveldb_options_set_compression(o, (int)below(w, 2));
    w->filter = below(w, 2) ? leveldb_filterpolicy_create_bloom(1 + (int)below(w, 20)) : NULL;
    leveldb_options_set_filter_policy(o, w->filter);
    w->cache = below(w, 2) ? leveldb_cache_create_lru(below(w, 100000)) : NULL;
    if (w->cache)
        leveldb_options_set_cache(o, w->cache);
    w->db = open_db(w->path, o);
}

static void close_properly(world *w)
{
    for (int i = 0; i < HELD; i++) {
        if (w->iterators[i])
            leveldb_iter_destroy(w->iterators[i]);
        if (w->snapshots[i])
            leveldb_release_snapshot(w->db, w->snapshots[i]);
        w->iterators[i] = NULL;
        w->snapshots[i] = NULL;
    }
    leveldb_close(w->db);
    leveldb_options_destroy(w->options);
    if (w->filter)
        leveldb_filterpolicy_destroy(w->filter);
    if (w->cache)
        leveldb_cache_destroy(w->cache);
}

static void take_step(world *w)
{
    uint64_t n = below(w, 1000);
    if (n < 550)
        change_one(w);
    else if (n < 600)
        change_many(w);
    else if (n < 850)
        read_one(w);
    else if (n < 960)
        hold_or_walk(w);
    else if (n < 990)
        hold_moment(w);
    else if (n < 994)
        compact(w);
    else if (n < 996) {
        close_properly(w);
        open_somehow(w);
    } else
        note(w, NULL, 0);
}

void random_steps(const char *directory, const char *seed)
{
    world w = { .random = strtoull(seed, NULL, 0), .digest = UINT64_C(0xcbf29ce484222325) };
    char *path = path_in(directory, "random");
    w.path = path;
    open_somehow(&w);
    for (int i = 1; i <= STEPS; i++) {
        take_step(&w);
        if (i % STEPS_PER_LINE == 0)
            printf("%d: %016llx\n", i, (unsigned long long)w.digest);
    }
    close_properly(&w);
    free(path);
}
