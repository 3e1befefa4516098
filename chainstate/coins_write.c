/* chainstate/coins_write.c: a generation as records of the database.
 *
 * Room:     'B', then coins in key order, then the deletion of Core's 'H' (or a new one, in a replay): into sorted
 *           runs, or a batch if they are few.
 * Touches:  a generation that nobody changes, the store.
 * Threads:  a flush's own and helpers, or the chain's.
 * Promise:  all of it becomes visible in one step of the store, over a crash as well.
 */
#include <stdlib.h>

#include "chainstate/coins_internal.h"
#include "support/check.h"

/* Where records go: a run, or a batch when they are few. */
typedef struct output {
    const lode_coins *coins;
    lode_run *run;
    lode_batch *batch;
    lode_status status;
    uint64_t written, deleted;
    uint8_t value[LODE_COINS_SCRATCH];
} output;

static void put(output *o, const uint8_t *key, size_t key_len, uint8_t *value, size_t len)
{
    lode_coins_obfuscate(o->coins, value, len);
    if (o->run)
        o->status = lode_run_put(o->run, key, key_len, value, len);
    else
        lode_batch_put(o->batch, key, key_len, value, len);
}

static void erase(output *o, const uint8_t *key, size_t key_len)
{
    if (o->run)
        o->status = lode_run_delete(o->run, key, key_len);
    else
        lode_batch_delete(o->batch, key, key_len);
}

/* ---- order ---- */

typedef struct item {
    uint64_t order; /* first bytes of the txid */
    const lode_coins_record *record;
} item;

/* The order of keys: txid, then VARINT(index) as bytes. Within a part indexes have VARINTs of one length. */
static int compare_items(const void *a, const void *b)
{
    const item *x = a, *y = b;
    uint8_t vx[10], vy[10];
    int c;

    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    c = memcmp(x->record->txid, y->record->txid, 32);
    if (c)
        return c;
    lode_varint_write(vx, (uint64_t)lode_coins_record_part(x->record) * LODE_COINS_PART_OUTPUTS);
    lode_varint_write(vy, (uint64_t)lode_coins_record_part(y->record) * LODE_COINS_PART_OUTPUTS);
    return memcmp(vx, vy, 3); /* the first byte that differs tells, as in the store */
}

static void sort_bucket(item *items, size_t count)
{
    if (count > 24) { /* txids are spread evenly unless someone took pains */
        qsort(items, count, sizeof *items, compare_items);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        item x = items[i];
        size_t at = i;
        for (; at > 0 && compare_items(&items[at - 1], &x) > 0; at--)
            items[at] = items[at - 1];
        items[at] = x;
    }
}

/* A shard's records by key. `work` holds three times the shard's records. */
typedef struct sorter {
    item *items, *sorted;
    uint32_t *starts;
    size_t capacity;
} sorter;

static bool reserve_sorter(sorter *w, size_t count)
{
    if (count <= w->capacity)
        return true;
    free(w->items);
    free(w->sorted);
    free(w->starts);
    w->items = malloc(count * sizeof *w->items);
    w->sorted = malloc(count * sizeof *w->sorted);
    w->starts = malloc((count * 2 + 2) * sizeof *w->starts);
    w->capacity = w->items && w->sorted && w->starts ? count : 0;
    return w->capacity > 0;
}

static void clear_sorter(sorter *w)
{
    free(w->items);
    free(w->sorted);
    free(w->starts);
}

static void sort_shard(sorter *w, const lode_coins_shard *s, unsigned shard_bits)
{
    lode_coins_walk walk = lode_coins_walk_of(s);
    const lode_coins_record *r;
    size_t count = 0;
    unsigned bits = 1;

    while ((r = lode_coins_walk_next(&walk, NULL)) != NULL)
        w->items[count++] = (item){ (uint64_t)lode_read_be32(r->txid) << 32 | lode_read_be32(r->txid + 4), r };
    while ((size_t)2 << bits <= count)
        bits++;
    memset(w->starts, 0, (((size_t)1 << bits) + 1) * sizeof *w->starts);
    for (size_t i = 0; i < count; i++)
        w->starts[(w->items[i].order << shard_bits >> (64 - bits)) + 1]++;
    for (size_t b = 0; b < (size_t)1 << bits; b++)
        w->starts[b + 1] += w->starts[b];
    for (size_t i = 0; i < count; i++)
        w->sorted[w->starts[w->items[i].order << shard_bits >> (64 - bits)]++] = w->items[i];
    /* each start is now the end of its bucket */
    for (size_t b = 0, first = 0; b < (size_t)1 << bits; first = w->starts[b++])
        sort_bucket(w->sorted + first, w->starts[b] - first);
}

/* ---- records into keys and values ---- */

static size_t encode_value(uint8_t *value, uint32_t code, const uint8_t *entry)
{
    size_t n = lode_varint_write(value, code);
    uint64_t amount;
    lode_slice script;

    lode_coins_entry_read(entry, &amount, &script, value + n + 10);
    n += lode_varint_write(value + n, amount);
    memmove(value + n, script.data, script.len);
    return n + script.len;
}

/* All records of one transaction and part: their entries in order of index. */
static void write_part(output *o, const item *items, size_t count)
{
    const uint8_t *entries[LODE_COINS_PART_OUTPUTS] = { NULL };
    uint32_t codes[LODE_COINS_PART_OUTPUTS];
    uint8_t prevout[36], key[LODE_COIN_KEY_MAX];

    for (size_t i = 0; i < count; i++) {
        const lode_coins_record *r = items[i].record;
        const uint8_t *p = r->entries;
        for (uint32_t left = lode_coins_record_count(r); left > 0; left--) {
            unsigned index = lode_coins_entry_index(p);
            LODE_CHECK(!entries[index]);
            entries[index] = p;
            codes[index] = r->code;
            p += lode_coins_entry_length(p);
        }
    }
    memcpy(prevout, items[0].record->txid, 32);
    for (unsigned i = 0; i < LODE_COINS_PART_OUTPUTS && !lode_failed(o->status); i++) {
        size_t key_len;
        if (!entries[i])
            continue;
        lode_write_le32(prevout + 32, lode_coins_record_part(items[0].record) * LODE_COINS_PART_OUTPUTS + i);
        key_len = lode_coin_key(key, prevout);
        if (lode_coins_entry_state(entries[i]) == LODE_COINS_SPENT) {
            erase(o, key, key_len);
            o->deleted++;
        } else {
            put(o, key, key_len, o->value, encode_value(o->value, codes[i], entries[i]));
            o->written++;
        }
    }
}

static void write_shard(output *o, const item *items, size_t count)
{
    for (size_t first = 0, next; first < count && !lode_failed(o->status); first = next) {
        const lode_coins_record *r = items[first].record;
        next = first + 1;
        while (next < count && lode_coins_record_part(items[next].record) == lode_coins_record_part(r) &&
               memcmp(items[next].record->txid, r->txid, 32) == 0)
            next++;
        write_part(o, items + first, next - first);
    }
}

static void write_best(output *o, const lode_block_hash *best)
{
    uint8_t value[32];

    memcpy(value, best->bytes, sizeof value);
    put(o, (const uint8_t *)"B", 1, value, sizeof value);
}

/* A vector of two hashes. */
static void write_heads(output *o, const lode_block_hash *new_head, const lode_block_hash *old_head)
{
    uint8_t value[1 + 2 * 32] = { 2 };

    memcpy(value + 1, new_head->bytes, 32);
    memcpy(value + 33, old_head->bytes, 32);
    put(o, (const uint8_t *)"H", 1, value, sizeof value);
}

static void write_shards(output *o, const lode_coins_generation *g, size_t first, size_t end)
{
    sorter w = { NULL, NULL, NULL, 0 };

    for (size_t i = first; i < end && !lode_failed(o->status); i++) {
        const lode_coins_shard *s = &g->shards[i];
        if (s->records == 0)
            continue;
        if (!reserve_sorter(&w, s->records)) {
            o->status = lode_fail(LODE_NO_MEMORY, "no memory to sort %u records of coins", s->records);
            break;
        }
        sort_shard(&w, s, g->shard_bits);
        write_shard(o, w.sorted, s->records);
    }
    clear_sorter(&w);
}

/* A range of shards, with what comes before the first and after the last coin. */
static void write_range(output *o, const lode_coins_generation *g, size_t first, size_t end)
{
    const lode_coins *c = o->coins;
    size_t all = (size_t)1 << g->shard_bits;

    if (first == 0 && !c->flush_is_part)
        write_best(o, &c->flush_best);
    if (!lode_failed(o->status))
        write_shards(o, g, first, end);
    if (lode_failed(o->status) || end < all)
        return;
    if (c->flush_is_part)
        write_heads(o, &c->flush_new_head, &c->flush_best);
    else if (c->has_heads)
        erase(o, (const uint8_t *)"H", 1);
}

static void write_all(output *o, const lode_coins_generation *g)
{
    write_range(o, g, 0, (size_t)1 << g->shard_bits);
}

static void count_written(lode_coins *c, const output *o)
{
    lode_coins_count(&c->coins_written, o->written);
    lode_coins_count(&c->coins_deleted, o->deleted);
}

lode_status lode_coins_make_shard_batch(const lode_coins *c, lode_batch **batch, const lode_coins_generation *g,
                                        size_t shard)
{
    output *o = calloc(1, sizeof *o);
    lode_status s;

    *batch = NULL;
    if (!o || !(o->batch = lode_batch_create())) {
        free(o);
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a batch of coins", c->path);
    }
    o->coins = c;
    write_shards(o, g, shard, shard + 1);
    s = o->status;
    if (lode_failed(s))
        lode_batch_destroy(o->batch);
    else
        *batch = o->batch;
    free(o);
    return s;
}

lode_status lode_coins_make_batch(lode_coins *c, lode_batch **batch, const lode_coins_generation *g)
{
    output *o = calloc(1, sizeof *o);
    lode_status s;

    *batch = NULL;
    if (!o || !(o->batch = lode_batch_create())) {
        free(o);
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a batch of coins", c->path);
    }
    o->coins = c;
    write_all(o, g);
    s = o->status;
    if (lode_failed(s)) {
        lode_batch_destroy(o->batch);
    } else {
        *batch = o->batch;
        count_written(c, o);
    }
    free(o);
    return s;
}

/* ---- by several threads ---- */

enum { PARTS_MOST = 4, RECORDS_OF_A_PART = 20000 };

/* Shards are ranges of txids, so each part is a run of keys of its own. */
typedef struct part {
    output out;
    const lode_coins_generation *g;
    size_t first, end;
    lode_thread thread;
} part;

static void *write_part_of(void *context)
{
    part *p = context;

    write_range(&p->out, p->g, p->first, p->end);
    return NULL;
}

static unsigned count_parts(const lode_coins_generation *g)
{
    uint64_t parts = g->records / RECORDS_OF_A_PART, processors = lode_cpu_count();

    parts = parts < processors ? parts : processors;
    return parts < 1 ? 1 : parts < PARTS_MOST ? (unsigned)parts : PARTS_MOST;
}

/* All parts are written when this returns; a thread that cannot be had is this one. */
static lode_status fill_runs(part *parts, unsigned count)
{
    lode_status s = lode_ok();

    for (unsigned i = 1; i < count; i++)
        if (lode_failed(lode_thread_start(&parts[i].thread, "lode-coins", write_part_of, &parts[i])))
            write_part_of(&parts[i]);
    write_part_of(&parts[0]);
    for (unsigned i = 1; i < count; i++)
        lode_thread_join(&parts[i].thread);
    for (unsigned i = 0; i < count && !lode_failed(s); i++)
        s = parts[i].out.status;
    return s;
}

lode_status lode_coins_write_run(lode_coins *c, const lode_coins_generation *g)
{
    unsigned count = count_parts(g);
    size_t shards = (size_t)1 << g->shard_bits;
    part *parts = calloc(count, sizeof *parts);
    lode_run *runs[PARTS_MOST] = { NULL };
    lode_status s = lode_ok();

    if (!parts)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to write coins", c->path);
    for (unsigned i = 0; i < count && !lode_failed(s); i++) {
        s = lode_run_begin(&runs[i], c->store);
        parts[i] = (part){ .out = { .coins = c, .run = runs[i], .status = lode_ok() },
                           .g = g,
                           .first = shards * i / count,
                           .end = shards * (i + 1) / count };
    }
    if (!lode_failed(s))
        s = fill_runs(parts, count);
    if (!lode_failed(s))
        s = lode_runs_finish(runs, count);
    else
        for (unsigned i = 0; i < count; i++)
            lode_run_abandon(runs[i]);
    for (unsigned i = 0; i < count && !lode_failed(s); i++)
        count_written(c, &parts[i].out);
    free(parts);
    return s;
}
