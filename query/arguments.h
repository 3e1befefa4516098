/* query/arguments.h: a command's arguments, read as bitcoin-cli reads them. */
#ifndef LODE_QUERY_ARGUMENTS_H
#define LODE_QUERY_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/bytes.h"

typedef enum lode_json_kind {
    LODE_JSON_NULL,
    LODE_JSON_BOOL,
    LODE_JSON_NUMBER,
    LODE_JSON_STRING,
    LODE_JSON_ARRAY,
    LODE_JSON_OBJECT
} lode_json_kind;

typedef struct lode_argument {
    lode_json_kind kind;
    bool truth;       /* of a bool */
    const char *text; /* of a string that was given bare; of a number, from its first digit or sign; borrowed */
    size_t len;
} lode_argument;

typedef struct lode_argument_rule {
    const char *name;
    lode_json_kind kind;
    bool is_required;
    bool is_json;  /* bitcoin-cli parses it; otherwise it is a string as it stands */
    bool any_kind; /* the command itself looks at the kind */
} lode_argument_rule;

/* A JSON value that fills the whole text, spaces around it allowed. False if it is none. */
bool lode_argument_parse(lode_argument *argument, const char *text);
/* Elements of an array, or members of an object, one after another. */
typedef struct lode_argument_walk {
    const char *at;
    bool is_object;
} lode_argument_walk;
/* `of` is what lode_argument_parse made of a text that is still there; an array or an object. */
lode_argument_walk lode_argument_walk_of(const lode_argument *of);
/* False past the last. key (may be NULL) is a string, or untouched in an array. */
bool lode_argument_walk_next(lode_argument_walk *w, lode_argument *key, lode_argument *value);
/* A string of JSON, without quotes and escapes, NUL-terminated at the end of `out`, which is emptied first. False when
 * it holds a NUL of its own, or memory is out. */
bool lode_argument_unquote(lode_buf *out, const lode_argument *string);

/* "null", "bool", "number", "string", "array", "object": as Core's messages name kinds. */
const char *lode_json_kind_name(lode_json_kind kind);
/* False when a number has a fraction or an exponent, or lies outside [low, high]. */
bool lode_argument_to_integer(int64_t *value, const lode_argument *argument, int64_t low, int64_t high);

#endif
