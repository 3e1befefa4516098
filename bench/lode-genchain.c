/* bench/lode-genchain.c: writes a regtest chain with real signatures, the same bytes every time.
 *
 *     lode-genchain --mix=2024 --size=60M --out=small.dat
 *     bitcoind -regtest -datadir=D -connect=0 -listen=0 -loadblock=small.dat
 *     lode -datadir=D -regtest import small.dat
 *
 * A file is a row of records: magic fa bf b5 da, length (4 bytes, little endian), block; genesis is the first. Its
 * first hundred blocks have no coin to spend, the next few split coins until there are enough, the others are what the
 * mix says (bench/chain/chain_maker.h lists the mixes). All blocks are valid under Core's rules for regtest, but for
 * those
 * --invalid and --bad-forks ask for. A fork leaves the chain and is left behind; every second one comes first in the
 * file, so that a reader follows it and must come back.
 * Shuffled files are for readers that keep blocks whose parent is yet to come: bitcoind does with -reindex of its own
 * folder (--out=D/regtest/blocks), but not with -loadblock.
 *
 * Shape: one thread plans a block, all sign it, one assembles and writes it. Signing is the time: about 20 microseconds
 * a signature and core with libsecp256k1, which --progress prints as signatures a second at the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench/chain/chain_maker.h"
#include "bench/lode-genchain-options.h"
#include "bench/lode-genchain-out.h"
#include "primitives/encode.h"
#include "primitives/muhash.h"
#include "support/thread.h"

#define FIRST_EVENT 105 /* the height from which there are coins to play with */

/* A side branch that loses is kept until the chain is as high as it is. */
typedef struct lode_kept_block {
    lode_made_block block; /* raw is owned */
    const char *place;     /* static text */
    struct lode_kept_block *next;
} lode_kept_block;

typedef struct lode_genchain {
    lode_genchain_options o;
    lode_chain_maker *maker;
    lode_block_out *out;
    FILE *manifest;
    lode_kept_block *kept; /* in order */
    uint32_t release_height;
    uint32_t least_height; /* the chain must reach it to leave all forks behind */
    uint32_t forks_made, bad_forks_made;
    size_t invalid_made;
    uint64_t txs, inputs, outputs, signatures;
    uint64_t start_ns, told_ns;
} lode_genchain;

static void write_manifest(lode_genchain *g, const lode_made_block *block, const char *place)
{
    char hash[65];

    if (!g->manifest)
        return;
    lode_hash_to_hex(hash, block->hash.bytes);
    fprintf(g->manifest,
            "{\"height\": %u, \"hash\": \"%s\", \"place\": \"%s\", \"size\": %u, \"weight\": %u, \"txs\": %u, "
            "\"inputs\": %u, \"outputs\": %u, \"signatures\": %u",
            block->height, hash, place, block->size, block->weight, block->tx_count, block->input_count,
            block->output_count, block->signature_count);
    if (block->reject)
        fprintf(g->manifest, ", \"reject\": \"%s\"", block->reject);
    fputs("}\n", g->manifest);
}

static void tell_progress(lode_genchain *g)
{
    uint64_t now = lode_clock_ns();

    if (!g->o.progress || now - g->told_ns < UINT64_C(1000000000))
        return;
    g->told_ns = now;
    fprintf(stderr, "height %u  %.1f MB  %llu transactions  %llu inputs  %llu coins  %.0f s\n",
            lode_chain_maker_height(g->maker), (double)lode_block_out_bytes(g->out) / 1e6, (unsigned long long)g->txs,
            (unsigned long long)g->inputs, (unsigned long long)lode_chain_maker_coin_count(g->maker),
            (double)(now - g->start_ns) / 1e9);
}

static lode_status put_block(lode_genchain *g, const lode_made_block *block, const char *place)
{
    write_manifest(g, block, place);
    g->signatures += block->signature_count;
    return lode_block_out_add(g->out, block);
}

static lode_status release_kept(lode_genchain *g)
{
    while (g->kept && lode_chain_maker_height(g->maker) >= g->release_height) {
        lode_kept_block *first = g->kept;
        lode_status s = put_block(g, &first->block, first->place);

        g->kept = first->next;
        free((void *)(uintptr_t)first->block.raw);
        free(first);
        LODE_TRY(s);
    }
    return lode_ok();
}

static lode_status keep(lode_genchain *g, const lode_made_block *block, const char *place)
{
    lode_kept_block *kept = (lode_kept_block *)calloc(1, sizeof *kept);
    uint8_t *raw = (uint8_t *)malloc(block->size);
    lode_kept_block **end = &g->kept;

    if (!kept || !raw) {
        free(kept);
        free(raw);
        return lode_fail(LODE_NO_MEMORY, "no memory for a side branch");
    }
    memcpy(raw, block->raw, block->size);
    kept->block = *block;
    kept->block.raw = raw;
    kept->place = place;
    while (*end)
        end = &(*end)->next;
    *end = kept;
    return lode_ok();
}

/* Odd ones come after the chain that beats them, even ones before it. */
static lode_status make_fork(lode_genchain *g)
{
    uint32_t depth = 1 + g->forks_made % g->o.fork_depth;
    bool comes_first = g->forks_made % 2 == 0;
    lode_made_block block;

    LODE_TRY(lode_chain_maker_mark(g->maker));
    for (uint32_t i = 0; i < depth; i++) {
        LODE_TRY(lode_chain_maker_extend(g->maker, &block));
        LODE_TRY(comes_first ? put_block(g, &block, "side") : keep(g, &block, "side"));
    }
    lode_chain_maker_rewind(g->maker);
    g->release_height = lode_chain_maker_height(g->maker) + depth;
    g->least_height = g->release_height + 1;
    g->forks_made++;
    return lode_ok();
}

/* Good blocks, a wrong one, and one upon it. They come when the chain is as high as the good ones: a reader leaves the
 * chain for them, meets the wrong block and must come back. */
static lode_status make_bad_branch(lode_genchain *g, uint32_t depth, unsigned kind)
{
    lode_made_block block;

    for (uint32_t i = 0; i < depth; i++) {
        LODE_TRY(lode_chain_maker_extend(g->maker, &block));
        LODE_TRY(keep(g, &block, "side"));
    }
    LODE_TRY(lode_chain_maker_extend_invalid(g->maker, &block, kind));
    LODE_TRY(keep(g, &block, lode_invalid_kind_name(kind)));
    LODE_TRY(lode_chain_maker_extend_empty(g->maker, &block));
    block.reject = "bad-prevblk";
    return keep(g, &block, "upon-invalid");
}

static lode_status make_bad_fork(lode_genchain *g)
{
    /* Wrong in ways that show only when the block is connected. */
    static const char *const names[] = { "bad-signature",      "double-spend",  "bad-cb-amount",         "spent-input",
                                         "bad-signature-p2tr", "missing-input", "early-sequence-blocks", "overspend" };
    const char *name = names[g->bad_forks_made % (sizeof names / sizeof names[0])];
    uint32_t depth = 1 + g->bad_forks_made % g->o.fork_depth;
    unsigned kind = 0;

    lode_invalid_kind_from_name(&kind, name, strlen(name));
    LODE_TRY(lode_chain_maker_mark(g->maker));
    LODE_TRY(make_bad_branch(g, depth, kind));
    lode_chain_maker_rewind(g->maker);
    g->release_height = lode_chain_maker_height(g->maker) + depth;
    g->least_height = g->release_height + 1;
    g->bad_forks_made++;
    return lode_ok();
}

static lode_status make_invalid(lode_genchain *g)
{
    unsigned kind = g->o.invalid[g->invalid_made++];
    lode_made_block block;

    LODE_TRY(lode_chain_maker_make_invalid(g->maker, &block, kind));
    return put_block(g, &block, lode_invalid_kind_name(kind));
}

static size_t count_events(const lode_genchain *g)
{
    return g->o.forks + g->o.bad_forks + g->o.invalid_count;
}

static size_t count_made(const lode_genchain *g)
{
    return g->forks_made + g->bad_forks_made + g->invalid_made;
}

/* Events stand evenly between the first height that can have one and the end, where that is known. */
static bool is_event_due(const lode_genchain *g)
{
    uint32_t height = lode_chain_maker_height(g->maker);
    uint64_t done = count_made(g), all = count_events(g);
    uint64_t span =
        g->o.blocks > FIRST_EVENT + 2 * g->o.fork_depth ? g->o.blocks - FIRST_EVENT - 2 * g->o.fork_depth : all;

    if (done >= all || height < FIRST_EVENT || height < g->least_height)
        return false; /* the last fork is not behind us yet */
    return height - FIRST_EVENT >= done * span / all;
}

/* What is furthest behind its share comes next. */
static lode_status make_event(lode_genchain *g)
{
    uint64_t forks = (uint64_t)(g->o.forks - g->forks_made) * (g->o.bad_forks + 1);
    uint64_t bad_forks = (uint64_t)(g->o.bad_forks - g->bad_forks_made) * (g->o.forks + 1);
    uint64_t all_forks = g->o.forks + g->o.bad_forks, forks_left = all_forks - g->forks_made - g->bad_forks_made;
    uint64_t invalid_left = g->o.invalid_count - g->invalid_made;

    if (forks_left * (g->o.invalid_count + 1) <= invalid_left * (all_forks + 1))
        return make_invalid(g);
    return forks >= bad_forks ? make_fork(g) : make_bad_fork(g);
}

static lode_status make_events(lode_genchain *g)
{
    while (is_event_due(g))
        LODE_TRY(make_event(g));
    return lode_ok();
}

static bool is_long_enough(const lode_genchain *g)
{
    uint32_t height = lode_chain_maker_height(g->maker);

    if (count_made(g) < count_events(g) || height < g->least_height)
        return false;
    if (g->o.blocks && height >= g->o.blocks)
        return true;
    if (g->o.size_bytes && lode_block_out_bytes(g->out) >= g->o.size_bytes)
        return true;
    return !g->o.blocks && !g->o.size_bytes && lode_chain_maker_coin_count(g->maker) >= g->o.recipe.grow_to;
}

static lode_status put_main_block(lode_genchain *g, const lode_made_block *block)
{
    g->txs += block->tx_count;
    g->inputs += block->input_count;
    g->outputs += block->output_count;
    LODE_TRY(put_block(g, block, "main"));
    tell_progress(g);
    return release_kept(g);
}

static lode_status make_chain(lode_genchain *g)
{
    lode_made_block block;

    lode_chain_maker_genesis(&block);
    LODE_TRY(put_block(g, &block, "main"));
    while (!is_long_enough(g)) {
        LODE_TRY(make_events(g));
        LODE_TRY(lode_chain_maker_extend(g->maker, &block));
        LODE_TRY(put_main_block(g, &block));
    }
    for (uint32_t i = 0; i < g->o.empty_tail; i++) {
        LODE_TRY(lode_chain_maker_extend_empty(g->maker, &block));
        LODE_TRY(put_main_block(g, &block));
    }
    return lode_block_out_finish(g->out);
}

static void tell_result(const lode_genchain *g)
{
    double wall = (double)(lode_clock_ns() - g->start_ns) / 1e9;
    lode_block_hash tip = lode_chain_maker_tip(g->maker);
    struct rusage use;
    double cpu;
    char hash[65];

    getrusage(RUSAGE_SELF, &use);
    cpu = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
          (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
    lode_hash_to_hex(hash, tip.bytes);
    fprintf(
        stderr,
        "height %u  tip %s\n%llu bytes  %llu transactions  %llu inputs  %llu outputs  %llu signatures  %llu coins\n",
        lode_chain_maker_height(g->maker), hash, (unsigned long long)lode_block_out_bytes(g->out),
        (unsigned long long)g->txs, (unsigned long long)g->inputs, (unsigned long long)g->outputs,
        (unsigned long long)g->signatures, (unsigned long long)lode_chain_maker_coin_count(g->maker));
    if (g->o.progress)
        fprintf(stderr, "%.1f s  %.1f CPU seconds  %.0f signatures a CPU second  %ld MB resident\n", wall, cpu,
                (double)g->signatures / (cpu > 0 ? cpu : 1), use.ru_maxrss / 1000);
}

/* A coin as Core's set hashes take it: outpoint, height and coinbase flag, value, script. */
static lode_status add_to_muhash(void *context, const lode_made_coin *coin, lode_slice script)
{
    uint8_t bytes[36 + 4 + 8 + 9 + 128];
    size_t len = 48;

    memcpy(bytes, coin->txid.bytes, 32);
    lode_write_le32(bytes + 32, coin->index);
    lode_write_le32(bytes + 36, coin->height * 2 + coin->is_coinbase);
    lode_write_le64(bytes + 40, (uint64_t)coin->value);
    len += lode_compact_size_write(bytes + len, script.len);
    memcpy(bytes + len, script.data, script.len);
    lode_muhash_insert((lode_muhash *)context, bytes, len + script.len);
    return lode_ok();
}

static lode_status tell_muhash(const lode_genchain *g)
{
    lode_muhash set;
    uint8_t hash[32];
    char hex[65];

    if (!g->o.muhash)
        return lode_ok();
    lode_muhash_init(&set);
    LODE_TRY(lode_chain_maker_visit_coins(g->maker, add_to_muhash, &set));
    lode_muhash_final(hash, &set);
    lode_hash_to_hex(hex, hash);
    fprintf(stderr, "muhash %s\n", hex);
    return lode_ok();
}

static lode_status run(lode_genchain *g)
{
    g->start_ns = g->told_ns = lode_clock_ns();
    if (g->o.manifest) {
        g->manifest = fopen(g->o.manifest, "w");
        if (!g->manifest)
            return lode_fail(LODE_IO, "%s: cannot be written", g->o.manifest);
    }
    LODE_TRY(lode_chain_maker_create(&g->maker, &g->o.recipe));
    LODE_TRY(lode_block_out_open(&g->out, &g->o.out));
    LODE_TRY(make_chain(g));
    tell_result(g);
    return tell_muhash(g);
}

static void clear(lode_genchain *g)
{
    while (g->kept) {
        lode_kept_block *first = g->kept;

        g->kept = first->next;
        free((void *)(uintptr_t)first->block.raw);
        free(first);
    }
    if (g->manifest)
        fclose(g->manifest);
    lode_block_out_close(g->out);
    lode_chain_maker_destroy(g->maker);
    free(g->o.invalid);
}

int main(int argc, char **argv)
{
    lode_genchain g = { 0 };
    lode_genchain_wish wish = lode_genchain_read_options(&g.o, argc, argv);
    lode_status s;

    if (wish != LODE_GENCHAIN_MAKE) {
        free(g.o.invalid);
        return wish == LODE_GENCHAIN_DONE ? 0 : 2;
    }
    s = run(&g);
    if (lode_failed(s))
        fprintf(stderr, "lode-genchain: %s\n", s.text);
    clear(&g);
    return lode_failed(s) ? 1 : 0;
}
