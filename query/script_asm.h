/* query/script_asm.h: scripts in words. */
#ifndef LODE_QUERY_SCRIPT_ASM_H
#define LODE_QUERY_SCRIPT_ASM_H

#include "support/bytes.h"

/* Appends the script as Core's answers print it: names, small pushes as numbers, larger ones in hexadecimal, "[error]"
 * at an undecodable push. show_hash_types: pushes that look like ECDSA signatures end in "[ALL]" and the like (for
 * script_sig, where signatures live). */
void lode_buf_put_script_asm(lode_buf *out, lode_slice script, bool show_hash_types);

#endif
