/* test/support/json.h: JSON files of given data, read into a tree. For tests: a file that is not JSON ends the test. */
#ifndef LODE_TEST_SUPPORT_JSON_H
#define LODE_TEST_SUPPORT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/arena.h"

typedef enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } json_kind;

typedef struct json {
    json_kind kind;
    bool truth;       /* of a bool */
    const char *text; /* of a string (decoded), or a number as it stood in the file */
    size_t count;     /* of an array or an object */
    const struct json *items;
    const char *const *names; /* of an object's items */
} json;

/* The tree is lent from `arena`. NULL when `text` is not one JSON value. */
const json *json_parse(lode_arena *arena, const char *text, size_t len);
/* NULL when the file cannot be read or parsed. */
const json *json_read_file(lode_arena *arena, const char *path);

/* NULL beyond the end, without such a name, or when j is no array or object. */
const json *json_at(const json *j, size_t i);
const json *json_get(const json *j, const char *name);

/* The kind asked for is there, or the program aborts with a line saying what was found. */
const char *json_text(const json *j);
int64_t json_int(const json *j);
int64_t json_satoshis(const json *j); /* a decimal number of coins */
/* Hexadecimal digits of a string as bytes lent from `arena`; *len says how many. */
uint8_t *json_bytes(lode_arena *arena, const json *j, size_t *len);

#endif
