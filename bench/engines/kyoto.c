/* bench/engines/kyoto.c: Kyoto Cabinet, B+ tree (TreeDB) and hash (HashDB), through its C interface.
 *
 * A write that is not asked to be synced goes without a transaction; a batch is one transaction. Sizes are given in the
 * name of the file, as the library wants them.
 */
#include "bench/engines/engine.h"

#include <inttypes.h>
#include <kclangc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct kyoto_db {
    KCDB *db;
    lode_engine_buffer value;
} kyoto_db;

typedef struct kyoto_cursor {
    KCCUR *cursor;
    lode_engine_buffer entry;
    size_t key_len, value_len;
} kyoto_cursor;

static void must(const kyoto_db *db, int32_t is_done)
{
    if (!is_done)
        lode_engine_stop("kyoto: %s", kcdbemsg(db->db));
}

static void write_version(char *text, size_t size)
{
    snprintf(text, size, "%s", KCVERSION);
}

/* As they stand behind the file's name. */
typedef struct tuning {
    char text[200];
} tuning;

static tuning tune_tree(const lode_engine_settings *s)
{
    tuning t;

    snprintf(t.text, sizeof t.text, "#pccap=%zu#msiz=67108864%s", s->cache_bytes,
             s->compress ? "#opts=c#zcomp=lzo" : "");
    return t;
}

/* Two buckets an entry; what is cached is what is mapped. */
static tuning tune_hash(const lode_engine_settings *s)
{
    tuning t;

    snprintf(t.text, sizeof t.text, "#bnum=%" PRIu64 "#msiz=%zu%s", s->entries * 2 + 1, s->cache_bytes,
             s->compress ? "#opts=c#zcomp=lzo" : "");
    return t;
}

static void describe_tree(char *text, size_t size, const lode_engine_settings *s)
{
    snprintf(text, size, "%s%s", tune_tree(s).text, s->compress ? "" : ", no compression");
}

static void describe_hash(char *text, size_t size, const lode_engine_settings *s)
{
    snprintf(text, size, "%s%s", tune_hash(s).text, s->compress ? "" : ", no compression");
}

static void *open_db(const char *path, const char *name, tuning t)
{
    kyoto_db *db = (kyoto_db *)lode_engine_memory(sizeof *db);
    char *tuned = lode_engine_file(path, "%s%s", name, t.text);

    db->db = kcdbnew();
    must(db, kcdbopen(db->db, tuned, KCOWRITER | KCOCREATE));
    free(tuned);
    return db;
}

static void *open_tree(const char *path, const lode_engine_settings *s)
{
    return open_db(path, "db.kct", tune_tree(s));
}

static void *open_hash(const char *path, const lode_engine_settings *s)
{
    return open_db(path, "db.kch", tune_hash(s));
}

static void close_db(void *context)
{
    kyoto_db *db = (kyoto_db *)context;

    must(db, kcdbclose(db->db));
    kcdbdel(db->db);
    free(db->value.bytes);
    free(db);
}

static void batch_begin(void *context)
{
    kyoto_db *db = (kyoto_db *)context;

    must(db, kcdbbegintran(db->db, 0));
}

static void batch_put(void *context, lode_bytes key, lode_bytes value)
{
    kyoto_db *db = (kyoto_db *)context;

    must(db, kcdbset(db->db, (const char *)key.data, key.len, (const char *)value.data, value.len));
}

static void batch_delete(void *context, lode_bytes key)
{
    kyoto_db *db = (kyoto_db *)context;

    must(db, kcdbremove(db->db, (const char *)key.data, key.len) || kcdbecode(db->db) == KCENOREC);
}

static void sync_db(kyoto_db *db)
{
    must(db, kcdbsync(db->db, 1, NULL, NULL));
}

static void batch_commit(void *context, bool sync)
{
    kyoto_db *db = (kyoto_db *)context;

    must(db, kcdbendtran(db->db, 1));
    if (sync)
        sync_db(db);
}

static void put(void *context, lode_bytes key, lode_bytes value, bool sync)
{
    batch_put(context, key, value);
    if (sync)
        sync_db((kyoto_db *)context);
}

static bool get(void *context, lode_bytes key, lode_bytes *value)
{
    kyoto_db *db = (kyoto_db *)context;
    int32_t len;

    lode_engine_buffer_grow(&db->value, 4096);
    for (;;) {
        len = kcdbgetbuf(db->db, (const char *)key.data, key.len, (char *)db->value.bytes, db->value.capacity);
        if (len < 0) {
            must(db, kcdbecode(db->db) == KCENOREC);
            return false;
        }
        if ((size_t)len <= db->value.capacity)
            break;
        lode_engine_buffer_grow(&db->value, (size_t)len);
    }
    *value = (lode_bytes){ db->value.bytes, (size_t)len };
    return true;
}

static void *cursor_create(void *context)
{
    kyoto_cursor *c = (kyoto_cursor *)lode_engine_memory(sizeof *c);

    *c = (kyoto_cursor){ .cursor = kcdbcursor(((kyoto_db *)context)->db) };
    return c;
}

/* A KCVISITFULL: the entry is copied, as what is shown is gone when this returns. */
static const char *copy_entry(const char *key, size_t key_len, const char *value, size_t value_len, size_t *new_len,
                              void *context)
{
    kyoto_cursor *c = (kyoto_cursor *)context;

    (void)new_len;
    lode_engine_buffer_grow(&c->entry, key_len + value_len);
    memcpy(c->entry.bytes, key, key_len);
    memcpy(c->entry.bytes + key_len, value, value_len);
    c->key_len = key_len;
    c->value_len = value_len;
    return KCVISNOP;
}

static bool cursor_move(void *cursor, lode_engine_move move, lode_bytes key, lode_engine_entry *entry)
{
    kyoto_cursor *c = (kyoto_cursor *)cursor;
    int32_t is_there = 0;

    switch (move) {
    case LODE_MOVE_FIRST:
        is_there = kccurjump(c->cursor);
        break;
    case LODE_MOVE_LAST:
        is_there = kccurjumpback(c->cursor);
        break;
    case LODE_MOVE_NEXT:
        is_there = kccurstep(c->cursor);
        break;
    case LODE_MOVE_PREV:
        is_there = kccurstepback(c->cursor);
        break;
    case LODE_MOVE_SEEK:
        is_there = kccurjumpkey(c->cursor, (const char *)key.data, key.len);
        break;
    }
    is_there = is_there && kccuraccept(c->cursor, copy_entry, c, 0, 0);
    if (!is_there) {
        if (kccurecode(c->cursor) != KCENOREC)
            lode_engine_stop("kyoto: %s", kccuremsg(c->cursor));
        return false;
    }
    entry->key = (lode_bytes){ c->entry.bytes, c->key_len };
    entry->value = (lode_bytes){ c->entry.bytes + c->key_len, c->value_len };
    return true;
}

static void cursor_destroy(void *cursor)
{
    kyoto_cursor *c = (kyoto_cursor *)cursor;

    kccurdel(c->cursor);
    free(c->entry.bytes);
    free(c);
}

#define KYOTO_CALLS                                                                                                    \
    .promise = "a proper close; batches: the end of the process",                                                      \
    .no_compact = "its C interface has no call for that", LODE_ENGINE_CALLS, LODE_ENGINE_BATCHES

const lode_engine lode_engine_kyoto_tree = {
    .name = "kyoto-tree",
    .describe = describe_tree,
    .open = open_tree,
    KYOTO_CALLS,
};

const lode_engine lode_engine_kyoto_hash = {
    .name = "kyoto-hash",
    .no_order = "a hash has no order",
    .no_reverse = "a hash has no order",
    .describe = describe_hash,
    .open = open_hash,
    KYOTO_CALLS,
};
