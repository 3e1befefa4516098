/* bench/chain/invalid.c: blocks that are wrong in one named way.
 *
 * Room:     a table: what is spoilt, and Core's words for it. Most spend a coin made for the purpose in the same block,
 *           so that any mix will do.
 * Touches:  the maker, which is rewound afterwards.
 * Promise:  all else in the block is valid: the named rule alone refuses it.
 */
#include <string.h>

#include "bench/chain/maker.h"
#include "bench/chain/script_kind.h"
#include "bench/chain/unlock.h"
#include "primitives/amount.h"

#define LEAST_VALUE 100000 /* satoshis that a coin must hold to be played with */

typedef struct lode_play lode_play;
typedef lode_status (*lode_play_rule)(lode_chain_maker *m, const lode_play *play);

struct lode_play {
    const char *name;
    const char *reject;
    lode_play_rule plan; /* puts what is wrong into the plan; NULL: the block itself is wrong */
    lode_coin_kind kind; /* of the coin played with */
    lode_spoil spoil;
    lode_block_spoil block;
};

/* A transaction of one or two inputs and outputs, ready to be bent. */
typedef struct lode_play_tx {
    lode_maker_input in[2];
    lode_maker_output out[2];
    lode_maker_tx tx;
} lode_play_tx;

static lode_status take_rich_coin(lode_chain_maker *m, lode_made_coin *coin)
{
    for (uint64_t i = m->pool.count; i-- > 0;) {
        const lode_made_coin *at = lode_coin_pool_at(&m->pool, i);
        if (at->value >= LEAST_VALUE && lode_coin_is_ripe(at, m->at.height + 1))
            return lode_coin_pool_take(&m->pool, coin, i);
    }
    return lode_fail(LODE_INVALID_ARGUMENT, "no coin at height %u to make a wrong block with", m->at.height);
}

/* A good transaction: one coin, one output with nearly all of its value. */
static void begin_tx(lode_chain_maker *m, lode_play_tx *p, const lode_made_coin *coin)
{
    bool is_taproot = lode_coin_kind_is_taproot((lode_coin_kind)coin->kind);

    memset(p, 0, sizeof *p);
    p->tx = (lode_maker_tx){ .version = 2, .inputs = p->in, .input_count = 1, .outputs = p->out, .output_count = 1 };
    p->in[0].coin = *coin;
    p->in[0].sighash = is_taproot ? LODE_SIGHASH_DEFAULT : LODE_SIGHASH_ALL;
    lode_made_coin_needs(coin, &p->in[0].sequence, &p->tx.lock_time, &p->tx.version);
    p->out[0].value = coin->value - 1000;
    p->out[0].key = (uint16_t)lode_random_below(&m->random, m->recipe.key_count);
    p->out[0].kind = LODE_KIND_P2WPKH;
}

static lode_status add(lode_chain_maker *m, const lode_play_tx *p)
{
    return lode_block_plan_add(&m->plan, NULL, &p->tx);
}

/* Makes a coin of a kind in this block, to be spent in this block. */
static lode_status fund(lode_chain_maker *m, lode_made_coin *coin, lode_coin_kind kind)
{
    lode_made_coin rich;
    lode_play_tx p;

    LODE_TRY(take_rich_coin(m, &rich));
    begin_tx(m, &p, &rich);
    p.out[0].kind = (uint8_t)kind;
    LODE_TRY(add(m, &p));
    *coin = m->plan.fresh[m->plan.fresh_count - 1];
    return lode_ok();
}

static lode_status begin_funded(lode_chain_maker *m, lode_play_tx *p, const lode_play *play)
{
    lode_made_coin coin;

    LODE_TRY(fund(m, &coin, play->kind));
    begin_tx(m, p, &coin);
    return lode_ok();
}

static lode_status spend_badly(lode_chain_maker *m, const lode_play *play)
{
    lode_play_tx p;

    LODE_TRY(begin_funded(m, &p, play));
    p.in[0].spoil = (uint8_t)play->spoil;
    return add(m, &p);
}

/* The script's lock is ignored; the transaction itself is final. */
static lode_status spend_locked(lode_chain_maker *m, const lode_play *play)
{
    lode_play_tx p;

    LODE_TRY(begin_funded(m, &p, play));
    p.tx.lock_time = 0;
    p.in[0].sequence = UINT32_C(0xffffffff);
    return add(m, &p);
}

static lode_status lock_to_height(lode_chain_maker *m, const lode_play *play)
{
    lode_play_tx p;

    LODE_TRY(begin_funded(m, &p, play));
    p.tx.lock_time = m->at.height + 1;
    p.in[0].sequence = UINT32_C(0xfffffffe);
    return add(m, &p);
}

static lode_status lock_to_time(lode_chain_maker *m, const lode_play *play)
{
    lode_play_tx p;

    LODE_TRY(begin_funded(m, &p, play));
    p.tx.lock_time = lode_chain_maker_median_time(m->at.height);
    p.in[0].sequence = UINT32_C(0xfffffffe);
    return add(m, &p);
}

static lode_status lock_to_depth(lode_chain_maker *m, const lode_play *play)
{
    lode_play_tx p;

    LODE_TRY(begin_funded(m, &p, play));
    p.in[0].sequence = 1;
    return add(m, &p);
}

static lode_status lock_to_age(lode_chain_maker *m, const lode_play *play)
{
    lode_play_tx p;

    LODE_TRY(begin_funded(m, &p, play));
    p.in[0].sequence = UINT32_C(0x00400001);
    return add(m, &p);
}

static lode_status spend_nothing(lode_chain_maker *m, const lode_play *play)
{
    lode_play_tx p;

    LODE_TRY(begin_funded(m, &p, play));
    p.in[0].coin.source = 0;
    memset(p.in[0].coin.txid.bytes, 0x5a, 32);
    return add(m, &p);
}

static lode_status spend_beyond(lode_chain_maker *m, const lode_play *play)
{
    lode_play_tx p;

    LODE_TRY(begin_funded(m, &p, play));
    p.in[0].coin.index = 1; /* the funding transaction has one output */
    return add(m, &p);
}

static lode_status spend_twice(lode_chain_maker *m, const lode_play *play)
{
    lode_play_tx p;

    LODE_TRY(begin_funded(m, &p, play));
    LODE_TRY(add(m, &p));
    p.out[0].value -= 1;
    return add(m, &p);
}

/* A coin that an earlier block has spent; in a chain that has spent none yet, one that this block spends. */
static lode_status spend_spent(lode_chain_maker *m, const lode_play *play)
{
    lode_play_tx p;

    if (m->at.spent.value < 2000)
        return spend_twice(m, play);
    begin_tx(m, &p, &m->at.spent);
    return add(m, &p);
}

/* The funding transaction comes after the one that spends it. */
static lode_status spend_later(lode_chain_maker *m, const lode_play *play)
{
    lode_made_coin rich, coin;
    lode_play_tx p, q;

    LODE_TRY(take_rich_coin(m, &rich));
    begin_tx(m, &q, &rich);
    coin = (lode_made_coin){
        .height = m->at.height + 1,
        .value = q.out[0].value,
        .source = (uint32_t)m->plan.tx_count + 2,
        .key = q.out[0].key,
        .kind = q.out[0].kind,
    };
    begin_tx(m, &p, &coin);
    LODE_TRY(add(m, &p));
    return add(m, &q);
}

static lode_status spend_unripe(lode_chain_maker *m, const lode_play *play)
{
    lode_play_tx p;

    /* A coinbase of 99 blocks ago in the block to come. */
    begin_tx(m, &p, &m->coinbases[m->at.height + 1 - 99 - 1]);
    p.out[0].value = p.in[0].coin.value;
    p.in[0].sequence = UINT32_C(0xffffffff);
    p.tx.lock_time = 0;
    return add(m, &p);
}

static lode_status pay_too_much(lode_chain_maker *m, const lode_play *play)
{
    lode_play_tx p;

    LODE_TRY(begin_funded(m, &p, play));
    p.out[0].value = p.in[0].coin.value + 1;
    return add(m, &p);
}

static lode_status pay_negative(lode_chain_maker *m, const lode_play *play)
{
    lode_play_tx p;

    LODE_TRY(begin_funded(m, &p, play));
    p.out[0].value = -1;
    return add(m, &p);
}

static lode_status pay_beyond_money(lode_chain_maker *m, const lode_play *play)
{
    lode_play_tx p;

    LODE_TRY(begin_funded(m, &p, play));
    p.out[0].value = LODE_MAX_MONEY + 1;
    return add(m, &p);
}

static lode_status pay_beyond_money_in_sum(lode_chain_maker *m, const lode_play *play)
{
    lode_play_tx p;

    LODE_TRY(begin_funded(m, &p, play));
    p.out[0].value = LODE_MAX_MONEY;
    p.out[1] = p.out[0];
    p.out[1].value = 1;
    p.tx.output_count = 2;
    return add(m, &p);
}

static lode_status pay_nobody(lode_chain_maker *m, const lode_play *play)
{
    lode_play_tx p;

    LODE_TRY(begin_funded(m, &p, play));
    p.tx.output_count = 0;
    return add(m, &p);
}

static lode_status name_input_twice(lode_chain_maker *m, const lode_play *play)
{
    lode_play_tx p;

    LODE_TRY(begin_funded(m, &p, play));
    p.in[1] = p.in[0];
    p.tx.input_count = 2;
    return add(m, &p);
}

static lode_status name_null_input(lode_chain_maker *m, const lode_play *play)
{
    lode_play_tx p;

    LODE_TRY(begin_funded(m, &p, play));
    p.in[1] = p.in[0];
    p.in[1].coin.source = 0;
    p.in[1].coin.index = UINT32_C(0xffffffff);
    memset(p.in[1].coin.txid.bytes, 0, 32);
    p.tx.input_count = 2;
    return add(m, &p);
}

#define SCRIPT_FAILED(text) "block-script-verify-flag-failed (" text ")"
#define EVAL_FALSE SCRIPT_FAILED("Script evaluated without error but finished with a false/empty top stack element")
#define LOCKED SCRIPT_FAILED("Locktime requirement not satisfied")
#define MISSING "bad-txns-inputs-missingorspent"

#define SCRIPT(name, text, kind, spoil)                                                                                \
    {                                                                                                                  \
        name, text, spend_badly, LODE_KIND_##kind, LODE_SPOIL_##spoil, LODE_BLOCK_GOOD                                 \
    }
#define LOCK(name, kind)                                                                                               \
    {                                                                                                                  \
        name, LOCKED, spend_locked, LODE_KIND_##kind, LODE_SPOIL_NONE, LODE_BLOCK_GOOD                                 \
    }
#define TX(name, text, rule)                                                                                           \
    {                                                                                                                  \
        name, text, rule, LODE_KIND_P2WPKH, LODE_SPOIL_NONE, LODE_BLOCK_GOOD                                           \
    }
#define BLOCK(name, text, how)                                                                                         \
    {                                                                                                                  \
        name, text, NULL, LODE_KIND_P2WPKH, LODE_SPOIL_NONE, LODE_BLOCK_##how                                          \
    }

static const lode_play plays[] = {
    SCRIPT("bad-signature", EVAL_FALSE, P2PKH, MESSAGE),
    SCRIPT("bad-signature-p2pk", EVAL_FALSE, P2PK, MESSAGE),
    SCRIPT("bad-signature-multisig", EVAL_FALSE, MULTISIG, MESSAGE),
    SCRIPT("bad-signature-p2sh", EVAL_FALSE, P2SH_MULTISIG, MESSAGE),
    SCRIPT("bad-signature-p2wpkh", EVAL_FALSE, P2WPKH, MESSAGE),
    SCRIPT("bad-signature-p2sh-p2wpkh", EVAL_FALSE, P2SH_P2WPKH, MESSAGE),
    SCRIPT("bad-signature-p2wsh", EVAL_FALSE, P2WSH, MESSAGE),
    SCRIPT("bad-signature-p2tr", SCRIPT_FAILED("Invalid Schnorr signature"), P2TR, MESSAGE),
    SCRIPT("bad-signature-p2tr-script", SCRIPT_FAILED("Invalid Schnorr signature"), P2TR_SCRIPT, MESSAGE),
    SCRIPT("empty-signature", EVAL_FALSE, P2PKH, NO_SIG),
    SCRIPT("empty-signature-p2tr", SCRIPT_FAILED("Invalid Schnorr signature size"), P2TR, NO_SIG),
    SCRIPT("empty-signature-p2tr-script", EVAL_FALSE, P2TR_SCRIPT, NO_SIG),
    SCRIPT("wrong-key", SCRIPT_FAILED("Script failed an OP_EQUALVERIFY operation"), P2PKH, KEY),
    SCRIPT("wrong-key-p2wpkh", SCRIPT_FAILED("Script failed an OP_EQUALVERIFY operation"), P2WPKH, KEY),
    SCRIPT("bad-der", SCRIPT_FAILED("Non-canonical DER signature"), P2PKH, DER),
    SCRIPT("bad-dummy", SCRIPT_FAILED("Dummy CHECKMULTISIG argument must be zero"), P2SH_MULTISIG, DUMMY),
    SCRIPT("bad-dummy-p2wsh", SCRIPT_FAILED("Dummy CHECKMULTISIG argument must be zero"), P2WSH, DUMMY),
    SCRIPT("bad-order", EVAL_FALSE, MULTISIG, ORDER),
    SCRIPT("wrong-redeem-script", EVAL_FALSE, P2SH_MULTISIG, SCRIPT),
    SCRIPT("wrong-witness-script", SCRIPT_FAILED("Witness program hash mismatch"), P2WSH, SCRIPT),
    SCRIPT("wrong-leaf", SCRIPT_FAILED("Witness program hash mismatch"), P2TR_SCRIPT, SCRIPT),
    SCRIPT("no-witness", SCRIPT_FAILED("Witness program was passed an empty witness"), P2WSH, NO_WITNESS),
    SCRIPT("no-witness-p2wpkh", SCRIPT_FAILED("Witness program hash mismatch"), P2WPKH, NO_WITNESS),
    SCRIPT("no-witness-p2tr", SCRIPT_FAILED("Witness program was passed an empty witness"), P2TR, NO_WITNESS),
    SCRIPT("script-with-witness", SCRIPT_FAILED("Witness requires empty scriptSig"), P2WPKH, SCRIPT_SIG),
    SCRIPT("bad-schnorr-hash-type", SCRIPT_FAILED("Invalid Schnorr signature hash type"), P2TR, HASH_TYPE),
    SCRIPT("bad-control-block", SCRIPT_FAILED("Invalid Taproot control block size"), P2TR_SCRIPT, CONTROL),
    LOCK("early-cltv-p2sh", CLTV_P2SH),
    LOCK("early-cltv-p2wsh", CLTV_P2WSH),
    LOCK("early-cltv-p2tr", CLTV_P2TR),
    LOCK("early-csv-p2sh", CSV_P2SH),
    LOCK("early-csv-p2wsh", CSV_P2WSH),
    LOCK("early-csv-p2tr", CSV_P2TR),
    TX("early-lock-height", "bad-txns-nonfinal", lock_to_height),
    TX("early-lock-time", "bad-txns-nonfinal", lock_to_time),
    TX("early-sequence-blocks", "bad-txns-nonfinal", lock_to_depth),
    TX("early-sequence-time", "bad-txns-nonfinal", lock_to_age),
    TX("missing-input", MISSING, spend_nothing),
    TX("missing-output-index", MISSING, spend_beyond),
    TX("double-spend", MISSING, spend_twice),
    TX("spent-input", MISSING, spend_spent),
    TX("later-input", MISSING, spend_later),
    TX("unripe-coinbase", "bad-txns-premature-spend-of-coinbase", spend_unripe),
    TX("overspend", "bad-txns-in-belowout", pay_too_much),
    TX("negative-output", "bad-txns-vout-negative", pay_negative),
    TX("huge-output", "bad-txns-vout-toolarge", pay_beyond_money),
    TX("huge-total", "bad-txns-txouttotal-toolarge", pay_beyond_money_in_sum),
    TX("no-outputs", "bad-txns-vout-empty", pay_nobody),
    TX("duplicate-input", "bad-txns-inputs-duplicate", name_input_twice),
    TX("null-input", "bad-txns-prevout-null", name_null_input),
    BLOCK("bad-cb-amount", "bad-cb-amount", CB_AMOUNT),
    BLOCK("bad-cb-height", "bad-cb-height", CB_HEIGHT),
    BLOCK("bad-cb-missing", "bad-cb-missing", CB_MISSING),
    BLOCK("bad-cb-multiple", "bad-cb-multiple", CB_MULTIPLE),
    BLOCK("bad-cb-length", "bad-cb-length", CB_LENGTH),
    BLOCK("bad-merkle", "bad-txnmrklroot", MERKLE),
    BLOCK("duplicate-tx", "bad-txns-duplicate", DUPLICATE),
    BLOCK("bad-commitment", "bad-witness-merkle-match", COMMITMENT),
    BLOCK("no-commitment", "unexpected-witness", NO_COMMITMENT),
    BLOCK("bad-nonce-size", "bad-witness-nonce-size", NONCE_SIZE),
    BLOCK("too-many-sigops", "bad-blk-sigops", SIGOPS),
    { "too-heavy", "bad-blk-weight", spend_badly, LODE_KIND_P2WPKH, LODE_SPOIL_HUGE_WITNESS, LODE_BLOCK_GOOD },
    BLOCK("too-long", "bad-blk-length", LENGTH),
    BLOCK("time-too-old", "time-too-old", TIME_OLD),
    BLOCK("time-too-new", "time-too-new", TIME_NEW),
    BLOCK("bad-bits", "bad-diffbits", BITS),
    BLOCK("high-hash", "high-hash", HIGH_HASH),
    BLOCK("bad-version", "bad-version(0x00000001)", VERSION),
    BLOCK("orphan", "prev-blk-not-found", ORPHAN),
};

unsigned lode_invalid_kind_count(void)
{
    return sizeof plays / sizeof plays[0];
}

const char *lode_invalid_kind_name(unsigned kind)
{
    return kind < lode_invalid_kind_count() ? plays[kind].name : "?";
}

const char *lode_invalid_kind_reject(unsigned kind)
{
    return kind < lode_invalid_kind_count() ? plays[kind].reject : "?";
}

bool lode_invalid_kind_from_name(unsigned *kind, const char *name, size_t len)
{
    for (unsigned i = 0; i < lode_invalid_kind_count(); i++) {
        if (strlen(plays[i].name) == len && memcmp(plays[i].name, name, len) == 0) {
            *kind = i;
            return true;
        }
    }
    return false;
}

/* A few good transactions, what is wrong, and a few more. The first is of a witness kind, so that a commitment is due.
 */
static lode_status plan_play(lode_chain_maker *m, const lode_play *play)
{
    lode_chain_recipe few = m->recipe;
    lode_made_coin coin;
    lode_play_tx p;

    LODE_TRY(lode_maker_begin(m));
    LODE_TRY(fund(m, &coin, LODE_KIND_P2WPKH));
    begin_tx(m, &p, &coin);
    LODE_TRY(add(m, &p));
    if (play->plan)
        LODE_TRY(play->plan(m, play));
    few.txs_per_block = (uint32_t)m->plan.tx_count + 4;
    if (few.txs_per_block > m->recipe.txs_per_block + 4)
        few.txs_per_block = m->recipe.txs_per_block + 4;
    return lode_block_plan_fill(&m->plan, &few, &m->random, &m->pool);
}

lode_status lode_chain_maker_extend_invalid(lode_chain_maker *m, lode_made_block *out, unsigned kind)
{
    if (kind >= lode_invalid_kind_count())
        return lode_fail(LODE_INVALID_ARGUMENT, "no invalid kind %u", kind);
    if (m->at.height < 103)
        return lode_fail(LODE_INVALID_ARGUMENT, "height %u is too low for an invalid block", m->at.height);
    LODE_TRY(plan_play(m, &plays[kind]));
    LODE_TRY(lode_maker_finish(m, out, plays[kind].block));
    out->reject = plays[kind].reject;
    return lode_ok();
}

lode_status lode_chain_maker_make_invalid(lode_chain_maker *m, lode_made_block *out, unsigned kind)
{
    lode_status s;

    LODE_TRY(lode_chain_maker_mark(m));
    s = lode_chain_maker_extend_invalid(m, out, kind);
    lode_chain_maker_rewind(m);
    return s;
}
