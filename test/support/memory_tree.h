/* test/support/memory_tree.h: files and directories in memory, each as it is now and as a power cut would leave it.
 *
 * memory_env.c puts the table of support/env.h before it. Functions give 0 or an errno value.
 */
#ifndef LODE_TEST_MEMORY_TREE_H
#define LODE_TEST_MEMORY_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "test/support/memory_env.h"

typedef struct memory_bytes {
    uint8_t *data;
    size_t len;
    size_t capacity;
} memory_bytes;

/* A write, or a new length, that no sync has made durable. */
typedef struct memory_write {
    struct memory_write *next;
    uint64_t offset;
    size_t len;
    bool is_resize; /* to `offset` bytes; `data` is empty */
    uint8_t data[];
} memory_write;

typedef struct memory_entry {
    char *name;
    struct memory_node *node; /* counted in its refs */
} memory_entry;

typedef struct memory_entries {
    memory_entry *list;
    size_t count;
    size_t capacity;
} memory_entries;

/* A file or a directory. */
typedef struct memory_node {
    unsigned refs; /* entries, handles and changes that name it */
    uint64_t inode;
    int64_t mtime_ns;
    bool is_directory;
    bool is_locked;
    memory_bytes now, durable;
    memory_write *first_write, *last_write; /* in the order in which they were made */
    memory_entries now_entries, durable_entries;
} memory_node;

/* A change to one directory that no sync of it has made durable: `name` becomes `node` (NULL: goes away), and
 * `gone`, unless NULL, goes away in the same step, as in a rename. */
typedef struct memory_change {
    struct memory_change *next;
    memory_node *directory; /* counted in its refs */
    memory_node *node;      /* counted in its refs */
    char *name;
    char *gone;
} memory_change;

typedef struct memory_tree {
    memory_node *root;
    memory_change *first_change, *last_change;
    uint64_t next_inode;
    int64_t clock_ns;
    uint64_t used_bytes, capacity_bytes;
} memory_tree;

void memory_tree_init(memory_tree *t);
void memory_tree_clear(memory_tree *t);

/* ENOENT, or ENOTDIR where a file stands in the way. `node` is borrowed. */
int memory_tree_find(memory_tree *t, memory_node **node, const char *path);
/* A new file or directory; EEXIST, ENOENT, ENOTDIR. */
int memory_tree_make(memory_tree *t, memory_node **node, const char *path, bool is_directory);
int memory_tree_link(memory_tree *t, const char *from, const char *to);
int memory_tree_rename(memory_tree *t, const char *from, const char *to);
int memory_tree_remove(memory_tree *t, const char *path, bool is_directory);

void memory_node_hold(memory_node *n);
void memory_node_drop(memory_tree *t, memory_node *n);
int memory_node_write(memory_tree *t, memory_node *n, const void *data, size_t len, uint64_t offset);
int memory_node_resize(memory_tree *t, memory_node *n, uint64_t size);
void memory_node_sync(memory_node *n);
void memory_tree_sync_directory(memory_tree *t, memory_node *directory);

/* What is on disk becomes what is. */
void memory_tree_lose_power(memory_tree *t, lode_power_cut cut, uint64_t seed);

#endif
