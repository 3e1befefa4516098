/* test/leveldb/calls.c: every function of LevelDB's C interface, called, and told what came of it.
 *
 *     calls transcript DIRECTORY    prints the transcript
 *     calls write DIRECTORY         writes stores of every kind
 *     calls read DIRECTORY          reads them, whoever wrote them
 *     calls SEED DIRECTORY          random steps, and numbers that stand for all that they read
 */
#include "leveldb/calls.h"

#include <sys/stat.h>

void print_bytes(const char *data, size_t len)
{
    if (!data) {
        printf("(none)");
        return;
    }
    for (size_t i = 0; i < len; i++)
        if (data[i] >= ' ' && data[i] <= '~')
            putchar(data[i]);
        else
            printf("\\x%02x", (unsigned)(unsigned char)data[i]);
}

void tell(const char *what, char **error)
{
    printf("%s: %.*s\n", what, *error ? (int)strcspn(*error, ":") : 2, *error ? *error : "ok");
    leveldb_free(*error);
    *error = NULL;
}

void tell_bytes(const char *what, const char *data, size_t len)
{
    printf("%s: ", what);
    print_bytes(data, len);
    printf("\n");
}

void tell_number(const char *what, long long number)
{
    printf("%s: %lld\n", what, number);
}

void must(char *error, const char *what)
{
    if (!error)
        return;
    printf("FAILED: %s: %s\n", what, error);
    exit(1);
}

char *path_in(const char *directory, const char *name)
{
    char *path = malloc(strlen(directory) + strlen(name) + 2);
    sprintf(path, "%s/%s", directory, name);
    return path;
}

leveldb_t *open_db(const char *path, const leveldb_options_t *options)
{
    char *error = NULL;
    leveldb_options_t *own = NULL;
    if (!options) {
        options = own = leveldb_options_create();
        leveldb_options_set_create_if_missing(own, 1);
    }
    leveldb_t *db = leveldb_open(options, path, &error);
    must(error, path);
    if (own)
        leveldb_options_destroy(own);
    return db;
}

void put(leveldb_t *db, const char *key, const char *value)
{
    char *error = NULL;
    leveldb_writeoptions_t *w = leveldb_writeoptions_create();
    leveldb_put(db, w, key, strlen(key), value, strlen(value), &error);
    must(error, key);
    leveldb_writeoptions_destroy(w);
}

void drop(leveldb_t *db, const char *key)
{
    char *error = NULL;
    leveldb_writeoptions_t *w = leveldb_writeoptions_create();
    leveldb_delete(db, w, key, strlen(key), &error);
    must(error, key);
    leveldb_writeoptions_destroy(w);
}

void tell_value(leveldb_t *db, const char *key)
{
    char *error = NULL, what[64];
    size_t len = 77;
    leveldb_readoptions_t *r = leveldb_readoptions_create();
    char *value = leveldb_get(db, r, key, strlen(key), &len, &error);
    must(error, key);
    snprintf(what, sizeof what, "get %s, %zu bytes", key, len);
    tell_bytes(what, value, len);
    leveldb_free(value);
    leveldb_readoptions_destroy(r);
}

void tell_all(const char *what, leveldb_t *db, const leveldb_readoptions_t *read)
{
    char *error = NULL;
    leveldb_readoptions_t *own = leveldb_readoptions_create();
    leveldb_iterator_t *it = leveldb_create_iterator(db, read ? read : own);
    printf("%s:", what);
    for (leveldb_iter_seek_to_first(it); leveldb_iter_valid(it); leveldb_iter_next(it)) {
        size_t key_len, value_len;
        const char *key = leveldb_iter_key(it, &key_len), *value = leveldb_iter_value(it, &value_len);
        printf(" ");
        print_bytes(key, key_len);
        printf("=");
        print_bytes(value, value_len);
    }
    printf("\n");
    leveldb_iter_get_error(it, &error);
    must(error, what);
    leveldb_iter_destroy(it);
    leveldb_readoptions_destroy(own);
}

size_t make_key(char key[32], int i)
{
    return (size_t)sprintf(key, "key%07d", i * 7);
}

size_t make_value(char value[128], int i)
{
    size_t len = (size_t)sprintf(value, "value of %d ", i);
    while (len < 100) {
        value[len] = (char)('a' + (i * 31 + (int)len * 7) % 26);
        len++;
    }
    return len;
}

/* In an order that is none. */
void put_many(leveldb_t *db)
{
    char key[32], value[128], *error = NULL;
    leveldb_writeoptions_t *w = leveldb_writeoptions_create();
    for (int n = 0; n < MANY; n++) {
        int i = (int)(n * 7919LL % MANY);
        size_t key_len = make_key(key, i), value_len = make_value(value, i);
        leveldb_put(db, w, key, key_len, value, value_len, &error);
        must(error, key);
    }
    leveldb_writeoptions_destroy(w);
}

int count_many(leveldb_t *db, const leveldb_readoptions_t *read)
{
    char key[32], value[128], *error = NULL;
    int right = 0;
    for (int i = 0; i < MANY; i++) {
        size_t key_len = make_key(key, i), value_len = make_value(value, i), len;
        char *got = leveldb_get(db, read, key, key_len, &len, &error);
        right += !error && got && len == value_len && memcmp(got, value, len) == 0;
        leveldb_free(got);
        leveldb_free(error);
        error = NULL;
    }
    return right;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "calls transcript|write|read|SEED DIRECTORY\n");
        return 2;
    }
    mkdir(argv[2], 0777);
    if (strcmp(argv[1], "write") == 0) {
        write_kinds(argv[2]);
    } else if (strcmp(argv[1], "read") == 0) {
        read_kinds(argv[2]);
    } else if (strcmp(argv[1], "transcript") != 0) {
        random_steps(argv[2], argv[1]);
    } else {
        basics(argv[2]);
        iterators(argv[2]);
        batches(argv[2]);
        snapshots(argv[2]);
        comparators(argv[2]);
        filters(argv[2]);
        upkeep(argv[2]);
        damage(argv[2]);
    }
    return 0;
}
