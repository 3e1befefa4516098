/* bench/engines/sqlite.c: SQLite with a write-ahead log and, unless told otherwise, the exclusive lock.
 *
 * One table without row numbers. An unsynced write is a transaction with synchronous=NORMAL: the log is not synced at a
 * commit, only at checkpoints. A synced one has synchronous=FULL.
 */
#include "bench/engines/engine.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

enum { PUT, DELETE, GET, BEGIN, COMMIT, STATEMENTS };

typedef struct sqlite_db {
    sqlite3 *db;
    sqlite3_stmt *statements[STATEMENTS];
    bool is_read; /* the statement of the last get stands on its row */
} sqlite_db;

typedef struct sqlite_cursor {
    sqlite_db *db;
    sqlite3_stmt *statement;
} sqlite_cursor;

static void must(sqlite_db *db, int code)
{
    if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW)
        lode_engine_stop("sqlite: %s", sqlite3_errmsg(db->db));
}

static void write_version(char *text, size_t size)
{
    snprintf(text, size, "%s", sqlite3_libversion());
}

static void describe(char *text, size_t size, const lode_engine_settings *s)
{
    snprintf(text, size, "WAL, %s lock, synchronous=%s, cache %zu, page 4096, no compression",
             s->sqlite_shared ? "shared" : "exclusive", s->sync ? "FULL" : "NORMAL", s->cache_bytes);
}

static void execute(sqlite_db *db, const char *text)
{
    must(db, sqlite3_exec(db->db, text, NULL, NULL, NULL));
}

static void *open_db(const char *path, const lode_engine_settings *s)
{
    static const char *const texts[STATEMENTS] = {
        "REPLACE INTO entries VALUES (?, ?)",
        "DELETE FROM entries WHERE key = ?",
        "SELECT value FROM entries WHERE key = ?",
        "BEGIN",
        "COMMIT",
    };
    sqlite_db *db = (sqlite_db *)lode_engine_memory(sizeof *db);
    char text[400], *file = lode_engine_file(path, "entries.sqlite");

    must(db, sqlite3_open_v2(file, &db->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL));
    free(file);
    snprintf(text, sizeof text,
             "PRAGMA page_size=4096; PRAGMA locking_mode=%s; PRAGMA journal_mode=WAL; PRAGMA synchronous=%s; "
             "PRAGMA cache_size=-%zu; CREATE TABLE IF NOT EXISTS entries (key BLOB PRIMARY KEY, value BLOB)%s",
             s->sqlite_shared ? "NORMAL" : "EXCLUSIVE", s->sync ? "FULL" : "NORMAL", s->cache_bytes / 1024 + 1,
             s->large_values ? "" : " WITHOUT ROWID");
    execute(db, text);
    for (int i = 0; i < STATEMENTS; i++)
        must(db, sqlite3_prepare_v2(db->db, texts[i], -1, &db->statements[i], NULL));
    return db;
}

static void end_read(sqlite_db *db)
{
    if (db->is_read)
        sqlite3_reset(db->statements[GET]);
    db->is_read = false;
}

static void close_db(void *context)
{
    sqlite_db *db = (sqlite_db *)context;

    for (int i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(db->statements[i]);
    must(db, sqlite3_close(db->db));
    free(db);
}

static void step(sqlite_db *db, int which)
{
    must(db, sqlite3_step(db->statements[which]));
    must(db, sqlite3_reset(db->statements[which]));
}

static void bind(sqlite_db *db, sqlite3_stmt *statement, int at, lode_bytes b)
{
    must(db, sqlite3_bind_blob(statement, at, b.data, (int)b.len, SQLITE_STATIC));
}

static void batch_begin(void *context)
{
    end_read((sqlite_db *)context);
    step((sqlite_db *)context, BEGIN);
}

static void batch_put(void *context, lode_bytes key, lode_bytes value)
{
    sqlite_db *db = (sqlite_db *)context;

    bind(db, db->statements[PUT], 1, key);
    bind(db, db->statements[PUT], 2, value);
    step(db, PUT);
}

static void batch_delete(void *context, lode_bytes key)
{
    sqlite_db *db = (sqlite_db *)context;

    bind(db, db->statements[DELETE], 1, key);
    step(db, DELETE);
}

static void batch_commit(void *context, bool sync)
{
    step((sqlite_db *)context, COMMIT);
}

static void put(void *context, lode_bytes key, lode_bytes value, bool sync)
{
    end_read((sqlite_db *)context);
    batch_put(context, key, value);
}

static bool get(void *context, lode_bytes key, lode_bytes *value)
{
    sqlite_db *db = (sqlite_db *)context;
    sqlite3_stmt *statement = db->statements[GET];
    int code;

    end_read(db);
    bind(db, statement, 1, key);
    code = sqlite3_step(statement);
    must(db, code);
    db->is_read = true;
    if (code != SQLITE_ROW)
        return false;
    value->data = sqlite3_column_blob(statement, 0);
    value->len = (size_t)sqlite3_column_bytes(statement, 0);
    return true;
}

static void *cursor_create(void *context)
{
    sqlite_cursor *c = (sqlite_cursor *)lode_engine_memory(sizeof *c);

    c->db = (sqlite_db *)context;
    return c;
}

static bool read_row(const sqlite_cursor *c, lode_engine_entry *entry)
{
    int code = sqlite3_step(c->statement);

    must(c->db, code);
    if (code != SQLITE_ROW)
        return false;
    entry->key.data = sqlite3_column_blob(c->statement, 0);
    entry->key.len = (size_t)sqlite3_column_bytes(c->statement, 0);
    entry->value.data = sqlite3_column_blob(c->statement, 1);
    entry->value.len = (size_t)sqlite3_column_bytes(c->statement, 1);
    return true;
}

/* A query for each beginning; one direction until the next. */
static bool cursor_move(void *cursor, lode_engine_move move, lode_bytes key, lode_engine_entry *entry)
{
    static const char *const texts[] = {
        [LODE_MOVE_FIRST] = "SELECT key, value FROM entries ORDER BY key",
        [LODE_MOVE_LAST] = "SELECT key, value FROM entries ORDER BY key DESC",
        [LODE_MOVE_SEEK] = "SELECT key, value FROM entries WHERE key >= ? ORDER BY key",
    };
    sqlite_cursor *c = (sqlite_cursor *)cursor;

    if (move == LODE_MOVE_NEXT || move == LODE_MOVE_PREV)
        return read_row(c, entry);
    sqlite3_finalize(c->statement);
    must(c->db, sqlite3_prepare_v2(c->db->db, texts[move], -1, &c->statement, NULL));
    if (move == LODE_MOVE_SEEK)
        bind(c->db, c->statement, 1, key);
    return read_row(c, entry);
}

static void cursor_destroy(void *cursor)
{
    sqlite3_finalize(((sqlite_cursor *)cursor)->statement);
    free(cursor);
}

static void compact(void *context)
{
    end_read((sqlite_db *)context);
    execute((sqlite_db *)context, "VACUUM");
}

const lode_engine lode_engine_sqlite = {
    .name = "sqlite",
    .promise = "the end of the process",
    .describe = describe,
    .open = open_db,
    LODE_ENGINE_CALLS,
    LODE_ENGINE_BATCHES,
    .compact = compact,
};
