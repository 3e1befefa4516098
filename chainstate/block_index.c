/* chainstate/block_index.c: the tree of headers in memory.
 *
 * Room:     entries in slabs, so that pointers stay; found by hash through a chained table; parents know their
 *           children.
 * Touches:  memory only. block_index_load.c and block_index_store.c speak to the database.
 * Threads:  one changes it, and reads without a lock; others read through block_index_shared.c.
 * Promise:  what lode_block_index_verify checks holds between any two calls (block_index_test.c).
 */
#include "chainstate/block_index.h"

#include <stdlib.h>
#include <string.h>

#include "chainstate/block_index_private.h"

/* ---- memory ---- */

/* The array at *array holds at least `want` items afterwards; it grows by doubling. */
static bool grow(void *array, size_t *capacity, size_t want, size_t item)
{
    void *old, *p;
    size_t n = *capacity ? *capacity : 16;

    if (want <= *capacity)
        return true;
    while (n < want) {
        if (n > SIZE_MAX / 2 / item)
            return false;
        n *= 2;
    }
    memcpy(&old, array, sizeof old);
    p = realloc(old, n * item);
    if (!p)
        return false;
    memcpy(array, &p, sizeof p);
    *capacity = n;
    return true;
}

/* Hashes of blocks end in zeros, since they show work: the first bytes are as good as random. */
static size_t bucket_of(const lode_block_index *index, const lode_block_hash *hash)
{
    return (size_t)lode_read_le64(hash->bytes) & (index->bucket_count - 1);
}

static bool reserve_buckets(lode_block_index *index, size_t total)
{
    size_t n = index->bucket_count ? index->bucket_count : 1024;

    while (n < total)
        n *= 2;
    if (n == index->bucket_count)
        return true;
    lode_entry **buckets = calloc(n, sizeof *buckets);
    if (!buckets)
        return false;
    free(index->buckets);
    index->buckets = buckets;
    index->bucket_count = n;
    for (size_t i = 0; i < index->count; i++) {
        lode_entry *e = lode_index_entry(index, i);
        size_t b = bucket_of(index, &e->node.hash);
        e->hash_next = buckets[b];
        buckets[b] = e;
    }
    return true;
}

static bool reserve_slabs(lode_block_index *index, size_t total)
{
    size_t slabs = (total + LODE_INDEX_SLAB - 1) / LODE_INDEX_SLAB;

    if (!grow(&index->slabs, &index->slab_capacity, slabs, sizeof *index->slabs))
        return false;
    while (index->slab_count < slabs) {
        lode_entry *slab = malloc(LODE_INDEX_SLAB * sizeof *slab);
        if (!slab)
            return false;
        index->slabs[index->slab_count++] = slab;
    }
    return true;
}

bool lode_index_reserve(lode_block_index *index, size_t total)
{
    return reserve_slabs(index, total) && reserve_buckets(index, total) &&
           grow(&index->candidates.heap, &index->candidates.capacity, total, sizeof *index->candidates.heap) &&
           grow(&index->headers.heap, &index->headers.capacity, total, sizeof *index->headers.heap);
}

lode_entry *lode_index_take(lode_block_index *index)
{
    lode_entry *e = lode_index_entry(index, index->count);

    memset(e, 0, sizeof *e);
    e->number = (uint32_t)index->count;
    e->sequence = 1; /* Core's SEQ_ID_INIT_FROM_DISK: also that of a block that is not connectable yet */
    return e;
}

void lode_index_link(lode_block_index *index, lode_entry *e, lode_entry *prev)
{
    size_t b = bucket_of(index, &e->node.hash);

    lode_node_link(&e->node, prev ? &prev->node : NULL);
    if (prev) {
        e->next_sibling = prev->first_child;
        prev->first_child = e;
        if (lode_entry_is_failed(prev))
            e->status |= LODE_BLOCK_FAILED_VALID;
    } else {
        index->genesis = e;
    }
    e->hash_next = index->buckets[b];
    index->buckets[b] = e;
    index->count++;
}

/* ---- open and close: block_index_load.c opens ---- */

lode_status lode_block_index_close(lode_block_index *index)
{
    lode_status s = lode_ok();

    if (!index)
        return s;
    if (index->store)
        s = lode_store_close(index->store);
    for (size_t i = 0; i < index->slab_count; i++)
        free(index->slabs[i]);
    free(index->slabs);
    free(index->buckets);
    free(index->candidates.heap);
    free(index->headers.heap);
    free(index->files);
    free(index->flags);
    pthread_rwlock_destroy(&index->tree_lock);
    free(index->path);
    free(index);
    return s;
}

/* ---- finding ---- */

lode_entry *lode_block_index_find(const lode_block_index *index, const lode_block_hash *hash)
{
    if (index->bucket_count == 0)
        return NULL;
    for (lode_entry *e = index->buckets[bucket_of(index, hash)]; e; e = e->hash_next) {
        if (lode_block_hash_is_equal(&e->node.hash, hash))
            return e;
    }
    return NULL;
}

size_t lode_block_index_count(const lode_block_index *index)
{
    return index->count;
}

lode_entry *lode_block_index_genesis(const lode_block_index *index)
{
    return index->genesis;
}

lode_store *lode_block_index_store(lode_block_index *index)
{
    return index->store;
}

/* Entries of one height, for all heights from 0: a pass over `level` finds the next one behind it. */
void lode_block_index_visit(const lode_block_index *index, void *context,
                            bool (*visit)(void *context, lode_entry *entry))
{
    lode_entry *level = index->genesis, *next;

    if (level)
        level->queue_next = NULL;
    for (; level; level = next) {
        lode_entry **tail = &next;
        next = NULL;
        for (lode_entry *e = level, *following; e; e = following) {
            following = e->queue_next;
            for (lode_entry *c = e->first_child; c; c = c->next_sibling) {
                *tail = c;
                c->queue_next = NULL;
                tail = &c->queue_next;
            }
            if (!visit(context, e))
                return;
        }
    }
}

/* ---- changing ---- */

void lode_block_index_mark_dirty(lode_block_index *index, lode_entry *entry)
{
    if (entry->is_dirty)
        return;
    entry->is_dirty = true;
    entry->dirty_next = index->dirty;
    index->dirty = entry;
}

lode_entry *lode_block_index_add(lode_block_index *index, const lode_header *header, const lode_block_hash *hash,
                                 lode_entry *prev)
{
    LODE_CHECK(prev || !index->genesis);
    pthread_rwlock_wrlock(&index->tree_lock);
    if (!lode_index_reserve(index, index->count + 1)) {
        pthread_rwlock_unlock(&index->tree_lock);
        return NULL;
    }
    lode_entry *e = lode_index_take(index);
    e->node.header = *header;
    e->node.hash = *hash;
    e->status = LODE_BLOCK_VALID_TREE;
    lode_index_link(index, e, prev);
    lode_block_index_mark_dirty(index, e);
    if (!lode_entry_is_failed(e))
        lode_index_add_header(index, e);
    pthread_rwlock_unlock(&index->tree_lock);
    return e;
}

static void raise_validity(lode_entry *e, uint32_t validity)
{
    if ((e->status & LODE_BLOCK_VALID_MASK) < validity)
        e->status = (e->status & ~(uint32_t)LODE_BLOCK_VALID_MASK) | validity;
}

/* Puts e in front of the first that was stored later: those between `from` and the end of the queue wait for one
 * parent, and Core takes them in the order in which they came. */
static void queue_in_order(lode_entry **from, lode_entry *e)
{
    while (*from && ((*from)->file < e->file || ((*from)->file == e->file && (*from)->data_pos < e->data_pos)))
        from = &(*from)->queue_next;
    e->queue_next = *from;
    *from = e;
}

/* Core's ReceivedBlockTransactions: breadth first through the descendants that were stored before their ancestors. */
static void connect_waiting(lode_block_index *index, lode_entry *first)
{
    first->queue_next = NULL;
    lode_entry **tail = &first->queue_next;

    for (lode_entry *e = first; e; e = e->queue_next) {
        lode_entry *prev = lode_entry_prev(e);
        lode_entry **from = tail;
        e->chain_tx_count = (prev ? prev->chain_tx_count : 0) + e->tx_count;
        e->sequence = index->next_sequence++;
        if (!lode_entry_is_failed(e))
            lode_index_add_candidate(index, e);
        for (lode_entry *c = e->first_child; c; c = c->next_sibling) {
            if (c->tx_count > 0 && c->chain_tx_count == 0)
                queue_in_order(from, c);
        }
        while (*tail)
            tail = &(*tail)->queue_next;
    }
}

void lode_block_index_received(lode_block_index *index, lode_entry *entry, uint32_t tx_count, int32_t file,
                               uint32_t data_pos)
{
    const lode_entry *prev = lode_entry_prev(entry);

    LODE_CHECK(tx_count > 0 && file >= 0);
    LODE_CHECK(entry->tx_count == 0 || entry->tx_count == tx_count); /* the merkle root fixes it */
    pthread_rwlock_wrlock(&index->tree_lock);
    entry->tx_count = tx_count;
    entry->file = file;
    entry->data_pos = data_pos;
    entry->undo_pos = 0;
    entry->status &= ~(uint32_t)LODE_BLOCK_HAVE_UNDO;
    entry->status |= LODE_BLOCK_HAVE_DATA;
    if (entry->node.height >= index->params->segwit_height)
        entry->status |= LODE_BLOCK_OPT_WITNESS;
    raise_validity(entry, LODE_BLOCK_VALID_TRANSACTIONS);
    lode_block_index_mark_dirty(index, entry);
    if (entry->chain_tx_count == 0 && (!prev || prev->chain_tx_count != 0))
        connect_waiting(index, entry);
    pthread_rwlock_unlock(&index->tree_lock);
}

void lode_block_index_verified(lode_block_index *index, lode_entry *entry, uint32_t undo_pos)
{
    pthread_rwlock_wrlock(&index->tree_lock);
    entry->undo_pos = undo_pos;
    entry->status |= LODE_BLOCK_HAVE_UNDO;
    raise_validity(entry, LODE_BLOCK_VALID_SCRIPTS);
    pthread_rwlock_unlock(&index->tree_lock);
    lode_block_index_mark_dirty(index, entry);
}

void lode_block_index_assume_witnesses(lode_block_index *index, lode_entry *entry)
{
    pthread_rwlock_wrlock(&index->tree_lock);
    for (lode_entry *e = entry; e->node.height > 0 && e->node.height >= index->params->segwit_height;
         e = lode_entry_prev(e)) {
        if (e->status & LODE_BLOCK_OPT_WITNESS)
            continue;
        e->status |= LODE_BLOCK_OPT_WITNESS;
        lode_block_index_mark_dirty(index, e);
    }
    pthread_rwlock_unlock(&index->tree_lock);
}

void lode_block_index_set_best(lode_block_index *index, lode_entry *tip)
{
    for (size_t i = 0; i < index->count; i++)
        lode_index_entry(index, i)->sequence = 1;
    for (lode_entry *e = tip; e; e = lode_entry_prev(e))
        e->sequence = 0;
    lode_index_rebuild_candidates(index);
}

/* The entry after e in a walk over root and all below it, parents first; NULL at the end. */
static lode_entry *next_below(lode_entry *root, lode_entry *e)
{
    if (e->first_child)
        return e->first_child;
    while (e != root && !e->next_sibling)
        e = lode_entry_prev(e);
    return e == root ? NULL : e->next_sibling;
}

void lode_block_index_mark_failed(lode_block_index *index, lode_entry *entry)
{
    pthread_rwlock_wrlock(&index->tree_lock);
    for (lode_entry *e = entry; e; e = next_below(entry, e)) {
        if (lode_entry_is_failed(e))
            continue;
        e->status |= LODE_BLOCK_FAILED_VALID;
        lode_block_index_mark_dirty(index, e);
    }
    pthread_rwlock_unlock(&index->tree_lock);
    lode_index_drop_failed(index, entry);
}

static void clear_failure(lode_block_index *index, lode_entry *e)
{
    e->status &= ~(uint32_t)LODE_BLOCK_FAILED_VALID;
    lode_block_index_mark_dirty(index, e);
    lode_index_add_header(index, e);
    if (lode_entry_is_candidate(e))
        lode_index_add_candidate(index, e);
}

void lode_block_index_reconsider(lode_block_index *index, lode_entry *entry)
{
    pthread_rwlock_wrlock(&index->tree_lock);
    for (lode_entry *e = lode_entry_prev(entry); e && lode_entry_is_failed(e); e = lode_entry_prev(e))
        clear_failure(index, e);
    for (lode_entry *e = entry; e; e = next_below(entry, e)) {
        if (lode_entry_is_failed(e))
            clear_failure(index, e);
    }
    pthread_rwlock_unlock(&index->tree_lock);
}

/* ---- files and flags ---- */

int32_t lode_block_index_last_file(const lode_block_index *index)
{
    return (int32_t)index->file_count - 1;
}

lode_block_file_info *lode_block_index_file(lode_block_index *index, int32_t file)
{
    size_t want = (size_t)file + 1;

    if (file < 0 || file >= LODE_INDEX_MAX_FILES ||
        !grow(&index->files, &index->file_capacity, want, sizeof *index->files))
        return NULL;
    while (index->file_count < want) /* 'l' counts it, so it gets a record in any case */
        index->files[index->file_count++] = (lode_index_file){ .is_dirty = true };
    return &index->files[file].info;
}

void lode_block_index_mark_file_dirty(lode_block_index *index, int32_t file)
{
    if (lode_block_index_file(index, file))
        index->files[file].is_dirty = true;
}

static lode_index_flag *find_flag(const lode_block_index *index, const char *name)
{
    for (size_t i = 0; i < index->flag_count; i++) {
        if (strcmp(index->flags[i].name, name) == 0)
            return &index->flags[i];
    }
    return NULL;
}

bool lode_block_index_flag(const lode_block_index *index, const char *name, bool *value)
{
    const lode_index_flag *flag = find_flag(index, name);

    if (flag)
        *value = flag->value;
    return flag != NULL;
}

void lode_block_index_set_flag(lode_block_index *index, const char *name, bool value)
{
    lode_index_flag *flag = find_flag(index, name);

    if (flag && flag->value == value)
        return;
    if (!flag) {
        LODE_CHECK(strlen(name) < sizeof flag->name);
        lode_index_flag *flags = realloc(index->flags, (index->flag_count + 1) * sizeof *flags);
        LODE_CHECK(flags); /* a hundred bytes */
        index->flags = flags;
        flag = &flags[index->flag_count++];
        memset(flag, 0, sizeof *flag);
        memcpy(flag->name, name, strlen(name));
    }
    flag->value = value;
    flag->is_dirty = true;
}

bool lode_block_index_is_reindexing(const lode_block_index *index)
{
    return index->is_reindexing;
}

void lode_block_index_set_reindexing(lode_block_index *index, bool on)
{
    index->reindexing_is_dirty |= index->is_reindexing != on;
    index->is_reindexing = on;
}
