/* primitives/muhash.c: MuHash3072.
 *
 * Room:     numbers modulo p = 2^3072 - 1103717. An element is the ChaCha20 key stream under the SHA-256 of its bytes;
 *           the hash of a set is the SHA-256 of the product of its elements, 384 bytes little endian.
 * Threads:  one at a time for one object; threads make parts and combine them.
 * Source:   Core's crypto/muhash; RFC 8439 for ChaCha20 (key stream from block 0, nonce zero).
 */
#include "primitives/muhash.h"

#include <string.h>

#include "primitives/hash.h"
#include "support/bytes.h"

#define LIMBS 48
#define SIZE_BYTES (LIMBS * 8)
#define PRIME_GAP UINT64_C(1103717) /* 2^3072 - p */

typedef unsigned __int128 uint128_t;

static const lode_num3072 one = { { 1 } };

/* Three limbs that a column of products is summed in. */
typedef struct column {
    uint64_t low, middle, high;
} column;

static inline void add_product(column *c, uint64_t a, uint64_t b)
{
#if defined(__x86_64__)
    uint64_t high, low;
    __asm__("mulq %[b]\n\taddq %%rax, %[c0]\n\tadcq %%rdx, %[c1]\n\tadcq $0, %[c2]"
            : [c0] "+r"(c->low), [c1] "+r"(c->middle), [c2] "+r"(c->high), "=&a"(low), "=&d"(high)
            : "3"(a), [b] "rm"(b)
            : "cc");
    (void)low;
    (void)high;
#else
    uint128_t product = (uint128_t)a * b;
    uint128_t sum = ((uint128_t)c->middle << 64 | c->low) + product;
    c->high += sum < product;
    c->low = (uint64_t)sum;
    c->middle = (uint64_t)(sum >> 64);
#endif
}

static inline uint64_t next_limb(column *c)
{
    uint64_t limb = c->low;

    c->low = c->middle;
    c->middle = c->high;
    c->high = 0;
    return limb;
}

static void multiply_whole(uint64_t product[2 * LIMBS], const uint64_t a[LIMBS], const uint64_t b[LIMBS])
{
    column c = { 0, 0, 0 };

    for (int k = 0; k < LIMBS; k++) {
        for (int i = 0; i <= k; i++)
            add_product(&c, a[i], b[k - i]);
        product[k] = next_limb(&c);
    }
    for (int k = LIMBS; k < 2 * LIMBS - 1; k++) {
        for (int i = k - LIMBS + 1; i < LIMBS; i++)
            add_product(&c, a[i], b[k - i]);
        product[k] = next_limb(&c);
    }
    product[2 * LIMBS - 1] = c.low;
}

/* Adds `v` and gives back the carry out of the top, which stands for 2^3072. */
static uint64_t add_small(uint64_t limbs[LIMBS], uint64_t v)
{
    for (int i = 0; i < LIMBS && v; i++)
        v = __builtin_add_overflow(limbs[i], v, &limbs[i]);
    return v;
}

/* 2^3072 is PRIME_GAP modulo p: the upper half comes down times that, and so does what carries out. */
static void reduce(lode_num3072 *out, const uint64_t product[2 * LIMBS])
{
    uint64_t carry = 0;

    for (int i = 0; i < LIMBS; i++) {
        uint128_t t = (uint128_t)product[LIMBS + i] * PRIME_GAP + product[i] + carry;
        out->limbs[i] = (uint64_t)t;
        carry = (uint64_t)(t >> 64);
    }
    carry = add_small(out->limbs, carry * PRIME_GAP);
    add_small(out->limbs, carry * PRIME_GAP); /* after a carry the rest is small, so this one has none */
}

static void multiply(lode_num3072 *a, const lode_num3072 *b)
{
    uint64_t product[2 * LIMBS];

    multiply_whole(product, a->limbs, b->limbs);
    reduce(a, product);
}

/* a := a^(2^times) */
static void square_times(lode_num3072 *a, int times)
{
    for (int i = 0; i < times; i++)
        multiply(a, a);
}

/* a := a^(2^count - 1), a number of `count` ones, made by doubling that count along the bits of `count`. */
static void raise_to_ones(lode_num3072 *a, int count)
{
    const lode_num3072 base = *a;
    int have = 1, bit = 1;

    while (bit * 2 <= count)
        bit *= 2;
    for (bit /= 2; bit > 0; bit /= 2) {
        lode_num3072 half = *a;
        square_times(a, have);
        multiply(a, &half);
        have *= 2;
        if (count & bit) {
            square_times(a, 1);
            multiply(a, &base);
            have++;
        }
    }
}

/* a^(p - 2), which is 1/a. p - 2 is 3051 ones and then the 21 bits of 2^21 - 1103719. */
static void invert(lode_num3072 *a)
{
    const lode_num3072 base = *a;
    const uint32_t tail = (UINT32_C(1) << 21) - (uint32_t)PRIME_GAP - 2;

    raise_to_ones(a, 3072 - 21);
    for (int bit = 20; bit >= 0; bit--) {
        multiply(a, a);
        if (tail >> bit & 1)
            multiply(a, &base);
    }
}

/* The one form below p. */
static void normalize(lode_num3072 *a)
{
    lode_num3072 shifted = *a;

    if (add_small(shifted.limbs, PRIME_GAP)) /* a + gap reaches 2^3072, so a is at least p */
        *a = shifted;
}

typedef uint32_t row __attribute__((vector_size(16)));

static inline row rotate_row(row r, int bits)
{
    return r << bits | r >> (32 - bits);
}

static inline void quarter_rounds(row s[4])
{
    s[0] += s[1];
    s[3] = rotate_row(s[3] ^ s[0], 16);
    s[2] += s[3];
    s[1] = rotate_row(s[1] ^ s[2], 12);
    s[0] += s[1];
    s[3] = rotate_row(s[3] ^ s[0], 8);
    s[2] += s[3];
    s[1] = rotate_row(s[1] ^ s[2], 7);
}

/* Columns, then diagonals: the rows are turned so that a diagonal stands as a column, and turned back. */
static inline void double_round(row s[4])
{
    quarter_rounds(s);
    s[1] = (row){ s[1][1], s[1][2], s[1][3], s[1][0] };
    s[2] = (row){ s[2][2], s[2][3], s[2][0], s[2][1] };
    s[3] = (row){ s[3][3], s[3][0], s[3][1], s[3][2] };
    quarter_rounds(s);
    s[1] = (row){ s[1][3], s[1][0], s[1][1], s[1][2] };
    s[2] = (row){ s[2][2], s[2][3], s[2][0], s[2][1] };
    s[3] = (row){ s[3][1], s[3][2], s[3][3], s[3][0] };
}

/* One block of key stream as eight limbs. */
static inline void put_block(uint64_t limbs[8], const row s[4], const row start[4])
{
    for (int i = 0; i < 4; i++) {
        row sum = s[i] + start[i];
        limbs[2 * i] = sum[0] | (uint64_t)sum[1] << 32;
        limbs[2 * i + 1] = sum[2] | (uint64_t)sum[3] << 32;
    }
}

/* Two blocks at a time, since one alone waits for itself. */
static void expand_key(lode_num3072 *out, const uint8_t key[32])
{
    row start[4] = { { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 } }; /* "expand 32-byte k" */

    for (int i = 0; i < 8; i++)
        start[1 + i / 4][i % 4] = lode_read_le32(key + 4 * i);
    for (uint32_t block = 0; block < SIZE_BYTES / 64; block += 2) {
        row start_a[4] = { start[0], start[1], start[2], { block } };
        row start_b[4] = { start[0], start[1], start[2], { block + 1 } };
        row a[4], b[4];

        memcpy(a, start_a, sizeof a);
        memcpy(b, start_b, sizeof b);
        for (int i = 0; i < 10; i++) {
            double_round(a);
            double_round(b);
        }
        put_block(out->limbs + 8 * block, a, start_a);
        put_block(out->limbs + 8 * block + 8, b, start_b);
    }
}

static void element_of(lode_num3072 *out, const void *data, size_t len)
{
    uint8_t key[32];

    lode_sha256(key, data, len);
    expand_key(out, key);
}

void lode_muhash_init(lode_muhash *m)
{
    m->numerator = one;
    m->denominator = one;
}

void lode_muhash_insert(lode_muhash *m, const void *data, size_t len)
{
    lode_num3072 element;

    element_of(&element, data, len);
    multiply(&m->numerator, &element);
}

void lode_muhash_remove(lode_muhash *m, const void *data, size_t len)
{
    lode_num3072 element;

    element_of(&element, data, len);
    multiply(&m->denominator, &element);
}

void lode_muhash_combine(lode_muhash *m, const lode_muhash *other)
{
    multiply(&m->numerator, &other->numerator);
    multiply(&m->denominator, &other->denominator);
}

void lode_muhash_final(uint8_t out[32], const lode_muhash *m)
{
    lode_num3072 quotient = m->denominator;
    uint8_t bytes[SIZE_BYTES];

    invert(&quotient);
    multiply(&quotient, &m->numerator);
    normalize(&quotient);
    for (int i = 0; i < LIMBS; i++)
        lode_write_le64(bytes + 8 * i, quotient.limbs[i]);
    lode_sha256(out, bytes, sizeof bytes);
}
