/* bench/lode-serve-bench.c: what does a reader of liblode get while blocks arrive, and what does a block cost whose
 * transactions were verified before?
 *
 *     bench/lode-serve-bench [--blocks=N, 260] [--txs=N, 800] [--seconds=N, 3] [--dir=FOLDER, a new one below /tmp]
 *
 * A chain of made blocks (mix 2024, real signatures) is imported half, then looked up at random, coins that are there
 * and coins that are spent alike, by one thread:
 *
 *     idle        nothing else happens
 *     importing   the other half is imported in the background, scripts and all, by the other threads
 *     submitting  blocks are submitted one by one
 *
 * Then the last blocks, not connected yet, are checked upon the tip (lode_check_block, which changes nothing):
 *
 *     cold        no transaction was seen before
 *     warm        each was given to lode_warm_transaction: scripts are not run again
 *     no scripts  the floor: a handle that checks no scripts
 *
 * A line gives name, size, unit, minimum, median, maximum; of lookups: lookups a second, and nanoseconds at the median,
 * the 99th percentile and the worst.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/chain/chain_maker.h"
#include "bench/common/report.h"
#include "lode.h"
#include "primitives/tx.h"
#include "support/env.h"
#include "support/thread.h"

enum { CHECKED = 12, SAMPLES = 1 << 22 };

typedef struct bench_block {
    uint8_t *raw;
    uint32_t size, tx_count, input_count;
} bench_block;

typedef struct bench {
    uint32_t blocks, txs;
    double seconds;
    char dir[512];
    bench_block *chain; /* genesis first */
    lode_coin_id *ids;  /* made by the first half */
    size_t id_count, id_capacity;
    lode *h;
    int stop;          /* atomic */
    uint32_t *samples; /* ns */
    size_t sample_count;
    uint64_t elapsed_ns;
} bench;

static void stop(const char *why)
{
    fprintf(stderr, "lode-serve-bench: %s\n", why);
    exit(1);
}

static void must(lode_status s)
{
    if (s.code != LODE_OK)
        stop(s.text);
}

static void *must_have(void *memory)
{
    if (!memory)
        stop("no memory");
    return memory;
}

/* ---- the chain ---- */

static void keep_ids(bench *b, const bench_block *made)
{
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_parse_error why;
    lode_block block;

    if (!lode_block_parse(&block, &arena, made->raw, made->size, 0, &why))
        stop(why.what);
    for (uint32_t i = 0; i < block.tx_count; i++) {
        for (uint32_t o = 0; o < block.txs[i].output_count; o++) {
            if (b->id_count == b->id_capacity) {
                b->id_capacity = b->id_capacity ? 2 * b->id_capacity : 4096;
                b->ids = must_have(realloc(b->ids, b->id_capacity * sizeof *b->ids));
            }
            memcpy(b->ids[b->id_count].txid, block.txs[i].txid.bytes, 32);
            b->ids[b->id_count++].index = o;
        }
    }
    lode_arena_clear(&arena);
}

static void make_chain(bench *b)
{
    lode_chain_recipe recipe;
    lode_chain_maker *maker;
    lode_made_block block;

    if (!lode_chain_recipe_init(&recipe, "2024"))
        stop("no such mix");
    recipe.seed = 2024;
    recipe.threads = lode_cpu_count();
    recipe.txs_per_block = b->txs;
    must(lode_chain_maker_create(&maker, &recipe));
    b->chain = must_have(calloc(b->blocks + 1, sizeof *b->chain));
    for (uint32_t h = 0; h <= b->blocks; h++) {
        if (h)
            must(lode_chain_maker_extend(maker, &block));
        else
            lode_chain_maker_genesis(&block);
        b->chain[h] = (bench_block){ must_have(malloc(block.size)), block.size, block.tx_count, block.input_count };
        memcpy(b->chain[h].raw, block.raw, block.size);
        if (h && h <= (b->blocks + 100) / 2)
            keep_ids(b, &b->chain[h]);
    }
    lode_chain_maker_destroy(maker);
}

static const char *write_file(const bench *b, const char *name, uint32_t first, uint32_t end)
{
    static const uint8_t magic[4] = { 0xfa, 0xbf, 0xb5, 0xda };
    static char path[2][600];
    static int which;
    char *out = path[which++ % 2];
    FILE *file;

    snprintf(out, sizeof path[0], "%s/%s", b->dir, name);
    file = must_have(fopen(out, "wb"));
    for (uint32_t h = first; h < end; h++) {
        uint8_t len[4];
        lode_write_le32(len, b->chain[h].size);
        if (fwrite(magic, 1, 4, file) != 4 || fwrite(len, 1, 4, file) != 4 ||
            fwrite(b->chain[h].raw, 1, b->chain[h].size, file) != b->chain[h].size)
            stop("the disk takes no more");
    }
    if (fclose(file) != 0)
        stop("the disk takes no more");
    return out;
}

static lode *open_handle(const bench *b, const char *name, int check_scripts)
{
    char datadir[600];
    lode_options o;
    lode *h;

    snprintf(datadir, sizeof datadir, "%s/%s", b->dir, name);
    lode_options_init(&o);
    o.datadir = datadir;
    o.chain = "regtest";
    o.check_scripts = check_scripts;
    o.dbcache_bytes = 64 << 20;
    must(lode_open(&h, &o));
    return h;
}

static lode_import_job *start_import(lode *h, const char *path)
{
    lode_import_options o;
    lode_import_job *job;

    lode_import_options_init(&o);
    o.paths = &path;
    o.path_count = 1;
    must(lode_import_start(&job, h, &o));
    return job;
}

/* ---- lookups ---- */

static void *run_reader(void *context)
{
    bench *b = context;
    uint64_t random = 88172645463325252u, began = lode_clock_ns(), before = began;

    b->sample_count = 0;
    while (!__atomic_load_n(&b->stop, __ATOMIC_RELAXED) && b->sample_count < SAMPLES) {
        lode_coin_info coin = { .size = sizeof coin };
        const lode_coin_id *id;
        uint64_t now;
        int found;

        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        id = &b->ids[random % b->id_count];
        must(lode_get_coin(b->h, &found, &coin, id->txid, id->index));
        if (found)
            lode_free(coin.script);
        now = lode_clock_ns();
        b->samples[b->sample_count++] = (uint32_t)(now - before < UINT32_MAX ? now - before : UINT32_MAX);
        before = now;
    }
    b->elapsed_ns = before - began;
    return NULL;
}

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void start_reading(bench *b, lode_thread *thread)
{
    b->stop = 0;
    must(lode_thread_start(thread, "reader", run_reader, b));
}

static void stop_reading(bench *b, lode_thread *thread, const char *name)
{
    __atomic_store_n(&b->stop, 1, __ATOMIC_RELAXED);
    lode_thread_join(thread);
    if (!b->sample_count)
        stop("nothing was looked up");
    qsort(b->samples, b->sample_count, sizeof *b->samples, compare_u32);
    printf("get_coin_%s n=%zu lookups/s %.0f ns p50 %u p99 %u max %u\n", name, b->sample_count,
           (double)b->sample_count * 1e9 / (double)b->elapsed_ns, b->samples[b->sample_count / 2],
           b->samples[b->sample_count * 99 / 100], b->samples[b->sample_count - 1]);
}

static void submit(lode *h, const bench_block *block)
{
    lode_submit_result r = { .size = sizeof r };

    must(lode_submit_block(h, &r, block->raw, block->size));
    if (!r.in_best_chain)
        stop(r.reason);
}

static void measure_lookups(bench *b)
{
    uint32_t half = (b->blocks + 100) / 2, last = b->blocks - CHECKED, submitted = last - (last - half) / 4;
    lode_import_result result = { .size = sizeof result };
    lode_thread thread = { 0 };

    must(lode_import_end(start_import(b->h, write_file(b, "first.dat", 0, half + 1)), NULL));
    start_reading(b, &thread);
    usleep((useconds_t)(b->seconds * 1e6));
    stop_reading(b, &thread, "idle");

    lode_import_job *job = start_import(b->h, write_file(b, "second.dat", half + 1, submitted + 1));
    start_reading(b, &thread);
    must(lode_import_end(job, &result));
    stop_reading(b, &thread, "importing");
    printf("import_meanwhile n=%llu inputs/s %.0f\n", (unsigned long long)result.inputs,
           (double)result.inputs * 1e9 / (double)result.elapsed_ns);

    start_reading(b, &thread);
    for (uint32_t h = submitted + 1; h <= last; h++)
        submit(b->h, &b->chain[h]);
    stop_reading(b, &thread, "submitting");
}

/* ---- blocks ---- */

static uint64_t check_ns(lode *h, const bench_block *block)
{
    lode_submit_result r = { .size = sizeof r };
    uint64_t at = lode_clock_ns();

    must(lode_check_block(h, &r, block->raw, block->size, 0));
    at = lode_clock_ns() - at;
    if (!r.accepted)
        stop(r.reason);
    return at;
}

/* The outputs that transaction `at` spends, of its own block or of the set, as a mempool has them at hand. */
static lode_spent_output *take_spent(lode *h, const lode_block *block, uint32_t at)
{
    const lode_tx *tx = &block->txs[at];
    lode_spent_output *spent = must_have(calloc(tx->input_count, sizeof *spent));

    for (uint32_t j = 0; j < tx->input_count; j++) {
        uint32_t index = lode_read_le32(tx->inputs[j].prevout + 32), i = at;
        lode_coin_info coin = { .size = sizeof coin };
        int found;

        while (i-- > 0 && memcmp(block->txs[i].txid.bytes, tx->inputs[j].prevout, 32) != 0) {
        }
        if (i != UINT32_MAX) {
            const lode_txout *o = &block->txs[i].outputs[index];
            spent[j] = (lode_spent_output){ o->value.sat, o->script, o->script_len };
            continue;
        }
        must(lode_get_coin(h, &found, &coin, tx->inputs[j].prevout, index));
        if (!found)
            stop("a coin is missing");
        spent[j] = (lode_spent_output){ coin.value_sat, coin.script, coin.script_len }; /* the process ends soon */
    }
    return spent;
}

static uint64_t warm_ns(lode *h, const bench_block *made)
{
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_parse_error why;
    lode_block block;
    uint64_t total = 0;

    if (!lode_block_parse(&block, &arena, made->raw, made->size, 0, &why))
        stop(why.what);
    for (uint32_t i = 1; i < block.tx_count; i++) {
        lode_script_result r = { .size = sizeof r };
        lode_spent_output *spent = take_spent(h, &block, i);
        uint64_t at = lode_clock_ns();
        must(lode_warm_transaction(h, &r, block.txs[i].raw, block.txs[i].size, spent, block.txs[i].input_count));
        total += lode_clock_ns() - at;
        if (!r.valid)
            stop(r.reason);
        free(spent);
    }
    lode_arena_clear(&arena);
    return total;
}

static void print_blocks(const char *name, double *ms, uint64_t inputs)
{
    lode_sort_doubles(ms, CHECKED);
    printf("check_block_%s n=%llu ms/block %.2f %.2f %.2f\n", name, (unsigned long long)inputs / CHECKED, ms[0],
           ms[CHECKED / 2], ms[CHECKED - 1]);
}

static void measure_blocks(bench *b)
{
    double cold[CHECKED], warm[CHECKED], bare[CHECKED], warming[CHECKED];
    lode_statistics s = { .size = sizeof s };
    lode *floor = open_handle(b, "floor", 0);
    uint64_t inputs = 0;

    must(lode_import_end(start_import(floor, write_file(b, "all.dat", 0, b->blocks - CHECKED + 1)), NULL));
    for (uint32_t i = 0; i < CHECKED; i++) {
        const bench_block *block = &b->chain[b->blocks - CHECKED + 1 + i];
        inputs += block->input_count;
        check_ns(b->h, block); /* coins come into the cache */
        cold[i] = (double)check_ns(b->h, block) / 1e6;
        warming[i] = (double)warm_ns(b->h, block) / 1e6;
        warm[i] = (double)check_ns(b->h, block) / 1e6;
        check_ns(floor, block);
        bare[i] = (double)check_ns(floor, block) / 1e6;
        submit(b->h, block);
        submit(floor, block);
    }
    print_blocks("cold", cold, inputs);
    print_blocks("warm", warm, inputs);
    print_blocks("no_scripts", bare, inputs);
    print_blocks("warming_one_thread", warming, inputs);
    must(lode_get_statistics(b->h, &s));
    printf("warm_transactions n=%llu hits %llu\n", (unsigned long long)s.warm_transactions,
           (unsigned long long)s.warm_hits);
    must(lode_close(floor));
}

/* ---- the command line ---- */

static void read_options(bench *b, int argc, char **argv)
{
    *b = (bench){ .blocks = 260, .txs = 800, .seconds = 3 };
    for (int i = 1; i < argc; i++) {
        const char *value = strchr(argv[i], '=');
        if (value && strncmp(argv[i], "--blocks=", 9) == 0)
            b->blocks = (uint32_t)strtoul(value + 1, NULL, 10);
        else if (value && strncmp(argv[i], "--txs=", 6) == 0)
            b->txs = (uint32_t)strtoul(value + 1, NULL, 10);
        else if (value && strncmp(argv[i], "--seconds=", 10) == 0)
            b->seconds = strtod(value + 1, NULL);
        else if (value && strncmp(argv[i], "--dir=", 6) == 0)
            snprintf(b->dir, sizeof b->dir, "%s", value + 1);
        else
            stop("usage: lode-serve-bench [--blocks=N] [--txs=N] [--seconds=N] [--dir=FOLDER]");
    }
    if (b->blocks < 140 || b->blocks > 100000 || b->txs < 2 || !(b->seconds > 0 && b->seconds < 1000))
        stop("at least 140 blocks of 2 transactions, and some time");
}

int main(int argc, char **argv)
{
    static bench b;
    bool is_own;

    read_options(&b, argc, argv);
    is_own = !b.dir[0];
    if (is_own) {
        snprintf(b.dir, sizeof b.dir, "/tmp/lode-serve-bench-XXXXXX");
        must_have(mkdtemp(b.dir));
    }
    b.samples = must_have(malloc(SAMPLES * sizeof *b.samples));
    printf("# liblode %s, %u processors, mix 2024, %u blocks of up to %u transactions\n", lode_version(),
           lode_cpu_count(), b.blocks, b.txs);
    make_chain(&b);
    b.h = open_handle(&b, "data", 1);
    measure_lookups(&b);
    measure_blocks(&b);
    must(lode_close(b.h));
    if (is_own)
        must(lode_env_remove_tree(lode_env_system(), b.dir));
    return 0;
}
