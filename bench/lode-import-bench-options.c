/* bench/lode-import-bench-options.c: the command line of lode-import-bench.
 *
 * Room:     getopt_long, where the programs are, and the help text.
 * Touches:  standard output and error, for help and complaints; $BITCOIND and $PATH.
 */
#include "bench/lode-import-bench-options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/common/options.h"
#include "bench/lode-import-bench-rows.h"
#include "support/thread.h"

static const char help_text[] =
    "Usage: lode-import-bench [options] [FILE...]\n"
    "Times lode import beside bitcoind -loadblock and bare libsecp256k1, on made chains or the block files named.\n"
    "\n"
    "  --bitcoind=PATH     Bitcoin Core (default: $BITCOIND, then the path; without it Lode runs alone)\n"
    "  --lode=PATH         lode (default: beside this program)\n"
    "  --genchain=PATH     lode-genchain (default: beside this program)\n"
    "  --room=DIRECTORY    for chains, data directories and logs (default lode-import-bench.tmp)\n"
    "  --network=NAME      of the files named: main, test, testnet4, signet or regtest (the default)\n"
    "  --chains=NAME,...   of 2012, 2017, 2024 and coins (default 2024,coins; with --full all)\n"
    "  --size=BYTES        of the first three (K, M, G; default 60M; with --full 1200M for 2024, else 300M)\n"
    "  --coins=N           at the end of the last (default 1M; with --full 3M)\n"
    "  --rows=NAME,...     what to measure (default: all that tell something; see --list-rows)\n"
    "  --rounds=N          pairs of each row (default 3, with --full 5)\n"
    "  --par=N             threads (default: all processors)\n"
    "  --dbcache=MIB       (default 450)\n"
    "  --small-dbcache=MIB for the rows whose cache does not hold the coins (default 32)\n"
    "  --full              the long run\n"
    "  --json[=FILE]       one JSON object, on standard output in place of text, or in a file beside it\n"
    "  --list-rows         print the rows\n";

enum {
    OPT_BITCOIND = 256,
    OPT_LODE,
    OPT_GENCHAIN,
    OPT_ROOM,
    OPT_NETWORK,
    OPT_CHAINS,
    OPT_SIZE,
    OPT_COINS,
    OPT_ROWS,
    OPT_ROUNDS,
    OPT_PAR,
    OPT_DBCACHE,
    OPT_SMALL_DBCACHE,
    OPT_FULL,
    OPT_JSON,
    OPT_LIST_ROWS,
    OPT_HELP
};

static const struct option long_options[] = {
    { "bitcoind", required_argument, NULL, OPT_BITCOIND },
    { "lode", required_argument, NULL, OPT_LODE },
    { "genchain", required_argument, NULL, OPT_GENCHAIN },
    { "room", required_argument, NULL, OPT_ROOM },
    { "network", required_argument, NULL, OPT_NETWORK },
    { "chains", required_argument, NULL, OPT_CHAINS },
    { "size", required_argument, NULL, OPT_SIZE },
    { "coins", required_argument, NULL, OPT_COINS },
    { "rows", required_argument, NULL, OPT_ROWS },
    { "rounds", required_argument, NULL, OPT_ROUNDS },
    { "par", required_argument, NULL, OPT_PAR },
    { "dbcache", required_argument, NULL, OPT_DBCACHE },
    { "small-dbcache", required_argument, NULL, OPT_SMALL_DBCACHE },
    { "full", no_argument, NULL, OPT_FULL },
    { "json", optional_argument, NULL, OPT_JSON },
    { "list-rows", no_argument, NULL, OPT_LIST_ROWS },
    { "help", no_argument, NULL, OPT_HELP },
    { NULL, 0, NULL, 0 },
};

static bool read_number_option(lode_import_bench_options *o, int option, const char *text)
{
    switch (option) {
    case OPT_SIZE:
        return lode_option_number(&o->size_bytes, text, LODE_UNITS_DECIMAL, UINT64_MAX) && o->size_bytes > 0;
    case OPT_COINS:
        return lode_option_number(&o->coins, text, LODE_UNITS_DECIMAL, UINT64_MAX) && o->coins > 0;
    case OPT_ROUNDS:
        return lode_option_int(&o->rounds, text, LODE_UNITS_DECIMAL, 1, LODE_BENCH_ROUNDS_MAX);
    case OPT_PAR:
        return lode_option_int(&o->par, text, LODE_UNITS_DECIMAL, 1, 256);
    case OPT_DBCACHE:
        return lode_option_int(&o->dbcache_mib, text, LODE_UNITS_DECIMAL, 4, 1 << 20);
    case OPT_SMALL_DBCACHE:
        return lode_option_int(&o->small_dbcache_mib, text, LODE_UNITS_DECIMAL, 4, 1 << 20);
    default:
        return false;
    }
}

static bool read_option(lode_import_bench_options *o, int option, const char *text)
{
    switch (option) {
    case OPT_BITCOIND:
        o->place.bitcoind = text;
        return true;
    case OPT_LODE:
        o->place.lode = text;
        return true;
    case OPT_GENCHAIN:
        o->genchain = text;
        return true;
    case OPT_ROOM:
        o->place.room = text;
        return *text != '\0';
    case OPT_NETWORK:
        o->place.network = text;
        return true;
    case OPT_CHAINS:
        o->chains = text;
        return true;
    case OPT_ROWS:
        o->rows = text;
        return true;
    case OPT_FULL:
        o->full = true;
        return true;
    case OPT_JSON:
        o->json = text ? text : "-";
        return true;
    default:
        return read_number_option(o, option, text);
    }
}

/* ---- programs ---- */

static const char *find_bitcoind(void)
{
    static char path[4096];
    const char *named = getenv("BITCOIND"), *search = getenv("PATH");

    if (named && *named)
        return named;
    while (search && *search) {
        size_t len = strcspn(search, ":");
        snprintf(path, sizeof path, "%.*s/bitcoind", (int)len, search);
        if (access(path, X_OK) == 0)
            return path;
        search += len + (search[len] == ':');
    }
    return NULL;
}

static bool settle(lode_import_bench_options *o)
{
    static char lode[LODE_PROGRAM_PATH_MAX], genchain[LODE_PROGRAM_PATH_MAX];

    if (!o->place.lode)
        o->place.lode = lode_program_beside(lode, "lode");
    if (!o->genchain)
        o->genchain = lode_program_beside(genchain, "lode-genchain");
    if (!o->place.bitcoind)
        o->place.bitcoind = find_bitcoind();
    else if (!*o->place.bitcoind)
        o->place.bitcoind = NULL;
    if (!o->chains)
        o->chains = o->full ? "2012,2017,2024,coins" : "2024,coins";
    if (!o->rounds)
        o->rounds = o->full ? 5 : 3;
    if (!o->file_count && strcmp(o->place.network, "regtest") != 0) {
        fputs("lode-import-bench: --network is for block files that are named; made chains are regtest's\n", stderr);
        return false;
    }
    if (o->place.bitcoind && access(o->place.bitcoind, X_OK) != 0) {
        fprintf(stderr, "lode-import-bench: %s cannot be run\n", o->place.bitcoind);
        return false;
    }
    return true;
}

lode_import_bench_wish lode_import_bench_read_options(lode_import_bench_options *o, int argc, char **argv)
{
    int option, index = 0;

    *o = (lode_import_bench_options){ .par = (int)lode_cpu_count(), .dbcache_mib = 450, .small_dbcache_mib = 32 };
    o->place.room = "lode-import-bench.tmp";
    o->place.network = "regtest";
    while ((option = getopt_long(argc, argv, "", long_options, &index)) != -1) {
        if (option == '?')
            return LODE_BENCH_USAGE; /* getopt has said why */
        if (option == OPT_HELP)
            fputs(help_text, stdout);
        if (option == OPT_LIST_ROWS)
            lode_bench_list_rows();
        if (option == OPT_HELP || option == OPT_LIST_ROWS)
            return LODE_BENCH_DONE;
        if (!read_option(o, option, optarg)) {
            fprintf(stderr, "lode-import-bench: --%s=%s: see --help\n", long_options[index].name, optarg);
            return LODE_BENCH_USAGE;
        }
    }
    o->files = argv + optind;
    o->file_count = argc - optind;
    return settle(o) ? LODE_BENCH_MEASURE : LODE_BENCH_USAGE;
}
