/* test/fuzz/encode_fuzz.c: what decodes encodes to something that decodes the same, in the shortest form.
 *
 * Input: kind u8 (0 coin, 1 coin key, 2 compressed script, 3 VARINT, else CompactSize), then the bytes.
 */
#include "primitives/encode.h"

#include "test/fuzz/fuzz.h"

static void try_coin(const uint8_t *data, size_t len)
{
    uint8_t scratch[67], again_scratch[67];
    lode_coin coin, again;

    if (!lode_coin_decode(&coin, scratch, data, len) || !lode_amount_is_money(coin.value))
        return; /* beyond money amounts wrap, as Core's do, and several forms may give one number */
    size_t encoded_len = lode_coin_encoded_length(&coin);
    uint8_t *encoded = malloc(encoded_len);
    FUZZ_CHECK(encoded && lode_coin_encode(encoded, &coin) == encoded_len && encoded_len <= len);
    FUZZ_CHECK(lode_coin_decode(&again, again_scratch, encoded, encoded_len));
    FUZZ_CHECK(again.height == coin.height && again.is_coinbase == coin.is_coinbase);
    FUZZ_CHECK(again.value.sat == coin.value.sat);
    FUZZ_CHECK(lode_slice_is_equal(again.script, coin.script));
    free(encoded);
}

static void try_coin_key(const uint8_t *data, size_t len)
{
    uint8_t prevout[36], key[LODE_COIN_KEY_MAX];

    if (!lode_coin_key_decode(prevout, data, len))
        return;
    FUZZ_CHECK(lode_coin_key(key, prevout) == len && memcmp(key, data, len) == 0);
}

static void try_script(const uint8_t *data, size_t len)
{
    lode_reader r = lode_reader_of(data, len), skip = r;
    uint8_t scratch[67];
    lode_slice script;

    lode_reader_script(&r, &script, scratch);
    lode_reader_skip_script(&skip);
    if (r.bad)
        return;
    FUZZ_CHECK(!skip.bad && skip.at == r.at);
    FUZZ_CHECK(script.len <= 10000);
    size_t stored_len = lode_script_compressed_length(script.data, script.len);
    uint8_t *stored = malloc(stored_len);
    FUZZ_CHECK(stored && lode_script_compress(stored, script.data, script.len) == stored_len);
    FUZZ_CHECK(stored_len <= (size_t)(r.at - data));
    free(stored);
}

static void try_varint(const uint8_t *data, size_t len)
{
    lode_reader r = lode_reader_of(data, len);
    uint64_t v = lode_reader_varint(&r);
    uint8_t again[10];

    if (r.bad)
        return;
    size_t n = (size_t)(r.at - data);
    FUZZ_CHECK(lode_varint_length(v) == n && lode_varint_write(again, v) == n && memcmp(again, data, n) == 0);
}

static void try_compact_size(const uint8_t *data, size_t len)
{
    lode_reader r = lode_reader_of(data, len);
    uint64_t v = lode_reader_compact_size(&r, false);
    uint8_t again[9];

    if (r.bad)
        return;
    size_t n = (size_t)(r.at - data);
    FUZZ_CHECK(lode_compact_size_length(v) == n && lode_compact_size_write(again, v) == n &&
               memcmp(again, data, n) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static void (*const tries[5])(const uint8_t *, size_t) = { try_coin, try_coin_key, try_script, try_varint,
                                                               try_compact_size };

    if (len > 0)
        tries[data[0] < 4 ? data[0] : 4](data + 1, len - 1);
    return 0;
}
