/* test/fuzz/block_index_fuzz.c: a record of the block index that decodes is the one that encodes again.
 *
 * Input: kind u8 (0 entry, else file info), then the record.
 */
#include "chainstate/block_index_private.h"

#include "test/fuzz/fuzz.h"

/* The version and bits without a meaning may differ: what is compared is what a second decoding finds. */
static void try_entry(const uint8_t *data, size_t len)
{
    uint8_t record[LODE_INDEX_RECORD_MAX];
    lode_entry e = { .status = 0 }, again = { .status = 0 };
    int32_t height, height_again;
    uint32_t peeked;

    if (lode_index_decode_entry(&e, &height, lode_slice_of(data, len)))
        return;
    FUZZ_CHECK(height >= 0 && e.file >= 0 && e.file < LODE_INDEX_MAX_FILES);
    FUZZ_CHECK(!lode_index_peek_height(&peeked, lode_slice_of(data, len)) && peeked == (uint32_t)height);
    e.node.height = height;
    size_t n = lode_index_encode_entry(record, &e);
    FUZZ_CHECK(n <= sizeof record);
    FUZZ_CHECK(!lode_index_decode_entry(&again, &height_again, lode_slice_of(record, n)));
    FUZZ_CHECK(height_again == height && again.status == e.status && again.tx_count == e.tx_count);
    FUZZ_CHECK(again.file == e.file && again.data_pos == e.data_pos && again.undo_pos == e.undo_pos);
    FUZZ_CHECK(memcmp(record + n - LODE_HEADER_SIZE, data + len - LODE_HEADER_SIZE, LODE_HEADER_SIZE) == 0);
}

static void try_file(const uint8_t *data, size_t len)
{
    uint8_t record[LODE_INDEX_RECORD_MAX];
    lode_block_file_info info;

    if (lode_index_decode_file(&info, lode_slice_of(data, len)))
        return;
    FUZZ_CHECK(lode_index_encode_file(record, &info) == len && memcmp(record, data, len) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (len == 0)
        return 0;
    if (data[0] == 0)
        try_entry(data + 1, len - 1);
    else
        try_file(data + 1, len - 1);
    return 0;
}
