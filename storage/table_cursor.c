/* storage/table_cursor.c: walking over a whole table, block after block.
 *
 * Touches:  one table, which it keeps open.
 * Threads:  one per cursor.
 * Promise:  damage makes the cursor not valid with its reason; it never passes for the end.
 */
#include <stdlib.h>

#include "storage/table_internal.h"

typedef struct table_cursor {
    lode_cursor base;
    lode_table *t;
    lode_cursor_options options;
    size_t index; /* of the block that `in_block` walks; t->count: none */
    bool has_block;
    lode_table_pin pin;
    lode_table_window window; /* used by walks that do not fill the cache, where there is no map */
    lode_block_cursor in_block;
} table_cursor;

static void leave_block(table_cursor *c)
{
    if (c->has_block)
        lode_table_pin_release(&c->pin);
    c->has_block = false;
}

static bool enter_block(table_cursor *c, size_t index)
{
    lode_block block;
    if (c->has_block && c->index == index) {
        c->in_block.bad = c->in_block.no_memory = false;
        return true;
    }
    leave_block(c);
    bool is_served = false;
    bool goes_on = index == c->index + 1 || index == 0;
    c->index = index;
    lode_status s = lode_ok();
    if (goes_on && !c->t->map && !c->options.fill_cache)
        s = lode_table_read_through(c->t, &block, &c->window, index, &is_served);
    if (is_served)
        c->pin = (lode_table_pin){ NULL, NULL };
    else if (!lode_failed(s))
        s = lode_table_read_block(c->t, &block, &c->pin, index, &c->options);
    if (lode_failed(s)) {
        lode_cursor_fail(&c->base, s);
        return false;
    }
    c->has_block = true;
    lode_block_cursor_use(&c->in_block, &block);
    return true;
}

static lode_status in_block_status(const table_cursor *c)
{
    if (c->in_block.no_memory)
        return lode_fail(LODE_NO_MEMORY, "%s: memory ran out while the table was read", c->t->path);
    return lode_fail(LODE_CORRUPT, "%s: malformed entry in the block at offset %llu", c->t->path,
                     (unsigned long long)c->t->offsets[c->index]);
}

/* Copies the position of the block cursor. False when it is not valid, with base.status set when that is a failure. */
static inline bool show(table_cursor *c)
{
    c->base.valid = c->in_block.valid;
    c->base.key = c->in_block.key;
    c->base.value = c->in_block.value;
    if (__builtin_expect(c->in_block.bad, 0)) {
        lode_cursor_fail(&c->base, in_block_status(c));
        return false;
    }
    return c->base.valid;
}

static void go_forward(table_cursor *c, size_t index)
{
    for (; index < c->t->count; index++) {
        if (!enter_block(c, index))
            return;
        lode_block_cursor_seek_first(&c->in_block);
        if (show(c) || c->in_block.bad)
            return;
    }
    c->base.valid = false;
}

static void go_backward(table_cursor *c, size_t blocks_left)
{
    while (blocks_left) {
        if (!enter_block(c, --blocks_left))
            return;
        lode_block_cursor_seek_last(&c->in_block);
        if (show(c) || c->in_block.bad)
            return;
    }
    c->base.valid = false;
}

static void begin(table_cursor *c)
{
    c->base.valid = false;
    if (lode_failed(c->base.status))
        c->base.status = lode_ok();
}

static void table_seek_first(lode_cursor *base)
{
    begin((table_cursor *)base);
    go_forward((table_cursor *)base, 0);
}

static void table_seek_last(lode_cursor *base)
{
    begin((table_cursor *)base);
    go_backward((table_cursor *)base, ((table_cursor *)base)->t->count);
}

static void table_foresee(lode_cursor *base, lode_slice internal)
{
    const table_cursor *c = (const table_cursor *)base;
    lode_table_prefetch(c->t, lode_table_block_of(c->t, lode_user_key(internal), lode_trailer(internal)));
}

static void table_seek(lode_cursor *base, lode_slice internal)
{
    table_cursor *c = (table_cursor *)base;
    size_t index = lode_table_block_of(c->t, lode_user_key(internal), lode_trailer(internal));
    begin(c);
    if (index == c->t->count || !enter_block(c, index))
        return;
    lode_block_cursor_seek(&c->in_block, internal);
    if (!show(c) && !c->in_block.bad)
        go_forward(c, index + 1);
}

static void table_next(lode_cursor *base)
{
    table_cursor *c = (table_cursor *)base;
    lode_block_cursor_next(&c->in_block);
    if (!show(c) && !c->in_block.bad)
        go_forward(c, c->index + 1);
}

static void table_prev(lode_cursor *base)
{
    table_cursor *c = (table_cursor *)base;
    lode_block_cursor_prev(&c->in_block);
    if (!show(c) && !c->in_block.bad)
        go_backward(c, c->index);
}

static void table_destroy(lode_cursor *base)
{
    table_cursor *c = (table_cursor *)base;
    leave_block(c);
    lode_block_cursor_clear(&c->in_block);
    lode_table_unref(c->t);
    free(c->window.data);
    free(c);
}

void lode_table_cursor_use(lode_cursor *base, lode_table *t)
{
    table_cursor *c = (table_cursor *)base;
    leave_block(c);
    lode_table_ref(t);
    lode_table_unref(c->t);
    c->t = t;
    c->window.offset = c->window.len = 0; /* was the other table's */
    begin(c);
}

static const lode_cursor_ops table_ops = { table_seek_first, table_seek_last, table_seek,   table_next,
                                           table_prev,       table_destroy,   table_foresee };

lode_cursor *lode_table_cursor(lode_table *t, const lode_cursor_options *options)
{
    table_cursor *c = lode_cursor_memory(sizeof *c);
    if (!c)
        return NULL;
    c->base.ops = &table_ops;
    c->base.status = lode_ok();
    c->t = t;
    c->options = *options;
    lode_block_cursor_init(&c->in_block, t->cmp);
    lode_table_ref(t);
    return &c->base;
}
