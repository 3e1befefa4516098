/* storage/log_reader.c: the write-ahead log, reading side.
 *
 * Room:     puts fragments together again and tells a torn tail from damage.
 * Touches:  one file, read only, through lode_env.
 * Promise:  a broken fragment with no record after it is the torn tail of a dead writer and ends the log quietly. One
 *           with records after it is damage, named with its offset; but in a log with marks only when a mark comes
 * after it, else it is a hole that a power cut left in what was never synced, and ends the log as well.
 */
#include "storage/log_reader.h"

#include <stdlib.h>

#include "storage/crc32c.h"
#include "storage/log_format.h"

struct lode_log_reader {
    lode_env *env;
    lode_file *file;
    char *path;
    uint64_t block_at; /* file offset of block[0] */
    size_t len;        /* bytes in `block`; short only at the end of the file */
    size_t at;         /* next fragment in `block` */
    lode_buf joined;
    bool ended, torn;
    bool has_marks, vouches;
    uint64_t records;
    bool salvages;
    uint64_t passed_over;
    uint64_t torn_at;
    uint8_t block[LODE_LOG_BLOCK_BYTES];
};

typedef struct fragment {
    uint8_t type;
    lode_slice payload;
    uint64_t offset; /* of its header, in the file */
} fragment;

static lode_status read_block(lode_log_reader *r, uint64_t offset)
{
    r->len = 0;
    r->at = 0;
    r->block_at = offset;
    return r->env->pread(r->env, r->file, &r->len, r->block, sizeof r->block, offset);
}

lode_status lode_log_reader_open(lode_log_reader **out, lode_env *env, const char *path)
{
    *out = NULL;
    lode_log_reader *r = calloc(1, sizeof *r);
    if (r)
        r->path = strdup(path);
    if (!r || !r->path) {
        free(r);
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a log reader", path);
    }
    r->env = env;
    lode_status s = env->open(env, &r->file, path, LODE_OPEN_READ);
    if (!lode_failed(s))
        s = read_block(r, 0);
    if (lode_failed(s)) {
        lode_log_reader_close(r);
        return s;
    }
    *out = r;
    return s;
}

/* Is there a whole fragment with a right checksum at `at`? */
static bool is_whole(const uint8_t *block, size_t len, size_t at)
{
    if (at + LODE_LOG_HEADER_BYTES > len)
        return false;
    const uint8_t *p = block + at;
    size_t n = lode_read_le16(p + 4);
    if (p[6] < LODE_LOG_FULL || p[6] > LODE_LOG_LAST || n > len - at - LODE_LOG_HEADER_BYTES)
        return false;
    return lode_crc32c_mask(lode_crc32c(p + 6, n + 1)) == lode_read_le32(p);
}

static bool is_mark(lode_slice payload)
{
    return payload.len == LODE_LOG_MARK_BYTES && lode_read_le32(payload.data + 8) == 0;
}

/* Does the whole fragment at `at` show that what lies before it was whole? */
static bool vouches_for_before(const lode_log_reader *r, size_t at)
{
    const uint8_t *p = r->block + at;
    if (r->has_marks)
        return p[6] == LODE_LOG_FULL && is_mark(lode_slice_of(p + LODE_LOG_HEADER_BYTES, lode_read_le16(p + 4)));
    return p[6] == LODE_LOG_FULL || p[6] == LODE_LOG_FIRST;
}

/* Lengths of what is broken are not to be trusted, so every position is tried until a whole fragment is met. */
static bool block_vouches(const lode_log_reader *r, size_t at)
{
    while (at < r->len) {
        if (!is_whole(r->block, r->len, at)) {
            at++;
            continue;
        }
        if (vouches_for_before(r, at))
            return true;
        at += LODE_LOG_HEADER_BYTES + lode_read_le16(r->block + at + 4);
    }
    return false;
}

static lode_status look_after(lode_log_reader *r, bool *found)
{
    *found = block_vouches(r, r->at + 1);
    while (!*found && r->len == sizeof r->block) {
        LODE_TRY(read_block(r, r->block_at + sizeof r->block));
        *found = block_vouches(r, 0);
    }
    return lode_ok();
}

static lode_status end_at(lode_log_reader *r, uint64_t offset, bool torn)
{
    r->ended = true;
    r->torn = torn;
    r->torn_at = offset;
    return lode_ok();
}

/* The fragment at r->at is broken: end quietly, or fail. */
static lode_status meet_broken(lode_log_reader *r, uint64_t record_at, const char *how)
{
    uint64_t offset = r->block_at + r->at;
    bool found;
    LODE_TRY(look_after(r, &found));
    if (!found)
        return end_at(r, record_at, true);
    r->ended = true;
    return lode_fail(LODE_CORRUPT, "%s: %s at offset %llu, and whole records after it", r->path, how,
                     (unsigned long long)offset);
}

static bool is_zero(const uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (p[i])
            return false;
    return true;
}

/* A header of zeros is room that was reserved and not used, provided that all of the rest is. */
static lode_status meet_zeros(lode_log_reader *r, uint64_t record_at, bool in_record)
{
    uint64_t block_at = r->block_at;
    size_t at = r->at;
    while (is_zero(r->block + r->at, r->len - r->at)) {
        if (r->len < sizeof r->block)
            return end_at(r, record_at, in_record);
        LODE_TRY(read_block(r, r->block_at + sizeof r->block));
    }
    LODE_TRY(read_block(r, block_at));
    r->at = at;
    return meet_broken(r, record_at, "zeros in place of a record");
}

/* For repair: the rest of a block with damage in it is given up. */
static lode_status pass_over_block(lode_log_reader *r)
{
    r->passed_over++;
    if (r->len < sizeof r->block)
        return end_at(r, r->block_at + r->at, true);
    return read_block(r, r->block_at + sizeof r->block);
}

/* *more is false when r->ended was set. */
static lode_status next_fragment(lode_log_reader *r, bool *more, fragment *f, uint64_t record_at, bool in_record)
{
    *more = false;
    for (;;) {
        size_t left = r->len - r->at;
        uint64_t offset = r->block_at + r->at;
        if (!in_record)
            record_at = offset;
        if (left < LODE_LOG_HEADER_BYTES) {
            if (r->len < sizeof r->block) /* the end, perhaps within a header */
                return end_at(r, record_at, in_record || left > 0);
            LODE_TRY(read_block(r, r->block_at + sizeof r->block));
            continue;
        }
        const uint8_t *p = r->block + r->at;
        if (r->salvages && !is_whole(r->block, r->len, r->at)) {
            LODE_TRY(pass_over_block(r));
            *f = (fragment){ .type = LODE_LOG_ZERO }; /* tells the caller that what it joined so far has no end */
            *more = true;
            return lode_ok();
        }
        if (is_zero(p, LODE_LOG_HEADER_BYTES))
            return meet_zeros(r, record_at, in_record);
        if (!is_whole(r->block, r->len, r->at))
            return meet_broken(r, record_at, "damaged record");
        f->type = p[6];
        f->payload = lode_slice_of(p + LODE_LOG_HEADER_BYTES, lode_read_le16(p + 4));
        f->offset = offset;
        r->at += LODE_LOG_HEADER_BYTES + f->payload.len;
        *more = true;
        return lode_ok();
    }
}

lode_status lode_log_reader_next(lode_log_reader *r, bool *found, lode_slice *record)
{
    bool in_record = false, more;
    uint64_t record_at = 0;
    fragment f;
    *found = false;
    if (r->ended)
        return lode_ok();
    for (;;) {
        LODE_TRY(next_fragment(r, &more, &f, record_at, in_record));
        if (!more)
            return lode_ok();
        bool starts = f.type == LODE_LOG_FULL || f.type == LODE_LOG_FIRST;
        if (r->salvages && (f.type == LODE_LOG_ZERO || (!starts && !in_record))) {
            in_record = false;
            if (r->ended)
                return lode_ok();
            continue;
        }
        if (!starts && !in_record) {
            r->ended = true;
            return lode_fail(LODE_CORRUPT, "%s: the beginning of the record at offset %llu is missing", r->path,
                             (unsigned long long)f.offset);
        }
        if (starts) { /* one begun before this was left by a writer that died, and was never acknowledged */
            lode_buf_reset(&r->joined);
            record_at = f.offset;
        }
        if (f.type == LODE_LOG_FULL) {
            r->vouches |= r->records && is_mark(f.payload);
            r->records++;
            *record = f.payload;
            *found = true;
            return lode_ok();
        }
        in_record = true;
        lode_buf_append(&r->joined, f.payload.data, f.payload.len);
        if (!lode_buf_is_good(&r->joined))
            return lode_fail(LODE_NO_MEMORY, "%s: no memory for the record at offset %llu", r->path,
                             (unsigned long long)record_at);
        if (f.type == LODE_LOG_LAST) {
            r->records++;
            *record = lode_buf_slice(&r->joined);
            *found = true;
            return lode_ok();
        }
    }
}

void lode_log_reader_pass_over_damage(lode_log_reader *r)
{
    r->salvages = true;
}

uint64_t lode_log_reader_passed_over(const lode_log_reader *r)
{
    return r->passed_over;
}

void lode_log_reader_expect_marks(lode_log_reader *r)
{
    r->has_marks = true;
}

bool lode_log_reader_vouches(const lode_log_reader *r)
{
    return r->vouches && r->has_marks;
}

bool lode_log_reader_is_torn(const lode_log_reader *r, uint64_t *offset)
{
    *offset = r->torn_at;
    return r->torn;
}

void lode_log_reader_close(lode_log_reader *r)
{
    if (!r)
        return;
    r->env->close(r->env, r->file);
    lode_buf_clear(&r->joined);
    free(r->path);
    free(r);
}
