/* storage/file_name.h: what the files of a store are called. */
#ifndef LODE_STORAGE_FILE_NAME_H
#define LODE_STORAGE_FILE_NAME_H

#include <stdbool.h>
#include <stdint.h>

typedef enum lode_file_kind {
    LODE_FILE_LOG,       /* 000005.log */
    LODE_FILE_TABLE,     /* 000005.ldb */
    LODE_FILE_OLD_TABLE, /* 000005.sst, as old LevelDB wrote them */
    LODE_FILE_TEMPORARY, /* 000005.dbtmp */
    LODE_FILE_MANIFEST,  /* MANIFEST-000005 */
    LODE_FILE_CURRENT,
    LODE_FILE_LOCK,
    LODE_FILE_INFO_LOG, /* LOG and LOG.old: LevelDB's chatter */
    LODE_FILE_REPAIRED, /* ours: this store was repaired and nobody has looked at it yet */
    LODE_FILE_WIPED,    /* ours: what CURRENT became when the removal of this store began */
    LODE_FILE_UNSYNCED  /* ours: it is, or was when it died, open with logs that are never synced */
} lode_file_kind;

#define LODE_CURRENT_NAME "CURRENT"
#define LODE_LOCK_NAME "LOCK"
#define LODE_REPAIRED_NAME "REPAIRED"
#define LODE_UNSYNCED_NAME "UNSYNCED"
#define LODE_WIPED_NAME "WIPED"

enum { LODE_FILE_NAME_BYTES = 40 }; /* the longest name with its NUL */

/* The bare name; kinds without a number ignore it. */
void lode_file_name(char name[LODE_FILE_NAME_BYTES], lode_file_kind kind, uint64_t number);
/* With the directory, given: free; NULL when memory is out. */
char *lode_file_path(const char *directory, lode_file_kind kind, uint64_t number);
/* False: not a store's file. */
bool lode_file_name_parse(const char *name, lode_file_kind *kind, uint64_t *number);

#endif
