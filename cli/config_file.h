/* cli/config_file.h: bitcoin.conf. */
#ifndef LODE_CLI_CONFIG_FILE_H
#define LODE_CLI_CONFIG_FILE_H

#include "cli/settings.h"

/* Reads -conf, or bitcoin.conf in the data directory when it is there, and the files it includes. Keys that Lode does
 * not know are ignored. False with s->error when a named file cannot be read or a line cannot be understood. */
bool lode_config_read(lode_settings *s);
/* One file's text; `path` is for messages. `includes` collects includeconf values, malloc'd, or is NULL. */
bool lode_config_parse(lode_settings *s, const char *path, char *text, char ***includes, size_t *include_count);

#endif
