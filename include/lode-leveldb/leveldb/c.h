/* lode-leveldb/leveldb/c.h: LevelDB's C interface, as liblode-leveldb has it.
 *
 * For programs that are written against LevelDB's own leveldb/c.h and are to be built where that is not installed;
 * where it is, it serves as well: the two agree, and a test holds them against each other.
 *
 * Words for ownership are those of lode/store.h. In short:
 *   errors    `error` points to NULL or to malloc'd text. A failure frees that and puts malloc'd text in its place;
 *             success leaves it alone. Text begins with "NotFound: ", "Corruption: ", "Not implemented: ",
 *             "Invalid argument: " or "IO error: ".
 *   values    what leveldb_get and leveldb_property_value return is given: leveldb_free.
 *   keys      of iterators, and their values, are lent until the iterator moves; they do not end with a NUL.
 *   objects   comparator, filter policy, cache and env are kept by every store that was opened with them; options are
 *             borrowed by leveldb_open, and read and write options by each call.
 *   booleans  are uint8_t, 0 or not.
 */
#ifndef LODE_LEVELDB_C_H
#define LODE_LEVELDB_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define LODE_LEVELDB_API __attribute__((visibility("default")))
#else
#define LODE_LEVELDB_API
#endif

typedef struct leveldb_t leveldb_t;
typedef struct leveldb_cache_t leveldb_cache_t;
typedef struct leveldb_comparator_t leveldb_comparator_t;
typedef struct leveldb_env_t leveldb_env_t;
typedef struct leveldb_filelock_t leveldb_filelock_t;
typedef struct leveldb_filterpolicy_t leveldb_filterpolicy_t;
typedef struct leveldb_iterator_t leveldb_iterator_t;
typedef struct leveldb_logger_t leveldb_logger_t;
typedef struct leveldb_options_t leveldb_options_t;
typedef struct leveldb_randomfile_t leveldb_randomfile_t;
typedef struct leveldb_readoptions_t leveldb_readoptions_t;
typedef struct leveldb_seqfile_t leveldb_seqfile_t;
typedef struct leveldb_snapshot_t leveldb_snapshot_t;
typedef struct leveldb_writablefile_t leveldb_writablefile_t;
typedef struct leveldb_writebatch_t leveldb_writebatch_t;
typedef struct leveldb_writeoptions_t leveldb_writeoptions_t;

/* ---- the store ---- */

/* NULL on failure. Given: leveldb_close. */
LODE_LEVELDB_API leveldb_t *leveldb_open(const leveldb_options_t *options, const char *path, char **error);
/* Iterators and snapshots are to be gone by then. Of those that are not, iterators are not valid any more, with an
 * error, and may still be destroyed; snapshots are released. */
LODE_LEVELDB_API void leveldb_close(leveldb_t *db);
LODE_LEVELDB_API void leveldb_put(leveldb_t *db, const leveldb_writeoptions_t *options, const char *key, size_t key_len,
                                  const char *value, size_t value_len, char **error);
LODE_LEVELDB_API void leveldb_delete(leveldb_t *db, const leveldb_writeoptions_t *options, const char *key,
                                     size_t key_len, char **error);
/* The batch stays the caller's, and may be written again. */
LODE_LEVELDB_API void leveldb_write(leveldb_t *db, const leveldb_writeoptions_t *options, leveldb_writebatch_t *batch,
                                    char **error);
/* NULL and length 0: there is no such key, or it failed. */
LODE_LEVELDB_API char *leveldb_get(leveldb_t *db, const leveldb_readoptions_t *options, const char *key, size_t key_len,
                                   size_t *value_len, char **error);
LODE_LEVELDB_API leveldb_iterator_t *leveldb_create_iterator(leveldb_t *db, const leveldb_readoptions_t *options);
LODE_LEVELDB_API const leveldb_snapshot_t *leveldb_create_snapshot(leveldb_t *db);
LODE_LEVELDB_API void leveldb_release_snapshot(leveldb_t *db, const leveldb_snapshot_t *snapshot);
/* NULL: no such property. */
LODE_LEVELDB_API char *leveldb_property_value(leveldb_t *db, const char *name);
/* Bytes of the files that hold [start, limit). */
LODE_LEVELDB_API void leveldb_approximate_sizes(leveldb_t *db, int count, const char *const *starts,
                                                const size_t *start_lens, const char *const *limits,
                                                const size_t *limit_lens, uint64_t *sizes);
/* NULL: from the first key, or to the last. */
LODE_LEVELDB_API void leveldb_compact_range(leveldb_t *db, const char *start, size_t start_len, const char *limit,
                                            size_t limit_len);
/* A store that is not there is destroyed already. */
LODE_LEVELDB_API void leveldb_destroy_db(const leveldb_options_t *options, const char *path, char **error);
LODE_LEVELDB_API void leveldb_repair_db(const leveldb_options_t *options, const char *path, char **error);

/* ---- iterators ---- */

LODE_LEVELDB_API void leveldb_iter_destroy(leveldb_iterator_t *it);
LODE_LEVELDB_API uint8_t leveldb_iter_valid(const leveldb_iterator_t *it);
LODE_LEVELDB_API void leveldb_iter_seek_to_first(leveldb_iterator_t *it);
LODE_LEVELDB_API void leveldb_iter_seek_to_last(leveldb_iterator_t *it);
LODE_LEVELDB_API void leveldb_iter_seek(leveldb_iterator_t *it, const char *key, size_t key_len); /* first >= key */
LODE_LEVELDB_API void leveldb_iter_next(leveldb_iterator_t *it);
LODE_LEVELDB_API void leveldb_iter_prev(leveldb_iterator_t *it);
LODE_LEVELDB_API const char *leveldb_iter_key(const leveldb_iterator_t *it, size_t *key_len);
LODE_LEVELDB_API const char *leveldb_iter_value(const leveldb_iterator_t *it, size_t *value_len);
LODE_LEVELDB_API void leveldb_iter_get_error(const leveldb_iterator_t *it, char **error);

/* ---- batches ---- */

LODE_LEVELDB_API leveldb_writebatch_t *leveldb_writebatch_create(void);
LODE_LEVELDB_API void leveldb_writebatch_destroy(leveldb_writebatch_t *batch);
LODE_LEVELDB_API void leveldb_writebatch_clear(leveldb_writebatch_t *batch);
LODE_LEVELDB_API void leveldb_writebatch_put(leveldb_writebatch_t *batch, const char *key, size_t key_len,
                                             const char *value, size_t value_len);
LODE_LEVELDB_API void leveldb_writebatch_delete(leveldb_writebatch_t *batch, const char *key, size_t key_len);
LODE_LEVELDB_API void leveldb_writebatch_iterate(const leveldb_writebatch_t *batch, void *state,
                                                 void (*put)(void *state, const char *key, size_t key_len,
                                                             const char *value, size_t value_len),
                                                 void (*deleted)(void *state, const char *key, size_t key_len));
LODE_LEVELDB_API void leveldb_writebatch_append(leveldb_writebatch_t *to, const leveldb_writebatch_t *from);

/* ---- options ---- */

LODE_LEVELDB_API leveldb_options_t *leveldb_options_create(void);
LODE_LEVELDB_API void leveldb_options_destroy(leveldb_options_t *options);
LODE_LEVELDB_API void leveldb_options_set_comparator(leveldb_options_t *options, leveldb_comparator_t *comparator);
LODE_LEVELDB_API void leveldb_options_set_filter_policy(leveldb_options_t *options, leveldb_filterpolicy_t *policy);
LODE_LEVELDB_API void leveldb_options_set_create_if_missing(leveldb_options_t *options, uint8_t yes);
LODE_LEVELDB_API void leveldb_options_set_error_if_exists(leveldb_options_t *options, uint8_t yes);
LODE_LEVELDB_API void leveldb_options_set_paranoid_checks(leveldb_options_t *options, uint8_t yes);
LODE_LEVELDB_API void leveldb_options_set_env(leveldb_options_t *options, leveldb_env_t *env);
LODE_LEVELDB_API void leveldb_options_set_info_log(leveldb_options_t *options, leveldb_logger_t *logger);
LODE_LEVELDB_API void leveldb_options_set_write_buffer_size(leveldb_options_t *options, size_t bytes);
LODE_LEVELDB_API void leveldb_options_set_max_open_files(leveldb_options_t *options, int count);
LODE_LEVELDB_API void leveldb_options_set_cache(leveldb_options_t *options, leveldb_cache_t *cache);
LODE_LEVELDB_API void leveldb_options_set_block_size(leveldb_options_t *options, size_t bytes);
LODE_LEVELDB_API void leveldb_options_set_block_restart_interval(leveldb_options_t *options, int keys);
LODE_LEVELDB_API void leveldb_options_set_max_file_size(leveldb_options_t *options, size_t bytes);
LODE_LEVELDB_API void leveldb_options_set_compression(leveldb_options_t *options, int compression);
#ifndef STORAGE_LEVELDB_INCLUDE_C_H_ /* LevelDB's own header, if it came first, has named these */
enum { leveldb_no_compression = 0, leveldb_snappy_compression = 1 };
#endif

/* ---- a caller's order of keys ---- */

/* `destructor` is called by leveldb_comparator_destroy. `name` is asked once for each open. */
LODE_LEVELDB_API leveldb_comparator_t *
leveldb_comparator_create(void *state, void (*destructor)(void *state),
                          int (*compare)(void *state, const char *a, size_t a_len, const char *b, size_t b_len),
                          const char *(*name)(void *state));
LODE_LEVELDB_API void leveldb_comparator_destroy(leveldb_comparator_t *comparator);

/* ---- a caller's filters ---- */

/* `create_filter` returns malloc'd memory, taken. */
LODE_LEVELDB_API leveldb_filterpolicy_t *leveldb_filterpolicy_create(
    void *state, void (*destructor)(void *state),
    char *(*create_filter)(void *state, const char *const *keys, const size_t *key_lens, int count, size_t *filter_len),
    uint8_t (*key_may_match)(void *state, const char *key, size_t key_len, const char *filter, size_t filter_len),
    const char *(*name)(void *state));
LODE_LEVELDB_API void leveldb_filterpolicy_destroy(leveldb_filterpolicy_t *policy);
LODE_LEVELDB_API leveldb_filterpolicy_t *leveldb_filterpolicy_create_bloom(int bits_per_key);

/* ---- reading and writing ---- */

LODE_LEVELDB_API leveldb_readoptions_t *leveldb_readoptions_create(void);
LODE_LEVELDB_API void leveldb_readoptions_destroy(leveldb_readoptions_t *options);
LODE_LEVELDB_API void leveldb_readoptions_set_verify_checksums(leveldb_readoptions_t *options, uint8_t yes);
LODE_LEVELDB_API void leveldb_readoptions_set_fill_cache(leveldb_readoptions_t *options, uint8_t yes);
LODE_LEVELDB_API void leveldb_readoptions_set_snapshot(leveldb_readoptions_t *options,
                                                       const leveldb_snapshot_t *snapshot);
LODE_LEVELDB_API leveldb_writeoptions_t *leveldb_writeoptions_create(void);
LODE_LEVELDB_API void leveldb_writeoptions_destroy(leveldb_writeoptions_t *options);
LODE_LEVELDB_API void leveldb_writeoptions_set_sync(leveldb_writeoptions_t *options, uint8_t yes);

/* ---- the rest ---- */

LODE_LEVELDB_API leveldb_cache_t *leveldb_cache_create_lru(size_t bytes);
LODE_LEVELDB_API void leveldb_cache_destroy(leveldb_cache_t *cache);
LODE_LEVELDB_API leveldb_env_t *leveldb_create_default_env(void);
LODE_LEVELDB_API void leveldb_env_destroy(leveldb_env_t *env);
/* $TEST_TMPDIR, or a directory in /tmp for this user, which is made. Given: leveldb_free. */
LODE_LEVELDB_API char *leveldb_env_get_test_directory(leveldb_env_t *env);
LODE_LEVELDB_API void leveldb_free(void *memory);
/* Of the LevelDB whose interface this is. */
LODE_LEVELDB_API int leveldb_major_version(void);
LODE_LEVELDB_API int leveldb_minor_version(void);

#ifdef __cplusplus
}
#endif
#endif
