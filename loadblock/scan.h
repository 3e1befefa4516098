/* loadblock/scan.h: finds blocks in input files and hands them on, parents before children.
 *
 * A thread of its own reads, looks for magic and length, hashes headers and queues the blocks for parsing. A block whose
 * parent has not been seen waits by position, not by bytes, and is read again when the parent comes, in whichever file.
 * Every frame is a guess: what turns out to be no block is searched again, byte by byte, by the chain's thread (rescan.c).
 */
#ifndef LODE_LOADBLOCK_SCAN_H
#define LODE_LOADBLOCK_SCAN_H

#include "loadblock/work.h"

typedef struct lode_scan lode_scan;

/* A frame whose parent is not known. */
typedef struct lode_waiting {
    lode_block_hash prev, hash;
    const lode_input *input;
    uint64_t offset; /* of the block */
    uint32_t frame_size, available;
    struct lode_waiting *next; /* in its bucket, in order of arrival */
} lode_waiting;

typedef struct lode_scan_counts {
    uint64_t bytes_read, bytes_skipped; /* skipped: neither frames nor padding */
    uint64_t bytes_queued;              /* of blocks found and not yet taken */
    const lode_input *reading;          /* NULL: nothing */
    uint64_t read_ns;                   /* wall time in reads */
} lode_scan_counts;

/* shop and inputs are kept. Blocks that the chain's index has data of are known from the start. */
lode_status lode_scan_start(lode_scan **out, lode_workshop *shop, const lode_inputs *inputs);
/* Stops the thread, waits for parsing that is under way, frees everything. NULL does nothing. */
void lode_scan_stop(lode_scan *scan);

typedef enum lode_scan_state {
    LODE_SCAN_WORK,    /* *work is next in order; it may still be being parsed */
    LODE_SCAN_BUSY,    /* nothing yet */
    LODE_SCAN_AT_END,  /* all inputs read and all work taken: release what waits, or finish */
    LODE_SCAN_FAILED,  /* see lode_scan_status */
} lode_scan_state;
/* Look at what comes next; lode_scan_pop takes it. The chain's thread. */
lode_scan_state lode_scan_peek(lode_scan *scan, lode_work **work);
void lode_scan_pop(lode_scan *scan);
lode_status lode_scan_status(lode_scan *scan);
/* Where the last frame seen so far in one of the inputs ends, at most its file's end; 0: none was seen. */
uint64_t lode_scan_frames_end(lode_scan *scan, const lode_input *input);
void lode_scan_get_counts(lode_scan *scan, lode_scan_counts *counts);

/* Of an input that has been read: it has bytes other than padding, and none of them looked like a block. */
bool lode_scan_found_nothing(const lode_scan *scan, size_t input);

/* The chain's thread found a block whose parent is unknown: keep its place (and its bytes, when it came in a stream). */
lode_status lode_scan_wait(lode_scan *scan, const lode_work *work);
/* With LODE_SCAN_AT_END: queue again what waits for a parent that is in the index by now. *released 0: nothing does. */
lode_status lode_scan_release(lode_scan *scan, size_t *released);
/* With LODE_SCAN_AT_END: everything that waits, in no order. visit may keep (true) or remove (false) it. */
size_t lode_scan_waiting(lode_scan *scan, void *context, bool (*visit)(void *context, const lode_waiting *waiting));

/* What waits at the end: each block once, in however many copies it came. */
typedef struct lode_scan_gaps {
    uint64_t blocks;       /* that wait */
    uint64_t parents;      /* that are missing: parents which do not wait themselves */
    lode_block_hash first; /* of these, the one whose child comes first in the input */
} lode_scan_gaps;
lode_status lode_scan_find_gaps(lode_scan *scan, lode_scan_gaps *gaps);

#endif
