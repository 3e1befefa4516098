/* query/query.h: bitcoin-cli's commands answered over an open chain. */
#ifndef LODE_QUERY_QUERY_H
#define LODE_QUERY_QUERY_H

#include "chainstate/chain.h"

/* lode.h's lode_query over a chain; see there. The caller frees *answer and *error_text with free(). The chain's coins
 * must stand on disk where a command walks the whole set (gettxoutsetinfo, stats): flush first. */
lode_status lode_query_chain(lode_chain *chain, const char *command, const char *const *arguments,
                             size_t argument_count, char **answer, int *is_text, int *error_code, char **error_text);

/* Names of the commands, one at a time; NULL past the end. Static. */
const char *lode_query_command_name(size_t i);
/* Usage line, what it does, its arguments. Static; NULL when the command is unknown. */
const char *lode_query_command_help(const char *command);

#endif
