/* test/bench/replay.h: follows a made chain by the rules of the house, one block after the other, coins in memory. */
#ifndef LODE_TEST_REPLAY_H
#define LODE_TEST_REPLAY_H

#include "bench/chain/chain_maker.h"
#include "primitives/tx.h"
#include "support/arena.h"

typedef struct lode_replay_coin {
    uint8_t prevout[36];
    uint32_t height;
    int64_t value;
    bool is_coinbase, is_live;
    uint8_t script_len;
    uint8_t script[128];
} lode_replay_coin;

typedef struct lode_replay {
    lode_replay_coin *coins; /* open addressing over `capacity`, dead ones stay in their place */
    size_t capacity, used;
    uint64_t live;
    lode_block_hash tip;
    uint32_t height;
} lode_replay;

void lode_replay_init(lode_replay *r); /* at genesis */
void lode_replay_clear(lode_replay *r);

/* NULL when the block is good upon the tip, which it then is; else what is wrong with it, and nothing has changed but
 * that coins may be spent: the replay is of no use afterwards. Scripts run under every flag there is, policy's too. */
const char *lode_replay_block(lode_replay *r, const lode_made_block *block);

const lode_replay_coin *lode_replay_find(const lode_replay *r, const uint8_t prevout[36]);

#endif
