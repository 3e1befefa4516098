/* cli/step_meter.h: how far a long answer is, in a line. */
#ifndef LODE_CLI_STEP_METER_H
#define LODE_CLI_STEP_METER_H

#include <stdint.h>

#include "cli/console.h"

typedef struct lode_step_meter {
    lode_console *console; /* kept */
    uint64_t started_ns;
    uint64_t shown_ns;
} lode_step_meter;

void lode_step_meter_init(lode_step_meter *m, lode_console *console);
/* For lode_set_progress: a live line on a terminal, else a line every ten seconds; none for what is done sooner. */
void lode_step_meter_show(void *meter, const char *what, uint64_t done, uint64_t total);

#endif
