/* loadblock/waiting.c: the scan's memory of what it has seen and what must wait.
 *
 * Room:     two hash tables keyed by bytes of block hashes, which are as good as random on every chain with work.
 * Threads:  the scan's lock covers both.
 */
#include "loadblock/waiting.h"

#include <stdlib.h>

static uint64_t key_of(const lode_block_hash *hash)
{
    uint64_t k = lode_read_le64(hash->bytes);
    return k ? k : 1;
}

static size_t slot_of(uint64_t key, size_t capacity)
{
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (capacity - 1);
}

static bool grow_seen(lode_seen *s)
{
    size_t capacity = s->capacity ? s->capacity * 2 : 4096;
    uint64_t *slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < s->capacity; i++) {
        if (!s->slots[i])
            continue;
        size_t at = slot_of(s->slots[i], capacity);
        while (slots[at])
            at = (at + 1) & (capacity - 1);
        slots[at] = s->slots[i];
    }
    free(s->slots);
    s->slots = slots;
    s->capacity = capacity;
    return true;
}

bool lode_seen_has(const lode_seen *s, const lode_block_hash *hash)
{
    uint64_t key = key_of(hash);
    if (!s->capacity)
        return false;
    for (size_t at = slot_of(key, s->capacity); s->slots[at]; at = (at + 1) & (s->capacity - 1))
        if (s->slots[at] == key)
            return true;
    return false;
}

bool lode_seen_add(lode_seen *s, const lode_block_hash *hash, bool *is_new)
{
    size_t at;
    *is_new = false;
    if (lode_seen_has(s, hash))
        return true;
    if (s->count * 2 >= s->capacity && !grow_seen(s))
        return false;
    at = slot_of(key_of(hash), s->capacity);
    while (s->slots[at])
        at = (at + 1) & (s->capacity - 1);
    s->slots[at] = key_of(hash);
    s->count++;
    *is_new = true;
    return true;
}

void lode_seen_clear(lode_seen *s)
{
    free(s->slots);
    memset(s, 0, sizeof *s);
}

static bool grow_map(lode_waiting_map *m)
{
    size_t count = m->bucket_count ? m->bucket_count * 2 : 1024;
    lode_waiting **buckets = calloc(count, sizeof *buckets);
    if (!buckets)
        return false;
    for (size_t i = 0; i < m->bucket_count; i++) {
        /* order within a parent is kept: walk the old list and append */
        lode_waiting *w = m->buckets[i];
        while (w) {
            lode_waiting *next = w->next, **tail = &buckets[slot_of(key_of(&w->prev), count)];
            while (*tail)
                tail = &(*tail)->next;
            w->next = NULL;
            *tail = w;
            w = next;
        }
    }
    free(m->buckets);
    m->buckets = buckets;
    m->bucket_count = count;
    return true;
}

bool lode_waiting_add(lode_waiting_map *m, const lode_waiting *waiting)
{
    lode_waiting *w, **tail;
    if (m->count >= m->bucket_count && !grow_map(m))
        return false;
    w = malloc(sizeof *w);
    if (!w)
        return false;
    *w = *waiting;
    w->next = NULL;
    for (tail = &m->buckets[slot_of(key_of(&w->prev), m->bucket_count)]; *tail; tail = &(*tail)->next)
        ;
    *tail = w;
    m->count++;
    return true;
}

lode_waiting *lode_waiting_take(lode_waiting_map *m, const lode_block_hash *prev)
{
    lode_waiting *taken = NULL, **last = &taken, **at;
    if (!m->count)
        return NULL;
    at = &m->buckets[slot_of(key_of(prev), m->bucket_count)];
    while (*at) {
        lode_waiting *w = *at;
        if (!lode_block_hash_is_equal(&w->prev, prev)) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        w->next = NULL;
        *last = w;
        last = &w->next;
        m->count--;
    }
    return taken;
}

void lode_waiting_clear(lode_waiting_map *m)
{
    for (size_t i = 0; i < m->bucket_count; i++) {
        while (m->buckets[i]) {
            lode_waiting *next = m->buckets[i]->next;
            free(m->buckets[i]);
            m->buckets[i] = next;
        }
    }
    free(m->buckets);
    memset(m, 0, sizeof *m);
}
