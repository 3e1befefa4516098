/* validate/script/number.h: numbers as scripts write them: little endian, the sign in the top bit of the last byte.
 *
 * Operands are at most four bytes (five for lock times); results may be longer and are then no operands any more.
 * Source: Core's CScriptNum.
 */
#ifndef LODE_VALIDATE_SCRIPT_NUMBER_H
#define LODE_VALIDATE_SCRIPT_NUMBER_H

#include "validate/script/eval.h"

enum { LODE_NUMBER_BYTES = 4, LODE_LOCK_TIME_BYTES = 5 };

/* LODE_SCRIPT_SCRIPTNUM when `v` is too long, or not minimal although the flags demand it. */
lode_script_error lode_number_read(int64_t *n, lode_slice v, const lode_eval *e, size_t max_bytes);
void lode_stack_push_number(lode_stack *s, int64_t n);

#endif
