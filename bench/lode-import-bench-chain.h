/* bench/lode-import-bench-chain.h: the chains that are imported: made, given, shuffled. */
#ifndef LODE_BENCH_IMPORT_BENCH_CHAIN_H
#define LODE_BENCH_IMPORT_BENCH_CHAIN_H

#include <stdint.h>

#include "bench/lode-import-bench-rival.h"

/* A chain of lode-genchain's, in ROOM/NAME.dat: kept from an earlier run with the same arguments, or made.
 * name is 2012, 2017, 2024 (as long as size_bytes), or coins: as many coins as asked for, spends drawn over all of
 * them; empty_tail: blocks at its end with nothing but a coinbase. NULL: no such name. given: lode_bench_chain_clear.
 */
lode_bench_chain *lode_bench_chain_make(const lode_bench_place *place, const char *genchain, const char *name,
                                        uint64_t size_bytes, uint64_t coins, int empty_tail);
/* Of files that are there; paths are copied. */
lode_bench_chain *lode_bench_chain_of(char *const *files, int count);
/* The same blocks in another order, as parallel download leaves them, in ROOM/shuffled.dat. */
lode_bench_chain *lode_bench_chain_shuffle(const lode_bench_place *place, const lode_bench_chain *chain);
void lode_bench_chain_clear(lode_bench_chain *chain); /* frees; the files stay. NULL does nothing */

#endif
