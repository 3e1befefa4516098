/* support/bytes.c: the growable buffer and hexadecimal.
 *
 * Room:     memory from malloc only.
 * Threads:  one at a time for one buffer.
 */
#include "support/bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define SMALLEST_CAPACITY 64

void lode_buf_clear(lode_buf *b)
{
    free(b->data);
    *b = (lode_buf)LODE_BUF_EMPTY;
}

bool lode_buf_reserve(lode_buf *b, size_t extra)
{
    size_t need;

    if (b->failed || __builtin_add_overflow(b->len, extra, &need)) {
        b->failed = true;
        return false;
    }
    if (need <= b->capacity)
        return true;
    size_t capacity = b->capacity < SMALLEST_CAPACITY ? SMALLEST_CAPACITY : b->capacity;
    while (capacity < need)
        capacity = capacity > SIZE_MAX / 2 ? need : capacity * 2;
    uint8_t *data = realloc(b->data, capacity);
    if (!data) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->capacity = capacity;
    return true;
}

uint8_t *lode_buf_extend(lode_buf *b, size_t len)
{
    if (!lode_buf_reserve(b, len ? len : 1)) /* one byte more than nothing: `data` is then not NULL */
        return NULL;
    uint8_t *p = b->data + b->len;
    b->len += len;
    return p;
}

void lode_buf_append(lode_buf *b, const void *data, size_t len)
{
    if (len == 0)
        return;
    uint8_t *p = lode_buf_extend(b, len);
    if (p)
        memcpy(p, data, len);
}

void lode_buf_printf(lode_buf *b, const char *format, ...)
{
    va_list args, again;

    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len < 0)
        b->failed = true;
    else if (lode_buf_reserve(b, (size_t)len + 1)) { /* vsnprintf ends with a NUL, which is not part of the buffer */
        vsnprintf((char *)b->data + b->len, (size_t)len + 1, format, again);
        b->len += (size_t)len;
    }
    va_end(again);
}

void lode_hex_encode(char *out, const uint8_t *data, size_t len)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < len; i++) {
        *out++ = digits[data[i] >> 4];
        *out++ = digits[data[i] & 15];
    }
    *out = '\0';
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool lode_hex_decode(uint8_t *out, size_t len, const char *hex)
{
    for (size_t i = 0; i < 2 * len; i++) {
        if (digit_value(hex[i]) < 0) /* a NUL that comes early stops here */
            return false;
    }
    if (hex[2 * len] != '\0')
        return false;
    for (size_t i = 0; i < len; i++)
        out[i] = (uint8_t)(digit_value(hex[2 * i]) << 4 | digit_value(hex[2 * i + 1]));
    return true;
}
