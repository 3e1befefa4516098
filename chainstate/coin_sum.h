/* chainstate/coin_sum.h: coins in key order, summed up and hashed as Core's gettxoutsetinfo does. */
#ifndef LODE_CHAINSTATE_COIN_SUM_H
#define LODE_CHAINSTATE_COIN_SUM_H

#include "chainstate/coins.h"
#include "primitives/muhash.h"

typedef struct lode_coin_sum {
    bool wants_muhash, wants_serialized;
    uint64_t txouts, transactions, bogosize;
    lode_amount total;
    uint32_t max_height;
    lode_muhash muhash;
    lode_sha256_stream serialized;
    /* the transaction at hand */
    uint8_t txid[32];
    lode_buf bytes;
    lode_buf forms;
} lode_coin_sum;

void lode_coin_sum_init(lode_coin_sum *sum, bool muhash, bool serialized);
void lode_coin_sum_clear(lode_coin_sum *sum);
/* The next coin: outputs of one transaction come one after another. LODE_CORRUPT when script or amount does not decode,
 * or the total is no money. */
lode_status lode_coin_sum_add(lode_coin_sum *sum, const uint8_t prevout[36], const lode_coin_view *view);
/* No more of the transaction at hand: before the hashes are taken out. */
void lode_coin_sum_end_tx(lode_coin_sum *sum);

#endif
