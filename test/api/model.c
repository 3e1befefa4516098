/* test/api/model.c: see model.h. */
#include "test/api/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "primitives/encode.h"
#include "primitives/tx.h"

static int compare_ids(const void *a, const void *b)
{
    const model_coin *x = a, *y = b;
    int order = memcmp(x->id.txid, y->id.txid, 32);
    return order ? order : x->id.index < y->id.index ? -1 : x->id.index > y->id.index;
}

static void parse(lode_block *block, lode_arena *arena, const made_block *made)
{
    lode_parse_error why;
    lode_arena_reset(arena);
    assert_true(lode_block_parse(block, arena, made->raw, made->size, 0, &why));
}

static void add_outputs(model *m, const lode_tx *tx, int32_t height, bool is_coinbase)
{
    for (uint32_t o = 0; o < tx->output_count; o++) {
        if (lode_script_is_unspendable(tx->outputs[o].script, tx->outputs[o].script_len))
            continue;
        if (m->count == m->capacity) {
            m->capacity = m->capacity ? 2 * m->capacity : 1024;
            m->coins = realloc(m->coins, m->capacity * sizeof *m->coins);
            assert_non_null(m->coins);
        }
        model_coin *c = &m->coins[m->count++];
        *c = (model_coin){
            .value = tx->outputs[o].value.sat, .made = height, .spent = INT32_MAX, .is_coinbase = is_coinbase
        };
        memcpy(c->id.txid, tx->txid.bytes, 32);
        c->id.index = o;
    }
}

static void spend_inputs(model *m, const lode_tx *tx, int32_t height)
{
    for (uint32_t j = 0; j < tx->input_count; j++) {
        model_coin wanted;
        memcpy(wanted.id.txid, tx->inputs[j].prevout, 32);
        wanted.id.index = lode_read_le32(tx->inputs[j].prevout + 32);
        model_coin *c = bsearch(&wanted, m->coins, m->count, sizeof *m->coins, compare_ids);
        assert_non_null(c);
        c->spent = height;
    }
}

void model_make(model *m, const made_chain *chain)
{
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_block block;

    *m = (model){ .chain = chain };
    for (size_t h = 1; h < chain->count; h++) { /* genesis makes no coin */
        parse(&block, &arena, &chain->blocks[h]);
        for (uint32_t i = 0; i < block.tx_count; i++)
            add_outputs(m, &block.txs[i], (int32_t)h, i == 0);
    }
    qsort(m->coins, m->count, sizeof *m->coins, compare_ids);
    for (size_t h = 1; h < chain->count; h++) {
        parse(&block, &arena, &chain->blocks[h]);
        for (uint32_t i = 1; i < block.tx_count; i++)
            spend_inputs(m, &block.txs[i], (int32_t)h);
    }
    lode_arena_clear(&arena);
}

void model_clear(model *m)
{
    free(m->coins);
    *m = (model){ 0 };
}

void model_totals(const model *m, int32_t height, uint64_t *count, int64_t *total_sat)
{
    *count = 0;
    *total_sat = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (!model_is_there(&m->coins[i], height))
            continue;
        (*count)++;
        *total_sat += m->coins[i].value;
    }
}

int32_t model_height(const model *m, const uint8_t hash[32])
{
    for (size_t h = 0; h < m->chain->count; h++)
        if (memcmp(m->chain->blocks[h].hash.bytes, hash, 32) == 0)
            return (int32_t)h;
    return -1;
}
