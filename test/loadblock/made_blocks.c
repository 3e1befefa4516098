/* test/loadblock/made_blocks.c: see made_blocks.h. */
#include "test/loadblock/made_blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "primitives/encode.h"
#include "primitives/hash.h"
#include "primitives/tx.h"
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

/* Below regtest's target. */
static void mine(uint8_t header[80])
{
    lode_block_hash hash;
    for (uint32_t nonce = 0;; nonce++) {
        lode_write_le32(header + 76, nonce);
        lode_sha256d(hash.bytes, header, 80);
        if (hash.bytes[31] < 0x7f)
            return;
    }
}

static void put_coinbase(lode_buf *out, uint32_t height, uint32_t salt)
{
    lode_buf script = LODE_BUF_EMPTY;
    uint8_t number[4];
    uint8_t len = 0;

    for (uint32_t n = height; n; n >>= 8)
        number[len++] = (uint8_t)n;
    if (number[len - 1] & 0x80)
        number[len++] = 0;
    if (height <= 16) {
        lode_buf_put_u8(&script, (uint8_t)(0x50 + height));
    } else {
        lode_buf_put_u8(&script, len);
        lode_buf_append(&script, number, len);
    }
    lode_buf_put_u8(&script, 4);
    lode_buf_put_le32(&script, salt);
    lode_buf_put_le32(out, 2);
    lode_buf_put_u8(out, 1);
    for (int i = 0; i < 32; i++)
        lode_buf_put_u8(out, 0);
    lode_buf_put_le32(out, 0xffffffff);
    lode_buf_put_u8(out, (uint8_t)script.len);
    lode_buf_append(out, script.data, script.len);
    lode_buf_put_le32(out, 0xffffffff);
    lode_buf_put_u8(out, 1);
    lode_buf_put_le64(out, 100);
    lode_buf_put_u8(out, 1);
    lode_buf_put_u8(out, 0x51);
    lode_buf_put_le32(out, 0);
    lode_buf_clear(&script);
}

void made_empty_upon(made_chain *chain, const made_block *parent, uint32_t salt)
{
    lode_header header = { .version = 0x20000000, .prev = parent->hash, .bits = 0x207fffff };
    lode_buf coinbase = LODE_BUF_EMPTY, block = LODE_BUF_EMPTY;
    uint8_t raw[80];
    int32_t height = parent->height + 1;

    put_coinbase(&coinbase, (uint32_t)height, salt);
    lode_sha256d(header.merkle_root.bytes, coinbase.data, coinbase.len);
    header.time = lode_read_le32(parent->raw + 68) + 1;
    lode_header_serialize(raw, &header);
    mine(raw);
    lode_buf_append(&block, raw, sizeof raw);
    lode_buf_put_u8(&block, 1);
    lode_buf_append(&block, coinbase.data, coinbase.len);
    assert_true(lode_buf_is_good(&block));
    made_chain_add_raw(chain, block.data, (uint32_t)block.len, height);
    chain->blocks[chain->count - 1].tx_count = 1;
    lode_buf_clear(&coinbase);
    lode_buf_clear(&block);
}

static bool parse(lode_block *parsed, lode_arena *arena, const made_block *block)
{
    return lode_block_parse(parsed, arena, block->raw, block->size, 0, NULL);
}

bool made_mutate_merkle(made_chain *chain, const made_block *block)
{
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_block parsed;
    bool done =
        parse(&parsed, &arena, block) && parsed.tx_count % 2 == 1 && parsed.tx_count > 1 && parsed.tx_count < 252;

    if (done) {
        const lode_tx *last = &parsed.txs[parsed.tx_count - 1];
        lode_buf raw = LODE_BUF_EMPTY;
        lode_buf_append(&raw, block->raw, block->size);
        lode_buf_append(&raw, last->raw, last->size);
        assert_true(lode_buf_is_good(&raw));
        raw.data[80]++;
        made_chain_add_raw(chain, raw.data, (uint32_t)raw.len, block->height);
        lode_buf_clear(&raw);
    }
    lode_arena_clear(&arena);
    return done;
}

bool made_mutate_witness(made_chain *chain, const made_block *block)
{
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_block parsed;
    bool done = false;

    if (!parse(&parsed, &arena, block))
        parsed.tx_count = 0;
    for (uint32_t i = 1; i < parsed.tx_count && !done; i++)
        for (uint32_t j = 0; j < parsed.txs[i].input_count && !done; j++) {
            const lode_txin *in = &parsed.txs[i].inputs[j];
            if (in->witness_len < 20)
                continue;
            size_t at = (size_t)(in->witness - block->raw) + 10;
            made_chain_add_raw(chain, block->raw, block->size, block->height);
            chain->blocks[chain->count - 1].raw[at] ^= 1;
            done = true;
        }
    lode_arena_clear(&arena);
    return done;
}
