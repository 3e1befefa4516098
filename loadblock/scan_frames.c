/* loadblock/scan_frames.c: reads an input and finds the frames in it.
 *
 * Room:     magic, length, header: framing alone. What a frame holds is for workers to find out.
 * Touches:  input files, for reading.
 * Threads:  the scan's.
 */
#include "loadblock/scan_private.h"

enum {
    CHUNK_BYTES = 8 << 20,
    MAX_BLOCK_BYTES = 4000000, /* Core's MAX_BLOCK_SERIALIZED_SIZE */
    STREAM_WAIT_US = 100000,   /* so often a silent stream looks whether to stop */
};

/* Some bytes of a stream, or its end. A writer that pauses is not waited for once there is something. */
static lode_status read_stream(lode_scan *s, lode_scan_window *w, size_t *got, bool *stopped, uint8_t *data, size_t len)
{
    lode_env *env = s->shop->chain->env;
    size_t n = 1;

    while (!w->at_end && *got < len && (n || !*got) && !*stopped) {
        LODE_TRY(env->read(env, w->file, &n, &w->at_end, data + *got, len - *got, STREAM_WAIT_US));
        *got += n;
        *stopped = lode_scan_must_stop(s);
    }
    return lode_ok();
}

/* Move what is left to a new chunk and fill it up. *stopped when asked to stop meanwhile. */
static lode_status refill(lode_scan *s, lode_scan_window *w, bool *stopped)
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

static void skip_to(lode_scan *s, lode_scan_window *w, size_t to)
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
static size_t find_magic(const lode_scan_window *w, size_t at, const uint8_t magic[4])
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

static bool holds_magic(const lode_scan_window *w, size_t from, size_t end, const uint8_t magic[4])
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
static void pass_frame(lode_scan_window *w, uint32_t available, bool is_parsed, const uint8_t magic[4])
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

static lode_status scan_window(lode_scan *s, lode_scan_window *w, bool *stopped)
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
        LODE_TRY(lode_scan_emit_frame(s, w, &is_parsed, w->at + 8, size, available));
        pass_frame(w, available, is_parsed, magic);
        if (w->at_end && w->at == w->len)
            return lode_ok();
        *stopped = lode_scan_must_stop(s);
    }
    return lode_ok();
}

lode_status lode_scan_read_input(lode_scan *s, const lode_input *input, bool *stopped)
{
    lode_env *env = s->shop->chain->env;
    lode_scan_window w = { .input = input };
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
