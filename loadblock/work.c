/* loadblock/work.c: parsing and preparing of blocks: what workers do before a block's place in the chain is known.
 *
 * Room:     bytes in, a parsed, examined block with everything connecting will ask for out.
 * Touches:  input files (blocks read again), our own block files (stored ones), the coins database for reading ahead.
 * Threads:  any worker; one work is with one thread at a time, handed over by `parsed`.
 */
#include "loadblock/work.h"

#include <stdlib.h>

#include "support/check.h"

enum { KEEP_ARENA_BYTES = 4 << 20 };

void lode_workshop_init(lode_workshop *shop, lode_chain *chain, lode_chunk_pool *chunks)
{
    memset(shop, 0, sizeof *shop);
    shop->chain = chain;
    shop->chunks = chunks;
    shop->waiter = chain->waiter;
    lode_mutex_init(&shop->lock);
}

static void free_work(lode_work *w)
{
    lode_arena_clear(&w->arena);
    lode_buf_clear(&w->stored_bytes);
    lode_buf_clear(&w->connected.undo);
    free(w);
}

void lode_workshop_clear(lode_workshop *shop)
{
    while (shop->free_list) {
        lode_work *next = shop->free_list->next;
        free_work(shop->free_list);
        shop->free_list = next;
    }
    lode_mutex_clear(&shop->lock);
}

lode_work *lode_work_take(lode_workshop *shop, lode_work_kind kind)
{
    lode_work *w;
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_buf stored = LODE_BUF_EMPTY, undo = LODE_BUF_EMPTY;

    lode_mutex_lock(&shop->lock);
    w = shop->free_list;
    if (w)
        shop->free_list = w->next;
    lode_mutex_unlock(&shop->lock);
    if (w) {
        arena = w->arena;
        stored = w->stored_bytes;
        undo = w->connected.undo;
    } else {
        w = malloc(sizeof *w);
        if (!w)
            return NULL;
    }
    memset(w, 0, sizeof *w);
    w->arena = arena;
    w->stored_bytes = stored;
    w->connected.undo = undo;
    w->shop = shop;
    w->kind = kind;
    w->status = lode_ok();
    return w;
}

void lode_work_release(lode_work *w)
{
    lode_workshop *shop;
    if (!w)
        return;
    shop = w->shop;
    lode_chunk_release(w->chunk);
    w->chunk = NULL;
    if (w->arena.total_bytes > KEEP_ARENA_BYTES)
        lode_arena_clear(&w->arena);
    else
        lode_arena_reset(&w->arena);
    lode_buf_reset(&w->stored_bytes);
    lode_buf_reset(&w->connected.undo);
    lode_mutex_lock(&shop->lock);
    w->next = shop->free_list;
    shop->free_list = w;
    lode_mutex_unlock(&shop->lock);
}

/* A block that waited for its parent is read again from its file, into its chunk where it has one. */
static lode_status read_again(lode_work *w)
{
    lode_env *env = w->shop->chain->env;
    lode_file *file;
    lode_status s;
    size_t got = 0;
    uint8_t *to;

    if (!w->chunk && !lode_buf_reserve(&w->stored_bytes, w->available))
        return lode_fail(LODE_NO_MEMORY, "no memory for a block of %u bytes", w->available);
    to = w->chunk ? w->chunk->data : w->stored_bytes.data;
    LODE_TRY(env->open(env, &file, w->input->path, LODE_OPEN_READ));
    s = env->pread(env, file, &got, to, w->available, w->offset);
    env->close(env, file);
    LODE_TRY(s);
    lode_input_decode(w->input, to, got, w->offset);
    memset(to + got, 0, w->available - got); /* of a file that shrank meanwhile: the parser will say so */
    w->raw = to;
    return lode_ok();
}

static lode_status read_stored(lode_work *w)
{
    LODE_TRY(lode_block_files_read_block(w->shop->chain->files, &w->stored_bytes, w->entry->file, w->entry->data_pos));
    w->raw = w->stored_bytes.data;
    w->available = w->frame_size = (uint32_t)w->stored_bytes.len;
    return lode_ok();
}

/* What an index wants to know: are these the transactions that the header names? */
static bool find_root(lode_work *w)
{
    const lode_block *block = &w->block;
    uint8_t root[32], *leaves = lode_arena_take_array(&w->arena, (size_t)block->tx_count + 1, 32);

    if (!leaves)
        return false;
    for (uint32_t i = 0; i < block->tx_count; i++)
        memcpy(leaves + 32 * (size_t)i, block->txs[i].txid.bytes, 32);
    lode_merkle_root(root, NULL, leaves, block->tx_count);
    w->facts = (lode_block_facts){ .verdict = lode_verdict_of(LODE_VALID) };
    if (!lode_bytes32_is_equal(root, block->header.merkle_root.bytes)) {
        w->facts.verdict = lode_verdict_of(LODE_BAD_TXNMRKLROOT);
        w->facts.verdict.is_mutated = true;
    }
    return true;
}

static lode_status parse(lode_work *w)
{
    lode_chain *chain = w->shop->chain;
    int flags = LODE_PARSE_ALLOW_TAIL | (w->kind == LODE_WORK_INDEXED ? LODE_PARSE_NO_WTXIDS : 0);
    uint64_t at;

    if (!w->raw)
        LODE_TRY(w->kind == LODE_WORK_STORED || w->kind == LODE_WORK_INDEXED ? read_stored(w) : read_again(w));
    /* A block's arrays take about twice its bytes; one piece wastes least. */
    if (!lode_arena_reserve(&w->arena, (size_t)w->available * 2 + 4096))
        return lode_fail(LODE_NO_MEMORY, "no memory for a block of %u bytes", w->available);
    w->is_block = lode_block_parse(&w->block, &w->arena, w->raw, w->available, flags, &w->parse_error);
    if (!w->is_block)
        return lode_ok();
    if (w->kind == LODE_WORK_INDEXED)
        return find_root(w) ? lode_ok()
                            : lode_fail(LODE_NO_MEMORY, "no memory for a block of %u transactions", w->block.tx_count);
    if (!lode_block_examine(&w->facts, &w->block, &w->arena, &chain->params) ||
        !lode_block_prepare(&w->prep, &w->block, &w->arena, chain->coins))
        return lode_fail(LODE_NO_MEMORY, "no memory for a block of %u transactions", w->block.tx_count);
    at = lode_thread_cpu_ns();
    LODE_TRY(lode_block_prefetch_coins(&w->prep, &w->arena, chain->coins));
    __atomic_add_fetch(&w->shop->fetch_ns, lode_thread_cpu_ns() - at, __ATOMIC_RELAXED);
    return lode_ok();
}

void lode_work_parse_now(lode_work *w)
{
    lode_waiter *waiter = w->shop->waiter;
    uint64_t at = lode_thread_cpu_ns();

    w->status = parse(w);
    __atomic_add_fetch(&w->shop->parse_ns, lode_thread_cpu_ns() - at, __ATOMIC_RELAXED);
    __atomic_store_n(&w->parsed, 1, __ATOMIC_RELEASE); /* from here on the work may be released by another thread */
    lode_waiter_tell(waiter);
}

static void run_parse(lode_task *task)
{
    lode_work_parse_now((lode_work *)task);
}

void lode_work_submit_parse(lode_work *w, lode_pool_priority priority)
{
    w->task.run = run_parse;
    lode_pool_submit(w->shop->chain->pool, priority, &w->task);
}
