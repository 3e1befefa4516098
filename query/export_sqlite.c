/* query/export_sqlite.c: rows into a SQLite database.
 *
 * Room:     one table filled in one transaction, without a journal: until it is finished the file has a name that says
 * it is not. Touches:  the database's file, through SQLite, which opens files on its own. Threads:  the chain's.
 */
#include "query/export.h"

#include <stdlib.h>

#include "config.h"
#include "query/json.h"

#ifdef LODE_WITH_SQLITE

#include <sqlite3.h>

struct lode_export_database {
    sqlite3 *db;
    sqlite3_stmt *insert;
    lode_buf text; /* of the row at hand */
};

static lode_status failure(const lode_export_database *d, const char *what)
{
    int code = d->db ? sqlite3_errcode(d->db) : SQLITE_NOMEM;

    return lode_fail(code == SQLITE_FULL    ? LODE_NO_SPACE
                     : code == SQLITE_NOMEM ? LODE_NO_MEMORY
                                            : LODE_IO,
                     "SQLite, %s: %s", what, d->db ? sqlite3_errmsg(d->db) : "out of memory");
}

static lode_status run(lode_export_database *d, const char *sql)
{
    return sqlite3_exec(d->db, sql, NULL, NULL, NULL) == SQLITE_OK ? lode_ok() : failure(d, sql);
}

static lode_status prepare(lode_export_database *d, const char *path)
{
    static const char insert[] = "INSERT INTO utxos VALUES (?, ?, ?, ?, ?, ?, ?, ?)";

    if (sqlite3_open_v2(path, &d->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return failure(d, "open");
    LODE_TRY(run(d, "PRAGMA journal_mode = OFF"));
    LODE_TRY(run(d, "PRAGMA synchronous = OFF")); /* synced as a whole before it gets its name */
    LODE_TRY(run(d, "PRAGMA locking_mode = EXCLUSIVE"));
    LODE_TRY(run(d, "CREATE TABLE utxos(txid TEXT, vout INT, value INT, coinbase INT, height INT, scriptpubkey TEXT, "
                    "type TEXT, address TEXT)"));
    LODE_TRY(run(d, "CREATE TABLE snapshot(chain TEXT, height INT, blockhash TEXT, coins INT)"));
    LODE_TRY(run(d, "BEGIN"));
    if (sqlite3_prepare_v2(d->db, insert, -1, &d->insert, NULL) != SQLITE_OK)
        return failure(d, insert);
    return lode_ok();
}

lode_status lode_export_database_open(lode_export_database **out, const char *path)
{
    lode_export_database *d = calloc(1, sizeof *d);
    lode_status s;

    *out = NULL;
    if (!d)
        return lode_fail(LODE_NO_MEMORY, "%s: no memory for a database", path);
    s = prepare(d, path);
    if (lode_failed(s))
        lode_export_database_close(d);
    else
        *out = d;
    return s;
}

lode_status lode_export_database_put(lode_export_database *d, const lode_export_row *r)
{
    sqlite3_stmt *i = d->insert;
    char txid[65];
    int len;

    lode_hash_to_hex(txid, r->txid);
    lode_buf_reset(&d->text);
    lode_buf_put_hex(&d->text, r->script.data, r->script.len);
    if (!lode_buf_is_good(&d->text) || d->text.len > INT32_MAX)
        return lode_fail(LODE_NO_MEMORY, "no memory for a script of %zu bytes", r->script.len);
    len = (int)d->text.len;
    sqlite3_bind_text(i, 1, txid, 64, SQLITE_STATIC);
    sqlite3_bind_int64(i, 2, r->index);
    sqlite3_bind_int64(i, 3, r->value.sat);
    sqlite3_bind_int(i, 4, r->is_coinbase);
    sqlite3_bind_int64(i, 5, r->height);
    sqlite3_bind_text(i, 6, len ? (const char *)d->text.data : "", len, SQLITE_STATIC);
    sqlite3_bind_text(i, 7, r->type, -1, SQLITE_STATIC);
    if (r->address[0])
        sqlite3_bind_text(i, 8, r->address, -1, SQLITE_STATIC);
    else
        sqlite3_bind_null(i, 8);
    if (sqlite3_step(i) != SQLITE_DONE)
        return failure(d, "insert");
    sqlite3_reset(i);
    return lode_ok();
}

lode_status lode_export_database_finish(lode_export_database *d, const lode_chain *chain, const lode_entry *target,
                                        uint64_t count)
{
    char sql[256], hash[65];

    lode_hash_to_hex(hash, target->node.hash.bytes);
    sqlite3_snprintf(sizeof sql, sql, "INSERT INTO snapshot VALUES ('%s', %d, '%s', %lld)", chain->params.name,
                     target->node.height, hash, (long long)count);
    LODE_TRY(run(d, sql));
    return run(d, "COMMIT");
}

void lode_export_database_close(lode_export_database *d)
{
    if (!d)
        return;
    sqlite3_finalize(d->insert);
    sqlite3_close(d->db);
    lode_buf_clear(&d->text);
    free(d);
}

#else

struct lode_export_database {
    int unused;
};

lode_status lode_export_database_open(lode_export_database **out, const char *path)
{
    *out = NULL;
    return lode_fail(LODE_UNSUPPORTED, "%s: this build is without SQLite (libsqlite3-dev when it was configured)",
                     path);
}

lode_status lode_export_database_put(lode_export_database *d, const lode_export_row *row)
{
    return lode_fail(LODE_UNSUPPORTED, "this build is without SQLite");
}

lode_status lode_export_database_finish(lode_export_database *d, const lode_chain *chain, const lode_entry *target,
                                        uint64_t count)
{
    return lode_fail(LODE_UNSUPPORTED, "this build is without SQLite");
}

void lode_export_database_close(lode_export_database *d)
{
    free(d);
}

#endif
