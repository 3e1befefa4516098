/* validate/rules/header.h: rules for headers. */
#ifndef LODE_VALIDATE_HEADER_H
#define LODE_VALIDATE_HEADER_H

#include "validate/rules/node.h"
#include "validate/rules/reject.h"

lode_u256 lode_header_work(uint32_t bits); /* Core's GetBlockProof; zero for a senseless target */
bool lode_header_has_work(const lode_block_hash *hash, uint32_t bits, const lode_chain_params *params); /* CheckProofOfWork */
uint32_t lode_header_next_bits(const lode_node *prev, const lode_header *header, const lode_chain_params *params); /* GetNextWorkRequired */

/* CheckBlockHeader, then ContextualCheckBlockHeader, in Core's order. `now` in seconds since 1970; prev not NULL. */
lode_verdict lode_header_check(const lode_header *header, const lode_block_hash *hash, const lode_node *prev, int64_t now, const lode_chain_params *params);

#define LODE_MAX_FUTURE_BLOCK_TIME 7200 /* Core's MAX_FUTURE_BLOCK_TIME, seconds */

#endif
