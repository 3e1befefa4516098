/* storage/memtable.c: a skiplist in an arena.
 *
 * Room:     sorted entries that are added one by one and freed all at once.
 * Touches:  memory only.
 * Threads:  one writer, any readers without a lock: a node is complete before a release store links it, and is never
 *           moved or unlinked.
 *
 * Node:  ... | link 1 | link 0 | key_len u32 | value_len u32 | key | trailer u64 | value | 8 spare bytes
 * The pointer is to the lengths. Key and trailer are the internal key as cursors show it. Link 0, the lengths and a key
 * of 36 bytes share a cache line or two, so that a step of a search costs one miss.
 *
 * Most point reads are of keys that are not here. A bloom filter, which costs a writer two bits in one cache line,
 * tells them so without a search. It is only for bytewise order, where equal keys are equal bytes.
 */
#include "storage/memtable.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "storage/filter.h"

enum { MAX_HEIGHT = 12, BRANCHING = 4, FIRST_CHUNK_BYTES = 32 << 10, LAST_CHUNK_BYTES = 1 << 20 };

typedef struct node {
    uint32_t key_len;
    uint32_t value_len;
    uint8_t key[];
} node;

typedef _Atomic(node *) node_link;

typedef struct chunk {
    struct chunk *next;
    size_t bytes;
} chunk;

struct lode_memtable {
    /* Constant after create. */
    const lode_comparator *cmp;
    node *head;               /* its links are the tops of the towers; it has no key */
    _Atomic(uint64_t) *bloom; /* eight words to a line; NULL: none */
    size_t bloom_mask;        /* of lines */

    atomic_uint refs;
    _Atomic(int) height; /* of the tallest node; a reader that sees an old one is slower, not wrong */
    atomic_size_t bytes; /* taken from the chunks */
    atomic_size_t count;

    /* The writer's. */
    chunk *chunks;
    uint8_t *at, *end;
    size_t next_chunk_bytes;
    uint64_t random;
    node *before[MAX_HEIGHT]; /* where the last entry went: the node before it at each level */
};

static node_link *link_of(node *n, int level)
{
    return (node_link *)(void *)n - 1 - level;
}
static node *next_of(const node *n, int level)
{
    const node_link *l = (const node_link *)(const void *)n - 1 - level;
    return atomic_load_explicit(l, memory_order_acquire);
}

static inline uint64_t trailer_of(const node *n)
{
    return lode_read_le64(n->key + n->key_len);
}
static inline lode_slice key_of(const node *n)
{
    return lode_slice_of(n->key, n->key_len);
}
static inline lode_slice value_of(const node *n)
{
    return lode_slice_of(n->key + n->key_len + LODE_TRAILER_BYTES, n->value_len);
}

/* ---- the filter: the low bits of a mixed hash choose the line, others two bits in it ---- */

static inline _Atomic(uint64_t) *bloom_line(const lode_memtable *m, uint32_t hash, uint64_t *first, uint64_t *second)
{
    uint64_t h = hash * UINT64_C(0x9e3779b97f4a7c15);
    *first = h >> 58;
    *second = h >> 52 & 63;
    return m->bloom + (((h >> 16) & m->bloom_mask) * 8);
}

static inline void bloom_set(lode_memtable *m, uint32_t hash)
{
    uint64_t a, b;
    _Atomic(uint64_t) *line = bloom_line(m, hash, &a, &b);
    _Atomic(uint64_t) *x = line + (hash & 7), *y = line + (hash >> 3 & 7);
    atomic_store_explicit(x, atomic_load_explicit(x, memory_order_relaxed) | UINT64_C(1) << a, memory_order_relaxed);
    atomic_store_explicit(y, atomic_load_explicit(y, memory_order_relaxed) | UINT64_C(1) << b, memory_order_relaxed);
}

static inline bool bloom_may_have(const lode_memtable *m, uint32_t hash)
{
    uint64_t a, b;
    _Atomic(uint64_t) *line = bloom_line(m, hash, &a, &b);
    return (atomic_load_explicit(line + (hash & 7), memory_order_relaxed) >> a & 1) &&
           (atomic_load_explicit(line + (hash >> 3 & 7), memory_order_relaxed) >> b & 1);
}

static void make_bloom(lode_memtable *m, size_t expected_bytes)
{
    size_t lines = 64;
    while (lines * 64 * 64 < expected_bytes)
        lines *= 2;
    if (!m->cmp)
        m->bloom = aligned_alloc(64, lines * 64);
    if (m->bloom)
        memset((void *)(uintptr_t)m->bloom, 0, lines * 64);
    m->bloom_mask = lines - 1;
}

static void *take_bytes(lode_memtable *m, size_t size)
{
    size = (size + 7) & ~(size_t)7;
    if (size > (size_t)(m->end - m->at)) {
        size_t bytes = sizeof(chunk) + size;
        if (bytes < m->next_chunk_bytes)
            bytes = m->next_chunk_bytes;
        chunk *c = malloc(bytes);
        if (!c)
            return NULL;
        c->next = m->chunks;
        c->bytes = bytes;
        m->chunks = c;
        m->at = (uint8_t *)(c + 1);
        m->end = (uint8_t *)c + bytes;
        if (m->next_chunk_bytes < LAST_CHUNK_BYTES)
            m->next_chunk_bytes *= 2;
    }
    void *p = m->at;
    m->at += size;
    atomic_store_explicit(&m->bytes, atomic_load_explicit(&m->bytes, memory_order_relaxed) + size,
                          memory_order_relaxed);
    return p;
}

static node *take_node(lode_memtable *m, int height, size_t key_len, size_t value_len)
{
    size_t links = (size_t)height * sizeof(node_link);
    uint8_t *p = take_bytes(m, links + sizeof(node) + key_len + LODE_TRAILER_BYTES + value_len + 8);
    if (!p)
        return NULL;
    node *n = (node *)(void *)(p + links);
    n->key_len = (uint32_t)key_len;
    n->value_len = (uint32_t)value_len;
    return n;
}

lode_memtable *lode_memtable_create(const lode_comparator *cmp, size_t expected_bytes)
{
    lode_memtable *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->cmp = cmp;
    m->random = UINT64_C(0x9e3779b97f4a7c15);
    m->next_chunk_bytes = FIRST_CHUNK_BYTES;
    atomic_init(&m->refs, 1);
    atomic_init(&m->height, 1);
    m->head = take_node(m, MAX_HEIGHT, 0, 0);
    if (!m->head) {
        free(m);
        return NULL;
    }
    make_bloom(m, expected_bytes);
    for (int i = 0; i < MAX_HEIGHT; i++) {
        atomic_init(link_of(m->head, i), NULL);
        m->before[i] = m->head;
    }
    return m;
}

void lode_memtable_ref(lode_memtable *m)
{
    atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
}

void lode_memtable_unref(lode_memtable *m)
{
    if (!m || atomic_fetch_sub_explicit(&m->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (chunk *c = m->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free((void *)(uintptr_t)m->bloom);
    free(m);
}

/* Negative when `n` comes before (key, trailer). */
static inline int compare_node(const lode_memtable *m, const node *n, lode_slice key, uint64_t trailer)
{
    int c = lode_compare_user(m->cmp, key_of(n), key);
    if (c)
        return c;
    uint64_t own = trailer_of(n);
    return own > trailer ? -1 : own < trailer;
}

static bool comes_before(const lode_memtable *m, const node *n, lode_slice key, uint64_t trailer)
{
    return n && compare_node(m, n, key, trailer) < 0;
}

/* What was compared last is the answer: a node that a writer puts before it meanwhile comes too late for this search,
 * and may be a newer entry of the same key. */
static node *find_at_or_after(const lode_memtable *m, lode_slice key, uint64_t trailer)
{
    const node *n = m->head;
    node *refused = NULL; /* known to come at or after: not compared again a level below */
    for (int level = atomic_load_explicit(&m->height, memory_order_relaxed) - 1; level >= 0; level--) {
        for (;;) {
            node *next = next_of(n, level);
            if (next == refused)
                break;
            if (!next || compare_node(m, next, key, trailer) >= 0) {
                refused = next;
                break;
            }
            n = next;
        }
    }
    return refused;
}

static node *find_before(const lode_memtable *m, lode_slice key, uint64_t trailer)
{
    node *n = m->head;
    for (int level = atomic_load_explicit(&m->height, memory_order_relaxed) - 1; level >= 0; level--)
        for (node *next; comes_before(m, next = next_of(n, level), key, trailer);)
            n = next;
    return n == m->head ? NULL : n;
}

static node *find_last(const lode_memtable *m)
{
    node *n = m->head;
    for (int level = atomic_load_explicit(&m->height, memory_order_relaxed) - 1; level >= 0; level--)
        for (node *next; (next = next_of(n, level));)
            n = next;
    return n == m->head ? NULL : n;
}

/* Move the hint: climb from the bottom until the entry lies between before[level] and its next, then walk down. After
 * an ascending step that is one or two comparisons; after a jump it is an ordinary search.
 * Stays true: before[l] lies at or to the right of before[l + 1]. */
static void find_place(lode_memtable *m, lode_slice key, uint64_t trailer)
{
    int height = atomic_load_explicit(&m->height, memory_order_relaxed), level = 0;
    bool from_hint = m->before[0] == m->head || compare_node(m, m->before[0], key, trailer) < 0;
    while (from_hint && level < height - 1 && comes_before(m, next_of(m->before[level], level), key, trailer))
        level++;
    if (!from_hint)
        level = height - 1;
    node *n = m->head;
    const node *refused = NULL; /* known to come after: not compared again a level below */
    for (int l = level; l >= 0; l--) {
        if (from_hint)
            n = m->before[l]; /* nothing was passed above, so the hint is further right than n */
        for (;;) {
            node *next = next_of(n, l);
            if (next == refused)
                break;
            if (!comes_before(m, next, key, trailer)) {
                refused = next;
                break;
            }
            n = next;
            from_hint = false;
        }
        m->before[l] = n;
    }
}

static int random_height(lode_memtable *m)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    int height = 1;
    for (uint64_t r = m->random >> 20; height < MAX_HEIGHT && r % BRANCHING == 0; r /= BRANCHING)
        height++;
    return height;
}

bool lode_memtable_add(lode_memtable *m, uint64_t sequence, lode_entry_type type, lode_slice key, lode_slice value)
{
    if (m->bloom)
        bloom_set(m, lode_filter_hash(key.data, key.len));
    uint64_t trailer = lode_trailer_of(sequence, type);
    int height = random_height(m);
    node *n = take_node(m, height, key.len, value.len);
    if (!n)
        return false;
    if (key.len)
        memcpy(n->key, key.data, key.len);
    lode_write_le64(n->key + key.len, trailer);
    if (value.len)
        memcpy(n->key + key.len + LODE_TRAILER_BYTES, value.data, value.len);
    find_place(m, key, trailer);
    int old_height = atomic_load_explicit(&m->height, memory_order_relaxed);
    for (int level = old_height; level < height; level++)
        m->before[level] = m->head;
    if (height > old_height)
        atomic_store_explicit(&m->height, height, memory_order_relaxed);
    for (int level = 0; level < height; level++) {
        node *before = m->before[level];
        node *after = atomic_load_explicit(link_of(before, level), memory_order_relaxed);
        atomic_init(link_of(n, level), after);
        atomic_store_explicit(link_of(before, level), n, memory_order_release);
        m->before[level] = n;
    }
    atomic_store_explicit(&m->count, atomic_load_explicit(&m->count, memory_order_relaxed) + 1, memory_order_relaxed);
    return true;
}

lode_lookup lode_memtable_find(const lode_memtable *m, lode_slice *value, lode_slice key, uint32_t hash,
                               uint64_t sequence)
{
    if (!next_of(m->head, 0) || (m->bloom && !bloom_may_have(m, hash)))
        return LODE_LOOKUP_NONE;
    const node *n = find_at_or_after(m, key, lode_seek_trailer(sequence));
    if (!n || lode_compare_user(m->cmp, key_of(n), key) != 0)
        return LODE_LOOKUP_NONE;
    if ((trailer_of(n) & 0xff) == LODE_ENTRY_DELETION)
        return LODE_LOOKUP_DELETED;
    *value = value_of(n);
    return LODE_LOOKUP_VALUE;
}

size_t lode_memtable_bytes(const lode_memtable *m)
{
    return atomic_load_explicit(&m->bytes, memory_order_relaxed);
}
size_t lode_memtable_count(const lode_memtable *m)
{
    return atomic_load_explicit(&m->count, memory_order_relaxed);
}

bool lode_memtable_range(const lode_memtable *m, lode_slice *smallest, lode_slice *largest)
{
    const node *first = next_of(m->head, 0), *last = find_last(m);
    if (!first || !last)
        return false;
    *smallest = key_of(first);
    *largest = key_of(last);
    return true;
}

/* ---- cursor ---- */

typedef struct mem_cursor {
    lode_cursor base;
    lode_memtable *m;
    node *n;
} mem_cursor;

static inline void show(mem_cursor *c, node *n)
{
    c->n = n;
    c->base.valid = n != NULL;
    if (!n)
        return;
    __builtin_prefetch(next_of(n, 0));
    c->base.key = lode_slice_of(n->key, (size_t)n->key_len + LODE_TRAILER_BYTES);
    c->base.value = value_of(n);
}

static void mem_seek_first(lode_cursor *base)
{
    mem_cursor *c = (mem_cursor *)base;
    show(c, next_of(c->m->head, 0));
}
static void mem_seek_last(lode_cursor *base)
{
    mem_cursor *c = (mem_cursor *)base;
    show(c, find_last(c->m));
}
static void mem_seek(lode_cursor *base, lode_slice internal)
{
    mem_cursor *c = (mem_cursor *)base;
    show(c, find_at_or_after(c->m, lode_user_key(internal), lode_trailer(internal)));
}
static void mem_next(lode_cursor *base)
{
    mem_cursor *c = (mem_cursor *)base;
    show(c, next_of(c->n, 0));
}
static void mem_prev(lode_cursor *base)
{
    mem_cursor *c = (mem_cursor *)base;
    show(c, find_before(c->m, key_of(c->n), trailer_of(c->n)));
}
static void mem_destroy(lode_cursor *base)
{
    mem_cursor *c = (mem_cursor *)base;
    lode_memtable_unref(c->m);
    free(c);
}

static const lode_cursor_ops mem_ops = {
    mem_seek_first, mem_seek_last, mem_seek, mem_next, mem_prev, mem_destroy, NULL
};

lode_cursor *lode_memtable_cursor(lode_memtable *m)
{
    mem_cursor *c = lode_cursor_memory(sizeof *c);
    if (!c)
        return NULL;
    c->base.ops = &mem_ops;
    c->base.status = lode_ok();
    c->m = m;
    lode_memtable_ref(m);
    return &c->base;
}
