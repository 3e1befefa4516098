/* chainstate/directory.c: paths of a data directory, and the locks that Core takes in it.
 *
 * Touches:  directories and the two `.lock` files, through lode_env.
 * Promise:  a reader creates and changes nothing (directory_test.c).
 */
#include "chainstate/directory.h"

#include <stdlib.h>
#include <string.h>

static char *join_optional(const char *path, const char *folder)
{
    return folder[0] ? lode_path_join(path, folder) : strdup(path);
}

/* NULL passes through, so that one question at the end is enough. */
static char *join(const char *path, const char *name)
{
    return path ? lode_path_join(path, name) : NULL;
}

static lode_status fill_paths(lode_directory *d, const lode_directory_options *options)
{
    const char *base = options->blocks_path ? options->blocks_path : options->path;
    char *blocks_root = join_optional(base, options->params->folder);

    d->root = join_optional(options->path, options->params->folder);
    d->blocks = join(blocks_root, "blocks");
    d->index = join(d->blocks, "index");
    d->chainstate = join(d->root, "chainstate");
    d->txindex = join(d->root, "indexes/txindex");
    d->own = join(d->root, "lode");
    free(blocks_root);
    if (!d->root || !d->blocks || !d->index || !d->chainstate || !d->txindex || !d->own)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to open it", options->path);
    return lode_ok();
}

static lode_status demand_directory(lode_env *env, const char *path, const char *what)
{
    lode_file_info info;
    bool exists;

    LODE_TRY(env->path_info(env, &exists, &info, path));
    if (!exists)
        return lode_fail(LODE_MISSING, "%s: %s does not exist", path, what);
    if (!info.is_directory)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: %s is not a directory", path, what);
    return lode_ok();
}

/* Coins loaded from a snapshot stand beside those of the blocks below it. A reader answers from them, as bitcoind does;
 * the two at once are bitcoind's to write. */
static lode_status meet_snapshot(lode_env *env, lode_directory *d)
{
    char *path = lode_path_join(d->root, "chainstate_snapshot"), *base = join(path, "base_blockhash");
    bool exists = false, has_base = false;
    lode_status s = base ? env->path_info(env, &exists, NULL, path)
                         : lode_fail(LODE_NO_MEMORY, "%s: no memory to open it", d->root);

    if (!lode_failed(s) && exists)
        s = env->path_info(env, &has_base, NULL, base);
    if (!lode_failed(s) && exists && !d->read_only)
        s = lode_fail(LODE_UNSUPPORTED,
                      "%s: coins loaded from a snapshot stand here: bitcoind goes on from them and validates the blocks "
                      "below, which Lode does not; until that is done it only reads this directory",
                      path);
    else if (!lode_failed(s) && exists && !has_base)
        s = lode_fail(LODE_UNSUPPORTED, "%s: a snapshot chainstate without base_blockhash: not finished, remove it", path);
    if (!lode_failed(s) && exists) {
        free(d->chainstate);
        d->chainstate = path;
        d->is_snapshot = true;
        path = NULL;
    }
    free(base);
    free(path);
    return s;
}

/* ---- locks ---- */

static lode_status take_lock(lode_file **out, lode_env *env, const char *directory)
{
    char *path = lode_path_join(directory, ".lock");

    *out = NULL;
    if (!path)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to lock it", directory);
    lode_status s = env->lock(env, out, path);
    if (s.code == LODE_LOCKED)
        s = lode_fail(LODE_LOCKED, "%s is in use: bitcoind or lode is probably running on it (%s)", directory, s.text);
    free(path);
    return s;
}

static lode_status demand_unlocked(lode_env *env, const char *directory)
{
    char *path = lode_path_join(directory, ".lock");
    bool held = false;

    if (!path)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to ask for its lock", directory);
    lode_status s = env->is_locked(env, &held, path);
    if (!lode_failed(s) && held)
        s = lode_fail(LODE_LOCKED, "%s is in use: bitcoind or lode is writing to it; stop it, or read a copy",
                      directory);
    free(path);
    return s;
}

/* ---- open and close ---- */

static lode_status open_for_reading(lode_directory *d)
{
    lode_env *env = d->env;

    LODE_TRY(demand_directory(env, d->root, "data directory"));
    LODE_TRY(demand_directory(env, d->blocks, "blocks directory"));
    LODE_TRY(demand_unlocked(env, d->root));
    LODE_TRY(demand_unlocked(env, d->blocks));
    return meet_snapshot(env, d);
}

static lode_status open_for_writing(lode_directory *d, const lode_directory_options *options)
{
    lode_env *env = d->env;

    if (options->blocks_path) /* a mistyped name or a disk that is not there must not fill another one */
        LODE_TRY(demand_directory(env, options->blocks_path, "blocks directory"));
    if (options->create_if_missing)
        LODE_TRY(lode_env_make_path(env, d->root));
    else
        LODE_TRY(demand_directory(env, d->root, "data directory"));
    LODE_TRY(take_lock(&d->root_lock, env, d->root));
    LODE_TRY(meet_snapshot(env, d));
    LODE_TRY(lode_env_make_path(env, d->blocks));
    return take_lock(&d->blocks_lock, env, d->blocks);
}

lode_status lode_directory_open(lode_directory **out, const lode_directory_options *options)
{
    lode_directory *d = calloc(1, sizeof *d);

    *out = NULL;
    if (!d)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to open it", options->path);
    d->env = options->env;
    d->read_only = options->read_only;
    lode_status s = fill_paths(d, options);
    if (!lode_failed(s))
        s = options->read_only ? open_for_reading(d) : open_for_writing(d, options);
    if (lode_failed(s))
        lode_directory_close(d);
    else
        *out = d; /* given: the caller closes it */
    return s;
}

void lode_directory_close(lode_directory *directory)
{
    if (!directory)
        return;
    directory->env->unlock(directory->env, directory->blocks_lock);
    directory->env->unlock(directory->env, directory->root_lock);
    free(directory->root);
    free(directory->blocks);
    free(directory->index);
    free(directory->chainstate);
    free(directory->txindex);
    free(directory->own);
    free(directory);
}
