/* snapshot/check.h: is a whole data directory sound? Every file is read. */
#ifndef LODE_SNAPSHOT_CHECK_H
#define LODE_SNAPSHOT_CHECK_H

#include "snapshot/verify_chain.h"

typedef struct lode_directory_verdict {
    lode_verify_answer answer;
    uint64_t blocks, asked; /* stored blocks that are sound, and all that are stored */
    uint64_t findings;      /* things that are bad or could not be looked at */
    char text[400];         /* the answer in a sentence, with the first finding */
} lode_directory_verdict;

typedef struct lode_directory_check_options {
    bool deep; /* the coins are held against the set hash that blocks and undo data give, and their number and sum */
    void *context;
    void (*on_finding)(void *context, const char *line); /* may be NULL; the chain's thread, in the order of blocks */
} lode_directory_check_options;

/* - checksums, order and levels of each store
 * - the block index in itself (lode_block_index_verify)
 * - every stored block against the index: it is read, hashes to its name, is valid without coins, has as many
 *   transactions as the index says, and lies where no other block lies; its undo data fits its checksum and the block
 * - the transaction index: every transaction of the active chain, up to where the index stands, is where it says
 * - every coin decodes, none is younger than the tip; with `deep`: the set is what the blocks make
 * Goes on after a finding. Nothing is changed.
 * Errors:  LODE_NO_MEMORY. All else is an answer: what is damaged makes it BAD, what cannot be read UNFINISHED. */
lode_status lode_directory_check(lode_directory_verdict *verdict, lode_chain *chain,
                                 const lode_directory_check_options *options);

#endif
