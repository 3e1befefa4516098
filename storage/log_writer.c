/* storage/log_writer.c: the write-ahead log, writing side.
 *
 * Room:     cuts one byte string into checksummed fragments inside 32 KiB blocks.
 * Touches:  one append-only file, through lode_env. No memtable, manifest or clock.
 * Threads:  one writer at a time.
 * Promise:  after lode_log_writer_sync, earlier records survive a power cut; after a failed append or sync nothing is
 *           ever appended, so that a torn record is always the last one.
 */
#include "storage/log_writer.h"

#include <stdlib.h>

#include "storage/crc32c.h"
#include "storage/log_format.h"

struct lode_log_writer {
    lode_env *env;
    lode_file *file;
    char *path;
    uint64_t len;      /* of the file */
    lode_buf frame;    /* a record with its headers, written in one call */
    lode_status error; /* the first one, for ever */
    uint32_t type_crc[5];
};

lode_status lode_log_writer_create(lode_log_writer **out, lode_env *env, const char *path)
{
    *out = NULL;
    lode_log_writer *w = calloc(1, sizeof *w);
    if (w)
        w->path = strdup(path);
    if (!w || !w->path) {
        free(w);
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a log writer", path);
    }
    w->env = env;
    w->error = lode_ok();
    for (uint8_t type = 0; type < 5; type++)
        w->type_crc[type] = lode_crc32c(&type, 1);
    lode_status s = env->open(env, &w->file, path, LODE_OPEN_WRITE | LODE_OPEN_CREATE | LODE_OPEN_EXCLUSIVE);
    if (lode_failed(s)) {
        lode_log_writer_close(w);
        return s;
    }
    *out = w;
    return s;
}

static void put_fragment(lode_log_writer *w, lode_log_type type, const uint8_t *data, size_t len)
{
    uint8_t *p = lode_buf_extend(&w->frame, LODE_LOG_HEADER_BYTES + len);
    if (!p)
        return;
    lode_write_le32(p, lode_crc32c_mask(lode_crc32c_extend(w->type_crc[type], data, len)));
    lode_write_le16(p + 4, (uint16_t)len);
    p[6] = (uint8_t)type;
    if (len)
        memcpy(p + LODE_LOG_HEADER_BYTES, data, len);
}

static void put_frame(lode_log_writer *w, lode_slice record)
{
    size_t in_block = (size_t)((w->len + w->frame.len) % LODE_LOG_BLOCK_BYTES), done = 0;
    bool first = true, last;
    do {
        size_t left = LODE_LOG_BLOCK_BYTES - in_block;
        if (left < LODE_LOG_HEADER_BYTES) {
            static const uint8_t zeros[LODE_LOG_HEADER_BYTES];
            lode_buf_append(&w->frame, zeros, left);
            in_block = 0;
            left = LODE_LOG_BLOCK_BYTES;
        }
        size_t room = left - LODE_LOG_HEADER_BYTES, part = record.len - done;
        if (part > room)
            part = room;
        last = done + part == record.len;
        put_fragment(w,
                     first  ? last ? LODE_LOG_FULL : LODE_LOG_FIRST
                     : last ? LODE_LOG_LAST
                            : LODE_LOG_MIDDLE,
                     record.data + done, part);
        done += part;
        in_block = (in_block + LODE_LOG_HEADER_BYTES + part) % LODE_LOG_BLOCK_BYTES;
        first = false;
    } while (!last);
}

void lode_log_writer_add(lode_log_writer *w, lode_slice record)
{
    put_frame(w, record);
}

lode_status lode_log_writer_append(lode_log_writer *w, lode_slice record)
{
    if (lode_failed(w->error))
        return w->error;
    put_frame(w, record);
    if (!lode_buf_is_good(&w->frame))
        return w->error = lode_fail(LODE_NO_MEMORY, "%s: no memory for a record of %zu bytes", w->path, record.len);
    lode_status s = w->env->pwrite(w->env, w->file, w->frame.data, w->frame.len, w->len);
    if (lode_failed(s)) {
        w->error = s;
        return s;
    }
    w->len += w->frame.len;
    lode_buf_reset(&w->frame);
    if (w->frame.capacity > (1u << 20)) /* a giant leaves no giant behind */
        lode_buf_clear(&w->frame);
    return s;
}

lode_status lode_log_writer_sync(lode_log_writer *w)
{
    if (lode_failed(w->error))
        return w->error;
    lode_status s = w->env->sync(w->env, w->file);
    if (lode_failed(s))
        w->error = s;
    return s;
}

uint64_t lode_log_writer_bytes(const lode_log_writer *w)
{
    return w->len;
}

void lode_log_writer_close(lode_log_writer *w)
{
    if (!w)
        return;
    w->env->close(w->env, w->file);
    lode_buf_clear(&w->frame);
    free(w->path);
    free(w);
}
