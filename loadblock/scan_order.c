/* loadblock/scan_order.c: which block goes on, and which waits.
 *
 * Room:     parents before children: what has been seen, what waits by position, what is queued for the chain's thread.
 * Touches:  a spool file for what waits from a pipe.
 * Threads:  the scan's; its lock guards queue, seen and waiting.
 */
#include "loadblock/scan_private.h"

#include <stdlib.h>

#include "validate/rules/header.h"

enum { QUEUE_MAX = 768 }; /* works found and not yet taken */

static void push(lode_scan *s, lode_work *w)
{
    lode_mutex_lock(&s->lock);
    while (s->queued >= QUEUE_MAX && !s->stop)
        lode_cond_wait(&s->room, &s->lock);
    w->next = NULL;
    if (s->last)
        s->last->next = w;
    else
        s->first = w;
    s->last = w;
    s->queued++;
    s->queued_bytes += w->available;
    lode_mutex_unlock(&s->lock);
    lode_waiter_tell(s->shop->waiter);
}

static lode_work *new_work(lode_scan *s, lode_work_kind kind, const lode_input *input, uint64_t offset, uint32_t frame_size, uint32_t available,
                           const lode_block_hash *hash)
{
    lode_work *w = lode_work_take(s->shop, kind);
    if (!w)
        return NULL;
    w->input = input;
    w->offset = offset;
    w->frame_size = frame_size;
    w->available = available;
    w->hash = *hash;
    return w;
}

lode_status lode_scan_emit_descendants(lode_scan *s, const lode_block_hash *parent)
{
    lode_waiting *list, **last;

    lode_mutex_lock(&s->lock);
    list = lode_waiting_take(&s->waiting, parent);
    lode_mutex_unlock(&s->lock);
    for (last = &list; *last; last = &(*last)->next)
        ;
    while (list) {
        lode_waiting *w = list;
        bool is_new, good, stop;
        lode_work *work = NULL;

        lode_mutex_lock(&s->lock);
        good = lode_seen_add(&s->seen, &w->hash, &is_new);
        stop = s->stop;
        lode_mutex_unlock(&s->lock);
        if (good && !stop)
            work = new_work(s, is_new ? LODE_WORK_BLOCK : LODE_WORK_REPEAT, w->input, w->offset, w->frame_size, w->available, &w->hash);
        if (work && is_new) {
            work->chunk = lode_chunk_take(s->shop->chunks, w->available, true);
            if (!work->chunk) {
                lode_work_release(work);
                work = NULL;
            }
        }
        if (!work) {
            while (list) {
                lode_waiting *next = list->next;
                free(list);
                list = next;
            }
            return stop ? lode_ok() : lode_scan_no_memory();
        }
        if (is_new) {
            lode_work_submit_parse(work, LODE_POOL_URGENT);
            lode_mutex_lock(&s->lock);
            *last = lode_waiting_take(&s->waiting, &w->hash);
            lode_mutex_unlock(&s->lock);
            while (*last)
                last = &(*last)->next;
        }
        push(s, work);
        list = w->next;
        if (!list)
            last = &list;
        free(w);
    }
    return lode_ok();
}

/* Bytes of a stream cannot be read twice: what must wait is kept in a file of ours. */
lode_status lode_scan_spool(lode_scan *s, lode_waiting *w, const uint8_t *raw)
{
    lode_env *env = s->shop->chain->env;
    if (!s->spool_file) {
        LODE_TRY(lode_env_make_path(env, s->shop->chain->directory->own));
        s->spool.path = lode_path_join(s->shop->chain->directory->own, "spool.dat");
        if (!s->spool.path)
            return lode_scan_no_memory();
        s->spool.own_file = s->spool.number = -1;
        LODE_TRY(env->open(env, &s->spool_file, s->spool.path, LODE_OPEN_READ | LODE_OPEN_WRITE | LODE_OPEN_CREATE | LODE_OPEN_TRUNCATE));
    }
    LODE_TRY(env->pwrite(env, s->spool_file, raw, w->available, s->spool_end));
    w->input = &s->spool;
    w->offset = s->spool_end;
    s->spool_end += w->available;
    return lode_ok();
}

lode_status lode_scan_emit_frame(lode_scan *s, lode_scan_window *win, bool *is_parsed, size_t at, uint32_t frame_size, uint32_t available)
{
    const uint8_t *raw = win->chunk->data + at;
    const lode_chain_params *params = &s->shop->chain->params;
    uint64_t offset = win->base + at;
    lode_block_hash hash, prev;
    lode_header header;
    bool is_new = false, is_parent_seen, good = true;
    lode_work *work;

    *is_parsed = false;
    lode_sha256d(hash.bytes, raw, LODE_HEADER_SIZE);
    lode_header_parse(&header, raw);
    if (offset < win->doubted_end && !lode_header_has_work(&hash, header.bits, params))
        return lode_ok(); /* a magic inside a block's own bytes */
    prev = header.prev;
    lode_mutex_lock(&s->lock);
    s->frames_ends[win->input - s->inputs->items] = offset + available;
    is_parent_seen = lode_seen_has(&s->seen, &prev) || lode_block_hash_is_equal(&hash, &params->genesis_hash);
    /* without work it is no block of any chain: it goes on at once, to be reported or searched again */
    if (!is_parent_seen && lode_header_has_work(&hash, header.bits, params)) {
        lode_waiting w = { prev, hash, win->input, offset, frame_size, available, NULL };
        lode_status status = lode_ok();
        if (win->input->is_stream)
            status = lode_scan_spool(s, &w, raw);
        good = lode_waiting_add(&s->waiting, &w);
        lode_mutex_unlock(&s->lock);
        LODE_TRY(status);
        return good ? lode_ok() : lode_scan_no_memory();
    }
    if (is_parent_seen)
        good = lode_seen_add(&s->seen, &hash, &is_new);
    else
        is_new = true;
    lode_mutex_unlock(&s->lock);
    if (!good)
        return lode_scan_no_memory();
    work = new_work(s, is_new ? LODE_WORK_BLOCK : LODE_WORK_REPEAT, win->input, offset, frame_size, available, &hash);
    if (!work)
        return lode_scan_no_memory();
    work->chunk = win->chunk;
    work->raw = raw;
    work->reach = win->len - at;
    lode_chunk_hold(win->chunk);
    *is_parsed = is_new;
    if (is_new)
        lode_work_submit_parse(work, LODE_POOL_URGENT);
    push(s, work);
    return is_new && is_parent_seen ? lode_scan_emit_descendants(s, &hash) : lode_ok();
}
