/* chainstate/adopt.h: taking over another node's block files without copying them. */
#ifndef LODE_CHAINSTATE_ADOPT_H
#define LODE_CHAINSTATE_ADOPT_H

#include "support/env.h"
#include "support/log.h"

/* Full blk files of `from` are linked into `to` (copied where the file system cannot link), the last, still growing one
 * and xor.dat are copied. Nothing in `from` is written. Files that `to` has already are left as they are, so that a run
 * that was cut off goes on. Ends with a sync of the folder.
 * Errors: LODE_MISSING when `from` has no blkNNNNN.dat; LODE_UNSUPPORTED when the first ones are gone; LODE_IO; LODE_NO_SPACE. */
lode_status lode_adopt_block_files(lode_env *env, const char *to, const char *from, const lode_logger *logger);

#endif
