/* api/coins.h: coins and tips as lode.h shows them. */
#ifndef LODE_API_COINS_H
#define LODE_API_COINS_H

#include "api/state.h"

void lode_tip_of_state(lode_tip *tip, const lode_state *view);
/* A coin as stored, in parts; `script` is left NULL in *out and lent in *script, from `stored` or scratch. */
lode_status lode_coin_info_of(lode_coin_info *out, lode_slice *script, uint8_t scratch[67], lode_slice stored);

#endif
