/* test/crash/story.c: see story.h. */
#include "test/crash/story.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void must(lode_status s)
{
    if (s.code != LODE_OK)
        fail_msg("chain maker: %s", s.text);
}

/* The last block of what was made since the mark is a leaf; the maker goes back. */
static void end_branch(story *s, lode_chain_maker *maker)
{
    s->leaves[s->leaf_count++] = s->blocks.count - 1;
    lode_chain_maker_rewind(maker);
}

static void branch(story *s, lode_chain_maker *maker, uint32_t count)
{
    must(lode_chain_maker_mark(maker));
    made_extend(maker, &s->blocks, count);
    end_branch(s, maker);
}

static void bad_branch(story *s, lode_chain_maker *maker, uint32_t before, uint32_t after)
{
    lode_made_block block;

    must(lode_chain_maker_mark(maker));
    made_extend(maker, &s->blocks, before);
    s->leaves[s->leaf_count++] = s->blocks.count - 1;
    must(lode_chain_maker_extend_invalid(maker, &block, made_invalid_kind("bad-signature")));
    made_chain_add(&s->blocks, &block);
    made_extend(maker, &s->blocks, after);
    lode_chain_maker_rewind(maker);
}

static void bad_block(story *s, lode_chain_maker *maker, const char *kind)
{
    lode_made_block block;

    must(lode_chain_maker_make_invalid(maker, &block, made_invalid_kind(kind)));
    made_chain_add(&s->blocks, &block);
}

void story_make(story *s, uint64_t seed)
{
    lode_chain_maker *maker = made_maker(seed, 4);
    lode_made_block genesis;

    memset(s, 0, sizeof *s);
    lode_chain_maker_genesis(&genesis);
    made_chain_add(&s->blocks, &genesis);
    made_extend(maker, &s->blocks, 104);
    branch(s, maker, 5);
    made_extend(maker, &s->blocks, 7);
    s->ends[0] = s->blocks.count;

    bad_block(s, maker, "bad-signature");
    bad_block(s, maker, "missing-input");
    made_extend(maker, &s->blocks, 4);
    bad_branch(s, maker, 2, 3);
    made_extend(maker, &s->blocks, 3);
    branch(s, maker, 4);
    s->ends[1] = s->blocks.count;
    s->old_tip = s->blocks.count - 1;

    made_extend(maker, &s->blocks, 6);
    branch(s, maker, 12);
    made_extend(maker, &s->blocks, 3);
    s->to_blame = s->blocks.count - 1;
    made_extend(maker, &s->blocks, 11);
    bad_block(s, maker, "bad-signature");
    branch(s, maker, 3);
    made_extend(maker, &s->blocks, 4);
    s->tip = s->leaves[s->leaf_count++] = s->blocks.count - 1;
    s->ends[2] = s->blocks.count;
    lode_chain_maker_destroy(maker);
}

void story_clear(story *s)
{
    made_chain_clear(&s->blocks);
}

size_t story_find(const story *s, const uint8_t hash[32])
{
    size_t i = 0;

    while (i < s->blocks.count && memcmp(s->blocks.blocks[i].hash.bytes, hash, 32) != 0)
        i++;
    return i;
}

bool story_is_bad(const story *s, size_t i)
{
    while (i > 0 && !s->blocks.blocks[i].reject)
        i = story_parent(s, i);
    return i > 0;
}

size_t story_parent(const story *s, size_t i)
{
    return story_find(s, s->blocks.blocks[i].raw + 4);
}
