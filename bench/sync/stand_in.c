/* bench/sync/stand_in.c: one of bench/engines behind the calls that coins and transaction index make.
 *
 * Room:     batches, reads by several threads, cursors in order of keys.
 * Touches:  a folder of the engine's own.
 * Threads:  see the header. `writing` is held while something is written, `using` around each call to an engine that
 *           one thread at a time may use.
 */
#include "bench/sync/stand_in.h"

#include <stdlib.h>
#include <string.h>

#include "support/thread.h"

lode_stand_in_wish lode_stand_in_wished;

struct lode_stand_in {
    const lode_engine *engine;
    void *db;
    lode_mutex writing, using;
};

static void lock(lode_stand_in *s)
{
    if (!s->engine->get_beside)
        lode_mutex_lock(&s->using);
}

static void unlock(lode_stand_in *s)
{
    if (!s->engine->get_beside)
        lode_mutex_unlock(&s->using);
}

lode_stand_in *lode_stand_in_open(const char *path)
{
    lode_stand_in *s = (lode_stand_in *)lode_engine_memory(sizeof *s);

    s->engine = lode_stand_in_wished.engine;
    lode_mutex_init(&s->writing);
    lode_mutex_init(&s->using);
    s->db = s->engine->open(path, &lode_stand_in_wished.settings);
    return s;
}

void lode_stand_in_close(lode_stand_in *s)
{
    s->engine->close(s->db);
    lode_mutex_clear(&s->writing);
    lode_mutex_clear(&s->using);
    free(s);
}

void lode_stand_in_destroy(const char *path)
{
    lode_engine_remove(path);
}

/* ---- writing ---- */

static void write_one(void *context, lode_bytes key, const lode_bytes *value)
{
    const lode_stand_in *s = (const lode_stand_in *)context;

    if (value)
        s->engine->batch_put(s->db, key, *value);
    else
        s->engine->batch_delete(s->db, key);
}

lode_status lode_stand_in_write(lode_stand_in *s, const lode_batch *batch, bool sync)
{
    lode_status status;

    lode_mutex_lock(&s->writing);
    lock(s);
    s->engine->batch_begin(s->db);
    status = lode_batch_iterate(batch, s, write_one);
    s->engine->batch_commit(s->db, sync && lode_stand_in_wished.sync);
    unlock(s);
    lode_mutex_unlock(&s->writing);
    return status;
}

/* ---- reading ---- */

typedef struct asked {
    lode_bytes key;
    size_t at;
} asked;

static int compare_asked(const void *a, const void *b)
{
    return lode_stand_in_compare(((const asked *)a)->key, ((const asked *)b)->key);
}

/* One at a time, which the lock is for. */
static void get_each(lode_stand_in *s, const asked *all, size_t count, lode_engine_visit visit, void *context)
{
    lode_mutex_lock(&s->using);
    for (size_t i = 0; i < count; i++) {
        lode_bytes value;
        if (s->engine->get(s->db, all[i].key, &value))
            visit(context, all[i].at, value);
    }
    lode_mutex_unlock(&s->using);
}

typedef struct relay {
    const asked *all;
    lode_engine_visit visit;
    void *context;
} relay;

static void visit_asked(void *context, size_t at, lode_bytes value)
{
    const relay *r = (const relay *)context;

    r->visit(r->context, r->all[at].at, value);
}

static void get_beside(lode_stand_in *s, const asked *all, size_t count, lode_engine_visit visit, void *context)
{
    lode_bytes *keys = (lode_bytes *)lode_engine_memory(count * sizeof *keys);
    relay r = { all, visit, context };

    for (size_t i = 0; i < count; i++)
        keys[i] = all[i].key;
    s->engine->get_beside(s->db, keys, count, visit_asked, &r);
    free(keys);
}

/* Sorted, as Lode's store does it, so that neighbours share pages. */
void lode_stand_in_get(lode_stand_in *s, const lode_bytes *keys, size_t count, lode_engine_visit visit, void *context)
{
    asked few[32], *all = count <= 32 ? few : (asked *)lode_engine_memory(count * sizeof *all);

    for (size_t i = 0; i < count; i++)
        all[i] = (asked){ keys[i], i };
    qsort(all, count, sizeof *all, compare_asked);
    if (s->engine->get_beside)
        get_beside(s, all, count, visit, context);
    else
        get_each(s, all, count, visit, context);
    if (all != few)
        free(all);
}

/* ---- in order ---- */

struct lode_stand_in_cursor {
    lode_stand_in *of;
    void *cursor; /* the engine's; NULL: it has no order, and `sorted` holds a copy */
    bool is_valid;
    lode_engine_entry entry;
    lode_engine_entry *sorted;
    size_t count, capacity, at;
};

static void *copy_of(lode_bytes b)
{
    void *copy = lode_engine_memory(b.len);

    if (b.len)
        memcpy(copy, b.data, b.len);
    return copy;
}

static void add_entry(lode_stand_in_cursor *c, const lode_engine_entry *e)
{
    if (c->count == c->capacity) {
        c->capacity = c->capacity * 2 + 1024;
        c->sorted = (lode_engine_entry *)realloc(c->sorted, c->capacity * sizeof *c->sorted);
        if (!c->sorted)
            lode_engine_stop("no memory to sort %zu entries", c->capacity);
    }
    c->sorted[c->count++] = (lode_engine_entry){ { copy_of(e->key), e->key.len }, { copy_of(e->value), e->value.len } };
}

static int compare_entries(const void *a, const void *b)
{
    return lode_stand_in_compare(((const lode_engine_entry *)a)->key, ((const lode_engine_entry *)b)->key);
}

static void take_all(lode_stand_in_cursor *c)
{
    const lode_engine *engine = c->of->engine;
    void *cursor = engine->cursor_create(c->of->db);
    lode_engine_entry e;

    for (bool there = engine->cursor_move(cursor, LODE_MOVE_FIRST, (lode_bytes){ "", 0 }, &e); there;
         there = engine->cursor_move(cursor, LODE_MOVE_NEXT, (lode_bytes){ "", 0 }, &e))
        add_entry(c, &e);
    engine->cursor_destroy(cursor);
    if (c->count)
        qsort(c->sorted, c->count, sizeof *c->sorted, compare_entries);
}

lode_stand_in_cursor *lode_stand_in_cursor_create(lode_stand_in *s)
{
    lode_stand_in_cursor *c = (lode_stand_in_cursor *)lode_engine_memory(sizeof *c);

    c->of = s;
    lock(s);
    if (s->engine->no_order)
        take_all(c);
    else
        c->cursor = s->engine->cursor_create(s->db);
    unlock(s);
    return c;
}

void lode_stand_in_cursor_destroy(lode_stand_in_cursor *c)
{
    if (!c)
        return;
    lock(c->of);
    if (c->cursor)
        c->of->engine->cursor_destroy(c->cursor);
    unlock(c->of);
    for (size_t i = 0; i < c->count; i++) {
        free((void *)(uintptr_t)c->sorted[i].key.data);
        free((void *)(uintptr_t)c->sorted[i].value.data);
    }
    free(c->sorted);
    free(c);
}

static void show_sorted(lode_stand_in_cursor *c)
{
    c->is_valid = c->at < c->count;
    if (c->is_valid)
        c->entry = c->sorted[c->at];
}

static void move(lode_stand_in_cursor *c, lode_engine_move how, lode_bytes key)
{
    lock(c->of);
    c->is_valid = c->of->engine->cursor_move(c->cursor, how, key, &c->entry);
    unlock(c->of);
}

void lode_stand_in_cursor_seek(lode_stand_in_cursor *c, lode_bytes key)
{
    size_t low = 0, high = c->count;

    if (c->cursor) {
        move(c, key.len ? LODE_MOVE_SEEK : LODE_MOVE_FIRST, key);
        return;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lode_stand_in_compare(c->sorted[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    c->at = low;
    show_sorted(c);
}

void lode_stand_in_cursor_next(lode_stand_in_cursor *c)
{
    if (c->cursor) {
        move(c, LODE_MOVE_NEXT, (lode_bytes){ "", 0 });
        return;
    }
    c->at++;
    show_sorted(c);
}

const lode_engine_entry *lode_stand_in_cursor_entry(const lode_stand_in_cursor *c)
{
    return c->is_valid ? &c->entry : NULL;
}
