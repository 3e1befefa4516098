/* bench/suites/coins.c: unspent outputs, as connecting blocks reads and writes them; and the suite of that name.
 *
 * A block of 2,500 transactions: each spends two coins and creates two; before that, its outputs' keys are looked up
 * and must be missing. Nine spends in ten take one of the youngest coins, the others any. The block is written as one
 * batch, unsorted. Keys are Core's: 'C', transaction hash, output number (34 bytes); values are of 20 to 50 bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/chain/random.h"
#include "bench/suites/run_internal.h"
#include "support/bytes.h"

enum { TXS = 2500, YOUNG = 50000, KEY_LEN = 34, MISSES_EACH = 2 };

typedef struct coin_set {
    lode_random random;
    uint64_t *unspent; /* numbers, oldest first but for the places that spends filled */
    uint64_t count;
    uint64_t next;
    uint64_t sum; /* of what spends must have returned, and of entries that are there */
    uint64_t entries_sum;
} coin_set;

static lode_bytes make_key(uint8_t key[KEY_LEN], uint64_t coin)
{
    key[0] = 'C';
    for (uint64_t i = 0; i < 4; i++)
        lode_write_le64(key + 1 + 8 * i, lode_mix64((coin >> 1) * 4 + i));
    key[33] = (uint8_t)(coin & 1);
    return (lode_bytes){ key, KEY_LEN };
}

static lode_bytes make_value(uint8_t value[56], uint64_t coin)
{
    uint64_t x = lode_mix64(~coin);

    for (uint64_t i = 0; i < 7; i++)
        lode_write_le64(value + 8 * i, lode_mix64(x + i));
    return (lode_bytes){ value, 20 + x % 31 };
}

static uint64_t sum_of(uint64_t coin)
{
    uint8_t key[KEY_LEN], value[56];

    return lode_entry_sum(make_key(key, coin), make_value(value, coin));
}

static void create(const lode_run_state *run, coin_set *set)
{
    uint8_t key[KEY_LEN], value[56];

    run->engine->batch_put(run->db, make_key(key, set->next), make_value(value, set->next));
    set->unspent[set->count++] = set->next++;
}

/* Untimed: which coins a block spends. They leave the set. */
static void choose(coin_set *set, uint64_t *spent, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t among = i % 10 && set->count > YOUNG ? YOUNG : set->count;
        uint64_t at = set->count - 1 - lode_random_below(&set->random, among);
        spent[i] = set->unspent[at];
        set->unspent[at] = set->unspent[--set->count];
    }
}

static void connect(const lode_run_state *run, coin_set *set, const uint64_t *spent, uint32_t spends, lode_result *r)
{
    const lode_engine *e = run->engine;
    uint8_t key[KEY_LEN];
    lode_bytes value;

    for (uint64_t i = 0; i < (uint64_t)TXS * MISSES_EACH; i++)
        if (e->get(run->db, make_key(key, set->next + i), &value))
            lode_result_set(r, LODE_RESULT_WRONG, "a coin is there before it was made");
    for (uint32_t i = 0; i < spends; i++)
        if (e->get(run->db, make_key(key, spent[i]), &value)) {
            r->count++;
            r->sum += lode_value_sum(value);
        }
    e->batch_begin(run->db);
    for (uint32_t i = 0; i < spends; i++)
        e->batch_delete(run->db, make_key(key, spent[i]));
    for (uint32_t i = 0; i < TXS * 2; i++)
        create(run, set);
    e->batch_commit(run->db, false);
}

static void grow(const lode_run_state *run, coin_set *set, uint64_t coins)
{
    while (set->count < coins) {
        run->engine->batch_begin(run->db);
        for (uint32_t i = 0; i < TXS * 2; i++)
            create(run, set);
        run->engine->batch_commit(run->db, false);
    }
}

static void check_rest(const lode_run_state *run, const coin_set *set, lode_result *r)
{
    const lode_engine *e = run->engine;
    void *cursor = e->cursor_create(run->db);
    lode_engine_entry entry;
    lode_bytes none = { NULL, 0 };
    uint64_t count = 0, sum = 0, expected = 0;
    bool is_valid = e->cursor_move(cursor, LODE_MOVE_FIRST, none, &entry);

    for (; is_valid; is_valid = e->cursor_move(cursor, LODE_MOVE_NEXT, none, &entry)) {
        count++;
        sum += lode_entry_sum(entry.key, entry.value);
    }
    e->cursor_destroy(cursor);
    for (uint64_t i = 0; i < set->count; i++)
        expected += sum_of(set->unspent[i]);
    if (count != set->count || sum != expected)
        lode_result_set(r, LODE_RESULT_WRONG, "%llu coins are there, not %llu, or not those", (unsigned long long)count,
                        (unsigned long long)set->count);
}

/* Grows to half the chapter's entries without reads, then connects blocks until ops inputs are spent. */
void lode_run_coins(lode_run_state *run, const lode_phase *phase, lode_result *r)
{
    coin_set set = { .count = 0 };
    uint64_t coins = run->chapter->entries, blocks = ((uint64_t)r->ops + TXS * 2 - 1) / (TXS * 2), expected = 0;
    static uint64_t spent[TXS * 2];

    run->is_other_data = true;
    lode_random_init(&set.random, run->wish->seed);
    set.unspent = (uint64_t *)lode_engine_memory((coins + TXS * 2 + 1) * sizeof *set.unspent);
    grow(run, &set, coins > TXS * 4 ? coins - TXS * 2 : TXS * 2);
    for (uint64_t b = 0; b < blocks && r->state == LODE_RESULT_GOOD; b++) {
        uint8_t value[56];
        choose(&set, spent, TXS * 2);
        for (uint32_t i = 0; i < TXS * 2; i++)
            expected += lode_value_sum(make_value(value, spent[i]));
        lode_stopwatch start = lode_stopwatch_now();
        connect(run, &set, spent, TXS * 2, r);
        lode_stopwatch_stop(r, start);
    }
    r->ops = (double)(blocks * TXS * 2);
    if (r->count != blocks * TXS * 2 || r->sum != expected)
        lode_result_set(r, LODE_RESULT_WRONG, "%llu coins of %llu were found, or others", (unsigned long long)r->count,
                        (unsigned long long)(blocks * TXS * 2));
    check_rest(run, &set, r);
    r->count = set.count;
    free(set.unspent);
}

void lode_plan_coins(lode_plan *plan, const lode_plan_wish *wish)
{
    static const struct {
        const char *table;
        uint64_t tiny, small, full;
    } sizes[] = {
        { "the set: 100,000 coins", 10000, 50000, 100000 },
        { "the set: 1 million coins", 0, 200000, 1000000 },
        { "the set: 5 million coins", 0, 0, 5000000 },
    };

    plan->unit = LODE_UNIT_US_PER_OP;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint64_t coins = lode_wish_entries(wish, sizes[i].tiny, sizes[i].small, sizes[i].full);
        if (coins == 0 || (wish->entries && i > 0))
            continue;
        lode_chapter *c = lode_plan_add(plan, wish, "coins", coins, 35, (size_t)8 << 20);
        lode_phase *p = lode_chapter_add(
            c, LODE_PHASE_COINS,
            wish->entries || wish->size != LODE_SIZE_FULL ? "spend, create, miss (per input)" : sizes[i].table,
            LODE_ORDER_RANDOM);
        p->ops = coins < 500000 ? coins : 500000;
    }
}
