/* cli/options.h: every option there is, in one table. */
#ifndef LODE_CLI_OPTIONS_H
#define LODE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum lode_option_kind {
    LODE_OPTION_BOOL, /* -X, -X=0|1, -noX */
    LODE_OPTION_INTEGER,
    LODE_OPTION_TEXT, /* the last one counts */
    LODE_OPTION_LIST  /* may be given several times */
} lode_option_kind;

typedef enum lode_option_group {
    LODE_OPTIONS_DIRECTORY,
    LODE_OPTIONS_CHAIN,
    LODE_OPTIONS_IMPORT,
    LODE_OPTIONS_CHECK,
    LODE_OPTIONS_OUTPUT,
    LODE_OPTION_GROUP_COUNT
} lode_option_group;

typedef struct lode_option {
    const char *name; /* without dashes */
    lode_option_kind kind;
    lode_option_group group;
    const char *value_name; /* for help: "DIR"; NULL for a bool */
    const char *help;
} lode_option;

/* NULL: there is no such option. */
const lode_option *lode_option_find(const char *name, size_t name_len);
/* One at a time, NULL past the end. Static. */
const lode_option *lode_option_at(size_t i);
/* Why Lode does not do what this option of Core's asks for; NULL: it is none of those. Static. */
const char *lode_option_declined(const char *name, size_t name_len);
const char *lode_option_group_title(lode_option_group group);

#endif
