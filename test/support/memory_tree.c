/* test/support/memory_tree.c: nodes, names, and what a power cut leaves of them.
 *
 * Room:     each file's bytes twice (now, durable) and the writes between the two; each directory's names likewise,
 *           with one list of changes for all directories, in the order in which they were made.
 * Threads:  memory_env.c holds its lock around each call.
 * Promise:  running out of real memory aborts: this is a test's tool.
 */
#include "test/support/memory_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *p)
{
    if (!p)
        abort();
    return p;
}

static void resize_bytes(memory_bytes *b, size_t len)
{
    if (len > b->capacity) {
        size_t capacity = b->capacity * 2 > len ? b->capacity * 2 : len;
        b->data = must(realloc(b->data, capacity));
        b->capacity = capacity;
    }
    if (len > b->len)
        memset(b->data + b->len, 0, len - b->len);
    b->len = len;
}

static void write_bytes(memory_bytes *b, const void *data, size_t len, uint64_t offset)
{
    if (len == 0)
        return;
    if (offset + len > b->len)
        resize_bytes(b, (size_t)offset + len);
    memcpy(b->data + offset, data, len);
}

static void apply_write(memory_bytes *b, const memory_write *w, size_t len)
{
    if (w->is_resize)
        resize_bytes(b, (size_t)w->offset);
    else
        write_bytes(b, w->data, len, w->offset);
}

static void drop_writes(memory_node *n)
{
    for (memory_write *w = n->first_write, *next; w; w = next) {
        next = w->next;
        free(w);
    }
    n->first_write = n->last_write = NULL;
}

static memory_node *make_node(memory_tree *t, bool is_directory)
{
    memory_node *n = must(calloc(1, sizeof *n));

    n->inode = t->next_inode++;
    n->is_directory = is_directory;
    n->mtime_ns = t->clock_ns += 1000;
    return n;
}

void memory_node_hold(memory_node *n)
{
    n->refs++;
}

static void clear_entries(memory_tree *t, memory_entries *e)
{
    for (size_t i = 0; i < e->count; i++) {
        free(e->list[i].name);
        memory_node_drop(t, e->list[i].node);
    }
    free(e->list);
    *e = (memory_entries){ NULL, 0, 0 };
}

void memory_node_drop(memory_tree *t, memory_node *n)
{
    if (!n || --n->refs > 0)
        return;
    t->used_bytes -= n->now.len;
    drop_writes(n);
    free(n->now.data);
    free(n->durable.data);
    clear_entries(t, &n->now_entries);
    clear_entries(t, &n->durable_entries);
    free(n);
}

static memory_entry *find_entry(const memory_entries *e, const char *name)
{
    for (size_t i = 0; i < e->count; i++) {
        if (strcmp(e->list[i].name, name) == 0)
            return &e->list[i];
    }
    return NULL;
}

/* `name` becomes `node`; NULL takes it away. */
static void set_entry(memory_tree *t, memory_entries *e, const char *name, memory_node *node)
{
    memory_entry *entry = find_entry(e, name);

    if (node)
        memory_node_hold(node);
    if (entry && node) {
        memory_node_drop(t, entry->node);
        entry->node = node;
    } else if (entry) {
        memory_entry gone = *entry;
        *entry = e->list[--e->count];
        free(gone.name);
        memory_node_drop(t, gone.node);
    } else if (node) {
        if (e->count == e->capacity) {
            e->capacity = e->capacity ? e->capacity * 2 : 8;
            e->list = must(realloc(e->list, e->capacity * sizeof *e->list));
        }
        e->list[e->count++] = (memory_entry){ must(strdup(name)), node };
    }
}

static void apply_change(memory_tree *t, const memory_change *c)
{
    if (c->gone)
        set_entry(t, &c->directory->durable_entries, c->gone, NULL);
    set_entry(t, &c->directory->durable_entries, c->name, c->node);
}

static void free_change(memory_tree *t, memory_change *c)
{
    memory_node_drop(t, c->node);
    memory_node_drop(t, c->directory);
    free(c->name);
    free(c->gone);
    free(c);
}

/* Changes what the directory is now, and remembers that it is not durable. */
static void change_directory(memory_tree *t, memory_node *directory, const char *name, memory_node *node,
                             const char *gone)
{
    memory_change *c = must(calloc(1, sizeof *c));

    c->directory = directory;
    c->node = node;
    c->name = must(strdup(name));
    c->gone = gone ? must(strdup(gone)) : NULL;
    memory_node_hold(directory);
    if (node)
        memory_node_hold(node);
    if (t->last_change)
        t->last_change->next = c;
    else
        t->first_change = c;
    t->last_change = c;

    set_entry(t, &directory->now_entries, name, node);
    if (gone)
        set_entry(t, &directory->now_entries, gone, NULL);
    directory->mtime_ns = t->clock_ns += 1000;
}

void memory_tree_init(memory_tree *t)
{
    *t = (memory_tree){ .next_inode = 1, .clock_ns = INT64_C(1231006505) * 1000000000, .capacity_bytes = INT64_MAX };
    t->root = make_node(t, true);
    memory_node_hold(t->root);
}

static void drop_changes(memory_tree *t)
{
    for (memory_change *c = t->first_change, *next; c; c = next) {
        next = c->next;
        free_change(t, c);
    }
    t->first_change = t->last_change = NULL;
}

void memory_tree_clear(memory_tree *t)
{
    drop_changes(t);
    memory_node_drop(t, t->root);
}

/* The next part of a path that is a name; false at the end. ENAMETOOLONG is for real file systems. */
static bool next_part(const char **path, char name[256])
{
    for (;;) {
        while (**path == '/')
            ++*path;
        size_t len = strcspn(*path, "/");
        if (len == 0) {
            name[0] = '\0';
            return false;
        }
        if (len > 255)
            abort();
        memcpy(name, *path, len);
        name[len] = '\0';
        *path += len;
        if (strcmp(name, ".") != 0)
            return true;
    }
}

/* The directory that holds the last part of `path`, and that part's name, empty for the root. */
static int find_parent(memory_tree *t, memory_node **directory, char name[256], const char *path)
{
    memory_node *at = t->root;
    char next[256];

    name[0] = '\0';
    for (bool any = next_part(&path, name); any;) {
        if (!at->is_directory)
            return ENOTDIR;
        any = next_part(&path, next);
        if (!any)
            break;
        const memory_entry *e = find_entry(&at->now_entries, name);
        if (!e)
            return ENOENT;
        at = e->node;
        memcpy(name, next, sizeof next);
    }
    *directory = at;
    return 0;
}

int memory_tree_find(memory_tree *t, memory_node **node, const char *path)
{
    memory_node *directory;
    char name[256];
    int error = find_parent(t, &directory, name, path);

    if (error)
        return error;
    if (!name[0]) {
        *node = directory;
        return 0;
    }
    const memory_entry *e = find_entry(&directory->now_entries, name);
    if (!e)
        return ENOENT;
    *node = e->node;
    return 0;
}

int memory_tree_make(memory_tree *t, memory_node **node, const char *path, bool is_directory)
{
    memory_node *directory;
    char name[256];
    int error = find_parent(t, &directory, name, path);

    if (error)
        return error;
    if (!name[0] || find_entry(&directory->now_entries, name))
        return EEXIST;
    *node = make_node(t, is_directory);
    change_directory(t, directory, name, *node, NULL);
    return 0;
}

int memory_tree_link(memory_tree *t, const char *from, const char *to)
{
    memory_node *node, *directory;
    char name[256];
    int error = memory_tree_find(t, &node, from);

    if (!error)
        error = find_parent(t, &directory, name, to);
    if (error)
        return error;
    if (node->is_directory)
        return EPERM;
    if (!name[0] || find_entry(&directory->now_entries, name))
        return EEXIST;
    change_directory(t, directory, name, node, NULL);
    return 0;
}

static int may_replace(const memory_node *node, const memory_node *old)
{
    if (old->is_directory && !node->is_directory)
        return EISDIR;
    if (!old->is_directory && node->is_directory)
        return ENOTDIR;
    return old->now_entries.count ? ENOTEMPTY : 0;
}

int memory_tree_rename(memory_tree *t, const char *from, const char *to)
{
    memory_node *from_directory, *to_directory;
    char from_name[256], to_name[256];
    int error = find_parent(t, &from_directory, from_name, from);

    if (!error)
        error = find_parent(t, &to_directory, to_name, to);
    if (error)
        return error;
    if (!from_name[0] || !to_name[0])
        return EBUSY;
    const memory_entry *source = find_entry(&from_directory->now_entries, from_name);
    const memory_entry *old = find_entry(&to_directory->now_entries, to_name);
    if (!source)
        return ENOENT;
    if (old && old->node == source->node)
        return 0;
    error = old ? may_replace(source->node, old->node) : 0;
    if (error)
        return error;
    memory_node *node = source->node;
    if (from_directory == to_directory) {
        change_directory(t, to_directory, to_name, node, from_name);
    } else {
        change_directory(t, to_directory, to_name, node, NULL); /* first, so that no prefix loses the file */
        change_directory(t, from_directory, from_name, NULL, NULL);
    }
    return 0;
}

int memory_tree_remove(memory_tree *t, const char *path, bool is_directory)
{
    memory_node *directory;
    char name[256];
    int error = find_parent(t, &directory, name, path);

    if (error)
        return error;
    if (!name[0])
        return is_directory ? EBUSY : EISDIR;
    const memory_entry *e = find_entry(&directory->now_entries, name);
    if (!e)
        return ENOENT;
    if (e->node->is_directory != is_directory)
        return is_directory ? ENOTDIR : EISDIR;
    if (e->node->now_entries.count)
        return ENOTEMPTY;
    change_directory(t, directory, name, NULL, NULL);
    return 0;
}

static void remember_write(memory_node *n, uint64_t offset, const void *data, size_t len, bool is_resize)
{
    memory_write *w = must(malloc(sizeof *w + len));

    *w = (memory_write){ NULL, offset, len, is_resize };
    if (len)
        memcpy(w->data, data, len);
    if (n->last_write)
        n->last_write->next = w;
    else
        n->first_write = w;
    n->last_write = w;
}

/* How many of `len` bytes at `offset` fit on the disk. */
static size_t room_for(const memory_tree *t, const memory_node *n, size_t len, uint64_t offset)
{
    uint64_t left = t->capacity_bytes > t->used_bytes ? t->capacity_bytes - t->used_bytes : 0;

    if (offset + len <= n->now.len || offset + len - n->now.len <= left)
        return len;
    uint64_t end = n->now.len + left;
    return end > offset ? (size_t)(end - offset) : 0;
}

static void note_growth(memory_tree *t, memory_node *n, size_t before)
{
    t->used_bytes += n->now.len;
    t->used_bytes -= before;
    n->mtime_ns = t->clock_ns += 1000;
}

int memory_node_write(memory_tree *t, memory_node *n, const void *data, size_t len, uint64_t offset)
{
    size_t fits = room_for(t, n, len, offset), before = n->now.len;

    remember_write(n, offset, data, fits, false);
    write_bytes(&n->now, data, fits, offset);
    note_growth(t, n, before);
    return fits == len ? 0 : ENOSPC;
}

int memory_node_resize(memory_tree *t, memory_node *n, uint64_t size)
{
    size_t before = n->now.len;

    if (size > before && room_for(t, n, (size_t)size - before, before) < size - before)
        return ENOSPC;
    remember_write(n, size, NULL, 0, true);
    resize_bytes(&n->now, (size_t)size);
    note_growth(t, n, before);
    return 0;
}

void memory_node_sync(memory_node *n)
{
    for (const memory_write *w = n->first_write; w; w = w->next)
        apply_write(&n->durable, w, w->len);
    drop_writes(n);
}

void memory_tree_sync_directory(memory_tree *t, memory_node *directory)
{
    memory_change **at = &t->first_change;

    t->last_change = NULL;
    while (*at) {
        memory_change *c = *at;
        if (c->directory == directory) {
            apply_change(t, c);
            *at = c->next;
            free_change(t, c);
        } else {
            t->last_change = c;
            at = &c->next;
        }
    }
}

static uint64_t next_random(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static size_t count_writes(const memory_node *n)
{
    size_t count = 0;

    for (const memory_write *w = n->first_write; w; w = w->next)
        count++;
    return count;
}

static void keep_some_writes(memory_node *n, uint64_t *seed)
{
    size_t count = count_writes(n), kept = 0;
    uint64_t way = next_random(seed) % 4;
    size_t prefix = (size_t)(next_random(seed) % (count + 1));

    for (const memory_write *w = n->first_write; w; w = w->next, kept++) {
        if (way == 1 && kept < prefix)
            apply_write(&n->durable, w, w->len);
        else if (way == 1 && kept == prefix && !w->is_resize)
            apply_write(&n->durable, w, (size_t)(next_random(seed) % (w->len + 1)));
        else if (way == 2 && next_random(seed) % 2)
            apply_write(&n->durable, w, w->len);
    }
    if (way == 3 && n->now.len > n->durable.len)
        resize_bytes(&n->durable, n->now.len);
}

static void restore_file(memory_tree *t, memory_node *n, lode_power_cut cut, uint64_t *seed)
{
    size_t before = n->now.len;

    if (cut == LODE_KEEP_ALL)
        memory_node_sync(n);
    else if (cut == LODE_KEEP_SOME && n->first_write)
        keep_some_writes(n, seed);
    drop_writes(n);
    n->is_locked = false;
    n->now.len = 0;
    if (n->durable.len)
        write_bytes(&n->now, n->durable.data, n->durable.len, 0);
    t->used_bytes += n->now.len;
    t->used_bytes -= before;
}

static void restore_node(memory_tree *t, memory_node *n, lode_power_cut cut, uint64_t *seed)
{
    if (!n->is_directory) {
        restore_file(t, n, cut, seed);
        return;
    }
    for (size_t i = 0; i < n->durable_entries.count; i++)
        memory_node_hold(n->durable_entries.list[i].node);
    clear_entries(t, &n->now_entries);
    for (size_t i = 0; i < n->durable_entries.count; i++) {
        memory_entry *e = &n->durable_entries.list[i];
        set_entry(t, &n->now_entries, e->name, e->node);
        memory_node_drop(t, e->node);
        restore_node(t, e->node, cut, seed);
    }
}

static size_t count_changes(const memory_tree *t, const memory_node *directory)
{
    size_t count = 0;

    for (const memory_change *c = t->first_change; c; c = c->next)
        count += !directory || c->directory == directory;
    return count;
}

/* The first `keep` changes, of one directory or of all. */
static void keep_changes(memory_tree *t, const memory_node *directory, size_t keep)
{
    for (const memory_change *c = t->first_change; c && keep > 0; c = c->next) {
        if (directory && c->directory != directory)
            continue;
        apply_change(t, c);
        keep--;
    }
}

static bool is_first_of_its_directory(const memory_tree *t, const memory_change *change)
{
    const memory_change *c = t->first_change;

    while (c->directory != change->directory)
        c = c->next;
    return c == change;
}

/* As one journal for all keeps them, or as each directory does that knows nothing of the others, or in no order. */
static void keep_some_changes(memory_tree *t, uint64_t *seed)
{
    uint64_t way = next_random(seed) % 3;

    if (way == 0) {
        keep_changes(t, NULL, (size_t)(next_random(seed) % (count_changes(t, NULL) + 1)));
        return;
    }
    for (const memory_change *c = t->first_change; c; c = c->next) {
        if (way == 1 && next_random(seed) % 2)
            apply_change(t, c);
        else if (way == 2 && is_first_of_its_directory(t, c))
            keep_changes(t, c->directory, (size_t)(next_random(seed) % (count_changes(t, c->directory) + 1)));
    }
}

void memory_tree_lose_power(memory_tree *t, lode_power_cut cut, uint64_t seed)
{
    if (cut == LODE_KEEP_ALL)
        keep_changes(t, NULL, SIZE_MAX);
    else if (cut == LODE_KEEP_SOME)
        keep_some_changes(t, &seed);
    drop_changes(t);
    restore_node(t, t->root, cut, &seed);
}
