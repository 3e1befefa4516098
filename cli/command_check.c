/* cli/command_check.c: lode check: is a whole data directory sound?
 *
 * Touches:  the data directory, reading. Findings go to standard error, the answer to standard output.
 */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/reader.h"

static void print_finding(void *context, const char *line)
{
    fprintf(stderr, "%s\n", line);
}

static int check(lode *handle, const lode_settings *s)
{
    lode_check_result result = { .size = sizeof result };
    lode_check_options options;
    lode_status status;

    if (s->word_count > 1) {
        fprintf(stderr, "lode: check takes no arguments\n");
        return LODE_EXIT_USAGE;
    }
    lode_check_options_init(&options);
    options.deep = lode_settings_bool(s, "deep", false);
    options.on_finding = print_finding;
    status = lode_check_directory(handle, &result, &options);
    if (status.code != LODE_OK) {
        fprintf(stderr, "error: %s\n", status.text);
        return lode_exit_status_of(status);
    }
    printf("%s\n", result.text);
    return lode_exit_status_of_check(&result);
}

int lode_command_check(lode_settings *settings)
{
    return lode_read_directory(settings, check);
}
