/* snapshot/load.c: a coin file becomes the chainstate that bitcoind starts from.
 *
 * Room:     whom to trust, what must fit, in which order things are written.
 * Touches:  the file, reading, twice; then a new folder, and the block index.
 * Threads:  the chain's.
 * Promise:  nothing is changed until the whole content was found to be what is trusted; and no folder has the name that
 *           bitcoind looks for unless it is whole.
 */
#include "snapshot/load.h"

#include <inttypes.h>
#include <stdlib.h>

#include "chainstate/coin_sum.h"
#include "snapshot/assumed.h"
#include "snapshot/coin_file_reader.h"

enum { TELL_EVERY = 20000, WRITE_CACHE = 32 << 20 };

typedef struct loading {
    lode_chain *chain;
    const char *path;
    const uint8_t *trusted; /* may be NULL */
    lode_load_info info;
} loading;

/* ---- reading all of it ---- */

static lode_status check_stop(const loading *l)
{
    if (lode_chain_is_interrupted(l->chain))
        return lode_fail(LODE_CANCELLED, "interrupted; nothing was loaded");
    return lode_ok();
}

static void tell(const loading *l, const char *what, uint64_t done)
{
    if (l->chain->on_progress)
        l->chain->on_progress(l->chain->progress_context, what, done, l->info.coins);
}

/* Sums up every coin; load (may be NULL) takes them. */
static lode_status read_all(const loading *l, lode_coin_file_reader *r, lode_coin_sum *sum, lode_coins_load *load)
{
    lode_status s = check_stop(l);

    while (!lode_failed(s)) {
        uint8_t prevout[36];
        lode_coin_view coin;
        bool found = false;

        s = lode_coin_file_reader_next(r, &found, prevout, &coin, (uint32_t)l->info.base->node.height);
        if (lode_failed(s) || !found)
            break;
        s = lode_coin_sum_add(sum, prevout, &coin);
        if (s.code == LODE_CORRUPT)
            s = lode_fail_within(s, "%s: not a sound coin snapshot: after %" PRIu64 " coins", l->path, sum->txouts);
        if (!lode_failed(s) && load)
            s = lode_coins_load_put(load, prevout, &coin);
        if (lode_failed(s) || sum->txouts % TELL_EVERY != 0)
            continue;
        tell(l, load ? "writing coins" : "checking coins", sum->txouts);
        s = check_stop(l);
    }
    return s;
}

static lode_status hash_all(const loading *l, uint8_t hash[32], lode_coin_file_reader *r, lode_coins_load *load)
{
    lode_coin_sum sum;
    lode_status s;

    lode_coin_sum_init(&sum, false, true);
    s = read_all(l, r, &sum, load);
    lode_coin_sum_end_tx(&sum);
    lode_sha256d_end(&sum.serialized, hash);
    lode_coin_sum_clear(&sum);
    return s;
}

/* ---- whom to trust ---- */

static lode_status find_base(loading *l, const lode_block_hash *hash)
{
    const lode_chain *chain = l->chain;
    const lode_entry *e = lode_block_index_find(chain->index, hash);
    const lode_entry *best = lode_block_index_best_header(chain->index);
    const lode_assumed *known = lode_assumed_find(chain->params.chain, hash);
    char hex[65];

    lode_hash_to_hex(hex, hash->bytes);
    if (!known && !l->trusted)
        return lode_fail(LODE_UNSUPPORTED,
                         "the set at block %s is none that Bitcoin Core vouches for; -assumeutxo=HASH says that a set "
                         "with this hash_serialized_3 is trusted",
                         hex);
    if (!e)
        return lode_fail(LODE_UNSUPPORTED,
                         "block %s, whose set this is, is not known here: its header and those below it must come "
                         "first (bitcoind fetches them)",
                         hex);
    if (e->status & (LODE_BLOCK_FAILED_VALID | LODE_BLOCK_FAILED_CHILD))
        return lode_fail(LODE_UNSUPPORTED, "block %s, whose set this is, is part of an invalid chain", hex);
    if (!best || lode_node_ancestor(&best->node, e->node.height) != &e->node)
        return lode_fail(LODE_UNSUPPORTED, "block %s, whose set this is, is not on the chain of headers with most work",
                         hex);
    if (lode_u256_compare(&e->node.chain_work, &chain->tip->node.chain_work) <= 0)
        return lode_fail(LODE_UNSUPPORTED,
                         "block %s, whose set this is, has no more work than the tip at height %" PRId32
                         ": there is nothing to gain",
                         hex, chain->tip->node.height);
    if (known && known->height != e->node.height)
        return lode_fail(LODE_CORRUPT, "block %s has height %" PRId32 " here, not %" PRId32, hex, e->node.height,
                         known->height);
    l->info.base = e;
    l->info.is_cores = known != NULL;
    return lode_ok();
}

/* What Core vouches for is the only set of its block. */
static lode_status demand_trust(const loading *l)
{
    const lode_assumed *known = lode_assumed_find(l->chain->params.chain, &l->info.base->node.hash);
    char hex[65], wanted[65] = "";

    lode_hash_to_hex(hex, l->info.hash_serialized_3);
    if (l->trusted)
        lode_hash_to_hex(wanted, l->trusted);
    if (known && l->trusted && strcmp(known->hash_serialized_3, wanted) != 0)
        return lode_fail(LODE_UNSUPPORTED, "-assumeutxo=%s: Bitcoin Core vouches for another set at this block, %s",
                         wanted, known->hash_serialized_3);
    if (strcmp(known ? known->hash_serialized_3 : wanted, hex) == 0)
        return lode_ok();
    return lode_fail(LODE_UNSUPPORTED, "%s: bad snapshot content hash: %s is trusted, and this is %s", l->path,
                     known ? known->hash_serialized_3 : wanted, hex);
}

static lode_status check_all(loading *l)
{
    lode_coin_file_reader *r;
    lode_block_hash base;
    lode_status s;

    LODE_TRY(lode_coin_file_reader_open(&r, l->chain->env, l->path, &l->chain->params));
    base = lode_coin_file_reader_header(r)->base;
    l->info.coins = lode_coin_file_reader_header(r)->coins;
    s = find_base(l, &base);
    if (!lode_failed(s))
        s = hash_all(l, l->info.hash_serialized_3, r, NULL);
    lode_coin_file_reader_close(r);
    LODE_TRY(s);
    return demand_trust(l);
}

/* ---- writing ---- */

static lode_status fill(const loading *l, lode_coins *coins)
{
    lode_coin_file_reader *r;
    lode_coins_load *load = NULL;
    uint8_t hash[32];
    lode_status s;

    LODE_TRY(lode_coin_file_reader_open(&r, l->chain->env, l->path, &l->chain->params));
    s = lode_coins_load_begin(&load, coins, &l->info.base->node.hash);
    if (!lode_failed(s))
        s = hash_all(l, hash, r, load);
    if (!lode_failed(s) && memcmp(hash, l->info.hash_serialized_3, 32) != 0)
        s = lode_fail(LODE_CORRUPT, "%s: it changed while it was read", l->path);
    if (!lode_failed(s)) {
        s = lode_coins_load_finish(load); /* taken */
        load = NULL;
    }
    lode_coins_load_abandon(load);
    lode_coin_file_reader_close(r);
    return s;
}

static lode_status write_coins(const loading *l, const char *path)
{
    lode_coins_options options = { .path = path,
                                   .env = l->chain->env,
                                   .logger = l->chain->logger,
                                   .wipe = true,
                                   .cache_bytes = WRITE_CACHE,
                                   .threads = l->chain->options.threads };
    lode_coins *coins;
    lode_status s, closed;

    LODE_TRY(lode_coins_open(&coins, &options));
    s = fill(l, coins);
    closed = lode_coins_close(coins);
    return lode_failed(s) ? s : closed;
}

/* So that bitcoind does not take these blocks for ones stored without witnesses. Means nothing without the folder. */
static lode_status mark_blocks(const loading *l)
{
    lode_block_index *index = l->chain->index;

    lode_block_index_assume_witnesses(index, lode_block_index_find(index, &l->info.base->node.hash));
    lode_status s = lode_block_index_write(index);
    l->chain->in_doubt |= lode_failed(s);
    return s;
}

static lode_status write_base(const loading *l, const char *folder)
{
    char *path = lode_path_join(folder, "base_blockhash");
    lode_status s = path ? lode_env_write_file_atomically(l->chain->env, path, l->info.base->node.hash.bytes, 32)
                         : lode_fail(LODE_NO_MEMORY, "no memory for a path");
    free(path);
    return s;
}

/* The coins take about as much room as the file, keys with their txid each, and are written once. */
static lode_status demand_room(const loading *l)
{
    lode_env *env = l->chain->env;
    const char *root = l->chain->directory->root;
    const uint64_t stays_free = UINT64_C(50) << 20; /* as Core demands */
    uint64_t free_bytes, needed;
    lode_file_info info;
    bool exists;

    LODE_TRY(env->path_info(env, &exists, &info, l->path));
    LODE_TRY(env->free_space(env, &free_bytes, root));
    needed = (exists ? info.size_bytes : 0) + l->info.coins * 12;
    if (free_bytes >= stays_free && free_bytes - stays_free >= needed)
        return lode_ok();
    return lode_fail(LODE_NO_SPACE,
                     "%s: disk space is too low: %" PRIu64 " MiB are free, and the coins take up to %" PRIu64
                     " MiB beside the 50 MiB that stay free",
                     root, free_bytes >> 20, (needed >> 20) + 1);
}

static lode_status write_all(const loading *l, const char *unfinished, const char *final)
{
    lode_env *env = l->chain->env;

    LODE_TRY(lode_env_remove_tree(env, unfinished)); /* of a run that was killed */
    LODE_TRY(demand_room(l));
    LODE_TRY(write_coins(l, unfinished));
    LODE_TRY(write_base(l, unfinished));
    LODE_TRY(mark_blocks(l));
    LODE_TRY(check_stop(l));
    return env->rename(env, unfinished, final);
}

lode_status lode_coins_load_file(lode_load_info *info, lode_chain *chain, const char *path, const uint8_t *trusted)
{
    loading l = { .chain = chain, .path = path, .trusted = trusted };
    char *unfinished, *final;
    lode_status s;

    LODE_TRY(check_all(&l));
    unfinished = lode_path_join(chain->directory->root, "chainstate_snapshot.incomplete");
    final = lode_path_join(chain->directory->root, "chainstate_snapshot");
    s = unfinished && final ? write_all(&l, unfinished, final) : lode_fail(LODE_NO_MEMORY, "no memory for a path");
    if (lode_failed(s) && unfinished)
        lode_ignore(lode_env_remove_tree(chain->env, unfinished)); /* its name says what it is */
    if (!lode_failed(s))
        s = chain->env->sync_directory(chain->env, chain->directory->root);
    free(unfinished);
    free(final);
    LODE_TRY(s);
    *info = l.info;
    return s;
}
