/* snapshot/blocks_ahead.c: stored blocks one after another, read and parsed ahead by workers.
 *
 * Room:     a queue of works, bounded in number and bytes; order is kept, whoever finishes first.
 * Touches:  block files for reading, through the works.
 * Threads:  the chain's; works run in its pool.
 */
#include "snapshot/blocks_ahead.h"

enum { AHEAD = 48, AHEAD_BYTES = 32 << 20 };

void lode_blocks_ahead_init(lode_blocks_ahead *b, lode_chain *chain, lode_entry *const *active, int32_t first,
                            int32_t last)
{
    *b = (lode_blocks_ahead){ .chain = chain, .active = active, .next = first, .last = last };
    b->step = first <= last ? 1 : -1;
    b->usual_size = 1 << 20;
    lode_workshop_init(&b->shop, chain, NULL);
}

static void wait_a_little(lode_blocks_ahead *b, unsigned seen)
{
    if (!lode_pool_help(b->chain->pool))
        lode_waiter_wait(b->chain->waiter, seen, 50000);
}

static void wait_until_parsed(lode_blocks_ahead *b, const lode_work *w)
{
    for (;;) {
        unsigned seen = lode_waiter_look(b->chain->waiter);
        if (lode_work_is_parsed(w))
            return;
        wait_a_little(b, seen);
    }
}

void lode_blocks_ahead_wait_checked(lode_blocks_ahead *b, const lode_work *w)
{
    for (;;) {
        unsigned seen = lode_waiter_look(b->chain->waiter);
        if (lode_work_is_checked(w))
            return;
        wait_a_little(b, seen);
    }
}

static bool is_past_last(const lode_blocks_ahead *b)
{
    return b->step > 0 ? b->next > b->last : b->next < b->last;
}

static bool has_room(const lode_blocks_ahead *b)
{
    return b->count < AHEAD && (b->count < 2 || (uint64_t)b->count * b->usual_size < AHEAD_BYTES);
}

static lode_status queue_more(lode_blocks_ahead *b)
{
    while (!is_past_last(b) && has_room(b)) {
        lode_work *w = lode_work_take(&b->shop, LODE_WORK_STORED);
        if (!w)
            return lode_fail(LODE_NO_MEMORY, "no memory to read stored blocks ahead");
        w->entry = b->active[b->next];
        w->next = NULL;
        b->next += b->step;
        if (b->newest)
            b->newest->next = w;
        else
            b->first = w;
        b->newest = w;
        b->count++;
        if (w->entry->status & LODE_BLOCK_HAVE_DATA) {
            lode_work_submit_parse(w, LODE_POOL_URGENT);
        } else {
            w->status = lode_fail(LODE_MISSING, "its data is not stored");
            w->parsed = 1;
        }
    }
    return lode_ok();
}

static lode_work *take_first(lode_blocks_ahead *b)
{
    lode_work *w = b->first;

    wait_until_parsed(b, w);
    b->first = w->next;
    if (!b->first)
        b->newest = NULL;
    b->count--;
    w->next = NULL;
    return w;
}

void lode_blocks_ahead_clear(lode_blocks_ahead *b)
{
    while (b->first)
        lode_work_release(take_first(b));
    lode_workshop_clear(&b->shop);
}

static lode_status look_at(const lode_work *w)
{
    const lode_entry *e = w->entry;

    LODE_TRY(w->status);
    if (!w->is_block)
        return lode_fail(LODE_CORRUPT, "blk%05d.dat at %u: %s", e->file, e->data_pos,
                         w->parse_error.what ? w->parse_error.what : "no block");
    if (!lode_block_hash_is_equal(&w->block.hash, &e->node.hash))
        return lode_fail(LODE_CORRUPT, "blk%05d.dat at %u holds another block", e->file, e->data_pos);
    return lode_ok();
}

lode_status lode_blocks_ahead_next(lode_blocks_ahead *b, lode_work **work)
{
    lode_work *w;
    lode_status s;

    *work = NULL;
    LODE_TRY(queue_more(b));
    if (!b->first)
        return lode_ok();
    w = take_first(b);
    s = look_at(w);
    if (lode_failed(s)) {
        lode_work_release(w);
        return s;
    }
    b->usual_size = w->block.size;
    *work = w;
    return s;
}
