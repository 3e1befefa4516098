/* test/crash/look.h: what a directory holds, read without changing it, and whether all of it is right. */
#ifndef LODE_TEST_CRASH_LOOK_H
#define LODE_TEST_CRASH_LOOK_H

#include "test/crash/world.h"

enum { LOOK_BLOCKS = 256 };

/* The hash of the coin set after each block of the story. */
typedef struct reference {
    bool is_known[LOOK_BLOCKS];
    uint8_t set_hash[LOOK_BLOCKS][STORY_SET_HASH];
} reference;

typedef struct look {
    char wrong[512]; /* empty: all is right */
    bool is_absent;  /* there is no directory, or no block in it */
    bool is_cut_off; /* a flush of Core's waits for its replay */
    bool is_at_odds; /* the block index does not know the coins' block: a rebuild has begun */
    size_t tip;      /* position in the story */
    bool has_txindex;
    size_t txindex_at; /* likewise */
    bool has_dump;
    bool is_stored[LOOK_BLOCKS], is_failed[LOOK_BLOCKS], is_verified[LOOK_BLOCKS];
} look;

/* Asked at any moment: the best block is verified and can be undone, the coins are those after it, every block and undo
 * record that the index names is there, the transaction index is right as far as it says, what has the name of a dump
 * is all of it. ref NULL: coins are not compared, *set_hash is told. */
void look_at(look *out, world *w, const reference *ref, uint8_t set_hash[STORY_SET_HASH]);

/* Fills the table by importing each branch alone, block by block. */
void reference_make(reference *ref, const story *s);

#endif
