/* bench/engines/tokyo.c: Tokyo Cabinet, B+ tree and hash, through its abstract interface; cursors through the one
 * below.
 *
 * A write that is not asked to be synced goes without a transaction; a batch is one transaction.
 */
#include "bench/engines/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tcadb.h>
#include <tcutil.h>

enum { LEAF_ENTRIES = 128 }; /* the library's default */

typedef struct tokyo_db {
    TCADB *db;
    void *value; /* lent by get */
} tokyo_db;

typedef struct tokyo_cursor {
    TCHDB *hash;
    BDBCUR *tree; /* NULL: a hash */
    TCXSTR *key, *value;
} tokyo_cursor;

static void must(bool is_done, const char *what)
{
    if (!is_done)
        lode_engine_stop("tokyo: %s failed", what);
}

static void write_version(char *text, size_t size)
{
    snprintf(text, size, "%s", tcversion);
}

/* The cache is counted in leaves. */
static void describe_tree(char *text, size_t size, const lode_engine_settings *s)
{
    uint64_t entry = s->entries ? s->data_bytes / s->entries + 1 : 140;
    uint64_t leaves = s->cache_bytes / (entry * LEAF_ENTRIES);

    snprintf(text, size, "#opts=l#xmsiz=67108864#lcnum=%" PRIu64 "#ncnum=512", leaves < 64 ? 64 : leaves);
}

/* Two buckets an entry; what is cached is what is mapped. */
static void describe_hash(char *text, size_t size, const lode_engine_settings *s)
{
    snprintf(text, size, "#opts=l#bnum=%" PRIu64 "#xmsiz=%zu", s->entries * 2 + 1, s->cache_bytes);
}

static void *open_db(const char *path, const char *suffix, const char *sizes)
{
    tokyo_db *db = (tokyo_db *)lode_engine_memory(sizeof *db);
    char name[4096];

    if (mkdir(path, 0777) < 0 && errno != EEXIST)
        lode_engine_stop("%s: %s", path, strerror(errno));
    if ((size_t)snprintf(name, sizeof name, "%s/db.%s%s", path, suffix, sizes) >= sizeof name)
        lode_engine_stop("%s: the path is too long", path);
    *db = (tokyo_db){ .db = tcadbnew() };
    must(tcadbopen(db->db, name), "opening");
    return db;
}

static void *open_tree(const char *path, const lode_engine_settings *s)
{
    char sizes[200];

    describe_tree(sizes, sizeof sizes, s);
    return open_db(path, "tcb", sizes);
}

static void *open_hash(const char *path, const lode_engine_settings *s)
{
    char sizes[200];

    describe_hash(sizes, sizeof sizes, s);
    return open_db(path, "tch", sizes);
}

static void close_db(void *context)
{
    tokyo_db *db = (tokyo_db *)context;

    must(tcadbclose(db->db), "closing");
    tcadbdel(db->db);
    free(db->value);
    free(db);
}

static void batch_begin(void *context)
{
    must(tcadbtranbegin(((tokyo_db *)context)->db), "beginning a transaction");
}

static void batch_put(void *context, lode_bytes key, lode_bytes value)
{
    must(tcadbput(((tokyo_db *)context)->db, key.data, (int)key.len, value.data, (int)value.len), "writing");
}

/* False also when there is no such entry, which is no error. */
static void batch_delete(void *context, lode_bytes key)
{
    tcadbout(((tokyo_db *)context)->db, key.data, (int)key.len);
}

static void batch_commit(void *context, bool sync)
{
    must(tcadbtrancommit(((tokyo_db *)context)->db), "committing");
    if (sync)
        must(tcadbsync(((tokyo_db *)context)->db), "syncing");
}

static void put(void *context, lode_bytes key, lode_bytes value, bool sync)
{
    batch_put(context, key, value);
    if (sync)
        must(tcadbsync(((tokyo_db *)context)->db), "syncing");
}

static bool get(void *context, lode_bytes key, lode_bytes *value)
{
    tokyo_db *db = (tokyo_db *)context;
    int len;

    free(db->value);
    db->value = tcadbget(db->db, key.data, (int)key.len, &len);
    if (!db->value)
        return false;
    *value = (lode_bytes){ db->value, (size_t)len };
    return true;
}

static void *cursor_create(void *context)
{
    TCADB *db = ((tokyo_db *)context)->db;
    tokyo_cursor *c = (tokyo_cursor *)lode_engine_memory(sizeof *c);

    *c = (tokyo_cursor){ .key = tcxstrnew(), .value = tcxstrnew() };
    if (tcadbomode(db) == ADBOBDB)
        c->tree = tcbdbcurnew((TCBDB *)tcadbreveal(db));
    else
        c->hash = (TCHDB *)tcadbreveal(db);
    return c;
}

static bool move_tree(const tokyo_cursor *c, lode_engine_move move, lode_bytes key)
{
    switch (move) {
    case LODE_MOVE_FIRST:
        return tcbdbcurfirst(c->tree);
    case LODE_MOVE_LAST:
        return tcbdbcurlast(c->tree);
    case LODE_MOVE_NEXT:
        return tcbdbcurnext(c->tree);
    case LODE_MOVE_PREV:
        return tcbdbcurprev(c->tree);
    case LODE_MOVE_SEEK:
        return tcbdbcurjump(c->tree, key.data, (int)key.len);
    }
    return false;
}

static bool cursor_move(void *cursor, lode_engine_move move, lode_bytes key, lode_engine_entry *entry)
{
    tokyo_cursor *c = (tokyo_cursor *)cursor;
    bool is_there;

    if (c->tree)
        is_there = move_tree(c, move, key) && tcbdbcurrec(c->tree, c->key, c->value);
    else
        is_there = (move != LODE_MOVE_FIRST || tchdbiterinit(c->hash)) && tchdbiternext3(c->hash, c->key, c->value);
    if (!is_there)
        return false;
    entry->key = (lode_bytes){ tcxstrptr(c->key), (size_t)tcxstrsize(c->key) };
    entry->value = (lode_bytes){ tcxstrptr(c->value), (size_t)tcxstrsize(c->value) };
    return true;
}

static void cursor_destroy(void *cursor)
{
    tokyo_cursor *c = (tokyo_cursor *)cursor;

    if (c->tree)
        tcbdbcurdel(c->tree);
    tcxstrdel(c->key);
    tcxstrdel(c->value);
    free(c);
}

static void compact(void *context)
{
    must(tcadboptimize(((tokyo_db *)context)->db, NULL), "optimizing");
}

#define TOKYO_CALLS                                                                                                    \
    .promise = "a proper close; batches: the end of the process", .version = write_version, .close = close_db,         \
    .put = put, .batch_begin = batch_begin, .batch_put = batch_put, .batch_delete = batch_delete,                      \
    .batch_commit = batch_commit, .get = get, .cursor_create = cursor_create, .cursor_move = cursor_move,              \
    .cursor_destroy = cursor_destroy, .compact = compact

const lode_engine lode_engine_tokyo_tree = {
    .name = "tokyo-tree",
    .describe = describe_tree,
    .open = open_tree,
    TOKYO_CALLS,
};

const lode_engine lode_engine_tokyo_hash = {
    .name = "tokyo-hash",
    .no_order = "a hash has no order",
    .no_reverse = "a hash has no order",
    .describe = describe_hash,
    .open = open_hash,
    TOKYO_CALLS,
};
