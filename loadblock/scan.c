/* loadblock/scan.c: the thread that finds blocks in files and puts them in order: its life, and what others ask of it.
 *
 * Room:     start, stop, the queue's taking end, what waits at the end of input. Framing is scan_frames.c, order
 *           scan_order.c.
 * Threads:  one of its own; the chain's thread takes from the queue. One lock guards queue, seen and waiting.
 */
#include "loadblock/scan_private.h"

#include <stdlib.h>

#include "support/check.h"

lode_status lode_scan_no_memory(void)
{
    return lode_fail(LODE_NO_MEMORY, "no memory for a block on its way through the import");
}

bool lode_scan_must_stop(lode_scan *s)
{
    bool stop;
    lode_mutex_lock(&s->lock);
    stop = s->stop;
    lode_mutex_unlock(&s->lock);
    return stop;
}

/* All input is read. What waits may be released, several times, by the chain's thread. */
static lode_status serve_releases(lode_scan *s)
{
    for (;;) {
        lode_block_hash *parents;
        size_t count;
        lode_status status = lode_ok();

        lode_mutex_lock(&s->lock);
        s->at_end = true;
        lode_mutex_unlock(&s->lock);
        lode_waiter_tell(s->shop->waiter);
        lode_mutex_lock(&s->lock);
        while (!s->stop && !s->release_count)
            lode_cond_wait(&s->room, &s->lock);
        parents = s->to_release;
        count = s->release_count;
        s->to_release = NULL;
        s->release_count = 0;
        if (s->stop)
            count = 0;
        lode_mutex_unlock(&s->lock);
        for (size_t i = 0; i < count && !lode_failed(status); i++)
            status = lode_scan_emit_descendants(s, &parents[i]);
        free(parents);
        LODE_TRY(status);
        if (lode_scan_must_stop(s))
            return lode_ok();
    }
}

static void *run_scan(void *context)
{
    lode_scan *s = context;
    lode_status status = lode_ok();
    bool stopped = false;

    for (size_t i = 0; i < s->inputs->count && !stopped && !lode_failed(status); i++)
        status = lode_scan_read_input(s, &s->inputs->items[i], &stopped);
    __atomic_store_n(&s->reading, NULL, __ATOMIC_RELAXED);
    if (!stopped && !lode_failed(status))
        status = serve_releases(s);
    lode_mutex_lock(&s->lock);
    s->status = status;
    s->failed = lode_failed(status);
    s->at_end = true;
    lode_mutex_unlock(&s->lock);
    lode_waiter_tell(s->shop->waiter);
    return NULL;
}

static bool remember(void *context, lode_entry *entry)
{
    lode_scan *s = context;
    bool is_new;
    if (entry->status & (LODE_BLOCK_HAVE_DATA | LODE_BLOCK_FAILED_VALID))
        s->failed |= !lode_seen_add(&s->seen, &entry->node.hash, &is_new);
    return !s->failed;
}

lode_status lode_scan_start(lode_scan **out, lode_workshop *shop, const lode_inputs *inputs)
{
    lode_scan *s = calloc(1, sizeof *s);
    lode_status status;

    *out = NULL;
    if (!s)
        return lode_scan_no_memory();
    s->shop = shop;
    s->inputs = inputs;
    s->status = lode_ok();
    lode_mutex_init(&s->lock);
    lode_cond_init(&s->room);
    s->is_barren = calloc(inputs->count + 1, sizeof *s->is_barren);
    s->frames_ends = calloc(inputs->count + 1, sizeof *s->frames_ends);
    s->failed = !s->is_barren || !s->frames_ends;
    lode_block_index_visit(shop->chain->index, s, remember);
    status = s->failed ? lode_scan_no_memory() : lode_thread_start(&s->thread, "lode-scan", run_scan, s);
    if (lode_failed(status)) {
        lode_scan_stop(s);
        return status;
    }
    *out = s;
    return status;
}

void lode_scan_stop(lode_scan *s)
{
    lode_env *env;
    if (!s)
        return;
    env = s->shop->chain->env;
    lode_mutex_lock(&s->lock);
    s->stop = true;
    lode_cond_broadcast(&s->room);
    lode_mutex_unlock(&s->lock);
    lode_chunk_stop(s->shop->chunks);
    lode_thread_join(&s->thread);
    while (s->first) {
        lode_work *w = s->first;
        while (w->kind == LODE_WORK_BLOCK && !lode_work_is_parsed(w)) {
            unsigned seen = lode_waiter_look(s->shop->waiter);
            if (!lode_work_is_parsed(w) && !lode_pool_help(s->shop->chain->pool))
                lode_waiter_wait(s->shop->waiter, seen, 100000);
        }
        s->first = w->next;
        lode_work_release(w);
    }
    if (s->spool_file) {
        env->close(env, s->spool_file);
        lode_ignore(env->remove(env, s->spool.path)); /* our own folder may be emptied at any time */
    }
    free(s->spool.path);
    free(s->to_release);
    free(s->is_barren);
    free(s->frames_ends);
    lode_seen_clear(&s->seen);
    lode_waiting_clear(&s->waiting);
    lode_cond_clear(&s->room);
    lode_mutex_clear(&s->lock);
    free(s);
}

lode_scan_state lode_scan_peek(lode_scan *s, lode_work **work)
{
    lode_scan_state state;
    lode_mutex_lock(&s->lock);
    *work = s->first;
    if (s->first)
        state = LODE_SCAN_WORK;
    else if (s->failed)
        state = LODE_SCAN_FAILED;
    else
        state = s->at_end ? LODE_SCAN_AT_END : LODE_SCAN_BUSY;
    lode_mutex_unlock(&s->lock);
    return state;
}

void lode_scan_pop(lode_scan *s)
{
    lode_mutex_lock(&s->lock);
    LODE_CHECK(s->first != NULL);
    s->queued_bytes -= s->first->available;
    s->first = s->first->next;
    if (!s->first)
        s->last = NULL;
    s->queued--;
    lode_cond_broadcast(&s->room);
    lode_mutex_unlock(&s->lock);
}

lode_status lode_scan_status(lode_scan *s)
{
    lode_status status;
    lode_mutex_lock(&s->lock);
    status = s->status;
    lode_mutex_unlock(&s->lock);
    return status;
}

uint64_t lode_scan_frames_end(lode_scan *s, const lode_input *input)
{
    uint64_t end;
    lode_mutex_lock(&s->lock);
    end = s->frames_ends[input - s->inputs->items];
    lode_mutex_unlock(&s->lock);
    return end;
}

void lode_scan_get_counts(lode_scan *s, lode_scan_counts *counts)
{
    lode_mutex_lock(&s->lock);
    counts->bytes_queued = s->queued_bytes;
    lode_mutex_unlock(&s->lock);
    counts->bytes_read = __atomic_load_n(&s->bytes_read, __ATOMIC_RELAXED);
    counts->bytes_skipped = __atomic_load_n(&s->bytes_skipped, __ATOMIC_RELAXED);
    counts->read_ns = __atomic_load_n(&s->read_ns, __ATOMIC_RELAXED);
    counts->reading = __atomic_load_n(&s->reading, __ATOMIC_RELAXED);
}

bool lode_scan_found_nothing(const lode_scan *s, size_t input)
{
    return __atomic_load_n(&s->is_barren[input], __ATOMIC_RELAXED);
}

lode_status lode_scan_wait(lode_scan *s, const lode_work *work)
{
    lode_waiting w = { work->block.header.prev, work->block.hash, work->input, work->offset, work->frame_size, work->available, NULL };
    lode_status status = lode_ok();
    bool good = true;

    lode_mutex_lock(&s->lock);
    if (w.input->is_stream)
        status = lode_scan_spool(s, &w, work->block.raw);
    if (!lode_failed(status))
        good = lode_waiting_add(&s->waiting, &w);
    lode_mutex_unlock(&s->lock);
    LODE_TRY(status);
    return good ? lode_ok() : lode_scan_no_memory();
}

lode_status lode_scan_release(lode_scan *s, size_t *released)
{
    lode_block_hash *parents;
    size_t count = 0;

    *released = 0;
    lode_mutex_lock(&s->lock);
    parents = malloc((s->waiting.count + 1) * sizeof *parents);
    for (size_t b = 0; parents && b < s->waiting.bucket_count; b++)
        for (const lode_waiting *w = s->waiting.buckets[b]; w; w = w->next)
            if (lode_block_index_find(s->shop->chain->index, &w->prev))
                parents[count++] = w->prev; /* a parent named twice releases nothing the second time */
    if (count) {
        s->to_release = parents;
        s->release_count = count;
        s->at_end = false;
        parents = NULL;
        lode_cond_broadcast(&s->room);
    }
    lode_mutex_unlock(&s->lock);
    free(parents);
    *released = count;
    return lode_ok();
}

size_t lode_scan_waiting(lode_scan *s, void *context, bool (*visit)(void *context, const lode_waiting *waiting))
{
    size_t count;
    lode_mutex_lock(&s->lock);
    for (size_t b = 0; visit && b < s->waiting.bucket_count; b++) {
        lode_waiting **at = &s->waiting.buckets[b];
        while (*at) {
            lode_waiting *w = *at;
            if (visit(context, w)) {
                at = &w->next;
                continue;
            }
            *at = w->next;
            free(w);
            s->waiting.count--;
        }
    }
    count = s->waiting.count;
    lode_mutex_unlock(&s->lock);
    return count;
}

static bool comes_before(const lode_waiting *a, const lode_waiting *b)
{
    return a->input != b->input ? a->input < b->input : a->offset < b->offset;
}

static bool count_gaps(const lode_waiting_map *map, lode_scan_gaps *gaps, lode_seen *blocks, lode_seen *parents)
{
    const lode_waiting *first = NULL;
    bool is_new;

    for (size_t b = 0; b < map->bucket_count; b++)
        for (const lode_waiting *w = map->buckets[b]; w; w = w->next) {
            if (!lode_seen_add(blocks, &w->hash, &is_new))
                return false;
            gaps->blocks += is_new;
        }
    for (size_t b = 0; b < map->bucket_count; b++)
        for (const lode_waiting *w = map->buckets[b]; w; w = w->next) {
            if (lode_seen_has(blocks, &w->prev))
                continue;
            if (!lode_seen_add(parents, &w->prev, &is_new))
                return false;
            gaps->parents += is_new;
            if (!first || comes_before(w, first))
                first = w;
        }
    if (first)
        gaps->first = first->prev;
    return true;
}

lode_status lode_scan_find_gaps(lode_scan *s, lode_scan_gaps *gaps)
{
    lode_seen blocks = { 0 }, parents = { 0 };
    bool good;

    memset(gaps, 0, sizeof *gaps);
    lode_mutex_lock(&s->lock);
    good = count_gaps(&s->waiting, gaps, &blocks, &parents);
    lode_mutex_unlock(&s->lock);
    lode_seen_clear(&blocks);
    lode_seen_clear(&parents);
    return good ? lode_ok() : lode_fail(LODE_NO_MEMORY, "no memory to count the blocks that wait");
}
