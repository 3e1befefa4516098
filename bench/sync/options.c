/* bench/sync/options.c: the command line of lode-sync. */
#include "bench/sync/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/common/options.h"
#include "support/thread.h"

static const char help_text[] =
    "Usage: lode-sync [options] [FILE...]\n"
    "Imports a chain, the one made for it or block files, with its coins and transaction index on each engine.\n"
    "\n"
    "  -engine=NAME,...    default: all that were built in and have batches (-list)\n"
    "  -config=NAME,...    defaults (8 MiB cache, no filter), bloom, bloom-cache (30 MB); default: all that an engine "
    "has\n"
    "  -signatures=WHAT    yes, no or both (default)\n"
    "  -chain=NAME         made when no file is named: 2012 (default), 2017, 2024, or coins, which spends all over a "
    "large set\n"
    "  -size=BYTES         of it (default 20M); of coins:\n"
    "  -coins=N            unspent at its end (default 300K)\n"
    "  -network=NAME       of the files named: main, test, testnet4, signet or regtest (the default)\n"
    "  -dbcache=MIB        of the import's own cache of coins (default 4, the least)\n"
    "  -each-block         every block's changes go to the engine at once, as in 2012\n"
    "  -no-sync            no write waits for the disk\n"
    "  -par=N              threads (default: all processors)\n"
    "  -rounds=N           default 3; rows take turns\n"
    "  -room=DIRECTORY     for the chain and the databases (default lode-sync.tmp)\n"
    "  -genchain=PATH      the chain maker (default: beside this program)\n"
    "  -keep               the last row's data stays\n"
    "  -markdown           the table as Markdown\n"
    "  -json[=FILE]        on standard output in place of the table, or in a file beside it\n"
    "  -list               engines with their versions\n";

enum {
    OPT_ENGINE = 256,
    OPT_CONFIG,
    OPT_SIGNATURES,
    OPT_CHAIN,
    OPT_SIZE,
    OPT_COINS,
    OPT_NETWORK,
    OPT_DBCACHE,
    OPT_EACH_BLOCK,
    OPT_NO_SYNC,
    OPT_PAR,
    OPT_ROUNDS,
    OPT_ROOM,
    OPT_GENCHAIN,
    OPT_KEEP,
    OPT_MARKDOWN,
    OPT_JSON,
    OPT_LIST,
    OPT_HELP
};

static const struct option long_options[] = {
    { "engine", required_argument, NULL, OPT_ENGINE },
    { "engines", required_argument, NULL, OPT_ENGINE },
    { "config", required_argument, NULL, OPT_CONFIG },
    { "signatures", required_argument, NULL, OPT_SIGNATURES },
    { "chain", required_argument, NULL, OPT_CHAIN },
    { "size", required_argument, NULL, OPT_SIZE },
    { "coins", required_argument, NULL, OPT_COINS },
    { "network", required_argument, NULL, OPT_NETWORK },
    { "dbcache", required_argument, NULL, OPT_DBCACHE },
    { "each-block", no_argument, NULL, OPT_EACH_BLOCK },
    { "no-sync", no_argument, NULL, OPT_NO_SYNC },
    { "par", required_argument, NULL, OPT_PAR },
    { "rounds", required_argument, NULL, OPT_ROUNDS },
    { "room", required_argument, NULL, OPT_ROOM },
    { "genchain", required_argument, NULL, OPT_GENCHAIN },
    { "keep", no_argument, NULL, OPT_KEEP },
    { "markdown", no_argument, NULL, OPT_MARKDOWN },
    { "json", optional_argument, NULL, OPT_JSON },
    { "list", no_argument, NULL, OPT_LIST },
    { "help", no_argument, NULL, OPT_HELP },
    { NULL, 0, NULL, 0 },
};

static bool read_configs(lode_sync_options *o, const char *names)
{
    memset(o->configs, 0, sizeof o->configs);
    while (*names) {
        size_t len = strcspn(names, ",");
        bool known = false;
        for (int i = 0; i < LODE_SYNC_CONFIGS; i++) {
            const char *name = lode_sync_config_name((lode_sync_config)i);
            bool is_it = strlen(name) == len && memcmp(name, names, len) == 0;
            o->configs[i] |= is_it;
            known |= is_it;
        }
        if (!known)
            return false;
        names += len + (names[len] == ',');
    }
    return true;
}

static bool read_signatures(lode_sync_options *o, const char *text)
{
    bool both = strcmp(text, "both") == 0;

    o->with_signatures = both || strcmp(text, "yes") == 0;
    o->without_signatures = both || strcmp(text, "no") == 0;
    return o->with_signatures || o->without_signatures;
}

static bool read_option(lode_sync_options *o, int option, const char *text)
{
    switch (option) {
    case OPT_ENGINE:
        o->engines = text;
        return true;
    case OPT_CONFIG:
        return read_configs(o, text);
    case OPT_SIGNATURES:
        return read_signatures(o, text);
    case OPT_CHAIN:
        o->chain = text;
        return strcmp(text, "2012") == 0 || strcmp(text, "2017") == 0 || strcmp(text, "2024") == 0 ||
               strcmp(text, "coins") == 0;
    case OPT_SIZE:
        return lode_option_number(&o->size_bytes, text, LODE_UNITS_DECIMAL, UINT64_MAX) && o->size_bytes > 0;
    case OPT_COINS:
        return lode_option_number(&o->coins, text, LODE_UNITS_DECIMAL, UINT64_MAX) && o->coins > 0;
    case OPT_NETWORK:
        o->job.network = text;
        return true;
    case OPT_DBCACHE:
        return lode_option_int(&o->job.dbcache_mib, text, LODE_UNITS_NONE, 4, 1 << 20);
    case OPT_EACH_BLOCK:
        o->job.each_block = true;
        return true;
    case OPT_NO_SYNC:
        o->job.sync = false;
        return true;
    case OPT_PAR:
        return lode_option_int(&o->job.par, text, LODE_UNITS_NONE, 1, 256);
    case OPT_ROUNDS:
        return lode_option_int(&o->rounds, text, LODE_UNITS_NONE, 1, LODE_SYNC_ROUNDS_MAX);
    case OPT_ROOM:
        o->job.room = text;
        return *text != '\0';
    case OPT_GENCHAIN:
        o->genchain = text;
        return true;
    case OPT_KEEP:
        o->job.keep = true;
        return true;
    case OPT_MARKDOWN:
        o->markdown = true;
        return true;
    case OPT_JSON:
        o->json = text ? text : "-";
        return true;
    default:
        return false;
    }
}

static void list_engines(void)
{
    for (const lode_engine *const *e = lode_engines(); *e; e++) {
        char version[64] = "";
        (*e)->version(version, sizeof version);
        printf("%-18s%s", (*e)->name, version);
        if (lode_sync_cannot(*e, LODE_SYNC_DEFAULTS))
            printf(", no rows: %s", lode_sync_cannot(*e, LODE_SYNC_DEFAULTS));
        putchar('\n');
    }
}

static bool settle(lode_sync_options *o)
{
    static char genchain[LODE_PROGRAM_PATH_MAX];

    if (!o->genchain)
        o->genchain = lode_program_beside(genchain, "lode-genchain");
    if (!o->job.file_count && strcmp(o->job.network, "regtest") != 0) {
        fputs("lode-sync: -network is for block files that are named; made chains are regtest's\n", stderr);
        return false;
    }
    return true;
}

lode_sync_wish lode_sync_read_options(lode_sync_options *o, int argc, char **argv)
{
    int option, index = 0;

    *o = (lode_sync_options){ .chain = "2012", .size_bytes = 20000000, .coins = 300000, .rounds = 3 };
    o->with_signatures = o->without_signatures = true;
    for (int i = 0; i < LODE_SYNC_CONFIGS; i++)
        o->configs[i] = true;
    o->job = (lode_sync_job){ .room = "lode-sync.tmp", .network = "regtest", .dbcache_mib = 4, .sync = true };
    o->job.par = (int)lode_cpu_count();
    while ((option = getopt_long_only(argc, argv, "", long_options, &index)) != -1) {
        if (option == '?')
            return LODE_SYNC_USAGE; /* getopt has said why */
        if (option == OPT_HELP)
            fputs(help_text, stdout);
        if (option == OPT_LIST)
            list_engines();
        if (option == OPT_HELP || option == OPT_LIST)
            return LODE_SYNC_DONE;
        if (!read_option(o, option, optarg)) {
            fprintf(stderr, "lode-sync: -%s=%s: see -help\n", long_options[index].name, optarg ? optarg : "");
            return LODE_SYNC_USAGE;
        }
    }
    o->job.files = argv + optind;
    o->job.file_count = argc - optind;
    return settle(o) ? LODE_SYNC_MEASURE : LODE_SYNC_USAGE;
}
