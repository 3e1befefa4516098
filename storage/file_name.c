/* storage/file_name.c: making and reading the names of a store's files.
 *
 * Touches:  memory only.
 */
#include "storage/file_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "support/env.h"

void lode_file_name(char name[LODE_FILE_NAME_BYTES], lode_file_kind kind, uint64_t number)
{
    switch (kind) {
    case LODE_FILE_LOG:
        snprintf(name, LODE_FILE_NAME_BYTES, "%06" PRIu64 ".log", number);
        return;
    case LODE_FILE_TABLE:
        snprintf(name, LODE_FILE_NAME_BYTES, "%06" PRIu64 ".ldb", number);
        return;
    case LODE_FILE_OLD_TABLE:
        snprintf(name, LODE_FILE_NAME_BYTES, "%06" PRIu64 ".sst", number);
        return;
    case LODE_FILE_TEMPORARY:
        snprintf(name, LODE_FILE_NAME_BYTES, "%06" PRIu64 ".dbtmp", number);
        return;
    case LODE_FILE_MANIFEST:
        snprintf(name, LODE_FILE_NAME_BYTES, "MANIFEST-%06" PRIu64, number);
        return;
    case LODE_FILE_CURRENT:
        snprintf(name, LODE_FILE_NAME_BYTES, "%s", LODE_CURRENT_NAME);
        return;
    case LODE_FILE_LOCK:
        snprintf(name, LODE_FILE_NAME_BYTES, "%s", LODE_LOCK_NAME);
        return;
    case LODE_FILE_INFO_LOG:
        snprintf(name, LODE_FILE_NAME_BYTES, "LOG");
        return;
    case LODE_FILE_REPAIRED:
        snprintf(name, LODE_FILE_NAME_BYTES, "%s", LODE_REPAIRED_NAME);
        return;
    case LODE_FILE_UNSYNCED:
        snprintf(name, LODE_FILE_NAME_BYTES, "%s", LODE_UNSYNCED_NAME);
        return;
    case LODE_FILE_WIPED:
        snprintf(name, LODE_FILE_NAME_BYTES, "%s", LODE_WIPED_NAME);
        return;
    }
}

char *lode_file_path(const char *directory, lode_file_kind kind, uint64_t number)
{
    char name[LODE_FILE_NAME_BYTES];
    lode_file_name(name, kind, number);
    return lode_path_join(directory, name);
}

/* Digits from `name` on; the rest is what follows them. NULL: none, or more than 64 bits. */
static const char *parse_number(const char *name, uint64_t *number)
{
    const char *p = name;
    *number = 0;
    for (; *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(*number, (uint64_t)10, number) ||
            __builtin_add_overflow(*number, (uint64_t)(*p - '0'), number))
            return NULL;
    return p == name ? NULL : p;
}

bool lode_file_name_parse(const char *name, lode_file_kind *kind, uint64_t *number)
{
    static const struct {
        const char *name;
        lode_file_kind kind;
    } fixed[] = { { LODE_CURRENT_NAME, LODE_FILE_CURRENT },
                  { LODE_LOCK_NAME, LODE_FILE_LOCK },
                  { "LOG", LODE_FILE_INFO_LOG },
                  { "LOG.old", LODE_FILE_INFO_LOG },
                  { LODE_REPAIRED_NAME, LODE_FILE_REPAIRED },
                  { LODE_UNSYNCED_NAME, LODE_FILE_UNSYNCED },
                  { LODE_WIPED_NAME, LODE_FILE_WIPED } },
      endings[] = { { ".log", LODE_FILE_LOG },
                    { ".ldb", LODE_FILE_TABLE },
                    { ".sst", LODE_FILE_OLD_TABLE },
                    { ".dbtmp", LODE_FILE_TEMPORARY } };
    static const char manifest[] = "MANIFEST-";
    const char *rest;
    *number = 0;
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        if (strcmp(name, fixed[i].name) == 0) {
            *kind = fixed[i].kind;
            return true;
        }
    if (strncmp(name, manifest, sizeof manifest - 1) == 0) {
        *kind = LODE_FILE_MANIFEST;
        rest = parse_number(name + sizeof manifest - 1, number);
        return rest && *rest == '\0';
    }
    rest = parse_number(name, number);
    for (size_t i = 0; rest && i < sizeof endings / sizeof endings[0]; i++)
        if (strcmp(rest, endings[i].name) == 0) {
            *kind = endings[i].kind;
            return true;
        }
    return false;
}
