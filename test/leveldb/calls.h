/* test/leveldb/calls.h: one program against LevelDB's C interface, built once with each library that has it. What it
 * prints is the same with all of them: test/leveldb/transcript.txt.
 */
#ifndef LODE_TEST_LEVELDB_CALLS_H
#define LODE_TEST_LEVELDB_CALLS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<leveldb/c.h>)
#include <leveldb/c.h>
#else
#include "lode-leveldb/leveldb/c.h"
#endif

/* "what: ok", or the kind of error, which is what comes before its first colon; *error is freed and NULL again. */
void tell(const char *what, char **error);
/* Text as it is, other bytes as \xNN, "(none)" for NULL. */
void print_bytes(const char *data, size_t len);
void tell_bytes(const char *what, const char *data, size_t len);
void tell_number(const char *what, long long number);

/* What is not looked at more closely: failing is the end. */
void must(char *error, const char *what);
leveldb_t *open_db(const char *path, const leveldb_options_t *options);
void put(leveldb_t *db, const char *key, const char *value);
void drop(leveldb_t *db, const char *key);
void tell_value(leveldb_t *db, const char *key);
void tell_all(const char *what, leveldb_t *db, const leveldb_readoptions_t *read); /* pairs in order, on one line */
size_t make_key(char key[32], int i);
size_t make_value(char value[128], int i);
enum { MANY = 20000 };
void put_many(leveldb_t *db);
/* How many of put_many's are there and right. */
int count_many(leveldb_t *db, const leveldb_readoptions_t *read);
char *path_in(const char *directory, const char *name); /* given */

void basics(const char *directory);    /* calls_basics.c */
void iterators(const char *directory); /* calls_iterators.c */
void batches(const char *directory);
void snapshots(const char *directory);
void comparators(const char *directory); /* calls_custom.c */
void filters(const char *directory);
void upkeep(const char *directory); /* calls_upkeep.c */
void damage(const char *directory);

void random_steps(const char *directory, const char *seed); /* calls_random.c */

/* Stores of every kind, written by one library and read by the other. */
void write_kinds(const char *directory);
void read_kinds(const char *directory);

#endif
