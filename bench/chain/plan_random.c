/* bench/chain/plan_random.c: random transactions as a recipe asks for them.
 *
 * Room:     draws coins, counts, kinds, locks and amounts. Every draw comes from one generator, in one order.
 * Touches:  the plan and the pool. No signature is made here, so this is a small part of the time.
 * Threads:  one.
 * Promise:  what is planned is valid at the plan's height: coins are ripe, locks have passed, money is kept.
 */
#include <stdlib.h>

#include "bench/chain/block_plan.h"
#include "bench/chain/script_kind.h"
#include "validate/script/sighash.h"

#define MAX_INPUTS 100
#define MAX_OUTPUTS 2000
#define WEIGHT_LIMIT 3960000 /* of 4,000,000: the coinbase and the header need a little */
#define SIGOPS_LIMIT 79600   /* of 80,000 */
#define INPUT_SIGOPS_MAX (12 * MAX_INPUTS)
#define LEVEL_LIMIT 25 /* the longest chain of transactions inside a block, as mempools have it */
#define RICH_DRAWS 64
#define LEAST_OUTPUT 1000 /* satoshis: fewer outputs rather than smaller ones */

typedef struct lode_tx_draft {
    lode_maker_input inputs[MAX_INPUTS];
    lode_maker_output outputs[MAX_OUTPUTS];
    uint64_t shares[MAX_OUTPUTS];
    lode_maker_tx tx;
    int64_t total; /* of the inputs */
} lode_tx_draft;

typedef struct lode_planner {
    lode_block_plan *plan;
    const lode_chain_recipe *recipe;
    lode_random *random;
    lode_coin_pool *pool;
    uint64_t total_weights;
    uint64_t young; /* how many coins at the pool's end count as young */
} lode_planner;

static uint64_t sum_weights(const lode_chain_recipe *recipe)
{
    uint64_t sum = 0;
    for (int i = 0; i < LODE_KIND_COUNT; i++)
        sum += recipe->weights[i];
    return sum;
}

static lode_coin_kind draw_kind(const lode_chain_recipe *recipe, lode_random *random, uint64_t total)
{
    uint64_t at = lode_random_below(random, total);
    int kind = 0;

    while (at >= recipe->weights[kind])
        at -= recipe->weights[kind++];
    return (lode_coin_kind)kind;
}

lode_coin_kind lode_recipe_draw_kind(const lode_chain_recipe *recipe, lode_random *random)
{
    return draw_kind(recipe, random, sum_weights(recipe));
}

/* 1 and more, geometric, with a mean in hundredths; one in `rare` is a big one of 20 to 99, as sweeps and payouts are.
 */
static uint32_t draw_count(lode_random *random, uint32_t mean_x100, uint32_t rare)
{
    uint32_t n = 1;

    if (mean_x100 >= 200) {
        if (lode_random_below(random, rare) == 0)
            return 20 + (uint32_t)lode_random_below(random, 80);
        mean_x100 -= 5700 / rare;
    }
    while (n < MAX_INPUTS && lode_random_below(random, mean_x100) < mean_x100 - 100)
        n++;
    return n;
}

static bool fits_locks(const lode_maker_tx *tx, const lode_made_coin *coin, uint32_t height)
{
    uint32_t sequence, lock_time;
    int32_t version = 1;

    if (!lode_coin_is_ripe(coin, height))
        return false;
    lode_made_coin_needs(coin, &sequence, &lock_time, &version);
    return !lock_time || !tx->lock_time || (lock_time < 500000000) == (tx->lock_time < 500000000);
}

static void put_input(lode_tx_draft *d, const lode_made_coin *coin)
{
    lode_maker_input *in = &d->inputs[d->tx.input_count++];
    uint32_t lock_time;

    in->coin = *coin;
    in->spoil = 0;
    lode_made_coin_needs(coin, &in->sequence, &lock_time, &d->tx.version);
    if (lock_time > d->tx.lock_time)
        d->tx.lock_time = lock_time;
    d->total += coin->value;
}

static uint64_t draw_place(const lode_planner *p)
{
    uint64_t count = p->pool->count;

    if (count <= p->young || lode_random_percent(p->random, p->recipe->old_percent))
        return lode_random_below(p->random, count);
    return count - 1 - lode_random_below(p->random, p->young);
}

/* False when no coin that fits was met in a few draws. */
static bool find_place(const lode_planner *p, uint64_t *place, const lode_tx_draft *d)
{
    for (int i = 0; i < 8 && p->pool->count > 0; i++) {
        *place = draw_place(p);
        if (fits_locks(&d->tx, lode_coin_pool_at(p->pool, *place), p->plan->height))
            return true;
    }
    return false;
}

/* Splitting small coins would leave dust and a few coins with all the money: the richest of many draws is taken. */
static bool find_rich_place(const lode_planner *p, uint64_t *place, const lode_tx_draft *d)
{
    uint64_t rival;
    bool found = find_place(p, place, d);

    for (int i = 1; found && i < RICH_DRAWS; i++) {
        rival = lode_random_below(p->random, p->pool->count);
        if (lode_coin_pool_at(p->pool, rival)->value > lode_coin_pool_at(p->pool, *place)->value &&
            fits_locks(&d->tx, lode_coin_pool_at(p->pool, rival), p->plan->height))
            *place = rival;
    }
    return found;
}

static lode_status put_old_coin(const lode_planner *p, bool *put, lode_tx_draft *d, bool rich)
{
    lode_made_coin coin;
    uint64_t place;

    *put = rich ? find_rich_place(p, &place, d) : find_place(p, &place, d);
    if (!*put)
        return lode_ok();
    LODE_TRY(lode_coin_pool_take(p->pool, &coin, place));
    put_input(d, &coin);
    return lode_ok();
}

/* A coin of this very block; one of the last few, so that chains grow. */
static void put_fresh_coin(const lode_planner *p, lode_tx_draft *d)
{
    lode_block_plan *plan = p->plan;
    uint64_t window = plan->fresh_count < 16 ? plan->fresh_count : 16;
    lode_made_coin *coin;

    if (!window)
        return;
    coin = &plan->fresh[plan->fresh_count - 1 - lode_random_below(p->random, window)];
    if (plan->txs[coin->source - 1].level + 1 >= LEVEL_LIMIT || !fits_locks(&d->tx, coin, plan->height))
        return;
    put_input(d, coin);
    *coin = plan->fresh[--plan->fresh_count];
}

static uint8_t draw_sighash(const lode_planner *p, bool is_taproot, bool has_output_beside)
{
    static const uint8_t others[] = { LODE_SIGHASH_NONE, LODE_SIGHASH_SINGLE,
                                      LODE_SIGHASH_ALL | LODE_SIGHASH_ANYONECANPAY,
                                      LODE_SIGHASH_NONE | LODE_SIGHASH_ANYONECANPAY,
                                      LODE_SIGHASH_SINGLE | LODE_SIGHASH_ANYONECANPAY };
    uint8_t type;

    if (!lode_random_percent(p->random, p->recipe->sighash_percent))
        return is_taproot && lode_random_below(p->random, 20) ? LODE_SIGHASH_DEFAULT : LODE_SIGHASH_ALL;
    type = others[lode_random_below(p->random, sizeof others)];
    if (is_taproot && !has_output_beside && (type & 3) == LODE_SIGHASH_SINGLE)
        return LODE_SIGHASH_ALL; /* BIP 341 allows no SINGLE without its output; the older rules do */
    return type;
}

static uint32_t draw_sequence(const lode_planner *p, const lode_maker_input *in, const lode_maker_tx *tx,
                              uint32_t plain)
{
    uint32_t depth = p->plan->height - in->coin.height;

    if (in->sequence != UINT32_C(0xffffffff))
        return in->sequence; /* the coin's own lock */
    if (tx->version < 2 || !lode_random_percent(p->random, p->recipe->relative_percent))
        return plain;
    return (uint32_t)lode_random_below(p->random, 1 + (depth < 10 ? depth : 10));
}

static void draw_inputs_rest(const lode_planner *p, lode_tx_draft *d)
{
    const lode_chain_recipe *r = p->recipe;
    uint32_t plain = UINT32_C(0xffffffff);

    if (d->tx.version < 2 && lode_random_percent(p->random, r->version2_percent))
        d->tx.version = 2;
    if (lode_random_percent(p->random, r->locktime_percent) && d->tx.lock_time < p->plan->height) {
        d->tx.lock_time = p->plan->height - 1;
        plain = UINT32_C(0xfffffffe);
    }
    if (lode_random_percent(p->random, r->rbf_percent))
        plain = UINT32_C(0xfffffffd);
    for (uint32_t i = 0; i < d->tx.input_count; i++) {
        lode_maker_input *in = &d->inputs[i];
        bool is_taproot = lode_coin_kind_is_taproot((lode_coin_kind)in->coin.kind);

        in->sighash = draw_sighash(p, is_taproot, i < d->tx.output_count);
        in->sequence = draw_sequence(p, in, &d->tx, plain);
    }
}

/* The first output holds money. Outputs that would bring the block over its sigops are left out. */
static void draw_outputs(const lode_planner *p, lode_tx_draft *d)
{
    uint64_t sigops = p->plan->sigops + INPUT_SIGOPS_MAX;

    for (uint32_t i = 0; i < d->tx.output_count; i++) {
        lode_maker_output *out = &d->outputs[i];
        do
            out->kind = (uint8_t)draw_kind(p->recipe, p->random, p->total_weights);
        while (i == 0 && out->kind == LODE_KIND_OP_RETURN);
        sigops += lode_kind_costs[out->kind].output_sigops;
        if (i > 0 && sigops > SIGOPS_LIMIT) {
            d->tx.output_count = i;
            return;
        }
        out->key = (uint16_t)lode_random_below(p->random, p->recipe->key_count);
        out->salt = lode_random_next(p->random);
        out->value = 0;
    }
}

/* Fee at 1 to 40 satoshis for about each virtual byte, but never more than a fiftieth. */
static int64_t draw_fee(const lode_planner *p, const lode_tx_draft *d)
{
    int64_t rate = 1 + (int64_t)lode_random_below(p->random, 40);
    int64_t fee = rate * (10 + 80 * (int64_t)d->tx.input_count + 33 * (int64_t)d->tx.output_count);

    return fee < d->total / 50 ? fee : d->total / 50;
}

/* Uneven shares, the rest with the last output that may hold money. Amounts keep their odd last digits. */
static void share_money(const lode_planner *p, lode_tx_draft *d, int64_t money)
{
    uint64_t sum = 0;
    int64_t left = money;
    lode_maker_output *last = NULL;

    for (uint32_t i = 0; i < d->tx.output_count; i++) {
        d->shares[i] = d->outputs[i].kind == LODE_KIND_OP_RETURN ? 0 : 50 + lode_random_below(p->random, 1000);
        sum += d->shares[i];
    }
    for (uint32_t i = 0; i < d->tx.output_count; i++) {
        lode_maker_output *out = &d->outputs[i];
        if (!d->shares[i])
            continue;
        out->value = (int64_t)((unsigned __int128)money * d->shares[i] / sum);
        left -= out->value;
        last = out;
    }
    if (last)
        last->value += left;
}

static uint32_t bound_outputs(const lode_tx_draft *d, uint32_t count)
{
    int64_t most = 1 + d->total / LEAST_OUTPUT;

    if (count > MAX_OUTPUTS)
        count = MAX_OUTPUTS;
    return count < most ? count : (uint32_t)most;
}

/* *added false: no coins were left for it. */
static lode_status plan_tx(const lode_planner *p, bool *added, lode_tx_draft *d, uint32_t inputs, uint32_t outputs,
                           bool splits)
{
    bool put = true;

    d->tx = (lode_maker_tx){ .version = 1, .inputs = d->inputs, .outputs = d->outputs };
    d->total = 0;
    if (!splits && lode_random_percent(p->random, p->recipe->chain_percent))
        put_fresh_coin(p, d);
    while (d->tx.input_count < inputs && put)
        LODE_TRY(put_old_coin(p, &put, d, splits));
    *added = d->tx.input_count > 0;
    if (!*added)
        return lode_ok();
    d->tx.output_count = bound_outputs(d, outputs);
    draw_outputs(p, d);
    share_money(p, d, d->total - draw_fee(p, d));
    draw_inputs_rest(p, d);
    return lode_block_plan_add(p->plan, NULL, &d->tx);
}

static bool has_room(const lode_block_plan *plan, uint32_t txs_per_block, uint32_t outputs)
{
    /* The next transaction at its most: 100 inputs of the heaviest kind, outputs of the heaviest. */
    uint64_t weight = 4 * 300 * MAX_INPUTS + (uint64_t)outputs * 4 * 115;
    uint64_t sigops = INPUT_SIGOPS_MAX + 80;

    return plan->tx_count + 1 < txs_per_block && plan->weight + weight < WEIGHT_LIMIT &&
           plan->sigops + sigops < SIGOPS_LIMIT;
}

/* While the set is too small for the recipe, coins are split: this many outputs the next transaction should have. */
static uint32_t lacking_coins(const lode_planner *p)
{
    uint64_t inputs = (uint64_t)p->recipe->txs_per_block * p->recipe->inputs_x100 / 100;
    uint64_t want = 2 * inputs + 100;
    uint64_t have = p->pool->count + p->plan->fresh_count;

    return have >= want ? 0 : want - have < 900 ? 20 + (uint32_t)(want - have) : 920;
}

static uint32_t draw_fan_out(const lode_planner *p)
{
    const lode_chain_recipe *r = p->recipe;

    if (r->grow_to && p->pool->count + p->plan->fresh_count >= r->grow_to)
        return 0;
    return lode_random_percent(p->random, r->fan_out_percent) ? r->fan_out_size : 0;
}

lode_status lode_block_plan_fill(lode_block_plan *plan, const lode_chain_recipe *recipe, lode_random *random,
                                 lode_coin_pool *pool)
{
    lode_planner p = { plan, recipe, random, pool, sum_weights(recipe), 0 };
    lode_tx_draft *d = (lode_tx_draft *)malloc(sizeof *d);
    lode_status s = lode_ok();
    bool added = true;

    if (!d)
        return lode_fail(LODE_NO_MEMORY, "no memory for a transaction");
    p.young = 3 * (uint64_t)recipe->txs_per_block * recipe->inputs_x100 / 100 + 16;
    while (added && !lode_failed(s) && pool->count > 0) {
        uint32_t split = lacking_coins(&p);
        if (!split)
            split = draw_fan_out(&p);
        uint32_t inputs = split ? 1 : draw_count(random, recipe->inputs_x100, 256);
        uint32_t outputs = split ? split : draw_count(random, recipe->outputs_x100, 200);
        if (!has_room(plan, recipe->txs_per_block, outputs))
            break;
        s = plan_tx(&p, &added, d, inputs, outputs, split > 0);
    }
    free(d);
    return s;
}
