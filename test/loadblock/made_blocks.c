/* test/loadblock/made_blocks.c: see made_blocks.h. */
#include "test/loadblock/made_blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "primitives/hash.h"
#include "test/given_data.h"

void made_chain_add_raw(made_chain *chain, const void *raw, uint32_t size, int32_t height)
{
    if (chain->count == chain->capacity) {
        chain->capacity = chain->capacity ? chain->capacity * 2 : 256;
        chain->blocks = realloc(chain->blocks, chain->capacity * sizeof *chain->blocks);
        assert_non_null(chain->blocks);
    }
    made_block *b = &chain->blocks[chain->count++];
    memset(b, 0, sizeof *b);
    b->raw = malloc(size ? size : 1);
    assert_non_null(b->raw);
    memcpy(b->raw, raw, size);
    b->size = size;
    b->height = height;
    lode_sha256d(b->hash.bytes, b->raw, 80);
    lode_hash_to_hex(b->hex, b->hash.bytes);
}

void made_chain_add(made_chain *chain, const lode_made_block *block)
{
    made_chain_add_raw(chain, block->raw, block->size, (int32_t)block->height);
    chain->blocks[chain->count - 1].reject = block->reject;
    chain->blocks[chain->count - 1].tx_count = block->tx_count;
}

void made_chain_clear(made_chain *chain)
{
    for (size_t i = 0; i < chain->count; i++)
        free(chain->blocks[i].raw);
    free(chain->blocks);
    memset(chain, 0, sizeof *chain);
}

lode_chain_maker *made_maker(uint64_t seed, uint32_t txs)
{
    lode_chain_recipe recipe;
    lode_chain_maker *maker;

    assert_true(lode_chain_recipe_init(&recipe, "all"));
    recipe.seed = seed;
    recipe.threads = 2;
    recipe.key_count = 64;
    recipe.txs_per_block = txs;
    assert_int_equal(lode_chain_maker_create(&maker, &recipe).code, LODE_OK);
    return maker;
}

void made_extend(lode_chain_maker *maker, made_chain *chain, uint32_t count)
{
    lode_made_block block;
    for (uint32_t i = 0; i < count; i++) {
        lode_status s = lode_chain_maker_extend(maker, &block);
        if (s.code != LODE_OK)
            fail_msg("chain maker: %s", s.text);
        made_chain_add(chain, &block);
    }
}

void made_chain_make(made_chain *chain, uint64_t seed, uint32_t height, uint32_t txs)
{
    lode_chain_maker *maker = made_maker(seed, txs);
    lode_made_block genesis;

    memset(chain, 0, sizeof *chain);
    lode_chain_maker_genesis(&genesis);
    made_chain_add(chain, &genesis);
    made_extend(maker, chain, height);
    lode_chain_maker_destroy(maker);
}

unsigned made_invalid_kind(const char *name)
{
    unsigned kind;
    if (!lode_invalid_kind_from_name(&kind, name, strlen(name)))
        fail_msg("no invalid block of the kind %s", name);
    return kind;
}

bool made_chain_read_given(made_chain *chain, const char *name)
{
    size_t len, at = 0, size;
    const uint8_t *block;
    uint8_t *file = given_data_read(name, &len);

    memset(chain, 0, sizeof *chain);
    if (!file)
        return false;
    while (given_data_next_block(file, len, &at, &block, &size))
        made_chain_add_raw(chain, block, (uint32_t)size, -1);
    free(file);
    return true;
}
