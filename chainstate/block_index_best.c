/* chainstate/block_index_best.c: the best candidate for a tip, and the best header, kept up to date.
 *
 * Room:     among members (candidates: stored with all ancestors, not failed; headers: not failed) the best one stands
 *           apart and others wait in a heap. An entry whose child is a member never needs to be there: the child has
 *           more work. So when a branch fails, its parent is put back.
 * Touches:  entries' in_candidates and in_headers. Memory was reserved when the entry was added.
 * Promise:  every member without a member below it is the top or in the heap.
 */
#include "chainstate/block_index_private.h"

static bool stands_before_on_disk(const lode_entry *a, const lode_entry *b)
{
    if (a->file != b->file)
        return a->file < b->file;
    if (a->data_pos != b->data_pos)
        return a->data_pos < b->data_pos;
    return a->number < b->number;
}

/* Core compares addresses where work and sequence are equal, which happens after a load; the place on disk tells which
 * block came first, and is the same at every start. */
bool lode_index_is_better(const lode_entry *a, const lode_entry *b)
{
    int c = lode_u256_compare(&a->node.chain_work, &b->node.chain_work);

    if (c != 0)
        return c > 0;
    if (a->sequence != b->sequence)
        return a->sequence < b->sequence;
    return stands_before_on_disk(a, b);
}

static bool is_better_header(const lode_entry *a, const lode_entry *b)
{
    int c = lode_u256_compare(&a->node.chain_work, &b->node.chain_work);

    return c != 0 ? c > 0 : a->number < b->number;
}

/* The two kinds of members. */
typedef struct kind {
    bool (*is_better)(const lode_entry *a, const lode_entry *b);
    bool (*is_member)(const lode_entry *e);
    bool *(*in_heap)(lode_entry *e);
} kind;

static bool is_good_header(const lode_entry *e)
{
    return !lode_entry_is_failed(e);
}
static bool *in_candidates(lode_entry *e)
{
    return &e->in_candidates;
}
static bool *in_headers(lode_entry *e)
{
    return &e->in_headers;
}

static const kind candidates = { lode_index_is_better, lode_entry_is_candidate, in_candidates };
static const kind headers = { is_better_header, is_good_header, in_headers };

static void push(lode_best *best, const kind *k, lode_entry *e)
{
    if (*k->in_heap(e))
        return;
    LODE_CHECK(best->count < best->capacity);
    *k->in_heap(e) = true;
    size_t i = best->count++;
    while (i > 0) {
        size_t parent = (i - 1) / 2;
        if (!k->is_better(e, best->heap[parent]))
            break;
        best->heap[i] = best->heap[parent];
        i = parent;
    }
    best->heap[i] = e;
}

static lode_entry *pop(lode_best *best, const kind *k)
{
    lode_entry *first = best->heap[0], *last = best->heap[--best->count];

    *k->in_heap(first) = false;
    for (size_t i = 0, child; best->count > 0; i = child) {
        child = 2 * i + 1;
        if (child + 1 < best->count && k->is_better(best->heap[child + 1], best->heap[child]))
            child++;
        if (child >= best->count || !k->is_better(best->heap[child], last)) {
            best->heap[i] = last;
            break;
        }
        best->heap[i] = best->heap[child];
    }
    return first;
}

static void add(lode_best *best, const kind *k, lode_entry *e)
{
    lode_entry *top = best->top;

    if (top == e)
        return;
    if (!top || lode_entry_prev(e) == top) {
        best->top = e;
    } else if (k->is_better(e, top)) {
        push(best, k, top);
        best->top = e;
    } else {
        push(best, k, e);
    }
}

static void drop_failed(lode_best *best, const kind *k, lode_entry *root)
{
    lode_entry *parent = lode_entry_prev(root);

    if (parent && k->is_member(parent))
        add(best, k, parent);
    if (best->top && k->is_member(best->top))
        return;
    best->top = NULL;
    while (best->count > 0 && !best->top) {
        lode_entry *e = pop(best, k);
        if (k->is_member(e))
            best->top = e;
    }
}

void lode_index_add_candidate(lode_block_index *index, lode_entry *e)
{
    add(&index->candidates, &candidates, e);
}

void lode_index_add_header(lode_block_index *index, lode_entry *e)
{
    add(&index->headers, &headers, e);
}

void lode_index_drop_failed(lode_block_index *index, lode_entry *root)
{
    drop_failed(&index->candidates, &candidates, root);
    drop_failed(&index->headers, &headers, root);
}

void lode_index_rebuild_candidates(lode_block_index *index)
{
    for (size_t i = 0; i < index->candidates.count; i++)
        index->candidates.heap[i]->in_candidates = false;
    index->candidates.count = 0;
    index->candidates.top = NULL;
    for (size_t i = 0; i < index->count; i++) {
        lode_entry *e = lode_index_entry(index, i);
        if (lode_entry_is_candidate(e))
            lode_index_add_candidate(index, e);
    }
}

lode_entry *lode_block_index_best_candidate(lode_block_index *index)
{
    return index->candidates.top;
}

lode_entry *lode_block_index_best_header(lode_block_index *index)
{
    return index->headers.top;
}
