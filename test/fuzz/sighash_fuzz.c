/* test/fuzz/sighash_fuzz.c: streamed signature hashes against those of the slow way, for any transaction and code.
 *
 * Input: hash type u32 | input u8 | code length u16 | code | transaction.
 */
#include "validate/script/sighash.h"

#include "test/fuzz/fuzz.h"
#include "test/validate/sighash_slow.h"

enum { MOST = 64 }; /* inputs and outputs that the slow way takes */

static void check_digests(const lode_tx *tx, uint32_t input, lode_slice code, int32_t type)
{
    static lode_sighash_cache cache;
    uint8_t fast[32], slow[32];
    lode_tx_hashes hashes;
    lode_amount value = { (int64_t)code.len };

    lode_sighash_cache_init(&cache);
    slow_sighash_legacy(slow, tx, input, code, type);
    for (int round = 0; round < 3; round++) {
        lode_sighash_legacy(fast, tx, input, code, type, round ? &cache : NULL);
        FUZZ_CHECK(memcmp(fast, slow, 32) == 0);
    }
    slow_sighash_v0(slow, tx, input, code, value.sat, type);
    for (int round = 0; round < 2; round++) {
        lode_tx_hashes_init(&hashes, tx, NULL, round);
        lode_sighash_v0(fast, &hashes, input, code, value, type, round ? &cache : NULL);
        FUZZ_CHECK(memcmp(fast, slow, 32) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    lode_reader r = lode_reader_of(data, len);
    lode_arena arena = LODE_ARENA_EMPTY;
    lode_tx tx;

    int32_t type = (int32_t)lode_reader_u32(&r);
    uint8_t input = lode_reader_u8(&r);
    size_t code_len = lode_reader_u16(&r);
    lode_slice code = lode_slice_of(lode_reader_take(&r, code_len), code_len);
    if (!r.bad && lode_tx_parse(&tx, &arena, r.at, lode_reader_left(&r), 0, NULL) && tx.input_count > 0 &&
        tx.input_count <= MOST && tx.output_count <= MOST)
        check_digests(&tx, input % tx.input_count, code, type);
    lode_arena_clear(&arena);
    return 0;
}
