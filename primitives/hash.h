/* primitives/hash.h: 256-bit hashes, three types for three meanings, and the functions that make them.
 *
 * Bytes stand in the order in which they are hashed and stored; people read them reversed.
 * All hashing goes through OpenSSL.
 */
#ifndef LODE_PRIMITIVES_HASH_H
#define LODE_PRIMITIVES_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct lode_hash256 {
    uint8_t bytes[32];
} lode_hash256;
typedef struct lode_txid {
    uint8_t bytes[32];
} lode_txid;
typedef struct lode_wtxid {
    uint8_t bytes[32];
} lode_wtxid;
typedef struct lode_block_hash {
    uint8_t bytes[32];
} lode_block_hash;

static inline bool lode_bytes32_is_equal(const uint8_t *a, const uint8_t *b)
{
    return memcmp(a, b, 32) == 0;
}
static inline bool lode_bytes32_is_zero(const uint8_t *a)
{
    uint8_t any = 0;
    for (int i = 0; i < 32; i++)
        any |= a[i];
    return any == 0;
}
static inline bool lode_block_hash_is_equal(const lode_block_hash *a, const lode_block_hash *b)
{
    return lode_bytes32_is_equal(a->bytes, b->bytes);
}
static inline bool lode_txid_is_equal(const lode_txid *a, const lode_txid *b)
{
    return lode_bytes32_is_equal(a->bytes, b->bytes);
}

void lode_sha256(uint8_t out[32], const void *data, size_t len);
void lode_sha256d(uint8_t out[32], const void *data, size_t len); /* SHA-256 of SHA-256 */
void lode_hash160(uint8_t out[20], const void *data, size_t len); /* RIPEMD-160 of SHA-256 */
void lode_ripemd160(uint8_t out[20], const void *data, size_t len);
void lode_sha1(uint8_t out[20], const void *data, size_t len);

/* Streaming. The state is plain memory, so copying it keeps a midstate. */
typedef struct lode_sha256_stream {
    uint64_t opaque[15]; /* room for OpenSSL's SHA256_CTX */
} lode_sha256_stream;
void lode_sha256_begin(lode_sha256_stream *s);
void lode_sha256_add(lode_sha256_stream *s, const void *data, size_t len);
void lode_sha256_end(lode_sha256_stream *s, uint8_t out[32]);
void lode_sha256d_end(lode_sha256_stream *s, uint8_t out[32]); /* hash of the hash */
/* BIP 340: the stream after SHA256(tag) || SHA256(tag). */
void lode_sha256_begin_tagged(lode_sha256_stream *s, const char *tag);

/* `count` times sha256d of 64 bytes each, as merkle levels need. `out` may be `in` (level in place). */
void lode_sha256d_64(uint8_t *out, const uint8_t *in, size_t count);

/* SipHash-2-4 of 36 bytes (txid, index) and of any bytes: for hash tables that a stranger's data fills. */
uint64_t lode_siphash(uint64_t k0, uint64_t k1, const void *data, size_t len);

/* Reversed hexadecimal, as people read hashes. `out` holds 65 bytes. */
void lode_hash_to_hex(char out[65], const uint8_t bytes[32]);
/* False unless `hex` is exactly 64 digits. */
bool lode_hash_from_hex(uint8_t bytes[32], const char *hex);

#endif
