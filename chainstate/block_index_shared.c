/* chainstate/block_index_shared.c: the tree of headers, as other threads see it while one changes it.
 *
 * Room:     copies of the fields that change; what does not change is read through the entry.
 * Threads:  any. The lock is held for one lookup or one piece of a list.
 */
#include "chainstate/block_index_private.h"

static void copy_facts(lode_entry_facts *facts, const lode_entry *e)
{
    *facts = (lode_entry_facts){ .entry = e,
                                 .status = e->status,
                                 .tx_count = e->tx_count,
                                 .has_children = e->first_child != NULL,
                                 .is_connectable = e->chain_tx_count != 0,
                                 .file = e->file,
                                 .data_pos = e->data_pos,
                                 .undo_pos = e->undo_pos };
}

bool lode_block_index_find_facts(lode_block_index *index, lode_entry_facts *facts, const lode_block_hash *hash)
{
    const lode_entry *e;

    pthread_rwlock_rdlock(&index->tree_lock);
    e = lode_block_index_find(index, hash);
    if (e)
        copy_facts(facts, e);
    pthread_rwlock_unlock(&index->tree_lock);
    return e != NULL;
}

void lode_block_index_facts_of(lode_block_index *index, lode_entry_facts *facts, const lode_entry *entry)
{
    pthread_rwlock_rdlock(&index->tree_lock);
    copy_facts(facts, entry);
    pthread_rwlock_unlock(&index->tree_lock);
}

size_t lode_block_index_list_facts(lode_block_index *index, lode_entry_facts *facts, size_t first, size_t most)
{
    size_t count = 0;

    pthread_rwlock_rdlock(&index->tree_lock);
    while (count < most && first + count < index->count) {
        copy_facts(&facts[count], lode_index_entry(index, first + count));
        count++;
    }
    pthread_rwlock_unlock(&index->tree_lock);
    return count;
}

size_t lode_block_index_count_shared(lode_block_index *index)
{
    size_t count;

    pthread_rwlock_rdlock(&index->tree_lock);
    count = index->count;
    pthread_rwlock_unlock(&index->tree_lock);
    return count;
}
