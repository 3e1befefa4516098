/* test/crash/world.h: a machine in memory: its disk, one data directory, and what is done to it.
 *
 * Work goes through a lode_env that can be told to fail (world.env); looking goes around it (world.memory). A session
 * is what a process does: open, work, flush as far as nothing is in doubt, close.
 */
#ifndef LODE_TEST_CRASH_WORLD_H
#define LODE_TEST_CRASH_WORLD_H

#include "chainstate/chain.h"
#include "support/thread.h"
#include "test/crash/story.h"
#include "test/support/fault_env.h"
#include "test/support/memory_env.h"

enum world_open {
    WORLD_REINDEX = 1,
    WORLD_REINDEX_CHAINSTATE = 2,
    WORLD_TXINDEX = 4,
    WORLD_FROM_NODE = 8, /* -blocksfrom= a folder with all blocks */
};

#define WORLD_DATADIR "/data"
#define WORLD_CHAINSTATE "/data/regtest/chainstate"
#define WORLD_TXINDEX_PATH "/data/regtest/indexes/txindex"
#define WORLD_NODE "/node"
#define WORLD_DUMP "/dump/coins.dat"
#define WORLD_DUMP_AS_IT_MUST_BE "/known/coins.dat" /* only where something is dumped */

typedef struct world {
    lode_env *memory, *env;
    const story *story;
    lode_chain_params params;
    lode_chain_geometry geometry;
    unsigned flush_every; /* headers between flushes */
    unsigned headers;
    lode_mutex lock;   /* guards the next two, for a stop that comes from another thread */
    lode_chain *chain; /* NULL between sessions */
    bool is_stopped;
} world;

void world_init(world *w, const story *s);
void world_clear(world *w);

/* All that was done so far is on the disk for good, whether or not somebody synced it: what comes next is all that a
 * power cut can lose. Between sessions. */
void world_settle(world *w);
/* Differs when any name or byte on the disk does. */
void world_digest(world *w, uint8_t out[32]);

/* From a fault's hook: the running session and all later ones are asked to stop. */
void world_stop(world *w);

typedef lode_status (*world_act)(world *w);
lode_status world_session(world *w, unsigned open_flags, world_act act);

/* Acts. */
lode_status world_import_part_1(world *w);
lode_status world_import_part_2(world *w);
lode_status world_import_part_3(world *w);
lode_status world_import_all(world *w);
lode_status world_import_nothing(world *w); /* goes on with what is stored */
lode_status world_build_txindex(world *w);
lode_status world_submit_all(world *w);
lode_status world_blame(world *w); /* invalidates story.to_blame */
lode_status world_forgive(world *w);
lode_status world_dump(world *w); /* the coins after story.to_blame, into WORLD_DUMP unless that is there */
lode_status world_export(world *w); /* likewise, as text */

/* Files. */
void world_copy_tree(world *w, const char *to, const char *from);
/* The directory as a bitcoind leaves it that dies in the middle of a flush from the old to the new tip: `old` is a copy
 * of the chainstate at the old tip (NULL: an empty one), and takes the place of the directory's own. */
void world_cut_off_flush(world *w, const char *old, const lode_block_hash *old_tip, uint64_t seed);

#endif
