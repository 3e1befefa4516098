/* storage/block_builder.c: building one block of a table.
 *
 * Touches:  memory only.
 * Threads:  one at a time per builder.
 */
#include "storage/block_builder.h"

#include "storage/coding.h"
#include "storage/format.h"

void lode_block_builder_init(lode_block_builder *b, unsigned restart_interval)
{
    *b = (lode_block_builder){ .restart_interval = restart_interval ? restart_interval : 1 };
}

void lode_block_builder_clear(lode_block_builder *b)
{
    lode_buf_clear(&b->bytes);
    lode_buf_clear(&b->restarts);
    lode_buf_clear(&b->last_key);
}

void lode_block_builder_reset(lode_block_builder *b)
{
    lode_buf_reset(&b->bytes);
    lode_buf_reset(&b->restarts);
    lode_buf_reset(&b->last_key);
    b->since_restart = 0;
}

/* last_key becomes `key`, of which `shared` bytes are there already. */
static void remember_key(lode_block_builder *b, lode_slice key, size_t shared)
{
    if (key.len > b->last_key.capacity && !lode_buf_reserve(&b->last_key, key.len - b->last_key.len))
        return;
    if (key.len > shared)
        memcpy(b->last_key.data + shared, key.data + shared, key.len - shared);
    b->last_key.len = key.len;
}

void lode_block_builder_add(lode_block_builder *b, lode_slice key, lode_slice value)
{
    size_t shared = 0;
    if (b->since_restart == 0 || b->since_restart >= b->restart_interval) {
        lode_buf_put_le32(&b->restarts, (uint32_t)b->bytes.len);
        b->since_restart = 0;
    } else {
        size_t most = key.len < b->last_key.len ? key.len : b->last_key.len;
        shared = lode_common_bytes(b->last_key.data, key.data, most);
    }
    b->since_restart++;
    size_t unshared = key.len - shared;
    if (!lode_buf_reserve(&b->bytes, 3 * LODE_VARINT32_MAX_BYTES + unshared + value.len))
        return;
    uint8_t *p = b->bytes.data + b->bytes.len;
    p = lode_write_varint32(p, (uint32_t)shared);
    p = lode_write_varint32(p, (uint32_t)unshared);
    p = lode_write_varint32(p, (uint32_t)value.len);
    if (unshared)
        memcpy(p, key.data + shared, unshared);
    p += unshared;
    if (value.len)
        memcpy(p, value.data, value.len);
    b->bytes.len = (size_t)(p + value.len - b->bytes.data);
    remember_key(b, key, shared);
}

bool lode_block_builder_finish(lode_block_builder *b, lode_slice *block)
{
    if (!b->restarts.len)
        lode_buf_put_le32(&b->restarts, 0);
    uint32_t count = (uint32_t)(b->restarts.len / 4);
    lode_buf_append(&b->bytes, b->restarts.data, b->restarts.len);
    lode_buf_put_le32(&b->bytes, count);
    *block = lode_buf_slice(&b->bytes);
    return lode_block_builder_is_good(b) && b->bytes.len <= UINT32_MAX;
}
