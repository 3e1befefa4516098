/* snapshot/dump.c: the coin set at one block, written to a file.
 *
 * Room:     walks the set twice at the same time: for its hash, and for the file. The number of coins, which stands in
 *           front, is written last.
 * Touches:  the file; block and undo files and coins for reading.
 * Threads:  the chain's, and one that hashes.
 * Promise:  the chain is not changed; no file has the target's name unless it is whole.
 */
#include <stdlib.h>

#include "chainstate/utxo_stats.h"
#include "snapshot/coin_file.h"
#include "snapshot/earlier_coins.h"
#include "snapshot/file_writer.h"
#include "support/check.h"

enum { TELL_EVERY = 50000 };

static lode_status interrupted(const lode_chain *chain)
{
    if (lode_chain_is_interrupted(chain))
        return lode_fail(LODE_CANCELLED, "interrupted; no file was written");
    return lode_ok();
}

static void tell(const lode_chain *chain, const char *what, uint64_t done, uint64_t total)
{
    if (chain->on_progress)
        chain->on_progress(chain->progress_context, what, done, total);
}

/* ---- the set ---- */

typedef struct hashing {
    lode_thread thread;
    lode_coins *coins;
    int stop;
    lode_utxo_stats stats;
    lode_status status;
} hashing;

static void *run_hashing(void *context)
{
    hashing *h = context;
    h->status = lode_utxo_stats_compute(&h->stats, h->coins, LODE_UTXO_HASH_SERIALIZED_3, 1, &h->stop);
    return NULL;
}

/* The coins of one transaction: their number stands before them, so they are gathered. */
typedef struct group {
    uint8_t txid[32];
    uint64_t count;
    lode_buf coins;
} group;

static void put_group(lode_file_writer *w, group *g)
{
    if (!g->count)
        return;
    lode_buf_append(&w->buf, g->txid, 32);
    lode_buf_put_compact_size(&w->buf, g->count);
    if (!lode_buf_is_good(&g->coins))
        w->buf.failed = true;
    lode_file_writer_put(w, g->coins.data, g->coins.len);
    lode_buf_reset(&g->coins);
    g->count = 0;
}

static void take_coin(lode_file_writer *w, group *g, const uint8_t prevout[36], const lode_coin_view *coin)
{
    if (memcmp(g->txid, prevout, 32) != 0) {
        put_group(w, g);
        memcpy(g->txid, prevout, 32);
    }
    lode_buf_put_compact_size(&g->coins, lode_read_le32(prevout + 32));
    lode_buf_put_varint(&g->coins, (uint64_t)coin->height << 1 | coin->is_coinbase);
    lode_buf_put_varint(&g->coins, coin->compressed_amount);
    lode_buf_append(&g->coins, coin->script.data, coin->script.len);
    g->count++;
}

static lode_status put_coins(lode_file_writer *w, uint64_t *count, lode_coins *coins, const lode_chain *chain)
{
    group g = { .coins = LODE_BUF_EMPTY };
    lode_coins_cursor *cursor;
    lode_status s = lode_coins_cursor_open(&cursor, coins, NULL);

    *count = 0;
    while (!lode_failed(s)) {
        uint8_t prevout[36];
        lode_coin_view coin;
        bool found = false;

        s = lode_coins_cursor_next(cursor, &found, prevout, &coin);
        if (lode_failed(s) || !found)
            break;
        take_coin(w, &g, prevout, &coin);
        if (++*count % TELL_EVERY == 0) {
            s = lode_failed(w->status) ? w->status : interrupted(chain);
            tell(chain, "writing coins", *count, 0);
        }
    }
    put_group(w, &g);
    lode_buf_clear(&g.coins);
    lode_coins_cursor_close(cursor);
    return s;
}

static lode_status write_set(lode_dump_info *info, lode_file_writer *w, lode_coins *coins, const lode_chain *chain)
{
    uint8_t header[LODE_COIN_FILE_HEADER] = { 0 };
    hashing *h = calloc(1, sizeof *h);
    lode_status s;

    if (!h)
        return lode_fail(LODE_NO_MEMORY, "no memory to hash the coins");
    h->coins = coins;
    h->status = lode_ok();
    lode_file_writer_put(w, header, sizeof header);
    if (lode_failed(lode_thread_start(&h->thread, "dump-hash", run_hashing, h)))
        run_hashing(h); /* no thread to be had */
    s = put_coins(w, &info->coins, coins, chain);
    if (lode_failed(s))
        __atomic_store_n(&h->stop, 1, __ATOMIC_RELAXED);
    lode_thread_join(&h->thread);
    if (!lode_failed(s))
        s = h->status;
    if (!lode_failed(s) && h->stats.txouts != info->coins)
        s = lode_fail(LODE_BUG, "two walks over the coins saw %llu and %llu", (unsigned long long)h->stats.txouts,
                      (unsigned long long)info->coins);
    if (!lode_failed(s)) {
        lode_coin_file_put_header(header, &(lode_coin_file_header){ info->base->node.hash, info->coins },
                                  &chain->params);
        lode_file_writer_patch(w, header, sizeof header, 0);
        memcpy(info->hash_serialized_3, h->stats.hash_serialized_3, 32);
    }
    free(h);
    return s;
}

lode_status lode_coins_dump(lode_dump_info *info, lode_chain *chain, lode_entry *target, const char *path)
{
    lode_dump_info out = { .base = target };
    lode_earlier_coins at;
    lode_file_writer w;
    lode_status s;

    if (!lode_chain_contains(chain, target))
        return lode_fail(LODE_INVALID_ARGUMENT, "the block is not in the active chain");
    LODE_TRY(lode_file_writer_open(&w, chain->env, path));
    s = lode_earlier_coins_open(&at, chain, target);
    if (!lode_failed(s))
        s = write_set(&out, &w, at.coins, chain);
    if (lode_failed(s))
        lode_file_writer_abandon(&w);
    else
        s = lode_file_writer_finish(&w);
    lode_earlier_coins_close(&at);
    LODE_TRY(s);
    *info = out;
    return s;
}
