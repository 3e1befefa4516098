/* bench/suites/options.c: the command line of lode-bench. */
#include "bench/suites/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "bench/common/options.h"

static const char help_text[] =
    "Usage: lode-bench [options] SUITE...\n"
    "Measures storage engines side by side, each run in a process of its own, and checks what they return.\n"
    "\n"
    "  --engines=NAME,...  default: all that were built in (--list)\n"
    "  --size=SIZE         tiny, small (default) or full\n"
    "  --entries=N         in place of the suite's number (K, M, G: thousands, millions, ...)\n"
    "  --rounds=N          default 3\n"
    "  --rows=TEXT         only chapters with a row that contains TEXT\n"
    "  --room=DIRECTORY    where databases are made (default lode-bench.tmp)\n"
    "  --cache=BYTES       of each engine (default: as the suite says; B for binary: 4MiB = 4194304)\n"
    "  --write-buffer=BYTES  of LSM stores (default: the suite's, mostly 4194304)\n"
    "  --block=BYTES       of LSM tables (default 4096)\n"
    "  --table=BYTES       size of LSM tables (default: the engine's)\n"
    "  --bloom=BITS        per key (default: the suite's; store: 10)\n"
    "  --threads=N         background threads (default: the engine's)\n"
    "  --open-files=N      LSM (default 1000)\n"
    "  --compress=0|1      snappy (default: the suite's)\n"
    "  --unchecked         blocks are read without comparing checksums, where that can be chosen\n"
    "  --lmdb-writemap     LMDB writes through its map\n"
    "  --sqlite-shared     SQLite without the exclusive lock\n"
    "  --bdb-no-log        Berkeley DB without log and transactions in every suite\n"
    "  --files-most=N      one file per record, up to so many (default 20K)\n"
    "  --cold              files leave the page cache when a database is opened for reads\n"
    "  --seed=N            of keys (default 1)\n"
    "  --keep              databases stay\n"
    "  --json[=FILE]       on standard output in place of text, or in a file beside it\n"
    "  --list              suites and engines with their versions\n";

enum {
    OPT_ENGINES = 256,
    OPT_SIZE,
    OPT_ENTRIES,
    OPT_ROUNDS,
    OPT_ROWS,
    OPT_ROOM,
    OPT_CACHE,
    OPT_WRITE_BUFFER,
    OPT_BLOCK,
    OPT_TABLE,
    OPT_BLOOM,
    OPT_THREADS,
    OPT_OPEN_FILES,
    OPT_COMPRESS,
    OPT_UNCHECKED,
    OPT_LMDB_WRITEMAP,
    OPT_SQLITE_SHARED,
    OPT_BDB_NO_LOG,
    OPT_FILES_MOST,
    OPT_COLD,
    OPT_SEED,
    OPT_KEEP,
    OPT_JSON,
    OPT_LIST,
    OPT_HELP
};

static const struct option long_options[] = {
    { "engines", required_argument, NULL, OPT_ENGINES },
    { "size", required_argument, NULL, OPT_SIZE },
    { "entries", required_argument, NULL, OPT_ENTRIES },
    { "rounds", required_argument, NULL, OPT_ROUNDS },
    { "rows", required_argument, NULL, OPT_ROWS },
    { "room", required_argument, NULL, OPT_ROOM },
    { "cache", required_argument, NULL, OPT_CACHE },
    { "write-buffer", required_argument, NULL, OPT_WRITE_BUFFER },
    { "block", required_argument, NULL, OPT_BLOCK },
    { "table", required_argument, NULL, OPT_TABLE },
    { "bloom", required_argument, NULL, OPT_BLOOM },
    { "threads", required_argument, NULL, OPT_THREADS },
    { "open-files", required_argument, NULL, OPT_OPEN_FILES },
    { "compress", required_argument, NULL, OPT_COMPRESS },
    { "unchecked", no_argument, NULL, OPT_UNCHECKED },
    { "lmdb-writemap", no_argument, NULL, OPT_LMDB_WRITEMAP },
    { "sqlite-shared", no_argument, NULL, OPT_SQLITE_SHARED },
    { "bdb-no-log", no_argument, NULL, OPT_BDB_NO_LOG },
    { "files-most", required_argument, NULL, OPT_FILES_MOST },
    { "cold", no_argument, NULL, OPT_COLD },
    { "seed", required_argument, NULL, OPT_SEED },
    { "keep", no_argument, NULL, OPT_KEEP },
    { "json", optional_argument, NULL, OPT_JSON },
    { "list", no_argument, NULL, OPT_LIST },
    { "help", no_argument, NULL, OPT_HELP },
    { NULL, 0, NULL, 0 },
};

static bool read_bytes(size_t *n, const char *text)
{
    uint64_t value;

    if (!lode_option_number(&value, text, LODE_UNITS_ALL, UINT64_C(1) << 40))
        return false;
    *n = (size_t)value;
    return true;
}

static bool read_size(lode_size *size, const char *text)
{
    static const char *const names[] = { "tiny", "small", "full" };

    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            *size = (lode_size)i;
            return true;
        }
    return false;
}

static bool read_setting(lode_plan_wish *w, int option, const char *text)
{
    lode_engine_settings *s = &w->settings;
    int flag;

    switch (option) {
    case OPT_CACHE:
        w->has_cache = true;
        return read_bytes(&s->cache_bytes, text);
    case OPT_WRITE_BUFFER:
        w->has_write_buffer = true;
        return read_bytes(&s->write_buffer_bytes, text) && s->write_buffer_bytes >= 65536;
    case OPT_BLOCK:
        return read_bytes(&s->block_bytes, text) && s->block_bytes >= 256;
    case OPT_TABLE:
        return read_bytes(&s->table_bytes, text);
    case OPT_BLOOM:
        w->has_bloom = true;
        return lode_option_int(&s->bloom_bits, text, LODE_UNITS_ALL, 0, 64);
    case OPT_THREADS:
        return lode_option_int(&s->threads, text, LODE_UNITS_ALL, 1, 16);
    case OPT_OPEN_FILES:
        return lode_option_int(&s->max_open_files, text, LODE_UNITS_ALL, 16, 1000000);
    case OPT_COMPRESS:
        w->has_compress = true;
        if (!lode_option_int(&flag, text, LODE_UNITS_ALL, 0, 1))
            return false;
        s->compress = flag;
        return true;
    case OPT_FILES_MOST:
        return lode_option_number(&s->files_most, text, LODE_UNITS_ALL, UINT64_MAX);
    case OPT_UNCHECKED:
        return s->unchecked = true;
    case OPT_LMDB_WRITEMAP:
        return s->lmdb_writemap = true;
    case OPT_SQLITE_SHARED:
        return s->sqlite_shared = true;
    case OPT_BDB_NO_LOG:
        return s->no_log = true;
    default:
        return false;
    }
}

static bool read_option(lode_bench_wish *w, int option, const char *text)
{
    switch (option) {
    case OPT_ENGINES:
        w->engines = text;
        return true;
    case OPT_SIZE:
        return read_size(&w->plan.size, text);
    case OPT_ENTRIES:
        return lode_option_number(&w->plan.entries, text, LODE_UNITS_ALL, 4000000000u) && w->plan.entries > 0;
    case OPT_ROUNDS:
        return lode_option_int(&w->rounds, text, LODE_UNITS_ALL, 1, LODE_ROUNDS_MAX);
    case OPT_ROWS:
        w->rows = text;
        return true;
    case OPT_ROOM:
        w->run.room = text;
        return *text != '\0';
    case OPT_COLD:
        return w->run.cold = true;
    case OPT_SEED:
        return lode_option_number(&w->run.seed, text, LODE_UNITS_ALL, UINT64_MAX);
    case OPT_KEEP:
        return w->run.keep = true;
    case OPT_JSON:
        w->json = text ? text : "-";
        return true;
    default:
        return read_setting(&w->plan, option, text);
    }
}

static void list(void)
{
    char text[128];

    puts("Suites:");
    for (int i = 0; i < lode_suite_count; i++)
        printf("  %-16s %s\n", lode_suites[i].name, lode_suites[i].about);
    puts("Engines:");
    for (const lode_engine *const *e = lode_engines(); *e; e++) {
        (*e)->version(text, sizeof text);
        printf("  %-16s %s\n", (*e)->name, text);
    }
}

static bool is_suite(const char *name)
{
    for (int i = 0; i < lode_suite_count; i++)
        if (strcmp(lode_suites[i].name, name) == 0)
            return true;
    return false;
}

lode_bench_order lode_bench_read_options(lode_bench_wish *wish, int argc, char **argv)
{
    int option, index = 0;

    *wish = (lode_bench_wish){ .rounds = 3, .run = { .room = "lode-bench.tmp", .seed = 1 } };
    wish->plan.size = LODE_SIZE_SMALL;
    wish->plan.settings = (lode_engine_settings){ .write_buffer_bytes = (size_t)4 << 20,
                                                  .block_bytes = 4096,
                                                  .bloom_bits = 10,
                                                  .max_open_files = 1000,
                                                  .files_most = 20000,
                                                  .compress = true };
    while ((option = getopt_long(argc, argv, "", long_options, &index)) != -1) {
        if (option == '?')
            return LODE_BENCH_MISUSED;
        if (option == OPT_HELP || option == OPT_LIST) {
            option == OPT_HELP ? (void)fputs(help_text, stdout) : list();
            return LODE_BENCH_DONE;
        }
        if (!read_option(wish, option, optarg)) {
            fprintf(stderr, "lode-bench: --%s=%s: see --help\n", long_options[index].name, optarg ? optarg : "");
            return LODE_BENCH_MISUSED;
        }
    }
    wish->suites = argv + optind;
    wish->suite_count = argc - optind;
    for (int i = 0; i < wish->suite_count; i++)
        if (!is_suite(wish->suites[i])) {
            fprintf(stderr, "lode-bench: no suite is called %s: see --list\n", wish->suites[i]);
            return LODE_BENCH_MISUSED;
        }
    if (wish->suite_count == 0)
        fputs(help_text, stderr);
    return wish->suite_count ? LODE_BENCH_RUN : LODE_BENCH_MISUSED;
}
