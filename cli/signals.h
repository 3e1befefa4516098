/* cli/signals.h: Ctrl-C: once to end cleanly, twice to end at once. */
#ifndef LODE_CLI_SIGNALS_H
#define LODE_CLI_SIGNALS_H

#include <stdbool.h>

#include "lode.h"

/* SIGINT and SIGTERM ask the watched handle to stop; a second one, or one while nothing is watched, ends the process
 * with status 130. What was written before is kept either way. */
void lode_signals_install(void);
void lode_signals_watch(lode *handle); /* kept; NULL: nothing is watched */
bool lode_signals_came(void);

#endif
