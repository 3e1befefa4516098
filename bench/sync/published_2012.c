/* bench/sync/published_2012.c: the table of 2012.
 *
 * -loadblock of a main chain of 185,127 blocks on six cores and a hard disk of 8.9 ms a seek. LevelDB's cache was 8 MB
 * unless told otherwise.
 */
#include "bench/sync/published_2012.h"

#include <string.h>

const char lode_sync_published_source[] =
    "-loadblock of a main chain of 185,127 blocks in 2012, six cores, hard disk with 8.9 ms seeks";

static const lode_sync_published published[] = {
    { "berkeleydb", LODE_SYNC_DEFAULTS, true, 5766.836, 2995.22, 149.85, "4-5, pauses of 8-10 s", 611, 0 },
    { "berkeleydb", LODE_SYNC_DEFAULTS, false, 2571.508, 712.7, 156.6, "12-17", 0, 0 },
    { "leveldb", LODE_SYNC_DEFAULTS, true, 3080.81, 3184.73, 181.02, "20-30", 397, 1220096. / 1024 },
    { "leveldb", LODE_SYNC_BLOOM, true, 3052.74, 3218.87, 184.99, NULL, 424, 0 },
    { "leveldb", LODE_SYNC_BLOOM_CACHE, true, 3053.054, 3206.91, 190.72, NULL, 0, 0 },
    { "leveldb", LODE_SYNC_BLOOM_CACHE, false, 778.998, 702.33, 125.67, NULL, 0, 0 },
};

const lode_sync_published *lode_sync_published_of(const char *engine, lode_sync_config config, bool signatures)
{
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++)
        if (published[i].config == config && published[i].signatures == signatures &&
            strcmp(published[i].engine, engine) == 0)
            return &published[i];
    return NULL;
}
