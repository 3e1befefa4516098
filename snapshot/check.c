/* snapshot/check.c: is a whole data directory sound?
 *
 * Room:     the order of checks, what is told of findings, and which of three answers they make.
 * Touches:  all files of the directory, reading.
 * Threads:  the chain's; blocks in workers of its own, told in the order of their places on disk.
 */
#include "snapshot/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chainstate/utxo_stats.h"
#include "snapshot/check_block.h"
#include "support/waiter.h"

enum { TASKS_PER_THREAD = 3, TASKS_MAX = 192 };

typedef struct checking {
    lode_directory_verdict *verdict;
    const lode_directory_check_options *options;
    lode_chain *chain;
    lode_pool *pool;
    lode_waiter waiter;
    lode_block_check *tasks;
    size_t task_count;
    lode_entry **entries; /* stored blocks by place on disk */
    size_t count;
    int32_t indexed_to; /* height up to which the transaction index has the active chain; 0: none */
    bool is_bad, is_incomplete, stopped;
    uint64_t end; /* of the block before, within its file */
    lode_set_sum sum;
} checking;

/* ---- findings ---- */

static void find(checking *c, lode_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void find(checking *c, lode_code code, const char *format, ...)
{
    char line[512];
    va_list arguments;
    bool is_bad = code == LODE_CORRUPT;
    int used = snprintf(line, sizeof line, "%s: ", is_bad ? "bad" : "could not be checked");

    va_start(arguments, format);
    vsnprintf(line + used, sizeof line - (size_t)used, format, arguments);
    va_end(arguments);
    if (c->verdict->findings++ == 0 || (is_bad && !c->is_bad))
        snprintf(c->verdict->text, sizeof c->verdict->text, "%.300s", line);
    c->is_bad |= is_bad;
    c->is_incomplete |= !is_bad;
    if (c->options->on_finding)
        c->options->on_finding(c->options->context, line);
}

static void find_status(checking *c, const char *where, lode_status s)
{
    if (lode_failed(s))
        find(c, (lode_code)s.code, "%s%s%s", where, *where ? ": " : "", s.text);
}

static bool is_stopped(checking *c)
{
    if (!c->stopped && lode_chain_is_interrupted(c->chain)) {
        c->stopped = true;
        find(c, LODE_CANCELLED, "interrupted");
    }
    return c->stopped;
}

static void tell(const checking *c, const char *what, uint64_t done, uint64_t total)
{
    if (c->chain->on_progress)
        c->chain->on_progress(c->chain->progress_context, what, done, total);
}

/* ---- stores ---- */

static void check_stores(checking *c)
{
    lode_store *stores[3] = { lode_block_index_store(c->chain->index), lode_coins_store(c->chain->coins),
                              c->chain->txindex ? lode_txindex_store(c->chain->txindex) : NULL };

    for (size_t i = 0; i < 3 && !is_stopped(c); i++) {
        tell(c, "checking databases", i, 3);
        if (stores[i])
            find_status(c, "", lode_store_verify(stores[i]));
    }
}

/* ---- blocks ---- */

typedef struct collector {
    lode_entry **entries;
    size_t count;
} collector;

static bool collect(void *context, lode_entry *e)
{
    collector *to = context;
    if (e->status & LODE_BLOCK_HAVE_DATA)
        to->entries[to->count++] = e;
    return true;
}

static int by_place(const void *a, const void *b)
{
    const lode_entry *x = *(lode_entry *const *)a, *y = *(lode_entry *const *)b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->data_pos < y->data_pos ? -1 : x->data_pos > y->data_pos;
}

static lode_status collect_entries(checking *c)
{
    size_t count = lode_block_index_count(c->chain->index);
    collector to = { malloc((count + 1) * sizeof *to.entries), 0 };

    if (!to.entries)
        return lode_fail(LODE_NO_MEMORY, "no memory for a list of %zu blocks", count);
    lode_block_index_visit(c->chain->index, &to, collect);
    qsort(to.entries, to.count, sizeof *to.entries, by_place);
    c->entries = to.entries;
    c->count = to.count;
    c->verdict->asked = to.count;
    return lode_ok();
}

static void find_indexed(checking *c)
{
    lode_buf locator = LODE_BUF_EMPTY;
    lode_block_hash hash;
    bool found = false;
    lode_entry *e;
    lode_status s;

    find_status(c, "", c->chain->txindex_declined);
    if (!c->chain->txindex)
        return;
    s = lode_txindex_best(c->chain->txindex, &found, &hash, &locator);
    find_status(c, "", s);
    lode_buf_clear(&locator);
    if (lode_failed(s) || !found)
        return;
    e = lode_block_index_find(c->chain->index, &hash);
    if (e)
        c->indexed_to = lode_node_fork(&e->node, &c->chain->tip->node)->height;
    else
        find(c, LODE_CORRUPT, "the transaction index stands at a block that the block index does not know");
}

static void submit(checking *c, size_t i)
{
    lode_block_check *t = &c->tasks[i % c->task_count];
    lode_entry *e = c->entries[i];
    const lode_block_file_info *info = lode_block_index_file(c->chain->index, e->file);

    t->entry = e;
    t->is_active = lode_chain_contains(c->chain, e);
    t->is_indexed = t->is_active && e->node.height > 0 && e->node.height <= c->indexed_to;
    t->sums = c->options->deep && t->is_active && e->node.height > 0;
    t->file_size = info ? info->size : 0;
    t->undo_size = info ? info->undo_size : 0;
    lode_block_check_submit(t, c->pool);
}

static void wait_for(checking *c, const lode_block_check *t)
{
    for (;;) {
        unsigned seen = lode_waiter_look(&c->waiter);
        if (__atomic_load_n(&t->done, __ATOMIC_ACQUIRE))
            return;
        if (!lode_pool_help(c->pool))
            lode_waiter_wait(&c->waiter, seen, 50000);
    }
}

static void settle(checking *c, size_t i)
{
    lode_block_check *t = &c->tasks[i % c->task_count];
    const lode_entry *e = c->entries[i];
    char hex[65];

    wait_for(c, t);
    lode_hash_to_hex(hex, e->node.hash.bytes);
    if (i == 0 || c->entries[i - 1]->file != e->file)
        c->end = 0;
    if (lode_failed(t->status))
        find(c, (lode_code)t->status.code, "block %s at height %d: %s", hex, e->node.height, t->status.text);
    else if (e->data_pos < c->end + 8)
        find(c, LODE_CORRUPT, "block %s at height %d: blk%05d.dat at %u: it overlaps the block before it", hex,
             e->node.height, e->file, e->data_pos);
    else
        c->verdict->blocks++;
    if (t->size)
        c->end = (uint64_t)e->data_pos + t->size;
    tell(c, "checking blocks", i + 1, c->count);
}

static void check_blocks(checking *c)
{
    size_t queued = 0, settled = 0;

    while (settled < c->count) {
        while (queued < c->count && queued - settled < c->task_count && !is_stopped(c))
            submit(c, queued++);
        if (settled == queued)
            break;
        settle(c, settled++);
    }
    for (size_t i = 0; i < c->task_count; i++)
        lode_set_sum_add(&c->sum, &c->tasks[i].sum);
}

/* ---- coins ---- */

static void compare_set(checking *c, const lode_utxo_stats *stats)
{
    uint8_t hash[32];

    if (c->chain->directory->is_snapshot) {
        find(c, LODE_MISSING, "the coins against the blocks, as these are not all stored");
        return;
    }
    if (c->verdict->blocks < c->count) {
        find(c, LODE_MISSING, "the coins against the blocks, as not all blocks are sound");
        return;
    }
    lode_muhash_final(hash, &c->sum.hash);
    if (memcmp(hash, stats->muhash, 32) != 0)
        find(c, LODE_CORRUPT,
             "the coins are not those that the blocks make: %" PRIu64 " worth %" PRId64 " satoshis, not %" PRId64
             " worth %" PRId64 "; -reindex-chainstate rebuilds them",
             stats->txouts, stats->total.sat, c->sum.coins, c->sum.satoshis);
}

static void check_coins(checking *c)
{
    lode_utxo_stats stats;
    lode_status s;

    tell(c, "checking coins", 0, 0);
    s = lode_utxo_stats_compute(&stats, c->chain->coins, c->options->deep ? LODE_UTXO_MUHASH : 0,
                                c->chain->options.threads, &c->chain->interrupted);
    if (s.code == LODE_CANCELLED)
        return; /* is_stopped tells */
    find_status(c, "", s);
    if (lode_failed(s))
        return;
    if (stats.max_height > (uint32_t)c->chain->tip->node.height)
        find(c, LODE_CORRUPT, "a coin has height %u, above the tip", stats.max_height);
    if (c->options->deep)
        compare_set(c, &stats);
}

/* ---- all of it ---- */

static lode_status set_up(checking *c)
{
    size_t threads = (size_t)c->chain->options.threads;

    c->task_count = threads * TASKS_PER_THREAD > TASKS_MAX ? TASKS_MAX : threads * TASKS_PER_THREAD;
    c->tasks = calloc(c->task_count, sizeof *c->tasks);
    if (!c->tasks)
        return lode_fail(LODE_NO_MEMORY, "no memory for %zu tasks", c->task_count);
    for (size_t i = 0; i < c->task_count; i++)
        lode_block_check_init(&c->tasks[i], c->chain, &c->waiter);
    lode_set_sum_init(&c->sum);
    LODE_TRY(collect_entries(c));
    return lode_pool_create(&c->pool, (unsigned)threads, "lode-check");
}

static void conclude(checking *c)
{
    lode_directory_verdict *v = c->verdict;
    char first[304];

    v->answer = c->is_bad ? LODE_VERIFY_BAD : c->is_incomplete ? LODE_VERIFY_UNFINISHED : LODE_VERIFY_GOOD;
    if (v->answer == LODE_VERIFY_GOOD) {
        snprintf(v->text, sizeof v->text, "good: %" PRIu64 " blocks, all databases%s", v->blocks,
                 c->options->deep ? ", and the coins are what the blocks make" : "");
        return;
    }
    memcpy(first, v->text, sizeof first - 1);
    first[sizeof first - 1] = '\0';
    snprintf(v->text, sizeof v->text,
             "%s: %" PRIu64 " of %" PRIu64 " blocks are sound; %" PRIu64 " finding%s, the first: %s",
             c->is_bad ? "bad" : "not finished", v->blocks, v->asked, v->findings, v->findings == 1 ? "" : "s", first);
}

lode_status lode_directory_check(lode_directory_verdict *verdict, lode_chain *chain,
                                 const lode_directory_check_options *options)
{
    checking c = { .verdict = verdict, .options = options, .chain = chain };
    lode_status s;

    *verdict = (lode_directory_verdict){ .findings = 0 };
    lode_waiter_init(&c.waiter);
    s = set_up(&c);
    if (!lode_failed(s)) {
        check_stores(&c);
        if (!is_stopped(&c)) {
            find_status(&c, "block index", lode_block_index_verify(chain->index));
            if (chain->directory->is_snapshot)
                find(&c, LODE_MISSING,
                     "the blocks below the coin snapshot's: bitcoind fetches and validates them in the background");
            find_indexed(&c);
            check_blocks(&c);
        }
        if (!is_stopped(&c))
            check_coins(&c);
        is_stopped(&c);
        conclude(&c);
    }
    lode_pool_destroy(c.pool);
    for (size_t i = 0; i < c.task_count && c.tasks; i++)
        lode_block_check_clear(&c.tasks[i]);
    free(c.tasks);
    free(c.entries);
    lode_waiter_clear(&c.waiter);
    return s;
}
