/* validate/rules/header.c: proof of work, difficulty, times and versions.
 *
 * Room:     what Core's CheckBlockHeader and ContextualCheckBlockHeader ask, in their order.
 * Touches:  nothing; the clock is an argument.
 */
#include "validate/rules/header.h"

#define MAX_TIMEWARP 600 /* seconds; BIP 94 */

/* 2^256 / (target + 1), written so that it fits: 2^256 - 1 - target is ~target. Source: Core's GetBitsProof. */
lode_u256 lode_header_work(uint32_t bits)
{
    bool negative, overflow;
    lode_u256 target = lode_u256_from_compact(bits, &negative, &overflow);
    lode_u256 one = lode_u256_from_u64(1), inverse;

    if (negative || overflow || lode_u256_is_zero(&target))
        return lode_u256_from_u64(0);
    for (int i = 0; i < 4; i++)
        inverse.limbs[i] = ~target.limbs[i];
    return lode_u256_add(lode_u256_div(inverse, lode_u256_add(target, one)), one);
}

bool lode_header_has_work(const lode_block_hash *hash, uint32_t bits, const lode_chain_params *params)
{
    bool negative, overflow;
    lode_u256 target = lode_u256_from_compact(bits, &negative, &overflow);
    lode_u256 number = lode_u256_from_le(hash->bytes);

    if (negative || overflow || lode_u256_is_zero(&target) || lode_u256_compare(&target, &params->pow_limit) > 0)
        return false;
    return lode_u256_compare(&number, &target) <= 0;
}

static int32_t retarget_interval(const lode_chain_params *params)
{
    return (int32_t)(params->target_timespan / params->target_spacing);
}

/* Scale the old target by the time that the interval took, at most four times either way. The time is measured over
 * one block less than the interval: the first block's own distance from its parent is not in it. Source: Core's
 * CalculateNextWorkRequired. */
static uint32_t retarget(const lode_node *prev, const lode_chain_params *params)
{
    const lode_node *first = lode_node_ancestor(prev, prev->height - (retarget_interval(params) - 1));
    int64_t took = (int64_t)prev->header.time - (int64_t)first->header.time;
    /* BIP 94: the first block of an interval cannot be an easy one, so its target is the true one. */
    uint32_t base = params->enforce_bip94 ? first->header.bits : prev->header.bits;
    lode_u256 target;

    if (took < params->target_timespan / 4)
        took = params->target_timespan / 4;
    if (took > params->target_timespan * 4)
        took = params->target_timespan * 4;
    target = lode_u256_mul_u32(lode_u256_from_compact(base, NULL, NULL), (uint32_t)took);
    target = lode_u256_div(target, lode_u256_from_u64((uint64_t)params->target_timespan));
    if (lode_u256_compare(&target, &params->pow_limit) > 0)
        target = params->pow_limit;
    return lode_u256_to_compact(&target);
}

/* Testnet's rule inside an interval: a block more than twenty minutes after its parent must be of the least
 * difficulty; any other takes up the last target that did not come from this rule. */
static uint32_t bits_with_easy_blocks(const lode_node *prev, const lode_header *header, const lode_chain_params *params)
{
    const lode_node *at = prev;

    if ((int64_t)header->time > (int64_t)prev->header.time + 2 * params->target_spacing)
        return params->pow_limit_bits;
    while (at->prev && at->height % retarget_interval(params) != 0 && at->header.bits == params->pow_limit_bits)
        at = at->prev;
    return at->header.bits;
}

uint32_t lode_header_next_bits(const lode_node *prev, const lode_header *header, const lode_chain_params *params)
{
    if ((prev->height + 1) % retarget_interval(params) == 0)
        return params->no_retargeting ? prev->header.bits : retarget(prev, params);
    return params->allow_min_difficulty ? bits_with_easy_blocks(prev, header, params) : prev->header.bits;
}

/* ---- the rules, each on a header and the place it claims ---- */

typedef struct claim {
    const lode_header *header;
    const lode_block_hash *hash;
    const lode_node *prev;
    int32_t height;
    int64_t now;
    const lode_chain_params *params;
} claim;

/* Source: Core's CheckBlockHeader. */
static lode_reject hash_is_below_target(const claim *c)
{
    return lode_header_has_work(c->hash, c->header->bits, c->params) ? LODE_VALID : LODE_HIGH_HASH;
}

/* The rest: Core's ContextualCheckBlockHeader. */
static lode_reject target_is_the_due_one(const claim *c)
{
    return c->header->bits == lode_header_next_bits(c->prev, c->header, c->params) ? LODE_VALID : LODE_BAD_DIFFBITS;
}

static lode_reject time_is_after_median(const claim *c)
{
    return c->header->time > c->prev->median_time ? LODE_VALID : LODE_TIME_TOO_OLD;
}

/* BIP 94: the first block of an interval is at most ten minutes older than its parent. */
static lode_reject time_is_not_warped(const claim *c)
{
    if (!c->params->enforce_bip94 || c->height % retarget_interval(c->params) != 0)
        return LODE_VALID;
    return (int64_t)c->header->time < (int64_t)c->prev->header.time - MAX_TIMEWARP ? LODE_TIME_TIMEWARP_ATTACK
                                                                                   : LODE_VALID;
}

static lode_reject time_is_not_in_the_future(const claim *c)
{
    return (int64_t)c->header->time > c->now + LODE_MAX_FUTURE_BLOCK_TIME ? LODE_TIME_TOO_NEW : LODE_VALID;
}

/* BIP 34, 66 and 65 each retired a version; negative numbers are retired as well. */
static lode_reject version_is_current(const claim *c)
{
    int32_t version = c->header->version;
    bool is_old = (version < 2 && c->height >= c->params->bip34_height) ||
                  (version < 3 && c->height >= c->params->bip66_height) ||
                  (version < 4 && c->height >= c->params->bip65_height);
    return is_old ? LODE_BAD_VERSION : LODE_VALID;
}

static lode_reject (*const header_rules[])(const claim *) = {
    hash_is_below_target, target_is_the_due_one,     time_is_after_median,
    time_is_not_warped,   time_is_not_in_the_future, version_is_current,
};

lode_verdict lode_header_check(const lode_header *header, const lode_block_hash *hash, const lode_node *prev,
                               int64_t now, const lode_chain_params *params)
{
    claim c = { header, hash, prev, prev->height + 1, now, params };
    lode_verdict verdict = lode_verdict_of(LODE_VALID);

    for (size_t i = 0; i < sizeof header_rules / sizeof *header_rules && verdict.reject == LODE_VALID; i++)
        verdict.reject = header_rules[i](&c);
    if (verdict.reject == LODE_BAD_VERSION)
        verdict.version = header->version;
    return verdict;
}
