/* leveldb/options.c: the option objects, cache, env, and what has no other place.
 *
 * Touches:  memory; the test directory.
 * Promise:  what is not set is as LevelDB has it; sizes out of LevelDB's range go to its nearest end.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "leveldb/internal.h"
#include "support/env.h"

/* ---- of a store ---- */

static void init_options(leveldb_options_t *o)
{
    memset(o, 0, sizeof *o);
    lode_store_options_init(&o->store);
    o->store.bloom_bits_per_key = 0;
}

leveldb_options_t *leveldb_options_create(void)
{
    leveldb_options_t *o = malloc(sizeof *o);
    if (o)
        init_options(o);
    return o;
}

void leveldb_options_destroy(leveldb_options_t *options)
{
    free(options);
}

void lode_leveldb_options(lode_store_options *out, lode_leveldb_custom *custom, const leveldb_options_t *options)
{
    leveldb_options_t defaults;
    init_options(&defaults);
    if (!options)
        options = &defaults;
    *out = options->store;
    lode_leveldb_set_custom(out, custom, options->comparator, options->policy);
}

void leveldb_options_set_comparator(leveldb_options_t *options, leveldb_comparator_t *comparator)
{
    options->comparator = comparator;
}
void leveldb_options_set_filter_policy(leveldb_options_t *options, leveldb_filterpolicy_t *policy)
{
    options->policy = policy;
}
void leveldb_options_set_create_if_missing(leveldb_options_t *options, uint8_t yes)
{
    options->store.create_if_missing = yes != 0;
}
void leveldb_options_set_error_if_exists(leveldb_options_t *options, uint8_t yes)
{
    options->store.error_if_exists = yes != 0;
}
void leveldb_options_set_paranoid_checks(leveldb_options_t *options, uint8_t yes)
{
    options->store.paranoid_checks = yes != 0;
}
/* There is one env, and the interface has no way to make a logger. */
void leveldb_options_set_env(leveldb_options_t *options, leveldb_env_t *env)
{
    (void)options, (void)env;
}
void leveldb_options_set_info_log(leveldb_options_t *options, leveldb_logger_t *logger)
{
    (void)options, (void)logger;
}
void leveldb_options_set_write_buffer_size(leveldb_options_t *options, size_t bytes)
{
    options->store.write_buffer_bytes = bytes;
}
void leveldb_options_set_max_open_files(leveldb_options_t *options, int count)
{
    enum { LEAST = 74, MOST = 50000 };
    options->store.max_open_files = count < LEAST ? LEAST : count > MOST ? MOST : count;
}
void leveldb_options_set_cache(leveldb_options_t *options, leveldb_cache_t *cache)
{
    options->store.cache = (lode_cache *)cache;
}
void leveldb_options_set_block_size(leveldb_options_t *options, size_t bytes)
{
    enum { LEAST = 1 << 10 };
    options->store.block_bytes = bytes < LEAST ? LEAST : bytes;
}
void leveldb_options_set_block_restart_interval(leveldb_options_t *options, int keys)
{
    options->store.block_restart_interval = keys;
}
void leveldb_options_set_max_file_size(leveldb_options_t *options, size_t bytes)
{
    enum { LEAST = 1 << 20 };
    options->store.table_bytes = bytes < LEAST ? LEAST : bytes;
}
void leveldb_options_set_compression(leveldb_options_t *options, int compression)
{
    options->store.compression =
        compression == leveldb_snappy_compression ? LODE_COMPRESSION_SNAPPY : LODE_COMPRESSION_NONE;
}

/* ---- of a read or a write ---- */

leveldb_readoptions_t *leveldb_readoptions_create(void)
{
    leveldb_readoptions_t *o = calloc(1, sizeof *o);
    if (o)
        o->fill_cache = true;
    return o;
}
void leveldb_readoptions_destroy(leveldb_readoptions_t *options)
{
    free(options);
}
void leveldb_readoptions_set_verify_checksums(leveldb_readoptions_t *options, uint8_t yes)
{
    options->verify_checksums = yes != 0;
}
void leveldb_readoptions_set_fill_cache(leveldb_readoptions_t *options, uint8_t yes)
{
    options->fill_cache = yes != 0;
}
void leveldb_readoptions_set_snapshot(leveldb_readoptions_t *options, const leveldb_snapshot_t *snapshot)
{
    options->snapshot = snapshot;
}

leveldb_writeoptions_t *leveldb_writeoptions_create(void)
{
    return calloc(1, sizeof(leveldb_writeoptions_t));
}
void leveldb_writeoptions_destroy(leveldb_writeoptions_t *options)
{
    free(options);
}
void leveldb_writeoptions_set_sync(leveldb_writeoptions_t *options, uint8_t yes)
{
    options->sync = yes != 0;
}

/* ---- cache and env ---- */

leveldb_cache_t *leveldb_cache_create_lru(size_t bytes)
{
    return (leveldb_cache_t *)lode_cache_create(bytes);
}
void leveldb_cache_destroy(leveldb_cache_t *cache)
{
    lode_cache_destroy((lode_cache *)cache);
}

struct leveldb_env_t {
    lode_env *env;
};

leveldb_env_t *leveldb_create_default_env(void)
{
    leveldb_env_t *e = malloc(sizeof *e);
    if (e)
        e->env = lode_env_system();
    return e;
}
void leveldb_env_destroy(leveldb_env_t *env)
{
    free(env);
}

char *leveldb_env_get_test_directory(leveldb_env_t *env)
{
    const char *given = getenv("TEST_TMPDIR");
    char path[64];
    if (given && *given)
        return strdup(given);
    snprintf(path, sizeof path, "/tmp/leveldbtest-%d", (int)geteuid());
    lode_ignore(env->env->make_directory(env->env, path)); /* whoever uses it sees that it is not there */
    return strdup(path);
}

/* ---- the rest ---- */

void leveldb_free(void *memory)
{
    free(memory);
}
int leveldb_major_version(void)
{
    return 1;
}
int leveldb_minor_version(void)
{
    return 23;
}
