/* validate/script/gather.h: many small pieces, hashed as a few large ones. */
#ifndef LODE_VALIDATE_SCRIPT_GATHER_H
#define LODE_VALIDATE_SCRIPT_GATHER_H

#include "primitives/encode.h"
#include "primitives/hash.h"

/* A signature hash is made of pieces of 1 to 40 bytes, for each of which a call into the hash function costs more than
 * the hashing. They are laid side by side first. */
typedef struct lode_gather {
    lode_sha256_stream hash;
    size_t len;
    uint8_t bytes[1024];
} lode_gather;

static inline void lode_gather_flush(lode_gather *g)
{
    lode_sha256_add(&g->hash, g->bytes, g->len);
    g->len = 0;
}
static inline uint8_t *lode_gather_room(lode_gather *g, size_t len)
{
    if (len > sizeof g->bytes - g->len)
        lode_gather_flush(g);
    g->len += len;
    return g->bytes + g->len - len;
}
static inline void lode_gather_add(lode_gather *g, const void *data, size_t len)
{
    if (len == 0)
        return;
    if (len <= sizeof g->bytes / 4) {
        memcpy(lode_gather_room(g, len), data, len);
        return;
    }
    lode_gather_flush(g);
    lode_sha256_add(&g->hash, data, len);
}
static inline void lode_gather_u8(lode_gather *g, uint8_t v)
{
    *lode_gather_room(g, 1) = v;
}
static inline void lode_gather_le32(lode_gather *g, uint32_t v)
{
    lode_write_le32(lode_gather_room(g, 4), v);
}
static inline void lode_gather_le64(lode_gather *g, uint64_t v)
{
    lode_write_le64(lode_gather_room(g, 8), v);
}
static inline void lode_gather_compact_size(lode_gather *g, uint64_t v)
{
    uint8_t bytes[9];
    lode_gather_add(g, bytes, lode_compact_size_write(bytes, v));
}
static inline void lode_gather_script(lode_gather *g, lode_slice script)
{
    lode_gather_compact_size(g, script.len);
    lode_gather_add(g, script.data, script.len);
}

static inline void lode_gather_begin(lode_gather *g)
{
    lode_sha256_begin(&g->hash);
    g->len = 0;
}
static inline void lode_gather_end(lode_gather *g, uint8_t out[32])
{
    lode_gather_flush(g);
    lode_sha256_end(&g->hash, out);
}
static inline void lode_gather_end_double(lode_gather *g, uint8_t out[32])
{
    lode_gather_flush(g);
    lode_sha256d_end(&g->hash, out);
}

#endif
