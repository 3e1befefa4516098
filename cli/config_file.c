/* cli/config_file.c: bitcoin.conf.
 *
 *     # everything after a number sign is a comment
 *     txindex=1
 *     regtest.dbcache=100
 *     [regtest]
 *     par=2
 *
 * Room:     lines, sections, included files.
 * Touches:  the files named, reading.
 * Source:   Core's common/config.cpp.
 */
#include "cli/config_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES_MAX = 1 << 20 };

static char *trim(char *text)
{
    char *end;

    while (*text == ' ' || *text == '\t' || *text == '\r')
        text++;
    end = text + strlen(text);
    while (end > text && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        end--;
    *end = '\0';
    return text;
}

static bool keep_include(lode_settings *s, char ***includes, size_t *count, const char *value)
{
    char **bigger = realloc(*includes, (*count + 1) * sizeof *bigger);
    char *copy = strdup(value);

    if (bigger)
        *includes = bigger;
    if (!bigger || !copy) {
        free(copy);
        return lode_settings_fail(s, "out of memory");
    }
    bigger[(*count)++] = copy;
    return true;
}

bool lode_config_parse(lode_settings *s, const char *path, char *text, char ***includes, size_t *include_count)
{
    char section[16] = "";
    int line_number = 0;
    bool known;

    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        line_number++;
        line[strcspn(line, "#")] = '\0';
        line = trim(line);
        size_t len = strlen(line);
        if (len == 0)
            continue;
        if (*line == '[' && line[len - 1] == ']') {
            snprintf(section, sizeof section, "%.*s", (int)len - 2, line + 1);
            continue;
        }
        char *equals = strchr(line, '=');
        if (!equals)
            return lode_settings_fail(s, "%s, line %d: \"%s\" is no setting: write name=value", path, line_number,
                                      line);
        if (*line == '-')
            return lode_settings_fail(s, "%s, line %d: %s: settings in a file have no leading dash", path, line_number,
                                      line);
        *equals = '\0';
        char *name = trim(line);
        char *value = trim(equals + 1);
        char place[16];
        snprintf(place, sizeof place, "%s", section);
        char *dot = strchr(name, '.');
        if (dot) {
            snprintf(place, sizeof place, "%.*s", (int)(dot - name), name);
            name = dot + 1;
        }
        if (includes && strcmp(name, "includeconf") == 0) {
            if ((place[0] == '\0' || strcmp(place, s->network) == 0) &&
                !keep_include(s, includes, include_count, value))
                return false;
            continue;
        }
        if (!lode_settings_add(s, &known, place, name, strlen(name), value))
            return false;
    }
    return true;
}

/* *text is given; NULL when the file is absent and need not be there. */
static bool read_whole_file(lode_settings *s, char **text, const char *path, bool must_exist)
{
    FILE *file = fopen(path, "r");
    char *bytes = malloc(FILE_BYTES_MAX + 1);
    size_t len;

    *text = NULL;
    if (!file) {
        free(bytes);
        if (errno == ENOENT && !must_exist)
            return true;
        return lode_settings_fail(s, "cannot read settings from %s: %s", path, strerror(errno));
    }
    len = bytes ? fread(bytes, 1, FILE_BYTES_MAX + 1, file) : 0;
    if (!bytes || ferror(file) || len > FILE_BYTES_MAX) {
        lode_settings_fail(s, "cannot read settings from %s: %s", path,
                           !bytes         ? "out of memory"
                           : ferror(file) ? strerror(errno)
                                          : "the file is larger than 1 MiB");
        fclose(file);
        free(bytes);
        return false;
    }
    fclose(file);
    bytes[len] = '\0';
    *text = bytes;
    return true;
}

/* `path` counts from the data directory unless it is absolute. Given; NULL when memory is out. */
static char *place_in_datadir(const lode_settings *s, const char *path)
{
    const char *datadir = lode_settings_text(s, "datadir");
    char *whole = NULL;

    if (path[0] == '/' || !datadir)
        return strdup(path);
    return asprintf(&whole, "%s/%s", datadir, path) < 0 ? NULL : whole;
}

static bool read_file(lode_settings *s, const char *name, bool must_exist, char ***includes, size_t *include_count)
{
    char *path = place_in_datadir(s, name);
    char *text = NULL;
    bool good = path ? read_whole_file(s, &text, path, must_exist) : lode_settings_fail(s, "out of memory");

    if (good && text)
        good = lode_config_parse(s, path, text, includes, include_count);
    free(text);
    free(path);
    return good;
}

bool lode_config_read(lode_settings *s)
{
    const char *named = lode_settings_text(s, "conf");
    bool is_off = named && strcmp(named, "0") == 0; /* -noconf */
    char **includes = NULL;
    size_t include_count = 0;
    bool good = lode_settings_choose_network(s);

    if (good && !is_off && (named || lode_settings_has(s, "datadir")))
        good = read_file(s, named ? named : "bitcoin.conf", named != NULL, &includes, &include_count);
    if (good)
        good = lode_settings_choose_network(s);
    for (size_t i = 0; i < include_count; i++) {
        if (good)
            good = read_file(s, includes[i], true, NULL, NULL);
        free(includes[i]);
    }
    free(includes);
    return good && lode_settings_choose_network(s);
}
