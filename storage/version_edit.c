/* storage/version_edit.c: building, encoding and decoding changes of the set of tables.
 *
 * Touches:  memory only.
 */
#include "storage/version_edit.h"

#include <stdlib.h>

#include "storage/coding.h"

enum tag {
    TAG_COMPARATOR = 1,
    TAG_LOG_NUMBER = 2,
    TAG_NEXT_FILE = 3,
    TAG_LAST_SEQUENCE = 4,
    TAG_POINTER = 5,
    TAG_REMOVED = 6,
    TAG_ADDED = 7,
    TAG_PREV_LOG_NUMBER = 9
};

void lode_version_edit_init(lode_version_edit *e)
{
    memset(e, 0, sizeof *e);
}

void lode_version_edit_clear(lode_table_cache *c, lode_version_edit *e)
{
    for (size_t i = 0; i < e->added_count; i++)
        lode_file_meta_unref(c, e->added[i].file);
    free(e->added);
    free(e->removed);
    free(e->pointers);
    lode_buf_clear(&e->keys);
    lode_version_edit_init(e);
}

/* Room for one more element, or NULL. */
static void *grow(lode_version_edit *e, void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    size_t more = *capacity ? *capacity * 2 : 8;
    void *larger = realloc(array, more * size);
    if (!larger) {
        e->failed = true;
        return NULL;
    }
    *capacity = more;
    return larger;
}

void lode_version_edit_add(lode_version_edit *e, int level, lode_file_meta *f)
{
    lode_edit_file *added = grow(e, e->added, e->added_count, &e->added_capacity, sizeof *added);
    if (!added) {
        if (atomic_fetch_sub(&f->refs, 1) == 1) /* never shared and never opened: it has nothing but its memory */
            free(f);
        return;
    }
    e->added = added;
    e->added[e->added_count++] = (lode_edit_file){ level, f };
}

void lode_version_edit_remove(lode_version_edit *e, int level, uint64_t number)
{
    lode_edit_removal *removed = grow(e, e->removed, e->removed_count, &e->removed_capacity, sizeof *removed);
    if (!removed)
        return;
    e->removed = removed;
    e->removed[e->removed_count++] = (lode_edit_removal){ level, number };
}

void lode_version_edit_set_pointer(lode_version_edit *e, int level, lode_slice internal)
{
    lode_edit_pointer *pointers = grow(e, e->pointers, e->pointer_count, &e->pointer_capacity, sizeof *pointers);
    if (!pointers)
        return;
    e->pointers = pointers;
    e->pointers[e->pointer_count++] = (lode_edit_pointer){ level, e->keys.len, internal.len };
    lode_buf_append(&e->keys, internal.data, internal.len);
    e->failed |= !lode_buf_is_good(&e->keys);
}

lode_slice lode_version_edit_pointer_key(const lode_version_edit *e, size_t i)
{
    return lode_slice_of(e->keys.data + e->pointers[i].at, e->pointers[i].len);
}

static void put_number(lode_buf *out, enum tag tag, uint64_t v)
{
    lode_buf_put_varint32(out, tag);
    lode_buf_put_varint64(out, v);
}

void lode_version_edit_encode(const lode_version_edit *e, lode_buf *out)
{
    for (int times = e->has_comparator ? 1 + e->marks_logs : 0; times; times--) {
        lode_buf_put_varint32(out, TAG_COMPARATOR);
        lode_buf_put_prefixed(out, lode_slice_of(e->comparator, strlen(e->comparator)));
    }
    if (e->has_log_number)
        put_number(out, TAG_LOG_NUMBER, e->log_number);
    if (e->has_prev_log_number)
        put_number(out, TAG_PREV_LOG_NUMBER, e->prev_log_number);
    if (e->has_next_file)
        put_number(out, TAG_NEXT_FILE, e->next_file);
    if (e->has_last_sequence)
        put_number(out, TAG_LAST_SEQUENCE, e->last_sequence);
    for (size_t i = 0; i < e->pointer_count; i++) {
        put_number(out, TAG_POINTER, (uint64_t)e->pointers[i].level);
        lode_buf_put_prefixed(out, lode_version_edit_pointer_key(e, i));
    }
    for (size_t i = 0; i < e->removed_count; i++) {
        put_number(out, TAG_REMOVED, (uint64_t)e->removed[i].level);
        lode_buf_put_varint64(out, e->removed[i].number);
    }
    for (size_t i = 0; i < e->added_count; i++) {
        const lode_file_meta *f = e->added[i].file;
        put_number(out, TAG_ADDED, (uint64_t)e->added[i].level);
        lode_buf_put_varint64(out, f->number);
        lode_buf_put_varint64(out, f->bytes);
        lode_buf_put_prefixed(out, f->smallest);
        lode_buf_put_prefixed(out, f->largest);
    }
}

static const uint8_t *read_level(const uint8_t *p, const uint8_t *end, int *level)
{
    uint32_t v;
    p = lode_read_varint32(p, end, &v);
    if (!p || v >= LODE_LEVELS)
        return NULL;
    *level = (int)v;
    return p;
}

static const uint8_t *read_internal_key(const uint8_t *p, const uint8_t *end, lode_slice *key)
{
    p = lode_read_prefixed(p, end, key);
    return p && key->len >= LODE_TRAILER_BYTES ? p : NULL;
}

static const uint8_t *read_added(lode_version_edit *e, const uint8_t *p, const uint8_t *end)
{
    int level;
    uint64_t number, bytes;
    lode_slice smallest, largest;
    if (!(p = read_level(p, end, &level)) || !(p = lode_read_varint64(p, end, &number)) ||
        !(p = lode_read_varint64(p, end, &bytes)) || !(p = read_internal_key(p, end, &smallest)) ||
        !(p = read_internal_key(p, end, &largest)))
        return NULL;
    lode_file_meta *f = lode_file_meta_create(number, bytes, smallest, largest);
    if (f)
        lode_version_edit_add(e, level, f);
    else
        e->failed = true;
    return p;
}

static const uint8_t *read_field(lode_version_edit *e, uint32_t tag, const uint8_t *p, const uint8_t *end)
{
    lode_slice bytes;
    uint64_t number;
    int level;
    switch (tag) {
    case TAG_COMPARATOR:
        p = lode_read_prefixed(p, end, &bytes);
        if (!p || bytes.len >= sizeof e->comparator)
            return NULL;
        memcpy(e->comparator, bytes.data, bytes.len);
        e->comparator[bytes.len] = '\0';
        e->marks_logs = e->has_comparator;
        e->has_comparator = true;
        return p;
    case TAG_LOG_NUMBER:
        e->has_log_number = true;
        return lode_read_varint64(p, end, &e->log_number);
    case TAG_PREV_LOG_NUMBER:
        e->has_prev_log_number = true;
        return lode_read_varint64(p, end, &e->prev_log_number);
    case TAG_NEXT_FILE:
        e->has_next_file = true;
        return lode_read_varint64(p, end, &e->next_file);
    case TAG_LAST_SEQUENCE:
        e->has_last_sequence = true;
        p = lode_read_varint64(p, end, &e->last_sequence);
        return p && e->last_sequence <= LODE_MAX_SEQUENCE ? p : NULL;
    case TAG_POINTER:
        if ((p = read_level(p, end, &level)) && (p = read_internal_key(p, end, &bytes)))
            lode_version_edit_set_pointer(e, level, bytes);
        return p;
    case TAG_REMOVED:
        if ((p = read_level(p, end, &level)) && (p = lode_read_varint64(p, end, &number)))
            lode_version_edit_remove(e, level, number);
        return p;
    case TAG_ADDED:
        return read_added(e, p, end);
    }
    return NULL;
}

lode_status lode_version_edit_decode(lode_version_edit *e, lode_slice record)
{
    if (!record.len)
        return lode_ok();
    const uint8_t *p = record.data, *end = p + record.len;
    while (p < end) {
        uint32_t tag;
        size_t at = (size_t)(p - record.data);
        p = lode_read_varint32(p, end, &tag);
        if (!p)
            return lode_fail(LODE_CORRUPT, "tag at byte %zu of a record is cut", at);
        p = read_field(e, tag, p, end);
        if (!p)
            return lode_fail(LODE_CORRUPT, "field %u at byte %zu of a record does not decode", tag, at);
    }
    if (e->failed)
        return lode_fail(LODE_NO_MEMORY, "memory ran out while a record was decoded");
    return lode_ok();
}
