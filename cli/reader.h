/* cli/reader.h: a command over a directory that nothing writes to. */
#ifndef LODE_CLI_READER_H
#define LODE_CLI_READER_H

#include "cli/console.h"
#include "cli/settings.h"
#include "lode.h"

/* Opens the directory of the settings for reading, runs `act` on it and closes it. Ctrl-C interrupts, and how far a
 * long answer is shows on standard error. Returns the exit status: act's, or that of what failed around it. */
int lode_read_directory(lode_settings *s, int (*act)(lode *handle, const lode_settings *s));

#endif
