/* chainstate/foreign.h: directories of other versions and settings of Bitcoin Core that Lode does not write to, told by
 * name before anything is written. (A reader's opens tell the same, and write nothing anyway. A pruned block index and
 * status bits of a newer version are told by lode_block_index_open, which looks before it writes.)
 */
#ifndef LODE_CHAINSTATE_FOREIGN_H
#define LODE_CHAINSTATE_FOREIGN_H

#include "chainstate/directory.h"

enum lode_foreign_parts { LODE_FOREIGN_FILES = 1, LODE_FOREIGN_COINS = 2, LODE_FOREIGN_TXINDEX = 4 };

/* parts  what is going to be written to or read: block files that are to be indexed from the first on, coins and
 *        transaction index that are not made anew.
 * Errors:  LODE_UNSUPPORTED with a sentence; LODE_IO. */
lode_status lode_foreign_refuse(const lode_directory *directory, int parts);
/* Block files whose first are gone. */
lode_status lode_foreign_refuse_pruned(lode_env *env, const char *blocks);

#endif
