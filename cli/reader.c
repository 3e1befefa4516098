/* cli/reader.c: a command over a directory that nothing writes to.
 *
 * Touches:  the data directory, reading; standard error.
 */
#include "cli/reader.h"

#include <stdio.h>

#include "cli/commands.h"
#include "cli/setup.h"
#include "cli/signals.h"
#include "cli/step_meter.h"

int lode_read_directory(lode_settings *settings, int (*act)(lode *handle, const lode_settings *s))
{
    lode_console console;
    lode_step_meter meter;
    lode_setup setup;
    lode *handle = NULL;
    lode_status s;
    int status;

    lode_console_init(&console);
    lode_step_meter_init(&meter, &console);
    if (!lode_setup_fill(&setup, settings, &console)) {
        fprintf(stderr, "lode: %s\n", settings->error);
        status = LODE_EXIT_USAGE;
        goto done;
    }
    setup.options.read_only = 1;
    setup.options.create_if_missing = 0;
    setup.options.reindex = 0;
    setup.options.reindex_chainstate = 0;
    s = lode_open(&handle, &setup.options);
    if (s.code != LODE_OK) {
        fprintf(stderr, "error: %s\n", s.text);
        status = lode_exit_status_of(s);
        goto done;
    }
    lode_set_progress(handle, &meter, lode_step_meter_show);
    lode_signals_watch(handle);
    status = act(handle, settings);
    lode_signals_watch(NULL);
    s = lode_close(handle);
    if (s.code != LODE_OK && status == LODE_EXIT_DONE) {
        fprintf(stderr, "error: %s\n", s.text);
        status = lode_exit_status_of(s);
    }
done:
    lode_setup_clear(&setup);
    lode_console_close(&console);
    return lode_finish_output(status);
}
