/* storage/iterator.c: the keys and values of one moment, in order, both ways.
 *
 * Room:     makes user entries of internal ones: the newest that the sequence sees, deletions left out, bounds kept.
 * Touches:  tables, through the cursors of a view.
 * Threads:  one per iterator; the store goes on meanwhile.
 * Promise:  an iterator shows one moment however long it lives; when it is not valid, its status tells the end from
 *           damage.
 *
 * Forwards, the cursor stands on the entry that is shown. Backwards it stands before all entries of the key that is
 * shown, which is then kept in `key` and `value`.
 */
#include <stdlib.h>

#include "storage/merge_cursor.h"
#include "storage/store_internal.h"

struct lode_iterator {
    lode_store *store;
    lode_view *view;
    lode_cursor *cursor;
    uint64_t sequence;
    bool valid, backward;
    lode_status status;
    lode_buf lower, upper;
    bool has_lower, has_upper;
    lode_buf key;    /* backwards: shown; forwards: of the entry before, while looking for the next */
    lode_buf value;  /* backwards: shown */
    lode_buf target; /* of a seek */
    lode_slice user_key, user_value;
};

void lode_iterator_options_init(lode_iterator_options *options)
{
    *options = (lode_iterator_options){ .size = sizeof *options, .fill_cache = 1 };
}

static void add_child(lode_cursor **children, size_t *count, bool *good, lode_cursor *child)
{
    if (child)
        children[(*count)++] = child;
    else
        *good = false;
}

static lode_cursor *open_cursor(lode_view *view, const lode_cursor_options *asked)
{
    lode_version *v = view->version;
    lode_cursor_options o = *asked, *options = &o;
    int deepest = LODE_LEVELS - 1;
    while (deepest && !v->levels[deepest].count)
        deepest--;
    size_t most = 1 + (size_t)view->sealed_count + v->levels[0].count + LODE_LEVELS, count = 0;
    lode_cursor **children = malloc(most * sizeof *children);
    bool good = children != NULL;
    if (!good)
        return NULL;
    if (lode_memtable_count(view->mem) || !view->version->levels[0].count)
        add_child(children, &count, &good, lode_memtable_cursor(view->mem));
    for (int i = 0; i < view->sealed_count; i++)
        add_child(children, &count, &good, lode_memtable_cursor(view->sealed[i]));
    o.has_deeper = deepest > 0;
    for (size_t i = 0; i < v->levels[0].count; i++)
        add_child(children, &count, &good, lode_level_cursor(v, v->levels[0].files + i, 1, options));
    for (int level = 1; level <= deepest; level++) {
        o.has_deeper = level < deepest;
        if (v->levels[level].count)
            add_child(children, &count, &good,
                      lode_level_cursor(v, v->levels[level].files, v->levels[level].count, options));
    }
    lode_cursor *merge = good ? lode_merge_cursor(v->cmp, children, count) : NULL;
    for (size_t i = 0; !good && i < count; i++)
        lode_cursor_destroy(children[i]);
    free(children);
    return merge;
}

static void set_bound(lode_buf *bound, bool *has, lode_bytes given)
{
    *has = given.data != NULL;
    if (*has)
        lode_buf_append(bound, given.data, given.len);
}

static void count_iterator(lode_store *store, int by)
{
    lode_mutex_lock(&store->lock);
    store->iterator_count += (size_t)by;
    lode_mutex_unlock(&store->lock);
}

lode_status lode_iterator_create(lode_iterator **out, lode_store *store, const lode_iterator_options *options)
{
    lode_iterator_options o;
    if (!out)
        return lode_fail(LODE_INVALID_ARGUMENT, "iterator create: out is NULL");
    *out = NULL;
    if (!store)
        return lode_fail(LODE_INVALID_ARGUMENT, "iterator create: store is NULL");
    lode_iterator_options_init(&o);
    if (options)
        memcpy(&o, options, options->size < sizeof o ? options->size : sizeof o);
    lode_iterator *it = lode_cursor_memory(sizeof *it);
    if (!it)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for an iterator", store->path);
    count_iterator(store, 1);
    it->store = store;
    it->status = lode_ok();
    it->view = lode_view_acquire(store, &it->sequence);
    if (o.snapshot)
        it->sequence = o.snapshot->sequence;
    set_bound(&it->lower, &it->has_lower, o.lower);
    set_bound(&it->upper, &it->has_upper, o.upper);
    /* A store that verifies has checked what its cache and its maps hold. */
    bool verify = o.verify_checksums && !store->options.verify_checksums && !store->options.paranoid_checks;
    lode_cursor_options cursor = { .fill_cache = o.fill_cache != 0, .verify_checksums = verify };
    it->cursor = open_cursor(it->view, &cursor);
    if (!it->cursor || !lode_buf_is_good(&it->lower) || !lode_buf_is_good(&it->upper)) {
        lode_iterator_destroy(it);
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for an iterator", store->path);
    }
    *out = it;
    return lode_ok();
}

void lode_iterator_destroy(lode_iterator *it)
{
    if (!it)
        return;
    lode_cursor_destroy(it->cursor);
    lode_view_release(it->store, it->view);
    lode_buf_clear(&it->lower);
    lode_buf_clear(&it->upper);
    lode_buf_clear(&it->key);
    lode_buf_clear(&it->value);
    lode_buf_clear(&it->target);
    count_iterator(it->store, -1);
    free(it);
}

int lode_iterator_is_valid(const lode_iterator *it)
{
    return it && it->valid;
}

static bool fail(lode_iterator *it, lode_status s)
{
    it->valid = false;
    it->status = s;
    return false;
}

static bool copy(lode_iterator *it, lode_buf *to, lode_slice from)
{
    lode_buf_reset(to);
    lode_buf_append(to, from.data, from.len);
    return lode_buf_is_good(to) || fail(it, lode_fail(LODE_NO_MEMORY, "%s: no memory for a key", it->store->path));
}

static int compare(const lode_iterator *it, lode_slice a, lode_slice b)
{
    return lode_compare_user(it->store->cmp, a, b);
}

static bool is_above(const lode_iterator *it, lode_slice user_key)
{
    return it->has_upper && compare(it, user_key, lode_buf_slice(&it->upper)) >= 0;
}
static bool is_below(const lode_iterator *it, lode_slice user_key)
{
    return it->has_lower && compare(it, user_key, lode_buf_slice(&it->lower)) < 0;
}

static void stop(lode_iterator *it)
{
    it->valid = false;
    if (!it->cursor->valid && lode_failed(it->cursor->status))
        it->status = it->cursor->status;
}

static bool has_type(lode_iterator *it, unsigned type)
{
    return type <= LODE_ENTRY_VALUE ||
           fail(it, lode_fail(LODE_CORRUPT, "%s: an entry of unknown type %u", it->store->path, type));
}

/* From where the cursor stands, the first visible entry; with `skip`, not one of the key that it->key holds. */
static void find_forward(lode_iterator *it, bool skip)
{
    lode_cursor *c = it->cursor;
    it->backward = false;
    for (; c->valid; c->ops->next(c)) {
        uint64_t trailer = lode_trailer(c->key);
        lode_slice user_key = lode_user_key(c->key);
        if (trailer >> 8 > it->sequence)
            continue;
        if (skip && compare(it, user_key, lode_buf_slice(&it->key)) <= 0)
            continue;
        if (is_above(it, user_key))
            break;
        if ((trailer & 0xff) == LODE_ENTRY_DELETION) {
            if (!copy(it, &it->key, user_key))
                return;
            skip = true;
            continue;
        }
        if (!has_type(it, trailer & 0xff))
            return;
        it->user_key = user_key;
        it->user_value = c->value;
        it->valid = true;
        return;
    }
    stop(it);
}

/* The cursor stands on the last entry of some key, or is at the end: show the nearest key at or before that. */
static void find_backward(lode_iterator *it)
{
    lode_cursor *c = it->cursor;
    bool has_value = false;
    it->backward = true;
    for (; c->valid; c->ops->prev(c)) {
        uint64_t trailer = lode_trailer(c->key);
        lode_slice user_key = lode_user_key(c->key);
        if (has_value && compare(it, user_key, lode_buf_slice(&it->key)) < 0)
            break; /* all of that key was seen, and its newest is a value */
        if (trailer >> 8 > it->sequence)
            continue;
        if (is_below(it, user_key))
            break;
        if (!has_type(it, trailer & 0xff))
            return;
        has_value = (trailer & 0xff) == LODE_ENTRY_VALUE;
        if (has_value && (!copy(it, &it->key, user_key) || !copy(it, &it->value, c->value)))
            return;
    }
    if (!has_value || (!c->valid && lode_failed(c->status))) {
        stop(it);
        return;
    }
    it->user_key = lode_buf_slice(&it->key);
    it->user_value = lode_buf_slice(&it->value);
    it->valid = true;
}

static void begin(lode_iterator *it)
{
    it->valid = false;
    if (lode_failed(it->status))
        it->status = lode_ok();
}

static bool seek_cursor(lode_iterator *it, lode_slice user_key, uint64_t trailer)
{
    if (!copy(it, &it->target, user_key))
        return false;
    lode_buf_put_le64(&it->target, trailer);
    if (!lode_buf_is_good(&it->target))
        return fail(it, lode_fail(LODE_NO_MEMORY, "%s: no memory for a key", it->store->path));
    it->cursor->ops->seek(it->cursor, lode_buf_slice(&it->target));
    lode_store_see_wear(it->store, it->view->version);
    return true;
}

static void seek_forward(lode_iterator *it, lode_slice user_key)
{
    if (seek_cursor(it, user_key, lode_seek_trailer(it->sequence)))
        find_forward(it, false);
}

/* The cursor goes to the last entry before (user_key, trailer). */
static void seek_backward(lode_iterator *it, lode_slice user_key, uint64_t trailer)
{
    lode_cursor *c = it->cursor;
    if (!seek_cursor(it, user_key, trailer))
        return;
    if (c->valid)
        c->ops->prev(c);
    else if (!lode_failed(c->status))
        c->ops->seek_last(c);
    find_backward(it);
}

void lode_iterator_seek_first(lode_iterator *it)
{
    if (!it)
        return;
    begin(it);
    if (it->has_lower) {
        seek_forward(it, lode_buf_slice(&it->lower));
        return;
    }
    it->cursor->ops->seek_first(it->cursor);
    find_forward(it, false);
}

void lode_iterator_seek_last(lode_iterator *it)
{
    if (!it)
        return;
    begin(it);
    if (it->has_upper) {
        seek_backward(it, lode_buf_slice(&it->upper), UINT64_MAX);
        return;
    }
    it->cursor->ops->seek_last(it->cursor);
    find_backward(it);
}

static bool is_key(lode_iterator *it, const void *key, size_t key_len)
{
    return key || !key_len || fail(it, lode_fail(LODE_INVALID_ARGUMENT, "iterator seek: key is NULL"));
}

void lode_iterator_seek(lode_iterator *it, const void *key, size_t key_len)
{
    if (!it)
        return;
    begin(it);
    if (!is_key(it, key, key_len))
        return;
    lode_slice k = lode_slice_of(key, key_len);
    seek_forward(it, is_below(it, k) ? lode_buf_slice(&it->lower) : k);
}

void lode_iterator_seek_for_prev(lode_iterator *it, const void *key, size_t key_len)
{
    if (!it)
        return;
    begin(it);
    if (!is_key(it, key, key_len))
        return;
    lode_slice k = lode_slice_of(key, key_len);
    if (is_above(it, k))
        seek_backward(it, lode_buf_slice(&it->upper), UINT64_MAX);
    else
        seek_backward(it, k, 0); /* nothing of this key comes after trailer 0 */
}

void lode_iterator_next(lode_iterator *it)
{
    if (!lode_iterator_is_valid(it))
        return;
    it->valid = false;
    lode_cursor *c = it->cursor;
    if (it->backward) { /* it stands before the key that is shown, or nowhere */
        if (c->valid)
            c->ops->next(c);
        else
            c->ops->seek_first(c);
        find_forward(it, true);
        return;
    }
    if (!copy(it, &it->key, it->user_key))
        return;
    c->ops->next(c);
    find_forward(it, true);
}

void lode_iterator_prev(lode_iterator *it)
{
    if (!lode_iterator_is_valid(it))
        return;
    it->valid = false;
    lode_cursor *c = it->cursor;
    if (!it->backward) { /* back over all entries of the key that is shown */
        if (!copy(it, &it->key, it->user_key))
            return;
        do
            c->ops->prev(c);
        while (c->valid && compare(it, lode_user_key(c->key), lode_buf_slice(&it->key)) >= 0);
    }
    find_backward(it);
}

/* Empty is not NULL, which would be none. */
static lode_bytes lend(lode_slice s)
{
    return (lode_bytes){ s.data ? s.data : (const void *)"", s.len };
}

lode_bytes lode_iterator_key(const lode_iterator *it)
{
    if (!lode_iterator_is_valid(it))
        return (lode_bytes){ NULL, 0 };
    return lend(it->user_key);
}

lode_bytes lode_iterator_value(const lode_iterator *it)
{
    if (!lode_iterator_is_valid(it))
        return (lode_bytes){ NULL, 0 };
    return lend(it->user_value);
}

lode_status lode_iterator_status(const lode_iterator *it)
{
    return it ? it->status : lode_fail(LODE_INVALID_ARGUMENT, "iterator status: iterator is NULL");
}
