/* cli/main.c: lode [options] COMMAND [arguments].
 *
 * Room:     reads options, finds the command, turns its outcome into an exit status. Stands on lode.h alone.
 */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/commands.h"
#include "cli/config_file.h"
#include "cli/signals.h"

int lode_exit_status_of(lode_status status)
{
    switch (status.code) {
    case LODE_OK:
        return LODE_EXIT_DONE;
    case LODE_INVALID_ARGUMENT:
        return LODE_EXIT_USAGE;
    case LODE_CANCELLED:
        return LODE_EXIT_INTERRUPTED;
    default:
        return LODE_EXIT_ERROR;
    }
}

int lode_finish_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "error: the answer could not be written to standard output: %s\n", strerror(errno));
    return LODE_EXIT_ERROR;
}

static int complain(const char *text)
{
    fprintf(stderr, "lode: %s\n", text);
    return LODE_EXIT_USAGE;
}

/* Commands with a file of their own; all others are the library's queries. */
static const struct {
    const char *name;
    int (*run)(lode_settings *s);
} own_commands[] = {
    { "check", lode_command_check },
    { "export", lode_command_export },
    { "import", lode_command_import },
    { "invalidateblock", lode_command_invalidateblock },
    { "loadtxoutset", lode_command_loadtxoutset },
    { "reconsiderblock", lode_command_reconsiderblock },
    { "verifychain", lode_command_verifychain },
};

static int (*find_own(const char *command))(lode_settings *s)
{
    for (size_t i = 0; i < sizeof own_commands / sizeof *own_commands; i++)
        if (strcmp(own_commands[i].name, command) == 0)
            return own_commands[i].run;
    return NULL;
}

static bool is_query(const char *command)
{
    const char *name;

    for (size_t i = 0; (name = lode_query_name(i)); i++)
        if (strcmp(name, command) == 0)
            return true;
    return false;
}

static int run(lode_settings *s, int argc, char **argv)
{
    char text[600];
    const char *command;

    if (!lode_settings_parse(s, argc, argv))
        return complain(s->error);
    command = s->word_count ? s->words[0] : NULL;
    if (lode_settings_bool(s, "version", false)) {
        printf("lode %s\n", lode_version());
        return lode_finish_output(LODE_EXIT_DONE);
    }
    if (lode_settings_bool(s, "help", false) || (command && strcmp(command, "help") == 0))
        return lode_command_help(s);
    if (!command)
        return complain("no command given; lode help lists them");
    if (!find_own(command) && !is_query(command)) {
        snprintf(text, sizeof text, "there is no command %s; lode help lists them", command);
        return complain(text);
    }
    if (!lode_config_read(s))
        return complain(s->error);
    if (!lode_settings_has(s, "datadir") || *lode_settings_text(s, "datadir") == '\0')
        return complain("-datadir=DIR is needed: Lode never touches a node's own home folder by default");
    lode_signals_install();
    return find_own(command) ? find_own(command)(s) : lode_command_query(s);
}

/* The C library sets 64 MiB of addresses aside for each heap but the first, up to eight heaps a processor: a limit on
 * addresses (ulimit -v) would be reached long before the memory it stands for is used. One more for each GiB allowed.
 */
static void allow_for_limits(void)
{
    struct rlimit addresses;

    if (getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur >> 30 < 64)
        mallopt(M_ARENA_MAX, 1 + (int)(addresses.rlim_cur >> 30));
}

int main(int argc, char **argv)
{
    lode_settings settings;
    int status;

    allow_for_limits();
    lode_settings_init(&settings);
    status = run(&settings, argc, argv);
    lode_settings_clear(&settings);
    return status;
}
