/* chainstate/block_index_store.c: opening the block index's database, and writing what changed.
 *
 * Touches:  blocks/index, through the store.
 * Promise:  one write is one synced batch: after a crash all of it is there or none.
 */
#include <stdlib.h>
#include <string.h>

#include "chainstate/block_index_private.h"
#include "primitives/encode.h"

/* ---- opening ---- */

static void pass_on(void *context, int level, const char *line)
{
    lode_log(context, (lode_log_level)level, "blocks/index: %s", line);
}

static void fill_store_options(lode_store_options *o, const lode_block_index_options *options)
{
    lode_core_store_options(o, options->env, options->read_only);
    o->cache_bytes = 1 << 20;
    o->max_open_files = 16;
    if (options->logger) {
        o->log = pass_on;
        o->log_context = (void *)(uintptr_t)options->logger;
    }
}

/* What is not ours to write to is found before anything is written: a reader's view is loaded first. */
static lode_status load_as_reader(lode_block_index *index, const lode_block_index_options *options, bool *is_there)
{
    lode_store_options o;
    lode_status s;

    fill_store_options(&o, options);
    o.create_if_missing = 0;
    o.read_only = 1;
    s = lode_store_open(&index->store, options->path, &o);
    *is_there = s.code != LODE_MISSING;
    if (!*is_there && !options->read_only)
        return lode_ok();
    LODE_TRY(s);
    LODE_TRY(lode_index_load(index));
    if (options->read_only)
        return lode_ok();
    s = lode_store_close(index->store);
    index->store = NULL;
    return s;
}

static lode_status open_store(lode_block_index *index, const lode_block_index_options *options)
{
    lode_store_options o;
    bool is_there = false;

    fill_store_options(&o, options);
    if (!options->wipe)
        LODE_TRY(load_as_reader(index, options, &is_there));
    if (options->read_only)
        return lode_ok();
    LODE_TRY(lode_core_store_open(&index->store, options->path, &o, options->wipe));
    if (!options->wipe)
        return is_there ? lode_ok() : lode_index_load(index);
    lode_block_index_set_reindexing(index, true);
    return lode_block_index_write(index); /* a crash from here on finds an index that is not complete */
}

lode_status lode_block_index_open(lode_block_index **out, const lode_block_index_options *options)
{
    lode_block_index *index = NULL;
    lode_status s;

    *out = NULL;
    if (options->read_only && options->wipe)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: read-only and wipe exclude each other", options->path);
    index = calloc(1, sizeof *index);
    if (!index || !(index->path = strdup(options->path))) {
        s = lode_fail(LODE_NO_MEMORY, "%s: no memory to open it", options->path);
        goto done;
    }
    pthread_rwlock_init(&index->tree_lock, NULL);
    index->params = options->params;
    index->logger = options->logger;
    index->read_only = options->read_only;
    index->has_snapshot = options->has_snapshot;
    index->next_sequence = 2;
    s = open_store(index, options);
    if (lode_failed(s))
        goto done;
#ifdef LODE_ENABLE_VERIFY
    s = lode_block_index_verify(index);
    if (lode_failed(s))
        goto done;
#endif
    *out = index; /* given: the caller closes it */
    index = NULL;
done:
    lode_ignore(lode_block_index_close(index)); /* the first failure tells */
    return s;
}

/* ---- writing ---- */

static void put(const lode_block_index *index, lode_batch *batch, const void *key, size_t key_len, uint8_t *value,
                size_t len)
{
    if (index->has_key)
        lode_core_store_hide(index->key, value, len);
    lode_batch_put(batch, key, key_len, value, len);
}

static void put_files(const lode_block_index *index, lode_batch *batch)
{
    uint8_t value[LODE_INDEX_RECORD_MAX], key[5] = "f";

    for (size_t i = 0; i < index->file_count; i++) {
        if (!index->files[i].is_dirty)
            continue;
        lode_write_le32(key + 1, (uint32_t)i);
        put(index, batch, key, sizeof key, value, lode_index_encode_file(value, &index->files[i].info));
    }
    if (index->file_count == 0)
        return;
    lode_write_le32(value, (uint32_t)index->file_count - 1);
    put(index, batch, "l", 1, value, 4);
}

static void put_entries(const lode_block_index *index, lode_batch *batch)
{
    uint8_t value[LODE_INDEX_RECORD_MAX], key[33] = "b";

    for (const lode_entry *e = index->dirty; e; e = e->dirty_next) {
        memcpy(key + 1, e->node.hash.bytes, 32);
        put(index, batch, key, sizeof key, value, lode_index_encode_entry(value, e));
    }
}

static void put_marks(const lode_block_index *index, lode_batch *batch)
{
    uint8_t key[2 + sizeof index->flags->name] = "F", value;

    for (size_t i = 0; i < index->flag_count; i++) {
        const lode_index_flag *flag = &index->flags[i];
        size_t len = strlen(flag->name);
        if (!flag->is_dirty)
            continue;
        key[1] = (uint8_t)len; /* a CompactSize below 253 */
        memcpy(key + 2, flag->name, len);
        value = flag->value ? '1' : '0';
        put(index, batch, key, 2 + len, &value, 1);
    }
    if (!index->reindexing_is_dirty)
        return;
    value = '1';
    if (index->is_reindexing)
        put(index, batch, "R", 1, &value, 1);
    else
        lode_batch_delete(batch, "R", 1);
}

static bool has_changes(const lode_block_index *index)
{
    bool any = index->dirty || index->reindexing_is_dirty;

    for (size_t i = 0; i < index->file_count && !any; i++)
        any = index->files[i].is_dirty;
    for (size_t i = 0; i < index->flag_count && !any; i++)
        any = index->flags[i].is_dirty;
    return any;
}

static void forget_changes(lode_block_index *index)
{
    for (lode_entry *e = index->dirty, *next; e; e = next) {
        next = e->dirty_next;
        e->is_dirty = false;
        e->dirty_next = NULL;
    }
    index->dirty = NULL;
    for (size_t i = 0; i < index->file_count; i++)
        index->files[i].is_dirty = false;
    for (size_t i = 0; i < index->flag_count; i++)
        index->flags[i].is_dirty = false;
    index->reindexing_is_dirty = false;
}

lode_status lode_block_index_write(lode_block_index *index)
{
    if (index->read_only)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: opened read-only, cannot be written", index->path);
    if (!has_changes(index))
        return lode_ok();
#ifdef LODE_ENABLE_VERIFY
    LODE_TRY(lode_block_index_verify(index));
#endif
    lode_batch *batch = lode_batch_create();
    if (!batch)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to write it", index->path);
    put_files(index, batch);
    put_entries(index, batch);
    put_marks(index, batch);
    lode_status s = lode_store_write(index->store, batch, 1);
    lode_batch_destroy(batch);
    if (lode_failed(s))
        return lode_fail_within(s, "%s: cannot write the block index", index->path);
    forget_changes(index);
    return lode_ok();
}
