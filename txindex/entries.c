/* txindex/entries.c: sorting entries by txid, in place.
 *
 * Room:     a radix sort by bytes of the txid, which are spread evenly: two or three passes, then short insertions.
 * Touches:  the entries alone.
 * Threads:  the first byte deals the entries out; several threads then sort what begins alike.
 */
#include "txindex/entries.h"

#include <string.h>

#include "support/thread.h"

enum { SHORT = 24, MOST_THREADS = 16, TXID_BYTES = 32 };

static int compare(const lode_tx_entry *a, const lode_tx_entry *b)
{
    int c = memcmp(a->txid, b->txid, TXID_BYTES);

    if (c)
        return c;
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return a->tx_offset < b->tx_offset ? -1 : a->tx_offset > b->tx_offset;
}

static void insert_each(lode_tx_entry *e, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        lode_tx_entry x = e[i];
        size_t at = i;
        for (; at > 0 && compare(&e[at - 1], &x) > 0; at--)
            e[at] = e[at - 1];
        e[at] = x;
    }
}

static inline unsigned byte_at(const lode_tx_entry *e, unsigned depth)
{
    if (depth < TXID_BYTES)
        return e->txid[depth];
    uint64_t arrival = (uint64_t)e->block << 32 | e->tx_offset;
    return arrival >> (56 - 8 * (depth - TXID_BYTES)) & 0xff;
}

/* Deals entries out by one byte: each is swapped into the place of its kind until all are at home. */
static void deal(lode_tx_entry *e, size_t count, unsigned depth, size_t ends[256])
{
    size_t next[256], sum = 0;

    memset(ends, 0, 256 * sizeof *ends);
    for (size_t i = 0; i < count; i++)
        ends[byte_at(&e[i], depth)]++;
    for (unsigned b = 0; b < 256; b++) {
        next[b] = sum;
        sum += ends[b];
        ends[b] = sum;
    }
    for (unsigned b = 0; b < 256; b++) {
        while (next[b] < ends[b]) {
            unsigned home = byte_at(&e[next[b]], depth);
            if (home == b) {
                next[b]++;
            } else {
                lode_tx_entry x = e[next[home]];
                e[next[home]++] = e[next[b]];
                e[next[b]] = x;
            }
        }
    }
}

/* Arrivals differ, so that 40 bytes always tell two entries apart and the depth is bounded. */
static void sort_from(lode_tx_entry *e, size_t count, unsigned depth)
{
    size_t ends[256];

    if (count <= SHORT || depth >= TXID_BYTES + 8) {
        insert_each(e, count);
        return;
    }
    deal(e, count, depth, ends);
    for (size_t b = 0, first = 0; b < 256; first = ends[b++])
        if (ends[b] - first > 1)
            sort_from(e + first, ends[b] - first, depth + 1);
}

typedef struct sorting {
    lode_tx_entry *entries;
    size_t ends[256];
    unsigned next; /* atomic; the first byte to be taken on */
} sorting;

static void *sort_what_is_left(void *context)
{
    sorting *s = context;

    for (;;) {
        unsigned b = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED);
        size_t first;
        if (b >= 256)
            return NULL;
        first = b ? s->ends[b - 1] : 0;
        sort_from(s->entries + first, s->ends[b] - first, 1);
    }
}

void lode_tx_entries_sort(lode_tx_entry *entries, size_t count, int threads)
{
    lode_thread others[MOST_THREADS] = { 0 };
    sorting s = { .entries = entries };

    if (count <= SHORT) {
        insert_each(entries, count);
        return;
    }
    deal(entries, count, 0, s.ends);
    for (int i = 0; i < threads - 1 && i < MOST_THREADS && count > 10000; i++)
        lode_ignore(lode_thread_start(&others[i], "txindex-sort", sort_what_is_left, &s)); /* this thread does it all */
    sort_what_is_left(&s);
    for (int i = 0; i < MOST_THREADS; i++)
        lode_thread_join(&others[i]);
}

size_t lode_tx_entries_lower_bound(const lode_tx_entry *entries, size_t count, unsigned byte)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (entries[middle].txid[0] < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
