/* query/tx_json.h: transactions and output scripts as members of an answer. */
#ifndef LODE_QUERY_TX_JSON_H
#define LODE_QUERY_TX_JSON_H

#include "chainstate/undo.h"
#include "primitives/tx.h"
#include "query/json.h"
#include "validate/rules/params.h"

/* asm, desc, hex, address where there is one, type: members of the object that is open. */
void lode_json_put_script(lode_json *j, lode_slice script, const lode_chain_params *params);

/* What getblock and getrawtransaction tell of a transaction, up to its bytes in hexadecimal: members of the open
 * object. In:      undo      NULL: not at hand, or a coinbase. Otherwise it stands before the transaction's coins and
 * moves past them; the fee is then told. prevouts  true: each input tells the coin it spends. Returns: false when the
 * undo does not fit the transaction. */
bool lode_json_put_tx(lode_json *j, const lode_tx *tx, lode_undo_reader *undo, bool prevouts,
                      const lode_chain_params *params);

#endif
