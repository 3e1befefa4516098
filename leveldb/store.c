/* leveldb/store.c: opening, reading, writing and upkeep of a store under LevelDB's names.
 *
 * Touches:  the store; its directory, of which one level is made, as LevelDB does.
 * Threads:  any, as with lode/store.h.
 */
#include <stdlib.h>
#include <string.h>

#include "leveldb/internal.h"
#include "storage/file_name.h"
#include "support/env.h"

/* ---- opening and closing ---- */

/* What the path lies in must be there, and at the path a folder or nothing. */
static lode_status check_place(const char *path)
{
    lode_env *env = lode_env_system();
    lode_file_info info;
    bool exists = true;
    if (!path || !*path)
        return lode_fail(LODE_MISSING, "no path");
    char *parent = strdup(path);
    if (!parent)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a path", path);
    size_t len = strlen(parent);
    while (len > 1 && parent[len - 1] == '/')
        len--;
    while (len && parent[len - 1] != '/')
        len--;
    parent[len] = '\0';
    lode_status s = len ? env->path_info(env, &exists, &info, parent) : lode_ok();
    free(parent);
    LODE_TRY(s);
    if (!exists)
        return lode_fail(LODE_MISSING, "%s: the folder that it is in does not exist", path);
    LODE_TRY(env->path_info(env, &exists, &info, path));
    if (exists && !info.is_directory)
        return lode_fail(LODE_IO, "%s: not a folder", path);
    return lode_ok();
}

static lode_status open_store(leveldb_t *db, const char *path, const leveldb_options_t *options)
{
    lode_store_options o;
    lode_env *env = lode_env_system();
    lode_leveldb_options(&o, &db->custom, options);
    LODE_TRY(check_place(path));
    if (o.create_if_missing)
        LODE_TRY(env->make_directory(env, path));
    lode_status s = lode_store_open(&db->store, path, &o);
    if (s.code == LODE_MISSING && !o.create_if_missing)
        s.code = LODE_INVALID_ARGUMENT; /* the caller could have asked for one to be made */
    return s;
}

leveldb_t *leveldb_open(const leveldb_options_t *options, const char *path, char **error)
{
    lode_leveldb_keep_spare_error();
    leveldb_t *db = calloc(1, sizeof *db);
    lode_status s = db ? open_store(db, path, options) : lode_fail(LODE_NO_MEMORY, "%s: no memory to open it", path);
    if (lode_leveldb_take_error(error, s)) {
        free(db);
        return NULL;
    }
    lode_mutex_init(&db->lock);
    return db;
}

void leveldb_close(leveldb_t *db)
{
    if (!db)
        return;
    lode_leveldb_orphan_iterators(db);
    lode_leveldb_release_snapshots(db);
    lode_ignore(lode_store_close(db->store)); /* LevelDB's way: what must not be lost is written with sync */
    lode_mutex_clear(&db->lock);
    free(db);
}

/* ---- writing and reading ---- */

/* The store refuses NULL with an error. */
static lode_store *store_of(const leveldb_t *db)
{
    return db ? db->store : NULL;
}

static bool is_synced(const leveldb_writeoptions_t *options)
{
    return options && options->sync;
}

void leveldb_put(leveldb_t *db, const leveldb_writeoptions_t *options, const char *key, size_t key_len,
                 const char *value, size_t value_len, char **error)
{
    lode_leveldb_take_error(error, lode_store_put(store_of(db), key, key_len, value, value_len, is_synced(options)));
}

void leveldb_delete(leveldb_t *db, const leveldb_writeoptions_t *options, const char *key, size_t key_len, char **error)
{
    lode_leveldb_take_error(error, lode_store_delete(store_of(db), key, key_len, is_synced(options)));
}

void leveldb_write(leveldb_t *db, const leveldb_writeoptions_t *options, leveldb_writebatch_t *batch, char **error)
{
    lode_leveldb_take_error(error, lode_store_write(store_of(db), (lode_batch *)batch, is_synced(options)));
}

char *leveldb_get(leveldb_t *db, const leveldb_readoptions_t *options, const char *key, size_t key_len,
                  size_t *value_len, char **error)
{
    const leveldb_snapshot_t *snapshot = options ? options->snapshot : NULL;
    void *value = NULL;
    size_t len = 0;
    int found;
    lode_status s =
        lode_store_get(store_of(db), &found, &value, &len, key, key_len, snapshot ? snapshot->snapshot : NULL);
    lode_leveldb_take_error(error, s);
    if (value_len)
        *value_len = len;
    return value;
}

/* ---- upkeep ---- */

char *leveldb_property_value(leveldb_t *db, const char *name)
{
    return lode_store_property(store_of(db), name);
}

void leveldb_approximate_sizes(leveldb_t *db, int count, const char *const *starts, const size_t *start_lens,
                               const char *const *limits, const size_t *limit_lens, uint64_t *sizes)
{
    for (int i = 0; i < count; i++) {
        lode_bytes start = { starts[i], start_lens[i] }, limit = { limits[i], limit_lens[i] };
        sizes[i] = 0;
        lode_ignore(lode_store_approximate_sizes(store_of(db), 1, &start, &limit, &sizes[i])); /* no way to tell */
    }
}

void leveldb_compact_range(leveldb_t *db, const char *start, size_t start_len, const char *limit, size_t limit_len)
{
    /* No way to tell; a store that has failed tells at the next write. */
    lode_ignore(lode_store_compact_range(store_of(db), start, start_len, limit, limit_len));
}

void leveldb_destroy_db(const leveldb_options_t *options, const char *path, char **error)
{
    lode_store_options o;
    lode_leveldb_custom custom;
    lode_leveldb_options(&o, &custom, options);
    lode_leveldb_take_error(error, lode_store_destroy(path, &o));
}

/* The store marks what it has repaired, and refuses it until somebody has looked. Whoever repairs through LevelDB's
 * interface expects to go on. */
static lode_status repair(const char *path, const lode_store_options *o)
{
    lode_env *env = lode_env_system();
    LODE_TRY(check_place(path));
    LODE_TRY(env->make_directory(env, path));
    LODE_TRY(lode_store_repair(path, o));
    char *mark = lode_file_path(path, LODE_FILE_REPAIRED, 0);
    if (!mark)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a file name", path);
    lode_status s = env->remove(env, mark);
    free(mark);
    return s;
}

void leveldb_repair_db(const leveldb_options_t *options, const char *path, char **error)
{
    lode_store_options o;
    lode_leveldb_custom custom;
    lode_leveldb_options(&o, &custom, options);
    lode_leveldb_take_error(error, repair(path, &o));
}
