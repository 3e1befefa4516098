/* bench/common/report.h: what the benchmarks' reports have in common. */
#ifndef LODE_BENCH_COMMON_REPORT_H
#define LODE_BENCH_COMMON_REPORT_H

#include <stddef.h>
#include <stdio.h>

void lode_sort_doubles(double *values, size_t count);
/* Sorts them: the least is then first and the most last. count is at least 1. */
double lode_median(double *values, size_t count);

/* With its quotation marks. */
void lode_json_text(FILE *f, const char *text);

/* Processors, memory and system in one line. */
void lode_machine_describe(char *text, size_t size);

#endif
