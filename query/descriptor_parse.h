/* query/descriptor_parse.h: output descriptors without derivation, turned into the scripts they stand for. */
#ifndef LODE_QUERY_DESCRIPTOR_PARSE_H
#define LODE_QUERY_DESCRIPTOR_PARSE_H

#include "support/bytes.h"
#include "validate/rules/params.h"

#define LODE_DESCRIPTOR_SCRIPTS_MAX 4 /* combo() has most */

typedef struct lode_descriptor_scripts {
    size_t count;
    struct {
        lode_buf script;
        lode_buf text; /* the descriptor of this script alone, with its checksum; NUL-terminated */
    } items[LODE_DESCRIPTOR_SCRIPTS_MAX];
} lode_descriptor_scripts;

/* raw(HEX), addr(ADDRESS), pk(KEY), pkh(KEY), wpkh(KEY), combo(KEY), tr(KEY), rawtr(KEY), multi() and sortedmulti(),
 * and those of them that may stand in sh(), wsh() and sh(wsh()); a bare address is taken as addr(). A checksum is
 * checked when it is there. KEY is hexadecimal, with or without its origin in brackets. Returns: NULL, with `out`
 * filled (clear it); else why not, in Core's words where it is Core's refusal. The words lie in `error`. `out` is empty
 * then. */
const char *lode_descriptor_parse(lode_descriptor_scripts *out, char error[256], const char *text,
                                  const lode_chain_params *params);
void lode_descriptor_scripts_clear(lode_descriptor_scripts *scripts);

/* The script that an address of this network stands for, appended. False when it is no address of it. */
bool lode_address_script(lode_buf *out, const char *address, const lode_chain_params *params);

#endif
