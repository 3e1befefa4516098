/* bench/suites/workload.c: keys and values, the same for every engine. */
#include "bench/suites/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/chain/random.h"
#include "bench/engines/engine.h"
#include "support/bytes.h"

enum { POOL_BYTES = 1 << 20, DOCUMENT_REPEATS = 8000, DOCUMENT_MAX = 32768 };

/* ---- order ---- */

void lode_order_init(lode_order *o, lode_key_order order, uint64_t count, uint64_t seed)
{
    *o = (lode_order){ .order = order, .count = count ? count : 1, .seed = lode_mix64(seed), .half_bits = 1 };
    while (UINT64_C(1) << 2 * o->half_bits < o->count)
        o->half_bits++;
}

/* A Feistel network over the next even power of two, walked until it falls below count. */
static uint64_t shuffle(const lode_order *o, uint64_t x)
{
    uint64_t mask = (UINT64_C(1) << o->half_bits) - 1;

    do {
        uint64_t left = x >> o->half_bits, right = x & mask;
        for (uint64_t round = 0; round < 4; round++) {
            uint64_t next = left ^ (lode_mix64(right + o->seed + round) & mask);
            left = right;
            right = next;
        }
        x = left << o->half_bits | right;
    } while (x >= o->count);
    return x;
}

uint64_t lode_order_at(const lode_order *o, uint64_t i)
{
    switch (o->order) {
    case LODE_ORDER_SEQUENTIAL:
        return i % o->count;
    case LODE_ORDER_SHUFFLED:
        return shuffle(o, i % o->count);
    case LODE_ORDER_RANDOM:
    case LODE_ORDER_MISSING:
        return lode_mix64(o->seed + i) % o->count;
    case LODE_ORDER_HOT:
        return lode_mix64(o->seed + i) % ((o->count + 99) / 100) * 97 % o->count;
    }
    return 0;
}

/* ---- keys ---- */

static void make_text(uint8_t *key, uint64_t number)
{
    for (int i = 15; i >= 0; i--) {
        key[i] = (uint8_t)('0' + number % 10);
        number /= 10;
    }
}

size_t lode_key_make(uint8_t key[LODE_KEY_MAX], lode_key_form form, uint64_t number, bool missing)
{
    size_t len = 0;

    switch (form) {
    case LODE_KEY_TEXT:
        make_text(key, number);
        len = 16;
        break;
    case LODE_KEY_INTEGER:
        number = __builtin_bswap64(number);
        memcpy(key, &number, len = sizeof number);
        break;
    case LODE_KEY_TXID:
        key[0] = 't';
        for (uint64_t i = 0; i < 4; i++)
            lode_write_le64(key + 1 + 8 * i, lode_mix64(number * 4 + i));
        len = 33;
        break;
    }
    if (missing)
        key[len++] = '.';
    return len;
}

/* ---- values ---- */

void lode_values_init(lode_values *v, size_t len, bool documents)
{
    size_t half = (len + 1) / 2;
    lode_random random;

    *v = (lode_values){ .len = len, .pieces = len && len < POOL_BYTES / 64 ? POOL_BYTES / len : 64 };
    v->documents = documents;
    v->pool = (uint8_t *)lode_engine_memory(documents ? DOCUMENT_MAX : v->pieces * len);
    if (documents)
        return;
    lode_random_init(&random, 301);
    for (uint64_t p = 0; p < v->pieces; p++) {
        uint8_t *piece = v->pool + p * len;
        for (size_t i = 0; i < half; i++)
            piece[i] = (uint8_t)(' ' + lode_random_below(&random, 95));
        memcpy(piece + half, piece, len - half);
    }
}

void lode_values_clear(lode_values *v)
{
    free(v->pool);
    *v = (lode_values){ .pool = NULL };
}

lode_bytes lode_values_at(lode_values *v, uint64_t number, uint8_t generation)
{
    if (v->documents) {
        char text[24];
        int len = snprintf(text, sizeof text, "%llu", (unsigned long long)(number % 10000));
        for (int i = 0; i < DOCUMENT_REPEATS; i++)
            memcpy(v->pool + i * len, text, (size_t)len);
        return (lode_bytes){ v->pool, (size_t)(DOCUMENT_REPEATS * len) };
    }
    return (lode_bytes){ v->pool + lode_mix64(number + ((uint64_t)generation << 56)) % v->pieces * v->len, v->len };
}

/* ---- sums ---- */

static uint64_t read_end(lode_bytes b)
{
    uint64_t word = 0;
    size_t len = b.len < sizeof word ? b.len : sizeof word;

    if (len) /* the data of an empty value may be NULL */
        memcpy(&word, (const uint8_t *)b.data + b.len - len, len);
    return word;
}

uint64_t lode_value_sum(lode_bytes value)
{
    return (read_end(value) + value.len) * UINT64_C(0x9e3779b97f4a7c15);
}

uint64_t lode_entry_sum(lode_bytes key, lode_bytes value)
{
    uint64_t sum = (read_end(key) ^ lode_value_sum(value)) * UINT64_C(0xd6e8feb86659fd93);

    return sum ^ sum >> 32;
}
