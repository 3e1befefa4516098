/* chainstate/block_files_read.c: blocks, parts of blocks and undo data out of block files.
 *
 * Touches:  pieces in memory, then files through lode_env. Lengths that were read are held against what is there.
 * Threads:  any.
 */
#include <inttypes.h>
#include <string.h>

#include "chainstate/block_files_private.h"
#include "primitives/encode.h"

/* ---- bytes ---- */

/* Copies what `piece` has of [offset, offset + len). *from falls to where memory begins, *end rises to where it ends.
 */
static void copy_piece(const lode_piece *piece, uint8_t *out, uint64_t offset, size_t len, uint64_t *from,
                       uint64_t *end)
{
    uint64_t first = piece->offset > offset ? piece->offset : offset;
    uint64_t last = (uint64_t)piece->offset + piece->len;

    if (last > offset + len)
        last = offset + len;
    if (first >= last)
        return;
    memcpy(out + (first - offset), piece->data + (first - piece->offset), (size_t)(last - first));
    if (first < *from)
        *from = first;
    if (last > *end)
        *end = last;
}

/* From oldest to newest, so that what was appended last stands. */
static void copy_from_memory(lode_block_files *files, uint8_t *out, uint64_t offset, size_t len, lode_file_id id,
                             uint64_t *from, uint64_t *end)
{
    lode_mutex_lock(&files->mutex);
    for (const lode_piece *p = files->first; p; p = p->next) {
        if (p->capacity && lode_file_id_is_equal(p->id, id))
            copy_piece(p, out, offset, len, from, end);
    }
    for (int i = 0; i < LODE_OPEN_PIECES; i++) {
        if (files->open[i] && lode_file_id_is_equal(files->open[i]->id, id))
            copy_piece(files->open[i], out, offset, len, from, end);
    }
    lode_mutex_unlock(&files->mutex);
}

lode_status lode_block_files_read(lode_block_files *files, size_t *got, uint8_t *out, size_t len, lode_file_id id,
                                  uint64_t offset)
{
    uint64_t from = offset + len, end = offset;
    lode_block_handle *handle;
    size_t on_disk = 0;

    copy_from_memory(files, out, offset, len, id, &from, &end);
    if (from > offset) {
        LODE_TRY(lode_block_handle_take(&handle, files, id, false));
        lode_status s = files->env->pread(files->env, handle->file, &on_disk, out, (size_t)(from - offset), offset);
        lode_block_handle_release(files, handle);
        LODE_TRY(s);
    }
    *got = on_disk < from - offset || end <= offset ? on_disk : (size_t)(end - offset);
    lode_block_files_xor(files, out, *got, offset);
    return lode_ok();
}

/* ---- records ---- */

static lode_status fail_at(const lode_block_files *files, lode_file_id id, uint32_t pos, const char *what)
{
    return lode_fail(LODE_CORRUPT, "%s/%s%05d.dat: record at %" PRIu32 ": %s", files->path,
                     id.kind == LODE_FILE_BLK ? "blk" : "rev", (int)id.number, pos, what);
}

/* A position past the file's end shows only when something is read there; before memory is asked for a large record,
 * its last byte is looked at. */
static lode_status read_head(lode_block_files *files, uint32_t *size, lode_file_id id, uint32_t pos, uint32_t tail)
{
    uint8_t head[LODE_RECORD_HEAD], last;
    size_t got;

    if (id.number < 0 || pos < LODE_RECORD_HEAD)
        return lode_fail(LODE_INVALID_ARGUMENT, "%s: no block file %d or no position %" PRIu32 " in it", files->path,
                         (int)id.number, pos);
    LODE_TRY(lode_block_files_read(files, &got, head, sizeof head, id, pos - LODE_RECORD_HEAD));
    if (got < sizeof head)
        return fail_at(files, id, pos, "the file ends before it");
    if (memcmp(head, files->params->magic, 4) != 0)
        return fail_at(files, id, pos, "it does not begin with the network's magic");
    *size = lode_read_le32(head + 4);
    if (*size < 1u << 20)
        return lode_ok();
    LODE_TRY(lode_block_files_read(files, &got, &last, 1, id, (uint64_t)pos + *size + tail - 1));
    return got == 1 ? lode_ok() : fail_at(files, id, pos, "it is longer than its file");
}

static lode_status read_body(lode_block_files *files, lode_buf *out, lode_file_id id, uint32_t pos, uint32_t offset,
                             size_t len)
{
    size_t got;
    uint8_t *p;

    lode_buf_reset(out);
    if (len == 0)
        return lode_ok();
    p = lode_buf_extend(out, len);
    if (!p)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for %zu bytes of a block file", files->path, len);
    lode_status s = lode_block_files_read(files, &got, p, len, id, (uint64_t)pos + offset);
    if (!lode_failed(s) && got < len)
        s = fail_at(files, id, pos, "the file ends within it");
    if (lode_failed(s))
        lode_buf_reset(out);
    return s;
}

static lode_status read_block_head(lode_block_files *files, uint32_t *size, lode_file_id id, uint32_t pos)
{
    LODE_TRY(read_head(files, size, id, pos, 0));
    if (*size < LODE_HEADER_SIZE || *size > LODE_MAX_SIZE)
        return fail_at(files, id, pos, "its length cannot be a block's");
    return lode_ok();
}

lode_status lode_block_files_read_block(lode_block_files *files, lode_buf *out, int32_t file, uint32_t pos)
{
    lode_file_id id = { LODE_FILE_BLK, file };
    uint32_t size;

    LODE_TRY(read_block_head(files, &size, id, pos));
    return read_body(files, out, id, pos, 0, size);
}

lode_status lode_block_files_read_part(lode_block_files *files, lode_buf *out, int32_t file, uint32_t pos,
                                       uint32_t offset, uint32_t len)
{
    lode_file_id id = { LODE_FILE_BLK, file };
    uint32_t size;

    LODE_TRY(read_block_head(files, &size, id, pos));
    if (offset > size)
        offset = size;
    return read_body(files, out, id, pos, offset, len < size - offset ? len : size - offset);
}

lode_status lode_block_files_read_undo(lode_block_files *files, lode_buf *out, int32_t file, uint32_t pos,
                                       const lode_block_hash *prev_hash)
{
    lode_file_id id = { LODE_FILE_REV, file };
    lode_sha256_stream stream;
    uint8_t hash[32];
    uint32_t size;

    LODE_TRY(read_head(files, &size, id, pos, sizeof hash));
    LODE_TRY(read_body(files, out, id, pos, 0, (size_t)size + sizeof hash));
    lode_sha256_begin(&stream);
    lode_sha256_add(&stream, prev_hash->bytes, sizeof prev_hash->bytes);
    lode_sha256_add(&stream, out->data, size);
    lode_sha256d_end(&stream, hash);
    bool fits = memcmp(hash, out->data + size, sizeof hash) == 0;
    out->len = size;
    if (fits)
        return lode_ok();
    lode_buf_reset(out);
    return fail_at(files, id, pos, "the checksum does not fit");
}
