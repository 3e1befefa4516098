/* loadblock/stored.h: connecting blocks that are stored already: reorganisations, resumption, -reindex-chainstate, and
 * building the transaction index of what is connected. */
#ifndef LODE_LOADBLOCK_STORED_H
#define LODE_LOADBLOCK_STORED_H

#include "loadblock/pipeline.h"

/* Go from the tip to `target`: back to the fork, then forward, reading and parsing ahead. Returns early, without an
 * error, when a block is refused, when interrupted, or when the tip was taken back meanwhile: the caller looks again. */
lode_status lode_pipeline_connect_stored(lode_pipeline *p, lode_entry *target);
/* Take the tip back, from the files. Nothing may be in flight. */
lode_status lode_pipeline_disconnect_tip(lode_pipeline *p);
/* Add the blocks between the transaction index's best and the tip. */
lode_status lode_pipeline_catch_up_txindex(lode_pipeline *p);
/* pipeline.c's: connect one parsed block. Taken. */
lode_status lode_pipeline_connect(lode_pipeline *p, bool *connected, lode_work *w);

#endif
