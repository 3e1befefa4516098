/* bench/lode-import-bench.c: how fast is lode import beside bitcoind -loadblock, and beside bare signature checks?
 *
 *     lode-import-bench --bitcoind=PATH              some ten minutes
 *     lode-import-bench --full --json=result.json    hours: chains of three eras, one with over five million inputs
 *     lode-import-bench --network=main --rows=import,import_scripts blk00000.dat blk00001.dat
 *
 * Both programs import the same files into an empty directory, with the same -par, -dbcache and outputs, in turns of
 * one run (A B A B), as whole processes: wall time, processor time of all threads, peak of resident memory. A time
 * counts only if the run ended with the chain's best block and the same hash of all coins; Lode reads both directories
 * to find out. Without scripts means -checksigs=0, and for Core -assumevalid at the tip, which it heeds in blocks older
 * than two weeks of work: made chains end in 2,017 blocks with nothing but a coinbase, and a row is refused if Core's
 * log does not say that it skipped all blocks with inputs.
 *
 * The floor is libsecp256k1 alone with the chain's own signatures, on as many threads, in the same turns.
 * bench/lode-import-bench-rows.c is the list of rows. Status: 0 all rows measured (whether or not they met what was
 * wanted), 1 one was refused or something failed, 2 usage.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/lode-import-bench-chain.h"
#include "bench/lode-import-bench-options.h"
#include "bench/lode-import-bench-print.h"
#include "bench/lode-import-bench-rows.h"
#include "support/env.h"
#include "support/status.h"

/* Scripts are skipped by Core only in blocks that are older than the last two weeks of work: 2,016 of ten minutes. */
enum { EMPTY_TAIL = 2017 };

static void told(void *context, const lode_bench_row *row)
{
    lode_bench_print_row((lode_bench_printer *)context, row);
}

static uint64_t size_of(const lode_import_bench_options *o, const char *name)
{
    if (o->size_bytes)
        return o->size_bytes;
    return !o->full ? 60000000 : strcmp(name, "2024") == 0 ? 1200000000 : 300000000;
}

static uint64_t coins_of(const lode_import_bench_options *o)
{
    return o->coins ? o->coins : o->full ? 3000000 : 1000000;
}

static void measure_given(const lode_import_bench_options *o, lode_bench_printer *p)
{
    lode_bench_chain *chain = lode_bench_chain_of(o->files, o->file_count);

    lode_bench_measure_chain(o, chain, p, told);
    p->chain = NULL;
    lode_bench_chain_clear(chain);
}

static void measure_made(const lode_import_bench_options *o, lode_bench_printer *p)
{
    char *names = strdup(o->chains), *rest = NULL;

    for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        lode_bench_chain *chain =
            lode_bench_chain_make(&o->place, o->genchain, name, size_of(o, name), coins_of(o), EMPTY_TAIL);
        if (!chain)
            lode_bench_stop("--chains=%s: there are 2012, 2017, 2024 and coins", name);
        lode_bench_measure_chain(o, chain, p, told);
        p->chain = NULL;
        lode_bench_chain_clear(chain);
    }
    free(names);
}

int main(int argc, char **argv)
{
    lode_import_bench_options o;
    lode_bench_printer p = { .text = stdout };
    lode_import_bench_wish wish = lode_import_bench_read_options(&o, argc, argv);
    lode_status s;

    if (wish != LODE_BENCH_MEASURE)
        return wish == LODE_BENCH_DONE ? 0 : 2;
    s = lode_env_make_path(lode_env_system(), o.place.room);
    if (lode_failed(s))
        lode_bench_stop("%s", s.text);
    if (o.json) {
        bool to_output = strcmp(o.json, "-") == 0;
        p.json = to_output ? stdout : fopen(o.json, "w");
        if (!p.json)
            lode_bench_stop("%s cannot be written", o.json);
        if (to_output)
            p.text = NULL;
    }
    lode_bench_print_head(&p, &o);
    if (o.file_count)
        measure_given(&o, &p);
    else
        measure_made(&o, &p);
    lode_bench_print_end(&p);
    if (p.json && p.json != stdout && fclose(p.json) != 0)
        lode_bench_stop("%s cannot be written", o.json);
    return p.refused ? 1 : 0;
}
