/* chainstate/block_index_load.c: the block index out of its database.
 *
 * Room:     one scan copies the 'b' records; sorted by height they become entries, parents before children, so that a
 *           walk down a chain is a walk through memory. Then files, flags and marks.
 * Touches:  the store, reading; with wipe it is destroyed and made anew, and 'R' is written at once.
 * Promise:  every 'b' record is in the tree afterwards, or the open fails and names it. Counts are held against what
 * was read before memory is asked for them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "chainstate/block_index_private.h"
#include "primitives/encode.h"
#include "validate/rules/header.h"

/* Core's records, copied out: `values` holds hash, length (u32) and value, one after the other. */
typedef struct scan {
    lode_buf values;
    lode_buf places; /* per record: u64 offset in values, u32 height */
    size_t count;
    uint32_t max_height;
} scan;

typedef struct place {
    uint64_t at;
    uint32_t height;
} place;

static lode_status fail_record(const lode_block_index *index, const uint8_t hash[32], const char *what)
{
    char hex[65];

    lode_hash_to_hex(hex, hash);
    return lode_fail(LODE_CORRUPT, "%s: record of block %s: %s", index->path, hex, what);
}

static lode_status no_memory(const lode_block_index *index)
{
    return lode_fail(LODE_NO_MEMORY, "%s: no memory to load it", index->path);
}

static void apply_key(const lode_block_index *index, uint8_t *value, size_t len)
{
    if (index->has_key)
        lode_core_store_hide(index->key, value, len);
}

/* ---- scanning ---- */

/* Calls take for every record whose key begins with `first`. */
static lode_status for_each_record(lode_block_index *index, uint8_t first, void *context,
                                   lode_status (*take)(lode_block_index *index, void *context, lode_slice key,
                                                       lode_slice value))
{
    uint8_t limit = (uint8_t)(first + 1);
    lode_iterator_options options;
    lode_iterator *it;
    lode_status s = lode_ok();

    lode_iterator_options_init(&options);
    options.lower = (lode_bytes){ &first, 1 };
    options.upper = (lode_bytes){ &limit, 1 };
    options.verify_checksums = 1;
    options.fill_cache = 0;
    LODE_TRY(lode_iterator_create(&it, index->store, &options));
    for (lode_iterator_seek_first(it); lode_iterator_is_valid(it) && !lode_failed(s); lode_iterator_next(it)) {
        lode_bytes key = lode_iterator_key(it), value = lode_iterator_value(it);
        s = take(index, context, lode_slice_of(key.data, key.len), lode_slice_of(value.data, value.len));
    }
    if (!lode_failed(s))
        s = lode_iterator_status(it);
    lode_iterator_destroy(it);
    return s;
}

static lode_status copy_block_record(lode_block_index *index, void *context, lode_slice key, lode_slice value)
{
    scan *sc = context;
    place p = { sc->values.len, 0 };

    if (key.len != 33)
        return lode_fail(LODE_CORRUPT, "%s: key 'b' with %zu bytes instead of 33", index->path, key.len);
    if (value.len > LODE_INDEX_RECORD_MAX)
        return fail_record(index, key.data + 1, "it is too long");
    lode_buf_append(&sc->values, key.data + 1, 32);
    lode_buf_put_le32(&sc->values, (uint32_t)value.len);
    uint8_t *copy = lode_buf_extend(&sc->values, value.len);
    if (!copy)
        return no_memory(index);
    if (value.len)
        memcpy(copy, value.data, value.len);
    apply_key(index, copy, value.len);
    const char *wrong = lode_index_peek_height(&p.height, lode_slice_of(copy, value.len));
    if (wrong)
        return fail_record(index, key.data + 1, wrong);
    if (p.height > sc->max_height)
        sc->max_height = p.height;
    lode_buf_append(&sc->places, &p, sizeof p);
    sc->count++;
    return lode_buf_is_good(&sc->places) ? lode_ok() : no_memory(index);
}

/* Positions in `places`, by height and then as they were: a counting sort. NULL: memory is out. */
static uint32_t *sort_by_height(const scan *sc)
{
    const place *places = (const place *)(const void *)sc->places.data;
    uint32_t *order = malloc(sc->count * sizeof *order);
    uint32_t *starts = calloc((size_t)sc->max_height + 2, sizeof *starts);

    if (order && starts) {
        for (size_t i = 0; i < sc->count; i++)
            starts[places[i].height + 1]++;
        for (size_t h = 0; h <= sc->max_height; h++)
            starts[h + 1] += starts[h];
        for (size_t i = 0; i < sc->count; i++)
            order[starts[places[i].height]++] = (uint32_t)i;
    } else {
        free(order);
        order = NULL;
    }
    free(starts);
    return order;
}

/* ---- entries ---- */

static lode_status check_genesis(const lode_block_index *index, const lode_entry *e, int32_t height)
{
    if (index->genesis || height != 0)
        return fail_record(index, e->node.hash.bytes, "it has no parent, and is not the first block");
    if (!lode_block_hash_is_equal(&e->node.hash, &index->params->genesis_hash))
        return lode_fail(LODE_UNSUPPORTED, "%s: the first block is not that of network %s", index->path,
                         index->params->name);
    return lode_ok();
}

/* What hangs together in a record, so that nothing later meets it. */
static lode_status check_status(const lode_block_index *index, const lode_entry *e)
{
    uint32_t validity = e->status & LODE_BLOCK_VALID_MASK;

    if (e->status & ~(uint32_t)LODE_BLOCK_STATUS_KNOWN)
        return lode_fail(LODE_UNSUPPORTED,
                         "%s: block at height %d has status bits that are not known (0x%x), as a newer "
                         "Bitcoin Core may write them",
                         index->path, e->node.height, e->status & ~(uint32_t)LODE_BLOCK_STATUS_KNOWN);
    if (validity < LODE_BLOCK_VALID_TREE || validity > LODE_BLOCK_VALID_SCRIPTS)
        return fail_record(index, e->node.hash.bytes, "its header was never checked");
    if ((validity >= LODE_BLOCK_VALID_TRANSACTIONS) != (e->tx_count > 0))
        return fail_record(index, e->node.hash.bytes, "its number of transactions contradicts its status");
    if (e->tx_count > 0 && !(e->status & LODE_BLOCK_HAVE_DATA))
        return lode_fail(LODE_UNSUPPORTED, "%s: block at height %d is known but not stored: pruned, or from a snapshot",
                         index->path, e->node.height);
    if (e->tx_count == 0 && (e->status & (LODE_BLOCK_HAVE_DATA | LODE_BLOCK_HAVE_UNDO)))
        return fail_record(index, e->node.hash.bytes, "it is stored without transactions");
    if ((e->status & LODE_BLOCK_HAVE_DATA) && e->data_pos < 8)
        return fail_record(index, e->node.hash.bytes, "its position leaves no room for its record's head");
    if ((e->status & LODE_BLOCK_HAVE_UNDO) && e->undo_pos < 8)
        return fail_record(index, e->node.hash.bytes, "its undo position leaves no room for its record's head");
    return lode_ok();
}

/* Sorted by height, a block mostly follows its parent. */
static lode_entry *find_parent(const lode_block_index *index, const lode_block_hash *hash)
{
    if (index->count > 0) {
        lode_entry *last = lode_index_entry(index, index->count - 1);
        if (lode_block_hash_is_equal(&last->node.hash, hash))
            return last;
    }
    return lode_block_index_find(index, hash);
}

static lode_status place_entry(lode_block_index *index, lode_entry *e, int32_t height)
{
    lode_entry *prev = NULL;

    if (!lode_bytes32_is_zero(e->node.header.prev.bytes)) {
        prev = find_parent(index, &e->node.header.prev);
        if (!prev)
            return fail_record(index, e->node.hash.bytes, "its parent has no record");
        if (height != prev->node.height + 1)
            return fail_record(index, e->node.hash.bytes, "its height does not follow its parent's");
    }
    e->node.height = height;
    LODE_TRY(check_status(index, e));
    uint32_t stored = e->status;
    if (e->status & LODE_BLOCK_FAILED_CHILD)
        e->status = (e->status & ~(uint32_t)LODE_BLOCK_FAILED_CHILD) | LODE_BLOCK_FAILED_VALID;
    lode_index_link(index, e, prev);
    if (e->tx_count > 0 && (!prev || prev->chain_tx_count > 0))
        e->chain_tx_count = (prev ? prev->chain_tx_count : 0) + e->tx_count;
    if (e->status != stored)
        lode_block_index_mark_dirty(index, e);
    if (!lode_entry_is_failed(e))
        lode_index_add_header(index, e);
    if (lode_entry_is_candidate(e))
        lode_index_add_candidate(index, e);
    return lode_ok();
}

static lode_status load_entry(lode_block_index *index, const uint8_t *record)
{
    lode_entry *e = lode_index_take(index);
    lode_block_hash hash;
    int32_t height;
    const char *wrong = lode_index_decode_entry(e, &height, lode_slice_of(record + 36, lode_read_le32(record + 32)));

    if (wrong)
        return fail_record(index, record, wrong);
    memcpy(e->node.hash.bytes, record, sizeof e->node.hash.bytes);
    lode_sha256d(hash.bytes, record + 36 + lode_read_le32(record + 32) - LODE_HEADER_SIZE, LODE_HEADER_SIZE);
    if (!lode_block_hash_is_equal(&hash, &e->node.hash))
        return fail_record(index, record, "its header has another hash");
    if (lode_bytes32_is_zero(e->node.header.prev.bytes)) /* before its work: another network's has another limit */
        LODE_TRY(check_genesis(index, e, height));
    if (!lode_header_has_work(&e->node.hash, e->node.header.bits, index->params))
        return fail_record(index, record, "its header shows too little work");
    return place_entry(index, e, height);
}

static lode_status load_entries(lode_block_index *index, const scan *sc)
{
    const place *places = (const place *)(const void *)sc->places.data;

    if (sc->count == 0)
        return lode_ok();
    if (sc->max_height >= sc->count)
        return lode_fail(LODE_CORRUPT, "%s: height %" PRIu32 " with %zu records: some are missing", index->path,
                         sc->max_height, sc->count);
    if (sc->count > UINT32_MAX - 1 || !lode_index_reserve(index, sc->count))
        return no_memory(index);
    uint32_t *order = sort_by_height(sc);
    if (!order)
        return no_memory(index);
    lode_status s = lode_ok();
    for (size_t i = 0; i < sc->count && !lode_failed(s); i++) {
        if (i + 16 < sc->count) /* the scan was in order of hashes, so each record is a walk to far memory */
            __builtin_prefetch(sc->values.data + places[order[i + 16]].at);
        if (i + 8 < sc->count)
            __builtin_prefetch(sc->values.data + places[order[i + 8]].at + 64);
        s = load_entry(index, sc->values.data + places[order[i]].at);
    }
    free(order);
    return s;
}

static lode_status load_tree(lode_block_index *index)
{
    scan sc = { LODE_BUF_EMPTY, LODE_BUF_EMPTY, 0, 0 };
    lode_status s = for_each_record(index, 'b', &sc, copy_block_record);

    if (!lode_failed(s))
        s = load_entries(index, &sc);
    lode_buf_clear(&sc.values);
    lode_buf_clear(&sc.places);
    return s;
}

/* ---- files, flags, marks ---- */

static lode_status load_file(lode_block_index *index, void *context, lode_slice key, lode_slice value)
{
    uint8_t copy[LODE_INDEX_RECORD_MAX];
    lode_block_file_info info;

    if (key.len != 5 || lode_read_le32(key.data + 1) >= LODE_INDEX_MAX_FILES || value.len > sizeof copy)
        return lode_fail(LODE_CORRUPT, "%s: key 'f' with %zu bytes, value with %zu: no block file's", index->path,
                         key.len, value.len);
    int32_t file = (int32_t)lode_read_le32(key.data + 1);
    memcpy(copy, value.data, value.len);
    apply_key(index, copy, value.len);
    const char *wrong = lode_index_decode_file(&info, lode_slice_of(copy, value.len));
    if (wrong)
        return lode_fail(LODE_CORRUPT, "%s: record of block file %d: %s", index->path, file, wrong);
    lode_block_file_info *slot = lode_block_index_file(index, file);
    if (!slot)
        return no_memory(index);
    *slot = info;
    index->files[file].is_dirty = false;
    return lode_ok();
}

static lode_status load_flag(lode_block_index *index, void *context, lode_slice key, lode_slice value)
{
    lode_reader r = lode_reader_of(key.data + 1, key.len - 1);
    uint64_t len = lode_reader_compact_size(&r, true);
    const uint8_t *text = lode_reader_take(&r, (size_t)len);
    char name[sizeof index->flags->name];

    if (!lode_reader_is_done(&r) || value.len != 1 || len >= sizeof name)
        return lode_fail(LODE_CORRUPT, "%s: key 'F' with %zu bytes, value with %zu: no flag", index->path, key.len,
                         value.len);
    uint8_t digit = value.data[0];
    apply_key(index, &digit, 1);
    memset(name, 0, sizeof name);
    if (len)
        memcpy(name, text, (size_t)len);
    lode_block_index_set_flag(index, name, digit == '1');
    index->flags[index->flag_count - 1].is_dirty = false;
    return lode_ok();
}

static lode_status load_last_file(lode_block_index *index)
{
    uint8_t value[4];
    size_t len;
    int found;

    LODE_TRY(lode_store_get_into(index->store, &found, value, sizeof value, &len, "l", 1, NULL));
    if (!found)
        return lode_ok();
    if (len != sizeof value)
        return lode_fail(LODE_CORRUPT, "%s: last block file in %zu bytes instead of 4", index->path, len);
    apply_key(index, value, sizeof value);
    uint32_t last = lode_read_le32(value);
    if (last > index->file_count) /* Core writes 0 when there is no file yet, and a record of every file it has begun */
        return lode_fail(LODE_CORRUPT, "%s: last block file %" PRIu32 ", but records of %zu", index->path, last,
                         index->file_count);
    return lode_ok();
}

static lode_status load_key(lode_block_index *index)
{
    bool found;

    LODE_TRY(lode_core_store_load_key(index->store, index->path, &found, index->key));
    index->has_key = !!lode_read_le64(index->key);
    return lode_ok();
}

static lode_status load_reindexing(lode_block_index *index)
{
    uint8_t value;
    size_t len;
    int found;

    LODE_TRY(lode_store_get_into(index->store, &found, &value, 1, &len, "R", 1, NULL));
    index->is_reindexing = found;
    return lode_ok();
}

/* The marks come first: a pruned directory is not read further. */
lode_status lode_index_load(lode_block_index *index)
{
    bool pruned = false;

    LODE_TRY(load_key(index));
    LODE_TRY(for_each_record(index, 'F', NULL, load_flag));
    if (lode_block_index_flag(index, "prunedblockfiles", &pruned) && pruned)
        return lode_fail(LODE_UNSUPPORTED,
                         "%s: block files were pruned; Lode needs all blocks: use another directory, or fetch "
                         "them again with bitcoind -reindex",
                         index->path);
    LODE_TRY(load_reindexing(index));
    LODE_TRY(load_tree(index));
    LODE_TRY(for_each_record(index, 'f', NULL, load_file));
    LODE_TRY(load_last_file(index));
    index->next_sequence = 2;
    return lode_ok();
}
