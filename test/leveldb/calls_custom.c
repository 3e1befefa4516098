/* test/leveldb/calls_custom.c: orders and filters of the caller's, and stores that one library writes for the other. */
#include "leveldb/calls.h"

/* ---- an order: the other way round ---- */

typedef struct order {
    const char *name;
    int destroyed;
    int reads_numbers; /* "0x10" and "16" are one key */
} order;

static int order_compare(void *state, const char *a, size_t a_len, const char *b, size_t b_len)
{
    const order *o = state;
    if (o->reads_numbers) {
        char x[32] = { 0 }, y[32] = { 0 };
        memcpy(x, a, a_len < 31 ? a_len : 31);
        memcpy(y, b, b_len < 31 ? b_len : 31);
        long long m = strtoll(x, NULL, 0), n = strtoll(y, NULL, 0);
        return m < n ? -1 : m > n;
    }
    size_t least = a_len < b_len ? a_len : b_len;
    int c = memcmp(b, a, least);
    return c ? (c < 0 ? -128 : 127) : b_len < a_len ? -7 : b_len > a_len;
}

static const char *order_name(void *state)
{
    return ((order *)state)->name;
}

static void order_destroyed(void *state)
{
    ((order *)state)->destroyed++;
}

static leveldb_comparator_t *comparator_of(order *o)
{
    return leveldb_comparator_create(o, order_destroyed, order_compare, order_name);
}

static leveldb_options_t *options_for(leveldb_comparator_t *comparator)
{
    leveldb_options_t *o = leveldb_options_create();
    leveldb_options_set_create_if_missing(o, 1);
    leveldb_options_set_write_buffer_size(o, 100000);
    if (comparator)
        leveldb_options_set_comparator(o, comparator);
    return o;
}

static void try_open(const char *what, const leveldb_options_t *options, const char *path)
{
    char *error = NULL;
    leveldb_t *db = leveldb_open(options, path, &error);
    tell(what, &error);
    if (db)
        leveldb_close(db);
}

static void refuse_others(const char *path)
{
    order other = { .name = "another order" };
    leveldb_comparator_t *c = comparator_of(&other);
    leveldb_options_t *o = options_for(c), *plain = options_for(NULL);
    char *error = NULL;
    printf("another comparator: %s\n", leveldb_open(o, path, &error) ? "a store" : "NULL");
    tell("its error", &error);
    printf("no comparator: %s\n", leveldb_open(plain, path, &error) ? "a store" : "NULL");
    tell("its error", &error);
    leveldb_options_destroy(o);
    leveldb_options_destroy(plain);
    leveldb_comparator_destroy(c);
    tell_number("destroyed", other.destroyed);
}

static void equal_keys_of_other_bytes(const char *directory)
{
    char *path = path_in(directory, "numbers");
    order numbers = { .name = "numbers", .reads_numbers = 1 };
    leveldb_comparator_t *c = comparator_of(&numbers);
    leveldb_options_t *o = options_for(c);
    leveldb_t *db = open_db(path, o);
    for (int round = 0; round < 2; round++) {
        put(db, "100", "hundred");
        put(db, "20", "twenty");
        put(db, "0x14", "twenty, in hex");
        put(db, "3", "three");
        tell_value(db, "20");
        tell_value(db, "0x64");
        tell_value(db, "0x65");
        drop(db, "0x3");
        leveldb_compact_range(db, "0x0", 3, "0xffff", 6);
        tell_all("by number", db, NULL);
        tell_value(db, "0x14");
        tell_value(db, "3");
    }
    leveldb_close(db);
    leveldb_options_destroy(o);
    leveldb_comparator_destroy(c);
    free(path);
}

/* Its own order under the usual name: whoever does that must go on with it, and may. */
static void the_usual_name(const char *directory)
{
    char *path = path_in(directory, "usual-name");
    order usual = { .name = "leveldb.BytewiseComparator" };
    leveldb_comparator_t *c = comparator_of(&usual);
    leveldb_options_t *o = options_for(c);
    leveldb_t *db = open_db(path, o);
    put(db, "a", "1");
    put(db, "b", "2");
    tell_all("backwards under the usual name", db, NULL);
    leveldb_close(db);
    leveldb_options_destroy(o);
    leveldb_comparator_destroy(c);
    free(path);
}

static int count_of_many(leveldb_t *db)
{
    leveldb_readoptions_t *r = leveldb_readoptions_create();
    int count = count_many(db, r);
    leveldb_readoptions_destroy(r);
    return count;
}

void comparators(const char *directory)
{
    char *path = path_in(directory, "backwards");
    order backwards = { .name = "backwards" };
    leveldb_comparator_t *c = comparator_of(&backwards);
    leveldb_options_t *o = options_for(c);
    leveldb_t *db = open_db(path, o);
    put(db, "a", "1");
    put(db, "ab", "2");
    put(db, "b", "3");
    put(db, "", "0");
    tell_all("backwards", db, NULL);
    leveldb_close(db);
    refuse_others(path);
    db = open_db(path, o);
    tell_all("backwards again", db, NULL);
    drop(db, "a");
    drop(db, "ab");
    drop(db, "b");
    drop(db, "");
    put_many(db);
    tell_number("of many, backwards", count_of_many(db));
    leveldb_compact_range(db, "key01", 5, "key00", 5);
    leveldb_compact_range(db, NULL, 0, NULL, 0);
    leveldb_close(db);
    try_open("open again", o, path);
    leveldb_options_destroy(o);
    leveldb_comparator_destroy(c);
    tell_number("destroyed", backwards.destroyed);
    equal_keys_of_other_bytes(directory);
    the_usual_name(directory);
    free(path);
}

/* ---- a filter: the last byte of every key ---- */

typedef struct sieve {
    const char *name;
    int destroyed, made, asked, refused;
    int always; /* what to answer, when not 2 */
} sieve;

static char *sieve_create(void *state, const char *const *keys, const size_t *lens, int count, size_t *len)
{
    char *filter = malloc((size_t)count + 1);
    __atomic_add_fetch(&((sieve *)state)->made, 1, __ATOMIC_RELAXED);
    *len = 0;
    for (int i = 0; i < count; i++)
        if (lens[i])
            filter[(*len)++] = keys[i][lens[i] - 1];
    filter[(*len)++] = '!';
    return filter;
}

static uint8_t sieve_may_match(void *state, const char *key, size_t key_len, const char *filter, size_t len)
{
    sieve *s = state;
    s->asked++;
    if (!len || filter[len - 1] != '!')
        printf("FAILED: that is none of our filters\n");
    int answer = s->always != 2 ? s->always : !key_len || memchr(filter, key[key_len - 1], len - 1) != NULL;
    s->refused += !answer;
    return (uint8_t)answer;
}

static const char *sieve_name(void *state)
{
    return ((sieve *)state)->name;
}

static void sieve_destroyed(void *state)
{
    ((sieve *)state)->destroyed++;
}

static leveldb_filterpolicy_t *policy_of(sieve *s)
{
    return leveldb_filterpolicy_create(s, sieve_destroyed, sieve_create, sieve_may_match, sieve_name);
}

static void put_table(leveldb_t *db)
{
    put(db, "foo", "foovalue");
    put(db, "bar", "barvalue");
    put(db, "", "of the empty key");
    leveldb_compact_range(db, NULL, 0, NULL, 0);
}

void filters(const char *directory)
{
    char *path = path_in(directory, "filters");
    sieve s = { .name = "last bytes", .always = 2 };
    leveldb_filterpolicy_t *p = policy_of(&s);
    leveldb_options_t *o = options_for(NULL);
    leveldb_options_set_filter_policy(o, p);
    leveldb_t *db = open_db(path, o);
    put_table(db);
    printf("filters are made: %s\n", s.made ? "yes" : "no");
    tell_value(db, "foo");
    tell_value(db, "bar");
    tell_value(db, "");
    int refused = s.refused;
    tell_value(db, "cat");
    printf("cat is refused by the filter: %s\n", s.refused > refused ? "yes" : "no");
    s.always = 0; /* then nothing is found */
    tell_value(db, "foo");
    tell_value(db, "bar");
    s.always = 1;
    tell_value(db, "foo");
    tell_value(db, "cat");
    s.always = 2;
    leveldb_close(db);

    printf("-- opened with another filter\n");
    sieve other = { .name = "another", .always = 0 };
    leveldb_filterpolicy_t *q = policy_of(&other);
    leveldb_options_set_filter_policy(o, q);
    db = open_db(path, o);
    tell_value(db, "foo");
    printf("the other was asked: %s\n", other.asked ? "yes" : "no");
    leveldb_close(db);

    printf("-- and with the usual one\n");
    leveldb_filterpolicy_t *bloom = leveldb_filterpolicy_create_bloom(10);
    leveldb_options_set_filter_policy(o, bloom);
    db = open_db(path, o);
    tell_value(db, "foo");
    tell_value(db, "cat");
    put_many(db);
    leveldb_compact_range(db, NULL, 0, NULL, 0);
    tell_number("of many", count_of_many(db));
    leveldb_close(db);
    leveldb_options_destroy(o);
    leveldb_filterpolicy_destroy(bloom);
    leveldb_filterpolicy_destroy(p);
    leveldb_filterpolicy_destroy(q);
    tell_number("destroyed", s.destroyed + other.destroyed);
    free(path);
}

/* ---- one writes, the other reads ---- */

typedef struct kind {
    const char *name;
    int backwards, filter, compact, snappy; /* filter: 0 none, 1 bloom, 2 a sieve */
} kind;

static const kind kinds[] = {
    { "plain", 0, 0, 0, 0 },        { "snappy", 0, 0, 1, 1 },       { "bloom", 0, 1, 1, 1 },
    { "sieve", 0, 2, 1, 0 },        { "sieve-in-log", 0, 2, 0, 1 }, { "order", 1, 0, 0, 1 },
    { "order-tables", 1, 0, 1, 1 }, { "order-bloom", 1, 1, 1, 0 },  { "order-sieve", 1, 2, 1, 1 },
};

static void use_kind(const char *directory, const kind *k, int writes)
{
    char *path = path_in(directory, k->name), *error = NULL;
    order backwards = { .name = "backwards" };
    sieve s = { .name = "last bytes", .always = 2 };
    leveldb_comparator_t *c = comparator_of(&backwards);
    leveldb_filterpolicy_t *p = k->filter == 2 ? policy_of(&s) : leveldb_filterpolicy_create_bloom(10);
    leveldb_options_t *o = options_for(k->backwards ? c : NULL), *wrong = options_for(k->backwards ? NULL : c);
    leveldb_options_set_compression(o, k->snappy ? leveldb_snappy_compression : leveldb_no_compression);
    leveldb_options_set_filter_policy(o, k->filter ? p : NULL);
    leveldb_options_set_create_if_missing(o, (uint8_t)writes);
    leveldb_t *db = open_db(path, o);
    if (writes) {
        put_many(db);
        put(db, "", "of the empty key");
        put(db, "gone", "gone");
        if (k->compact)
            leveldb_compact_range(db, NULL, 0, NULL, 0);
        drop(db, "gone");
        leveldb_close(db);
    } else {
        char key[32];
        size_t key_len, len, first_len = make_key(key, k->backwards ? MANY - 1 : 0);
        leveldb_readoptions_t *r = leveldb_readoptions_create();
        printf("-- %s\n", k->name);
        tell_number("of many", count_many(db, r));
        tell_value(db, "");
        tell_value(db, "gone");
        tell_value(db, "none");
        leveldb_iterator_t *it = leveldb_create_iterator(db, r);
        leveldb_iter_seek_to_first(it);
        if (!k->backwards)
            leveldb_iter_next(it); /* over the empty key */
        const char *got = leveldb_iter_key(it, &key_len);
        printf("the first key: %s\n", key_len == first_len && memcmp(got, key, key_len) == 0 ? "right" : "wrong");
        for (len = 1; leveldb_iter_valid(it); leveldb_iter_next(it))
            len++;
        leveldb_iter_get_error(it, &error);
        must(error, k->name);
        tell_number("pairs", (long long)(k->backwards ? len - 1 : len));
        leveldb_iter_destroy(it);
        leveldb_readoptions_destroy(r);
        printf("the filter was asked: %s\n", s.asked && k->filter == 2 ? "yes" : "no");
        leveldb_close(db);
        try_open("with the wrong comparator", wrong, path);
    }
    leveldb_options_destroy(o);
    leveldb_options_destroy(wrong);
    leveldb_filterpolicy_destroy(p);
    leveldb_comparator_destroy(c);
    free(path);
}

void write_kinds(const char *directory)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        use_kind(directory, &kinds[i], 1);
}

void read_kinds(const char *directory)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        use_kind(directory, &kinds[i], 0);
}
