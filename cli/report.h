/* cli/report.h: what an import did, for a person or as one JSON object. */
#ifndef LODE_CLI_REPORT_H
#define LODE_CLI_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "lode.h"

/* Rejections as they come, for the JSON object. Past `kept_max` they are only counted: `blocks_rejected` has them all.
 */
typedef struct lode_rejection_list {
    char *text; /* JSON objects with ", " between them; ours */
    size_t len, capacity;
    size_t kept;
    bool failed;
} lode_rejection_list;

void lode_rejection_list_add(lode_rejection_list *list, const lode_rejection *rejection);
void lode_rejection_list_clear(lode_rejection_list *list);

/* `outcome`: "done", "interrupted" or "failed". */
void lode_report_print_json(FILE *out, const lode_import_result *result, const lode_rejection_list *rejections,
                            const char *outcome);
void lode_report_print_text(FILE *out, const lode_import_result *result, const char *outcome);

/* A byte as it stands within a JSON string; NUL-terminated. Returns the length. */
size_t lode_json_escape(char out[8], char c);

#endif
