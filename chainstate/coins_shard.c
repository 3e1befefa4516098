/* chainstate/coins_shard.c: changing records of a shard.
 *
 * Room:     entries come and go, and records find blocks that fit them.
 * Touches:  memory alone: blocks through coins_blocks.h, slots through coins_table.h.
 * Threads:  the one that changes.
 */
#include "chainstate/coins_shard.h"

#include "chainstate/coins_blocks.h"
#include "chainstate/coins_table.h"
#include "support/check.h"

static uint32_t take_block(lode_coins_generation *g, lode_coins_shard *s, uint32_t units, uint32_t *got)
{
    uint32_t offset = lode_coins_block_take_ready(s, units, got);

    if (offset)
        return offset;
    if (lode_coins_blocks_are_scattered(s)) {
        lode_coins_blocks_gather(g, s);
        lode_coins_table_refill(g, s);
    }
    return lode_coins_block_take_more(g, s, units, got);
}

void lode_coins_count_live(lode_coins_generation *g, lode_coins_shard *s, int change)
{
    s->live = (uint32_t)((int64_t)s->live + change);
    __atomic_store_n(&g->live, (uint64_t)((int64_t)g->live + change), __ATOMIC_RELAXED);
}

void lode_coins_count_records(lode_coins_generation *g, lode_coins_shard *s, int change)
{
    s->records = (uint32_t)((int64_t)s->records + change);
    __atomic_store_n(&g->records, (uint64_t)((int64_t)g->records + change), __ATOMIC_RELAXED);
}

bool lode_coins_shard_add_record(lode_coins_generation *g, lode_coins_shard *s, const lode_coins_key *key,
                                 uint32_t code, const uint8_t *entries, size_t bytes, uint32_t count)
{
    uint32_t offset, units;
    lode_coins_record *r;
    bool is_all;

    LODE_VERIFY(count > 0 && count <= LODE_COINS_PART_OUTPUTS && bytes <= LODE_COINS_MAX_ENTRIES_BYTES);
    if (!lode_coins_table_ensure_slot(g, s))
        return false;
    offset = take_block(g, s, lode_coins_units_for(bytes), &units);
    if (offset == 0)
        return false;
    r = lode_coins_record_at(s, offset);
    r->meta = lode_coins_meta(units, count, key->part);
    r->code = code;
    memcpy(r->txid, key->txid, sizeof r->txid);
    memcpy(r->entries, entries, bytes);
    is_all = lode_coins_entries_are_fresh(entries, count > 1 ? 0 : 1);
    lode_coins_table_add(s, key->hash, offset, is_all);
    lode_coins_count_records(g, s, 1);
    lode_coins_count_live(g, s, lode_coins_entry_state(entries) == LODE_COINS_SPENT ? 0 : (int)count);
    return true;
}

static void set_shape(lode_coins_record *r, uint32_t units, uint32_t count)
{
    r->meta = lode_coins_meta(units, count, lode_coins_record_part(r));
}

/* A record has become shorter: gives the rest of its block back, or moves it into a block that fits. */
static void fit_record(const lode_coins_place *place, size_t entries_bytes)
{
    lode_coins_shard *s = place->shard;
    lode_coins_record *r = place->record, *to;
    uint32_t have = lode_coins_record_units(r), need = lode_coins_units_for(entries_bytes),
             count = lode_coins_record_count(r);
    uint32_t offset = lode_coins_place_offset(place), got, fits;

    if (have - need >= LODE_COINS_MIN_UNITS) {
        set_shape(r, need, count);
        lode_coins_block_give(s, offset + need, have - need);
        return;
    }
    if (have - need < 4 || need > 32)
        return;
    fits = lode_coins_block_take_ready(s, need, &got);
    if (fits == 0)
        return;
    to = lode_coins_record_at(s, fits);
    memcpy(to, r, sizeof *r + entries_bytes);
    set_shape(to, got, count);
    lode_coins_place_set_offset(place, fits);
    lode_coins_block_give(s, offset, have);
}

/* Cuts the entry's bytes [from, to) out; returns the bytes of all entries that are left. */
static size_t cut_entry(const lode_coins_place *place, size_t from, size_t to)
{
    uint8_t *entry = place->entry;
    size_t rest = lode_coins_entries_length(entry, place->left) - to;

    memmove(entry + from, entry + to, rest);
    return (size_t)(entry - place->record->entries) + from + rest;
}

void lode_coins_place_remove(lode_coins_generation *g, lode_coins_place *place)
{
    lode_coins_shard *s = place->shard;
    lode_coins_record *r = place->record;
    uint32_t count = lode_coins_record_count(r), units = lode_coins_record_units(r);

    if (lode_coins_entry_state(place->entry) != LODE_COINS_SPENT)
        lode_coins_count_live(g, s, -1);
    if (count == 1) {
        uint32_t offset = lode_coins_place_offset(place);
        lode_coins_table_remove(place);
        lode_coins_block_give(s, offset, units);
        lode_coins_count_records(g, s, -1);
    } else {
        size_t bytes = cut_entry(place, 0, lode_coins_entry_length(place->entry));
        set_shape(r, units, count - 1);
        fit_record(place, bytes);
    }
    place->record = NULL;
    place->entry = NULL;
}

void lode_coins_place_spend(lode_coins_generation *g, lode_coins_place *place)
{
    size_t bytes;

    LODE_VERIFY(lode_coins_entry_state(place->entry) != LODE_COINS_SPENT);
    bytes = cut_entry(place, 1, lode_coins_entry_length(place->entry));
    lode_coins_entry_set_state(place->entry, LODE_COINS_SPENT);
    lode_coins_count_live(g, place->shard, -1);
    fit_record(place, bytes);
    place->record = NULL;
    place->entry = NULL;
}

/* A record that this entry may join. */
static bool find_company(lode_coins_place *place, lode_coins_shard *s, const lode_coins_key *key, uint32_t code,
                         bool any_code, size_t bytes)
{
    lode_coins_search q = lode_coins_search_of(s, key);

    while (lode_coins_search_next(&q, place)) {
        if ((any_code || place->record->code == code) &&
            lode_coins_record_entries_bytes(place->record) + bytes <= LODE_COINS_MAX_ENTRIES_BYTES)
            return true;
    }
    return false;
}

/* The entries of a record with one more among them. */
static size_t merge_entry(uint8_t *out, const lode_coins_record *r, unsigned index, const uint8_t *entry, size_t bytes)
{
    const uint8_t *p = r->entries;
    uint32_t left = lode_coins_record_count(r);
    size_t total = lode_coins_record_entries_bytes(r), before;

    for (; left > 0 && lode_coins_entry_index(p) < index; left--)
        p += lode_coins_entry_length(p);
    before = (size_t)(p - r->entries);
    memcpy(out, r->entries, before);
    memcpy(out + before, entry, bytes);
    memcpy(out + before + bytes, p, total - before);
    return total + bytes;
}

bool lode_coins_shard_add_entry(lode_coins_generation *g, lode_coins_shard *s, const lode_coins_key *key, uint32_t code,
                                const uint8_t *entry, size_t bytes)
{
    bool is_spent = lode_coins_entry_state(entry) == LODE_COINS_SPENT;
    uint8_t merged[LODE_COINS_MAX_ENTRIES_BYTES];
    lode_coins_place place;
    size_t total;
    uint32_t count, units, offset;
    lode_coins_key mate = *key; /* an entry that is there already: it names the record when blocks have moved */
    lode_coins_record *r;

    if (!find_company(&place, s, key, code, is_spent, bytes))
        return lode_coins_shard_add_record(g, s, key, code, entry, bytes, 1);
    total = merge_entry(merged, place.record, key->index, entry, bytes);
    mate.index = lode_coins_entry_index(place.record->entries);
    count = lode_coins_record_count(place.record) + 1;
    units = lode_coins_record_units(place.record);
    if (lode_coins_units_for(total) > units) {
        offset = take_block(g, s, lode_coins_units_for(total), &units);
        if (offset == 0)
            return false;
        LODE_CHECK(lode_coins_shard_find(&place, s, &mate));
        r = lode_coins_record_at(s, offset);
        memcpy(r, place.record, sizeof *r);
        lode_coins_block_give(s, lode_coins_place_offset(&place), lode_coins_record_units(place.record));
        lode_coins_place_set_offset(&place, offset);
        place.record = r;
    }
    memcpy(place.record->entries, merged, total);
    set_shape(place.record, units, count);
    if (lode_coins_entry_state(entry) != LODE_COINS_FRESH)
        lode_coins_place_set_not_all(&place);
    if (!is_spent)
        lode_coins_count_live(g, s, 1);
    return true;
}
