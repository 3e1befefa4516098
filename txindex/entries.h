/* txindex/entries.h: transactions waiting to be written, and putting them in order of txid. */
#ifndef LODE_TXINDEX_ENTRIES_H
#define LODE_TXINDEX_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lode_tx_entry {
    uint8_t txid[32];
    uint32_t file;
    uint32_t block_pos;
    uint32_t tx_offset;
    uint32_t sequence; /* order of arrival: of equal txids the last one holds */
} lode_tx_entry;

/* Entries in order of txid, then of arrival. Works in place, on `threads` threads. */
void lode_tx_entries_sort(lode_tx_entry *entries, size_t count, int threads);
/* The first entry in sorted ones whose txid's first byte is at least `byte`. */
size_t lode_tx_entries_lower_bound(const lode_tx_entry *entries, size_t count, unsigned byte);

#endif
