/* validate/script/lax_der.h: ECDSA signatures as blocks before BIP 66 wrote them. */
#ifndef LODE_VALIDATE_SCRIPT_LAX_DER_H
#define LODE_VALIDATE_SCRIPT_LAX_DER_H

#include <secp256k1.h>

#include "support/bytes.h"

/* `der` without hash type byte. False when it cannot be read at all. Numbers beyond the group's order give a signature
 * that is well formed and never verifies. */
bool lode_der_parse_lax(secp256k1_ecdsa_signature *sig, lode_slice der);
/* S is at most half the group's order. False when `der` cannot be read. Source: Core's CPubKey::CheckLowS. */
bool lode_der_has_low_s(lode_slice der);

#endif
