/* storage/log_writer.c: the write-ahead log, writing side.
 *
 * Room:     cuts one byte string into checksummed fragments inside 32 KiB blocks.
 * Touches:  one append-only file, through lode_env. No memtable, manifest or clock.
 * Threads:  one writer at a time.
 * Promise:  after lode_log_writer_sync, earlier records survive a power cut; after a failed append or sync nothing is
 *           ever appended, so that a torn record is always the last one.
 *
 * A small record costs less to store than to write: most of a short pwrite is the call. So room is reserved and mapped
 * ahead, and a record that fits into its block is copied there, payload first and then the header with one store, so
 * that a process killed in between leaves zeros and no half record. Anything larger goes out with pwrite.
 */
#include "storage/log_writer.h"

#include <stdatomic.h>
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
    bool may_map;
    uint8_t *window; /* mapped room, or NULL */
    uint64_t window_at;
    size_t window_bytes;
    uint64_t reserved; /* the file reaches to here */
    uint32_t type_crc[5];
};

lode_status lode_log_writer_create(lode_log_writer **out, lode_env *env, const char *path, bool may_map)
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
    w->may_map = may_map && env->map_writable;
    w->error = lode_ok();
    for (uint8_t type = 0; type < 5; type++)
        w->type_crc[type] = lode_crc32c(&type, 1);
    lode_status s =
        env->open(env, &w->file, path, LODE_OPEN_READ | LODE_OPEN_WRITE | LODE_OPEN_CREATE | LODE_OPEN_EXCLUSIVE);
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

/* ---- mapped room ---- */

static void close_window(lode_log_writer *w)
{
    if (w->window)
        w->env->unmap(w->env, w->window, w->window_bytes);
    w->window = NULL;
}

/* Reserve and map where the next record goes. A failure only means that records are written the other way, which then
 * tells what is wrong with the disk. */
static bool open_window(lode_log_writer *w)
{
    enum { UNIT = 64 << 10, MOST = 1 << 20 };
    close_window(w);
    w->window_at = w->len / UNIT * UNIT;
    w->window_bytes = w->window_at < UNIT ? UNIT : w->window_at < MOST ? (size_t)w->window_at : MOST;
    lode_status s = w->env->allocate(w->env, w->file, w->window_at, w->window_bytes);
    if (!lode_failed(s)) {
        w->reserved = w->window_at + w->window_bytes;
        s = w->env->map_writable(w->env, w->file, &w->window, w->window_at, w->window_bytes);
    }
    if (lode_failed(s) || !w->window) {
        w->window = NULL;
        w->may_map = false;
        return false;
    }
    return true;
}

static bool store_record(lode_log_writer *w, lode_slice record)
{
    size_t in_block = (size_t)(w->len % LODE_LOG_BLOCK_BYTES), left = LODE_LOG_BLOCK_BYTES - in_block;
    if (left < LODE_LOG_HEADER_BYTES) { /* the room is zeros already */
        w->len += left;
        left = LODE_LOG_BLOCK_BYTES;
    }
    if (!record.len || record.len > left - LODE_LOG_HEADER_BYTES)
        return false;
    if ((!w->window || w->len + LODE_LOG_HEADER_BYTES + record.len > w->window_at + w->window_bytes) && !open_window(w))
        return false;
    uint8_t *p = w->window + (w->len - w->window_at), header[8];
    uint64_t word;
    lode_write_le32(header, lode_crc32c_mask(lode_crc32c_extend(w->type_crc[LODE_LOG_FULL], record.data, record.len)));
    lode_write_le16(header + 4, (uint16_t)record.len);
    header[6] = LODE_LOG_FULL;
    header[7] = record.data[0];
    memcpy(p + 8, record.data + 1, record.len - 1);
    memcpy(&word, header, sizeof word);
    atomic_signal_fence(memory_order_release);
    memcpy(p, &word, sizeof word);
    w->len += LODE_LOG_HEADER_BYTES + record.len;
    return true;
}

void lode_log_writer_add(lode_log_writer *w, lode_slice record)
{
    put_frame(w, record);
}

lode_status lode_log_writer_append(lode_log_writer *w, lode_slice record)
{
    if (lode_failed(w->error))
        return w->error;
    if (w->may_map && !w->frame.len && store_record(w, record))
        return lode_ok();
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
    close_window(w);
    if (w->reserved > w->len)
        lode_ignore(w->env->truncate(w->env, w->file, w->len)); /* zeros that stay do no harm */
    w->env->close(w->env, w->file);
    lode_buf_clear(&w->frame);
    free(w->path);
    free(w);
}
