/* cli/setup.h: settings turned into what the library takes. */
#ifndef LODE_CLI_SETUP_H
#define LODE_CLI_SETUP_H

#include "cli/console.h"
#include "cli/settings.h"
#include "lode.h"

/* Strings are lent from the settings, or held here. */
typedef struct lode_setup {
    lode_options options;
    char **chain_options; /* ours */
    size_t chain_option_count;
    char assume_valid[65];
} lode_setup;

/* False with s->error. The log goes to `console`, which is kept. */
bool lode_setup_fill(lode_setup *setup, lode_settings *s, lode_console *console);
void lode_setup_clear(lode_setup *setup);
int lode_setup_thread_count(const lode_setup *setup); /* what 0 means on this machine */

#endif
