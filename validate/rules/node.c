/* validate/rules/node.c: a header's place among its ancestors: work, median time, and walking back quickly.
 *
 * Room:     what a node knows of its ancestors; the tree and its memory are chainstate's.
 * Touches:  the node being linked; ancestors are read only.
 * Threads:  a linked node is constant, so any number of threads may walk.
 */
#include "validate/rules/node.h"

#include "validate/rules/header.h"

#define MEDIAN_TIME_SPAN 11 /* Core's CBlockIndex::nMedianTimeSpan */

static int32_t clear_lowest_bit(int32_t n)
{
    return n & (n - 1);
}

/* Where a node's skip pointer leads. Any smaller height would do; this choice is Core's (it is never stored), and
 * reaches any ancestor in about 2 log2(height) steps. */
static int32_t skip_height(int32_t height)
{
    if (height < 2)
        return 0;
    return height & 1 ? clear_lowest_bit(clear_lowest_bit(height - 1)) + 1 : clear_lowest_bit(height);
}

lode_node *lode_node_ancestor(const lode_node *node, int32_t height)
{
    const lode_node *at = node;

    if (height < 0 || height > node->height)
        return NULL;
    while (at->height > height) {
        int32_t skip = skip_height(at->height);
        int32_t skip_of_prev = skip_height(at->height - 1);
        /* Jump unless it goes too far, or going back one step first gives a much better jump. */
        bool jumps =
            at->skip && (skip == height || (skip > height && !(skip_of_prev < skip - 2 && skip_of_prev >= height)));
        at = jumps ? at->skip : at->prev;
    }
    return (lode_node *)(uintptr_t)at;
}

/* The median of the times of the node and up to ten ancestors; with an even count the upper one. Source: Core's
 * GetMedianTimePast; BIP 113. */
static uint32_t find_median_time(const lode_node *node)
{
    uint32_t times[MEDIAN_TIME_SPAN];
    unsigned count = 0;

    for (; node && count < MEDIAN_TIME_SPAN; node = node->prev) {
        unsigned at = count++;
        for (; at > 0 && times[at - 1] > node->header.time; at--)
            times[at] = times[at - 1];
        times[at] = node->header.time;
    }
    return times[count / 2];
}

/* Most headers have their parent's target, whose work is known without a division. */
static lode_u256 find_work(const lode_node *node, const lode_node *prev)
{
    if (prev && prev->prev && prev->header.bits == node->header.bits)
        return lode_u256_sub(prev->chain_work, prev->prev->chain_work);
    return lode_header_work(node->header.bits);
}

void lode_node_link(lode_node *node, lode_node *prev)
{
    lode_u256 work = find_work(node, prev);

    node->prev = prev;
    node->height = prev ? prev->height + 1 : 0;
    node->skip = prev ? lode_node_ancestor(prev, skip_height(node->height)) : NULL;
    node->max_time = prev && prev->max_time > node->header.time ? prev->max_time : node->header.time;
    node->chain_work = prev ? lode_u256_add(prev->chain_work, work) : work;
    node->median_time = find_median_time(node);
}

/* Nodes of one height have skip pointers of one height, so both sides can jump together. */
lode_node *lode_node_fork(lode_node *a, lode_node *b)
{
    if (a->height > b->height)
        a = lode_node_ancestor(a, b->height);
    else
        b = lode_node_ancestor(b, a->height);
    while (a != b) {
        while (a->skip != b->skip) {
            a = a->skip;
            b = b->skip;
        }
        a = a->prev;
        b = b->prev;
        if (!a || !b)
            return NULL; /* two trees: a caller's mistake */
    }
    return a;
}

int64_t lode_node_equivalent_time(const lode_node *to, const lode_node *from, const lode_node *tip,
                                  const lode_chain_params *params)
{
    bool is_ahead = lode_u256_compare(&to->chain_work, &from->chain_work) > 0;
    lode_u256 work =
        is_ahead ? lode_u256_sub(to->chain_work, from->chain_work) : lode_u256_sub(from->chain_work, to->chain_work);
    lode_u256 tip_work = lode_header_work(tip->header.bits);
    lode_u256 seconds;
    int64_t magnitude = INT64_MAX;

    if (lode_u256_is_zero(&tip_work))
        return is_ahead ? INT64_MAX : -INT64_MAX;
    seconds = lode_u256_div(lode_u256_mul_u32(work, (uint32_t)params->target_spacing), tip_work);
    if (lode_u256_bits(&seconds) <= 63)
        magnitude = (int64_t)seconds.limbs[0];
    return is_ahead ? magnitude : -magnitude;
}
