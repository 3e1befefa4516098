/* cli/command_loadtxoutset.c: lode loadtxoutset FILE.
 *
 * Touches:  the data directory, writing, through the library. Standard output says what was loaded, as Core does.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/report.h"
#include "cli/setup.h"
#include "cli/signals.h"
#include "cli/step_meter.h"

static lode_status load(lode *handle, lode_load_result *result, lode_settings *s, lode_console *console)
{
    lode_step_meter meter;
    lode_status status;

    lode_step_meter_init(&meter, console);
    lode_set_progress(handle, &meter, lode_step_meter_show);
    lode_signals_watch(handle);
    status = lode_load_coins(handle, result, s->words[1], lode_settings_text(s, "assumeutxo"));
    lode_signals_watch(NULL);
    return status;
}

static void print_result(const lode_load_result *result, const char *path, lode_console *console)
{
    char escaped[8];

    printf("{\n  \"coins_loaded\": %" PRIu64 ",\n  \"tip_hash\": \"%s\",\n  \"base_height\": %" PRId32
           ",\n  \"path\": \"",
           result->coins, result->block, result->height);
    for (; *path; path++)
        fwrite(escaped, 1, lode_json_escape(escaped, *path), stdout);
    printf("\"\n}\n");
    if (!result->is_cores)
        lode_console_line(console,
                          "Bitcoin Core does not vouch for this block: bitcoind starts on this directory only after "
                          "chainstate_snapshot was removed from it. Lode answers from it.");
}

static int open_and_load(lode_setup *setup, lode_settings *s, lode_console *console)
{
    lode_load_result result = { .size = sizeof result };
    lode_status status, closed;
    lode *handle;

    setup->options.create_if_missing = 0;
    setup->options.reindex = 0;
    setup->options.reindex_chainstate = 0;
    status = lode_open(&handle, &setup->options);
    if (status.code == LODE_OK) {
        status = load(handle, &result, s, console);
        closed = lode_close(handle);
        status = status.code == LODE_OK ? closed : status;
    }
    if (status.code != LODE_OK) {
        lode_console_line(console, "error: %s", status.text);
        return lode_exit_status_of(status);
    }
    print_result(&result, s->words[1], console);
    return LODE_EXIT_DONE;
}

int lode_command_loadtxoutset(lode_settings *s)
{
    const char *trusted = lode_settings_text(s, "assumeutxo");
    lode_console console;
    lode_setup setup;
    int status = LODE_EXIT_USAGE;

    if (s->word_count != 2) {
        fprintf(stderr, "lode: wrong number of arguments\n%s", lode_command_help_text(s->words[0]));
        return status;
    }
    if (trusted && (strlen(trusted) != 64 || strspn(trusted, "0123456789abcdefABCDEF") != 64)) {
        fprintf(stderr, "lode: -assumeutxo=%s: must be the hash_serialized_3 of a coin set, 64 hexadecimal digits\n",
                trusted);
        return status;
    }
    lode_console_init(&console);
    if (lode_setup_fill(&setup, s, &console))
        status = open_and_load(&setup, s, &console);
    else
        lode_console_line(&console, "lode: %s", s->error);
    lode_console_close(&console);
    lode_setup_clear(&setup);
    return lode_finish_output(status);
}
