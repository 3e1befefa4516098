/* test/fuzz/store_log_fuzz.c: any bytes are a log that ends, is torn, or is damaged; batches in it apply or are
 * refused.
 *
 * Input: flags u8 (1 the log has marks, 2 passing over damage, 4 checksums are made right first), then the file.
 */
#include "storage/batch.h"
#include "storage/crc32c.h"
#include "storage/log_format.h"
#include "storage/log_reader.h"

#include "test/fuzz/fuzz.h"
#include "test/storage/one_file_env.h"

static void make_checksums_right(uint8_t *data, size_t len)
{
    for (size_t at = 0; at + LODE_LOG_HEADER_BYTES <= len;) {
        size_t in_block = at % LODE_LOG_BLOCK_BYTES, n = lode_read_le16(data + at + 4);
        if (LODE_LOG_BLOCK_BYTES - in_block < LODE_LOG_HEADER_BYTES) {
            at += LODE_LOG_BLOCK_BYTES - in_block;
            continue;
        }
        if (n > len - at - LODE_LOG_HEADER_BYTES)
            return;
        lode_write_le32(data + at, lode_crc32c_mask(lode_crc32c(data + at + 6, n + 1)));
        at += LODE_LOG_HEADER_BYTES + n;
    }
}

static void read_log(const uint8_t *data, size_t len, int flags)
{
    one_file_env e;
    lode_log_reader *r;
    lode_env *env = one_file_env_init(&e, data, len, false);
    lode_memtable *mem = lode_memtable_create(NULL, 1 << 16);
    bool found = true;
    lode_slice record;
    uint64_t last, bytes = 0;
    FUZZ_CHECK(mem && !lode_failed(lode_log_reader_open(&r, env, "log")));
    if (flags & 1)
        lode_log_reader_expect_marks(r);
    if (flags & 2)
        lode_log_reader_pass_over_damage(r);
    while (found) {
        lode_status s = lode_log_reader_next(r, &found, &record);
        if (lode_failed(s)) {
            FUZZ_CHECK(s.code == LODE_CORRUPT && !(flags & 2));
            break;
        }
        if (!found)
            break;
        bytes += record.len;
        FUZZ_CHECK(bytes <= len);
        s = lode_batch_apply(record, mem, &last);
        FUZZ_CHECK(!lode_failed(s) || s.code == LODE_CORRUPT);
    }
    FUZZ_CHECK(!lode_failed(lode_log_reader_next(r, &found, &record)) || found == false);
    if (lode_log_reader_is_torn(r, &last))
        FUZZ_CHECK(last <= len);
    lode_log_reader_close(r);
    lode_memtable_unref(mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (!len)
        return 0;
    uint8_t *copy = malloc(len);
    FUZZ_CHECK(copy);
    memcpy(copy, data, len);
    if (copy[0] & 4)
        make_checksums_right(copy + 1, len - 1);
    read_log(copy + 1, len - 1, copy[0]);
    free(copy);
    return 0;
}
