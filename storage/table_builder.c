/* storage/table_builder.c: one sorted table, written from front to back.
 *
 * Touches:  one new file, through lode_env, in pieces of a quarter megabyte whose write-back starts at once.
 * Threads:  one at a time per builder; any number of builders.
 */
#include "storage/table_builder.h"

#include <stdlib.h>

#include <snappy-c.h>

#include "storage/block_builder.h"
#include "storage/coding.h"
#include "storage/crc32c.h"
#include "storage/filter.h"
#include "support/check.h"

enum { WRITE_BYTES = 256 << 10 };

struct lode_table_builder {
    lode_env *env;
    lode_file *file;
    char *path;
    lode_table_options options;
    lode_status error;

    lode_block_builder data, index;
    lode_filter_builder filter;
    lode_buf out;     /* not yet written */
    uint64_t written; /* bytes of the file */
    lode_buf packed;  /* for snappy */
    uint64_t count;
    lode_buf first_key, last_key, separator;
    bool has_filter;
    bool index_waits; /* the entry of the last data block waits for the key after it */
    lode_block_handle last_block;
};

static lode_status no_memory(lode_table_builder *b)
{
    return b->error = lode_fail(LODE_NO_MEMORY, "%s: memory ran out while the table was built", b->path);
}

lode_status lode_table_builder_create(lode_table_builder **out, lode_env *env, const char *path,
                                      const lode_table_options *options)
{
    *out = NULL;
    lode_table_builder *b = calloc(1, sizeof *b);
    if (b)
        b->path = strdup(path);
    if (!b || !b->path) {
        free(b);
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a table builder", path);
    }
    b->env = env;
    b->options = *options;
    b->has_filter = options->filter_policy || options->bloom_bits_per_key;
    b->error = lode_ok();
    lode_block_builder_init(&b->data, options->restart_interval);
    lode_block_builder_init(&b->index, 1);
    lode_filter_builder_init(&b->filter, options->bloom_bits_per_key, options->filter_policy);
    lode_filter_builder_start_block(&b->filter, 0);
    lode_status s = env->open(env, &b->file, path, LODE_OPEN_WRITE | LODE_OPEN_CREATE | LODE_OPEN_TRUNCATE);
    if (lode_failed(s)) {
        lode_table_builder_destroy(b);
        return s;
    }
    *out = b;
    return s;
}

void lode_table_builder_destroy(lode_table_builder *b)
{
    if (!b)
        return;
    b->env->close(b->env, b->file);
    lode_block_builder_clear(&b->data);
    lode_block_builder_clear(&b->index);
    lode_filter_builder_clear(&b->filter);
    lode_buf_clear(&b->out);
    lode_buf_clear(&b->packed);
    lode_buf_clear(&b->first_key);
    lode_buf_clear(&b->last_key);
    lode_buf_clear(&b->separator);
    free(b->path);
    free(b);
}

static uint64_t file_bytes(const lode_table_builder *b)
{
    return b->written + b->out.len;
}

static lode_status write_out(lode_table_builder *b)
{
    if (lode_failed(b->error))
        return b->error;
    if (!lode_buf_is_good(&b->out))
        return no_memory(b);
    if (!b->out.len)
        return lode_ok();
    b->error = b->env->pwrite(b->env, b->file, b->out.data, b->out.len, b->written);
    if (lode_failed(b->error))
        return b->error;
    b->env->start_writeback(b->env, b->file, b->written, b->out.len);
    b->written += b->out.len;
    lode_buf_reset(&b->out);
    return lode_ok();
}

/* Compressed when that saves an eighth; otherwise reading would cost and gain nothing. */
static bool pack(lode_table_builder *b, lode_slice *packed, lode_slice raw)
{
    size_t most = snappy_max_compressed_length(raw.len);
    if (b->options.compression != LODE_COMPRESSION_SNAPPY)
        return false;
    lode_buf_reset(&b->packed);
    if (!lode_buf_reserve(&b->packed, most))
        return false;
    if (snappy_compress((const char *)raw.data, raw.len, (char *)b->packed.data, &most) != SNAPPY_OK ||
        most >= raw.len - raw.len / 8)
        return false;
    *packed = lode_slice_of(b->packed.data, most);
    return true;
}

static void put_block(lode_table_builder *b, lode_block_handle *handle, lode_slice bytes, bool may_pack)
{
    lode_slice packed = bytes;
    uint8_t type = may_pack && pack(b, &packed, bytes) ? LODE_COMPRESSION_SNAPPY : LODE_COMPRESSION_NONE;
    handle->offset = file_bytes(b);
    handle->len = packed.len;
    uint8_t *p = lode_buf_extend(&b->out, packed.len + LODE_BLOCK_TRAILER_BYTES);
    if (!p)
        return;
    memcpy(p, packed.data, packed.len);
    p[packed.len] = type;
    lode_write_le32(p + packed.len + 1, lode_crc32c_mask(lode_crc32c(p, packed.len + 1)));
}

static void put_handle(lode_buf *out, const lode_block_handle *handle)
{
    lode_buf_put_varint64(out, handle->offset);
    lode_buf_put_varint64(out, handle->len);
}

static void end_data_block(lode_table_builder *b)
{
    lode_slice bytes;
    if (lode_block_builder_is_empty(&b->data))
        return;
    if (!lode_block_builder_finish(&b->data, &bytes)) {
        no_memory(b);
        return;
    }
    put_block(b, &b->last_block, bytes, true);
    lode_block_builder_reset(&b->data);
    b->index_waits = true;
    if (b->has_filter)
        lode_filter_builder_start_block(&b->filter, file_bytes(b));
}

/* ---- index keys: anything between the last key of a block and the first one of the next ---- */

/* LevelDB's rule for bytes: where both differ first, one more than the smaller byte, if that stays below the larger. */
static void shorten_bytes(uint8_t *start, size_t *len, lode_slice limit)
{
    size_t most = *len < limit.len ? *len : limit.len, i = 0;
    while (i < most && start[i] == limit.data[i])
        i++;
    if (i < most && start[i] < 0xff && start[i] + 1 < limit.data[i]) {
        start[i]++;
        *len = i + 1;
    }
}

static void succeed_bytes(uint8_t *key, size_t *len)
{
    for (size_t i = 0; i < *len; i++)
        if (key[i] != 0xff) {
            key[i]++;
            *len = i + 1;
            return;
        }
}

/* b->separator becomes a key >= the last one, and before `next` when there is one. */
static void make_separator(lode_table_builder *b, const lode_slice *next)
{
    const lode_comparator *cmp = b->options.cmp;
    lode_slice last = lode_buf_slice(&b->last_key), user = lode_user_key(last);
    lode_buf_reset(&b->separator);
    lode_buf_append(&b->separator, last.data, last.len);
    if (!lode_buf_is_good(&b->separator))
        return;
    uint8_t *p = b->separator.data;
    size_t len = user.len;
    if (!cmp && next)
        shorten_bytes(p, &len, lode_user_key(*next));
    else if (!cmp)
        succeed_bytes(p, &len);
    else if (next && cmp->shorten)
        cmp->shorten(cmp->context, p, &len, lode_user_key(*next).data, lode_user_key(*next).len);
    else if (!next && cmp->successor)
        cmp->successor(cmp->context, p, &len);
    lode_slice shorter = lode_slice_of(p, len);
    if (len < user.len && lode_compare_user(cmp, user, shorter) < 0 &&
        (!next || lode_compare_user(cmp, shorter, lode_user_key(*next)) < 0)) {
        lode_write_le64(p + len, lode_trailer_of(LODE_MAX_SEQUENCE, LODE_ENTRY_VALUE));
        b->separator.len = len + LODE_TRAILER_BYTES;
        return;
    }
    memcpy(p, last.data, last.len);
    b->separator.len = last.len;
}

static void put_index_entry(lode_table_builder *b, const lode_slice *next)
{
    uint8_t handle[2 * LODE_VARINT64_MAX_BYTES], *p = handle;
    make_separator(b, next);
    if (!lode_buf_is_good(&b->separator)) {
        no_memory(b);
        return;
    }
    p = lode_write_varint64(p, b->last_block.offset);
    p = lode_write_varint64(p, b->last_block.len);
    lode_block_builder_add(&b->index, lode_buf_slice(&b->separator), lode_slice_of(handle, (size_t)(p - handle)));
    b->index_waits = false;
}

/* Of the block that ends, for its entry in the index. */
static bool keep_last_key(lode_table_builder *b, lode_slice key)
{
    lode_buf_reset(&b->last_key);
    lode_buf_append(&b->last_key, key.data, key.len);
    if (lode_buf_is_good(&b->last_key))
        return true;
    no_memory(b);
    return false;
}

lode_status lode_table_builder_add(lode_table_builder *b, lode_slice key, lode_slice value)
{
    if (__builtin_expect(lode_failed(b->error), 0))
        return b->error;
    if (b->index_waits)
        put_index_entry(b, &key);
    if (__builtin_expect(lode_failed(b->error), 0))
        return b->error;
    if (!b->count++)
        lode_buf_append(&b->first_key, key.data, key.len);
    if (b->has_filter)
        lode_filter_builder_add(&b->filter, lode_user_key(key));
    lode_block_builder_add(&b->data, key, value);
    if (lode_block_builder_bytes(&b->data) < b->options.block_bytes)
        return lode_ok();
    if (!keep_last_key(b, key))
        return b->error;
    end_data_block(b);
    return b->out.len >= WRITE_BYTES || !lode_buf_is_good(&b->out) ? write_out(b) : b->error;
}

static void put_end(lode_table_builder *b)
{
    lode_block_handle filter = { 0 }, metaindex, index;
    lode_block_builder meta;
    lode_slice bytes;
    lode_buf name = LODE_BUF_EMPTY;
    uint8_t encoded[2 * LODE_VARINT64_MAX_BYTES], *p;
    bool good = true;

    lode_block_builder_init(&meta, 1);
    if (b->has_filter) {
        good = lode_filter_builder_finish(&b->filter, &bytes);
        if (good)
            put_block(b, &filter, bytes, false);
        p = lode_write_varint64(encoded, filter.offset);
        p = lode_write_varint64(p, filter.len);
        lode_buf_printf(&name, "filter.%s",
                        b->options.filter_policy ? b->options.filter_policy->name : LODE_FILTER_NAME);
        lode_block_builder_add(&meta, lode_buf_slice(&name), lode_slice_of(encoded, (size_t)(p - encoded)));
        good = good && lode_buf_is_good(&name);
        lode_buf_clear(&name);
    }
    good = good && lode_block_builder_finish(&meta, &bytes);
    if (good)
        put_block(b, &metaindex, bytes, true);
    lode_block_builder_clear(&meta);
    good = good && lode_block_builder_finish(&b->index, &bytes);
    if (good)
        put_block(b, &index, bytes, true);
    if (!good) {
        no_memory(b);
        return;
    }
    size_t footer_at = b->out.len;
    put_handle(&b->out, &metaindex);
    put_handle(&b->out, &index);
    size_t zeros = LODE_FOOTER_BYTES - 8 - (b->out.len - footer_at);
    uint8_t *z = lode_buf_extend(&b->out, zeros);
    if (z)
        memset(z, 0, zeros);
    lode_buf_put_le64(&b->out, LODE_TABLE_MAGIC);
}

lode_status lode_table_builder_finish(lode_table_builder *b, bool sync)
{
    if (lode_failed(b->error))
        return b->error;
    if (!lode_block_builder_is_good(&b->data) || !lode_buf_is_good(&b->first_key))
        return no_memory(b);
    if (!lode_block_builder_is_empty(&b->data)) {
        if (!keep_last_key(b, lode_buf_slice(&b->data.last_key)))
            return b->error;
        end_data_block(b);
    }
    if (!lode_failed(b->error) && b->index_waits)
        put_index_entry(b, NULL);
    if (lode_failed(b->error))
        return b->error;
    put_end(b);
    LODE_TRY(write_out(b));
    if (sync)
        b->error = b->env->sync(b->env, b->file);
    return b->error;
}

uint64_t lode_table_builder_bytes(const lode_table_builder *b)
{
    return file_bytes(b);
}
lode_slice lode_table_builder_first_key(const lode_table_builder *b)
{
    return lode_buf_slice(&b->first_key);
}
lode_slice lode_table_builder_last_key(const lode_table_builder *b)
{
    const lode_buf *last = lode_block_builder_is_empty(&b->data) ? &b->last_key : &b->data.last_key;
    return lode_buf_slice(last);
}
