/* validate/rules/params.h: what differs from network to network. Source: Core's kernel/chainparams.cpp. */
#ifndef LODE_VALIDATE_PARAMS_H
#define LODE_VALIDATE_PARAMS_H

#include "primitives/hash.h"
#include "primitives/tx.h"
#include "support/status.h"
#include "validate/rules/u256.h"

typedef enum lode_network { LODE_CHAIN_MAIN, LODE_CHAIN_TEST, LODE_CHAIN_TESTNET4, LODE_CHAIN_SIGNET, LODE_CHAIN_REGTEST } lode_network;

#define LODE_SIGNET_CHALLENGE_MAX 10000 /* a longer script can never be satisfied */

typedef struct lode_flag_exception {
    lode_block_hash hash;
    uint32_t flags; /* base flags in place of P2SH | WITNESS | TAPROOT */
} lode_flag_exception;

typedef struct lode_chain_params {
    lode_network chain;
    const char *name;   /* as in answers: main, test, testnet4, signet, regtest */
    const char *folder; /* below the data directory: "", testnet3, testnet4, signet, regtest */
    uint8_t magic[4];
    uint8_t genesis_raw[512]; /* the whole genesis block */
    uint32_t genesis_size;
    lode_block_hash genesis_hash;
    int32_t halving_interval;
    int32_t bip34_height, bip65_height, bip66_height, csv_height, segwit_height;
    lode_block_hash bip34_hash; /* zero: none */
    lode_flag_exception exceptions[2];
    uint32_t exception_count;
    lode_u256 pow_limit;
    uint32_t pow_limit_bits;
    int64_t target_timespan, target_spacing; /* seconds */
    bool allow_min_difficulty, no_retargeting, enforce_bip94;
    bool is_signet;
    uint8_t signet_challenge[LODE_SIGNET_CHALLENGE_MAX];
    uint32_t signet_challenge_len;
    bool has_own_challenge; /* -signetchallenge was given */
    lode_u256 minimum_chain_work;
    lode_block_hash default_assume_valid; /* informational: Lode's own default is none */
    uint8_t pubkey_prefix, script_prefix;
    char bech32_prefix[8];
} lode_chain_params;

/* Never fails: the parameters of a known network. */
void lode_chain_params_init(lode_chain_params *params, lode_network chain);
/* By the name `-chain=` takes; false if unknown. */
bool lode_chain_from_name(lode_network *chain, const char *name);

/* One of Core's options that change a network, taken and refused as Core does. `name` has no dash.
 *   testactivationheight=NAME@HEIGHT            segwit, bip34, dersig, cltv, csv; not on mainnet
 *   vbparams=DEPLOYMENT:START:END[:HEIGHT]      testdummy, which decides nothing here: checked, then forgotten; not on mainnet
 *   test=bip94                                  regtest only; another word is LODE_UNSUPPORTED (Core warns and goes on)
 *   signetchallenge=HEX                         once; changes the magic and clears the minimum work; ignored elsewhere
 * Errors: LODE_INVALID_ARGUMENT with a sentence. LODE_UNSUPPORTED when `name` is no chain option. */
lode_status lode_chain_params_set(lode_chain_params *params, const char *name, const char *value);

/* A signet's challenge and the magic that follows from it. len is at most LODE_SIGNET_CHALLENGE_MAX. */
void lode_chain_params_set_challenge(lode_chain_params *params, const uint8_t *challenge, size_t len);

#endif
