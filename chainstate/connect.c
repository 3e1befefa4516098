/* chainstate/connect.c: spends and creates a block's coins, checks what needs them, writes the undo data.
 *
 * Room:     the one thread that an import cannot do without: nothing here that a worker could do.
 * Touches:  coins, and the tip. No file: coins that are not in memory were read ahead or are read by coins.c.
 * Threads:  the chain's.
 * Promise:  a block that is refused leaves the coins as they were. After an error the chain is in doubt, and is not
 *           flushed any more.
 */
#include "chainstate/connect.h"

#include <stdlib.h>

#include "chainstate/undo.h"
#include "support/check.h"
#include "validate/rules/tx.h"
#include "validate/script/interpreter.h"

enum { PREFETCH_AHEAD = 24, ADD_AHEAD_FAR = 12, ADD_AHEAD_NEAR = 4 };

bool lode_block_prepare(lode_block_prep *prep, const lode_block *block, lode_arena *arena, lode_coins *coins)
{
    size_t prevout_count = (size_t)block->input_count - (block->tx_count ? block->txs[0].input_count : 0);
    size_t at = 0;

    memset(prep, 0, sizeof *prep);
    prep->tx_hashes = lode_arena_take_array(arena, block->tx_count, sizeof *prep->tx_hashes);
    prep->packed = lode_arena_take_array(arena, block->tx_count, sizeof *prep->packed);
    prep->prevout_hashes = lode_arena_take_array(arena, prevout_count + 1, sizeof *prep->prevout_hashes);
    prep->prevouts = lode_arena_take_array(arena, prevout_count + 1, sizeof *prep->prevouts);
    if (!prep->tx_hashes || !prep->packed || !prep->prevout_hashes || !prep->prevouts)
        return false;
    prep->prevout_count = prevout_count;
    for (uint32_t i = 0; i < block->tx_count; i++) {
        const lode_tx *tx = &block->txs[i];
        prep->tx_hashes[i] = lode_coins_hash(coins, tx->txid.bytes);
        if (!lode_coins_pack(&prep->packed[i], tx, arena))
            return false;
        if (i == 0)
            continue;
        for (uint32_t j = 0; j < tx->input_count; j++, at++) {
            prep->prevouts[at] = tx->inputs[j].prevout;
            prep->prevout_hashes[at] = lode_coins_hash(coins, tx->inputs[j].prevout);
        }
        if (lode_tx_has_sequence_locks(tx)) {
            if (!prep->has_sequence_locks) {
                prep->has_sequence_locks = lode_arena_take_array(arena, block->tx_count, sizeof(bool));
                if (!prep->has_sequence_locks)
                    return false;
                memset(prep->has_sequence_locks, 0, block->tx_count * sizeof(bool));
            }
            prep->has_sequence_locks[i] = true;
        }
    }
    return true;
}

lode_status lode_block_prefetch_coins(lode_block_prep *prep, lode_arena *arena, lode_coins *coins)
{
    lode_fetched *fetched = lode_arena_take_array(arena, prep->prevout_count + 1, sizeof *fetched);
    if (!fetched)
        return lode_fail(LODE_NO_MEMORY, "no memory to read %zu coins ahead", prep->prevout_count);
    LODE_TRY(lode_coins_fetch(coins, fetched, prep->prevouts, prep->prevout_hashes, prep->prevout_count, arena));
    prep->fetched = fetched;
    return lode_ok();
}

/* One block being connected. */
typedef struct connecting {
    lode_chain *chain;
    lode_connected *out;
    const lode_block *block;
    const lode_block_prep *prep;
    lode_entry *entry;
    int32_t height;
    uint32_t flags;
    uint32_t txs_spent; /* transactions whose inputs are all spent */
    uint32_t txs_added; /* transactions whose outputs are added */
    uint32_t inputs_spent_of_last; /* of transaction txs_spent, when it stopped within */
    uint64_t spend_sigops_cost;
    lode_amount fees;
} connecting;

/* Signature operations that only the spent script shows: P2SH and witness (Core's GetTransactionSigOpCost). `stored`
 * is the script as coins keep it: kinds 0 to 5, or length + 6 and the script itself. */
static uint64_t input_sigops_cost(const lode_txin *in, lode_slice stored, uint32_t flags)
{
    lode_reader r = lode_reader_of(stored.data, stored.len);
    uint64_t kind = lode_reader_varint(&r);
    uint8_t p2sh[23];
    lode_slice script;
    uint64_t cost = 0;

    if (kind == 1) {
        const uint8_t *hash = lode_reader_take(&r, 20);
        if (!hash)
            return 0;
        p2sh[0] = 0xa9;
        p2sh[1] = 0x14;
        memcpy(p2sh + 2, hash, 20);
        p2sh[22] = 0x87;
        script = lode_slice_of(p2sh, sizeof p2sh);
        if (flags & LODE_VERIFY_P2SH)
            cost += (uint64_t)LODE_WITNESS_SCALE_FACTOR *
                    lode_script_p2sh_sigops(lode_slice_of(in->script_sig, in->script_sig_len), script);
    } else if (kind < 6) {
        return 0;
    } else {
        script = lode_slice_of(r.at, lode_reader_left(&r));
        /* a witness program is OP_0 or OP_1..OP_16 and one push of 2 to 40 bytes */
        if (script.len < 4 || script.len > 42 || (script.data[0] != 0 && (script.data[0] < 0x51 || script.data[0] > 0x60)))
            return 0;
    }
    if (flags & LODE_VERIFY_WITNESS)
        cost += lode_script_witness_sigops(in, script, flags);
    return cost;
}

static uint64_t legacy_sigops_up_to(const lode_block *block, uint32_t last)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i <= last; i++)
        sum += lode_tx_legacy_sigops(&block->txs[i]);
    return sum;
}

static bool put_undo(lode_buf *undo, const lode_coin_view *coin)
{
    if (!lode_buf_reserve(undo, coin->script.len + 31))
        return false;
    undo->len += lode_undo_put_coin(undo->data + undo->len, coin->height, coin->is_coinbase, coin->compressed_amount, coin->script);
    return true;
}

/* Spend the inputs of one transaction. *reject says what CheckTxInputs, BIP 68 and the sigop limit say. */
static lode_status spend_inputs(connecting *c, lode_reject *reject, uint32_t tx_index, size_t first_prevout, const lode_block_facts *facts,
                                uint32_t *heights)
{
    const lode_tx *tx = &c->block->txs[tx_index];
    lode_coins *coins = c->chain->coins;
    lode_amount total_in = { 0 }, fee;
    lode_reject first = LODE_VALID;
    bool missing = false;
    bool has_locks = c->prep->has_sequence_locks && c->prep->has_sequence_locks[tx_index] &&
                     lode_is_csv_active(c->height, &c->chain->params);

    c->inputs_spent_of_last = 0;
    for (uint32_t j = 0; j < tx->input_count; j++) {
        size_t at = first_prevout + j;
        lode_coin_view coin;
        bool found;

        if (at + PREFETCH_AHEAD < c->prep->prevout_count)
            lode_coins_prefetch(coins, c->prep->prevouts[at + PREFETCH_AHEAD], c->prep->prevout_hashes[at + PREFETCH_AHEAD]);
        LODE_TRY(lode_coins_spend(coins, &found, &coin, tx->inputs[j].prevout, c->prep->prevout_hashes[at],
                                  c->prep->fetched ? &c->prep->fetched[at] : NULL));
        if (!found) {
            missing = true;
            break;
        }
        if (!put_undo(&c->out->undo, &coin))
            return lode_fail(LODE_NO_MEMORY, "no memory for undo data at height %d", c->height);
        c->inputs_spent_of_last = j + 1;
        if (first == LODE_VALID)
            first = lode_tx_check_input(&total_in, (lode_amount){ (int64_t)lode_amount_decompress(coin.compressed_amount) }, coin.height,
                                        coin.is_coinbase, c->height);
        if (has_locks)
            heights[j] = coin.height;
        c->spend_sigops_cost += input_sigops_cost(&tx->inputs[j], coin.script, c->flags);
    }
    if (missing) {
        *reject = LODE_BAD_TXNS_INPUTS_MISSINGORSPENT;
        return lode_ok();
    }
    c->txs_spent = tx_index + 1;
    c->inputs_spent_of_last = 0;
    *reject = first;
    if (first == LODE_VALID)
        *reject = lode_tx_check_fee(&fee, tx, total_in);
    if (*reject != LODE_VALID)
        return lode_ok();
    if (!lode_amount_add(&c->fees, fee)) {
        *reject = LODE_BAD_TXNS_ACCUMULATED_FEE_OUTOFRANGE;
        return lode_ok();
    }
    if (has_locks && !lode_tx_is_sequence_final(tx, heights, &c->entry->node))
        *reject = LODE_BAD_TXNS_NONFINAL;
    return lode_ok();
}

/* The running cost of Core is exact by transaction; here the legacy part of the whole block is taken first, and only
 * when that is too much is it counted exactly. */
static bool sigops_fit(const connecting *c, uint32_t tx_index, const lode_block_facts *facts)
{
    if ((uint64_t)facts->legacy_sigops * LODE_WITNESS_SCALE_FACTOR + c->spend_sigops_cost <= LODE_MAX_BLOCK_SIGOPS_COST)
        return true;
    return legacy_sigops_up_to(c->block, tx_index) * LODE_WITNESS_SCALE_FACTOR + c->spend_sigops_cost <= LODE_MAX_BLOCK_SIGOPS_COST;
}

/* BIP 30: no transaction may overwrite an unspent one. */
static lode_status check_bip30(connecting *c, lode_reject *reject)
{
    *reject = LODE_VALID;
    for (uint32_t i = 0; i < c->block->tx_count; i++) {
        bool any;
        LODE_TRY(lode_coins_has_any(c->chain->coins, &any, c->block->txs[i].txid.bytes, c->prep->tx_hashes[i], c->block->txs[i].output_count));
        if (any) {
            *reject = LODE_BAD_TXNS_BIP30;
            return lode_ok();
        }
    }
    return lode_ok();
}

/* Where every block but genesis names its height in its coinbase (BIP 34), no two coinbases of a chain are equal, so no
 * two transactions are: a repeat would spend what its first spent. A block that repeats an unspent one then fails in any
 * case, and only the reason has to be looked for. */
static bool bip30_can_wait(const lode_chain_params *params)
{
    return params->bip34_height <= 1;
}

static void outpoint_of(uint8_t out[36], const lode_tx *tx, uint32_t index)
{
    memcpy(out, tx->txid.bytes, 32);
    lode_write_le32(out + 32, index);
}

static lode_status remove_outputs(lode_coins *coins, const lode_tx *tx, uint64_t hash)
{
    for (uint32_t o = 0; o < tx->output_count; o++) {
        uint8_t prevout[36];
        lode_coin_view coin;
        bool found;
        if (lode_script_is_unspendable(tx->outputs[o].script, tx->outputs[o].script_len))
            continue;
        outpoint_of(prevout, tx, o);
        LODE_TRY(lode_coins_spend(coins, &found, &coin, prevout, hash, NULL));
    }
    return lode_ok();
}

/* Put back the first `count` inputs of a transaction from its part of the undo data. */
static lode_status restore_inputs(lode_coins *coins, const lode_tx *tx, uint32_t count, const uint8_t *undo, size_t len, const uint64_t *hashes)
{
    lode_undo_reader u = { lode_reader_of(undo, len), 1, count };
    for (uint32_t j = 0; j < count; j++) {
        lode_coin_view coin;
        LODE_CHECK(lode_undo_next_coin(&u, &coin.height, &coin.is_coinbase, &coin.compressed_amount, &coin.script));
        LODE_TRY(lode_coins_put(coins, tx->inputs[j].prevout, hashes[j], &coin));
    }
    return lode_ok();
}

static lode_status take_back(connecting *c, const size_t *prevout_starts)
{
    const lode_buf *undo = &c->out->undo;
    uint32_t last = c->txs_spent > c->txs_added ? c->txs_spent : c->txs_added;

    if (c->inputs_spent_of_last)
        LODE_TRY(restore_inputs(c->chain->coins, &c->block->txs[c->txs_spent], c->inputs_spent_of_last,
                                undo->data + c->out->undo_starts[c->txs_spent], undo->len - c->out->undo_starts[c->txs_spent],
                                c->prep->prevout_hashes + prevout_starts[c->txs_spent]));
    for (uint32_t i = last; i-- > 0;) {
        const lode_tx *tx = &c->block->txs[i];
        if (i < c->txs_added)
            LODE_TRY(remove_outputs(c->chain->coins, tx, c->prep->tx_hashes[i]));
        if (i > 0 && i < c->txs_spent)
            LODE_TRY(restore_inputs(c->chain->coins, tx, tx->input_count, undo->data + c->out->undo_starts[i],
                                    undo->len - c->out->undo_starts[i], c->prep->prevout_hashes + prevout_starts[i]));
    }
    return lode_ok();
}

/* What adding the transactions to come will touch. */
static void prefetch_adds(const connecting *c, uint32_t i)
{
    static const uint32_t ahead[2] = { ADD_AHEAD_FAR, ADD_AHEAD_NEAR };
    for (int step = 0; step < 2; step++) {
        uint32_t at = i + ahead[step];
        if (at < c->block->tx_count)
            lode_coins_prefetch_add(c->chain->coins, c->block->txs[at].txid.bytes, c->prep->tx_hashes[at], &c->prep->packed[at], step);
    }
}

static lode_status connect_txs(connecting *c, lode_verdict *verdict, const lode_block_facts *facts, size_t *prevout_starts, uint32_t *heights)
{
    const lode_block *block = c->block;
    bool repeats = lode_block_is_bip30_repeat(&c->entry->node, &c->chain->params);
    size_t prevout = 0;

    for (size_t at = 0; at < PREFETCH_AHEAD && at < c->prep->prevout_count; at++)
        lode_coins_prefetch(c->chain->coins, c->prep->prevouts[at], c->prep->prevout_hashes[at]);
    for (uint32_t i = 0; i < block->tx_count; i++) {
        const lode_tx *tx = &block->txs[i];
        lode_reject reject = LODE_VALID;

        prevout_starts[i] = prevout;
        prefetch_adds(c, i);
        if (i > 0) {
            uint8_t count[9];
            lode_buf_append(&c->out->undo, count, lode_compact_size_write(count, tx->input_count));
            c->out->undo_starts[i] = (uint32_t)c->out->undo.len;
            LODE_TRY(spend_inputs(c, &reject, i, prevout, facts, heights));
            prevout += tx->input_count;
        } else {
            c->txs_spent = 1; /* a coinbase spends nothing */
        }
        if (reject == LODE_VALID && !sigops_fit(c, i, facts))
            reject = LODE_BAD_BLK_SIGOPS;
        if (reject != LODE_VALID) {
            *verdict = lode_verdict_of(reject);
            verdict->tx_index = i;
            return lode_ok();
        }
        LODE_TRY(lode_coins_add_tx(c->chain->coins, tx->txid.bytes, c->prep->tx_hashes[i], &c->prep->packed[i], (uint32_t)c->height, i == 0,
                                   i == 0 && repeats));
        c->txs_added = i + 1;
    }
    return lode_ok();
}

static bool make_room(lode_connected *out, size_t **prevout_starts, uint32_t **heights, const lode_block *block, lode_arena *arena)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < block->tx_count; i++)
        if (block->txs[i].input_count > most)
            most = block->txs[i].input_count;
    out->undo_starts = lode_arena_take_array(arena, block->tx_count, sizeof *out->undo_starts);
    *prevout_starts = lode_arena_take_array(arena, block->tx_count, sizeof **prevout_starts);
    *heights = lode_arena_take_array(arena, most, sizeof **heights);
    lode_buf_reset(&out->undo);
    return out->undo_starts && *prevout_starts && *heights && lode_buf_reserve(&out->undo, 16 + (size_t)block->input_count * 48);
}

lode_status lode_chain_connect(lode_chain *chain, lode_verdict *verdict, lode_connected *connected, lode_entry *entry, const lode_block *block,
                               const lode_block_facts *facts, const lode_block_prep *prep, lode_arena *arena)
{
    connecting c = { .chain = chain, .out = connected, .block = block, .prep = prep, .entry = entry, .height = entry->node.height };
    size_t *prevout_starts;
    uint32_t *heights;
    uint8_t count[9];
    lode_reject reject = LODE_VALID;

    LODE_CHECK(entry->node.prev == &chain->tip->node);
    *verdict = lode_verdict_of(LODE_VALID);
    if (!make_room(connected, &prevout_starts, &heights, block, arena))
        return lode_fail(LODE_NO_MEMORY, "no memory to connect the block at height %d", c.height);
    connected->script_flags = c.flags = lode_block_script_flags(&entry->node, &chain->params);
    bool asks_bip30 = lode_block_needs_bip30(&entry->node, &chain->params);
    if (asks_bip30 && !bip30_can_wait(&chain->params))
        LODE_TRY(check_bip30(&c, &reject));
    if (reject != LODE_VALID) {
        *verdict = lode_verdict_of(reject);
        return lode_ok();
    }
    lode_buf_append(&connected->undo, count, lode_compact_size_write(count, block->tx_count - 1));
    chain->in_doubt = true;
    LODE_TRY(connect_txs(&c, verdict, facts, prevout_starts, heights));
    if (verdict->reject == LODE_VALID) {
        lode_amount limit = { c.fees.sat + lode_block_subsidy(c.height, &chain->params).sat };
        if (facts->coinbase_value.sat > limit.sat)
            *verdict = lode_verdict_of(LODE_BAD_CB_AMOUNT);
    }
    if (!lode_buf_is_good(&connected->undo))
        return lode_fail(LODE_NO_MEMORY, "no memory for undo data at height %d", c.height);
    connected->fees = c.fees;
    if (verdict->reject != LODE_VALID)
        LODE_TRY(take_back(&c, prevout_starts));
    else
        LODE_TRY(lode_chain_set_tip(chain, entry));
    chain->in_doubt = false;
    if (verdict->reject != LODE_VALID && asks_bip30 && bip30_can_wait(&chain->params)) {
        LODE_TRY(check_bip30(&c, &reject));
        if (reject != LODE_VALID) /* Core asks this first */
            *verdict = lode_verdict_of(reject);
    }
    return lode_ok();
}
