/* bench/block_index_load.c: what does opening a block index of N headers cost, beside a bare scan of its records?
 *
 * Usage: block_index_load [headers [directory]]        default: 100000, a directory below $TMPDIR
 * Made:  a chain of regtest headers with a fork at every hundredth, seed fixed, written once. The records were read
 * once before (warm). One thread. Lines: name, size, unit, minimum, median and maximum of five runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chainstate/block_index.h"
#include "support/thread.h"

#define RUNS 5

static void must(lode_status s)
{
    if (!lode_failed(s))
        return;
    fprintf(stderr, "%s\n", s.text);
    exit(1);
}

static lode_entry *add_mined(lode_block_index *index, lode_entry *prev, uint32_t salt)
{
    lode_header h = {
        .version = 0x20000000, .prev = prev->node.hash, .time = prev->node.header.time + 600, .bits = 0x207fffff
    };
    uint8_t raw[LODE_HEADER_SIZE];
    lode_block_hash hash;

    memcpy(h.merkle_root.bytes, &salt, sizeof salt);
    do {
        h.nonce++;
        lode_header_serialize(raw, &h);
        lode_sha256d(hash.bytes, raw, sizeof raw);
    } while (hash.bytes[31] >= 0x7f);
    return lode_block_index_add(index, &h, &hash, prev);
}

static void write_index(const lode_block_index_options *o, uint32_t count)
{
    lode_block_index *index;
    lode_header header;

    must(lode_block_index_open(&index, o));
    lode_header_parse(&header, o->params->genesis_raw);
    lode_entry *tip = lode_block_index_add(index, &header, &o->params->genesis_hash, NULL);
    for (uint32_t i = 1; i < count; i++) {
        lode_entry *e = add_mined(index, tip, i);
        if (i % 100 != 0)
            tip = e;
    }
    must(lode_block_index_write(index));
    must(lode_store_compact_range(lode_block_index_store(index), NULL, 0, NULL, 0));
    must(lode_block_index_close(index));
}

static uint64_t time_open(const lode_block_index_options *o, uint32_t count)
{
    lode_block_index *index;
    uint64_t start = lode_clock_ns();

    must(lode_block_index_open(&index, o));
    uint64_t took = lode_clock_ns() - start;
    if (lode_block_index_count(index) != count)
        must(lode_fail(LODE_BUG, "%zu entries", lode_block_index_count(index)));
    must(lode_block_index_close(index));
    return took;
}

static uint64_t time_scan(const lode_block_index_options *o, uint32_t count)
{
    lode_store_options so;
    lode_iterator_options io;
    lode_store *store;
    lode_iterator *it;
    uint32_t seen = 0;
    size_t bytes = 0;

    lode_store_options_init(&so);
    so.env = o->env;
    uint64_t start = lode_clock_ns();
    must(lode_store_open(&store, o->path, &so));
    lode_iterator_options_init(&io);
    must(lode_iterator_create(&it, store, &io));
    for (lode_iterator_seek_first(it); lode_iterator_is_valid(it); lode_iterator_next(it)) {
        seen++;
        bytes += lode_iterator_value(it).len;
    }
    uint64_t took = lode_clock_ns() - start;
    lode_iterator_destroy(it);
    must(lode_store_close(store));
    if (seen < count || bytes < count)
        must(lode_fail(LODE_BUG, "%u records", seen));
    return took;
}

static int compare(const void *a, const void *b)
{
    uint64_t x, y;

    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

static void report(const char *name, uint32_t count, uint64_t (*run)(const lode_block_index_options *o, uint32_t count),
                   const lode_block_index_options *o)
{
    uint64_t ns[RUNS];

    for (int i = 0; i < RUNS; i++)
        ns[i] = run(o, count);
    qsort(ns, RUNS, sizeof *ns, compare);
    printf("%s n=%u ns/header %.0f %.0f %.0f\n", name, count, (double)ns[0] / count, (double)ns[RUNS / 2] / count,
           (double)ns[RUNS - 1] / count);
}

int main(int argc, char **argv)
{
    uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100000;
    const char *base = getenv("TMPDIR");
    lode_chain_params params;
    char path[512];

    lode_chain_params_init(&params, LODE_CHAIN_REGTEST);
    snprintf(path, sizeof path, "%s/lode-bench-XXXXXX", base ? base : "/tmp");
    if (argc <= 2 && !mkdtemp(path))
        return 1;
    lode_block_index_options o = { .path = argc > 2 ? argv[2] : path, .params = &params, .env = lode_env_system() };
    write_index(&o, count);
    report("block_index_scan_warm", count, time_scan, &o);
    report("block_index_load_warm", count, time_open, &o);
    if (argc <= 2)
        must(lode_env_remove_tree(o.env, path));
    return 0;
}
