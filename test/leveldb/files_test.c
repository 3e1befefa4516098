/* test/leveldb/files_test.c: where files are missing, damaged or more than LevelDB's. */
#include <dirent.h>

#include "leveldb/bed.h"

static char *file_of(const bed *b, const char *name)
{
    char *path = malloc(sizeof b->path + strlen(name) + 2);
    sprintf(path, "%s/%s", b->path, name);
    return path;
}

/* The one file with this ending. */
static char *file_with(const bed *b, const char *ending)
{
    char *found = NULL;
    DIR *d = opendir(b->path);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        size_t len = strlen(e->d_name), want = strlen(ending);
        if (len < want || strcmp(e->d_name + len - want, ending) != 0)
            continue;
        assert_null(found);
        found = file_of(b, e->d_name);
    }
    closedir(d);
    assert_non_null(found);
    return found;
}

static void flip_byte(const char *path, long at)
{
    FILE *f = fopen(path, "r+");
    assert_non_null(f);
    fseek(f, at, SEEK_SET);
    int byte = fgetc(f);
    fseek(f, at, SEEK_SET);
    fputc(byte ^ 0x40, f);
    fclose(f);
}

static void check_value(bed *b, const char *key)
{
    char *value = leveldb_get(b->db, b->read, key, strlen(key), NULL, &b->error);
    assert_null(b->error);
    assert_non_null(value);
    leveldb_free(value);
}

static void opening_what_is_not_there_leaves_nothing(void **state)
{
    bed b;
    char *error = NULL;
    (void)state;
    make_bed(&b);
    char *path = file_of(&b, "inner");
    leveldb_options_set_create_if_missing(b.options, 0);
    assert_null(leveldb_open(b.options, path, &error));
    expect_error(&error, "Invalid argument: ");
    assert_int_not_equal(access(path, F_OK), 0);
    free(path);
    clear_bed(&b);
}

static void a_log_of_chatter_is_not_written_and_goes_with_the_store(void **state)
{
    bed b;
    (void)state;
    make_bed(&b);
    char *path = file_of(&b, "LOG");
    assert_int_not_equal(access(path, F_OK), 0);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
    leveldb_close(b.db);
    open_again(&b);
    assert_int_equal(access(path, F_OK), 0);
    clear_bed(&b); /* which asserts that the folder is gone */
    free(path);
}

static void damage_inside_a_log_is_told_and_repaired(void **state)
{
    bed b;
    char *error = NULL, key[16];
    (void)state;
    make_bed(&b);
    for (int i = 0; i < 5000; i++) {
        snprintf(key, sizeof key, "key%05d", i);
        put(&b, key, "a value of some length");
    }
    leveldb_writeoptions_set_sync(b.write, 1);
    put(&b, "synced", "v");
    put(&b, "last", "v"); /* which says that all before it was synced: else it may have been torn by a power cut */
    leveldb_close(b.db);
    char *log = file_with(&b, ".log");
    flip_byte(log, 40000);
    assert_null(leveldb_open(b.options, b.path, &error));
    assert_non_null(strstr(error, ".log"));
    expect_error(&error, "Corruption: ");
    leveldb_repair_db(b.options, b.path, &error);
    assert_null(error);
    open_again(&b);
    check_value(&b, "key00000");
    check_value(&b, "last");
    char *kept = malloc(strlen(log) + 6), *lost = file_of(&b, "lost");
    sprintf(kept, "%s%s", lost, strrchr(log, '/'));
    assert_int_equal(remove(kept), 0); /* the damaged one, for whoever wants to look */
    assert_int_equal(remove(lost), 0);
    free(kept);
    free(lost);
    free(log);
    clear_bed(&b);
}

static void a_lost_current_does_not_cost_the_tables(void **state)
{
    bed b;
    char *error = NULL;
    (void)state;
    make_bed(&b);
    put(&b, "k", "v");
    leveldb_compact_range(b.db, NULL, 0, NULL, 0);
    leveldb_close(b.db);
    char *current = file_of(&b, "CURRENT");
    remove(current);
    assert_null(leveldb_open(b.options, b.path, &error)); /* create_if_missing is set */
    expect_error(&error, "Corruption: ");
    leveldb_repair_db(b.options, b.path, &error);
    assert_null(error);
    open_again(&b);
    check_value(&b, "k");
    free(current);
    clear_bed(&b);
}

static void checksums_are_checked_unasked(void **state)
{
    bed b;
    char *error = NULL;
    (void)state;
    make_bed(&b);
    put(&b, "k", "a value that is not packed, since it is short");
    leveldb_compact_range(b.db, NULL, 0, NULL, 0);
    leveldb_close(b.db);
    char *table = file_with(&b, ".ldb");
    flip_byte(table, 20);
    open_again(&b);
    assert_null(leveldb_get(b.db, b.read, "k", 1, NULL, &error));
    expect_error(&error, "Corruption: ");
    free(table);
    clear_bed(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opening_what_is_not_there_leaves_nothing),
        cmocka_unit_test(a_log_of_chatter_is_not_written_and_goes_with_the_store),
        cmocka_unit_test(damage_inside_a_log_is_told_and_repaired),
        cmocka_unit_test(a_lost_current_does_not_cost_the_tables),
        cmocka_unit_test(checksums_are_checked_unasked),
    };
    return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
