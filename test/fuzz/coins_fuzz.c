/* test/fuzz/coins_fuzz.c: stored coins and undo data: what is read is written again as the same bytes.
 *
 * Input: kind u8 (0 a coin as stored, else undo data), then the bytes.
 */
#include "chainstate/coins_internal.h"
#include "chainstate/coins_record.h"
#include "chainstate/undo.h"

#include "test/fuzz/fuzz.h"

/* Into the cache's own form and out of it. */
static void try_entry(const lode_coin_view *view)
{
    static uint8_t entry[LODE_COINS_MAX_ENTRY], scratch[LODE_COINS_MAX_STORED_SCRIPT];
    size_t len = lode_coins_entry_write(entry, 7, LODE_COINS_DIRTY, view->compressed_amount, view->script);
    uint64_t amount;
    lode_slice script;

    FUZZ_CHECK(len <= sizeof entry && lode_coins_entry_length(entry) == len);
    FUZZ_CHECK(lode_coins_entry_index(entry) == 7 && lode_coins_entry_state(entry) == LODE_COINS_DIRTY);
    lode_coins_entry_read(entry, &amount, &script, scratch);
    FUZZ_CHECK(amount == view->compressed_amount && lode_slice_is_equal(script, view->script));
}

static void try_stored(const uint8_t *data, size_t len)
{
    lode_coin_view view;
    uint8_t start[20];
    size_t n;

    if (!lode_coins_decode_stored(&view, data, len))
        return;
    try_entry(&view);
    n = lode_varint_write(start, (uint64_t)view.height << 1 | view.is_coinbase);
    n += lode_varint_write(start + n, view.compressed_amount);
    FUZZ_CHECK(n < len && memcmp(start, data, n) == 0);
    FUZZ_CHECK(view.script.data == data + n ? view.script.len == len - n : view.script.len == 2);
}

static void try_undo(const uint8_t *data, size_t len)
{
    lode_undo_reader u;
    uint64_t txs, inputs, seen = 0, amount;
    uint32_t height;
    bool is_coinbase;
    lode_slice script;

    lode_undo_reader_init(&u, data, len, &txs);
    while (lode_undo_next_tx(&u, &inputs)) {
        for (seen++; inputs > 0; inputs--) {
            const uint8_t *start = u.r.at;
            if (!lode_undo_next_coin(&u, &height, &is_coinbase, &amount, &script))
                return;
            uint8_t *again = malloc(script.len + 31);
            size_t n = again ? lode_undo_put_coin(again, height, is_coinbase, amount, script) : 0;
            /* where the version of old files is not 0, ours is shorter */
            FUZZ_CHECK(n > 0 && n <= (size_t)(u.r.at - start));
            FUZZ_CHECK(memcmp(again + n - script.len, u.r.at - script.len, script.len) == 0);
            free(again);
        }
    }
    FUZZ_CHECK(!lode_undo_reader_is_done(&u) || seen == txs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (len == 0)
        return 0;
    if (data[0] == 0)
        try_stored(data + 1, len - 1);
    else
        try_undo(data + 1, len - 1);
    return 0;
}
