/* test/bench/replay.c: follows a made chain by the rules of the house.
 *
 * Room:     a table of coins and the context-free and script rules; no directory, no tree of headers.
 * Touches:  memory alone.
 */
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#include "bench/chain/random.h"
#include "support/check.h"
#include "validate/rules/block.h"
#include "validate/rules/tx.h"
#include "validate/script/sigcheck.h"

#define FLAGS                                                                                                          \
    (LODE_VERIFY_P2SH | LODE_VERIFY_STRICTENC | LODE_VERIFY_DERSIG | LODE_VERIFY_LOW_S | LODE_VERIFY_NULLDUMMY |       \
     LODE_VERIFY_MINIMALDATA | LODE_VERIFY_DISCOURAGE_UPGRADABLE_NOPS | LODE_VERIFY_CLEANSTACK |                       \
     LODE_VERIFY_CHECKLOCKTIMEVERIFY | LODE_VERIFY_CHECKSEQUENCEVERIFY | LODE_VERIFY_WITNESS |                         \
     LODE_VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM | LODE_VERIFY_MINIMALIF | LODE_VERIFY_NULLFAIL |                \
     LODE_VERIFY_WITNESS_PUBKEYTYPE | LODE_VERIFY_CONST_SCRIPTCODE | LODE_VERIFY_TAPROOT |                             \
     LODE_VERIFY_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION | LODE_VERIFY_DISCOURAGE_OP_SUCCESS |                           \
     LODE_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE)

void lode_replay_init(lode_replay *r)
{
    lode_made_block genesis;

    memset(r, 0, sizeof *r);
    lode_chain_maker_genesis(&genesis);
    r->tip = genesis.hash;
    r->capacity = 4096;
    r->coins = (lode_replay_coin *)calloc(r->capacity, sizeof *r->coins);
    LODE_CHECK(r->coins != NULL);
}

void lode_replay_clear(lode_replay *r)
{
    free(r->coins);
    r->coins = NULL;
}

/* The coin's place, or the free one where it would be. A free place has no script. */
static lode_replay_coin *find_place(lode_replay_coin *coins, size_t capacity, const uint8_t prevout[36])
{
    size_t i = (size_t)lode_mix64(lode_read_le64(prevout) ^ lode_read_le32(prevout + 32)) % capacity;

    while (coins[i].script_len > 0 && memcmp(coins[i].prevout, prevout, 36) != 0)
        i = (i + 1) % capacity;
    return &coins[i];
}

const lode_replay_coin *lode_replay_find(const lode_replay *r, const uint8_t prevout[36])
{
    const lode_replay_coin *coin = find_place(r->coins, r->capacity, prevout);
    return coin->is_live ? coin : NULL;
}

static void grow(lode_replay *r)
{
    size_t capacity = r->capacity * 2;
    lode_replay_coin *coins = (lode_replay_coin *)calloc(capacity, sizeof *coins);

    LODE_CHECK(coins != NULL);
    r->used = 0;
    for (size_t i = 0; i < r->capacity; i++) {
        if (!r->coins[i].is_live)
            continue;
        *find_place(coins, capacity, r->coins[i].prevout) = r->coins[i];
        r->used++;
    }
    free(r->coins);
    r->coins = coins;
    r->capacity = capacity;
}

static void add_coins(lode_replay *r, const lode_tx *tx, uint32_t height)
{
    for (uint32_t i = 0; i < tx->output_count; i++) {
        const lode_txout *out = &tx->outputs[i];
        uint8_t prevout[36];

        if (lode_script_is_unspendable(out->script, out->script_len))
            continue;
        if (r->used * 2 >= r->capacity)
            grow(r);
        memcpy(prevout, tx->txid.bytes, 32);
        lode_write_le32(prevout + 32, i);
        lode_replay_coin *coin = find_place(r->coins, r->capacity, prevout);
        LODE_CHECK(!coin->is_live && out->script_len <= sizeof coin->script);
        r->used += coin->script_len == 0;
        r->live++;
        *coin = (lode_replay_coin){
            .height = height,
            .value = out->value.sat,
            .is_coinbase = lode_tx_is_coinbase(tx),
            .is_live = true,
            .script_len = (uint8_t)out->script_len,
        };
        memcpy(coin->prevout, prevout, 36);
        memcpy(coin->script, out->script, out->script_len);
    }
}

/* Scripts stay readable in their place until the table grows, which spending does not do. */
static const char *spend_coins(lode_replay *r, lode_txout *spent, lode_amount *total, const lode_tx *tx,
                               uint32_t height)
{
    for (uint32_t i = 0; i < tx->input_count; i++) {
        lode_replay_coin *coin = find_place(r->coins, r->capacity, tx->inputs[i].prevout);

        if (!coin->is_live)
            return "an input is missing or spent";
        if (lode_tx_check_input(total, (lode_amount){ coin->value }, coin->height, coin->is_coinbase, (int32_t)height))
            return "an input's coin is not ripe or no money";
        coin->is_live = false;
        r->live--;
        spent[i] = (lode_txout){ { coin->value }, coin->script, coin->script_len };
    }
    return NULL;
}

static const char *check_tx(lode_replay *r, lode_amount *fees, uint64_t *sigops, const lode_tx *tx, uint32_t height,
                            lode_arena *arena)
{
    lode_txout *spent = (lode_txout *)lode_arena_take_array(arena, tx->input_count, sizeof *spent);
    lode_amount total = { 0 }, fee;
    lode_tx_hashes hashes;
    lode_script_error error;
    uint32_t failed;
    const char *wrong = spend_coins(r, spent, &total, tx, height);

    if (wrong)
        return wrong;
    if (lode_tx_check_fee(&fee, tx, total) != LODE_VALID || !lode_amount_add(fees, fee))
        return "a transaction pays more than it spends";
    *sigops += lode_tx_spend_sigops_cost(tx, spent, FLAGS);
    lode_tx_hashes_init(&hashes, tx, spent, false);
    if (!lode_tx_check_scripts(&error, &failed, &hashes, 0, tx->input_count, FLAGS, NULL))
        return lode_script_error_text(error);
    if (!lode_tx_is_final(tx, (int32_t)height, lode_chain_maker_median_time(height - 1)))
        return "a transaction is not final";
    return NULL;
}

static const char *connect_block(lode_replay *r, const lode_block *block, const lode_block_facts *facts,
                                 const lode_chain_params *params, lode_arena *arena)
{
    uint32_t height = r->height + 1;
    uint64_t sigops = (uint64_t)facts->legacy_sigops * LODE_WITNESS_SCALE_FACTOR;
    lode_amount reward = lode_block_subsidy((int32_t)height, params);

    for (uint32_t i = 0; i < block->tx_count; i++) {
        const char *wrong = i ? check_tx(r, &reward, &sigops, &block->txs[i], height, arena) : NULL;

        if (wrong)
            return wrong;
        add_coins(r, &block->txs[i], height);
    }
    if (sigops > LODE_MAX_BLOCK_SIGOPS_COST)
        return "too many sigops";
    return facts->coinbase_value.sat == reward.sat ? NULL : "the coinbase does not pay what is due";
}

static const char *check_block(lode_replay *r, const lode_made_block *made, lode_arena *arena)
{
    lode_chain_params params;
    lode_block_facts facts;
    lode_block block;

    lode_chain_params_init(&params, LODE_CHAIN_REGTEST);
    if (!lode_block_parse(&block, arena, made->raw, made->size, 0, NULL))
        return "the bytes are no block";
    if (!lode_block_hash_is_equal(&block.header.prev, &r->tip) || !lode_block_hash_is_equal(&block.hash, &made->hash))
        return "the block does not build upon the tip";
    if (block.hash.bytes[31] > 0x7f || block.header.time <= lode_chain_maker_median_time(r->height))
        return "no proof of work, or an old time stamp";
    if (!lode_block_examine(&facts, &block, arena, &params) || facts.verdict.reject != LODE_VALID)
        return lode_reject_name(facts.verdict.reject);
    if (facts.weight > LODE_MAX_BLOCK_WEIGHT || facts.weight != made->weight || block.tx_count != made->tx_count ||
        block.input_count != made->input_count + 1 || block.output_count != made->output_count)
        return "the description does not fit";
    if (facts.has_witness && !(facts.has_commitment && facts.is_witness_nonce_good && facts.is_commitment_good))
        return "the witness commitment does not fit";
    return connect_block(r, &block, &facts, &params, arena);
}

const char *lode_replay_block(lode_replay *r, const lode_made_block *block)
{
    lode_arena arena = LODE_ARENA_EMPTY;
    const char *wrong = check_block(r, block, &arena);

    if (!wrong) {
        r->tip = block->hash;
        r->height++;
    }
    lode_arena_clear(&arena);
    return wrong;
}
