/* query/help.h: what each command is for. */
#ifndef LODE_QUERY_HELP_H
#define LODE_QUERY_HELP_H

/* Static; NULL when the command is unknown. The first line is the usage. */
const char *lode_query_help_text(const char *command);

#endif
