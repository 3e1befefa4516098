/* chainstate/coins_at.h: the coin set as it stood on disk at a snapshot of its store, for readers beside the writer. */
#ifndef LODE_CHAINSTATE_COINS_AT_H
#define LODE_CHAINSTATE_COINS_AT_H

#include "chainstate/coins.h"

/* All from any thread. snapshot is one of lode_coins_store. */
lode_status lode_coins_best_at(lode_coins *coins, const lode_snapshot *snapshot, bool *found, lode_block_hash *hash);
/* *value is the coin as stored, obfuscation undone (lode_coin_decode). */
lode_status lode_coins_get_at(lode_coins *coins, const lode_snapshot *snapshot, bool *found, lode_buf *value,
                              const uint8_t *key, size_t key_len);
/* Every key and value of coins, from key 'C' + from on (NULL: the first). Lent until it moves. */
typedef struct lode_coins_at_cursor {
    lode_coins *coins;
    lode_iterator *it;
    lode_buf value;
} lode_coins_at_cursor;
lode_status lode_coins_at_cursor_open(lode_coins_at_cursor *cursor, lode_coins *coins, const lode_snapshot *snapshot,
                                      const uint8_t from[32]);
/* *found false at the end. Does not move. */
lode_status lode_coins_at_cursor_peek(lode_coins_at_cursor *cursor, bool *found, lode_slice *key);
lode_status lode_coins_at_cursor_value(lode_coins_at_cursor *cursor, lode_slice *value);
void lode_coins_at_cursor_move(lode_coins_at_cursor *cursor);
void lode_coins_at_cursor_close(lode_coins_at_cursor *cursor);

#endif
