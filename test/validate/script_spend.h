/* test/validate/script_spend.h: a transaction that spends one output, around the scripts of a test. */
#ifndef LODE_TEST_SCRIPT_SPEND_H
#define LODE_TEST_SCRIPT_SPEND_H

#include "primitives/encode.h"
#include "validate/script/sigcheck.h"

/* The public script vectors' pair: a coinbase with script_sig "0 0" that pays `value` to script_pubkey, and a
 * transaction of version 1 that spends it, lock time 0, sequence all ones, to an empty script. */
typedef struct spend {
    lode_tx tx;
    lode_txin input;
    lode_txout output;
    lode_txout spent;
    uint8_t prevout[36];
    lode_buf witness;
} spend;

/* The scripts are kept. */
void spend_init(spend *s, lode_slice script_sig, lode_slice script_pubkey, int64_t value);
void spend_add_witness(spend *s, lode_slice item); /* copied */
void spend_clear(spend *s);

/* Checks it with the immediate checker. */
bool spend_verify(lode_script_error *error, const spend *s, uint32_t flags);

#endif
