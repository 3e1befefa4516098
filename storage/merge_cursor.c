/* storage/merge_cursor.c: a heap of cursors.
 *
 * Touches:  its children.
 * Threads:  one per cursor.
 * Promise:  when a child fails, the merge is not valid and tells why: a scan over less than everything never goes on.
 *
 * The heap holds each child's key beside its first eight bytes as a number, which decides most comparisons.
 */
#include "storage/merge_cursor.h"

#include <stdlib.h>

typedef struct slot {
    uint64_t prefix;
    lode_cursor *child;
} slot;

typedef struct merge_cursor {
    lode_cursor base;
    const lode_comparator *cmp;
    size_t count;
    size_t heap_count;
    bool backward;
    lode_buf key; /* while the direction changes */
    lode_cursor **children;
    slot heap[];
} merge_cursor;

static inline uint64_t prefix_of(const merge_cursor *m, const lode_cursor *child)
{
    return m->cmp ? 0 : lode_key_prefix(child->key.data, child->key.len - LODE_TRAILER_BYTES);
}

static inline bool is_first(const merge_cursor *m, const slot *a, const slot *b)
{
    if (a->prefix != b->prefix)
        return (a->prefix < b->prefix) != m->backward;
    int c = lode_compare_internal(m->cmp, a->child->key, b->child->key);
    return m->backward ? c > 0 : c < 0;
}

static void sift_down(merge_cursor *m, size_t at)
{
    slot s = m->heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= m->heap_count)
            break;
        if (child + 1 < m->heap_count && is_first(m, &m->heap[child + 1], &m->heap[child]))
            child++;
        if (!is_first(m, &m->heap[child], &s))
            break;
        m->heap[at] = m->heap[child];
        at = child;
    }
    m->heap[at] = s;
}

static void show(merge_cursor *m)
{
    m->base.valid = m->heap_count > 0;
    if (!m->heap_count)
        return;
    m->base.key = m->heap[0].child->key;
    m->base.value = m->heap[0].child->value;
}

/* Every child stands where it should: put the valid ones in order. */
static void build(merge_cursor *m)
{
    m->heap_count = 0;
    for (size_t i = 0; i < m->count; i++) {
        lode_cursor *child = m->children[i];
        if (child->valid) {
            m->heap[m->heap_count++] = (slot){ prefix_of(m, child), child };
        } else if (lode_failed(child->status)) {
            m->heap_count = 0;
            lode_cursor_fail(&m->base, child->status);
            return;
        }
    }
    for (size_t i = m->heap_count / 2; i-- > 0;)
        sift_down(m, i);
    show(m);
}

static void begin(merge_cursor *m, bool backward)
{
    m->backward = backward;
    if (lode_failed(m->base.status))
        m->base.status = lode_ok();
}

static void merge_seek_first(lode_cursor *base)
{
    merge_cursor *m = (merge_cursor *)base;
    begin(m, false);
    for (size_t i = 0; i < m->count; i++)
        m->children[i]->ops->seek_first(m->children[i]);
    build(m);
}

static void merge_seek_last(lode_cursor *base)
{
    merge_cursor *m = (merge_cursor *)base;
    begin(m, true);
    for (size_t i = 0; i < m->count; i++)
        m->children[i]->ops->seek_last(m->children[i]);
    build(m);
}

static void merge_seek(lode_cursor *base, lode_slice internal)
{
    merge_cursor *m = (merge_cursor *)base;
    begin(m, false);
    for (size_t i = 0; i < m->count; i++)
        if (m->children[i]->ops->foresee)
            m->children[i]->ops->foresee(m->children[i], internal);
    for (size_t i = 0; i < m->count; i++)
        m->children[i]->ops->seek(m->children[i], internal);
    build(m);
}

/* The first child has moved: put it in its new place. */
static inline void settle(merge_cursor *m)
{
    lode_cursor *child = m->heap[0].child;
    if (__builtin_expect(child->valid, 1)) {
        m->heap[0].prefix = prefix_of(m, child);
    } else {
        if (lode_failed(child->status)) {
            m->heap_count = 0;
            lode_cursor_fail(&m->base, child->status);
            return;
        }
        m->heap[0] = m->heap[--m->heap_count];
    }
    if (m->heap_count > 1)
        sift_down(m, 0);
    show(m);
}

/* Every other child goes to the far side of the current key. */
static bool turn(merge_cursor *m, bool backward)
{
    lode_cursor *current = m->heap[0].child;
    lode_buf_reset(&m->key);
    lode_buf_append(&m->key, m->base.key.data, m->base.key.len);
    if (!lode_buf_is_good(&m->key)) {
        lode_cursor_fail(&m->base, lode_fail(LODE_NO_MEMORY, "no memory to turn a cursor round"));
        return false;
    }
    lode_slice key = lode_buf_slice(&m->key);
    for (size_t i = 0; i < m->count; i++) {
        lode_cursor *child = m->children[i];
        if (child == current)
            continue;
        child->ops->seek(child, key);
        if (!backward)
            continue;
        if (child->valid)
            child->ops->prev(child);
        else if (!lode_failed(child->status))
            child->ops->seek_last(child);
    }
    m->backward = backward;
    if (backward)
        current->ops->prev(current);
    else
        current->ops->next(current);
    build(m);
    return true;
}

static void merge_next(lode_cursor *base)
{
    merge_cursor *m = (merge_cursor *)base;
    if (m->backward) {
        turn(m, false);
        return;
    }
    m->heap[0].child->ops->next(m->heap[0].child);
    settle(m);
}

static void merge_prev(lode_cursor *base)
{
    merge_cursor *m = (merge_cursor *)base;
    if (!m->backward) {
        turn(m, true);
        return;
    }
    m->heap[0].child->ops->prev(m->heap[0].child);
    settle(m);
}

static void merge_destroy(lode_cursor *base)
{
    merge_cursor *m = (merge_cursor *)base;
    for (size_t i = 0; i < m->count; i++)
        lode_cursor_destroy(m->children[i]);
    lode_buf_clear(&m->key);
    free(m->children);
    free(m);
}

static const lode_cursor_ops merge_ops = { merge_seek_first, merge_seek_last, merge_seek, merge_next,
                                           merge_prev,       merge_destroy,   NULL };

lode_cursor *lode_merge_cursor(const lode_comparator *cmp, lode_cursor **children, size_t count)
{
    if (count == 1)
        return children[0];
    merge_cursor *m = lode_cursor_memory(sizeof *m + count * sizeof m->heap[0]);
    lode_cursor **copy = malloc((count ? count : 1) * sizeof *copy);
    if (!m || !copy) {
        for (size_t i = 0; i < count; i++)
            lode_cursor_destroy(children[i]);
        free(m);
        free(copy);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        copy[i] = children[i];
    m->base.ops = &merge_ops;
    m->base.status = lode_ok();
    m->cmp = cmp;
    m->count = count;
    m->children = copy;
    return &m->base;
}
