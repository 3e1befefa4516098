/* api/blocks.c: headers, blocks, undo data and the ends of branches.
 *
 * Room:     the tree of headers grows and its blocks change while it is read, so each answer copies what it tells.
 * Which blocks are in the best chain is the view's to say. Threads:  any, at any time.
 */
#include <stdlib.h>

#include "api/handle.h"

static void put_big_endian(uint8_t out[32], const lode_u256 *a)
{
    uint8_t little[32];

    lode_u256_to_le(little, a);
    for (int i = 0; i < 32; i++)
        out[i] = little[31 - i];
}

static void fill_info(lode_block_info *info, const lode_entry_facts *facts, const lode_state *view)
{
    const lode_node *node = &facts->entry->node;

    *info = (lode_block_info){ .size = sizeof *info,
                               .height = node->height,
                               .version = node->header.version,
                               .time = node->header.time,
                               .median_time = node->median_time,
                               .bits = node->header.bits,
                               .nonce = node->header.nonce,
                               .transactions = facts->tx_count,
                               .in_best_chain = lode_state_contains(view, facts->entry),
                               .has_data = (facts->status & LODE_BLOCK_HAVE_DATA) != 0,
                               .has_undo = (facts->status & LODE_BLOCK_HAVE_UNDO) != 0,
                               .is_failed = (facts->status & LODE_BLOCK_FAILED_VALID) != 0,
                               .validity = (int32_t)(facts->status & LODE_BLOCK_VALID_MASK) };
    memcpy(info->hash, node->hash.bytes, 32);
    memcpy(info->prev, node->header.prev.bytes, 32);
    memcpy(info->merkle_root, node->header.merkle_root.bytes, 32);
    put_big_endian(info->chain_work, &node->chain_work);
}

static bool find_facts(lode_entry_facts *facts, lode *h, const uint8_t hash[32])
{
    lode_block_hash wanted;

    memcpy(wanted.bytes, hash, 32);
    return lode_block_index_find_facts(h->chain->index, facts, &wanted);
}

static bool facts_at(lode_entry_facts *facts, lode *h, const lode_state *view, int32_t height)
{
    const lode_entry *entry = lode_state_at(view, height);

    if (entry)
        lode_block_index_facts_of(h->chain->index, facts, entry);
    return entry != NULL;
}

static void put_info(int *found, lode_block_info *info, bool is_there, const lode_entry_facts *facts, lode_state *view)
{
    lode_block_info full;

    *found = is_there;
    if (is_there) {
        fill_info(&full, facts, view);
        LODE_PUT_RESULT(info, full);
    }
    lode_state_release(view);
}

lode_status lode_get_block_info(lode *h, int *found, lode_block_info *info, const uint8_t hash[32])
{
    lode_entry_facts facts;
    lode_state *view;

    LODE_NEEDS(found && hash, "an argument is NULL");
    LODE_NEEDS_SIZE(info);
    LODE_TRY(lode_handle_view(&view, h, __func__));
    put_info(found, info, find_facts(&facts, h, hash), &facts, view);
    return lode_ok();
}

lode_status lode_get_block_info_at(lode *h, int *found, lode_block_info *info, int32_t height)
{
    lode_entry_facts facts;
    lode_state *view;

    LODE_NEEDS(found, "an argument is NULL");
    LODE_NEEDS_SIZE(info);
    LODE_TRY(lode_handle_view(&view, h, __func__));
    put_info(found, info, facts_at(&facts, h, view, height), &facts, view);
    return lode_ok();
}

lode_status lode_get_best_header(lode *h, lode_block_info *info)
{
    lode_entry_facts facts;
    lode_state *view;
    int found;

    LODE_NEEDS_SIZE(info);
    LODE_TRY(lode_handle_view(&view, h, __func__));
    lode_block_index_facts_of(h->chain->index, &facts, view->best_header);
    put_info(&found, info, true, &facts, view);
    return lode_ok();
}

/* ---- walks over the tree ---- */

enum { PIECE = 512 };

typedef struct tree_walk {
    void *context;
    int (*visit)(void *context, const lode_block_info *info);
    int (*visit_tip)(void *context, const lode_block_info *info, int kind, int32_t branch_length);
} tree_walk;

static int kind_of(const lode_entry_facts *facts, const lode_state *view)
{
    if (lode_state_contains(view, facts->entry))
        return LODE_TIP_ACTIVE;
    if (facts->status & LODE_BLOCK_FAILED_VALID)
        return LODE_TIP_INVALID;
    if (!facts->is_connectable)
        return LODE_TIP_HEADERS_ONLY;
    return (facts->status & LODE_BLOCK_VALID_MASK) >= LODE_BLOCK_VALID_SCRIPTS ? LODE_TIP_VALID_FORK
                                                                               : LODE_TIP_VALID_HEADERS;
}

/* Blocks of the view's own chain that have children are ends only when the view ends there. */
static bool is_tip(const lode_entry_facts *facts, const lode_state *view)
{
    return facts->entry == view->tip || (!facts->has_children && !lode_state_contains(view, facts->entry));
}

static bool visit_one(const tree_walk *walk, const lode_entry_facts *facts, const lode_state *view)
{
    lode_block_info info;
    const lode_node *fork;

    if (walk->visit_tip && !is_tip(facts, view))
        return true;
    fill_info(&info, facts, view);
    if (walk->visit)
        return walk->visit(walk->context, &info) != 0;
    fork = lode_node_fork((lode_node *)(uintptr_t)&facts->entry->node, &view->tip->node);
    return walk->visit_tip(walk->context, &info, kind_of(facts, view), info.height - fork->height) != 0;
}

static lode_status walk_tree(lode *h, const tree_walk *walk, const char *function)
{
    lode_entry_facts *facts = malloc(PIECE * sizeof *facts);
    size_t at = 0, count = 1;
    lode_state *view;
    lode_status s;

    if (!facts)
        return lode_fail(LODE_NO_MEMORY, "no memory to list headers");
    s = lode_handle_view(&view, h, function);
    if (lode_failed(s)) {
        free(facts);
        return s;
    }
    __atomic_add_fetch(&h->walks, 1, __ATOMIC_ACQ_REL); /* `visit` cannot close the handle */
    while (count) {
        count = lode_block_index_list_facts(h->chain->index, facts, at, PIECE);
        at += count;
        for (size_t i = 0; i < count; i++)
            if (!visit_one(walk, &facts[i], view))
                count = 0;
    }
    lode_state_release(view);
    __atomic_sub_fetch(&h->walks, 1, __ATOMIC_ACQ_REL);
    free(facts);
    return s;
}

lode_status lode_visit_headers(lode *h, void *context, int (*visit)(void *context, const lode_block_info *info))
{
    tree_walk walk = { context, visit, NULL };

    LODE_NEEDS(visit, "nobody to tell");
    return walk_tree(h, &walk, __func__);
}

lode_status lode_visit_chain_tips(lode *h, void *context,
                                  int (*visit)(void *context, const lode_block_info *info, int kind,
                                               int32_t branch_length))
{
    tree_walk walk = { context, NULL, visit };

    LODE_NEEDS(visit, "nobody to tell");
    return walk_tree(h, &walk, __func__);
}

/* ---- bytes ---- */

static lode_status read_block(lode_buf *out, lode *h, const lode_entry_facts *facts)
{
    uint8_t hash[32];

    LODE_TRY(lode_block_files_read_block(h->chain->files, out, facts->file, facts->data_pos));
    lode_sha256d(hash, out->data, LODE_HEADER_SIZE);
    if (!lode_bytes32_is_equal(hash, facts->entry->node.hash.bytes))
        return lode_fail(LODE_CORRUPT, "blk%05d.dat at %u holds another block", facts->file, facts->data_pos);
    return lode_ok();
}

static lode_status read_undo(lode_buf *out, lode *h, const lode_entry_facts *facts)
{
    return lode_block_files_read_undo(h->chain->files, out, facts->file, facts->undo_pos,
                                      &facts->entry->node.prev->hash);
}

typedef struct wanted_bytes {
    uint32_t needs; /* status */
    lode_status (*read)(lode_buf *out, lode *h, const lode_entry_facts *facts);
} wanted_bytes;
static const wanted_bytes block_bytes = { LODE_BLOCK_HAVE_DATA, read_block };
static const wanted_bytes undo_bytes = { LODE_BLOCK_HAVE_UNDO, read_undo };

static lode_status get_bytes(lode *h, int *found, uint8_t **raw, size_t *len, const uint8_t *hash, int32_t height,
                             const wanted_bytes *what, const char *function)
{
    lode_buf bytes = LODE_BUF_EMPTY;
    lode_entry_facts facts;
    lode_state *view;
    lode_status s = lode_ok();
    bool is_there;

    if (!found || !raw || !len)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: an argument is NULL", function);
    LODE_TRY(lode_handle_view(&view, h, function));
    is_there = hash ? find_facts(&facts, h, hash) : facts_at(&facts, h, view, height);
    is_there = is_there && (facts.status & what->needs);
    if (is_there)
        s = what->read(&bytes, h, &facts);
    if (is_there && !lode_failed(s))
        s = lode_handle_give(raw, len, lode_buf_slice(&bytes));
    lode_state_release(view);
    lode_buf_clear(&bytes);
    if (!lode_failed(s))
        *found = is_there;
    return lode_handle_tell(h, s);
}

lode_status lode_get_block(lode *h, int *found, uint8_t **raw, size_t *len, const uint8_t hash[32])
{
    LODE_NEEDS(hash, "no hash");
    return get_bytes(h, found, raw, len, hash, 0, &block_bytes, __func__);
}

lode_status lode_get_block_at(lode *h, int *found, uint8_t **raw, size_t *len, int32_t height)
{
    return get_bytes(h, found, raw, len, NULL, height, &block_bytes, __func__);
}

lode_status lode_get_undo(lode *h, int *found, uint8_t **raw, size_t *len, const uint8_t hash[32])
{
    LODE_NEEDS(hash, "no hash");
    return get_bytes(h, found, raw, len, hash, 0, &undo_bytes, __func__);
}

lode_status lode_get_undo_at(lode *h, int *found, uint8_t **raw, size_t *len, int32_t height)
{
    return get_bytes(h, found, raw, len, NULL, height, &undo_bytes, __func__);
}
