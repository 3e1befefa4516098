/* cli/progress.h: how far an import is, in a line. */
#ifndef LODE_CLI_PROGRESS_H
#define LODE_CLI_PROGRESS_H

#include "cli/console.h"
#include "lode.h"

enum { LODE_PROGRESS_SAMPLES = 64 };

typedef struct lode_progress_sample {
    uint64_t elapsed_ns, blocks, inputs;
    double fraction;
} lode_progress_sample;

/* Rates are those of the last seconds: a ring of samples. */
typedef struct lode_progress_meter {
    lode_console *console; /* kept */
    lode_progress_sample samples[LODE_PROGRESS_SAMPLES];
    size_t sample_count; /* taken so far */
    uint64_t last_line_ns;
} lode_progress_meter;

void lode_progress_meter_init(lode_progress_meter *m, lode_console *console);
/* Takes a sample and shows it: on a terminal as the live line, else as a line every few seconds. */
void lode_progress_show(lode_progress_meter *m, const lode_progress *progress);
/* The line alone; cut to `capacity`. */
void lode_progress_line(char *out, size_t capacity, const lode_progress_meter *m, const lode_progress *progress);
/* "1234567" as "1,234,567". `out` holds 32 bytes. Returns out. */
char *lode_group_digits(char out[32], uint64_t value);
/* "3 h 05 min", "12 min 07 s", "42 s", "8.25 s". Returns out. */
char *lode_duration_text(char out[32], double seconds);

#endif
