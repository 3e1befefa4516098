/* bench/chain/script_kind.h: the scripts of each kind of output. */
#ifndef LODE_BENCH_SCRIPT_KIND_H
#define LODE_BENCH_SCRIPT_KIND_H

#include "bench/chain/chain_maker.h"
#include "bench/chain/keys.h"

#define LODE_MADE_SCRIPT_MAX 128 /* bytes; no script the maker writes is longer */

/* What a kind costs, for planning a block before it is signed. Bytes are the most that can come. */
typedef struct lode_kind_cost {
    uint8_t script_len;      /* of the output */
    uint16_t script_sig_len; /* of the input that spends it */
    uint16_t witness_len;    /* with the count of items; 0: none */
    uint8_t output_sigops;   /* cost units (legacy operations count four) */
    uint8_t input_sigops;
    uint8_t signatures;
} lode_kind_cost;
extern const lode_kind_cost lode_kind_costs[LODE_KIND_COUNT];

bool lode_coin_kind_is_taproot(lode_coin_kind kind);
bool lode_coin_kind_has_witness(lode_coin_kind kind);

/* The lock of a coin, from kind, key and the height of its block. */
typedef enum lode_lock_type { LODE_LOCK_NONE, LODE_LOCK_ABSOLUTE, LODE_LOCK_RELATIVE } lode_lock_type;
typedef struct lode_coin_lock {
    lode_lock_type type;
    uint32_t value; /* ABSOLUTE: least lock time; RELATIVE: least sequence */
} lode_coin_lock;
lode_coin_lock lode_coin_lock_of(lode_coin_kind kind, uint32_t key, uint32_t born_height);
/* May a block at this height spend the coin? Its own block's coins never, unless the kind has no lock. */
bool lode_coin_is_ripe(const lode_made_coin *coin, uint32_t height);

/* The script behind a hash or in a tapleaf: redeem script, witness script, leaf; also the script code of a bare kind.
 * Returns its length. */
size_t lode_script_inner(uint8_t out[LODE_MADE_SCRIPT_MAX], const lode_key_ring *ring, lode_coin_kind kind,
                         uint32_t key, uint32_t born_height);
/* The script of the output. `salt` is for OP_RETURN. Returns its length. */
size_t lode_script_output(uint8_t out[LODE_MADE_SCRIPT_MAX], const lode_key_ring *ring, lode_coin_kind kind,
                          uint32_t key, uint32_t born_height, uint64_t salt);
/* P2WSH's program script inside P2SH, or P2WPKH's: what LODE_KIND_P2SH_P2W* push in their input. Returns its length. */
size_t lode_script_nested(uint8_t out[LODE_MADE_SCRIPT_MAX], const lode_key_ring *ring, lode_coin_kind kind,
                          uint32_t key, uint32_t born_height);

/* Root of the tree of a taproot kind with scripts. */
void lode_script_tree_root(uint8_t root[32], const lode_key_ring *ring, lode_coin_kind kind, uint32_t key,
                           uint32_t born_height);
/* The control block that reveals the leaf. Returns its length, 33 or 65. */
size_t lode_script_control_block(uint8_t out[65], const lode_key_ring *ring, lode_coin_kind kind, uint32_t key,
                                 uint32_t born_height);

/* A number as a minimal push: 1 to 6 bytes. Returns how many. */
size_t lode_script_push_number(uint8_t *out, uint32_t n);

#endif
