/* bench/suites/workload.h: keys and values, the same for every engine. */
#ifndef LODE_BENCH_SUITES_WORKLOAD_H
#define LODE_BENCH_SUITES_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lode/store.h"

typedef enum lode_key_form {
    LODE_KEY_TEXT,    /* 16 decimal digits */
    LODE_KEY_INTEGER, /* 8 bytes, big-endian */
    LODE_KEY_TXID     /* 't' and 32 random bytes, as in a transaction index */
} lode_key_form;

typedef enum lode_key_order {
    LODE_ORDER_SEQUENTIAL,
    LODE_ORDER_SHUFFLED, /* each number once */
    LODE_ORDER_RANDOM,   /* drawn with replacement */
    LODE_ORDER_HOT,      /* drawn from a hundredth of the numbers */
    LODE_ORDER_MISSING   /* drawn; the key made of it is not there, but between those that are */
} lode_key_order;

/* The numbers of a phase: the i-th is lode_order_at(o, i). */
typedef struct lode_order {
    lode_key_order order;
    uint64_t count, seed, half_bits;
} lode_order;
void lode_order_init(lode_order *o, lode_key_order order, uint64_t count, uint64_t seed);
uint64_t lode_order_at(const lode_order *o, uint64_t i);

enum { LODE_KEY_MAX = 40 };
/* Its length. */
size_t lode_key_make(uint8_t key[LODE_KEY_MAX], lode_key_form form, uint64_t number, bool missing);

/* Values: pieces of a pool, each half random and half its repetition, so that they compress to half. */
typedef struct lode_values {
    uint8_t *pool;
    size_t len;
    uint64_t pieces;
    bool documents; /* number n is the decimal text of n, repeated 8,000 times */
} lode_values;
void lode_values_init(lode_values *v, size_t len, bool documents);
void lode_values_clear(lode_values *v);
/* Of a key as it was written the generation-th time, from 1. Lent until the next call. */
lode_bytes lode_values_at(lode_values *v, uint64_t number, uint8_t generation);

/* Added over entries, in any order: equal sums, equal keys and values (as far as their ends show). */
uint64_t lode_entry_sum(lode_bytes key, lode_bytes value);
uint64_t lode_value_sum(lode_bytes value);

#endif
