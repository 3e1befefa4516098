/* bench/lode-sync.c: the chain import of 2012 on today's engines.
 *
 *     lode-sync                                        a made chain, all engines, some five minutes
 *     lode-sync -engine=berkeleydb,leveldb,lode -network=main blk00000.dat blk00001.dat
 *
 * The import is the product's own code (loadblock/, validate/, chainstate/, txindex/); bench/sync/between.c hands its
 * coins and transaction index to one of bench/engines/. Each row is a process of its own, rows take turns in rounds.
 * Before them Lode imports the chain once, untimed, which also brings the input into the page cache; a row whose
 * databases do not hold the same coins (by their set hash) and the same transaction index is refused.
 *
 * Status: 0 every row was right, 1 one was refused or something failed, 2 usage.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/lode-import-bench-chain.h"
#include "bench/sync/table.h"

static void add_row(lode_sync_table *t, const lode_engine *engine, lode_sync_config config, bool signatures)
{
    if (lode_sync_cannot(engine, config))
        return;
    if (t->row_count == t->row_capacity) {
        t->row_capacity = t->row_capacity * 2 + 16;
        t->rows = (lode_sync_row *)realloc(t->rows, sizeof *t->rows * (size_t)t->row_capacity);
        if (!t->rows)
            lode_engine_stop("no memory for rows");
    }
    t->rows[t->row_count++] = (lode_sync_row){ engine, config, signatures };
}

static void add_engine(lode_sync_table *t, const lode_engine *engine)
{
    const lode_sync_options *o = t->options;

    for (int signatures = 1; signatures >= 0; signatures--)
        for (int c = 0; c < LODE_SYNC_CONFIGS; c++)
            if (o->configs[c] && (signatures ? o->with_signatures : o->without_signatures))
                add_row(t, engine, (lode_sync_config)c, signatures);
}

/* Berkeley DB comes first, as in 2012. */
static void choose_rows(lode_sync_table *t)
{
    const char *names = t->options->engines;

    for (int turn = 0; turn < 2 && !names; turn++)
        for (const lode_engine *const *e = lode_engines(); *e; e++)
            if ((strcmp((*e)->name, "berkeleydb") == 0) == (turn == 0))
                add_engine(t, *e);
    while (names && *names) {
        size_t len = strcspn(names, ",");
        const lode_engine *e = lode_engine_find(names, len);
        if (!e)
            lode_engine_stop("no engine is called %.*s here: see -list", (int)len, names);
        if (lode_sync_cannot(e, LODE_SYNC_DEFAULTS))
            lode_engine_stop("%s: %s", e->name, lode_sync_cannot(e, LODE_SYNC_DEFAULTS));
        add_engine(t, e);
        names += len + (names[len] == ',');
    }
    if (!t->row_count)
        lode_engine_stop("no row is left: see -config and -engine");
}

static void find_size(lode_sync_job *job)
{
    job->chain_bytes = 0;
    for (int i = 0; i < job->file_count; i++) {
        struct stat s;
        if (stat(job->files[i], &s) != 0)
            lode_engine_stop("%s: %s", job->files[i], strerror(errno));
        job->chain_bytes += (uint64_t)s.st_size;
    }
}

/* Lode's own answer; and the input is in the page cache. */
static void find_reference(lode_sync_table *t)
{
    lode_sync_row row = { &lode_engine_lode, LODE_SYNC_DEFAULTS, true };

    lode_sync_do(&t->reference, &t->options->job, &row, NULL);
    if (!t->reference.good)
        lode_engine_stop("the chain cannot be imported: %s", t->reference.why);
    if (!t->reference.blocks)
        lode_engine_stop("there is no block to import in the files");
}

static int run_rounds(const lode_sync_table *t)
{
    bool is_shown = isatty(STDERR_FILENO);
    int refused = 0;

    for (int round = 0; round < t->options->rounds; round++)
        for (int i = 0; i < t->row_count; i++) {
            int at = (i + round) % t->row_count; /* each round begins with another row */
            lode_sync_run *run = lode_sync_table_at(t, at, round);
            if (is_shown)
                fprintf(stderr, "\r\033[Kround %d, row %d of %d, %s", round + 1, i + 1, t->row_count,
                        t->rows[at].engine->name);
            lode_sync_do(run, &t->options->job, &t->rows[at], &t->reference.state);
            refused += !run->good;
        }
    if (is_shown)
        fputs("\r\033[K", stderr);
    return refused;
}

static void write_json(const lode_sync_table *t, const char *path)
{
    FILE *f = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");

    if (!f)
        lode_engine_stop("%s: %s", path, strerror(errno));
    lode_sync_table_json(f, t);
    if (f != stdout && fclose(f) != 0)
        lode_engine_stop("%s: %s", path, strerror(errno));
}

static int measure(lode_sync_options *o, const char *chain_name)
{
    lode_sync_table t = { .options = o, .chain_name = chain_name };
    int refused;

    find_size(&o->job);
    choose_rows(&t);
    t.runs = (lode_sync_run *)lode_engine_memory(sizeof *t.runs * (size_t)t.row_count * (size_t)o->rounds);
    find_reference(&t);
    refused = run_rounds(&t);
    if (!o->json || strcmp(o->json, "-") != 0)
        lode_sync_table_print(stdout, &t);
    if (o->json)
        write_json(&t, o->json);
    free(t.rows);
    free(t.runs);
    return refused;
}

int main(int argc, char **argv)
{
    lode_sync_options o;
    lode_sync_wish wish = lode_sync_read_options(&o, argc, argv);
    lode_bench_chain *made = NULL;
    int refused;

    if (wish != LODE_SYNC_MEASURE)
        return wish == LODE_SYNC_DONE ? 0 : 2;
    lode_engine_make_directory(o.job.room);
    if (!o.job.file_count) {
        lode_bench_place place = { .room = o.job.room, .network = "regtest" };
        made = lode_bench_chain_make(&place, o.genchain, o.chain, o.size_bytes, o.coins, 0);
        o.job.files = made->files;
        o.job.file_count = made->file_count;
    }
    refused = measure(&o, made ? o.chain : "given");
    lode_bench_chain_clear(made);
    return refused != 0;
}
