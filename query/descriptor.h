/* query/descriptor.h: output descriptors (BIP 380 to 386) that can be told from the script alone. */
#ifndef LODE_QUERY_DESCRIPTOR_H
#define LODE_QUERY_DESCRIPTOR_H

#include "query/script_class.h"

/* Appends pk(), multi(), rawtr(), addr() or raw(), with '#' and its checksum, as Core infers it without any keys. */
void lode_buf_put_descriptor(lode_buf *out, lode_slice script, const lode_script_class *c,
                             const lode_chain_params *params);
/* Eight characters and NUL; false when a character of `text` cannot stand in a descriptor. */
bool lode_descriptor_checksum(char out[9], const char *text, size_t len);

#endif
