/* bench/legacy_sighash.c: how much do the legacy signature hashes of a large transaction cost beside plain hashing?
 *
 * One transaction with n P2PKH inputs and two outputs: all n digests of type ALL, in order, as lode_tx_check_scripts
 * makes them; against one SHA-256 over as many bytes as those n preimages have, in pieces of one preimage. The work is
 * quadratic by its rules; sharing what stands before each input halves it. Warm, one thread, processor time.
 *
 *     bench/legacy_sighash [turns, 5]
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/common/report.h"
#include "support/thread.h"
#include "validate/script/sighash.h"

enum { MOST_INPUTS = 5000, MAX_TURNS = 101 };

static lode_txin inputs[MOST_INPUTS];
static uint8_t prevouts[MOST_INPUTS][36];
static uint8_t plain[41 * MOST_INPUTS + 200];

static uint64_t run_digests(const lode_tx *tx, lode_slice code)
{
    static lode_sighash_cache cache;
    lode_sighash_prefix prefix = { .has_hash = false };
    uint8_t digest[32];
    uint64_t start = lode_thread_cpu_ns();
    for (uint32_t i = 0; i < tx->input_count; i++) {
        lode_sighash_cache_init(&cache);
        cache.prefix = &prefix;
        lode_sighash_legacy(digest, tx, i, code, LODE_SIGHASH_ALL, &cache);
    }
    return lode_thread_cpu_ns() - start;
}

static uint64_t run_plain(uint32_t count)
{
    uint8_t digest[32];
    size_t len = 41 * (size_t)count + 110; /* a preimage */
    uint64_t start = lode_thread_cpu_ns();
    for (uint32_t i = 0; i < count; i++)
        lode_sha256(digest, plain, len);
    return lode_thread_cpu_ns() - start;
}

static void measure(lode_tx *tx, lode_slice code, uint32_t count, int turns)
{
    double seconds[MAX_TURNS], of_plain[MAX_TURNS];
    tx->input_count = count;
    for (int t = 0; t < turns; t++) {
        uint64_t ours = run_digests(tx, code), bare = run_plain(count);
        seconds[t] = (double)ours * 1e-9;
        of_plain[t] = (double)ours / (double)bare;
    }
    lode_sort_doubles(seconds, (size_t)turns);
    lode_sort_doubles(of_plain, (size_t)turns);
    printf("legacy_sighash n=%u s %.4f %.4f %.4f   of_plain_hashing %.3f %.3f %.3f\n", count, seconds[0],
           seconds[turns / 2], seconds[turns - 1], of_plain[0], of_plain[turns / 2], of_plain[turns - 1]);
}

int main(int argc, char **argv)
{
    static const uint8_t code[25] = { 0x76, 0xa9, 20, [23] = 0x88, [24] = 0xac };
    int turns = argc > 1 ? atoi(argv[1]) : 5;
    lode_txout outputs[2] = { { { 5000 }, code, 25 }, { { 6000 }, code, 25 } };
    lode_tx tx = { .version = 1, .output_count = 2, .inputs = inputs, .outputs = outputs };
    if (turns < 1 || turns > MAX_TURNS)
        return 1;
    for (uint32_t i = 0; i < MOST_INPUTS; i++) {
        memset(prevouts[i], (int)i, 36);
        inputs[i] = (lode_txin){ .prevout = prevouts[i], .sequence = 0xffffffffu };
    }
    for (uint32_t count = 5; count <= MOST_INPUTS; count *= 10)
        measure(&tx, lode_slice_of(code, sizeof code), count, turns);
    return 0;
}
