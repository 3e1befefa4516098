/* chainstate/directory.h: a data directory of Bitcoin Core's: where things lie in it, and who may write.
 *
 *     D/[folder]/                 .lock                    folder: "" (main), testnet3, testnet4, signet, regtest
 *     D/[folder]/blocks/          .lock, blk and rev files, xor.dat     with -blocksdir=B: B/[folder]/blocks/
 *     .../blocks/index/           block index
 *     D/[folder]/chainstate/      coins
 *     D/[folder]/chainstate_snapshot/  coins loaded from a snapshot, until bitcoind has validated the blocks below them
 *     D/[folder]/indexes/txindex/ transaction index
 *     D/[folder]/lode/            ours; may be deleted at any time
 */
#ifndef LODE_CHAINSTATE_DIRECTORY_H
#define LODE_CHAINSTATE_DIRECTORY_H

#include "support/env.h"
#include "support/log.h"
#include "validate/rules/params.h"

typedef struct lode_directory_options {
    const char *path;                /* -datadir */
    const char *blocks_path;         /* -blocksdir; NULL: inside path. It must exist, as Core demands */
    const lode_chain_params *params; /* the folder's name is copied */
    lode_env *env;                   /* kept */
    bool read_only;                  /* takes no lock, creates nothing */
    bool create_if_missing;          /* writers */
} lode_directory_options;

/* Constant after open. */
typedef struct lode_directory {
    lode_env *env;
    bool read_only;
    char *root; /* D/[folder] */
    char *blocks, *index;
    char *chainstate; /* a reader's: chainstate_snapshot where there is one */
    bool is_snapshot;
    char *txindex; /* may not exist yet, nor its parent: lode_env_make_path before it is first written */
    char *own;     /* as txindex */
    lode_file *root_lock, *blocks_lock; /* NULL: read only */
} lode_directory;

/* A writer makes root and blocks (if create_if_missing), takes both `.lock` files as Core does, and holds them until
 * close: a bitcoind cannot start meanwhile. A reader fails when a writer, Lode or Core, holds one of them.
 * Errors: LODE_MISSING; LODE_LOCKED; LODE_UNSUPPORTED for a writer where a chainstate from a snapshot stands; LODE_IO. */
lode_status lode_directory_open(lode_directory **out, const lode_directory_options *options);
void lode_directory_close(lode_directory *directory); /* closing NULL does nothing */

#endif
