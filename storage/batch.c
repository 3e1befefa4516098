/* storage/batch.c: building, joining and reading batches.
 *
 * Touches:  memory only.
 * Threads:  one at a time per batch.
 */
#include "storage/batch.h"

#include <stdlib.h>

#include "storage/coding.h"

lode_batch *lode_batch_create(void)
{
    return calloc(1, sizeof(lode_batch));
}

void lode_batch_destroy(lode_batch *batch)
{
    if (!batch)
        return;
    lode_buf_clear(&batch->rep);
    free(batch);
}

void lode_batch_clear(lode_batch *batch)
{
    if (!batch)
        return;
    lode_buf_reset(&batch->rep);
    batch->count = 0;
    batch->no_memory = false;
    batch->too_large = false;
    batch->lacks_bytes = false;
}

/* Room for `size` more bytes behind the header, or NULL when the batch cannot take them. */
static uint8_t *extend(lode_batch *b, size_t size)
{
    size_t header = b->rep.len ? 0 : LODE_BATCH_HEADER_BYTES;
    size_t total;
    if (b->no_memory || b->too_large)
        return NULL;
    if (__builtin_add_overflow(b->rep.len + header, size, &total) || total > UINT32_MAX || b->count == UINT32_MAX) {
        b->too_large = true;
        return NULL;
    }
    uint8_t *p = lode_buf_extend(&b->rep, header + size);
    if (!p) {
        b->no_memory = true;
        return NULL;
    }
    if (header)
        memset(p, 0, header);
    return p + header;
}

static void add_record(lode_batch *b, lode_entry_type type, lode_slice key, const lode_slice *value)
{
    enum { MOST_FRAMING = 1 + 2 * LODE_VARINT32_MAX_BYTES };
    size_t size, old_len = b->rep.len;
    if ((!key.data && key.len) || (value && !value->data && value->len)) {
        b->lacks_bytes = true;
        return;
    }
    if (key.len > UINT32_MAX || (value && value->len > UINT32_MAX)) {
        b->too_large = true;
        return;
    }
    size = MOST_FRAMING + key.len + (value ? value->len : 0);
    uint8_t *start = extend(b, size), *p = start;
    if (!p)
        return;
    *p++ = (uint8_t)type;
    p = lode_write_varint32(p, (uint32_t)key.len);
    if (key.len)
        memcpy(p, key.data, key.len);
    p += key.len;
    if (value) {
        p = lode_write_varint32(p, (uint32_t)value->len);
        if (value->len)
            memcpy(p, value->data, value->len);
        p += value->len;
    }
    b->rep.len = (old_len ? old_len : LODE_BATCH_HEADER_BYTES) + (size_t)(p - start);
    b->count++;
    lode_write_le32(b->rep.data + 8, b->count);
}

void lode_batch_put(lode_batch *batch, const void *key, size_t key_len, const void *value, size_t value_len)
{
    lode_slice v = lode_slice_of(value, value_len);
    if (batch)
        add_record(batch, LODE_ENTRY_VALUE, lode_slice_of(key, key_len), &v);
}

void lode_batch_delete(lode_batch *batch, const void *key, size_t key_len)
{
    if (batch)
        add_record(batch, LODE_ENTRY_DELETION, lode_slice_of(key, key_len), NULL);
}

void lode_batch_append(lode_batch *to, const lode_batch *from)
{
    if (!to || !from)
        return;
    to->no_memory |= from->no_memory;
    to->too_large |= from->too_large;
    to->lacks_bytes |= from->lacks_bytes;
    if (!from->count)
        return;
    size_t len = from->rep.len - LODE_BATCH_HEADER_BYTES;
    if (from->count > UINT32_MAX - to->count)
        to->too_large = true;
    uint32_t count = from->count; /* `from` may be `to` */
    uint8_t *p = extend(to, len);
    if (!p)
        return;
    memcpy(p, from->rep.data + LODE_BATCH_HEADER_BYTES, len);
    to->count += count;
    lode_write_le32(to->rep.data + 8, to->count);
}

uint32_t lode_batch_count(const lode_batch *batch)
{
    return batch ? batch->count : 0;
}

size_t lode_batch_bytes(const lode_batch *batch)
{
    return batch && batch->rep.len ? batch->rep.len : LODE_BATCH_HEADER_BYTES;
}

lode_status lode_batch_check(const lode_batch *b)
{
    if (b->too_large)
        return lode_fail(LODE_INVALID_ARGUMENT, "batch: a record or the whole is 4 GiB or more");
    if (b->lacks_bytes)
        return lode_fail(LODE_INVALID_ARGUMENT, "batch: a key or value is NULL and has a length");
    if (b->no_memory)
        return lode_fail(LODE_NO_MEMORY, "batch: memory ran out while it was built");
    return lode_ok();
}

void lode_batch_set_sequence(lode_batch *b, uint64_t sequence)
{
    if (b->rep.len)
        lode_write_le64(b->rep.data, sequence);
}

lode_status lode_batch_iterate(const lode_batch *batch, void *context,
                               void (*visit)(void *context, lode_bytes key, const lode_bytes *value))
{
    lode_batch_walk w;
    uint64_t sequence;
    lode_entry_type type;
    lode_slice key, value;
    if (!batch || !visit)
        return lode_fail(LODE_INVALID_ARGUMENT, "batch iterate: NULL argument");
    LODE_TRY(lode_batch_check(batch));
    if (!lode_batch_walk_start(&w, &sequence, lode_buf_slice(&batch->rep)))
        return lode_ok();
    while (lode_batch_walk_next(&w, &type, &key, &value)) {
        lode_bytes v = { value.data, value.len };
        visit(context, (lode_bytes){ key.data, key.len }, type == LODE_ENTRY_VALUE ? &v : NULL);
    }
    return lode_ok();
}

bool lode_batch_walk_start(lode_batch_walk *w, uint64_t *sequence, lode_slice rep)
{
    if (rep.len < LODE_BATCH_HEADER_BYTES)
        return false;
    *sequence = lode_read_le64(rep.data);
    w->left = lode_read_le32(rep.data + 8);
    w->at = rep.data + LODE_BATCH_HEADER_BYTES;
    w->end = rep.data + rep.len;
    w->bad = false;
    return true;
}

bool lode_batch_walk_next(lode_batch_walk *w, lode_entry_type *type, lode_slice *key, lode_slice *value)
{
    if (w->bad)
        return false;
    if (w->at == w->end || !w->left) {
        w->bad = w->at != w->end || w->left;
        return false;
    }
    uint8_t tag = *w->at++;
    const uint8_t *p = tag <= LODE_ENTRY_VALUE ? lode_read_prefixed(w->at, w->end, key) : NULL;
    *value = lode_slice_of(NULL, 0);
    if (p && tag == LODE_ENTRY_VALUE)
        p = lode_read_prefixed(p, w->end, value);
    if (!p) {
        w->bad = true;
        return false;
    }
    *type = (lode_entry_type)tag;
    w->at = p;
    w->left--;
    return true;
}

/* ---- into a memtable ---- */

/* Entries that ascend cost a memtable a step or two each, where any order costs it a search. So a large batch is put in
 * order first, in pieces, by counting bytes: what it costs to sort so is a fraction of what is saved. Entries may be
 * added in any order, so keys that agree in the bytes looked at stay as they come. */
enum { PIECE = 2048, FEWEST_TO_SORT = 16 };

typedef struct place {
    uint64_t prefix;
    const uint8_t *at; /* of the record */
    uint32_t nth;      /* in the piece */
} place;

typedef struct piece {
    place places[2][PIECE];
    uint32_t counts[8][256];
    size_t count;
    uint64_t sequence; /* of the first entry */
} piece;

/* Up to PIECE records. Their numbers are of the bytes behind what all keys begin with. */
static bool take_piece(piece *p, lode_batch_walk *w, bool *ascends)
{
    lode_batch_walk again = *w;
    lode_slice first = { NULL, 0 }, key, value;
    lode_entry_type type;
    size_t common = 0;
    p->count = 0;
    for (const uint8_t *at = w->at; p->count < PIECE && lode_batch_walk_next(w, &type, &key, &value); at = w->at) {
        if (!p->count) {
            first = key;
            common = key.len;
        }
        common = lode_common_bytes(first.data, key.data, key.len < common ? key.len : common);
        p->places[0][p->count] = (place){ .at = at, .nth = (uint32_t)p->count };
        p->count++;
    }
    *ascends = true;
    for (size_t i = 0; i < p->count; i++) {
        lode_batch_walk_next(&again, &type, &key, &value);
        p->places[0][i].prefix = lode_key_prefix(key.data + common, key.len - common);
        *ascends = *ascends && (!i || p->places[0][i - 1].prefix <= p->places[0][i].prefix);
    }
    return p->count > 0;
}

/* By the last byte first; bytes in which all agree are passed over. The result. */
static const place *sort_piece(piece *p)
{
    int from = 0;
    memset(p->counts, 0, sizeof p->counts);
    for (size_t i = 0; i < p->count; i++)
        for (int byte = 0; byte < 8; byte++)
            p->counts[byte][p->places[0][i].prefix >> (8 * byte) & 0xff]++;
    for (int byte = 0; byte < 8; byte++) {
        uint32_t *counts = p->counts[byte], sum = 0;
        if (counts[p->places[0][0].prefix >> (8 * byte) & 0xff] == p->count)
            continue;
        for (int i = 0; i < 256; i++) {
            uint32_t n = counts[i];
            counts[i] = sum;
            sum += n;
        }
        for (size_t i = 0; i < p->count; i++) {
            const place *x = &p->places[from][i];
            p->places[!from][counts[x->prefix >> (8 * byte) & 0xff]++] = *x;
        }
        from = !from;
    }
    return p->places[from];
}

static bool add_piece(lode_memtable *m, piece *p, const place *places, const uint8_t *end)
{
    for (size_t i = 0; i < p->count; i++) {
        lode_batch_walk one = { .at = places[i].at, .end = end, .left = 1 };
        lode_entry_type type;
        lode_slice key, value;
        if (i + 4 < p->count)
            __builtin_prefetch(places[i + 4].at);
        lode_batch_walk_next(&one, &type, &key, &value);
        if (!lode_memtable_add(m, p->sequence + places[i].nth, type, key, value))
            return false;
    }
    p->sequence += p->count;
    return true;
}

static bool add_in_order(lode_batch_walk *w, lode_memtable *m, uint64_t sequence, piece *p)
{
    bool ascends;
    p->sequence = sequence;
    while (take_piece(p, w, &ascends))
        if (!add_piece(m, p, ascends ? p->places[0] : sort_piece(p), w->end))
            return false;
    return true;
}

static bool add_as_they_come(lode_batch_walk *w, lode_memtable *m, uint64_t sequence)
{
    lode_entry_type type;
    lode_slice key, value;
    while (lode_batch_walk_next(w, &type, &key, &value))
        if (!lode_memtable_add(m, sequence++, type, key, value))
            return false;
    return true;
}

lode_status lode_batch_apply(lode_slice rep, lode_memtable *m, uint64_t *last_sequence)
{
    lode_batch_walk w;
    uint64_t sequence;
    if (!lode_batch_walk_start(&w, &sequence, rep))
        return lode_fail(LODE_CORRUPT, "batch of %zu bytes, shorter than its header", rep.len);
    if (sequence > LODE_MAX_SEQUENCE || LODE_MAX_SEQUENCE - sequence < w.left)
        return lode_fail(LODE_CORRUPT, "batch with sequence %llu out of range", (unsigned long long)sequence);
    *last_sequence = sequence + w.left - (sequence + w.left > 0);
    piece *p = w.left >= FEWEST_TO_SORT ? malloc(sizeof *p) : NULL;
    bool good = p ? add_in_order(&w, m, sequence, p) : add_as_they_come(&w, m, sequence);
    free(p);
    if (!good)
        return lode_fail(LODE_NO_MEMORY, "memtable: memory ran out");
    if (w.bad)
        return lode_fail(LODE_CORRUPT, "batch whose records do not fit its count and length");
    return lode_ok();
}
