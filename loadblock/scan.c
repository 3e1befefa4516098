/* loadblock/scan.c: the thread that finds blocks in files and puts them in order.
 *
 * Room:     framing and order. What a frame holds is for workers to find out, what it means for the chain's thread.
 * Touches:  input files, for reading; a spool file for what waits from a pipe.
 * Threads:  one of its own; the chain's thread takes from the queue. One lock guards queue, seen and waiting.
 */
#include "loadblock/scan.h"

#include <stdlib.h>

#include "loadblock/waiting.h"
#include "support/check.h"
#include "validate/rules/header.h"

enum {
    CHUNK_BYTES = 8 << 20,
    MAX_BLOCK_BYTES = 4000000, /* Core's MAX_BLOCK_SERIALIZED_SIZE */
    QUEUE_MAX = 768,           /* works found and not yet taken */
    STREAM_WAIT_US = 100000,   /* so often a silent stream looks whether to stop */
};

struct lode_scan {
    lode_workshop *shop;      /* constant */
    const lode_inputs *inputs;
    lode_thread thread;
    lode_mutex lock; /* guards what follows, down to the blank line */
    lode_cond room;  /* queue got shorter, or stop, or released */
    lode_work *first, *last;
    size_t queued;
    bool at_end, stop, failed;
    lode_status status;
    lode_seen seen;
    lode_waiting_map waiting;
    lode_block_hash *to_release;
    size_t release_count;
    uint64_t *frames_ends; /* by input */

    uint64_t bytes_read, bytes_skipped, read_ns; /* atomic */
    bool *is_barren; /* by input; atomic: bytes, and no frame among them */
    const lode_input *reading;                   /* atomic */
    lode_input spool;                            /* what waits from a stream, written here once */
    lode_file *spool_file;
    uint64_t spool_end;
};

/* One input being read: a window into it. */
typedef struct window {
    const lode_input *input;
    lode_file *file;
    lode_chunk *chunk;
    size_t len;      /* bytes in chunk */
    size_t at;       /* first byte not yet dealt with */
    uint64_t base;   /* file offset of chunk's first byte */
    uint64_t doubted_end; /* file offset: up to here bytes of a frame that may be torn are looked at once more */
    bool at_end;     /* the file has no more */
    bool has_frames;
} window;

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

static lode_status no_memory(void)
{
    return lode_fail(LODE_NO_MEMORY, "no memory for a block on its way through the import");
}

/* Everything that waited for `parent`, and what waited for that, goes on: parents first. */
static lode_status emit_descendants(lode_scan *s, const lode_block_hash *parent)
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
            return stop ? lode_ok() : no_memory();
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
static lode_status spool(lode_scan *s, lode_waiting *w, const uint8_t *raw)
{
    lode_env *env = s->shop->chain->env;
    if (!s->spool_file) {
        LODE_TRY(lode_env_make_path(env, s->shop->chain->directory->own));
        s->spool.path = lode_path_join(s->shop->chain->directory->own, "spool.dat");
        if (!s->spool.path)
            return no_memory();
        s->spool.own_file = s->spool.number = -1;
        LODE_TRY(env->open(env, &s->spool_file, s->spool.path, LODE_OPEN_READ | LODE_OPEN_WRITE | LODE_OPEN_CREATE | LODE_OPEN_TRUNCATE));
    }
    LODE_TRY(env->pwrite(env, s->spool_file, raw, w->available, s->spool_end));
    w->input = &s->spool;
    w->offset = s->spool_end;
    s->spool_end += w->available;
    return lode_ok();
}

/* A frame with at least a header in it. *is_parsed: its body will be looked at soon, and searched if it is none. */
static lode_status emit_frame(lode_scan *s, window *win, bool *is_parsed, size_t at, uint32_t frame_size, uint32_t available)
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
            status = spool(s, &w, raw);
        good = lode_waiting_add(&s->waiting, &w);
        lode_mutex_unlock(&s->lock);
        LODE_TRY(status);
        return good ? lode_ok() : no_memory();
    }
    if (is_parent_seen)
        good = lode_seen_add(&s->seen, &hash, &is_new);
    else
        is_new = true;
    lode_mutex_unlock(&s->lock);
    if (!good)
        return no_memory();
    work = new_work(s, is_new ? LODE_WORK_BLOCK : LODE_WORK_REPEAT, win->input, offset, frame_size, available, &hash);
    if (!work)
        return no_memory();
    work->chunk = win->chunk;
    work->raw = raw;
    work->reach = win->len - at;
    lode_chunk_hold(win->chunk);
    *is_parsed = is_new;
    if (is_new)
        lode_work_submit_parse(work, LODE_POOL_URGENT);
    push(s, work);
    return is_new && is_parent_seen ? emit_descendants(s, &hash) : lode_ok();
}

static bool must_stop(lode_scan *s)
{
    bool stop;
    lode_mutex_lock(&s->lock);
    stop = s->stop;
    lode_mutex_unlock(&s->lock);
    return stop;
}

/* Some bytes of a stream, or its end. A writer that pauses is not waited for once there is something. */
static lode_status read_stream(lode_scan *s, window *w, size_t *got, bool *stopped, uint8_t *data, size_t len)
{
    lode_env *env = s->shop->chain->env;
    size_t n = 1;

    while (!w->at_end && *got < len && (n || !*got) && !*stopped) {
        LODE_TRY(env->read(env, w->file, &n, &w->at_end, data + *got, len - *got, STREAM_WAIT_US));
        *got += n;
        *stopped = must_stop(s);
    }
    return lode_ok();
}

/* Move what is left to a new chunk and fill it up. *stopped when asked to stop meanwhile. */
static lode_status refill(lode_scan *s, window *w, bool *stopped)
{
    lode_env *env = s->shop->chain->env;
    size_t left = w->len - w->at, got = 0;
    lode_chunk *chunk = lode_chunk_take(s->shop->chunks, CHUNK_BYTES, true);
    uint64_t started = lode_clock_ns();
    lode_status status;

    if (!chunk) {
        *stopped = true;
        return lode_ok();
    }
    if (left)
        memcpy(chunk->data, w->chunk->data + w->at, left);
    w->base += w->at;
    lode_chunk_release(w->chunk);
    w->chunk = chunk;
    w->at = 0;
    w->len = left;
    if (w->input->is_stream)
        status = read_stream(s, w, &got, stopped, chunk->data + left, CHUNK_BYTES - left);
    else
        status = env->pread(env, w->file, &got, chunk->data + left, CHUNK_BYTES - left, w->base + left);
    __atomic_add_fetch(&s->read_ns, lode_clock_ns() - started, __ATOMIC_RELAXED);
    LODE_TRY(status);
    lode_input_decode(w->input, chunk->data + left, got, w->base + left);
    w->len += got;
    if (!w->input->is_stream)
        w->at_end = got < CHUNK_BYTES - left;
    __atomic_add_fetch(&s->bytes_read, got, __ATOMIC_RELAXED);
    return lode_ok();
}

static void skip_to(lode_scan *s, window *w, size_t to)
{
    uint64_t count = 0;
    size_t from = w->at;

    if (w->base + from < w->doubted_end) /* those bytes belong to a frame that was counted */
        from = w->base + to < w->doubted_end ? to : (size_t)(w->doubted_end - w->base);
    for (size_t i = from; i < to; i++)
        count += w->chunk->data[i] != w->input->key[(w->base + i) % 8]; /* zeros on disk are padding */
    if (count)
        __atomic_add_fetch(&s->bytes_skipped, count, __ATOMIC_RELAXED);
    w->at = to;
}

/* The next place at or after `at` where magic stands, or the first place where too few bytes are left to tell. */
static size_t find_magic(const window *w, size_t at, const uint8_t magic[4])
{
    size_t from = at;
    while (at + 4 <= w->len) {
        const uint8_t *p = memchr(w->chunk->data + at, magic[0], w->len - 3 - at);
        if (!p)
            break;
        at = (size_t)(p - w->chunk->data);
        if (memcmp(p, magic, 4) == 0)
            return at;
        at++;
    }
    return w->len < 3 || w->len - 3 < from ? from : w->len - 3;
}

static bool holds_magic(const window *w, size_t from, size_t end, const uint8_t magic[4])
{
    size_t at = find_magic(w, from, magic);
    if (at + 4 <= w->len)
        return at < end;
    while (at < end && memcmp(w->chunk->data + at, magic, w->len - at) != 0)
        at++;
    return at < end && !w->at_end; /* the beginning of one, and the rest is not read yet */
}

/* A frame whose body nobody will parse soon, a copy of a known block or one that waits, may be torn, with whole blocks
 * written over its end. When a magic stands in it, what is inside is scanned as if the frame were not there. */
static void pass_frame(window *w, uint32_t available, bool is_parsed, const uint8_t magic[4])
{
    size_t end = w->at + 8 + available;
    if (!is_parsed && holds_magic(w, w->at + 1, end, magic)) {
        if (w->doubted_end < w->base + end)
            w->doubted_end = w->base + end;
        w->at++;
        return;
    }
    w->at = end;
}

static lode_status scan_window(lode_scan *s, window *w, bool *stopped)
{
    const uint8_t *magic = s->shop->chain->params.magic;

    while (!*stopped) {
        size_t at = find_magic(w, w->at, magic), left;
        uint32_t size, available;
        bool is_parsed;

        skip_to(s, w, at);
        left = w->len - w->at;
        if (left < 8 + LODE_HEADER_SIZE && !w->at_end) {
            LODE_TRY(refill(s, w, stopped));
            continue;
        }
        if (left < 8 + LODE_HEADER_SIZE) {
            skip_to(s, w, w->len);
            return lode_ok();
        }
        if (memcmp(w->chunk->data + w->at, magic, 4) != 0) {
            skip_to(s, w, w->at + 1);
            continue;
        }
        size = lode_read_le32(w->chunk->data + w->at + 4);
        if (size < LODE_HEADER_SIZE || size > MAX_BLOCK_BYTES) {
            skip_to(s, w, w->at + 1);
            continue;
        }
        if (left - 8 < size && !w->at_end) {
            LODE_TRY(refill(s, w, stopped));
            continue;
        }
        available = left - 8 < size ? (uint32_t)(left - 8) : size;
        w->has_frames = true;
        LODE_TRY(emit_frame(s, w, &is_parsed, w->at + 8, size, available));
        pass_frame(w, available, is_parsed, magic);
        if (w->at_end && w->at == w->len)
            return lode_ok();
        *stopped = must_stop(s);
    }
    return lode_ok();
}

static lode_status scan_input(lode_scan *s, const lode_input *input, bool *stopped)
{
    lode_env *env = s->shop->chain->env;
    window w = { .input = input };
    uint64_t skipped_before = __atomic_load_n(&s->bytes_skipped, __ATOMIC_RELAXED);
    lode_status status;

    LODE_TRY(env->open(env, &w.file, strcmp(input->path, "-") == 0 ? "/dev/stdin" : input->path,
                       LODE_OPEN_READ | (input->is_stream ? LODE_OPEN_STREAM : 0)));
    env->advise(env, w.file, 0, 0, LODE_ADVISE_SEQUENTIAL);
    __atomic_store_n(&s->reading, input, __ATOMIC_RELAXED);
    status = refill(s, &w, stopped);
    if (!lode_failed(status) && !*stopped)
        status = scan_window(s, &w, stopped);
    if (!w.has_frames && __atomic_load_n(&s->bytes_skipped, __ATOMIC_RELAXED) != skipped_before)
        __atomic_store_n(&s->is_barren[input - s->inputs->items], true, __ATOMIC_RELAXED);
    lode_chunk_release(w.chunk);
    env->close(env, w.file);
    return lode_failed(status) ? lode_fail_within(status, "%s", input->path) : status;
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
            status = emit_descendants(s, &parents[i]);
        free(parents);
        LODE_TRY(status);
        if (must_stop(s))
            return lode_ok();
    }
}

static void *run_scan(void *context)
{
    lode_scan *s = context;
    lode_status status = lode_ok();
    bool stopped = false;

    for (size_t i = 0; i < s->inputs->count && !stopped && !lode_failed(status); i++)
        status = scan_input(s, &s->inputs->items[i], &stopped);
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
        return no_memory();
    s->shop = shop;
    s->inputs = inputs;
    s->status = lode_ok();
    lode_mutex_init(&s->lock);
    lode_cond_init(&s->room);
    s->is_barren = calloc(inputs->count + 1, sizeof *s->is_barren);
    s->frames_ends = calloc(inputs->count + 1, sizeof *s->frames_ends);
    s->failed = !s->is_barren || !s->frames_ends;
    lode_block_index_visit(shop->chain->index, s, remember);
    status = s->failed ? no_memory() : lode_thread_start(&s->thread, "lode-scan", run_scan, s);
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
        status = spool(s, &w, work->block.raw);
    if (!lode_failed(status))
        good = lode_waiting_add(&s->waiting, &w);
    lode_mutex_unlock(&s->lock);
    LODE_TRY(status);
    return good ? lode_ok() : no_memory();
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

bool lode_scan_missing_parent(lode_scan *s, lode_block_hash *parent)
{
    lode_seen hashes = { 0 };
    bool found = false, is_new;

    lode_mutex_lock(&s->lock);
    for (size_t b = 0; b < s->waiting.bucket_count; b++)
        for (const lode_waiting *w = s->waiting.buckets[b]; w; w = w->next)
            if (!lode_seen_add(&hashes, &w->hash, &is_new))
                break; /* then a higher block may be named: a remark, not a result */
    for (size_t b = 0; b < s->waiting.bucket_count && !found; b++)
        for (const lode_waiting *w = s->waiting.buckets[b]; w && !found; w = w->next)
            if (!lode_seen_has(&hashes, &w->prev)) {
                *parent = w->prev;
                found = true;
            }
    lode_mutex_unlock(&s->lock);
    lode_seen_clear(&hashes);
    return found;
}
