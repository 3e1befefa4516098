/* bench/suites/published.h: what others measured. */
#ifndef LODE_BENCH_SUITES_PUBLISHED_H
#define LODE_BENCH_SUITES_PUBLISHED_H

/* In the unit of its suite; 0 when nothing was published. */
double lode_published(const char *suite, const char *row, const char *engine);

#endif
