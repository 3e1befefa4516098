/* loadblock/scan_private.h: the scan's state, shared by the files that make it up. */
#ifndef LODE_LOADBLOCK_SCAN_PRIVATE_H
#define LODE_LOADBLOCK_SCAN_PRIVATE_H

#include "loadblock/scan.h"
#include "loadblock/waiting.h"

struct lode_scan {
    lode_workshop *shop;      /* constant */
    const lode_inputs *inputs;
    lode_thread thread;
    lode_mutex lock; /* guards what follows, down to the blank line */
    lode_cond room;  /* queue got shorter, or stop, or released */
    lode_work *first, *last;
    size_t queued;
    uint64_t queued_bytes;
    bool at_end, stop, failed;
    lode_status status;
    lode_seen seen;
    lode_waiting_map waiting;
    lode_block_hash *to_release;
    size_t release_count;
    uint64_t *frames_ends; /* by input */

    uint64_t bytes_read, bytes_skipped, read_ns; /* atomic */
    bool *is_barren; /* by input; atomic: bytes, and no frame among them */
    const lode_input *reading;                   /* atomic */
    lode_input spool;                            /* what waits from a stream, written here once */
    lode_file *spool_file;
    uint64_t spool_end;
};

/* One input being read: a window into it. */
typedef struct lode_scan_window {
    const lode_input *input;
    lode_file *file;
    lode_chunk *chunk;
    size_t len;      /* bytes in chunk */
    size_t at;       /* first byte not yet dealt with */
    uint64_t base;   /* file offset of chunk's first byte */
    uint64_t doubted_end; /* file offset: up to here bytes of a frame that may be torn are looked at once more */
    bool at_end;     /* the file has no more */
    bool has_frames;
} lode_scan_window;

/* scan.c */
lode_status lode_scan_no_memory(void);
bool lode_scan_must_stop(lode_scan *scan);
/* scan_order.c: the scan's thread only */
/* A frame with at least a header in it. *is_parsed: its body will be looked at soon, and searched if it is none. */
lode_status lode_scan_emit_frame(lode_scan *scan, lode_scan_window *window, bool *is_parsed, size_t at, uint32_t frame_size, uint32_t available);
/* Everything that waited for `parent`, and what waited for that, goes on: parents first. */
lode_status lode_scan_emit_descendants(lode_scan *scan, const lode_block_hash *parent);
/* Bytes of a stream cannot be read twice: what must wait is kept in a file of ours. Lock held. */
lode_status lode_scan_spool(lode_scan *scan, lode_waiting *waiting, const uint8_t *raw);
/* scan_frames.c: the scan's thread only */
lode_status lode_scan_read_input(lode_scan *scan, const lode_input *input, bool *stopped);

#endif
