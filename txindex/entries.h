/* txindex/entries.h: transactions waiting to be written, and putting them in order of txid. */
#ifndef LODE_TXINDEX_ENTRIES_H
#define LODE_TXINDEX_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lode_tx_entry {
    uint8_t txid[32];
    uint32_t block; /* counted as blocks arrive: of equal txids the one that arrived last holds */
    uint32_t tx_offset;
} lode_tx_entry;

/* Entries in order of txid, then of arrival, which is that of (block, tx_offset); no two are equal in all three. Works
 * in place, on `threads` threads. */
void lode_tx_entries_sort(lode_tx_entry *entries, size_t count, int threads);
/* The first entry in sorted ones whose txid's first byte is at least `byte`. */
size_t lode_tx_entries_lower_bound(const lode_tx_entry *entries, size_t count, unsigned byte);

#endif
