/* chainstate/coins_access.c: finding, spending and adding coins.
 *
 * Room:     the active generation takes every change; what it does not know is asked of the frozen one, then of what a
 *           worker has read ahead, then of the database.
 * Touches:  memory, and the store for what nobody read ahead.
 * Threads:  the chain's.
 * Promise:  an output has at most one entry in a generation; a spent one that the database may hold keeps an entry.
 */
#include "chainstate/coins_blocks.h"
#include "chainstate/coins_internal.h"
#include "support/check.h"

/* ---- names of outputs ---- */

static bool key_of(lode_coins_key *key, const uint8_t prevout[36], uint64_t hash)
{
    uint32_t index = lode_read_le32(prevout + 32);

    key->txid = prevout;
    key->part = index / LODE_COINS_PART_OUTPUTS;
    key->index = index % LODE_COINS_PART_OUTPUTS;
    key->hash = lode_coins_part_hash(hash, key->part);
    return index < LODE_COINS_MAX_INDEX;
}

void lode_coins_prefetch(const lode_coins *coins, const uint8_t txid[32], uint64_t hash)
{
    lode_coins *c = (lode_coins *)(uintptr_t)coins; /* the queue is of no consequence */
    uint32_t bits = c->active->shard_bits;
    lode_coins_prefetch_item *item = &c->queue[c->queue_at++ % LODE_COINS_QUEUE];

    if (item->hash) {
        lode_coins_shard_prefetch_record(&c->active->shards[item->first_bytes >> (32 - bits)], item->hash);
        if (c->frozen)
            lode_coins_shard_prefetch_record(&c->frozen->shards[item->first_bytes >> (32 - c->frozen->shard_bits)],
                                             item->hash);
    }
    *item = (lode_coins_prefetch_item){ hash, lode_read_be32(txid) };
    lode_coins_shard_prefetch_slot(&c->active->shards[item->first_bytes >> (32 - bits)], hash);
    if (c->frozen)
        lode_coins_shard_prefetch_slot(&c->frozen->shards[item->first_bytes >> (32 - c->frozen->shard_bits)], hash);
}

/* ---- room ---- */

static bool has_room(const lode_coins *c, size_t bytes)
{
    return c->pool.used_bytes + bytes <= c->budget;
}

lode_status lode_coins_make_room(lode_coins *c, size_t bytes)
{
    if (__builtin_expect(has_room(c, bytes), 1) || !c->frozen)
        return lode_ok();
    if (!c->frozen_is_written) {
        lode_coins_settle_flush(c);
        if (!c->frozen_is_written)
            return lode_ok(); /* it failed: lode_coins_flush_wait says why; until then memory grows beyond its share */
    }
    c->oldest_whole = c->frozen->id + 1;
    while (!has_room(c, bytes) && lode_coins_generation_drop_shard(c->frozen)) {
    }
    return lode_ok();
}

static lode_status no_memory(void)
{
    return lode_fail(LODE_NO_MEMORY, "no memory for coins");
}

/* ---- finding ---- */

static void view_entry(const lode_coins *c, lode_coin_view *view, const lode_coins_place *place)
{
    view->height = place->record->code >> 1;
    view->is_coinbase = place->record->code & 1;
    lode_coins_entry_read(place->entry, &view->compressed_amount, &view->script, c->script);
}

static bool find_in(lode_coins_place *place, const lode_coins_generation *g, const lode_coins_key *key)
{
    return g && lode_coins_shard_find(place, lode_coins_shard_of(g, key->txid), key);
}

static bool is_spent(const lode_coins_place *place)
{
    return lode_coins_entry_state(place->entry) == LODE_COINS_SPENT;
}

lode_status lode_coins_find(lode_coins *c, bool *found, lode_coin_view *view, const uint8_t prevout[36], uint64_t hash,
                            const lode_fetched *hint)
{
    lode_coins_key key;
    lode_coins_place place;
    bool there = false;

    lode_coins_count(&c->lookups, 1);
    if (key_of(&key, prevout, hash) && (find_in(&place, c->active, &key) || find_in(&place, c->frozen, &key))) {
        lode_coins_count(&c->hits, 1);
        *found = !is_spent(&place);
        if (*found)
            view_entry(c, view, &place);
        return lode_ok();
    }
    LODE_TRY(lode_coins_find_in_database(c, &there, view, prevout, hint));
    *found = there;
    return lode_ok();
}

/* ---- spending ---- */

/* The database, or the frozen generation, has it: an entry in active says that it is gone. */
static lode_status add_spent(lode_coins *c, const lode_coins_key *key, uint32_t code)
{
    lode_coins_shard *s = lode_coins_shard_of(c->active, key->txid);
    uint8_t tag = lode_coins_tag(key->index, LODE_COINS_SPENT, LODE_COINS_STORED);
    bool good;

    good = lode_coins_shard_add_entry(c->active, s, key, code, &tag, 1);
    return good ? lode_ok() : no_memory();
}

static uint32_t code_of(const lode_coin_view *view)
{
    return view->height << 1 | view->is_coinbase;
}

static void spend_in_active(lode_coins *c, lode_coins_place *place)
{
    if (lode_coins_entry_state(place->entry) == LODE_COINS_FRESH)
        lode_coins_place_remove(c->active, place);
    else
        lode_coins_place_spend(c->active, place);
}

lode_status lode_coins_spend(lode_coins *c, bool *found, lode_coin_view *view, const uint8_t prevout[36], uint64_t hash,
                             const lode_fetched *hint)
{
    lode_coins_key key;
    lode_coins_place place;
    bool fits = key_of(&key, prevout, hash), there = false, in_active;

    lode_coins_count(&c->lookups, 1);
    in_active = fits && find_in(&place, c->active, &key);
    if (in_active || (fits && find_in(&place, c->frozen, &key))) {
        lode_coins_count(&c->hits, 1);
        there = !is_spent(&place);
        if (there)
            view_entry(c, view, &place);
    } else {
        LODE_TRY(lode_coins_find_in_database(c, &there, view, prevout, hint));
        if (there && !fits)
            return lode_coins_not_a_coin(c, prevout); /* no transaction has that many outputs */
    }
    if (there && in_active) {
        spend_in_active(c, &place);
    } else if (there) {
        LODE_TRY(lode_coins_make_room(c, 2 * LODE_COINS_CHUNK));
        LODE_TRY(add_spent(c, &key, code_of(view)));
    }
    *found = there;
    return lode_ok();
}

/* ---- adding ---- */

/* Puts one entry where there may be another one. `state` holds if there is none; what is known of an older one stays.
 */
static lode_status replace_entry(lode_coins *c, const lode_coins_key *key, uint32_t code, uint8_t *entry, size_t bytes,
                                 unsigned state)
{
    lode_coins_shard *s = lode_coins_shard_of(c->active, key->txid);
    lode_coins_place place;
    bool good;

    if (lode_coins_shard_find(&place, s, key)) {
        state = lode_coins_entry_state(place.entry) == LODE_COINS_FRESH ? LODE_COINS_FRESH : LODE_COINS_DIRTY;
        lode_coins_place_remove(c->active, &place);
    }
    lode_coins_entry_set_state(entry, state);
    good = lode_coins_shard_add_entry(c->active, s, key, code, entry, bytes);
    return good ? lode_ok() : no_memory();
}

lode_status lode_coins_put(lode_coins *c, const uint8_t prevout[36], uint64_t hash, const lode_coin_view *view)
{
    static const uint8_t op_return[2] = { 6 + 1, 0x6a };
    uint8_t entry[LODE_COINS_MAX_ENTRY];
    lode_slice script = view->script;
    lode_coins_key key;
    bool too_long;
    size_t bytes;

    if (!key_of(&key, prevout, hash) || view->height > INT32_MAX || !lode_coins_is_stored_script(script, &too_long))
        return lode_fail(LODE_INVALID_ARGUMENT,
                         "a coin to put is none: output %u at height %u with %zu bytes of script",
                         lode_read_le32(prevout + 32), view->height, script.len);
    if (too_long)
        script = lode_slice_of(op_return, sizeof op_return);
    bytes = lode_coins_entry_write(entry, key.index, LODE_COINS_DIRTY, view->compressed_amount, script);
    LODE_TRY(lode_coins_make_room(c, 2 * LODE_COINS_CHUNK));
    return replace_entry(c, &key, code_of(view), entry, bytes, LODE_COINS_DIRTY);
}

static bool has_record(lode_coins *c, const lode_coins_key *key)
{
    return lode_coins_shard_has_record(lode_coins_shard_of(c->active, key->txid), key);
}

/* Outputs of a part of which something is known already. */
static lode_status add_entries(lode_coins *c, lode_coins_key *key, uint32_t code, const uint8_t *entries,
                               uint32_t count, unsigned state)
{
    for (; count > 0; count--) {
        uint8_t entry[LODE_COINS_MAX_ENTRY];
        size_t bytes = lode_coins_entry_length(entries);
        memcpy(entry, entries, bytes);
        key->index = lode_coins_entry_index(entry);
        LODE_TRY(replace_entry(c, key, code, entry, bytes, state));
        entries += bytes;
    }
    return lode_ok();
}

static lode_status add_group(lode_coins *c, lode_coins_key *key, uint32_t code, const uint8_t *entries, size_t bytes,
                             uint32_t count, unsigned state)
{
    lode_coins_shard *s = lode_coins_shard_of(c->active, key->txid);
    bool good;

    if (state != LODE_COINS_FRESH || has_record(c, key))
        return add_entries(c, key, code, entries, count, state);
    good = lode_coins_shard_add_record(c->active, s, key, code, entries, bytes, count);
    return good ? lode_ok() : no_memory();
}

void lode_coins_prefetch_add(const lode_coins *c, const uint8_t txid[32], uint64_t hash, const lode_packed_tx *packed, int step)
{
    const lode_coins_shard *s = lode_coins_shard_of(c->active, txid);

    if (step == 0) {
        __builtin_prefetch(&s->buckets);
        __builtin_prefetch(&s->end_unit, 1);
    } else if (packed->len > LODE_COINS_GROUP_HEADER) {
        lode_coins_shard_prefetch_slot(s, lode_coins_part_hash(hash, lode_read_le16(packed->bytes)));
        lode_coins_block_prefetch(s, lode_coins_units_for(lode_read_le16(packed->bytes + 2)));
    }
}

lode_status lode_coins_add_tx(lode_coins *c, const uint8_t txid[32], uint64_t hash, const lode_packed_tx *packed,
                              uint32_t height, bool is_coinbase, bool may_overwrite)
{
    lode_coins_key key = { .txid = txid };
    const uint8_t *at = packed->bytes;
    const uint8_t *end = at ? at + packed->len : at;

    if (height > INT32_MAX)
        return lode_fail(LODE_INVALID_ARGUMENT, "no block has height %u", height);
    LODE_TRY(lode_coins_make_room(c, packed->len + 2 * LODE_COINS_CHUNK));
    while (at < end) {
        size_t bytes = lode_read_le16(at + 2);
        key.part = lode_read_le16(at);
        key.hash = lode_coins_part_hash(hash, key.part);
        LODE_TRY(add_group(c, &key, height << 1 | is_coinbase, at + LODE_COINS_GROUP_HEADER, bytes, at[4],
                           may_overwrite ? LODE_COINS_DIRTY : LODE_COINS_FRESH));
        at += LODE_COINS_GROUP_HEADER + bytes;
    }
    return lode_ok();
}

/* ---- BIP 30 ---- */

static void note_found(void *context, size_t position, lode_bytes value)
{
    *(bool *)context = true;
}

/* Bits of the outputs of a part that memory knows. */
static uint32_t known_outputs(lode_coins *c, bool *any, const lode_coins_key *key)
{
    uint32_t unspent = 0, spent = 0, older_unspent = 0, older_spent = 0;

    lode_coins_shard_list(lode_coins_shard_of(c->active, key->txid), key, &unspent, &spent);
    if (c->frozen)
        lode_coins_shard_list(lode_coins_shard_of(c->frozen, key->txid), key, &older_unspent, &older_spent);
    if (unspent | (older_unspent & ~spent))
        *any = true;
    return unspent | spent | older_unspent | older_spent;
}

/* Of the first `count` outputs of a part, is one unspent? */
static lode_status any_in_part(lode_coins *c, bool *any, const lode_coins_key *key, uint32_t count)
{
    uint8_t bytes[LODE_COINS_PART_OUTPUTS][LODE_COIN_KEY_MAX], prevout[36];
    lode_bytes keys[LODE_COINS_PART_OUTPUTS];
    uint32_t known = key->part < LODE_COINS_MAX_INDEX / LODE_COINS_PART_OUTPUTS ? known_outputs(c, any, key) : 0;
    size_t n = 0;

    if (*any || !c->database_has_coins)
        return lode_ok();
    memcpy(prevout, key->txid, 32);
    for (uint32_t i = 0; i < count; i++) {
        if (known >> i & 1)
            continue;
        lode_write_le32(prevout + 32, key->part * LODE_COINS_PART_OUTPUTS + i);
        keys[n] = (lode_bytes){ bytes[n], lode_coin_key(bytes[n], prevout) };
        n++;
    }
    lode_coins_count(&c->database_reads, n);
    return n > 0 ? lode_store_multi_get(c->store, keys, n, NULL, any, note_found) : lode_ok();
}

lode_status lode_coins_has_any(lode_coins *c, bool *any, const uint8_t txid[32], uint64_t hash, uint32_t output_count)
{
    lode_coins_key key = { .txid = txid };
    bool there = false;

    for (uint32_t i = 0; i < output_count && !there; i += LODE_COINS_PART_OUTPUTS) {
        uint32_t left = output_count - i;
        key.part = i / LODE_COINS_PART_OUTPUTS;
        key.hash = lode_coins_part_hash(hash, key.part);
        LODE_TRY(any_in_part(c, &there, &key, left < LODE_COINS_PART_OUTPUTS ? left : LODE_COINS_PART_OUTPUTS));
    }
    *any = there;
    return lode_ok();
}
