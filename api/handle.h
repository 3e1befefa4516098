/* api/handle.h: what a lode handle holds. */
#ifndef LODE_API_HANDLE_H
#define LODE_API_HANDLE_H

#include "lode.h"
#include "chainstate/chain.h"
#include "support/thread.h"

struct lode {
    lode_logger logger; /* constant after open */
    int32_t stop_at_height;
    bool read_only;
    bool has_loaded; /* coins: the chain is the snapshot's background now, and not gone on with */
    lode_mutex lock; /* one call at a time works on the chain */
    lode_chain *chain;
};

/* After an error in the middle of work what is in memory may be half way: nothing is told of it or written any more.
 * What is on disk is sound, and the next open finds it. lock is held. */
lode_status lode_handle_check(const lode *handle);
lode_status lode_handle_flush(lode *handle); /* likewise */
/* Waits for the writer, then holds the lock: one call at a time works on the chain. `out` only has to be there. Nothing
 * is held when it fails. */
lode_status lode_handle_lock_for_answer(lode *handle, const void *out);
/* The same, and everything is on disk. */
lode_status lode_handle_lock_for_walk(lode *handle, const void *out);
/* Lets go of the lock; a request to stop ends one call. Returns s. */
lode_status lode_handle_end_answer(lode *handle, lode_status s);

/* An error as it is told: with what rebuilds a damaged part. */
lode_status lode_handle_tell(const lode *handle, lode_status s);

/* A NULL handle is the caller's mistake, and told. */
#define LODE_NEEDS(condition, what)                                                                                    \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            return lode_fail(LODE_INVALID_ARGUMENT, "%s: %s", __func__, what);                                         \
    } while (0)

#endif
