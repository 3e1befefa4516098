/* bench/lode-import-bench-print.h: rows as lines of text and as one JSON object. */
#ifndef LODE_BENCH_IMPORT_BENCH_PRINT_H
#define LODE_BENCH_IMPORT_BENCH_PRINT_H

#include <stdio.h>

#include "bench/lode-import-bench-rows.h"

typedef struct lode_bench_printer {
    FILE *text, *json;             /* NULL: none */
    const lode_bench_chain *chain; /* being printed */
    int chains, rows;              /* printed; rows of that chain */
    int missed, refused;
} lode_bench_printer;

void lode_bench_print_head(lode_bench_printer *p, const lode_import_bench_options *o);
/* The chain's own line comes before its first row. */
void lode_bench_print_row(lode_bench_printer *p, const lode_bench_row *row);
void lode_bench_print_end(lode_bench_printer *p);

#endif
