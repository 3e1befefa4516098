/* validate/script/encoding.h: which signatures and public keys the flags admit, before anything is verified. */
#ifndef LODE_VALIDATE_SCRIPT_ENCODING_H
#define LODE_VALIDATE_SCRIPT_ENCODING_H

#include "validate/script/interpreter.h"

/* `sig` with its hash type byte; empty is always admitted. Source: Core's CheckSignatureEncoding. */
lode_script_error lode_sig_check_encoding(lode_slice sig, uint32_t flags);
/* Source: Core's CheckPubKeyEncoding. */
lode_script_error lode_pubkey_check_encoding(lode_slice key, uint32_t flags, lode_sig_version version);

/* The first byte says how long a key must be; 0x06 and 0x07 are the "hybrid" form, never standard and always valid in
 * consensus. Whether the point exists is not asked. Source: Core's CPubKey::IsValid. */
static inline bool lode_pubkey_is_possible(lode_slice key)
{
    if (key.len == 33)
        return key.data[0] == 2 || key.data[0] == 3;
    return key.len == 65 && (key.data[0] == 4 || key.data[0] == 6 || key.data[0] == 7);
}

#endif
