/* cli/command_verifychain.c: lode verifychain: Core's question, with three answers.
 *
 * Touches:  the data directory, reading. Standard output has true or false, as bitcoin-cli prints; standard error says
 *           what was found.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/reader.h"

enum { DEFAULT_LEVEL = 3, DEFAULT_BLOCKS = 6 }; /* Core's */

static bool read_number(int32_t *out, const char *text)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (*text == '\0' || *end != '\0' || value < INT32_MIN || value > INT32_MAX)
        return false;
    *out = (int32_t)value;
    return true;
}

static int verify(lode *handle, const lode_settings *s)
{
    lode_check_result result = { .size = sizeof result };
    int32_t level = DEFAULT_LEVEL, blocks = DEFAULT_BLOCKS;
    lode_status status;

    if (s->word_count > 3 || (s->word_count > 1 && !read_number(&level, s->words[1])) ||
        (s->word_count > 2 && !read_number(&blocks, s->words[2])))
        return lode_answer_query(handle, s); /* it refuses as Core does */
    status = lode_verify_chain(handle, &result, level, blocks);
    if (status.code != LODE_OK) {
        fprintf(stderr, "error: %s\n", status.text);
        return lode_exit_status_of(status);
    }
    printf("%s\n", result.answer == LODE_CHECK_GOOD ? "true" : "false");
    fprintf(stderr, "%s\n", result.text);
    return lode_exit_status_of_check(&result);
}

int lode_exit_status_of_check(const lode_check_result *result)
{
    switch (result->answer) {
    case LODE_CHECK_GOOD:
        return LODE_EXIT_DONE;
    case LODE_CHECK_BAD:
        return LODE_EXIT_ERROR;
    default:
        return LODE_EXIT_INCOMPLETE;
    }
}

int lode_command_verifychain(lode_settings *settings)
{
    return lode_read_directory(settings, verify);
}
