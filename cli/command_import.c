/* cli/command_import.c: lode import: block files in, a report out.
 *
 * Touches:  the data directory, through the library. Standard output has the report, standard error all else.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/setup.h"
#include "cli/signals.h"

typedef struct import_run {
    lode_settings *settings;
    lode_setup setup;
    lode_console console;
    lode_progress_meter meter;
    lode_rejection_list rejections;
    lode *handle;
    const char **paths; /* strings are lent from the settings */
    size_t path_count;
} import_run;

static void on_progress(void *context, const lode_progress *progress)
{
    import_run *run = context;
    lode_progress_show(&run->meter, progress);
}

static void on_rejection(void *context, const lode_rejection *r)
{
    import_run *run = context;
    char height[32] = "";
    char place[48] = "";

    if (r->height >= 0)
        snprintf(height, sizeof height, " at height %d", r->height);
    if (r->file)
        snprintf(place, sizeof place, ", offset %" PRIu64, r->offset);
    lode_console_line(&run->console, "rejected block %s%s (%s%s): %s%s%s", r->hash[0] ? r->hash : "without a hash",
                      height, r->file ? r->file : "stored before", place, r->reason ? r->reason : "",
                      r->detail && *r->detail ? ": " : "", r->detail ? r->detail : "");
    lode_rejection_list_add(&run->rejections, r);
}

static void on_notice(void *context, const char *line)
{
    import_run *run = context;
    lode_console_line(&run->console, "%s", line);
}

/* -loadblock first, then what is named after the command. */
static bool collect_paths(import_run *run)
{
    const lode_settings *s = run->settings;
    size_t count = 0;

    while (lode_settings_item(s, "loadblock", count))
        count++;
    run->paths = calloc(count + s->word_count, sizeof *run->paths);
    if (!run->paths)
        return false;
    for (size_t i = 0; i < count; i++)
        run->paths[run->path_count++] = lode_settings_item(s, "loadblock", i);
    for (size_t i = 1; i < s->word_count; i++)
        run->paths[run->path_count++] = s->words[i];
    return true;
}

/* The height of a block that the directory knows; -1 if it does not. */
static int32_t height_of(lode *handle, const char *hash)
{
    const char *arguments[] = { hash };
    char *answer, *error_text;
    int is_text, error_code;
    int32_t height = -1;
    const char *at;

    if (lode_query(handle, "getblockheader", arguments, 1, &answer, &is_text, &error_code, &error_text).code != LODE_OK)
        return -1;
    at = answer ? strstr(answer, "\"height\": ") : NULL;
    if (at)
        height = (int32_t)strtol(at + strlen("\"height\": "), NULL, 10);
    lode_free(answer);
    lode_free(error_text);
    return height;
}

/* Which heights get full script checks, and why. */
static void say_what_is_checked(import_run *run)
{
    const lode_options *o = &run->setup.options;
    int32_t height;

    if (!o->check_scripts) {
        lode_console_line(&run->console,
                          "scripts: run at no height (-checksigs=0); all other rules are checked at every one");
        return;
    }
    if (!o->assume_valid) {
        lode_console_line(&run->console, "scripts: run at every height, as no block is assumed valid (-assumevalid=0)");
        return;
    }
    height = height_of(run->handle, o->assume_valid);
    if (height >= 0)
        lode_console_line(&run->console,
                          "scripts: run above height %d; at and below it they are skipped for ancestors of %s "
                          "(-assumevalid) that lie two weeks of work below the best header, once minimum chain work is "
                          "reached",
                          height, o->assume_valid);
    else
        lode_console_line(&run->console,
                          "scripts: run at every height until block %s (-assumevalid) is known; it is not in this "
                          "directory yet",
                          o->assume_valid);
}

static void say_start(import_run *run)
{
    const lode_options *o = &run->setup.options;
    lode_tip tip = { .size = sizeof tip };
    char where[48] = "a new chain";

    if (lode_get_tip(run->handle, &tip).code == LODE_OK && tip.height > 0)
        snprintf(where, sizeof where, "height %d", tip.height);
    lode_console_line(&run->console,
                      "lode %s: %zu input%s into %s (%s) from %s; %d threads, cache %" PRIu64
                      " MiB, transaction index %s",
                      lode_version(), run->path_count, run->path_count == 1 ? "" : "s", o->datadir, o->chain, where,
                      lode_setup_thread_count(&run->setup), o->dbcache_bytes >> 20, o->txindex ? "on" : "off");
    say_what_is_checked(run);
}

static int finish(import_run *run, lode_status s, const lode_import_result *result)
{
    bool is_interrupted = s.code == LODE_CANCELLED;
    const char *outcome = s.code == LODE_OK ? "done" : is_interrupted ? "interrupted" : "failed";
    int status = lode_exit_status_of(s);

    if (status == LODE_EXIT_DONE && (result->blocks_waiting || result->files_missing))
        status = LODE_EXIT_INCOMPLETE;
    lode_console_set_live(&run->console, "");
    if (lode_settings_bool(run->settings, "json", false))
        lode_report_print_json(stdout, result, &run->rejections, outcome);
    else if (s.code == LODE_OK || is_interrupted)
        lode_report_print_text(stdout, result, outcome);
    if (is_interrupted)
        lode_console_line(&run->console, "interrupted: the same command goes on from here");
    else if (s.code != LODE_OK)
        lode_console_line(&run->console, "error: %s", s.text);
    else if (status == LODE_EXIT_INCOMPLETE)
        lode_console_line(&run->console,
                          "incomplete: %" PRIu64 " blocks wait for a parent, %" PRIu64 " block files are missing",
                          result->blocks_waiting, result->files_missing);
    return status;
}

static int open_and_import(import_run *run)
{
    lode_import_options options;
    lode_import_result result = { .size = sizeof result };
    lode_status s = lode_open(&run->handle, &run->setup.options);
    lode_status closed;
    int status;

    if (s.code != LODE_OK) {
        lode_console_line(&run->console, "error: %s", s.text);
        return lode_exit_status_of(s);
    }
    lode_signals_watch(run->handle);
    say_start(run);
    lode_import_options_init(&options);
    options.paths = run->paths;
    options.path_count = run->path_count;
    options.xor_key = lode_settings_text(run->settings, "blocksxorkey");
    options.context = run;
    options.on_progress = on_progress;
    options.on_rejection = on_rejection;
    options.on_notice = on_notice;
    s = lode_import(run->handle, &options, &result);
    status = finish(run, s, &result);
    lode_signals_watch(NULL);
    closed = lode_close(run->handle);
    run->handle = NULL;
    if (closed.code != LODE_OK && s.code == LODE_OK) {
        lode_console_line(&run->console, "error: %s", closed.text);
        status = lode_exit_status_of(closed);
    }
    return status;
}

int lode_command_import(lode_settings *settings)
{
    import_run run = { .settings = settings };
    int status = LODE_EXIT_ERROR;

    lode_console_init(&run.console);
    lode_progress_meter_init(&run.meter, &run.console);
    if (!lode_setup_fill(&run.setup, settings, &run.console)) {
        lode_console_line(&run.console, "lode: %s", settings->error);
        status = LODE_EXIT_USAGE;
    } else if (!collect_paths(&run)) {
        lode_console_line(&run.console, "error: out of memory");
    } else {
        status = open_and_import(&run);
    }
    lode_console_close(&run.console);
    lode_rejection_list_clear(&run.rejections);
    lode_setup_clear(&run.setup);
    free(run.paths);
    return lode_finish_output(status);
}
