/* test/validate/script_words.h: the language in which the public vectors write scripts and flags. */
#ifndef LODE_TEST_SCRIPT_WORDS_H
#define LODE_TEST_SCRIPT_WORDS_H

#include "support/bytes.h"
#include "validate/script/interpreter.h"

/* Appends the script that `words` mean: decimal numbers and 'text' are pushed, 0x bytes inserted, names are opcodes
 * with or without OP_. Aborts at a word that means nothing. */
void script_put_words(lode_buf *out, const char *words);
void script_put_push(lode_buf *out, lode_slice data); /* by length alone, not the minimal form */
void script_put_number(lode_buf *out, int64_t n);     /* OP_0, OP_1NEGATE, OP_1 to OP_16, or a push */

/* "P2SH,WITNESS", "NONE" or "". Aborts at an unknown name. */
uint32_t script_read_flags(const char *names);
enum { SCRIPT_FLAG_COUNT = 21 };
extern const uint32_t script_all_flags; /* every flag set */

/* WITNESS needs P2SH, CLEANSTACK needs both: taken away, or added, until that holds. */
uint32_t script_trim_flags(uint32_t flags);
uint32_t script_fill_flags(uint32_t flags);

#endif
