/* chainstate/coins_table.c: finding records of a shard by their hash.
 *
 * Room:     buckets of slots: searching, adding, removing, growing; looking from other threads.
 * Touches:  a shard's table, and its records to read them.
 * Threads:  one changes; others look at slots (lode_coins_shard_seems_to_have).
 */
#include "chainstate/coins_table.h"

#include <sched.h>
#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "chainstate/coins_blocks.h"
#include "support/check.h"

/* Sums of products with secret numbers (NH): whoever does not see the salt cannot find txids that collide. */
uint64_t lode_coins_salted_hash(const uint64_t salt[5], const uint8_t txid[32])
{
    uint64_t w[4];
    unsigned __int128 sum;
    uint64_t h;

    memcpy(w, txid, sizeof w); /* byte order does not matter: the hash never leaves this process */
    sum =
        (unsigned __int128)(w[0] + salt[0]) * (w[1] + salt[1]) + (unsigned __int128)(w[2] + salt[2]) * (w[3] + salt[3]);
    h = (uint64_t)sum ^ (uint64_t)(sum >> 64);
    h *= salt[4] | 1;
    return h ^ h >> 32;
}

uint64_t lode_coins_record_hash(const lode_coins_generation *g, const lode_coins_record *r)
{
    return lode_coins_part_hash(lode_coins_salted_hash(g->salt, r->txid), lode_coins_record_part(r));
}

/* ---- the table ---- */

/* Which slots hold `want` in the bits of `mask`. */
static inline uint32_t match_slots(const lode_coins_bucket *b, uint32_t want, uint32_t mask)
{
    uint32_t matches = 0;
#ifdef __SSE2__
    const __m128i wants = _mm_set1_epi32((int)want), masks = _mm_set1_epi32((int)mask);

    for (int i = 0; i < 4; i++) {
        __m128i four = _mm_load_si128((const __m128i *)(const void *)b->slots + i);
        __m128i equal = _mm_cmpeq_epi32(_mm_and_si128(four, masks), wants);
        matches |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(equal)) << (4 * i);
    }
    return matches & 0x7fff;
#else
    for (unsigned i = 0; i < LODE_COINS_BUCKET_SLOTS; i++)
        matches |= (uint32_t)((b->slots[i] & mask) == want) << i;
    return matches;
#endif
}

#define NOT_ALL 0x80000000u /* bit 31 of a slot */

/* Where a slot keeps bits of the hash. */
static inline uint32_t hash_mask(uint32_t offset_bits)
{
    return ~0u << offset_bits & ~NOT_ALL;
}

static inline uint32_t make_slot(uint64_t hash, uint32_t offset, uint32_t offset_bits, bool is_all)
{
    return ((uint32_t)hash << offset_bits & ~NOT_ALL) | offset | (is_all ? 0 : NOT_ALL);
}

static inline uint32_t offset_of(uint32_t slot, uint32_t offset_bits)
{
    return slot & ~(~0u << offset_bits);
}

/* Others look at the same time. */
static inline void store(uint32_t *at, uint32_t value)
{
    __atomic_store_n(at, value, __ATOMIC_RELAXED);
}

lode_coins_search lode_coins_search_of(lode_coins_shard *s, const lode_coins_key *key)
{
    uint32_t mask = hash_mask(s->offset_bits);
    lode_coins_search q = { s, key, mask, (uint32_t)key->hash << s->offset_bits & mask, 0, 0, 0 };

    if (s->bucket_count > 0) {
        q.bucket = (uint32_t)(lode_coins_home(s, key->hash) - s->buckets);
        q.left = s->bucket_count - 1;
        q.matches = match_slots(&s->buckets[q.bucket], q.want, q.mask);
    }
    return q;
}

/* The next record of the key's txid and part. */
bool lode_coins_search_next(lode_coins_search *q, lode_coins_place *place)
{
    const lode_coins_shard *s = q->s;

    if (s->bucket_count == 0)
        return false;
    for (;;) {
        const lode_coins_bucket *b = &s->buckets[q->bucket];
        while (q->matches) {
            uint32_t slot = (uint32_t)__builtin_ctz(q->matches);
            uint32_t offset = offset_of(b->slots[slot], s->offset_bits);
            lode_coins_record *r;
            q->matches &= q->matches - 1;
            if (offset == 0)
                continue;
            r = lode_coins_record_at(s, offset);
            if (lode_coins_record_part(r) != q->key->part || memcmp(r->txid, q->key->txid, sizeof r->txid) != 0)
                continue;
            *place = (lode_coins_place){
                .shard = q->s, .record = r, .hash = q->key->hash, .bucket = q->bucket, .slot = slot
            };
            return true;
        }
        if (b->passed == 0 || q->left-- == 0)
            return false;
        q->bucket = q->bucket + 1 == s->bucket_count ? 0 : q->bucket + 1;
        q->matches = match_slots(&s->buckets[q->bucket], q->want, q->mask);
    }
}

bool lode_coins_shard_find(lode_coins_place *place, lode_coins_shard *s, const lode_coins_key *key)
{
    lode_coins_search q = lode_coins_search_of(s, key);

    while (lode_coins_search_next(&q, place)) {
        const uint8_t *entry = lode_coins_record_find(place->record, key->index, &place->left);
        if (entry) {
            place->entry = place->record->entries + (entry - place->record->entries);
            return true;
        }
    }
    return false;
}

bool lode_coins_shard_has_record(lode_coins_shard *s, const lode_coins_key *key)
{
    lode_coins_search q = lode_coins_search_of(s, key);
    lode_coins_place place;

    return lode_coins_search_next(&q, &place);
}

void lode_coins_shard_list(lode_coins_shard *s, const lode_coins_key *key, uint32_t *unspent, uint32_t *spent)
{
    lode_coins_search q = lode_coins_search_of(s, key);
    lode_coins_place place;

    while (lode_coins_search_next(&q, &place)) {
        const uint8_t *entry = place.record->entries;
        for (uint32_t left = lode_coins_record_count(place.record); left > 0; left--) {
            uint32_t bit = 1u << lode_coins_entry_index(entry);
            *(lode_coins_entry_state(entry) == LODE_COINS_SPENT ? spent : unspent) |= bit;
            entry += lode_coins_entry_length(entry);
        }
    }
}

void lode_coins_shard_prefetch_slot(const lode_coins_shard *s, uint64_t hash)
{
    if (s->bucket_count > 0)
        __builtin_prefetch(lode_coins_home(s, hash));
}

void lode_coins_shard_prefetch_record(const lode_coins_shard *s, uint64_t hash)
{
    const lode_coins_bucket *b;
    uint32_t mask = hash_mask(s->offset_bits), matches;

    if (s->bucket_count == 0)
        return;
    b = lode_coins_home(s, hash);
    for (matches = match_slots(b, (uint32_t)hash << s->offset_bits & mask, mask); matches; matches &= matches - 1) {
        uint32_t offset = offset_of(b->slots[__builtin_ctz(matches)], s->offset_bits);
        const char *r = (const char *)lode_coins_record_at(s, offset ? offset : 1);
        __builtin_prefetch(r);
        __builtin_prefetch(r + 64);
    }
}

/* ---- looking, while another thread changes ---- */

/* The three fields as they were together at some time. */
static bool read_table(lode_coins_shard *s, const lode_coins_bucket **buckets, uint32_t *count, uint32_t *offset_bits)
{
    uint32_t version = __atomic_load_n(&s->version, __ATOMIC_ACQUIRE);

    *buckets = __atomic_load_n(&s->buckets, __ATOMIC_SEQ_CST);
    *count = __atomic_load_n(&s->bucket_count, __ATOMIC_ACQUIRE);
    *offset_bits = __atomic_load_n(&s->offset_bits, __ATOMIC_ACQUIRE);
    return version % 2 == 0 && __atomic_load_n(&s->version, __ATOMIC_RELAXED) == version;
}

static lode_coins_seeming look_in_bucket(const lode_coins_bucket *b, uint32_t want, uint32_t offset_bits)
{
    lode_coins_seeming seeming = LODE_COINS_ABSENT;

    for (unsigned i = 0; i < LODE_COINS_BUCKET_SLOTS; i++) {
        uint32_t slot = __atomic_load_n(&b->slots[i], __ATOMIC_RELAXED);
        if ((slot & hash_mask(offset_bits)) != want || offset_of(slot, offset_bits) == 0)
            continue;
        if (!(slot & NOT_ALL))
            return LODE_COINS_ALL;
        seeming = LODE_COINS_SOME;
    }
    return seeming;
}

lode_coins_seeming lode_coins_shard_seems_to_have(lode_coins_shard *s, uint64_t hash)
{
    const lode_coins_bucket *buckets;
    uint32_t count, offset_bits, b;
    lode_coins_seeming seeming = LODE_COINS_ABSENT;

    __atomic_fetch_add(&s->readers, 1, __ATOMIC_SEQ_CST); /* before the table is read: see replace_table */
    if (!read_table(s, &buckets, &count, &offset_bits)) {
        seeming = LODE_COINS_SOME; /* who can say, while it is replaced */
        count = 0;
    }
    if (count > 0) {
        uint32_t want = (uint32_t)hash << offset_bits & hash_mask(offset_bits);
        b = (uint32_t)((hash >> 32) * count >> 32);
        for (uint32_t left = count; left > 0 && seeming != LODE_COINS_ALL; left--) {
            lode_coins_seeming here = look_in_bucket(&buckets[b], want, offset_bits);
            if (here > seeming)
                seeming = here;
            if (__atomic_load_n(&buckets[b].passed, __ATOMIC_RELAXED) == 0)
                break;
            b = b + 1 == count ? 0 : b + 1;
        }
    }
    __atomic_fetch_sub(&s->readers, 1, __ATOMIC_RELEASE);
    return seeming;
}

/* ---- changing the table ---- */

static void put_slot(lode_coins_bucket *buckets, uint32_t count, uint64_t hash, uint32_t slot)
{
    uint32_t b = (uint32_t)((hash >> 32) * count >> 32);

    for (;;) {
        lode_coins_bucket *bucket = &buckets[b];
        for (unsigned i = 0; i < LODE_COINS_BUCKET_SLOTS; i++) {
            if (bucket->slots[i] == 0) {
                store(&bucket->slots[i], slot);
                return;
            }
        }
        store(&bucket->passed, bucket->passed + 1);
        b = b + 1 == count ? 0 : b + 1;
    }
}

void lode_coins_table_add(lode_coins_shard *s, uint64_t hash, uint32_t offset, bool is_all)
{
    put_slot(s->buckets, s->bucket_count, hash, make_slot(hash, offset, s->offset_bits, is_all));
}

void lode_coins_table_remove(const lode_coins_place *place)
{
    lode_coins_shard *s = place->shard;
    uint32_t b = (uint32_t)(lode_coins_home(s, place->hash) - s->buckets);

    while (b != place->bucket) {
        store(&s->buckets[b].passed, s->buckets[b].passed - 1);
        b = b + 1 == s->bucket_count ? 0 : b + 1;
    }
    store(&s->buckets[b].slots[place->slot], 0);
}

/* Does the record hold all that is known of its outputs? */
bool lode_coins_entries_are_fresh(const uint8_t *entries, uint32_t count)
{
    for (; count > 0; count--) {
        if (lode_coins_entry_state(entries) != LODE_COINS_FRESH)
            return false;
        entries += lode_coins_entry_length(entries);
    }
    return true;
}

static void put_all_records(const lode_coins_generation *g, const lode_coins_shard *s, lode_coins_bucket *buckets,
                            uint32_t count)
{
    lode_coins_walk walk = lode_coins_walk_of(s);
    const lode_coins_record *r;
    uint32_t offset;

    while ((r = lode_coins_walk_next(&walk, &offset)) != NULL) {
        uint64_t hash = lode_coins_record_hash(g, r);
        bool is_all = lode_coins_entries_are_fresh(r->entries, lode_coins_record_count(r));
        put_slot(buckets, count, hash, make_slot(hash, offset, s->offset_bits, is_all));
    }
}

void lode_coins_table_refill(const lode_coins_generation *g, lode_coins_shard *s)
{
    for (uint32_t b = 0; b < s->bucket_count; b++) {
        for (unsigned i = 0; i < LODE_COINS_BUCKET_SLOTS; i++)
            store(&s->buckets[b].slots[i], 0);
        store(&s->buckets[b].passed, 0);
    }
    put_all_records(g, s, s->buckets, s->bucket_count);
}

/* Who comes to look after the store of `buckets` finds the new table; when nobody is looking then, the old one is free
 * to go. If someone is, it waits for the next replacement, and that one for the looking to end. */
static void replace_table(lode_coins_shard *s, lode_coins_bucket *buckets, uint32_t count, uint32_t offset_bits)
{
    lode_coins_bucket *old = s->buckets;

    store(&s->version, s->version + 1);
    __atomic_store_n(&s->bucket_count, count, __ATOMIC_RELEASE);
    __atomic_store_n(&s->offset_bits, offset_bits, __ATOMIC_RELEASE);
    __atomic_store_n(&s->buckets, buckets, __ATOMIC_SEQ_CST);
    __atomic_store_n(&s->version, s->version + 1, __ATOMIC_RELEASE);
    if (old == buckets)
        return;
    while (__atomic_load_n(&s->readers, __ATOMIC_SEQ_CST) != 0) {
        if (!s->retired && buckets) {
            s->retired = old;
            return;
        }
        sched_yield();
    }
    free(s->retired);
    s->retired = NULL;
    free(old);
}

bool lode_coins_shard_widen_offsets(lode_coins_shard *s)
{
    uint32_t bits = s->offset_bits;

    if (bits >= 30)
        return false;
    for (uint32_t b = 0; b < s->bucket_count; b++) {
        for (unsigned i = 0; i < LODE_COINS_BUCKET_SLOTS; i++) {
            uint32_t slot = s->buckets[b].slots[i];
            uint32_t hash = (slot & hash_mask(bits)) << 1 & ~NOT_ALL;
            store(&s->buckets[b].slots[i], (slot & NOT_ALL) | hash | offset_of(slot, bits));
        }
    }
    replace_table(s, s->buckets, s->bucket_count, bits + 1);
    return true;
}

/* Makes room for one more record: at most 13 of 16 slots are used, then the table grows by half. */
bool lode_coins_table_ensure_slot(lode_coins_generation *g, lode_coins_shard *s)
{
    uint32_t count = s->bucket_count + s->bucket_count / 2 + 2, old_count = s->bucket_count;
    lode_coins_bucket *buckets;

    if ((uint64_t)s->records * 16 < (uint64_t)s->bucket_count * LODE_COINS_BUCKET_SLOTS * 13)
        return true;
    buckets = aligned_alloc(64, count * sizeof *buckets);
    if (!buckets)
        return s->records < s->bucket_count * LODE_COINS_BUCKET_SLOTS; /* fuller and slower, as long as there is room */
    memset(buckets, 0, count * sizeof *buckets);
    put_all_records(g, s, buckets, count);
    replace_table(s, buckets, count, s->offset_bits);
    lode_coins_account(g, (ptrdiff_t)((count - old_count) * sizeof *buckets));
    return true;
}

void lode_coins_shard_clear_table(lode_coins_generation *g, lode_coins_shard *s)
{
    lode_coins_account(g, -(ptrdiff_t)(s->bucket_count * sizeof *s->buckets));
    if (s->buckets)
        replace_table(s, NULL, 0, s->offset_bits);
}

uint32_t lode_coins_place_offset(const lode_coins_place *place)
{
    const lode_coins_shard *s = place->shard;

    return offset_of(s->buckets[place->bucket].slots[place->slot], s->offset_bits);
}

void lode_coins_place_set_offset(const lode_coins_place *place, uint32_t offset)
{
    lode_coins_shard *s = place->shard;
    uint32_t *slot = &s->buckets[place->bucket].slots[place->slot];

    store(slot, (*slot & ~0u << s->offset_bits) | offset);
}

void lode_coins_place_set_not_all(const lode_coins_place *place)
{
    uint32_t *slot = &place->shard->buckets[place->bucket].slots[place->slot];

    store(slot, *slot | NOT_ALL);
}
