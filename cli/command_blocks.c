/* cli/command_blocks.c: lode invalidateblock and reconsiderblock.
 *
 * Touches:  the data directory, writing, through the library.
 */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/setup.h"
#include "cli/signals.h"

typedef lode_status (*change)(lode *handle, int *found, const uint8_t hash[32]);

/* 64 digits as people read hashes, into internal order. */
static bool read_hash(uint8_t hash[32], const char *text)
{
    if (strlen(text) != 64 || strspn(text, "0123456789abcdefABCDEF") != 64)
        return false;
    for (int i = 0; i < 32; i++) {
        unsigned byte;
        if (sscanf(text + 2 * i, "%2x", &byte) != 1)
            return false;
        hash[31 - i] = (uint8_t)byte;
    }
    return true;
}

static int open_and_change(lode_setup *setup, const char *command, const uint8_t hash[32], change act)
{
    lode *handle;
    int found = 0;
    lode_status closed, s;

    setup->options.create_if_missing = 0;
    s = lode_open(&handle, &setup->options);
    if (s.code != LODE_OK) {
        fprintf(stderr, "error: %s\n", s.text);
        return lode_exit_status_of(s);
    }
    lode_signals_watch(handle);
    s = act(handle, &found, hash);
    lode_signals_watch(NULL);
    closed = lode_close(handle);
    if (s.code == LODE_OK)
        s = closed;
    if (s.code != LODE_OK) {
        fprintf(stderr, "error: %s: %s\n", command, s.text);
        return lode_exit_status_of(s);
    }
    if (!found) {
        fprintf(stderr, "error code: -5\nerror message:\nBlock not found\n"); /* Core's RPC_INVALID_ADDRESS_OR_KEY */
        return LODE_EXIT_ERROR;
    }
    return LODE_EXIT_DONE;
}

static int change_block(lode_settings *s, change act)
{
    lode_console console;
    lode_setup setup;
    uint8_t hash[32];
    int status = LODE_EXIT_USAGE;

    if (s->word_count != 2) {
        fprintf(stderr, "lode: wrong number of arguments\n%s", lode_command_help_text(s->words[0]));
        return status;
    }
    if (!read_hash(hash, s->words[1])) {
        fprintf(stderr, "error code: -8\nerror message:\nblockhash must be of length 64 and hexadecimal (not '%s')\n", s->words[1]);
        return LODE_EXIT_ERROR;
    }
    lode_console_init(&console);
    if (lode_setup_fill(&setup, s, &console))
        status = open_and_change(&setup, s->words[0], hash, act);
    else
        lode_console_line(&console, "lode: %s", s->error);
    lode_console_close(&console);
    lode_setup_clear(&setup);
    return status;
}

int lode_command_invalidateblock(lode_settings *s)
{
    return change_block(s, lode_invalidate_block);
}

int lode_command_reconsiderblock(lode_settings *s)
{
    return change_block(s, lode_reconsider_block);
}
