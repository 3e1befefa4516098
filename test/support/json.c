/* test/support/json.c: a recursive reader of JSON. Depth is bounded by 64. */
#include "test/support/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/bytes.h"

typedef struct reader {
    lode_arena *arena;
    const char *at, *end;
    int depth;
} reader;

static bool read_value(reader *r, json *out);

static void skip_space(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

static bool take_char(reader *r, char c)
{
    skip_space(r);
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static bool take_word(reader *r, const char *word)
{
    size_t len = strlen(word);
    if ((size_t)(r->end - r->at) < len || memcmp(r->at, word, len) != 0)
        return false;
    r->at += len;
    return true;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* \uXXXX as UTF-8; pairs of surrogates are not joined, as no given file has any. */
static bool read_unicode(reader *r, char **out)
{
    unsigned code = 0;
    if (r->end - r->at < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(*r->at++);
        if (digit < 0)
            return false;
        code = code << 4 | (unsigned)digit;
    }
    if (code < 0x80) {
        *(*out)++ = (char)code;
        return true;
    }
    if (code >= 0x800) {
        *(*out)++ = (char)(0xe0 | code >> 12);
        *(*out)++ = (char)(0x80 | (code >> 6 & 0x3f));
    } else {
        *(*out)++ = (char)(0xc0 | code >> 6);
    }
    *(*out)++ = (char)(0x80 | (code & 0x3f));
    return true;
}

static bool read_escape(reader *r, char **out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (r->at == r->end)
        return false;
    char c = *r->at++;
    if (c == 'u')
        return read_unicode(r, out);
    const char *found = c ? strchr(from, c) : NULL;
    if (!found)
        return false;
    *(*out)++ = to[found - from];
    return true;
}

static const char *read_string(reader *r)
{
    if (!take_char(r, '"'))
        return NULL;
    const char *close = r->at;
    while (close < r->end && *close != '"')
        close += *close == '\\' ? 2 : 1;
    if (close >= r->end)
        return NULL;

    char *text = lode_arena_take(r->arena, (size_t)(close - r->at) + 1);
    char *out = text;
    if (!text)
        return NULL;
    while (r->at < close) {
        char c = *r->at++;
        if (c != '\\')
            *out++ = c;
        else if (!read_escape(r, &out))
            return NULL;
    }
    r->at = close + 1;
    *out = '\0';
    return text;
}

static const char *read_number(reader *r)
{
    const char *first = r->at;
    while (r->at < r->end && *r->at && strchr("+-0123456789.eE", *r->at))
        r->at++;
    size_t len = (size_t)(r->at - first);
    char *text = lode_arena_take(r->arena, len + 1);
    if (!text || len == 0)
        return NULL;
    memcpy(text, first, len);
    text[len] = '\0';
    return text;
}

typedef struct list {
    json *items;
    const char **names;
    size_t count, room;
} list;

static bool grow(reader *r, list *l)
{
    if (l->count < l->room)
        return true;
    size_t room = l->room ? 2 * l->room : 8;
    json *items = lode_arena_take_array(r->arena, room, sizeof *items);
    const char **names = lode_arena_take_array(r->arena, room, sizeof *names);
    if (!items || !names)
        return false;
    if (l->count) {
        memcpy(items, l->items, l->count * sizeof *items);
        memcpy(names, l->names, l->count * sizeof *names);
    }
    *l = (list){ items, names, l->count, room };
    return true;
}

static bool read_list(reader *r, json *out, char close)
{
    list l = { NULL, NULL, 0, 0 };
    bool good = true;
    while (good && !take_char(r, close)) {
        good = (l.count == 0 || take_char(r, ',')) && grow(r, &l);
        if (good && close == '}')
            good = (l.names[l.count] = read_string(r)) != NULL && take_char(r, ':');
        if (good)
            good = read_value(r, &l.items[l.count++]);
    }
    out->kind = close == '}' ? JSON_OBJECT : JSON_ARRAY;
    out->count = l.count;
    out->items = l.items;
    out->names = l.names;
    return good;
}

static bool read_bool(reader *r, json *out)
{
    out->kind = JSON_BOOL;
    out->truth = take_word(r, "true");
    return out->truth || take_word(r, "false");
}

static bool read_value(reader *r, json *out)
{
    *out = (json){ .kind = JSON_NULL };
    skip_space(r);
    if (r->at == r->end || r->depth == 64)
        return false;

    bool good;
    r->depth++;
    switch (*r->at) {
    case '[':
        r->at++;
        good = read_list(r, out, ']');
        break;
    case '{':
        r->at++;
        good = read_list(r, out, '}');
        break;
    case '"':
        out->kind = JSON_STRING;
        out->text = read_string(r);
        good = out->text != NULL;
        break;
    case 't':
    case 'f':
        good = read_bool(r, out);
        break;
    case 'n':
        good = take_word(r, "null");
        break;
    default:
        out->kind = JSON_NUMBER;
        out->text = read_number(r);
        good = out->text != NULL;
        break;
    }
    r->depth--;
    return good;
}

const json *json_parse(lode_arena *arena, const char *text, size_t len)
{
    reader r = { arena, text, text + len, 0 };
    json *root = lode_arena_take(arena, sizeof *root);
    if (!root || !read_value(&r, root))
        return NULL;
    skip_space(&r);
    return r.at == r.end ? root : NULL;
}

const json *json_read_file(lode_arena *arena, const char *path)
{
    FILE *file = fopen(path, "rb");
    const json *root = NULL;
    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        char *text = size > 0 ? malloc((size_t)size) : NULL;
        rewind(file);
        if (text && fread(text, 1, (size_t)size, file) == (size_t)size)
            root = json_parse(arena, text, (size_t)size);
        free(text);
    }
    fclose(file);
    return root;
}

const json *json_at(const json *j, size_t i)
{
    return j && i < j->count ? &j->items[i] : NULL;
}

const json *json_get(const json *j, const char *name)
{
    if (!j || j->kind != JSON_OBJECT)
        return NULL;
    for (size_t i = 0; i < j->count; i++)
        if (strcmp(j->names[i], name) == 0)
            return &j->items[i];
    return NULL;
}

static void demand(const json *j, json_kind kind)
{
    if (j && j->kind == kind)
        return;
    fprintf(stderr, "json: kind %d wanted, found %d\n", (int)kind, j ? (int)j->kind : -1);
    abort();
}

const char *json_text(const json *j)
{
    demand(j, JSON_STRING);
    return j->text;
}

int64_t json_int(const json *j)
{
    demand(j, JSON_NUMBER);
    return strtoll(j->text, NULL, 10);
}

int64_t json_satoshis(const json *j)
{
    demand(j, JSON_NUMBER);
    const char *p = j->text;
    bool negative = *p == '-';
    int64_t sat = 0;
    int decimals = -1; /* none seen */
    for (p += negative; (*p >= '0' && *p <= '9') || *p == '.'; p++) {
        if (*p == '.') {
            decimals = 0;
            continue;
        }
        sat = 10 * sat + (*p - '0');
        decimals += decimals >= 0;
    }
    int exponent = *p == 'e' || *p == 'E' ? atoi(p + 1) : 0;
    for (int i = 8 + exponent - (decimals > 0 ? decimals : 0); i > 0; i--)
        sat *= 10;
    return negative ? -sat : sat;
}

uint8_t *json_bytes(lode_arena *arena, const json *j, size_t *len)
{
    const char *hex = json_text(j);
    *len = strlen(hex) / 2;
    uint8_t *bytes = lode_arena_take(arena, *len + 1);
    if (!bytes || !lode_hex_decode(bytes, *len, hex)) {
        fprintf(stderr, "json: not hexadecimal: %s\n", hex);
        abort();
    }
    return bytes;
}
