/* bench/common/options.h: what the command lines of the benchmarks have in common. */
#ifndef LODE_BENCH_COMMON_OPTIONS_H
#define LODE_BENCH_COMMON_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* What may stand behind the digits: nothing; K, M or G (thousands, ...); or also KiB, MiB or GiB. */
typedef enum lode_units { LODE_UNITS_NONE, LODE_UNITS_DECIMAL, LODE_UNITS_ALL } lode_units;

/* False: the text is no such number, or it is out of bounds. */
bool lode_option_number(uint64_t *n, const char *text, lode_units units, uint64_t most);
bool lode_option_int(int *n, const char *text, lode_units units, int least, int most);

/* A program beside this one or in a folder above, also where libtool has put this one into .libs for a run in the build
 * tree. The answer is in `path`, or `name` for the system to look for. */
enum { LODE_PROGRAM_PATH_MAX = 4352 };
const char *lode_program_beside(char path[LODE_PROGRAM_PATH_MAX], const char *name);

#endif
