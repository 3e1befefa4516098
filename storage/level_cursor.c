/* storage/level_cursor.c: walking over disjoint tables as if they were one.
 *
 * Touches:  tables, through the table cache, one at a time.
 * Threads:  one per cursor.
 */
#include <stdlib.h>

#include "storage/version.h"

typedef struct level_cursor {
    lode_cursor base;
    lode_version *v;
    lode_file_meta *const *files; /* of the version, or the compaction that keeps it */
    size_t count;
    size_t index; /* of the file that `in_table` walks */
    lode_cursor *in_table;
    lode_cursor_options options;
} level_cursor;

static bool enter_file(level_cursor *c, size_t index)
{
    lode_table *t;
    if (c->in_table && c->index == index)
        return true;
    lode_status s = lode_table_cache_open(c->v->tables, &t, c->files[index]);
    if (lode_failed(s)) {
        lode_cursor_destroy(c->in_table);
        c->in_table = NULL;
        lode_cursor_fail(&c->base, s);
        return false;
    }
    c->index = index;
    if (c->in_table)
        lode_table_cursor_use(c->in_table, t);
    else
        c->in_table = lode_table_cursor(t, &c->options);
    lode_table_unref(t);
    if (!c->in_table)
        lode_cursor_fail(&c->base, lode_fail(LODE_NO_MEMORY, "no memory for a table cursor"));
    return c->in_table != NULL;
}

/* False when the file is at its end, so that the next one is to be entered. */
static inline bool show(level_cursor *c)
{
    c->base.valid = c->in_table->valid;
    c->base.key = c->in_table->key;
    c->base.value = c->in_table->value;
    if (__builtin_expect(c->base.valid, 1))
        return true;
    if (lode_failed(c->in_table->status)) {
        c->base.status = c->in_table->status;
        return true;
    }
    return false;
}

static void go_forward(level_cursor *c, size_t index)
{
    for (; index < c->count; index++) {
        if (!enter_file(c, index))
            return;
        c->in_table->ops->seek_first(c->in_table);
        if (show(c))
            return;
    }
    c->base.valid = false;
}

static void go_backward(level_cursor *c, size_t left)
{
    while (left) {
        if (!enter_file(c, --left))
            return;
        c->in_table->ops->seek_last(c->in_table);
        if (show(c))
            return;
    }
    c->base.valid = false;
}

static void begin(level_cursor *c)
{
    c->base.valid = false;
    if (lode_failed(c->base.status))
        c->base.status = lode_ok();
}

static void level_seek_first(lode_cursor *base)
{
    begin((level_cursor *)base);
    go_forward((level_cursor *)base, 0);
}

static void level_seek_last(lode_cursor *base)
{
    begin((level_cursor *)base);
    go_backward((level_cursor *)base, ((level_cursor *)base)->count);
}

static size_t file_of(const level_cursor *c, lode_slice internal)
{
    size_t low = 0, high = c->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lode_compare_internal(c->v->cmp, c->files[middle]->largest, internal) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void level_foresee(lode_cursor *base, lode_slice internal)
{
    level_cursor *c = (level_cursor *)base;
    size_t file = file_of(c, internal);
    if (file < c->count && enter_file(c, file))
        c->in_table->ops->foresee(c->in_table, internal);
}

static void level_seek(lode_cursor *base, lode_slice internal)
{
    level_cursor *c = (level_cursor *)base;
    size_t file = file_of(c, internal);
    begin(c);
    if (file == c->count || !enter_file(c, file))
        return;
    if (c->options.has_deeper)
        lode_version_note_detour(c->v, c->files[file], LODE_DETOUR_OF_SEEK);
    c->in_table->ops->seek(c->in_table, internal);
    if (!show(c))
        go_forward(c, file + 1);
}

static void level_next(lode_cursor *base)
{
    level_cursor *c = (level_cursor *)base;
    c->in_table->ops->next(c->in_table);
    if (!show(c))
        go_forward(c, c->index + 1);
}

static void level_prev(lode_cursor *base)
{
    level_cursor *c = (level_cursor *)base;
    c->in_table->ops->prev(c->in_table);
    if (!show(c))
        go_backward(c, c->index);
}

static void level_destroy(lode_cursor *base)
{
    level_cursor *c = (level_cursor *)base;
    lode_cursor_destroy(c->in_table);
    lode_version_unref(c->v);
    free(c);
}

static const lode_cursor_ops level_ops = { level_seek_first, level_seek_last, level_seek,   level_next,
                                           level_prev,       level_destroy,   level_foresee };

lode_cursor *lode_level_cursor(lode_version *v, lode_file_meta *const *files, size_t count,
                               const lode_cursor_options *options)
{
    level_cursor *c = lode_cursor_memory(sizeof *c);
    if (!c)
        return NULL;
    c->base.ops = &level_ops;
    c->base.status = lode_ok();
    c->v = v;
    lode_version_ref(v);
    c->files = files;
    c->count = count;
    c->options = *options;
    return &c->base;
}
