/* query/arguments.c: a command's arguments, read as bitcoin-cli reads them.
 *
 * Room:     which kind of JSON value a text is; numbers and truth values out of it. Arrays and objects are checked
 *           for form as a whole, so that what walks over them need not.
 * Touches:  the texts given.
 */
#include "query/arguments.h"

#include <string.h>

enum { NESTING_MAX = 64 };

static const char *skip_spaces(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')
        p++;
    return p;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex_digit(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static const char *skip_word(const char *p, const char *word)
{
    size_t n = strlen(word);
    return strncmp(p, word, n) == 0 ? p + n : NULL;
}

static const char *skip_digits(const char *p)
{
    if (!is_digit(*p))
        return NULL;
    while (is_digit(*p))
        p++;
    return p;
}

static const char *skip_number(const char *p)
{
    if (*p == '-')
        p++;
    if (*p == '0' && is_digit(p[1]))
        return NULL;
    p = skip_digits(p);
    if (p && *p == '.')
        p = skip_digits(p + 1);
    if (p && (*p == 'e' || *p == 'E')) {
        p++;
        if (*p == '+' || *p == '-')
            p++;
        p = skip_digits(p);
    }
    return p;
}

static const char *skip_string(const char *p)
{
    for (p++; *p != '"'; p++) {
        if ((unsigned char)*p < 0x20)
            return NULL;
        if (*p != '\\')
            continue;
        p++;
        if (*p == 'u') {
            for (int i = 0; i < 4; i++)
                if (!is_hex_digit(*++p))
                    return NULL;
        } else if (*p == '\0' || !strchr("\"\\/bfnrt", *p)) {
            return NULL;
        }
    }
    return p + 1;
}

static const char *skip_value(lode_json_kind *kind, const char *p, int depth);

/* Past the closing bracket, with spaces after it still ahead. */
static const char *skip_members(const char *p, char close, int depth)
{
    lode_json_kind kind;

    p = skip_spaces(p + 1);
    if (*p == close)
        return p + 1;
    for (;;) {
        if (close == '}') {
            p = *p == '"' ? skip_string(p) : NULL;
            if (!p)
                return NULL;
            p = skip_spaces(p);
            if (*p++ != ':')
                return NULL;
        }
        p = skip_value(&kind, skip_spaces(p), depth);
        if (!p)
            return NULL;
        p = skip_spaces(p);
        if (*p == close)
            return p + 1;
        if (*p++ != ',')
            return NULL;
        p = skip_spaces(p);
    }
}

/* NULL if no value begins at p. */
static const char *skip_value(lode_json_kind *kind, const char *p, int depth)
{
    if (depth > NESTING_MAX)
        return NULL;
    switch (*p) {
    case 'n':
        *kind = LODE_JSON_NULL;
        return skip_word(p, "null");
    case 't':
        *kind = LODE_JSON_BOOL;
        return skip_word(p, "true");
    case 'f':
        *kind = LODE_JSON_BOOL;
        return skip_word(p, "false");
    case '"':
        *kind = LODE_JSON_STRING;
        return skip_string(p);
    case '[':
        *kind = LODE_JSON_ARRAY;
        return skip_members(p, ']', depth + 1);
    case '{':
        *kind = LODE_JSON_OBJECT;
        return skip_members(p, '}', depth + 1);
    default:
        *kind = LODE_JSON_NUMBER;
        return skip_number(p);
    }
}

bool lode_argument_parse(lode_argument *argument, const char *text)
{
    const char *start = skip_spaces(text);
    lode_json_kind kind = LODE_JSON_NULL;
    const char *end = skip_value(&kind, start, 0);

    if (!end || *skip_spaces(end) != '\0')
        return false;
    *argument = (lode_argument){ kind, *start == 't', start, (size_t)(end - start) };
    return true;
}

lode_argument_walk lode_argument_walk_of(const lode_argument *of)
{
    return (lode_argument_walk){ skip_spaces(of->text + 1), of->kind == LODE_JSON_OBJECT };
}

bool lode_argument_walk_next(lode_argument_walk *w, lode_argument *key, lode_argument *value)
{
    const char *p = w->at, *start;
    lode_json_kind kind = LODE_JSON_NULL;

    if (*p == ',')
        p = skip_spaces(p + 1);
    if (*p == ']' || *p == '}')
        return false;
    if (w->is_object) {
        start = p;
        p = skip_string(p);
        if (key)
            *key = (lode_argument){ LODE_JSON_STRING, false, start, (size_t)(p - start) };
        p = skip_spaces(skip_spaces(p) + 1); /* past the colon */
    }
    start = p;
    p = skip_value(&kind, p, 0);
    *value = (lode_argument){ kind, *start == 't', start, (size_t)(p - start) };
    w->at = skip_spaces(p);
    return true;
}

static unsigned read_hex_digits(const char *p)
{
    uint8_t bytes[2];
    char digits[5] = { p[0], p[1], p[2], p[3], '\0' };
    return lode_hex_decode(bytes, 2, digits) ? (unsigned)bytes[0] << 8 | bytes[1] : 0;
}

static void put_utf8(lode_buf *out, unsigned c)
{
    if (c < 0x80) {
        lode_buf_put_u8(out, (uint8_t)c);
    } else if (c < 0x800) {
        lode_buf_put_u8(out, (uint8_t)(0xc0 | c >> 6));
        lode_buf_put_u8(out, (uint8_t)(0x80 | (c & 0x3f)));
    } else { /* halves of pairs stay apart: no text here is longer than ASCII */
        lode_buf_put_u8(out, (uint8_t)(0xe0 | c >> 12));
        lode_buf_put_u8(out, (uint8_t)(0x80 | (c >> 6 & 0x3f)));
        lode_buf_put_u8(out, (uint8_t)(0x80 | (c & 0x3f)));
    }
}

bool lode_argument_unquote(lode_buf *out, const lode_argument *string)
{
    static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *p = string->text + 1, *end = string->text + string->len - 1;

    lode_buf_reset(out);
    while (p < end) {
        if (*p != '\\') {
            lode_buf_put_u8(out, (uint8_t)*p++);
        } else if (p[1] == 'u') {
            unsigned c = read_hex_digits(p + 2);
            if (!c)
                return false;
            put_utf8(out, c);
            p += 6;
        } else {
            lode_buf_put_u8(out, (uint8_t)meant[strchr(escapes, p[1]) - escapes]);
            p += 2;
        }
    }
    lode_buf_put_u8(out, 0);
    return lode_buf_is_good(out);
}

const char *lode_json_kind_name(lode_json_kind kind)
{
    switch (kind) {
    case LODE_JSON_NULL:
        return "null";
    case LODE_JSON_BOOL:
        return "bool";
    case LODE_JSON_NUMBER:
        return "number";
    case LODE_JSON_STRING:
        return "string";
    case LODE_JSON_ARRAY:
        return "array";
    case LODE_JSON_OBJECT:
        return "object";
    }
    return "";
}

bool lode_argument_to_integer(int64_t *value, const lode_argument *argument, int64_t low, int64_t high)
{
    bool is_negative = argument->len > 0 && argument->text[0] == '-';
    int64_t sum = 0;

    for (size_t i = is_negative; i < argument->len; i++) {
        int digit = argument->text[i] - '0';
        if (!is_digit(argument->text[i]) || __builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, is_negative ? -digit : digit, &sum))
            return false;
    }
    if (sum < low || sum > high)
        return false;
    *value = sum;
    return true;
}
