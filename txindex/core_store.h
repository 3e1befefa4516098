/* txindex/core_store.h: what Core's databases have in common: block index, coins and transaction index. */
#ifndef LODE_TXINDEX_CORE_STORE_H
#define LODE_TXINDEX_CORE_STORE_H

#include <stdbool.h>

#include "lode/store.h"
#include "support/env.h"

enum { LODE_CORE_KEY_BYTES = 8 };

/* Tables as Core's LevelDB reads them. A writer makes what is not there. */
void lode_core_store_options(lode_store_options *options, lode_env *env, bool read_only);
/* As options say; a writer makes the folder, and with `wipe` begins anew. */
lode_status lode_core_store_open(lode_store **out, const char *path, const lode_store_options *options, bool wipe);

/* What `check` says of the store, opened to be read. An absent or damaged one is not judged: the open that follows
 * tells. */
lode_status lode_core_store_look(const char *path, lode_env *env,
                                 lode_status (*check)(const char *path, lode_store *store));

/* The key that values are XORed with; without a record *found is false and the key stays as it is. */
lode_status lode_core_store_load_key(lode_store *store, const char *path, bool *found,
                                     uint8_t key[LODE_CORE_KEY_BYTES]);
lode_status lode_core_store_write_key(lode_store *store, const uint8_t key[LODE_CORE_KEY_BYTES]);
/* Is this key of a record that of the record above? */
bool lode_core_store_is_key_record(lode_bytes key);

static inline void lode_core_store_hide(const uint8_t key[LODE_CORE_KEY_BYTES], uint8_t *value, size_t len)
{
    for (size_t i = 0; i < len; i++)
        value[i] ^= key[i % LODE_CORE_KEY_BYTES];
}

#endif
