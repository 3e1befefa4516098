/* snapshot/verify_chain.h: are the last blocks sound, and do the coins agree with them? Core's verifychain. */
#ifndef LODE_SNAPSHOT_VERIFY_CHAIN_H
#define LODE_SNAPSHOT_VERIFY_CHAIN_H

#include "chainstate/chain.h"

typedef enum lode_verify_answer { LODE_VERIFY_GOOD, LODE_VERIFY_BAD, LODE_VERIFY_UNFINISHED } lode_verify_answer;

typedef struct lode_chain_verdict {
    lode_verify_answer answer;
    int level;
    int32_t tip_height;
    int32_t asked;      /* blocks that were to be checked */
    int32_t checked;    /* blocks that passed everything up to the level asked for */
    int32_t bad_height; /* with BAD: of the block; -1 otherwise */
    char text[400];     /* what was found, in a sentence */
} lode_chain_verdict;

/* Check the last `blocks` blocks (0 or more than there are: all but genesis) from the tip down:
 *     0  the block can be read and its header is the one expected     1  it is valid without coins (CheckBlock, and its
 * place) 2  its undo data can be read and fits its checksum              3  undoing it in memory finds the coins it
 * made 4  connecting it again succeeds, scripts included where the chain's options ask for them What is damaged or
 * wrong is BAD; what is missing, cannot be read for now, does not fit in memory, or was interrupted, leaves the check
 * UNFINISHED: nothing is ever called good that was not looked at. In:      chain   all of it on disk; nothing in it is
 * changed. level   clipped to 0..4. Errors:  LODE_NO_MEMORY before anything could be checked. All else is an answer.
 * Source:  Core's CVerifyDB::VerifyDB. */
lode_status lode_chain_verify(lode_chain_verdict *verdict, lode_chain *chain, int level, int32_t blocks);

#endif
