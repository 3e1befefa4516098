/* query/json.h: JSON written piece by piece, laid out as bitcoin-cli prints it. */
#ifndef LODE_QUERY_JSON_H
#define LODE_QUERY_JSON_H

#include "primitives/amount.h"
#include "support/bytes.h"

/* Deep enough for every answer; deeper nesting marks the text as failed. */
#define LODE_JSON_DEPTH_MAX 32

/* Two spaces a level, one element a line, `"key": value`; an empty array or object still takes two lines. */
typedef struct lode_json {
    lode_buf *out;  /* kept; a failed allocation shows there */
    unsigned depth; /* open arrays and objects */
    bool has_element[LODE_JSON_DEPTH_MAX + 1];
} lode_json;

void lode_json_init(lode_json *j, lode_buf *out);

/* `key` names a member of an object; NULL for an element of an array or for the whole answer. */
void lode_json_begin_object(lode_json *j, const char *key);
void lode_json_end_object(lode_json *j);
void lode_json_begin_array(lode_json *j, const char *key);
void lode_json_end_array(lode_json *j);
void lode_json_put_string(lode_json *j, const char *key, const char *value);            /* escaped */
void lode_json_put_bytes(lode_json *j, const char *key, const char *value, size_t len); /* escaped */
void lode_json_put_hex(lode_json *j, const char *key, const uint8_t *data, size_t len);
void lode_json_put_hash(lode_json *j, const char *key, const uint8_t bytes[32]); /* reversed, as people read it */
void lode_json_put_signed(lode_json *j, const char *key, int64_t value);
void lode_json_put_unsigned(lode_json *j, const char *key, uint64_t value);
void lode_json_put_bool(lode_json *j, const char *key, bool value);
void lode_json_put_null(lode_json *j, const char *key);
void lode_json_put_double(lode_json *j, const char *key, double value);      /* 16 significant digits */
void lode_json_put_amount(lode_json *j, const char *key, lode_amount value); /* coins, eight decimals */

/* "0.00000001", "-1.50000000". `out` holds 32 bytes. */
void lode_amount_to_text(char out[32], lode_amount value);
/* Lower-case hexadecimal appended to `out`. */
void lode_buf_put_hex(lode_buf *out, const uint8_t *data, size_t len);
/* The number as Core prints one, whatever the host's locale says of decimal points. */
void lode_buf_put_double(lode_buf *out, double value);

#endif
