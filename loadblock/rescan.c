/* loadblock/rescan.c: the slow and thorough search, for the few places where a frame was not what it seemed.
 *
 * Room:     byte by byte, parsing every candidate at once: a block hidden by a false or torn frame is found here.
 * Touches:  input files, for reading. From a pipe only what is still in memory can be searched.
 * Threads:  the chain's.
 */
#include <stdlib.h>

#include "loadblock/run.h"
#include "validate/rules/header.h"

enum { MAX_BLOCK_BYTES = 4000000 };

/* Bytes [from, from + len) of the input in a chunk of their own. */
static lode_status load(lode_run_state *run, lode_chunk **out, size_t *got, const lode_work *near_work, uint64_t from, uint64_t len)
{
    const lode_input *input = near_work->input;
    lode_env *env = run->chain->env;
    lode_file *file;
    lode_status s = lode_ok();
    lode_chunk *chunk = lode_chunk_take(run->chunks, (size_t)len, false);

    *out = NULL;
    if (!chunk)
        return lode_fail(LODE_NO_MEMORY, "no memory to search %llu bytes again", (unsigned long long)len);
    if (input->is_stream) {
        size_t skip = (size_t)(from - (near_work->offset - 8)), there = near_work->reach + 8;
        *got = near_work->raw && skip < there ? there - skip : 0;
        if (*got > len)
            *got = (size_t)len;
        if (*got)
            memcpy(chunk->data, near_work->raw - 8 + skip, *got);
    } else {
        s = env->open(env, &file, input->path, LODE_OPEN_READ);
        if (!lode_failed(s)) {
            s = env->pread(env, file, got, chunk->data, (size_t)len, from);
            env->close(env, file);
        }
        if (!lode_failed(s))
            lode_input_decode(input, chunk->data, *got, from);
    }
    if (lode_failed(s)) {
        lode_chunk_release(chunk);
        return s;
    }
    *out = chunk;
    return s;
}

/* A piece of an input in which frames are looked for. */
typedef struct stretch {
    lode_chunk *chunk;
    size_t got;    /* bytes in chunk */
    uint64_t base; /* of its first byte in the input */
} stretch;

static bool is_candidate(const stretch *t, size_t at, const lode_chain_params *params)
{
    const uint8_t *p = t->chunk->data + at;
    uint32_t size = lode_read_le32(p + 4);
    lode_block_hash hash;
    lode_header header;

    if (size < LODE_HEADER_SIZE || size > MAX_BLOCK_BYTES)
        return false;
    lode_sha256d(hash.bytes, p + 8, LODE_HEADER_SIZE);
    lode_header_parse(&header, p + 8);
    return lode_header_has_work(&hash, header.bits, params);
}

/* Taken. Behind a block that is stored by now there is nothing of it to be searched. */
static lode_status handle_found(lode_run_state *run, lode_work *w, size_t at, size_t *next)
{
    lode_block_hash hash = w->hash;
    size_t end = at + 8 + w->block.size;
    const lode_entry *e;

    LODE_TRY(lode_run_handle(run, w, false));
    e = lode_block_index_find(run->chain->index, &hash);
    if (e && (e->status & LODE_BLOCK_HAVE_DATA))
        *next = end;
    return lode_ok();
}

/* One candidate. *next is where to go on. */
static lode_status try_frame(lode_run_state *run, const lode_input *input, const stretch *t, size_t at, size_t *next)
{
    uint32_t size = lode_read_le32(t->chunk->data + at + 4);
    size_t left = t->got - at - 8;
    lode_work *w = lode_work_take(&run->shop, LODE_WORK_BLOCK);

    *next = at + 1;
    if (!w)
        return lode_fail(LODE_NO_MEMORY, "no memory to search a file again");
    w->input = input;
    w->offset = t->base + at + 8;
    w->frame_size = size;
    w->available = left < size ? (uint32_t)left : size;
    w->raw = t->chunk->data + at + 8;
    w->reach = left;
    w->chunk = t->chunk;
    lode_chunk_hold(t->chunk);
    lode_sha256d(w->hash.bytes, w->raw, LODE_HEADER_SIZE);
    lode_work_parse_now(w);
    if (!lode_failed(w->status) && w->is_block && w->facts.verdict.reject != LODE_BAD_TXNMRKLROOT) {
        const lode_entry *e = lode_block_index_find(run->chain->index, &w->hash);
        if (!e || !(e->status & (LODE_BLOCK_HAVE_DATA | LODE_BLOCK_FAILED_VALID)))
            return handle_found(run, w, at, next);
    }
    lode_status s = w->status;
    lode_work_release(w);
    return s;
}

/* The place of the next candidate that begins before `limit`, or `limit`. */
static size_t find_candidate(const stretch *t, size_t at, size_t limit, const lode_chain_params *params)
{
    while (at < limit && t->got - at >= 8 + LODE_HEADER_SIZE) {
        const uint8_t *p = memchr(t->chunk->data + at, params->magic[0], limit - at);
        if (!p)
            break;
        at = (size_t)(p - t->chunk->data);
        if (t->got - at < 8 + LODE_HEADER_SIZE)
            break;
        if (memcmp(p, params->magic, 4) == 0 && is_candidate(t, at, params))
            return at;
        at++;
    }
    return limit;
}

/* [from, end) and `beyond` bytes more, as far as they are there. */
static lode_status load_stretch(lode_run_state *run, stretch *t, const lode_work *near_work, uint64_t from, uint64_t end, uint64_t beyond)
{
    uint64_t stop = end + beyond;
    if (!near_work->input->is_stream && stop > near_work->input->size)
        stop = near_work->input->size > from ? near_work->input->size : from;
    t->base = from;
    return load(run, &t->chunk, &t->got, near_work, from, stop - from);
}

/* What a candidate at the end of the stretch needs is loaded when there is one, which is rare. */
lode_status lode_run_search(lode_run_state *run, const lode_work *near_work, uint64_t from, uint64_t end)
{
    const lode_chain_params *params = &run->chain->params;
    stretch t = { 0 };
    size_t at = 0, limit;
    bool is_whole = false;
    lode_status s = load_stretch(run, &t, near_work, from, end, 8 + LODE_HEADER_SIZE);

    while (!lode_failed(s) && !lode_chain_is_interrupted(run->chain)) {
        limit = end - from < t.got ? (size_t)(end - from) : t.got;
        at = find_candidate(&t, at, limit, params);
        if (at >= limit)
            break;
        if (!is_whole && t.got - at - 8 < lode_read_le32(t.chunk->data + at + 4)) {
            lode_chunk_release(t.chunk);
            s = load_stretch(run, &t, near_work, from, end, 8 + MAX_BLOCK_BYTES);
            is_whole = true;
            continue;
        }
        s = try_frame(run, near_work->input, &t, at, &at);
    }
    lode_chunk_release(t.chunk);
    return s;
}

/* Copies of what waits, taken under the scan's lock and looked at outside it. */
typedef struct waiting_list {
    lode_waiting *items;
    size_t count, capacity;
    bool failed;
} waiting_list;

static bool copy_waiting(void *context, const lode_waiting *waiting)
{
    waiting_list *l = context;
    if (l->count == l->capacity) {
        size_t capacity = l->capacity ? l->capacity * 2 : 64;
        lode_waiting *bigger = realloc(l->items, capacity * sizeof *bigger);
        if (!bigger) {
            l->failed = true;
            return true;
        }
        l->items = bigger;
        l->capacity = capacity;
    }
    l->items[l->count++] = *waiting;
    return true;
}

static bool is_other(void *context, const lode_waiting *waiting)
{
    const lode_waiting *gone = context;
    return waiting->input != gone->input || waiting->offset != gone->offset;
}

/* On a chain with real work a header that has it is proof enough. Where work is cheap, the body is asked. */
static lode_status check_waiting(lode_run_state *run, lode_waiting *waiting, bool *is_block)
{
    lode_work *w = lode_work_take(&run->shop, LODE_WORK_BLOCK);
    lode_status s;

    if (!w)
        return lode_fail(LODE_NO_MEMORY, "no memory to look at blocks that wait");
    w->input = waiting->input;
    w->offset = waiting->offset;
    w->frame_size = waiting->frame_size;
    w->available = waiting->available;
    w->hash = waiting->hash;
    lode_work_parse_now(w);
    s = w->status;
    *is_block = w->is_block && w->facts.verdict.reject != LODE_BAD_TXNMRKLROOT;
    if (!lode_failed(s) && !*is_block) {
        lode_scan_waiting(run->scan, waiting, is_other);
        run->result->undecodable++;
        lode_run_report_damage(run, w, w->parse_error.what ? w->parse_error.what : "not a block");
        s = lode_run_search(run, w, w->offset - 8 + 1, w->offset + w->available);
    }
    lode_work_release(w);
    return s;
}

lode_status lode_run_search_waiting(lode_run_state *run, bool *found)
{
    waiting_list list = { 0 };
    uint64_t before = run->result->blocks_new;
    lode_status s = lode_ok();

    *found = false;
    if (run->chain->params.chain != LODE_CHAIN_REGTEST)
        return s;
    lode_scan_waiting(run->scan, &list, copy_waiting);
    if (list.failed)
        s = lode_fail(LODE_NO_MEMORY, "no memory to look at blocks that wait");
    for (size_t i = 0; i < list.count && !lode_failed(s) && !lode_chain_is_interrupted(run->chain); i++) {
        bool is_block;
        if (!list.items[i].input->is_stream)
            s = check_waiting(run, &list.items[i], &is_block);
    }
    free(list.items);
    *found = run->result->blocks_new != before;
    return s;
}
