/* query/json.c: JSON written piece by piece.
 *
 * Room:     commas, line ends, indentation, escapes. What is in an answer is the commands' business.
 * Touches:  one buffer.
 */
#include "query/json.h"

#include <inttypes.h>
#include <stdio.h>

#include "primitives/hash.h"

void lode_json_init(lode_json *j, lode_buf *out)
{
    *j = (lode_json){ .out = out };
}

static void put_text(lode_json *j, const char *text)
{
    lode_buf_append(j->out, text, strlen(text));
}

static void put_line_start(lode_json *j)
{
    uint8_t *at = lode_buf_extend(j->out, 1 + 2 * (size_t)j->depth);
    if (!at)
        return;
    at[0] = '\n';
    memset(at + 1, ' ', 2 * (size_t)j->depth);
}

/* Control characters, quotes, backslashes, and DEL as Core does it; other bytes as they are. */
static void put_escaped(lode_json *j, const char *text, size_t len)
{
    static const char *const short_forms[] = {
        ['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n", ['\f'] = "\\f", ['\r'] = "\\r"
    };

    lode_buf_put_u8(j->out, '"');
    for (size_t i = 0; i < len; i++) {
        uint8_t c = (uint8_t)text[i];
        if (c == '"' || c == '\\') {
            lode_buf_put_u8(j->out, '\\');
            lode_buf_put_u8(j->out, c);
        } else if (c < sizeof short_forms / sizeof *short_forms && short_forms[c]) {
            put_text(j, short_forms[c]);
        } else if (c < 0x20 || c == 0x7f) {
            lode_buf_printf(j->out, "\\u%04x", c);
        } else {
            lode_buf_put_u8(j->out, c);
        }
    }
    lode_buf_put_u8(j->out, '"');
}

/* What stands before every value: the comma after its elder sibling, the new line, the key. */
static void put_lead(lode_json *j, const char *key)
{
    if (j->depth == 0)
        return;
    if (j->has_element[j->depth])
        lode_buf_put_u8(j->out, ',');
    j->has_element[j->depth] = true;
    put_line_start(j);
    if (key) {
        put_escaped(j, key, strlen(key));
        put_text(j, ": ");
    }
}

static void begin(lode_json *j, const char *key, uint8_t bracket)
{
    put_lead(j, key);
    lode_buf_put_u8(j->out, bracket);
    if (j->depth == LODE_JSON_DEPTH_MAX) {
        j->out->failed = true; /* no answer of ours nests so deep */
        return;
    }
    j->has_element[++j->depth] = false;
}

static void end(lode_json *j, uint8_t bracket)
{
    if (j->depth > 0)
        j->depth--;
    put_line_start(j);
    lode_buf_put_u8(j->out, bracket);
}

void lode_json_begin_object(lode_json *j, const char *key)
{
    begin(j, key, '{');
}

void lode_json_end_object(lode_json *j)
{
    end(j, '}');
}

void lode_json_begin_array(lode_json *j, const char *key)
{
    begin(j, key, '[');
}

void lode_json_end_array(lode_json *j)
{
    end(j, ']');
}

void lode_json_put_string(lode_json *j, const char *key, const char *value)
{
    lode_json_put_bytes(j, key, value, strlen(value));
}

void lode_json_put_bytes(lode_json *j, const char *key, const char *value, size_t len)
{
    put_lead(j, key);
    put_escaped(j, value, len);
}

void lode_buf_put_hex(lode_buf *out, const uint8_t *data, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t *at = lode_buf_extend(out, 2 * len);

    if (!at)
        return;
    for (size_t i = 0; i < len; i++) {
        *at++ = (uint8_t)digits[data[i] >> 4];
        *at++ = (uint8_t)digits[data[i] & 15];
    }
}

void lode_json_put_hex(lode_json *j, const char *key, const uint8_t *data, size_t len)
{
    put_lead(j, key);
    lode_buf_put_u8(j->out, '"');
    lode_buf_put_hex(j->out, data, len);
    lode_buf_put_u8(j->out, '"');
}

void lode_json_put_hash(lode_json *j, const char *key, const uint8_t bytes[32])
{
    char hex[65];
    lode_hash_to_hex(hex, bytes);
    lode_json_put_string(j, key, hex);
}

void lode_json_put_signed(lode_json *j, const char *key, int64_t value)
{
    put_lead(j, key);
    lode_buf_printf(j->out, "%" PRId64, value);
}

void lode_json_put_unsigned(lode_json *j, const char *key, uint64_t value)
{
    put_lead(j, key);
    lode_buf_printf(j->out, "%" PRIu64, value);
}

void lode_json_put_bool(lode_json *j, const char *key, bool value)
{
    put_lead(j, key);
    put_text(j, value ? "true" : "false");
}

void lode_json_put_null(lode_json *j, const char *key)
{
    put_lead(j, key);
    put_text(j, "null");
}

void lode_buf_put_double(lode_buf *out, double value)
{
    char text[40];

    snprintf(text, sizeof text, "%.16g", value);
    for (char *c = text; *c; c++) /* a host's locale may have its own decimal point */
        if (*c == ',')
            *c = '.';
    lode_buf_append(out, text, strlen(text));
}

void lode_json_put_double(lode_json *j, const char *key, double value)
{
    put_lead(j, key);
    lode_buf_put_double(j->out, value);
}

void lode_amount_to_text(char out[32], lode_amount value)
{
    uint64_t magnitude = value.sat < 0 ? -(uint64_t)value.sat : (uint64_t)value.sat;

    snprintf(out, 32, "%s%" PRIu64 ".%08" PRIu64, value.sat < 0 ? "-" : "", magnitude / (uint64_t)LODE_COIN,
             magnitude % (uint64_t)LODE_COIN);
}

void lode_json_put_amount(lode_json *j, const char *key, lode_amount value)
{
    char text[32];

    lode_amount_to_text(text, value);
    put_lead(j, key);
    put_text(j, text);
}
