/* bench/chain/block_plan.c: a block before it is signed.
 *
 * Room:     arrays of transactions, inputs and outputs, and upper bounds of what they will weigh.
 * Touches:  memory alone.
 * Threads:  one plans; signing threads write only what each transaction's last group holds.
 * Promise:  weight and sigops are never less than the block's, signatures exactly what will be made.
 */
#include "bench/chain/block_plan.h"

#include <stdlib.h>
#include <string.h>

#include "bench/chain/script_kind.h"
#include "primitives/encode.h"

void lode_block_plan_clear(lode_block_plan *plan)
{
    free(plan->txs);
    free(plan->inputs);
    free(plan->outputs);
    free(plan->fresh);
    *plan = (lode_block_plan)LODE_BLOCK_PLAN_EMPTY;
}

void lode_block_plan_reset(lode_block_plan *plan, uint32_t height)
{
    plan->tx_count = plan->input_count = plan->output_count = plan->fresh_count = 0;
    plan->height = height;
    plan->level_count = 0;
    plan->fees = 0;
    plan->weight = plan->sigops = plan->signatures = 0;
}

static void *grown(void *items, size_t *capacity, size_t need, size_t item_size)
{
    size_t more = *capacity ? *capacity : 256;
    void *bigger;

    if (need <= *capacity)
        return items;
    while (more < need)
        more *= 2;
    bigger = realloc(items, more * item_size);
    if (bigger)
        *capacity = more;
    return bigger;
}

static lode_status make_room(lode_block_plan *plan, const lode_maker_tx *tx)
{
    void *p;

#define GROW(items, count, capacity, extra)                                                                            \
    p = grown(plan->items, &plan->capacity, plan->count + (extra), sizeof *plan->items);                               \
    if (!p)                                                                                                            \
        return lode_fail(LODE_NO_MEMORY, "no memory for a block plan of %zu transactions", plan->tx_count);            \
    plan->items = p
    GROW(txs, tx_count, tx_capacity, 1);
    GROW(inputs, input_count, input_capacity, tx->input_count);
    GROW(outputs, output_count, output_capacity, tx->output_count);
    GROW(fresh, fresh_count, fresh_capacity, tx->output_count);
#undef GROW
    return lode_ok();
}

static void forget_fresh(lode_block_plan *plan, const lode_made_coin *coin)
{
    for (size_t i = plan->fresh_count; i-- > 0;) {
        if (plan->fresh[i].source == coin->source && plan->fresh[i].index == coin->index) {
            plan->fresh[i] = plan->fresh[--plan->fresh_count];
            return;
        }
    }
}

static void add_input(lode_block_plan *plan, lode_planned_tx *planned, const lode_maker_input *in)
{
    const lode_kind_cost *cost = &lode_kind_costs[in->coin.kind];

    plan->inputs[plan->input_count++] = *in;
    plan->fees += in->coin.value;
    plan->sigops += cost->input_sigops;
    plan->signatures += cost->signatures;
    planned->has_witness |= cost->witness_len > 0;
    if (!in->coin.source)
        return;
    /* A source that comes later (only a block that is wrong on purpose has one) spends nothing of this block. */
    uint32_t below = in->coin.source <= plan->tx_count ? plan->txs[in->coin.source - 1].level : 0;
    if (planned->level <= below)
        planned->level = below + 1;
    forget_fresh(plan, &in->coin);
}

static void add_output(lode_block_plan *plan, const lode_maker_output *out, uint32_t index)
{
    plan->outputs[plan->output_count++] = *out;
    plan->fees -= out->value;
    plan->sigops += lode_kind_costs[out->kind].output_sigops;
    if (out->kind == LODE_KIND_OP_RETURN)
        return;
    plan->fresh[plan->fresh_count++] = (lode_made_coin){
        .index = index,
        .height = plan->height,
        .value = out->value,
        .source = (uint32_t)plan->tx_count + 1,
        .key = out->key,
        .kind = out->kind,
    };
}

/* At most: every signature at its longest. */
static uint64_t bound_weight(const lode_maker_tx *tx, bool has_witness)
{
    uint64_t base = 8 + lode_compact_size_length(tx->input_count) + lode_compact_size_length(tx->output_count);
    uint64_t witness = has_witness ? 2 + tx->input_count : 0;

    for (uint32_t i = 0; i < tx->input_count; i++) {
        const lode_kind_cost *cost = &lode_kind_costs[tx->inputs[i].coin.kind];
        base += 40 + lode_compact_size_length(cost->script_sig_len) + cost->script_sig_len;
        witness += cost->witness_len;
    }
    for (uint32_t i = 0; i < tx->output_count; i++)
        base += 8 + 1 + lode_kind_costs[tx->outputs[i].kind].script_len;
    return 4 * base + witness;
}

lode_status lode_block_plan_add(lode_block_plan *plan, uint32_t *position, const lode_maker_tx *tx)
{
    lode_planned_tx planned = {
        .first_input = (uint32_t)plan->input_count,
        .input_count = tx->input_count,
        .first_output = (uint32_t)plan->output_count,
        .output_count = tx->output_count,
        .version = tx->version,
        .lock_time = tx->lock_time,
    };

    LODE_TRY(make_room(plan, tx));
    for (uint32_t i = 0; i < tx->input_count; i++)
        add_input(plan, &planned, &tx->inputs[i]);
    for (uint32_t i = 0; i < tx->output_count; i++)
        add_output(plan, &tx->outputs[i], i);
    plan->weight += bound_weight(tx, planned.has_witness);
    if (planned.level >= plan->level_count)
        plan->level_count = planned.level + 1;
    plan->txs[plan->tx_count++] = planned;
    if (position)
        *position = (uint32_t)plan->tx_count;
    return lode_ok();
}
