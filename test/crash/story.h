/* test/crash/story.h: the chain that is imported while things go wrong: small, with forks, reorganisations across
 * flushes, a branch that would win but for one bad block, and single bad blocks.
 */
#ifndef LODE_TEST_CRASH_STORY_H
#define LODE_TEST_CRASH_STORY_H

#include "test/loadblock/made_blocks.h"

enum { STORY_PARTS = 3, STORY_SET_HASH = 32 };

typedef struct story {
    made_chain blocks; /* in the order in which they come; genesis first */
    size_t ends[STORY_PARTS];
    size_t old_tip;   /* the best block after the second part: on a branch that the third leaves */
    size_t tip;       /* the best block at the end */
    size_t to_blame;  /* a good block; without it another branch is best */
    size_t leaves[8]; /* last blocks of all branches */
    size_t leaf_count;
} story;

/* 2 to 6 transactions a block; the same blocks for the same seed. */
void story_make(story *s, uint64_t seed);
void story_clear(story *s);
/* Position of a block; the number of blocks when it is not ours. */
size_t story_find(const story *s, const uint8_t hash[32]);
/* It is wrong, or stands on one that is. */
bool story_is_bad(const story *s, size_t i);
size_t story_parent(const story *s, size_t i);

#endif
