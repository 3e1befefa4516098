/* test/leveldb/calls_upkeep.c: properties, sizes, compaction, damage, repair and removal. */
#include "leveldb/calls.h"

#include <dirent.h>
#include <sys/stat.h>

static leveldb_options_t *small_options(void)
{
    leveldb_options_t *o = leveldb_options_create();
    leveldb_options_set_create_if_missing(o, 1);
    leveldb_options_set_write_buffer_size(o, 200000);
    leveldb_options_set_compression(o, leveldb_no_compression);
    return o;
}

static void tell_property(leveldb_t *db, const char *name)
{
    char *value = leveldb_property_value(db, name);
    printf("%s: %s\n", name, value ? *value ? "something" : "empty" : "NULL");
    leveldb_free(value);
}

static long long number_of(leveldb_t *db, const char *name)
{
    char *value = leveldb_property_value(db, name);
    long long number = value ? atoll(value) : -1;
    leveldb_free(value);
    return number;
}

static long long table_count(leveldb_t *db)
{
    char name[] = "leveldb.num-files-at-level0";
    long long count = 0;
    for (char level = '0'; level < '7'; level++) {
        name[sizeof name - 2] = level;
        count += number_of(db, name);
    }
    return count;
}

static void tell_sizes(leveldb_t *db)
{
    static const char *const starts[] = { "a", "key0000000", "key0070000", "z", "m" };
    static const char *const limits[] = { "z", "key0070000", "key9999999", "zz", "b" };
    static const size_t start_lens[] = { 1, 10, 10, 1, 1 }, limit_lens[] = { 1, 10, 10, 2, 1 };
    uint64_t sizes[5];
    leveldb_approximate_sizes(db, 5, starts, start_lens, limits, limit_lens, sizes);
    for (int i = 0; i < 5; i++)
        printf("size of [%s, %s): about %llu00 kB\n", starts[i], limits[i],
               (unsigned long long)((sizes[i] + 50000) / 100000));
    leveldb_approximate_sizes(db, 0, NULL, NULL, NULL, NULL, NULL);
}

void upkeep(const char *directory)
{
    static const char *const names[] = { "leveldb.stats",
                                         "leveldb.sstables",
                                         "leveldb.approximate-memory-usage",
                                         "leveldb.num-files-at-level0",
                                         "leveldb.num-files-at-level6",
                                         "leveldb.num-files-at-level7",
                                         "leveldb.num-files-at-level",
                                         "leveldb.num-files-at-levelx",
                                         "leveldb.nosuch",
                                         "stats",
                                         "" };
    char *path = path_in(directory, "upkeep"), *error = NULL;
    leveldb_options_t *o = small_options();
    leveldb_t *db = open_db(path, o);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        tell_property(db, names[i]);
    tell_number("tables of a new store", table_count(db));
    put_many(db);
    leveldb_compact_range(db, NULL, 0, NULL, 0);
    printf("tables: %s\n", table_count(db) > 0 ? "some" : "none");
    printf("memory: %s\n", number_of(db, "leveldb.approximate-memory-usage") > 0 ? "some" : "none");
    char *tables = leveldb_property_value(db, "leveldb.sstables");
    printf("tables are listed: %s\n", strstr(tables, "--- level 0 ---") && strstr(tables, "key0") ? "yes" : "no");
    leveldb_free(tables);
    tell_sizes(db);
    leveldb_readoptions_t *r = leveldb_readoptions_create();
    leveldb_compact_range(db, "key0070000", 10, NULL, 0);
    leveldb_compact_range(db, NULL, 0, "key0070000", 10);
    leveldb_compact_range(db, "z", 1, "a", 1);
    leveldb_compact_range(db, "", 0, "", 0);
    tell_number("of many", count_many(db, r));
    char key[32];
    for (int i = 0; i < MANY; i++) {
        make_key(key, i);
        drop(db, key);
    }
    leveldb_compact_range(db, NULL, 0, NULL, 0);
    tell_number("of many, deleted", count_many(db, r));
    tell_sizes(db);
    leveldb_readoptions_destroy(r);

    leveldb_destroy_db(o, path, &error);
    tell("destroy while it is open", &error);
    leveldb_close(db);
    leveldb_destroy_db(o, path, &error);
    tell("destroy", &error);
    struct stat info;
    printf("its folder: %s\n", stat(path, &info) == 0 ? "is there" : "is gone");
    leveldb_destroy_db(o, path, &error);
    tell("destroy again", &error);
    leveldb_options_set_create_if_missing(o, 0);
    printf("open: %s\n", leveldb_open(o, path, &error) ? "a store" : "NULL");
    tell("its error", &error);
    leveldb_options_destroy(o);
    free(path);
}

/* ---- damage ---- */

/* The first file with this ending; given. */
static char *file_with(const char *path, const char *ending)
{
    char *found = NULL;
    DIR *d = opendir(path);
    for (struct dirent *e; d && !found && (e = readdir(d));) {
        size_t len = strlen(e->d_name), want = strlen(ending);
        if (len >= want && strcmp(e->d_name + len - want, ending) == 0)
            found = path_in(path, e->d_name);
    }
    if (d)
        closedir(d);
    return found;
}

static void spoil(const char *file)
{
    FILE *f = fopen(file, "r+");
    for (long at = 2000; at < 2010; at++) {
        fseek(f, at, SEEK_SET);
        int byte = fgetc(f);
        fseek(f, at, SEEK_SET);
        fputc(byte ^ 0x55, f);
    }
    fclose(f);
}

static void tell_damage(leveldb_t *db)
{
    char *error = NULL;
    int count = 0;
    leveldb_readoptions_t *r = leveldb_readoptions_create();
    leveldb_readoptions_set_verify_checksums(r, 1);
    leveldb_iterator_t *it = leveldb_create_iterator(db, r);
    for (leveldb_iter_seek_to_first(it); leveldb_iter_valid(it); leveldb_iter_next(it))
        count++;
    leveldb_iter_get_error(it, &error);
    tell("a walk", &error);
    printf("all of them: %s\n", count == MANY ? "yes" : "no");
    leveldb_iter_destroy(it);
    char key[32];
    for (int i = 0; i < MANY && !error; i++) {
        size_t len, key_len = make_key(key, i);
        leveldb_free(leveldb_get(db, r, key, key_len, &len, &error));
    }
    tell("reading each", &error);
    leveldb_readoptions_destroy(r);
}

void damage(const char *directory)
{
    char *path = path_in(directory, "damage"), *error = NULL;
    leveldb_options_t *o = small_options();
    leveldb_repair_db(o, path, &error);
    tell("repair nothing", &error);
    leveldb_t *db = open_db(path, o);
    put_many(db);
    leveldb_compact_range(db, NULL, 0, NULL, 0);
    leveldb_close(db);
    char *table = file_with(path, ".ldb");
    spoil(table);
    db = open_db(path, o);
    tell_damage(db);
    leveldb_close(db);
    leveldb_repair_db(o, path, &error);
    tell("repair", &error);
    db = open_db(path, o);
    leveldb_readoptions_t *r = leveldb_readoptions_create();
    int count = count_many(db, r);
    printf("kept: %s\n", count > MANY * 9 / 10 && count < MANY ? "most" : count == MANY ? "all" : "too few");
    put(db, "after", "the repair");
    tell_value(db, "after");
    leveldb_close(db);

    char *current = path_in(path, "CURRENT");
    remove(current);
    leveldb_options_set_create_if_missing(o, 0);
    printf("open without CURRENT: %s\n", leveldb_open(o, path, &error) ? "a store" : "NULL");
    tell("its error", &error);
    leveldb_repair_db(o, path, &error);
    tell("repair", &error);
    db = open_db(path, o);
    printf("kept: %s\n", count_many(db, r) == count ? "all" : "too few");
    tell_value(db, "after");
    leveldb_close(db);
    FILE *f = fopen(current, "w");
    fputs("MANIFEST-999999\n", f);
    fclose(f);
    printf("open without a manifest: %s\n", leveldb_open(o, path, &error) ? "a store" : "NULL");
    tell("its error", &error);
    leveldb_destroy_db(o, path, &error);
    tell("destroy", &error);
    leveldb_readoptions_destroy(r);
    leveldb_options_destroy(o);
    free(current);
    free(table);
    free(path);
}
