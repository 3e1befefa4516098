/* chainstate/coins_fetch.c: reading coins ahead of the chain's thread.
 *
 * Room:     looks which coins are not in memory and reads those from the database, many at once.
 * Touches:  slots of tables, atomically; the store.
 * Threads:  any number of workers, while the chain's thread changes coins.
 * Promise:  what is told holds as long as a generation (its id is the epoch) and all that came after it are whole in
 *           memory: a change that the reading missed stands in one of them and is found first. It is the active one if
 *           the frozen one is in the database, or has nothing of the output: then it does not matter whether the
 *           database was read before its flush or after. Else it is the frozen one.
 */
#include "chainstate/coins_internal.h"

static lode_coins_seeming look_in(const lode_coins_generation *g, const uint8_t *txid, uint64_t part_hash)
{
    return g ? lode_coins_shard_seems_to_have(lode_coins_shard_of(g, txid), part_hash) : LODE_COINS_ABSENT;
}

/* Not asked for is what seems to be in memory with all that is known of it. Otherwise it is asked for: at worst for
 * nothing. */
static lode_fetched look_for(const lode_coins *c, const uint8_t prevout[36], uint64_t hash, bool frozen_is_written)
{
    uint32_t index = lode_read_le32(prevout + 32);
    uint64_t part_hash = lode_coins_part_hash(hash, index / LODE_COINS_PART_OUTPUTS);
    lode_coins_seeming active, frozen;

    if (index >= LODE_COINS_MAX_INDEX)
        return (lode_fetched){ .is_asked = true }; /* no change in memory can be of it */
    active = look_in(c->active, prevout, part_hash);
    if (active == LODE_COINS_ALL)
        return (lode_fetched){ .is_asked = false };
    frozen = look_in(c->frozen, prevout, part_hash);
    return (lode_fetched){ .is_asked = frozen != LODE_COINS_ALL,
                           .epoch = frozen_is_written || frozen == LODE_COINS_ABSENT ? c->active->id : c->frozen->id };
}

/* Marks what is to be asked; returns how many, 0 when the database has no coins. */
static size_t look_in_memory(lode_coins *c, lode_fetched *fetched, const uint8_t *const *prevouts,
                             const uint64_t *hashes, size_t count)
{
    size_t asked = 0;
    bool frozen_is_written;

    pthread_rwlock_rdlock(&c->generations_lock);
    frozen_is_written = __atomic_load_n(&c->frozen_is_written, __ATOMIC_ACQUIRE);
    for (size_t i = 0; i < count; i++) {
        fetched[i] = look_for(c, prevouts[i], hashes[i], frozen_is_written);
        asked += fetched[i].is_asked;
    }
    if (!c->database_has_coins)
        asked = 0;
    pthread_rwlock_unlock(&c->generations_lock);
    return asked;
}

typedef struct fetching {
    const lode_coins *coins;
    lode_fetched *fetched;
    const uint32_t *positions; /* of the keys in `fetched` */
    lode_arena *arena;
    bool out_of_memory;
} fetching;

static void keep_value(void *context, size_t position, lode_bytes value)
{
    fetching *f = context;
    lode_fetched *to = &f->fetched[f->positions[position]];
    uint8_t *copy;

    if (value.len > UINT32_MAX) {
        to->is_asked = false; /* no coin; the chain's thread finds it again and says so */
        return;
    }
    copy = lode_arena_take(f->arena, value.len + 1);
    if (!copy) {
        f->out_of_memory = true;
        return;
    }
    if (value.len > 0)
        memcpy(copy, value.data, value.len);
    lode_coins_obfuscate(f->coins, copy, value.len);
    to->coin = copy;
    to->len = (uint32_t)value.len;
    to->is_found = true;
}

lode_status lode_coins_fetch(lode_coins *c, lode_fetched *fetched, const uint8_t *const *prevouts,
                             const uint64_t *hashes, size_t count, lode_arena *arena)
{
    size_t asked = look_in_memory(c, fetched, prevouts, hashes, count), n = 0;
    lode_bytes *keys;
    uint8_t *bytes;
    uint32_t *positions;
    fetching f = { c, fetched, NULL, arena, false };

    if (asked == 0)
        return lode_ok();
    keys = lode_arena_take_array(arena, asked, sizeof *keys);
    bytes = lode_arena_take_array(arena, asked, LODE_COIN_KEY_MAX);
    positions = lode_arena_take_array(arena, asked, sizeof *positions);
    if (!keys || !bytes || !positions)
        return lode_fail(LODE_NO_MEMORY, "no memory to read %zu coins ahead", asked);
    for (size_t i = 0; i < count; i++) {
        if (!fetched[i].is_asked)
            continue;
        keys[n] = (lode_bytes){ bytes, lode_coin_key(bytes, prevouts[i]) };
        bytes += LODE_COIN_KEY_MAX;
        positions[n++] = (uint32_t)i;
    }
    f.positions = positions;
    LODE_TRY(lode_store_multi_get(c->store, keys, n, NULL, &f, keep_value));
    if (f.out_of_memory)
        return lode_fail(LODE_NO_MEMORY, "no memory to keep coins read ahead");
    return lode_ok();
}
