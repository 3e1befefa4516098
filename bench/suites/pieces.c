/* bench/suites/pieces.c: what tables are made of, without a table: CRC-32C and snappy over 4 KiB. */
#include <snappy-c.h>
#include <stdlib.h>
#include <string.h>

#include "bench/suites/run_internal.h"
#include "storage/crc32c.h"

enum { PIECE = 4096, PACKED_MAX = 8192 };

static uint64_t do_one(lode_phase_kind kind, const char *plain, const char *packed, size_t packed_len)
{
    char out[PACKED_MAX];
    size_t len = sizeof out;
    snappy_status s = SNAPPY_OK;

    if (kind == LODE_PHASE_CRC32C)
        return lode_crc32c(plain, PIECE);
    if (kind == LODE_PHASE_SNAPPY)
        s = snappy_compress(plain, PIECE, out, &len);
    else
        s = snappy_uncompress(packed, packed_len, out, &len);
    return s == SNAPPY_OK ? len : 0;
}

void lode_run_pieces(lode_run_state *run, const lode_phase *phase, lode_result *r)
{
    char plain[PIECE], packed[PACKED_MAX];
    size_t packed_len = sizeof packed;
    lode_stopwatch start;
    uint64_t once;

    for (size_t i = 0; i < PIECE; i++) /* half of it repeats */
        plain[i] =
            (char)(' ' + (i % 100 < 50 ? i * i * 31 + i / 100 * 7 : (i - 50) * (i - 50) * 31 + i / 100 * 7) % 95);
    snappy_compress(plain, PIECE, packed, &packed_len);
    once = do_one(phase->kind, plain, packed, packed_len);
    start = lode_stopwatch_now();
    for (uint64_t i = 0; i < (uint64_t)r->ops; i++) {
        __asm__ volatile("" ::: "memory");
        r->sum += do_one(phase->kind, plain, packed, packed_len);
        r->count++;
    }
    lode_stopwatch_stop(r, start);
    if (once == 0 || r->sum != once * r->count)
        lode_result_set(r, LODE_RESULT_WRONG, "what came out differs from time to time");
}
