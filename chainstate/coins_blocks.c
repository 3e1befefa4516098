/* chainstate/coins_blocks.c: room for records inside a shard's chunks.
 *
 * Room:     hands out blocks from lists of freed ones, from the end of the last chunk, or from a new chunk.
 * Touches:  one shard's chunks and lists, and the pool. No table.
 * Threads:  the one that changes coins. Nobody else looks into chunks.
 * Promise:  blocks lie one behind another without gaps, so that a walk meets each of them (lode_coins_walk_next).
 */
#include "chainstate/coins_blocks.h"

#include <stdlib.h>

#include "support/check.h"

/* Lists 0 to 53 hold blocks of 11 to 64 units exactly; then four lists for each power of two. */
enum { EXACT_MOST = 64, EXACT_CLASSES = EXACT_MOST - LODE_COINS_MIN_UNITS + 1 };

static unsigned class_of(uint32_t units)
{
    unsigned log;

    if (units <= EXACT_MOST)
        return units - LODE_COINS_MIN_UNITS;
    log = 31 - (unsigned)__builtin_clz(units);
    return EXACT_CLASSES + (log - 6) * 4 + (units >> (log - 2) & 3);
}

/* The first list whose blocks are all of at least `units`. */
static unsigned class_above(uint32_t units)
{
    unsigned c = class_of(units);

    return units <= EXACT_MOST || (units & ((1u << (29 - __builtin_clz(units))) - 1)) == 0 ? c : c + 1;
}

static void push_free(lode_coins_shard *s, uint32_t offset, uint32_t units)
{
    lode_coins_record *r = lode_coins_record_at(s, offset);
    unsigned c;

    r->meta = lode_coins_meta(units, 0, 0);
    if (units < LODE_COINS_MIN_UNITS)
        return; /* lost until the shard is gathered */
    c = class_of(units);
    r->code = s->heads[c];
    s->heads[c] = offset;
    s->classes[c / 64] |= UINT64_C(1) << c % 64;
    s->free_units += units;
}

static uint32_t pop_free(lode_coins_shard *s, unsigned c, uint32_t *units)
{
    uint32_t offset = s->heads[c];
    const lode_coins_record *r = lode_coins_record_at(s, offset);

    *units = lode_coins_record_units(r);
    s->heads[c] = r->code;
    if (s->heads[c] == 0)
        s->classes[c / 64] &= ~(UINT64_C(1) << c % 64);
    s->free_units -= *units;
    return offset;
}

void lode_coins_block_prefetch(const lode_coins_shard *s, uint32_t units)
{
    unsigned c = class_of(units);

    if (units >= EXACT_MOST || !(s->classes[0] >> c & 3))
        return;
    c += s->classes[0] >> c & 1 ? 0 : 1;
    __builtin_prefetch(lode_coins_record_at(s, s->heads[c]), 1);
}

static uint32_t take_from_end(lode_coins_shard *s, uint32_t units)
{
    uint32_t offset = (s->chunk_count - 1) * LODE_COINS_MAX_UNITS + s->end_unit;

    if (s->chunk_count == 0 || s->end_unit + units > LODE_COINS_MAX_UNITS)
        return 0;
    s->end_unit += units;
    return offset;
}

uint32_t lode_coins_block_take_ready(lode_coins_shard *s, uint32_t units, uint32_t *got)
{
    unsigned c = class_of(units);

    if (units < EXACT_MOST && (s->classes[0] >> c & 3)) {
        c += s->classes[0] >> c & 1 ? 0 : 1;
        return pop_free(s, c, got);
    }
    *got = units;
    return take_from_end(s, units);
}

/* From a block that leaves a useful rest. */
static uint32_t take_by_cutting(lode_coins_shard *s, uint32_t units)
{
    unsigned c = class_above(units + LODE_COINS_MIN_UNITS);
    uint32_t offset, had;
    uint64_t low = c < 64 ? s->classes[0] >> c << c : 0;
    uint64_t high = c < 64 ? s->classes[1] : s->classes[1] >> (c - 64) << (c - 64);

    if (c >= LODE_COINS_CLASSES || (!low && !high))
        return 0;
    offset = pop_free(s, low ? (unsigned)__builtin_ctzll(low) : 64 + (unsigned)__builtin_ctzll(high), &had);
    LODE_VERIFY(had >= units + LODE_COINS_MIN_UNITS);
    push_free(s, offset + units, had - units);
    return offset;
}

static bool grow_chunk_list(lode_coins_generation *g, lode_coins_shard *s)
{
    uint32_t capacity = s->chunk_capacity ? s->chunk_capacity + s->chunk_capacity / 2 + 1 : 4;
    uint8_t **chunks;

    if (s->chunk_count < s->chunk_capacity)
        return true;
    chunks = realloc(s->chunks, capacity * sizeof *chunks);
    if (!chunks)
        return false;
    lode_coins_account(g, (ptrdiff_t)((capacity - s->chunk_capacity) * sizeof *chunks));
    s->chunks = chunks;
    s->chunk_capacity = capacity;
    return true;
}

static bool add_chunk(lode_coins_generation *g, lode_coins_shard *s)
{
    uint8_t *chunk;

    if (!grow_chunk_list(g, s))
        return false;
    if (s->chunk_count >= 1u << s->offset_bits >> 12 && !lode_coins_shard_widen_offsets(s))
        return false;
    chunk = lode_coins_pool_take(g->pool);
    if (!chunk)
        return false;
    if (s->chunk_count > 0 && s->end_unit < LODE_COINS_MAX_UNITS)
        push_free(s, (s->chunk_count - 1) * LODE_COINS_MAX_UNITS + s->end_unit, LODE_COINS_MAX_UNITS - s->end_unit);
    s->chunks[s->chunk_count] = chunk;
    s->end_unit = s->chunk_count == 0 ? 1 : 0;
    s->chunk_count++;
    lode_coins_account(g, LODE_COINS_CHUNK);
    return true;
}

uint32_t lode_coins_block_take_more(lode_coins_generation *g, lode_coins_shard *s, uint32_t units, uint32_t *got)
{
    uint32_t offset = take_by_cutting(s, units);

    *got = units;
    if (offset)
        return offset;
    if (!add_chunk(g, s))
        return 0;
    return take_from_end(s, units);
}

void lode_coins_block_give(lode_coins_shard *s, uint32_t offset, uint32_t units)
{
    if (offset / LODE_COINS_MAX_UNITS == s->chunk_count - 1 && offset % LODE_COINS_MAX_UNITS + units == s->end_unit) {
        s->end_unit -= units;
        return;
    }
    push_free(s, offset, units);
}

bool lode_coins_blocks_are_scattered(const lode_coins_shard *s)
{
    return s->free_units >= LODE_COINS_MAX_UNITS && s->free_units > s->chunk_count * (LODE_COINS_MAX_UNITS / 6);
}

lode_coins_record *lode_coins_walk_next(lode_coins_walk *w, uint32_t *offset)
{
    const lode_coins_shard *s = w->shard;

    while (w->chunk < s->chunk_count) {
        uint32_t end = w->chunk == s->chunk_count - 1 ? s->end_unit : LODE_COINS_MAX_UNITS;
        while (w->unit < end) {
            uint32_t at = w->chunk * LODE_COINS_MAX_UNITS + w->unit;
            lode_coins_record *r = lode_coins_record_at(s, at);
            w->unit += lode_coins_record_units(r);
            if (lode_coins_record_count(r) == 0)
                continue;
            if (offset)
                *offset = at;
            return r;
        }
        w->chunk++;
        w->unit = 0;
    }
    return NULL;
}

/* The block at the end of what has been gathered, which `units` more fit behind without crossing into another chunk. */
static void end_at(lode_coins_shard *s, uint32_t *chunk, uint32_t *unit, uint32_t units)
{
    if (*unit + units <= LODE_COINS_MAX_UNITS)
        return;
    if (*unit < LODE_COINS_MAX_UNITS)
        push_free(s, *chunk * LODE_COINS_MAX_UNITS + *unit, LODE_COINS_MAX_UNITS - *unit);
    ++*chunk;
    *unit = 0;
}

/* Records keep their order, so what is written never overtakes what is still to be read. */
void lode_coins_blocks_gather(lode_coins_generation *g, lode_coins_shard *s)
{
    lode_coins_walk walk = lode_coins_walk_of(s);
    uint32_t chunk = 0, unit = 1;
    lode_coins_record *r;

    memset(s->heads, 0, sizeof s->heads);
    s->classes[0] = s->classes[1] = 0;
    s->free_units = 0;
    while ((r = lode_coins_walk_next(&walk, NULL)) != NULL) {
        size_t bytes = lode_coins_record_entries_bytes(r);
        uint32_t units = lode_coins_units_for(bytes);
        lode_coins_record *to;
        end_at(s, &chunk, &unit, units);
        to = lode_coins_record_at(s, chunk * LODE_COINS_MAX_UNITS + unit);
        memmove(to, r, sizeof *r + bytes);
        to->meta = lode_coins_meta(units, lode_coins_record_count(to), lode_coins_record_part(to));
        unit += units;
    }
    while (s->chunk_count > chunk + 1) {
        lode_coins_pool_give(g->pool, s->chunks[--s->chunk_count]);
        lode_coins_account(g, -(ptrdiff_t)LODE_COINS_CHUNK);
    }
    s->end_unit = unit;
}

void lode_coins_blocks_clear(lode_coins_generation *g, lode_coins_shard *s)
{
    while (s->chunk_count > 0) {
        lode_coins_pool_give(g->pool, s->chunks[--s->chunk_count]);
        lode_coins_account(g, -(ptrdiff_t)LODE_COINS_CHUNK);
    }
    lode_coins_account(g, -(ptrdiff_t)(s->chunk_capacity * sizeof *s->chunks));
    free(s->chunks);
    s->chunks = NULL;
    s->chunk_capacity = 0;
    s->end_unit = 0;
    s->free_units = 0;
    memset(s->heads, 0, sizeof s->heads);
    s->classes[0] = s->classes[1] = 0;
}
