/* query/script_class.h: what kind of output script is this, and what address has it? */
#ifndef LODE_QUERY_SCRIPT_CLASS_H
#define LODE_QUERY_SCRIPT_CLASS_H

#include "primitives/address.h"
#include "support/bytes.h"
#include "validate/rules/params.h"

typedef enum lode_script_type { /* Core's TxoutType */
                                LODE_SCRIPT_NONSTANDARD,
                                LODE_SCRIPT_PUBKEY,
                                LODE_SCRIPT_PUBKEYHASH,
                                LODE_SCRIPT_SCRIPTHASH,
                                LODE_SCRIPT_MULTISIG,
                                LODE_SCRIPT_NULL_DATA,
                                LODE_SCRIPT_ANCHOR,
                                LODE_SCRIPT_WITNESS_V0_KEYHASH,
                                LODE_SCRIPT_WITNESS_V0_SCRIPTHASH,
                                LODE_SCRIPT_WITNESS_V1_TAPROOT,
                                LODE_SCRIPT_WITNESS_UNKNOWN
} lode_script_type;

#define LODE_MULTISIG_KEYS_MAX 20

typedef struct lode_script_class {
    lode_script_type type;
    lode_slice data;                         /* key, hash or witness program; lent from the script */
    int witness_version;                     /* of a witness program */
    int required;                            /* of a multisig */
    int key_count;                           /* of a multisig */
    lode_slice keys[LODE_MULTISIG_KEYS_MAX]; /* of a multisig; lent */
} lode_script_class;

void lode_script_classify(lode_script_class *c, lode_slice script);
/* "pubkeyhash", "witness_v1_taproot", ...: as answers name types. */
const char *lode_script_type_name(lode_script_type type);
/* False, and out empty, for scripts without one (a bare public key has none). */
bool lode_script_address(char out[LODE_BASE58_TEXT_MAX], const lode_script_class *c, const lode_chain_params *params);

#endif
