/* cli/command_help.c: lode help [COMMAND]. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "lode.h"

static const char import_help[] =
    "import [FILE|DIRECTORY...]\n"
    "\n"
    "Read block files, check every block, follow the chain with most work, and leave a data directory that bitcoind\n"
    "opens without reindexing. The directory is made if it is absent. Running it again goes on where it stopped.\n"
    "\n"
    "Arguments:\n"
    "FILE         raw blocks as in blkNNNNN.dat, of any size and in any order; - is standard input\n"
    "DIRECTORY    its blkNNNNN.dat files in order of their numbers\n"
    "             A key in xor.dat beside a file is honoured; -blocksxorkey= gives one for all inputs.\n"
    "             Without inputs, what is stored is connected (and with -reindex rebuilt).\n"
    "\n"
    "Exit status: 0 all input was used (padding, duplicates and rejected blocks included: they are reported);\n"
    "1 error; 2 usage; 3 done, but blocks wait for a parent or a numbered file is missing;\n"
    "130 interrupted, and the same command goes on from there.\n";

static const char check_help[] =
    "check\n"
    "\n"
    "Reads the whole directory: checksums of the databases, the block index against itself and against every stored\n"
    "block and its undo data, the transaction index against the active chain, every coin. With -deep the coins are held\n"
    "against the set hash that all blocks and their undo data give. Findings go to standard error, one a line; it goes\n"
    "on after one. Nothing is changed.\n"
    "\n"
    "Exit status: 0 good; 1 bad, or an error; 3 not finished: something is missing, unreadable, or it was interrupted.\n";

static const char invalidate_help[] =
    "invalidateblock \"blockhash\"\n"
    "\n"
    "Marks a block as invalid for ever, as if it broke a rule, and follows the best chain without it. Prints nothing.\n";

static const char reconsider_help[] =
    "reconsiderblock \"blockhash\"\n"
    "\n"
    "Takes the invalid marks away from a block, its ancestors and its descendants, and follows the best chain. Undoes\n"
    "invalidateblock. Prints nothing.\n";

static const char load_help[] =
    "loadtxoutset FILE\n"
    "\n"
    "Loads the coins of a snapshot (as dumptxoutset writes it) into chainstate_snapshot, from which bitcoind goes on at\n"
    "once while it validates the blocks below in the background. The content is trusted when Bitcoin Core vouches for its\n"
    "block, or with -assumeutxo=HASH. The header of its block must be known. Until bitcoind has finished, Lode only reads\n"
    "the directory, and answers from the loaded coins.\n"
    "\n"
    "Exit status: 0 loaded; 1 declined or an error, and nothing has changed; 130 interrupted, likewise.\n";

static const char export_help[] =
    "export FORMAT FILE [HEIGHT|HASH]\n"
    "\n"
    "Writes all unspent outputs, one a row, for other programs. Nothing in the directory is changed.\n"
    "\n"
    "Arguments:\n"
    "FORMAT       csv: a line of names, then a line each; jsonl: a JSON object a line; sqlite: a database with the table\n"
    "             utxos, and the table snapshot that says at which block\n"
    "FILE         a file that does not exist yet; it is FILE.incomplete until it is whole\n"
    "HEIGHT|HASH  of a block in the active chain (default: the tip); blocks above it are undone in memory (-dbcache)\n"
    "\n"
    "Columns: txid, vout, value (satoshis), coinbase (0 or 1), height, scriptpubkey (hexadecimal), type, address.\n";

static const char help_help[] = "help [COMMAND]\n"
                                "\n"
                                "Commands and options, or what one command does.\n";

/* Commands with a file of their own, in the order in which they are listed. The first line is the usage. */
static const struct {
    const char *name, *text;
} own[] = {
    { "import", import_help },
    { "check", check_help },
    { "export", export_help },
    { "loadtxoutset", load_help },
    { "invalidateblock", invalidate_help },
    { "reconsiderblock", reconsider_help },
    { "help", help_help },
};

const char *lode_command_help_text(const char *command)
{
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i].name, command) == 0)
            return own[i].text;
    return lode_query_help(command);
}

/* Words in lines of at most 76 characters behind eight spaces. */
static void print_wrapped(const char *text)
{
    int column = 0;

    while (*text) {
        int len = (int)strcspn(text, " ");
        if (column == 0 || column + 1 + len > 76) {
            printf("%s        ", column ? "\n" : "");
            column = 0;
        } else {
            putchar(' ');
            column++;
        }
        printf("%.*s", len, text);
        column += len;
        text += len;
        text += strspn(text, " ");
    }
    putchar('\n');
}

static void print_options(void)
{
    for (int group = 0; group < LODE_OPTION_GROUP_COUNT; group++) {
        const lode_option *option;
        printf("\n%s:\n", lode_option_group_title((lode_option_group)group));
        for (size_t i = 0; (option = lode_option_at(i)); i++) {
            if ((int)option->group != group)
                continue;
            printf("  -%s%s%s%s\n", option->name, option->value_name ? "=" : "",
                   option->value_name ? option->value_name : "", option->kind == LODE_OPTION_LIST ? " ..." : "");
            print_wrapped(option->help);
        }
    }
}

static void print_all(void)
{
    const char *name;

    printf("lode %s: imports Bitcoin block files into a data directory that bitcoind opens, and answers from it\n\n",
           lode_version());
    printf("Usage: lode [options] COMMAND [arguments]     (options may follow the command; one or two dashes)\n");
    printf("       lode -datadir=DIR import FILE...\n");
    printf("       lode -datadir=DIR getblockchaininfo\n\n");
    printf("Commands:\n");
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        printf("  %.*s\n", (int)strcspn(own[i].text, "\n"), own[i].text);
    for (size_t i = 0; (name = lode_query_name(i)); i++) {
        const char *help = lode_query_help(name);
        printf("  %.*s\n", (int)strcspn(help, "\n"), help);
    }
    print_options();
    printf("\n-noX and -X=0 turn a switch off, -X and -X=1 turn it on.\n");
}

int lode_command_help(const lode_settings *s)
{
    const char *command = NULL;
    const char *text;

    if (s->word_count > 0 && strcmp(s->words[0], "help") == 0)
        command = s->word_count > 1 ? s->words[1] : NULL;
    else if (s->word_count > 0)
        command = s->words[0]; /* lode -help COMMAND */
    if (!command) {
        print_all();
        return lode_finish_output(LODE_EXIT_DONE);
    }
    text = lode_command_help_text(command);
    if (!text) {
        fprintf(stderr, "lode: there is no command %s; lode help lists them\n", command);
        return LODE_EXIT_USAGE;
    }
    fputs(text, stdout);
    return lode_finish_output(LODE_EXIT_DONE);
}
