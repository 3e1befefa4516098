/* test/crash/look.c: see look.h. */
#include "test/crash/look.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "chainstate/utxo_stats.h"
#include "primitives/hash.h"

static void complain(look *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void complain(look *l, const char *format, ...)
{
    va_list args;

    if (l->wrong[0])
        return; /* the first complaint tells most */
    va_start(args, format);
    vsnprintf(l->wrong, sizeof l->wrong, format, args);
    va_end(args);
}

typedef struct looking {
    look *l;
    world *w;
    lode_chain *chain;
    lode_buf buf;
    lode_arena arena;
} looking;

/* ---- blocks ---- */

static bool look_at_entry(void *context, lode_entry *e)
{
    looking *k = context;
    look *l = k->l;
    size_t i = story_find(k->w->story, e->node.hash.bytes);
    lode_block block;
    lode_status s = lode_ok();

    if (i == k->w->story->blocks.count) {
        complain(l, "the index knows a block at height %d that nobody made", e->node.height);
        return false;
    }
    l->is_stored[i] = e->status & LODE_BLOCK_HAVE_DATA;
    l->is_failed[i] = e->status & LODE_BLOCK_FAILED_VALID;
    l->is_verified[i] = (e->status & LODE_BLOCK_VALID_MASK) >= LODE_BLOCK_VALID_SCRIPTS;
    lode_arena_reset(&k->arena);
    if (e->status & LODE_BLOCK_HAVE_DATA)
        s = lode_chain_read_block(k->chain, &block, &k->buf, &k->arena, e);
    if (!lode_failed(s) && (e->status & LODE_BLOCK_HAVE_UNDO))
        s = lode_chain_read_undo(k->chain, &k->buf, e);
    if (lode_failed(s))
        complain(l, "the index names what is not there: %s", s.text);
    return !l->wrong[0];
}

static void look_at_tip(looking *k)
{
    const lode_entry *tip = k->chain->tip;
    uint32_t validity = tip->status & LODE_BLOCK_VALID_MASK;

    k->l->tip = story_find(k->w->story, tip->node.hash.bytes);
    if (!(tip->status & LODE_BLOCK_HAVE_DATA) && !lode_block_index_is_reindexing(k->chain->index))
        complain(k->l, "the best block, height %d, is not stored", tip->node.height);
    for (; tip->node.prev; tip = lode_entry_prev(tip)) {
        validity = tip->status & LODE_BLOCK_VALID_MASK;
        if (validity < LODE_BLOCK_VALID_SCRIPTS)
            complain(k->l, "the coins rest on height %d, which is not verified: status %u", tip->node.height,
                     tip->status);
        if (!(tip->status & LODE_BLOCK_HAVE_UNDO))
            complain(k->l, "the coins rest on height %d, which cannot be undone: status %u", tip->node.height,
                     tip->status);
    }
}

static void look_at_coins(looking *k, const reference *ref, uint8_t set_hash[STORY_SET_HASH])
{
    lode_utxo_stats stats;
    lode_status s = lode_utxo_stats_compute(&stats, k->chain->coins, LODE_UTXO_HASH_SERIALIZED_3, 1, NULL);

    if (lode_failed(s)) {
        complain(k->l, "the coins: %s", s.text);
        return;
    }
    if (set_hash)
        memcpy(set_hash, stats.hash_serialized_3, STORY_SET_HASH);
    if (!ref || k->l->tip >= LOOK_BLOCKS)
        return;
    if (!ref->is_known[k->l->tip])
        complain(k->l, "the best block, height %d, is one that must never be it", k->chain->tip->node.height);
    else if (stats.has_best_block && memcmp(ref->set_hash[k->l->tip], stats.hash_serialized_3, STORY_SET_HASH) != 0)
        complain(k->l, "the coins are not those after the best block, height %d: %llu of them",
                 k->chain->tip->node.height, (unsigned long long)stats.txouts);
}

/* ---- the transaction index ---- */

static void look_for_txs(looking *k, const lode_entry *e)
{
    lode_block block;
    lode_status s;
    uint32_t offset;

    lode_arena_reset(&k->arena);
    s = lode_chain_read_block(k->chain, &block, &k->buf, &k->arena, e);
    if (lode_failed(s)) {
        complain(k->l, "%s", s.text);
        return;
    }
    offset = (uint32_t)lode_compact_size_length(block.tx_count);
    for (uint32_t i = 0; i < block.tx_count; i++) {
        lode_tx_position at;
        bool found = false;
        s = lode_txindex_find(k->chain->txindex, &found, &at, &block.txs[i].txid);
        if (lode_failed(s))
            complain(k->l, "%s", s.text);
        else if (!found)
            complain(k->l, "the transaction index lacks transaction %u of height %d", i, e->node.height);
        else if (at.file != e->file || at.block_pos != e->data_pos || at.tx_offset != offset)
            complain(k->l, "the transaction index has transaction %u of height %d in another place", i, e->node.height);
        offset += block.txs[i].size;
    }
}

static void look_at_txindex(looking *k)
{
    lode_block_hash best;
    bool found;
    lode_entry *e;
    lode_status s;

    k->l->has_txindex = k->chain->txindex != NULL;
    if (lode_failed(k->chain->txindex_declined))
        complain(k->l, "the transaction index: %s", k->chain->txindex_declined.text);
    if (!k->chain->txindex)
        return;
    s = lode_txindex_best(k->chain->txindex, &found, &best, NULL);
    if (lode_failed(s))
        complain(k->l, "the transaction index: %s", s.text);
    if (lode_failed(s) || !found)
        return;
    k->l->txindex_at = story_find(k->w->story, best.bytes);
    e = lode_block_index_find(k->chain->index, &best);
    if (!e) {
        complain(k->l, "the transaction index stands at a block that the block index does not know");
        return;
    }
    for (e = lode_entry_of(lode_node_fork(&e->node, &k->chain->tip->node)); e->node.prev; e = lode_entry_prev(e))
        look_for_txs(k, e);
}

/* ---- a dump ---- */

static void look_at_dump(look *l, lode_env *env)
{
    lode_buf dump = LODE_BUF_EMPTY, expected = LODE_BUF_EMPTY;
    bool exists;
    lode_status s = env->path_info(env, &exists, NULL, WORLD_DUMP);

    l->has_dump = !lode_failed(s) && exists;
    if (!l->has_dump)
        return;
    s = lode_env_read_file(env, &expected, WORLD_DUMP_AS_IT_MUST_BE, SIZE_MAX);
    if (!lode_failed(s))
        s = lode_env_read_file(env, &dump, WORLD_DUMP, SIZE_MAX);
    if (lode_failed(s))
        complain(l, "the dump: %s", s.text);
    else if (dump.len != expected.len || memcmp(dump.data, expected.data, dump.len) != 0)
        complain(l, "the dump is not what it must be: %zu bytes", dump.len);
    lode_buf_clear(&dump);
    lode_buf_clear(&expected);
}

/* ---- all ---- */

static void look_at_store(looking *k, lode_store *store)
{
    lode_status s = lode_store_verify(store);

    if (lode_failed(s))
        complain(k->l, "%s", s.text);
}

static void look_inside(looking *k, const reference *ref, uint8_t set_hash[STORY_SET_HASH])
{
    lode_status s = lode_block_index_verify(k->chain->index);

    if (lode_failed(s))
        complain(k->l, "%s", s.text);
    look_at_store(k, lode_block_index_store(k->chain->index));
    look_at_store(k, lode_coins_store(k->chain->coins));
    if (k->chain->txindex)
        look_at_store(k, lode_txindex_store(k->chain->txindex));
    lode_block_index_visit(k->chain->index, k, look_at_entry);
    look_at_tip(k);
    look_at_coins(k, ref, set_hash);
    look_at_txindex(k);
}

void look_at(look *l, world *w, const reference *ref, uint8_t set_hash[STORY_SET_HASH])
{
    lode_chain_options o = { .datadir = WORLD_DATADIR,
                             .params = &w->params,
                             .env = w->memory,
                             .read_only = true,
                             .check_scripts = true,
                             .threads = 1,
                             .cache_bytes = (size_t)4 << 20,
                             .geometry = w->geometry };
    looking k = { l, w, NULL, LODE_BUF_EMPTY, LODE_ARENA_EMPTY };
    lode_status s;

    memset(l, 0, sizeof *l);
    l->tip = l->txindex_at = SIZE_MAX;
    look_at_dump(l, w->memory);
    s = lode_chain_open(&k.chain, &o);
    l->is_absent = s.code == LODE_MISSING;
    l->is_cut_off = s.code == LODE_UNSUPPORTED && strstr(s.text, "cut off");
    l->is_at_odds = s.code == LODE_CORRUPT && strstr(s.text, "the coins stand at block");
    if (lode_failed(s)) {
        if (!l->is_absent && !l->is_cut_off && !l->is_at_odds)
            complain(l, "it cannot be read: code %d: %s", s.code, s.text);
        return;
    }
    look_inside(&k, ref, set_hash);
    lode_buf_clear(&k.buf);
    lode_arena_clear(&k.arena);
    s = lode_chain_close(k.chain);
    if (lode_failed(s))
        complain(l, "closing: %s", s.text);
}
