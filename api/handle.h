/* api/handle.h: what a lode handle holds. */
#ifndef LODE_API_HANDLE_H
#define LODE_API_HANDLE_H

#include "lode.h"
#include "api/state.h"
#include "support/thread.h"

typedef struct lode_submission lode_submission;

/* Blocks on their way to lode_submit_block, and imports in the background. */
typedef struct lode_background {
    lode_mutex lock; /* guards all here */
    lode_cond changed;
    lode_import_job *jobs; /* that have not ended */
    lode_submission *first, *last;
    size_t queued, queued_bytes;
    lode_thread submitter;
    bool is_closing, is_cancelled;
} lode_background;

/* HAS_LOADED coins: the chain is the snapshot's background now, and not gone on with. */
enum { LODE_HANDLE_IN_DOUBT = 1, LODE_HANDLE_HAS_LOADED = 2 };
/* The error that says so. */
lode_status lode_handle_broken(int why);
/* The error where the coins on disk are no state. */
lode_status lode_handle_cut_off(void);
enum { LODE_HANDLE_CACHE_LEAST = 4 << 20 }; /* Core's smallest -dbcache */

struct lode {
    lode_logger logger; /* constant after open */
    int32_t stop_at_height;
    bool read_only;
    void (*on_event)(void *context, const lode_event *event);
    void *event_context;
    uint64_t signature_cache_bytes;
    lode_mutex lock; /* the writer's: one call at a time works on the chain */
    lode_chain *chain;
    bool tells_events_at_once; /* the writer's: an import runs */
    int is_broken;             /* atomic; 0, or why nothing is told any more: LODE_HANDLE_... */
    int walks;                 /* atomic: open walks over coins, and those over headers that are under way */
    uint64_t wanted_cache;     /* atomic: not taken yet; 0: none */
    uint64_t cache_limit;      /* atomic: as told in statistics */
    uint64_t reader_lookups, warm_count; /* atomic */
    lode_mutex warm_lock;      /* the making of chain->warm */
    lode_publisher publisher;
    lode_background background;
};

/* After an error in the middle of work what is in memory may be half way: nothing is told of it or written any more.
 * What is on disk is sound, and the next open finds it. lock is held. */
lode_status lode_handle_check(const lode *handle);
lode_status lode_handle_flush(lode *handle); /* likewise */

/* ---- the writer ---- */

/* Waits for its turn and holds the lock. Refuses readers' handles (unless reading), calls from callbacks, and a chain in
 * doubt. Nothing is held when it fails. */
lode_status lode_handle_begin(lode *handle, const char *function, bool reading);
/* What was done is published, events are told, a request to stop ends, the lock is let go of. Returns s, or why nothing
 * could be published. */
lode_status lode_handle_end(lode *handle, lode_status s);
/* Cache size that was asked for meanwhile. lock is held. */
void lode_handle_take_wishes(lode *handle);
/* A lode_import, lock held between begin and end. */
lode_status lode_handle_import(lode *handle, const lode_import_options *options, lode_import_result *result);
/* Options of any size, checked. */
lode_status lode_import_options_take(lode_import_options *out, const lode_import_options *given, const char *function);

/* Waits for the writer, then holds the lock: for answers that need the chain itself. `out` only has to be there. */
lode_status lode_handle_lock_for_answer(lode *handle, const void *out, const char *function);
/* The same, and everything is on disk. */
lode_status lode_handle_lock_for_walk(lode *handle, const void *out, const char *function);
lode_status lode_handle_end_answer(lode *handle, lode_status s);

/* A request to stop has been met. lock is held. */
void lode_handle_forget_interrupt(lode *handle);

/* An error as it is told: with what rebuilds a damaged part. */
lode_status lode_handle_tell(const lode *handle, lode_status s);

/* ---- readers ---- */

/* The newest state, held: lode_state_release. */
lode_status lode_handle_view(lode_state **view, lode *handle, const char *function);
/* A copy for the caller, who frees it with lode_free; never NULL, not even of no bytes. */
lode_status lode_handle_give(uint8_t **out, size_t *len, lode_slice bytes);

/* ---- background.c ---- */
void lode_background_init(lode_background *background);
void lode_background_end(lode *handle, bool cancel); /* waits until all has ended; nothing begins any more */
bool lode_background_is_own_thread(lode *handle);
void lode_background_clear(lode_background *background);

/* A NULL handle is the caller's mistake, and told. */
#define LODE_NEEDS(condition, what)                                                                                    \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            return lode_fail(LODE_INVALID_ARGUMENT, "%s: %s", __func__, what);                                         \
    } while (0)

/* As much as the caller knows of options that hold their defaults; their size becomes the library's. */
static inline void lode_take_options(void *options, const void *given, size_t full_size)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    memcpy(options, given, size < full_size ? size : full_size);
    memcpy(options, &full_size, sizeof full_size);
}

/* A result begins with its size, which the caller has set. */
#define LODE_NEEDS_SIZE(result)                                                                                        \
    do {                                                                                                               \
        LODE_NEEDS(result, "nowhere to put the answer");                                                               \
        LODE_NEEDS((result)->size >= sizeof(size_t), "the result's size is not set: = { sizeof result }");              \
    } while (0)
/* As much of `full` as the caller has room for; its size stays. */
#define LODE_PUT_RESULT(result, full) lode_put_result((result), &(full), sizeof(full))
static inline void lode_put_result(void *result, const void *full, size_t full_size)
{
    size_t size;
    memcpy(&size, result, sizeof size);
    if (full_size > size)
        full_size = size;
    if (full_size > sizeof size)
        memcpy((uint8_t *)result + sizeof size, (const uint8_t *)full + sizeof size, full_size - sizeof size);
}

#endif
