/* validate/script/op_locktime.c: BIP 65 and BIP 112. Without their flags they do nothing, not even ask for an item. */
#include "validate/script/number.h"

#define SEQUENCE_DISABLED (INT64_C(1) << 31) /* BIP 112: the operand asks for nothing */

/* Five bytes, since lock times go beyond 2^31. The item stays on the stack. */
static lode_script_error read_lock(lode_eval *e, int64_t *n)
{
    LODE_NEED(e, 1);
    LODE_TRY_OP(lode_number_read(n, lode_stack_at(&e->stack, 1), e, LODE_LOCK_TIME_BYTES));
    return *n < 0 ? LODE_SCRIPT_NEGATIVE_LOCKTIME : LODE_SCRIPT_OK;
}

lode_script_error lode_op_check_lock_time(lode_eval *e, uint8_t opcode)
{
    int64_t lock_time;
    if (!(e->flags & LODE_VERIFY_CHECKLOCKTIMEVERIFY))
        return LODE_SCRIPT_OK;
    LODE_TRY_OP(read_lock(e, &lock_time));
    return e->checker->check_lock_time(e->checker, lock_time) ? LODE_SCRIPT_OK : LODE_SCRIPT_UNSATISFIED_LOCKTIME;
}

lode_script_error lode_op_check_sequence(lode_eval *e, uint8_t opcode)
{
    int64_t sequence;
    if (!(e->flags & LODE_VERIFY_CHECKSEQUENCEVERIFY))
        return LODE_SCRIPT_OK;
    LODE_TRY_OP(read_lock(e, &sequence));
    if (sequence & SEQUENCE_DISABLED)
        return LODE_SCRIPT_OK;
    return e->checker->check_sequence(e->checker, sequence) ? LODE_SCRIPT_OK : LODE_SCRIPT_UNSATISFIED_LOCKTIME;
}
