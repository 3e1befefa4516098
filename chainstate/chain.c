/* chainstate/chain.c: opens and closes a data directory as one thing, and answers where the tip is.
 *
 * Room:     the only place that knows all parts of a directory. Rules for blocks are validate/'s, files are the parts' own.
 * Touches:  everything below the data directory, through the parts.
 * Threads:  the chain's.
 */
#include "chainstate/chain.h"

#include <stdlib.h>
#include <time.h>

#include "chainstate/adopt.h"
#include "chainstate/foreign.h"
#include "chainstate/remedy.h"
#include "primitives/encode.h"
#include "support/check.h"
#include "support/thread.h"
#include "validate/rules/header.h"

int64_t lode_chain_now(const lode_chain *chain)
{
    return chain->options.clock ? chain->options.clock(chain->options.clock_context) : (int64_t)time(NULL);
}

bool lode_chain_is_interrupted(const lode_chain *chain)
{
    return __atomic_load_n(&chain->interrupted, __ATOMIC_RELAXED) != 0;
}

/* Share of the cache for each part. The coins take what is left. */
static size_t txindex_bytes(const lode_chain_options *o)
{
    size_t share = o->cache_bytes / 4, most = (size_t)512 << 20;
    return o->txindex ? (share < most ? share : most) : 0;
}

static lode_status open_index(lode_chain *c)
{
    lode_block_index_options o = { .path = c->directory->index, .params = &c->params, .env = c->env, .logger = c->logger,
                                   .read_only = c->options.read_only, .wipe = c->options.reindex,
                                   .has_snapshot = c->directory->is_snapshot };
    return lode_block_index_open(&c->index, &o);
}

static lode_status open_files(lode_chain *c)
{
    lode_block_files_options o = { .path = c->directory->blocks, .params = &c->params, .index = c->index, .env = c->env,
                                   .logger = c->logger, .read_only = c->options.read_only, .random_xor_key = c->options.random_xor_key,
                                   .file_bytes = c->options.geometry.block_file_bytes,
                                   .block_chunk_bytes = c->options.geometry.block_chunk_bytes,
                                   .undo_chunk_bytes = c->options.geometry.undo_chunk_bytes };
    return lode_block_files_open(&c->files, &o);
}

static lode_status open_coins(lode_chain *c)
{
    lode_coins_options o = { .path = c->directory->chainstate, .env = c->env, .logger = c->logger, .read_only = c->options.read_only,
                             .wipe = c->options.reindex || c->options.reindex_chainstate,
                             .cache_bytes = c->options.cache_bytes - txindex_bytes(&c->options), .threads = c->options.threads,
                             .batch_most = c->options.geometry.coins_batch_most };
    c->coins_wiped = o.wipe;
    return lode_coins_open(&c->coins, &o);
}

static lode_status open_txindex(lode_chain *c)
{
    bool exists = false;
    lode_file_info info;
    LODE_TRY(c->env->path_info(c->env, &exists, &info, c->directory->txindex));
    if (c->options.read_only ? !exists : !c->options.txindex)
        return lode_ok();
    if (!exists)
        LODE_TRY(lode_env_make_path(c->env, c->directory->txindex));
    lode_txindex_options o = { .path = c->directory->txindex, .env = c->env, .logger = c->logger, .read_only = c->options.read_only,
                               .wipe = c->options.reindex, .memory_bytes = txindex_bytes(&c->options), .threads = c->options.threads,
                               .batch_most = c->options.geometry.txindex_batch_most };
    lode_status s = lode_txindex_open(&c->txindex, &o);
    if (c->options.read_only && s.code == LODE_MISSING)
        return lode_ok(); /* a folder in which none was made yet */
    if (!c->options.read_only || (s.code != LODE_UNSUPPORTED && s.code != LODE_CORRUPT))
        return s;
    c->txindex_declined = lode_add_remedy(s, c->directory); /* all else can be answered */
    lode_log(c->logger, LODE_LOG_WARNING, "%s", c->txindex_declined.text);
    return lode_ok();
}

lode_status lode_chain_store_genesis(lode_chain *c)
{
    lode_entry *genesis = lode_block_index_genesis(c->index);
    int32_t file;
    uint32_t pos;

    if (genesis->status & LODE_BLOCK_HAVE_DATA)
        return lode_ok();
    LODE_TRY(lode_block_files_append_block(c->files, &file, &pos, c->params.genesis_raw, c->params.genesis_size, 0,
                                           genesis->node.header.time));
    lode_block_index_received(c->index, genesis, 1, file, pos);
    return lode_ok();
}

/* A new directory begins with the genesis block stored like any other, and the coins at it. While reindexing the block
 * files are there already and the scan finds genesis in them. */
static lode_status begin_with_genesis(lode_chain *c)
{
    lode_header header;

    lode_header_parse(&header, c->params.genesis_raw);
    if (!lode_block_index_genesis(c->index) && !lode_block_index_add(c->index, &header, &c->params.genesis_hash, NULL))
        return lode_fail(LODE_NO_MEMORY, "no memory for the genesis block");
    return lode_block_index_is_reindexing(c->index) ? lode_ok() : lode_chain_store_genesis(c);
}

/* Of a version that did not know segwit, or of a chain on which segwit began later: Core does not start on it. */
static lode_status demand_witnesses(const lode_chain *c, lode_entry *tip)
{
    const lode_entry *lacking = c->options.read_only ? NULL : lode_block_index_lacks_witness(c->index, tip);

    if (!lacking || lode_block_index_is_reindexing(c->index))
        return lode_ok();
    return lode_fail(LODE_UNSUPPORTED, "%s: the block at height %d, where segwit is active, was stored without witnesses being asked for; "
                                       "-reindex checks it and those after it anew",
                     c->directory->index, lacking->node.height);
}

static lode_status find_tip(lode_chain *c)
{
    lode_block_hash best, older;
    bool found, cut_off;
    lode_entry *tip;

    LODE_TRY(lode_coins_head_blocks(c->coins, &cut_off, &best, &older));
    if (cut_off) {
        if (c->options.read_only)
            return lode_fail(LODE_UNSUPPORTED, "%s: a flush was cut off; run an import (without files) once to replay it", c->directory->chainstate);
        return lode_ok(); /* lode_chain_replay sets the tip */
    }
    LODE_TRY(lode_coins_best_block(c->coins, &found, &best));
    if (!found)
        best = c->params.genesis_hash;
    tip = lode_block_index_find(c->index, &best);
    if (!tip) {
        char hex[65];
        lode_hash_to_hex(hex, best.bytes);
        return lode_fail(LODE_CORRUPT, "%s: the coins stand at block %s, which %s does not know; -reindex rebuilds both", c->directory->chainstate,
                         hex, c->directory->index);
    }
    LODE_TRY(demand_witnesses(c, tip));
    lode_block_index_set_best(c->index, tip);
    return lode_chain_set_tip(c, tip);
}

/* Block files that no index knows, after -reindex, a first run that was cut off, or files put there by hand, are read
 * where they stand; writing a new first block over them would lose them. The mark is durable before anything else. */
static lode_status begin_reindex(lode_chain *c)
{
    char *first = lode_path_join(c->directory->blocks, "blk00000.dat");
    lode_file_info info;
    bool exists = false;
    lode_status s;

    if (!first)
        return lode_fail(LODE_NO_MEMORY, "no memory for a path");
    s = c->env->path_info(c->env, &exists, &info, first);
    free(first);
    LODE_TRY(s);
    if (!lode_block_index_count(c->index) && !exists)
        LODE_TRY(lode_foreign_refuse_pruned(c->env, c->directory->blocks));
    if (!c->options.reindex && (lode_block_index_count(c->index) || !exists || !info.size_bytes))
        return lode_ok();
    if (!c->options.reindex)
        lode_log(c->logger, LODE_LOG_WARNING, "%s: block files without an index: they are indexed anew", c->directory->blocks);
    c->options.reindex = true;
    if (!exists)
        return lode_ok();
    lode_block_index_set_reindexing(c->index, true);
    return lode_block_index_write(c->index);
}

/* Before a writer changes anything. */
static lode_status refuse_foreign(const lode_chain *c)
{
    const lode_chain_options *o = &c->options;
    int parts = 0;

    if (o->read_only)
        return lode_ok();
    if (o->reindex && !o->blocks_from)
        parts |= LODE_FOREIGN_FILES;
    if (!o->reindex && !o->reindex_chainstate)
        parts |= LODE_FOREIGN_COINS;
    if (!o->reindex && o->txindex)
        parts |= LODE_FOREIGN_TXINDEX;
    return lode_foreign_refuse(c->directory, parts);
}

static lode_status open_parts(lode_chain *c)
{
    lode_directory_options d = { .path = c->options.datadir, .blocks_path = c->options.blocksdir, .params = &c->params, .env = c->env,
                                 .read_only = c->options.read_only, .create_if_missing = c->options.create_if_missing };
    LODE_TRY(lode_directory_open(&c->directory, &d));
    LODE_TRY(refuse_foreign(c));
    if (c->options.blocks_from)
        LODE_TRY(lode_adopt_block_files(c->env, c->directory->blocks, c->options.blocks_from, c->logger));
    LODE_TRY(open_index(c));
    if (!c->options.read_only)
        LODE_TRY(begin_reindex(c));
    LODE_TRY(lode_notes_open(&c->notes, c->directory, "notes"));
    LODE_TRY(open_files(c));
    LODE_TRY(open_coins(c));
    LODE_TRY(open_txindex(c));
    if (!c->options.read_only) {
        LODE_TRY(lode_pool_create(&c->pool, (unsigned)c->options.threads, "lode-work"));
        LODE_TRY(begin_with_genesis(c));
    } else if (!lode_block_index_genesis(c->index)) {
        return lode_fail(LODE_MISSING, "%s: holds no block yet", c->directory->root);
    }
    return find_tip(c);
}

lode_status lode_chain_open(lode_chain **out, const lode_chain_options *options)
{
    lode_chain *c = calloc(1, sizeof *c);
    lode_status s;

    *out = NULL;
    if (!c)
        return lode_fail(LODE_NO_MEMORY, "no memory to open %s", options->datadir);
    c->params = *options->params;
    c->options = *options;
    c->options.params = &c->params;
    c->env = options->env;
    c->logger = options->logger;
    c->txindex_declined = lode_ok();
    c->flushed_at_ns = lode_clock_ns();
    c->flush_interval_ns = UINT64_C(600) * 1000000000;
    c->waiter = lode_waiter_create();
    s = c->waiter ? open_parts(c) : lode_fail(LODE_NO_MEMORY, "no memory to open %s", options->datadir);
    if (!lode_failed(s)) {
        *out = c;
        return s;
    }
    s = lode_add_remedy(s, c->directory);
    lode_ignore(lode_chain_close(c)); /* the first failure is the one to tell */
    return s;
}

lode_status lode_chain_close(lode_chain *c)
{
    lode_status first = lode_ok(), s;
    if (!c)
        return first;
    lode_pool_destroy(c->pool);
    if (c->txindex && lode_failed(s = lode_txindex_close(c->txindex)))
        first = s;
    if (c->coins && lode_failed(s = lode_coins_close(c->coins)) && !lode_failed(first))
        first = s;
    lode_block_files_close(c->files);
    if (c->index && lode_failed(s = lode_block_index_close(c->index)) && !lode_failed(first))
        first = s;
    lode_notes_close(c->notes);
    lode_directory_close(c->directory);
    lode_waiter_destroy(c->waiter);
    free(c->active);
    free(c);
    return first;
}

lode_status lode_chain_set_tip(lode_chain *c, lode_entry *tip)
{
    size_t height = (size_t)tip->node.height;
    if (height >= c->active_capacity) {
        size_t capacity = height + height / 2 + 1024;
        lode_entry **bigger = realloc(c->active, capacity * sizeof *bigger);
        if (!bigger)
            return lode_fail(LODE_NO_MEMORY, "no memory for a chain of %zu blocks", height);
        c->active = bigger;
        c->active_capacity = capacity;
    }
    /* one step up or down costs one write; a new branch is filled down to where it leaves the old one */
    for (lode_entry *e = tip; e; e = lode_entry_prev(e)) {
        size_t h = (size_t)e->node.height;
        bool was_active = c->tip && (size_t)c->tip->node.height >= h && c->active[h] == e;
        c->active[h] = e;
        if (was_active)
            break;
    }
    c->tip = tip;
    return lode_ok();
}

bool lode_chain_contains(const lode_chain *c, const lode_entry *entry)
{
    return c->tip && entry->node.height <= c->tip->node.height && c->active[entry->node.height] == entry;
}

lode_entry *lode_chain_at(const lode_chain *c, int32_t height)
{
    return c->tip && height >= 0 && height <= c->tip->node.height ? c->active[height] : NULL;
}

static lode_status describe_block(lode_status inner, const lode_entry *entry)
{
    char hex[65];
    lode_hash_to_hex(hex, entry->node.hash.bytes);
    return lode_fail_within(inner, "block %s at height %d", hex, entry->node.height);
}

lode_status lode_chain_read_block(lode_chain *c, lode_block *block, lode_buf *buf, lode_arena *arena, const lode_entry *entry)
{
    lode_parse_error error = { NULL, 0 };
    lode_status s;

    if (!(entry->status & LODE_BLOCK_HAVE_DATA))
        return describe_block(lode_fail(LODE_MISSING, "its data is not stored"), entry);
    s = lode_block_files_read_block(c->files, buf, entry->file, entry->data_pos);
    if (lode_failed(s))
        return describe_block(s, entry);
    if (!lode_block_parse(block, arena, buf->data, buf->len, 0, &error))
        return describe_block(lode_fail(LODE_CORRUPT, "blk%05d.dat at %u: %s", entry->file, entry->data_pos, error.what ? error.what : "no block"), entry);
    if (!lode_block_hash_is_equal(&block->hash, &entry->node.hash))
        return describe_block(lode_fail(LODE_CORRUPT, "blk%05d.dat at %u holds another block", entry->file, entry->data_pos), entry);
    return lode_ok();
}

lode_status lode_chain_read_undo(lode_chain *c, lode_buf *buf, const lode_entry *entry)
{
    lode_status s;
    if (!(entry->status & LODE_BLOCK_HAVE_UNDO))
        return describe_block(lode_fail(LODE_MISSING, "its undo data is not stored"), entry);
    s = lode_block_files_read_undo(c->files, buf, entry->file, entry->undo_pos, &entry->node.prev->hash);
    return lode_failed(s) ? describe_block(s, entry) : s;
}

void lode_chain_locator(lode_buf *out, const lode_entry *entry)
{
    /* Core's LocatorEntries: ten single steps, then doubling, genesis last. The version is Core's CBlockLocator::DUMMY_VERSION. */
    const lode_node *at = &entry->node;
    lode_buf hashes = LODE_BUF_EMPTY;
    int32_t step = 1;
    uint64_t count = 0;

    while (at) {
        lode_buf_append(&hashes, at->hash.bytes, 32);
        count++;
        if (at->height == 0)
            break;
        int32_t height = at->height - step > 0 ? at->height - step : 0;
        at = lode_node_ancestor(at, height);
        if (count > 10)
            step *= 2;
    }
    lode_buf_put_le32(out, 70016);
    lode_buf_put_compact_size(out, count);
    lode_buf_append(out, hashes.data, hashes.len);
    if (!lode_buf_is_good(&hashes))
        out->failed = true;
    lode_buf_clear(&hashes);
}

const char *lode_chain_script_reason(const lode_chain *chain, const lode_entry *entry)
{
    /* Conditions and words: Core's ConnectBlock. */
    const int64_t two_weeks = 14 * 24 * 3600;
    lode_chain *c = (lode_chain *)(uintptr_t)chain;
    lode_entry *assumed, *best_header;

    if (!c->options.check_scripts)
        return NULL;
    if (!c->options.has_assume_valid)
        return "assumevalid=0 (always verify)";
    if (!c->assumed)
        c->assumed = lode_block_index_find(c->index, &c->options.assume_valid);
    assumed = c->assumed;
    if (!assumed)
        return "assumevalid hash not in headers";
    if (lode_node_ancestor(&assumed->node, entry->node.height) != &entry->node)
        return entry->node.height > assumed->node.height ? "block height above assumevalid height" : "block not in assumevalid chain";
    best_header = lode_block_index_best_header(c->index);
    if (!best_header || lode_node_ancestor(&best_header->node, entry->node.height) != &entry->node)
        return "block not in best header chain";
    if (lode_u256_compare(&best_header->node.chain_work, &c->options.minimum_chain_work) < 0)
        return "best header chainwork below minimumchainwork";
    if (lode_node_equivalent_time(&best_header->node, &entry->node, &best_header->node, &c->params) <= two_weeks)
        return "block too recent relative to best header";
    return NULL;
}
