/* storage/block.c: searching and walking one block.
 *
 * Touches:  memory only: bytes that a table read and checked, and that may lie all the same.
 * Threads:  any number of readers of one block; a cursor is one thread's.
 * Promise:  no length is believed before it is held against the block's end.
 */
#include "storage/block.h"

#include "storage/coding.h"

typedef struct entry {
    uint32_t shared, unshared, value_len;
    const uint8_t *delta; /* the unshared bytes; the value follows */
} entry;

typedef struct back_entry {
    uint32_t at, next;
    uint32_t key_at, key_len; /* in back_keys */
    uint32_t value_at, value_len;
} back_entry;

bool lode_block_init(lode_block *b, lode_slice bytes)
{
    *b = (lode_block){ 0 };
    if (bytes.len < 4 || bytes.len > UINT32_MAX)
        return false;
    uint32_t count = lode_read_le32(bytes.data + bytes.len - 4);
    if (count > (bytes.len - 4) / 4)
        return false;
    b->data = bytes.data;
    b->restart_count = count;
    b->restarts_at = (uint32_t)(bytes.len - 4 - (size_t)count * 4);
    return true;
}

/* The offset after the entry at `at`, or 0 when it does not fit. */
static inline uint32_t decode_entry(const lode_block *b, entry *e, uint32_t at)
{
    const uint8_t *p = b->data + at, *end = b->data + b->restarts_at;
    if (end - p < 3)
        return 0;
    if ((p[0] | p[1] | p[2]) < 128) {
        e->shared = p[0];
        e->unshared = p[1];
        e->value_len = p[2];
        p += 3;
    } else {
        if (!(p = lode_read_varint32(p, end, &e->shared)) || !(p = lode_read_varint32(p, end, &e->unshared)) ||
            !(p = lode_read_varint32(p, end, &e->value_len)))
            return 0;
    }
    e->delta = p;
    if ((uint64_t)e->unshared + e->value_len > (uint64_t)(end - p))
        return 0;
    return (uint32_t)(p - b->data) + e->unshared + e->value_len;
}

static inline uint32_t restart_at(const lode_block *b, uint32_t index)
{
    return lode_read_le32(b->data + b->restarts_at + (size_t)index * 4);
}

/* The key at a restart point is whole. */
static bool restart_key(const lode_block *b, lode_slice *key, uint32_t index)
{
    entry e;
    uint32_t at = restart_at(b, index);
    if (at >= b->restarts_at || !decode_entry(b, &e, at) || e.shared || e.unshared < LODE_TRAILER_BYTES)
        return false;
    *key = lode_slice_of(e.delta, e.unshared);
    return true;
}

/* The keys that a search may touch, all at once instead of one miss after the other. */
static inline void prefetch_restarts(const lode_block *b)
{
    enum { MOST = 16 };
    for (uint32_t i = 0; i < b->restart_count && i < MOST; i++)
        __builtin_prefetch(b->data + restart_at(b, i));
}

/* The last restart whose key is before (user_key, trailer), or the first one. False: damage. */
static bool find_restart(const lode_block *b, const lode_comparator *cmp, uint32_t *index, lode_slice user_key,
                         uint64_t trailer)
{
    uint32_t low = 0, high = b->restart_count ? b->restart_count - 1 : 0;
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        lode_slice key;
        if (!restart_key(b, &key, middle))
            return false;
        int c = lode_compare_user(cmp, lode_user_key(key), user_key);
        if (c == 0)
            c = lode_trailer(key) > trailer ? -1 : 1;
        if (c < 0)
            low = middle;
        else
            high = middle - 1;
    }
    *index = low;
    return true;
}

/* ---- scanning without building keys ---- */

typedef struct position {
    entry e;
    uint32_t at, next;
    bool has_user_key; /* that was looked for */
} position;

typedef enum scan_end {
    SCAN_FOUND,  /* the first entry that is not before what was looked for */
    SCAN_END,    /* there is none in the block */
    SCAN_SLOWLY, /* the rule does not hold here */
    SCAN_DAMAGE
} scan_end;

/* From a restart on. Stays true: `match` bytes of the entry before are those of user_key, and that entry came before
 * it. One that shares more than `match` is still before it; one that shares less is past it; else its own bytes decide.
 * Where shared bytes reach into a trailer the rule does not hold. Bytewise order only. */
enum { MOST_AHEAD = 2048 };
static scan_end scan(const lode_block *b, position *p, uint32_t restart, lode_slice user_key, uint64_t trailer)
{
    size_t match = 0, last_len = 0;
    uint32_t at = b->restart_count ? restart_at(b, restart) : 0;
    entry *e = &p->e;
    if (at >= b->restarts_at)
        return b->restarts_at ? SCAN_DAMAGE : SCAN_END;
    uint32_t end = restart + 1 < b->restart_count ? restart_at(b, restart + 1) : b->restarts_at;
    for (uint32_t line = at + 64; line < end && line < at + MOST_AHEAD; line += 64)
        __builtin_prefetch(b->data + line);
    for (; at < b->restarts_at; at = p->next) {
        p->at = at;
        p->next = decode_entry(b, e, at);
        if (!p->next || (uint64_t)e->shared + e->unshared < LODE_TRAILER_BYTES)
            return SCAN_DAMAGE;
        if (e->unshared < LODE_TRAILER_BYTES ||
            (e->shared && (e->shared >= last_len || e->unshared == LODE_TRAILER_BYTES)))
            return SCAN_SLOWLY;
        size_t own = e->unshared - LODE_TRAILER_BYTES;
        last_len = e->shared + own;
        if (!e->shared)
            match = 0; /* a restart: what it has in common was not counted */
        if (e->shared > match)
            continue;
        p->has_user_key = false;
        if (e->shared < match)
            return SCAN_FOUND;
        size_t left = user_key.len - match, most = own < left ? own : left;
        size_t equal = lode_common_bytes(e->delta, user_key.data + match, most);
        if (equal == most && own == left) {
            p->has_user_key = true;
            return lode_read_le64(e->delta + own) > trailer ? SCAN_SLOWLY : SCAN_FOUND;
        }
        if (equal == most ? own > left : e->delta[equal] > user_key.data[match + equal])
            return SCAN_FOUND;
        match += equal;
    }
    return SCAN_END;
}

void lode_block_cursor_init(lode_block_cursor *c, const lode_comparator *cmp)
{
    *c = (lode_block_cursor){ .cmp = cmp };
}

void lode_block_cursor_clear(lode_block_cursor *c)
{
    lode_buf_clear(&c->joined);
    lode_buf_clear(&c->back);
    lode_buf_clear(&c->back_keys);
    c->valid = false;
}

void lode_block_cursor_use(lode_block_cursor *c, const lode_block *block)
{
    c->block = *block;
    c->valid = c->bad = c->no_memory = false;
    c->back_left = 0;
}

static void fail(lode_block_cursor *c)
{
    c->valid = false;
    c->bad = true;
}

static void run_out(lode_block_cursor *c)
{
    fail(c);
    c->no_memory = true;
}

/* The entry at `at`, whose shared bytes are those of the key that `joined` holds. */
static inline void show_entry(lode_block_cursor *c, uint32_t at)
{
    entry e;
    c->at = at;
    if (at >= c->block.restarts_at) {
        c->valid = false;
        return;
    }
    c->next = decode_entry(&c->block, &e, at);
    size_t len = (size_t)e.shared + e.unshared;
    if (!c->next || e.shared > c->joined.len || len < LODE_TRAILER_BYTES) {
        fail(c);
        return;
    }
    if (len > c->joined.capacity && !lode_buf_reserve(&c->joined, len - c->joined.len)) {
        run_out(c);
        return;
    }
    memcpy(c->joined.data + e.shared, e.delta, e.unshared);
    c->joined.len = len;
    c->key = lode_slice_of(c->joined.data, len);
    c->value = lode_slice_of(e.delta + e.unshared, e.value_len);
    c->valid = true;
}

static void show_restart(lode_block_cursor *c, uint32_t index)
{
    c->back_left = 0;
    lode_buf_reset(&c->joined);
    if (!c->block.restart_count) {
        c->valid = false;
        c->bad = c->block.restarts_at != 0;
        return;
    }
    show_entry(c, restart_at(&c->block, index));
    if (!c->valid && c->block.restarts_at)
        c->bad = true;
}

void lode_block_cursor_seek_first(lode_block_cursor *c)
{
    show_restart(c, 0);
}

void lode_block_cursor_next(lode_block_cursor *c)
{
    if (c->back_left) { /* `joined` is behind: it holds the key of another entry */
        lode_buf_reset(&c->joined);
        lode_buf_append(&c->joined, c->key.data, c->key.len);
        if (!lode_buf_is_good(&c->joined)) {
            run_out(c);
            return;
        }
        c->back_left = 0;
    }
    show_entry(c, c->next);
}

static void seek_slowly(lode_block_cursor *c, uint32_t restart, lode_slice user_key, uint64_t trailer)
{
    for (show_restart(c, restart); c->valid; show_entry(c, c->next)) {
        int order = lode_compare_user(c->cmp, lode_user_key(c->key), user_key);
        if (order > 0 || (order == 0 && lode_trailer(c->key) <= trailer))
            return;
    }
}

/* What an entry shares with the one before it, it shares with the key that was looked for, too. */
static void show_found(lode_block_cursor *c, const position *p, lode_slice user_key)
{
    lode_buf_reset(&c->joined);
    lode_buf_append(&c->joined, user_key.data, p->e.shared);
    if (!lode_buf_is_good(&c->joined)) {
        run_out(c);
        return;
    }
    show_entry(c, p->at);
}

void lode_block_cursor_seek(lode_block_cursor *c, lode_slice internal)
{
    uint32_t restart;
    position p;
    lode_slice user_key = lode_user_key(internal);
    uint64_t trailer = lode_trailer(internal);
    c->bad = c->no_memory = false;
    c->back_left = 0;
    prefetch_restarts(&c->block);
    if (!find_restart(&c->block, c->cmp, &restart, user_key, trailer)) {
        fail(c);
        return;
    }
    switch (c->cmp ? SCAN_SLOWLY : scan(&c->block, &p, restart, user_key, trailer)) {
    case SCAN_FOUND:
        show_found(c, &p, user_key);
        return;
    case SCAN_END:
        c->valid = false;
        return;
    case SCAN_DAMAGE:
        fail(c);
        return;
    case SCAN_SLOWLY:
        seek_slowly(c, restart, user_key, trailer);
    }
}

/* Decode from restart `index` until `limit`, and remember every entry for the walk back. Ends on the last one. */
static void load_interval(lode_block_cursor *c, uint32_t index, uint32_t limit)
{
    size_t count = 0;
    lode_buf_reset(&c->back);
    lode_buf_reset(&c->back_keys);
    for (show_restart(c, index); c->valid && c->at < limit; show_entry(c, c->next)) {
        back_entry e = { .at = c->at,
                         .next = c->next,
                         .key_at = (uint32_t)c->back_keys.len,
                         .key_len = (uint32_t)c->key.len,
                         .value_at = (uint32_t)(c->value.data - c->block.data),
                         .value_len = (uint32_t)c->value.len };
        lode_buf_append(&c->back_keys, c->key.data, c->key.len);
        lode_buf_append(&c->back, &e, sizeof e);
        count++;
    }
    if (!lode_buf_is_good(&c->back) || !lode_buf_is_good(&c->back_keys)) {
        run_out(c);
        return;
    }
    if (c->bad || !count) {
        fail(c);
        return;
    }
    c->back_left = count;
}

static void show_back(lode_block_cursor *c)
{
    back_entry e;
    memcpy(&e, c->back.data + (c->back_left - 1) * sizeof e, sizeof e);
    c->at = e.at;
    c->next = e.next;
    c->key = lode_slice_of(c->back_keys.data + e.key_at, e.key_len);
    c->value = lode_slice_of(c->block.data + e.value_at, e.value_len);
    c->valid = true;
}

void lode_block_cursor_seek_last(lode_block_cursor *c)
{
    if (!c->block.restart_count) {
        show_restart(c, 0);
        return;
    }
    if (!c->block.restarts_at) {
        c->valid = false;
        return;
    }
    load_interval(c, c->block.restart_count - 1, c->block.restarts_at);
    if (!c->bad)
        show_back(c);
}

void lode_block_cursor_prev(lode_block_cursor *c)
{
    if (c->back_left > 1) {
        c->back_left--;
        show_back(c);
        return;
    }
    uint32_t here = c->at, low = 0, high = c->block.restart_count - 1;
    if (restart_at(&c->block, 0) >= here) {
        c->valid = false;
        c->back_left = 0;
        return;
    }
    while (low < high) { /* the last restart before the current entry */
        uint32_t middle = low + (high - low + 1) / 2;
        if (restart_at(&c->block, middle) < here)
            low = middle;
        else
            high = middle - 1;
    }
    load_interval(c, low, here);
    if (!c->bad)
        show_back(c);
}

/* ---- point lookup ---- */

static lode_lookup answer(lode_slice *value, lode_block_fault *fault, uint64_t trailer, const entry *e)
{
    switch (trailer & 0xff) {
    case LODE_ENTRY_VALUE:
        *value = lode_slice_of(e->delta + e->unshared, e->value_len);
        return LODE_LOOKUP_VALUE;
    case LODE_ENTRY_DELETION:
        return LODE_LOOKUP_DELETED;
    }
    *fault = LODE_BLOCK_DAMAGED;
    return LODE_LOOKUP_NONE;
}

static lode_lookup find_slowly(const lode_block *b, const lode_comparator *cmp, lode_slice *value,
                               lode_block_fault *fault, uint32_t restart, lode_slice user_key, uint64_t trailer)
{
    lode_block_cursor c;
    lode_lookup found = LODE_LOOKUP_NONE;
    lode_block_cursor_init(&c, cmp);
    lode_block_cursor_use(&c, b);
    for (show_restart(&c, restart); c.valid; show_entry(&c, c.next)) {
        int order = lode_compare_user(cmp, lode_user_key(c.key), user_key);
        if (order < 0 || (order == 0 && lode_trailer(c.key) > trailer))
            continue;
        if (order == 0) {
            entry e = { .delta = c.value.data, .value_len = (uint32_t)c.value.len };
            found = answer(value, fault, lode_trailer(c.key), &e);
        }
        break;
    }
    if (c.bad)
        *fault = c.no_memory ? LODE_BLOCK_NO_MEMORY : LODE_BLOCK_DAMAGED;
    lode_block_cursor_clear(&c);
    return found;
}

lode_lookup lode_block_find(const lode_block *b, const lode_comparator *cmp, lode_slice *value, lode_block_fault *fault,
                            lode_slice user_key, uint64_t trailer)
{
    uint32_t restart;
    position p;
    *fault = LODE_BLOCK_SOUND;
    prefetch_restarts(b);
    if (!find_restart(b, cmp, &restart, user_key, trailer)) {
        *fault = LODE_BLOCK_DAMAGED;
        return LODE_LOOKUP_NONE;
    }
    switch (cmp ? SCAN_SLOWLY : scan(b, &p, restart, user_key, trailer)) {
    case SCAN_FOUND:
        return p.has_user_key
                   ? answer(value, fault, lode_read_le64(p.e.delta + p.e.unshared - LODE_TRAILER_BYTES), &p.e)
                   : LODE_LOOKUP_NONE;
    case SCAN_END:
        return LODE_LOOKUP_NONE;
    case SCAN_DAMAGE:
        *fault = LODE_BLOCK_DAMAGED;
        return LODE_LOOKUP_NONE;
    case SCAN_SLOWLY:
        break;
    }
    return find_slowly(b, cmp, value, fault, restart, user_key, trailer);
}
