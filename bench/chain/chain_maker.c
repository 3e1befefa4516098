/* bench/chain/chain_maker.c: the chain that is growing.
 *
 * Room:     plan, sign, assemble; what a block makes are coins of the next.
 * Touches:  memory alone.
 * Threads:  one calls; the signers have threads of their own.
 * Promise:  blocks depend on the recipe and the order of calls, on nothing else.
 */
#include "bench/chain/chain_maker.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bench/chain/maker.h"
#include "bench/chain/script_kind.h"
#include "support/check.h"
#include "validate/rules/params.h"

#define GENESIS_TIME UINT32_C(1296688602)
#define SPACING 600
#define MATURITY 100

uint32_t lode_chain_maker_time(uint32_t height)
{
    if (height == 0)
        return GENESIS_TIME;
    return GENESIS_TIME + SPACING * height + (uint32_t)(lode_mix64(height) % 400);
}

/* Times only grow, so the median of the last eleven is the one in the middle. */
uint32_t lode_chain_maker_median_time(uint32_t height)
{
    uint32_t first = height < 10 ? 0 : height - 10;
    return lode_chain_maker_time(first + (height + 1 - first) / 2);
}

static bool has_coin_kind(const lode_chain_recipe *r)
{
    for (int i = 0; i < LODE_KIND_COUNT; i++) {
        if (i != LODE_KIND_OP_RETURN && r->weights[i] > 0)
            return true;
    }
    return false;
}

static lode_status check_recipe(const lode_chain_recipe *r)
{
    if (r->key_count < 4 || r->key_count > 65536)
        return lode_fail(LODE_INVALID_ARGUMENT, "%u keys: not in 4 to 65536", r->key_count);
    if (!has_coin_kind(r))
        return lode_fail(LODE_INVALID_ARGUMENT, "the mix has no kind that can be spent");
    if (r->inputs_x100 < 100 || r->outputs_x100 < 100 || r->inputs_x100 > 5000 || r->outputs_x100 > 5000)
        return lode_fail(LODE_INVALID_ARGUMENT, "mean inputs or outputs not in 1 to 50");
    if (r->txs_per_block < 1 || r->txs_per_block > 100000)
        return lode_fail(LODE_INVALID_ARGUMENT, "%u transactions a block: not in 1 to 100000", r->txs_per_block);
    if (r->fan_out_size > 2000 || r->threads > 256)
        return lode_fail(LODE_INVALID_ARGUMENT, "fan-outs over 2000 outputs or over 256 threads");
    return lode_ok();
}

lode_status lode_chain_maker_create(lode_chain_maker **out, const lode_chain_recipe *recipe)
{
    lode_chain_maker *m;
    lode_made_block genesis;
    lode_status s;

    *out = NULL;
    LODE_TRY(check_recipe(recipe));
    m = (lode_chain_maker *)calloc(1, sizeof *m);
    if (!m)
        return lode_fail(LODE_NO_MEMORY, "no memory for a chain maker");
    m->recipe = *recipe;
    lode_random_init(&m->random, recipe->seed);
    lode_chain_maker_genesis(&genesis);
    m->at.tip = genesis.hash;
    s = lode_key_ring_init(&m->ring, recipe->seed, recipe->key_count);
    if (!lode_failed(s))
        s = lode_signers_create(&m->signers, &m->ring, recipe->threads ? recipe->threads : 1);
    if (lode_failed(s)) {
        lode_chain_maker_destroy(m);
        return s;
    }
    *out = m;
    return lode_ok();
}

void lode_chain_maker_destroy(lode_chain_maker *m)
{
    if (!m)
        return;
    lode_signers_destroy(m->signers);
    lode_key_ring_clear(&m->ring);
    lode_coin_pool_clear(&m->pool);
    lode_block_plan_clear(&m->plan);
    lode_buf_clear(&m->raw);
    free(m->coinbases);
    free(m->marks);
    free(m);
}

static lode_chain_params regtest;
static pthread_once_t regtest_once = PTHREAD_ONCE_INIT;

static void init_regtest(void)
{
    lode_chain_params_init(&regtest, LODE_CHAIN_REGTEST);
}

void lode_chain_maker_genesis(lode_made_block *out)
{
    pthread_once(&regtest_once, init_regtest);
    *out = (lode_made_block){
        .raw = regtest.genesis_raw,
        .size = regtest.genesis_size,
        .weight = 4 * regtest.genesis_size,
        .hash = regtest.genesis_hash,
        .tx_count = 1,
        .output_count = 1,
    };
}

lode_status lode_maker_begin(lode_chain_maker *m)
{
    uint32_t height = m->at.height + 1;

    if (m->at.begun)
        return lode_ok();
    lode_block_plan_reset(&m->plan, height);
    if (height > MATURITY)
        LODE_TRY(lode_coin_pool_push(&m->pool, &m->coinbases[height - MATURITY - 1]));
    m->at.begun = true;
    return lode_ok();
}

static lode_coin_kind draw_coinbase_kind(lode_chain_maker *m)
{
    lode_coin_kind kind;

    do
        kind = lode_recipe_draw_kind(&m->recipe, &m->random);
    while (kind == LODE_KIND_OP_RETURN);
    return kind;
}

static lode_status make_block(lode_chain_maker *m, lode_made_block *out, lode_made_coin *coinbase,
                              lode_block_spoil spoil)
{
    lode_assembly a = {
        .ring = &m->ring,
        .plan = &m->plan,
        .prev = m->at.tip,
        .kind = draw_coinbase_kind(m),
        .key = (uint16_t)lode_random_below(&m->random, m->recipe.key_count),
        .spoil = spoil,
    };

    a.salt = lode_mix64(m->recipe.seed ^ lode_mix64(m->salt++));
    LODE_TRY(lode_signers_run(m->signers, &m->plan));
    return lode_assemble(&m->raw, out, coinbase, &a);
}

static lode_status keep_coinbase(lode_chain_maker *m, const lode_made_coin *coin)
{
    if (m->coinbase_capacity < coin->height) {
        size_t capacity = m->coinbase_capacity ? m->coinbase_capacity * 2 : 256;
        lode_made_coin *coinbases = (lode_made_coin *)realloc(m->coinbases, capacity * sizeof *coinbases);

        if (!coinbases)
            return lode_fail(LODE_NO_MEMORY, "no memory for the coinbases of %zu blocks", capacity);
        m->coinbases = coinbases;
        m->coinbase_capacity = capacity;
    }
    m->coinbases[coin->height - 1] = *coin;
    return lode_ok();
}

/* What nothing in the block has spent goes into the set, youngest last. */
static lode_status keep_fresh_coins(lode_chain_maker *m)
{
    for (size_t i = 0; i < m->plan.fresh_count; i++) {
        lode_made_coin coin = m->plan.fresh[i];

        coin.txid = m->plan.txs[coin.source - 1].txid;
        coin.source = 0;
        LODE_TRY(lode_coin_pool_push(&m->pool, &coin));
    }
    return lode_ok();
}

lode_status lode_maker_finish(lode_chain_maker *m, lode_made_block *out, lode_block_spoil spoil)
{
    lode_made_coin coinbase;

    LODE_TRY(make_block(m, out, &coinbase, spoil));
    LODE_TRY(keep_coinbase(m, &coinbase));
    LODE_TRY(keep_fresh_coins(m));
    for (size_t i = 0; i < m->plan.input_count; i++) {
        if (!m->plan.inputs[i].coin.source) {
            m->at.spent = m->plan.inputs[i].coin;
            break;
        }
    }
    m->at.height = out->height;
    m->at.tip = out->hash;
    m->at.tx_count += out->tx_count;
    m->at.begun = false;
    return lode_ok();
}

lode_status lode_chain_maker_extend(lode_chain_maker *m, lode_made_block *out)
{
    LODE_TRY(lode_maker_begin(m));
    LODE_TRY(lode_block_plan_fill(&m->plan, &m->recipe, &m->random, &m->pool));
    return lode_maker_finish(m, out, LODE_BLOCK_GOOD);
}

lode_status lode_chain_maker_extend_empty(lode_chain_maker *m, lode_made_block *out)
{
    LODE_TRY(lode_maker_begin(m));
    return lode_maker_finish(m, out, LODE_BLOCK_GOOD);
}

lode_status lode_chain_maker_mark(lode_chain_maker *m)
{
    if (m->at.begun && m->plan.tx_count > 0)
        return lode_fail(LODE_INVALID_ARGUMENT, "a mark in the middle of a block");
    if (m->mark_count == m->mark_capacity) {
        size_t capacity = m->mark_capacity ? m->mark_capacity * 2 : 8;
        lode_chain_place *marks = (lode_chain_place *)realloc(m->marks, capacity * sizeof *marks);

        if (!marks)
            return lode_fail(LODE_NO_MEMORY, "no memory for %zu marks", capacity);
        m->marks = marks;
        m->mark_capacity = capacity;
    }
    m->marks[m->mark_count] = m->at;
    m->marks[m->mark_count].pool_mark = lode_coin_pool_mark(&m->pool);
    m->mark_count++;
    return lode_ok();
}

void lode_chain_maker_rewind(lode_chain_maker *m)
{
    LODE_CHECK(m->mark_count > 0);
    m->at = m->marks[--m->mark_count];
    lode_coin_pool_rewind(&m->pool, m->at.pool_mark);
    lode_block_plan_reset(&m->plan, m->at.height + 1);
}

void lode_chain_maker_drop_mark(lode_chain_maker *m)
{
    LODE_CHECK(m->mark_count > 0);
    m->mark_count--;
    lode_coin_pool_drop_mark(&m->pool);
}

uint32_t lode_chain_maker_height(const lode_chain_maker *m)
{
    return m->at.height;
}

lode_block_hash lode_chain_maker_tip(const lode_chain_maker *m)
{
    return m->at.tip;
}

uint64_t lode_chain_maker_tx_count(const lode_chain_maker *m)
{
    return m->at.tx_count;
}

/* Coinbases from this height on are not in the pool yet. */
static uint32_t first_unripe_coinbase(const lode_chain_maker *m)
{
    uint32_t planned = m->at.height + m->at.begun;
    return planned > MATURITY ? planned - MATURITY + 1 : 1;
}

uint64_t lode_chain_maker_coin_count(const lode_chain_maker *m)
{
    return m->pool.count + (m->at.height + 1 - first_unripe_coinbase(m));
}

static lode_status visit_coin(const lode_chain_maker *m, const lode_made_coin *coin, lode_made_coin_visit visit,
                              void *context)
{
    uint8_t script[LODE_MADE_SCRIPT_MAX];
    size_t len = lode_script_output(script, &m->ring, (lode_coin_kind)coin->kind, coin->key, coin->height, 0);

    return visit(context, coin, lode_slice_of(script, len));
}

lode_status lode_chain_maker_visit_coins(const lode_chain_maker *m, lode_made_coin_visit visit, void *context)
{
    for (uint64_t i = 0; i < m->pool.count; i++)
        LODE_TRY(visit_coin(m, lode_coin_pool_at(&m->pool, i), visit, context));
    for (uint32_t height = first_unripe_coinbase(m); height <= m->at.height; height++)
        LODE_TRY(visit_coin(m, &m->coinbases[height - 1], visit, context));
    return lode_ok();
}

bool lode_chain_maker_take_coin(lode_chain_maker *m, lode_made_coin *coin, lode_coin_kind kind)
{
    if (lode_failed(lode_maker_begin(m)))
        return false;
    for (uint64_t i = m->pool.count; i-- > 0;) {
        const lode_made_coin *at = lode_coin_pool_at(&m->pool, i);
        if ((kind == LODE_KIND_COUNT || at->kind == kind) && lode_coin_is_ripe(at, m->at.height + 1))
            return !lode_failed(lode_coin_pool_take(&m->pool, coin, i));
    }
    return false;
}

lode_status lode_chain_maker_add_tx(lode_chain_maker *m, uint32_t *position, const lode_maker_tx *tx)
{
    LODE_TRY(lode_maker_begin(m));
    return lode_block_plan_add(&m->plan, position, tx);
}
