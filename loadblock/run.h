/* loadblock/run.h: the state of one import, shared by the files that make it up. Not for other folders. */
#ifndef LODE_LOADBLOCK_RUN_H
#define LODE_LOADBLOCK_RUN_H

#include "loadblock/import.h"
#include "loadblock/pipeline.h"
#include "loadblock/scan.h"
#include "loadblock/waiting.h"

/* Where a block should have been and was not. */
typedef struct lode_damage {
    lode_block_hash hash;
    const lode_input *input;
    uint64_t offset;
    char reason[96];
} lode_damage;

enum { LODE_DAMAGE_MAX = 64 };

typedef struct lode_run_state {
    lode_chain *chain;
    const lode_import_options *options;
    lode_import_result *result;
    lode_inputs inputs;
    lode_chunk_pool *chunks;
    lode_workshop shop;
    lode_pipeline pipeline;
    lode_scan *scan;
    lode_phase phase;
    uint64_t started_ns, ticked_ns;
    int32_t start_height;
    lode_seen refused; /* blocks that are refused for ever and have no place in the index */
    lode_damage damage[LODE_DAMAGE_MAX];
    size_t damage_count;
    bool own_ends_are_noted;
} lode_run_state;

/* import.c */
lode_status lode_run_set_up(lode_run_state *run); /* end it also when this fails */
void lode_run_take_down(lode_run_state *run);
/* Appends to our own files, which are being read, begin behind all that was found in them. */
void lode_run_note_own_ends(lode_run_state *run);
/* Where the transaction index stands: its best block, or where that branch left our chain. */
lode_status lode_run_find_txindex_place(lode_chain *chain);
/* one.c */
/* Work that is not an import: what an earlier run left to be done comes first. End it with take_down. */
lode_status lode_run_begin_step(lode_run_state *run);
/* handle.c */
/* A parsed work: accept, connect, search again inside what is no block. Taken. */
lode_status lode_run_handle(lode_run_state *run, lode_work *work, bool may_search_again);
/* A header seen before. Taken. */
lode_status lode_run_handle_repeat(lode_run_state *run, lode_work *work);
/* rescan.c */
/* Search [from, end) of a work's input byte by byte, for frames that begin there. */
lode_status lode_run_search(lode_run_state *run, const lode_work *near_work, uint64_t from, uint64_t end);
/* What still waits at the end of input: frames that are no blocks are searched inside. *found: blocks were accepted. */
lode_status lode_run_search_waiting(lode_run_state *run, bool *found);
/* notices.c */
void lode_run_notice(lode_run_state *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lode_run_report_damage(lode_run_state *run, const lode_work *work, const char *reason);
void lode_run_on_rejection(void *context, const lode_work *work, const lode_verdict *verdict, const char *detail);
void lode_run_on_tick(void *context); /* progress, a few times a second */
void lode_run_tell_progress(lode_run_state *run, lode_phase phase); /* now */
lode_status lode_run_report_waiting(lode_run_state *run);

#endif
