/* storage/repair.c: making a store of what can still be read, without believing a manifest.
 *
 * Room:     logs become memtables; those and every block of every table that reads well are merged into level 1 by
 *           sequence numbers; then a new manifest.
 * Touches:  the whole directory. What could not be read in full is kept in "lost/", the rest is removed at the end.
 * Promise:  the store is marked before anything else (file REPAIRED), and refuses normal use until somebody removes the
 *           mark: deleted records may be back, and live ones lost.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "storage/file_name.h"
#include "storage/log_reader.h"
#include "storage/merge_cursor.h"
#include "storage/store_internal.h"
#include "storage/table_internal.h"

typedef struct old_file {
    lode_file_kind kind;
    uint64_t number;
    bool is_damaged; /* goes to lost/ */
} old_file;

typedef struct repair {
    lode_store *store; /* never opened: options, names, parts */
    old_file *files;
    size_t count, capacity;
    uint64_t highest_number, highest_sequence;
    lode_cursor **sources;
    size_t source_count;
    uint64_t entries, lost_places;
} repair;

static lode_status note_file(void *context, const char *name)
{
    repair *r = context;
    old_file f = { 0 };
    if (!lode_file_name_parse(name, &f.kind, &f.number))
        return lode_ok();
    if (f.number > r->highest_number && f.number < UINT64_MAX)
        r->highest_number = f.number;
    if (f.kind != LODE_FILE_LOG && f.kind != LODE_FILE_TABLE && f.kind != LODE_FILE_OLD_TABLE &&
        f.kind != LODE_FILE_MANIFEST)
        return lode_ok();
    if (r->count == r->capacity) {
        size_t capacity = r->capacity ? r->capacity * 2 : 64;
        old_file *files = realloc(r->files, capacity * sizeof *files);
        if (!files)
            return lode_fail(LODE_NO_MEMORY, "no memory for a list of files");
        r->files = files;
        r->capacity = capacity;
    }
    r->files[r->count++] = f;
    return lode_ok();
}

/* ---- reading a table past its damage ---- */

typedef struct salvage_cursor {
    lode_cursor base;
    repair *r;
    lode_table *t;
    old_file *file;
    size_t index;
    bool has_block;
    lode_table_pin pin;
    lode_block_cursor in_block;
    lode_buf last; /* keys that do not ascend are left out, since a table of them would be none */
} salvage_cursor;

static void leave_block(salvage_cursor *c)
{
    if (c->has_block)
        lode_table_pin_release(&c->pin);
    c->has_block = false;
}

static void note_damage(salvage_cursor *c)
{
    c->file->is_damaged = true;
    c->r->lost_places++;
}

static bool is_good_entry(salvage_cursor *c)
{
    lode_slice key = c->in_block.key;
    if ((lode_trailer(key) & 0xff) > LODE_ENTRY_VALUE ||
        (c->last.len && lode_compare_internal(c->t->cmp, lode_buf_slice(&c->last), key) >= 0)) {
        note_damage(c);
        return false;
    }
    lode_buf_reset(&c->last);
    lode_buf_append(&c->last, key.data, key.len);
    return lode_buf_is_good(&c->last);
}

/* What memory has no room for is no damage: nothing is repaired then. */
static bool lacks_memory(salvage_cursor *c, lode_code code)
{
    if (code != LODE_NO_MEMORY && lode_buf_is_good(&c->last) && !(c->has_block && c->in_block.no_memory))
        return false;
    lode_cursor_fail(&c->base, lode_fail(LODE_NO_MEMORY, "%s: memory ran out while it was read", c->t->path));
    return true;
}

/* On to the next good entry, from wherever the block cursor stands. */
static void settle(salvage_cursor *c)
{
    static const lode_cursor_options options = { .verify_checksums = true };
    for (;;) {
        for (; c->has_block && c->in_block.valid && lode_buf_is_good(&c->last); lode_block_cursor_next(&c->in_block))
            if (is_good_entry(c)) {
                c->base.key = c->in_block.key;
                c->base.value = c->in_block.value;
                c->base.valid = true;
                return;
            }
        if (lacks_memory(c, LODE_OK))
            return;
        if (c->has_block && c->in_block.bad)
            note_damage(c);
        leave_block(c);
        if (c->index == c->t->count) {
            c->base.valid = false;
            return;
        }
        lode_block block;
        lode_status s = lode_table_read_block(c->t, &block, &c->pin, c->index++, &options);
        if (lode_failed(s)) {
            if (lacks_memory(c, (lode_code)s.code))
                return;
            note_damage(c);
            continue;
        }
        c->has_block = true;
        lode_block_cursor_use(&c->in_block, &block);
        lode_block_cursor_seek_first(&c->in_block);
    }
}

static void salvage_first(lode_cursor *base)
{
    salvage_cursor *c = (salvage_cursor *)base;
    leave_block(c);
    lode_buf_reset(&c->last);
    c->index = 0;
    settle(c);
}
static void salvage_next(lode_cursor *base)
{
    salvage_cursor *c = (salvage_cursor *)base;
    lode_block_cursor_next(&c->in_block);
    settle(c);
}
static void salvage_never(lode_cursor *base)
{
    lode_cursor_fail(base, lode_fail(LODE_BUG, "repair reads forwards only"));
}
static void salvage_never_seek(lode_cursor *base, lode_slice internal)
{
    (void)internal;
    salvage_never(base);
}
static void salvage_destroy(lode_cursor *base)
{
    salvage_cursor *c = (salvage_cursor *)base;
    leave_block(c);
    lode_block_cursor_clear(&c->in_block);
    lode_buf_clear(&c->last);
    lode_table_unref(c->t);
    free(c);
}
static const lode_cursor_ops salvage_ops = { salvage_first, salvage_never, salvage_never_seek,
                                             salvage_next,  salvage_never, salvage_destroy };

static lode_status open_table(repair *r, old_file *f)
{
    lode_store *store = r->store;
    lode_table_read_options options = { .cmp = store->cmp, .verify_checksums = true, .may_map = true };
    lode_table *t;
    char *path = lode_file_path(store->path, f->kind, f->number);
    if (!path)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a file name", store->path);
    lode_status s = lode_table_open(&t, store->env, path, 0, &options);
    if (lode_failed(s)) {
        lode_log(&store->logger, LODE_LOG_WARNING, "repair: %s", s.text);
        free(path);
        f->is_damaged = true;
        r->lost_places++;
        return s.code == LODE_NO_MEMORY ? s : lode_ok();
    }
    free(path);
    salvage_cursor *c = calloc(1, sizeof *c);
    if (!c) {
        lode_table_unref(t);
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a cursor", store->path);
    }
    c->base.ops = &salvage_ops;
    c->base.status = lode_ok();
    c->r = r;
    c->t = t;
    c->file = f;
    lode_block_cursor_init(&c->in_block, store->cmp);
    r->sources[r->source_count++] = &c->base;
    return lode_ok();
}

static lode_status open_log(repair *r, old_file *f)
{
    lode_store *store = r->store;
    lode_log_reader *reader = NULL;
    bool found = true;
    lode_slice record;
    uint64_t last;
    char *path = lode_file_path(store->path, LODE_FILE_LOG, f->number);
    lode_memtable *mem = lode_memtable_create(store->cmp, store->options.write_buffer_bytes);
    lode_status s = path && mem ? lode_log_reader_open(&reader, store->env, path)
                                : lode_fail(LODE_NO_MEMORY, "%s: no memory to read a log", store->path);
    if (!lode_failed(s))
        lode_log_reader_pass_over_damage(reader);
    while (!lode_failed(s) && found) {
        s = lode_log_reader_next(reader, &found, &record);
        if (lode_failed(s) || !found)
            break;
        s = lode_batch_apply(record, mem, &last);
        if (s.code == LODE_CORRUPT) { /* what of it was whole is kept */
            f->is_damaged = true;
            r->lost_places++;
            s = lode_ok();
        }
    }
    if (!lode_failed(s) && lode_log_reader_passed_over(reader)) {
        f->is_damaged = true;
        r->lost_places += lode_log_reader_passed_over(reader);
    }
    if (!lode_failed(s) && lode_memtable_count(mem)) {
        r->sources[r->source_count] = lode_memtable_cursor(mem);
        if (r->sources[r->source_count])
            r->source_count++;
        else
            s = lode_fail(LODE_NO_MEMORY, "%s: no memory for a cursor", store->path);
    }
    lode_memtable_unref(mem);
    lode_log_reader_close(reader);
    free(path);
    return s;
}

/* ---- writing ---- */

typedef struct output {
    repair *r;
    lode_version_edit *edit;
    lode_table_builder *builder;
    char *path;
    uint64_t number;
} output;

static lode_status close_output(output *o)
{
    if (!o->builder)
        return lode_ok();
    LODE_TRY(lode_table_builder_finish(o->builder, true));
    lode_file_meta *f =
        lode_file_meta_create(o->number, lode_table_builder_bytes(o->builder), lode_table_builder_first_key(o->builder),
                              lode_table_builder_last_key(o->builder));
    if (!f)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a table", o->path);
    lode_version_edit_add(o->edit, 1, f);
    lode_table_builder_destroy(o->builder);
    o->builder = NULL;
    free(o->path);
    o->path = NULL;
    return lode_ok();
}

static lode_status put(output *o, lode_slice key, lode_slice value)
{
    lode_store *store = o->r->store;
    if (o->builder && lode_table_builder_bytes(o->builder) >= store->options.table_bytes)
        LODE_TRY(close_output(o));
    if (!o->builder) {
        o->number = lode_versions_new_number(&store->versions);
        o->path = lode_file_path(store->path, LODE_FILE_TABLE, o->number);
        if (!o->path)
            return lode_fail(LODE_NO_MEMORY, "%s: no memory for a file name", store->path);
        LODE_TRY(lode_table_builder_create(&o->builder, store->env, o->path, &store->table_options));
    }
    o->r->entries++;
    return lode_table_builder_add(o->builder, key, value);
}

/* Of each user key the newest entry, and nothing when that is a deletion: there is nothing below it. */
static lode_status merge(repair *r, lode_version_edit *edit)
{
    lode_store *store = r->store;
    output o = { .r = r, .edit = edit };
    lode_buf last = LODE_BUF_EMPTY;
    bool has_last = false;
    lode_status s = lode_ok();
    if (!r->source_count)
        return s;
    lode_cursor *c = lode_merge_cursor(store->cmp, r->sources, r->source_count);
    r->source_count = 0;
    if (!c)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to merge", store->path);
    for (c->ops->seek_first(c); c->valid && !lode_failed(s); c->ops->next(c)) {
        lode_slice user = lode_user_key(c->key);
        uint64_t trailer = lode_trailer(c->key);
        if (trailer >> 8 > r->highest_sequence)
            r->highest_sequence = trailer >> 8;
        if (has_last && lode_compare_user(store->cmp, lode_buf_slice(&last), user) == 0)
            continue;
        lode_buf_reset(&last);
        lode_buf_append(&last, user.data, user.len);
        has_last = true;
        if (!lode_buf_is_good(&last))
            s = lode_fail(LODE_NO_MEMORY, "%s: no memory for a key", store->path);
        else if ((trailer & 0xff) == LODE_ENTRY_VALUE)
            s = put(&o, c->key, c->value);
    }
    if (!lode_failed(s))
        s = c->status;
    if (!lode_failed(s))
        s = close_output(&o);
    lode_table_builder_destroy(o.builder);
    free(o.path);
    lode_buf_clear(&last);
    lode_cursor_destroy(c);
    return s;
}

static lode_status mark_as_repaired(lode_store *store)
{
    static const char text[] = "This store was repaired: deleted records may be back, and live ones lost.\n"
                               "Rebuild it; or check it, and remove this file.\n";
    char *path = lode_file_path(store->path, LODE_FILE_REPAIRED, 0);
    if (!path)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a file name", store->path);
    lode_status s = lode_env_write_file_atomically(store->env, path, text, sizeof text - 1);
    free(path);
    return s;
}

/* After the new manifest: damaged files to lost/, the others away. */
static void clear_old_files(repair *r)
{
    lode_store *store = r->store;
    char *lost = lode_path_join(store->path, "lost");
    for (size_t i = 0; lost && i < r->count; i++) {
        char name[LODE_FILE_NAME_BYTES];
        lode_file_name(name, r->files[i].kind, r->files[i].number);
        char *from = lode_path_join(store->path, name), *to = lode_path_join(lost, name);
        if (from && to && r->files[i].is_damaged && !lode_failed(store->env->make_directory(store->env, lost)))
            lode_ignore(store->env->rename(store->env, from, to)); /* stays where it is; no harm */
        else if (from && !r->files[i].is_damaged)
            lode_ignore(store->env->remove(store->env, from)); /* the next open sweeps */
        free(from);
        free(to);
    }
    free(lost);
}

static lode_status read_everything(repair *r)
{
    lode_store *store = r->store;
    LODE_TRY(store->env->list(store->env, store->path, note_file, r));
    r->sources = malloc((r->count + 1) * sizeof *r->sources);
    if (!r->sources)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory to repair", store->path);
    for (size_t i = 0; i < r->count; i++)
        if (r->files[i].kind == LODE_FILE_LOG)
            LODE_TRY(open_log(r, &r->files[i]));
        else if (r->files[i].kind != LODE_FILE_MANIFEST)
            LODE_TRY(open_table(r, &r->files[i]));
    lode_versions_mark_used(&store->versions, r->highest_number);
    return lode_ok();
}

static lode_status write_everything(repair *r)
{
    lode_store *store = r->store;
    lode_version_edit edit;
    lode_version_edit_init(&edit);
    lode_status s = merge(r, &edit);
    if (!lode_failed(s)) {
        edit.has_log_number = edit.has_last_sequence = true;
        edit.log_number = lode_versions_new_number(&store->versions);
        edit.last_sequence = r->highest_sequence;
        lode_mutex_lock(&store->lock);
        s = lode_versions_apply(&store->versions, &store->lock, &edit, NULL, NULL);
        lode_mutex_unlock(&store->lock);
    }
    lode_version_edit_clear(store->tables, &edit);
    return s;
}

lode_status lode_store_repair(const char *path, const lode_store_options *options)
{
    repair r = { 0 };
    lode_file_info info;
    bool exists;
    if (!path || !*path)
        return lode_fail(LODE_INVALID_ARGUMENT, "store repair: no path");
    LODE_TRY(lode_store_prepare(&r.store, path, options));
    lode_store *store = r.store;
    lode_status s = store->env->path_info(store->env, &exists, &info, path);
    if (!lode_failed(s) && !exists)
        s = lode_fail(LODE_MISSING, "%s: there is no store", path);
    if (!lode_failed(s))
        s = lode_store_lock_files(store);
    if (!lode_failed(s))
        s = mark_as_repaired(store);
    if (!lode_failed(s))
        s = read_everything(&r);
    if (!lode_failed(s))
        s = write_everything(&r);
    for (size_t i = 0; i < r.source_count; i++)
        lode_cursor_destroy(r.sources[i]);
    free(r.sources);
    if (!lode_failed(s)) {
        clear_old_files(&r);
        lode_log(&store->logger, LODE_LOG_WARNING,
                 "%s: repaired: %" PRIu64 " records kept, %" PRIu64 " damaged places passed over", path, r.entries,
                 r.lost_places);
    }
    free(r.files);
    lode_store_discard(store);
    return s;
}
