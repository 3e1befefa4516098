/* test/chainstate/coins_model_test.c: random steps on a coin set beside a plain array that does the same.
 *
 * Every answer is compared, and after each closing the whole database. `coins_model_test SEED STEPS` repeats a run.
 */
#include "chainstate/coins.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "test/support/memory_env.h"

enum { TXS = 600, MOST_OUTPUTS = 48, BIG_TXS = 6, BIG_OUTPUTS = 700, HINTS = 64 };

static uint64_t seed;
static unsigned steps = 60000;

static uint64_t next_random(void)
{
    seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = seed;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}
static uint32_t below(uint32_t n)
{
    return (uint32_t)(next_random() % n);
}

/* ---- the model ---- */

typedef struct model_coin {
    bool exists, is_coinbase;
    uint32_t height;
    uint64_t compressed_amount;
    uint8_t script[48]; /* in stored form */
    uint8_t script_len;
} model_coin;

typedef struct model_tx {
    uint8_t txid[32];
    uint32_t count;
    uint32_t first; /* of its coins in the arrays */
} model_tx;

static model_tx txs[TXS];
static model_coin *now, *flushed; /* as it is, and as of the last flush that began */
static uint32_t coin_count;
static lode_block_hash flushed_best;
static bool has_flushed;

/* Scripts of every common form, and what they look like when stored. */
static size_t make_script(uint8_t *out, unsigned kind)
{
    uint8_t h[33];
    for (size_t i = 0; i < sizeof h; i++)
        h[i] = (uint8_t)next_random();
    switch (kind % 7) {
    case 0:
        memcpy(out, "\x00\x14", 2);
        memcpy(out + 2, h, 20);
        return 22;
    case 1:
        memcpy(out, "\x00\x20", 2);
        memcpy(out + 2, h, 32);
        return 34;
    case 2:
        memcpy(out, "\x51\x20", 2);
        memcpy(out + 2, h, 32);
        return 34;
    case 3:
        memcpy(out, "\x76\xa9\x14", 3);
        memcpy(out + 3, h, 20);
        memcpy(out + 23, "\x88\xac", 2);
        return 25;
    case 4:
        memcpy(out, "\xa9\x14", 2);
        memcpy(out + 2, h, 20);
        out[22] = 0x87;
        return 23;
    case 5:
        memcpy(out, "\x21\x02", 2);
        memcpy(out + 2, h, 32);
        out[34] = 0xac;
        return 35;
    default:
        out[0] = 0x51;
        out[1] = h[0];
        return h[1] % 3;
    }
}

static void make_world(void)
{
    coin_count = 0;
    for (unsigned t = 0; t < TXS; t++) {
        for (int i = 0; i < 32; i++)
            txs[t].txid[i] = (uint8_t)next_random();
        if (t % 5 == 0) /* someone ground txids that begin alike */
            memset(txs[t].txid, 0xab, 6);
        txs[t].count = t < BIG_TXS ? BIG_OUTPUTS : below(4) ? 1 + below(3) : 1 + below(MOST_OUTPUTS);
        txs[t].first = coin_count;
        coin_count += txs[t].count;
    }
    now = calloc(coin_count, sizeof *now);
    flushed = calloc(coin_count, sizeof *flushed);
    assert_true(now && flushed);
    has_flushed = false;
}

/* ---- the coin set ---- */

static lode_env *env;
static lode_coins *coins;
static lode_arena arena = LODE_ARENA_EMPTY;
static uint32_t height = 1;

static void must(lode_status s)
{
    if (lode_failed(s))
        fail_msg("%s", s.text);
}

static void open_coins(void)
{
    lode_coins_options o = {
        .path = "chainstate", .env = env, .cache_bytes = (size_t)4 << 20, .threads = 1 + (int)below(3)
    };
    must(lode_coins_open(&coins, &o));
}

static void prevout_of(uint8_t out[36], unsigned t, uint32_t index)
{
    memcpy(out, txs[t].txid, 32);
    lode_write_le32(out + 32, index);
}

static void expect_same(const model_coin *m, bool found, const lode_coin_view *view)
{
    assert_int_equal(m->exists, found);
    if (!found)
        return;
    assert_int_equal(m->height, view->height);
    assert_int_equal(m->is_coinbase, view->is_coinbase);
    assert_true(m->compressed_amount == view->compressed_amount);
    assert_int_equal(m->script_len, view->script.len);
    assert_memory_equal(m->script, view->script.data, m->script_len);
}

static void make_tx(lode_tx *tx, lode_txout *outputs, uint8_t (*scripts)[48], unsigned t)
{
    memset(tx, 0, sizeof *tx);
    tx->outputs = outputs;
    tx->output_count = txs[t].count;
    for (uint32_t i = 0; i < txs[t].count; i++) {
        outputs[i].script = scripts[i];
        outputs[i].script_len = (uint32_t)make_script(scripts[i], (unsigned)next_random());
        if (below(20) == 0)
            scripts[i][0] = 0x6a; /* nobody can spend it, unless it is empty */
        outputs[i].value.sat = (int64_t)(next_random() >> (12 + below(50)));
    }
}

static bool any_exists(unsigned t)
{
    for (uint32_t i = 0; i < txs[t].count; i++)
        if (now[txs[t].first + i].exists)
            return true;
    return false;
}

static void step_add(void)
{
    static lode_txout outputs[BIG_OUTPUTS];
    static uint8_t scripts[BIG_OUTPUTS][48];
    unsigned t = below(TXS);
    bool overwrite = below(10) == 0, is_coinbase = below(4) == 0;
    lode_packed_tx packed;
    lode_tx tx;

    if (!overwrite && any_exists(t))
        return;
    make_tx(&tx, outputs, scripts, t);
    assert_true(lode_coins_pack(&packed, &tx, &arena));
    height += below(3) == 0;
    must(lode_coins_add_tx(coins, txs[t].txid, lode_coins_hash(coins, txs[t].txid), &packed, height, is_coinbase,
                           overwrite));
    for (uint32_t i = 0; i < txs[t].count; i++) {
        model_coin *m = &now[txs[t].first + i];
        if (lode_script_is_unspendable(outputs[i].script, outputs[i].script_len))
            continue;
        *m = (model_coin){ true, is_coinbase, height, lode_amount_compress((uint64_t)outputs[i].value.sat) };
        m->script_len = (uint8_t)lode_script_compress(m->script, outputs[i].script, outputs[i].script_len);
    }
    lode_arena_reset(&arena);
}

static void step_put(void)
{
    unsigned t = below(TXS);
    uint32_t i = below(txs[t].count);
    model_coin *m = &now[txs[t].first + i];
    uint8_t script[48], prevout[36];
    size_t len = make_script(script, (unsigned)next_random());
    lode_coin_view view;

    *m = (model_coin){ true, below(2), 1 + below(height), next_random() >> (8 + below(50)) };
    m->script_len = (uint8_t)lode_script_compress(m->script, script, len);
    view = (lode_coin_view){ m->height, m->is_coinbase, m->compressed_amount, { m->script, m->script_len } };
    prevout_of(prevout, t, i);
    must(lode_coins_put(coins, prevout, lode_coins_hash(coins, prevout), &view));
}

static void look(unsigned t, uint32_t i, bool spend, const lode_fetched *hint)
{
    static const model_coin none;
    uint8_t prevout[36];
    lode_coin_view view;
    bool found;
    uint64_t hash = lode_coins_hash(coins, txs[t].txid);
    model_coin *m = i < txs[t].count ? &now[txs[t].first + i] : NULL;

    prevout_of(prevout, t, i);
    must((spend ? lode_coins_spend : lode_coins_find)(coins, &found, &view, prevout, hash, hint));
    expect_same(m ? m : &none, found, &view);
    if (spend && m)
        m->exists = false;
}

static void step_look(void)
{
    unsigned t = below(TXS);
    uint32_t i = below(50) ? below(txs[t].count) : (uint32_t)next_random();

    look(t, i, below(3) > 0, NULL);
}

static void step_spend_tx(void)
{
    unsigned t = below(TXS);

    for (uint32_t i = 0; i < txs[t].count; i++)
        look(t, i, true, NULL);
}

static void step_has_any(void)
{
    unsigned t = below(TXS);
    bool any;

    must(lode_coins_has_any(coins, &any, txs[t].txid, lode_coins_hash(coins, txs[t].txid), txs[t].count));
    assert_int_equal(any_exists(t), any);
}

/* Read ahead now, use later: other steps come between. */
static struct hinted {
    unsigned t;
    uint32_t i;
    lode_fetched fetched;
} hints[HINTS];
static unsigned hint_count;
static lode_arena hint_arena = LODE_ARENA_EMPTY;

static void use_hints(void)
{
    for (unsigned k = 0; k < hint_count; k++)
        look(hints[k].t, hints[k].i, below(2), &hints[k].fetched);
    hint_count = 0;
    lode_arena_reset(&hint_arena);
}

static void step_fetch(void)
{
    uint8_t bytes[HINTS][36];
    const uint8_t *prevouts[HINTS];
    uint64_t hashes[HINTS];
    lode_fetched fetched[HINTS];

    use_hints();
    hint_count = 1 + below(HINTS);
    for (unsigned k = 0; k < hint_count; k++) {
        hints[k].t = below(TXS);
        hints[k].i = below(txs[hints[k].t].count);
        prevout_of(bytes[k], hints[k].t, hints[k].i);
        prevouts[k] = bytes[k];
        hashes[k] = lode_coins_hash(coins, bytes[k]);
        lode_coins_prefetch(coins, bytes[k], hashes[k]);
    }
    must(lode_coins_fetch(coins, fetched, prevouts, hashes, hint_count, &hint_arena));
    for (unsigned k = 0; k < hint_count; k++)
        hints[k].fetched = fetched[k];
}

static void step_flush(void)
{
    for (int i = 0; i < 32; i++)
        flushed_best.bytes[i] = (uint8_t)next_random();
    must(lode_coins_flush_begin(coins, &flushed_best));
    memcpy(flushed, now, coin_count * sizeof *now);
    has_flushed = true;
    if (below(2))
        must(lode_coins_flush_wait(coins));
}

/* The least there is: what has been written is dropped at the next change. */
static void step_memory(void)
{
    lode_coins_set_cache_bytes(coins, below(2) ? 0 : (size_t)4 << 20);
}

static void expect_cursor_gives(const model_coin *model)
{
    lode_coins_cursor *cursor;
    uint8_t prevout[36], key[LODE_COIN_KEY_MAX], last[LODE_COIN_KEY_MAX];
    size_t last_len = 0;
    lode_coin_view view;
    bool found;
    uint32_t given = 0, expected = 0;

    must(lode_coins_cursor_open(&cursor, coins, NULL));
    for (;;) {
        must(lode_coins_cursor_next(cursor, &found, prevout, &view));
        if (!found)
            break;
        size_t key_len = lode_coin_key(key, prevout);
        assert_true(lode_slice_compare(lode_slice_of(last, last_len), lode_slice_of(key, key_len)) < 0);
        memcpy(last, key, key_len);
        last_len = key_len;
        unsigned t = 0;
        while (t < TXS && memcmp(txs[t].txid, prevout, 32) != 0)
            t++;
        assert_true(t < TXS && lode_read_le32(prevout + 32) < txs[t].count);
        expect_same(&model[txs[t].first + lode_read_le32(prevout + 32)], true, &view);
        given++;
    }
    lode_coins_cursor_close(cursor);
    for (uint32_t i = 0; i < coin_count; i++)
        expected += model[i].exists;
    assert_int_equal(expected, given);
}

static void expect_shape(void)
{
    const char *what = NULL;

    if (!lode_coins_verify(coins, &what))
        fail_msg("%s", what);
}

/* With a flush before, nothing is lost; without one, what was flushed last is there. */
static void step_reopen(void)
{
    lode_block_hash best;
    bool found;

    use_hints();
    expect_shape();
    if (below(2)) {
        step_flush();
        must(lode_coins_flush_wait(coins));
        expect_cursor_gives(now);
    }
    must(lode_coins_close(coins));
    open_coins();
    memcpy(now, flushed, coin_count * sizeof *now);
    must(lode_coins_best_block(coins, &found, &best));
    assert_int_equal(has_flushed, found);
    if (found)
        assert_memory_equal(best.bytes, flushed_best.bytes, 32);
    assert_false(lode_coins_is_dirty(coins));
    expect_cursor_gives(now);
}

static void step(void)
{
    uint32_t dice = below(1000);

    if (dice < 300)
        step_add();
    else if (dice < 700)
        step_look();
    else if (dice < 760)
        step_put();
    else if (dice < 930)
        step_spend_tx();
    else if (dice < 950)
        step_has_any();
    else if (dice < 985)
        step_fetch();
    else if (dice < 990)
        step_flush();
    else if (dice < 996)
        step_memory();
    else if (dice < 998)
        expect_shape();
    else
        step_reopen();
}

static void coins_do_what_a_plain_array_does(void **state)
{
    printf("seed %llu, %u steps\n", (unsigned long long)seed, steps);
    env = lode_memory_env_create();
    make_world();
    open_coins();
    for (unsigned i = 0; i < steps; i++)
        step();
    step_reopen();
    must(lode_coins_close(coins));
    free(now);
    free(flushed);
    lode_arena_clear(&arena);
    lode_arena_clear(&hint_arena);
    lode_memory_env_destroy(env);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(coins_do_what_a_plain_array_does) };

    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL);
    if (argc > 2)
        steps = (unsigned)strtoul(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
