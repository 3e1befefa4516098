/* bench/chain/random.h: random numbers that are the same everywhere (xoshiro256**, seeded by SplitMix64). */
#ifndef LODE_BENCH_RANDOM_H
#define LODE_BENCH_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct lode_random {
    uint64_t s[4];
} lode_random;

/* SplitMix64's output function: a good mix of 64 bits. */
static inline uint64_t lode_mix64(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static inline void lode_random_init(lode_random *r, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        r->s[i] = lode_mix64(seed + (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15));
}

static inline uint64_t lode_random_next(lode_random *r)
{
    uint64_t *s = r->s;
    uint64_t x = s[1] * 5;
    uint64_t result = (x << 7 | x >> 57) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = s[3] << 45 | s[3] >> 19;
    return result;
}

/* In [0, n); n > 0. */
static inline uint64_t lode_random_below(lode_random *r, uint64_t n)
{
    return (uint64_t)(((unsigned __int128)lode_random_next(r) * n) >> 64);
}

static inline bool lode_random_percent(lode_random *r, uint32_t percent)
{
    return percent > 0 && lode_random_below(r, 100) < percent;
}

#endif
