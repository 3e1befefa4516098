/* leveldb/error.c: a status as LevelDB's C interface tells it: malloc'd text that begins with the kind of error.
 *
 * Touches:  memory only.
 * Threads:  any.
 * Promise:  a failure is told also when there is no memory to tell it with, once: NULL would say that all is well.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "leveldb/internal.h"

static const char *kind_of(int32_t code)
{
    switch ((lode_code)code) {
    case LODE_CORRUPT:
        return "Corruption";
    case LODE_INVALID_ARGUMENT:
    case LODE_EXISTS:
        return "Invalid argument";
    case LODE_UNSUPPORTED:
        return "Not implemented";
    case LODE_MISSING:
        return "NotFound";
    case LODE_OK:
    case LODE_IO:
    case LODE_NO_SPACE:
    case LODE_LOCKED:
    case LODE_NO_MEMORY:
    case LODE_CANCELLED:
    case LODE_BUG:
        break;
    }
    return "IO error";
}

static _Atomic(char *) spare;

void lode_leveldb_keep_spare_error(void)
{
    char *unused = NULL;
    char *text = atomic_load(&spare) ? NULL : strdup("IO error: memory ran out");
    if (text && !atomic_compare_exchange_strong(&spare, &unused, text))
        free(text);
}

bool lode_leveldb_take_error(char **error, lode_status s)
{
    char text[sizeof s.text + 32];
    if (!lode_failed(s))
        return false;
    if (!error)
        return true;
    snprintf(text, sizeof text, "%s: %s", kind_of(s.code), s.text);
    free(*error);
    *error = strdup(text);
    if (!*error)
        *error = atomic_exchange(&spare, NULL);
    else
        lode_leveldb_keep_spare_error();
    return true;
}
