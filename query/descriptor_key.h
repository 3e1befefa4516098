/* query/descriptor_key.h: keys in descriptors, with their origin. For descriptor_parse.c. */
#ifndef LODE_QUERY_DESCRIPTOR_KEY_H
#define LODE_QUERY_DESCRIPTOR_KEY_H

#include "support/bytes.h"
#include "validate/rules/params.h"

/* Where an expression stands. */
typedef enum lode_descriptor_context {
    LODE_DESCRIPTOR_TOP,
    LODE_DESCRIPTOR_IN_SH,
    LODE_DESCRIPTOR_IN_WSH,
    LODE_DESCRIPTOR_IN_WPKH,
    LODE_DESCRIPTOR_IN_TR
} lode_descriptor_context;

typedef struct lode_descriptor_parsing {
    const lode_chain_params *params;
    char *error; /* 256 bytes; empty: none so far */
} lode_descriptor_parsing;

/* Keeps the first reason. Always false. */
bool lode_descriptor_refuse(lode_descriptor_parsing *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

enum { LODE_DESCRIPTOR_ORIGIN_MAX = 128 };

typedef struct lode_descriptor_key {
    uint8_t bytes[65]; /* x-only: 02 and 32 bytes */
    size_t len;
    bool is_x_only;
    char origin[LODE_DESCRIPTOR_ORIGIN_MAX]; /* without brackets; where none was given, four bytes of the key's hash */
} lode_descriptor_key;

static inline bool lode_slice_starts_with(lode_slice s, const char *word)
{
    size_t len = strlen(word);
    return s.len >= len && memcmp(s.data, word, len) == 0;
}

/* Appends the bytes of hexadecimal digits; false when they are none. */
bool lode_descriptor_read_hex(lode_buf *out, lode_slice hex);
/* KEY or [ORIGIN]KEY; false after a refusal. */
bool lode_descriptor_read_key(lode_descriptor_parsing *p, lode_descriptor_key *k, lode_slice text,
                              lode_descriptor_context c);
/* "[origin]hex" */
void lode_descriptor_put_key(lode_buf *out, const lode_descriptor_key *k, bool is_x_only);

#endif
