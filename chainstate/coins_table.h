/* chainstate/coins_table.h: the table of a shard, for coins_shard.c. */
#ifndef LODE_CHAINSTATE_COINS_TABLE_H
#define LODE_CHAINSTATE_COINS_TABLE_H

#include "chainstate/coins_shard.h"

typedef struct lode_coins_search {
    lode_coins_shard *s;
    const lode_coins_key *key;
    uint32_t mask, want;
    uint32_t bucket, left; /* buckets to look at after this one */
    uint32_t matches;      /* in this one, to be looked at */
} lode_coins_search;

lode_coins_search lode_coins_search_of(lode_coins_shard *s, const lode_coins_key *key);
/* The next record of the key's txid and part; place->entry is NULL. */
bool lode_coins_search_next(lode_coins_search *q, lode_coins_place *place);

/* Room for one more record: false when memory is out. */
bool lode_coins_table_ensure_slot(lode_coins_generation *g, lode_coins_shard *s);
void lode_coins_table_add(lode_coins_shard *s, uint64_t hash, uint32_t offset, bool is_all);
void lode_coins_table_remove(const lode_coins_place *place);
/* All records have moved. */
void lode_coins_table_refill(const lode_coins_generation *g, lode_coins_shard *s);

uint32_t lode_coins_place_offset(const lode_coins_place *place);
void lode_coins_place_set_offset(const lode_coins_place *place, uint32_t offset);
void lode_coins_place_set_not_all(const lode_coins_place *place);
/* Does a record with these hold all that is known of its outputs? */
bool lode_coins_entries_are_fresh(const uint8_t *entries, uint32_t count);

#endif
