/* bench/common/options.c: numbers with units, and programs that lie beside this one. */
#include "bench/common/options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 0: there is no such unit. */
static uint64_t unit_of(const char *text, lode_units units)
{
    static const char letters[] = "KMG";
    const char *at = *text ? strchr(letters, toupper((unsigned char)*text)) : NULL;
    bool is_binary = *text && strcmp(text + 1, "iB") == 0;
    uint64_t unit = 1;

    if (!*text)
        return 1;
    if (units == LODE_UNITS_NONE || !at || (text[1] && !(is_binary && units == LODE_UNITS_ALL)))
        return 0;
    for (const char *l = letters; l <= at; l++)
        unit *= is_binary ? 1024 : 1000;
    return unit;
}

bool lode_option_number(uint64_t *n, const char *text, lode_units units, uint64_t most)
{
    uint64_t value, unit;
    char *end;

    if (!isdigit((unsigned char)*text))
        return false;
    value = strtoull(text, &end, 10);
    unit = unit_of(end, units);
    return unit && !__builtin_mul_overflow(value, unit, n) && *n <= most;
}

bool lode_option_int(int *n, const char *text, lode_units units, int least, int most)
{
    uint64_t value;

    if (!lode_option_number(&value, text, units, (uint64_t)most) || value < (uint64_t)least)
        return false;
    *n = (int)value;
    return true;
}

const char *lode_program_beside(char path[LODE_PROGRAM_PATH_MAX], const char *name)
{
    char own[4096];
    ssize_t len = readlink("/proc/self/exe", own, sizeof own - 1);

    own[len > 0 ? len : 0] = '\0';
    for (int up = 0; up < 3; up++) {
        char *slash = strrchr(own, '/');
        if (!slash)
            break;
        *slash = '\0';
        snprintf(path, LODE_PROGRAM_PATH_MAX, "%s/%s", own, name);
        if (strcmp(slash + 1, ".libs") != 0 && access(path, X_OK) == 0)
            return path;
    }
    return name;
}
