/* query/export.c: the coin set as rows that other programs read.
 *
 * Room:     a coin as a row; rows as text.
 * Touches:  the file; what snapshot/earlier_coins.c touches.
 * Threads:  the chain's.
 */
#include "query/export.h"

#include "query/json.h"
#include "query/script_class.h"
#include "snapshot/earlier_coins.h"
#include "snapshot/file_writer.h"

enum { TELL_EVERY = 20000 };

bool lode_export_format_from_name(lode_export_format *format, const char *name)
{
    static const char *const names[] = { "csv", "jsonl", "sqlite" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name) != 0)
            continue;
        *format = (lode_export_format)i;
        return true;
    }
    return false;
}

/* ---- rows as text ---- */

static void put_reversed_hex(lode_buf *out, const uint8_t hash[32])
{
    char hex[65];
    lode_hash_to_hex(hex, hash);
    lode_buf_append(out, hex, 64);
}

static void put_csv(lode_buf *out, const lode_export_row *r)
{
    put_reversed_hex(out, r->txid);
    lode_buf_printf(out, ",%u,%lld,%d,%u,", r->index, (long long)r->value.sat, r->is_coinbase, r->height);
    lode_buf_put_hex(out, r->script.data, r->script.len);
    lode_buf_printf(out, ",%s,%s\n", r->type, r->address);
}

static void put_json(lode_buf *out, const lode_export_row *r)
{
    lode_buf_printf(out, "{\"txid\":\"");
    put_reversed_hex(out, r->txid);
    lode_buf_printf(out, "\",\"vout\":%u,\"value\":%lld,\"coinbase\":%s,\"height\":%u,\"scriptpubkey\":\"", r->index,
                    (long long)r->value.sat, r->is_coinbase ? "true" : "false", r->height);
    lode_buf_put_hex(out, r->script.data, r->script.len);
    lode_buf_printf(out, "\",\"type\":\"%s\",\"address\":", r->type);
    lode_buf_printf(out, r->address[0] ? "\"%s\"}\n" : "null}\n", r->address);
}

/* ---- walking ---- */

typedef struct exporting {
    lode_chain *chain;
    lode_export_format format;
    lode_file_writer writer;
    lode_export_database *database;
    char address[LODE_BASE58_TEXT_MAX];
    uint64_t count;
} exporting;

static lode_status put_row(exporting *x, const lode_export_row *row)
{
    switch (x->format) {
    case LODE_EXPORT_CSV:
        put_csv(&x->writer.buf, row);
        break;
    case LODE_EXPORT_JSONL:
        put_json(&x->writer.buf, row);
        break;
    case LODE_EXPORT_SQLITE:
        return lode_export_database_put(x->database, row);
    }
    lode_file_writer_drain(&x->writer);
    return x->writer.status;
}

static lode_status put_coin(exporting *x, const uint8_t prevout[36], const lode_coin_view *coin)
{
    lode_export_row row = { .txid = prevout,
                            .index = lode_read_le32(prevout + 32),
                            .height = coin->height,
                            .is_coinbase = coin->is_coinbase,
                            .address = x->address };
    lode_reader r = lode_reader_of(coin->script.data, coin->script.len);
    uint8_t scratch[67];
    lode_script_class class;

    row.value.sat = (int64_t)lode_amount_decompress(coin->compressed_amount);
    lode_reader_script(&r, &row.script, scratch);
    if (!lode_reader_is_done(&r) || !lode_amount_is_money(row.value)) {
        char hex[65];
        lode_hash_to_hex(hex, prevout);
        return lode_fail(LODE_CORRUPT, "the stored coin %s:%u does not decode to a script and an amount of money", hex,
                         row.index);
    }
    lode_script_classify(&class, row.script);
    row.type = lode_script_type_name(class.type);
    x->address[0] = '\0';
    lode_script_address(x->address, &class, &x->chain->params);
    return put_row(x, &row);
}

static lode_status put_coins(exporting *x, lode_coins *coins)
{
    lode_chain *chain = x->chain;
    lode_coins_cursor *cursor;
    lode_status s = lode_coins_cursor_open(&cursor, coins, NULL);

    while (!lode_failed(s)) {
        uint8_t prevout[36];
        lode_coin_view coin;
        bool found = false;

        s = lode_coins_cursor_next(cursor, &found, prevout, &coin);
        if (lode_failed(s) || !found)
            break;
        s = put_coin(x, prevout, &coin);
        if (lode_failed(s) || ++x->count % TELL_EVERY != 0)
            continue;
        if (lode_chain_is_interrupted(chain))
            s = lode_fail(LODE_CANCELLED, "interrupted after %llu coins; no file was written",
                          (unsigned long long)x->count);
        if (chain->on_progress) /* txids are spread evenly */
            chain->on_progress(chain->progress_context, "exporting coins (parts of 65536)",
                               (uint64_t)prevout[0] << 8 | prevout[1], 65536);
    }
    lode_coins_cursor_close(cursor);
    return s;
}

static lode_status export_all(exporting *x, lode_entry *target)
{
    static const char names[] = "txid,vout,value,coinbase,height,scriptpubkey,type,address\n";
    lode_earlier_coins at;
    lode_status s = lode_earlier_coins_open(&at, x->chain, target);

    if (!lode_failed(s) && x->format == LODE_EXPORT_SQLITE)
        s = lode_export_database_open(&x->database, x->writer.unfinished);
    if (!lode_failed(s) && x->format == LODE_EXPORT_CSV)
        lode_file_writer_put(&x->writer, names, sizeof names - 1);
    if (!lode_failed(s))
        s = put_coins(x, at.coins);
    if (!lode_failed(s) && x->database)
        s = lode_export_database_finish(x->database, x->chain, target, x->count);
    lode_export_database_close(x->database);
    lode_earlier_coins_close(&at);
    return s;
}

lode_status lode_coins_export(uint64_t *count, lode_chain *chain, lode_entry *target, lode_export_format format,
                              const char *path)
{
    exporting x = { .chain = chain, .format = format };
    lode_status s;

    if (format == LODE_EXPORT_SQLITE && chain->env != lode_env_system())
        return lode_fail(LODE_UNSUPPORTED, "%s: SQLite writes to the system's files only", path);
    LODE_TRY(lode_file_writer_open(&x.writer, chain->env, path));
    s = export_all(&x, target);
    if (lode_failed(s)) {
        lode_file_writer_abandon(&x.writer);
        return s;
    }
    LODE_TRY(lode_file_writer_finish(&x.writer));
    *count = x.count;
    return s;
}
