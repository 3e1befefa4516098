/* loadblock/pipeline.h: connected blocks whose scripts still run, and what follows when they pass or fail.
 *
 * Blocks are connected ahead of their script checks; a block counts only when its own checks and those of all before it
 * have passed. Then its undo data is written, the index learns that its scripts are valid, and the transaction index
 * gets its transactions. A failure takes back everything from that block on.
 */
#ifndef LODE_LOADBLOCK_PIPELINE_H
#define LODE_LOADBLOCK_PIPELINE_H

#include "lode.h"
#include "loadblock/work.h"

typedef struct lode_pipeline {
    lode_workshop *shop; /* kept */
    lode_chain *chain;
    lode_work *first, *last; /* connected and not yet settled, oldest first */
    uint32_t in_flight;
    uint64_t in_flight_bytes;
    bool stopped; /* stop_at_height was reached */
    int32_t stop_at_height;
    lode_import_result *result; /* counted up as things happen; kept */
    /* told of each block refused; detail may be empty. May be NULL */
    void (*on_rejection)(void *context, const lode_work *work, const lode_verdict *verdict, const char *detail);
    /* asked now and then by long work: progress. May be NULL */
    void (*on_tick)(void *context);
    void *context;
    uint64_t inputs, transactions, blocks; /* connected and settled */
    const char *script_reason; /* last one logged */
    bool script_reason_known;
} lode_pipeline;

void lode_pipeline_init(lode_pipeline *p, lode_workshop *shop, lode_import_result *result);

/* Store an accepted block: index, block file. *verdict says what header and body rules say; the work keeps entry.
 * Out: *entry_known  false: the parent is not in the index (verdict PREV_BLK_NOT_FOUND). */
lode_status lode_pipeline_accept(lode_pipeline *p, lode_verdict *verdict, bool *is_new, lode_work *work);

/* The header's place in the tree: *entry, new or known; NULL when refused. Source: Core's AcceptBlockHeader. */
lode_status lode_chain_accept_header(lode_chain *chain, lode_verdict *verdict, lode_entry **entry, const lode_header *header,
                                     const lode_block_hash *hash);

/* Follow most work. `work` (may be NULL) is the block just accepted: connected from memory when it is next. Taken. */
lode_status lode_pipeline_activate(lode_pipeline *p, lode_work *work);

/* Settle what has been checked, without waiting / wait until everything is settled. */
lode_status lode_pipeline_settle(lode_pipeline *p);
lode_status lode_pipeline_drain(lode_pipeline *p);
/* Drain, and follow another branch when a check failed, until the tip is the best there is. */
lode_status lode_pipeline_complete(lode_pipeline *p);
/* Let go of everything in flight without judging it: after an error. Waits for tasks that run. The tip goes back to the
 * last block that counts. */
void lode_pipeline_abandon(lode_pipeline *p);

/* Flush when the cache wants it or time has passed. */
lode_status lode_pipeline_maybe_flush(lode_pipeline *p);
/* Wait a little for any worker, helping meanwhile. `seen` from lode_waiter_look before looking. */
void lode_pipeline_wait(lode_pipeline *p, unsigned seen);

#endif
