/* bench/engines/tokyo.c: Tokyo Cabinet, B+ tree and hash, through its abstract interface; cursors through the one
 * below.
 *
 * A write that is not asked to be synced goes without a transaction; a batch is one transaction.
 */
#include "bench/engines/engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <tcadb.h>
#include <tcutil.h>

enum { LEAF_ENTRIES = 128 }; /* the library's default */

typedef struct tokyo_db {
    TCADB *db;
    TCBDB *tree; /* what is below it, one of the two */
    TCHDB *hash;
    void *value; /* lent by get */
} tokyo_db;

typedef struct tokyo_cursor {
    const tokyo_db *of;
    BDBCUR *tree; /* NULL: a hash, which keeps the place itself */
    TCXSTR *key, *value;
} tokyo_cursor;

/* Why the last call failed. */
static int error_of(const tokyo_db *db)
{
    return db->tree ? tcbdbecode(db->tree) : tchdbecode(db->hash);
}

static void must(const tokyo_db *db, bool is_done)
{
    if (!is_done)
        lode_engine_stop("tokyo: %s", tchdberrmsg(error_of(db)));
}

/* That there is no such entry is told as a failure, too. */
static bool is_found(const tokyo_db *db, bool is_done)
{
    must(db, is_done || error_of(db) == TCENOREC);
    return is_done;
}

static void write_version(char *text, size_t size)
{
    snprintf(text, size, "%s", tcversion);
}

/* As they stand behind the file's name. */
typedef struct tuning {
    char text[200];
} tuning;

/* The cache is counted in leaves. */
static tuning tune_tree(const lode_engine_settings *s)
{
    uint64_t entry = s->entries ? s->data_bytes / s->entries + 1 : 140;
    uint64_t leaves = s->cache_bytes / (entry * LEAF_ENTRIES);
    tuning t;

    snprintf(t.text, sizeof t.text, "#opts=l#xmsiz=67108864#lcnum=%" PRIu64 "#ncnum=512", leaves < 64 ? 64 : leaves);
    return t;
}

/* Two buckets an entry; what is cached is what is mapped. */
static tuning tune_hash(const lode_engine_settings *s)
{
    tuning t;

    snprintf(t.text, sizeof t.text, "#opts=l#bnum=%" PRIu64 "#xmsiz=%zu", s->entries * 2 + 1, s->cache_bytes);
    return t;
}

static void describe_tree(char *text, size_t size, const lode_engine_settings *s)
{
    snprintf(text, size, "%s, no compression", tune_tree(s).text);
}

static void describe_hash(char *text, size_t size, const lode_engine_settings *s)
{
    snprintf(text, size, "%s, no compression", tune_hash(s).text);
}

/* What is below tells errors, and is not there when this fails. */
static tokyo_db *open_db(const char *path, const char *name, tuning t)
{
    tokyo_db *db = (tokyo_db *)lode_engine_memory(sizeof *db);
    char *tuned = lode_engine_file(path, "%s%s", name, t.text);

    db->db = tcadbnew();
    if (!tcadbopen(db->db, tuned))
        lode_engine_stop("tokyo: %s cannot be opened", tuned);
    free(tuned);
    return db;
}

static void *open_tree(const char *path, const lode_engine_settings *s)
{
    tokyo_db *db = open_db(path, "db.tcb", tune_tree(s));

    db->tree = (TCBDB *)tcadbreveal(db->db);
    return db;
}

static void *open_hash(const char *path, const lode_engine_settings *s)
{
    tokyo_db *db = open_db(path, "db.tch", tune_hash(s));

    db->hash = (TCHDB *)tcadbreveal(db->db);
    return db;
}

static void close_db(void *context)
{
    tokyo_db *db = (tokyo_db *)context;

    if (!tcadbclose(db->db)) /* and what is below is gone */
        lode_engine_stop("tokyo: a database cannot be closed");
    tcadbdel(db->db);
    free(db->value);
    free(db);
}

static void batch_begin(void *context)
{
    const tokyo_db *db = (const tokyo_db *)context;

    must(db, tcadbtranbegin(db->db));
}

static void batch_put(void *context, lode_bytes key, lode_bytes value)
{
    const tokyo_db *db = (const tokyo_db *)context;

    must(db, tcadbput(db->db, key.data, (int)key.len, value.data, (int)value.len));
}

static void batch_delete(void *context, lode_bytes key)
{
    const tokyo_db *db = (const tokyo_db *)context;

    is_found(db, tcadbout(db->db, key.data, (int)key.len));
}

static void batch_commit(void *context, bool sync)
{
    const tokyo_db *db = (const tokyo_db *)context;

    must(db, tcadbtrancommit(db->db));
    must(db, !sync || tcadbsync(db->db));
}

static void put(void *context, lode_bytes key, lode_bytes value, bool sync)
{
    const tokyo_db *db = (const tokyo_db *)context;

    batch_put(context, key, value);
    must(db, !sync || tcadbsync(db->db));
}

static bool get(void *context, lode_bytes key, lode_bytes *value)
{
    tokyo_db *db = (tokyo_db *)context;
    int len;

    free(db->value);
    db->value = tcadbget(db->db, key.data, (int)key.len, &len);
    if (!is_found(db, db->value != NULL))
        return false;
    *value = (lode_bytes){ db->value, (size_t)len };
    return true;
}

static void *cursor_create(void *context)
{
    const tokyo_db *db = (const tokyo_db *)context;
    tokyo_cursor *c = (tokyo_cursor *)lode_engine_memory(sizeof *c);

    *c = (tokyo_cursor){ .of = db, .key = tcxstrnew(), .value = tcxstrnew() };
    if (db->tree)
        c->tree = tcbdbcurnew(db->tree);
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
    TCHDB *hash = c->of->hash;
    bool is_there;

    if (c->tree)
        is_there = move_tree(c, move, key) && tcbdbcurrec(c->tree, c->key, c->value);
    else
        is_there = (move != LODE_MOVE_FIRST || tchdbiterinit(hash)) && tchdbiternext3(hash, c->key, c->value);
    if (!is_found(c->of, is_there))
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
    const tokyo_db *db = (const tokyo_db *)context;

    must(db, tcadboptimize(db->db, NULL));
}

#define TOKYO_CALLS                                                                                                    \
    .promise = "a proper close; batches: the end of the process", LODE_ENGINE_CALLS, LODE_ENGINE_BATCHES,              \
    .compact = compact

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
