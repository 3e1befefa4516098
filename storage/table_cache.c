/* storage/table_cache.c: open tables, closed again by a clock when there are too many.
 *
 * Touches:  tables, read only, and the removal of obsolete ones.
 * Threads:  any. A table that is in use stays open for its user when the cache lets it go.
 */
#include "storage/table_cache.h"

#include <stdlib.h>

#include "storage/file_name.h"
#include "support/thread.h"

struct lode_table_cache {
    /* Constant after create. */
    lode_env *env;
    char *directory;
    size_t limit;
    lode_table_read_options options;

    lode_mutex lock;
    /* Guarded by lock. */
    lode_file_meta *hand; /* of the clock: a ring of everything that is open */
    size_t open_count;
    uint64_t *trash;
    size_t trash_count, trash_capacity;
};

lode_file_meta *lode_file_meta_create(uint64_t number, uint64_t bytes, lode_slice smallest, lode_slice largest)
{
    lode_file_meta *f = malloc(sizeof *f + smallest.len + largest.len);
    if (!f)
        return NULL;
    memset(f, 0, sizeof *f);
    uint8_t *keys = (uint8_t *)(f + 1);
    memcpy(keys, smallest.data, smallest.len);
    memcpy(keys + smallest.len, largest.data, largest.len);
    f->smallest = lode_slice_of(keys, smallest.len);
    f->largest = lode_slice_of(keys + smallest.len, largest.len);
    f->number = number;
    f->bytes = bytes;
    atomic_init(&f->refs, 1);
    atomic_flag_clear(&f->table_lock);
    return f;
}

lode_table_cache *lode_table_cache_create(lode_env *env, const char *directory, size_t limit,
                                          const lode_table_read_options *options)
{
    lode_table_cache *c = calloc(1, sizeof *c);
    if (c)
        c->directory = strdup(directory);
    if (!c || !c->directory) {
        free(c);
        return NULL;
    }
    c->env = env;
    c->limit = limit ? limit : 1;
    c->options = *options;
    lode_mutex_init(&c->lock);
    return c;
}

void lode_table_cache_destroy(lode_table_cache *c)
{
    if (!c)
        return;
    lode_table_cache_empty_trash(c);
    lode_mutex_clear(&c->lock);
    free(c->trash);
    free(c->directory);
    free(c);
}

static void link_clock(lode_table_cache *c, lode_file_meta *f)
{
    if (!c->hand) {
        c->hand = f->clock_next = f->clock_prev = f;
    } else {
        f->clock_next = c->hand;
        f->clock_prev = c->hand->clock_prev;
        f->clock_prev->clock_next = f;
        c->hand->clock_prev = f;
    }
    c->open_count++;
}

static void unlink_clock(lode_table_cache *c, lode_file_meta *f)
{
    if (f->clock_next == f) {
        c->hand = NULL;
    } else {
        f->clock_next->clock_prev = f->clock_prev;
        f->clock_prev->clock_next = f->clock_next;
        if (c->hand == f)
            c->hand = f->clock_next;
    }
    f->clock_next = f->clock_prev = NULL;
    c->open_count--;
}

static lode_table *swap_table(lode_file_meta *f, lode_table *t)
{
    while (atomic_flag_test_and_set_explicit(&f->table_lock, memory_order_acquire))
        __builtin_ia32_pause();
    lode_table *old = f->table;
    f->table = t;
    atomic_flag_clear_explicit(&f->table_lock, memory_order_release);
    return old;
}

/* Two rounds at most: the first one clears the marks. */
static void close_the_unused(lode_table_cache *c, const lode_file_meta *keep)
{
    for (size_t steps = 2 * c->open_count; c->open_count > c->limit && steps; steps--) {
        lode_file_meta *f = c->hand;
        c->hand = f->clock_next;
        if (f == keep || atomic_exchange_explicit(&f->used, false, memory_order_relaxed))
            continue;
        unlink_clock(c, f);
        lode_table_unref(swap_table(f, NULL));
    }
}

static lode_status open_either_name(lode_table_cache *c, lode_table **out, const lode_file_meta *f)
{
    char *path = lode_file_path(c->directory, LODE_FILE_TABLE, f->number);
    if (!path)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a file name", c->directory);
    lode_status s = lode_table_open(out, c->env, path, f->bytes, &c->options);
    free(path);
    if (s.code != LODE_MISSING)
        return s;
    char *old_path = lode_file_path(c->directory, LODE_FILE_OLD_TABLE, f->number);
    lode_status old = old_path ? lode_table_open(out, c->env, old_path, f->bytes, &c->options) : s;
    free(old_path);
    return old.code == LODE_MISSING ? lode_fail(LODE_CORRUPT, "%s (the manifest names it)", s.text) : old;
}

lode_status lode_table_cache_open_slow(lode_table_cache *c, lode_table **out, lode_file_meta *f)
{
    lode_table *t;
    LODE_TRY(open_either_name(c, &t, f));
    lode_mutex_lock(&c->lock);
    if (f->clock_next) { /* another thread was faster */
        lode_table *mine = t;
        while (atomic_flag_test_and_set_explicit(&f->table_lock, memory_order_acquire))
            __builtin_ia32_pause();
        t = f->table;
        lode_table_ref(t);
        atomic_flag_clear_explicit(&f->table_lock, memory_order_release);
        lode_mutex_unlock(&c->lock);
        lode_table_unref(mine);
        *out = t;
        return lode_ok();
    }
    lode_table_ref(t);
    swap_table(f, t);
    atomic_store_explicit(&f->used, true, memory_order_relaxed);
    link_clock(c, f);
    close_the_unused(c, f);
    lode_mutex_unlock(&c->lock);
    *out = t;
    return lode_ok();
}

static void throw_away(lode_table_cache *c, uint64_t number)
{
    if (c->trash_count == c->trash_capacity) {
        size_t capacity = c->trash_capacity ? c->trash_capacity * 2 : 16;
        uint64_t *trash = realloc(c->trash, capacity * sizeof *trash);
        if (!trash)
            return; /* stays on disk until the next open */
        c->trash = trash;
        c->trash_capacity = capacity;
    }
    c->trash[c->trash_count++] = number;
}

void lode_file_meta_unref(lode_table_cache *c, lode_file_meta *f)
{
    if (!f || atomic_fetch_sub_explicit(&f->refs, 1, memory_order_acq_rel) != 1)
        return;
    lode_mutex_lock(&c->lock);
    if (f->clock_next)
        unlink_clock(c, f);
    if (atomic_load_explicit(&f->obsolete, memory_order_relaxed))
        throw_away(c, f->number);
    lode_mutex_unlock(&c->lock);
    lode_table_unref(f->table);
    free(f);
}

static void remove_table(lode_table_cache *c, uint64_t number)
{
    for (int kind = LODE_FILE_TABLE; kind <= LODE_FILE_OLD_TABLE; kind++) {
        char *path = lode_file_path(c->directory, (lode_file_kind)kind, number);
        if (!path)
            return;
        lode_status s = c->env->remove(c->env, path);
        free(path);
        if (s.code != LODE_MISSING)
            return; /* removed, or the next open does it */
    }
}

void lode_table_cache_empty_trash(lode_table_cache *c)
{
    lode_mutex_lock(&c->lock);
    while (c->trash_count) {
        uint64_t number = c->trash[--c->trash_count];
        lode_mutex_unlock(&c->lock);
        remove_table(c, number);
        lode_mutex_lock(&c->lock);
    }
    lode_mutex_unlock(&c->lock);
}

size_t lode_table_cache_open_count(lode_table_cache *c)
{
    lode_mutex_lock(&c->lock);
    size_t count = c->open_count;
    lode_mutex_unlock(&c->lock);
    return count;
}
