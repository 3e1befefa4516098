/* storage/version_edit.h: one change of the set of tables, a record of the manifest.
 *
 * Record:  tag varint, then its content, in any order
 *     1 comparator name, prefixed        2 number of the oldest log that is needed     3 next file number
 *     4 last sequence                    5 level, compact pointer, prefixed            6 level, number: table removed
 *     7 level, number, bytes, smallest, largest (prefixed internal keys): table added  9 number of the log before
 *     02 05 03 07 04 2a  log 5, next file 7, last sequence 42
 * A manifest of ours names its comparator twice in a row, which means once to LevelDB, and here that the logs it needs
 * have marks (log_format.h).
 */
#ifndef LODE_STORAGE_VERSION_EDIT_H
#define LODE_STORAGE_VERSION_EDIT_H

#include "storage/table_cache.h"

typedef struct lode_edit_file {
    int level;
    lode_file_meta *file; /* a reference of the edit's */
} lode_edit_file;

typedef struct lode_edit_removal {
    int level;
    uint64_t number;
} lode_edit_removal;

typedef struct lode_edit_pointer {
    int level;
    size_t at, len; /* in `keys` */
} lode_edit_pointer;

typedef struct lode_version_edit {
    bool marks_logs; /* the comparator's name stands there twice */
    bool has_comparator, has_log_number, has_prev_log_number, has_next_file, has_last_sequence;
    char comparator[256]; /* a longer name is not read */
    uint64_t log_number, prev_log_number, next_file, last_sequence;
    lode_edit_file *added;
    size_t added_count, added_capacity;
    lode_edit_removal *removed;
    size_t removed_count, removed_capacity;
    lode_edit_pointer *pointers;
    size_t pointer_count, pointer_capacity;
    lode_buf keys;
    bool failed; /* memory ran out */
} lode_version_edit;

void lode_version_edit_init(lode_version_edit *e);
void lode_version_edit_clear(lode_table_cache *c, lode_version_edit *e);
/* A reference of `f` is taken, also on failure. */
void lode_version_edit_add(lode_version_edit *e, int level, lode_file_meta *f);
void lode_version_edit_remove(lode_version_edit *e, int level, uint64_t number);
void lode_version_edit_set_pointer(lode_version_edit *e, int level, lode_slice internal);
lode_slice lode_version_edit_pointer_key(const lode_version_edit *e, size_t i);

void lode_version_edit_encode(const lode_version_edit *e, lode_buf *out);
/* Fills an edit that was just initialised. LODE_CORRUPT tells what does not decode; `e` is then to be cleared. */
lode_status lode_version_edit_decode(lode_version_edit *e, lode_slice record);

#endif
