/* test/api/model.h: which coins there are after each block of a chain, counted from the blocks alone. */
#ifndef LODE_TEST_API_MODEL_H
#define LODE_TEST_API_MODEL_H

#include "lode.h"
#include "test/loadblock/made_blocks.h"

typedef struct model_coin {
    lode_coin_id id;
    int64_t value;
    int32_t made, spent; /* heights; spent INT32_MAX: never. A coin made and spent in one block is never there */
    bool is_coinbase;
} model_coin;

/* A straight chain of blocks from genesis. */
typedef struct model {
    const made_chain *chain;
    model_coin *coins; /* by id */
    size_t count, capacity;
} model;

void model_make(model *m, const made_chain *chain);
void model_clear(model *m);
static inline bool model_is_there(const model_coin *c, int32_t height)
{
    return c->made <= height && c->spent > height;
}
void model_totals(const model *m, int32_t height, uint64_t *count, int64_t *total_sat);
/* The height of a block of the chain; -1: it is none. */
int32_t model_height(const model *m, const uint8_t hash[32]);

#endif
