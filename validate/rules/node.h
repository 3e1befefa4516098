/* validate/rules/node.h: a header in the tree of headers, as the rules see it. The tree itself is chainstate's. */
#ifndef LODE_VALIDATE_NODE_H
#define LODE_VALIDATE_NODE_H

#include "validate/rules/params.h"

typedef struct lode_node lode_node;
struct lode_node {
    /* constant once the node is in the tree */
    lode_node *prev; /* NULL for genesis */
    lode_node *skip; /* some ancestor, for ancestor lookups in logarithmic time; NULL for genesis */
    lode_block_hash hash;
    lode_header header;
    int32_t height;
    uint32_t median_time; /* median of the times of this block and its ten ancestors (BIP 113) */
    uint32_t max_time;    /* largest time up to here */
    lode_u256 chain_work;
};

/* Fills everything but `hash` and `header`, which are set; prev may be NULL (genesis). */
void lode_node_link(lode_node *node, lode_node *prev);
/* The ancestor at `height`; NULL if height is negative or above the node's. */
lode_node *lode_node_ancestor(const lode_node *node, int32_t height);
lode_node *lode_node_fork(lode_node *a, lode_node *b); /* last common ancestor */
/* Seconds that `to`'s work exceeds `from`'s at `tip`'s difficulty (Core's GetBlockProofEquivalentTime). */
int64_t lode_node_equivalent_time(const lode_node *to, const lode_node *from, const lode_node *tip, const lode_chain_params *params);

#endif
