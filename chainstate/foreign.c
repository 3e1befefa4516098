/* chainstate/foreign.c: layouts that are not ours to write to.
 *
 * Touches:  the directory, reading.
 * Source:   field reports of directories of several ages; Core's CCoinsViewDB::NeedsUpgrade, and its pruning, which
 *           removes whole files, oldest first.
 */
#include "chainstate/foreign.h"

#include <stdlib.h>
#include <string.h>

#include "chainstate/coins.h"
#include "txindex/txindex.h"

static lode_status find_lowest(void *context, const char *name)
{
    unsigned long *lowest = context, number;
    char *end;

    if (strncmp(name, "blk", 3) != 0 || name[3] < '0' || name[3] > '9')
        return lode_ok();
    number = strtoul(name + 3, &end, 10);
    if (strcmp(end, ".dat") == 0 && number < *lowest)
        *lowest = number;
    return lode_ok();
}

lode_status lode_foreign_refuse_pruned(lode_env *env, const char *blocks)
{
    unsigned long lowest = (unsigned long)-1;
    bool exists = false;

    LODE_TRY(env->path_info(env, &exists, NULL, blocks));
    if (!exists)
        return lode_ok();
    LODE_TRY(env->list(env, blocks, find_lowest, &lowest));
    if (lowest == 0 || lowest == (unsigned long)-1)
        return lode_ok();
    return lode_fail(LODE_UNSUPPORTED,
                     "%s: block files were pruned: they begin with blk%05lu.dat, and Lode needs all blocks", blocks,
                     lowest);
}

lode_status lode_foreign_refuse(const lode_directory *d, int parts)
{
    if (parts & LODE_FOREIGN_FILES)
        LODE_TRY(lode_foreign_refuse_pruned(d->env, d->blocks));
    if (parts & LODE_FOREIGN_COINS)
        LODE_TRY(lode_coins_check_format(d->chainstate, d->env));
    if (parts & LODE_FOREIGN_TXINDEX)
        LODE_TRY(lode_txindex_check_format(d->txindex, d->env));
    return lode_ok();
}
