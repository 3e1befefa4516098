/* test/api/api_bed.c: see api_bed.h. */
#include "test/api/api_bed.h"

const uint8_t api_tx[API_TX_SIZE] = { 1,    0,    0,    0,    1, [5] = 7,  [37] = 0, 0, 0, 0, 0,
                                      0xff, 0xff, 0xff, 0xff, 1, [55] = 1, 0x51,     0, 0, 0, 0 };

void api_make_chains(made_chain *chain, made_chain *bad, made_chain *next, uint64_t seed, uint32_t txs, uint32_t height)
{
    lode_chain_maker *maker = made_maker(seed, txs);
    lode_made_block block;

    lode_chain_maker_genesis(&block);
    made_chain_add(chain, &block);
    made_extend(maker, chain, height);
    for (unsigned kind = 0; kind < lode_invalid_kind_count(); kind++) {
        if (lode_chain_maker_make_invalid(maker, &block, kind).code == LODE_OK)
            made_chain_add(bad, &block);
    }
    if (next)
        made_extend(maker, next, 1);
    lode_chain_maker_destroy(maker);
}

void api_submit(bed *b, const made_chain *from, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        lode_submit_result r = { .size = sizeof r };
        assert_ok(lode_submit_block(b->h, &r, from->blocks[i].raw, from->blocks[i].size));
        assert_true(r.accepted);
    }
}

void api_close_cancel(bed *b)
{
    lode *h = b->h;
    b->h = NULL;
    assert_ok(lode_close_cancel(h));
}
