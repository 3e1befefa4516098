/* test/api/api_bed.h: what several tests of the library do with a bed, and what they ask with. */
#ifndef LODE_TEST_API_BED_H
#define LODE_TEST_API_BED_H

#include "test/loadblock/bed.h"

/* Genesis and `height` blocks upon it; of each invalid kind one that stands on their tip or near it; the good block
 * that comes next (may be NULL). */
void api_make_chains(made_chain *chain, made_chain *bad, made_chain *next, uint64_t seed, uint32_t txs,
                     uint32_t height);
/* Blocks [first, end), which are accepted. */
void api_submit(bed *b, const made_chain *from, size_t first, size_t end);
void api_close_cancel(bed *b);

/* A transaction of one input, with an empty script, and one output. */
enum { API_TX_SIZE = 4 + 1 + 36 + 1 + 4 + 1 + 8 + 2 + 4 };
extern const uint8_t api_tx[API_TX_SIZE];

#endif
