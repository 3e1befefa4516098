/* cli/command_query.c: bitcoin-cli's commands over a directory that nothing writes to.
 *
 * Touches:  the data directory, reading; standard output has the answer alone.
 */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/reader.h"

enum { PARSE_ERROR = -32700 }; /* Core's RPC_PARSE_ERROR */

/* As bitcoin-cli prints an error; a usage text is told apart from the rest by being the command's own. */
static int print_refusal(const char *command, int error_code, const char *error_text)
{
    const char *help = lode_query_help(command);

    if (help && strcmp(help, error_text) == 0) {
        fprintf(stderr, "lode: wrong number of arguments\n%s", error_text);
        return LODE_EXIT_USAGE;
    }
    if (error_code == PARSE_ERROR) { /* bitcoin-cli's own, before it asks the node */
        fprintf(stderr, "error: %s\n", error_text);
        return LODE_EXIT_ERROR;
    }
    fprintf(stderr, "error code: %d\nerror message:\n%s\n", error_code, error_text);
    return LODE_EXIT_ERROR;
}

int lode_answer_query(lode *handle, const lode_settings *s)
{
    char *answer = NULL;
    char *error_text = NULL;
    int is_text = 0;
    int error_code = 0;
    int status = LODE_EXIT_DONE;
    lode_status result =
        lode_query(handle, s->words[0], s->words + 1, s->word_count - 1, &answer, &is_text, &error_code, &error_text);

    if (result.code != LODE_OK) {
        fprintf(stderr, "error: %s\n", result.text);
        status = lode_exit_status_of(result);
    } else if (!answer) {
        status = print_refusal(s->words[0], error_code, error_text ? error_text : "");
    } else if (*answer) {
        fputs(answer, stdout);
        fputc('\n', stdout);
    }
    lode_free(answer);
    lode_free(error_text);
    return status;
}

int lode_command_query(lode_settings *settings)
{
    return lode_read_directory(settings, lode_answer_query);
}
