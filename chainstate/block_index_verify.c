/* chainstate/block_index_verify.c: the shape of the block index, walked.
 *
 * Room:     the invariants of Core's CheckBlockIndex. Each is stated for an entry and its parent, which by induction
 *           over the tree is the same as Core's statements about all ancestors.
 * Touches:  memory, reading only.
 */
#include <inttypes.h>

#include "chainstate/block_index_private.h"
#include "validate/rules/header.h"

static uint32_t validity_of(const lode_entry *e)
{
    return e->status & LODE_BLOCK_VALID_MASK;
}

static const char *check_links(const lode_block_index *index, const lode_entry *e)
{
    const lode_node *prev = e->node.prev;

    if (!prev)
        return e == index->genesis && e->node.height == 0 ? NULL : "it has no parent and is not genesis";
    if (e->node.height != prev->height + 1)
        return "its height does not follow its parent's";
    if (!lode_block_hash_is_equal(&e->node.header.prev, &prev->hash))
        return "its header names another parent";
    if (e->node.height >= 2 && (!e->node.skip || e->node.skip->height >= e->node.height))
        return "its skip does not point back";
    const lode_entry *child = lode_entry_prev(e)->first_child;
    while (child && child != e)
        child = child->next_sibling;
    return child ? NULL : "its parent does not know it";
}

static const char *check_header(const lode_block_index *index, const lode_entry *e)
{
    const lode_u256 own = lode_header_work(e->node.header.bits);
    const lode_u256 sum = e->node.prev ? lode_u256_add(e->node.prev->chain_work, own) : own;
    uint8_t raw[LODE_HEADER_SIZE];
    lode_block_hash hash;

    lode_header_serialize(raw, &e->node.header);
    lode_sha256d(hash.bytes, raw, sizeof raw);
    if (!lode_block_hash_is_equal(&hash, &e->node.hash))
        return "its header has another hash";
    if (!e->node.prev && !lode_block_hash_is_equal(&hash, &index->params->genesis_hash))
        return "genesis is not the network's";
    if (lode_u256_compare(&sum, &e->node.chain_work) != 0)
        return "its work is not its parent's and its own";
    if (lode_block_index_find(index, &hash) != e)
        return "it cannot be found by its hash";
    return NULL;
}

static const char *check_transactions(const lode_entry *e)
{
    const lode_entry *prev = lode_entry_prev(e);
    const bool is_chained = e->tx_count > 0 && (!prev || prev->chain_tx_count > 0);
    const uint64_t sum = (prev ? prev->chain_tx_count : 0) + e->tx_count;

    if (((e->status & LODE_BLOCK_HAVE_DATA) != 0) != (e->tx_count > 0))
        return "stored, but without transactions, or the other way round";
    if ((e->status & LODE_BLOCK_HAVE_UNDO) && !(e->status & LODE_BLOCK_HAVE_DATA))
        return "undo data without the block";
    if ((validity_of(e) >= LODE_BLOCK_VALID_TRANSACTIONS) != (e->tx_count > 0))
        return "its number of transactions contradicts its status";
    if (e->chain_tx_count != (is_chained ? sum : 0))
        return "the transactions up to it are wrongly counted";
    if (e->chain_tx_count == 0 && e->sequence > 1)
        return "it has a sequence before it is connectable";
    return NULL;
}

static const char *check_validity(const lode_block_index *index, const lode_entry *e)
{
    const lode_entry *prev = lode_entry_prev(e);

    if (validity_of(e) < LODE_BLOCK_VALID_TREE || validity_of(e) > LODE_BLOCK_VALID_SCRIPTS)
        return "its header was never checked";
    if (e->status & LODE_BLOCK_FAILED_CHILD)
        return "it has the old mark of a failed child";
    if (!prev)
        return NULL;
    if (lode_entry_is_failed(prev) && !lode_entry_is_failed(e))
        return "its parent has failed and it has not";
    if (index->has_snapshot && prev->tx_count == 0)
        return NULL;
    if (prev->node.prev) { /* genesis is never connected, so its validity says nothing */
        for (uint32_t v = LODE_BLOCK_VALID_CHAIN; v <= LODE_BLOCK_VALID_SCRIPTS; v++) {
            if (validity_of(e) >= v && validity_of(prev) < v)
                return "it is valid to a level that its parent has not reached";
        }
    }
    return NULL;
}

static const char *check_place(const lode_block_index *index, const lode_entry *e)
{
    if (!(e->status & LODE_BLOCK_HAVE_DATA))
        return NULL;
    if (e->file < 0 || (size_t)e->file >= index->file_count)
        return "its file has no record";
    const lode_block_file_info *info = &index->files[e->file].info;
    if (e->data_pos < 8 || info->size < 80 || e->data_pos > info->size - 80)
        return "it lies outside the used part of its file";
    if ((e->status & LODE_BLOCK_HAVE_UNDO) && (e->undo_pos < 8 || e->undo_pos >= info->undo_size))
        return "its undo data lies outside the used part of the file";
    if (info->blocks == 0 || (uint32_t)e->node.height < info->height_first ||
        (uint32_t)e->node.height > info->height_last)
        return "its height is outside its file's";
    return NULL;
}

static const char *check_best(const lode_block_index *index, const lode_entry *e)
{
    const lode_entry *header = index->headers.top, *candidate = index->candidates.top;

    if (lode_entry_is_failed(e))
        return e == header || e == candidate ? "it has failed and is the best" : NULL;
    if (!header || lode_u256_compare(&e->node.chain_work, &header->node.chain_work) > 0)
        return "it has more work than the best header";
    if (lode_entry_is_candidate(e) && (!candidate || (e != candidate && lode_index_is_better(e, candidate))))
        return "it is better than the best candidate";
    if (e == candidate && !lode_entry_is_candidate(e))
        return "it is the best candidate and cannot be connected";
    return NULL;
}

static const char *check_entry(const lode_block_index *index, const lode_entry *e)
{
    const char *wrong = check_links(index, e);

    if (!wrong)
        wrong = check_header(index, e);
    if (!wrong)
        wrong = check_transactions(e);
    if (!wrong)
        wrong = check_validity(index, e);
    if (!wrong)
        wrong = check_place(index, e);
    if (!wrong)
        wrong = check_best(index, e);
    return wrong;
}

lode_status lode_block_index_verify(const lode_block_index *index)
{
    char hex[65];

    for (size_t i = 0; i < index->count; i++) {
        const lode_entry *e = lode_index_entry(index, i);
        const char *wrong = check_entry(index, e);
        if (!wrong)
            continue;
        lode_hash_to_hex(hex, e->node.hash.bytes);
        return lode_fail(LODE_CORRUPT, "%s: block %s at height %" PRId32 ": %s", index->path, hex, e->node.height,
                         wrong);
    }
    return lode_ok();
}

lode_entry *lode_block_index_lacks_witness(const lode_block_index *index, lode_entry *tip)
{
    lode_entry *first = NULL;

    for (lode_entry *e = tip; e && e->node.height >= index->params->segwit_height; e = lode_entry_prev(e)) {
        if (!(e->status & LODE_BLOCK_OPT_WITNESS))
            first = e;
    }
    return first;
}
