/* test/crash/scenario.c: see scenario.h. */
#include "test/crash/scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void must(lode_status s)
{
    if (s.code != LODE_OK)
        fail_msg("code %d: %s", s.code, s.text);
}

/* ---- imports ---- */

static lode_status import_all(world *w)
{
    return world_session(w, WORLD_TXINDEX, world_import_all);
}

static lode_status import_in_three_runs(world *w)
{
    LODE_TRY(world_session(w, WORLD_TXINDEX, world_import_part_1));
    LODE_TRY(world_session(w, WORLD_TXINDEX, world_import_part_2));
    return world_session(w, WORLD_TXINDEX, world_import_part_3);
}

static void prepare_part_1(world *w)
{
    must(world_session(w, WORLD_TXINDEX, world_import_part_1));
}

static lode_status import_the_rest(world *w)
{
    LODE_TRY(world_session(w, WORLD_TXINDEX, world_import_part_2));
    return world_session(w, WORLD_TXINDEX, world_import_part_3);
}

static void prepare_parts_1_and_2(world *w)
{
    prepare_part_1(w);
    must(world_session(w, WORLD_TXINDEX, world_import_part_2));
}

static lode_status import_part_3(world *w)
{
    return world_session(w, WORLD_TXINDEX, world_import_part_3);
}

static lode_status submit_all(world *w)
{
    return world_session(w, WORLD_TXINDEX, world_submit_all);
}

/* ---- work on a whole directory ---- */

static void prepare_all(world *w)
{
    must(world_session(w, WORLD_TXINDEX, world_import_all));
}

static void prepare_without_txindex(world *w)
{
    must(world_session(w, 0, world_import_all));
}

static lode_status go_on(world *w)
{
    return world_session(w, WORLD_TXINDEX, world_import_nothing);
}

static lode_status reindex(world *w)
{
    return world_session(w, WORLD_TXINDEX | WORLD_REINDEX, world_import_nothing);
}

static lode_status reindex_chainstate(world *w)
{
    return world_session(w, WORLD_TXINDEX | WORLD_REINDEX_CHAINSTATE, world_import_nothing);
}

static lode_status build_txindex(world *w)
{
    return world_session(w, WORLD_TXINDEX, world_build_txindex);
}

static lode_status blame_and_forgive(world *w)
{
    LODE_TRY(world_session(w, WORLD_TXINDEX, world_blame));
    return world_session(w, WORLD_TXINDEX, world_forgive);
}

static void prepare_node(world *w)
{
    must(world_session(w, 0, world_import_all));
    world_copy_tree(w, WORLD_NODE, WORLD_DATADIR);
    must(lode_env_remove_tree(w->memory, WORLD_DATADIR));
}

static lode_status take_from_node(world *w)
{
    return world_session(w, WORLD_TXINDEX | WORLD_FROM_NODE, world_import_nothing);
}

static lode_status dump(world *w)
{
    return world_session(w, WORLD_TXINDEX, world_dump);
}

static lode_status export(world *w)
{
    return world_session(w, WORLD_TXINDEX, world_export);
}

static void prepare_file(world *w, lode_status (*make)(world *w))
{
    prepare_all(w);
    must(lode_env_make_path(w->memory, "/dump"));
    must(make(w));
    world_copy_tree(w, "/known", "/dump");
    must(w->memory->remove(w->memory, WORLD_DUMP));
}

static void prepare_dump(world *w)
{
    prepare_file(w, dump);
}

static void prepare_export(world *w)
{
    prepare_file(w, export);
}

/* ---- a flush of Core's that was cut off ---- */

static void prepare_cut_off(world *w)
{
    prepare_parts_1_and_2(w);
    world_copy_tree(w, "/old", WORLD_CHAINSTATE);
    world_copy_tree(w, "/old-txindex", WORLD_TXINDEX_PATH);
    must(world_session(w, 0, world_import_part_3));
    must(lode_env_remove_tree(w->memory, WORLD_TXINDEX_PATH));
    world_copy_tree(w, WORLD_TXINDEX_PATH, "/old-txindex");
    world_cut_off_flush(w, "/old", &w->story->blocks.blocks[w->story->old_tip].hash, 1);
}

static void prepare_cut_off_first(world *w)
{
    prepare_without_txindex(w);
    world_cut_off_flush(w, NULL, NULL, 2);
}

#define SMALL_FILES .block_file_bytes = 40000, .block_chunk_bytes = 16384, .undo_chunk_bytes = 4096
#define AS_RUNS .coins_batch_most = 1, .txindex_batch_most = 1

const scenario scenarios[] = {
    { "first import", NULL, import_all, import_all, { SMALL_FILES, AS_RUNS }, 7, true, false, false },
    { "import in three runs", NULL, import_in_three_runs, import_all, { SMALL_FILES }, 5, true, false, false },
    { "import after a first one",
      prepare_part_1,
      import_the_rest,
      import_all,
      { SMALL_FILES, AS_RUNS },
      1,
      true,
      false,
      false },
    { "reorganisations", prepare_parts_1_and_2, import_part_3, import_all, { SMALL_FILES }, 1, true, false, false },
    { "blocks submitted",
      prepare_part_1,
      submit_all,
      submit_all,
      { SMALL_FILES, .coins_batch_most = 40 },
      4,
      true,
      false,
      false },
    { "-reindex", prepare_all, reindex, go_on, { SMALL_FILES, AS_RUNS }, 9, true, true, false },
    { "-reindex-chainstate",
      prepare_all,
      reindex_chainstate,
      go_on,
      { SMALL_FILES, .coins_batch_most = 40 },
      1,
      true,
      false,
      false },
    { "building the transaction index",
      prepare_without_txindex,
      build_txindex,
      go_on,
      { SMALL_FILES, AS_RUNS },
      1,
      true,
      false,
      false },
    { "invalidateblock, reconsiderblock",
      prepare_all,
      blame_and_forgive,
      blame_and_forgive,
      { SMALL_FILES },
      1,
      true,
      false,
      true },
    { "-blocksfrom", prepare_node, take_from_node, take_from_node, { SMALL_FILES, AS_RUNS }, 9, true, true, false },
    { "dumptxoutset of an earlier block", prepare_dump, dump, dump, { SMALL_FILES }, 1, true, false, false },
    { "export of an earlier block", prepare_export, export, export, { SMALL_FILES }, 1, true, false, false },
    { "replay", prepare_cut_off, go_on, import_all, { SMALL_FILES, AS_RUNS }, 1, true, false, false },
    { "replay of a first flush", prepare_cut_off_first, go_on, import_all, { SMALL_FILES }, 1, true, false, false },
};
const size_t scenario_count = sizeof scenarios / sizeof scenarios[0];
