/* test/leveldb/calls_basics.c: opening with every option, single keys, errors, and what is neither. */
#include "leveldb/calls.h"

#include <sys/stat.h>
#include <unistd.h>

static void errors_replace_errors(const char *directory)
{
    char *path = path_in(directory, "none"), *error = strdup("an error from before");
    leveldb_options_t *o = leveldb_options_create();
    printf("open of nothing: %s\n", leveldb_open(o, path, &error) ? "a store" : "NULL");
    tell("its error", &error);
    leveldb_options_set_create_if_missing(o, 1);
    free(path);
    path = path_in(directory, "none/in/none");
    printf("open in a missing folder: %s\n", leveldb_open(o, path, &error) ? "a store" : "NULL");
    tell("its error", &error);
    free(path);
    path = path_in(directory, "a-file");
    FILE *f = fopen(path, "w");
    fclose(f);
    printf("open of a file: %s\n", leveldb_open(o, path, &error) ? "a store" : "NULL");
    tell("its error", &error);
    free(path);
    leveldb_options_destroy(o);
}

static void success_leaves_errors_alone(leveldb_t *db)
{
    char *before = strdup("an error from before"), *error = before;
    size_t len;
    leveldb_writeoptions_t *w = leveldb_writeoptions_create();
    leveldb_readoptions_t *r = leveldb_readoptions_create();
    leveldb_put(db, w, "k", 1, "v", 1, &error);
    leveldb_free(leveldb_get(db, r, "k", 1, &len, &error));
    leveldb_free(leveldb_get(db, r, "not there", 9, &len, &error));
    leveldb_delete(db, w, "k", 1, &error);
    leveldb_delete(db, w, "not there", 9, &error);
    leveldb_iterator_t *it = leveldb_create_iterator(db, r);
    leveldb_iter_get_error(it, &error);
    leveldb_iter_destroy(it);
    printf("success: %s\n", error == before ? "the old error is where it was" : "the old error is gone");
    leveldb_free(error);
    leveldb_readoptions_destroy(r);
    leveldb_writeoptions_destroy(w);
}

static void odd_keys(leveldb_t *db)
{
    static const char binary[] = { 0, (char)0xff, 'x', 0, '\n' };
    char *error = NULL, *big = malloc(300000);
    size_t len;
    leveldb_writeoptions_t *w = leveldb_writeoptions_create();
    leveldb_readoptions_t *r = leveldb_readoptions_create();
    leveldb_writeoptions_set_sync(w, 1);
    leveldb_put(db, w, "", 0, "of the empty key", 16, &error);
    leveldb_put(db, w, "empty", 5, "", 0, &error);
    leveldb_put(db, w, binary, sizeof binary, binary, sizeof binary, &error);
    leveldb_put(db, w, binary, 1, "nul", 3, &error);
    tell("odd puts", &error);
    tell_all("odd keys", db, NULL);
    tell_value(db, "");
    tell_value(db, "empty");
    char *got = leveldb_get(db, r, "empty", 5, &len, &error);
    printf("an empty value: %s\n", got && len == 0 ? "not NULL, 0 bytes" : "wrong");
    leveldb_free(got);
    got = leveldb_get(db, r, binary, sizeof binary, &len, &error);
    tell_bytes("binary", got, len);
    leveldb_free(got);
    memset(big, 'b', 300000);
    leveldb_put(db, w, "big", 3, big, 300000, &error);
    got = leveldb_get(db, r, "big", 3, &len, &error);
    printf("big: %zu bytes, %s\n", len, len == 300000 && memcmp(got, big, len) == 0 ? "right" : "wrong");
    leveldb_free(got);
    leveldb_delete(db, w, "", 0, &error);
    leveldb_delete(db, w, "big", 3, &error);
    tell("odd deletes", &error);
    tell_value(db, "");
    tell_all("odd keys", db, NULL);
    free(big);
    leveldb_readoptions_destroy(r);
    leveldb_writeoptions_destroy(w);
}

static void one_writer(const char *path)
{
    char *error = NULL;
    leveldb_options_t *o = leveldb_options_create();
    leveldb_t *db = open_db(path, NULL);
    printf("open twice: %s\n", leveldb_open(o, path, &error) ? "a store" : "NULL");
    tell("its error", &error);
    leveldb_close(db);
    leveldb_options_set_error_if_exists(o, 1);
    printf("open with error_if_exists: %s\n", leveldb_open(o, path, &error) ? "a store" : "NULL");
    tell("its error", &error);
    leveldb_options_destroy(o);
}

/* Nothing of this changes what is read. */
static void every_option(const char *directory)
{
    char *path = path_in(directory, "options");
    leveldb_options_t *o = leveldb_options_create();
    leveldb_env_t *env = leveldb_create_default_env();
    leveldb_cache_t *cache = leveldb_cache_create_lru(100000);
    leveldb_readoptions_t *r = leveldb_readoptions_create();
    leveldb_options_set_create_if_missing(o, 1);
    leveldb_options_set_error_if_exists(o, 1);
    leveldb_options_set_paranoid_checks(o, 1);
    leveldb_options_set_filter_policy(o, NULL);
    leveldb_options_set_env(o, env);
    leveldb_options_set_info_log(o, NULL);
    leveldb_options_set_write_buffer_size(o, 100000);
    leveldb_options_set_max_open_files(o, 10);
    leveldb_options_set_cache(o, cache);
    leveldb_options_set_block_size(o, 1024);
    leveldb_options_set_block_restart_interval(o, 8);
    leveldb_options_set_max_file_size(o, 3 << 20);
    leveldb_options_set_compression(o, leveldb_no_compression);
    leveldb_t *db = open_db(path, o);
    leveldb_options_destroy(o); /* the store has what it needs */
    put_many(db);
    leveldb_readoptions_set_verify_checksums(r, 1);
    leveldb_readoptions_set_fill_cache(r, 0);
    leveldb_readoptions_set_snapshot(r, NULL);
    tell_number("with every option set", count_many(db, r));
    leveldb_close(db);
    o = leveldb_options_create();
    leveldb_options_set_compression(o, leveldb_snappy_compression);
    leveldb_options_set_cache(o, cache);
    db = open_db(path, o);
    leveldb_readoptions_set_fill_cache(r, 1);
    tell_number("after closing and opening", count_many(db, r));
    leveldb_close(db);
    leveldb_cache_destroy(cache);
    leveldb_env_destroy(env);
    leveldb_readoptions_destroy(r);
    leveldb_options_destroy(o);
    free(path);
}

static void neither(const char *directory)
{
    struct stat info;
    char usual[64];
    leveldb_env_t *env = leveldb_create_default_env();
    setenv("TEST_TMPDIR", directory, 1);
    char *path = leveldb_env_get_test_directory(env);
    printf("$TEST_TMPDIR is the test directory: %s\n", path && strcmp(path, directory) == 0 ? "yes" : "no");
    leveldb_free(path);
    unsetenv("TEST_TMPDIR");
    path = leveldb_env_get_test_directory(env);
    snprintf(usual, sizeof usual, "/tmp/leveldbtest-%d", (int)geteuid());
    printf("without it: %s, %s\n", path && strcmp(path, usual) == 0 ? "as ever" : path,
           path && stat(path, &info) == 0 && S_ISDIR(info.st_mode) ? "made" : "missing");
    leveldb_free(path);
    rmdir(usual); /* stays when there is something in it */
    leveldb_env_destroy(env);
    leveldb_free(NULL);
    printf("version: %d.%d\n", leveldb_major_version(), leveldb_minor_version() >= 20);
}

void basics(const char *directory)
{
    char *path = path_in(directory, "basics/"); /* a slash at the end does no harm */
    errors_replace_errors(directory);
    leveldb_t *db = open_db(path, NULL);
    put(db, "foo", "hello");
    put(db, "foo", "hello again");
    put(db, "bar", "there");
    tell_value(db, "foo");
    tell_value(db, "bar");
    drop(db, "bar");
    tell_value(db, "bar");
    success_leaves_errors_alone(db);
    odd_keys(db);
    leveldb_close(db);
    db = open_db(path, NULL);
    tell_all("after closing and opening", db, NULL);
    leveldb_close(db);
    one_writer(path);
    every_option(directory);
    neither(directory);
    free(path);
}
