/* storage/table.c: opening a table, its index in memory, and point lookups.
 *
 * Room:     one immutable file. The index is decoded once into arrays that a search walks without touching a block.
 * Touches:  one file, read only, mapped where the env can, and the block cache.
 * Threads:  any, after open.
 * Promise:  every offset and length of the file is held against its size before it is used; a checksum is computed
 *           once per block and open table, or at each read when the file is not mapped.
 */
#include "storage/table.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "storage/coding.h"
#include "storage/crc32c.h"
#include "storage/filter.h"
#include "storage/table_internal.h"
#include "storage/unpack.h"

static lode_status damaged(const lode_table *t, const char *what, uint64_t offset)
{
    return lode_fail(LODE_CORRUPT, "%s: %s at offset %llu", t->path, what, (unsigned long long)offset);
}

static lode_status no_memory(const lode_table *t)
{
    return lode_fail(LODE_NO_MEMORY, "%s: memory ran out while the table was read", t->path);
}

static bool decode_handle(lode_block_handle *h, const uint8_t **p, const uint8_t *end)
{
    *p = lode_read_varint64(*p, end, &h->offset);
    if (*p)
        *p = lode_read_varint64(*p, end, &h->len);
    return *p != NULL;
}

static bool handle_fits(const lode_table *t, const lode_block_handle *h)
{
    return h->len < UINT32_MAX - LODE_BLOCK_TRAILER_BYTES && h->offset <= t->size &&
           h->len + LODE_BLOCK_TRAILER_BYTES <= t->size - h->offset;
}

static bool checksum_is_right(const uint8_t *raw, size_t len)
{
    return lode_crc32c_mask(lode_crc32c(raw, len + 1)) == lode_read_le32(raw + len + 1);
}

/* A snappy stream makes at most 64 bytes of 3, so a larger claim is refused before memory is taken for it. */
static bool unpacked_length(size_t *len, const uint8_t *raw, size_t raw_len)
{
    return lode_unpack_length(len, raw, raw_len) && *len <= raw_len * 22 + 64;
}

/* `raw` is a checked block with its trailer. The entry has slack behind the block. */
static lode_status unpack(lode_table *t, lode_cache_entry **out, const uint8_t *raw, const lode_block_handle *h)
{
    size_t len;
    if (!unpacked_length(&len, raw, (size_t)h->len))
        return damaged(t, "compressed block of impossible length", h->offset);
    lode_cache_entry *e = lode_cache_entry_create(t->owner, h->offset, len + LODE_UNPACK_SLACK);
    if (!e)
        return no_memory(t);
    e->block_len = len;
    if (!lode_unpack(e->data, len, raw, (size_t)h->len)) {
        lode_cache_unpin(NULL, e);
        return damaged(t, "block that does not decompress", h->offset);
    }
    *out = e;
    return lode_ok();
}

static lode_status check_type(const lode_table *t, uint8_t type, const lode_block_handle *h)
{
    if (type == LODE_COMPRESSION_NONE || type == LODE_COMPRESSION_SNAPPY)
        return lode_ok();
    return lode_fail(LODE_UNSUPPORTED, "%s: compression type %u of the block at offset %llu is not known here", t->path,
                     type, (unsigned long long)h->offset);
}

/* The block into memory of its own: *entry is pinned, and in no cache yet. */
static lode_status read_copy(lode_table *t, lode_cache_entry **entry, const lode_block_handle *h, bool verify)
{
    size_t want = (size_t)h->len + LODE_BLOCK_TRAILER_BYTES, got;
    lode_cache_entry *e = lode_cache_entry_create(t->owner, h->offset, want);
    if (!e)
        return no_memory(t);
    lode_status s = t->env->pread(t->env, t->file, &got, e->data, want, h->offset);
    if (!lode_failed(s) && got < want)
        s = damaged(t, "the file ends within the block", h->offset);
    if (!lode_failed(s) && verify && !checksum_is_right(e->data, (size_t)h->len))
        s = damaged(t, "checksum mismatch in the block", h->offset);
    if (!lode_failed(s))
        s = check_type(t, e->data[h->len], h);
    e->block_len = (size_t)h->len;
    if (!lode_failed(s) && e->data[h->len] == LODE_COMPRESSION_SNAPPY) {
        lode_cache_entry *packed = e;
        s = unpack(t, &e, packed->data, h);
        lode_cache_unpin(NULL, packed);
        if (lode_failed(s))
            return s;
    }
    if (lode_failed(s)) {
        lode_cache_unpin(NULL, e);
        return s;
    }
    *entry = e;
    return s;
}

static lode_status use_block(const lode_table *t, lode_block *block, const uint8_t *data, size_t len, uint64_t offset)
{
    return lode_block_init(block, lode_slice_of(data, len)) ? lode_ok() : damaged(t, "malformed block", offset);
}

/* What is in the map is believed after its checksum was right once; what kind it is, too. */
static lode_status look_at_raw(lode_table *t, uint8_t *kind, size_t index, const lode_block_handle *h, bool verify)
{
    const uint8_t *raw = t->map + h->offset;
    if (verify && !checksum_is_right(raw, (size_t)h->len))
        return damaged(t, "checksum mismatch in the block", h->offset);
    LODE_TRY(check_type(t, raw[h->len], h));
    *kind = raw[h->len] == LODE_COMPRESSION_NONE ? LODE_BLOCK_PLAIN : LODE_BLOCK_PACKED;
    atomic_store_explicit(&t->kinds[index], *kind, memory_order_relaxed);
    return lode_ok();
}

/* Into the cache, or into memory of its own. */
static lode_status load_block(lode_table *t, lode_cache_entry **out, const lode_block_handle *h,
                              const lode_cursor_options *options)
{
    lode_cache_entry *e;
    if (t->map)
        LODE_TRY(unpack(t, &e, t->map + h->offset, h));
    else
        LODE_TRY(read_copy(t, &e, h, t->verify || options->verify_checksums));
    if (options->fill_cache)
        lode_cache_insert(t->cache, e);
    *out = e;
    return lode_ok();
}

static inline void remember_place(lode_table *t, size_t index, const lode_cache_entry *e)
{
    uint64_t hint = lode_cache_hint(e);
    if (atomic_load_explicit(&t->hints[index], memory_order_relaxed) != hint)
        atomic_store_explicit(&t->hints[index], hint, memory_order_relaxed);
}

lode_status lode_table_read_block(lode_table *t, lode_block *block, lode_table_pin *pin, size_t index,
                                  const lode_cursor_options *options)
{
    lode_block_handle h = { t->offsets[index], t->lens[index] };
    uint8_t kind = atomic_load_explicit(&t->kinds[index], memory_order_relaxed);
    pin->cache = t->cache;
    pin->entry = NULL;
    if (t->map && (kind == LODE_BLOCK_UNSEEN || options->verify_checksums))
        LODE_TRY(look_at_raw(t, &kind, index, &h, t->verify || options->verify_checksums));
    if (kind == LODE_BLOCK_PLAIN)
        return use_block(t, block, t->map + h.offset, (size_t)h.len, h.offset);
    lode_cache_entry *e = options->verify_checksums ? NULL : lode_cache_find(t->cache, t->owner, h.offset);
    bool is_cached = e || (t->cache && options->fill_cache);
    if (!e)
        LODE_TRY(load_block(t, &e, &h, options));
    if (is_cached)
        remember_place(t, index, e);
    lode_status s = use_block(t, block, e->data, e->block_len, h.offset);
    if (lode_failed(s))
        lode_cache_unpin(t->cache, e);
    else
        pin->entry = e;
    return s;
}

lode_status lode_table_read_through(lode_table *t, lode_block *block, lode_table_window *window, size_t index,
                                    bool *is_served)
{
    lode_block_handle h = { t->offsets[index], t->lens[index] };
    size_t want = (size_t)h.len + LODE_BLOCK_TRAILER_BYTES;
    const uint8_t *raw;

    *is_served = false;
    if (want > LODE_TABLE_WINDOW_BYTES)
        return lode_ok();
    if (!window->data && !(window->data = malloc(LODE_TABLE_WINDOW_BYTES)))
        return no_memory(t);
    if (h.offset < window->offset || h.offset + want > window->offset + window->len) {
        size_t got;
        window->len = 0;
        LODE_TRY(t->env->pread(t->env, t->file, &got, window->data, LODE_TABLE_WINDOW_BYTES, h.offset));
        if (got < want)
            return damaged(t, "the file ends within the block", h.offset);
        window->offset = h.offset;
        window->len = got;
    }
    raw = window->data + (h.offset - window->offset);
    if (raw[h.len] != LODE_COMPRESSION_NONE)
        return lode_ok();
    if (!checksum_is_right(raw, (size_t)h.len))
        return damaged(t, "checksum mismatch in the block", h.offset);
    if (!lode_block_init(block, lode_slice_of(raw, (size_t)h.len)))
        return damaged(t, "malformed block", h.offset);
    *is_served = true;
    return lode_ok();
}

/* A block that is kept as long as the table: index, metaindex, filter. Lent from the map, or *entry holds it. */
static lode_status read_kept(lode_table *t, lode_slice *bytes, lode_cache_entry **entry, const lode_block_handle *h)
{
    if (!handle_fits(t, h))
        return damaged(t, "block handle that points out of the file", h->offset);
    if (t->map) {
        const uint8_t *raw = t->map + h->offset;
        if (!checksum_is_right(raw, (size_t)h->len))
            return damaged(t, "checksum mismatch in the block", h->offset);
        LODE_TRY(check_type(t, raw[h->len], h));
        *bytes = lode_slice_of(raw, (size_t)h->len);
        if (raw[h->len] == LODE_COMPRESSION_NONE)
            return lode_ok();
        LODE_TRY(unpack(t, entry, raw, h));
    } else {
        LODE_TRY(read_copy(t, entry, h, true));
    }
    *bytes = lode_slice_of((*entry)->data, (*entry)->block_len);
    return lode_ok();
}

/* ---- the index ---- */

static bool reserve_index(lode_table *t, size_t count)
{
    count += !count;
    t->offsets = malloc(count * sizeof *t->offsets);
    t->lens = malloc(count * sizeof *t->lens);
    t->key_ends = malloc(count * sizeof *t->key_ends);
    t->kinds = calloc(count, sizeof *t->kinds);
    t->hints = calloc(count, sizeof *t->hints);
    return t->offsets && t->lens && t->key_ends && t->kinds && t->hints;
}

lode_slice lode_table_index_key(const lode_table *t, size_t i)
{
    size_t start = i ? t->key_ends[i - 1] : 0;
    return lode_slice_of(t->keys.data + start, t->key_ends[i] - start);
}

static lode_slice index_user_key(const void *table, size_t i)
{
    return lode_user_key(lode_table_index_key(table, i));
}

static lode_status decode_index(lode_table *t, const lode_block_handle *index)
{
    lode_cache_entry *entry = NULL;
    lode_slice bytes;
    lode_block block;
    lode_block_cursor c;
    size_t capacity = 0;
    LODE_TRY(read_kept(t, &bytes, &entry, index));
    lode_status s = lode_ok();
    lode_block_cursor_init(&c, t->cmp);
    if (!lode_block_init(&block, bytes)) {
        s = damaged(t, "malformed index", index->offset);
        goto done;
    }
    lode_block_cursor_use(&c, &block);
    for (lode_block_cursor_seek_first(&c); c.valid; lode_block_cursor_next(&c))
        capacity++;
    if (c.bad) {
        s = c.no_memory ? no_memory(t) : damaged(t, "malformed index", index->offset);
        goto done;
    }
    if (!reserve_index(t, capacity)) {
        s = no_memory(t);
        goto done;
    }
    for (lode_block_cursor_seek_first(&c); c.valid && t->count < capacity; lode_block_cursor_next(&c)) {
        lode_block_handle h;
        const uint8_t *p = c.value.data;
        if (!decode_handle(&h, &p, c.value.data + c.value.len) || !handle_fits(t, &h)) {
            s = damaged(t, "index entry that points out of the file", index->offset);
            goto done;
        }
        lode_buf_append(&t->keys, c.key.data, c.key.len);
        t->offsets[t->count] = h.offset;
        t->lens[t->count] = (uint32_t)h.len;
        t->key_ends[t->count] = (uint32_t)t->keys.len;
        t->count++;
    }
    if (c.bad)
        s = c.no_memory ? no_memory(t) : damaged(t, "malformed index", index->offset);
    else if (!lode_buf_is_good(&t->keys) || t->keys.len > UINT32_MAX)
        s = no_memory(t);
    else if (!t->cmp && !lode_key_index_init(&t->by_key, t->count, index_user_key, t))
        s = no_memory(t);
done:
    lode_block_cursor_clear(&c);
    lode_cache_unpin(NULL, entry);
    return s;
}

static int compare_index(const lode_table *t, size_t i, lode_slice user_key, uint64_t trailer)
{
    lode_slice key = lode_table_index_key(t, i);
    int c = lode_compare_user(t->cmp, lode_user_key(key), user_key);
    if (c)
        return c;
    uint64_t x = lode_trailer(key);
    return x > trailer ? -1 : x < trailer;
}

size_t lode_table_block_of(const lode_table *t, lode_slice user_key, uint64_t trailer)
{
    size_t low = 0, high = t->count;
    if (!t->cmp)
        lode_key_index_search(&t->by_key, &low, &high, user_key);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_index(t, middle, user_key, trailer) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- opening ---- */

/* A filter that is damaged or of another kind only costs speed, so it is left out in silence. */
static void find_filter(lode_table *t, const lode_block_handle *metaindex)
{
    static const char prefix[] = "filter.";
    const char *name = t->policy ? t->policy->name : LODE_FILTER_NAME;
    size_t name_len = strlen(name);
    lode_cache_entry *entry = NULL;
    lode_slice bytes, content;
    lode_block block;
    lode_status s = read_kept(t, &bytes, &entry, metaindex);
    if (lode_failed(s)) { /* read_kept allocates nothing then */
        t->filter_is_damaged = s.code == LODE_CORRUPT;
        return;
    }
    if (lode_block_init(&block, bytes)) {
        const uint8_t *p = block.data, *end = block.data + block.restarts_at;
        while (p < end) { /* LevelDB writes one entry or none, and nothing shared in the first */
            uint32_t shared, unshared, value_len;
            if (!(p = lode_read_varint32(p, end, &shared)) || !(p = lode_read_varint32(p, end, &unshared)) ||
                !(p = lode_read_varint32(p, end, &value_len)) || (uint64_t)unshared + value_len > (uint64_t)(end - p))
                break;
            const uint8_t *value = p + unshared;
            lode_block_handle h;
            if (!shared && unshared == sizeof prefix - 1 + name_len && memcmp(p, prefix, sizeof prefix - 1) == 0 &&
                memcmp(p + sizeof prefix - 1, name, name_len) == 0) {
                s = decode_handle(&h, &value, p + unshared + value_len)
                        ? read_kept(t, &content, &t->filter_entry, &h)
                        : lode_fail(LODE_CORRUPT, "%s: no place for the filter", t->path);
                t->has_filter = !lode_failed(s) && lode_filter_reader_init(&t->filter, content);
                t->filter_is_damaged = lode_failed(s) ? s.code == LODE_CORRUPT : !t->has_filter;
                break;
            }
            p += unshared + value_len;
        }
    }
    lode_cache_unpin(NULL, entry);
}

static lode_status open_content(lode_table *t, bool use_filter)
{
    uint8_t footer[LODE_FOOTER_BYTES];
    const uint8_t *p = footer;
    lode_block_handle metaindex, index;
    size_t got;
    if (t->size < LODE_FOOTER_BYTES)
        return lode_fail(LODE_CORRUPT, "%s: %llu bytes, shorter than a footer", t->path, (unsigned long long)t->size);
    uint64_t at = t->size - LODE_FOOTER_BYTES;
    if (t->map) {
        memcpy(footer, t->map + at, sizeof footer);
    } else {
        LODE_TRY(t->env->pread(t->env, t->file, &got, footer, sizeof footer, at));
        if (got < sizeof footer)
            return damaged(t, "the file ends within its footer", at);
    }
    if (lode_read_le64(footer + LODE_FOOTER_BYTES - 8) != LODE_TABLE_MAGIC)
        return damaged(t, "no table: wrong magic number", t->size - 8);
    if (!decode_handle(&metaindex, &p, footer + LODE_FOOTER_BYTES - 8) ||
        !decode_handle(&index, &p, footer + LODE_FOOTER_BYTES - 8))
        return damaged(t, "malformed footer", at);
    LODE_TRY(decode_index(t, &index));
    if (use_filter)
        find_filter(t, &metaindex);
    return lode_ok();
}

static lode_status open_file(lode_table *t, uint64_t expected_bytes, bool may_map)
{
    lode_file_info info;
    LODE_TRY(t->env->open(t->env, &t->file, t->path, LODE_OPEN_READ));
    LODE_TRY(t->env->file_info(t->env, t->file, &info));
    t->size = info.size_bytes;
    if (expected_bytes && expected_bytes != t->size)
        return lode_fail(LODE_CORRUPT, "%s: %llu bytes, where the manifest says %llu", t->path,
                         (unsigned long long)t->size, (unsigned long long)expected_bytes);
    if (may_map && t->size && t->size <= SIZE_MAX)
        LODE_TRY(t->env->map(t->env, t->file, &t->map, (size_t)t->size));
    if (t->map) { /* the map stands without it, and descriptors are few */
        t->env->close(t->env, t->file);
        t->file = NULL;
    }
    return lode_ok();
}

lode_status lode_table_open(lode_table **out, lode_env *env, const char *path, uint64_t expected_bytes,
                            const lode_table_read_options *options)
{
    *out = NULL;
    lode_table *t = calloc(1, sizeof *t);
    if (t)
        t->path = strdup(path);
    if (!t || !t->path) {
        free(t);
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to open the table", path);
    }
    atomic_init(&t->refs, 1);
    t->env = env;
    t->cmp = options->cmp;
    t->cache = options->cache;
    t->policy = options->filter_policy;
    t->verify = options->verify_checksums;
    t->owner = lode_cache_new_owner();
    lode_status s = open_file(t, expected_bytes, options->may_map);
    if (!lode_failed(s))
        s = open_content(t, options->use_filter);
    if (lode_failed(s)) {
        lode_table_unref(t);
        return s;
    }
    *out = t;
    return s;
}

void lode_table_ref(lode_table *t)
{
    atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
}

void lode_table_unref(lode_table *t)
{
    if (!t || atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < t->count; i++) /* opened again, the table is another owner */
        if (t->hints[i])
            lode_cache_forget(t->cache, t->owner, t->offsets[i]);
    if (t->map)
        t->env->unmap(t->env, t->map, (size_t)t->size);
    t->env->close(t->env, t->file);
    lode_cache_unpin(NULL, t->filter_entry);
    lode_key_index_clear(&t->by_key);
    free(t->offsets);
    free(t->lens);
    free(t->key_ends);
    free(t->kinds);
    free((void *)(uintptr_t)t->hints);
    lode_buf_clear(&t->keys);
    free(t->path);
    free(t);
}

bool lode_table_holds_file(const lode_table *t)
{
    return t->file != NULL;
}

bool lode_table_filter_is_damaged(const lode_table *t)
{
    return t->filter_is_damaged;
}

/* ---- looking up ---- */

/* What will be read when the filter says yes: it says so after a miss of its own, which is time for this to come. */
void lode_table_prefetch(const lode_table *t, size_t index)
{
    if (index == t->count)
        return;
    if (atomic_load_explicit(&t->kinds[index], memory_order_relaxed) == LODE_BLOCK_PLAIN) {
        __builtin_prefetch(t->map + t->offsets[index] + t->lens[index]);
        __builtin_prefetch(t->map + t->offsets[index]);
        return;
    }
    lode_cache_prefetch(t->cache, t->owner, t->offsets[index]);
    lode_cache_prefetch_hint(atomic_load_explicit(&t->hints[index], memory_order_relaxed));
}

/* What the filter says, if there is one. */
static bool may_hold(const lode_table *t, size_t index, lode_slice user_key, uint32_t hash)
{
    if (!t->has_filter)
        return true;
    return t->policy ? lode_filter_may_match_key(&t->filter, t->policy, t->offsets[index], user_key)
                     : lode_filter_may_match(&t->filter, t->offsets[index], hash);
}

lode_status lode_table_find(lode_table *t, lode_lookup *found, lode_slice *value, lode_table_pin *pin, int *step,
                            lode_slice user_key, uint32_t hash, uint64_t trailer)
{
    static const lode_cursor_options options = { .fill_cache = true };
    size_t index = lode_table_block_of(t, user_key, trailer);
    lode_block block;
    lode_block_fault fault;
    *found = LODE_LOOKUP_NONE;
    *step = 0;
    pin->entry = NULL;
    if (index == t->count)
        return lode_ok();
    lode_table_prefetch(t, index);
    bool may_be_here = may_hold(t, index, user_key, hash);
    if (t->has_filter)
        *step = may_be_here ? LODE_TABLE_PROBED : LODE_TABLE_FILTERED;
    if (!may_be_here)
        return lode_ok();
    LODE_TRY(lode_table_read_block(t, &block, pin, index, &options));
    *found = lode_block_find(&block, t->cmp, value, &fault, user_key, trailer);
    if (fault || *found == LODE_LOOKUP_NONE)
        lode_table_pin_release(pin);
    if (fault == LODE_BLOCK_NO_MEMORY)
        return no_memory(t);
    if (fault)
        return damaged(t, "malformed entry in the block", t->offsets[index]);
    return lode_ok();
}

bool lode_table_will_need(lode_table *t, lode_slice user_key, uint32_t hash, uint64_t trailer)
{
    size_t index = lode_table_block_of(t, user_key, trailer);
    if (index == t->count || !may_hold(t, index, user_key, hash))
        return false;
    if (t->file && !lode_cache_has(t->cache, t->owner, t->offsets[index]))
        t->env->advise(t->env, t->file, t->offsets[index], (uint64_t)t->lens[index] + LODE_BLOCK_TRAILER_BYTES,
                       LODE_ADVISE_WILLNEED);
    return true;
}

size_t lode_table_block_count(const lode_table *t)
{
    return t->count;
}

uint64_t lode_table_approximate_offset(const lode_table *t, lode_slice internal)
{
    size_t index = lode_table_block_of(t, lode_user_key(internal), lode_trailer(internal));
    if (index < t->count)
        return t->offsets[index];
    return t->count ? t->offsets[t->count - 1] + t->lens[t->count - 1] : 0;
}
