/* storage/property.c: what a person or a program wants to know about an open store.
 *
 * Touches:  memory, and the indexes of tables for sizes.
 * Threads:  any.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "storage/store_internal.h"

/* ---- sizes ---- */

/* Bytes of the files that lie before `key`, all levels together. */
static lode_status offset_of(lode_store *store, uint64_t *offset, const lode_version *v, lode_slice user_key)
{
    lode_buf key = LODE_BUF_EMPTY;
    lode_status s = lode_ok();
    *offset = 0;
    lode_buf_append(&key, user_key.data, user_key.len);
    lode_buf_put_le64(&key, lode_seek_trailer(LODE_MAX_SEQUENCE));
    if (!lode_buf_is_good(&key))
        s = lode_fail(LODE_NO_MEMORY, "%s: no memory for a key", store->path);
    for (int level = 0; level < LODE_LEVELS && !lode_failed(s); level++)
        for (size_t i = 0; i < v->levels[level].count && !lode_failed(s); i++) {
            lode_file_meta *f = v->levels[level].files[i];
            lode_table *t;
            if (lode_compare_internal(store->cmp, f->largest, lode_buf_slice(&key)) <= 0) {
                *offset += f->bytes;
                continue;
            }
            if (lode_compare_internal(store->cmp, f->smallest, lode_buf_slice(&key)) > 0) {
                if (level)
                    break; /* and so do all after it */
                continue;
            }
            s = lode_table_cache_open(v->tables, &t, f);
            if (lode_failed(s))
                break;
            *offset += lode_table_approximate_offset(t, lode_buf_slice(&key));
            lode_table_unref(t);
        }
    lode_buf_clear(&key);
    return s;
}

lode_status lode_store_approximate_sizes(lode_store *store, size_t count, const lode_bytes *starts,
                                         const lode_bytes *limits, uint64_t *sizes)
{
    if (!store || (count && (!starts || !limits || !sizes)))
        return lode_fail(LODE_INVALID_ARGUMENT, "store sizes: NULL argument");
    for (size_t i = 0; i < count; i++)
        if ((!starts[i].data && starts[i].len) || (!limits[i].data && limits[i].len))
            return lode_fail(LODE_INVALID_ARGUMENT, "store sizes: the key of range %zu is NULL", i);
    uint64_t sequence, start, limit;
    lode_view *view = lode_view_acquire(store, &sequence);
    lode_status s = lode_ok();
    for (size_t i = 0; i < count && !lode_failed(s); i++) {
        s = offset_of(store, &start, view->version, lode_slice_of(starts[i].data, starts[i].len));
        if (!lode_failed(s))
            s = offset_of(store, &limit, view->version, lode_slice_of(limits[i].data, limits[i].len));
        if (!lode_failed(s))
            sizes[i] = limit > start ? limit - start : 0;
    }
    lode_view_release(store, view);
    return s;
}

/* ---- properties ---- */

static double megabytes(uint64_t bytes)
{
    return (double)bytes / 1048576.0;
}

static void put_stats(lode_store *store, const lode_view *view, lode_buf *out)
{
    lode_buf_printf(out, "                               Compactions\n"
                         "Level  Files Size(MB) Time(sec) Read(MB) Write(MB)\n"
                         "--------------------------------------------------\n");
    for (int level = 0; level < LODE_LEVELS; level++) {
        const lode_level *l = &view->version->levels[level];
        const lode_level_stats *s = &store->stats[level];
        if (l->count || s->runs)
            lode_buf_printf(out, "%3d %8zu %8.0f %9.0f %8.0f %9.0f\n", level, l->count, megabytes(l->bytes),
                            (double)s->time_ns / 1e9, megabytes(s->bytes_read), megabytes(s->bytes_written));
    }
}

static void put_key(lode_buf *out, lode_slice internal)
{
    lode_slice user = lode_user_key(internal);
    lode_buf_printf(out, "'");
    for (size_t i = 0; i < user.len; i++) {
        uint8_t c = user.data[i];
        if (c >= ' ' && c <= '~')
            lode_buf_put_u8(out, c);
        else
            lode_buf_printf(out, "\\x%02x", c);
    }
    lode_buf_printf(out, "' @ %" PRIu64 " : %u", lode_trailer(internal) >> 8,
                    (unsigned)(lode_trailer(internal) & 0xff));
}

static void put_tables(const lode_view *view, lode_buf *out)
{
    for (int level = 0; level < LODE_LEVELS; level++) {
        lode_buf_printf(out, "--- level %d ---\n", level);
        for (size_t i = 0; i < view->version->levels[level].count; i++) {
            const lode_file_meta *f = view->version->levels[level].files[i];
            lode_buf_printf(out, " %" PRIu64 ":%" PRIu64 "[", f->number, f->bytes);
            put_key(out, f->smallest);
            lode_buf_printf(out, " .. ");
            put_key(out, f->largest);
            lode_buf_printf(out, "]\n");
        }
    }
}

static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static void put_amplification(const lode_store *store, lode_buf *out)
{
    uint64_t written = 0;
    for (int level = 0; level < LODE_LEVELS; level++)
        written += store->stats[level].bytes_written;
    lode_buf_printf(out, "%.2f", ratio(written, store->user_bytes));
}

static uint64_t memory_bytes(const lode_store *store, const lode_view *view)
{
    uint64_t bytes = lode_cache_bytes(store->cache) + lode_memtable_bytes(view->mem);
    for (int i = 0; i < view->sealed_count; i++)
        bytes += lode_memtable_bytes(view->sealed[i]);
    return bytes;
}

static bool put_property(lode_store *store, const lode_view *view, const char *name, lode_buf *out)
{
    static const char files[] = "leveldb.num-files-at-level";
    uint64_t hits, misses;
    if (strncmp(name, files, sizeof files - 1) == 0) {
        const char *digit = name + sizeof files - 1;
        if (digit[0] < '0' || digit[0] >= '0' + LODE_LEVELS || digit[1])
            return false;
        lode_buf_printf(out, "%zu", view->version->levels[digit[0] - '0'].count);
    } else if (strcmp(name, "leveldb.stats") == 0) {
        put_stats(store, view, out);
    } else if (strcmp(name, "leveldb.sstables") == 0) {
        put_tables(view, out);
    } else if (strcmp(name, "leveldb.approximate-memory-usage") == 0) {
        lode_buf_printf(out, "%" PRIu64, memory_bytes(store, view));
    } else if (strcmp(name, "lode.write-amplification") == 0) {
        put_amplification(store, out);
    } else if (strcmp(name, "lode.cache-hit-rate") == 0) {
        lode_cache_counts(store->cache, &hits, &misses);
        lode_buf_printf(out, "%.4f", ratio(hits, hits + misses));
    } else if (strcmp(name, "lode.bloom-false-positive-rate") == 0) {
        uint64_t in_vain = atomic_load(&store->passed_in_vain);
        lode_buf_printf(out, "%.5f", ratio(in_vain, in_vain + atomic_load(&store->filtered)));
    } else if (strcmp(name, "lode.longest-write-us") == 0) {
        lode_buf_printf(out, "%" PRIu64, atomic_load(&store->longest_write_ns) / 1000);
    } else {
        return false;
    }
    return true;
}

char *lode_store_property(lode_store *store, const char *name)
{
    lode_buf out = LODE_BUF_EMPTY;
    uint64_t sequence;
    if (!store || !name)
        return NULL;
    lode_view *view = lode_view_acquire(store, &sequence);
    lode_mutex_lock(&store->lock);
    bool known = put_property(store, view, name, &out);
    lode_mutex_unlock(&store->lock);
    lode_view_release(store, view);
    lode_buf_put_u8(&out, 0);
    if (known && lode_buf_is_good(&out))
        return (char *)out.data;
    lode_buf_clear(&out);
    return NULL;
}
