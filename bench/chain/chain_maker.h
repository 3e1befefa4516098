/* bench/chain/chain_maker.h: makes regtest blocks with real signatures, the same bytes every time.
 *
 * A maker holds a chain it is growing: its tip, and all coins of that chain. Each call makes one more block, from a
 * seed and a recipe, valid under Core's rules for regtest, or invalid in one named way. Blocks are planned by one
 * thread and signed by several; how many changes nothing in the bytes.
 *
 * To make a small chain in a test:
 *     lode_chain_recipe recipe;
 *     lode_chain_recipe_init(&recipe, "all");
 *     recipe.txs_per_block = 20;
 *     lode_chain_maker_create(&maker, &recipe);
 *     lode_chain_maker_genesis(&block);                      (block.raw, block.size)
 *     for (i = 0; i < 120; i++)
 *         lode_chain_maker_extend(maker, &block);            (the first 100 blocks have no coin to spend)
 *     lode_chain_maker_make_invalid(maker, &block, kind);    (tip stays; block.reject says what Core says)
 * A fork: lode_chain_maker_mark, extend a few times, lode_chain_maker_rewind, extend again. A branch that would win but
 * for one wrong block: mark, extend, extend_invalid, extend, rewind.
 * A transaction of one's own: lode_chain_maker_take_coin, fill a lode_maker_tx, lode_chain_maker_add_tx, extend.
 */
#ifndef LODE_BENCH_CHAIN_MAKER_H
#define LODE_BENCH_CHAIN_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "primitives/hash.h"
#include "support/bytes.h"
#include "support/status.h"

/* How an output is locked, and how the maker unlocks it. Multisig is 2-of-3. */
typedef enum lode_coin_kind {
    LODE_KIND_P2PK,
    LODE_KIND_P2PK_UNCOMPRESSED,
    LODE_KIND_P2PKH,
    LODE_KIND_P2PKH_UNCOMPRESSED,
    LODE_KIND_MULTISIG, /* bare */
    LODE_KIND_P2SH_MULTISIG,
    LODE_KIND_P2SH_P2WPKH,
    LODE_KIND_P2SH_P2WSH, /* multisig */
    LODE_KIND_P2WPKH,
    LODE_KIND_P2WSH,         /* multisig */
    LODE_KIND_P2TR,          /* key path, no scripts (BIP 86) */
    LODE_KIND_P2TR_SCRIPT,   /* script path, one signature, a tree of two leaves */
    LODE_KIND_P2TR_MULTISIG, /* script path, OP_CHECKSIGADD, one leaf */
    LODE_KIND_CLTV_P2SH,     /* absolute lock (BIP 65) of a height or a time, and one signature */
    LODE_KIND_CLTV_P2WSH,
    LODE_KIND_CLTV_P2TR,
    LODE_KIND_CSV_P2SH, /* relative lock (BIP 112) in blocks or in time, and one signature */
    LODE_KIND_CSV_P2WSH,
    LODE_KIND_CSV_P2TR,
    LODE_KIND_OP_RETURN, /* data; never a coin */
    LODE_KIND_COUNT
} lode_coin_kind;

/* "p2pkh", "p2wsh", ... Static text. */
const char *lode_coin_kind_name(lode_coin_kind kind);
bool lode_coin_kind_from_name(lode_coin_kind *kind, const char *name, size_t len);

/* What the chain is made of. Percentages are of what the comment names, 0 to 100. */
typedef struct lode_chain_recipe {
    uint64_t seed;
    unsigned threads;                  /* that sign; 0 counts as 1; never changes the bytes */
    uint32_t key_count;                /* keys, used again and again; 4 to 65536 */
    uint32_t weights[LODE_KIND_COUNT]; /* of the kinds outputs are made of, on any scale */
    uint32_t inputs_x100;              /* mean inputs per transaction, in hundredths; at least 100 */
    uint32_t outputs_x100;             /* mean outputs per transaction, in hundredths; at least 100 */
    uint32_t txs_per_block;            /* with the coinbase; fewer when weight or sigops run out */
    uint32_t old_percent;     /* inputs drawn over the whole set; the others are drawn from the youngest coins */
    uint32_t chain_percent;   /* transactions that spend an output of their own block */
    uint32_t sighash_percent; /* inputs signed with another hash type than ALL or DEFAULT */
    uint32_t version2_percent;
    uint32_t locktime_percent; /* transactions locked to the height before (as wallets do against fee sniping) */
    uint32_t relative_percent; /* inputs of version 2 transactions with a relative lock in their sequence (BIP 68) */
    uint32_t rbf_percent;      /* transactions that signal replacement (BIP 125) */
    uint32_t fan_out_percent;  /* transactions that pay fan_out_size outputs, until the set holds grow_to coins */
    uint32_t fan_out_size;
    uint64_t grow_to; /* 0: fan-outs never stop */
} lode_chain_recipe;

/* Fills a recipe from a mix: "2012", "2017", "2024", "all" (every kind alike, all options on), or weights by hand,
 * "p2pkh:60,p2wpkh:40". False when the text names no mix. The mixes (percent of outputs):
 *     2012  P2PKH 94 (half with uncompressed keys), P2PK 4, bare multisig 0.4, P2SH multisig 0.6, OP_RETURN 1;
 *           450 transactions a block, 2.1 inputs, 2.2 outputs
 *     2017  P2PKH 60, P2SH multisig 25, P2SH-P2WPKH 9, P2SH-P2WSH 2, P2WPKH 2, OP_RETURN 1.5, locks 0.3;
 *           2,000 transactions a block, 2.2 inputs, 2.4 outputs
 *     2024  P2WPKH 45, P2TR key path 30, P2PKH 12, P2SH 8 (5 P2SH-P2WPKH, 2 multisig, 1 P2SH-P2WSH), P2WSH multisig 3,
 *           OP_RETURN 1.4, P2TR script path 0.4, locks 0.2; 2,500 transactions a block, 2.27 inputs, 2.4 outputs
 * Coinbases pay to the same kinds. Few outputs are of age: three of ten inputs are drawn over the whole set, the
 * others from the youngest coins, as measured chains spend (most coins die young). */
bool lode_chain_recipe_init(lode_chain_recipe *recipe, const char *mix);

/* A block as made. */
typedef struct lode_made_block {
    const uint8_t *raw; /* lent until the maker makes the next one */
    uint32_t size;
    uint32_t weight;
    lode_block_hash hash;
    uint32_t height;
    uint32_t tx_count;        /* with the coinbase */
    uint32_t input_count;     /* without the coinbase's */
    uint32_t output_count;    /* with the coinbase's */
    uint32_t signature_count; /* made for this block */
    const char *reject;       /* NULL: valid. Else the reason Core gives, whole. Static text. */
} lode_made_block;

/* A coin of the maker's. */
typedef struct lode_made_coin {
    lode_txid txid;
    uint32_t index;
    uint32_t height; /* of its block */
    int64_t value;   /* satoshis */
    uint32_t source; /* 0, or 1 + position in the block being planned of the transaction that makes it: txid is unset */
    uint16_t key;
    uint8_t kind; /* a lode_coin_kind */
    uint8_t is_coinbase;
} lode_made_coin;

typedef struct lode_chain_maker lode_chain_maker;

/* A maker whose chain is the genesis block alone. The recipe is copied.
 * Out:     *out is given: lode_chain_maker_destroy.
 * Errors:  LODE_INVALID_ARGUMENT for a recipe out of range, LODE_NO_MEMORY. */
lode_status lode_chain_maker_create(lode_chain_maker **out, const lode_chain_recipe *recipe);
void lode_chain_maker_destroy(lode_chain_maker *m);

/* Regtest's block 0. Lent for ever. */
void lode_chain_maker_genesis(lode_made_block *out);

/* The next block upon the tip, which becomes the tip. The first 100 blocks, and any before enough coins are ripe, hold
 * fewer transactions than the recipe asks for.
 * Errors:  LODE_NO_MEMORY; LODE_INVALID_ARGUMENT if an added transaction cannot be made. */
lode_status lode_chain_maker_extend(lode_chain_maker *m, lode_made_block *out);
/* The same with a coinbase alone (and what was added by hand). */
lode_status lode_chain_maker_extend_empty(lode_chain_maker *m, lode_made_block *out);

/* Remember where the chain stands; marks nest. Rewinding goes back to the newest mark and forgets it; what is made
 * next differs from what was made before. Dropping forgets the newest mark and stays. */
lode_status lode_chain_maker_mark(lode_chain_maker *m);
void lode_chain_maker_rewind(lode_chain_maker *m);
void lode_chain_maker_drop_mark(lode_chain_maker *m);

/* Ways in which a block can be wrong: what lode-genchain --list-kinds prints. Kinds count from 0. */
unsigned lode_invalid_kind_count(void);
const char *lode_invalid_kind_name(unsigned kind);   /* "bad-signature", ... Static text. */
const char *lode_invalid_kind_reject(unsigned kind); /* Core's words. Static text. */
bool lode_invalid_kind_from_name(unsigned *kind, const char *name, size_t len);

/* A block upon the tip that is wrong in one way. The tip, and every coin, stay as they were.
 * Needs a chain of at least 103 blocks.
 * Errors:  LODE_INVALID_ARGUMENT when the chain has no coin to do it with, LODE_NO_MEMORY. */
lode_status lode_chain_maker_make_invalid(lode_chain_maker *m, lode_made_block *out, unsigned kind);
/* The same, but the block becomes the tip, as if it were good, so that others can build upon it. Mark before, rewind
 * after, also after an error. */
lode_status lode_chain_maker_extend_invalid(lode_chain_maker *m, lode_made_block *out, unsigned kind);

/* The tip. */
uint32_t lode_chain_maker_height(const lode_chain_maker *m);
lode_block_hash lode_chain_maker_tip(const lode_chain_maker *m);
/* Transactions in the chain so far, coinbases included, genesis not. */
uint64_t lode_chain_maker_tx_count(const lode_chain_maker *m);

/* All coins at the tip, immature coinbases included: what the set of unspent outputs must be. Any order.
 * The visitor borrows coin and script. */
uint64_t lode_chain_maker_coin_count(const lode_chain_maker *m);
typedef lode_status (*lode_made_coin_visit)(void *context, const lode_made_coin *coin, lode_slice script);
lode_status lode_chain_maker_visit_coins(const lode_chain_maker *m, lode_made_coin_visit visit, void *context);

/* Transactions by hand. */
typedef struct lode_maker_input {
    lode_made_coin coin;
    uint32_t sequence; /* see lode_made_coin_needs */
    uint8_t sighash;   /* LODE_SIGHASH_*; DEFAULT counts as ALL where there is no DEFAULT */
    uint8_t spoil;     /* 0: signed well; else a lode_spoil of bench/chain/unlock.h */
} lode_maker_input;
typedef struct lode_maker_output {
    int64_t value;
    uint64_t salt; /* chooses the data of an OP_RETURN */
    uint16_t key;  /* below recipe.key_count */
    uint8_t kind;
} lode_maker_output;
typedef struct lode_maker_tx {
    int32_t version;
    uint32_t lock_time;
    const lode_maker_input *inputs; /* borrowed */
    uint32_t input_count;
    const lode_maker_output *outputs; /* borrowed */
    uint32_t output_count;
} lode_maker_tx;

/* Takes one coin out of the set, of a kind (LODE_KIND_COUNT: of any), that the next block may spend; the caller spends
 * it in the next block. An answer: false when there is none. */
bool lode_chain_maker_take_coin(lode_chain_maker *m, lode_made_coin *coin, lode_coin_kind kind);
/* Sequence and lock time that spending the coin asks for; *version 2 where it needs that. Lock time 0: none. */
void lode_made_coin_needs(const lode_made_coin *coin, uint32_t *sequence, uint32_t *lock_time, int32_t *version);
/* Puts a transaction into the next block, in the order of adding, before the random ones. Nothing is checked: what is
 * wrong in it will be wrong in the block. Its outputs are coins afterwards; *position, if not NULL, is its place in
 * the block, from 1: with it as `source` a later added transaction spends them. */
lode_status lode_chain_maker_add_tx(lode_chain_maker *m, uint32_t *position, const lode_maker_tx *tx);

/* Time stamps are a function of height: 600 seconds a block, with a little noise that never goes backwards. */
uint32_t lode_chain_maker_time(uint32_t height);
/* Core's GetMedianTimePast of the block at this height. */
uint32_t lode_chain_maker_median_time(uint32_t height);

#endif
