/* cli/commands.h: the subcommands, and how each ends. */
#ifndef LODE_CLI_COMMANDS_H
#define LODE_CLI_COMMANDS_H

#include "cli/settings.h"
#include "lode.h"

enum lode_exit_status {
    LODE_EXIT_DONE = 0,
    LODE_EXIT_ERROR = 1,
    LODE_EXIT_USAGE = 2,
    LODE_EXIT_INCOMPLETE = 3,   /* blocks wait for a parent, or a numbered file is missing; a check could not finish */
    LODE_EXIT_INTERRUPTED = 130 /* the same command goes on where this one stopped */
};

/* s->words[0] is the command. Each prints its answer on standard output and all else on standard error. */
int lode_command_import(lode_settings *s);
int lode_command_query(lode_settings *s);
int lode_command_check(lode_settings *s);
int lode_command_export(lode_settings *s);
int lode_command_verifychain(lode_settings *s);
int lode_command_invalidateblock(lode_settings *s);
int lode_command_reconsiderblock(lode_settings *s);
int lode_command_loadtxoutset(lode_settings *s);
int lode_command_help(const lode_settings *s);

/* What lode_query answers to the command of the settings, printed; the exit status. */
int lode_answer_query(lode *handle, const lode_settings *s);
int lode_exit_status_of_check(const lode_check_result *result);

/* Did everything written to standard output arrive? Says so if not. */
int lode_finish_output(int status);
/* The exit status of an error of the library. */
int lode_exit_status_of(lode_status status);
/* Help for one command; NULL if it is unknown. */
const char *lode_command_help_text(const char *command);

#endif
