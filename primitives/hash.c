/* primitives/hash.c: SHA-256 and its doubles, RIPEMD-160 and SHA-1 through OpenSSL; SipHash by hand.
 *
 * Room:     OpenSSL's low-level functions, which take no provider look-up per call: most messages here are short.
 * Threads:  any; state is the caller's.
 */
#include "primitives/hash.h"

#include <openssl/ripemd.h>
#include <openssl/sha.h>

#include "support/bytes.h"

_Static_assert(sizeof(SHA256_CTX) <= sizeof(lode_sha256_stream), "the stream has room for OpenSSL's state");
_Static_assert(_Alignof(SHA256_CTX) <= _Alignof(lode_sha256_stream), "and stands where that may stand");

static SHA256_CTX *state_of(lode_sha256_stream *s)
{
    return (SHA256_CTX *)(void *)s->opaque;
}

static void write_state(uint8_t out[32], const SHA256_CTX *c)
{
    for (int i = 0; i < 8; i++)
        lode_write_be32(out + 4 * i, c->h[i]);
}

/* SHA-256 of 32 bytes: one block, whose padding is known. `out` may be `in`. */
static void hash_32(uint8_t out[32], const uint8_t in[32])
{
    uint8_t block[64] = { [32] = 0x80, [62] = 0x01 /* 256 bits */ };
    SHA256_CTX c;

    memcpy(block, in, 32);
    SHA256_Init(&c);
    SHA256_Transform(&c, block);
    write_state(out, &c);
}

void lode_sha256_begin(lode_sha256_stream *s)
{
    SHA256_Init(state_of(s));
}

void lode_sha256_add(lode_sha256_stream *s, const void *data, size_t len)
{
    SHA256_Update(state_of(s), data, len);
}

void lode_sha256_end(lode_sha256_stream *s, uint8_t out[32])
{
    SHA256_Final(out, state_of(s));
}

void lode_sha256d_end(lode_sha256_stream *s, uint8_t out[32])
{
    SHA256_Final(out, state_of(s));
    hash_32(out, out);
}

void lode_sha256_begin_tagged(lode_sha256_stream *s, const char *tag)
{
    uint8_t hash[32];

    lode_sha256(hash, tag, strlen(tag));
    lode_sha256_begin(s);
    lode_sha256_add(s, hash, sizeof hash);
    lode_sha256_add(s, hash, sizeof hash);
}

void lode_sha256(uint8_t out[32], const void *data, size_t len)
{
    lode_sha256_stream s;

    lode_sha256_begin(&s);
    lode_sha256_add(&s, data, len);
    lode_sha256_end(&s, out);
}

void lode_sha256d(uint8_t out[32], const void *data, size_t len)
{
    lode_sha256_stream s;

    lode_sha256_begin(&s);
    lode_sha256_add(&s, data, len);
    lode_sha256d_end(&s, out);
}

void lode_ripemd160(uint8_t out[20], const void *data, size_t len)
{
    RIPEMD160_CTX c;

    RIPEMD160_Init(&c);
    RIPEMD160_Update(&c, data, len);
    RIPEMD160_Final(out, &c);
}

void lode_hash160(uint8_t out[20], const void *data, size_t len)
{
    uint8_t hash[32];

    lode_sha256(hash, data, len);
    lode_ripemd160(out, hash, sizeof hash);
}

void lode_sha1(uint8_t out[20], const void *data, size_t len)
{
    SHA_CTX c;

    SHA1_Init(&c);
    SHA1_Update(&c, data, len);
    SHA1_Final(out, &c);
}

/* Three transforms a node: the 64 bytes, their padding, and the hash of the hash. */
void lode_sha256d_64(uint8_t *out, const uint8_t *in, size_t count)
{
    static const uint8_t padding[64] = { [0] = 0x80, [62] = 0x02 /* 512 bits */ };
    uint8_t second[64] = { [32] = 0x80, [62] = 0x01 };
    SHA256_CTX initial, c;

    SHA256_Init(&initial);
    for (size_t i = 0; i < count; i++) {
        c = initial;
        SHA256_Transform(&c, in + 64 * i);
        SHA256_Transform(&c, padding);
        write_state(second, &c);
        c = initial;
        SHA256_Transform(&c, second);
        write_state(out + 32 * i, &c);
    }
}

typedef struct sip_state {
    uint64_t v0, v1, v2, v3;
} sip_state;

static inline uint64_t rotate_left(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static inline void sip_round(sip_state *s)
{
    s->v0 += s->v1;
    s->v2 += s->v3;
    s->v1 = rotate_left(s->v1, 13) ^ s->v0;
    s->v3 = rotate_left(s->v3, 16) ^ s->v2;
    s->v0 = rotate_left(s->v0, 32);
    s->v2 += s->v1;
    s->v0 += s->v3;
    s->v1 = rotate_left(s->v1, 17) ^ s->v2;
    s->v3 = rotate_left(s->v3, 21) ^ s->v0;
    s->v2 = rotate_left(s->v2, 32);
}

static inline void sip_word(sip_state *s, uint64_t word)
{
    s->v3 ^= word;
    sip_round(s);
    sip_round(s);
    s->v0 ^= word;
}

/* The last word: what is left over, and the length in the top byte. */
static inline uint64_t sip_tail(const uint8_t *p, size_t len)
{
    uint64_t word = (uint64_t)len << 56;

    for (size_t i = 0; i < len % 8; i++)
        word |= (uint64_t)p[i] << (8 * i);
    return word;
}

/* Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF"; the constants spell "somepseudorandomly...". */
uint64_t lode_siphash(uint64_t k0, uint64_t k1, const void *data, size_t len)
{
    const uint8_t *p = data;
    sip_state s = { k0 ^ 0x736f6d6570736575u, k1 ^ 0x646f72616e646f6du, k0 ^ 0x6c7967656e657261u,
                    k1 ^ 0x7465646279746573u };

    for (size_t left = len; left >= 8; left -= 8, p += 8)
        sip_word(&s, lode_read_le64(p));
    sip_word(&s, sip_tail(p, len));
    s.v2 ^= 0xff;
    for (int i = 0; i < 4; i++)
        sip_round(&s);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

void lode_hash_to_hex(char out[65], const uint8_t bytes[32])
{
    uint8_t reversed[32];

    for (int i = 0; i < 32; i++)
        reversed[i] = bytes[31 - i];
    lode_hex_encode(out, reversed, sizeof reversed);
}

bool lode_hash_from_hex(uint8_t bytes[32], const char *hex)
{
    uint8_t reversed[32];

    if (!lode_hex_decode(reversed, sizeof reversed, hex))
        return false;
    for (int i = 0; i < 32; i++)
        bytes[i] = reversed[31 - i];
    return true;
}
