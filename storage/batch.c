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

lode_status lode_batch_apply(lode_slice rep, lode_memtable *m, uint64_t *last_sequence)
{
    lode_batch_walk w;
    uint64_t sequence;
    lode_entry_type type;
    lode_slice key, value;
    if (!lode_batch_walk_start(&w, &sequence, rep))
        return lode_fail(LODE_CORRUPT, "batch of %zu bytes, shorter than its header", rep.len);
    if (sequence > LODE_MAX_SEQUENCE || LODE_MAX_SEQUENCE - sequence < w.left)
        return lode_fail(LODE_CORRUPT, "batch with sequence %llu out of range", (unsigned long long)sequence);
    *last_sequence = sequence + w.left - (sequence + w.left > 0);
    while (lode_batch_walk_next(&w, &type, &key, &value))
        if (!lode_memtable_add(m, sequence++, type, key, value))
            return lode_fail(LODE_NO_MEMORY, "memtable: memory ran out");
    if (w.bad)
        return lode_fail(LODE_CORRUPT, "batch whose records do not fit its count and length");
    return lode_ok();
}
