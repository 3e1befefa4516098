/* bench/sync/table.h: all rounds of all rows, and how they are printed. */
#ifndef LODE_BENCH_SYNC_TABLE_H
#define LODE_BENCH_SYNC_TABLE_H

#include <stdio.h>

#include "bench/sync/options.h"

typedef struct lode_sync_table {
    const lode_sync_options *options;
    const char *chain_name;
    lode_sync_run reference; /* Lode's, before all rows */
    int row_count, row_capacity;
    lode_sync_row *rows;
    lode_sync_run *runs; /* row_count of each round */
} lode_sync_table;

static inline lode_sync_run *lode_sync_table_at(const lode_sync_table *t, int row, int round)
{
    return &t->runs[round * t->row_count + row];
}

/* Medians over rounds, and what half the range is of the median. A row with one bad round is refused as a whole. */
typedef struct lode_sync_middle {
    const char *why; /* NULL: it counts */
    double real_s, user_s, sys_s, peak_mib, files_mb;
    double spread; /* of real_s, in parts of it */
} lode_sync_middle;
lode_sync_middle lode_sync_table_middle(const lode_sync_table *table, int row);

void lode_sync_table_print(FILE *out, const lode_sync_table *table); /* text, or Markdown if asked for */
void lode_sync_table_json(FILE *out, const lode_sync_table *table);

#endif
