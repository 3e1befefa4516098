/* support/bytes.h: slices, growable buffers, little-endian access, and a reader that remembers its first failure. */
#ifndef LODE_SUPPORT_BYTES_H
#define LODE_SUPPORT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct lode_slice {
    const uint8_t *data; /* borrowed or lent; may be NULL when len is 0 */
    size_t len;
} lode_slice;

static inline lode_slice lode_slice_of(const void *data, size_t len)
{
    return (lode_slice){ (const uint8_t *)data, len };
}

/* memcmp order, shorter first on a tie: LevelDB's bytewise comparator. */
static inline int lode_slice_compare(lode_slice a, lode_slice b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int c = n ? memcmp(a.data, b.data, n) : 0;
    if (c)
        return c;
    return a.len < b.len ? -1 : a.len > b.len;
}

static inline bool lode_slice_is_equal(lode_slice a, lode_slice b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static inline uint16_t lode_read_le16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}
static inline uint32_t lode_read_le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline uint64_t lode_read_le64(const uint8_t *p)
{
    return (uint64_t)lode_read_le32(p) | (uint64_t)lode_read_le32(p + 4) << 32;
}
static inline uint32_t lode_read_be32(const uint8_t *p)
{
    return (uint32_t)p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
}
static inline void lode_write_le16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}
static inline void lode_write_le32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}
static inline void lode_write_le64(uint8_t *p, uint64_t v)
{
    lode_write_le32(p, (uint32_t)v);
    lode_write_le32(p + 4, (uint32_t)(v >> 32));
}
static inline void lode_write_be32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* Growable bytes. A failed allocation sets `failed`, drops the append, and everything after it is dropped too: ask
 * once at the end with lode_buf_is_good. */
typedef struct lode_buf {
    uint8_t *data;
    size_t len;
    size_t capacity;
    bool failed;
} lode_buf;

#define LODE_BUF_EMPTY { NULL, 0, 0, false }

void lode_buf_clear(lode_buf *b);                        /* frees; the buffer is empty and usable again */
bool lode_buf_reserve(lode_buf *b, size_t extra);        /* room for `extra` more bytes */
void lode_buf_append(lode_buf *b, const void *data, size_t len);
uint8_t *lode_buf_extend(lode_buf *b, size_t len);       /* `len` uninitialised bytes at the end, or NULL */
void lode_buf_printf(lode_buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void lode_buf_reset(lode_buf *b)
{
    b->len = 0;
    b->failed = false;
}
static inline bool lode_buf_is_good(const lode_buf *b)
{
    return !b->failed;
}
static inline void lode_buf_put_u8(lode_buf *b, uint8_t v)
{
    lode_buf_append(b, &v, 1);
}
static inline void lode_buf_put_le32(lode_buf *b, uint32_t v)
{
    uint8_t x[4];
    lode_write_le32(x, v);
    lode_buf_append(b, x, 4);
}
static inline void lode_buf_put_le64(lode_buf *b, uint64_t v)
{
    uint8_t x[8];
    lode_write_le64(x, v);
    lode_buf_append(b, x, 8);
}
static inline lode_slice lode_buf_slice(const lode_buf *b)
{
    return lode_slice_of(b->data, b->len);
}

/* Reads bytes in order; the first read that does not fit makes it bad, and every later read returns zero. */
typedef struct lode_reader {
    const uint8_t *at;
    const uint8_t *end;
    bool bad;
} lode_reader;

static inline lode_reader lode_reader_of(const void *data, size_t len)
{
    const uint8_t *p = (const uint8_t *)data;
    return (lode_reader){ p, len ? p + len : p, false }; /* NULL and 0 are no bytes */
}
static inline size_t lode_reader_left(const lode_reader *r)
{
    return (size_t)(r->end - r->at);
}
/* `len` bytes lent from the input, or NULL. */
static inline const uint8_t *lode_reader_take(lode_reader *r, size_t len)
{
    const uint8_t *p = r->at;
    if (r->bad || len > lode_reader_left(r)) {
        r->bad = true;
        return NULL;
    }
    r->at += len;
    return p;
}
static inline void lode_reader_copy(lode_reader *r, void *out, size_t len)
{
    const uint8_t *p = lode_reader_take(r, len);
    if (p)
        memcpy(out, p, len);
    else
        memset(out, 0, len);
}
static inline uint8_t lode_reader_u8(lode_reader *r)
{
    const uint8_t *p = lode_reader_take(r, 1);
    return p ? *p : 0;
}
static inline uint16_t lode_reader_u16(lode_reader *r)
{
    const uint8_t *p = lode_reader_take(r, 2);
    return p ? lode_read_le16(p) : 0;
}
static inline uint32_t lode_reader_u32(lode_reader *r)
{
    const uint8_t *p = lode_reader_take(r, 4);
    return p ? lode_read_le32(p) : 0;
}
static inline uint64_t lode_reader_u64(lode_reader *r)
{
    const uint8_t *p = lode_reader_take(r, 8);
    return p ? lode_read_le64(p) : 0;
}
/* Every read fitted and nothing is left over. */
static inline bool lode_reader_is_done(const lode_reader *r)
{
    return !r->bad && r->at == r->end;
}

/* Lower-case hexadecimal. `out` holds 2 * len + 1 bytes. */
void lode_hex_encode(char *out, const uint8_t *data, size_t len);
/* Fills `len` bytes; false unless `hex` is exactly 2 * len digits. */
bool lode_hex_decode(uint8_t *out, size_t len, const char *hex);

#endif
