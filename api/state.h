/* api/state.h: states of the chain that readers answer from, and how the writer publishes them.
 *
 * A view is the coins database at a snapshot, the layers that lead from there to the view's tip, and the tip. It never
 * changes; who holds it sees one state. The writer makes a new one when it has something to show, and readers take the
 * newest: a pointer and a count, under a lock that nobody holds for longer.
 */
#ifndef LODE_API_STATE_H
#define LODE_API_STATE_H

#include "api/layer.h"
#include "chainstate/chain.h"
#include "lode.h"
#include "support/thread.h"

enum { LODE_STATE_LAYERS_MAX = 48 };

typedef struct lode_state {
    int references; /* atomic */
    lode_chain *chain;
    lode_entry *tip, *best_header; /* their nodes only */
    lode_snapshot *snapshot;
    size_t layer_count;
    lode_layer *layers[LODE_STATE_LAYERS_MAX]; /* oldest first */
} lode_state;

/* What happened since the state on disk. The writer's, but for what is marked. */
typedef struct lode_recent {
    lode_layer *layers[LODE_STATE_LAYERS_MAX]; /* oldest first */
    size_t layer_count;
    lode_layer_builder builder; /* of what is not published yet */
    lode_entry **states;        /* the tip after each step since first_step - 1, whose tip is `base` */
    size_t state_count, state_capacity;
    uint64_t first_step;
    lode_entry *base;
    uint64_t looked_at_ns;             /* the last flush that had begun when the base was looked for */
    bool is_lost;                      /* blocks went by unrecorded: only what is on disk can be shown */
    size_t bytes, count, shown_layers; /* atomic; of all layers */
    size_t limit_bytes;
} lode_recent;

typedef struct lode_pending_event {
    lode_entry *entry;
    bool is_connected;
} lode_pending_event;

typedef struct lode_publisher {
    lode_mutex lock; /* guards view and is_awaited, which the writer changes under it and reads without */
    lode_cond published;
    lode_state *view;  /* NULL: nothing to show */
    bool is_awaited;   /* the first view of an import: it comes, or lode_publisher_settle */
    bool is_importing; /* the writer's */
    int has_readers;   /* atomic */
    lode_recent recent;
    lode_pending_event *events;
    size_t event_count, event_capacity;
    uint64_t connected, disconnected; /* atomic */
} lode_publisher;

void lode_publisher_init(lode_publisher *p, lode_chain *chain);
/* How much is kept in memory for readers goes with the cache. */
void lode_publisher_set_cache_bytes(lode_publisher *p, size_t bytes);
void lode_publisher_clear(lode_publisher *p); /* nobody reads any more */
/* lode_chain's on_block, but for events. */
void lode_publisher_record(lode_publisher *p, lode_entry *entry, bool is_connected, const lode_block *block,
                           lode_slice undo);
/* The state that the chain stands at; while importing, the state on disk. When what is kept in memory for readers grew
 * too large, or was lost, it is flushed. The writer, between two blocks. */
lode_status lode_publisher_publish(lode_publisher *p, lode_chain *chain);
/* Where nothing is shown while importing: the state on disk is. The writer, within a callback. */
lode_status lode_publisher_begin_showing(lode_publisher *p, lode_chain *chain);
/* While importing: has the state on disk moved on? Then it is published. */
lode_status lode_publisher_follow(lode_publisher *p, lode_chain *chain);
/* An import begins: nothing is recorded until it ends. With nobody reading the view is let go of, and with it the
 * store's snapshot, which would keep compactions from dropping what was overwritten. */
lode_status lode_publisher_begin_import(lode_publisher *p, lode_chain *chain);
void lode_publisher_end_import(lode_publisher *p);
/* What the import left was published, or cannot be: nobody waits any more. */
void lode_publisher_settle(lode_publisher *p);

/* The newest view, held; NULL: none. May wait for the first one of an import that began without. */
lode_state *lode_publisher_take(lode_publisher *p, bool may_wait);
void lode_state_hold(lode_state *view);
void lode_state_release(lode_state *view); /* NULL does nothing */

/* *value as stored, from lode_coin_decode's point of view; the buffer is filled. Any thread. */
lode_status lode_state_find_coin(const lode_state *view, bool *found, lode_buf *value, const uint8_t prevout[36]);
bool lode_state_contains(const lode_state *view, const lode_entry *entry);
lode_entry *lode_state_at(const lode_state *view, int32_t height); /* NULL: none */

#endif
