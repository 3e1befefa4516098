/* cli/step_meter.c: how far a long answer is, in a line.
 *
 * Touches:  the console, a clock.
 */
#include "cli/step_meter.h"

#include <stdio.h>
#include <time.h>

#include "cli/progress.h"

static const uint64_t redraw_gap_ns = 200000000;
static const uint64_t line_gap_ns = 10000000000u;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void lode_step_meter_init(lode_step_meter *m, lode_console *console)
{
    *m = (lode_step_meter){ .console = console };
    m->started_ns = m->shown_ns = now_ns();
}

void lode_step_meter_show(void *meter, const char *what, uint64_t done, uint64_t total)
{
    lode_step_meter *m = meter;
    uint64_t now = now_ns();
    char line[256], first[32], second[32];

    if (now - m->shown_ns < (m->console->is_terminal ? redraw_gap_ns : line_gap_ns))
        return;
    m->shown_ns = now;
    if (total)
        snprintf(line, sizeof line, "%s: %s of %s (%.1f %%)", what, lode_group_digits(first, done),
                 lode_group_digits(second, total), 100.0 * (double)(done < total ? done : total) / (double)total);
    else
        snprintf(line, sizeof line, "%s: %s", what, lode_group_digits(first, done));
    if (m->console->is_terminal)
        lode_console_set_live(m->console, line);
    else
        lode_console_line(m->console, "%s", line);
}
