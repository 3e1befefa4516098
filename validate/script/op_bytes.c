/* validate/script/op_bytes.c: what is left of the splice and bit operations: size and equality. */
#include "validate/script/number.h"

/* ( v -- v len ) */
lode_script_error lode_op_size(lode_eval *e, uint8_t opcode)
{
    LODE_NEED(e, 1);
    lode_stack_push_number(&e->stack, (int64_t)lode_stack_at(&e->stack, 1).len);
    return LODE_SCRIPT_OK;
}

/* ( a b -- equal? ) */
lode_script_error lode_op_equal(lode_eval *e, uint8_t opcode)
{
    LODE_NEED(e, 2);
    bool equal = lode_slice_is_equal(lode_stack_at(&e->stack, 2), lode_stack_at(&e->stack, 1));
    lode_stack_drop(&e->stack, 2);
    lode_stack_push_bool(&e->stack, equal);
    return LODE_SCRIPT_OK;
}

/* ( a b -- ) */
lode_script_error lode_op_equal_verify(lode_eval *e, uint8_t opcode)
{
    LODE_NEED(e, 2);
    if (!lode_slice_is_equal(lode_stack_at(&e->stack, 2), lode_stack_at(&e->stack, 1)))
        return LODE_SCRIPT_EQUALVERIFY;
    lode_stack_drop(&e->stack, 2);
    return LODE_SCRIPT_OK;
}
