/* snapshot/overlay.h: a chain in memory over one that stays as it is: its tip goes back and forth, nothing is written.
 */
#ifndef LODE_SNAPSHOT_OVERLAY_H
#define LODE_SNAPSHOT_OVERLAY_H

#include "chainstate/chain.h"

/* A chain with the same block index, files and coins, and with a tip and changes of its own, for lode_chain_connect and
 * lode_chain_disconnect. It has workers and no transaction index.
 * Out:     *out  given: lode_overlay_close. NULL on failure.
 * In:      base  kept; all of it is on disk (flush first), and nothing in it changes while the overlay is open. */
lode_status lode_overlay_open(lode_chain **out, lode_chain *base);
void lode_overlay_close(lode_chain *overlay); /* closing NULL does nothing */

/* Do the changes take all the memory there is for them? */
bool lode_overlay_is_full(const lode_chain *overlay);

#endif
