/* cli/settings.h: values of options, from the command line and from configuration files, by Core's order of precedence.
 *
 * Command line first (the last one given counts), then the network's section of the file, then what stands outside any
 * section (there the first one counts).
 */
#ifndef LODE_CLI_SETTINGS_H
#define LODE_CLI_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/options.h"

typedef enum lode_setting_source { LODE_FROM_COMMAND_LINE, LODE_FROM_SECTION, LODE_FROM_FILE } lode_setting_source;

typedef struct lode_setting {
    const lode_option *option;
    char *value; /* ours */
    bool is_negated;
    bool is_from_file;
    char section[16]; /* of a file; "": outside any */
} lode_setting;

typedef struct lode_settings {
    lode_setting *list;
    size_t count, capacity;
    const char **words; /* the command and its arguments, lent from argv */
    size_t word_count;
    const char *network; /* static; main until lode_settings_choose_network */
    char error[512];     /* why the last call returned false */
} lode_settings;

void lode_settings_init(lode_settings *s);
void lode_settings_clear(lode_settings *s);
bool lode_settings_fail(lode_settings *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* argv[0] is skipped. One or two dashes; options before or after the command; "--" ends them; "-" and negative numbers
 * are words. False with s->error on an unknown option. argv is kept. */
bool lode_settings_parse(lode_settings *s, int argc, char **argv);
/* One option by its name with or without "no". *known false: no such option. section NULL: from the command line. */
bool lode_settings_add(lode_settings *s, bool *known, const char *section, const char *name, size_t name_len,
                       const char *value);
/* -chain, -testnet and their like, from the command line or outside any section. False when they contradict. */
bool lode_settings_choose_network(lode_settings *s);

bool lode_settings_has(const lode_settings *s, const char *name);
/* Lent; NULL when not given; "0" when negated. */
const char *lode_settings_text(const lode_settings *s, const char *name);
bool lode_settings_bool(const lode_settings *s, const char *name, bool fallback);
/* False with s->error unless the value is a whole number in [low, high]. */
bool lode_settings_integer(lode_settings *s, int64_t *value, const char *name, int64_t fallback, int64_t low,
                           int64_t high);
/* The i-th value of a list, NULL past the end. */
const char *lode_settings_item(const lode_settings *s, const char *name, size_t i);

#endif
