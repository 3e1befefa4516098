/* test/leveldb/bed.h: an open store in a directory of its own, for the tests of what is not LevelDB's own way. */
#ifndef LODE_TEST_LEVELDB_BED_H
#define LODE_TEST_LEVELDB_BED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lode-leveldb/leveldb/c.h"

typedef struct bed {
    char path[128];
    leveldb_options_t *options;
    leveldb_readoptions_t *read;
    leveldb_writeoptions_t *write;
    leveldb_t *db;
    char *error;
} bed;

static inline void expect_error(char **error, const char *kind)
{
    assert_non_null(*error);
    if (strncmp(*error, kind, strlen(kind)) != 0)
        fail_msg("%s, not %s", *error, kind);
    leveldb_free(*error);
    *error = NULL;
}

static inline void open_again(bed *b)
{
    b->db = leveldb_open(b->options, b->path, &b->error);
    if (b->error)
        fail_msg("%s", b->error);
}

static inline void make_bed(bed *b)
{
    const char *base = getenv("TMPDIR");
    memset(b, 0, sizeof *b);
    snprintf(b->path, sizeof b->path, "%.90s/lode-leveldb-XXXXXX", base && *base ? base : "/tmp");
    assert_non_null(mkdtemp(b->path));
    b->options = leveldb_options_create();
    b->read = leveldb_readoptions_create();
    b->write = leveldb_writeoptions_create();
    leveldb_options_set_create_if_missing(b->options, 1);
    open_again(b);
}

static inline void clear_bed(bed *b)
{
    leveldb_close(b->db);
    leveldb_destroy_db(b->options, b->path, &b->error);
    assert_null(b->error);
    assert_int_not_equal(access(b->path, F_OK), 0);
    leveldb_options_destroy(b->options);
    leveldb_readoptions_destroy(b->read);
    leveldb_writeoptions_destroy(b->write);
}

static inline void put(bed *b, const char *key, const char *value)
{
    leveldb_put(b->db, b->write, key, strlen(key), value, strlen(value), &b->error);
    assert_null(b->error);
}

#endif
