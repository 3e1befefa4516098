/* chainstate/block_index_record.c: records of the block index, as Core's CDiskBlockIndex and CBlockFileInfo.
 *
 * 'b' hash:   VARINT 259900 | VARINT height | VARINT status | VARINT transactions | VARINT file if data or undo |
 *             VARINT data position if data | VARINT undo position if undo | header, 80 bytes
 *     a stored genesis (block_index_test.c):
 *             8eed3c | 00 | 800b (data, witness, transactions) | 01 | 00 | 08 | 01000000 0000...
 * 'f' int32:  seven VARINTs: blocks, size, undo size, first and last height, first and last time
 *
 * Touches:  nothing.
 */
#include "chainstate/block_index_private.h"

#include "primitives/encode.h"

static uint8_t *put(uint8_t *out, uint64_t v)
{
    return out + lode_varint_write(out, v);
}

size_t lode_index_encode_entry(uint8_t out[LODE_INDEX_RECORD_MAX], const lode_entry *e)
{
    uint8_t *p = out;

    p = put(p, LODE_INDEX_RECORD_VERSION);
    p = put(p, (uint32_t)e->node.height);
    p = put(p, e->status);
    p = put(p, e->tx_count);
    if (e->status & (LODE_BLOCK_HAVE_DATA | LODE_BLOCK_HAVE_UNDO))
        p = put(p, (uint32_t)e->file);
    if (e->status & LODE_BLOCK_HAVE_DATA)
        p = put(p, e->data_pos);
    if (e->status & LODE_BLOCK_HAVE_UNDO)
        p = put(p, e->undo_pos);
    lode_header_serialize(p, &e->node.header);
    return (size_t)(p - out) + LODE_HEADER_SIZE;
}

static uint32_t take_u32(lode_reader *r, uint32_t limit)
{
    uint64_t v = lode_reader_varint(r);

    if (v > limit)
        r->bad = true;
    return r->bad ? 0 : (uint32_t)v;
}

const char *lode_index_peek_height(uint32_t *height, lode_slice record)
{
    lode_reader r = lode_reader_of(record.data, record.len);

    lode_reader_varint(&r);
    *height = take_u32(&r, INT32_MAX);
    return r.bad ? "its height cannot be read" : NULL;
}

const char *lode_index_decode_entry(lode_entry *e, int32_t *height, lode_slice record)
{
    lode_reader r = lode_reader_of(record.data, record.len);
    uint8_t raw[LODE_HEADER_SIZE];

    lode_reader_varint(&r); /* version */
    *height = (int32_t)take_u32(&r, INT32_MAX);
    e->status = take_u32(&r, UINT32_MAX);
    e->tx_count = take_u32(&r, UINT32_MAX);
    if (e->status & (LODE_BLOCK_HAVE_DATA | LODE_BLOCK_HAVE_UNDO))
        e->file = (int32_t)take_u32(&r, LODE_INDEX_MAX_FILES - 1);
    if (e->status & LODE_BLOCK_HAVE_DATA)
        e->data_pos = take_u32(&r, UINT32_MAX);
    if (e->status & LODE_BLOCK_HAVE_UNDO)
        e->undo_pos = take_u32(&r, UINT32_MAX);
    lode_reader_copy(&r, raw, sizeof raw);
    if (r.bad)
        return "it ends early or holds a number out of range";
    if (!lode_reader_is_done(&r))
        return "bytes are left over behind the header";
    lode_header_parse(&e->node.header, raw);
    return NULL;
}

size_t lode_index_encode_file(uint8_t out[LODE_INDEX_RECORD_MAX], const lode_block_file_info *info)
{
    uint8_t *p = out;

    p = put(p, info->blocks);
    p = put(p, info->size);
    p = put(p, info->undo_size);
    p = put(p, info->height_first);
    p = put(p, info->height_last);
    p = put(p, info->time_first);
    p = put(p, info->time_last);
    return (size_t)(p - out);
}

const char *lode_index_decode_file(lode_block_file_info *info, lode_slice record)
{
    lode_reader r = lode_reader_of(record.data, record.len);

    info->blocks = take_u32(&r, UINT32_MAX);
    info->size = take_u32(&r, UINT32_MAX);
    info->undo_size = take_u32(&r, UINT32_MAX);
    info->height_first = take_u32(&r, UINT32_MAX);
    info->height_last = take_u32(&r, UINT32_MAX);
    info->time_first = lode_reader_varint(&r);
    info->time_last = lode_reader_varint(&r);
    return lode_reader_is_done(&r) ? NULL : "it is not seven numbers";
}
