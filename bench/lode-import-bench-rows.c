/* bench/lode-import-bench-rows.c: the questions, each asked in pairs.
 *
 * Room:     the table of rows, and what must lie in the directories before one begins.
 * Touches:  data directories through lode-import-bench-rival.c.
 *
 * The sides of a row take turns, A B A B, so that what else the machine does falls on all of them; a ratio is one of
 * two neighbours. A row counts only if every run of it ended with the chain's own best block and hash of coins.
 */
#include "bench/lode-import-bench-rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/lode-import-bench-chain.h"
#include "bench/lode-import-bench-floor.h"
#include "support/env.h"
#include "support/status.h"

/* What a side gets of -par and -dbcache. */
typedef enum share { AS_ASKED, ONE, SMALL, QUARTER } share;

typedef struct plan {
    const char *name; /* NULL: no such side */
    lode_bench_who who;
    lode_bench_work work;
    bool scripts, txindex, cold, shuffled, one_processor;
    share par, cache;
    double at_least, at_most;
} plan;

#define LODE .who = LODE_BENCH_LODE
#define CORE .name = "core", .who = LODE_BENCH_CORE
#define REINDEX .work = LODE_BENCH_REINDEX

typedef struct question {
    const char *name, *what;
    plan lode, other;       /* other: mostly Core */
    double floor_at_most;   /* 0: the floor is not asked for */
    bool on_eras, on_coins; /* asked without --rows, of chains like real ones, of the chain of many coins */
} question;

static const question questions[] = {
    { "import",
      "without scripts",
      { .name = "lode", LODE },
      { CORE, .at_least = 6 },
      .on_eras = true,
      .on_coins = true },
    { "reindex",
      "-reindex-chainstate without scripts",
      { .name = "lode", LODE, REINDEX },
      { CORE, REINDEX, .at_least = 4 },
      .on_eras = true,
      .on_coins = true },
    { "import_scripts",
      "with all scripts",
      { .name = "lode", LODE, .scripts = true },
      { CORE, .scripts = true, .at_least = 1 },
      .floor_at_most = 1.1,
      .on_eras = true },
    { "reindex_scripts",
      "-reindex-chainstate with all scripts",
      { .name = "lode", LODE, REINDEX, .scripts = true },
      { CORE, REINDEX, .scripts = true, .at_least = 1 },
      .floor_at_most = 1.1 },
    { "txindex",
      "without scripts, with the transaction index",
      { .name = "lode", LODE, .txindex = true },
      { CORE, .txindex = true, .at_least = 6 },
      .on_eras = true },
    { "txindex_added",
      "what the index adds to an import without scripts",
      { .name = "lode", LODE },
      { .name = "lode_txindex", LODE, .txindex = true, .at_most = 1.1 },
      .on_eras = true },
    { "txindex_alone",
      "the transaction index of a directory that has none",
      { .name = "lode", LODE, .work = LODE_BENCH_TXINDEX },
      { CORE, .work = LODE_BENCH_TXINDEX, .at_least = 1 },
      .on_eras = true },
    { "small_cache",
      "without scripts, --small-dbcache",
      { .name = "lode", LODE, .cache = SMALL },
      { CORE, .cache = SMALL, .at_least = 6 },
      .on_coins = true },
    { "small_reindex",
      "-reindex-chainstate without scripts, --small-dbcache",
      { .name = "lode", LODE, REINDEX, .cache = SMALL },
      { CORE, REINDEX, .cache = SMALL, .at_least = 4 },
      .on_coins = true },
    { "quarter_cache",
      "without scripts, a quarter of Core's --small-dbcache",
      { .name = "lode_quarter", LODE, .cache = QUARTER },
      { CORE, .cache = SMALL, .at_least = 1 },
      .on_coins = true },
    { "one_thread",
      "without scripts, -par=1",
      { .name = "lode", LODE, .par = ONE },
      { CORE, .par = ONE, .at_least = 6 },
      .on_eras = true },
    { "one_thread_scripts",
      "with all scripts, -par=1",
      { .name = "lode", LODE, .par = ONE, .scripts = true },
      { CORE, .par = ONE, .scripts = true, .at_least = 1 },
      .floor_at_most = 1.1 },
    { "threads",
      "without scripts, -par beside -par=1",
      { .name = "lode", LODE },
      { .name = "lode_par1", LODE, .par = ONE, .at_least = 1 },
      .on_eras = true },
    { "one_processor",
      "without scripts, -par=1, all threads on one processor",
      { .name = "lode", LODE, .par = ONE, .one_processor = true },
      { CORE, .par = ONE, .one_processor = true, .at_least = 6 } },
    { "processors",
      "without scripts, all processors beside one",
      { .name = "lode", LODE },
      { .name = "lode_one_processor", LODE, .one_processor = true, .at_least = 1 },
      .on_eras = true },
    { "shuffled",
      "without scripts, blocks as parallel download leaves them, beside file order",
      { .name = "lode", LODE, .shuffled = true },
      { .name = "lode_in_order", LODE },
      .on_eras = true },
    { "reindex_shuffled",
      "-reindex without scripts, block files as parallel download leaves them",
      { .name = "lode", LODE, .work = LODE_BENCH_REINDEX_ALL, .shuffled = true },
      { CORE, .work = LODE_BENCH_REINDEX_ALL, .shuffled = true, .at_least = 6 },
      .on_eras = true },
    { "cold",
      "without scripts, input dropped from the page cache",
      { .name = "lode", LODE, .cold = true },
      { CORE, .cold = true, .at_least = 6 },
      .on_eras = true },
    { "cold_reindex",
      "-reindex-chainstate without scripts, directory dropped from the page cache",
      { .name = "lode", LODE, REINDEX, .cold = true },
      { CORE, REINDEX, .cold = true, .at_least = 4 },
      .on_coins = true },
};
enum { QUESTIONS = sizeof questions / sizeof questions[0] };

void lode_bench_list_rows(void)
{
    for (int i = 0; i < QUESTIONS; i++)
        printf("%-20s %s\n", questions[i].name, questions[i].what);
}

/* ---- one row ---- */

typedef struct bench {
    const lode_import_bench_options *o;
    lode_bench_chain *chain;
    lode_bench_chain *shuffled;            /* made when first needed */
    const lode_bench_chain *lies_there[2]; /* what the directory of each holds; NULL: not known */
} bench;

static lode_bench_job job_of(const bench *b, const plan *p)
{
    const lode_import_bench_options *o = b->o;
    lode_bench_job job = {
        .who = p->who, .work = p->work, .scripts = p->scripts, .txindex = p->txindex, .cold = p->cold
    };

    job.one_processor = p->one_processor;
    job.par = p->par == ONE ? 1 : o->par;
    job.dbcache_mib = p->cache == SMALL     ? o->small_dbcache_mib
                      : p->cache == QUARTER ? o->small_dbcache_mib / 4 > 4 ? o->small_dbcache_mib / 4 : 4
                                            : o->dbcache_mib;
    return job;
}

/* The directory that a reindex or the index alone begins with. */
static bool lay_directory(bench *b, char why[256], lode_bench_chain *chain, const lode_bench_job *job)
{
    lode_bench_job import = { .who = job->who, .par = b->o->par, .dbcache_mib = b->o->dbcache_mib };
    lode_bench_cost cost;
    char path[4096];

    if (job->work == LODE_BENCH_IMPORT || job->work == LODE_BENCH_REINDEX_ALL)
        return true;
    if (b->lies_there[job->who] != chain && !lode_bench_do_job(&cost, why, &b->o->place, chain, &import))
        return false;
    b->lies_there[job->who] = chain;
    lode_bench_path_of(path, &b->o->place, job->who, "indexes");
    lode_ignore(lode_env_remove_tree(lode_env_system(), path)); /* if it stays, the run ends too soon and says so */
    return true;
}

static lode_bench_chain *chain_of(bench *b, const plan *p)
{
    if (p->shuffled && !b->shuffled)
        b->shuffled = lode_bench_chain_shuffle(&b->o->place, b->chain);
    return p->shuffled ? b->shuffled : b->chain;
}

static bool measure_side(bench *b, lode_bench_row *row, lode_bench_side *side, const plan *p, int round)
{
    lode_bench_job job = job_of(b, p);
    lode_bench_chain *chain = chain_of(b, p);
    lode_bench_cost cost;

    if (!lay_directory(b, row->refused, chain, &job))
        return false;
    b->lies_there[job.who] = NULL;
    if (!lode_bench_do_job(&cost, row->refused, &b->o->place, chain, &job))
        return false;
    b->lies_there[job.who] = chain;
    side->name = p->name;
    side->par = job.par;
    side->dbcache_mib = job.dbcache_mib;
    side->wall_s[round] = cost.wall_s;
    side->cpu_s[round] = cost.cpu_s;
    side->peak_mib[round] = cost.peak_mib;
    return true;
}

/* Reads what Lode's last run left. */
static bool measure_floor(bench *b, lode_bench_row *row, lode_bench_side *side, int threads, int round)
{
    lode_bench_floor floor;

    if (!lode_bench_measure_floor(&floor, row->refused, &b->o->place, threads))
        return false;
    row->signatures = floor.signatures;
    side->name = "floor";
    side->par = threads;
    side->wall_s[round] = floor.cost.wall_s;
    side->cpu_s[round] = floor.cost.cpu_s;
    return true;
}

static bool measure_round(bench *b, lode_bench_row *row, const question *q, int round)
{
    int side = 0, par = job_of(b, &q->lode).par;

    if (!measure_side(b, row, &row->sides[side++], &q->lode, round))
        return false;
    if (q->floor_at_most > 0) {
        row->at_most[side] = q->floor_at_most;
        if (!measure_floor(b, row, &row->sides[side++], par, round))
            return false;
    }
    if (q->other.who == LODE_BENCH_LODE || b->o->place.bitcoind) {
        row->at_least[side] = q->other.at_least;
        row->at_most[side] = q->other.at_most;
        if (!measure_side(b, row, &row->sides[side++], &q->other, round))
            return false;
    }
    row->side_count = side;
    row->rounds = round + 1;
    return true;
}

static void measure_row(bench *b, lode_bench_row *row, const question *q)
{
    *row = (lode_bench_row){ .name = q->name, .of = b->chain, .n = b->chain->inputs };
    for (int round = 0; round < b->o->rounds; round++)
        if (!measure_round(b, row, q, round))
            return;
}

/* ---- all rows ---- */

static bool is_listed(const char *list, const char *name)
{
    size_t len = strlen(name);

    for (const char *at = list; (at = strstr(at, name)); at++)
        if ((at == list || at[-1] == ',') && (at[len] == '\0' || at[len] == ','))
            return true;
    return false;
}

static bool is_asked(const bench *b, const question *q)
{
    if (b->o->rows)
        return is_listed(b->o->rows, q->name);
    if (b->o->full)
        return true;
    return strcmp(b->chain->name, "coins") == 0 ? q->on_coins : q->on_eras;
}

/* The first import says what all others must end with. */
static bool begin(bench *b, lode_bench_row *row)
{
    lode_bench_job job = { .who = LODE_BENCH_LODE, .par = b->o->par, .dbcache_mib = b->o->dbcache_mib };
    lode_bench_cost cost;

    *row = (lode_bench_row){ .name = "first_import", .of = b->chain };
    if (!lode_bench_do_job(&cost, row->refused, &b->o->place, b->chain, &job))
        return false;
    b->lies_there[LODE_BENCH_LODE] = b->chain;
    return lode_bench_inspect(row->refused, &b->o->place, b->chain);
}

void lode_bench_measure_chain(const lode_import_bench_options *o, lode_bench_chain *chain, void *context,
                              void (*told)(void *context, const lode_bench_row *row))
{
    bench b = { .o = o, .chain = chain };
    static lode_bench_row row;

    if (!begin(&b, &row)) {
        told(context, &row);
        return;
    }
    for (int i = 0; i < QUESTIONS; i++) {
        if (!is_asked(&b, &questions[i]))
            continue;
        measure_row(&b, &row, &questions[i]);
        told(context, &row);
    }
    lode_bench_chain_clear(b.shuffled);
}
