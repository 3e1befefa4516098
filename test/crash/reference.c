/* test/crash/reference.c: the coin set after every block, from imports in which nothing goes wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "chainstate/utxo_stats.h"
#include "loadblock/import.h"
#include "test/crash/look.h"

static reference *filling;
static size_t leaf;

static void must(lode_status s)
{
    if (s.code != LODE_OK)
        fail_msg("code %d: %s", s.code, s.text);
}

static void note_set(world *w, size_t i)
{
    lode_utxo_stats stats;

    must(lode_chain_flush(w->chain, true));
    must(lode_utxo_stats_compute(&stats, w->chain->coins, LODE_UTXO_HASH_SERIALIZED_3, 1, NULL));
    if (filling->is_known[i])
        assert_memory_equal(filling->set_hash[i], stats.hash_serialized_3, STORY_SET_HASH);
    memcpy(filling->set_hash[i], stats.hash_serialized_3, STORY_SET_HASH);
    filling->is_known[i] = true;
}

static lode_status import_branch(world *w)
{
    size_t path[LOOK_BLOCKS], count = 0;

    for (size_t i = leaf; i > 0; i = story_parent(w->story, i))
        path[count++] = i;
    note_set(w, 0);
    while (count-- > 0) {
        const made_block *b = &w->story->blocks.blocks[path[count]];
        lode_submit_result result = { .size = sizeof result };
        must(lode_import_one(w->chain, &result, b->raw, b->size));
        assert_memory_equal(w->chain->tip->node.hash.bytes, b->hash.bytes, 32);
        note_set(w, path[count]);
    }
    return lode_ok();
}

void reference_make(reference *ref, const story *s)
{
    assert_true(s->blocks.count <= LOOK_BLOCKS);
    filling = ref;
    for (size_t i = 0; i < s->leaf_count; i++) {
        world w;
        world_init(&w, s);
        leaf = s->leaves[i];
        must(world_session(&w, 0, import_branch));
        world_clear(&w);
    }
}
