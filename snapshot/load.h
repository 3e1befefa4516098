/* snapshot/load.h: a coin file becomes a second chainstate, which bitcoind starts from: its loadtxoutset.
 *
 *     D/[folder]/chainstate_snapshot/                 coins as in chainstate/, at the file's block
 *     D/[folder]/chainstate_snapshot/base_blockhash   that block's hash, 32 bytes
 *     blocks/index                                    OPT_WITNESS on the block and those below, from segwit's height on
 *
 * bitcoind goes on from there, and validates the blocks below in the background. It opens such a directory only for a
 * block that it vouches for itself.
 * Source: Core's ActivateSnapshot and PopulateAndValidateSnapshot, node/utxo_snapshot.cpp.
 */
#ifndef LODE_SNAPSHOT_LOAD_H
#define LODE_SNAPSHOT_LOAD_H

#include "chainstate/chain.h"

typedef struct lode_load_info {
    uint64_t coins;
    const lode_entry *base;
    bool is_cores; /* Core vouches for this block, and opens the directory */
    uint8_t hash_serialized_3[32];
} lode_load_info;

/* Reads the whole file and holds it against what the chain knows: the base block's header is known, on the chain of the
 * best header, has not failed, has more work than the tip; the content's hash is trusted. Only then is anything
 * written. The new folder has another name until it is whole, and is removed when something fails; what a killed run
 * left is removed by the next. The chain itself stays as it is, and must not be gone on with: it is the snapshot's
 * background.
 * In:      chain    a writer's, with nothing pending. Its interruption and progress are used.
 *          trusted  hash_serialized_3 of a set that is trusted besides those that Core vouches for; may be NULL.
 * Errors:  LODE_UNSUPPORTED when the block or the content is not trusted, or the base does not fit the chain;
 *          LODE_CORRUPT when the file is damaged, with the byte; LODE_NO_SPACE, LODE_CANCELLED, LODE_IO. */
lode_status lode_coins_load_file(lode_load_info *info, lode_chain *chain, const char *path, const uint8_t *trusted);

#endif
