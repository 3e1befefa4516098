/* test/crash/scenario.h: what goes on when something goes wrong. */
#ifndef LODE_TEST_CRASH_SCENARIO_H
#define LODE_TEST_CRASH_SCENARIO_H

#include "test/crash/look.h"

typedef struct scenario {
    const char *name;
    void (*prepare)(world *w);       /* what is there before; NULL: nothing */
    lode_status (*run)(world *w);    /* what is cut off */
    lode_status (*resume)(world *w); /* what its user does then: the end must be as if nothing had happened */
    lode_chain_geometry geometry;    /* batches: 0 as it comes, 1 runs only */
    unsigned flush_every;
    bool ends_with_txindex;
    bool may_be_at_odds; /* a rebuild: block index and coins do not begin again in the same moment */
    bool may_blame;      /* story.to_blame and what stands on it may be marked as failed in the meantime */
} scenario;

extern const scenario scenarios[];
extern const size_t scenario_count;

#endif
