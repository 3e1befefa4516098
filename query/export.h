/* query/export.h: the coin set as rows that other programs read. */
#ifndef LODE_QUERY_EXPORT_H
#define LODE_QUERY_EXPORT_H

#include "chainstate/chain.h"

/* Rows have the same columns in each format, one for each unspent output, in order of txid:
 *     txid, vout, value (satoshis), coinbase (0 or 1), height, scriptpubkey (hexadecimal), type, address (or nothing)
 * "csv" has a line with their names first. "jsonl" is one JSON object a line. "sqlite" is a database with a table
 * `utxos` of these columns and one row in a table `snapshot`: chain, height, blockhash, coins. */
typedef enum lode_export_format { LODE_EXPORT_CSV, LODE_EXPORT_JSONL, LODE_EXPORT_SQLITE } lode_export_format;

/* False when there is no such format. */
bool lode_export_format_from_name(lode_export_format *format, const char *name);

typedef struct lode_export_row {
    const uint8_t *txid;
    uint32_t index, height;
    lode_amount value;
    bool is_coinbase;
    lode_slice script;
    const char *type;    /* as answers name it */
    const char *address; /* empty: none */
} lode_export_row;

/* Writes the set at `target`, a block of the chain, to `path`, which is PATH.incomplete until it is whole.
 * Out:     count  of coins.
 * Errors:  LODE_EXISTS at once when there is such a file; LODE_UNSUPPORTED for sqlite in a build without it, or on
 * other files than the system's; those of lode_earlier_coins_open; LODE_NO_SPACE, LODE_IO. No file is left then. */
lode_status lode_coins_export(uint64_t *count, lode_chain *chain, lode_entry *target, lode_export_format format,
                              const char *path);

/* query/export_sqlite.c. The database is made in a file that is there and empty. */
typedef struct lode_export_database lode_export_database;
lode_status lode_export_database_open(lode_export_database **out, const char *path);
lode_status lode_export_database_put(lode_export_database *d, const lode_export_row *row);
lode_status lode_export_database_finish(lode_export_database *d, const lode_chain *chain, const lode_entry *target,
                                        uint64_t count);
void lode_export_database_close(lode_export_database *d); /* closing NULL does nothing */

#endif
