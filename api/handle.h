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
    lode_mutex lock; /* one call at a time works on the chain */
    lode_chain *chain;
};

/* After an error in the middle of work what is in memory may be half way: nothing is told of it or written any more.
 * What is on disk is sound, and the next open finds it. lock is held. */
lode_status lode_handle_check(const lode *handle);
lode_status lode_handle_flush(lode *handle); /* likewise */

/* A NULL handle is the caller's mistake, and told. */
#define LODE_NEEDS(condition, what)                                                                                    \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            return lode_fail(LODE_INVALID_ARGUMENT, "%s: %s", __func__, what);                                         \
    } while (0)

#endif
