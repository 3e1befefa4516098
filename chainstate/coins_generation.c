/* chainstate/coins_generation.c: all shards of one generation: making, dropping, checking them.
 *
 * Room:     memory from the pool in, memory given back.
 * Touches:  memory alone.
 * Threads:  the one that changes coins.
 */
#include <stdlib.h>

#include "chainstate/coins_blocks.h"

lode_coins_generation *lode_coins_generation_create(lode_coins_pool *pool, const uint64_t *salt, uint64_t id,
                                                    size_t budget_bytes)
{
    lode_coins_generation *g = calloc(1, sizeof *g);
    size_t bytes;

    if (!g)
        return NULL;
    *g = (lode_coins_generation){ .id = id, .shard_bits = 4, .pool = pool, .salt = salt };
    while (g->shard_bits < 12 && budget_bytes >> g->shard_bits > (size_t)512 << 10)
        g->shard_bits++;
    bytes = sizeof *g->shards << g->shard_bits;
    g->shards = aligned_alloc(64, bytes);
    if (!g->shards) {
        free(g);
        return NULL;
    }
    memset(g->shards, 0, bytes);
    for (size_t i = 0; i < (size_t)1 << g->shard_bits; i++)
        g->shards[i].offset_bits = 18;
    lode_coins_account(g, (ptrdiff_t)bytes);
    return g;
}

static void clear_shard(lode_coins_generation *g, lode_coins_shard *s)
{
    lode_coins_count_records(g, s, -(int)s->records);
    lode_coins_count_live(g, s, -(int)s->live);
    lode_coins_blocks_clear(g, s);
    lode_coins_shard_clear_table(g, s);
}

bool lode_coins_generation_drop_shard(lode_coins_generation *g)
{
    uint32_t count = 1u << g->shard_bits;

    for (uint32_t i = 0; i < count; i++) {
        lode_coins_shard *s = &g->shards[g->next_drop++ % count];
        if (s->chunk_count == 0)
            continue;
        clear_shard(g, s);
        return true;
    }
    return false;
}

void lode_coins_generation_destroy(lode_coins_generation *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < (size_t)1 << g->shard_bits; i++)
        clear_shard(g, &g->shards[i]);
    lode_coins_account(g, -(ptrdiff_t)(sizeof *g->shards << g->shard_bits));
    free(g->shards);
    free(g);
}

bool lode_coins_shard_verify(const lode_coins_generation *g, const lode_coins_shard *s, const char **what)
{
    lode_coins_walk walk = lode_coins_walk_of(s);
    lode_coins_shard *mine = g->shards + (s - g->shards);
    const lode_coins_record *r;
    uint32_t records = 0, live = 0;

    *what = NULL;
    while ((r = lode_coins_walk_next(&walk, NULL)) != NULL) {
        const uint8_t *p = r->entries;
        int last = -1;
        records++;
        if (lode_coins_units_for(lode_coins_record_entries_bytes(r)) > lode_coins_record_units(r))
            *what = "a record is longer than its block";
        if (lode_coins_shard_of(g, r->txid) != s)
            *what = "a record lies in another shard";
        for (uint32_t left = lode_coins_record_count(r); left > 0; left--) {
            lode_coins_key key = { r->txid, lode_coins_record_hash(g, r), lode_coins_record_part(r),
                                   lode_coins_entry_index(p) };
            lode_coins_place place;
            if ((int)key.index <= last)
                *what = "entries are out of order";
            last = (int)key.index;
            if (!lode_coins_shard_find(&place, mine, &key) || place.entry != p)
                *what = "an entry is not found, or another one is";
            live += lode_coins_entry_state(p) != LODE_COINS_SPENT;
            p += lode_coins_entry_length(p);
        }
    }
    if (records != s->records || live != s->live)
        *what = "counts do not fit";
    return *what == NULL;
}
